#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "tuner/core/fields_json.h"
#include "tuner/process/line_program.h"
#include "tuner/search/strategy.h"
#include "tuner/search/untried.h"

namespace gktune {
namespace {

using Json = nlohmann::ordered_json;

// Refused proposals in a row before the program is given up.
constexpr int kMostRefusals = 1000;
constexpr std::size_t kShownText = 200;

// Bytes that are no UTF-8 are replaced.
std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string task_line(const SearchTask& task) {
  Json parameters = Json::array();
  for (const Parameter& parameter : task.space.parameters()) {
    Json values = Json::array();
    for (const Value& value : parameter.values) values.push_back(value_json<Json>(value));
    parameters.push_back({{"name", parameter.name}, {"values", std::move(values)}});
  }
  const auto start = task.space.default_config();
  return line_of({{"type", "space"},
                  {"parameters", std::move(parameters)},
                  {"valid", task.space.size().str()},
                  {"default", start ? values_json<Json>(*start) : Json()},
                  {"seed", task.seed},
                  {"budget", {{"trials", task.budget.trials}, {"seconds", task.budget.seconds}}}});
}

// The place of the value among the parameter's: 64.0 is 64.
std::optional<std::uint32_t> rank_of(const Parameter& parameter, const Json& json) {
  for (std::uint32_t rank = 0; rank < parameter.values.size(); ++rank) {
    const Value& value = parameter.values[rank];
    const bool is_number = json.is_number() && value.is_number();
    if (is_number ? json.get<double>() == value.number() : value_json<Json>(value) == json) return rank;
  }
  return std::nullopt;
}

// The ranks of a proposal, or the reason why it is not a configuration of the space.
Result<Space::Ranks> read_config(const Space& space, const Json& config) {
  Space::Ranks ranks;
  for (const Parameter& parameter : space.parameters()) {
    const auto value = config.find(parameter.name);
    if (value == config.end()) return Error{"'" + parameter.name + "' has no value"};
    const auto rank = rank_of(parameter, *value);
    if (!rank) return Error{"'" + parameter.name + "' cannot be " + line_of(*value)};
    ranks.push_back(*rank);
  }
  if (config.size() != ranks.size()) return Error{"it has a value for an unknown parameter"};
  if (!space.contains(ranks)) return Error{"a constraint forbids it"};
  return ranks;
}

// Searches with a program of the user, which proposes configurations and receives results as lines of JSON.
// docs/search.md describes the protocol. If the program fails, the search ends and `failure` says why.
class External : public Searcher {
 public:
  explicit External(const SearchTask& task)
      : untried_(task.space), command_(task.text("program")), timeout_s_(task.real("timeout")) {
    if (command_.empty()) {
      failure_ = "its option 'program' is empty; give it a command, for example python3 search.py";
    } else if (!(timeout_s_ > 0)) {
      failure_ = "'timeout' is not a positive number of seconds";
    } else if (auto program =
                   LineProgram::start({{"/bin/sh", "-c", command_}, {}, ChildOptions::Kind::coprocess})) {
      program_.emplace(*std::move(program));
      write(task_line(task));
    } else {
      failure_ = program.error().message;
    }
  }

  std::optional<Config> ask() override {
    if (failure_ || is_done_ || untried_.empty()) return std::nullopt;
    const auto ranks = proposal();
    if (failure_) program_.reset();
    if (!ranks) return std::nullopt;
    return untried_.space().config_of(*ranks);
  }

  void tell(const Trial& trial) override {
    if (!untried_.space().contains(trial.config)) return;
    untried_.take(trial.config);
    write(line_of({{"type", "tell"},
                   {"config", values_json<Json>(trial.config)},
                   {"status", status_name(trial.status)},
                   {"message", trial.message},
                   {"objective", trial.ok() ? Json(trial.objective) : Json()},
                   {"time_us", trial.ok() ? Json(trial.timing.median_us) : Json()},
                   {"compile_s", trial.compile_s},
                   {"run_s", trial.run_s}}));
  }

  void expect(const Config& config) override { untried_.take(config); }

  std::string description() const override {
    return "external: asks '" + command_ + "' for each configuration";
  }
  std::optional<std::string> failure() const override { return failure_; }

 private:
  bool write(const std::string& line) {
    if (failure_ || !program_) return false;
    auto written = program_->write_line(line, timeout_s_);
    if (!written) {
      failure_ = written.error().message;
      program_.reset();
    }
    return !failure_;
  }

  // Asks until the program proposes a new configuration of the space. Empty if it is done or has failed.
  std::optional<Space::Ranks> proposal() {
    std::string refusal;
    for (int refused = 0; refused < kMostRefusals; ++refused) {
      const auto config = answer();
      if (!config) return std::nullopt;
      auto ranks = read_config(untried_.space(), *config);
      if (ranks && untried_.take(*ranks)) return *std::move(ranks);
      refusal = ranks ? "it was proposed or measured before" : ranks.error().message;
      if (!write(line_of({{"type", "refused"}, {"config", *config}, {"reason", refusal}})))
        return std::nullopt;
    }
    failure_ = "the program made " + std::to_string(kMostRefusals) +
               " useless proposals in a row, the last because " + refusal;
    return std::nullopt;
  }

  // Asks for one configuration. Empty if the program is done or has failed.
  std::optional<Json> answer() {
    if (!write(R"({"type": "ask"})")) return std::nullopt;
    const auto line = program_->read_line(timeout_s_);
    if (!line) {
      failure_ = line.error().message;
      return std::nullopt;
    }
    const Json answer = Json::parse(*line, nullptr, false);
    is_done_ = answer.is_object() && answer.value("type", "") == "done";
    if (is_done_) return std::nullopt;
    const auto config = answer.is_object() ? answer.find("config") : answer.end();
    if (config != answer.end() && config->is_object()) return *config;
    const std::string shown = line->size() <= kShownText ? *line : line->substr(0, kShownText) + "…";
    failure_ = "the program wrote '" + shown + "', not a proposal";
    return std::nullopt;
  }

  Untried untried_;
  std::string command_;
  double timeout_s_;
  std::optional<LineProgram> program_;
  bool is_done_ = false;
  std::optional<std::string> failure_;
};

}  // namespace

Strategy external_strategy() {
  return {.name = "external",
          .summary = "your own program proposes configurations as lines of JSON",
          .options = {{"program", "the command that starts it", ""},
                      {"timeout", "time limit for an answer, in seconds", 60.0}},
          .make = make_strategy<External>};
}

}  // namespace gktune
