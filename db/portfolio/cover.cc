#include "db/portfolio/cover.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace gktune {
namespace {

constexpr int kMostSwaps = 100;

// A set of problems.
class Bits {
 public:
  explicit Bits(std::size_t size) : words_((size + 63) / 64) {}
  void set(std::size_t at) { words_[at / 64] |= std::uint64_t{1} << at % 64; }
  bool has(std::size_t at) const { return (words_[at / 64] >> at % 64 & 1) != 0; }
  std::size_t count() const {
    std::size_t sum = 0;
    for (const std::uint64_t word : words_) sum += static_cast<std::size_t>(std::popcount(word));
    return sum;
  }
  bool is_within(const Bits& other) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if ((words_[i] & ~other.words_[i]) != 0) return false;
    }
    return true;
  }
  std::size_t count_in(const Bits& other) const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < words_.size(); ++i)
      sum += static_cast<std::size_t>(std::popcount(words_[i] & other.words_[i]));
    return sum;
  }
  Bits without(const Bits& other) const {
    Bits left = *this;
    for (std::size_t i = 0; i < words_.size(); ++i) left.words_[i] &= ~other.words_[i];
    return left;
  }
  friend bool operator==(const Bits&, const Bits&) = default;

 private:
  std::vector<std::uint64_t> words_;
};

class Search {
 public:
  Search(const CostTable& table, double within, std::size_t most_nodes)
      : count_(table.problems.size()), nodes_left_(most_nodes) {
    for (std::size_t config = 0; config < table.configs.size(); ++config) {
      Bits served(count_);
      for (std::size_t problem = 0; problem < count_; ++problem) {
        if (table.loss[problem][config] <= within || table.winners[problem] == config) served.set(problem);
      }
      if (served.count() > 0) sets_.push_back({config, std::move(served)});
    }
    drop_dominated();
    servers_.resize(count_);
    for (std::size_t problem = 0; problem < count_; ++problem) {
      for (std::size_t i = 0; i < sets_.size(); ++i) {
        if (sets_[i].served.has(problem)) servers_[problem].push_back(i);
      }
    }
  }

  Cover run() {
    Bits all(count_);
    for (std::size_t problem = 0; problem < count_; ++problem) all.set(problem);
    const std::size_t root_bound = bound(all);
    best_ = greedy(all);
    std::vector<std::size_t> chosen;
    branch(all, chosen);
    Cover cover;
    for (const std::size_t i : best_) cover.configs.push_back(sets_[i].config);
    cover.at_least = is_cut_ ? std::min(root_bound, best_.size()) : best_.size();
    return cover;
  }

 private:
  struct Set {
    std::size_t config;
    Bits served;
  };

  // A configuration that serves no problem but those of another one is not needed.
  void drop_dominated() {
    std::ranges::stable_sort(sets_, std::greater(), [](const Set& set) { return set.served.count(); });
    std::vector<Set> kept;
    for (Set& set : sets_) {
      if (std::ranges::none_of(kept, [&](const Set& other) { return set.served.is_within(other.served); }))
        kept.push_back(std::move(set));
    }
    sets_ = std::move(kept);
  }

  std::vector<std::size_t> greedy(Bits open) const {
    std::vector<std::size_t> chosen;
    while (open.count() > 0) {
      const auto largest =
          std::ranges::max_element(sets_, {}, [&](const Set& set) { return set.served.count_in(open); });
      chosen.push_back(static_cast<std::size_t>(largest - sets_.begin()));
      open = open.without(largest->served);
    }
    return chosen;
  }

  // Problems of which no two have a server in common need one configuration each.
  std::size_t bound(const Bits& open) const {
    std::vector<std::size_t> order;
    for (std::size_t problem = 0; problem < count_; ++problem) {
      if (open.has(problem)) order.push_back(problem);
    }
    std::ranges::sort(order, {}, [&](std::size_t problem) { return servers_[problem].size(); });
    std::vector<bool> is_used(sets_.size());
    std::size_t independent = 0;
    for (const std::size_t problem : order) {
      if (std::ranges::any_of(servers_[problem], [&](std::size_t i) { return is_used[i]; })) continue;
      ++independent;
      for (const std::size_t i : servers_[problem]) is_used[i] = true;
    }
    return independent;
  }

  void branch(const Bits& open, std::vector<std::size_t>& chosen) {
    if (open.count() == 0) {
      if (chosen.size() < best_.size()) best_ = chosen;
      return;
    }
    if (chosen.size() + bound(open) >= best_.size()) return;
    if (nodes_left_ == 0) {
      is_cut_ = true;
      return;
    }
    --nodes_left_;
    // The problem with the fewest servers: one of them has to be chosen.
    std::size_t hardest = count_;
    for (std::size_t problem = 0; problem < count_; ++problem) {
      if (!open.has(problem)) continue;
      if (hardest == count_ || servers_[problem].size() < servers_[hardest].size()) hardest = problem;
    }
    std::vector<std::size_t> order = servers_[hardest];
    std::ranges::stable_sort(order, std::greater(),
                             [&](std::size_t i) { return sets_[i].served.count_in(open); });
    for (const std::size_t i : order) {
      chosen.push_back(i);
      branch(open.without(sets_[i].served), chosen);
      chosen.pop_back();
    }
  }

