#include "tuner/space/plan.h"

#include <algorithm>

namespace gktune {
namespace {

// The indices of what a step passes, and of the members of structs among it.
bool passes(const std::vector<int>& passed, int index, const ProgramPlan& program, int first_value) {
  return std::ranges::any_of(passed, [&](int each) {
    if (each == index) return true;
    if (each < first_value) return false;
    const ArgumentPlan& value = program.values[static_cast<std::size_t>(each - first_value)];
    return value.tensor_map.argument == index || passes(value.members, index, program, first_value);
  });
}

}  // namespace

bool takes(const ProgramPlan& program, int index, std::size_t arguments) {
  const auto takes_it = [&](const StepPlan& step) {
    return step.fill_argument == index || passes(step.arguments, index, program, static_cast<int>(arguments));
  };
  return std::ranges::any_of(program.steps, takes_it) || std::ranges::any_of(program.setup_once, takes_it) ||
         std::ranges::any_of(program.setup_each, takes_it);
}

const ArgumentPlan& passed_argument(const std::vector<ArgumentPlan>& arguments, const ProgramPlan& program,
                                    int index) {
  const auto i = static_cast<std::size_t>(index);
  return i < arguments.size() ? arguments[i] : program.values[i - arguments.size()];
}

bool are_of_one_problem(const std::vector<ArgumentPlan>& a, const std::vector<ArgumentPlan>& b,
                        const ProgramPlan& reference) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ArgumentPlan like_b = a[i];
    if (like_b.is_scalar) {
      if (!takes(reference, static_cast<int>(i), a.size())) like_b.scalar = b[i].scalar;
    } else if (like_b.role == Argument::Role::scratch) {
      like_b.count = b[i].count;
    }
    if (like_b != b[i]) return false;
  }
  return true;
}

std::optional<RowLengths> row_lengths_from_name(std::string_view name) {
  if (name == "even") return RowLengths::even;
  if (name == "uniform") return RowLengths::uniform;
  if (name == "zipf") return RowLengths::zipf;
  return std::nullopt;
}

}  // namespace gktune
