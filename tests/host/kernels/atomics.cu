// Atomic operations in global and in shared memory. Each thread adds its own; old values stay apart.

template <class T>
__device__ void arithmetic(const T* in, T* out) {
  const T mine = in[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(&out[0], mine);
  atomicMin(&out[1], mine);
  atomicMax(&out[2], mine);
  atomicAnd(&out[3], mine);
  atomicOr(&out[4], mine);
  atomicXor(&out[5], mine);
}

__global__ void atomics_int(const int* in, int* out) {
  arithmetic(in, out);
  atomicSub(&out[6], in[blockIdx.x * blockDim.x + threadIdx.x]);
}
__global__ void atomics_unsigned(const unsigned* in, unsigned* out) {
  arithmetic(in, out);
  atomicSub(&out[6], in[blockIdx.x * blockDim.x + threadIdx.x]);
  atomicInc(&out[7], 9);
  atomicDec(&out[8], 9);
}
__global__ void atomics_unsigned_long_long(const unsigned long long* in, unsigned long long* out) {
  arithmetic(in, out);
}
__global__ void atomics_long_long(const long long* in, long long* out) {
  const long long mine = in[blockIdx.x * blockDim.x + threadIdx.x] - 50000;
  atomicMin(&out[0], mine);
  atomicMax(&out[1], mine);
  atomicAnd(&out[2], mine);
  atomicOr(&out[3], mine);
  atomicXor(&out[4], mine);
}

// Integers in the other two scopes. Each block has a row of its own.
__global__ void atomics_in_scopes(const int* in, int* out, unsigned* all) {
  const int mine = in[blockIdx.x * blockDim.x + threadIdx.x];
  int* row = out + blockIdx.x * 6;
  atomicAdd_block(&row[0], mine);
  atomicMax_block(&row[1], mine);
  atomicXor_block(&row[2], mine);
  atomicSub_block(&row[3], mine);
  atomicExch_block(&row[4], 7);
  int seen = 0, before;
  do {
    before = seen;
    seen = atomicCAS_block(&row[5], before, before + 2);
  } while (before != seen);
  atomicAdd_system(&all[0], static_cast<unsigned>(mine));
  atomicMin_system(&all[1], static_cast<unsigned>(mine));
  atomicInc_system(&all[2], 1000000);
}

__global__ void atomics_float(const float* in, float* out) {
  const float mine = in[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(out, mine);
  atomicAdd_block(out + 1 + blockIdx.x, mine);
  atomicAdd_system(out + 9, mine);
}
__global__ void atomics_double(const double* in, double* out) {
  const double mine = in[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(out, mine);
  atomicAdd_block(out + 1 + blockIdx.x, mine);
  atomicAdd_system(out + 9, mine);
}

// Vectors, of which each component is added by itself; older GPUs have no such functions.
__global__ void atomics_of_vectors(const float* in, float* out) {
  const float mine = in[blockIdx.x * blockDim.x + threadIdx.x];
#if defined(GKTUNE_HOST_DEVICE) || __CUDA_ARCH__ >= 900
  atomicAdd(reinterpret_cast<float2*>(out), make_float2(mine, 2 * mine));
  atomicAdd(reinterpret_cast<float4*>(out + 4), make_float4(mine, 2 * mine, 3 * mine, 4 * mine));
#else
  for (int i = 0; i < 2; ++i) atomicAdd(out + i, (i + 1) * mine);
  for (int i = 0; i < 4; ++i) atomicAdd(out + 4 + i, (i + 1) * mine);
#endif
}

__global__ void exchanges(int* out, unsigned long long* wide, float* real) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  out[1 + me] = atomicExch(out, me + 1);
  wide[1 + me] = atomicExch(wide, static_cast<unsigned long long>(me) + 1);
  real[1 + me] = atomicExch(real, me + 1.0f);
}

// A maximum of floats by compare and swap.
__global__ void compare_and_swap(const float* in, int* out, unsigned long long* wide,
                                 unsigned short* narrow) {
  const float mine = in[blockIdx.x * blockDim.x + threadIdx.x];
  int old = *static_cast<volatile int*>(out), assumed;
  do {
    assumed = old;
    if (__int_as_float(assumed) >= mine) break;
    old = atomicCAS(out, assumed, __float_as_int(mine));
  } while (assumed != old);
  unsigned long long seen = *wide, before;
  do {
    before = seen;
    seen = atomicCAS(wide, before, before + 3);
  } while (before != seen);
  unsigned short count = *narrow, was;
  do {
    was = count;
    count = atomicCAS(narrow, was, static_cast<unsigned short>(was + 1));
  } while (was != count);
}

__global__ void shared_histogram(const int* in, int* out) {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[blockIdx.x * blockDim.x + threadIdx.x] & 15], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

// A lock: whoever holds it adds one in two steps.
__global__ void spin_lock(int* lock, volatile int* count) {
  bool is_done = false;
  while (!is_done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      const int old = *count;
      __threadfence();
      *count = old + 1;
      __threadfence();
      atomicExch(lock, 0);
      is_done = true;
    }
  }
}
