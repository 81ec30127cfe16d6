#include "db/answer_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "db/distance.h"
#include "tuner/core/spelling.h"

namespace gktune {
namespace {

constexpr std::size_t kMostAxes = 32;
constexpr std::uint32_t kNoCluster = ~std::uint32_t{0};

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

std::uint64_t hash_of(std::span<const Value> categories) {
  std::uint64_t hash = 0;
  for (const Value& category : categories) hash = AxisValue(category).mixed_into(hash);
  return hash;
}

std::string joined(const std::set<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
  return all;
}

std::string described(const DeviceIdentity& device) {
  std::string text = device.name.empty() ? device.kind : device.name;
  if (!device.architecture.empty()) text += (text.empty() ? "" : ", ") + device.architecture;
  return text;
}

// The reason why a question that names these axes may have no answer.
std::string reason_for(const Winners& winners, std::string_view kernel, const DeviceIdentity& device,
                       std::span<const std::string> axes) {
  const std::string name(kernel);
  const auto known = winners.find(kernel);
  if (known == winners.end()) {
    std::vector<std::string> kernels;
    for (const auto& [each, versions] : winners) kernels.push_back(each);
    return "the database has no winner of kernel '" + name + "'" + did_you_mean(name, kernels);
  }
  std::set<std::string> devices, names;
  std::map<std::string, std::set<std::string>> texts;
  bool has_device = false;
  for (const auto& version : known->second) {
    for (const Winner& winner : version) {
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

}  // namespace

AnswerTable::AnswerTable(const Winners& winners, std::string_view kernel, const DeviceIdentity& device,
                         std::span<const std::string> axes)
    : axes_(axes.begin(), axes.end()) {
  const auto known = winners.find(kernel);
  const DeviceIdentity asked = device == DeviceIdentity{} && known != winners.end()
                                   ? known->second.front().front().study.device
                                   : device;
  reason_ = reason_for(winners, kernel, asked, axes_);
  if (known == winners.end() || axes_.size() > kMostAxes) return;
  for (const auto& version : known->second) add_tier(version, asked, Match::nearest_problem);
  for (const auto& version : known->second) add_tier(version, asked, Match::same_architecture);
}

void AnswerTable::add_tier(const std::vector<Winner>& version, const DeviceIdentity& device, Match match) {
  struct Row {
    const Winner* winner;
    std::vector<double> places;
    std::vector<Value> numbers;
    std::size_t rank;
  };
  std::map<std::pair<int, std::vector<Value>>, std::vector<Row>> rows;
  for (const Winner& winner : version) {
    const Study& study = winner.study;
    const bool is_admitted = match == Match::nearest_problem ? fits(device, study.device)
                                                             : has_same_architecture(device, study.device);
    if (!is_admitted) continue;
    Row row{&winner, {}, {}, 0};
    std::vector<Value> categories;
    for (const std::string& axis : axes_) {
      const Value* value = study.problem.find(axis);
      if (value == nullptr || (value->is_number() && !std::isfinite(place_of(value->number())))) break;
      row.places.push_back(value->is_number() ? place_of(value->number()) : 0);
      row.numbers.push_back(value->is_number() ? *value : Value(0));
      categories.push_back(value->is_number() ? Value(0) : *value);
    }
    if (row.places.size() < axes_.size()) continue;
    const int left_out = static_cast<int>(study.problem.size() - axes_.size());
    // Preferred among equally near ones; the version is sorted by time.
    const std::size_t class_of = (study.regime != Regime::cold ? 2 : 0) + (study.objective != "time" ? 1 : 0);
    row.rank = class_of * version.size() + static_cast<std::size_t>(&winner - version.data());
    rows[{left_out, categories}].push_back(std::move(row));
  }
  if (rows.empty()) return;

  Tier& tier = tiers_.emplace_back();
  for (auto& [key, members] : rows) {
    Cluster& cluster = tier.clusters.emplace_back();
    cluster.left_out = key.first;
    cluster.categories = key.second;
    std::size_t most = 0;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      std::set<double> different;
      for (const Row& row : members) different.insert(row.places[axis]);
      if (different.size() > most) most = different.size(), cluster.pivot = axis;
    }
    std::ranges::sort(members, {}, [&](const Row& row) {
      return std::pair(axes_.empty() ? 0.0 : row.places[cluster.pivot], row.rank);
    });
    for (const Row& row : members) {
      cluster.places.insert(cluster.places.end(), row.places.begin(), row.places.end());
      cluster.numbers.insert(cluster.numbers.end(), row.numbers.begin(), row.numbers.end());
      cluster.pivots.push_back(axes_.empty() ? 0 : row.places[cluster.pivot]);
      cluster.ranks.push_back(row.rank);
      const Study& study = row.winner->study;
      cluster.answers.push_back(
          {match, row.winner->config, row.winner->time_us, study.problem, study.device, {}});
      cluster.exact_answers.push_back(cluster.answers.back());
      if (match == Match::nearest_problem && cluster.left_out == 0) {
        cluster.exact_answers.back().match = Match::exact;
      }
    }
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
    std::size_t slot = hash_of(tier.clusters[i].categories) & (tier.slots.size() - 1);
    while (tier.slots[slot] != kNoCluster) slot = (slot + 1) & (tier.slots.size() - 1);
    tier.slots[slot] = i;
  }
}

const Answer* AnswerTable::find(std::span<const AxisValue> values) const {
  if (values.size() != axes_.size() || tiers_.empty()) return nullptr;
  std::uint64_t hash = 0;
  std::array<double, kMostAxes> places;
  for (std::size_t i = 0; i < values.size(); ++i) {
    hash = values[i].mixed_into(hash);
    places[i] = values[i].is_number() ? place_of(values[i].number()) : 0;
    if (!std::isfinite(places[i])) return nullptr;
  }
  for (const Tier& tier : tiers_) {
    std::size_t slot = hash & (tier.slots.size() - 1);
    for (; tier.slots[slot] != kNoCluster; slot = (slot + 1) & (tier.slots.size() - 1)) {
      const Cluster& cluster = tier.clusters[tier.slots[slot]];
      if (belongs(cluster, values)) return find_in(cluster, values, places);
    }
  }
  return nullptr;
}

// Different texts may have the same hash.
bool AnswerTable::belongs(const Cluster& cluster, std::span<const AxisValue> values) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const AxisValue category(cluster.categories[i]);
    if (values[i].is_number() ? !category.is_number() : category != values[i]) return false;
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

// Starts at the question's place along the pivot and goes outwards until the pivot alone is too far away.
const Answer* AnswerTable::find_in(const Cluster& cluster, std::span<const AxisValue> values,
                                   std::span<const double> places) const {
  const std::size_t width = axes_.size(), count = cluster.answers.size();
  if (width == 0) {
    return &cluster.exact_answers[static_cast<std::size_t>(std::ranges::min_element(cluster.ranks) -
                                                           cluster.ranks.begin())];
  }
  const double pivot = places[cluster.pivot];
  std::size_t above = cluster.first_not_below(pivot);
  double least = std::numeric_limits<double>::infinity();
  std::size_t best = count;
  bool is_exact = false;
  const auto consider = [&](std::size_t row) {
    double square = 0;
    for (std::size_t axis = 0; axis < width; ++axis) {
      const double step = cluster.places[row * width + axis] - places[axis];
      square += step * step;
    }
    if (square > least) return;
    // Large sizes may differ although their places are the same.
    bool is_equal = square == 0;
    for (std::size_t axis = 0; is_equal && axis < width; ++axis) {
      is_equal = !values[axis].is_number() || AxisValue(cluster.numbers[row * width + axis]) == values[axis];
    }
    if (std::tuple(square, !is_equal, cluster.ranks[row]) <
        std::tuple(least, !is_exact, best == count ? std::numeric_limits<std::size_t>::max() : cluster.ranks[best])) {
      least = square, best = row, is_exact = is_equal;
    }
  };
  const auto reaches = [&](std::size_t row) {
    const double step = cluster.pivots[row] - pivot;
    return step * step <= least;
  };
  std::size_t below = above;  // rows under this one were not considered
  while (true) {
    const bool goes_up = above < count && reaches(above), goes_down = below > 0 && reaches(below - 1);
    if (goes_up) consider(above++);
    if (goes_down) consider(--below);
    if (!goes_up && !goes_down) break;
  }
  return is_exact ? &cluster.exact_answers[best] : &cluster.answers[best];
}

}  // namespace gktune
