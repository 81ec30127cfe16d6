#include "tuner/device/run/fresh_problems.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "tuner/core/quantity.h"
#include "tuner/device/worker/fault_report.h"
#include "tuner/measure/element.h"

namespace gktune {
namespace {

// Draws are cheap up to this sum, or while they take no more time than executions.
constexpr double kCheapDrawsS = 1;
// In place of a candidate's name: one that keeps memory.
constexpr const char* kKeeper = "";

// The inputs of the job in another draw.
std::vector<ArgumentPlan> next_inputs(const RunJob& job, std::random_device& random, std::uint64_t turn) {
  const std::uint64_t high = random();
  return with_other_inputs(job.plan.arguments, high << 32 | random() | 1, turn);
}

bool has_contents(const ArgumentPlan& plan) {
  return !plan.is_scalar && !plan.contents.is_computed && is_input(plan.role);
}

bool has_elements_to_draw(const ArgumentPlan& plan) {
  const ContentsKind kind = plan.contents.kind;
  return has_contents(plan) && plan.count > 1 && (kind == ContentsKind::ramp || kind == ContentsKind::file);
}

std::string name_of(const Module& module) {
  return module.symbols.empty() ? module.path : module.path + ' ' + module.symbols.front();
}

}  // namespace

std::vector<ArgumentPlan> with_other_inputs(std::vector<ArgumentPlan> arguments, std::uint64_t draw,
                                            std::uint64_t turn) {
  bool varies = false;
  ArgumentPlan* largest = nullptr;
  for (ArgumentPlan& plan : arguments) {
    if (!plan.others.empty()) {
      plan.contents = plan.others[turn % plan.others.size()];
      varies = true;
    }
    if (has_contents(plan) && is_random(plan.contents.kind)) {
      plan.contents.seed ^= draw;
      plan.contents.sparse.seed ^= draw;
      varies = true;
    } else if (!plan.others.empty()) {
      continue;
    } else if (has_elements_to_draw(plan) && is_floating(plan.type)) {
      plan.contents.seed = draw;
      varies = true;
    } else if (has_elements_to_draw(plan) && (largest == nullptr || plan.count > largest->count)) {
      largest = &plan;
    }
  }
  if (!varies && largest != nullptr) largest->contents.seed = draw;
  if (!varies && largest == nullptr) arguments.clear();
  return arguments;
}

void FreshProblems::drop() {
  problems_.clear();
  base_ = nullptr;
  is_barred_ = false;
  met_by_.clear();
  drawing_s_ = executing_s_ = 0;
}

Result<void, Failure> FreshProblems::grow(const RunJob& job, std::size_t count) {
  while (problems_.size() < count) {
    const auto free = GKTUNE_TRY(device_.free_bytes());
    if (base_->bytes() > free / 2) break;
    auto problem = ProblemBuffers::allocate(device_, job);
    if (!problem) {
      if (problem.error().worker_is_lost) return problem.error();
      break;
    }
    problems_.push_back(*std::move(problem));
  }
  if (problems_.size() > count) problems_.resize(count);
  is_barred_ = problems_.empty();
  return {};
}

Result<void, Failure> FreshProblems::draw(const RunJob& job, std::size_t count) {
  if (!is_barred_ && next_inputs(job, random_, turn_).empty()) is_barred_ = true;
  if (is_barred_) return {};
  met_by_.clear();
  GKTUNE_TRY(grow(job, count));
  for (const auto& problem : problems_) {
    const auto drawn = GKTUNE_TRY(draw(*problem, job));
    if (!drawn) break;
  }
  return {};
}

Result<bool, Failure> FreshProblems::draw(ProblemBuffers& problem, const RunJob& job) {
  const auto begin = std::chrono::steady_clock::now();
  problem.permit(ForkedAccess::write);
  auto drawn = problem.draw(next_inputs(job, random_, ++turn_), isolate_);
  problem.permit(ForkedAccess::none);
  drawing_s_ += seconds_since(begin);
  if (drawn) return true;
  const bool is_named = std::ranges::any_of(
      job.plan.arguments, [](const ArgumentPlan& argument) { return !argument.others.empty(); });
  if (drawn.error().worker_is_lost || is_named) return drawn.error();
  send_report(Frame::Kind::survived, {});
  is_barred_ = true;
  problems_.clear();
  return false;
}

bool FreshProblems::is_cheap() const { return drawing_s_ <= std::max(kCheapDrawsS, executing_s_); }

Result<void, Failure> FreshProblems::draw_if_met(const RunJob& job, ProblemBuffers& base, std::size_t count,
                                                 bool keeps_memory, Repeats repeats) {
  const std::string candidate = name_of(job.candidate);
  const bool has_met = met_by_.contains(candidate);
  const bool may_know = has_met || met_by_.contains(kKeeper) || (keeps_memory && !met_by_.empty());
  const bool must_draw = has_met && keeps_memory && repeats == Repeats::never;
  if (base_ != &base || (problems_.size() < count && !is_barred_) || must_draw || (may_know && is_cheap())) {
    base_ = &base;
    GKTUNE_TRY(draw(job, count));
  }
  met_by_.insert(candidate);
  if (keeps_memory) met_by_.insert(kKeeper);
  return {};
}

Result<double, Failure> FreshProblems::time(const RunJob& job, const Execute& execute) {
  if (problems_.empty()) return time_on_base(job, execute);
  std::vector<ProblemBuffers*> problems;
  for (const auto& problem : problems_) problems.push_back(problem.get());
  return time_on(problems, base_, job, execute);
}

Result<double, Failure> FreshProblems::time_on_base(const RunJob& job, const Execute& execute) {
  return time_on(std::span(&base_, 1), problems_.empty() ? nullptr : problems_.front().get(), job, execute);
}

Result<void, Failure> FreshProblems::check_in_place(const RunJob& job, const Execute& execute) {
  if (problems_.empty() || !is_cheap()) return {};
  ProblemBuffers* const problem = problems_.front().get();
  GKTUNE_TRY(time_on(std::span(&problem, 1), base_, job, execute));
  const auto drawn = GKTUNE_TRY(draw(*problem, job));
  if (!drawn) return {};
  GKTUNE_TRY(time_on(std::span(&problem, 1), base_, job, execute));
  return {};
}

Result<double, Failure> FreshProblems::time_on(std::span<ProblemBuffers* const> problems,
                                               const ProblemBuffers* others, const RunJob& job,
                                               const Execute& execute) {
  const auto begin = std::chrono::steady_clock::now();
  for (ProblemBuffers* problem : problems) GKTUNE_TRY(problem->adopt(job.plan.arguments));
  GKTUNE_TRY(ProblemBuffers::disguise(problems, others));
  report_phase(Phase::timing);
  auto time_us = execute(problems);
  report_phase(Phase::setup);
  if (time_us) {
    if (auto judged = judge(problems); !judged) time_us = judged.error();
  }
  executing_s_ += seconds_since(begin);
  return time_us;
}

// A verifier starts threads, after which a process cannot be forked.
Result<void, Failure> FreshProblems::judge(std::span<ProblemBuffers* const> problems) {
  if (!base_->has_verifier()) return ProblemBuffers::judge_executions(problems);
  for (ProblemBuffers* problem : problems) {
    if (problem != base_) problem->permit(ForkedAccess::write);
    auto judged = isolate_([&] { return ProblemBuffers::judge_executions({&problem, 1}); });
    if (problem != base_) problem->permit(ForkedAccess::none);
    if (!judged) return judged;
  }
  return {};
}

}  // namespace gktune
