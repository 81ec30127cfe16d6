// The accelerations of bodies that attract each other, in single precision, in one system of bodies or in many small
// ones:
//   a[i] = sum over j of mass[j] (r[j] - r[i]) / (|r[j] - r[i]|^2 + softening^2)^(3/2)
// Softening, which is not 0, keeps the force between close bodies finite and that of a body on itself 0.
//
// An interaction, the effect of one body on another, counts as 20 operations, as usual: 3 differences, 6 operations
// for the squared distance, a root, a division, 2 to cube, one for the mass, and 6 to add it up. A GPU needs 13
// instructions for it.
//
// The ways, values of `way`:
//   tiles  a thread adds up the accelerations of its bodies, which stay in registers. The block brings a tile of the
//          others
//          to shared memory at a time, and each of its threads reads all of them
//   pairs  computes the force between two bodies once for both, with 17 instructions in place of 26. A warp's bodies
//          stay in
//          registers; 32 others are handed on from lane to lane together with their accelerations, until each lane has
//          met all of them. The warps meet in a circle: a group of bodies meets the half of the groups that follow it
//
// Parameters:
//   threadsPerBlock  threads in a block
//   bodiesPerThread  bodies that a thread keeps in registers
//   splits           blocks (pairs: warps) that share what one would do, and add their sums atomically
//   unrollBy         tiles: bodies of the tile, pairs: lanes, for which the loop has instructions of its own

enum class Way { tiles, pairs };

constexpr int kUnroll = unrollBy;
constexpr unsigned kAll = 0xffffffffu;

// A system's bodies or accelerations: three vectors and the masses.
struct Bodies {
  const float *x, *y, *z, *mass;
};
struct Accelerations {
  float *x, *y, *z;
};

struct Vector {
  float x, y, z;
};
struct Body {
  Vector place;
  float mass;
};

// Bodies that do not exist have no mass.
__device__ inline Body body_at(const Bodies& all, int i, int count) {
  if (i >= count) return {{0, 0, 0}, 0};
  return {{all.x[i], all.y[i], all.z[i]}, all.mass[i]};
}

__device__ inline void add_at(const Accelerations& to, int i, int count, const Vector& value) {
  if (i >= count) return;
  atomicAdd(to.x + i, value.x);
  atomicAdd(to.y + i, value.y);
  atomicAdd(to.z + i, value.z);
}

__device__ inline Vector operator-(const Vector& a, const Vector& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }

__device__ inline void add(Vector& to, float factor, const Vector& value) {
  to.x = fmaf(factor, value.x, to.x);
  to.y = fmaf(factor, value.y, to.y);
  to.z = fmaf(factor, value.z, to.z);
}

// The cube of the reciprocal of the softened distance.
__device__ inline float weight_of(const Vector& d, float softening2) {
  const float reciprocal = rsqrtf(fmaf(d.x, d.x, fmaf(d.y, d.y, fmaf(d.z, d.z, softening2))));
  return reciprocal * reciprocal * reciprocal;
}

__device__ inline void attract_in_tiles(const Bodies& all, const Accelerations& to, int count, float softening2) {
  __shared__ float4 tile[threadsPerBlock];
  const int thread = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(blockIdx.x) * threadsPerBlock * bodiesPerThread + thread;
  Vector places[bodiesPerThread], sums[bodiesPerThread];
#pragma unroll
  for (int k = 0; k < bodiesPerThread; ++k) {
    places[k] = body_at(all, first + k * threadsPerBlock, count).place;
    sums[k] = {0, 0, 0};
  }
  for (int begin = static_cast<int>(blockIdx.y) * threadsPerBlock; begin < count; begin += splits * threadsPerBlock) {
    const Body mine = body_at(all, begin + thread, count);
    __syncthreads();  // of the tile before
    tile[thread] = make_float4(mine.place.x, mine.place.y, mine.place.z, mine.mass);
    __syncthreads();
#pragma unroll kUnroll
    for (int j = 0; j < threadsPerBlock; ++j) {
      const float4 other = tile[j];
#pragma unroll
      for (int k = 0; k < bodiesPerThread; ++k) {
        const Vector d = Vector{other.x, other.y, other.z} - places[k];
        add(sums[k], other.w * weight_of(d, softening2), d);
      }
    }
  }
#pragma unroll
  for (int k = 0; k < bodiesPerThread; ++k) {
    const int i = first + k * threadsPerBlock;
    if constexpr (splits > 1) {
      add_at(to, i, count, sums[k]);
    } else if (i < count) {
      to.x[i] = sums[k].x;
      to.y[i] = sums[k].y;
      to.z[i] = sums[k].z;
    }
  }
}

