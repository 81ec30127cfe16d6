// The tools that agents may call.
#include "cli/commands/mcp_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <sstream>

#include "tuner/core/embedded_file.h"
#include "tuner/core/files.h"
#include "tuner/core/text.h"
#include "tuner/core/trial.h"

namespace gktune {

std::span<const EmbeddedFile> manual_texts();  // pages of docs/

namespace {

// A word of a command line holds no NUL.
bool is_word_of_command(const Json& value) {
  return value.is_string() && value.get_ref<const std::string&>().find('\0') == std::string::npos;
}

bool fits(const Json& value, ToolArgument::Kind kind) {
  using Kind = ToolArgument::Kind;
  if (kind == Kind::number) return value.is_number_integer();
  if (kind == Kind::choice) return value.is_boolean();
  if (kind == Kind::text) return is_word_of_command(value);
  return value.is_array() && !value.empty() && std::ranges::all_of(value, is_word_of_command);
}

// The lines around each place that a message names: "mine.cu:6".
std::string lines_around(const std::string& message) {
  constexpr int kAround = 4;
  constexpr std::size_t kMostPlaces = 4;
  std::vector<std::string> places;
  std::string text;
  for (std::size_t colon = 0; (colon = message.find(':', colon + 1)) != message.npos;) {
    const std::size_t begin = message.find_last_of(" \t\n'\"(,:", colon - 1) + 1;
    const std::string path = message.substr(begin, colon - begin);
    int line = 0;
    for (std::size_t i = colon + 1; i < message.size() && is_digit(message[i]) && line < 1'000'000; ++i)
      line = 10 * line + (message[i] - '0');
    const bool is_source = std::ranges::any_of(std::array{".cu", ".cuh", ".h", ".hpp", ".cc", ".cpp"},
                                               [&](const char* end) { return path.ends_with(end); });
    const std::string place = fmt::format("{}:{}", path, line);
    if (!is_source || line == 0 || std::ranges::find(places, place) != places.end()) continue;
    const auto source = read_whole(path, std::size_t{1} << 20);
    if (!source || places.size() == kMostPlaces) continue;
    places.push_back(place);
    text += place + '\n';
    std::istringstream stream(*source);
    std::string content;
    for (int number = 1; number <= line + kAround && std::getline(stream, content); ++number)
      if (number >= line - kAround)
        text += fmt::format("{} {:4} | {}\n", number == line ? '>' : ' ', number, content);
  }
  return text;
}

// The arguments of several tools.
struct SharedArguments {
  ToolArgument space = {"space", "", "Space file (.yaml)", ToolArgument::Kind::text, true};
  ToolArgument problems = {"problems", "--problem", "Problems of the space: AXIS=VALUE,…",
                           ToolArgument::Kind::texts};
  ToolArgument device = {"device", "--device", "auto, host (the CPU), cuda or cuda:N"};
  ToolArgument time = {"time", "--time", "Limit for each problem: 10s, 2min"};
  ToolArgument database = {
      "db", "--db", "Database: a file or postgresql://HOST/DATABASE; default: $GKTUNE_DB, else gktune.db"};
};

}  // namespace

const std::vector<Tool>& tools() {
  using enum ToolArgument::Kind;
  static const auto [space, problems, device, time, database] = SharedArguments();
  static const std::vector<Tool> kTools = {
      {"check",
       "Find errors in a space file and its kernel, or in a candidate, without timing. sanitize finds data "
       "races, accesses out of bounds and undefined behaviour on the CPU, each with its line.",
       {"check", "--json"},
       {space,
        {"candidate", "--candidate", "A candidate (.cu) to check for the space"},
        {"sanitize", "--sanitize", "Run on the CPU and check every memory access", choice},
        problems,
        {"sample", "--sample", "Number of configurations for each problem; 0: all", number},
        {"device", "--device", "auto, host, cuda, cuda:N, or sm_90: a GPU that is not present"}},
       Tool::Work::compiles,
       {0, 1}},
      {"judge",
       "Find out whether kernels are right, whether they cheat, and how much faster than baselines they "
       "are. The resource gktune://docs/judge.md says how a candidate begins.",
       {"judge", "--json"},
       {space,
        {"candidates", "", "Kernels (.cu) that begin with a block: /* gktune … */", texts, true},
        {"baselines", "--baseline", "default, best, or another candidate (.cu)", texts},
        {"within", "--within", "Smallest difference that counts: 1%"},
        problems,
        time,
        device,
        {"require_sandbox", "--require-sandbox", "Judge only where a sandbox can be enforced", choice},
        database},
       Tool::Work::times,
       {0, 1, 5}},
      {"tune",
       "Find the fastest configuration of each problem of space files, and store every trial. A call that is "
       "cancelled keeps its trials, and the next call continues.",
       {"run", "--json"},
       {{"spaces", "", "Space files (.yaml)", texts, true},
        problems,
        {"effort", "--effort", "quick, normal or thorough"},
        {"trials", "--trials", "Limit of the trials of each problem", number},
        time,
        device,
        database},
       Tool::Work::times},
      {"best",
       "The fastest known configurations of the database, or the answer for one problem of a kernel.",
       {"best", "--json"},
       {{"kernel", "", "Kernel's name; default: all"},
        {"problem", "--problem", "AXIS=VALUE,… of the question"},
        {"device", "--device", "Device of the database, or a part of its name"},
        database}},
      {"explain",
       "What the status of a failure means and what usually causes it, with the source lines that its "
       "message names.",
       {},
       {{"status", "", "Status of a verdict, a finding or a trial: wrong_result", text, true},
        {"message", "", "Its message"}}},
      {"devices", "The devices of this machine and their limits.", {"devices", "--json"}, {}},
  };
  return kTools;
}

Json schema_of(const Tool& tool) {
  using Kind = ToolArgument::Kind;
  Json properties = Json::object(), required = Json::array();
  for (const ToolArgument& each : tool.arguments) {
    Json& property = properties[each.name];
    property["description"] = each.description;
    property["type"] = each.kind == Kind::text     ? "string"
                       : each.kind == Kind::number ? "integer"
                       : each.kind == Kind::choice ? "boolean"
                                                   : "array";
    if (each.kind == Kind::texts) property["items"] = {{"type", "string"}}, property["minItems"] = 1;
    if (each.is_required) required.push_back(each.name);
  }
  return {{"type", "object"},
          {"properties", properties},
          {"required", required},
          {"additionalProperties", false}};
}

Result<void, Refusal> check_arguments(const Tool& tool, const Json& arguments) {
  for (const auto& [name, value] : arguments.items()) {
    const auto known = std::ranges::find(tool.arguments, name, &ToolArgument::name);
    if (known == tool.arguments.end()) {
      std::vector<std::string> names;
      for (const ToolArgument& each : tool.arguments) names.push_back(each.name);
      return Refusal{kInvalidParams,
                     fmt::format("{} has no argument '{}'{}", tool.name, name, did_you_mean(name, names))};
    }
    if (!fits(value, known->kind)) {
      const std::string type = schema_of(tool)["properties"][name]["type"].get<std::string>();
      return Refusal{kInvalidParams, fmt::format("{} of {}: expected {}{}", name, tool.name, type,
                                                 type == "array" ? " of strings, not empty" : "")};
    }
  }
  for (const ToolArgument& each : tool.arguments)
    if (each.is_required && !arguments.contains(each.name))
      return Refusal{kInvalidParams, fmt::format("{} needs the argument '{}'", tool.name, each.name)};
  return {};
}

// Values cannot become flags: they follow "=" or "--".
std::vector<std::string> command_for(const Tool& tool, const Json& arguments) {
  std::vector<std::string> flags = tool.command, words;
  for (const ToolArgument& each : tool.arguments) {
    if (!arguments.contains(each.name)) continue;
    const Json& value = arguments[each.name];
    for (const Json& one : value.is_array() ? value : Json::array({value})) {
      const std::string text = one.is_string() ? one.get<std::string>() : one.dump();
      if (each.kind == ToolArgument::Kind::choice) {
        if (one == true) flags.push_back(each.flag);
      } else if (each.flag.empty()) {
        words.push_back(text);
      } else {
        flags.push_back(each.flag + '=' + text);
      }
    }
  }
  flags.emplace_back("--");
  flags.insert(flags.end(), words.begin(), words.end());
  return flags;
}

Json text_result(std::vector<std::string> texts, bool is_error) {
  Json content = Json::array();
  for (std::string& each : texts)
    if (!each.empty()) content.push_back({{"type", "text"}, {"text", as_utf8(std::move(each))}});
  return {{"content", content}, {"isError", is_error}};
}

// From the table of docs/failures.md.
Json explain(const Json& arguments) {
  const std::string status = arguments["status"];
  const std::span<const EmbeddedFile> pages = manual_texts();
  const auto page = std::ranges::find(pages, "failures.md", &EmbeddedFile::path);
  const std::string mark = "| `" + status + "` | ";
  const std::size_t row = page->text.find('\n' + mark);
  if (row == std::string_view::npos) {
    std::vector<std::string> names;
    for (int each = 0; each <= static_cast<int>(kLastStatus); ++each)
      names.emplace_back(status_name(static_cast<Status>(each)));
    return text_result({fmt::format("'{}' is no status; they are {}", status, joined(names))}, true);
  }
  std::istringstream cells(std::string(
      page->text.substr(row + 1 + mark.size(), page->text.find('\n', row + 1) - row - 1 - mark.size())));
  std::string text = status;
  for (const char* title : {": ", "\nlikely cause: ", "\nnext: "}) {
    std::string cell;
    if (std::getline(cells, cell, '|') && !trimmed(cell).empty()) text += title + std::string(trimmed(cell));
  }
  return text_result({text, lines_around(arguments.value("message", ""))}, false);
}

}  // namespace gktune
