#include "engine/import/launching_code.h"

#include <fmt/format.h>

#include <algorithm>

namespace gktune {
namespace {

std::size_t opening_bracket(Tokens tokens, std::size_t close) {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (tokens[i] == ")" || tokens[i] == "]" || tokens[i] == "}") ++depth;
    if ((tokens[i] == "(" || tokens[i] == "[" || tokens[i] == "{") && --depth == 0) return i;
  }
  return tokens.size();
}

// <<< or >>>: three tokens without blanks.
bool is_triple(Tokens tokens, std::size_t at, std::string_view sign) {
  return at + 2 < tokens.size() && tokens[at] == sign && tokens[at + 1] == sign && tokens[at + 2] == sign &&
         tokens[at + 2].text.data() == tokens[at].text.data() + 2;
}

// kernel<T, 4><<<grid, block, shared>>>(arguments): `at` is the first token of <<<.
std::optional<FoundLaunch> launch_in_brackets(Tokens tokens, std::size_t at) {
  FoundLaunch launch;
  const std::size_t name = name_before(tokens, 0, at);
  if (name == at) return std::nullopt;
  const Tokens list = tokens.subspan(name + 1, at - name - 1);
  launch.template_arguments.assign(list.begin(), list.end());
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

// The value that begins here and ends at a comma, a semicolon or a brace. Empty if a bracket does not close.
Tokens value_from(Tokens tokens, std::size_t begin) {
  std::size_t end = begin;
  for (; end < tokens.size() && !is_any_of(tokens[end].text, {";", ",", "}"}); ++end) {
    if (is_any_of(tokens[end].text, {"(", "{", "["})) end = closing_bracket(tokens, end);
    if (end >= tokens.size()) return {};
  }
  return tokens.subspan(begin, end - begin);
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

LaunchingCode::LaunchingCode(Tokens tokens) : tokens_(tokens) {
  find_functions();
  find_definitions();
  find_parameters();
}

std::size_t LaunchingCode::statement_begin(std::size_t at) const {
  while (at > 0 && !is_any_of(tokens_[at - 1].text, {";", "{", "}"})) --at;
  return at;
}

std::size_t LaunchingCode::statement_end(std::size_t at) const {
  while (at < tokens_.size() && tokens_[at] != ";") ++at;
  return at;
}

std::vector<LaunchingCode::Call> LaunchingCode::calls_of(std::initializer_list<std::string_view> functions,
                                                         std::size_t fewest_items) const {
  std::vector<Call> found;
  for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
    if (!tokens_[i].is_word() || tokens_[i + 1] != "(" || !is_any_of(tokens_[i].text, functions)) continue;
    Call call{i, split_list(tokens_, i + 1)};
    if (call.items.size() >= fewest_items) found.push_back(std::move(call));
  }
  return found;
}

// Finds the functions that have a body, also in classes.
void LaunchingCode::find_functions() {
  for (std::size_t i = 1; i < tokens_.size(); ++i) {
    if (tokens_[i] != "{") continue;
    std::size_t close = i - 1;
    while (close > 0 &&
           (tokens_[close] == "const" || tokens_[close] == "noexcept" || tokens_[close] == "override"))
      --close;
    if (tokens_[close] != ")") continue;
    const std::size_t open = opening_bracket(tokens_, close);
    if (open == tokens_.size() || open == 0 || !tokens_[open - 1].is_word()) continue;
    const std::size_t begin = statement_begin(open - 1);
    const Tokens head = tokens_.subspan(begin, open - begin);
    const bool is_device = has(head, "__global__") || (has(head, "__device__") && !has(head, "__host__"));
    const std::size_t end = closing_bracket(tokens_, i);
    if (end == tokens_.size()) return;
    functions_.push_back({std::string(tokens_[open - 1].text), open, i, end, is_device});
    i = end;
  }
}

std::size_t LaunchingCode::scope_of(std::size_t place) const {
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    if (place >= functions_[i].parameters && place <= functions_[i].end) return i;
  }
  return kOutside;
}

void LaunchingCode::define(const std::string& name, Tokens value) {
  if (!definitions_.contains(name)) definitions_[name] = {{kOutside, false, {value}, 0}};
}

void LaunchingCode::define(const std::string& name, std::vector<Tokens> parameters, Tokens value) {
  macros_.try_emplace(name, Macro{std::move(parameters), value});
}

// i of `for (int i = 0;`
bool LaunchingCode::is_loop_variable(std::size_t at) const {
  while (at > 0 && (tokens_[at - 1].is_word() || tokens_[at - 1] == ":" || tokens_[at - 1] == "*")) --at;
  return at > 1 && tokens_[at - 1] == "(" && tokens_[at - 2] == "for";
}

// True if the statement at this token declares dim3 variables.
bool LaunchingCode::is_dim3_list(std::size_t at) const {
  at = statement_begin(at);
  return tokens_[at] == "dim3" || (tokens_[at] == "const" && tokens_[at + 1] == "dim3");
}

// `int n = …;`, `int a = 1, b = 2;`, `dim3 grid(…)`, `dim3 grid = dim3(…)`, `dim3
// grid{…}`, `options.rows = …;`.
void LaunchingCode::find_definitions() {
  for (std::size_t i = 1; i + 1 < tokens_.size(); ++i) {
    if (tokens_[i].is_word()) find_definition(i);
  }
  // int size = 0; cudaOccupancyMaxPotentialBlockSize(&grid, &size, kernel);
  for (std::size_t i = 1; i + 1 < tokens_.size(); ++i) {
    if (tokens_[i] != "&" || (tokens_[i - 1] != "(" && tokens_[i - 1] != ",")) continue;
    const auto found = definitions_.find(tokens_[i + 1].text);
    if (found == definitions_.end()) continue;
    std::erase_if(found->second, [&](const Definition& each) {
      return is_placeholder(each) && each.scope == scope_of(i) && each.place < i;
    });
  }
}

// The 0 of `int n = 0;`: a later statement sets the value.
bool LaunchingCode::is_placeholder(const Definition& definition) {
  return !definition.is_dim3 && definition.values.size() == 1 && definition.values[0].size() == 1 &&
         definition.values[0][0] == "0";
}

void LaunchingCode::find_definition(std::size_t at) {
  const std::size_t scope = scope_of(at);
  if (scope != kOutside && functions_[scope].is_device) return;
  const std::string name(tokens_[at].text);
  const Token &before = tokens_[at - 1], &next = tokens_[at + 1];
  const bool is_listed = before == "," && is_dim3_list(at), has_list = next == "(" || next == "{";
  const bool is_bare = (next == ";" || next == ",") && (is_listed || (before == "dim3" && is_dim3_list(at)));
  if (((before == "dim3" || is_listed) && has_list) || is_bare) {
    // dim3 grid, block; block.x = 16;
    definitions_[name].push_back(
        {scope, true, has_list ? split_list(tokens_, at + 1) : std::vector<Tokens>(), at});
    return;
  }
  if (next == "{" && before.is_word()) {  // int n{256};
    const std::size_t close = closing_bracket(tokens_, at + 1);
    const bool is_variable = !is_any_of(before.text, {"struct", "class", "enum", "union", "namespace"}) &&
                             !declares_nothing(before.text) && close > at + 2 && close + 1 < tokens_.size() &&
                             (tokens_[close + 1] == ";" || tokens_[close + 1] == ",");
    if (is_variable)
      definitions_[name].push_back({scope, false, {tokens_.subspan(at + 2, close - at - 2)}, at});
    return;
  }
  if (next != "=" || at + 2 >= tokens_.size() || tokens_[at + 2] == "=") return;
  if ((before.is_word() && declares_nothing(before.text)) || is_loop_variable(at)) return;
  const Tokens value = value_from(tokens_, at + 2);
  if (value.empty() || (before == "." && set_axis(at, value))) return;
  const bool is_declared = before.is_word() || before == "," || before == "*" || before == ">";
  const Definition* earlier = find(name, at);
  // A later value counts where the declaration has none or 0; one of the program's arguments never.
  if (!is_declared && earlier != nullptr) {
    if (has(value, "argv")) return;
    if (earlier->scope == scope && (!is_placeholder(*earlier) || has(value, name))) return;
    std::erase_if(definitions_[name],
                  [&](const Definition& each) { return each.scope == scope && is_placeholder(each); });
  }
  const bool is_dim3 = before == "dim3" || is_listed || (value.size() > 2 && value[0] == "dim3");
  const std::size_t open = value[0] == "dim3" ? 1 : 0;
  const bool is_list = is_dim3 && value.size() > open + 1 && (value[open] == "(" || value[open] == "{");
  definitions_[name].push_back({scope, is_dim3, is_list ? split_list(value, open) : std::vector{value}, at});
}

// block.x = value: `at` is the axis. False if it is no axis of a dim3.
bool LaunchingCode::set_axis(std::size_t at, Tokens value) {
  const std::string_view axis = tokens_[at].text;
  const auto object = at > 1 ? definitions_.find(tokens_[at - 2].text) : definitions_.end();
  if (!is_any_of(axis, {"x", "y", "z"}) || object == definitions_.end() || !object->second.back().is_dim3)
    return false;
  std::vector<Tokens>& values = object->second.back().values;
  const auto place = static_cast<std::size_t>(axis[0] - 'x');
  static const std::vector<Token> kOne = tokenize("1");
  while (values.size() <= place) values.emplace_back(kOne);
  values[place] = value;
  return true;
}

// A function's parameter is what its first call passes.
void LaunchingCode::find_parameters() {
  for (std::size_t f = 0; f < functions_.size(); ++f) {
    const Function& function = functions_[f];
    if (function.is_device || function.name == "main") continue;
    const std::vector<Tokens> parameters = split_list(tokens_, function.parameters);
    for (std::size_t i = 1; i + 1 < tokens_.size(); ++i) {
      if (tokens_[i] != function.name || tokens_[i + 1] != "(" || i + 1 == function.parameters) continue;
      const std::size_t caller = scope_of(i);
      if (caller == kOutside || caller == f || functions_[caller].is_device) continue;
      const std::vector<Tokens> passed = split_list(tokens_, i + 1);
      for (std::size_t k = 0; k < parameters.size() && k < passed.size(); ++k) {
        if (parameters[k].empty() || passed[k].empty() || !parameters[k].back().is_word()) continue;
        definitions_[std::string(parameters[k].back().text)].push_back(
            {f, has(parameters[k], "dim3"), {passed[k]}, i});
      }
      break;
    }
  }
}

const LaunchingCode::Definition* LaunchingCode::find(std::string_view name, std::size_t place) const {
  const auto found = definitions_.find(name);
  if (found == definitions_.end() || found->second.empty()) return nullptr;
  const auto rank = [scope = scope_of(place)](const Definition& each) {
    return each.scope == scope ? 0 : each.scope == kOutside ? 1 : 2;
  };
  return &*std::ranges::min_element(found->second, {}, rank);
}

std::vector<LaunchingCode::Written> LaunchingCode::extents(Tokens config, std::size_t place) const {
  const auto all_of = [](const std::vector<Tokens>& values, std::size_t from) {
    std::vector<Written> all;
    for (const Tokens each : values) all.push_back({each, from});
    return all;
  };
  for (int depth = 0; depth < kDeepest; ++depth) {
    if (config.size() > 2 && (config[0] == "dim3" || config[0] == "{"))
      return all_of(split_list(config, config[0] == "dim3" ? 1 : 0), place);
    const Definition* found =
        config.size() == 1 && config[0].is_word() ? find(config[0].text, place) : nullptr;
    if (found == nullptr || !found->is_dim3 || found->values.empty()) break;
    const bool is_other = found->values.size() == 1 && found->values[0].size() == 1 &&
                          found->values[0][0].is_word() && is_dim3(found->values[0][0].text, found->place);
    if (!is_other) return all_of(found->values, found->place);
    config = found->values[0];
    place = found->place;
  }
  return {{config, place}};
}

bool LaunchingCode::is_dim3(std::string_view name, std::size_t place) const {
  const Definition* found = find(name, place);
  return found != nullptr && found->is_dim3;
}

std::optional<LaunchingCode::Written> LaunchingCode::definition(std::string_view name,
                                                                std::size_t place) const {
  const Definition* found = find(name, place);
  if (found == nullptr || found->is_dim3 || found->values.size() != 1) return std::nullopt;
  return Written{found->values[0], found->place};
}

std::vector<LaunchingCode::Source> LaunchingCode::sources_of(Tokens expression, std::size_t place) const {
  std::vector<Source> found;
  int steps = 0;
  add_sources(expression, place, 0, steps, found);
  return found;
}

void LaunchingCode::add_sources(Tokens expression, std::size_t place, int depth, int& steps,
                                std::vector<Source>& found) const {
  if (depth > kDeepest || ++steps > kMostSteps) return;
  expression = without_condition(expression);
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const Token& token = expression[i];
    if (!token.is_word()) continue;
    const bool is_call = i + 1 < expression.size() &&
                         (expression[i + 1] == "(" || expression[i + 1] == "<" || expression[i + 1] == ":");
    if (token == "sizeof") {
      i = i + 1 < expression.size() && expression[i + 1] == "(" ? closing_bracket(expression, i + 1) : i + 2;
      continue;
    }
    if (is_call || known.contains(token.text)) continue;
    const bool has_member = i + 2 < expression.size() && expression[i + 1] == ".";
    const Definition* value = find(token.text, place);
    if (has_member) {
      if (known.contains(std::string(token.text) + "." + std::string(expression[i + 2].text))) {
        i += 2;
        continue;
      }
      if (value == nullptr || !value->is_dim3) continue;  // the member's name is next
      i += 2;
    }
    if (value == nullptr) continue;
    const std::size_t before = found.size();
    for (const Tokens each : value->values) add_sources(each, value->place, depth + 1, steps, found);
    if (found.size() > before || value->is_dim3) continue;
    const bool is_derived =
        std::ranges::any_of(value->values[0], [&](const Token& each) { return known.contains(each.text); });
    if (is_derived) continue;
    std::string name(token.text);
    if (std::ranges::find(found, name, &Source::name) == found.end())
      found.push_back({std::move(name), place});
  }
}

