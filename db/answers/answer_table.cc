#include "db/answers/answer_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "db/answers/distance.h"
#include "tuner/core/spelling.h"
#include "tuner/core/text.h"

namespace gktune {
namespace {

constexpr std::size_t kMostAxes = 32;
constexpr std::uint32_t kNoCluster = ~std::uint32_t{0};
// Sums of the same squares in another order may differ by this much.
constexpr double kRounded = 1 - 1e-12;
// A different category is as far as a factor of a million in one size.
constexpr double kCategoryStep = 20;

bool fits(const DeviceIdentity& asked, const DeviceIdentity& tuned) {
  return (asked.kind.empty() || asked.kind == tuned.kind) &&
         (asked.name.empty() || asked.name == tuned.name) &&
         (asked.architecture.empty() || asked.architecture == tuned.architecture) &&
         (asked.multiprocessors == 0 || asked.multiprocessors == tuned.multiprocessors);
}

bool has_same_architecture(const DeviceIdentity& asked, const DeviceIdentity& tuned) {
  return (asked.kind.empty() || asked.kind == tuned.kind) && !asked.architecture.empty() &&
         asked.architecture == tuned.architecture;
}

// Numbers are the same in the hash of an AxisValue. Where they have to be equal, they count.
std::uint64_t mixed(std::uint64_t hash, const AxisValue& value, bool is_exact) {
  hash = value.mixed_into(hash);
  if (!is_exact || !value.is_number()) return hash;
  return (hash ^ std::bit_cast<std::uint64_t>(value.number() + 0.0)) * 0x9e3779b97f4a7c15u;
}

std::string described(const DeviceIdentity& device) {
  std::string text = device.name.empty() ? device.kind : device.name;
  if (!device.architecture.empty()) text += (text.empty() ? "" : ", ") + device.architecture;
  return text;
}

// The reason why a question that names these axes may have no answer.
std::string reason_for(const KernelWinners& winners, const DeviceIdentity& device,
                       std::span<const std::string> axes) {
  const std::string& name = winners.kernel;
  if (winners.versions.empty()) {
    return "the database has no winner of kernel '" + name + "'" + did_you_mean(name, winners.known_kernels);
  }
  std::set<std::string> devices, names;
  std::map<std::string, std::set<std::string>> texts;
  bool has_device = false;
  for (const auto& version : winners.versions) {
    for (const Winner& winner : version.winners) {
      devices.insert(described(winner.study.device));
      if (!fits(device, winner.study.device) && !has_same_architecture(device, winner.study.device)) continue;
      has_device = true;
      for (const auto& [axis, value] : winner.study.problem) {
        names.insert(axis);
        if (!value.is_number()) texts[axis].insert(value.str());
      }
    }
  }
  if (!has_device) {
    return "'" + name + "' was not tuned on " + described(device) + "; it was tuned on " + joined(devices);
  }
  for (const std::string& axis : axes) {
    if (!names.contains(axis)) return "'" + name + "' has no axis '" + axis + "'; it has " + joined(names);
  }
  std::string reason = "'" + name + "' was not tuned for such a problem";
  for (const auto& [axis, values] : texts) reason += "; " + axis + " was " + joined(values);
  return reason;
}

// The reason why a winner no longer counts; no value if it does.
std::optional<std::string> refusal(const Winner& winner, const Freshness& freshness) {
  if (!freshness.fingerprint.empty() && winner.study.fingerprint != freshness.fingerprint) {
    return "of other sources";
  }
  const auto differs = [](const std::string& asked, const std::string& measured) {
    return !asked.empty() && !measured.empty() && major_version(asked) != major_version(measured);
  };
  const auto& measured = winner.environment;
  if (!measured) return std::nullopt;
  if (differs(freshness.driver, measured->driver)) return "measured with driver " + measured->driver;
  if (differs(freshness.runtime, measured->runtime)) return "measured with CUDA " + measured->runtime;
  return std::nullopt;
}

// The values of device.NAME in expressions on the asked device. An unknown device
// counts as one of its architecture.
NamedValues attributes_of(const KernelWinners& winners, const DeviceIdentity& device) {
  for (const auto& [identity, attributes] : winners.devices) {
    if (fits(device, identity)) return attributes;
  }
  for (const auto& [identity, attributes] : winners.devices) {
    if (!has_same_architecture(device, identity)) continue;
    NamedValues own = attributes;
    if (!device.name.empty()) own.set("name", device.name);
    if (device.multiprocessors != 0) own.set("multiprocessors", device.multiprocessors);
    return own;
  }
  return {{"kind", device.kind},
          {"name", device.name},
          {"architecture", device.architecture},
          {"multiprocessors", device.multiprocessors}};
}

}  // namespace

std::vector<std::string> changes_since(const Winner& winner, const Freshness& freshness) {
  std::vector<std::string> changes;
  if (winner.has_later_version && freshness.fingerprint.empty()) changes.emplace_back(kSourceChanged);
  if (!winner.environment) return changes;
  SessionEnvironment now = winner.latest ? *winner.latest : SessionEnvironment();
  const auto name = [](const std::string& asked, const std::string& measured, std::string& version) {
    if (!asked.empty()) version = measured.starts_with(asked) ? measured : asked;  // "580" names 580.65
  };
  name(freshness.driver, winner.environment->driver, now.driver);
  name(freshness.runtime, winner.environment->runtime, now.runtime);
  for (std::string& change : changes_between(*winner.environment, now)) changes.push_back(std::move(change));
  return changes;
}

struct AnswerTable::Places {
  std::uint64_t hash = 0;
  std::array<double, kMostAxes> at;
};

AnswerTable::AnswerTable(const KernelWinners& winners, const DeviceIdentity& device,
                         std::span<const std::string> axes, const Freshness& freshness)
    : axes_(axes.begin(), axes.end()), exact_(axes.size()) {
  const DeviceIdentity asked = device == DeviceIdentity{} && !winners.versions.empty()
                                   ? winners.versions.front().winners.front().study.device
                                   : device;
  reason_ = reason_for(winners, asked, axes_);
  note_damage(winners, asked, freshness);
  matching_.resize(axes_.size(), AxisMatching::nearest);
  if (winners.versions.empty() || axes_.size() > kMostAxes) return;
  // The latest version says how axes match.
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    const Value* declared = winners.versions.front().space.matching.find(axes_[axis]);
    if (declared != nullptr && declared->str() == "categorical") matching_[axis] = AxisMatching::categorical;
    if (declared != nullptr && declared->str() == "exact") matching_[axis] = AxisMatching::exact;
    is_declared_ = is_declared_ || matching_[axis] != AxisMatching::nearest;
  }
  const NamedValues attributes = attributes_of(winners, asked);
  for (const auto& version : winners.versions) {
    rules_.push_back(std::make_unique<const ConfigRules>(version.space, attributes, axes_));
  }
  for (const Match match : {Match::nearest_problem, Match::same_architecture}) {
    for (std::size_t i = 0; i < winners.versions.size(); ++i) {
      add_tier(winners.versions[i], *rules_[i], asked, match, freshness);
    }
  }
  add_spares(winners, asked, freshness);
  index_exact_answers();
}

