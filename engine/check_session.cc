#include "engine/check_session.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "engine/spaces.h"
#include "tuner/core/quantity.h"
#include "tuner/core/text.h"
#include "tuner/measure/generator.h"
#include "tuner/space/definition.h"
#include "tuner/space/plan.h"

namespace gktune {
namespace {

constexpr std::array<std::int64_t, 6> kAwkward = {0, 1, 31, 33, 257, 1009};
// Several blocks and a part of one, for blocks that take a few thousand elements.
// The other sizes are small then.
constexpr std::int64_t kSeveralBlocks = 9001, kBesides = 5, kMostSeveralBlocks = 150'000;

bool is_size(const Axis& axis) { return !axis.values.empty() && axis.values.front().is_integer(); }

// Axes that decide which file an input is read from or how long it is: there are files only for the sizes of
// the space file.
std::set<std::string> axes_of_files(const std::vector<Argument>& arguments) {
  std::set<std::string> names;
  const auto add = [&names](const std::optional<Expression>& expression) {
    if (!expression) return;
    for (const Expression::NameUse& use : expression->names()) names.insert(use.name);
  };
  for (const Argument& argument : arguments) {
    if (argument.contents.kind != Contents::Kind::file) continue;
    add(argument.extent);
    for (const Pattern::Part& part : argument.contents.file.parts) add(part.expression);
  }
  return names;
}

std::int64_t greatest_size(const Axis& axis) {
  return std::ranges::max(axis.values, {}, &Value::integer).integer();
}

// The axes whose values the awkward sizes replace.
std::vector<Axis> replaced_axes(const KernelDefinition& kernel) {
  const std::set<std::string> kept = axes_of_files(kernel.arguments);
  std::vector<Axis> sizes;
  std::ranges::copy_if(kernel.axes, std::back_inserter(sizes),
                       [&kept](const Axis& axis) { return is_size(axis) && !kept.contains(axis.name); });
  return sizes;
}

// About twice the size of the longest axis, if that is one of several blocks and may be larger.
std::optional<Problem> larger(const KernelDefinition& kernel, const Problem& problem) {
  const std::vector<Axis> sizes = replaced_axes(kernel);
  const auto longest = std::ranges::max_element(sizes, {}, greatest_size);
  if (longest == sizes.end()) return std::nullopt;
  const std::int64_t size = problem.find(longest->name)->integer();
  const std::int64_t larger_size = std::min(2 * size + 1, greatest_size(*longest));
  if (size < kSeveralBlocks || larger_size <= size || larger_size > kMostSeveralBlocks) return std::nullopt;
  Problem larger = problem;
  larger.set(longest->name, larger_size);
  return larger;
}

bool has_one_block(const StepPlan& step) { return step.grid == std::array<std::int64_t, 3>{1, 1, 1}; }

// The number of configurations, of all or of some, whose launches have one block each or cannot be formed.
int count_of_one_block(const Definition& definition, const Problem& problem, const DeviceInfo& device) {
  constexpr std::int64_t kMostConfigurations = 32;
  const auto space = space_of(definition, problem, device);
  if (!space) return std::numeric_limits<int>::max();
  const bool is_sampled = space->size() > Count(kMostConfigurations);
  std::mt19937_64 random;
  int count = 0;
  for (Count i = 0; i < (is_sampled ? Count(kMostConfigurations) : space->size()); ++i) {
    const auto plan =
        resolve(definition.kernel, space->at(is_sampled ? space->sample(random) : i), problem, device);
    if (!plan || std::ranges::all_of(plan->candidate.steps, has_one_block)) ++count;
  }
  return count;
}

}  // namespace

std::vector<Problem> near_problems(const KernelDefinition& kernel, std::vector<Problem> problems,
                                   std::uint64_t seed, std::uint64_t draw) {
  constexpr std::int64_t kLeastDistance = 63;
  const std::vector<Axis> sizes = replaced_axes(kernel);
  std::uint64_t drawn = draw * problems.size() * sizes.size();
  for (Problem& problem : problems) {
    for (const Axis& axis : sizes) {
      const std::int64_t size = problem.find(axis.name)->integer();
      const std::int64_t most = std::min(size - 1, std::max(size / 8, kLeastDistance));
      const auto distance =
          uniform_integer(seed, drawn++, 1, static_cast<std::uint64_t>(std::max(most, std::int64_t{1})));
      if (most > 0) problem.set(axis.name, size - static_cast<std::int64_t>(distance));
    }
  }
  return problems;
}

std::vector<Problem> problems_of_several_blocks(const Definition& definition,
                                                const std::vector<Problem>& problems,
                                                const DeviceInfo& device) {
  std::vector<Problem> chosen;
  for (const Problem& problem : problems) {
    std::optional<Problem> next = larger(definition.kernel, problem), best;
    int fewest = next ? count_of_one_block(definition, problem, device) : 0;
    for (; next && fewest > 0; next = larger(definition.kernel, *next)) {
      const int count = count_of_one_block(definition, *next, device);
      if (count < fewest) best = next, fewest = count;
    }
    if (best) chosen.push_back(*std::move(best));
  }
  return chosen;
}

std::vector<Problem> problems_to_sanitize(const Definition& definition, const DeviceInfo& device) {
  const std::vector<Problem> all = awkward_problems(definition.kernel);
  std::vector<Problem> solvable;
  std::ranges::copy_if(all, std::back_inserter(solvable),
                       [&](const Problem& problem) { return space_of(definition, problem, device).ok(); });
  if (solvable.empty()) return all;
  std::ranges::copy(problems_of_several_blocks(definition, solvable, device), std::back_inserter(solvable));
  return solvable;
}

std::vector<Problem> one_for_each_source(const std::vector<Axis>& axes,
                                         const std::vector<Problem>& problems) {
  std::vector<Problem> chosen;
  std::set<std::string> seen;
  for (const Problem& problem : problems) {
    Problem macros;  // the compiler sees these axes only
    for (const Axis& axis : axes)
      if (!axis.macro.empty()) macros.set(axis.name, *problem.find(axis.name));
    if (seen.insert(macros.json()).second) chosen.push_back(problem);
  }
  return chosen;
}

bool is_empty(const Problem& problem) {
  return std::ranges::any_of(
      problem, [](const auto& axis) { return axis.second.is_integer() && axis.second.integer() == 0; });
}

std::vector<Problem> awkward_problems(const KernelDefinition& kernel) {
  const std::vector<Axis> sizes = replaced_axes(kernel);
  const auto longest = std::ranges::max_element(sizes, {}, greatest_size);
  std::vector<Problem> problems;
  // A kernel may rely on the greatest size that the file lists.
  const auto add = [&](Problem problem, const auto& size_of) {
    for (const Axis& axis : sizes) problem.set(axis.name, std::min(size_of(axis), greatest_size(axis)));
    if (std::ranges::find(problems, problem) == problems.end()) problems.push_back(std::move(problem));
  };
  for (const Problem& listed : problems_of(kernel)) {
    // Sizes differ within a problem: square problems hide swapped dimensions.
    for (std::size_t choice = 0; choice < kAwkward.size(); ++choice) {
      std::size_t next = choice;
      add(listed, [&next](const Axis&) { return kAwkward[next++ % kAwkward.size()]; });
    }
    add(listed, [&](const Axis& axis) { return axis.name == longest->name ? kSeveralBlocks : kBesides; });
  }
  return problems;
}

namespace {

// Adds a failure to the finding with the same message.
void add_finding(std::vector<Finding>& findings, const Trial& trial) {
  auto known = std::ranges::find_if(findings, [&](const Finding& finding) {
    return finding.status == trial.status && finding.message == trial.message;
  });
  if (known == findings.end()) known = findings.insert(findings.end(), {trial.status, trial.message, {}});
  known->trials.push_back(trial);
}

// True if a trial with this status has this configuration or problem.
template <class T>
bool has_failed(const std::vector<Finding>& findings, Status status, T Trial::*part, const T& value) {
  return std::ranges::any_of(findings, [&](const Finding& finding) {
    return finding.status == status && std::ranges::find(finding.trials, value, part) != finding.trials.end();
  });
}

// One check of candidates.
class CheckSession {
 public:
  using Next = std::function<bool(Candidate&)>;
  CheckSession(Device& device, const CheckEvents& events, const Next& next, CheckResult result)
      : device_(device), events_(events), next_(next), result_(std::move(result)) {}

