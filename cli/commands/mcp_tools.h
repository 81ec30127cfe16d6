#pragma once

#include <string>
#include <vector>

#include "cli/output/json.h"
#include "gktune/result.h"

namespace gktune {

// Codes of JSON-RPC, and of the protocol for resources.
inline constexpr int kParseError = -32700, kInvalidRequest = -32600, kUnknownMethod = -32601,
                     kInvalidParams = -32602, kUnknownResource = -32002;
struct Refusal {
  int code;
  std::string message;
};

// An argument of a tool, and the flag of the command that takes it. Without a flag it follows the flags.
struct ToolArgument {
  enum class Kind { text, texts, number, choice };  // a choice is a flag without a value
  std::string name, flag, description;
  Kind kind = Kind::text;
  bool is_required = false;
};

struct Tool {
  std::string name, description;
  std::vector<std::string> command;  // empty: answered without one
  std::vector<ToolArgument> arguments;
  enum class Work { reads, compiles, times } work = Work::reads;
  std::vector<int> accepted = {0};  // exit codes of a command that did its work
};

const std::vector<Tool>& tools();
Json schema_of(const Tool& tool);
Result<void, Refusal> check_arguments(const Tool& tool, const Json& arguments);
// The words behind the program's name.
std::vector<std::string> command_for(const Tool& tool, const Json& arguments);
// The answer of the tool without a command.
Json explain(const Json& arguments);
// The result of a call, with the texts that are not empty.
Json text_result(std::vector<std::string> texts, bool is_error);

}  // namespace gktune
