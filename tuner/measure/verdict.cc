#include "tuner/measure/verdict.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "tuner/measure/comparison.h"
#include "tuner/measure/element.h"

namespace gktune {

std::string Verdict::message(std::string_view name) const {
  if (mismatches == 0) {
    return "the error of '" + std::string(name) + "' in the L2 norm is " + number_text(norm) +
           " of the reference's, " + number_text(norm_limit) + " is allowed";
  }
  std::string text = std::to_string(mismatches) + " of " + std::to_string(count) +
                     (count == 1 ? " element" : " elements") + (mismatches == 1 ? " differs" : " differ");
  if (nans > 0 && nans == mismatches) text += " (NaN)";
  if (nans > 0 && nans < mismatches) text += " (" + std::to_string(nans) + " NaN)";
  text += mismatches == 1 ? "; it is " : "; the first is ";
  text += (is_sorted ? "sorted " : "") + std::string(name) + '[' + std::to_string(first) + "]: " + actual +
          ", expected " + expected;
  if (expected.find("nan") != std::string::npos) text += " (the reference is NaN there)";
  if (std::isfinite(first_absolute)) text += " (absolute error " + number_text(first_absolute) + ')';
  return text;
}

namespace {

// The comparison of one element type; the loops are compiled for each.
struct TypeOps {
  // The next element from i on that is not equal. Most are equal and need no closer look.
  std::uint64_t (*skip_equal)(std::span<const std::byte> actual, std::span<const std::byte> expected,
                              std::uint64_t i);
  Difference (*compare)(const std::byte* actual, const std::byte* expected, ErrorBounds bounds);
};

template <class T>
T loaded(const std::byte* element) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  return value;
}

template <class T>
std::uint64_t skip_equal(std::span<const std::byte> actual, std::span<const std::byte> expected,
                         std::uint64_t i) {
  const std::uint64_t count = actual.size() / sizeof(T);
  while (i < count && loaded<T>(actual.data() + i * sizeof(T)) == loaded<T>(expected.data() + i * sizeof(T)))
    ++i;
  return i;
}

// Equal bits may be NaN, so every small float is compared.
std::uint64_t skip_none(std::span<const std::byte>, std::span<const std::byte>, std::uint64_t i) { return i; }

template <class T, class Bits>
Difference compare_floats(const std::byte* actual, const std::byte* expected, ErrorBounds bounds) {
  return compare_reals(static_cast<double>(loaded<T>(actual)), static_cast<double>(loaded<T>(expected)),
                       loaded<Bits>(actual), loaded<Bits>(expected), sizeof(T), bounds);
}

template <int kExponentBits, int kFractionBits>
Difference compare_small_floats(const std::byte* actual, const std::byte* expected, ErrorBounds bounds) {
  const unsigned a = loaded<std::uint16_t>(actual), e = loaded<std::uint16_t>(expected);
  return compare_reals(decode_small_float(a, kExponentBits, kFractionBits),
                       decode_small_float(e, kExponentBits, kFractionBits), a, e, 2, bounds);
}

template <double (*kDecode)(unsigned)>
Difference compare_float8(const std::byte* actual, const std::byte* expected, ErrorBounds bounds) {
  const unsigned a = loaded<std::uint8_t>(actual), e = loaded<std::uint8_t>(expected);
  return compare_reals(kDecode(a), kDecode(e), a, e, 1, bounds);
}

double decode_float8_e5m2(unsigned bits) { return decode_small_float(bits, 5, 2); }

template <class T>
Difference compare_wholes(const std::byte* actual, const std::byte* expected, ErrorBounds bounds) {
  return compare_integers(static_cast<std::uint64_t>(loaded<T>(actual)),
                          static_cast<std::uint64_t>(loaded<T>(expected)), std::is_signed_v<T>, bounds);
}

template <class T>
struct Complex {
  T real, imaginary;
  friend bool operator==(const Complex&, const Complex&) = default;
};

template <class T>
Difference compare_complexes(const std::byte* actual, const std::byte* expected, ErrorBounds bounds) {
  const auto a = loaded<Complex<T>>(actual), e = loaded<Complex<T>>(expected);
  return compare_complex(static_cast<double>(a.real), static_cast<double>(a.imaginary),
                         static_cast<double>(e.real), static_cast<double>(e.imaginary), bounds);
}

template <class T>
constexpr TypeOps kWholeOps{skip_equal<T>, compare_wholes<T>};

TypeOps ops_of(ElementType type) {
  switch (type) {
    case ElementType::int8:
      return kWholeOps<std::int8_t>;
    case ElementType::int16:
      return kWholeOps<std::int16_t>;
    case ElementType::int32:
      return kWholeOps<std::int32_t>;
    case ElementType::int64:
      return kWholeOps<std::int64_t>;
    case ElementType::uint8:
      return kWholeOps<std::uint8_t>;
    case ElementType::uint16:
      return kWholeOps<std::uint16_t>;
    case ElementType::uint32:
      return kWholeOps<std::uint32_t>;
    case ElementType::uint64:
      return kWholeOps<std::uint64_t>;
    case ElementType::float16:
      return {skip_none, compare_small_floats<5, 10>};
    case ElementType::bfloat16:
      return {skip_none, compare_small_floats<8, 7>};
    case ElementType::float8_e4m3:
      return {skip_none, compare_float8<decode_float8_e4m3>};
    case ElementType::float8_e5m2:
      return {skip_none, compare_float8<decode_float8_e5m2>};
    case ElementType::float32:
      return {skip_equal<float>, compare_floats<float, std::uint32_t>};
    case ElementType::complex64:
      return {skip_equal<Complex<float>>, compare_complexes<float>};
    case ElementType::complex128:
      return {skip_equal<Complex<double>>, compare_complexes<double>};
    case ElementType::float64:
      break;
  }
  return {skip_equal<double>, compare_floats<double, std::uint64_t>};
}

// A complex number's magnitude; not finite if one of its parts is not.
double real_value(ElementType type, const std::byte* element) {
  if (is_complex(type)) {
    const ElementType part = part_type(type);
    const double real = load_real(part, element), imaginary = load_real(part, element + element_size(part));
    return is_finite(real) && is_finite(imaginary) ? complex_magnitude(real, imaginary) : real + imaginary;
  }
  if (is_floating(type)) return load_real(type, element);
  const std::uint64_t bits = load_bits(type, element);
  return is_signed_integer(type) ? static_cast<double>(static_cast<std::int64_t>(bits))
                                 : static_cast<double>(bits);
}

// The elements that count, in ascending order; NaN is at the ends.
std::vector<std::byte> sorted(ElementType type, std::span<const std::byte> buffer,
                              const Selection& selection) {
  const std::size_t size = element_size(type), count = buffer.size() / size;
  std::vector<std::uint64_t> elements;
  for (std::size_t i = 0; i < count; ++i) {
    if (counts(selection, i)) elements.push_back(load_bits(type, buffer.data() + i * size));
  }
  const auto bytes = static_cast<int>(size);
  if (is_floating(type)) {
    std::ranges::sort(elements, {}, [bytes](std::uint64_t bits) { return ordered_bits(bits, bytes); });
  } else if (is_signed_integer(type)) {
    std::ranges::sort(elements, {}, [](std::uint64_t bits) { return static_cast<std::int64_t>(bits); });
  } else {
    std::ranges::sort(elements);
  }
  std::vector<std::byte> all(elements.size() * size);
  for (std::size_t i = 0; i < elements.size(); ++i) store_bits(type, all.data() + i * size, elements[i]);
  return all;
}

}  // namespace

