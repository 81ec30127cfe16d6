#include "tuner/space/plan.h"

#include <algorithm>

namespace gktune {
namespace {

bool sees(const ProgramPlan& program, std::size_t argument) {
  return std::ranges::any_of(program.steps, [argument](const StepPlan& step) {
    return std::ranges::find(step.arguments, static_cast<int>(argument)) != step.arguments.end();
  });
}

}  // namespace

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
      if (!sees(reference, i)) like_b.scalar = b[i].scalar;
    } else if (like_b.role == Argument::Role::scratch) {
      like_b.count = b[i].count;
    }
    if (like_b != b[i]) return false;
  }
  return true;
}

}  // namespace gktune
