#include <algorithm>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "tuner/core/fields_json.h"
#include "tuner/space/plan.h"
#include "tuner/space/resolve/parts.h"
#include "tuner/space/safe_settings.h"

namespace gktune {
namespace {

constexpr std::string_view kMacroOptions[] = {"-D", "-U", "--define-macro", "--undefine-macro"};
// References and verifiers are plain code. They may be slower than a candidate by this factor.
constexpr double kReferenceFactor = 20;
constexpr std::size_t kMostSteps = 65'536;   // of one execution
constexpr std::int64_t kMostInCluster = 16;  // of any GPU

class Resolver {
 public:
  Resolver(const KernelDefinition& kernel, const Config& config, const Problem& problem,
           const DeviceInfo& device)
      : kernel_(kernel),
        config_(config),
        problem_(problem),
        device_(device),
        attributes_(device.attributes()) {
    problem_scope_.add(problem_).add(attributes_, "device.");
    scope_.add(config_).add(problem_scope_);
    evaluator_.set_scope(scope_);
  }

  Result<Plan> plan() {
    auto plan = GKTUNE_TRY(plan_of_candidate());
    kernel_.judge ? Resolver(*kernel_.judge, kernel_.judge->default_values, problem_, device_).add_judge(plan)
                  : add_judge(plan);
    return plan;
  }

 private:
  void add_judge(Plan& plan) {
    arguments_ = plan.arguments;
    evaluator_.set_scope(problem_scope_);
    add_reference(plan);
    if (!evaluator_.failure()) add_verifier(plan);
    if (!evaluator_.failure()) return;
    plan.reference_error = evaluator_.failure()->message;
    plan.reference = plan.verifier = {};
  }

  Result<Plan> plan_of_candidate() {
    Plan plan;
    add_arguments(plan);
    arguments_ = plan.arguments;
    if (!evaluator_.failure()) check_masks(plan.arguments);
    plan.candidate = candidate();
    if (!evaluator_.failure()) check_launches(plan.candidate, plan.arguments, kernel_.signatures);
    for (const Setting& setting : kernel_.environment) {
      plan.environment.emplace_back(setting.name, evaluator_.value(setting.value, setting.name).str());
    }
    plan.regime = kernel_.regime;
    plan.time_limit_s = kernel_.time_limit_s;
    plan.reference_limit_s = kReferenceFactor * kernel_.time_limit_s;
    plan.allowed_races = kernel_.allowed_races;
    plan.runs_apart = kernel_.is_untrusted_host_code();
    plan.measures_power = std::ranges::any_of(kernel_.metrics, [](const Metric& metric) {
      return std::ranges::any_of(metric.value.names(), [](const Expression::NameUse& use) {
        return use.name == "energy_j" || use.name == "power_w";
      });
    });
    if (evaluator_.failure()) return *evaluator_.failure();
    return plan;
  }

  // A candidate has no influence on the arguments of its space.
  void add_arguments(Plan& plan) {
    const KernelDefinition* const judge = kernel_.judge.get();
    Scope of_judge;
    if (judge != nullptr) of_judge.add(judge->default_values).add(problem_scope_);
    const std::set<std::string> textured = textured_buffers(kernel_),
                                by_judge = judge == nullptr ? textured : textured_buffers(*judge);
    for (std::size_t i = 0; i < kernel_.arguments.size(); ++i) {
      const Argument& argument = kernel_.arguments[i];
      const bool is_judges = judge != nullptr && judge->arguments[i].name == argument.name;
      evaluator_.set_scope(is_judges ? of_judge : scope_);
      plan.arguments.push_back(resolve_argument(argument, kernel_, evaluator_));
      plan.arguments.back().is_aligned = textured.contains(argument.name) || by_judge.contains(argument.name);
    }
    evaluator_.set_scope(scope_);
  }

  void check_masks(const std::vector<ArgumentPlan>& arguments) {
    for (const ArgumentPlan& argument : arguments) {
      if (argument.tolerance.mask < 0) continue;
      const ArgumentPlan& mask = arguments[static_cast<std::size_t>(argument.tolerance.mask)];
      const std::string where = "argument '" + argument.name + "': mask '" + mask.name + "': ";
      if (element_size(mask.type) != 1)
        evaluator_.fail(where + "its elements are " + std::string(element_type_name(mask.type)) +
                        ", a mask has bytes");
      if (mask.count != argument.count) {
        evaluator_.fail(where + std::to_string(mask.count) + " elements, the output has " +
                        std::to_string(argument.count));
      }
    }
  }

