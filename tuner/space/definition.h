#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gktune/element_type.h"
#include "tuner/core/fields.h"
#include "tuner/core/plan_parts.h"
#include "tuner/core/trial.h"
#include "tuner/source/signatures.h"
#include "tuner/space/diagnostic.h"
#include "tuner/space/language/expression.h"
#include "tuner/space/solver/parameter.h"

namespace gktune {

// cuda: kernels that gktune launches; cpp: functions that run on a CPU; host: functions
// that launch their own kernels; command: kernels that a program of the user compiles.
enum class Language { cuda, cpp, host, command };
EnumNames enum_names(Language);  // in space files
inline std::string_view language_name(Language language) { return enum_name(language); }
// The language of a file with this extension, if known.
std::optional<Language> language_of(const std::string& path);

// A dimension of the problem, with the sizes (or types, or distributions) to tune for.
struct Axis {
  std::string name;
  std::vector<Value> values;
  std::string macro;  // name of a macro with the value; empty: none
  std::string match;  // how the lookup matches values: nearest, exact, categorical; empty: by their kind
};

GKTUNE_FIELDS(Axis, name, values, macro, match)

// A compiler option. It is used if its condition holds.
struct Option {
  Pattern flag;
  std::optional<Expression> when;
};

GKTUNE_FIELDS(Option, flag, when)

inline std::vector<std::string> option_texts(const std::vector<Option>& options) {
  std::vector<std::string> texts;
  for (const Option& option : options) texts.push_back(option.flag.text);
  return texts;
}

// A tensor map of a buffer, for bulk copies to shared memory. Innermost dimension first, in elements.
struct TensorMap {
  std::string buffer;
  std::vector<Expression> sizes, strides, box;  // strides begin with the second dimension; empty: contiguous
  std::optional<Expression> swizzle;            // bytes
};

GKTUNE_FIELDS(TensorMap, buffer, sizes, strides, box, swizzle)

// A texture object over a buffer: texels in one row, or rows of them at a pitch.
struct Texture {
  std::string buffer;
  std::vector<Expression> sizes;         // in texels: the width, and the height of a 2-D texture
  std::optional<Expression> pitch;       // elements from one row to the next; absent: rows are contiguous
  std::optional<Expression> channels;    // elements of a texel: 1, 2 or 4; absent: 1
  Pattern address, filter;               // clamp, border, wrap, mirror; point, linear; empty: the first
  std::optional<Expression> normalized;  // coordinates go from 0 to 1
  std::optional<Expression> reads_fractions;  // integers are read as floats from 0 (or -1) to 1
};

GKTUNE_FIELDS(Texture, buffer, sizes, pitch, channels, address, filter, normalized, reads_fractions)

// One value that a launch passes to a function: an argument of the kernel, a value of the
// launch, or a struct of such values.
struct PassedArgument {
  std::string name;                     // of the kernel's argument
  Pattern type;                         // of `value`
  std::optional<Expression> value;      // absent: the argument called `name`
  std::vector<PassedArgument> members;  // a struct's, in order; excludes the other members
  std::optional<TensorMap> tensor_map;  // excludes the other members
  std::optional<Texture> texture;       // excludes the other members
};

GKTUNE_FIELDS(PassedArgument, name, type, value, members, tensor_map, texture)

// One step of a candidate: launch a kernel, fill a buffer, or repeat other steps.
struct Launch {
  Pattern entry;     // a function or a template-id; empty for a fill
  std::string fill;  // the argument to fill with fill_byte; empty for a kernel
  std::optional<Expression> fill_byte;
  std::array<std::optional<Expression>, 3> grid, block;  // absent: 1
  std::optional<Expression> shared_bytes;
  // By the names of LaunchAttributes' fields, in their order; a cluster has up to three extents.
  std::vector<std::pair<std::string, std::vector<Expression>>> attributes;
  std::optional<Expression> when;
  std::vector<PassedArgument> arguments;  // in the order of the function's parameters
  std::optional<Expression> rounds;       // number of repetitions of `body`; excludes all members above
  std::string until;                      // one element that ends the rounds once it is not 0; empty: none
  std::string index;                      // the name of the round's number in the body; empty: no name
  std::vector<std::string> swap;          // two buffers that trade places in every second round
  std::vector<Launch> body;
};

GKTUNE_FIELDS(Launch, entry, fill, fill_byte, grid, block, shared_bytes, attributes, when, arguments, rounds,
              until, index, swap, body)

// True if a launch passes, fills or swaps the argument.
bool takes(const std::vector<Launch>& launches, const std::string& argument);

// Untimed steps that prepare a candidate's executions.
struct Setup {
  std::vector<Launch> once;  // before a series of executions on the same buffers
  std::vector<Launch> each;  // before each execution
};

GKTUNE_FIELDS(Setup, once, each)

// Contents of a buffer before a launch.
struct Contents {
  using Kind = ContentsKind;
  Kind kind = Kind::zero;
  bool is_computed = false;  // the reference's `inputs` compute it
  // The numbers of each kind. constant: the value a. ramp: starts at a, rises by b. uniform, sorted,
  // field: from a to b. normal: mean a, deviation b. zipf: a different values, exponent b.
  // csr_offsets: a nonzeros, b columns.
  std::optional<Expression> a, b;
  std::optional<Expression> seed;
  std::optional<Expression> width;     // of a field
  std::optional<Expression> exponent;  // of csr_offsets
  // How long the rows of csr_offsets are: even, uniform or zipf; empty: even.
  Pattern lengths;
  std::string offsets;  // the argument with the offsets of csr_columns
  Pattern file;         // a .npy file, relative to the space file
};

GKTUNE_FIELDS(Contents, kind, is_computed, a, b, seed, width, exponent, lengths, offsets, file)

// The check of an output. An element passes if any listed tolerance is met. See TolerancePlan.
struct Tolerance {
  std::optional<Expression> absolute, relative, ulp;  // without any: equality
  std::optional<Expression> norm;
  std::optional<Expression> row, pitch;
  std::string mask;  // name of an argument; empty: none
  bool any_order = false, nan_equals = false;
};

GKTUNE_FIELDS(Tolerance, absolute, relative, ulp, norm, row, pitch, mask, any_order, nan_equals)

struct Argument {
  GKTUNE_MEMBER_ENUM(Role, in, out, inout, scratch)
  std::string name;
  Pattern type;                      // an element type, or {axis}
  std::optional<Expression> value;   // a scalar, passed by value
  std::optional<Expression> extent;  // number of elements of a buffer
  bool is_extent_guess = false;  // the sanitizer reports no accesses outside of it; no part of what is tuned
  std::string symbol;                // the variable of the source that is the buffer; empty: launches pass it
  Role role = Role::in;
  Contents contents;
  // Fresh executions take one after the other; none: another draw of the contents.
  std::vector<Contents> others;
  std::optional<Tolerance> check;  // of outputs that are compared with the reference's
};
// True if executions find contents in such a buffer.
constexpr bool is_input(Argument::Role role) {
  return role == Argument::Role::in || role == Argument::Role::inout;
}

GKTUNE_FIELDS(Argument, name, type, value, extent, symbol, role, contents, others, check)

// Code that judges candidates. Its expressions may use the problem, but no parameters.
struct PlainCode {
  // The path of its own source, which opens from the working directory; empty: it is in the kernel's source.
  std::string path;
  std::string text;  // of its own source
  // As in KernelDefinition, for its own source.
  std::set<std::string, std::less<>> undefined_names;
  std::vector<FunctionSignature> signatures;
  std::vector<Launch> launches;
};

// Not listed: undefined names and signatures follow from the text, which is found by its path.
GKTUNE_FIELDS(PlainCode, text, launches)

// Computes the expected outputs.
struct Reference : PlainCode {
  std::vector<Launch> inputs;  // run before `launches` and write the computed inputs
  // Symbols of arguments that are variables of the reference's source too and that its launches do not pass.
  std::set<std::string> symbols;
  bool is_default = false;  // the kernel itself in its default configuration; `launches` are the kernel's
};

// Not listed: whether it is the default; its launches are the kernel's then.
GKTUNE_FIELDS(Reference, text, inputs, launches)

// Reads the outputs of a candidate and counts the wrong elements. Its launches can also pass the expected
// output of a reference, as expected.NAME, and the verdict.
using Verifier = PlainCode;
inline constexpr std::string_view kExpectedPrefix = "expected.", kVerdictName = "verdict";

struct Metric {
  std::string name;  // GB/s
  Expression value;  // may use time_s, time_us, the problem, the parameters and device.*
};

// The goal of tuning: a short time, or a high or low metric.
struct Objective {
  std::string metric;  // empty: the time
  bool maximize = false;
};

// An environment variable of the process that runs a C++ function: OMP_NUM_THREADS.
struct Setting {
  std::string name;
  Expression value;
};

GKTUNE_FIELDS(Setting, name, value)

// How certain the answer of a search has to be. It sets the length of a search that
// has no limit on trials or time.
GKTUNE_ENUM(Effort, quick, normal, thorough)

// Limits of a search; the command line may replace them. 0: no limit.
struct SearchLimits {
  std::string strategy = "auto";
  Effort effort = Effort::normal;
  std::int64_t trials = 0;
  double seconds = 0;
};

// Compiler options that may run programs or write files; see is_safe_option().
enum class UnsafeOptions { refused, allowed };

// Definition of a kernel for a device.
struct KernelDefinition {
  std::string name;
  Language language = Language::cuda;
  std::string source_path;  // opens from the working directory
  std::string source_text;
  std::vector<std::string> command;  // the words that start the compiler of Language::command
  std::vector<std::string> include_dirs;
  std::vector<Option> options;  // for the compiler of `language`
  // For the system's C++ compiler when it compiles CUDA kernels for the CPU.
  std::vector<Option> host_options;
  UnsafeOptions unsafe_options = UnsafeOptions::refused;
  std::vector<Setting> environment;
  std::vector<Axis> axes;
  // The problems that the file lists; empty: all combinations of the axes.
  std::vector<Problem> listed_problems;
  std::vector<std::string> parameter_names;
  // Parameters and macros of axes that are not defined as macros: the source declares
  // the name, or does not use it.
  std::set<std::string, std::less<>> undefined_names;
  std::vector<FunctionSignature> signatures;  // of the source's functions
  // A value for each parameter. Code that judges candidates sees them as macros if
  // it is in the kernel's source.
  Config default_values;
  std::vector<Argument> arguments;
  Setup setup;
  std::vector<Launch> launches;
  std::optional<Reference> reference;
  std::optional<Verifier> verifier;
  std::vector<Metric> metrics;
  Objective objective;
  Regime regime = Regime::cold;
  double time_limit_s = 10;  // for one execution
  AllowedRaces allowed_races;
  // The kernel of the space that a candidate belongs to; null: this is no candidate. Its default
  // configuration gives the arguments that have the same name and index here, and its reference and verifier
  // judge this kernel. Both kernels have as many arguments.
  std::shared_ptr<const KernelDefinition> judge;

