#include "tuner/device/worker/compile_pool.h"

#include <algorithm>

#include "tuner/device/worker/job.h"
#include "tuner/process/outside_kills.h"

namespace gktune {
namespace {

// The number of sources, or of jobs with several, that shows what they cost.
constexpr int kFewestCosts = 4;
// nvcc compiles host code and its libraries' templates, for which it may need minutes.
constexpr double kHostCodeFactor = 5;

bool share_a_job(const SourcePlan& a, const SourcePlan& b) {
  return a.language == b.language && a.path == b.path && a.options == b.options &&
         a.include_dirs == b.include_dirs && a.text == b.text;
}

}  // namespace

void CompilePool::add(std::uint64_t id, SourcePlan source) {
  if (Task* const known = find(source)) {
    known->ids.push_back(id);
    return;
  }
  queue_.push_back({{id}, std::move(source)});
  if (!starts_.error().empty()) fail_all();
}

CompilePool::Task* CompilePool::find(const SourcePlan& source) {
  // Compares first what mostly differs.
  const auto is_same = [&](const Task& task) {
    return task.source.macros == source.macros && task.source == source;
  };
  if (const auto task = std::ranges::find_if(queue_, is_same); task != queue_.end()) return &*task;
  for (Slot& slot : slots_) {
    if (const auto task = std::ranges::find_if(slot.batch, is_same); task != slot.batch.end()) return &*task;
  }
  return nullptr;
}

void CompilePool::withdraw(std::uint64_t id, Clock::time_point now) {
  for (Task& task : queue_) std::erase(task.ids, id);
  std::erase_if(queue_, &Task::is_withdrawn);
  for (auto slot = slots_.begin(); slot != slots_.end(); ++slot) {
    const auto withdrawn = [id](Task& task) { return std::erase(task.ids, id) > 0; };
    if (std::ranges::none_of(slot->batch, withdrawn)) continue;
    if (!std::ranges::all_of(slot->batch, &Task::is_withdrawn)) return;
    busy_s_ += slot->worker.busy_s(now);
    slots_.erase(slot);
    return;
  }
}

void CompilePool::dispatch(Haste haste, std::size_t most_busy) {
  while (!queue_.empty() && starts_.error().empty() && workers_that_are(Worker::State::busy) < most_busy) {
    Slot* slot = idle_slot();
    if (slot == nullptr) {
      const bool full = slots_.size() >= static_cast<std::size_t>(options_.jobs);
      if (full || workers_that_are(Worker::State::starting) >= queue_.size()) return;
      start_worker();
      continue;
    }
    std::vector<Task> batch = next_batch(haste);
    if (batch.empty()) return;
    CompileJob job = options_.job;
    for (const Task& task : batch) job.variants.push_back(task.source);
    slot->batch = std::move(batch);
    const bool is_host_code = job.variants.front().language == Language::host;
    slot->worker.send(encode(job), {.setup_s = options_.time_limit_s * (is_host_code ? kHostCodeFactor : 1)});
  }
}

void CompilePool::start_worker() {
  auto worker = Worker::start(options_.command);
  if (worker) {
    slots_.push_back({std::move(*worker), {}});
  } else {
    starts_.note(worker.error().message);
    if (!starts_.error().empty()) fail_all();
  }
}

CompilePool::Slot* CompilePool::idle_slot() {
  auto slot =
      std::ranges::find_if(slots_, [](const Slot& b) { return b.worker.state() == Worker::State::idle; });
  return slot == slots_.end() ? nullptr : &*slot;
}

std::size_t CompilePool::workers_that_are(Worker::State state) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(slots_, [&](const Slot& slot) { return slot.worker.state() == state; }));
}

void CompilePool::note_cost(Slot& slot, const std::vector<Task>& batch,
                            const std::vector<CompiledVariant>& variants) {
  if (!std::exchange(slot.has_compiled, true)) return;
  const SourcePlan& source = batch.front().source;
  auto cost = std::ranges::find_if(costs_, [&](const Cost& each) { return share_a_job(each.model, source); });
  if (cost == costs_.end()) cost = costs_.insert(costs_.end(), Cost{source});
  cost->largest = std::max(cost->largest, batch.size());
  for (const CompiledVariant& variant : variants) {
    if (variant.from_cache || variant.status != Status::ok) continue;
    (batch.size() > 1 ? cost->together_s : cost->alone_s) += variant.seconds;
    ++(batch.size() > 1 ? cost->together : cost->alone);
  }
}

std::size_t CompilePool::batch_of(const SourcePlan& source) const {
  if (source.language == Language::host || source.language == Language::command) return 1;
  const auto cost =
      std::ranges::find_if(costs_, [&](const Cost& each) { return share_a_job(each.model, source); });
  if (cost == costs_.end() || cost->alone < kFewestCosts) return 1;
  const std::size_t limit = std::min(static_cast<std::size_t>(batch_limit_), 2 * cost->largest);
  if (cost->together < kFewestCosts * batch_limit_) return limit;
  return cost->together_s / cost->together <= cost->alone_s / cost->alone ? limit : 1;
}