// The first tier answers before the others, and there an exact answer before the nearest.
void AnswerTable::index_exact_answers() {
  if (tiers_.empty() || axes_.empty()) return;
  struct Exact {
    const Answer* answer;
    const Value* values;
    std::size_t rank;
  };
  std::vector<Exact> all;
  for (const Cluster& cluster : tiers_.front().clusters) {
    for (std::size_t row = 0; row < cluster.exact_answers.size(); ++row) {
      const Answer& answer = cluster.exact_answers[row];
      if (answer.match != Match::exact) continue;
      all.push_back({&answer, &cluster.values[row * axes_.size()], cluster.ranks[row]});
    }
  }
  std::ranges::sort(all, {}, &Exact::rank);  // of equal problems the preferred one is added first
  for (const Exact& each : all) {
    const std::vector<AxisValue> values(each.values, each.values + axes_.size());
    if (exact_.find(values) == nullptr) exact_.set(values, each.answer);
  }
}

void AnswerTable::add_spares(const KernelWinners& winners, const DeviceIdentity& device,
                             const Freshness& freshness) {
  const auto is_fresh = [&](const KernelVersion& version) {
    return freshness.fingerprint.empty() ||
           version.winners.front().study.fingerprint == freshness.fingerprint;
  };
  const KernelVersion* latest_with_default = nullptr;
  for (std::size_t i = 0; i < winners.versions.size(); ++i) {
    const KernelVersion& version = winners.versions[i];
    if (!is_fresh(version)) continue;
    for (const Portfolio& portfolio : version.portfolios) {
      if (!fits(device, portfolio.device)) continue;
      // The one that stands in where nobody has made a portfolio knows no problems.
      Spare& spare =
          spares_.emplace_back(Spare{{}, portfolio.tree, rules_[i].get(), !portfolio.problems.empty()});
      // And the changes since any of its problems was measured.
      std::vector<std::string> stale = portfolio.stale;
      for (const Winner& winner : version.winners) {
        const Study& study = winner.study;
        if (study.device != portfolio.device || study.regime != portfolio.regime ||
            study.objective != portfolio.objective) {
          continue;
        }
        for (std::string& change : changes_since(winner, freshness)) add_change(stale, std::move(change));
      }
      for (const Config& config : portfolio.configs) {
        spare.answers.push_back({Match::portfolio, config, 0, {}, portfolio.device, reason_, stale});
      }
    }
    if (latest_with_default == nullptr && !version.space.default_config.empty())
      latest_with_default = &version;
  }
  if (latest_with_default == nullptr) return;
  const auto place = static_cast<std::size_t>(latest_with_default - winners.versions.data());
  spares_.push_back(
      {{{Match::space_default, latest_with_default->space.default_config, 0, {}, {}, reason_, {}}},
       {},
       rules_[place].get(),
       false});
}

