#include "tests/templates/covering_sample.h"

#include <algorithm>
#include <random>

namespace gktune {
namespace {

// Number of configurations with missing values that are compared before the best of them is taken.
constexpr int kCandidates = 64;

bool names_a_way(const Parameter& parameter) { return parameter.values.front().is_text(); }

}  // namespace

CoveringSample::CoveringSample(std::vector<Parameter> parameters) : parameters_(std::move(parameters)) {
  std::vector<Choice> choices;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    for (std::size_t v = 0; v < parameters_[p].values.size(); ++v) choices.push_back({p, v});
  }
  for (const Choice& one : choices) {
    meetings_.emplace_back(one, one);
    for (const Choice& other : choices) {
      const bool is_first = one.parameter < other.parameter;
      if (is_first &&
          (names_a_way(parameters_[one.parameter]) || names_a_way(parameters_[other.parameter]))) {
        meetings_.emplace_back(one, other);
      }
    }
  }
}

Result<std::vector<Config>, SpaceError> CoveringSample::cover(const std::vector<Constraint>& constraints,
                                                              const Scope& scope, Depth depth) {
  const auto space = Space::build(parameters_, constraints, scope);
  if (!space) return space.error();
  std::vector<Config> chosen;
  std::vector<Meeting> missing = meetings_;
  if (depth == Depth::values) {
    std::erase_if(missing, [](const Meeting& meeting) { return meeting.first != meeting.second; });
  }
  const auto take = [&](const Config& config) {
    chosen.push_back(config);
    std::erase_if(missing, [&](const Meeting& meeting) { return holds(config, meeting); });
  };
  for (const Config& config : configs_) {
    if (space->contains(config) && count(config, missing) > 0) take(config);
  }
  while (!missing.empty()) {
    const Meeting next = missing.front();
    const auto found = find(next, missing, constraints, scope);
    if (!found) {
      std::erase(missing, next);
      continue;
    }
    configs_.push_back(*found);
    take(*found);
  }
  return chosen;
}

std::vector<std::string> CoveringSample::unseen() const {
  std::vector<std::string> names;
  for (const auto& [choice, other] : meetings_) {
    const bool is_seen = std::ranges::any_of(
        configs_, [&, &choice = choice](const Config& config) { return holds(config, choice); });
    if (choice != other || is_seen) continue;
    const Parameter& parameter = parameters_[choice.parameter];
    names.push_back(parameter.name + '=' + parameter.values[choice.value].str());
  }
  return names;
}

bool CoveringSample::holds(const Config& config, const Choice& choice) const {
  const Parameter& parameter = parameters_[choice.parameter];
  return *config.find(parameter.name) == parameter.values[choice.value];
}

bool CoveringSample::holds(const Config& config, const Meeting& meeting) const {
  return holds(config, meeting.first) && holds(config, meeting.second);
}

std::size_t CoveringSample::count(const Config& config, const std::vector<Meeting>& meetings) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(meetings, [&](const Meeting& meeting) { return holds(config, meeting); }));
}

std::optional<Config> CoveringSample::find(const Meeting& meeting, const std::vector<Meeting>& others,
                                           const std::vector<Constraint>& constraints,
                                           const Scope& scope) const {
  std::vector<Parameter> narrowed = parameters_;
  for (const Choice& choice : {meeting.first, meeting.second}) {
    Parameter& parameter = narrowed[choice.parameter];
    parameter.values = {parameters_[choice.parameter].values[choice.value]};
    parameter.default_value.reset();
  }
  const auto space = Space::build(std::move(narrowed), constraints, scope);
  if (!space) return std::nullopt;
  std::mt19937_64 random(1);
  std::optional<Config> best;
  std::size_t most = 0;
  for (int i = 0; i < kCandidates; ++i) {
    Config config = space->at(space->sample(random));
    const std::size_t brings = count(config, others);
    if (brings <= most) continue;
    most = brings;
    best = std::move(config);
  }
  return best;
}

}  // namespace gktune
