#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/import/kernel_body.h"
#include "engine/import/launching_code.h"
#include "engine/import/size_term.h"
#include "engine/import/space_draft.h"
#include "tuner/source/kernel_code.h"
#include "tuner/source/signatures.h"
#include "tuner/source/tokens.h"

namespace gktune {

// True for the integer types of space files.
inline bool is_integer_type(std::string_view element) {
  return element.starts_with("int") || element.starts_with("uint");
}

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

// Finds the arguments of a kernel for a space file: types, extents, roles and
// contents. Comments mark guesses.
class KernelArguments {
 public:
  explicit KernelArguments(KernelInSource source);

  const std::vector<ImportedArgument>& list() const { return arguments_; }

 private:
  // A pointer argument.
  struct Buffer {
    std::size_t place = 0;   // among the kernel's parameters
    std::string name;        // of the kernel's parameter
    std::string element;     // the space file's type
    std::int64_t width = 1;  // space-file elements in an element of the kernel: 4 for float4
    std::optional<SizeTerm> extent;
    PointerUse use;
    std::optional<LaunchingCode::Filling> filling;
    std::string comment;
  };

  std::string without_template(const std::string& base) const;
  void find_buffers();
  const Buffer* buffer_named(std::string_view name) const;
  void note_kernels_before(const Buffer& buffer);
  void read_argument(std::size_t place);
  void read_scalar(ImportedArgument& argument, const std::string& type, Tokens passed);
  bool read_struct(ImportedArgument& argument, const std::string& type, Tokens passed);
  void read_buffer(ImportedArgument& argument, const Buffer& buffer);
  std::string extent_text(const Buffer& buffer);
  void read_symbols();
  void add_symbol(const std::string& name);

  static std::string contents_of(const std::string& element);
  static std::optional<std::string> filled_contents(ImportedArgument& argument, const Buffer& buffer);
  std::optional<std::string> index_contents(ImportedArgument& argument, const Buffer& buffer);
  std::optional<std::string> range_of_indexes(ImportedArgument& argument, const Buffer& buffer);
  const Buffer* offsets_of(const Buffer& columns) const;
  const Buffer* columns_of(const Buffer& offsets) const;
  bool is_row_offsets(const Buffer& buffer) const;
  bool bounds_a_loop(const std::string& pointer) const;
  std::optional<SizeTerm> index_limit(const PointerUse::Index& index);
  std::optional<SizeTerm> extent_of_rows(const Buffer& offsets) const;

  KernelInSource source_;
  std::vector<Buffer> buffers_;
  std::vector<ImportedArgument> arguments_;
};

}  // namespace gktune
