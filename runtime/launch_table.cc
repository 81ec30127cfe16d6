#include "runtime/launch_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gktune {

LaunchTable::LaunchTable(std::size_t axes, std::size_t most)
    : axes_(axes), most_(std::max<std::size_t>(1, most)), owned_launches_(std::make_unique<Launches>(axes)) {
  launches_ = owned_launches_.get();
}

std::vector<SharedLaunch> LaunchTable::set(std::span<const AxisValue> problem, const SharedLaunch& launch) {
  launch->last_use = ++now_;
  const PreparedLaunch* replaced = owned_launches_->find(problem);
  if (replaced == nullptr && !launch->owns_code && removable_.size() >= most_) make_room();
  (launch->owns_code ? staying_ : removable_).insert(launch);
  owned_launches_->set(problem, launch.get());
  if (replaced != nullptr && replaced != launch.get() && !replaced->owns_code) {
    Removed& removed = removed_.emplace_back();
    removed.launches.push_back(replaced->shared_from_this());
    removable_.erase(removed.launches.front());
  }
  return without_readers();
}

// Removes a quarter at once, because each removal makes another table.
void LaunchTable::make_room() {
  std::vector<std::pair<std::uint32_t, SharedLaunch>> by_use;  // which other threads change meanwhile
  for (const SharedLaunch& launch : removable_) by_use.emplace_back(launch->last_use, launch);
  std::ranges::sort(by_use);
  by_use.resize(std::max<std::size_t>(1, most_ / 4));
  std::vector<SharedLaunch> least_used;
  for (auto& [use, launch] : by_use) {
    removable_.erase(launch);
    least_used.push_back(std::move(launch));
  }
  auto remaining = std::make_unique<Launches>(axes_);
  owned_launches_->for_each([&](const std::vector<Value>& problem, const PreparedLaunch& launch) {
    const SharedLaunch shared = launch.shared_from_this();
    if (removable_.contains(shared) || launch.owns_code)
      remaining->set(std::vector<AxisValue>(problem.begin(), problem.end()), &launch);
  });
  launches_ = remaining.get();
  removed_.push_back({std::move(least_used), std::exchange(owned_launches_, std::move(remaining))});
}

// A thread that begins to read finds nothing that was removed before.
std::vector<SharedLaunch> LaunchTable::without_readers() {
  std::vector<SharedLaunch> found;
  for (Removed& removed : removed_) {
    for (std::size_t i = 0; i < kCounters; ++i)
      if (counters_[i].readers == 0) removed.had_no_reader.set(i);
    if (removed.had_no_reader.all()) std::ranges::move(removed.launches, std::back_inserter(found));
  }
  std::erase_if(removed_, [](const Removed& removed) { return removed.had_no_reader.all(); });
  return found;
}

std::vector<SharedLaunch> LaunchTable::take_all() {
  std::vector<SharedLaunch> all;
  for (std::set<SharedLaunch>* launches : {&removable_, &staying_})
    std::ranges::copy(std::exchange(*launches, {}), std::back_inserter(all));
  for (Removed& removed : removed_) std::ranges::move(removed.launches, std::back_inserter(all));
  return all;
}

}  // namespace gktune
