#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/import/kernel_body.h"
#include "engine/import/launching_code.h"
#include "engine/import/import_space.h"
#include "tuner/source/kernel_code.h"
#include "tuner/source/signatures.h"

namespace gktune {

// An argument of the space file. It has no type if only launches name it.
struct ImportedArgument : SpaceDraft::Argument {
  std::string passed;  // the launch's argument: its name, or a struct; empty if the launch does not pass it

  void add_comment(const std::string& more) { comment += (comment.empty() ? "" : "; ") + more; }
};

// A kernel and the source around it.
struct KernelInSource {
  const FunctionSignature& kernel;  // its parameters are known
  const UsedText& text;             // the kernel and the functions that it calls
  const std::optional<FoundLaunch>& launch;
  Tokens tokens;  // of the source
  const std::vector<FunctionSignature>& kernels;
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