  std::size_t count_, nodes_left_;
  bool is_cut_ = false;
  std::vector<Set> sets_;
  std::vector<std::vector<std::size_t>> servers_;  // of each problem
  std::vector<std::size_t> best_;
};

double loss_at(const CostTable& table, std::size_t problem, std::size_t config) {
  return std::min(table.loss[problem][config], CostTable::kUnmeasuredLoss);
}

// The least loss of each problem among the configurations, but for the one at `left_out`.
std::vector<double> least_losses(const CostTable& table, const std::vector<std::size_t>& configs,
                                 std::size_t left_out) {
  std::vector<double> least(table.problems.size(), CostTable::kUnmeasuredLoss);
  for (std::size_t place = 0; place < configs.size(); ++place) {
    if (place == left_out) continue;
    for (std::size_t problem = 0; problem < least.size(); ++problem)
      least[problem] = std::min(least[problem], loss_at(table, problem, configs[place]));
  }
  return least;
}

// The weighted sum if this configuration joins those with these least losses.
double total_with(const CostTable& table, const std::vector<double>& least, std::size_t config) {
  double sum = 0;
  for (std::size_t problem = 0; problem < least.size(); ++problem)
    sum += table.weights[problem] * std::min(least[problem], loss_at(table, problem, config));
  return sum;
}

// Exchanges configurations while that lowers the loss and `is_allowed` holds.
template <class Allowed>
void exchange(const CostTable& table, std::vector<std::size_t>& configs, Allowed is_allowed) {
  for (int swap = 0; swap < kMostSwaps && !configs.empty(); ++swap) {
    double lowest = total_with(table, least_losses(table, configs, 0), configs[0]);
    std::vector<std::size_t> better;
    for (std::size_t place = 0; place < configs.size(); ++place) {
      const auto least = least_losses(table, configs, place);
      for (std::size_t config = 0; config < table.configs.size(); ++config) {
        const double loss = total_with(table, least, config);
        if (loss >= lowest - 1e-12) continue;
        auto tried = configs;
        tried[place] = config;
        if (is_allowed(tried)) lowest = loss, better = std::move(tried);
      }
    }
    if (better.empty()) return;
    configs = std::move(better);
  }
}

bool covers(const CostTable& table, const std::vector<std::size_t>& configs, double within) {
  for (std::size_t problem = 0; problem < table.problems.size(); ++problem) {
    if (std::ranges::none_of(configs, [&](std::size_t config) {
          return table.loss[problem][config] <= within || table.winners[problem] == config;
        }))
      return false;
  }
  return true;
}

// Those that serve the most problems best come first.
void sort_by_use(const CostTable& table, std::vector<std::size_t>& configs) {
  std::vector<double> use(table.configs.size());
  for (std::size_t problem = 0; problem < table.problems.size(); ++problem) {
    const auto best = std::ranges::min_element(
        configs, {}, [&](std::size_t config) { return loss_at(table, problem, config); });
    use[*best] += table.weights[problem];
  }
  std::ranges::stable_sort(configs, std::greater(), [&](std::size_t config) { return use[config]; });
}

}  // namespace

CostTable CostTable::of(std::span<const std::size_t> kept) const {
  CostTable part;
  part.configs = configs;
  for (const std::size_t problem : kept) {
    part.problems.push_back(problems[problem]);
    part.weights.push_back(weights[problem]);
    part.loss.push_back(loss[problem]);
    part.winners.push_back(winners[problem]);
  }
  return part;
}

Cover smallest_cover(const CostTable& table, double within, std::size_t most_nodes) {
  Cover cover = Search(table, within, most_nodes).run();
  exchange(table, cover.configs,
           [&](const std::vector<std::size_t>& tried) { return covers(table, tried, within); });
  sort_by_use(table, cover.configs);
  return cover;
}

std::vector<std::size_t> least_loss(const CostTable& table, std::size_t count) {
  std::vector<std::size_t> configs;
  while (configs.size() < std::min(count, table.configs.size())) {
    const auto least = least_losses(table, configs, configs.size());
    std::size_t best = 0;
    double lowest = std::numeric_limits<double>::infinity();
    for (std::size_t config = 0; config < table.configs.size(); ++config) {
      if (const double loss = total_with(table, least, config); loss < lowest) lowest = loss, best = config;
    }
    configs.push_back(best);
  }
  exchange(table, configs, [](const std::vector<std::size_t>&) { return true; });
  return configs;
}

}  // namespace gktune
