// The launches of kernels in host code.
#include "engine/import/host_code.h"

namespace gktune {
namespace {

// <<< or >>>: three tokens without blanks.
bool is_triple(Tokens tokens, std::size_t at, std::string_view sign) {
  return at + 2 < tokens.size() && tokens[at] == sign && tokens[at + 1] == sign && tokens[at + 2] == sign &&
         tokens[at + 2].text.data() == tokens[at].text.data() + 2;
}

// The `<` of the list that closes at this token; 0 if none opens it.
std::size_t opening_angle(Tokens tokens, std::size_t close) {
  int depth = 0;
  std::size_t at = close;
  for (; at > 0; --at) {
    if (tokens[at] == ">") ++depth;
    if (tokens[at] == "<" && --depth == 0) break;
  }
  return at;
}

// kernel<T, 4><<<grid, block, shared>>>(arguments): `at` is the first token of <<<.
std::optional<FoundLaunch> launch_in_brackets(Tokens tokens, std::size_t at) {
  FoundLaunch launch;
  std::size_t name = at - 1;
  if (tokens[name] == ">") {
    name = opening_angle(tokens, name);
    if (name == 0) return std::nullopt;
    const Tokens list = tokens.subspan(name, at - name);
    launch.template_arguments.assign(list.begin(), list.end());
    --name;
  }
  launch.kernel = tokens[name].text;
  launch.place = name;
  std::size_t end = at + 3, begin = end;
  for (; end < tokens.size() && !is_triple(tokens, end, ">"); ++end) {
    if (tokens[end] == ",") {
      launch.config.push_back(tokens.subspan(begin, end - begin));
      begin = end + 1;
    } else if (tokens[end] == "(" || tokens[end] == "{" || tokens[end] == "[") {
      end = closing_bracket(tokens, end);
    }
  }
  if (end + 3 >= tokens.size() || tokens[end + 3] != "(") return std::nullopt;
  launch.config.push_back(tokens.subspan(begin, end - begin));
  launch.arguments = split_list(tokens, end + 3);
  return launch.config.size() < 2 ? std::nullopt : std::optional(std::move(launch));
}

// (void*)&n as n
Tokens without_address(Tokens argument) {
  while (argument.size() > 1 && (argument[0] == "(" || argument[0] == "&")) {
    const std::size_t skipped = argument[0] == "&" ? 1 : closing_bracket(argument, 0) + 1;
    if (skipped >= argument.size()) break;
    argument = argument.subspan(skipped);
  }
  return argument;
}

}  // namespace

// cudaLaunchKernel(kernel, grid, block, arguments, shared): `at` is its name.
std::optional<FoundLaunch> HostCode::launch_by_call(std::size_t at) const {
  const std::vector<Tokens> items = split_list(tokens_, at + 1);
  if (items.size() < 4 || items[0].empty()) return std::nullopt;
  FoundLaunch launch;
  launch.place = at;
  launch.is_cooperative = tokens_[at] == "cudaLaunchCooperativeKernel";
  std::size_t name = items[0].size() - 1;
  while (name > 0 && !items[0][name].is_word()) --name;
  launch.kernel = items[0][name].text;
  launch.config = {items[1], items[2]};
  if (items.size() > 4) launch.config.push_back(items[4]);
  // void* list[] = {&a, &b};
  for (std::size_t k = 0; k + 3 < tokens_.size() && items[3].size() == 1; ++k) {
    if (tokens_[k] != items[3][0].text || tokens_[k + 1] != "[" || scope_of(k) != scope_of(at)) continue;
    std::size_t list = closing_bracket(tokens_, k + 1) + 1;
    if (list < tokens_.size() && tokens_[list] == "=") ++list;
    if (list < tokens_.size() && tokens_[list] == "{") launch.arguments = split_list(tokens_, list);
    break;
  }
  for (Tokens& argument : launch.arguments) argument = without_address(argument);
  return launch;
}

std::vector<FoundLaunch> HostCode::launches() const {
  std::vector<FoundLaunch> found;
  for (std::size_t i = 1; i + 3 < tokens_.size(); ++i) {
    const bool is_call = is_any_of(tokens_[i].text, {"cudaLaunchKernel", "cudaLaunchCooperativeKernel"}) &&
                         tokens_[i + 1] == "(";
    auto launch = is_call                      ? launch_by_call(i)
                  : is_triple(tokens_, i, "<") ? launch_in_brackets(tokens_, i)
                                               : std::nullopt;
    if (launch) found.push_back(*std::move(launch));
  }
  return found;
}

}  // namespace gktune
