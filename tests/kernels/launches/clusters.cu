// Blocks of a cluster that read each other's shared memory.
#include <cooperative_groups.h>

__global__ void sum_in_clusters(const int* in, int* out, int n) {
  namespace cg = cooperative_groups;
  const cg::cluster_group cluster = cg::this_cluster();
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  int own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += in[i];
  atomicAdd(&sum, own);
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    int all = 0;
    for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank) all += *cluster.map_shared_rank(&sum, rank);
    atomicAdd(out, all);
  }
  cluster.sync();
}
__global__ void plain_sum(const int* in, int* out, int n) {
  out[0] = 0;
  for (int i = 0; i < n; ++i) out[0] += in[i];
}