  CheckResult run() {
    while (true) {
      fill_device();
      if (in_flight_ == 0) break;
      std::optional<Trial> trial = device_.next_while([this] { return goes_on(); });
      if (!trial) {
        result_.was_stopped = true;
        break;
      }
      --in_flight_;
      end(*std::move(trial));
    }
    for (auto& [place, trial] : passed_) result_.passed.push_back(std::move(trial));
    result_.findings.clear();
    for (const auto& [place, trial] : failed_) add_finding(result_.findings, trial);
    return std::move(result_);
  }

 private:
  void fill_device() {
    while (!is_over() && in_flight_ < device_.capacity()) {
      std::optional<Candidate> candidate = take();
      if (!candidate) return;
      if (has_failed(result_.findings, Status::reference_failed, &Trial::problem, candidate->problem))
        continue;
      if (has_failed(result_.findings, Status::timed_out, &Trial::config, candidate->config)) {
        ++result_.left_out;
      } else {
        submit(*std::move(candidate));
      }
    }
  }

  bool is_stopped() const { return events_.stop && events_.stop(); }
  bool goes_on() const {
    if (events_.on_progress) events_.on_progress(result_);
    return !is_stopped();
  }

  // True: submit no more candidates.
  bool is_over() {
    if (in_flight_ == 0 && !has_more_) return true;
    const bool ends = is_stopped();
    const bool is_late = events_.begins_for_s > 0 && seconds_since(begin_) > events_.begins_for_s;
    if ((ends && !result_.was_stopped) || (is_late && !result_.was_late)) {
      result_.was_stopped = ends;
      result_.was_late = is_late;
      in_flight_ -= device_.withdraw();  // a stop does not wait for candidates that have not begun
    }
    return result_.was_stopped || result_.was_late || unchecked_in_a_row_ >= kMostUnjudged || !has_more_;
  }

