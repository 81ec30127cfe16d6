// Doubles a vector, in one of several wrong ways, or in the right one.
#include <vector>

enum class Fault { none, argument, stack, shift };
constexpr Fault kFault = Fault::fault;

void unsound(const float* in, float* out, int n) {
  std::vector<float> copy(in, in + n);
  int counts[8] = {};
  if (kFault == Fault::argument) out[n] = 1;
  if (kFault == Fault::stack) counts[n % 8 + 8] = 1;
  if (kFault == Fault::shift) counts[0] = 1 << (n + 30);
  for (int i = 0; i < n; ++i) out[i] = 2 * copy[i] + 0 * counts[n % 8];
}
