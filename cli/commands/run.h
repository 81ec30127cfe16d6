#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/database.h"
#include "cli/devices.h"
#include "cli/flags.h"
#include "engine/spaces.h"

namespace gktune {

struct RunOptions {
  std::vector<std::string> paths;
  std::string database;
  DeviceFlags device;
  std::vector<std::string> problems;
  std::vector<std::string> only;
  std::optional<std::string> strategy;
  NamedValues settings;
  std::optional<Effort> effort;
  std::optional<std::int64_t> trials;
  std::optional<double> seconds;
  std::optional<double> gain;
  std::optional<Regime> regime;
  std::string report;
  double pace_s = 0;
  bool fresh = false;
  bool queue = false;
  std::int64_t priority = 0;
  std::string on;  // the device for the queue
  bool cold = false;
  TableFormat format;
  bool events = false;
  bool quiet = false;
  bool verbose = false;
  bool prints_text() const { return format.is_text() && !events; }
};

// The flags of a tuning that `gktune run` and `gktune serve` have in common.
void declare_tuning(Flags& flags, RunOptions& options);
// Reads the space files and applies the selections of the options. Ends the command with an error.
std::vector<OpenedSpaces> selected_spaces(const RunOptions& options, Context& context);
// The database to write to. `caught` tells of Ctrl-C.
std::unique_ptr<Database> open_store(const RunOptions& options, const std::function<bool()>& caught,
                                     Context& context);
ExitCode tune_all(const RunOptions& options, const std::vector<OpenedSpaces>& groups, Database& store,
                  const std::function<bool()>& caught, Context& context);

}  // namespace gktune