// Appends to the reason which winners were left out.
void AnswerTable::note_damage(const KernelWinners& winners, const DeviceIdentity& device,
                              const Freshness& freshness) {
  std::map<std::string, int> stale;
  for (const KernelVersion& version : winners.versions) {
    for (const Winner& winner : version.winners) {
      if (!fits(device, winner.study.device) && !has_same_architecture(device, winner.study.device)) continue;
      if (const auto why = refusal(winner, freshness)) ++stale[*why];
    }
  }
  const auto winners_text = [](std::size_t count) {
    return std::to_string(count) + (count == 1 ? " winner was" : " winners were");
  };
  for (const auto& [why, count] : stale) {
    reason_ += "; " + winners_text(static_cast<std::size_t>(count)) + " " + why;
  }
  if (!winners.damage.empty()) {
    reason_ += "; " + std::to_string(winners.damage.size()) +
               (winners.damage.size() == 1 ? " row is" : " rows are") + " damaged: " + winners.damage.front();
  }
}

void AnswerTable::add_tier(const KernelVersion& version, const ConfigRules& rules,
                           const DeviceIdentity& device, Match match, const Freshness& freshness) {
  struct Row {
    const Winner* winner;
    std::vector<double> places;
    std::vector<Value> values;
    std::size_t rank;
  };
  std::map<std::pair<int, std::vector<Value>>, std::vector<Row>> rows;
  for (const Winner& winner : version.winners) {
    const Study& study = winner.study;
    const bool is_admitted = match == Match::nearest_problem ? fits(device, study.device)
                                                             : has_same_architecture(device, study.device);
    if (!is_admitted || refusal(winner, freshness)) continue;
    Row row{&winner, {}, {}, 0};
    std::vector<Value> categories;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      const Value* value = study.problem.find(axes_[axis]);
      if (value == nullptr || (value->is_number() && !std::isfinite(place_of(value->number())))) break;
      const bool is_categorical = matching_[axis] == AxisMatching::categorical;
      const bool is_near = value->is_number() && matching_[axis] == AxisMatching::nearest;
      row.places.push_back(is_near ? place_of(value->number()) : 0);
      row.values.push_back(*value);
      categories.push_back(is_near || is_categorical ? Value(0) : *value);
    }
    if (row.places.size() < axes_.size()) continue;
    const int left_out = static_cast<int>(study.problem.size() - axes_.size());
    // Preferred among equally near ones; the version is sorted by time.
    const std::size_t class_of = (study.regime != Regime::cold ? 2 : 0) + (study.objective != "time" ? 1 : 0);
    row.rank = class_of * version.winners.size() + static_cast<std::size_t>(&winner - version.winners.data());
    rows[{left_out, categories}].push_back(std::move(row));
  }
  if (rows.empty()) return;

  Tier& tier = tiers_.emplace_back();
  tier.rules = &rules;
  for (auto& [key, members] : rows) {
    Cluster& cluster = tier.clusters.emplace_back();
    cluster.left_out = key.first;
    cluster.categories = key.second;
    std::size_t most = 0, second_most = 0;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      std::set<double> different;
      for (const Row& row : members) different.insert(row.places[axis]);
      if (different.size() > most) {
        second_most = most, cluster.second = cluster.pivot;
        most = different.size(), cluster.pivot = axis;
      } else if (different.size() > second_most) {
        second_most = different.size(), cluster.second = axis;
      }
    }
    const auto place_along = [&](const Row& row, std::size_t axis) {
      return axes_.empty() ? 0.0 : row.places[axis];
    };
    std::ranges::sort(members, {}, [&](const Row& row) {
      return std::tuple(place_along(row, cluster.pivot), place_along(row, cluster.second), row.rank);
    });
    for (const Row& row : members) {
      const double pivot = place_along(row, cluster.pivot);
      if (cluster.pivots.empty() || cluster.pivots.back() != pivot) {
        cluster.pivots.push_back(pivot);
        cluster.first_rows.push_back(static_cast<std::uint32_t>(cluster.answers.size()));
      }
      cluster.seconds.push_back(place_along(row, cluster.second));
      cluster.places.insert(cluster.places.end(), row.places.begin(), row.places.end());
      cluster.values.insert(cluster.values.end(), row.values.begin(), row.values.end());
      cluster.ranks.push_back(row.rank);
      const Study& study = row.winner->study;
      cluster.answers.push_back({match,
                                 row.winner->config,
                                 row.winner->time_us,
                                 study.problem,
                                 study.device,
                                 {},
                                 changes_since(*row.winner, freshness)});
      cluster.exact_answers.push_back(cluster.answers.back());
      if (match == Match::nearest_problem && cluster.left_out == 0) {
        cluster.exact_answers.back().match = Match::exact;
      }
    }
    cluster.first_rows.push_back(static_cast<std::uint32_t>(cluster.answers.size()));
    const double range = cluster.pivots.back() - cluster.pivots.front();
    cluster.parts_per_place = range > 0 ? static_cast<double>(cluster.pivots.size()) / range : 0;
    std::uint32_t first = 0;
    for (std::size_t part = 0; part < cluster.pivots.size(); ++part) {
      while (first < cluster.pivots.size() && cluster.part_of(cluster.pivots[first]) < part) ++first;
      cluster.parts.push_back(first);
    }
    cluster.parts.push_back(static_cast<std::uint32_t>(cluster.pivots.size()));
  }
  tier.slots.assign(std::bit_ceil(2 * tier.clusters.size()), kNoCluster);
  for (std::uint32_t i = 0; i < tier.clusters.size(); ++i) {
    std::uint64_t hash = 0;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      hash = mixed(hash, tier.clusters[i].categories[axis], matching_[axis] == AxisMatching::exact);
    }
    std::size_t slot = hash & (tier.slots.size() - 1);
    while (tier.slots[slot] != kNoCluster) slot = (slot + 1) & (tier.slots.size() - 1);
    tier.slots[slot] = i;
  }
}

