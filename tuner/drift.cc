#include "tuner/drift.h"

#include <algorithm>

namespace gktune {

double Drift::least() const { return *std::ranges::min_element(times_us) / times_us.front() - 1; }

double Drift::greatest() const { return *std::ranges::max_element(times_us) / times_us.front() - 1; }

}  // namespace gktune
