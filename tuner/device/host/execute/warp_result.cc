#include "tuner/device/host/execute/warp_result.h"

#include "tuner/device/host/execute/lanes.h"

namespace gktune {
namespace {

using kernel::WarpOp;

unsigned long long combine(WarpOp op, unsigned long long a, unsigned long long b) {
  switch (op) {
    case WarpOp::add:
      return a + b;
    case WarpOp::min_signed:
      return static_cast<long long>(a) < static_cast<long long>(b) ? a : b;
    case WarpOp::max_signed:
      return static_cast<long long>(a) > static_cast<long long>(b) ? a : b;
    case WarpOp::min_unsigned:
      return a < b ? a : b;
    case WarpOp::max_unsigned:
      return a > b ? a : b;
    case WarpOp::bit_and:
      return a & b;
    case WarpOp::bit_or:
      return a | b;
    case WarpOp::bit_xor:
      return a ^ b;
    default:
      return a;
  }
}

}  // namespace

std::optional<unsigned> find_absent_source(const LaneWait* waits, unsigned lanes) {
  const unsigned first = static_cast<unsigned>(__builtin_ctz(lanes));
  if (waits[first].op != WarpOp::shuffle) return std::nullopt;
  for (unsigned left = lanes; left != 0; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    if ((lanes >> waits[lane].argument & 1) == 0) return lane;
  }
  return std::nullopt;
}

void compute_warp_results(LaneWait* waits, unsigned lanes) {
  const unsigned first = static_cast<unsigned>(__builtin_ctz(lanes));
  const WarpOp op = waits[first].op;
  switch (op) {
    case WarpOp::sync:
      return;
    case WarpOp::converge:
      return for_each_lane(lanes, [&](unsigned lane) { waits[lane].result = lanes; });
    case WarpOp::shuffle:
      return for_each_lane(lanes,
                           [&](unsigned lane) { waits[lane].result = waits[waits[lane].argument].value; });
    case WarpOp::match_any:
      return for_each_lane(lanes, [&](unsigned lane) {
        waits[lane].result = 0;
        for_each_lane(lanes, [&](unsigned other) {
          if (waits[other].value == waits[lane].value) waits[lane].result |= 1u << other;
        });
      });
    default:
      break;
  }

  // The rest give every lane the same.
  unsigned long long result = op == WarpOp::ballot ? 0 : op == WarpOp::match_all ? lanes : waits[first].value;
  for_each_lane(lanes, [&](unsigned lane) {
    if (op == WarpOp::ballot) {
      result |= (waits[lane].value != 0 ? 1ull : 0ull) << lane;
    } else if (op == WarpOp::match_all) {
      if (waits[lane].value != waits[first].value) result = 0;
    } else if (lane != first) {
      result = combine(op, result, waits[lane].value);
    }
  });
  for_each_lane(lanes, [&](unsigned lane) { waits[lane].result = result; });
}

}  // namespace gktune
