// Transforms, solvers, and fields in three dimensions.
constexpr int kThreads = 32;

// A Fourier transform of 2 * kThreads complex numbers for each block, from one buffer to the other.
__global__ void fourier(const float2* in, float2* out) {
  constexpr int kSize = 2 * kThreads;
  __shared__ float2 buffers[2][kSize];
  const int thread = threadIdx.x;
  buffers[0][thread] = in[blockIdx.x * kSize + thread];
  buffers[0][thread + kThreads] = in[blockIdx.x * kSize + thread + kThreads];
  int now = 0;
  for (int stride = 1; stride < kSize; stride *= 2, now ^= 1) {
    __syncthreads();
    const int k = thread % stride;
    float sine, cosine;
    sincospif(-static_cast<float>(k) / stride, &sine, &cosine);
    const float2 a = buffers[now][thread], b = buffers[now][thread + kThreads];
    const float2 turned = make_float2(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);
    const int to = (thread - k) * 2 + k;
    buffers[now ^ 1][to] = make_float2(a.x + turned.x, a.y + turned.y);
    buffers[now ^ 1][to + stride] = make_float2(a.x - turned.x, a.y - turned.y);
  }
  __syncthreads();
  out[blockIdx.x * kSize + thread] = buffers[now][thread];
  out[blockIdx.x * kSize + thread + kThreads] = buffers[now][thread + kThreads];
}
__global__ void fourier_reference(const float2* in, float2* out, int size, int count) {
  for (int i = 0; i < count * size; ++i) {
    double x = 0, y = 0;
    for (int k = 0; k < size; ++k) {
      const float2 each = in[i / size * size + k];
      const double angle = -2 * 3.14159265358979323846 * (k * (i % size) % size) / size;
      x += each.x * cos(angle) - each.y * sin(angle);
      y += each.x * sin(angle) + each.y * cos(angle);
    }
    out[i] = make_float2(static_cast<float>(x), static_cast<float>(y));
  }
}

// Sums and differences of all pairs: near ones by shuffles, far ones in shared memory.
__global__ void walsh(const int* in, int* out) {
  __shared__ int values[4 * kThreads];
  const int thread = threadIdx.x, n = blockDim.x;
  int own = in[blockIdx.x * n + thread];
  for (int distance = 1; distance < 32; distance *= 2) {
    const int other = __shfl_xor_sync(0xffffffffu, own, distance);
    own = thread & distance ? other - own : own + other;
  }
  for (int distance = 32; distance < n; distance *= 2) {
    values[thread] = own;
    __syncthreads();
    const int other = values[thread ^ distance];
    own = thread & distance ? other - own : own + other;
    __syncthreads();
  }
  out[blockIdx.x * n + thread] = own;
}
__global__ void walsh_reference(const int* in, int* out, int size, int count) {
  for (int i = 0; i < size * count; ++i) {
    out[i] = 0;
    for (int k = 0; k < size; ++k)
      out[i] += __popc(k & i % size) % 2 == 0 ? in[i / size * size + k] : -in[i / size * size + k];
  }
}

// In place: red cells first, then black ones, so that no cell's neighbours change with it.
__global__ void red_or_black(float* field, int width, int height, int color) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= width - 1 || y >= height - 1 || (x + y) % 2 != color) return;
  float* at = field + y * width + x;
  *at = 0.25f * (at[-1] + at[1] + at[-width] + at[width]);
}
__global__ void red_and_black_reference(float* field, int width, int height, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < width * height; ++i) {
      const int x = i % width, y = i / width;
      const bool is_inside = x > 0 && y > 0 && x < width - 1 && y < height - 1;
      if (is_inside && (x + y) % 2 == round % 2)
        field[i] = 0.25f * (field[i - 1] + field[i + 1] + field[i - width] + field[i + width]);
    }
  }
}

