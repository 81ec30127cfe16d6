#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/signatures.h"
#include "tuner/source/tokens.h"

namespace gktune {

// The uses of a pointer that the text of a kernel shows.
struct PointerUse {
  bool is_read = false, is_written = false, is_atomic = false;
  bool is_passed_on = false;  // to a function whose body is not in the source

  // An array that is indexed by the pointer's elements.
  struct Index {
    std::string array;
    bool is_exact = false;  // array[p[i]], or array[p[i] * factor + …]
    Tokens factor;
    friend bool operator==(const Index& a, const Index& b) { return a.array == b.array; }
  };
  std::vector<Index> indexes;
  bool has_next = false;  // the kernel reads p[i] and p[i + 1], the begin and end of a row
};

// The bodies of a CUDA source's functions.
class KernelBodies {
 public:
  KernelBodies(Tokens tokens, const std::vector<FunctionSignature>& signatures)
      : tokens_(tokens), signatures_(signatures) {}

  // The tokens between its braces; empty if the source only declares the function.
  Tokens body(std::string_view function) const;
  PointerUse use_of(std::string_view function, const std::string& pointer, int depth = 0) const;
  // The extent of an array with one dimension: the tokens in the brackets of `__shared__ int bins[…]`.
  std::optional<Tokens> array_extent(std::string_view function, std::string_view array) const;

 private:
  Tokens tokens_;
  const std::vector<FunctionSignature>& signatures_;
};

}  // namespace gktune
