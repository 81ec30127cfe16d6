#include "engine/portfolio/make_portfolio.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <ranges>

namespace gktune {
namespace {

constexpr std::array<double, 5> kGains = {0, 0.0005, 0.002, 0.01, 0.05};
constexpr std::size_t kMostFolds = 10;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Grows a tree that chooses among some configurations.
class Growth {
 public:
  Growth(const CostTable& table, std::span<const std::size_t> configs, double gain)
      : table_(table), configs_(configs), least_gain_(gain * static_cast<double>(table.problems.size())) {}

  std::vector<PortfolioNode> run() {
    Problems all(table_.problems.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    grow(all);
    return std::move(tree_);
  }

 private:
  using Problems = std::vector<std::size_t>;
  // A way to divide some problems, and the loss that it leaves.
  struct Division {
    PortfolioNode condition;
    double loss = kInfinite;
  };

  // A number between two sizes, halfway on a log scale; an integer if there is one.
  static Value between(const Value& low, const Value& high) {
    if (!low.is_integer() || !high.is_integer()) return Value((low.number() + high.number()) / 2);
    const double a = low.number(), b = high.number(), middle = a > 0 ? std::sqrt(a) * std::sqrt(b) : (a + b) / 2;
    return Value(std::clamp(static_cast<std::int64_t>(std::floor(middle)), low.integer(), high.integer() - 1));
  }

  // Numbers come first, in their order.
  static bool is_less(const Value& a, const Value& b) {
    if (a.is_number() != b.is_number()) return a.is_number();
    return a.is_number() ? a.number() < b.number() : a < b;
  }

  const Value& value_of(std::size_t problem, const std::string& axis) const {
    return *table_.problems[problem].find(axis);
  }

  void add(std::size_t problem, std::vector<double>& losses) const {
    const std::vector<double>& own = table_.loss[problem];
    for (std::size_t place = 0; place < configs_.size(); ++place)
      losses[place] += std::min(own[configs_[place]], CostTable::kUnmeasuredLoss);
  }

  // Tries each way to divide the problems by an axis: those with numbers up to each value on one side and the others
  // on the other side, or those with each text or boolean on one side.
  void divide(const Problems& problems, const std::string& axis, const std::vector<double>& whole,
              Division& best) const {
    std::map<Value, std::vector<double>, decltype(&is_less)> groups(&is_less);  // losses, by the value of the axis
    for (const std::size_t problem : problems)
      add(problem, groups.try_emplace(value_of(problem, axis), configs_.size()).first->second);
    if (groups.size() < 2) return;
    std::vector<double> inside(configs_.size());
    for (auto group = groups.begin(); group != groups.end(); ++group) {
      const auto& [value, losses] = *group;
      const auto next = std::next(group);
      if (!value.is_number()) std::ranges::fill(inside, 0.0);
      std::ranges::transform(inside, losses, inside.begin(), std::plus());
      if (value.is_number() && (next == groups.end() || !next->first.is_number())) continue;
      double in = kInfinite, out = kInfinite;
      for (std::size_t place = 0; place < configs_.size(); ++place) {
        in = std::min(in, inside[place]);
        out = std::min(out, whole[place] - inside[place]);
      }
      if (in + out < best.loss) best = {{axis, value.is_number() ? between(value, next->first) : value}, in + out};
    }
  }

  std::size_t grow(const Problems& problems) {
    const std::size_t own = tree_.size();
    tree_.emplace_back();
    std::vector<double> losses(configs_.size());
    for (const std::size_t problem : problems) add(problem, losses);
    const auto least = std::ranges::min_element(losses);
    const auto config = static_cast<std::size_t>(least - losses.begin());
    tree_[own].config = config;
    Division best{{}, *least - std::max(least_gain_, 1e-9 * *least + 1e-12)};
    for (const std::string& axis : table_.problems.front().names()) divide(problems, axis, losses, best);
    const std::string& axis = best.condition.axis;
    if (axis.empty()) return own;
    Problems inside, outside;
    for (const std::size_t problem : problems)
      (goes_to_yes(best.condition, value_of(problem, axis)) ? inside : outside).push_back(problem);
    const std::size_t yes = grow(inside), no = grow(outside);
    tree_[own] = {axis, best.condition.value, yes, no, config};
    return own;
  }

  const CostTable& table_;
  std::span<const std::size_t> configs_;
  const double least_gain_;
  std::vector<PortfolioNode> tree_;
};

// The loss where problem i loses losses[i].
PortfolioLoss loss_of(std::size_t configs, const std::vector<double>& losses) {
  PortfolioLoss loss{.configs = configs};
  for (std::size_t problem = 0; problem < losses.size(); ++problem) {
    if (!std::isfinite(losses[problem])) {
      ++loss.unmeasured;
      continue;
    }
    loss.mean += losses[problem];
    loss.worst = std::max(loss.worst, losses[problem]);
  }
  if (loss.unmeasured < losses.size()) loss.mean /= static_cast<double>(losses.size() - loss.unmeasured);
  return loss;
}

// The loss where each problem has the best of the configurations.
PortfolioLoss loss_with(const CostTable& table, const std::vector<std::size_t>& configs) {
  std::vector<double> losses;
  for (const std::vector<double>& own : table.loss) {
    const auto of_config = [&](std::size_t config) { return own[config]; };
    losses.push_back(std::ranges::min(configs | std::views::transform(of_config)));
  }
  return loss_of(configs.size(), losses);
}

struct Choice {
  std::vector<std::size_t> configs;
  bool is_limited = false;  // the request allows fewer than stay within the loss
};

Choice choose(const CostTable& table, const PortfolioRequest& request) {
  auto cover = small_cover(table, request.within);
  if (request.most_configs == 0 || cover.size() <= request.most_configs) return {std::move(cover)};
  return {least_loss(table, request.most_configs), true};
}

// Makes a portfolio of all problems but those of each fold, and asks it for these.
class HeldBack {
 public:
  HeldBack(const CostTable& table, const PortfolioRequest& request) : table_(table) {
    const std::size_t folds = std::min(kMostFolds, table.problems.size());
    for (std::size_t fold = 0; fold < folds; ++fold) {
      Fold& made = folds_.emplace_back();
      for (std::size_t i = 0; i < table.problems.size(); ++i)
        (i % folds == fold ? made.held : made.kept).push_back(i);
      made.part = table.of(made.kept);
      made.configs = choose(made.part, request).configs;
    }
  }