  std::optional<Candidate> take() {
    Candidate candidate;
    has_more_ = next_(candidate);
    return has_more_ ? std::optional(std::move(candidate)) : std::nullopt;
  }

  void submit(Candidate candidate) {
    running_.push_back({submitted_++, candidate.config, candidate.problem});
    device_.submit(std::move(candidate));
    ++in_flight_;
  }

  void end(Trial trial) {
    const std::size_t place = remove_running(trial);
    if (trial.status == Status::machine_failed) {
      ++result_.unchecked;
      result_.failure = std::move(trial.message);
      if (++unchecked_in_a_row_ == kMostUnjudged) in_flight_ -= device_.withdraw();
      return;
    }
    if (unchecked_in_a_row_ < kMostUnjudged) unchecked_in_a_row_ = 0;
    if (trial.status == Status::reference_failed) {
      // It fails for every configuration of the problem: one finding, without a configuration.
      if (has_failed(result_.findings, trial.status, &Trial::problem, trial.problem)) return;
      trial.config = {};
      return fail(place, std::move(trial));
    }
    ++result_.checked;
    if (trial.ok()) {
      if (!trial.message.empty()) add_finding(result_.harmless, trial);
      passed_.emplace(place, std::move(trial));
    } else {
      fail(place, std::move(trial));
    }
    if (events_.on_progress) events_.on_progress(result_);
  }

  void fail(std::size_t place, Trial trial) {
    add_finding(result_.findings, trial);
    failed_.emplace(place, std::move(trial));
  }

  std::size_t remove_running(const Trial& trial) {
    const auto ended = std::ranges::find_if(running_, [&](const Running& each) {
      return each.config == trial.config && each.problem == trial.problem;
    });
    const std::size_t place = ended->place;
    running_.erase(ended);
    return place;
  }

  struct Running {
    std::size_t place;  // the number of candidates submitted before it
    Config config;
    Problem problem;
  };

