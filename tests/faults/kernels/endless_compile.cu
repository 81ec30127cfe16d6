// Asks a compiler for more than it can ever do.
template <int Depth, unsigned long long Path>
struct Tree {
  static constexpr unsigned long long size =
      Tree<Depth - 1, 2 * Path>::size + Tree<Depth - 1, 2 * Path + 1>::size;
};
template <unsigned long long Path>
struct Tree<0, Path> {
  static constexpr unsigned long long size = 1;
};

__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i] + static_cast<float>(Tree<60, 1>::size);
}
