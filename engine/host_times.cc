#include "engine/host_times.h"

#include <utility>

namespace gktune {

HostTimes::HostTimes(std::vector<Trial> trials) {
  for (Trial& trial : trials) {
    if (!reference_) reference_ = trial.config;
    const std::string host_name = trial.host_name;
    if (host_name.empty()) continue;
    if (first_host_.empty() && trial.ok()) first_host_ = host_name;
    latest_.insert_or_assign(host_name, std::move(trial));
  }
}

const Trial* HostTimes::time_of(const std::string& host_name) const {
  const auto found = latest_.find(host_name);
  const bool is_timed = found != latest_.end() && found->second.ok() && found->second.timing.median_us > 0;
  return is_timed ? &found->second : nullptr;
}

std::vector<HostTimes::Difference> HostTimes::differences() const {
  const Trial* first = time_of(first_host_);
  std::vector<Difference> all;
  for (const auto& [host_name, trial] : latest_) {
    const Trial* own = time_of(host_name);
    if (first == nullptr || own == nullptr || host_name == first_host_) continue;
    all.push_back({host_name, own->timing.median_us / first->timing.median_us - 1});
  }
  return all;
}

Trial HostTimes::as_on(const std::string& host_name, const Trial& trial) const {
  const Trial *here = time_of(host_name), *there = time_of(trial.host_name);
  if (!trial.ok() || here == nullptr || there == nullptr || here == there) return trial;
  const double factor = here->timing.median_us / there->timing.median_us;
  Trial converted = trial;
  converted.timing = scaled(trial.timing, factor);
  for (double& sample : converted.samples_us) sample *= factor;
  // The objective may be another metric, whose sign is the same for all trials of a study.
  if (here->objective != 0 && there->objective != 0)
    converted.objective *= here->objective / there->objective;
  return converted;
}

}  // namespace gktune
