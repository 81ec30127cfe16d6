#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/import/import_space.h"
#include "engine/import/launching_code.h"
#include "tuner/source/kernel_code.h"
#include "tuner/source/signatures.h"
#include "tuner/source/tokens.h"

namespace gktune {

// The uses of a pointer that the text of a kernel shows.
struct PointerUse {
  bool is_read = false, is_written = false, is_atomic = false;
  bool is_passed_on = false;  // to a function whose body is not in the source
  bool is_divisor = false, is_bound = false;  // of a loop

  // An array that is indexed by the pointer's elements.
  struct Index {
    std::string array;
    bool is_exact = false;  // array[p[i]], or array[p[i] * factor + …]
    Tokens factor;
    friend bool operator==(const Index& a, const Index& b) { return a.array == b.array; }
  };
  std::vector<Index> indexes;
};

enum class Loops { count, skip };

// The bodies of a CUDA source's functions.
class KernelBodies {
 public:
  KernelBodies(Tokens tokens, const std::vector<FunctionSignature>& signatures)
      : tokens_(tokens), signatures_(signatures) {}

  // The tokens between its braces; empty if the source only declares the function.
  Tokens body(std::string_view function) const;
  PointerUse use_of(std::string_view function, const std::string& pointer, int depth = 0) const;
  // True if threadIdx or blockIdx alone is the place of an element of one of the function's pointers.
  bool has_element_of_block(const FunctionSignature& function) const;
  // True if the function compares something with one of these names, with what it computes from them, or
  // passes them on. Loops from a number to them count or not.
  bool compares(std::string_view function, std::set<std::string, std::less<>> names, Loops loops) const;
  // The extent of an array with one dimension: the tokens in the brackets of `__shared__ int bins[…]`.
  std::optional<Tokens> array_extent(std::string_view function, std::string_view array) const;

 private:
  Tokens tokens_;
  const std::vector<FunctionSignature>& signatures_;
};

// An argument of the space file. It has no type if only launches name it.
struct ImportedArgument : SpaceDraft::Argument {
  bool is_guess = false;  // its contents or its value: the sanitizer does not trust what follows from them
  std::string passed;  // the launch's argument: its name, or a struct; empty if the launch does not pass it

  void add_comment(const std::string& more) { comment += (comment.empty() ? "" : "; ") + more; }
};

// A kernel and the source around it.
struct KernelInSource {
  const FunctionSignature& kernel;  // its parameters are known
  const UsedText& text;             // the kernel and the functions that it calls
  const std::optional<FoundLaunch>& launch;
  // The values of the kernel's first template parameters. The rest have their defaults.
  const std::vector<std::string>& template_values;
  Tokens tokens;  // of the source
  const KernelBodies& bodies;
  LaunchingCode& code;
  // The extent of a buffer if the source does not show it.
  std::function<std::string()> all_elements;
  std::function<void(std::string)> note;  // receives notes for the user
};

// Finds the arguments of a kernel for a space file: types, extents, roles and contents. Comments mark
// guesses.
std::vector<ImportedArgument> kernel_arguments(const KernelInSource& source);

}  // namespace gktune
