// Describes synchronisation errors between the threads of a block.

#include <fmt/format.h>

#include "tuner/device/host/execute/block_runner.h"
#include "tuner/device/host/execute/launch.h"
#include "tuner/device/host/sanitize/memory_watch.h"

namespace gktune {

void BlockRunner::fail(Status status, std::string message) {
  fault_ = Failure{status, std::move(message)};
  FiberContext never_resumed = nullptr;
  switch_context(home_, &never_resumed);
  __builtin_unreachable();
}

void BlockRunner::fail_at(Status status, std::string_view what, const kernel::ThreadIndex& thread,
                          kernel::Site site) {
  fail(status, fmt::format("{}, block {}, thread {}, {}", what, format_index(gktune_thread.block_index),
                           format_index(thread.index), format_site(site)));
}

void BlockRunner::fail_detected(kernel::DetectedFault fault, std::string_view what, kernel::CodePlace place) {
  constexpr std::pair<Status, std::string_view> kFaults[] = {
      {Status::illegal_access, "a null pointer to "},
      {Status::misaligned_access, "a misaligned address of "},
      {Status::illegal_access, "an index outside its array, "},
      {Status::undefined_behavior, ""}};
  const auto& [status, words] = kFaults[static_cast<std::size_t>(fault)];
  Failure failure =
      launch_->watch->detected(gktune_thread.self.rank, status, fmt::format("{}{}", words, what), place);
  fail(failure.status, std::move(failure.message));
}

void BlockRunner::fail_different_barriers(const Thread& late) {
  const Thread& early = *at_barrier_.first;
  const auto calls =
      launch_->watch == nullptr ? std::nullopt : launch_->watch->find_different_calls(early.call, late.call);
  if (calls && calls->is_outside) {
    fail_at(Status::barrier_divergence,
            fmt::format(
                "threads of one block come to a barrier by different calls: thread {} by {}, this one by {}",
                format_index(early.self.index), MemoryWatch::line_of_call(calls->one),
                MemoryWatch::line_of_call(calls->other)),
            late.self, late.site);
  }
  if (early.site.line == late.site.line) {
    fail_at(Status::barrier_divergence,
            fmt::format(
                "threads of one block wait at different barriers of one line: thread {} at one, this one at "
                "another",
                format_index(early.self.index)),
            late.self, late.site);
  }
  fail_at(Status::barrier_divergence,
          fmt::format("threads of one block wait at different barriers: thread {} at {}, this one elsewhere",
                      format_index(early.self.index), format_site(early.site)),
          late.self, late.site);
}

void BlockRunner::fail_own_mask(const Thread& thread, unsigned mask) {
  fail_at(Status::barrier_divergence,
          fmt::format("a warp operation whose mask 0x{:08x} leaves out its caller", mask), thread.self,
          thread.site);
}

void BlockRunner::fail_absent_source(const Thread& reader, unsigned source) {
  fail_at(Status::barrier_divergence,
          fmt::format("a shuffle reads from lane {}, which does not take part in it", source), reader.self,
          reader.site);
}

std::string BlockRunner::describe_wait(const Thread& thread) const {
  if (thread.state == State::at_barrier) return "a block's barrier";
  const unsigned rank = thread.self.rank;
  const Warp& warp = warps_[rank / 32];
  const unsigned mask = lanes_[rank].mask;
  const unsigned missing = mask & warp.live & ~warp.waiting;
  return fmt::format("a warp operation with mask 0x{:08x}{}", mask,
                     missing == 0
                         ? std::string(" that other lanes entered with another mask or as another operation")
                         : fmt::format(" that lane {} does not enter", __builtin_ctz(missing)));
}

void BlockRunner::fail_standstill() {
  const Thread* in_warp = nullptr;
  const Thread* at_barrier = at_barrier_.first;
  for (unsigned rank = 0; rank < gktune_thread.count && in_warp == nullptr; ++rank) {
    if (threads_[rank].state == State::in_warp) in_warp = &threads_[rank];
  }
  const Thread& first = in_warp != nullptr ? *in_warp : *at_barrier;
  std::string what = "waits for ever at " + describe_wait(first);
  if (in_warp != nullptr && at_barrier != nullptr) {
    what += fmt::format(", while thread {} waits at a block's barrier at {}",
                        format_index(at_barrier->self.index), format_site(at_barrier->site));
  }
  fail_at(Status::barrier_divergence, what, first.self, first.site);
}

}  // namespace gktune