  Device& device_;
  const CheckEvents& events_;
  const Next& next_;
  CheckResult result_;
  std::vector<Running> running_;
  std::map<std::size_t, Trial> passed_, failed_;  // by the place of their candidates
  bool has_more_ = true;
  std::size_t submitted_ = 0, in_flight_ = 0;
  int unchecked_in_a_row_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// The configurations of each problem's space in turn, or a sample of them: the default one and random others.
class Candidates {
 public:
  Candidates(const CheckRequest& request, const std::vector<Problem>& problems)
      : request_(request), problems_(problems) {}

  // A result with the numbers of candidates. Fails if a space cannot be built.
  Result<CheckResult, EngineError> count() const {
    CheckResult counts;
    for (const Problem& problem : problems_) {
      auto space = GKTUNE_TRY(build(problem));
      counts.all += space.size();
      counts.chosen += chosen_of(space);
    }
    return counts;
  }

  // Requires that count() succeeds.
  bool next(Candidate& candidate) {
    while (!space_ || index_ >= chosen_of(*space_)) {
      if (problem_ == problems_.size()) return false;
      space_ = build(problems_[problem_++]).value();
      random_.seed(request_.workers.seed);
      drawn_.clear();
      index_ = 0;
    }
    candidate.problem = problems_[problem_ - 1];
    candidate.config = space_->at(is_sampled(*space_) ? draw() : index_);
    ++index_;
    return true;
  }

 private:
  Count draw() {
    const auto first = drawn_.empty() ? space_->default_config() : std::nullopt;
    if (first) return *drawn_.insert(*space_->index_of(*first)).first;
    for (;;) {
      Count index = space_->sample(random_);
      if (drawn_.insert(index).second) return index;
    }
  }

  Result<Space, EngineError> build(const Problem& problem) const {
    return space_of(request_.definition, problem, request_.device.info);
  }
  bool is_sampled(const Space& space) const { return request_.sample > 0 && space.size() > request_.sample; }
  Count chosen_of(const Space& space) const {
    return is_sampled(space) ? Count(request_.sample) : space.size();
  }

