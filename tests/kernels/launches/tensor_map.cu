// Tiles that a tensor map copies to shared memory.
// The driver's header is not for kernels.
struct alignas(64) TensorMap {
  unsigned long long opaque[16];
};

__global__ void mirror_tiles(const __grid_constant__ TensorMap in, float* out, int columns, int rows) {
  __shared__ alignas(128) float tile[tileRows][32];
  __shared__ alignas(8) unsigned long long arrived;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&arrived));
  const int x = blockIdx.x * 32, y = blockIdx.y * tileRows;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                 "r"(static_cast<unsigned>(sizeof tile))
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
        "[%4];" ::"r"(to),
        "l"(&in), "r"(x), "r"(y), "r"(barrier)
        : "memory");
  }
  __syncthreads();
  unsigned is_there = 0;
  while (is_there == 0) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
        : "=r"(is_there)
        : "r"(barrier)
        : "memory");
  }
  for (int i = threadIdx.x; i < tileRows * 32; i += blockDim.x) {
    const int row = y + i / 32, column = x + i % 32;
    if (row < rows && column < columns) out[row * columns + columns - 1 - column] = tile[i / 32][i % 32];
  }
}
__global__ void mirror(const float* in, float* out, int columns, int rows) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < columns * rows; i += gridDim.x * blockDim.x)
    out[i] = in[i / columns * columns + columns - 1 - i % columns];
}