bool AnswerTable::find_places(std::span<const AxisValue> values, Places& places) const {
  if (values.size() != axes_.size()) return false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double place = values[i].is_number() ? place_of(values[i].number()) : 0;
    if (!std::isfinite(place)) return false;
    places.at[i] = place;
    if (!is_declared_ || matching_[i] == AxisMatching::nearest) {
      places.hash = values[i].mixed_into(places.hash);
    } else {
      const bool is_exact = matching_[i] == AxisMatching::exact;
      places.at[i] = 0;
      places.hash = mixed(places.hash, is_exact ? values[i] : AxisValue(0), is_exact);
    }
  }
  return true;
}

template <class Function>
bool AnswerTable::for_clusters(std::span<const AxisValue> values, const Function& function) const {
  Places places;
  if (!find_places(values, places)) return false;
  for (const Tier& tier : tiers_) {
    std::size_t slot = places.hash & (tier.slots.size() - 1);
    for (; tier.slots[slot] != kNoCluster; slot = (slot + 1) & (tier.slots.size() - 1)) {
      const Cluster& cluster = tier.clusters[tier.slots[slot]];
      if (belongs(cluster, values) && function(tier, cluster, places)) return true;
    }
  }
  return false;
}

const Answer* AnswerTable::find(std::span<const AxisValue> values) const {
  if (const Answer* exact = exact_.find(values)) return exact;
  const Answer* found = nullptr;
  const bool is_found = for_clusters(values, [&](const Tier& tier, const Cluster& cluster,
                                                 const Places& places) {
    found = nearest_in(cluster, values, places);
    if (is_allowed(*tier.rules, *found, values)) return true;
    return visit_cluster(tier, cluster, values, places, [&](const Answer& answer) {
      found = &answer;
      return true;
    });
  });
  if (is_found) return found;
  found = nullptr;
  visit_spares(values, [&](const Answer& answer) {
    found = &answer;
    return true;
  });
  return found;
}

