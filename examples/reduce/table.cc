// The winners as constants of the program: no library, no file.
#include <cstdio>

#include "sum.h"

int main() {
  constexpr auto& config = tuned_sum::best({4096});
  static_assert(config.BLOCK >= 64 && config.PER_THREAD >= 1);
  std::printf("for 4096 elements: BLOCK=%d PER_THREAD=%d\n", static_cast<int>(config.BLOCK),
              static_cast<int>(config.PER_THREAD));
}
