#include <cmath>
#include <cstdint>

#include "tuner/measure/contents.h"
#include "tuner/measure/element.h"
#include "tuner/measure/structures.h"

namespace gktune {
namespace {

template <class T>
void store_integers(ElementType type, const std::vector<T>& values, std::span<std::byte> buffer) {
  const std::size_t size = element_size(type);
  for (std::size_t i = 0; i < values.size(); ++i)
    store_bits(type, buffer.data() + i * size, static_cast<std::uint64_t>(values[i]));
}

void store_reals(ElementType type, const std::vector<double>& values, std::span<std::byte> buffer) {
  const std::size_t size = element_size(type);
  if (!is_floating(type)) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto nearest = static_cast<std::int64_t>(std::floor(values[i] + 0.5));
      store_bits(type, buffer.data() + i * size, static_cast<std::uint64_t>(nearest));
    }
    return;
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    store_number(type, buffer.data() + i * size, Value(values[i]));
}

}  // namespace

Result<void> fill_structured(ElementType type, const ContentsPlan& plan, std::span<std::byte> buffer) {
  const std::uint64_t count = buffer.size() / element_size(type);
  const SparsePlan& sparse = plan.sparse;
  const auto unsigned_of = [](std::int64_t number) { return static_cast<std::uint64_t>(number); };
  const auto offsets = [&] {
    return csr_offsets(unsigned_of(sparse.rows), unsigned_of(sparse.columns), unsigned_of(sparse.nonzeros),
                       static_cast<int>(sparse.lengths), sparse.exponent, sparse.seed);
  };
  switch (plan.kind) {
    case ContentsKind::sorted:
      if (is_floating(type)) {
        store_reals(type, sorted_reals(count, plan.seed, plan.a, plan.b), buffer);
      } else {
        store_integers(type, sorted_integers(count, plan.seed, plan.a_integer, plan.b_integer), buffer);
      }
      break;
    case ContentsKind::permutation: {
      const auto bits = static_cast<int>(element_size(type) * 8) - (is_signed_integer(type) ? 1 : 0);
      if (bits < 64 && count > 0 && (count - 1) >> bits != 0) {
        return Error{"permutation: " + std::to_string(count - 1) + " does not fit into " +
                     std::string(element_type_name(type))};
      }
      store_integers(type, permutation(count, plan.seed), buffer);
      break;
    }
    case ContentsKind::zipf:
      store_integers(type, zipf_numbers(count, plan.seed, unsigned_of(plan.a_integer), plan.b), buffer);
      break;
    case ContentsKind::field:
      store_reals(type, field_values(count, plan.seed, unsigned_of(plan.width), plan.a, plan.b), buffer);
      break;
    case ContentsKind::csr_offsets:
      store_integers(type, offsets(), buffer);
      break;
    default:
      store_integers(type, csr_columns(offsets(), unsigned_of(sparse.columns), plan.seed), buffer);
  }
  return {};
}

}  // namespace gktune
