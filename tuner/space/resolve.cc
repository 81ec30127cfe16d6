#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>
#include <set>

#include "tuner/core/text.h"
#include "tuner/space/language/evaluate.h"
#include "tuner/space/launch_check.h"
#include "tuner/space/plan.h"
#include "tuner/space/safe_settings.h"

namespace gktune {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view kMacroOptions[] = {"-D", "-U", "--define-macro", "--undefine-macro"};
constexpr std::size_t kMostSteps = 65'536;  // of one execution
constexpr std::int64_t kMostInCluster = 16;  // of any GPU
// CUDA's limits for textures: texels in one dimension; width, height and bytes of a row in two.
constexpr std::int64_t kMostTexels = std::int64_t{1} << 28;
constexpr std::int64_t kMostTextureWidth = 131'072, kMostTextureHeight = 65'000,
                       kMostTexturePitch = 2'097'120;
constexpr std::int64_t kTexturePitchAlignment = 32;

std::string blamed(const std::string& where, const Expression& expression, const std::string& message) {
  return where + " '" + expression.text() + "': " + message;
}

struct IntegerBounds {
  std::int64_t low = 0;  // of the signed ones; 0 otherwise
  std::uint64_t high = 0;
};

bool is_integer_type(ElementType type) { return type <= ElementType::uint64; }

IntegerBounds bounds_of(ElementType type) {
  const auto bits = static_cast<int>(element_size(part_type(type)) * 8);
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - bits);
  if (type >= ElementType::uint8) return {0, all};
  return {-static_cast<std::int64_t>(all >> 1) - 1, all >> 1};
}

bool fits(std::int64_t value, ElementType type) {
  const IntegerBounds bounds = bounds_of(type);
  return value >= bounds.low && (value < 0 || static_cast<std::uint64_t>(value) <= bounds.high);
}

// The seed depends on the name only, so that other arguments do not change the data.
std::uint64_t seed_of(std::string_view name) {
  std::uint64_t seed = 0xcbf29ce484222325;
  for (char c : name) seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return seed;
}

