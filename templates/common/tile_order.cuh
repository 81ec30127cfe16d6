// The order in which blocks compute the tiles of a matrix.
#pragma once

namespace gktune {

template <class Index>
struct TilePlace {
  Index row, column;
};

// Groups of kGroupRows rows of tiles are filled column after column, so that tiles that are computed at the same time
// find each other's rows and columns in L2.
template <int kGroupRows, class Index>
__device__ inline TilePlace<Index> place_of_tile(Index tile, Index rows, Index columns) {
  const Index per_group = kGroupRows * columns;
  const Index group = tile / per_group, first_row = group * kGroupRows;
  const Index rows_of_group = rows - first_row < kGroupRows ? rows - first_row : kGroupRows;
  return {first_row + tile % per_group % rows_of_group, tile % per_group / rows_of_group};
}

}  // namespace gktune
