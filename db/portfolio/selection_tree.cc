#include "db/portfolio/make_portfolio.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <limits>
#include <string>

namespace gktune {
namespace {

class Growth {
 public:
  Growth(const CostTable& table, std::span<const std::size_t> configs, double gain)
      : table_(table), configs_(configs) {
    least_gain_ = gain * std::accumulate(table.weights.begin(), table.weights.end(), 0.0);
  }

  std::vector<PortfolioNode> run() {
    std::vector<std::size_t> all(table_.problems.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    grow(all);
    return std::move(tree_);
  }

 private:
  using Problems = std::vector<std::size_t>;
  // A number between two sizes, halfway on a log scale; an integer if there is one.
  static Value between(const Value& low, const Value& high) {
    if (!low.is_integer() || !high.is_integer()) return Value((low.number() + high.number()) / 2);
    const auto a = static_cast<double>(low.integer()), b = static_cast<double>(high.integer());
    const double middle = a > 0 ? std::sqrt(a) * std::sqrt(b) : (a + b) / 2;
    const auto rounded = static_cast<std::int64_t>(std::floor(middle));
    return Value(std::clamp(rounded, low.integer(), high.integer() - 1));
  }

  // The division of some problems that loses least.
  struct Division {
    PortfolioNode condition;
    double loss = std::numeric_limits<double>::infinity();
  };

  void add(std::size_t problem, double sign, std::vector<double>& losses) const {
    const double weight = sign * table_.weights[problem];
    const std::vector<double>& own = table_.loss[problem];
    for (std::size_t place = 0; place < configs_.size(); ++place)
      losses[place] += weight * std::min(own[configs_[place]], CostTable::kUnmeasuredLoss);
  }

  // Goes through the problems by the value of the axis: those up to each value on one side, the others on the
  // other side; or, for a text or boolean, those of the value on one side.
  void divide(const Problems& problems, const std::string& axis, const std::vector<double>& whole,
              Division& best) const {
    const auto value_of = [&](std::size_t problem) -> const Value& {
      return *table_.problems[problem].find(axis);
    };
    Problems sorted = problems;
    std::ranges::stable_sort(sorted, [&](std::size_t a, std::size_t b) {
      const Value &left = value_of(a), &right = value_of(b);
      if (left.is_number() != right.is_number()) return left.is_number();
      return left.is_number() ? left.number() < right.number() : left < right;
    });
    std::vector<double> inside(configs_.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const Value& value = value_of(sorted[i]);
      const bool is_first = i == 0 || !(value_of(sorted[i - 1]) == value);
      if (!value.is_number() && is_first) std::ranges::fill(inside, 0.0);
      add(sorted[i], 1, inside);
      const Value* next = i + 1 < sorted.size() ? &value_of(sorted[i + 1]) : nullptr;
      if (value.is_number() && (next == nullptr || !next->is_number() || !(value.number() < next->number())))
        continue;
      if (!value.is_number() && next != nullptr && *next == value) continue;
      double in = std::numeric_limits<double>::infinity(), out = in;
      for (std::size_t place = 0; place < configs_.size(); ++place) {
        in = std::min(in, inside[place]);
        out = std::min(out, whole[place] - inside[place]);
      }
      if (in + out >= best.loss) continue;
      // All problems have this value, so it would divide nothing.
      if (!value.is_number() && value_of(sorted.front()) == value && next == nullptr) continue;
      best = {{axis, value.is_number() ? between(value, *next) : value}, in + out};
    }
  }

  std::size_t grow(const Problems& problems) {
    const std::size_t own = tree_.size();
    tree_.emplace_back();
    std::vector<double> losses(configs_.size());
    for (const std::size_t problem : problems) add(problem, 1, losses);
    const auto least = std::ranges::min_element(losses);
    const auto config = static_cast<std::size_t>(least - losses.begin());
    tree_[own].config = config;
    Division best{{}, *least - std::max(least_gain_, 1e-9 * *least + 1e-12)};
    for (const std::string& axis : table_.problems.front().names()) divide(problems, axis, losses, best);
    if (best.condition.axis.empty()) return own;
    Problems inside, outside;
    for (const std::size_t problem : problems) {
      const bool is_inside = goes_to_yes(best.condition, *table_.problems[problem].find(best.condition.axis));
      (is_inside ? inside : outside).push_back(problem);
    }
    const std::size_t yes = grow(inside), no = grow(outside);
    tree_[own] = {best.condition.axis, best.condition.value, yes, no, config};
    return own;
  }

  const CostTable& table_;
  std::span<const std::size_t> configs_;
  double least_gain_ = 0;
  std::vector<PortfolioNode> tree_;
};

}  // namespace

std::vector<PortfolioNode> selection_tree(const CostTable& table, std::span<const std::size_t> configs,
                                          double gain) {
  return Growth(table, configs, gain).run();
}

}  // namespace gktune
