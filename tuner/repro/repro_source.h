#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/space/plan.h"

namespace gktune {

// Facts for the opening comment of a repro.
struct ReproFacts {
  std::string title;                                       // "Trial 17 of gktune.db"
  std::vector<std::pair<std::string, std::string>> facts;  // "problem", "n=1024"
  std::string file_name;                                   // the file's name in the commands that compile it
  std::vector<std::string> options;                        // compiler options in these commands
  bool is_for_gpu = true;                                  // false if the trial ran on a CPU
};

// Writes one file with a main that executes a plan as the tuner does: it makes the inputs, runs the reference
// and the candidate, compares the outputs and times the candidate a few times. It exits with 0 if the output
// is right, else with 1. It needs only nvcc (for CUDA sources) or g++ (for C++ functions).
std::string repro_source(const Plan& plan, const ReproFacts& facts);

}  // namespace gktune
