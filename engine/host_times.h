#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/core/trial.h"

namespace gktune {

// How the hosts of a study differ, by their trials of its reference configuration.
class HostTimes {
 public:
  // A host by its time of the reference configuration, relative to that of the first host: 0.04 is 4 %
  // slower.
  struct Difference {
    std::string host_name;
    double slower = 0;
  };

  HostTimes() = default;
  // The trials of the reference configuration in the order in which they ended; of each host the latest
  // counts. Trials without the name of a host are left out: they were imported.
  explicit HostTimes(std::vector<Trial> trials);

  const std::optional<Config>& reference() const { return reference_; }
  bool has_timed(const std::string& host_name) const { return latest_.contains(host_name); }
  // The host has to time the reference configuration, because another one did.
  bool awaits(const std::string& host_name) const {
    return reference_ && !latest_.empty() && !host_name.empty() && !has_timed(host_name);
  }
  const std::string& first_host() const { return first_host_; }
  // Lists each host but the first one. The list is empty if no two hosts can be compared.
  std::vector<Difference> differences() const;
  // The trial as another host would have measured it; unchanged where one of the two has no time of the
  // reference.
  Trial as_on(const std::string& host_name, const Trial& trial) const;

 private:
  const Trial* time_of(const std::string& host_name) const;

  std::optional<Config> reference_;
  std::string first_host_;
  std::map<std::string, Trial> latest_;  // by host
};

}  // namespace gktune
