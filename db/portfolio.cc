#include "db/portfolio.h"

#include <nlohmann/json.hpp>
#include <tuple>

#include "db/sql/failure.h"
#include "tuner/core/fields_json.h"

namespace gktune {

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

bool Portfolio::is_of(const Study& study) const {
  return std::tie(kernel, fingerprint, device, regime, objective) ==
         std::tie(study.kernel, study.fingerprint, study.device, study.regime, study.objective);
}

std::string body_text(const Portfolio& portfolio) {
  auto body = written<SortedJson>(portfolio);
  for (const PortfolioNode& node : portfolio.tree) {
    if (node.axis.empty())
      body["tree"].push_back({{"config", node.config}});
    else
      body["tree"].push_back({{"axis", node.axis},
                              {"value", value_json<SortedJson>(node.value)},
                              {"yes", node.yes},
                              {"no", node.no}});
  }
  return body.dump();
}

void read_body_text(const std::string& text, Portfolio& portfolio) {
  try {
    const auto body = SortedJson::parse(text);
    const auto read = [&](const char* name, auto& member) {
      if (body.contains(name)) read_into(member, body[name]);
    };
    fields(read, portfolio);
    for (const SortedJson& each : body.at("tree")) {
      PortfolioNode& node = portfolio.tree.emplace_back();
      if (each.contains("axis"))
        node = {each.at("axis"), value_from_json(each.at("value")), each.at("yes"), each.at("no")};
      else
        node.config = each.at("config");
    }
  } catch (const std::exception& error) {
    throw sql::Failure(std::string("damaged: ") + error.what());
  }
  const std::size_t nodes = portfolio.tree.size();
  if (nodes == 0) throw sql::Failure("damaged: a portfolio without a tree");
  for (std::size_t own = 0; own < nodes; ++own) {
    const PortfolioNode& node = portfolio.tree[own];
    // Nodes point forwards, so that no question goes round in circles.
    if (node.axis.empty() ? node.config >= portfolio.configs.size()
                          : node.yes <= own || node.no <= own || node.yes >= nodes || node.no >= nodes) {
      throw sql::Failure("damaged: a portfolio's tree");
    }
  }
}

}  // namespace gktune
