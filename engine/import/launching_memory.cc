// The memory that a program allocates, and what it writes there.
#include <algorithm>

#include "engine/import/launching_code.h"

namespace gktune {
namespace {

// Words in a pointer's expression that do not name a variable: types, casts and wrappers.
bool is_type_or_cast(std::string_view word) {
  return is_any_of(word, {"static_cast", "reinterpret_cast", "const_cast", "thrust", "raw_pointer_cast",
                          "std", "const", "void", "float", "double", "int", "unsigned", "long", "short",
                          "char", "bool", "data", "get", "begin", "size_t", "half", "__half", "signed"});
}

}  // namespace

// The names of variables that a pointer comes from: casts, wrappers, and what is
// passed to the function around it.
std::vector<std::string> LaunchingCode::pointer_names(Tokens pointer, std::size_t place) const {
  std::vector<std::string> names{text_of(pointer)};
  for (int depth = 0; depth < 4; ++depth) {
    std::string_view word;
    for (std::size_t i = 0; i < pointer.size() && word.empty(); ++i) {
      if (!pointer[i].is_word() || is_type_or_cast(pointer[i].text)) continue;
      const bool is_cast = i + 1 < pointer.size() && pointer[i + 1] == "*";  // (float4*)p
      if (!is_cast) word = pointer[i].text;
    }
    if (word.empty()) break;
    if (std::ranges::find(names, word) == names.end()) names.emplace_back(word);
    const auto value = definition(word, place);
    if (!value || value->tokens.empty() || (value->tokens[0] == "{")) break;
    pointer = value->tokens;
    place = value->place;
  }
  return names;
}

std::optional<LaunchingCode::Allocation> LaunchingCode::allocation(Tokens pointer, std::size_t place) const {
  for (const std::string& name : pointer_names(pointer, place)) {
    for (std::size_t i = 0; i + 3 < tokens_.size(); ++i) {
      // thrust::device_vector<float> a(n), b(n);
      if (tokens_[i] == "device_vector" && tokens_[i + 1] == "<") {
        const std::size_t close = closing_bracket(tokens_, i + 1);
        std::size_t at = close + 1;
        while (at + 1 < tokens_.size() && tokens_[at] != name && tokens_[at].is_word() &&
               tokens_[at + 1] == "(") {
          at = closing_bracket(tokens_, at + 1) + 1;
          if (at >= tokens_.size() || tokens_[at] != ",") break;
          ++at;
        }
        if (at + 1 >= tokens_.size() || tokens_[at] != name || tokens_[at + 1] != "(") continue;
        const auto type = layout(text_of(tokens_.subspan(i + 2, close - i - 2)));
        const std::vector<Tokens> items = split_list(tokens_, at + 1);
        if (!type || items.empty()) return std::nullopt;
        return Allocation{{items[0]}, type->size, i};
      }
      if (!tokens_[i].text.starts_with("cudaMalloc") || tokens_[i] == "cudaMallocHost" ||
          tokens_[i + 1] != "(")
        continue;
      const std::vector<Tokens> items = split_list(tokens_, i + 1);
      const bool has_pitch = tokens_[i] == "cudaMallocPitch";
      if (items.size() < (has_pitch ? 4u : 2u)) continue;
      if (!text_of(items[0]).ends_with("&" + name) && !has(items[0], name)) continue;
      if (has_pitch) return Allocation{{items[2], items[3]}, 1, i};
      return Allocation{{items[1]}, 1, i};
    }
  }
  return std::nullopt;
}

std::optional<SizeTerm> LaunchingCode::bytes_of(const Allocation& allocation) {
  SizeTerm bytes = SizeTerm::number(static_cast<std::int64_t>(allocation.element));
  for (const Tokens factor : allocation.factors) {
    const auto term = translate(factor, allocation.place);
    if (!term) return std::nullopt;
    bytes = bytes.times(*term);
  }
  return bytes.as_integer();
}

std::optional<LaunchingCode::Filling> LaunchingCode::memset_of(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i + 3 < tokens_.size(); ++i) {
    if ((tokens_[i] != "cudaMemset" && tokens_[i] != "cudaMemsetAsync") || tokens_[i + 1] != "(") continue;
    const std::vector<Tokens> items = split_list(tokens_, i + 1);
    if (items.size() < 3) continue;
    const bool is_it = std::ranges::any_of(
        names, [&](const std::string& name) { return text_of(items[0]) == name || has(items[0], name); });
    if (!is_it) continue;
    const auto value = translate(items[1], i);
    if (!value || !value->constant()) return std::nullopt;
    return Filling{Filling::Kind::constant, *value, {}, translate(items[2], i), true};
  }
  return std::nullopt;
}

