#pragma once

// Creates arguments, keeps expected contents and compares outputs. Uses the functions of gpu.h or cpu.h.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "tuner/measure/comparison.h"
#include "tuner/measure/generator.h"

namespace gktune {

struct Half {
  unsigned short bits;
};
struct Bfloat16 {
  unsigned short bits;
};
struct Float8E4m3 {
  unsigned char bits;
};
struct Float8E5m2 {
  unsigned char bits;
};

template <class Part>
struct Complex {
  Part real, imaginary;
};

template <class T>
constexpr bool kIsComplex = std::is_same_v<T, Complex<float>> || std::is_same_v<T, Complex<double>>;
template <class T>
constexpr bool kIsReal =
    std::is_floating_point_v<T> || std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16> ||
    std::is_same_v<T, Float8E4m3> || std::is_same_v<T, Float8E5m2>;

template <class T, class X>
T element_of(X x) {
  if constexpr (std::is_same_v<T, Half>) {
    return {static_cast<unsigned short>(encode_small_float(x, 5, 10))};
  } else if constexpr (std::is_same_v<T, Bfloat16>) {
    return {static_cast<unsigned short>(encode_small_float(x, 8, 7))};
  } else if constexpr (std::is_same_v<T, Float8E4m3>) {
    return {static_cast<unsigned char>(encode_float8_e4m3(x))};
  } else if constexpr (std::is_same_v<T, Float8E5m2>) {
    return {static_cast<unsigned char>(encode_small_float(x, 5, 2))};
  } else {
    return static_cast<T>(x);
  }
}

// Makes an element from the function's number; a complex element from two numbers.
template <class T, class ValueAt>
T generated(const ValueAt& value_at, unsigned long long i) {
  if constexpr (kIsComplex<T>) {
    using Part = decltype(T::real);
    return {static_cast<Part>(value_at(2 * i)), static_cast<Part>(value_at(2 * i + 1))};
  } else {
    return element_of<T>(value_at(i));
  }
}

inline double real_of(Half x) { return decode_small_float(x.bits, 5, 10); }
inline double real_of(Bfloat16 x) { return decode_small_float(x.bits, 8, 7); }
inline double real_of(Float8E4m3 x) { return decode_float8_e4m3(x.bits); }
inline double real_of(Float8E5m2 x) { return decode_small_float(x.bits, 5, 2); }
inline double real_of(float x) { return static_cast<double>(x); }
inline double real_of(double x) { return x; }

template <class T>
unsigned long long bits_of(T x) {
  unsigned long long bits = 0;
  static_assert(sizeof x <= sizeof bits, "it has more bits");
  std::memcpy(&bits, &x, sizeof x);
  return bits;
}

// The bytes of a struct; converts to a struct parameter of the same size.
template <std::size_t kBytes>
class Struct {
 public:
  Struct() = default;
  explicit Struct(const void* bytes) { std::memcpy(bytes_, bytes, kBytes); }
  template <class T, class X>
  Struct with(std::size_t offset, X x) const {
    Struct more = *this;
    const T member = element_of<T>(x);
    std::memcpy(more.bytes_ + offset, &member, sizeof member);
    return more;
  }
  template <class T>
  explicit operator T() const {
    static_assert(sizeof(T) == kBytes, "the struct has another size");
    T value;
    std::memcpy(&value, bytes_, kBytes);
    return value;
  }

