#include "db/portfolio/make_portfolio.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

namespace gktune {
namespace {

constexpr int kMostSwaps = 100;

// A set of problems or of configurations.
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
  bool meets(const Bits& other) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if ((words_[i] & other.words_[i]) != 0) return true;
    }
    return false;
  }
  void keep(const Bits& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  }
  void add(const Bits& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
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

// The problems that a configuration serves.
Bits served_by(const CostTable& table, std::size_t config, double within) {
  Bits served(table.problems.size());
  for (std::size_t problem = 0; problem < table.problems.size(); ++problem) {
    if (table.loss[problem][config] <= within || table.winners[problem] == config) served.set(problem);
  }
  return served;
}

class Search {
 public:
  Search(const CostTable& table, double within, std::size_t most_nodes)
      : count_(table.problems.size()), nodes_left_(most_nodes), all_(count_) {
    for (std::size_t problem = 0; problem < count_; ++problem) all_.set(problem);
    for (std::size_t config = 0; config < table.configs.size(); ++config) {
      Bits served = served_by(table, config, within);
      if (served.count() > 0) sets_.push_back({config, std::move(served)});
    }
    // Fewer sets leave fewer problems that decide, and the other way round.
    for (std::size_t sets = 0, problems = 0; sets != sets_.size() || problems != all_.count();) {
      sets = sets_.size(), problems = all_.count();
      drop_dominated_sets();
      find_servers();
      drop_implied_problems();
    }
  }

  Cover run() {
    const std::size_t root_bound = bound(all_);
    best_ = greedy(all_);
    std::vector<std::size_t> chosen;
    branch(all_, chosen);
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
  // The sets that serve a problem.
  struct Servers {
    std::vector<std::size_t> list;
    Bits bits;
  };

  // A configuration that serves no problem but those of another one is not needed.
  void drop_dominated_sets() {
    std::ranges::stable_sort(sets_, std::greater(),
                             [&](const Set& set) { return set.served.count_in(all_); });
    std::vector<Set> kept;
    for (Set& set : sets_) {
      set.served.keep(all_);
      if (std::ranges::none_of(kept, [&](const Set& other) { return set.served.is_within(other.served); }))
        kept.push_back(std::move(set));
    }
    sets_ = std::move(kept);
  }

  void find_servers() {
    servers_.assign(count_, Servers{{}, Bits(sets_.size())});
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      for (std::size_t problem = 0; problem < count_; ++problem) {
        if (sets_[i].served.has(problem)) servers_[problem].list.push_back(i), servers_[problem].bits.set(i);
      }
    }
    order_.clear();
    for (std::size_t problem = 0; problem < count_; ++problem) {
      if (all_.has(problem)) order_.push_back(problem);
    }
    std::ranges::stable_sort(order_, {}, [&](std::size_t problem) { return servers_[problem].list.size(); });
  }

  // A problem that every server of another one serves is served with it.
  void drop_implied_problems() {
    std::vector<std::size_t> kept;
    Bits left(count_);
    for (const std::size_t problem : order_) {
      const Bits& own = servers_[problem].bits;
      if (std::ranges::any_of(kept, [&](std::size_t other) { return servers_[other].bits.is_within(own); }))
        continue;
      kept.push_back(problem);
      left.set(problem);
    }
    order_ = std::move(kept);
    all_ = std::move(left);
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
    Bits used(sets_.size());
    std::size_t independent = 0;
    for (const std::size_t problem : order_) {
      if (!open.has(problem) || servers_[problem].bits.meets(used)) continue;
      ++independent;
      used.add(servers_[problem].bits);
    }
    return independent;
  }

  void branch(const Bits& open, std::vector<std::size_t>& chosen) {
    // The problem with the fewest servers: one of them has to be chosen.
    const auto hardest = std::ranges::find_if(order_, [&](std::size_t problem) { return open.has(problem); });
    if (hardest == order_.end()) {
      if (chosen.size() < best_.size()) best_ = chosen;
      return;
    }
    if (chosen.size() + bound(open) >= best_.size()) return;
    if (nodes_left_ == 0) {
      is_cut_ = true;
      return;
    }
    --nodes_left_;
    std::vector<std::pair<std::size_t, std::size_t>> order;  // how many each serves, and the set
    for (const std::size_t i : servers_[*hardest].list) order.emplace_back(sets_[i].served.count_in(open), i);
    std::ranges::stable_sort(order, std::greater(), &std::pair<std::size_t, std::size_t>::first);
    for (const auto& [count, i] : order) {
      chosen.push_back(i);
      branch(open.without(sets_[i].served), chosen);
      chosen.pop_back();
    }
  }

  std::size_t count_, nodes_left_;
  bool is_cut_ = false;
  Bits all_;  // the problems that decide
  std::vector<Set> sets_;
  std::vector<Servers> servers_;     // of each problem
  std::vector<std::size_t> order_;   // the problems that decide, those with the fewest servers first
  std::vector<std::size_t> best_;
};

double loss_at(const CostTable& table, std::size_t problem, std::size_t config) {
  return std::min(table.loss[problem][config], CostTable::kUnmeasuredLoss);
}

// The weighted sums of the losses if each configuration joined those with these least losses. Goes
// along the rows of the table.
std::vector<double> totals_with(const CostTable& table, const std::vector<double>& least) {
  std::vector<double> totals(table.configs.size());
  for (std::size_t problem = 0; problem < least.size(); ++problem) {
    const double most = least[problem], weight = table.weights[problem];
    const std::vector<double>& losses = table.loss[problem];
    for (std::size_t config = 0; config < totals.size(); ++config)
      totals[config] += weight * std::min(most, losses[config]);
  }
  return totals;
}

// The configurations of a set that serve each problem best and second best.
struct BestTwo {
  std::vector<std::size_t> place;    // in the set, of the best
  std::vector<double> first, second;

  BestTwo(const CostTable& table, const std::vector<std::size_t>& configs)
      : place(table.problems.size()),
        first(place.size(), CostTable::kUnmeasuredLoss),
        second(place.size(), CostTable::kUnmeasuredLoss) {
    for (std::size_t problem = 0; problem < place.size(); ++problem) {
      for (std::size_t at = 0; at < configs.size(); ++at) {
        const double loss = loss_at(table, problem, configs[at]);
        if (loss < first[problem]) {
          second[problem] = first[problem];
          first[problem] = loss, place[problem] = at;
        } else {
          second[problem] = std::min(second[problem], loss);
        }
      }
    }
  }
};

// Exchanges configurations while that lowers the loss and keeps the promise: if there are sets of served
// problems, the configurations together serve all.
void exchange(const CostTable& table, std::vector<std::size_t>& configs,
              const std::vector<Bits>& served = {}) {
  const std::size_t problems = table.problems.size(), all = table.configs.size();
  for (int swap = 0; swap < kMostSwaps && !configs.empty(); ++swap) {
    const BestTwo best(table, configs);
    const std::vector<double> joined = totals_with(table, best.first);
    // The loss that is added where the best configuration of a problem leaves.
    std::vector<double> added(configs.size() * all);
    double lowest = 0;
    for (std::size_t problem = 0; problem < problems; ++problem) {
      const double first = best.first[problem], second = best.second[problem],
                   weight = table.weights[problem];
      lowest += weight * first;
      if (first == second) continue;
      double* const own = &added[best.place[problem] * all];
      const std::vector<double>& losses = table.loss[problem];
      for (std::size_t config = 0; config < all; ++config)
        own[config] += weight * (std::min(second, losses[config]) - std::min(first, losses[config]));
    }
    // The problems that only one configuration serves.
    std::vector<Bits> alone(served.empty() ? 0 : configs.size(), Bits(problems));
    for (std::size_t problem = 0; problem < problems && !served.empty(); ++problem) {
      std::size_t count = 0, last = 0;
      for (std::size_t at = 0; at < configs.size(); ++at) {
        if (served[configs[at]].has(problem)) ++count, last = at;
      }
      if (count == 1) alone[last].set(problem);
    }
    std::optional<std::pair<std::size_t, std::size_t>> better;  // a place, and the configuration for it
    for (std::size_t at = 0; at < configs.size(); ++at) {
      for (std::size_t config = 0; config < all; ++config) {
        const double loss = joined[config] + added[at * all + config];
        if (loss >= lowest - 1e-12) continue;
        if (!served.empty() && !alone[at].is_within(served[config])) continue;
        lowest = loss, better = {at, config};
      }
    }
    if (!better) return;
    configs[better->first] = better->second;
  }
}

// Configurations that serve the most problems best come first.
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
  std::vector<Bits> served;
  for (std::size_t config = 0; config < table.configs.size(); ++config)
    served.push_back(served_by(table, config, within));
  exchange(table, cover.configs, served);
  sort_by_use(table, cover.configs);
  return cover;
}

std::vector<std::size_t> least_loss(const CostTable& table, std::size_t count) {
  std::vector<std::size_t> configs;
  std::vector<double> least(table.problems.size(), CostTable::kUnmeasuredLoss);
  while (configs.size() < std::min(count, table.configs.size())) {
    const std::vector<double> totals = totals_with(table, least);
    const auto best = static_cast<std::size_t>(std::ranges::min_element(totals) - totals.begin());
    configs.push_back(best);
    for (std::size_t problem = 0; problem < least.size(); ++problem)
      least[problem] = std::min(least[problem], loss_at(table, problem, best));
  }
  exchange(table, configs);
  return configs;
}

}  // namespace gktune
