#include "tuner/device/worker/run_slot.h"

#include <algorithm>

namespace gktune {
namespace {

bool is_dead(const std::optional<Worker>& worker) { return worker && worker->state() == Worker::State::dead; }

}  // namespace

bool RunSlot::takes_ahead(const Environment& environment) const {
  return sent_ && !next_ && environment == command_.environment;
}

void RunSlot::start(Job job) {
  if (job_) {
    next_ = std::move(job);
    active_->send(next_->request, next_->limits);
    return;
  }
  if (job.environment != command_.environment) {
    active_.reset();
    spare_.reset();
    command_.environment = job.environment;
    failures_ = 0;
    broken_.clear();
  }
  job_ = std::move(job);
  sent_ = false;
  attempts_ = 0;
  send_when_ready();
}

std::optional<Worker> RunSlot::started() {
  auto worker = Worker::start(command_);
  if (worker) return std::move(*worker);
  worker_failed(worker.error().message);
  return std::nullopt;
}

void RunSlot::ensure_worker() {
  if (!active_) active_ = spare_ ? std::exchange(spare_, std::nullopt) : started();
}

// The reserve starts while the first one works, so that nothing waits for it.
void RunSlot::ensure_reserve() {
  if (has_lost_worker_ && sent_ && !spare_ && failures_ == 0) spare_ = started();
}

void RunSlot::get_ready() {
  if (!is_broken()) ensure_worker();
}

// The machine has changed since it was described.
void RunSlot::refuse_other_model() {
  const std::optional<DeviceInfo>& found = active_->device();
  if (!found || are_of_one_model(*found, expected_)) return;
  broken_ = "the device is " + found->name + ", no longer " + expected_.name + ": run gktune again";
  active_.reset();
  spare_.reset();
}

void RunSlot::send_when_ready() {
  while (job_ && !sent_) {
    if (is_broken()) {
      finish({job_->id, Failure{Status::machine_failed, broken_}});
      continue;
    }
    ensure_worker();
    if (!active_) continue;
    if (active_->state() != Worker::State::idle) return;
    refuse_other_model();
    if (!active_) continue;
    active_->send(job_->request, job_->limits);
    if (next_) active_->send(next_->request, next_->limits);
    sent_ = true;
    ensure_reserve();
  }
}

void RunSlot::replace_worker() {
  if (active_) {
    active_->kill();
    leaving_.push_back(*std::exchange(active_, std::nullopt));
    has_lost_worker_ = true;
  }
  sent_ = false;
  ensure_worker();
  send_when_ready();
}

void RunSlot::leave() const {
  if (active_) active_->leave();
  if (spare_) spare_->leave();
  for (const Worker& worker : leaving_) worker.leave();
}

void RunSlot::abandon() {
  if (sent_ && active_) busy_s_ += active_->busy_s(Clock::now());
  job_ = std::exchange(next_, std::nullopt);
  replace_worker();
}

bool RunSlot::is_timing() const {
  return sent_ && active_ && active_->state() == Worker::State::busy && active_->phase() == Phase::timing;
}

void RunSlot::add_to(std::vector<pollfd>& descriptors) const {
  if (active_) active_->add_to(descriptors);
  if (spare_) spare_->add_to(descriptors);
  for (const Worker& worker : leaving_) worker.add_to(descriptors);
}

Clock::time_point RunSlot::deadline() const {
  auto earliest = Clock::time_point::max();
  if (active_) earliest = std::min(earliest, active_->deadline());
  if (spare_) earliest = std::min(earliest, spare_->deadline());
  return earliest;
}

void RunSlot::advance(Clock::time_point now) {
  for (Worker& worker : leaving_) worker.advance(now);
  std::erase_if(leaving_, [](const Worker& worker) { return worker.state() == Worker::State::dead; });
  if (spare_) spare_->advance(now);
  if (is_dead(spare_)) {
    const std::string message = spare_->death().failure.message;
    spare_.reset();
    worker_failed(message);
  }
  if (active_) take_replies(now);
  if (is_dead(active_)) {
    const Worker::JobEnd death = active_->death();
    const double seconds = active_->busy_s(now);
    const bool had_job = std::exchange(sent_, false);
    active_.reset();
    has_lost_worker_ = has_lost_worker_ || had_job;
    if (!had_job) {
      worker_failed(death.failure.message);
    } else if (!try_again(death)) {
      finish({job_->id, death.failure, seconds, std::nullopt, outside_kill_of(death)});
    }
  }
  send_when_ready();
  ensure_reserve();
}

// A worker that has the next job may have answered that one too.
void RunSlot::take_replies(Clock::time_point now) {
  while (active_) {
    active_->advance(now);
    if (!active_->has_reply()) return;
    const double seconds = active_->busy_s(now);
    const std::optional<Worker::JobEnd> end = active_->take_job_end();
    std::string reply = *active_->take_reply();
    failures_ = 0;
    sent_ = next_.has_value();
    if (!end) {
      finish({job_->id, std::move(reply), seconds});
    } else if (!try_again(*end)) {
      finish({job_->id, std::move(reply), seconds, end->failure, outside_kill_of(*end)});
    } else if (next_) {
      replace_worker();  // the worker has begun the next job, which comes after this one
    }
  }
}

void RunSlot::worker_failed(const std::string& message) {
  if (++failures_ >= kMostFailedStarts) broken_ = "no worker can be started: " + message;
}

bool RunSlot::try_again(const Worker::JobEnd& end) {
  return end.is_from_outside && ++attempts_ < kMostAttempts;
}

// After the last attempt.
std::optional<std::string> RunSlot::outside_kill_of(const Worker::JobEnd& end) {
  if (!end.is_from_outside) return std::nullopt;
  return outside_kills_.str(end.failure.message);
}

void RunSlot::finish(Finished finished) {
  busy_s_ += finished.seconds;
  finished_.push_back(std::move(finished));
  job_ = std::exchange(next_, std::nullopt);
  attempts_ = 0;
}

std::optional<RunSlot::Finished> RunSlot::take_finished() {
  if (finished_.empty()) return std::nullopt;
  Finished first = std::move(finished_.front());
  finished_.pop_front();
  return first;
}

}  // namespace gktune