// The lower factor of a symmetric matrix for each block; a column for each step.
__global__ void cholesky(const float* in, float* out, int size) {
  extern __shared__ float matrix[];
  const int first = blockIdx.x * size * size;
  for (int i = threadIdx.x; i < size * size; i += kThreads)
    matrix[i] =
        0.5f * (in[first + i] + in[first + i % size * size + i / size]) + (i / size == i % size ? size : 0);
  for (int column = 0; column < size; ++column) {
    __syncthreads();
    const float pivot = sqrtf(matrix[column * size + column]);
    __syncthreads();
    for (int row = column + threadIdx.x; row < size; row += kThreads)
      matrix[row * size + column] = row == column ? pivot : matrix[row * size + column] / pivot;
    __syncthreads();
    for (int i = threadIdx.x; i < size * size; i += kThreads) {
      const int row = i / size, other = i % size;
      if (other > column && row >= other)
        matrix[i] -= matrix[row * size + column] * matrix[other * size + column];
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < size * size; i += kThreads)
    out[first + i] = i / size >= i % size ? matrix[i] : 0;
}
__global__ void cholesky_reference(const float* in, float* out, int size, int count) {
  for (int i = 0; i < count * size * size; ++i) {
    const int first = i / (size * size) * size * size, row = i / size % size, column = i % size;
    out[i] = 0;
    if (row < column) continue;
    double sum = 0.5 * (in[i] + in[first + column * size + row]) + (row == column ? size : 0);
    for (int k = 0; k < column; ++k)
      sum -= static_cast<double>(out[first + row * size + k]) * out[first + column * size + k];
    out[i] = static_cast<float>(row == column ? sqrt(sum) : sum / out[first + column * size + column]);
  }
}

// Walks to the left and right with a generator for each thread; the block counts where they end.
struct Generator {
  unsigned state;
  __device__ unsigned next() {
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
  }
};
__device__ int end_of_walk(unsigned seed, int steps) {
  Generator random{seed * 747796405u + 1u};
  int place = 0;
  for (int step = 0; step < steps; ++step) place += random.next() >> 31 != 0 ? 1 : -1;
  return place;
}
__global__ void walks(int* ends, int count, int steps) {
  __shared__ int counts[64];
  for (int i = threadIdx.x; i < 64; i += kThreads) counts[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < count; i += gridDim.x * kThreads)
    atomicAdd(&counts[end_of_walk(static_cast<unsigned>(i), steps) + 32], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 64; i += kThreads) {
    if (counts[i] > 0) atomicAdd(&ends[i], counts[i]);
  }
}
__global__ void walks_reference(int* ends, int count, int steps) {
  for (int i = 0; i < 64; ++i) ends[i] = 0;
  for (int i = 0; i < count; ++i) ++ends[end_of_walk(static_cast<unsigned>(i), steps) + 32];
}

// A swinging body whose data come in one struct; the method is a template argument.
struct Spring {
  float stiffness, damping, step;
  int steps;
};
struct Midpoint {
  template <typename Slope>
  __device__ static float2 advance(float2 state, float step, Slope slope) {
    const float2 first = slope(state);
    const float2 half = slope(make_float2(state.x + 0.5f * step * first.x, state.y + 0.5f * step * first.y));
    return make_float2(state.x + step * half.x, state.y + step * half.y);
  }
};
template <typename Method>
__global__ void springs(Spring spring, const float* start, float* end, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  float2 state = make_float2(start[i], 0);
  const auto slope = [spring](float2 at) {
    return make_float2(at.y, -spring.stiffness * at.x - spring.damping * at.y);
  };
  for (int step = 0; step < spring.steps; ++step) state = Method::advance(state, spring.step, slope);
  end[i] = state.x;
}
__global__ void springs_reference(const float* start, float* end, int n) {
  for (int i = 0; i < n; ++i) {
    double x = start[i], v = 0;
    for (int step = 0; step < 50; ++step) {
      const double middle = x + 0.01 * v, speed = v + 0.01 * (-4 * x - 0.5 * v);
      x += 0.02 * speed;
      v += 0.02 * (-4 * middle - 0.5 * speed);
    }
    end[i] = static_cast<float>(x);
  }
}
