#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/space/plan.h"

namespace gktune {

// The text that the compiler reads.
struct TranslationUnit {
  std::string text;
  std::vector<std::string> symbols;               // of the entries
  std::set<std::string, std::less<>> host_names;  // of functions and variables that are left out
};

// A source and the unique prefix of its symbols.
struct NamedVariant {
  const SourcePlan* source;
  std::string name;
};

// `curand`: the path of the toolkit's curand_kernel.h; empty: kernels cannot include it.
TranslationUnit cuda_unit(const NamedVariant& variant, const std::string& curand);
// Makes the unit of a plain C++ source.
TranslationUnit cpp_unit(const NamedVariant& variant);

// Makes the variant's entries symbols of the text, which holds its source and the headers that the engine
// calls it by. Returns the symbols.
std::vector<std::string> add_entries(std::string& text, const NamedVariant& variant,
                                     std::string_view make_entry);

}  // namespace gktune
