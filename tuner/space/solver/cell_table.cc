#include "tuner/space/solver/cell_table.h"

#include <algorithm>

namespace gktune {

std::size_t CellTable::hash(const Cell* row) const {
  std::uint64_t mixed = 0;
  for (std::size_t i = 0; i < width_; ++i) {
    mixed = (mixed ^ static_cast<std::uint64_t>(row[i])) * 0x9e3779b97f4a7c15u;
    mixed ^= mixed >> 29;
  }
  return static_cast<std::size_t>(mixed);
}

std::uint32_t CellTable::add(const Cell* row) {
  cells_.insert(cells_.end(), row, row + width_);
  return static_cast<std::uint32_t>(size_++);
}

void CellTable::grow() {
  const std::size_t mask = std::max<std::size_t>(64, buckets_.size() * 2) - 1;
  std::vector<std::uint32_t> old(mask + 1);
  std::swap(old, buckets_);
  for (const std::uint32_t number : old) {
    if (number == 0) continue;
    std::size_t at = hash(row(number - 1)) & mask;
    while (buckets_[at] != 0) at = (at + 1) & mask;
    buckets_[at] = number;
  }
}

std::uint32_t CellTable::intern(const Cell* wanted) {
  if (buckets_.size() <= size_ * 2) grow();
  const std::size_t mask = buckets_.size() - 1;
  std::size_t at = hash(wanted) & mask;
  for (; buckets_[at] != 0; at = (at + 1) & mask) {
    const Cell* const known = row(buckets_[at] - 1);
    if (std::equal(wanted, wanted + width_, known)) return buckets_[at] - 1;
  }
  buckets_[at] = static_cast<std::uint32_t>(size_ + 1);
  return add(wanted);
}

}  // namespace gktune
