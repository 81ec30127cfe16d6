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
  std::string file_name;                                   // as the commands to compile it name it
  std::vector<std::string> options;                        // of the compiler that is called there
  bool is_for_gpu = true;                                  // where host code ran
};

// One file with a main that executes a plan like the tuner: makes the inputs, runs the reference and
// the candidate, compares, and times the candidate a few times. It exits with 0 where the output is right,
// else with 1. CUDA sources need nvcc, C++ functions g++, and nothing else.
std::string repro_source(const Plan& plan, const ReproFacts& facts);

}  // namespace gktune
