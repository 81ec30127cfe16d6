#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/contents_plan.h"
#include "tuner/core/effort.h"
#include "tuner/core/element_type.h"
#include "tuner/core/trial.h"
#include "tuner/source/signatures.h"
#include "tuner/space/diagnostic.h"
#include "tuner/space/language/expression.h"
#include "tuner/space/language/pattern.h"
#include "tuner/space/solver/parameter.h"

namespace gktune {

// cuda: kernels that gktune launches; cpp: functions that run on a CPU; host: functions that launch their own kernels.
enum class Language { cuda, cpp, host };
// The names of languages in space files, in the order of Language.
const std::vector<std::string>& language_names();
const std::string& language_name(Language language);
std::optional<Language> language_from_name(std::string_view name);
// The language that a path's extension stands for, if any.
std::optional<Language> language_of(const std::string& path);

// A dimension of the problem, with the sizes (or types, or distributions) to tune for.
struct Axis {
  std::string name;
  std::vector<Value> values;
  std::string macro;  // the source sees the value under this name; empty: it does not
  std::string match;  // how questions to the lookup match: nearest, exact, categorical; empty: by the kind of values
};

// A compiler option, used where its condition holds.
struct Option {
  Pattern flag;
  std::optional<Expression> when;
};

// A tensor map of a buffer, for bulk copies to shared memory. Innermost dimension first, in elements.
struct TensorMap {
  std::string buffer;
  std::vector<Expression> sizes, strides, box;  // strides: from the second dimension on; none: contiguous
  std::optional<Expression> swizzle;            // bytes
};

// A texture object over a buffer: texels in one row, or rows of them at a pitch.
struct Texture {
  std::string buffer;
  std::vector<Expression> sizes;         // texels: the width or, of a 2-D texture, the width and the height
  std::optional<Expression> pitch;       // elements from one row to the next; absent: rows are contiguous
  std::optional<Expression> channels;    // elements of a texel: 1, 2 or 4; absent: 1
  Pattern address, filter;               // clamp, border, wrap, mirror; point, linear; empty: the first
  std::optional<Expression> normalized;  // coordinates go from 0 to 1
  std::optional<Expression> reads_fractions;  // integers are read as floats from 0 (or -1) to 1
};

// One value that a launch passes to a function: an argument of the kernel, a value of its own, or a struct of
// those.
struct PassedArgument {
  std::string name;                     // of the kernel's argument
  Pattern type;                         // of a value
  std::optional<Expression> value;      // absent: the argument of that name
  std::vector<PassedArgument> members;  // of a struct, in order; the others are empty
  std::optional<TensorMap> tensor_map;  // the others are empty
  std::optional<Texture> texture;       // the others are empty
};

// One step of a candidate: launch a kernel, fill a buffer, or repeat other steps.
struct Launch {
  Pattern entry;     // a function or a template-id; without parts for a fill
  std::string fill;  // the argument to fill with fill_byte; empty for a kernel
  std::optional<Expression> fill_byte;
  std::array<std::optional<Expression>, 3> grid, block;  // absent: 1
  std::optional<Expression> shared_bytes;
  std::array<std::optional<Expression>, 3> cluster;               // absent: 1
  std::optional<Expression> cooperative, programmatic, carveout;  // see LaunchAttributes
  std::optional<Expression> when;
  std::vector<PassedArgument> arguments;  // in the order of the function's parameters
  std::optional<Expression> rounds;       // repeat `body` so many times, instead of all of the above
  std::string index;                      // the name of the round's number in the body; empty: it has none
  std::vector<std::string> swap;          // two buffers that stand for each other in every second round
  std::vector<Launch> body;
};

// Steps that prepare a candidate's executions and are not timed.
struct Setup {
  std::vector<Launch> once;  // before a series of executions on the same buffers
  std::vector<Launch> each;  // before each execution
};

// Contents of a buffer before a launch.
struct Contents {
  using Kind = ContentsKind;
  Kind kind = Kind::zero;
  bool is_computed = false;  // zeros that the inputs of the reference replace
  // constant: a; ramp: from a by b; uniform, sorted, field: a to b; normal: mean a, deviation b; zipf: a values with
  // exponent b; csr_offsets: a nonzeros in b columns
  std::optional<Expression> a, b;
  std::optional<Expression> seed;
  std::optional<Expression> width;     // of a field
  std::optional<Expression> exponent;  // of csr_offsets
  Pattern lengths;                     // of the rows of csr_offsets: even, uniform or zipf; empty: even
  std::string offsets;                 // csr_columns: the argument with the offsets
  Pattern file;                        // a .npy or .npz file, relative to the space file
  Pattern array;                       // of a .npz file
};

// even, uniform, zipf.
std::optional<RowLengths> row_lengths_from_name(std::string_view name);

// The check of an output. An element passes if any listed tolerance is met. See TolerancePlan.
struct Tolerance {
  std::optional<Expression> absolute, relative, ulp;  // none: exactly equal
  std::optional<Expression> norm;
  std::optional<Expression> row, pitch;
  std::string mask;  // an argument; empty: none
  bool any_order = false, nan_equals = false;
};

struct Argument {
  enum class Role { in, out, inout, scratch };
  std::string name;
  Pattern type;                      // an element type, or {axis}
  std::optional<Expression> value;   // a scalar, passed by value
  std::optional<Expression> extent;  // a buffer of so many elements
  std::string symbol;                // the source's variable that holds the buffer; empty: launches pass it
  Role role = Role::in;
  Contents contents;
  std::optional<Tolerance> check;  // an output that is compared with the reference's
};

// Plain code that judges candidates. It sees the problem, never the parameters.
struct PlainCode {
  std::string
      path;  // of a source of its own, as found from the working directory; empty: the kernel's source
  std::string text;  // of that source
  // The same as in KernelDefinition, for a source of its own.
  std::set<std::string, std::less<>> declared_names;
  std::vector<FunctionSignature> signatures;
  std::vector<Launch> launches;
};

// It computes what is right.
struct Reference : PlainCode {
  std::optional<Expression> when;  // the problems that it is for; absent: all
  std::vector<Launch>
      inputs;  // run first: they write the computed inputs; without launches nothing is compared
  // The symbols of arguments that are variables of its source too and that no launch of it passes.
  std::set<std::string> symbols;
};

// It reads the outputs of a candidate and counts what is wrong. Its launches can also pass what a reference
// expects, as expected.NAME, and the verdict.
using Verifier = PlainCode;
inline constexpr std::string_view kExpectedPrefix = "expected.", kVerdictName = "verdict";

struct Metric {
  std::string name;  // GB/s
  Expression value;  // over time_s, time_us, the problem, the parameters, device.*
};

// The goal: less time, or more (or less) of a metric.
struct Objective {
  std::string metric;  // empty: the time
  bool maximize = false;
};

// A setting of the process in which a C++ function runs: OMP_NUM_THREADS.
struct Setting {
  std::string name;
  Expression value;
};

// How long to search, unless the command line says otherwise. 0: no such bound.
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
  std::string source_path;  // as found from the working directory
  std::string source_text;
  std::vector<std::string> include_dirs;
  std::vector<Option> options;       // for the language's own compiler
  std::vector<Option> host_options;  // for the system's C++ compiler, where it stands in for CUDA's
  UnsafeOptions unsafe_options = UnsafeOptions::refused;
  std::vector<Setting> environment;
  std::vector<Axis> axes;
  std::vector<Problem> listed_problems;  // to tune for, where the file lists them; empty: all combinations
  std::vector<std::string> parameter_names;
  std::set<std::string, std::less<>> declared_names;  // in the source: they are not defined as macros there
  std::vector<FunctionSignature> signatures;          // of the source's functions
  // A value for each parameter: plain code in the kernel's own source sees these as macros.
  Config default_values;
  std::vector<Argument> arguments;
  Setup setup;
  std::vector<Launch> launches;
  std::vector<Reference> references;  // the first one whose condition holds computes what is right
  std::optional<Verifier> verifier;
  std::vector<Metric> metrics;
  Objective objective;
  Regime regime = Regime::cold;
  double time_limit_s = 10;  // for one execution

  // True if something tells if outputs are right.
  bool has_judge() const {
    return verifier ||
           std::ranges::any_of(references, [](const Reference& each) { return !each.launches.empty(); });
  }
};

// The contents of a space file.
struct Definition {
  std::string path;
  KernelDefinition kernel;
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  std::vector<Config> listed;  // if not empty, exactly these are valid, and constraints do not count
  SearchLimits search;
  std::vector<Problem> check_problems;  // for the sanitizer alone; empty: it chooses small awkward ones
  // Equal for trials that may be compared: a hash of the sources, their includes,
  // the options, launches and arguments. Sizes and parameters' values are not part of it.
  std::string fingerprint;
  std::vector<Diagnostic> warnings;  // about the file and its sources
};

}  // namespace gktune
