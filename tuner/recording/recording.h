#pragma once

#include <string>
#include <vector>

#include "tuner/core/device_info.h"
#include "tuner/core/result.h"
#include "tuner/core/trial.h"
#include "tuner/space/solver/parameter.h"
#include "tuner/space/solver/space.h"

namespace gktune {

// A tuning that was carried out before: the trials of one kernel on one device and problem.
struct Recording {
  std::string name;  // for tables: the name of the file without its endings
  std::string kernel;
  DeviceInfo device;
  Problem problem;
  std::string objective = "time";  // as the studies of a database have it
  std::vector<Parameter> parameters;  // with the values that occur, in the order of the file
  std::vector<Trial> trials;          // each configuration once
  std::vector<std::string> keys;      // the file's own name of each trial
};

// The cost of a trial: compilation, check and timing.
inline double cost_s(const Trial& trial) { return trial.compile_s + trial.run_s; }

// Completes a recording whose trials are read: of a configuration with several trials the last one counts,
// every trial has the recording's problem, and parameters have the values that occur. `parameters` arrives
// with the values in the order that the file has for them; values that it does not list follow. An error
// where there are no trials, or trials with different parameters.
Result<Recording> complete(Recording recording);

// The recorded configurations: a search needs no space file.
Space space_of(const Recording& recording);

}  // namespace gktune
