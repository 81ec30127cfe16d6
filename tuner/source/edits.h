#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/tokens.h"

namespace gktune {

// Replaces parts of a text and keeps its number of lines.
class Edits {
 public:
  // The text must outlive the edits, and tokens must be parts of it.
  explicit Edits(std::string_view text) : text_(text) {}

  // Replaces the text from `first` to `last`, both included. Call it in the order of the text.
  void replace(const Token& first, const Token& last, std::string replacement);
  std::string apply() const;

 private:
  struct Edit {
    std::string_view replaced;
    std::string replacement;
  };
  std::string_view text_;
  std::vector<Edit> edits_;
};

}  // namespace gktune