// The value of the next lane.
__device__ inline float handed_on(float value) { return __shfl_sync(kAll, value, threadIdx.x + 1); }
__device__ inline Vector handed_on(const Vector& value) {
  return {handed_on(value.x), handed_on(value.y), handed_on(value.z)};
}

// The bodies of a warp, bodiesPerThread for each lane.
struct Group {
  Body bodies[bodiesPerThread];
  Vector sums[bodiesPerThread];

  // Meets the 32 bodies of which each lane has one. Returns the acceleration of the lane's body by the group.
  __device__ Vector meet(Body other, float softening2) {
    Vector sum{0, 0, 0};
#pragma unroll kUnroll
    for (int step = 0; step < 32; ++step) {
#pragma unroll
      for (int k = 0; k < bodiesPerThread; ++k) {
        const Vector d = other.place - bodies[k].place;
        const float weight = weight_of(d, softening2);
        add(sums[k], other.mass * weight, d);
        add(sum, -(bodies[k].mass * weight), d);
      }
      other = {handed_on(other.place), handed_on(other.mass)};
      sum = handed_on(sum);
    }
    return sum;
  }
};

__device__ inline void attract_in_pairs(const Bodies& all, const Accelerations& to, int count, float softening2) {
  constexpr int kGroup = 32 * bodiesPerThread;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int groups = (count + kGroup - 1) / kGroup;
  const int warp = static_cast<int>(blockIdx.x) * (threadsPerBlock / 32) + static_cast<int>(threadIdx.x / 32);
  const int own = warp / splits;
  if (own >= groups) return;
  Group group;
#pragma unroll
  for (int k = 0; k < bodiesPerThread; ++k) {
    group.bodies[k] = body_at(all, own * kGroup + k * 32 + lane, count);
    group.sums[k] = {0, 0, 0};
  }
  for (int distance = warp % splits; 2 * distance <= groups; distance += splits) {
    // Two opposite groups of the circle would meet twice.
    if (2 * distance == groups && own >= distance) break;
    const int other = (own + distance) % groups;
    for (int k = 0; k < bodiesPerThread; ++k) {
      const int i = other * kGroup + k * 32 + lane;
      const Vector sum = group.meet(body_at(all, i, count), softening2);
      // Within a group each body meets each other one, and itself.
      if (distance > 0) add_at(to, i, count, sum);
    }
  }
#pragma unroll
  for (int k = 0; k < bodiesPerThread; ++k) add_at(to, own * kGroup + k * 32 + lane, count, group.sums[k]);
}

__global__ void __launch_bounds__(threadsPerBlock)
    attract(const float* x, const float* y, const float* z, const float* mass, float* ax, float* ay, float* az,
            int count, float softening) {
  const long long first = blockIdx.z * static_cast<long long>(count);
  const Bodies all{x + first, y + first, z + first, mass + first};
  const Accelerations to{ax + first, ay + first, az + first};
  if constexpr (Way::way == Way::tiles) {
    attract_in_tiles(all, to, count, softening * softening);
  } else {
    attract_in_pairs(all, to, count, softening * softening);
  }
}