  void check_launches(const ProgramPlan& program, const std::vector<ArgumentPlan>& arguments,
                      const std::vector<FunctionSignature>& signatures) {
    if (auto fault = wrong_launch(program, arguments, signatures)) evaluator_.fail(*std::move(fault));
  }

  const std::vector<FunctionSignature>& signatures_of(const PlainCode& code) const {
    return code.path.empty() ? kernel_.signatures : code.signatures;
  }

  ProgramPlan candidate() {
    ProgramPlan program;
    SourcePlan& source = program.source;
    source.path = kernel_.source_path;
    source.text = kernel_.source_text;
    if (kernel_.language == Language::command) {
      source.command = kernel_.command;
      source.request = request();
      add_options(source, [](const Option&) { return true; });
      finish(kernel_.launches, kernel_.setup, program);
      return program;
    }
    add_problem_macros(kernel_.undefined_names, source);
    for (const std::string& name : kernel_.parameter_names) {
      const Value* value = config_.find(name);
      if (value == nullptr) {
        evaluator_.fail("the configuration has no " + name);
      } else if (!kernel_.undefined_names.contains(name)) {
        source.macros.emplace_back(name, value->str());
      }
    }
    add_options(source, [](const Option&) { return true; });
    finish(kernel_.launches, kernel_.setup, program);
    add_variables(program, [](const std::string&) { return true; });
    return program;
  }

  // Makes the request to a program that compiles the kernel.
  std::string request() {
    nlohmann::ordered_json arguments = nlohmann::ordered_json::array();
    for (const ArgumentPlan& argument : arguments_) {
      auto& each = arguments.emplace_back();
      each["name"] = argument.name;
      each["type"] = element_type_name(argument.type);
      if (argument.is_scalar)
        each["value"] = value_json<nlohmann::ordered_json>(argument.scalar);
      else
        each["extent"] = argument.count;
    }
    const nlohmann::ordered_json request = {{"configuration", values_json<nlohmann::ordered_json>(config_)},
                                            {"problem", values_json<nlohmann::ordered_json>(problem_)},
                                            {"arguments", std::move(arguments)}};
    return request.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }

  void add_reference(Plan& plan) {
    const std::optional<Reference>& reference = kernel_.reference;
    if (!reference) return;
    evaluator_.set_program("the reference: ");
    if (reference->is_default) return add_default_reference(plan);
    plan.reference = plain_program(*reference, {.once = reference->inputs, .each = {}});
    add_variables(plan.reference,
                  [&](const std::string& symbol) { return reference->symbols.contains(symbol); });
    if (evaluator_.failure()) return;
    check_launches(plan.reference, plan.arguments, signatures_of(*reference));
    // An empty problem may leave neither of them anything to launch.
    const bool is_launched =
        std::ranges::any_of(plan.candidate.steps, std::not_fn(&std::string::empty), &StepPlan::entry);
    if (reference->launches.empty() || !plan.reference.steps.empty() || !is_launched) return;
    for (const ArgumentPlan& argument : plan.arguments) {
      if (argument.role == Argument::Role::out && argument.is_checked && argument.count > 0)
        evaluator_.fail("none of its launches has work for this problem, so '" + argument.name +
                        "' stays unwritten");
    }
  }

  // The kernel in its default configuration, on the candidate's arguments. Scalars have their default values;
  // scratch memory is large enough for both. NaN equals NaN: nothing says that the default must not write it.
  void add_default_reference(Plan& plan) {
    auto by_default = Resolver(kernel_, kernel_.default_values, problem_, device_).plan_of_candidate();
    if (!by_default)
      return evaluator_.fail("the default configuration (" + kernel_.default_values.str() +
                             "): " + by_default.error().message);
    plan.reference = std::move(by_default->candidate);
    plan.has_default_reference = true;
    plan.reference_limit_s = plan.time_limit_s;
    for (std::size_t i = 0; i < plan.arguments.size(); ++i) {
      ArgumentPlan& own = plan.arguments[i];
      ArgumentPlan& its = by_default->arguments[i];
      own.tolerance.nan_equals = its.tolerance.nan_equals = true;
      if (own.role == Argument::Role::scratch && own.name != its.name) continue;  // of a candidate
      if (own.is_scalar && own != its) {
        pass_instead(plan.reference, static_cast<int>(i), std::move(its), plan.arguments.size());
      } else if (own.role == Argument::Role::scratch && own.type == its.type) {
        own.count = std::max(own.count, its.count);
      } else if (own.type != its.type || own.count != its.count) {
        return evaluator_.fail(
            "argument '" + own.name +
            "' depends on parameters: it cannot be compared with the default configuration's");
      }
    }
  }

