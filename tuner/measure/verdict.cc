#include "tuner/measure/verdict.h"

#include <algorithm>
#include <cmath>
#include <cstring>
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

template <class T>
std::uint64_t next_unequal(std::span<const std::byte> actual, std::span<const std::byte> expected,
                           std::uint64_t i) {
  const auto value = [](std::span<const std::byte> elements, std::uint64_t place) {
    T loaded;
    std::memcpy(&loaded, elements.data() + place * sizeof(T), sizeof(T));
    return loaded;
  };
  while (i < actual.size() / sizeof(T) && value(actual, i) == value(expected, i)) ++i;
  return i;
}

// The next element from i on that is not equal. Most are equal and need no closer look. Equal bits may be
// NaN: small floats are all compared.
std::uint64_t skip_equal(ElementType type, std::span<const std::byte> actual,
                         std::span<const std::byte> expected, std::uint64_t i) {
  if (is_complex(type)) return skip_equal(part_type(type), actual, expected, 2 * i) / 2;
  if (type == ElementType::float32) return next_unequal<float>(actual, expected, i);
  if (type == ElementType::float64) return next_unequal<double>(actual, expected, i);
  if (is_floating(type)) return i;
  switch (element_size(type)) {
    case 1:
      return next_unequal<std::uint8_t>(actual, expected, i);
    case 2:
      return next_unequal<std::uint16_t>(actual, expected, i);
    case 4:
      return next_unequal<std::uint32_t>(actual, expected, i);
    default:
      return next_unequal<std::uint64_t>(actual, expected, i);
  }
}

Difference compare(ElementType type, const std::byte* actual, const std::byte* expected, ErrorBounds bounds) {
  if (is_complex(type)) {
    const ElementType part = part_type(type);
    const std::size_t size = element_size(part);
    return compare_complex(load_real(part, actual), load_real(part, actual + size), load_real(part, expected),
                           load_real(part, expected + size), bounds);
  }
  const std::uint64_t a = load_bits(type, actual), e = load_bits(type, expected);
  if (!is_floating(type)) return compare_integers(a, e, is_signed_integer(type), bounds);
  return compare_reals(load_real(type, actual), load_real(type, expected), a, e,
                       static_cast<int>(element_size(type)), bounds);
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
  for (std::uint64_t i = 0; i < total; ++i) {
    if (!sees_all) {
      i = skip_equal(type, actual, expected, i);
      if (i >= total) break;
    } else if (!counts(selection, i)) {
      continue;
    } else {
      ++verdict.count;
    }
    const std::byte *a = actual.data() + i * size, *e = expected.data() + i * size;
    const Difference difference = compare(type, a, e, bounds);
    if (const double right = tolerance.has_norm ? real_value(type, e) : NAN; std::isfinite(right)) {
      squares += right * right;
      differences += difference.absolute * difference.absolute;
    }
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