std::optional<SizeTerm> LaunchingCode::loop_start(std::string_view name, std::size_t place) {
  for (std::size_t i = 2; i + 2 < tokens_.size(); ++i) {
    if (tokens_[i] != name || tokens_[i + 1] != "=" || scope_of(i) != scope_of(place) || !is_loop_variable(i))
      continue;
    return translate(tokens_.subspan(i + 2, statement_end(i) - i - 2), i);
  }
  return std::nullopt;
}

std::vector<Tokens> LaunchingCode::initializer(std::string_view name) const {
  for (std::size_t i = 1; i + 2 < tokens_.size(); ++i) {
    if (tokens_[i] != name || !tokens_[i - 1].is_word()) continue;
    const std::size_t open = tokens_[i + 1] == "=" ? i + 2 : i + 1;
    if (tokens_[open] == "{") return split_list(tokens_, open);
  }
  return {};
}

// cudaLaunchKernel(kernel, grid, block, arguments, shared): `at` is its name.
std::optional<FoundLaunch> LaunchingCode::launch_by_call(std::size_t at) const {
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

namespace {

// The parts between && outside of brackets, without brackets around them.
void add_conjuncts(Tokens condition, std::vector<Tokens>& parts) {
  while (condition.size() > 2 && condition[0] == "(" && closing_bracket(condition, 0) + 1 == condition.size())
    condition = condition.subspan(1, condition.size() - 2);
  for (std::size_t i = 0; i + 1 < condition.size(); ++i) {
    if (condition[i] == "(" || condition[i] == "[") i = closing_bracket(condition, i);
    if (i + 1 >= condition.size() || condition[i] != "&" || condition[i + 1] != "&") continue;
    add_conjuncts(condition.first(i), parts);
    return add_conjuncts(condition.subspan(i + 2), parts);
  }
  parts.push_back(condition);
}

}  // namespace

std::vector<LaunchingCode::Written> LaunchingCode::asserted() const {
  std::vector<Written> found;
  for (const Call& call : calls_of({"assert", "static_assert"}, 1)) {
    const std::size_t scope = scope_of(call.place);
    if (scope != kOutside && functions_[scope].is_device) continue;
    std::vector<Tokens> parts;
    add_conjuncts(call.items[0], parts);
    for (const Tokens part : parts) found.push_back({part, call.place});
  }
  return found;
}

std::optional<std::string> LaunchingCode::translate_comparison(Tokens condition, std::size_t place) {
  for (std::size_t i = 1; i + 1 < condition.size(); ++i) {
    if (condition[i] == "(" || condition[i] == "[") i = closing_bracket(condition, i);
    if (i + 1 >= condition.size() || !is_any_of(condition[i].text, {"<", ">", "=", "!"})) continue;
    const bool has_equal = condition[i + 1] == "=";
    const bool is_other = has_equal ? false : is_any_of(condition[i].text, {"=", "!"});
    if (is_other || condition[i + 1] == condition[i].text) {
      if (condition[i] != "=") return std::nullopt;  // a shift
    }
    const std::size_t end = i + (has_equal ? 2 : 1);
    const auto left = translate(condition.first(i), place), right = translate(condition.subspan(end), place);
    if (!left || !right) return std::nullopt;
    return fmt::format("{} {} {}", left->text(), text_of(condition.subspan(i, end - i)), right->text());
  }
  return std::nullopt;
}

std::vector<FoundLaunch> LaunchingCode::launches() const {
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

namespace {

void add(std::vector<SourceSetting>& settings, std::string_view name, std::int64_t value, bool is_global) {
  if (std::ranges::find(settings, name, &SourceSetting::name) == settings.end())
    settings.push_back({std::string(name), value, is_global});
}

// 16, (16), 1 << 20, 4 * 256
std::optional<std::int64_t> plain_integer(Tokens value, LaunchingCode& code) {
  const bool has_words = std::ranges::any_of(value, [](const Token& token) {
    return token.kind != Token::Kind::number && token.kind != Token::Kind::punctuation;
  });
  const auto term = value.empty() || has_words ? std::nullopt : code.translate(value, 0);
  return term && !term->is_real() ? term->constant() : std::nullopt;
}

// #define TILE 16, #define BLOCKS(n) ((n + TILE - 1) / TILE)
void add_macro(Tokens line, LaunchingCode& code, std::vector<SourceSetting>& settings) {
  const bool has_list =
      line.size() > 3 && line[3] == "(" && line[3].text.data() == line[2].text.data() + line[2].text.size();
  if (has_list) {
    const std::size_t close = closing_bracket(line, 3);
    if (close + 1 < line.size())
      code.define(std::string(line[2].text), split_list(line, 3), line.subspan(close + 1));
    return;
  }
  if (line.size() < 4) return;
  const Tokens value = line.subspan(3);
  code.define(std::string(line[2].text), value);
  if (const auto number = plain_integer(value, code)) add(settings, line[2].text, *number, true);
}

// enum { WARPS = 4, ITEMS = 8 };
void add_enumerators(Tokens tokens, std::size_t at, LaunchingCode& code,
                     std::vector<SourceSetting>& settings) {
  std::size_t open = at;
  while (open < tokens.size() && tokens[open] != "{" && tokens[open] != ";") ++open;
  if (open >= tokens.size() || tokens[open] != "{") return;
  for (const Tokens item : split_list(tokens, open)) {
    if (item.size() < 3 || item[1] != "=") continue;
    code.define(std::string(item[0].text), item.subspan(2));
    if (const auto value = plain_integer(item.subspan(2), code)) add(settings, item[0].text, *value, true);
  }
}

bool opens_namespace(Tokens tokens, std::size_t open) {
  for (std::size_t k = open;
       k-- > 0 && open - k < 8 && (tokens[k].is_word() || tokens[k] == ":" || tokens[k] == "\"C\"");) {
    if (tokens[k] == "namespace" || tokens[k] == "extern") return true;
  }
  return false;
}

// constexpr int TILE = 16, STEPS = 4; constexpr int WARPS{8};
void add_constants(Tokens tokens, LaunchingCode& code, std::vector<SourceSetting>& settings) {
  int depth = 0;
  for (std::size_t i = 1; i + 2 < tokens.size(); ++i) {
    if (tokens[i] == "{" && !opens_namespace(tokens, i)) ++depth;
    if (tokens[i] == "}") depth = std::max(0, depth - 1);
    const bool is_list = tokens[i + 1] == "{";
    if (!tokens[i].is_word() || (tokens[i + 1] != "=" && !is_list) ||
        (!tokens[i - 1].is_word() && tokens[i - 1] != ","))
      continue;
    bool is_constant = false;
    for (std::size_t k = i; k-- > 0 && i - k < 40 && !is_any_of(tokens[k].text, {";", "}", "{", "("});)
      is_constant = is_constant || tokens[k] == "const" || tokens[k] == "constexpr";
    std::size_t end = i + 2;
    while (end < tokens.size() && tokens[end] != ";" && tokens[end] != "," &&
           !(is_list && tokens[end] == "}"))
      ++end;
    const auto value = plain_integer(tokens.subspan(i + 2, end - i - 2), code);
    if (is_constant && value) add(settings, tokens[i].text, *value, depth == 0);
  }
}

}  // namespace

std::vector<SourceSetting> source_settings(Tokens tokens, const std::vector<std::vector<Token>>& defines,
                                           LaunchingCode& code) {
  std::vector<SourceSetting> settings;
  for (const std::vector<Token>& line : defines) add_macro(line, code, settings);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] == "enum") add_enumerators(tokens, i, code, settings);
  }
  add_constants(tokens, code, settings);
  return settings;
}

}  // namespace gktune
