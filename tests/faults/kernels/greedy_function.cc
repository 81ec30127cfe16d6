// A plain function that asks for more memory than there is.
#include <cstddef>
#include <vector>

void faulty(const float* in, float* out, int n) {
  std::vector<std::vector<char>> hoard;
  for (int i = 0; i < 1 << 20; ++i) hoard.emplace_back(std::size_t{1} << 36);
  for (int i = 0; i < n; ++i) out[i] = 2 * in[i] + static_cast<float>(hoard.size());
}
