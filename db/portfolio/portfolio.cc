#include "db/portfolio/portfolio.h"

#include "db/portfolio/portfolio_json.h"
#include "db/sqlite/failure.h"

namespace gktune {
namespace {

SortedJson json_of(const PortfolioLoss& loss) {
  return {
      {"configs", loss.configs}, {"mean", loss.mean}, {"worst", loss.worst}, {"unmeasured", loss.unmeasured}};
}

PortfolioLoss loss_from(const SortedJson& json) {
  return {json.at("configs"), json.at("mean"), json.at("worst"), json.at("unmeasured")};
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
  SortedJson body = {{"problems", SortedJson::array()}, {"configs", SortedJson::array()},
                     {"tree", SortedJson::array()},     {"losses", SortedJson::array()},
                     {"is_smallest", portfolio.is_smallest}, {"at_least", portfolio.at_least},
                     {"tree_loss", json_of(portfolio.tree_loss)}};
  for (const Problem& problem : portfolio.problems) body["problems"].push_back(sorted_json(problem));
  for (const Config& config : portfolio.configs) body["configs"].push_back(sorted_json(config));
  for (const PortfolioNode& node : portfolio.tree) {
    if (node.axis.empty()) {
      body["tree"].push_back({{"config", node.config}});
    } else {
      body["tree"].push_back(
          {{"axis", node.axis}, {"value", sorted_json(node.value)}, {"yes", node.yes}, {"no", node.no}});
    }
  }
  for (const PortfolioLoss& loss : portfolio.losses) body["losses"].push_back(json_of(loss));
  if (portfolio.held_back) body["held_back"] = json_of(*portfolio.held_back);
  if (portfolio.held_back_nearest) body["held_back_nearest"] = json_of(*portfolio.held_back_nearest);
  return body;
}

void read_body(const SortedJson& body, Portfolio& portfolio) {
  for (const auto& problem : body.at("problems")) portfolio.problems.push_back(values_from(problem));
  for (const auto& config : body.at("configs")) portfolio.configs.push_back(values_from(config));
  const std::size_t nodes = body.at("tree").size();
  for (const auto& each : body.at("tree")) {
    PortfolioNode& node = portfolio.tree.emplace_back();
    const std::size_t own = portfolio.tree.size() - 1;
    if (each.contains("axis")) {
      node.axis = each.at("axis");
      node.value = value_from(each.at("value"));
      node.yes = each.at("yes");
      node.no = each.at("no");
      // Nodes point forwards, so that no question goes round in circles.
      if (node.axis.empty() || node.yes <= own || node.no <= own || node.yes >= nodes || node.no >= nodes)
        throw sqlite::Failure("damaged: a portfolio's tree");
    } else {
      node.config = each.at("config");
      if (node.config >= portfolio.configs.size()) throw sqlite::Failure("damaged: a portfolio's tree");
    }
  }
  if (portfolio.tree.empty()) throw sqlite::Failure("damaged: a portfolio without a tree");
  for (const auto& loss : body.at("losses")) portfolio.losses.push_back(loss_from(loss));
  portfolio.is_smallest = body.at("is_smallest");
  portfolio.at_least = body.at("at_least");
  portfolio.tree_loss = loss_from(body.at("tree_loss"));
  if (body.contains("held_back")) portfolio.held_back = loss_from(body["held_back"]);
  if (body.contains("held_back_nearest")) portfolio.held_back_nearest = loss_from(body["held_back_nearest"]);
}

void read_body_text(const std::string& text, Portfolio& portfolio) {
  try {
    read_body(SortedJson::parse(text), portfolio);
  } catch (const SortedJson::exception& error) {
    throw sqlite::Failure(std::string("damaged: ") + error.what());
  }
}

}  // namespace gktune