 private:
  unsigned char bytes_[kBytes] = {};
};

template <class T>
Difference compare(T actual, T expected, ErrorBounds bounds) {
  if constexpr (kIsComplex<T>) {
    return compare_complex(actual.real, actual.imaginary, expected.real, expected.imaginary, bounds);
  } else if constexpr (kIsReal<T>) {
    return compare_reals(real_of(actual), real_of(expected), bits_of(actual), bits_of(expected), sizeof(T),
                         bounds);
  } else {
    return compare_integers(static_cast<unsigned long long>(actual),
                            static_cast<unsigned long long>(expected), std::is_signed_v<T>, bounds);
  }
}

template <class T>
double value_of(T x) {
  if constexpr (kIsComplex<T>) {
    return is_finite(x.real) && is_finite(x.imaginary) ? complex_magnitude(x.real, x.imaginary)
                                                       : static_cast<double>(x.real + x.imaginary);
  } else if constexpr (kIsReal<T>) {
    return real_of(x);
  } else {
    return static_cast<double>(x);
  }
}

// The rules for comparing an output with the expected one.
struct Rules {
  ErrorBounds bounds;
  unsigned long long row = 0, pitch = 0;  // the first `row` of each `pitch` elements are compared; 0: all
  bool any_order = false, has_norm = false;
  double norm = 0;  // allowed norm of all differences
};

template <class T>
std::string text_of(T x) {
  char text[80];
  if constexpr (kIsComplex<T>) {
    std::snprintf(text, sizeof text, "%.9g%+.9gi", static_cast<double>(x.real),
                  static_cast<double>(x.imaginary));
  } else if constexpr (kIsReal<T>) {
    std::snprintf(text, sizeof text, "%.9g", real_of(x));
  } else if constexpr (std::is_signed_v<T>) {
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(x));
  } else {
    std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(x));
  }
  return text;
}

template <class T>
class Buffer {
 public:
  Buffer(const char* name, std::size_t count)
      : name_(name), count_(count), memory_(allocate(count * sizeof(T))), start_(), expected_() {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    release(memory_);
    release(expected_memory_);
  }

  void* data() const { return memory_; }
  void fill(int byte) { set_bytes(memory_, byte, size()); }

  // Sets the initial contents: element i is value_at(i).
  template <class ValueAt>
  void generate(ValueAt value_at) {
    start_.resize(count_);
    const std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t share = count_ / threads + 1;
    std::vector<std::thread> crew;
    for (std::size_t begin = 0; begin < count_; begin += share) {
      crew.emplace_back([this, value_at, begin, end = std::min(begin + share, count_)] {
        for (std::size_t i = begin; i < end; ++i) start_[i] = generated<T>(value_at, i);
      });
    }
    for (std::thread& each : crew) each.join();
    restore();
  }
  // Sets the initial contents from a .npy file. The tuner checked its type and size.
  void load(const char* path) {
    std::ifstream file(path, std::ios::binary);
    unsigned char head[12] = {};
    file.read(reinterpret_cast<char*>(head), 10);
    if (head[0] == 'P' && head[1] == 'K') {
      std::printf("%s: this program reads .npy files only; save the array as one\n", path);
      std::exit(1);
    }
    std::size_t length = head[8] + 256u * head[9];
    if (head[6] > 1) {
      file.read(reinterpret_cast<char*>(head + 10), 2);
      length += (std::size_t{head[10]} << 16) + (std::size_t{head[11]} << 24);
    }
    file.ignore(static_cast<std::streamsize>(length));
    start_.resize(count_);
    if (count_ > 0) file.read(reinterpret_cast<char*>(start_.data()), static_cast<std::streamsize>(size()));
    if (!file) {
      std::printf("%s: cannot be read\n", path);
      std::exit(1);
    }
    restore();
  }
  void restore() { copy_in(memory_, start_.data(), size()); }

  // Fills it with wrong results: NaN, or an integer other than the expected one.
  void poison() {
    if (kIsReal<T> || kIsComplex<T> || expected_.empty()) {
      fill(0xff);
      return;
    }
    std::vector<T> wrong = expected_;
    unsigned char* bytes = reinterpret_cast<unsigned char*>(wrong.data());
    for (std::size_t i = 0; i < size(); ++i) bytes[i] = static_cast<unsigned char>(~bytes[i]);
    copy_in(memory_, wrong.data(), size());
  }
  // Makes the current contents the initial contents (keep) or the expected result (expect).
  void keep() { start_ = contents(); }
  void expect() { expected_ = contents(); }

  // A copy of the expected result, for a verifier.
  void* expected_data() {
    if (expected_memory_ == nullptr) {
      expected_memory_ = allocate(size());
      copy_in(expected_memory_, expected_.data(), size());
    }
    return expected_memory_;
  }
  // True if this verdict counts no wrong elements.
  bool is_clean() const {
    const std::vector<T> verdict = contents();
    if (verdict[0] == 0) return true;
    std::printf("the verifier counts %s wrong elements", text_of(verdict[0]).c_str());
    if (verdict[1] != static_cast<T>(-1))
      std::printf("; the index of the first is %s", text_of(verdict[1]).c_str());
    std::printf("\n");
    return false;
  }