std::optional<LaunchingCode::Filling> LaunchingCode::filling(Tokens pointer, std::size_t place) {
  const std::vector<std::string> names = pointer_names(pointer, place);
  for (std::size_t i = 0; i + 3 < tokens_.size(); ++i) {
    if ((tokens_[i] != "cudaMemcpy" && tokens_[i] != "cudaMemcpyAsync") || tokens_[i + 1] != "(") continue;
    const std::vector<Tokens> items = split_list(tokens_, i + 1);
    if (items.size() < 4 || (!has(items[3], "cudaMemcpyHostToDevice") && !has(items[3], "cudaMemcpyDefault")))
      continue;
    const bool is_it = std::ranges::any_of(
        names, [&](const std::string& name) { return text_of(items[0]) == name || has(items[0], name); });
    if (!is_it) continue;
    for (const std::string& array : pointer_names(items[1], i)) {
      if (auto found = filling_of_array(array, scope_of(i), 0)) return found;
    }
  }
  if (auto found = memset_of(names)) return found;
  for (const std::string& name : names) {  // managed memory
    if (auto found = filling_of_array(name, scope_of(place), 0)) return found;
  }
  return std::nullopt;
}

// Looks for `name[i] = …` in a function, in others that it is passed to, and for vectors with a value.
std::optional<LaunchingCode::Filling> LaunchingCode::filling_of_array(const std::string& name, std::size_t scope,
                                                            int depth) {
  if (depth > 3 || scope == kOutside) return std::nullopt;
  const Function& function = functions_[scope];
  for (std::size_t i = function.body; i + 3 < function.end; ++i) {
    if (tokens_[i] != name || tokens_[i - 1] == ".") continue;
    if (tokens_[i + 1] == "[") {
      const std::size_t close = closing_bracket(tokens_, i + 1);
      if (close + 2 >= function.end || tokens_[close + 1] != "=" || tokens_[close + 2] == "=") continue;
      std::size_t end = close + 2;
      while (end < function.end && tokens_[end] != ";") ++end;
      const std::string_view index = close == i + 3 ? tokens_[i + 2].text : std::string_view();
      return filling_of(tokens_.subspan(close + 2, end - close - 2), index, i);
    }
    // std::vector<int> name(n, 1);
    if ((tokens_[i + 1] == "(" || tokens_[i + 1] == "{") && tokens_[i - 1] == ">") {
      const std::vector<Tokens> items = split_list(tokens_, i + 1);
      if (items.size() != 2) continue;
      if (auto value = filling_of(items[1], {}, i)) return value;
      continue;
    }
    for (std::size_t k = i, inner = 0;
         k-- > function.body && inner < 40 && tokens_[k] != ";" && tokens_[k] != "{"; ++inner) {
      if (tokens_[k] != "(" || k == 0 || !tokens_[k - 1].is_word()) continue;
      if (auto found = filling_by_call(name, k, depth)) return found;
      break;
    }
  }
  return std::nullopt;
}