void AnswerTable::visit(std::span<const AxisValue> values, const Visit& visit) const {
  const bool is_ended =
      for_clusters(values, [&](const Tier& tier, const Cluster& cluster, const Places& places) {
        return visit_cluster(tier, cluster, values, places, visit);
      });
  if (!is_ended) visit_spares(values, visit);
}

void AnswerTable::visit_spares(std::span<const AxisValue> values, const Visit& visit) const {
  for (const Spare& spare : spares_) {
    if (visit_spare(spare, values, visit)) return;
  }
}

bool AnswerTable::visit_portfolios(std::span<const AxisValue> values, const Visit& visit) const {
  const ConfigRules* version = nullptr;
  for_clusters(values, [&](const Tier& tier, const Cluster& cluster, const Places&) {
    if (cluster.answers.front().match == Match::nearest_problem) version = tier.rules;
    return true;
  });
  return std::ranges::any_of(spares_, [&](const Spare& spare) {
    return spare.is_stored_portfolio && spare.rules == version && visit_spare(spare, values, visit);
  });
}

// Offers the choice of the tree, then the other configurations.
bool AnswerTable::visit_spare(const Spare& spare, std::span<const AxisValue> values,
                              const Visit& visit) const {
  if (values.size() != axes_.size()) return false;
  Problem asked;
  for (std::size_t i = 0; i < axes_.size(); ++i) asked.set(axes_[i], values[i].value());
  const PortfolioNode* leaf = find_leaf(spare.tree, asked);
  const std::size_t first = leaf != nullptr ? leaf->config : 0;
  const auto serves = [&](std::size_t place) {
    const Answer& answer = spare.answers[place];
    return is_allowed(*spare.rules, answer, values) && visit(answer);
  };
  if (serves(first)) return true;
  for (std::size_t place = 0; place < spare.answers.size(); ++place) {
    if (place != first && serves(place)) return true;
  }
  return false;
}

bool AnswerTable::visit_cluster(const Tier& tier, const Cluster& cluster, std::span<const AxisValue> values,
                                const Places& places, const Visit& visit) const {
  std::vector<std::pair<Nearness, std::size_t>> ranking;
  for (std::size_t row = 0; row < cluster.answers.size(); ++row) {
    ranking.emplace_back(nearness(cluster, row, values, square(cluster, row, values, places)), row);
  }
  std::ranges::sort(ranking);
  return std::ranges::any_of(ranking, [&](const auto& each) {
    const Answer& answer = answer_of(cluster, each.second, each.first);
    return is_allowed(*tier.rules, answer, values) && visit(answer);
  });
}

// Different categories may have the same hash.
bool AnswerTable::belongs(const Cluster& cluster, std::span<const AxisValue> values) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (matching_[i] == AxisMatching::categorical) continue;
    const AxisValue category(cluster.categories[i]);
    const bool is_near = values[i].is_number() && matching_[i] == AxisMatching::nearest;
    if (is_near ? !category.is_number() : category != values[i]) return false;
  }
  return true;
}

std::size_t AnswerTable::Cluster::part_of(double place) const {
  const double part = (place - pivots.front()) * parts_per_place;
  return part > 0 ? std::min(static_cast<std::size_t>(part), pivots.size() - 1) : 0;
}