  // Lets the program's steps pass a value of its own instead of the plan's argument with this index.
  static void pass_instead(ProgramPlan& program, int index, ArgumentPlan value, std::size_t arguments) {
    program.values.push_back(std::move(value));
    const auto own = static_cast<int>(arguments + program.values.size() - 1);
    for (std::vector<StepPlan>* steps : {&program.steps, &program.setup_once, &program.setup_each}) {
      for (StepPlan& step : *steps) std::ranges::replace(step.arguments, index, own);
    }
    for (ArgumentPlan& each : program.values) std::ranges::replace(each.members, index, own);
  }

  void add_verifier(Plan& plan) {
    if (!kernel_.verifier) return;
    evaluator_.set_program("the verifier: ");
    const std::vector<ArgumentPlan> arguments = verifier_arguments(plan.arguments);
    arguments_ = arguments;
    plan.verifier = plain_program(*kernel_.verifier, {});
    if (!evaluator_.failure()) check_launches(plan.verifier, arguments, signatures_of(*kernel_.verifier));
  }

  ProgramPlan plain_program(const PlainCode& code, const Setup& setup) {
    ProgramPlan program;
    SourcePlan& source = program.source;
    const bool is_own = !code.path.empty();
    source.path = is_own ? code.path : kernel_.source_path;
    source.text = is_own ? code.text : kernel_.source_text;
    add_problem_macros(is_own ? code.undefined_names : kernel_.undefined_names, source);
    // Kernels beside it are compiled too, and see parameters as macros.
    for (const auto& [name, value] : is_own ? Config() : kernel_.default_values) {
      if (!kernel_.undefined_names.contains(name)) source.macros.emplace_back(name, value.str());
    }
    // An option that depends on a parameter applies to the candidate only.
    add_options(source, [&](const Option& option) {
      return !sees_config(option.when) && std::ranges::none_of(option.flag.parts, [&](const auto& part) {
        return sees_config(part.expression);
      });
    });
    finish(code.launches, setup, program);
    return program;
  }

  // If the system's C++ compiler is used in place of CUDA's, it gets the macros of `options` only.
  template <class IsApplied>
  void add_options(SourcePlan& source, IsApplied is_applied) {
    const bool is_foreign = kernel_.language != Language::cpp && device_.kind == "host";
    for (const Option& option : kernel_.options) {
      if (is_applied(option)) add_option(option, source);
    }
    if (!is_foreign) return;
    std::erase_if(source.options, [](std::string_view flag) {
      return std::ranges::none_of(kMacroOptions,
                                  [flag](std::string_view each) { return flag.starts_with(each); });
    });
    for (const Option& option : kernel_.host_options) {
      if (is_applied(option)) add_option(option, source);
    }
  }

  bool sees_config(const std::optional<Expression>& expression) {
    return expression && std::ranges::any_of(expression->names(), [&](const Expression::NameUse& use) {
             return std::ranges::find(kernel_.parameter_names, use.name) != kernel_.parameter_names.end();
           });
  }

  void add_problem_macros(const std::set<std::string, std::less<>>& undefined, SourcePlan& source) {
    for (const Axis& axis : kernel_.axes) {
      if (axis.macro.empty()) continue;
      const Value* value = problem_.find(axis.name);
      if (value == nullptr) return evaluator_.fail("the problem has no " + axis.name);
      if (!undefined.contains(axis.macro)) source.macros.emplace_back(axis.macro, value->str());
    }
  }

