#include "db/portfolio/selection_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "db/distance.h"

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
  struct Choice {
    std::size_t config = 0;
    double loss = 0;
  };

  Choice best_of(const Problems& problems) const {
    Choice best{0, std::numeric_limits<double>::infinity()};
    for (std::size_t place = 0; place < configs_.size(); ++place) {
      double loss = 0;
      for (const std::size_t problem : problems)
        loss += table_.weights[problem] * std::min(table_.loss[problem][configs_[place]], CostTable::kUnmeasuredLoss);
      if (loss < best.loss) best = {place, loss};
    }
    return best;
  }

  // A number between two sizes, halfway on a log scale; an integer if there is one.
  static Value between(const Value& low, const Value& high) {
    if (!low.is_integer() || !high.is_integer()) return Value((low.number() + high.number()) / 2);
    const auto a = static_cast<double>(low.integer()), b = static_cast<double>(high.integer());
    const double middle = a > 0 ? std::sqrt(a) * std::sqrt(b) : (a + b) / 2;
    const auto rounded = static_cast<std::int64_t>(std::floor(middle));
    return Value(std::clamp(rounded, low.integer(), high.integer() - 1));
  }

  // All conditions that divide the problems.
  std::vector<PortfolioNode> conditions(const Problems& problems) const {
    std::vector<PortfolioNode> all;
    for (const std::string& axis : table_.problems.front().names()) {
      std::set<Value> values;
      for (const std::size_t problem : problems) values.insert(*table_.problems[problem].find(axis));
      std::vector<Value> sizes;
      for (const Value& value : values) {
        if (value.is_number()) {
          sizes.push_back(value);
        } else if (values.size() > 1) {
          all.push_back({axis, value});
        }
      }
      std::ranges::sort(sizes, {}, [](const Value& size) { return size.number(); });
      for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
        if (sizes[i].number() < sizes[i + 1].number()) all.push_back({axis, between(sizes[i], sizes[i + 1])});
      }
    }
    return all;
  }

  std::size_t grow(const Problems& problems) {
    const std::size_t own = tree_.size();
    tree_.emplace_back();
    const Choice whole = best_of(problems);
    tree_[own].config = whole.config;
    double least = whole.loss - std::max(least_gain_, 1e-12);
    PortfolioNode best;
    Problems best_yes, best_no;
    for (PortfolioNode& condition : conditions(problems)) {
      Problems yes, no;
      for (const std::size_t problem : problems) {
        (goes_to_yes(condition, *table_.problems[problem].find(condition.axis)) ? yes : no).push_back(problem);
      }
      const double loss = best_of(yes).loss + best_of(no).loss;
      if (loss >= least) continue;
      least = loss;
      best = condition;
      best_yes = std::move(yes);
      best_no = std::move(no);
    }
    if (best.axis.empty()) return own;
    const std::size_t yes = grow(best_yes), no = grow(best_no);
    tree_[own] = {best.axis, best.value, yes, no, whole.config};
    return own;
  }

  const CostTable& table_;
  std::span<const std::size_t> configs_;
  double least_gain_ = 0;
  std::vector<PortfolioNode> tree_;
};

}  // namespace

std::vector<PortfolioNode> selection_tree(const CostTable& table, std::span<const std::size_t> configs, double gain) {
  return Growth(table, configs, gain).run();
}

}  // namespace gktune