  const CheckRequest& request_;
  const std::vector<Problem>& problems_;
  std::optional<Space> space_;
  std::size_t problem_ = 0;  // the next one
  Count index_;
  std::mt19937_64 random_;
  std::set<Count> drawn_;
};

bool is_sanitizing(const CheckRequest& request) { return request.work == DeviceWork::sanitize; }

// The engine chooses small awkward problems when the caller names none.
bool is_awkward(const CheckRequest& request) {
  return is_sanitizing(request) && !request.problems && request.definition.check_problems.empty();
}

std::vector<Problem> problems_to_check(const CheckRequest& request) {
  const KernelDefinition& kernel = request.definition.kernel;
  if (is_awkward(request)) return problems_to_sanitize(request.definition, request.device.info);
  if (is_sanitizing(request)) return request.problems.value_or(request.definition.check_problems);
  return one_for_each_source(kernel.axes, request.problems ? *request.problems : problems_of(kernel));
}

// Moves launches that did not run from the findings to `not_run`, unless nothing ran. A launch that this
// device refuses tells nothing about the kernel's accesses. The engine may choose sizes for which no launch
// can be formed; over an empty problem that is expected.
void set_apart_what_did_not_run(CheckResult& result, bool has_awkward_problems) {
  const auto is_unformed = [&](const Trial& trial) {
    return has_awkward_problems && trial.status == Status::invalid;
  };
  std::vector<Finding> findings, not_run;
  std::int64_t left = result.checked;
  for (const Finding& finding : result.findings) {
    for (const Trial& trial : finding.trials) {
      const bool has_run = !is_unformed(trial) && trial.status != Status::launch_failed;
      if (!has_run) --left;
      if (!is_unformed(trial) || !is_empty(trial.problem)) add_finding(has_run ? findings : not_run, trial);
    }
  }
  if (left == 0 && !not_run.empty()) return;
  for (const Finding& finding : not_run) result.checked -= std::ssize(finding.trials);
  result.findings = std::move(findings);
  result.not_run = std::move(not_run);
}

// Returns the guessed parameters that a finding may follow from: only trials with other values than the
// defaults have it.
std::vector<std::string> parameters_behind(const Finding& finding, const Definition& definition) {
  std::set<std::string> changed;
  for (const Trial& trial : finding.trials) {
    bool is_default = true;
    for (const auto& [name, value] : trial.config) {
      if (value == *definition.kernel.default_values.find(name)) continue;
      if (std::ranges::find(definition.guesses, name) == definition.guesses.end()) continue;
      changed.insert("the values of " + name);
      is_default = false;
    }
    if (is_default) return {};
  }
  return {changed.begin(), changed.end()};
}

// Returns the guesses of the space file that a finding may follow from. A race in shared memory may follow
// from the block and parameters alone, and a wrong result from anything but arguments.
std::vector<std::string> guesses_behind(const Finding& finding, const Definition& definition) {
  for (const Argument& argument : definition.kernel.arguments) {
    if (argument.is_extent_guess && finding.message.find(outside_of(argument.name)) != std::string::npos)
      return {"the extent of " + argument.name};
  }
  std::vector<std::string> behind = parameters_behind(finding, definition);
  if (finding.status == Status::compile_failed) return behind;
  const bool is_shared_race = finding.message.find("a data race") != std::string::npos &&
                              finding.message.find("shared memory") != std::string::npos;
  for (const std::string& each : definition.guesses) {
    const bool is_block = each == "block", is_launch = is_block || each == "grid";
    const bool is_parameter = definition.kernel.default_values.find(each) != nullptr;
    if (is_parameter || (is_shared_race && !is_block)) continue;
    const auto& axes = definition.kernel.axes;
    const bool is_axis = std::ranges::find(axes, each, &Axis::name) != axes.end();
    if (finding.status != Status::wrong_result || is_launch || is_axis) behind.push_back(each);
  }
  return behind;
}

// Moves findings from a result that may follow from a guess of the space file.
void set_apart_guesses(CheckResult& result, const Definition& definition) {
  const auto rests_on_guess = [&](const Finding& finding) {
    return !guesses_behind(finding, definition).empty();
  };
  for (Finding& finding : result.findings) {
    if (!rests_on_guess(finding)) continue;
    if (finding.status != Status::reference_failed) result.checked -= std::ssize(finding.trials);
    result.unconfirmed.push_back(finding);
    result.unconfirmed.back().message +=
        "; the space file guesses " + joined(guesses_behind(finding, definition), ", ") + ": state the truth";
  }
  std::erase_if(result.findings, rests_on_guess);
}

}  // namespace

std::int64_t CheckResult::failed() const {
  std::int64_t count = 0;
  for (const Finding& finding : findings) count += std::ssize(finding.trials);
  return count;
}

Failures CheckResult::failures() const {
  Failures failures;
  for (const Finding& finding : findings) failures[finding.status] += std::ssize(finding.trials);
  return failures;
}

CheckResult check(Device& device, const CheckEvents& events, const std::function<bool(Candidate&)>& next,
                  CheckResult result) {
  return CheckSession(device, events, next, std::move(result)).run();
}

Result<CheckResult, EngineError> check_space(const CheckRequest& request, const CheckEvents& events) {
  const std::vector<Problem> problems = problems_to_check(request);
  Candidates candidates(request, problems);
  auto counts = GKTUNE_TRY(candidates.count());
  std::unique_ptr<WorkerDevice> own;
  std::unique_ptr<WorkerDevice>& device = request.opened != nullptr ? *request.opened : own;
  const auto kernel = std::make_shared<const KernelDefinition>(request.definition.kernel);
  if (device == nullptr)
    device = GKTUNE_TRY(open_device(*kernel, request.device, request.workers, request.work));
  const auto next = [&](Candidate& candidate) {
    candidate.kernel = kernel;
    return candidates.next(candidate);
  };
  CheckResult result = check(*device, events, next, std::move(counts));
  if (is_sanitizing(request)) {
    set_apart_what_did_not_run(result, is_awkward(request));
    set_apart_guesses(result, request.definition);
  }
  return result;
}

}  // namespace gktune