  void add_option(const Option& option, SourcePlan& source) {
    if (option.when && !evaluator_.truth(*option.when, "option when")) return;
    std::string flag = evaluator_.text(option.flag, "option");
    if (flag.empty()) return;
    if (kernel_.unsafe_options == UnsafeOptions::refused && !is_safe_option(flag)) {
      return evaluator_.fail(unsafe_option_error(flag));
    }
    source.options.push_back(std::move(flag));
  }

  void finish(const std::vector<Launch>& launches, const Setup& setup, ProgramPlan& program) {
    SourcePlan& source = program.source;
    const bool is_own = kernel_.language == Language::command && source.command.empty();
    source.language = is_own ? Language::cuda : kernel_.language;  // of a reference or a verifier
    source.include_dirs = kernel_.include_dirs;
    add_steps(launches, program, program.steps);
    add_steps(setup.once, program, program.setup_once);
    add_steps(setup.each, program, program.setup_each);
    for (std::vector<StepPlan>* steps : {&program.steps, &program.setup_once, &program.setup_each}) {
      // The first step has no predecessor to overlap with.
      if (!steps->empty()) steps->front().attributes.is_programmatic = false;
    }
  }

  static void add_entry(const std::string& entry, SourcePlan& source) {
    const bool is_new = std::ranges::find(source.entries, entry) == source.entries.end();
    if (!entry.empty() && is_new) source.entries.push_back(entry);
  }

  // Arguments that no step passes are in the source's variables, where it has them.
  template <class HasSymbol>
  void add_variables(ProgramPlan& program, const HasSymbol& has_symbol) {
    for (std::size_t i = 0; i < kernel_.arguments.size(); ++i) {
      const std::string& symbol = kernel_.arguments[i].symbol;
      const auto index = static_cast<int>(i);
      if (symbol.empty() || !has_symbol(symbol) || takes(program, index, kernel_.arguments.size())) continue;
      program.variables.push_back({index, "&" + symbol});
      add_entry("&" + symbol, program.source);
    }
  }

  void add_steps(const std::vector<Launch>& launches, ProgramPlan& program, std::vector<StepPlan>& steps) {
    for (const Launch& launch : launches) {
      if (launch.rounds) {
        add_rounds(launch, program, steps);
      } else if (auto planned = step(launch, program)) {
        steps.push_back(*std::move(planned));
      }
      if (steps.size() > kMostSteps) evaluator_.fail("more than " + std::to_string(kMostSteps) + " launches");
      if (evaluator_.failure()) return;
    }
  }

  void add_rounds(const Launch& launch, ProgramPlan& program, std::vector<StepPlan>& steps) {
    const std::int64_t rounds = evaluator_.integer(*launch.rounds, "repeat");
    if (rounds < 0) evaluator_.fail("repeat", *launch.rounds, std::to_string(rounds) + " is negative");
    if (rounds > static_cast<std::int64_t>(kMostSteps)) {
      evaluator_.fail("repeat", *launch.rounds,
                      std::to_string(rounds) + " is more than " + std::to_string(kMostSteps));
    }
    std::vector<std::size_t> questions;
    const Scope& outer = evaluator_.scope();
    for (std::int64_t round = 0; round < rounds && !evaluator_.failure(); ++round) {
      const NamedValues index{{launch.index, round}};
      Scope inner = outer;
      if (!launch.index.empty()) inner.add(index);
      const bool is_swapped = round % 2 == 1 && !launch.swap.empty();
      if (is_swapped) swaps_.push_back(&launch.swap);
      evaluator_.set_scope(inner);
      add_steps(launch.body, program, steps);
      evaluator_.set_scope(outer);
      if (!launch.until.empty() && round + 1 < rounds) {
        questions.push_back(steps.size());
        steps.push_back(question(launch.until));
      }
      if (is_swapped) swaps_.pop_back();
    }
    for (const std::size_t place : questions) steps[place].skipped = steps.size() - place - 1;
  }

  // Reads the flag between two rounds.
  StepPlan question(const std::string& flag) {
    StepPlan plan;
    plan.flag_argument = index_of(flag);
    if (evaluator_.failure()) return plan;
    const ArgumentPlan& argument = arguments_[static_cast<std::size_t>(plan.flag_argument)];
    if (argument.is_scalar || argument.count != 1 || !is_integer_type(argument.type)) {
      evaluator_.fail("until '" + flag + "': a flag is one integer, not " + std::to_string(argument.count) +
                      ' ' + std::string(element_type_name(argument.type)));
    }
    return plan;
  }

