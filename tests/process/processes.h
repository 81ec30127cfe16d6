#pragma once

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

// The processes of this machine, from /proc.

namespace gktune {

struct ProcessState {
  std::string name;
  char state = '?';
  pid_t parent = 0, group = 0;
};

inline ProcessState process_state(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text, '\0');  // none, where the process has ended since the file was opened
  const std::size_t open = text.find('('), close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close + 4 >= text.size()) return {};
  ProcessState process{text.substr(open + 1, close - open - 1), text[close + 2], 0, 0};
  std::istringstream(text.substr(close + 4)) >> process.parent >> process.group;
  return process;
}

template <class Predicate>
std::vector<pid_t> processes_where(Predicate&& predicate) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    const ProcessState state = process_state(pid);
    if (state.state != '?' && state.state != 'Z' && predicate(state)) found.push_back(pid);
  }
  return found;
}

inline std::vector<pid_t> child_processes(pid_t parent) {
  return processes_where([&](const ProcessState& state) { return state.parent == parent; });
}

inline std::vector<pid_t> group_processes(pid_t group) {
  return processes_where([&](const ProcessState& state) { return state.group == group; });
}

inline std::size_t count_children(pid_t parent, std::string_view name) {
  return processes_where(
             [&](const ProcessState& state) { return state.parent == parent && state.name == name; })
      .size();
}

inline std::size_t count_grandchildren(pid_t grandparent, std::string_view name) {
  std::size_t count = 0;
  for (pid_t child : child_processes(grandparent)) count += count_children(child, name);
  return count;
}

inline std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

// True if the function returns true, within a minute, in each of this number of forked children. It gets
// their places.
template <class Function>
bool holds_in_children(int count, const Function& function) {
  std::vector<pid_t> children;
  for (int i = 0; i < count; ++i) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    ::alarm(60);
    ::_exit(function(i) ? 0 : 1);
  }
  bool holds = true;
  for (const pid_t child : children) {
    int status = -1;
    holds = ::waitpid(child, &status, 0) == child && status == 0 && holds;
  }
  return holds;
}

template <class Predicate>
bool eventually(Predicate&& predicate) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!predicate()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace gktune
