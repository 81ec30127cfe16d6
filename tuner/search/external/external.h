#pragma once

#include <optional>
#include <string>

#include "tuner/search/external/program.h"
#include "tuner/search/search_task.h"
#include "tuner/search/searcher.h"
#include "tuner/search/strategy.h"
#include "tuner/search/untried.h"

namespace gktune {

// Searches with a program of the user, which proposes configurations and receives results as lines of JSON.
// docs/search.md describes the protocol. If the program fails, the search ends and `failure` says why.
class External : public Searcher {
 public:
  explicit External(const SearchTask& task);
  std::optional<Config> ask() override;
  void tell(const Trial& trial) override;
  std::string description() const override;
  std::optional<std::string> failure() const override { return failure_; }

 private:
  void start(const SearchTask& task);
  // Empty if the program proposes no more or has failed.
  std::optional<Space::Ranks> proposal();
  bool write(const std::string& line);

  Untried untried_;
  std::string command_;
  double timeout_s_;
  std::optional<LineProgram> program_;
  bool is_done_ = false;
  std::optional<std::string> failure_;
};

Strategy external_strategy();

}  // namespace gktune
