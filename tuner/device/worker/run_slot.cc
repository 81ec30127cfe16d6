#include "tuner/device/worker/run_slot.h"

#include <algorithm>

#include "tuner/process/outside_kills.h"

namespace gktune {
namespace {

bool is_dead(const std::optional<Worker>& worker) { return worker && worker->state() == Worker::State::dead; }

}  // namespace

void RunSlot::start(Job job) {
  if (jobs_.empty() && job.environment != command_.environment) {
    drop_workers();
    command_.environment = job.environment;
    starts_ = StartFailures(kNoWorker);
  }
  jobs_.push_back(std::move(job));
  send_when_ready();
}

std::optional<Worker> RunSlot::started() {
  auto worker = Worker::start(command_);
  if (worker) return std::move(*worker);
  starts_.note(worker.error().message);
  return std::nullopt;
}

void RunSlot::ensure_worker() {
  if (!active_) active_ = reserve_ ? std::exchange(reserve_, std::nullopt) : started();
}

// The reserve starts while the first one works, so that nothing waits for it.
void RunSlot::ensure_reserve() {
  if (wants_reserve_ && sent_ > 0 && !reserve_ && starts_.count() == 0) reserve_ = started();
}

void RunSlot::get_ready() {
  if (!is_broken()) ensure_worker();
}

void RunSlot::drop_workers() {
  active_.reset();
  reserve_.reset();
}

// The machine has changed since it was described.
void RunSlot::refuse_other_model() {
  const std::optional<DeviceInfo>& found = active_->device();
  if (!found || are_of_one_model(*found, expected_)) return;
  starts_.give_up("the device is " + found->name + ", no longer " + expected_.name + ": run gktune again");
  drop_workers();
}

void RunSlot::send_when_ready() {
  while (sent_ < jobs_.size()) {
    if (is_broken()) {
      finish(Failure{Status::machine_failed, starts_.error()}, 0);
      finished_.back().never_ran = true;
      continue;
    }
    ensure_worker();
    if (!active_) continue;
    if (sent_ == 0) {
      if (active_->state() != Worker::State::idle) return;
      refuse_other_model();
      if (!active_) continue;
    }
    const Job& next = jobs_[sent_++];
    active_->send(next.request, next.limits);
    ensure_reserve();
  }
}

void RunSlot::replace_worker() {
  if (active_) {
    active_->kill();
    leaving_.push_back(*std::exchange(active_, std::nullopt));
    wants_reserve_ = true;
  }
  sent_ = 0;
  ensure_worker();
  send_when_ready();
}

void RunSlot::leave() const {
  if (active_) active_->leave();
  if (reserve_) reserve_->leave();
  for (const Worker& worker : leaving_) worker.leave();
}

void RunSlot::abandon() {
  if (sent_ > 0 && active_) busy_s_ += active_->busy_s(Clock::now());
  jobs_.clear();
  finished_.clear();
  replace_worker();
}

void RunSlot::add_to(std::vector<pollfd>& descriptors) const {
  if (active_) active_->add_to(descriptors);
  if (reserve_) reserve_->add_to(descriptors);
  for (const Worker& worker : leaving_) worker.add_to(descriptors);
}

Clock::time_point RunSlot::deadline() const {
  return std::min(active_ ? active_->deadline() : Clock::time_point::max(),
                  reserve_ ? reserve_->deadline() : Clock::time_point::max());
}

void RunSlot::advance(Clock::time_point now) {
  for (Worker& worker : leaving_) worker.advance(now);
  std::erase_if(leaving_, [](const Worker& worker) { return worker.state() == Worker::State::dead; });
  if (reserve_) reserve_->advance(now);
  if (is_dead(reserve_)) starts_.note(std::exchange(reserve_, std::nullopt)->death().failure.message);
  take_replies(now);
  if (is_dead(active_)) bury_active(now);
  send_when_ready();
  ensure_reserve();
}

void RunSlot::bury_active(Clock::time_point now) {
  const Worker::JobEnd death = active_->death();
  const double seconds = active_->busy_s(now);
  active_.reset();
  if (std::exchange(sent_, 0) == 0) {
    starts_.note(death.failure.message);
    return;
  }
  wants_reserve_ = true;
  if (!try_again(death)) finish(death, seconds);
}

// A worker that has the next job may have answered that one too.
void RunSlot::take_replies(Clock::time_point now) {
  while (active_) {
    active_->advance(now);
    if (!active_->has_reply()) return;
    const double seconds = active_->busy_s(now);
    const std::optional<Worker::JobEnd> end = active_->take_job_end();
    std::string reply = *active_->take_reply();
    starts_.forget();
    --sent_;
    if (!end) {
      finish(std::move(reply), seconds);
    } else if (!try_again(*end)) {
      finish(*end, seconds);
    } else if (sent_ > 0) {
      replace_worker();  // the worker has begun the next job, which comes after this one
    }
  }
}

bool RunSlot::try_again(const Worker::JobEnd& end) {
  return end.is_from_outside && ++jobs_.front().attempts < kMostAttempts;
}

// After the last attempt.
Failure RunSlot::cause_of(const Worker::JobEnd& end) {
  if (!end.is_from_outside) return end.failure;
  return {Status::machine_failed, outside_kills_text(end.failure.message)};
}

void RunSlot::finish(Outcome outcome, double seconds) {
  busy_s_ += seconds;
  finished_.push_back({jobs_.front().id, std::move(outcome), seconds});
  jobs_.pop_front();
}

void RunSlot::finish(const Worker::JobEnd& end, double seconds) {
  finish(cause_of(end), seconds);
  if (!end.is_from_outside) finished_.back().finalist = end.finalist;
}

std::optional<RunSlot::Finished> RunSlot::take_finished() {
  if (finished_.empty()) return std::nullopt;
  Finished first = std::move(finished_.front());
  finished_.pop_front();
  return first;
}

}  // namespace gktune
