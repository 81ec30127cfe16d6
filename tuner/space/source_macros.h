#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tuner/source/flat_source.h"
#include "tuner/source/tokens.h"

namespace gktune {

// How a source uses a macro that the tuner defines, such as a parameter.
struct MacroUse {
  bool is_used = false;  // the name is a word of the source
  // "k.cu:3", if the source there sets the macro to something else, or declares a variable or function of its
  // name. Only what is compiled in any case counts.
  std::optional<std::string> redefined_at, declared_at;
};

// The words of a source that outlives it, read once: its headers may be large.
class SourceMacros {
 public:
  explicit SourceMacros(const FlatSource& source);

  MacroUse find(std::string_view name) const;

 private:
  struct Line {
    std::string_view file;
    int number;
    std::size_t first_token;
  };

  std::unordered_set<std::string_view> words_;
  std::unordered_map<std::string_view, std::string> redefined_at_;
  std::vector<Token> tokens_;  // of what is compiled in any case
  std::vector<Line> lines_;    // with those tokens
};

}  // namespace gktune
