#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/identity.h"
#include "gktune/values.h"

namespace gktune {

// A node of the tree that chooses a configuration for a problem. Problems for which the axis has the value (a
// text or a boolean), or at most the value (a number), go to `yes`, others to `no`.
struct PortfolioNode {
  std::string axis;  // empty: a leaf
  Value value;
  std::size_t yes = 0, no = 0;  // places of the next nodes
  std::size_t config = 0;       // of a leaf: the place of its configuration
};

// The next node for an axis with this value.
bool goes_to_yes(const PortfolioNode& node, const Value& value);
// The leaf for a problem; null if the problem lacks an axis that the tree asks for.
const PortfolioNode* find_leaf(const std::vector<PortfolioNode>& tree, const Problem& problem);

// The loss against the best known configuration of each problem: 0.02 is 2 % more time.
struct PortfolioLoss {
  std::size_t configs = 0;
  double mean = 0, worst = 0;  // over the problems
  std::size_t unmeasured = 0;  // problems for which none of the configurations was measured
};

GKTUNE_FIELDS(PortfolioLoss, configs, mean, worst, unmeasured)

// A few configurations that serve all tuned problems of a kernel on one device.
struct Portfolio {
  std::string kernel, fingerprint;
  DeviceIdentity device;
  Regime regime = Regime::cold;
  std::string objective;
  double within = 0;                  // the loss that was allowed on each problem
  std::vector<Problem> problems;      // the problems that it was made from
  std::vector<Config> configs;        // the first serves the most
  std::vector<PortfolioNode> tree;    // the first is the root
  bool is_limited = false;            // fewer configurations than stay within the loss were allowed
  std::vector<PortfolioLoss> losses;  // with 1, 2, 4, 8 configurations, each chosen for its mean loss
  PortfolioLoss tree_loss;            // the loss of the configurations that the tree chooses
  // The tree's loss on problems that were held back while a portfolio was made of the others.
  std::optional<PortfolioLoss> held_back;
  std::int64_t made_unix_ms = 0;
  // Changes since it was made, as far as the database knows. Empty: it is not stale. Not stored.
  std::vector<std::string> stale = {};

  // True if a study with this version, device, regime and objective is one of those that it was made from.
  bool is_of(const Study& study) const;
  // The configuration for a problem, tuned or not. Null if the problem lacks an axis that the tree asks for.
  const Config* find(const Problem& problem) const;
};

// The body: what the database stores as JSON. The tree has a form of its own.
GKTUNE_FIELDS(Portfolio, problems, configs, is_limited, losses, tree_loss, held_back)
std::string body_text(const Portfolio& portfolio);
// Throws sql::Failure for other JSON.
void read_body_text(const std::string& text, Portfolio& portfolio);

// The change that newer trials of its problems mean.
inline constexpr std::string_view kPortfolioOutdated =
    "the portfolio was made before its problems were tuned the last time; `gktune db portfolio` makes it "
    "again";

}  // namespace gktune
