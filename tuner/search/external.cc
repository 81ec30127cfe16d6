#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "tuner/core/fields_json.h"
#include "tuner/process/child_process.h"
#include "tuner/search/strategy.h"
#include "tuner/search/untried.h"

namespace gktune {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
constexpr std::size_t kLongestLine = std::size_t{1} << 20;
// For a program to end by itself once its input is closed.
constexpr std::chrono::milliseconds kPatience{500};

// Waits until there is something to do, or the deadline has passed.
bool wait_for(int file, short events, Clock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd entry{file, events, 0};
    const int ready = poll(&entry, 1, static_cast<int>(std::min<std::int64_t>(left, 60'000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return true;  // the read or write says why
  }
}

Clock::time_point deadline_after(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::clamp(seconds, 0.0, 1e8)));
}

// A coprocess that reads lines from standard input and writes lines to standard output. The destructor ends
// it and its process group.
class LineProgram {
 public:
  explicit LineProgram(ChildProcess process)
      : process_(std::move(process)), input_(process_.take_socket()), output_(process_.take_output()) {}
  LineProgram(const LineProgram&) = delete;
  LineProgram& operator=(const LineProgram&) = delete;
  ~LineProgram() {
    input_.close();
    output_.close();
    (void)process_.exit_status_within(kPatience);
  }

  // An error if the program does not read in time or has ended.
  Result<void> write_line(std::string_view line, double timeout_s) {
    std::string left(line);
    left += '\n';
    const auto deadline = deadline_after(timeout_s);
    while (!left.empty()) {
      const ssize_t count = send(input_.number(), left.data(), left.size(), MSG_NOSIGNAL);
      if (count > 0) {
        left.erase(0, static_cast<std::size_t>(count));
      } else if (errno == EAGAIN || errno == EINTR) {
        if (!wait_for(input_.number(), POLLOUT, deadline))
          return Error{fmt::format("the program read nothing for {} s", timeout_s)};
      } else {
        return Error{how_it_ended()};
      }
    }
    return {};
  }

  // An error if no complete line arrives in time, the program has ended, or a line is too long.
  Result<std::string> read_line(double timeout_s) {
    const auto deadline = deadline_after(timeout_s);
    while (true) {
      if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
        std::string line = unread_.substr(0, end);
        unread_.erase(0, end + 1);
        return line;
      }
      if (unread_.size() > kLongestLine) return Error{"the program wrote a line without an end"};
      if (!wait_for(output_.number(), POLLIN, deadline))
        return Error{fmt::format("the program did not answer within {} s", timeout_s)};
      char chunk[1 << 14];
      const ssize_t count = read(output_.number(), chunk, sizeof chunk);
      if (count > 0) {
        unread_.append(chunk, static_cast<std::size_t>(count));
      } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
        return Error{how_it_ended()};
      }
    }
  }

 private:
  std::string how_it_ended() {
    const auto ended = process_.exit_status_within(kPatience);
    if (!ended) return "the program closed its output";
    return std::string("the program ") + (ended->by_signal ? "was " : "") + ended->str();
  }

  ChildProcess process_;
  FileDescriptor input_, output_;
  std::string unread_;
};

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
    } else if (auto process =
                   ChildProcess::start({{"/bin/sh", "-c", command_}, {}, ChildOptions::Kind::coprocess})) {
      program_.emplace(*std::move(process));
      write(task_line(task));
    } else {
      failure_ = process.error().message;
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
