#pragma once

#include <string>
#include <vector>

#include "engine/selection.h"

namespace gktune {

using Texts = std::vector<std::string>;

// Problems as they are typed.
inline Texts texts(const std::vector<Problem>& problems) {
  Texts all;
  for (const Problem& problem : problems) all.push_back(problem_text(problem));
  return all;
}

}  // namespace gktune