  // The index of what a step passes; see passed_argument().
  int passed(const PassedArgument& argument, const std::string& where, ProgramPlan& program) {
    if (argument.tensor_map || argument.texture) return add_value(view(argument, where), program);
    ArgumentPlan plan;
    if (!argument.members.empty()) {
      plan.name = "struct";
      for (const PassedArgument& member : argument.members)
        plan.members.push_back(passed(member, where, program));
      return add_value(std::move(plan), program);
    }
    if (!argument.value) return index_of(argument.name);
    plan.is_scalar = true;
    plan.name = argument.value->text();
    plan.type = evaluator_.element_type(argument.type, where);
    plan.scalar = evaluator_.scalar(*argument.value, plan.type, where + "value");
    return add_value(std::move(plan), program);
  }

  // A tensor map or a texture.
  ArgumentPlan view(const PassedArgument& passed, const std::string& launch) {
    const std::string kind = passed.tensor_map ? "tensor map" : "texture";
    const std::string& name = passed.tensor_map ? passed.tensor_map->buffer : passed.texture->buffer;
    const std::string where = launch + kind + " of '" + name + "': ";
    if (device_.kind == "host" && (passed.tensor_map || kernel_.language != Language::cuda))
      evaluator_.fail(where + kind + "s exist on GPUs only");
    ArgumentPlan plan;
    plan.name = kind + " of " + name;
    const int index = index_of(name);
    if (evaluator_.failure()) return plan;
    const ArgumentPlan& argument = arguments_[static_cast<std::size_t>(index)];
    const ViewedBuffer buffer{index, argument.type, argument.count};
    if (passed.tensor_map) {
      plan.tensor_map = resolve_tensor_map(*passed.tensor_map, buffer, where, evaluator_);
    } else {
      plan.texture = resolve_texture(*passed.texture, buffer, where, evaluator_);
    }
    return plan;
  }

  int add_value(ArgumentPlan plan, ProgramPlan& program) {
    const auto same = std::ranges::find(program.values, plan);
    const auto index = arguments_.size() + static_cast<std::size_t>(same - program.values.begin());
    if (same == program.values.end()) program.values.push_back(std::move(plan));
    return static_cast<int>(index);
  }

  // Returns nullopt if the step's condition is false or it has no work: a grid
  // without blocks or an empty buffer.
  std::optional<StepPlan> step(const Launch& launch, ProgramPlan& program) {
    const bool is_fill = !launch.fill.empty();
    const std::string where =
        is_fill ? "fill of '" + launch.fill + "': " : "launch of '" + launch.entry.text + "': ";
    if (launch.when && !evaluator_.truth(*launch.when, where + "when")) return std::nullopt;
    StepPlan plan;
    if (is_fill) {
      plan.fill_argument = index_of(launch.fill);
      const std::int64_t byte = launch.fill_byte ? evaluator_.integer(*launch.fill_byte, where + "byte") : 0;
      if (byte < 0 || byte > 255) {
        evaluator_.fail(where + "byte", *launch.fill_byte, std::to_string(byte) + " is no byte");
      }
      plan.fill_byte = static_cast<int>(byte);
      if (evaluator_.failure() || arguments_[static_cast<std::size_t>(plan.fill_argument)].count == 0)
        return std::nullopt;
      return plan;
    }
    plan.entry = evaluator_.text(launch.entry, where + "entry");
    for (const PassedArgument& argument : launch.arguments)
      plan.arguments.push_back(passed(argument, where, program));
    bool is_empty = false;
    const std::int64_t grids[] = {device_.max_grid_x, device_.max_grid_y, device_.max_grid_z};
    const std::int64_t blocks[] = {device_.max_block_x, device_.max_block_y, device_.max_block_z};
    for (std::size_t i = 0; i < 3; ++i) {
      if (launch.grid[i]) plan.grid[i] = evaluator_.extent(*launch.grid[i], where + "grid", 0, grids[i]);
      if (launch.block[i]) plan.block[i] = evaluator_.extent(*launch.block[i], where + "block", 1, blocks[i]);
      is_empty = is_empty || plan.grid[i] == 0;
    }
    check_block(plan, where);
    plan.attributes = attributes(launch, plan, where);
    if (launch.shared_bytes) {
      plan.shared_bytes =
          evaluator_.extent(*launch.shared_bytes, where + "shared", 0, device_.shared_bytes_per_block_optin);
    }
    // Problems without work have the same source as others, which is compiled once.
    add_entry(plan.entry, program.source);
    if (is_empty) return std::nullopt;
    return plan;
  }

