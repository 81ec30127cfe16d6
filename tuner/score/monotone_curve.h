#pragma once

#include <span>
#include <vector>

namespace gktune {

// A smooth curve through points that overshoots none of them: cubic pieces with the slopes of Fritsch and
// Butland (1984), as scipy's PchipInterpolator has them. Asks for two points at least, x ascending.
class MonotoneCurve {
 public:
  MonotoneCurve(std::vector<double> x, std::vector<double> y);
  double at(double x) const;

 private:
  std::vector<double> x_, y_, slopes_;
};

}  // namespace gktune
