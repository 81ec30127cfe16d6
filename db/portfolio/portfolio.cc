#include "db/portfolio/portfolio.h"

#include "db/portfolio/portfolio_json.h"
#include "db/sqlite/failure.h"
#include "tuner/core/fields_json.h"

namespace gktune {
namespace {

// All but the identity and the tree.
template <class Archive, Is<Portfolio> S>
void body_fields(Archive&& archive, S& portfolio) {
  archive("problems", portfolio.problems);
  archive("configs", portfolio.configs);
  archive("is_smallest", portfolio.is_smallest);
  archive("at_least", portfolio.at_least);
  archive("losses", portfolio.losses);
  archive("tree_loss", portfolio.tree_loss);
  archive("held_back", portfolio.held_back);
  archive("held_back_nearest", portfolio.held_back_nearest);
}

}  // namespace

bool goes_to_yes(const PortfolioNode& node, const Value& value) {
  if (node.value.is_number()) return value.is_number() && value.number() <= node.value.number();
  return value == node.value;
}

const PortfolioNode* find_leaf(const std::vector<PortfolioNode>& tree, const Problem& problem) {
  if (tree.empty()) return nullptr;
  const PortfolioNode* node = &tree.front();
  while (!node->axis.empty()) {
    const Value* value = problem.find(node->axis);
    if (value == nullptr) return nullptr;
    node = &tree[goes_to_yes(*node, *value) ? node->yes : node->no];
  }
  return node;
}

const Config* Portfolio::find(const Problem& problem) const {
  const PortfolioNode* leaf = find_leaf(tree, problem);
  return leaf == nullptr ? nullptr : &configs[leaf->config];
}

SortedJson body_json(const Portfolio& portfolio) {
  SortedJson body, tree = SortedJson::array();
  const auto write = [&](const char* name, const auto& member) {
    if (auto json = written<SortedJson>(member); !json.is_null()) body[name] = std::move(json);
  };
  body_fields(write, portfolio);
  for (const PortfolioNode& node : portfolio.tree) {
    if (node.axis.empty()) {
      tree.push_back({{"config", node.config}});
    } else {
      tree.push_back(
          {{"axis", node.axis}, {"value", sorted_json(node.value)}, {"yes", node.yes}, {"no", node.no}});
    }
  }
  body["tree"] = std::move(tree);
  return body;
}

void read_body_text(const std::string& text, Portfolio& portfolio) {
  try {
    const auto body = SortedJson::parse(text);
    const auto read = [&](const char* name, auto& member) {
      if (body.contains(name)) read_into(member, body[name]);
    };
    body_fields(read, portfolio);
    for (const SortedJson& each : body.at("tree")) {
      PortfolioNode& node = portfolio.tree.emplace_back();
      if (!each.contains("axis")) {
        node.config = each.at("config");
        continue;
      }
      node.axis = each.at("axis");
      node.value = value_from(each.at("value"));
      node.yes = each.at("yes");
      node.no = each.at("no");
    }
  } catch (const std::exception& error) {
    throw sqlite::Failure(std::string("damaged: ") + error.what());
  }
  const std::size_t nodes = portfolio.tree.size();
  if (nodes == 0) throw sqlite::Failure("damaged: a portfolio without a tree");
  for (std::size_t own = 0; own < nodes; ++own) {
    const PortfolioNode& node = portfolio.tree[own];
    // Nodes point forwards, so that no question goes round in circles.
    if (node.axis.empty() ? node.config >= portfolio.configs.size()
                          : node.yes <= own || node.no <= own || node.yes >= nodes || node.no >= nodes) {
      throw sqlite::Failure("damaged: a portfolio's tree");
    }
  }
}

}  // namespace gktune
