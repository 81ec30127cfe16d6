#pragma once

#include <optional>
#include <string>

#include "tuner/core/trial.h"

namespace gktune {

// A running strategy: it proposes configurations and learns from their trials. Callers may ask for several
// configurations before they tell the first trial, and may tell trials in any order.
class Searcher {
 public:
  virtual ~Searcher() = default;
  // Proposes a valid configuration that was neither proposed nor told before. Empty if none is left.
  virtual std::optional<Config> ask() = 0;
  // Takes a trial, successful or failed. It may be of an earlier run and of a
  // configuration that ask() did not propose.
  virtual void tell(const Trial& trial) = 0;
  // Another tuner tries a configuration: ask() does not propose it, and tell() takes its trial later.
  virtual void expect(const Config& /*config*/) {}
  // One line to display: how it searches, and why.
  virtual std::string description() const { return {}; }
  // The reason why it stopped proposing while configurations are left.
  virtual std::optional<std::string> failure() const { return std::nullopt; }
  // The expected improvement by further trials, as a share of the best objective. Empty if unknown.
  virtual std::optional<double> expected_gain() const { return std::nullopt; }
};

}  // namespace gktune
