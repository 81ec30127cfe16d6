#pragma once

#include <span>
#include <string>
#include <vector>

#include "tuner/space/plan.h"

namespace gktune {

// The text that the compiler reads.
struct TranslationUnit {
  std::string text;
  std::vector<std::vector<std::string>> symbols;  // of each variant's entries
};

// A variant together with the name that its symbols begin with, which no other variant has.
struct NamedVariant {
  const SourcePlan* source;
  std::string name;
};

// CUDA sources, as many as there are; each in a namespace of its own when there are several.
TranslationUnit cuda_unit(std::span<const NamedVariant> variants);
// One plain C++ source.
TranslationUnit cpp_unit(const NamedVariant& variant);

}  // namespace gktune
