#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tuner/core/contents_plan.h"
#include "tuner/core/device_info.h"
#include "tuner/core/launch_attributes.h"
#include "tuner/core/result.h"
#include "tuner/core/tolerance_plan.h"
#include "tuner/core/trial.h"
#include "tuner/space/definition.h"

namespace gktune {

// A definition evaluated for one configuration and one problem: names and numbers only. A worker needs
// nothing else and evaluates nothing.

// See TensorMap.
struct TensorMapPlan {
  int argument = -1;  // a buffer
  ElementType type = ElementType::float32;
  std::vector<std::int64_t> sizes, stride_bytes, box;
  std::int64_t swizzle_bytes = 0;
  friend bool operator==(const TensorMapPlan&, const TensorMapPlan&) = default;
};
inline constexpr std::size_t kTensorMapBytes = 128, kTextureBytes = 8;

// See Texture.
struct TexturePlan {
  enum class Address { clamp, border, wrap, mirror };
  enum class Filter { point, linear };
  int argument = -1;  // a buffer
  ElementType type = ElementType::float32;
  std::int64_t channels = 1, width = 0, height = 0;  // texels; a height of 0: one row, which is not filtered
  std::int64_t pitch_bytes = 0;                      // of a 2-D texture
  Address address = Address::clamp;
  Filter filter = Filter::point;
  bool is_normalized = false, reads_fractions = false;
  friend bool operator==(const TexturePlan&, const TexturePlan&) = default;
};

struct ArgumentPlan {
  std::string name;
  ElementType type = ElementType::float32;
  bool is_scalar = false;
  Value scalar;             // a scalar's worth: an integer, or a real for a floating type
  std::vector<int> members;  // of a struct, which has nothing else; see passed_argument()
  TensorMapPlan tensor_map;  // names an argument: this is a tensor map and has nothing else
  TexturePlan texture;       // names an argument: this is a texture and has nothing else
  bool is_aligned = false;   // a buffer of textures, which begins where a texture can
  std::uint64_t count = 0;  // a buffer's elements
  Argument::Role role = Argument::Role::in;
  ContentsPlan contents;
  bool is_checked = false;
  TolerancePlan tolerance;
  bool is_tensor_map() const { return tensor_map.argument >= 0; }
  bool is_texture() const { return texture.argument >= 0; }
  friend bool operator==(const ArgumentPlan&, const ArgumentPlan&) = default;
};

struct StepPlan {
  std::string entry;  // a function or a template-id with the values in it; empty: a fill
  int fill_argument = -1;
  int fill_byte = 0;
  std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::int64_t shared_bytes = 0;
  LaunchAttributes attributes;
  std::vector<int> arguments;  // see passed_argument()
  friend bool operator==(const StepPlan&, const StepPlan&) = default;
};

// Input of the compiler.
struct SourcePlan {
  Language language = Language::cuda;
  std::string path;  // for messages and #include "…"
  std::string text;
  std::vector<std::string> include_dirs;
  std::vector<std::string> options;
  std::vector<std::pair<std::string, std::string>> macros;
  std::vector<std::string> entries;  // each once: functions, and variables with & in front
  friend bool operator==(const SourcePlan&, const SourcePlan&) = default;
};

// A variable of the source that holds an argument: no step passes that.
struct VariablePlan {
  int argument = 0;
  std::string entry;  // of the source: &filter
  friend bool operator==(const VariablePlan&, const VariablePlan&) = default;
};

// Code and the steps to run in it.
struct ProgramPlan {
  SourcePlan source;
  std::vector<StepPlan> steps;
  std::vector<StepPlan> setup_once, setup_each;  // see Setup; of a reference: its inputs
  std::vector<ArgumentPlan> values;              // scalars and structs that single steps pass
  std::vector<VariablePlan> variables;
  bool has_steps() const { return !steps.empty() || !setup_once.empty() || !setup_each.empty(); }
  friend bool operator==(const ProgramPlan&, const ProgramPlan&) = default;
};

struct Plan {
  ProgramPlan candidate;
  ProgramPlan reference;  // may have no steps: nothing to compare with
  ProgramPlan verifier;   // may have no steps; its steps pass verifier_arguments()
  // The reference or the verifier cannot be launched for this problem, and neither has steps. The candidate can.
  std::optional<std::string> reference_error;
  std::vector<ArgumentPlan> arguments;
  std::vector<std::pair<std::string, std::string>> environment;
  Regime regime = Regime::cold;
  double time_limit_s = 10;
  bool measures_power = false;  // a metric uses energy or power, which needs a long run to measure
};

// The argument of a step with this index: one of the plan's arguments, or after them one of the program's values.
const ArgumentPlan& passed_argument(const std::vector<ArgumentPlan>& arguments, const ProgramPlan& program, int index);

// The arguments of a verifier: the plan's n, then the expected contents of each, then the verdict. They are
// inputs, except the verdict: the number of wrong elements and the index of the first.
std::vector<ArgumentPlan> verifier_arguments(const std::vector<ArgumentPlan>& arguments);
inline constexpr std::size_t expected_index(std::size_t argument, std::size_t n) { return n + argument; }
inline constexpr std::size_t verdict_index(std::size_t n) { return 2 * n; }

// True if a step passes or fills the argument with this index; `arguments` is the number of the program's.
bool takes(const ProgramPlan& program, int index, std::size_t arguments);

// True if the arguments of two candidates describe the same problem for this reference and verifier. Scratch
// memory and scalars that neither uses may differ.
bool are_of_one_problem(const std::vector<ArgumentPlan>& a, const std::vector<ArgumentPlan>& b,
                        const ProgramPlan& reference, const ProgramPlan& verifier);

// The buffers that steps pass as textures, in any configuration.
std::set<std::string> textured_buffers(const KernelDefinition& kernel);

// An error is due to the configuration: a division by zero in its geometry, an empty block, an unknown type.
// The plan names an error of the reference or the verifier.
Result<Plan> resolve(const KernelDefinition& kernel, const Config& config, const Problem& problem,
                     const DeviceInfo& device);

// Computes the metrics of a successful trial, and the number to minimise.
Result<void> evaluate_metrics(const KernelDefinition& kernel, const DeviceInfo& device, Trial& trial);

// The device's constraints: the block's size and its dynamic shared memory, for each launch.
std::vector<Constraint> device_limits(const KernelDefinition& kernel, const DeviceInfo& device);

// The file's constraints followed by the device's.
std::vector<Constraint> with_device_limits(std::vector<Constraint> constraints,
                                           const KernelDefinition& kernel, const DeviceInfo& device);

}  // namespace gktune
