#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/output/table.h"
#include "db/portfolio.h"

namespace gktune {

// "n <= 65536", or "element = float": the condition of a node that is no leaf.
std::string condition_text(const PortfolioNode& node);

// The tree as indented lines; configurations are numbered from 1.
std::vector<std::string> tree_lines(const Portfolio& portfolio);

// The tree as rules, one for each leaf: "n <= 65536 and element = float". The condition of a
// tree without branches is empty.
struct PortfolioRule {
  std::string condition;
  std::size_t config = 0;  // its place
};
std::vector<PortfolioRule> rules_of(const Portfolio& portfolio);

// "the smallest number within 2 % of the best on every problem", or another proof of
// the number of configurations.
std::string proof_text(const Portfolio& portfolio);

// The fields of a loss.
Record loss_record(const PortfolioLoss& loss);

// "1.2 % on average, 4.0 % at worst"
std::string loss_text(const PortfolioLoss& loss);

}  // namespace gktune
