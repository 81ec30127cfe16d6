#include "tests/space/known/known_spaces.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace gktune {
namespace {

Parameter list(std::string name, std::initializer_list<int> values) {
  return {std::move(name), std::vector<Value>(values.begin(), values.end()), std::nullopt};
}

Parameter range(std::string name, int first, int last, int step = 1) {
  Parameter parameter{std::move(name), {}, std::nullopt};
  for (int value = first; value <= last; value += step) parameter.values.emplace_back(value);
  return parameter;
}

Parameter joined(Parameter first, const Parameter& second) {
  first.values.insert(first.values.end(), second.values.begin(), second.values.end());
  return first;
}

}  // namespace

std::vector<Constraint> KnownSpace::constraints() const {
  std::vector<Constraint> parsed;
  for (const std::string& text : conditions) {
    parsed.push_back({Expression::parse(text).value(), Constraint::Origin::file});
  }
  return parsed;
}

KnownSpace KnownSpace::ascending() const {
  KnownSpace sorted = *this;
  for (Parameter& parameter : sorted.parameters) {
    std::ranges::sort(parameter.values, [](const Value& a, const Value& b) { return a < b; });
  }
  return sorted;
}

KnownSpace dedispersion() {
  return {
      "dedispersion",
      {list("block_size_x", {1, 2, 4, 8, 16, 32}), range("block_size_y", 32, 256, 8),
       list("block_size_z", {1}), range("tile_size_x", 1, 4), range("tile_size_y", 1, 8),
       list("tile_stride_x", {0, 1}), list("tile_stride_y", {0, 1}), list("loop_unroll_factor_channel", {0})},
      {"32 <= block_size_x * block_size_y <= 1024", "tile_size_x > 1 or tile_stride_x == 0",
       "tile_size_y > 1 or tile_stride_y == 0"},
      11130,
      "22272",
      1937522325489548750u};
}

KnownSpace gemm() {
  return {
      "gemm",
      {list("GEMMK", {0}), list("MWG", {16, 32, 64, 128}), list("NWG", {16, 32, 64, 128}),
       list("KWG", {16, 32}), list("MDIMC", {8, 16, 32}), list("NDIMC", {8, 16, 32}),
       list("MDIMA", {8, 16, 32}), list("NDIMB", {8, 16, 32}), list("KWI", {2}), list("VWM", {1, 2, 4, 8}),
       list("VWN", {1, 2, 4, 8}), list("STRM", {0, 1}), list("STRN", {0, 1}), list("SA", {0, 1}),
       list("SB", {0, 1}), list("KREG", {1}), list("PRECISION", {32})},
      {"KWG % KWI == 0", "MWG % (MDIMC * VWM) == 0", "NWG % (NDIMC * VWN) == 0", "MWG % (MDIMA * VWM) == 0",
       "NWG % (NDIMB * VWN) == 0", "KWG % ((MDIMC * NDIMC)/MDIMA) == 0", "KWG % ((MDIMC * NDIMC)/NDIMB) == 0",
       "not (MWG == 128 and NWG == 128 and MDIMC == 8 and NDIMC == 8)"},
      116928,
      "663552",
      16239223826960160501u};
}

KnownSpace hotspot() {
  return {"hotspot",
          {list("grid_width", {4096}), list("grid_height", {4096}),
           joined(list("block_size_x", {1, 2, 4, 8, 16}), range("block_size_x", 32, 1024, 32)),
           list("block_size_y", {1, 2, 4, 8, 16, 32}), range("tile_size_x", 1, 10),
           range("tile_size_y", 1, 10), range("temporal_tiling_factor", 1, 10), list("max_tfactor", {10}),
           range("loop_unroll_factor_t", 1, 10), list("sh_power", {0, 1}), range("blocks_per_sm", 0, 4)},
          {"block_size_x*block_size_y >= 32", "temporal_tiling_factor % loop_unroll_factor_t == 0",
           "block_size_x*block_size_y <= 1024",
           "(block_size_x*tile_size_x + temporal_tiling_factor * 2) * (block_size_y*tile_size_y + "
           "temporal_tiling_factor * 2) * (2+sh_power) * 4 <= 49152",
           "blocks_per_sm == 0 or (((block_size_x*tile_size_x + temporal_tiling_factor * 2) * "
           "(block_size_y*tile_size_y + temporal_tiling_factor * 2) * (2+sh_power) * 4) * blocks_per_sm <= "
           "102400)"},
          349853,
          "22200000",
          14675124063724499245u};
}

