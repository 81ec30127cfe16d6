#pragma once

namespace gktune {

// The lanes of a warp's set, one bit each, from the lowest.
template <class Do>
void for_each_lane(unsigned lanes, Do&& act) {
  for (unsigned left = lanes; left != 0; left &= left - 1) act(static_cast<unsigned>(__builtin_ctz(left)));
}

}  // namespace gktune