  bool judge(const Rules& rules, const std::vector<unsigned char>& mask = {}) const {
    const Selection selection{rules.row, rules.pitch, mask.empty() ? nullptr : mask.data()};
    const std::vector<T> all = contents();
    std::vector<T> actual, expected;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < count_; ++i) {
      if (!counts(selection, i)) continue;
      actual.push_back(all[i]);
      expected.push_back(expected_[i]);
      places.push_back(rules.any_order ? places.size() : i);
    }
    if (rules.any_order) {
      const auto is_less = []([[maybe_unused]] T a, [[maybe_unused]] T b) {
        if constexpr (kIsComplex<T>) {
          return false;  // complex numbers have no order
        } else if constexpr (kIsReal<T>) {
          return ordered_bits(bits_of(a), sizeof(T)) < ordered_bits(bits_of(b), sizeof(T));
        } else {
          return a < b;
        }
      };
      std::sort(actual.begin(), actual.end(), is_less);
      std::sort(expected.begin(), expected.end(), is_less);
    }
    ErrorBounds bounds = rules.bounds;
    if (rules.has_norm) bounds.absolute = std::numeric_limits<double>::infinity();
    std::size_t wrong = 0, first = 0;
    double differences = 0, squares = 0;
    for (std::size_t i = 0; i < actual.size(); ++i) {
      const Difference difference = compare(actual[i], expected[i], bounds);
      if (const double right = value_of(expected[i]); right - right == 0) {
        differences += difference.absolute * difference.absolute;
        squares += right * right;
      }
      if (difference.passes) continue;
      if (wrong++ == 0) first = i;
    }
    if (wrong > 0) {
      std::printf("%zu of %zu elements of %s differ; the first is %s[%zu]: %s, expected %s\n", wrong,
                  actual.size(), name_, name_, places[first], text_of(actual[first]).c_str(),
                  text_of(expected[first]).c_str());
    }
    const double norm = rules.has_norm ? relative_norm(differences, squares) : 0;
    if (wrong == 0 && rules.has_norm && !(norm <= rules.norm))
      std::printf("the error of %s in the L2 norm is %g\n", name_, norm);
    return wrong == 0 && (!rules.has_norm || norm <= rules.norm);
  }
  std::vector<unsigned char> bytes() const {
    const std::vector<T> all = contents();
    std::vector<unsigned char> copy(size());
    if (!copy.empty()) std::memcpy(copy.data(), all.data(), copy.size());
    return copy;
  }
  bool is_unchanged() const {
    const std::vector<T> now = contents();
    for (std::size_t i = 0; i < count_; ++i) {
      if (std::memcmp(&now[i], &start_[i], sizeof(T)) == 0) continue;
      std::printf("wrote into its input: %s[%zu] was %s, is now %s\n", name_, i, text_of(start_[i]).c_str(),
                  text_of(now[i]).c_str());
      return false;
    }
    return true;
  }

 private:
  std::size_t size() const { return count_ * sizeof(T); }
  std::vector<T> contents() const {
    std::vector<T> all(count_);
    copy_out(all.data(), memory_, size());
    return all;
  }

  const char* name_;
  std::size_t count_;
  void* memory_;
  void* expected_memory_ = nullptr;
  std::vector<T> start_, expected_;
};

// Unlike gktune, this does not evict the inputs from the caches between runs.
template <class Prepare, class Execute>
void print_times(int runs, Prepare prepare, Execute execute) {
  if (runs < 1) return;
  Stopwatch stopwatch;
  std::vector<double> times_us;
  for (int i = 0; i < runs; ++i) {
    prepare();
    stopwatch.start();
    execute();
    times_us.push_back(stopwatch.stop_us());
  }
  std::sort(times_us.begin(), times_us.end());
  std::printf("%d runs, %.2f us in the median, %.2f us at best\n", runs, times_us[times_us.size() / 2],
              times_us.front());
}

}  // namespace gktune