ErrorBounds bounds_of(const TolerancePlan& tolerance) {
  return {tolerance.has_norm ? std::numeric_limits<double>::infinity() : tolerance.absolute,
          tolerance.relative, static_cast<unsigned long long>(std::max<std::int64_t>(tolerance.ulp, 0)),
          tolerance.nan_equals};
}

Verdict judge(ElementType type, std::span<const std::byte> actual, std::span<const std::byte> expected,
              const TolerancePlan& tolerance, std::span<const std::byte> mask) {
  const std::size_t size = element_size(type);
  const Selection selection{tolerance.row, tolerance.pitch,
                            reinterpret_cast<const unsigned char*>(mask.data())};
  if (tolerance.any_order) {
    TolerancePlan in_order = tolerance;
    in_order.any_order = false;
    in_order.row = in_order.pitch = 0;
    Verdict verdict =
        judge(type, sorted(type, actual, selection), sorted(type, expected, selection), in_order);
    verdict.is_sorted = true;
    return verdict;
  }
  const ErrorBounds bounds = bounds_of(tolerance);
  const bool sees_all = tolerance.has_norm || tolerance.pitch > 0 || !mask.empty();
  const std::uint64_t total = actual.size() / size;
  Verdict verdict;
  if (!sees_all) verdict.count = total;
  double squares = 0, differences = 0;
  const TypeOps ops = ops_of(type);
  for (std::uint64_t i = 0; i < total; ++i) {
    if (!sees_all) {
      i = ops.skip_equal(actual, expected, i);
      if (i >= total) break;
    } else if (!counts(selection, i)) {
      continue;
    } else {
      ++verdict.count;
    }
    const std::byte *a = actual.data() + i * size, *e = expected.data() + i * size;
    const Difference difference = ops.compare(a, e, bounds);
    if (const double right = real_value(type, e); tolerance.has_norm && std::isfinite(right)) {
      squares += right * right;
      differences += difference.absolute * difference.absolute;
    }
    verdict.worst_absolute = std::max(verdict.worst_absolute, difference.absolute);
    verdict.worst_relative = std::max(verdict.worst_relative, difference.relative);
    verdict.worst_ulp = std::max(verdict.worst_ulp, difference.ulp);
    if (difference.passes) continue;
    if (verdict.mismatches++ == 0) {
      verdict.first = i;
      verdict.actual = element_text(type, a);
      verdict.expected = element_text(type, e);
      verdict.first_absolute = difference.absolute;
    }
    if (difference.is_nan) ++verdict.nans;
  }
  if (tolerance.has_norm) {
    verdict.norm = relative_norm(differences, squares);
    verdict.norm_limit = tolerance.norm;
  }
  return verdict;
}

}  // namespace gktune