__extension__ using Wide = __int128;

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
  }

  Result<Plan> plan() {
    Plan plan;
    for (const Argument& argument : kernel_.arguments) names_.push_back(argument.name);
    const std::set<std::string> textured = textured_buffers(kernel_);
    for (const Argument& argument : kernel_.arguments) {
      plan.arguments.push_back(this->argument(argument));
      plan.arguments.back().is_aligned = textured.contains(argument.name);
    }
    for (const ArgumentPlan& argument : plan.arguments) {
      counts_.push_back(argument.is_scalar ? 1 : argument.count);
      types_.push_back(argument.type);
    }
    if (!error_) check_masks(plan.arguments);
    plan.candidate = candidate();
    if (!error_) check_launches(plan.candidate, plan.arguments, kernel_.signatures);
    for (const Setting& setting : kernel_.environment) {
      plan.environment.emplace_back(setting.name, value(setting.value, scope_, setting.name).str());
    }
    plan.regime = kernel_.regime;
    plan.time_limit_s = kernel_.time_limit_s;
    plan.measures_power = std::ranges::any_of(kernel_.metrics, [](const Metric& metric) {
      return std::ranges::any_of(metric.value.names(), [](const Expression::NameUse& use) {
        return use.name == "energy_j" || use.name == "power_w";
      });
    });
    if (error_) return *error_;
    add_reference(plan);
    if (!error_) add_verifier(plan);
    if (error_) {
      plan.reference_error = std::move(error_->message);
      plan.reference = plan.verifier = {};
    }
    return plan;
  }

 private:
  // Only the first failure is reported; discard the results after it.
  void fail(std::string message) {
    if (!error_) error_ = Error{program_ + std::move(message)};
  }

  Value value(const Expression& expression, const Scope& scope, const std::string& where) {
    auto result = expression.evaluate(scope);
    if (result) return *std::move(result);
    fail(blamed(where, expression, result.error().message));
    return {};
  }

  std::int64_t integer(const Expression& expression, const Scope& scope, const std::string& where) {
    const Value result = value(expression, scope, where);
    if (result.is_integer()) return result.integer();
    fail(blamed(
        where, expression,
        "expected an integer, this is " + result.str() + (result.is_real() ? " (// divides integers)" : "")));
    return 0;
  }

  bool truth(const Expression& expression, const Scope& scope, const std::string& where) {
    const auto result = evaluate_truth(expression.root(), scope);
    if (result) return *result;
    fail(blamed(where, expression, result.error().message));
    return false;
  }

  double number(const Expression& expression, const Scope& scope, const std::string& where) {
    const Value result = value(expression, scope, where);
    if (result.is_number() && std::isfinite(result.number())) return result.number();
    fail(blamed(where, expression, "expected a number, this is " + result.str()));
    return 0;
  }

  std::string text(const Pattern& pattern, const Scope& scope, const std::string& where) {
    auto result = pattern.format(scope);
    if (result) return *std::move(result);
    fail(where + " '" + pattern.text + "': " + result.error().message);
    return {};
  }

  ArgumentPlan argument(const Argument& argument) {
    const std::string where = "argument '" + argument.name + "': ";
    ArgumentPlan plan;
    plan.name = argument.name;
    const std::string type = text(argument.type, scope_, where + "type");
    const auto known = element_type_from_name(type);
    if (!known) {
      fail(where + "'" + type + "' is no element type");
      return plan;
    }
    plan.type = *known;
    plan.role = argument.role;
    if (argument.value) {
      plan.is_scalar = true;
      plan.scalar = scalar(*argument.value, plan.type, scope_, where + "value");
      return plan;
    }
    const std::int64_t extent = integer(*argument.extent, scope_, where + "extent");
    if (extent < 0) fail(blamed(where + "extent", *argument.extent, std::to_string(extent) + " is negative"));
    if (extent > kLargest / static_cast<std::int64_t>(element_size(plan.type))) {
      fail(blamed(where + "extent", *argument.extent, "too many elements for any memory"));
    }
    plan.count = static_cast<std::uint64_t>(extent);
    plan.contents = contents(argument, plan.type, plan.count);
    if (argument.check) {
      plan.is_checked = true;
      plan.tolerance = tolerance(*argument.check, where);
      if (is_complex(plan.type) && argument.check->ulp)
        fail(where +
             "ulp: complex numbers are compared by the magnitude of their difference: use absolute or "
             "relative");
      if (is_complex(plan.type) && argument.check->any_order)
        fail(where + "order: complex numbers have none");
    }
    return plan;
  }

  // An integer for integer types, a real for the others.
  Value scalar(const Expression& expression, ElementType type, const Scope& scope, const std::string& where) {
    if (is_complex(type)) fail(where + ": a scalar cannot be complex; pass a struct of its two parts");
    Value result = value(expression, scope, where);
    if (result.is_boolean()) result = Value(result.boolean() ? 1 : 0);
    if (!is_integer_type(type)) {
      if (result.is_number()) return Value(result.number());
    } else if (result.is_integer()) {
      if (fits(result.integer(), type)) return result;
      fail(blamed(where, expression,
                  result.str() + " does not fit in " + std::string(element_type_name(type))));
    }
    fail(blamed(where, expression, result.str() + " is not of type " + std::string(element_type_name(type))));
    return result;
  }

  ContentsPlan contents(const Argument& argument, ElementType type, std::uint64_t count) {
    const Contents& contents = argument.contents;
    const std::string where = "argument '" + argument.name + "': init";
    ContentsPlan plan;
    plan.kind = contents.kind;
    plan.is_computed = contents.is_computed;
    const bool needs_integers = contents.kind == Contents::Kind::permutation || contents.kind == Contents::Kind::zipf ||
                                contents.kind >= Contents::Kind::csr_offsets;
    const bool needs_order = contents.kind == Contents::Kind::ramp ||
                             contents.kind == Contents::Kind::sorted ||
                             contents.kind == Contents::Kind::field;
    if (needs_order && is_complex(type))
      fail(where + ": complex elements are zero, constant, uniform, normal or from a file");
    if (needs_integers && !is_integer_type(type)) {
      fail(where + ": these contents are integers, the elements are " + std::string(element_type_name(type)));
    }
    // Moments of integers and the bounds of a field need not be integers.
    const bool is_exact = is_integer_type(type) && contents.kind != Contents::Kind::normal &&
                          contents.kind != Contents::Kind::field;
    enum class Range { of_the_type, any };
    const auto read = [&](const Expression& expression, double& real, std::int64_t& exact, Range range) {
      real = number(expression, scope_, where);
      if (!is_exact) return;
      const Value whole = value(expression, scope_, where);
      if (whole.is_integer()) {
        exact = whole.integer();
      } else if (real == std::floor(real) && std::abs(real) < 0x1p53) {
        exact = static_cast<std::int64_t>(real);
      } else {
        fail(blamed(where, expression, whole.str() + " is no integer, the elements are"));
      }
      if (range == Range::of_the_type && !fits(exact, type)) {
        fail(blamed(where, expression,
                    whole.str() + " does not fit in " + std::string(element_type_name(type))));
      }
    };
    if (contents.kind >= Contents::Kind::zipf) {
      structured(argument, type, count, plan, where);
    } else if (contents.a) {
      read(*contents.a, plan.a, plan.a_integer, Range::of_the_type);
    }
    // A step may be negative, even for unsigned elements.
    const Range of_b = contents.kind == Contents::Kind::ramp ? Range::any : Range::of_the_type;
    if (contents.b && contents.kind < Contents::Kind::zipf) read(*contents.b, plan.b, plan.b_integer, of_b);
    const bool is_sorted = contents.kind == Contents::Kind::sorted;
    if ((contents.kind == Contents::Kind::uniform || is_sorted) && plan.a > plan.b) {
      fail(where + (is_sorted ? " sorted" : " uniform") + ": the low bound " + contents.a->text() + " is above the high one " +
           contents.b->text());
    }
    if (contents.kind == Contents::Kind::normal && plan.b < 0) {
      fail(blamed(where, *contents.b, "a deviation cannot be negative"));
    }
    if (contents.kind == Contents::Kind::file) {
      plan.file = text(contents.file, scope_, where);
      if (!contents.array.parts.empty()) plan.array = text(contents.array, scope_, where + " array");
    }
    if (is_random(contents.kind)) {
      plan.seed = contents.seed ? static_cast<std::uint64_t>(integer(*contents.seed, scope_, where + " seed"))
                                : seed_of(argument.name);
    }
    return plan;
  }

  // zipf, field, csr_offsets, csr_columns
  void structured(const Argument& argument, ElementType type, std::uint64_t count, ContentsPlan& plan,
                  const std::string& where) {
    const Contents& contents = argument.contents;
    if (contents.kind == Contents::Kind::zipf) {
      plan.a_integer = integer(*contents.a, scope_, where + " zipf");
      plan.b = number(*contents.b, scope_, where + " zipf");
      constexpr std::int64_t kMostValues = std::int64_t{1} << 28;
      if (plan.a_integer < 1 || plan.a_integer > kMostValues) {
        fail(blamed(where + " zipf", *contents.a, "the number of values must be from 1 to " + std::to_string(kMostValues)));
      } else if (!fits(plan.a_integer - 1, type)) {
        fail(blamed(where + " zipf", *contents.a, "the values do not fit in " + std::string(element_type_name(type))));
      }
      if (plan.b < 0) fail(blamed(where + " zipf", *contents.b, "an exponent cannot be negative"));
    } else if (contents.kind == Contents::Kind::field) {
      plan.a = number(*contents.a, scope_, where + " field");
      plan.b = number(*contents.b, scope_, where + " field");
      plan.width = integer(*contents.width, scope_, where + " width");
      if (plan.width < 1) {
        fail(blamed(where + " width", *contents.width, "a row has at least one element"));
      } else if (count % static_cast<std::uint64_t>(plan.width) != 0) {
        fail(blamed(where + " width", *contents.width,
                    std::to_string(count) + " elements are no whole rows of " + std::to_string(plan.width)));
      }
      for (const double bound : {plan.a, plan.b}) {
        const bool is_within = std::abs(bound) < 0x1p53 && fits(static_cast<std::int64_t>(std::llround(bound)), type);
        if (is_integer_type(type) && !is_within)
          fail(where + " field: the bounds do not fit in " + std::string(element_type_name(type)));
      }
    } else if (contents.kind == Contents::Kind::csr_offsets) {
      plan.sparse = sparse(argument, count);
      if (!fits(plan.sparse.nonzeros, type))
        fail(where + " csr_offsets: the offsets do not fit in " + std::string(element_type_name(type)));
    } else {
      const auto offsets = std::ranges::find(kernel_.arguments, contents.offsets, &Argument::name);
      const std::int64_t extent = integer(*offsets->extent, scope_, "argument '" + offsets->name + "': extent");
      plan.sparse = sparse(*offsets, static_cast<std::uint64_t>(extent));
      if (count != static_cast<std::uint64_t>(plan.sparse.nonzeros)) {
        fail(where + " csr_columns: " + std::to_string(count) + " elements for " + std::to_string(plan.sparse.nonzeros) +
             " nonzeros");
      }
      if (!fits(std::max<std::int64_t>(plan.sparse.columns, 1) - 1, type))
        fail(where + " csr_columns: the columns do not fit in " + std::string(element_type_name(type)));
    }
  }

  // The matrix that an argument with csr_offsets describes.
  SparsePlan sparse(const Argument& argument, std::uint64_t count) {
    const Contents& contents = argument.contents;
    const std::string where = "argument '" + argument.name + "': csr_offsets ";
    SparsePlan plan;
    plan.rows = static_cast<std::int64_t>(count) - 1;
    plan.nonzeros = integer(*contents.a, scope_, where + "nonzeros");
    plan.columns = integer(*contents.b, scope_, where + "columns");
    if (contents.exponent) plan.exponent = number(*contents.exponent, scope_, where + "exponent");
    if (!contents.lengths.parts.empty()) {
      const std::string name = text(contents.lengths, scope_, where + "lengths");
      const auto lengths = row_lengths_from_name(name);
      if (!lengths) fail(where + "lengths: '" + name + "' is none of even, uniform, zipf");
      plan.lengths = lengths.value_or(RowLengths::even);
    }
    plan.seed = contents.seed ? static_cast<std::uint64_t>(integer(*contents.seed, scope_, where + "seed"))
                              : seed_of(argument.name);
    std::int64_t places = 0;
    if (count == 0) fail(where + "needs one element more than the matrix has rows: the extent is 0");
    if (plan.exponent < 0) fail(where + "exponent: it is negative");
    if (plan.columns < 0) fail(blamed(where + "columns", *contents.b, "it is negative"));
    const bool is_huge = __builtin_mul_overflow(plan.rows, plan.columns, &places);
    if (plan.nonzeros < 0 || (!is_huge && plan.nonzeros > places)) {
      fail(blamed(where + "nonzeros", *contents.a,
                  std::to_string(plan.nonzeros) + " do not fit in " + std::to_string(plan.rows) + " rows of " +
                      std::to_string(plan.columns)));
    }
    return plan;
  }

  TolerancePlan tolerance(const Tolerance& tolerance, const std::string& where) {
    TolerancePlan plan;
    const auto read = [&](const std::optional<Expression>& expression, const char* name) {
      if (!expression) return 0.0;
      const double bound = number(*expression, scope_, where + name);
      if (bound < 0) fail(blamed(where + name, *expression, "a tolerance cannot be negative"));
      return bound;
    };
    plan.absolute = read(tolerance.absolute, "absolute");
    plan.relative = read(tolerance.relative, "relative");
    if (tolerance.ulp) {
      plan.ulp = integer(*tolerance.ulp, scope_, where + "ulp");
      if (plan.ulp < 0) fail(blamed(where + "ulp", *tolerance.ulp, "a tolerance cannot be negative"));
    }
    plan.has_norm = tolerance.norm.has_value();
    plan.norm = read(tolerance.norm, "norm");
    if (tolerance.pitch) {
      plan.row = static_cast<std::uint64_t>(extent(*tolerance.row, scope_, where + "row", 0, 0));
      plan.pitch = static_cast<std::uint64_t>(extent(*tolerance.pitch, scope_, where + "pitch", 1, 0));
      if (plan.row > plan.pitch) {
        fail(blamed(where + "row", *tolerance.row,
                    "a row of " + std::to_string(plan.row) + " elements does not fit in a pitch of " +
                        std::to_string(plan.pitch)));
      }
    }
    plan.any_order = tolerance.any_order;
    plan.nan_equals = tolerance.nan_equals;
    if (!tolerance.mask.empty()) plan.mask = index_of(tolerance.mask);
    return plan;
  }

  void check_masks(const std::vector<ArgumentPlan>& arguments) {
    for (const ArgumentPlan& argument : arguments) {
      if (argument.tolerance.mask < 0) continue;
      const ArgumentPlan& mask = arguments[static_cast<std::size_t>(argument.tolerance.mask)];
      const std::string where = "argument '" + argument.name + "': mask '" + mask.name + "': ";
      if (element_size(mask.type) != 1)
        fail(where + "its elements are " + std::string(element_type_name(mask.type)) + ", a mask has bytes");
      if (mask.count != argument.count) {
        fail(where + std::to_string(mask.count) + " elements, the output has " +
             std::to_string(argument.count));
      }
    }
  }

  void check_launches(const ProgramPlan& program, const std::vector<ArgumentPlan>& arguments,
                      const std::vector<FunctionSignature>& signatures) {
    if (auto fault = wrong_launch(program, arguments, signatures)) fail(*std::move(fault));
  }

  const std::vector<FunctionSignature>& signatures_of(const PlainCode& code) const {
    return code.path.empty() ? kernel_.signatures : code.signatures;
  }

  // The first whose condition holds.
  const Reference* chosen_reference() {
    for (const Reference& reference : kernel_.references) {
      if (!reference.when || truth(*reference.when, problem_scope_, "reference when")) return &reference;
    }
    if (!kernel_.references.empty()) fail("no reference is for this problem: none of their conditions holds");
    return nullptr;
  }

  ProgramPlan candidate() {
    ProgramPlan program;
    SourcePlan& source = program.source;
    source.path = kernel_.source_path;
    source.text = kernel_.source_text;
    add_problem_macros(kernel_.undefined_names, source);
    for (const std::string& name : kernel_.parameter_names) {
      const Value* value = config_.find(name);
      if (value == nullptr) {
        fail("the configuration has no " + name);
      } else if (!kernel_.undefined_names.contains(name)) {
        source.macros.emplace_back(name, value->str());
      }
    }
    add_options(scope_, source, [](const Option&) { return true; });
    finish(kernel_.launches, kernel_.setup, scope_, program);
    add_variables(program, [](const std::string&) { return true; });
    return program;
  }

  void add_reference(Plan& plan) {
    const Reference* const reference = chosen_reference();
    if (reference == nullptr) return;
    program_ = "the reference: ";
    plan.reference = plain_program(*reference, {.once = reference->inputs, .each = {}});
    add_variables(plan.reference,
                  [&](const std::string& symbol) { return reference->symbols.contains(symbol); });
    if (error_) return;
    check_launches(plan.reference, plan.arguments, signatures_of(*reference));
    // An empty problem may leave neither of them anything to launch.
    const bool is_launched = std::ranges::any_of(plan.candidate.steps, std::not_fn(&std::string::empty), &StepPlan::entry);
    if (reference->launches.empty() || !plan.reference.steps.empty() || !is_launched) return;
    for (const ArgumentPlan& argument : plan.arguments) {
      if (argument.role == Argument::Role::out && argument.is_checked && argument.count > 0)
        fail("none of its launches has work for this problem, so '" + argument.name + "' stays unwritten");
    }
  }

  void add_verifier(Plan& plan) {
    if (!kernel_.verifier) return;
    program_ = "the verifier: ";
    const std::vector<ArgumentPlan> arguments = verifier_arguments(plan.arguments);
    names_.clear();
    counts_.clear();
    types_.clear();
    for (const ArgumentPlan& argument : arguments) {
      names_.push_back(argument.name);
      counts_.push_back(argument.count);
      types_.push_back(argument.type);
    }
    plan.verifier = plain_program(*kernel_.verifier, {});
    if (!error_) check_launches(plan.verifier, arguments, signatures_of(*kernel_.verifier));
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
    add_options(problem_scope_, source, [&](const Option& option) {
      return !sees_config(option.when) && std::ranges::none_of(option.flag.parts, [&](const auto& part) {
        return sees_config(part.expression);
      });
    });
    finish(code.launches, setup, problem_scope_, program);
    return program;
  }

  // If the system's C++ compiler is used in place of CUDA's, it gets the macros of `options` only.
  template <class IsApplied>
  void add_options(const Scope& scope, SourcePlan& source, IsApplied is_applied) {
    const bool is_foreign = kernel_.language != Language::cpp && device_.kind == "host";
    for (const Option& option : kernel_.options) {
      if (is_applied(option)) add_option(option, scope, source);
    }
    if (!is_foreign) return;
    std::erase_if(source.options, [](std::string_view flag) {
      return std::ranges::none_of(kMacroOptions,
                                  [flag](std::string_view each) { return flag.starts_with(each); });
    });
    for (const Option& option : kernel_.host_options) {
      if (is_applied(option)) add_option(option, scope, source);
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
      if (value == nullptr) return fail("the problem has no " + axis.name);
      if (!undefined.contains(axis.macro)) source.macros.emplace_back(axis.macro, value->str());
    }
  }

  void add_option(const Option& option, const Scope& scope, SourcePlan& source) {
    if (option.when && !truth(*option.when, scope, "option when")) return;
    std::string flag = text(option.flag, scope, "option");
    if (flag.empty()) return;
    if (kernel_.unsafe_options == UnsafeOptions::refused && !is_safe_option(flag)) {
      return fail(unsafe_option_error(flag));
    }
    source.options.push_back(std::move(flag));
  }

  void finish(const std::vector<Launch>& launches, const Setup& setup, const Scope& scope,
              ProgramPlan& program) {
    SourcePlan& source = program.source;
    source.language = kernel_.language;
    source.include_dirs = kernel_.include_dirs;
    add_steps(launches, scope, program, program.steps);
    add_steps(setup.once, scope, program, program.setup_once);
    add_steps(setup.each, scope, program, program.setup_each);
    for (std::vector<StepPlan>* steps : {&program.steps, &program.setup_once, &program.setup_each}) {
      // The first step has no predecessor to overlap with.
      if (!steps->empty()) steps->front().attributes.is_programmatic = false;
      for (const StepPlan& step : *steps) {
        const bool is_new = std::ranges::find(source.entries, step.entry) == source.entries.end();
        if (!step.entry.empty() && is_new) source.entries.push_back(step.entry);
      }
    }
  }

  // Arguments that no step passes are in the source's variables, where it has them.
  template <class HasSymbol>
  void add_variables(ProgramPlan& program, const HasSymbol& has_symbol) {
    for (std::size_t i = 0; i < kernel_.arguments.size(); ++i) {
      const std::string& symbol = kernel_.arguments[i].symbol;
      const auto index = static_cast<int>(i);
      if (symbol.empty() || !has_symbol(symbol) || takes(program, index, kernel_.arguments.size())) continue;
      program.variables.push_back({index, "&" + symbol});
      auto& entries = program.source.entries;
      if (std::ranges::find(entries, "&" + symbol) == entries.end()) entries.push_back("&" + symbol);
    }
  }

  void add_steps(const std::vector<Launch>& launches, const Scope& scope, ProgramPlan& program,
                 std::vector<StepPlan>& steps) {
    for (const Launch& launch : launches) {
      if (launch.rounds) {
        add_rounds(launch, scope, program, steps);
      } else if (auto planned = step(launch, scope, program)) {
        steps.push_back(*std::move(planned));
      }
      if (steps.size() > kMostSteps) fail("more than " + std::to_string(kMostSteps) + " launches");
      if (error_) return;
    }
  }

  void add_rounds(const Launch& launch, const Scope& scope, ProgramPlan& program,
                  std::vector<StepPlan>& steps) {
    const std::int64_t rounds = integer(*launch.rounds, scope, "repeat");
    if (rounds < 0) fail(blamed("repeat", *launch.rounds, std::to_string(rounds) + " is negative"));
    if (rounds > static_cast<std::int64_t>(kMostSteps)) {
      fail(blamed("repeat", *launch.rounds,
                  std::to_string(rounds) + " is more than " + std::to_string(kMostSteps)));
    }
    for (std::int64_t round = 0; round < rounds && !error_; ++round) {
      const NamedValues index{{launch.index, round}};
      Scope inner = scope;
      if (!launch.index.empty()) inner.add(index);
      const bool is_swapped = round % 2 == 1 && !launch.swap.empty();
      if (is_swapped) swaps_.push_back(&launch.swap);
      add_steps(launch.body, inner, program, steps);
      if (is_swapped) swaps_.pop_back();
    }
  }

  // The index of what a step passes; see passed_argument().
  int passed(const PassedArgument& argument, const Scope& scope, const std::string& where,
             ProgramPlan& program) {
    if (argument.tensor_map) return add_value(tensor_map(*argument.tensor_map, scope, where), program);
    if (argument.texture) return add_value(texture(*argument.texture, scope, where), program);
    ArgumentPlan plan;
    if (!argument.members.empty()) {
      plan.name = "struct";
      for (const PassedArgument& member : argument.members)
        plan.members.push_back(passed(member, scope, where, program));
      return add_value(std::move(plan), program);
    }
    if (!argument.value) return index_of(argument.name);
    plan.is_scalar = true;
    plan.name = argument.value->text();
    const std::string type = text(argument.type, scope, where + "type");
    const auto known = element_type_from_name(type);
    if (!known) {
      fail(where + "'" + type + "' is no element type");
      return 0;
    }
    plan.type = *known;
    plan.scalar = scalar(*argument.value, plan.type, scope, where + "value");
    return add_value(std::move(plan), program);
  }

  std::vector<std::int64_t> extents(const std::vector<Expression>& expressions, const Scope& scope,
                                    const std::string& where, std::int64_t most) {
    std::vector<std::int64_t> all;
    for (const Expression& each : expressions) {
      all.push_back(integer(each, scope, where));
      if (error_ || (all.back() >= 1 && all.back() <= most)) continue;
      fail(blamed(where, each, std::to_string(all.back()) + " is not between 1 and " + std::to_string(most)));
    }
    return all;
  }

  // A tensor map or a texture.
  ArgumentPlan view_of(const std::string& buffer, const std::string& kind, const std::string& where) {
    if (device_.kind == "host") fail(where + kind + "s exist on GPUs only");
    ArgumentPlan plan;
    plan.name = kind + " of " + buffer;
    return plan;
  }

  // Fails if the view reaches elements behind its buffer.
  void check_end(std::size_t buffer, Wide elements, const std::string& where) {
    if (elements > static_cast<Wide>(counts_[buffer]))
      fail(where + "it goes beyond the buffer's " + std::to_string(counts_[buffer]) + " elements");
  }

  // Checks the limits in the driver's documentation: the driver does not say which limit a map exceeds.
  ArgumentPlan tensor_map(const TensorMap& map, const Scope& scope, const std::string& launch) {
    const std::string where = launch + "tensor map of '" + map.buffer + "': ";
    ArgumentPlan plan = view_of(map.buffer, "tensor map", where);
    const auto index = static_cast<std::size_t>(index_of(map.buffer));
    if (is_complex(types_[index])) fail(where + "it cannot have complex elements");
    TensorMapPlan& made = plan.tensor_map;
    made.argument = static_cast<int>(index);
    made.type = types_[index];
    made.sizes = extents(map.sizes, scope, where + "sizes", std::int64_t{1} << 32);
    made.box = extents(map.box, scope, where + "box", 256);
    const auto size = static_cast<std::int64_t>(element_size(made.type));
    std::vector<std::int64_t> strides = extents(map.strides, scope, where + "strides", std::int64_t{1} << 40);
    if (map.swizzle) made.swizzle_bytes = integer(*map.swizzle, scope, where + "swizzle");
    if (error_) return plan;
    for (std::size_t i = 0; map.strides.empty() && i + 1 < made.sizes.size(); ++i) {
      std::int64_t stride = 0;
      if (__builtin_mul_overflow(i == 0 ? std::int64_t{1} : strides.back(), made.sizes[i], &stride))
        stride = kLargest / size;
      strides.push_back(stride);
    }
    Wide elements = made.sizes[0];
    for (std::size_t i = 0; i < strides.size(); ++i) {
      elements += Wide{strides[i]} * (made.sizes[i + 1] - 1);
      if (strides[i] * size % 16 != 0 || strides[i] > (std::int64_t{1} << 40) / size) {
        fail(where + "a stride of " + std::to_string(strides[i] * size) +
             " bytes: it is a multiple of 16 below 2^40");
      }
      made.stride_bytes.push_back(strides[i] * size);
    }
    check_end(index, elements, where);
    const std::int64_t row = made.box[0] * size;
    if (row % 16 != 0)
      fail(where + "a row of the box has " + std::to_string(row) + " bytes: it is a multiple of 16");
    if (made.swizzle_bytes != 0 && made.swizzle_bytes != 32 && made.swizzle_bytes != 64 &&
        made.swizzle_bytes != 128) {
      fail(where + "swizzle " + std::to_string(made.swizzle_bytes) + ": it is 0, 32, 64 or 128 bytes");
    } else if (made.swizzle_bytes > 0 && row > made.swizzle_bytes) {
      fail(where + "a row of the box has " + std::to_string(row) + " bytes, more than the swizzle of " +
           std::to_string(made.swizzle_bytes));
    }
    return plan;
  }

  // Checks the limits in CUDA's documentation: the driver does not say which limit a texture exceeds.
  ArgumentPlan texture(const Texture& texture, const Scope& scope, const std::string& launch) {
    const std::string where = launch + "texture of '" + texture.buffer + "': ";
    ArgumentPlan plan = view_of(texture.buffer, "texture", where);
    const auto index = static_cast<std::size_t>(index_of(texture.buffer));
    TexturePlan& made = plan.texture;
    made.argument = static_cast<int>(index);
    made.type = types_[index];
    const bool is_2d = texture.sizes.size() == 2;
    const auto sizes =
        extents(texture.sizes, scope, where + "sizes", is_2d ? kMostTextureWidth : kMostTexels);
    if (texture.channels) made.channels = integer(*texture.channels, scope, where + "channels");
    const auto choice = [&](const Pattern& pattern, const std::string& key,
                            std::initializer_list<std::string_view> names) {
      if (pattern.parts.empty()) return 0;
      const std::string chosen = text(pattern, scope, where + key);
      const auto found = std::ranges::find(names, chosen);
      if (found == names.end()) fail(where + key + ": '" + chosen + "' is none of " + joined(names));
      return static_cast<int>(found - names.begin());
    };
    const int address = choice(texture.address, "address", {"clamp", "border", "wrap", "mirror"});
    const int filter = choice(texture.filter, "filter", {"point", "linear"});
    if (texture.normalized) made.is_normalized = truth(*texture.normalized, scope, where + "normalized");
    if (texture.reads_fractions)
      made.reads_fractions = truth(*texture.reads_fractions, scope, where + "fractions");
    const auto size = static_cast<std::int64_t>(element_size(made.type));
    const bool is_small_float = made.type == ElementType::float16 || made.type == ElementType::float32;
    if (!is_small_float && (!is_integer_type(made.type) || size > 4))
      fail(where + "elements are integers of up to 32 bits, float16 or float32, not " +
           std::string(element_type_name(made.type)));
    if (made.channels != 1 && made.channels != 2 && made.channels != 4)
      fail(where + "a texel has 1, 2 or 4 channels, not " + std::to_string(made.channels));
    if (error_) return plan;
    made.address = static_cast<TexturePlan::Address>(address);
    made.filter = static_cast<TexturePlan::Filter>(filter);
    made.width = sizes[0];
    const bool repeats =
        made.address == TexturePlan::Address::wrap || made.address == TexturePlan::Address::mirror;
    if (repeats && !made.is_normalized) fail(where + "address wrap and mirror need normalized coordinates");
    if (made.reads_fractions && (is_small_float || size > 2))
      fail(where + "fractions are for integers of 8 or 16 bits");
    if (made.filter == TexturePlan::Filter::linear && !is_small_float && !made.reads_fractions)
      fail(where + "integers are not filtered unless they are read as fractions");
    std::int64_t last = made.width * made.channels;
    if (is_2d) {
      made.height = sizes[1];
      if (made.height > kMostTextureHeight)
        fail(where + std::to_string(made.height) + " rows are more than " +
             std::to_string(kMostTextureHeight));
      const std::int64_t pitch = texture.pitch ? integer(*texture.pitch, scope, where + "pitch") : last;
      if (pitch < last || pitch > kMostTexturePitch / size || pitch * size % kTexturePitchAlignment != 0) {
        fail(where + "rows at a pitch of " + std::to_string(pitch) + " elements: a row has " +
             std::to_string(last) + ", and the pitch in bytes is a multiple of " +
             std::to_string(kTexturePitchAlignment) + " up to " + std::to_string(kMostTexturePitch));
      } else {
        made.pitch_bytes = pitch * size;
        last += (made.height - 1) * pitch;
      }
    }
    if (!error_) check_end(index, last, where);
    return plan;
  }

  int add_value(ArgumentPlan plan, ProgramPlan& program) {
    const auto same = std::ranges::find(program.values, plan);
    const auto index = names_.size() + static_cast<std::size_t>(same - program.values.begin());
    if (same == program.values.end()) program.values.push_back(std::move(plan));
    return static_cast<int>(index);
  }

  // Returns nullopt if the step's condition is false or it has no work: a grid without blocks or an empty
  // buffer.
  std::optional<StepPlan> step(const Launch& launch, const Scope& scope, ProgramPlan& program) {
    const bool is_fill = !launch.fill.empty();
    const std::string where =
        is_fill ? "fill of '" + launch.fill + "': " : "launch of '" + launch.entry.text + "': ";
    if (launch.when && !truth(*launch.when, scope, where + "when")) return std::nullopt;
    StepPlan plan;
    if (is_fill) {
      plan.fill_argument = index_of(launch.fill);
      const std::int64_t byte = launch.fill_byte ? integer(*launch.fill_byte, scope, where + "byte") : 0;
      if (byte < 0 || byte > 255) {
        fail(blamed(where + "byte", *launch.fill_byte, std::to_string(byte) + " is no byte"));
      }
      plan.fill_byte = static_cast<int>(byte);
      if (error_ || counts_[static_cast<std::size_t>(plan.fill_argument)] == 0) return std::nullopt;
      return plan;
    }
    plan.entry = text(launch.entry, scope, where + "entry");
    for (const PassedArgument& argument : launch.arguments)
      plan.arguments.push_back(passed(argument, scope, where, program));
    bool is_empty = false;
    const std::int64_t grids[] = {device_.max_grid_x, device_.max_grid_y, device_.max_grid_z};
    const std::int64_t blocks[] = {device_.max_block_x, device_.max_block_y, device_.max_block_z};
    for (std::size_t i = 0; i < 3; ++i) {
      if (launch.grid[i]) plan.grid[i] = extent(*launch.grid[i], scope, where + "grid", 0, grids[i]);
      if (launch.block[i]) plan.block[i] = extent(*launch.block[i], scope, where + "block", 1, blocks[i]);
      is_empty = is_empty || plan.grid[i] == 0;
    }
    check_block(plan, where);
    plan.attributes = attributes(launch, plan, scope, where);
    if (launch.shared_bytes) {
      plan.shared_bytes =
          extent(*launch.shared_bytes, scope, where + "shared", 0, device_.shared_bytes_per_block_optin);
    }
    if (is_empty) return std::nullopt;
    return plan;
  }

  std::int64_t extent(const Expression& expression, const Scope& scope, const std::string& where,
                      std::int64_t least, std::int64_t most) {
    const std::int64_t result = integer(expression, scope, where);
    if (result < least) {
      fail(blamed(where, expression, std::to_string(result) + " is less than " + std::to_string(least)));
    }
    if (most > 0 && result > most) {
      fail(blamed(where, expression,
                  std::to_string(result) + " is more than the device's " + std::to_string(most)));
    }
    return result;
  }

  LaunchAttributes attributes(const Launch& launch, const StepPlan& plan, const Scope& scope,
                              const std::string& where) {
    LaunchAttributes attributes;
    const auto is_set = [&](const std::optional<Expression>& condition, const char* name) {
      return condition && truth(*condition, scope, where + name);
    };
    attributes.is_cooperative = is_set(launch.cooperative, "cooperative");
    attributes.is_programmatic = is_set(launch.programmatic, "programmatic");
    if (launch.carveout) {
      attributes.carveout_percent = extent(*launch.carveout, scope, where + "carveout", 0, 0);
      if (attributes.carveout_percent > 100) {
        fail(blamed(where + "carveout", *launch.carveout,
                    std::to_string(attributes.carveout_percent) + " is more than 100 percent"));
      }
    }
    for (std::size_t i = 0; i < 3; ++i) {
      if (!launch.cluster[i]) continue;
      std::int64_t& blocks = attributes.cluster[i];
      blocks = extent(*launch.cluster[i], scope, where + "cluster", 1, kMostInCluster);
      if (error_ || plan.grid[i] % blocks == 0) continue;
      fail(blamed(where + "cluster", *launch.cluster[i],
                  "a grid of " + std::to_string(plan.grid[i]) + " blocks is no multiple of " +
                      std::to_string(blocks)));
    }
    if (error_) return {};
    if (attributes.cluster_blocks() > kMostInCluster) {
      fail(where + "cluster: a cluster of " + std::to_string(attributes.cluster_blocks()) +
           " blocks: at most " + std::to_string(kMostInCluster) + " are possible");
    }
    if (attributes.cluster_blocks() > 1 && device_.kind == "host")
      fail(where + "cluster: thread-block clusters run on GPUs only");
    return attributes;
  }

  void check_block(const StepPlan& plan, const std::string& where) {
    std::int64_t threads = 1;
    for (std::int64_t extent : plan.block) {
      if (__builtin_mul_overflow(threads, extent, &threads)) threads = kLargest;
    }
    const std::int64_t most = device_.max_threads_per_block;
    if (most > 0 && threads > most) {
      fail(where + "block: " + std::to_string(threads) + " threads are more than the device's " +
           std::to_string(most));
    }
  }

  int index_of(std::string name) {
    // The innermost swap comes first.
    for (auto swap = swaps_.rbegin(); swap != swaps_.rend(); ++swap) {
      const std::vector<std::string>& names = **swap;
      if (name == names[0] || name == names[1]) name = name == names[0] ? names[1] : names[0];
    }
    const auto found = std::ranges::find(names_, name);
    if (found == names_.end()) {
      fail("there is no argument '" + name + "'");
      return 0;
    }
    return static_cast<int>(found - names_.begin());
  }

  const KernelDefinition& kernel_;
  const Config& config_;
  const Problem& problem_;
  const DeviceInfo& device_;
  const NamedValues attributes_;
  Scope problem_scope_, scope_;
  // Facts about the arguments of the program that is planned.
  std::vector<std::string> names_;
  std::vector<std::uint64_t> counts_;                   // of their elements
  std::vector<ElementType> types_;                      // of those
  std::vector<const std::vector<std::string>*> swaps_;  // of the rounds that are planned
  std::string program_;  // is planned now, as messages name it; empty: the candidate
  std::optional<Error> error_;
};

}  // namespace

Result<Plan> resolve(const KernelDefinition& kernel, const Config& config, const Problem& problem,
                     const DeviceInfo& device) {
  return Resolver(kernel, config, problem, device).plan();
}

}  // namespace gktune
