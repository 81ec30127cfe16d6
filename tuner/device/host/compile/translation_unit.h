#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/space/plan.h"

namespace gktune {

// The text that the compiler reads.
struct TranslationUnit {
  std::string text;
  std::vector<std::vector<std::string>> symbols;  // of each variant's entries
};

// A variant and the unique prefix of its symbols.
struct NamedVariant {
  const SourcePlan* source;
  std::string name;
};

// Makes one unit of CUDA sources. Several sources get a namespace each.
TranslationUnit cuda_unit(std::span<const NamedVariant> variants);
// One plain C++ source.
TranslationUnit cpp_unit(const NamedVariant& variant);

// Makes the variant's entries symbols of the text, which holds its source and the headers that the engine
// calls it by. Returns the symbols.
std::vector<std::string> add_entries(std::string& text, const NamedVariant& variant,
                                     std::string_view make_entry);

// Clang's code in LLVM's language, with a call of gktune_copy (gktune/instrument.h) in place of each copy of
// a struct. Clang's sanitizers do not check the alignment of such a copy, and its instrumentation forgets it;
// LLVM's language has it.
std::string with_checked_copies(std::string_view llvm_text);

}  // namespace gktune
