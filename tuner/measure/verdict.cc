#include "tuner/measure/verdict.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "tuner/measure/comparison.h"
#include "tuner/measure/element.h"

namespace gktune {

std::string Verdict::message(std::string_view name) const {
  std::string text = std::to_string(mismatches) + " of " + std::to_string(count) +
                     (count == 1 ? " element" : " elements") + (mismatches == 1 ? " differs" : " differ");
  if (nans > 0 && nans == mismatches) text += " (NaN)";
  if (nans > 0 && nans < mismatches) text += " (" + std::to_string(nans) + " NaN)";
  text += mismatches == 1 ? "; it is " : "; the first is ";
  text += std::string(name) + '[' + std::to_string(first) + "]: " + actual + ", expected " + expected;
  if (expected == "nan") text += " (the reference is NaN there)";
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

template <class T>
Difference compare_wholes(const std::byte* actual, const std::byte* expected, ErrorBounds bounds) {
  return compare_integers(static_cast<std::uint64_t>(loaded<T>(actual)),
                          static_cast<std::uint64_t>(loaded<T>(expected)), std::is_signed_v<T>, bounds);
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
    case ElementType::float32:
      return {skip_equal<float>, compare_floats<float, std::uint32_t>};
    case ElementType::float64:
      break;
  }
  return {skip_equal<double>, compare_floats<double, std::uint64_t>};
}

}  // namespace

Verdict judge(ElementType type, std::span<const std::byte> actual, std::span<const std::byte> expected,
              const TolerancePlan& tolerance) {
  const std::size_t size = element_size(type);
  const ErrorBounds bounds{tolerance.absolute, tolerance.relative,
                           static_cast<unsigned long long>(std::max<std::int64_t>(tolerance.ulp, 0))};
  Verdict verdict;
  verdict.count = actual.size() / size;
  const TypeOps ops = ops_of(type);
  for (std::uint64_t i = 0; (i = ops.skip_equal(actual, expected, i)) < verdict.count; ++i) {
    const std::byte *a = actual.data() + i * size, *e = expected.data() + i * size;
    const Difference difference = ops.compare(a, e, bounds);
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
  return verdict;
}

}  // namespace gktune
