#include "tuner/search/external/external.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace gktune {
namespace {

using Json = nlohmann::ordered_json;

// Refused proposals in a row before the program is given up.
constexpr int kMostRefusals = 1000;
constexpr std::size_t kShownText = 200;

Json json_of(const Value& value) { return Json::parse(value.json()); }

Json json_of(const Config& config) {
  Json json = Json::object();
  for (const auto& [name, value] : config) json[name] = json_of(value);
  return json;
}

// Bytes that are no UTF-8 are replaced.
std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string task_line(const SearchTask& task) {
  Json parameters = Json::array();
  for (const Parameter& parameter : task.space.parameters()) {
    Json values = Json::array();
    for (const Value& value : parameter.values) values.push_back(json_of(value));
    parameters.push_back({{"name", parameter.name}, {"values", std::move(values)}});
  }
  const auto start = task.space.default_config();
  return line_of({{"type", "space"},
                  {"parameters", std::move(parameters)},
                  {"valid", task.space.size().str()},
                  {"default", start ? json_of(*start) : Json()},
                  {"seed", task.seed},
                  {"budget", {{"trials", task.budget.trials}, {"seconds", task.budget.seconds}}}});
}

// The place of the value among the parameter's: 64.0 is 64.
std::optional<std::uint32_t> rank_of(const Parameter& parameter, const Json& json) {
  for (std::uint32_t rank = 0; rank < parameter.values.size(); ++rank) {
    const Value& value = parameter.values[rank];
    if (json.is_number() ? value.is_number() && json.get<double>() == value.number() : json_of(value) == json)
      return rank;
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

std::string shown(const std::string& text) {
  return text.size() <= kShownText ? text : text.substr(0, kShownText) + "…";
}

}  // namespace

External::External(const SearchTask& task)
    : untried_(task.space),
      command_(task.option("program").text()),
      timeout_s_(task.option("timeout").real()) {
  if (command_.empty()) {
    failure_ = "its option 'program' is empty; give it a command, for example python3 search.py";
  } else if (!(timeout_s_ > 0)) {
    failure_ = "'timeout' is not a positive number of seconds";
  } else {
    start(task);
  }
}

void External::start(const SearchTask& task) {
  auto program = LineProgram::start(command_);
  if (!program) {
    failure_ = program.error().message;
    return;
  }
  program_.emplace(*std::move(program));
  write(task_line(task));
}

bool External::write(const std::string& line) {
  if (failure_ || !program_) return false;
  auto written = program_->write_line(line, timeout_s_);
  if (!written) {
    failure_ = written.error().message;
    program_.reset();
  }
  return !failure_;
}

std::optional<Space::Ranks> External::proposal() {
  std::string refusal;
  for (int refused = 0; refused < kMostRefusals; ++refused) {
    if (!write(R"({"type": "ask"})")) return std::nullopt;
    const auto line = program_->read_line(timeout_s_);
    if (!line) {
      failure_ = line.error().message;
      return std::nullopt;
    }
    const Json answer = Json::parse(*line, nullptr, false);
    if (answer.is_object() && answer.value("type", "") == "done") {
      is_done_ = true;
      return std::nullopt;
    }
    const auto config = answer.is_object() ? answer.find("config") : answer.end();
    if (!answer.is_object() || config == answer.end() || !config->is_object()) {
      failure_ = "the program wrote '" + shown(*line) + "', not a proposal";
      return std::nullopt;
    }
    auto ranks = read_config(untried_.space(), *config);
    if (ranks && untried_.take(*ranks)) return *std::move(ranks);
    refusal = ranks ? "it was proposed or measured before" : ranks.error().message;
    if (!write(line_of({{"type", "refused"}, {"config", *config}, {"reason", refusal}}))) return std::nullopt;
  }
  failure_ = "the program made " + std::to_string(kMostRefusals) +
             " useless proposals in a row, the last because " + refusal;
  return std::nullopt;
}

std::optional<Config> External::ask() {
  if (failure_ || is_done_ || untried_.empty()) return std::nullopt;
  const auto ranks = proposal();
  if (failure_) program_.reset();
  if (!ranks) return std::nullopt;
  return untried_.space().config_of(*ranks);
}

void External::tell(const Trial& trial) {
  if (!untried_.space().contains(trial.config)) return;
  untried_.take(trial.config);
  write(line_of({{"type", "tell"},
                 {"config", json_of(trial.config)},
                 {"status", status_name(trial.status)},
                 {"message", trial.message},
                 {"objective", trial.ok() ? Json(trial.objective) : Json()},
                 {"time_us", trial.ok() ? Json(trial.timing.median_us) : Json()},
                 {"compile_s", trial.compile_s},
                 {"run_s", trial.run_s}}));
}

std::string External::description() const {
  return "external: asks '" + command_ + "' for each configuration";
}

Strategy external_strategy() {
  return {.name = "external",
          .summary = "your own program proposes configurations as lines of JSON",
          .options = {{"program", "the command that starts it", ""},
                      {"timeout", "time limit for an answer, in seconds", 60.0}},
          .make = make_strategy<External>};
}

}  // namespace gktune
