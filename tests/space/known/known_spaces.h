#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/space/solver/parameter.h"

namespace gktune {

// Spaces of the literature and their known properties.
struct KnownSpace {
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<std::string> conditions;
  std::uint64_t valid = 0;
  std::string cartesian;
  // FNV-1a over "v,v,…\n" of all configurations, values ascending, parameters in
  // this order. 0: too many to list.
  std::uint64_t listing_hash = 0;

  std::vector<Constraint> constraints() const;
  // The same with the values of each parameter in ascending order.
  KnownSpace ascending() const;
};

KnownSpace dedispersion();  // Kernel Tuner, BAT
KnownSpace gemm();          // CLBlast
KnownSpace hotspot();       // BAT
KnownSpace expdist();       // Kernel Tuner
KnownSpace prl8();          // ATF: probabilistic record linkage, input size 8
KnownSpace convolution();   // ATF: 4092 by 4092
std::vector<KnownSpace> known_spaces();

}  // namespace gktune
