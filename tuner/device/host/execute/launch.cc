#include "tuner/device/host/execute/launch.h"

#include <fmt/format.h>

#include <numeric>
#include <random>
#include <utility>

namespace gktune {

std::string format_index(kernel::uint3 index) { return fmt::format("({},{},{})", index.x, index.y, index.z); }

std::string format_site(kernel::Site site) { return fmt::format("{}:{}", site.file, site.line); }

ThreadOrders::ThreadOrders(kernel::dim3 block, std::optional<std::uint64_t> seed)
    : count_(std::size_t{block.x} * block.y * block.z) {
  std::vector<kernel::ThreadIndex> in_order;
  in_order.reserve(count_);
  unsigned rank = 0;
  for (unsigned z = 0; z < block.z; ++z) {
    for (unsigned y = 0; y < block.y; ++y) {
      for (unsigned x = 0; x < block.x; ++x) in_order.push_back({{x, y, z}, rank++});
    }
  }
  if (!seed) {
    orders_ = std::move(in_order);
    return;
  }
  constexpr int kOrders = 4;
  std::mt19937_64 random(*seed);
  for (int i = 0; i < kOrders; ++i) {
    std::vector<kernel::ThreadIndex> order = in_order;
    // std::shuffle may differ between libraries; a seed shall mean the same everywhere.
    for (std::size_t left = order.size(); left > 1; --left)
      std::swap(order[left - 1], order[random() % left]);
    orders_.insert(orders_.end(), order.begin(), order.end());
  }
}

BlockOrder::BlockOrder(std::uint64_t blocks, std::optional<std::uint64_t> seed) : count(blocks) {
  if (!seed) return;
  std::mt19937_64 random(*seed);
  start = random() % count;
  if (count < 3) return;
  do {
    step = 1 + random() % (count - 1);
  } while (std::gcd(step, count) != 1);
}

std::uint64_t BlockOrder::at(std::uint64_t i) const {
  if (step == 1 && start == 0) return i;
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{i} * step + start) % count);
}

}  // namespace gktune