// Sizes are often spread evenly on a log scale. Then a part has few winners.
std::size_t AnswerTable::Cluster::first_not_below(double place) const {
  if (place > pivots.back()) return pivots.size();
  const std::size_t part = part_of(place);
  const auto begin = pivots.begin() + parts[part], end = pivots.begin() + parts[part + 1];
  return static_cast<std::size_t>(std::lower_bound(begin, end, place) - pivots.begin());
}

double AnswerTable::square(const Cluster& cluster, std::size_t row, std::span<const AxisValue> values,
                           const Places& places) const {
  const std::size_t width = axes_.size();
  double square = 0;
  for (std::size_t axis = 0; axis < width; ++axis) {
    const double step = cluster.places[row * width + axis] - places.at[axis];
    square += step * step;
  }
  for (std::size_t axis = 0; is_declared_ && axis < width; ++axis) {
    const bool is_other = matching_[axis] == AxisMatching::categorical &&
                          AxisValue(cluster.values[row * width + axis]) != values[axis];
    if (is_other) square += kCategoryStep * kCategoryStep;
  }
  return square;
}

AnswerTable::Nearness AnswerTable::nearness(const Cluster& cluster, std::size_t row,
                                            std::span<const AxisValue> values, double square) const {
  // Large sizes may differ although their places are the same.
  bool is_different = square != 0;
  for (std::size_t axis = 0; !is_different && axis < axes_.size(); ++axis) {
    is_different =
        values[axis].is_number() && AxisValue(cluster.values[row * axes_.size() + axis]) != values[axis];
  }
  return {square, is_different, cluster.ranks[row]};
}

// Starts at the question's place along the pivot and goes outwards until the pivot alone is too far away. The
// same along the second axis among the winners that have one place along the pivot.
const Answer* AnswerTable::nearest_in(const Cluster& cluster, std::span<const AxisValue> values,
                                      const Places& places) const {
  const std::size_t width = axes_.size(), count = cluster.answers.size();
  if (width == 0) {
    return &cluster.exact_answers[static_cast<std::size_t>(std::ranges::min_element(cluster.ranks) -
                                                           cluster.ranks.begin())];
  }
  Nearness least{std::numeric_limits<double>::infinity(), true, 0};
  std::size_t best = count;
  const auto consider = [&](std::size_t row) {
    const double distance = square(cluster, row, values, places);
    if (distance > least.square) return;
    const Nearness near = nearness(cluster, row, values, distance);
    if (near < least) least = near, best = row;
  };
  // Visits the items from `middle` outwards as long as they are within reach.
  const auto outwards = [](std::size_t begin, std::size_t middle, std::size_t end, const auto& reaches,
                           const auto& visit) {
    std::size_t above = middle, below = middle;  // items in between were visited
    while (true) {
      const bool goes_up = above < end && reaches(above), goes_down = below > begin && reaches(below - 1);
      if (goes_up) visit(above++);
      if (goes_down) visit(--below);
      if (!goes_up && !goes_down) return;
    }
  };
  const double pivot = places.at[cluster.pivot], second = places.at[cluster.second];
  const auto pivot_square = [&](std::size_t place) {
    const double step = cluster.pivots[place] - pivot;
    return step * step;
  };
  const auto reaches_pivot = [&](std::size_t place) { return pivot_square(place) <= least.square; };
  const auto visit_pivot = [&](std::size_t place) {
    const std::size_t begin = cluster.first_rows[place], end = cluster.first_rows[place + 1];
    if (end - begin == 1 || cluster.second == cluster.pivot) {
      for (std::size_t row = begin; row < end; ++row) consider(row);
      return;
    }
    const double so_far = pivot_square(place);
    const auto reaches_row = [&](std::size_t row) {
      const double step = cluster.seconds[row] - second;
      return (so_far + step * step) * kRounded <= least.square;
    };
    const double* rows = cluster.seconds.data();
    const double* middle = std::lower_bound(rows + begin, rows + end, second);
    outwards(begin, static_cast<std::size_t>(middle - rows), end, reaches_row, consider);
  };
  outwards(0, cluster.first_not_below(pivot), cluster.pivots.size(), reaches_pivot, visit_pivot);
  return &answer_of(cluster, best, least);
}

}  // namespace gktune
