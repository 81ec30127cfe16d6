#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gktune/result.h"
#include "tuner/core/device_info.h"
#include "tuner/core/plan_parts.h"
#include "tuner/core/trial.h"
#include "tuner/space/definition.h"

namespace gktune {

// A plan is a definition evaluated for one configuration and one problem. It has names and numbers only, so
// that workers evaluate nothing.

// See TensorMap.
struct TensorMapPlan {
  int argument = -1;  // a buffer
  ElementType type = ElementType::float32;
  std::vector<std::int64_t> sizes, stride_bytes, box;
  std::int64_t swizzle_bytes = 0;
  friend bool operator==(const TensorMapPlan&, const TensorMapPlan&) = default;
};

GKTUNE_FIELDS(TensorMapPlan, argument, type, sizes, stride_bytes, box, swizzle_bytes)
inline constexpr std::size_t kTensorMapBytes = 128, kTextureBytes = 8;

// See Texture.
struct TexturePlan {
  GKTUNE_MEMBER_ENUM(Address, clamp, border, wrap, mirror)
  GKTUNE_MEMBER_ENUM(Filter, point, linear)
  int argument = -1;  // a buffer
  ElementType type = ElementType::float32;
  // In texels; a height of 0: one row, which is not filtered.
  std::int64_t channels = 1, width = 0, height = 0;
  std::int64_t pitch_bytes = 0;  // of a 2-D texture
  Address address = Address::clamp;
  Filter filter = Filter::point;
  bool is_normalized = false, reads_fractions = false;
  friend bool operator==(const TexturePlan&, const TexturePlan&) = default;
};

GKTUNE_FIELDS(TexturePlan, argument, type, channels, width, height, pitch_bytes, address, filter,
              is_normalized, reads_fractions)

struct ArgumentPlan {
  std::string name;
  ElementType type = ElementType::float32;
  bool is_scalar = false;
  Value scalar;              // an integer, or a real for a floating type
  std::vector<int> members;  // of a struct; excludes the other members; see passed_argument()
  TensorMapPlan tensor_map;  // if it names an argument, this is a tensor map
  TexturePlan texture;       // if it names an argument, this is a texture
  bool is_aligned = false;   // a buffer that a texture reads: its address is aligned for textures
  std::uint64_t count = 0;   // number of elements of a buffer
  Argument::Role role = Argument::Role::in;
  ContentsPlan contents;
  std::vector<ContentsPlan> others;  // of fresh executions, in turn; none: another draw of the contents
  bool is_checked = false;
  TolerancePlan tolerance;
  bool is_tensor_map() const { return tensor_map.argument >= 0; }
  bool is_texture() const { return texture.argument >= 0; }
  friend bool operator==(const ArgumentPlan&, const ArgumentPlan&) = default;
};

GKTUNE_FIELDS(ArgumentPlan, name, type, is_scalar, scalar, members, tensor_map, texture, is_aligned, count,
              role, contents, others, is_checked, tolerance)

struct StepPlan {
  std::string entry;       // a function or a template-id with values; empty: a fill or a question
  int flag_argument = -1;  // a question: if this one element is not 0, `skipped` steps behind it do not run
  std::size_t skipped = 0;
  int fill_argument = -1;
  int fill_byte = 0;
  std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::int64_t shared_bytes = 0;
  LaunchAttributes attributes;
  std::vector<int> arguments;  // see passed_argument()
  friend bool operator==(const StepPlan&, const StepPlan&) = default;
};

GKTUNE_FIELDS(StepPlan, entry, flag_argument, skipped, fill_argument, fill_byte, grid, block, shared_bytes,
              attributes, arguments)

// Calls in code for the host device that report what its threads do.
GKTUNE_ENUM(Instrumentation, none, sanitize)

// Input of the compiler.
struct SourcePlan {
  Language language = Language::cuda;
  Instrumentation instrumentation = Instrumentation::none;
  std::string path;  // for messages and #include "…"
  std::string text;
  std::vector<std::string> include_dirs;
  std::vector<std::string> options;
  std::vector<std::pair<std::string, std::string>> macros;
  std::vector<std::string> entries;  // functions, and variables as &NAME; each once
  // For Language::command: the words that start the program, and its request as JSON.
  std::vector<std::string> command;
  std::string request;
  friend bool operator==(const SourcePlan&, const SourcePlan&) = default;
};

GKTUNE_FIELDS(SourcePlan, language, instrumentation, path, include_dirs, options, macros, entries, command,
              request)

// A variable of the source that is an argument. No step passes this argument.
struct VariablePlan {
  int argument = 0;
  std::string entry;  // in SourcePlan::entries: &filter
  friend bool operator==(const VariablePlan&, const VariablePlan&) = default;
};

GKTUNE_FIELDS(VariablePlan, argument, entry)

// Code and the steps that run it.
struct ProgramPlan {
  SourcePlan source;
  std::vector<StepPlan> steps;
  std::vector<StepPlan> setup_once, setup_each;  // see Setup; a reference has its inputs here
  // Scalars and structs that steps pass besides the plan's arguments.
  std::vector<ArgumentPlan> values;
  std::vector<VariablePlan> variables;
  bool has_steps() const { return !steps.empty() || !setup_once.empty() || !setup_each.empty(); }
  friend bool operator==(const ProgramPlan&, const ProgramPlan&) = default;
};

GKTUNE_FIELDS(ProgramPlan, source, steps, setup_once, setup_each, values, variables)

struct Plan {
  ProgramPlan candidate;
  ProgramPlan reference;  // may have no steps: nothing to compare with
  ProgramPlan verifier;   // may have no steps; its steps pass verifier_arguments()
  // The reason why the reference or the verifier cannot be launched for this
  // problem. Both have no steps then.
  std::optional<std::string> reference_error;
  bool has_default_reference = false;  // the reference is the kernel in its default configuration
  std::vector<ArgumentPlan> arguments;
  std::vector<std::pair<std::string, std::string>> environment;
  Regime regime = Regime::cold;
  double time_limit_s = 10, reference_limit_s = 200;  // the latter for the verifier too
  AllowedRaces allowed_races;
  bool measures_power = false;  // a metric uses energy or power: measuring them takes a long run
  // The candidate is host code that a judge does not trust: a process executes it that never has the expected
  // outputs in its memory.
  bool runs_apart = false;
};

GKTUNE_FIELDS(Plan, candidate, reference, verifier, has_default_reference, arguments, environment, regime,
              time_limit_s, reference_limit_s, allowed_races, measures_power, runs_apart)

// The argument with this index in a step: first the plan's arguments, then the program's values.
const ArgumentPlan& passed_argument(const std::vector<ArgumentPlan>& arguments, const ProgramPlan& program,
                                    int index);

// The arguments of a verifier: the plan's n arguments, the expected contents of each, and the verdict (the
// number of wrong elements and the index of the first). All are inputs, except the verdict.
std::vector<ArgumentPlan> verifier_arguments(const std::vector<ArgumentPlan>& arguments);
inline constexpr std::size_t expected_index(std::size_t argument, std::size_t n) { return n + argument; }
inline constexpr std::size_t verdict_index(std::size_t n) { return 2 * n; }

// True if a step passes or fills the argument with this index. `arguments` is the
// number of the plan's arguments.
bool takes(const ProgramPlan& program, int index, std::size_t arguments);

// True if the arguments of two candidates describe the same problem for this reference and verifier. Scratch
// memory and scalars that neither uses may differ; the size of all scratch memory may.
bool are_of_one_problem(const std::vector<ArgumentPlan>& a, const std::vector<ArgumentPlan>& b,
                        const ProgramPlan& reference, const ProgramPlan& verifier);

// The buffers that steps pass as textures, in any configuration.
std::set<std::string> textured_buffers(const KernelDefinition& kernel);

// An error is due to the configuration: a division by zero in its geometry, an empty block, an unknown type.
// The plan names an error of the reference or the verifier.
Result<Plan> resolve(const KernelDefinition& kernel, const Config& config, const Problem& problem,
                     const DeviceInfo& device);

// The names of a trial's readings in the expressions of metrics.
std::span<const std::string_view> reading_names();
// Computes the metrics of a successful trial, and the number to minimise.
Result<void> evaluate_metrics(const KernelDefinition& kernel, const DeviceInfo& device, Trial& trial);

// The device's constraints: the block's size and its dynamic shared memory, for each launch.
std::vector<Constraint> device_limits(const KernelDefinition& kernel, const DeviceInfo& device);

// The file's constraints followed by the device's.
std::vector<Constraint> with_device_limits(std::vector<Constraint> constraints,
                                           const KernelDefinition& kernel, const DeviceInfo& device);

// The layout of a function's parameter. A struct has the offsets that C++ gives its
// members; others have one part.
struct StructLayout {
  struct Part {
    std::size_t offset = 0, bytes = 0;
    int index = 0;  // a scalar or a buffer; see passed_argument()
  };
  std::size_t bytes = 0, alignment = 1;
  std::vector<Part> parts;
};
StructLayout layout_of(const std::vector<ArgumentPlan>& arguments, const ProgramPlan& program, int index);

// Removes host code from a CUDA source and lets macros replace settings of the source. All variants
// have macros of the same names.
void keep_kernels(FlatSource& source, std::span<const SourcePlan* const> variants);
void keep_kernels(FlatSource& source, const SourcePlan& variant);

// The variant's macros, with the names that the source uses after keep_kernels().
std::vector<std::pair<std::string, std::string>> macros_for(const FlatSource& source,
                                                            const SourcePlan& variant);

}  // namespace gktune
