// gktune mcp, in a process of its own: the forms of messages, and how calls end. tests/mcp uses it by a
// client of others.
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

#include "tests/expectations.h"
#include "tests/scratch_folder.h"
#include "tuner/process/child_process.h"

namespace gktune {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

class Mcp : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string script =
        "cd '" + scratch_.path().string() + "' && exec '" GKTUNE_PROGRAM_FOLDER "/gktune' mcp";
    auto server = ChildProcess::start({{"/bin/sh", "-c", script},
                                       {{"XDG_CACHE_HOME", scratch_.path("cache")}},
                                       ChildOptions::Kind::coprocess});
    ASSERT_TRUE(server.ok());
    server_.emplace(*std::move(server));
    input_ = server_->take_socket();
    output_ = server_->take_output();
  }

  void send(const std::string& line) {
    const std::string text = line + '\n';
    ASSERT_EQ(::write(input_.number(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  // The next message; null if none comes in a minute.
  Json receive() {
    const auto until = std::chrono::steady_clock::now() + 60s;
    while (received_.find('\n') == std::string::npos && std::chrono::steady_clock::now() < until) {
      pollfd wait{output_.number(), POLLIN, 0};
      ::poll(&wait, 1, 100);
      std::array<char, 4096> bytes;
      const ssize_t got = ::read(output_.number(), bytes.data(), bytes.size());
      if (got > 0) received_.append(bytes.data(), static_cast<std::size_t>(got));
    }
    const std::size_t end = received_.find('\n');
    if (end == std::string::npos) return nullptr;
    const Json message = Json::parse(received_.substr(0, end), nullptr, false);
    received_.erase(0, end + 1);
    return message;
  }
  Json ask(const std::string& line) {
    send(line);
    return receive();
  }
  // A call that takes minutes.
  void begin_long_call(const std::string& id) {
    std::string space = contents_of(GKTUNE_SOURCE_DIR "/tests/cli/spaces/twice.yaml"), widths;
    for (int width = 1; width <= 1000; ++width) widths += std::to_string(width) + ", ";
    space.replace(space.find("[64, 128]"), 9, "[" + widths + "1001]");
    scratch_.write("many.yaml", space);
    for (const char* name : {"twice.cu", "twice_reference.cu"})
      scratch_.write(name, contents_of(std::string(GKTUNE_SOURCE_DIR "/tests/cli/spaces/") + name));
    send(R"({"jsonrpc": "2.0", "id": )" + id +
         R"(, "method": "tools/call", "params": {"name": "tune", "arguments": {"spaces": ["many.yaml"], )"
         R"("device": "host", "trials": 1000}}})");
  }
  // The processes that the server has started. Waits for their number.
  std::vector<pid_t> children(std::size_t count) {
    const std::string pid = std::to_string(server_->pid());
    std::vector<pid_t> found;
    for (int attempt = 0; attempt < 600; ++attempt, std::this_thread::sleep_for(100ms)) {
      std::istringstream numbers(contents_of("/proc/" + pid + "/task/" + pid + "/children"));
      found.clear();
      for (pid_t child; numbers >> child;) found.push_back(child);
      if (found.size() == count) break;
    }
    return found;
  }

  ScratchFolder scratch_;
  std::optional<ChildProcess> server_;
  FileDescriptor input_, output_;
  std::string received_;
};

TEST_F(Mcp, bad_messages_get_the_errors_of_the_protocol) {
  const auto request = [](const std::string& method, const std::string& params) {
    return R"({"jsonrpc": "2.0", "id": 1, "method": ")" + method + R"(", "params": )" + params + "}";
  };
  const auto call = [&](const std::string& params) { return request("tools/call", params); };
  const std::pair<std::string, int> wrong[] = {
      {"{", -32700},
      {"\xff", -32700},
      {"[]", -32600},
      {"7", -32600},
      {R"({"jsonrpc": "1.0", "id": 1, "method": "ping"})", -32600},
      {R"({"jsonrpc": "2.0", "id": null, "method": "ping"})", -32600},
      {R"({"jsonrpc": "2.0", "id": [1], "method": "ping"})", -32600},
      {R"({"jsonrpc": "2.0", "id": 1, "method": 5})", -32600},
      {R"({"jsonrpc": "2.0", "id": 1})", -32600},
      {request("server/discover", "{}"), -32601},
      {request("ping", "[]"), -32602},
      {request("initialize", "{}"), -32602},
      {request("initialize", R"({"protocolVersion": 1})"), -32602},
      {request("resources/read", "{}"), -32602},
      {request("resources/read", R"({"uri": "gktune://docs/../README.md"})"), -32002},
      {call("{}"), -32602},
      {call(R"({"name": "tuna"})"), -32602},
      {call(R"({"name": "check", "arguments": []})"), -32602},
      {call(R"({"name": "check", "arguments": {}})"), -32602},
      {call(R"({"name": "check", "arguments": {"space": 7}})"), -32602},
      {call(R"({"name": "check", "arguments": {"space": "a\u0000b"}})"), -32602},
      {call(R"({"name": "check", "arguments": {"space": "a", "sample": 1.5}})"), -32602},
      {call(R"({"name": "check", "arguments": {"space": "a", "sanitize": "yes"}})"), -32602},
      {call(R"({"name": "check", "arguments": {"space": "a", "spaec": "b"}})"), -32602},
      {call(R"({"name": "judge", "arguments": {"space": "a", "candidates": []}})"), -32602},
      {call(R"({"name": "judge", "arguments": {"space": "a", "candidates": [1]}})"), -32602},
  };
  for (const auto& [line, code] : wrong) {
    const Json answer = ask(line);
    EXPECT_EQ(answer["error"]["code"], code) << line << '\n' << answer;
    EXPECT_EQ(answer["jsonrpc"], "2.0") << line;
    const bool has_id = code != -32700 && line.find(R"("id": 1)") != std::string::npos;
    EXPECT_EQ(answer["id"], has_id ? Json(1) : Json()) << line;
  }
}

TEST_F(Mcp, notices_and_answers_are_not_answered) {
  send(R"({"jsonrpc": "2.0", "method": "notifications/initialized"})");
  send(R"({"jsonrpc": "2.0", "method": "unknown", "params": 5})");
  send(R"({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 8}})");
  send(R"({"jsonrpc": "2.0", "id": 3, "result": {}})");
  send("  ");
  EXPECT_EQ(ask(R"({"jsonrpc": "2.0", "id": "one", "method": "ping"})"),
            (Json{{"jsonrpc", "2.0"}, {"id", "one"}, {"result", Json::object()}}));
}

TEST_F(Mcp, a_version_that_is_not_known_is_answered_by_the_latest_one) {
  const auto version = [&](const std::string& asked) {
    return ask(R"({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": ")" +
               asked + R"("}})")["result"]["protocolVersion"];
  };
  EXPECT_EQ(version("2024-11-05"), "2024-11-05");
  EXPECT_EQ(version("2031-01-01"), "2025-11-25");
}

TEST_F(Mcp, a_message_may_come_in_parts_and_several_at_once) {
  const std::string ping = R"({"jsonrpc": "2.0", "id": 1, "method": "ping"})";
  ASSERT_EQ(::write(input_.number(), ping.data(), 10), 10);
  std::this_thread::sleep_for(50ms);
  send(ping.substr(10) + '\n' + ping);
  EXPECT_EQ(receive()["id"], 1);
  EXPECT_EQ(receive()["id"], 1);
}

TEST_F(Mcp, a_cancelled_call_ends_without_an_answer) {
  begin_long_call("5");
  ASSERT_EQ(children(1).size(), 1u);
  EXPECT_EQ(ask(R"({"jsonrpc": "2.0", "id": 5, "method": "ping"})")["error"]["code"], -32600)
      << "the id is taken";
  send(R"({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}})");
  EXPECT_EQ(children(0).size(), 0u);
  EXPECT_EQ(ask(R"({"jsonrpc": "2.0", "id": 6, "method": "ping"})")["id"], 6);
}

TEST_F(Mcp, calls_that_time_wait_for_each_other_and_one_whose_process_dies_costs_no_other) {
  begin_long_call("5");
  begin_long_call("6");
  const std::vector<pid_t> first = children(1);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(
      ask(R"({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "devices"}})")["id"], 7);
  EXPECT_EQ(children(1), first);
  begin_long_call("8");
  send(R"({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 6}})");
  ::kill(first[0], SIGKILL);
  const Json killed = receive();
  EXPECT_EQ(killed["id"], 5);
  EXPECT_EQ(killed["result"]["isError"], true);
  EXPECT_TRUE(
      contains(killed["result"]["content"][0]["text"].get<std::string>(), "gktune run: killed by SIGKILL"));
  const std::vector<pid_t> next = children(1);
  ASSERT_EQ(next.size(), 1u);
  ::kill(next[0], SIGKILL);
  EXPECT_EQ(receive()["id"], 8) << "6 was cancelled before it began";
}

TEST_F(Mcp, the_end_of_the_input_ends_the_server_and_its_calls) {
  begin_long_call("5");
  const std::vector<pid_t> started = children(1);
  ASSERT_EQ(started.size(), 1u);
  input_.close();
  const auto ended = server_->exit_status_within(30s);
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->str(), "exited with code 0");
  EXPECT_NE(::kill(started[0], 0), 0);
}

TEST_F(Mcp, a_failure_is_explained_with_the_lines_that_its_message_names) {
  scratch_.write("mine.cu", "one\ntwo\nthree\n");
  scratch_.write("notes.txt", "private\n");
  const Json answer = ask(
      R"({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "explain", "arguments": )"
      R"({"status": "data_race", "message": "mine.cu:2 and (mine.cu:2), absent.cu:1, notes.txt:1, mine.cu:0:x:"}}})");
  const Json content = answer["result"]["content"];
  ASSERT_EQ(content.size(), 2u) << answer;
  EXPECT_TRUE(
      contains(content[0]["text"].get<std::string>(), "data_race: two threads access the same bytes"));
  EXPECT_EQ(content[1]["text"], "mine.cu:2\n     1 | one\n>    2 | two\n     3 | three\n");
}

}  // namespace
}  // namespace gktune
