#pragma once

#include <optional>
#include <string>

#include "tuner/core/trial.h"

namespace gktune {

// A running strategy: it proposes configurations and learns from their trials. It is asked for several
// configurations before the first of them is told, and told in any order.
class Searcher {
 public:
  virtual ~Searcher() = default;
  // A valid configuration that was neither proposed nor told before. Nothing if none is left.
  virtual std::optional<Config> ask() = 0;
  // A trial, failures included. Earlier trials are reported too, so it need not come from ask().
  virtual void tell(const Trial& trial) = 0;
  // One line for people: how it searches, and why so.
  virtual std::string description() const { return {}; }
  // The reason why it stops proposing although configurations are left.
  virtual std::optional<std::string> failure() const { return std::nullopt; }
  // The share of the best objective that further trials are expected to save. Nothing if unknown.
  virtual std::optional<double> expected_gain() const { return std::nullopt; }
};

}  // namespace gktune
