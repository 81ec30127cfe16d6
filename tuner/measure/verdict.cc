#include "tuner/measure/verdict.h"

#include <algorithm>
#include <cmath>
#include <cstring>

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
  if (std::isfinite(first_absolute)) text += " (absolute error " + number_text(first_absolute) + ')';
  return text;
}

Verdict judge(ElementType type, std::span<const std::byte> actual, std::span<const std::byte> expected,
              const TolerancePlan& tolerance) {
  const std::size_t size = element_size(type);
  const bool floating = is_floating(type), is_signed = is_signed_integer(type);
  const Bounds bounds{tolerance.absolute, tolerance.relative,
                      static_cast<unsigned long long>(std::max<std::int64_t>(tolerance.ulp, 0))};
  Verdict verdict;
  verdict.count = actual.size() / size;
  // Integers that are equal throughout, the common case, are seen to be so at the speed of memory.
  if (!floating && std::ranges::equal(actual, expected)) return verdict;
  for (std::uint64_t i = 0; i < verdict.count; ++i) {
    const std::byte *a = actual.data() + i * size, *e = expected.data() + i * size;
    const std::uint64_t a_bits = load_bits(type, a), e_bits = load_bits(type, e);
    const Difference difference = floating ? compare_reals(load_real(type, a), load_real(type, e), a_bits,
                                                           e_bits, static_cast<int>(size), bounds)
                                           : compare_integers(a_bits, e_bits, is_signed, bounds);
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
