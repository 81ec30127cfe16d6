#include "gktune/lookup.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "db/winners_source.h"
#include "tuner/core/content_key.h"
#include "tuner/core/text.h"

namespace gktune {
namespace {

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
  static constexpr std::string_view kNames[] = {"exact", "nearest problem", "same architecture", "portfolio",
                                                "default of the space", "fallback", "none"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Match::none) + 1);
  return kNames[static_cast<std::size_t>(match)];
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

DeviceIdentity LookupSettings::answered_as(const DeviceIdentity& device) const {
  const auto alias = aliases.find(device.name);
  if (alias == aliases.end()) return device;
  return {device.kind, alias->second, device.architecture, 0};
}

KernelLookup::KernelLookup(std::span<const std::shared_ptr<const WinnersSource>> sources, std::string kernel,
                           std::vector<std::string> axes, Question question)
    : kernel_(std::move(kernel)), axes_(std::move(axes)), question_(std::move(question)) {
  for (const auto& source : sources) parts_.push_back({source, 0, nullptr});
  prepare();
}

void KernelLookup::prepare() {
  no_answer_ = {};
  no_answer_.match = question_.fallback.empty() ? Match::none : Match::fallback;
  no_answer_.config = question_.fallback;
  for (Part& part : parts_) {
    part.version = part.source->version();  // first: winners that arrive meanwhile cause another preparation
    part.table = part.source->table(kernel_, question_.device, axes_, question_.freshness);
    no_answer_.reason += (no_answer_.reason.empty() ? "" : "; ") + part.table->reason();
  }
}

const Answer& KernelLookup::best(std::span<const AxisValue> values) {
  const Answer* best = nullptr;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].source->version() != parts_[i].version) {
      prepare();
      return this->best(values);
    }
    const Answer* found = parts_[i].table->find(values);
    if (found != nullptr && (best == nullptr || found->match < best->match)) best = found;
  }
  if (best == nullptr) return unanswered(values);
  return best->match <= question_.worst ? *best : too_poor(*best);
}

const Answer& KernelLookup::too_poor(const Answer& best) {
  refused_ = {.match = Match::none,
              .reason = "the best answer for '" + kernel_ + "' is " + std::string(match_name(best.match)) +
                        (best.problem.empty() ? "" : " (" + best.problem.str() + ")") +
                        ", and the question accepts nothing worse than " +
                        std::string(match_name(question_.worst))};
  if (!best.reason.empty()) refused_.reason += "; " + best.reason;
  return refused_;
}

const Answer& KernelLookup::unanswered(std::span<const AxisValue> values) {
  refused_ = no_answer_;
  if (parts_.empty()) {
    refused_.reason = "no database was given";
  } else if (values.size() != axes_.size()) {
    refused_.reason = "a question about '" + kernel_ + "' has a value for each axis (" + joined(axes_) +
                      "): " + std::to_string(axes_.size()) + ", not " + std::to_string(values.size());
  } else {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (is_beyond_integers(values[i]))
        refused_.reason = axes_[i] + " is " + values[i].value().str() + ", which is larger than any integer";
    }
  }
  if (refused_.match > question_.worst) refused_.match = Match::none;
  return refused_;
}

void KernelLookup::visit(std::span<const AxisValue> values,
                         const std::function<bool(const Answer&)>& function) {
  best(values);  // reads what has changed
  // Databases one after the other for each quality of match.
  for (const Match match : {Match::exact, Match::nearest_problem, Match::same_architecture, Match::portfolio,
                            Match::space_default}) {
    if (match > question_.worst) return;
    for (const Part& part : parts_) {
      bool is_ended = false;
      part.table->visit(values, [&](const Answer& answer) {
        is_ended = answer.match == match && function(answer);
        return is_ended;
      });
      if (is_ended) return;
    }
  }
  if (no_answer_ && no_answer_.match <= question_.worst) function(no_answer_);
}

Lookup::Lookup(std::vector<std::shared_ptr<const WinnersSource>> sources, LookupSettings settings)
    : sources_(std::move(sources)), settings_(std::move(settings)) {}
Lookup::Lookup(Lookup&&) noexcept = default;
Lookup& Lookup::operator=(Lookup&&) noexcept = default;
Lookup::~Lookup() = default;

Result<Lookup> Lookup::open(const std::filesystem::path& path, LookupSettings settings) {
  return open(std::span(&path, 1), std::move(settings));
}

Result<Lookup> Lookup::open(std::span<const std::filesystem::path> paths, LookupSettings settings) {
  if (paths.empty()) return Error{"no database was given", ErrorCode::invalid_argument};
  std::vector<std::shared_ptr<const WinnersSource>> sources;
  for (const std::filesystem::path& path : paths) {
    auto source = GKTUNE_TRY(WinnersSource::of_database(path, settings.files));
    source->follow(settings.follow_interval);
    sources.push_back(std::move(source));
  }
  settings.files.clear();
  return Lookup(std::move(sources), std::move(settings));
}

std::string Lookup::digest() const {
  std::string text;
  for (const auto& source : sources_) text += source->digest() + '\n';
  for (const auto& [asked, answering] : settings_.aliases) text += json_quote(asked) + json_quote(answering);
  return content_key(text);
}

Answer Lookup::best(std::string_view kernel, const Problem& problem, const Question& question) const {
  std::vector<AxisValue> values;
  values.reserve(problem.size());
  for (const auto& [name, value] : problem) values.emplace_back(value);
  return prepare(kernel, {problem.names().begin(), problem.names().end()}, question).best(values);
}

KernelLookup Lookup::prepare(std::string_view kernel, std::vector<std::string> axes,
                             const Question& question) const {
  Question asked = question;
  asked.device = settings_.answered_as(question.device);
  return {sources_, std::string(kernel), std::move(axes), std::move(asked)};
}

std::optional<std::string> Lookup::read_error() const {
  for (const auto& source : sources_) {
    if (auto error = source->read_error()) return error;
  }
  return std::nullopt;
}

}  // namespace gktune
