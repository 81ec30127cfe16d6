// Kernels that fill inputs, compare outputs and sweep caches between the candidates' kernels, with
// the definitions that the host uses. nvcc compiles them when gktune is built, or NVRTC when a run worker starts.
#include "tuner/measure/comparison.h"
#include "tuner/measure/generator.h"
#include "tuner/measure/structures.h"

using namespace gktune;
typedef unsigned long long u64;

// The numbers of ElementType.
enum Type {
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kHalf,
  kBfloat16,
  kFloat,
  kDouble,
  kFloat8E4m3,
  kFloat8E5m2
};
// The numbers of ContentsKind.
enum Kind { kZero, kConstant, kRamp, kUniform, kNormal };

__device__ int size_of(int type) {
  switch (type) {
    case kInt8:
    case kUint8:
    case kFloat8E4m3:
    case kFloat8E5m2:
      return 1;
    case kInt16:
    case kUint16:
    case kHalf:
    case kBfloat16:
      return 2;
    case kInt32:
    case kUint32:
    case kFloat:
      return 4;
    default:
      return 8;
  }
}
__device__ bool is_real(int type) { return type >= kHalf; }
__device__ bool is_signed(int type) { return type <= kInt64; }

__device__ u64 load_raw(const void* buffer, u64 i, int size) {
  switch (size) {
    case 1:
      return static_cast<const unsigned char*>(buffer)[i];
    case 2:
      return static_cast<const unsigned short*>(buffer)[i];
    case 4:
      return static_cast<const unsigned*>(buffer)[i];
    default:
      return static_cast<const u64*>(buffer)[i];
  }
}
__device__ void store_raw(void* buffer, u64 i, int size, u64 bits) {
  switch (size) {
    case 1:
      static_cast<unsigned char*>(buffer)[i] = static_cast<unsigned char>(bits);
      break;
    case 2:
      static_cast<unsigned short*>(buffer)[i] = static_cast<unsigned short>(bits);
      break;
    case 4:
      static_cast<unsigned*>(buffer)[i] = static_cast<unsigned>(bits);
      break;
    default:
      static_cast<u64*>(buffer)[i] = bits;
  }
}
__device__ __noinline__ double real_of(u64 bits, int type) {
  switch (type) {
    case kHalf:
      return decode_small_float(static_cast<unsigned>(bits), 5, 10);
    case kBfloat16:
      return decode_small_float(static_cast<unsigned>(bits), 8, 7);
    case kFloat8E4m3:
      return decode_float8_e4m3(static_cast<unsigned>(bits));
    case kFloat8E5m2:
      return decode_small_float(static_cast<unsigned>(bits), 5, 2);
    case kFloat:
      return static_cast<double>(__uint_as_float(static_cast<unsigned>(bits)));
    default:
      return __longlong_as_double(static_cast<long long>(bits));
  }
}
__device__ __noinline__ u64 bits_of(double value, int type) {
  switch (type) {
    case kHalf:
      return encode_small_float(value, 5, 10);
    case kBfloat16:
      return encode_small_float(value, 8, 7);
    case kFloat8E4m3:
      return encode_float8_e4m3(value);
    case kFloat8E5m2:
      return encode_small_float(value, 5, 2);
    case kFloat:
      return __float_as_uint(static_cast<float>(value));
    default:
      return static_cast<u64>(__double_as_longlong(value));
  }
}
__device__ bool is_nan(u64 bits, int type) {
  switch (type) {
    case kHalf:
      return (bits & 0x7fff) > 0x7c00;
    case kBfloat16:
      return (bits & 0x7fff) > 0x7f80;
    case kFloat8E4m3:
      return (bits & 0x7f) == 0x7f;
    case kFloat8E5m2:
      return (bits & 0x7f) > 0x7c;
    case kFloat:
      return (bits & 0x7fffffff) > 0x7f800000;
    case kDouble:
      return (bits & 0x7fffffffffffffff) > 0x7ff0000000000000;
    default:
      return false;
  }
}
__device__ u64 first_index() { return static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ u64 stride() { return static_cast<u64>(gridDim.x) * blockDim.x; }

extern "C" __global__ void gktune_fill(void* buffer, u64 count, int type, int kind, double a, double b,
                                       u64 a_integer, u64 b_integer, u64 seed) {
  const int size = size_of(type);
  const long long most = largest_integer(size, is_signed(type));
  const long long least = is_signed(type) ? -most - 1 : 0;
  for (u64 i = first_index(); i < count; i += stride()) {
    u64 bits = 0;
    if (is_real(type)) {
      double value = a;
      if (kind == kRamp) value = a + b * static_cast<double>(drawn_place(seed, i, count));
      if (kind == kUniform) value = uniform_real(seed, i, a, b);
      if (kind == kNormal) value = normal_real(seed, i, a, b);
      bits = bits_of(value, type);
    } else {
      bits = a_integer;
      if (kind == kRamp) bits = a_integer + b_integer * drawn_place(seed, i, count);
      if (kind == kUniform) bits = uniform_integer(seed, i, a_integer, b_integer);
      if (kind == kNormal) bits = static_cast<u64>(normal_integer(seed, i, a, b, least, most));
    }
    store_raw(buffer, i, size, bits);
  }
}

// The sums of the weights of each block.
extern "C" __global__ void gktune_weigh(double* sums, u64 blocks, Structure structure) {
  for (u64 block = first_index(); block < blocks; block += stride()) sums[block] = block_weight(structure, block);
}

// A block of elements per thread if they have weights, else one element.
extern "C" __global__ void gktune_make(void* buffer, u64 count, int type, Structure structure) {
  const int size = size_of(type);
  const auto real = [&](u64 i, double value) { store_raw(buffer, i, size, bits_of(value, type)); };
  const auto integer = [&](u64 i, u64 bits) { store_raw(buffer, i, size, bits); };
  const u64 piece = structure.sums_before != nullptr ? kStructureBlock : 1;
  for (u64 first = first_index() * piece; first < count; first += stride() * piece) {
    const u64 end = first + piece < count ? first + piece : count;
    make_structured(structure, is_real(type), first, end, real, integer);
  }
}

// Elements of a buffer that are drawn from another one. Its words: of an element of more than 8 bytes two.
extern "C" __global__ void gktune_draw(void* to, const void* from, u64 count, int word_size, int words, u64 seed) {
  for (u64 i = first_index(); i < count; i += stride()) {
    const u64 place = drawn_place(seed, i, count);
    for (int word = 0; word < words; ++word)
      store_raw(to, i * words + word, word_size, load_raw(from, place * words + word, word_size));
  }
}

// The result of a comparison.
struct Mismatches {
  u64 mismatches, nans, first, counted;
  double differences, squares;  // the sums of their squares, where the norm counts
};

struct Judge {
  int type, size;
  ErrorBounds bounds;
  u64 mismatches = 0, nans = 0, first = ~0ull, counted = 0;
  double differences = 0, squares = 0;

  __device__ u64 widened(u64 bits) const {
    const int spare = 64 - 8 * size;
    return is_signed(type) ? static_cast<u64>(static_cast<long long>(bits << spare) >> spare) : bits;
  }
  __device__ double value(u64 bits) const {
    if (is_real(type)) return real_of(bits, type);
    return is_signed(type) ? static_cast<double>(static_cast<long long>(widened(bits)))
                           : static_cast<double>(bits);
  }
  // Compares elements with different bits, or NaN. Not inlined, because it is long and rarely called. Returns
  // the absolute difference.
  __device__ __noinline__ double weigh(u64 i, u64 actual, u64 expected) {
    return note(i, is_real(type) ? compare_reals(real_of(actual, type), real_of(expected, type), actual, expected,
                                                 size, bounds)
                                 : compare_integers(widened(actual), widened(expected), is_signed(type), bounds));
  }
  __device__ double note(u64 i, const Difference& d) {
    if (d.passes) return d.absolute;
    ++mismatches;
    nans += d.is_nan ? 1 : 0;
    first = i < first ? i : first;
    return d.absolute;
  }
  __device__ void add_to_norm(u64 i, u64 actual, u64 expected) {
    const double difference = actual == expected && !is_nan(actual, type) ? 0 : weigh(i, actual, expected);
    add_to_norm(value(expected), difference);
  }
  __device__ void add_to_norm(double right, double difference) {
    if (!is_finite(right)) return;
    squares += right * right;
    differences += difference * difference;
  }
  __device__ void take(u64 i, u64 actual, u64 expected) {
    if (actual != expected || is_nan(actual, type)) weigh(i, actual, expected);
  }
  // Adds what this thread has found to what all have found.
  __device__ void report(Mismatches* found) const {
    if (counted != 0) {
      atomicAdd(&found->counted, counted);
      atomicAdd(&found->differences, differences);
      atomicAdd(&found->squares, squares);
    }
    if (mismatches != 0) {
      atomicAdd(&found->mismatches, mismatches);
      atomicAdd(&found->nans, nans);
      atomicMin(&found->first, first);
    }
  }
};

extern "C" __global__ void gktune_compare(const void* actual, const void* expected, u64 count, int type,
                                          ErrorBounds bounds, Selection selection, int sees_all, int has_norm,
                                          Mismatches* found) {
  Judge judge = {type, size_of(type), bounds};
  const u64 in_chunk = 16 / judge.size, chunks = sees_all ? 0 : count / in_chunk;
  const uint4* a = static_cast<const uint4*>(actual);
  const uint4* e = static_cast<const uint4*>(expected);
  for (u64 c = first_index(); c < chunks; c += stride()) {
    const uint4 x = __ldcs(a + c), y = __ldcs(e + c);
    if (!is_real(type) && x.x == y.x && x.y == y.y && x.z == y.z && x.w == y.w) continue;
    u64 xs = x.x | static_cast<u64>(x.y) << 32, ys = y.x | static_cast<u64>(y.y) << 32;
    const u64 mask = judge.size == 8 ? ~0ull : (1ull << (8 * judge.size)) - 1;
#pragma unroll 1
    for (u64 k = 0; k < in_chunk; ++k) {
      if (k == in_chunk / 2) {
        xs = x.z | static_cast<u64>(x.w) << 32;
        ys = y.z | static_cast<u64>(y.w) << 32;
      }
      const int shift = 8 * judge.size * static_cast<int>(k % (in_chunk / 2));
      judge.take(c * in_chunk + k, xs >> shift & mask, ys >> shift & mask);
    }
  }
  for (u64 i = chunks * in_chunk + first_index(); i < count; i += stride()) {
    if (!counts(selection, i)) continue;
    ++judge.counted;
    const u64 is = load_raw(actual, i, judge.size), should_be = load_raw(expected, i, judge.size);
    has_norm ? judge.add_to_norm(i, is, should_be) : judge.take(i, is, should_be);
  }
  judge.report(found);
}

// The same for complex numbers with parts of this type.
extern "C" __global__ void gktune_compare_complex(const void* actual, const void* expected, u64 count, int part_type,
                                                  ErrorBounds bounds, Selection selection, int has_norm,
                                                  Mismatches* found) {
  const int size = size_of(part_type);
  Judge judge = {part_type, size, bounds};
  const auto part = [&](const void* buffer, u64 i) { return real_of(load_raw(buffer, i, size), part_type); };
  for (u64 i = first_index(); i < count; i += stride()) {
    if (!counts(selection, i)) continue;
    ++judge.counted;
    const double real = part(expected, 2 * i), imaginary = part(expected, 2 * i + 1);
    const Difference d = compare_complex(part(actual, 2 * i), part(actual, 2 * i + 1), real, imaginary, bounds);
    const double difference = judge.note(i, d);
    if (has_norm && is_finite(real) && is_finite(imaginary))
      judge.add_to_norm(complex_magnitude(real, imaginary), difference);
  }
  judge.report(found);
}

// A sum over words and their positions, which does not depend on the order of threads.
extern "C" __global__ void gktune_digest(const void* buffer, u64 size_bytes, u64* digest) {
  u64 sum = 0;
  const u64 words = size_bytes / 8;
  const u64* p = static_cast<const u64*>(buffer);
  for (u64 i = first_index(); i < words; i += stride()) {
    sum += mixed_bits(__ldcs(p + i) + (i + 1) * 0x9e3779b97f4a7c15ull);
  }
  for (u64 i = words * 8 + first_index(); i < size_bytes; i += stride()) {
    sum += mixed_bits(load_raw(buffer, i, 1) + (i + 1) * 0xbf58476d1ce4e5b9ull);
  }
  for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_down_sync(~0u, sum, lane);
  if (threadIdx.x % 32 == 0 && sum != 0) atomicAdd(digest, sum);
}

// Copies with the bits of the mask flipped in each word. Its bytes are equal.
extern "C" __global__ void gktune_flip(void* to, const void* from, unsigned mask, u64 size_bytes) {
  unsigned char* t = static_cast<unsigned char*>(to);
  const unsigned char* f = static_cast<const unsigned char*>(from);
  const u64 chunks = size_bytes / 16;
  for (u64 i = first_index(); i < chunks; i += stride()) {
    const uint4 x = static_cast<const uint4*>(from)[i];
    static_cast<uint4*>(to)[i] = make_uint4(x.x ^ mask, x.y ^ mask, x.z ^ mask, x.w ^ mask);
  }
  for (u64 i = chunks * 16 + first_index(); i < size_bytes; i += stride())
    t[i] = static_cast<unsigned char>(f[i] ^ mask);
}

// Reads enough to replace the contents of the caches.
extern "C" __global__ void gktune_sweep(const uint4* from, u64 chunks, unsigned* never) {
  unsigned sum = 0;
  for (u64 i = first_index(); i < chunks; i += stride()) {
    const uint4 x = __ldcg(from + i);
    sum += x.x ^ x.y ^ x.z ^ x.w;
  }
  if (sum == 0x5eed1e55u) *never = sum;  // keeps the reads
}

// Overwrites the shared memory of all multiprocessors with a value that says nothing.
extern "C" __global__ void gktune_scrub(unsigned words, unsigned value) {
  extern __shared__ volatile unsigned shared[];
  for (unsigned i = threadIdx.x; i < words; i += blockDim.x) shared[i] = value;
}

// Blocks the stream until the host releases it, so that work queued behind it starts without waiting for the
// host. The limit ends the wait if the host is gone.
extern "C" __global__ void gktune_hold(const volatile int* released, int turn, u64 limit_ns) {
  u64 start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (*released < turn && now - start < limit_ns);
}