  bool has_default_reference() const { return reference && reference->is_default; }
  // True for a candidate whose code is more than kernels: it could reach all memory of its process.
  bool is_untrusted_host_code() const { return judge && language != Language::cuda; }
  // True if a reference or a verifier judges the outputs.
  bool has_judge() const { return verifier || (reference && !reference->launches.empty()); }
};

// Adds scratch arguments of one byte until there are `count`. Kernels that one judge judges share buffers if
// they have as many arguments.
void pad_arguments(KernelDefinition& kernel, std::size_t count);

// The contents of a space file.
struct Definition {
  std::string path;
  KernelDefinition kernel;
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  std::vector<Config> listed;  // if not empty, only these are valid, and constraints are ignored
  SearchLimits search;
  std::vector<Problem> check_problems;  // only for the sanitizer; empty: it chooses small awkward ones
  // Names of values that nobody has stated: "block", "grid", arguments, axes, parameters but for their
  // defaults. The sanitizer does not trust findings that may follow from such a value.
  std::vector<std::string> guesses;
  // A hash of the sources, their includes, the options, launches and arguments; without sizes and the values
  // of parameters. Trials with equal fingerprints may be compared.
  std::string fingerprint;
  std::vector<Diagnostic> warnings;  // about the file and its sources
};

// A file with more problems is an error.
constexpr std::size_t kMostProblems = 16'384;

// Number of combinations of the axes' values, at most kMostProblems + 1.
std::size_t problem_count(const std::vector<Axis>& axes);

// All problems; the last axis varies fastest.
std::vector<Problem> cross_product(const std::vector<Axis>& axes);

// The problems that a kernel is to be tuned for.
std::vector<Problem> problems_of(const KernelDefinition& kernel);

// The problems with each of these values of an axis instead of their own. No duplicates.
std::vector<Problem> with_values(const std::vector<Problem>& problems, const std::string& axis,
                                 const std::vector<Value>& values);

}  // namespace gktune
