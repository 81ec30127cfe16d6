#include "tuner/space/solver/space.h"

#include <algorithm>
#include <array>
#include <boost/container/small_vector.hpp>
#include <compare>
#include <iterator>
#include <numeric>
#include <utility>

#include "tuner/space/solver/group_product.h"
#include "tuner/space/solver/node_table.h"
#include "tuner/space/solver/space_builder.h"

namespace gktune {
namespace {

// Avoids an allocation for each configuration that is fetched.
using SmallRanks = boost::container::small_vector<std::uint32_t, 64>;

// A size of this many bits lets the sum of two indices fit a Count.
constexpr unsigned kMostBits = 127;

// Finds the places of a parameter's values.
class ValueIndex {
 public:
  explicit ValueIndex(const std::vector<Value>& values) : by_value_(values.size()) {
    std::iota(by_value_.begin(), by_value_.end(), 0u);
    std::ranges::sort(by_value_, [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
  }
  std::optional<std::uint32_t> find(const std::vector<Value>& values, const Value& value) const {
    const auto found = std::ranges::lower_bound(
        by_value_, value, [](const Value& a, const Value& b) { return a < b; },
        [&](std::uint32_t rank) -> const Value& { return values[rank]; });
    if (found == by_value_.end() || values[*found] != value) return std::nullopt;
    return *found;
  }

 private:
  std::vector<std::uint32_t> by_value_;
};

// Adds the nodes for a sorted run of combinations that agree above a level.
class ListedTree {
 public:
  ListedTree(const std::vector<std::uint32_t>& members, GroupTree& tree) : members_(members), nodes_(tree) {}

  GroupTree::Node add(std::span<const Space::Ranks> run, std::size_t level) {
    if (level == members_.size()) return GroupTree::kLeaf;
    std::vector<GroupTree::Branch> branches;
    while (!run.empty()) {
      const std::uint32_t rank = run.front()[members_[level]];
      std::size_t alike = 1;
      while (alike < run.size() && run[alike][members_[level]] == rank) ++alike;
      branches.push_back({rank, add(run.first(alike), level + 1)});
      run = run.subspan(alike);
    }
    return nodes_.intern(branches);
  }

 private:
  const std::vector<std::uint32_t>& members_;
  NodeTable nodes_;
};

// A group in which only the listed combinations are valid. `members` are parameters by number, ascending;
// each listed combination has a rank for every parameter.
Group listed_group(std::vector<std::uint32_t> members, std::vector<Space::Ranks> valid) {
  std::ranges::sort(valid);
  Group group{std::move(members), {}, false};
  ListedTree(group.members, group.tree).add(valid, 0);
  group.tree.finish();
  return group;
}

}  // namespace

struct Space::Body {
  std::vector<Parameter> parameters;
  std::shared_ptr<const Config::Names> names;  // the parameters', in every configuration
  std::vector<ValueIndex> values;
  GroupProduct product;
  Count cartesian = 1;

