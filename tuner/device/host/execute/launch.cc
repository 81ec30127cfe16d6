#include "tuner/device/host/execute/launch.h"

#include <fmt/format.h>

#include <numeric>
#include <random>
#include <utility>

namespace gktune {

std::string format_index(kernel::uint3 index) { return fmt::format("({},{},{})", index.x, index.y, index.z); }

std::string format_site(kernel::Site site) { return fmt::format("{}:{}", site.file, site.line); }

namespace {

constexpr std::size_t kOrders = 4;

}  // namespace

ThreadOrders::ThreadOrders(kernel::dim3 block) : count_(std::size_t{block.x} * block.y * block.z) {
  orders_.reserve(count_);
  unsigned rank = 0;
  for (unsigned z = 0; z < block.z; ++z) {
    for (unsigned y = 0; y < block.y; ++y) {
      for (unsigned x = 0; x < block.x; ++x) orders_.push_back({{x, y, z}, rank++});
    }
  }
}

ThreadOrders ThreadOrders::natural(kernel::dim3 block) { return ThreadOrders(block); }

ThreadOrders ThreadOrders::shuffled(kernel::dim3 block, std::uint64_t seed) {
  ThreadOrders orders(block);
  std::mt19937_64 random(seed);
  const std::vector<kernel::ThreadIndex> in_order = std::exchange(orders.orders_, {});
  for (std::size_t i = 0; i < kOrders; ++i) {
    std::vector<kernel::ThreadIndex> order = in_order;
    // std::shuffle may differ between libraries; a seed shall mean the same everywhere.
    for (std::size_t left = order.size(); left > 1; --left)
      std::swap(order[left - 1], order[random() % left]);
    orders.orders_.insert(orders.orders_.end(), order.begin(), order.end());
  }
  return orders;
}

BlockOrder BlockOrder::shuffled(std::uint64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  BlockOrder order{count, random() % count, 1};
  if (count < 3) return order;
  do {
    order.step = 1 + random() % (count - 1);
  } while (std::gcd(order.step, count) != 1);
  return order;
}

std::uint64_t BlockOrder::at(std::uint64_t i) const {
  if (step == 1 && start == 0) return i;
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{i} * step + start) % count);
}

}  // namespace gktune
