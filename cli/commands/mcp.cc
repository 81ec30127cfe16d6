// gktune mcp: serves agents by the Model Context Protocol. Each call of a tool runs this program once more.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <list>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/commands/mcp_tools.h"
#include "tuner/core/embedded_file.h"
#include "tuner/core/text.h"
#include "tuner/core/version.h"
#include "tuner/process/child_process.h"

namespace gktune {

std::span<const EmbeddedFile> manual_texts();   // pages of docs/
std::span<const EmbeddedFile> starter_texts();  // the files of templates/new

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kProtocols[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
constexpr auto kCancelLimit = std::chrono::seconds(5);
constexpr auto kProgressInterval = std::chrono::seconds(1);
constexpr int kPollMs = 100;
constexpr std::size_t kMostTold = 16384;

// The errors and warnings among what a command told: the other lines are progress.
std::string problems_in(const std::string& told) {
  std::istringstream lines(told);
  std::string text;
  bool is_over = false;  // what follows an error belongs to it
  for (std::string line; std::getline(lines, line);) {
    is_over = is_over || line.find("error: ") != line.npos;
    if (is_over || line.starts_with("warning: ")) text += line + '\n';
  }
  return text;
}

struct Call {
  Json id, progress_token;  // null: the client wants no progress
  const Tool* tool;
  std::vector<std::string> argv;
  std::optional<ChildProcess> process;  // once it has begun
  FileDescriptor output, messages;
  std::string printed, told;
  Clock::time_point begin = Clock::now(), reported = begin;
  std::optional<Clock::time_point> ends_at;  // it was cancelled
};

// Reads what is there. Closes the descriptor at the end.
void read_into(std::string& text, FileDescriptor& descriptor) {
  std::array<char, 65536> bytes;
  while (descriptor.is_open()) {
    const ssize_t got = ::read(descriptor.number(), bytes.data(), bytes.size());
    if (got > 0) text.append(bytes.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) descriptor.close();
    if (got < 0 && errno == EAGAIN) return;
  }
}

Json result_of(const Call& call, const ExitStatus& ended) {
  const Json report = Json::parse(call.printed, nullptr, /*allow_exceptions=*/false);
  const bool has_report = !report.is_discarded();
  const bool is_done =
      has_report && !ended.by_signal && std::ranges::count(call.tool->accepted, ended.code) > 0;
  std::string problems = problems_in(call.told);
  if (!is_done && problems.empty())
    problems = fmt::format("gktune {}: {}", call.tool->command[0], ended.str());
  return text_result({has_report ? report.dump() : "", problems}, !is_done);
}

class McpServer {
 public:
  explicit McpServer(Context& context) : context_(context) {}

  // Until the client closes standard input. Ends the calls that still run then.
  ExitCode serve() {
    std::string input;
    while (true) {
      wait();
      std::array<char, 65536> bytes;
      const ssize_t got = is_readable_ ? ::read(STDIN_FILENO, bytes.data(), bytes.size()) : -1;
      if (is_readable_ && (got == 0 || (got < 0 && errno != EINTR))) return ExitCode::done;
      if (got > 0) input.append(bytes.data(), static_cast<std::size_t>(got));
      std::size_t begin = 0;
      for (std::size_t end; (end = input.find('\n', begin)) != input.npos; begin = end + 1)
        if (!trimmed(input.substr(begin, end - begin)).empty()) take(input.substr(begin, end - begin));
      input.erase(0, begin);
      for (auto call = calls_.begin(); call != calls_.end();)
        call = follow(*call) ? std::next(call) : calls_.erase(call);
    }
  }

 private:
  using Reply = Result<std::optional<Json>, Refusal>;  // nothing: the call runs

  void wait() {
    std::vector<pollfd> waits = {{STDIN_FILENO, POLLIN, 0}};
    for (const Call& call : calls_) {
      waits.push_back({call.output.number(), POLLIN, 0});
      waits.push_back({call.messages.number(), POLLIN, 0});
    }
    const int ready = ::poll(waits.data(), waits.size(), calls_.empty() ? -1 : kPollMs);
    is_readable_ = ready > 0 && waits[0].revents != 0;
  }

  void send(Json message) {
    message["jsonrpc"] = "2.0";
    print_line(context_.out, message);
    context_.out << std::flush;
  }
  void refuse(const Json& id, const Refusal& refusal) {
    send({{"id", id}, {"error", {{"code", refusal.code}, {"message", refusal.message}}}});
  }

  // A message of the client.
  void take(const std::string& line) {
    const Json message = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (message.is_discarded()) return refuse(nullptr, {kParseError, "a line is not JSON"});
    const bool is_object = message.is_object();
    if (is_object && !message.contains("method") && (message.contains("result") || message.contains("error")))
      return;  // an answer; nothing was asked
    const Json id = is_object && message.contains("id") ? message["id"] : Json();
    const bool has_id = id.is_string() || id.is_number_integer();
    const bool is_request = is_object && message.value("jsonrpc", Json()) == "2.0" &&
                            message.contains("method") && message["method"].is_string() &&
                            (has_id || !message.contains("id"));
    if (!is_request)
      return refuse(has_id ? id : Json(), {kInvalidRequest, "a message is no request of JSON-RPC 2.0"});
    const Json params = message.value("params", Json::object());
    if (!params.is_object()) {
      if (has_id) refuse(id, {kInvalidParams, "params is no object"});
      return;
    }
    if (!has_id) return notice(message["method"], params);
    if (find(id) != calls_.end()) return refuse(id, {kInvalidRequest, "a call with this id is running"});
    const Reply reply = answer(message["method"], params, id);
    if (!reply) return refuse(id, reply.error());
    if (*reply) send({{"id", id}, {"result", **reply}});
  }

  void notice(const std::string& method, const Json& params) {
    if (method != "notifications/cancelled") return;
    const auto call = find(params.value("requestId", Json()));
    if (call == calls_.end()) return;  // it has ended
    call->ends_at = Clock::now() + kCancelLimit;
    if (call->process) call->process->signal_alone(SIGINT);
  }

  Reply answer(const std::string& method, const Json& params, const Json& id) {
    if (method == "initialize") return initialize(params);
    if (method == "ping") return {Json::object()};
    if (method == "tools/list") return list_tools();
    if (method == "tools/call") return call(params, id);
    if (method == "resources/list") return list_resources();
    if (method == "resources/templates/list") return {Json{{"resourceTemplates", Json::array()}}};
    if (method == "resources/read") return read_resource(params);
    return Refusal{kUnknownMethod, "unknown method '" + method + "'"};
  }

  static Reply initialize(const Json& params) {
    const Json asked = params.value("protocolVersion", Json());
    if (!asked.is_string()) return Refusal{kInvalidParams, "protocolVersion is missing"};
    const bool is_known = std::ranges::count(kProtocols, asked.get<std::string>()) > 0;
    return {Json{
        {"protocolVersion", is_known ? asked : Json(kProtocols[0])},
        {"capabilities", {{"tools", Json::object()}, {"resources", Json::object()}}},
        {"serverInfo", {{"name", "gktune"}, {"version", kVersion}}},
        {"instructions",
         "gktune finds the fastest configuration of GPU kernels and judges kernels. Its tools execute the "
         "code of the files that they are given. Paths are relative to the server's working directory."}}};
  }

  static Reply list_tools() {
    Json list = Json::array();
    for (const Tool& each : tools()) {
      list.push_back({{"name", each.name},
                      {"description", each.description},
                      {"inputSchema", schema_of(each)},
                      {"annotations", {{"readOnlyHint", each.work == Tool::Work::reads}}}});
    }
    return {Json{{"tools", list}}};
  }

  Reply call(const Json& params, const Json& id) {
    const Json name = params.value("name", Json());
    const auto tool = std::ranges::find_if(tools(), [&](const Tool& each) { return name == each.name; });
    if (tool == tools().end()) return Refusal{kInvalidParams, "unknown tool " + name.dump()};
    const Json arguments = params.value("arguments", Json::object());
    if (!arguments.is_object()) return Refusal{kInvalidParams, "arguments is no object"};
    GKTUNE_TRY(check_arguments(*tool, arguments));
    if (tool->command.empty()) return {explain(arguments)};
    std::vector<std::string> argv = command_for(*tool, arguments);
    argv.insert(argv.begin(), context_.environment.program.string());
    const Json meta = params.value("_meta", Json());
    calls_.push_back({.id = id,
                      .progress_token = meta.is_object() ? meta.value("progressToken", Json()) : Json(),
                      .tool = &*tool,
                      .argv = std::move(argv)});
    return {std::nullopt};
  }

  // False: the call has ended.
  bool begin(Call& call) {
    auto process = ChildProcess::start({call.argv, {}, ChildOptions::Kind::command});
    if (!process) {
      send({{"id", call.id}, {"result", text_result({process.error().message}, true)}});
      return false;
    }
    call.process.emplace(*std::move(process));
    call.output = call.process->take_output();
    call.messages = call.process->take_socket();
    return true;
  }

  // One call times at a time, because others would disturb it.
  bool has_to_wait(const Call& call) const {
    if (call.process || call.tool->work != Tool::Work::times) return false;
    return &call != &*std::ranges::find_if(
                        calls_, [](const Call& each) { return each.tool->work == Tool::Work::times; });
  }

  // False: the call has ended.
  bool follow(Call& call) {
    if (has_to_wait(call)) return !call.ends_at;
    if (!call.process && (call.ends_at || !begin(call))) return false;
    const auto ended = call.process->exit_status();
    read_into(call.printed, call.output);
    read_into(call.told, call.messages);
    if (call.told.size() > 2 * kMostTold) call.told.erase(0, call.told.size() - kMostTold);
    if (call.ends_at) return !ended && Clock::now() < *call.ends_at;
    if (ended) send({{"id", call.id}, {"result", result_of(call, *ended)}});
    if (!ended) report_progress(call);
    return !ended;
  }

  // The seconds that have passed, and the last complete line that the command told.
  void report_progress(Call& call) {
    const Clock::time_point now = Clock::now();
    if (call.progress_token.is_null() || now - call.reported < kProgressInterval) return;
    call.reported = now;
    Json params = {{"progressToken", call.progress_token},
                   {"progress", std::chrono::duration<double>(now - call.begin).count()}};
    if (const std::size_t end = call.told.rfind('\n'); end != call.told.npos) {
      const std::size_t begin = call.told.find_last_of('\n', end - 1) + 1;
      params["message"] = as_utf8(call.told.substr(begin, end - begin));
    }
    send({{"method", "notifications/progress"}, {"params", params}});
  }

  struct Resource {
    std::string uri;
    const char* type;
    std::string_view text;
  };
  static std::vector<Resource> resources() {
    std::vector<Resource> all;
    for (const EmbeddedFile& page : manual_texts())
      all.push_back({"gktune://docs/" + std::string(page.path), "text/markdown", page.text});
    for (const EmbeddedFile& file : starter_texts())
      all.push_back({"gktune://examples/" + std::string(file.path),
                     file.path.ends_with(".yaml") ? "application/yaml" : "text/x-c++", file.text});
    return all;
  }

  static Reply list_resources() {
    Json list = Json::array();
    for (const Resource& each : resources())
      list.push_back(
          {{"uri", each.uri}, {"name", each.uri.substr(each.uri.find("//") + 2)}, {"mimeType", each.type}});
    return {Json{{"resources", list}}};
  }

  static Reply read_resource(const Json& params) {
    const Json uri = params.value("uri", Json());
    if (!uri.is_string()) return Refusal{kInvalidParams, "uri is missing"};
    for (const Resource& each : resources()) {
      if (uri == each.uri)
        return {Json{{"contents", {{{"uri", each.uri}, {"mimeType", each.type}, {"text", each.text}}}}}};
    }
    return Refusal{kUnknownResource, "there is no resource " + uri.get<std::string>()};
  }

  std::list<Call>::iterator find(const Json& id) { return std::ranges::find(calls_, id, &Call::id); }

  Context& context_;
  bool is_readable_ = false;
  std::list<Call> calls_;
};

struct McpOptions {};

}  // namespace

Command mcp_command() {
  return make_command<McpOptions>(
      "mcp", "Serve agents: the Model Context Protocol on standard input and output", "gktune mcp",
      [](Flags&, McpOptions&) {},
      [](const McpOptions&, Context& context) { return McpServer(context).serve(); },
      "Its tools compile and run the code of the files that an agent names.");
}

}  // namespace gktune