  PortfolioLoss of_tree(double gain) const {
    std::vector<double> losses(table_.problems.size());
    for (const Fold& fold : folds_) {
      const auto tree = selection_tree(fold.part, fold.configs, gain);
      for (const std::size_t problem : fold.held)
        losses[problem] = table_.loss[problem][fold.configs[find_leaf(tree, table_.problems[problem])->config]];
    }
    return loss_of(0, losses);
  }

 private:
  struct Fold {
    CostTable part;
    std::vector<std::size_t> kept, held, configs;
  };
  const CostTable& table_;
  std::vector<Fold> folds_;
};

// An unmeasured choice may be arbitrarily bad.
double score_of(const PortfolioLoss& loss) { return loss.mean + static_cast<double>(loss.unmeasured); }

}  // namespace

std::vector<PortfolioNode> selection_tree(const CostTable& table, std::span<const std::size_t> configs,
                                          double gain) {
  return Growth(table, configs, gain).run();
}

Portfolio make_portfolio(const CostTable& table, const PortfolioRequest& request) {
  const Study& study = table.study;
  Portfolio portfolio{study.kernel, study.fingerprint, study.device, study.regime, study.objective};
  portfolio.within = request.within;
  portfolio.problems = table.problems;
  const auto [configs, is_limited] = choose(table, request);
  portfolio.is_limited = is_limited;
  for (const std::size_t config : configs) portfolio.configs.push_back(table.configs[config]);
  for (const std::size_t count : {1u, 2u, 4u, 8u}) {
    if (count <= table.configs.size()) portfolio.losses.push_back(loss_with(table, least_loss(table, count)));
  }

  // Divide as finely as serves problems that were held back.
  double best_gain = 0;
  if (table.problems.size() >= 3) {
    const HeldBack validation(table, request);
    for (const double gain : kGains) {
      const PortfolioLoss loss = validation.of_tree(gain);
      if (portfolio.held_back && score_of(loss) >= score_of(*portfolio.held_back)) continue;
      portfolio.held_back = loss;
      best_gain = gain;
    }
    portfolio.held_back->configs = configs.size();
  }
  portfolio.tree = selection_tree(table, configs, best_gain);
  std::vector<double> losses;
  for (std::size_t i = 0; i < table.problems.size(); ++i)
    losses.push_back(table.loss[i][configs[find_leaf(portfolio.tree, table.problems[i])->config]]);
  portfolio.tree_loss = loss_of(configs.size(), losses);
  return portfolio;
}

}  // namespace gktune