// The first of the queue and those that can share a job with it. Some are left for idle workers.
std::vector<CompilePool::Task> CompilePool::next_batch(Haste haste) {
  const auto jobs = static_cast<std::size_t>(options_.jobs);
  const Task& first = queue_.front();
  const std::size_t limit = batch_of(first.source);
  std::vector<std::size_t> chosen{0};
  const std::size_t share = std::clamp<std::size_t>((queue_.size() + jobs - 1) / jobs, 1, limit);
  const std::size_t most = first.alone ? 1 : haste == Haste::wait_for_full_batches ? limit : share;
  for (std::size_t i = 1; i < queue_.size() && chosen.size() < most; ++i) {
    if (!queue_[i].alone && share_a_job(queue_[i].source, first.source)) chosen.push_back(i);
  }
  if (haste == Haste::wait_for_full_batches && chosen.size() < most) return {};
  std::vector<Task> batch;
  for (std::size_t i : chosen) batch.push_back(std::move(queue_[i]));
  for (auto i = chosen.rbegin(); i != chosen.rend(); ++i) {
    queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(*i));
  }
  return batch;
}

void CompilePool::add_to(std::vector<pollfd>& descriptors) const {
  for (const Slot& slot : slots_) slot.worker.add_to(descriptors);
}

Clock::time_point CompilePool::deadline() const {
  auto earliest = Clock::time_point::max();
  for (const Slot& slot : slots_) earliest = std::min(earliest, slot.worker.deadline());
  return earliest;
}

void CompilePool::advance(Clock::time_point now) {
  for (Slot& slot : slots_) {
    slot.worker.advance(now);
    if (const auto reply = slot.worker.take_reply()) {
      starts_.forget();
      finish_job(slot, *reply, slot.worker.busy_s(now));
    }
    if (slot.worker.state() != Worker::State::dead) continue;
    if (slot.batch.empty()) {
      starts_.note(slot.worker.death().failure.message);
    } else {
      busy_s_ += slot.worker.busy_s(now);
      take_apart(slot);
    }
  }
  std::erase_if(slots_, [](const Slot& slot) { return slot.worker.state() == Worker::State::dead; });
  if (!starts_.error().empty()) fail_all();
}

void CompilePool::finish_job(Slot& slot, const std::string& reply, double busy_s) {
  busy_s_ += busy_s;
  auto variants = decode<std::vector<CompiledVariant>>(reply);
  std::vector<Task> batch = std::exchange(slot.batch, {});
  if (variants && variants->size() == batch.size()) note_cost(slot, batch, *variants);
  for (std::size_t i = batch.size(); i-- > 0;) {
    CompiledVariant variant;
    if (!variants || variants->size() != batch.size()) {
      variant.status = Status::crashed;
      variant.log =
          variants ? "the compiler answered for another number of variants" : variants.error().message;
    } else {
      variant = std::move((*variants)[i]);
    }
    if (variant.status != Status::ok && batch.size() > 1) {
      try_alone(std::move(batch[i]));
    } else {
      finish(batch[i], std::move(variant));
    }
  }
}

// The job's worker died. Something outside may have killed it. Otherwise a single source is the cause;
// several are tried one by one.
void CompilePool::take_apart(Slot& slot) {
  std::vector<Task> batch = std::exchange(slot.batch, {});
  const Failure& death = slot.worker.death().failure;
  const bool is_from_outside = slot.worker.death().is_from_outside;
  if (is_from_outside && batch.front().attempts + 1 < kMostAttempts) {
    for (std::size_t i = batch.size(); i-- > 0;) try_again(std::move(batch[i]));
    return;
  }
  if (batch.size() > 1) {
    batch_limit_ = std::max(1, batch_limit_ / 2);
    for (std::size_t i = batch.size(); i-- > 0;) try_alone(std::move(batch[i]));
    return;
  }
  CompiledVariant variant;
  if (is_from_outside) {
    variant.status = Status::machine_failed;
    variant.log = "the compiler: " + outside_kills_text(death.message);
    return finish(batch[0], std::move(variant));
  }
  variant.status = death.status == Status::timed_out ? Status::compile_timed_out : Status::crashed;
  variant.log = (variant.status == Status::crashed ? "the compiler: " : "compiling ") + death.message;
  finish(batch[0], std::move(variant));
}

// The first one bears the cost.
void CompilePool::finish(const Task& task, CompiledVariant variant) {
  for (const std::uint64_t id : task.ids) {
    finished_.push_back({id, variant});
    variant.seconds = 0;
  }
}

void CompilePool::try_again(Task task) {
  if (task.is_withdrawn()) return;
  ++task.attempts;
  queue_.push_front(std::move(task));
}

void CompilePool::try_alone(Task task) {
  if (task.is_withdrawn()) return;
  task.alone = true;
  task.attempts = 0;
  queue_.push_front(std::move(task));
}

void CompilePool::fail_all() {
  for (Task& task : std::exchange(queue_, {})) {
    CompiledVariant variant;
    variant.status = Status::machine_failed;
    variant.log = starts_.error();
    finish(task, std::move(variant));
  }
}

void CompilePool::leave() const {
  for (const Slot& slot : slots_) slot.worker.leave();
}

}  // namespace gktune