  static std::unique_ptr<Body> make(std::vector<Parameter> parameters, GroupProduct product) {
    auto body = std::make_unique<Body>();
    body->product = std::move(product);
    Config::Names names;
    for (const Parameter& parameter : parameters) {
      names.push_back(parameter.name);
      body->values.emplace_back(parameter.values);
      body->cartesian *= parameter.values.size();
    }
    body->names = std::make_shared<const Config::Names>(std::move(names));
    body->parameters = std::move(parameters);
    return body;
  }
};

Space::Space(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Space::Space(Space&&) noexcept = default;
Space& Space::operator=(Space&&) noexcept = default;
Space::~Space() = default;

Result<Space, SpaceError> Space::build(std::vector<Parameter> parameters,
                                       const std::vector<Constraint>& constraints, const Scope& scope,
                                       const SpaceLimits& limits) {
  auto product = SpaceBuilder(parameters, constraints, scope, limits).build();
  if (!product) return product.error();
  if (product->size().bits() > kMostBits)
    return SpaceError{SpaceError::Kind::too_large,
                      "more than 10^38 configurations are valid; it takes fewer parameters or values",
                      std::nullopt, 0, 0};
  return Space(Body::make(std::move(parameters), std::move(*product)));
}

Space Space::of(std::vector<Parameter> parameters, std::vector<Ranks> valid) {
  std::vector<std::uint32_t> members;
  for (std::uint32_t parameter = 0; parameter < parameters.size(); ++parameter) {
    if (parameters[parameter].values.size() > 1) members.push_back(parameter);
  }
  std::vector<Group> groups;
  if (!members.empty()) groups.push_back(listed_group(std::move(members), std::move(valid)));
  const std::size_t count = parameters.size();
  return Space(Body::make(std::move(parameters), GroupProduct(std::move(groups), count)));
}

const std::vector<Parameter>& Space::parameters() const { return body_->parameters; }
const Count& Space::size() const { return body_->product.size(); }
const Count& Space::cartesian() const { return body_->cartesian; }
std::size_t Space::bytes() const { return body_->product.bytes(); }

Config Space::at(const Count& index) const {
  SmallRanks ranks(body_->parameters.size());
  const std::span<std::uint32_t> places(ranks.data(), ranks.size());
  body_->product.ranks_at(index, places);
  return config_of(places);
}

Space::Ranks Space::ranks_at(std::uint64_t index) const {
  Ranks ranks(body_->parameters.size());
  body_->product.ranks_at(index, ranks);
  return ranks;
}

Space::Ranks Space::ranks_at(const Count& index) const {
  Ranks ranks(body_->parameters.size());
  body_->product.ranks_at(index, ranks);
  return ranks;
}

bool Space::contains(std::span<const std::uint32_t> ranks) const {
  if (ranks.size() != body_->parameters.size()) return false;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] >= body_->parameters[i].values.size()) return false;
  }
  return body_->product.index_of(ranks).has_value();
}

std::vector<std::uint32_t> Space::choices(std::span<const std::uint32_t> ranks,
                                          std::uint32_t parameter) const {
  return body_->product.choices(ranks, parameter);
}

Config Space::config_of(std::span<const std::uint32_t> ranks) const {
  std::vector<Value> values;
  values.reserve(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const Value& value = body_->parameters[i].values[ranks[i]];
    // Most are integers, which are cheaper to make than any value is to copy.
    if (value.is_integer()) {
      values.emplace_back(value.integer());
    } else {
      values.push_back(value);
    }
  }
  return Config(body_->names, std::move(values));
}

std::optional<Space::Ranks> Space::ranks_of(const Config& config) const {
  if (config.size() != body_->parameters.size()) return std::nullopt;
  Ranks ranks;
  ranks.reserve(config.size());
  for (std::size_t i = 0; i < config.size(); ++i) {
    const Parameter& parameter = body_->parameters[i];
    const Value* const value =
        config.name(i) == parameter.name ? &config.value(i) : config.find(parameter.name);
    if (value == nullptr) return std::nullopt;
    const auto rank = body_->values[i].find(parameter.values, *value);
    if (!rank) return std::nullopt;
    ranks.push_back(*rank);
  }
  return ranks;
}

std::optional<Count> Space::index_of(const Config& config) const {
  const auto ranks = ranks_of(config);
  return ranks ? body_->product.index_of(*ranks) : std::nullopt;
}

bool Space::contains(const Config& config) const { return index_of(config).has_value(); }

Count Space::sample(std::mt19937_64& random) const {
  // Draws as many random bits as the size has, again until they form a valid index.
  const unsigned bits = size().bits();
  while (true) {
    Count drawn = 0;
    for (unsigned taken = 0; taken < bits; taken += 64) {
      const unsigned missing = std::min(64u, bits - taken);
      drawn <<= missing;
      drawn += random() >> (64 - missing);
    }
    if (drawn < size()) return drawn;
  }
}

std::vector<Config> Space::neighbours(const Config& config, Neighbourhood neighbourhood,
                                      std::size_t limit) const {
  struct Neighbour {
    std::uint32_t distance, parameter, rank;
    auto operator<=>(const Neighbour&) const = default;
  };
  auto ranks = ranks_of(config);
  if (!ranks) return {};
  std::vector<Neighbour> found;
  for (std::uint32_t parameter = 0; parameter < ranks->size(); ++parameter) {
    const std::uint32_t own = (*ranks)[parameter];
    auto choices = body_->product.choices(*ranks, parameter);
    if (neighbourhood == Neighbourhood::one_step) {
      const auto above = std::ranges::upper_bound(choices, own);
      const auto below = std::ranges::lower_bound(choices, own);
      std::vector<std::uint32_t> next;
      if (below != choices.begin()) next.push_back(*std::prev(below));
      if (above != choices.end()) next.push_back(*above);
      choices = std::move(next);
    }
    for (const std::uint32_t rank : choices) {
      if (rank != own) found.push_back({rank < own ? own - rank : rank - own, parameter, rank});
    }
  }
  std::ranges::sort(found);
  if (found.size() > limit) found.resize(limit);
  std::vector<Config> neighbours;
  for (const Neighbour& neighbour : found) {
    Ranks changed = *ranks;
    changed[neighbour.parameter] = neighbour.rank;
    neighbours.push_back(config_of(changed));
  }
  return neighbours;
}

std::optional<Config> Space::default_config() const {
  Ranks wanted;
  for (std::size_t i = 0; i < body_->parameters.size(); ++i) {
    const Parameter& parameter = body_->parameters[i];
    std::optional<std::uint32_t> rank;
    if (parameter.default_value) rank = body_->values[i].find(parameter.values, *parameter.default_value);
    wanted.push_back(rank.value_or(0));
  }
  return config_of(body_->product.closest(wanted));
}

}  // namespace gktune
