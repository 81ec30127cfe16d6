#include "db/lookup.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "db/distance.h"
#include "db/open.h"
#include "db/sqlite/failure.h"
#include "db/study_row.h"

namespace gktune {
namespace {

// The winner of a study.
struct Winner {
  Study study;
  Config config;
  double time_us = 0;
};

// The studies of one version (fingerprint) of a kernel, the latest first.
using Version = std::vector<Winner>;
// All versions of a kernel, the latest first.
using Versions = std::vector<Version>;

bool fits(const DeviceIdentity& asked, const DeviceIdentity& tuned) {
  return (asked.kind.empty() || asked.kind == tuned.kind) &&
         (asked.name.empty() || asked.name == tuned.name) &&
         (asked.architecture.empty() || asked.architecture == tuned.architecture) &&
         (asked.multiprocessors == 0 || asked.multiprocessors == tuned.multiprocessors);
}

bool same_architecture(const DeviceIdentity& asked, const DeviceIdentity& tuned) {
  return (asked.kind.empty() || asked.kind == tuned.kind) && !asked.architecture.empty() &&
         asked.architecture == tuned.architecture;
}

struct Found {
  const Winner* winner;
  Distance distance;
};

// The closest problem among the winners whose device is admitted, in the first version that has one. Of
// equally close ones: the cold regime first, then time as the objective, then the latest.
std::optional<Found> closest(const Versions& versions, const Problem& problem,
                             const std::function<bool(const DeviceIdentity&)>& admits) {
  std::optional<Found> best;
  auto rank = [](const Found& found) {
    const auto& study = found.winner->study;
    return std::tuple(found.distance, study.regime != Regime::cold, study.objective != "time");
  };
  for (const auto& version : versions) {
    for (const auto& winner : version) {
      if (!admits(winner.study.device)) continue;
      auto length = distance(problem, winner.study.problem);
      if (!length) continue;
      Found found{&winner, *length};
      if (!best || rank(found) < rank(*best)) best = found;
    }
    if (best) return best;
  }
  return best;
}

Answer answer(Match match, const Winner& winner) {
  return {match, winner.config, winner.time_us, winner.study.problem, winner.study.device};
}

const Value& expect(bool (Value::*is_of_kind)() const, const Value& value, std::string_view parameter,
                    const char* kind) {
  if (!(value.*is_of_kind)()) {
    throw std::invalid_argument("parameter " + std::string(parameter) + " is " + value.str() + ", not " +
                                kind);
  }
  return value;
}

}  // namespace

std::string_view match_name(Match match) {
  switch (match) {
    case Match::exact:
      return "exact";
    case Match::nearest_problem:
      return "nearest problem";
    case Match::same_architecture:
      return "same architecture";
    case Match::fallback:
      return "fallback";
    case Match::none:
      break;
  }
  return "none";
}

const Value& Answer::value(std::string_view parameter) const {
  const Value* value = config.find(parameter);
  if (value == nullptr)
    throw std::out_of_range("no parameter " + std::string(parameter) + " in: " + config.str());
  return *value;
}

std::int64_t Answer::integer(std::string_view parameter) const {
  const auto& found = value(parameter);
  return expect(&Value::is_integer, found, parameter, "an integer").integer();
}

double Answer::real(std::string_view parameter) const {
  const auto& found = value(parameter);
  return expect(&Value::is_number, found, parameter, "a number").number();
}

bool Answer::boolean(std::string_view parameter) const {
  const auto& found = value(parameter);
  return expect(&Value::is_boolean, found, parameter, "a boolean").boolean();
}

const std::string& Answer::text(std::string_view parameter) const {
  const auto& found = value(parameter);
  return expect(&Value::is_text, found, parameter, "a text").text();
}

struct Lookup::Body {
  std::map<std::string, Versions, std::less<>> kernels;

  void add(Winner winner) {
    auto& versions = kernels[winner.study.kernel];
    auto version = std::ranges::find(versions, winner.study.fingerprint,
                                     [](const Version& known) { return known.front().study.fingerprint; });
    if (version == versions.end()) version = versions.insert(version, Version{});
    version->push_back(std::move(winner));
  }
};

Lookup::Lookup(std::unique_ptr<const Body> body) : body_(std::move(body)) {}
Lookup::Lookup(Lookup&&) noexcept = default;
Lookup& Lookup::operator=(Lookup&&) noexcept = default;
Lookup::~Lookup() = default;

Result<Lookup> Lookup::open(const std::filesystem::path& path) {
  return sqlite::guarded(path.string(), [&] {
    auto database = open_for_reading(path, std::chrono::seconds(10));
    // Latest first, as Version and Versions want it.
    sqlite::Statement select(database, std::string("SELECT ") + kStudyColumns +
                                           ", config, median_us FROM best_view"
                                           " ORDER BY updated_ms DESC, study_id DESC");
    ValuesReader values(database);
    auto body = std::make_unique<Body>();
    while (select.step()) {
      auto row = select.row();
      Winner winner;
      winner.study = read_study(row, values).study;
      winner.config = values.read(row.text());
      winner.time_us = row.maybe_real().value_or(0);
      body->add(std::move(winner));
    }
    if (body->kernels.empty()) database.verify();
    return Lookup(std::move(body));
  });
}

Answer Lookup::best(std::string_view kernel, const Problem& problem, const DeviceIdentity& device,
                    const Config& fallback) const {
  if (auto known = body_->kernels.find(kernel); known != body_->kernels.end()) {
    const auto& versions = known->second;
    const auto& asked = device == DeviceIdentity{} ? versions.front().front().study.device : device;
    if (auto found = closest(versions, problem, [&](const auto& tuned) { return fits(asked, tuned); })) {
      return answer(found->distance.equal ? Match::exact : Match::nearest_problem, *found->winner);
    }
    if (auto found =
            closest(versions, problem, [&](const auto& tuned) { return same_architecture(asked, tuned); })) {
      return answer(Match::same_architecture, *found->winner);
    }
  }
  Answer last;
  last.match = fallback.empty() ? Match::none : Match::fallback;
  last.config = fallback;
  return last;
}

}  // namespace gktune
