#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/signatures.h"
#include "tuner/source/tokens.h"

namespace gktune {

// How a kernel uses a pointer, as far as its text shows it.
struct PointerUse {
  bool is_read = false, is_written = false, is_atomic = false;
  bool is_passed_on = false;  // to something whose use of it does not show

  // Its elements are used in the brackets of another array.
  struct Index {
    std::string array;
    bool is_exact = false;  // array[p[i]], or array[p[i] * factor + …]
    Tokens factor;
    friend bool operator==(const Index& a, const Index& b) { return a.array == b.array; }
  };
  std::vector<Index> indexes;
  bool has_next = false;  // p[i] and p[i + 1]: where rows begin and end
};

// The bodies of a CUDA source's functions.
class KernelBodies {
 public:
  KernelBodies(Tokens tokens, const std::vector<FunctionSignature>& signatures) : tokens_(tokens), signatures_(signatures) {}

  // The tokens between its braces; empty if the source only declares the function.
  Tokens body(std::string_view function) const;
  PointerUse use_of(std::string_view function, const std::string& pointer, int depth = 0) const;
  // The tokens in the brackets of `__shared__ int bins[…]`, of a single dimension.
  std::optional<Tokens> array_extent(std::string_view function, std::string_view array) const;

 private:
  Tokens tokens_;
  const std::vector<FunctionSignature>& signatures_;
};

}  // namespace gktune