KnownSpace expdist() {
  return {
      "expdist",
      {list("block_size_x", {1024, 512, 256, 128, 64, 32}), list("block_size_y", {1, 2, 4, 8, 16, 32}),
       range("tile_size_x", 1, 8), range("tile_size_y", 1, 8), list("use_shared_mem", {0, 1, 2}),
       range("loop_unroll_factor_x", 1, 8), range("loop_unroll_factor_y", 1, 8), list("use_column", {0, 1}),
       list("use_separate_acc", {0}), list("n_y_blocks", {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024})},
      {"use_column != 0 or n_y_blocks <= 1", "use_column != 0 or use_shared_mem != 2",
       "loop_unroll_factor_x <= tile_size_x and (tile_size_x % loop_unroll_factor_x == 0)",
       "loop_unroll_factor_y <= tile_size_y and (tile_size_y % loop_unroll_factor_y == 0)"},
      504000,
      "9732096",
      2040472310904215085u};
}

KnownSpace prl8() {
  KnownSpace space{
      "prl8",
      {list("CACHE_L_CB", {0, 1}), list("CACHE_P_CB", {0, 1}), list("G_CB_RES_DEST_LEVEL", {2}),
       list("L_CB_RES_DEST_LEVEL", {2, 1, 0}), list("P_CB_RES_DEST_LEVEL", {2, 1, 0})},
      {"L_CB_RES_DEST_LEVEL <= G_CB_RES_DEST_LEVEL", "P_CB_RES_DEST_LEVEL <= L_CB_RES_DEST_LEVEL",
       "INPUT_SIZE_L_1 % L_CB_SIZE_L_1 == 0", "L_CB_SIZE_L_1 % P_CB_SIZE_L_1 == 0",
       "(INPUT_SIZE_L_1 / L_CB_SIZE_L_1) % NUM_WG_L_1 == 0",
       "(L_CB_SIZE_L_1 / P_CB_SIZE_L_1) % NUM_WI_L_1 == 0",
       "NUM_WI_L_1 <= (INPUT_SIZE_L_1 + NUM_WG_L_1 - 1 / NUM_WG_L_1)", "INPUT_SIZE_R_1 % L_CB_SIZE_R_1 == 0",
       "L_CB_SIZE_R_1 % P_CB_SIZE_R_1 == 0", "OCL_DIM_R_1 != OCL_DIM_L_1",
       "(INPUT_SIZE_R_1 / L_CB_SIZE_R_1) % NUM_WG_R_1 == 0",
       "(L_CB_SIZE_R_1 / P_CB_SIZE_R_1) % NUM_WI_R_1 == 0",
       "NUM_WI_R_1 <= (INPUT_SIZE_R_1 + NUM_WG_R_1 - 1 / NUM_WG_R_1)",
       "NUM_WG_R_1 == 1 or (NUM_WG_R_1 % L_CB_SIZE_R_1 == 0)"},
      48720,
      "2415919104",
      16539079053773053797u};
  for (const std::string side : {"_L_1", "_R_1"}) {
    space.parameters.push_back(list("INPUT_SIZE" + side, {8}));
    space.parameters.push_back(range("L_CB_SIZE" + side, 1, 8));
    space.parameters.push_back(range("P_CB_SIZE" + side, 1, 8));
    space.parameters.push_back(list("OCL_DIM" + side, {0, 1}));
    space.parameters.push_back(range("NUM_WG" + side, 1, 8));
    space.parameters.push_back(range("NUM_WI" + side, 1, 8));
  }
  space.parameters.push_back(list("L_REDUCTION", {1}));
  space.parameters.push_back(list("P_WRITE_BACK", {0}));
  space.parameters.push_back(list("L_WRITE_BACK", {1}));
  return space;
}

KnownSpace convolution() {
  KnownSpace space{
      "convolution",
      {list("CACHE_L", {0, 1}), list("CACHE_P", {0, 1}), list("G", {2}), list("L", {2, 1, 0}),
       list("P", {2, 1, 0}), list("DIM_1", {0, 1}), list("DIM_2", {0, 1})},
      {"L <= G", "P <= L", "DIM_1 != DIM_2", "I_1 % LC_1 == 0", "LC_1 % PC_1 == 0",
       "(I_1 // LC_1) % WG_1 == 0", "(LC_1 // PC_1) % WI_1 == 0", "WI_1 <= (I_1 + WG_1 - 1) // WG_1",
       "I_2 % LC_2 == 0", "LC_2 % PC_2 == 0", "(I_2 // LC_2) % WG_2 == 0", "(LC_2 // PC_2) % WI_2 == 0",
       "WI_2 <= (I_2 + WG_2 - 1) // WG_2"},
      168750000,
      "11320027774239656650003216072704",
      0};
  for (const std::string side : {"_1", "_2"}) {
    space.parameters.push_back(list("I" + side, {4092}));
    for (const std::string name : {"LC", "PC", "WG", "WI"})
      space.parameters.push_back(range(name + side, 1, 4092));
  }
  return space;
}

std::vector<KnownSpace> known_spaces() {
  return {dedispersion(), gemm(), hotspot(), expdist(), prl8(), convolution()};
}

}  // namespace gktune
