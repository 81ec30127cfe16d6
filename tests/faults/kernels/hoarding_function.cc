// A plain function that asks for more than half of the machine's memory, and uses none of it.
#include <unistd.h>

#include <cstddef>
#include <memory>
#include <vector>

void faulty(const float* in, float* out, int n) {
  const std::size_t all =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<std::unique_ptr<char[]>> hoard;
  for (int i = 0; i < 20; ++i) hoard.emplace_back(new char[all / 32]);
  for (int i = 0; i < n; ++i) out[i] = 2 * in[i];
  if (n < 0) hoard[0][0] = hoard[1][0];
}
