#pragma once

#include <cstdint>
#include <string>

namespace gktune {

enum class ContentsKind { zero, constant, ramp, uniform, normal, file };

// A buffer's contents before a launch, with all expressions evaluated.
struct ContentsPlan {
  ContentsKind kind = ContentsKind::zero;
  double a = 0, b = 0;  // constant: a; ramp: from a by b; uniform: a to b; normal: mean a, deviation b
  std::int64_t a_integer = 0, b_integer = 0;  // exact, for integer elements
  std::uint64_t seed = 0;
  std::string file;
  friend bool operator==(const ContentsPlan&, const ContentsPlan&) = default;
};

}  // namespace gktune
