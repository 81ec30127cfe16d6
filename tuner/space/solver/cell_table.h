#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tuner/space/solver/cell.h"

namespace gktune {

// Numbers rows of cells. intern() gives equal rows the same number.
class CellTable {
 public:
  explicit CellTable(std::size_t width) : width_(width) {}

  std::uint32_t intern(const Cell* row);
  // Gives a new number, also to an equal row.
  std::uint32_t add(const Cell* row);

  std::size_t size() const { return size_; }
  std::size_t width() const { return width_; }
  std::span<const Cell> cells() const { return cells_; }
  const Cell* row(std::size_t number) const { return cells_.data() + number * width_; }
  std::size_t bytes() const {
    return cells_.capacity() * sizeof(Cell) + buckets_.capacity() * sizeof(std::uint32_t);
  }

 private:
  std::size_t hash(const Cell* row) const;
  void grow();

  std::size_t width_;
  std::size_t size_ = 0;
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> buckets_;  // numbers plus one, by hash; 0 is empty
};

}  // namespace gktune