// fill(name, n): the function's parameters are what this call passes.
std::optional<LaunchingCode::Filling> LaunchingCode::filling_by_call(const std::string& name, std::size_t open,
                                                           int depth) {
  const auto called = std::ranges::find(functions_, tokens_[open - 1].text, &Function::name);
  if (called == functions_.end() || called->is_device) return std::nullopt;
  const auto scope = static_cast<std::size_t>(called - functions_.begin());
  const std::vector<Tokens> passed = split_list(tokens_, open),
                            parameters = split_list(tokens_, called->parameters);
  std::string array;
  std::vector<std::string> added;
  for (std::size_t p = 0; p < passed.size() && p < parameters.size(); ++p) {
    if (parameters[p].empty() || passed[p].empty()) continue;
    std::string parameter(parameters[p].back().text);
    if (has(passed[p], name)) array = parameter;
    auto& all = definitions_[parameter];
    all.insert(all.begin(), Definition{scope, false, {passed[p]}, open});
    added.push_back(std::move(parameter));
  }
  auto found = array.empty() ? std::nullopt : filling_of_array(array, scope, depth + 1);
  for (const std::string& parameter : added) definitions_[parameter].erase(definitions_[parameter].begin());
  return found;
}

// rand() % n, rand() % n + 1, i * 8, i, 3
std::optional<LaunchingCode::Filling> LaunchingCode::filling_of(Tokens value, std::string_view index,
                                                      std::size_t place) {
  while (value.size() > 2 && value[0] == "(") {  // casts and brackets around it
    const std::size_t close = closing_bracket(value, 0);
    if (close + 1 == value.size()) {
      value = value.subspan(1, close - 1);
    } else if (close < value.size() &&
               (is_integer_cast(value.subspan(1, close - 1)) || is_real_cast(value.subspan(1, close - 1)))) {
      value = value.subspan(close + 1);
    } else {
      break;
    }
  }
  int depth = 0;
  std::size_t modulo = value.size(), end = value.size(), plus = value.size();
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == "(" || value[i] == "[") ++depth;
    if (value[i] == ")" || value[i] == "]") --depth;
    if (depth != 0) continue;
    if (value[i] == "%") modulo = i;
    if (modulo == value.size() && (value[i] == "+" || value[i] == "-")) plus = i;
    if (modulo < value.size() && end == value.size() && i > modulo && (value[i] == "+" || value[i] == "-"))
      end = i;
    if (modulo == value.size() && (value[i] == "/" || value[i] == "?")) return std::nullopt;
  }
  if (modulo < value.size()) {
    const auto count = translate(value.subspan(modulo + 1, end - modulo - 1), place);
    const auto rest =
        end < value.size() ? translate(value.subspan(end + 1), place) : std::optional(SizeTerm::number(0));
    if (!count || !rest || count->is_real() || rest->is_real()) return std::nullopt;
    const auto front = plus == value.size() ? std::optional(SizeTerm::number(0))
                       : value[plus] == "+" ? translate(value.first(plus), place)
                                            : std::nullopt;  // 1 + rand() % n
    if (!front || front->is_real()) return std::nullopt;
    const SizeTerm low = end < value.size() && value[end] == "-" ? front->minus(*rest) : front->plus(*rest);
    return Filling{Filling::Kind::range, low, low.plus(*count).minus(SizeTerm::number(1)), {}, false};
  }
  if (value.size() >= 3 && value[value.size() - 2] == "&" && has(value, "rand")) {
    const auto mask = integer_of(value.back());
    if (mask && ((*mask + 1) & *mask) == 0)
      return Filling{Filling::Kind::range, SizeTerm::number(0), SizeTerm::number(*mask), {}, false};
  }
  if (!index.empty() && value.size() == 1 && value[0] == index)
    return Filling{Filling::Kind::ramp, SizeTerm::number(0), SizeTerm::number(1), {}, false};
  if (!index.empty() && value.size() >= 3 && !has(value.subspan(2), index) && value[0] == index &&
      value[1] == "*") {
    const auto step = translate(value.subspan(2), place);
    if (step) return Filling{Filling::Kind::ramp, SizeTerm::number(0), *step, {}, false};
  }
  const auto constant = has(value, "rand") ? std::nullopt : translate(value, place);
  if (constant && constant->constant()) return Filling{Filling::Kind::constant, *constant, {}, {}, false};
  return std::nullopt;
}

}  // namespace gktune
