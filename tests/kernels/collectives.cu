// Sums, scans and arrangements by CUB's operations of blocks and warps.
#include <cub/cub.cuh>
#include <cuda/functional>
#include <cuda/std/functional>

constexpr int kThreads = 64;
constexpr int kTile = 256;
constexpr int kItems = kTile / kThreads;

// The sum of each tile, and its greatest number.
__global__ void block_sums(const float* in, float* out, int n) {
  using Load = cub::BlockLoad<float, kThreads, kItems, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Reduce = cub::BlockReduce<float, kThreads>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Reduce::TempStorage reduce;
  } storage;
  const int first = blockIdx.x * kTile, left = n - first;
  float items[kItems];
  Load(storage.load).Load(in + first, items, left, 0.0f);
  __syncthreads();
  const float sum = Reduce(storage.reduce).Sum(items);
  __syncthreads();
  const int threads = min(kThreads, (left + kItems - 1) / kItems);
  float own = items[0];
  for (int k = 1; k < kItems && threadIdx.x * kItems + k < left; ++k) own = max(own, items[k]);
  const float greatest = Reduce(storage.reduce).Reduce(own, cuda::maximum<>{}, threads);
  if (threadIdx.x == 0) out[2 * blockIdx.x] = sum, out[2 * blockIdx.x + 1] = greatest;
}
__global__ void block_sums_reference(const float* in, float* out, int n) {
  for (int first = 0; first < n; first += kTile) {
    float sum = 0, greatest = in[first];
    for (int i = first; i < min(n, first + kTile); ++i) {
      sum += in[i];
      greatest = max(greatest, in[i]);
    }
    out[first / kTile * 2] = sum, out[first / kTile * 2 + 1] = greatest;
  }
}

// Gives each tile of a block the sum of all tiles before it.
struct Before {
  int total;
  __device__ int operator()(int tile) {
    const int before = total;
    total += tile;
    return before;
  }
};

// One block scans a vector, tile by tile: sums over all tiles, and maxima in each, plus the maximum of its tile.
__global__ void block_scans(const int* in, int* sums, int* maxima, int n) {
  using Load = cub::BlockLoad<int, kThreads, kItems, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<int, kThreads, kItems, cub::BLOCK_STORE_STRIPED>;
  using Scan = cub::BlockScan<int, kThreads>;
  using Exchange = cub::BlockExchange<int, kThreads, kItems>;
  __shared__ typename Load::TempStorage load;
  __shared__ typename Store::TempStorage store;
  __shared__ typename Scan::TempStorage scan, other_scan;
  __shared__ typename Exchange::TempStorage exchange;
  Before before{0};
  for (int first = 0; first < n; first += kTile) {
    int items[kItems], results[kItems], total;
    Load(load).Load(in + first, items, n - first, -1000);
    Scan(scan).ExclusiveSum(items, results, before);
    Exchange(exchange).BlockedToStriped(results);
    Store(store).Store(sums + first, results, n - first);
    Scan(other_scan).ExclusiveScan(items, results, -50, cuda::maximum<>{}, total);
    for (int& result : results) result += total;
    cub::StoreDirectBlocked(threadIdx.x, maxima + first, results, n - first);
    __syncthreads();
  }
}
__global__ void block_scans_reference(const int* in, int* sums, int* maxima, int n) {
  int sum = 0;
  for (int first = 0; first < n; first += kTile) {
    int total = -1000, greatest = -50;
    for (int i = first; i < min(n, first + kTile); ++i) total = max(total, in[i]);
    for (int i = first; i < min(n, first + kTile); ++i) {
      sums[i] = sum;
      sum += in[i];
      maxima[i] = greatest + total;
      greatest = max(greatest, in[i]);
    }
  }
}

// Sums of the segments of each half of a warp, and the sums before each number.
__global__ void warp_collectives(const double2* in, const bool* heads, double2* sums, int* places) {
  using Reduce = cub::WarpReduce<double2, 16>;
  using Scan = cub::WarpScan<int>;
  __shared__ typename Reduce::TempStorage reduce[kThreads / 16];
  __shared__ typename Scan::TempStorage scan[kThreads / 32];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const auto add = [](double2 a, double2 b) { return make_double2(a.x + b.x, a.y + b.y); };
  const double2 sum = Reduce(reduce[threadIdx.x / 16]).HeadSegmentedReduce(in[i], heads[i], add);
  sums[i] = heads[i] || threadIdx.x % 16 == 0 ? sum : make_double2(0, 0);
  int before, inclusive, total;
  Scan(scan[threadIdx.x / 32]).ExclusiveSum(heads[i] ? 1 : 0, before, total);
  Scan(scan[threadIdx.x / 32]).InclusiveScan(static_cast<int>(heads[i]), inclusive, cuda::std::plus<>{});
  places[i] = before + 100 * total + 10000 * inclusive;
}
__global__ void warp_collectives_reference(const double2* in, const bool* heads, double2* sums, int* places,
                                           int n) {
  for (int first = 0; first < n; first += 16) {
    int head = first;
    for (int i = first; i < first + 16; ++i) {
      if (heads[i]) head = i;
      sums[i] = make_double2(0, 0);
      const double2 before = sums[head];
      sums[head] = make_double2(before.x + in[i].x, before.y + in[i].y);
    }
  }
  for (int first = 0; first < n; first += 32) {
    int before = 0, total = 0;
    for (int i = first; i < first + 32; ++i) total += heads[i];
    for (int i = first; i < first + 32; ++i) {
      places[i] = before + 100 * total + 10000 * (before + heads[i]);
      before += heads[i];
    }
  }
}