  std::int64_t percentage(const Expression& expression, const std::string& where) {
    const std::int64_t percent = evaluator_.extent(expression, where, 0);
    if (percent > 100)
      evaluator_.fail(where, expression, std::to_string(percent) + " is more than 100 percent");
    return percent;
  }

  std::array<std::int64_t, 3> cluster(const std::vector<Expression>& extents, const StepPlan& plan,
                                      const std::string& where) {
    std::array<std::int64_t, 3> cluster{1, 1, 1};
    for (std::size_t i = 0; i < std::min(extents.size(), cluster.size()); ++i) {
      cluster[i] = evaluator_.extent(extents[i], where, 1, kMostInCluster);
      if (evaluator_.failure() || plan.grid[i] % cluster[i] == 0) continue;
      evaluator_.fail(where, extents[i],
                      "a grid of " + std::to_string(plan.grid[i]) + " blocks is no multiple of " +
                          std::to_string(cluster[i]));
    }
    return cluster;
  }

  LaunchAttributes attributes(const Launch& launch, const StepPlan& plan, const std::string& where) {
    LaunchAttributes attributes;
    const auto evaluate = [&]<class T>(const char* name, T& attribute) {
      const auto given =
          std::ranges::find(launch.attributes, name, [](const auto& each) { return each.first; });
      if (given == launch.attributes.end() || given->second.empty()) return;
      if constexpr (std::same_as<T, bool>) {
        attribute = evaluator_.truth(given->second[0], where + name);
      } else if constexpr (std::same_as<T, std::int64_t>) {
        attribute = percentage(given->second[0], where + name);
      } else {
        attribute = cluster(given->second, plan, where + name);
      }
    };
    fields(evaluate, attributes);
    if (evaluator_.failure()) return {};
    if (attributes.cluster_blocks() > kMostInCluster) {
      evaluator_.fail(where + "cluster: a cluster of " + std::to_string(attributes.cluster_blocks()) +
                      " blocks: at most " + std::to_string(kMostInCluster) + " are possible");
    }
    if (attributes.cluster_blocks() > 1 && device_.kind == "host")
      evaluator_.fail(where + "cluster: thread-block clusters run on GPUs only");
    return attributes;
  }

  void check_block(const StepPlan& plan, const std::string& where) {
    std::int64_t threads = 1;
    for (std::int64_t extent : plan.block) {
      if (__builtin_mul_overflow(threads, extent, &threads))
        threads = std::numeric_limits<std::int64_t>::max();
    }
    const std::int64_t most = device_.max_threads_per_block;
    if (most > 0 && threads > most) {
      evaluator_.fail(where + "block: " + std::to_string(threads) + " threads are more than the device's " +
                      std::to_string(most));
    }
  }

  int index_of(std::string name) {
    // The innermost swap comes first.
    for (auto swap = swaps_.rbegin(); swap != swaps_.rend(); ++swap) {
      const std::vector<std::string>& names = **swap;
      if (name == names[0] || name == names[1]) name = name == names[0] ? names[1] : names[0];
    }
    const auto found = std::ranges::find(arguments_, name, &ArgumentPlan::name);
    if (found == arguments_.end()) {
      evaluator_.fail("there is no argument '" + name + "'");
      return 0;
    }
    return static_cast<int>(found - arguments_.begin());
  }

  const KernelDefinition& kernel_;
  const Config& config_;
  const Problem& problem_;
  const DeviceInfo& device_;
  const NamedValues attributes_;
  Scope problem_scope_, scope_;
  Evaluator evaluator_;
  std::span<const ArgumentPlan> arguments_;             // of the program that is planned
  std::vector<const std::vector<std::string>*> swaps_;  // of the rounds that are planned
};

}  // namespace

Result<Plan> resolve(const KernelDefinition& kernel, const Config& config, const Problem& problem,
                     const DeviceInfo& device) {
  return Resolver(kernel, config, problem, device).plan();
}

}  // namespace gktune
