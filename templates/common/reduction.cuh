// The operation of a reduction on two values, and its atomic form.
#pragma once

namespace gktune {

enum class Operation { sum, min, max };

// Integers add up in unsigned arithmetic, where wrapping around is defined.
template <Operation kOperation, class Element>
struct ReducedAs { using Type = Element; };
template <>
struct ReducedAs<Operation::sum, int> { using Type = unsigned int; };
template <>
struct ReducedAs<Operation::sum, long long> { using Type = unsigned long long; };

__device__ inline int highest(int) { return 0x7fffffff; }
__device__ inline long long highest(long long) { return 0x7fffffffffffffffll; }
__device__ inline float highest(float) { return __int_as_float(0x7f800000); }
__device__ inline double highest(double) { return __longlong_as_double(0x7ff0000000000000ll); }
__device__ inline int lowest(int) { return -0x7fffffff - 1; }
__device__ inline long long lowest(long long) { return -0x7fffffffffffffffll - 1; }
__device__ inline float lowest(float) { return -highest(0.0f); }
__device__ inline double lowest(double) { return -highest(0.0); }

__device__ inline unsigned int bits_of(float value) { return __float_as_uint(value); }
__device__ inline unsigned long long bits_of(double value) {
  return static_cast<unsigned long long>(__double_as_longlong(value));
}
__device__ inline float value_of(unsigned int bits) { return __uint_as_float(bits); }
__device__ inline double value_of(unsigned long long bits) {
  return __longlong_as_double(static_cast<long long>(bits));
}

template <Operation kOperation, class Value>
struct Reduction {
  // The neutral element: the result of an empty reduction.
  static __device__ Value identity() {
    if constexpr (kOperation == Operation::min) {
      return highest(Value(0));
    } else if constexpr (kOperation == Operation::max) {
      return lowest(Value(0));
    } else {
      return Value(0);
    }
  }

  static __device__ Value combined(Value a, Value b) {
    if constexpr (kOperation == Operation::min) {
      return b < a ? b : a;
    } else if constexpr (kOperation == Operation::max) {
      return a < b ? b : a;
    } else {
      return a + b;
    }
  }

  static __device__ void combine_at(Value* address, Value value) {
    if constexpr (kOperation == Operation::sum) {
      atomicAdd(address, value);
    } else if constexpr (static_cast<Value>(0.5f) == Value(0)) {  // an integer
      if constexpr (kOperation == Operation::min) {
        atomicMin(address, value);
      } else {
        atomicMax(address, value);
      }
    } else {  // there is none for floats
      auto* word = reinterpret_cast<decltype(bits_of(value))*>(address);
      auto seen = *const_cast<volatile decltype(bits_of(value))*>(word);
      while (combined(value_of(seen), value) != value_of(seen)) {
        const auto before = atomicCAS(word, seen, bits_of(value));
        if (before == seen) break;
        seen = before;
      }
    }
  }
};

// The value, a float or a struct of floats, of the thread whose lane differs in these bits.
template <class Value>
__device__ inline Value from_lane(const Value& value, int bits) {
  Value other;
#pragma unroll
  for (int i = 0; i < static_cast<int>(sizeof value / sizeof(float)); ++i)
    reinterpret_cast<float*>(&other)[i] =
        __shfl_xor_sync(0xffffffffu, reinterpret_cast<const float*>(&value)[i], bits);
  return other;
}

// The values of kLanes neighbouring threads of a warp combined; each of them gets the result. combined(a, b) has to be
// combined(b, a).
template <int kLanes, class Value, class Combined>
__device__ inline Value over_lanes(Value value, const Combined& combined) {
#pragma unroll
  for (int offset = kLanes / 2; offset > 0; offset /= 2) value = combined(value, from_lane(value, offset));
  return value;
}

template <Operation kOperation, int kLanes>
__device__ inline float over_lanes(float value) {
  return over_lanes<kLanes>(value, [](float a, float b) { return Reduction<kOperation, float>::combined(a, b); });
}

}  // namespace gktune
