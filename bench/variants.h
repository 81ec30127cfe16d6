#pragma once

#include <random>
#include <string>
#include <vector>

#include "tuner/core/device_info.h"
#include "tuner/space/definition.h"
#include "tuner/space/plan.h"

namespace gktune {

// Valid configurations of a space, drawn at random, and what each comes to on a problem.
struct Variants {
  Definition definition;
  Problem problem;
  std::vector<Config> configs;
  std::vector<Plan> plans;
};

// Exits with a message where the file is bad. The problem takes each axis' last value, unless `axes` says
// otherwise; a parameter that it names has that value in each configuration.
Variants draw_variants(const std::string& space_path, const DeviceInfo& device, const Problem& axes,
                       std::size_t count, unsigned seed);

// The space file, read for a GPU. Exits with its errors where it has some.
Definition read_space(const std::string& path);
// Each axis' last value, unless `given` says otherwise.
Problem problem_of(const Definition& definition, const Problem& given);

// name=value, an integer where it is one.
void set_axis(Problem& problem, const std::string& text);
std::int64_t number_of(const NamedValues& values, const char* name, std::int64_t otherwise);

}  // namespace gktune
