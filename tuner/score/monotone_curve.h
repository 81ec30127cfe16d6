#pragma once

#include <span>
#include <vector>

namespace gktune {

// A smooth curve through points that never overshoots them: cubic pieces with the slopes of Fritsch and
// Butland (1984), as in scipy's PchipInterpolator. Requires two or more points with ascending x.
class MonotoneCurve {
 public:
  MonotoneCurve(std::vector<double> x, std::vector<double> y);
  double at(double x) const;

 private:
  std::vector<double> x_, y_, slopes_;
};

}  // namespace gktune
