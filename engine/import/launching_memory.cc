// The memory that a program allocates, and the values that it writes there.
#include <algorithm>

#include "engine/import/launching_code.h"

namespace gktune {
namespace {

using Filling = LaunchingCode::Filling;

// Words in a pointer's expression that do not name a variable: types, casts and wrappers.
constexpr std::string_view kTypesAndCasts[] = {"static_cast",
                                               "reinterpret_cast",
                                               "const_cast",
                                               "thrust",
                                               "raw_pointer_cast",
                                               "std",
                                               "const",
                                               "void",
                                               "float",
                                               "double",
                                               "int",
                                               "unsigned",
                                               "long",
                                               "short",
                                               "char",
                                               "bool",
                                               "data",
                                               "get",
                                               "begin",
                                               "size_t",
                                               "half",
                                               "__half",
                                               "signed"};

bool names_any(Tokens pointer, const std::vector<std::string>& names) {
  const auto is_named = [&](const std::string& name) {
    return text_of(pointer) == name || has(pointer, name);
  };
  return std::ranges::any_of(names, is_named);
}

// The value inside casts and brackets.
Tokens without_casts(Tokens value) {
  while (value.size() > 2 && value[0] == "(") {
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
  return value;
}

}  // namespace

// The parts of `front ± dividend % count ± rest`, outside of brackets. A part that is missing has the place
// of the value's end.
struct LaunchingCode::Remainder {
  std::size_t plus, modulo, rest;
  bool has_other_operator = false;  // a quotient or a condition before the remainder
};

LaunchingCode::Remainder LaunchingCode::remainder_in(Tokens value) {
  Remainder parts{value.size(), value.size(), value.size()};
  int depth = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == "(" || value[i] == "[") ++depth;
    if (value[i] == ")" || value[i] == "]") --depth;
    if (depth != 0) continue;
    const bool is_before = parts.modulo == value.size(), is_sum = value[i] == "+" || value[i] == "-";
    if (value[i] == "%") parts.modulo = i;
    if (is_before && is_sum) parts.plus = i;
    if (!is_before && is_sum && parts.rest == value.size()) parts.rest = i;
    if (is_before && (value[i] == "/" || value[i] == "?")) parts.has_other_operator = true;
  }
  return parts;
}

// The names of variables that a pointer comes from: casts, wrappers, and the argument that is passed to the
// function around it.
std::vector<std::string> LaunchingCode::pointer_names(Tokens pointer, std::size_t place) const {
  std::vector<std::string> names{text_of(pointer)};
  for (int depth = 0; depth < 4; ++depth) {
    std::string_view word;
    for (std::size_t i = 0; i < pointer.size() && word.empty(); ++i) {
      const bool is_cast = i + 1 < pointer.size() && pointer[i + 1] == "*";  // (float4*)p
      const bool names_type = std::ranges::find(kTypesAndCasts, pointer[i].text) != std::end(kTypesAndCasts);
      if (pointer[i].is_word() && !is_cast && !names_type) word = pointer[i].text;
    }
    if (word.empty()) break;
    if (std::ranges::find(names, word) == names.end()) names.emplace_back(word);
    const auto value = definition(word, place);
    if (!value || value->tokens.empty() || value->tokens[0] == "{") break;
    pointer = value->tokens;
    place = value->place;
  }
  return names;
}

std::optional<LaunchingCode::Allocation> LaunchingCode::allocation(Tokens pointer, std::size_t place) const {
  const std::vector<Call> calls =
      calls_of({"cudaMalloc", "cudaMallocAsync", "cudaMallocManaged", "cudaMallocPitch"}, 2);
  for (const std::string& name : pointer_names(pointer, place)) {
    if (auto found = device_vector(name)) return found;
    for (const Call& call : calls) {
      const std::vector<Tokens>& items = call.items;
      if (!has(items[0], name) && !text_of(items[0]).ends_with("&" + name)) continue;
      const bool has_pitch = tokens_[call.place] == "cudaMallocPitch" && items.size() > 3;
      return Allocation{has_pitch ? std::vector{items[2], items[3]} : std::vector{items[1]}, 1, call.place};
    }
  }
  return std::nullopt;
}

// thrust::device_vector<float> a(n), b(n);
std::optional<LaunchingCode::Allocation> LaunchingCode::device_vector(std::string_view name) const {
  for (std::size_t i = 0; i + 3 < tokens_.size(); ++i) {
    if (tokens_[i] != "device_vector" || tokens_[i + 1] != "<") continue;
    const std::size_t close = closing_bracket(tokens_, i + 1);
    for (std::size_t at = close + 1; at + 1 < tokens_.size() && tokens_[at + 1] == "(";) {
      const std::vector<Tokens> items = split_list(tokens_, at + 1);
      const auto type = layout(text_of(tokens_.subspan(i + 2, close - i - 2)));
      if (tokens_[at] == name && type && !items.empty()) return Allocation{{items[0]}, type->size, i};
      at = closing_bracket(tokens_, at + 1) + 1;
      if (at >= tokens_.size() || tokens_[at] != ",") break;
      ++at;
    }
  }
  return std::nullopt;
}

std::optional<SizeTerm> LaunchingCode::bytes_of(const Allocation& allocation, std::int64_t template_bytes) {
  std::optional<SizeTerm> bytes = SizeTerm::number(allocation.element);
  template_bytes_ = template_bytes;
  for (const Tokens factor : allocation.factors) {
    const auto term = translate(factor, allocation.place);
    bytes = bytes && term ? std::optional(bytes->times(*term)) : std::nullopt;
  }
  template_bytes_ = 0;
  return bytes ? std::optional(bytes->as_integer()) : std::nullopt;
}

std::optional<Filling> LaunchingCode::filling(Tokens pointer, std::size_t place) {
  const std::vector<std::string> names = pointer_names(pointer, place);
  for (const Call& call : calls_of({"cudaMemcpy", "cudaMemcpyAsync"}, 4)) {
    const bool is_to_device =
        has(call.items[3], "cudaMemcpyHostToDevice") || has(call.items[3], "cudaMemcpyDefault");
    if (!is_to_device || !names_any(call.items[0], names)) continue;
    for (const std::string& array : pointer_names(call.items[1], call.place)) {
      if (auto found = filling_of_array(array, scope_of(call.place), 0)) return found;
    }
  }
  for (const Call& call : calls_of({"cudaMemset", "cudaMemsetAsync"}, 3)) {
    if (!names_any(call.items[0], names)) continue;
    const auto value = translate(call.items[1], call.place);
    if (!value || !value->constant()) break;
    return Filling{Filling::Kind::constant, *value, {}, translate(call.items[2], call.place), true};
  }
  for (const std::string& name : names) {  // managed memory
    if (auto found = filling_of_array(name, scope_of(place), 0)) return found;
  }
  return std::nullopt;
}

// Looks for `name[i] = …` in a function, in others that it is passed to, and for vectors with a value.
std::optional<Filling> LaunchingCode::filling_of_array(const std::string& name, std::size_t scope,
                                                       int depth) {
  if (depth > 3 || scope == kOutside) return std::nullopt;
  const Function& function = functions_[scope];
  for (std::size_t i = function.body; i + 3 < function.end; ++i) {
    if (tokens_[i] != name || tokens_[i - 1] == ".") continue;
    if (tokens_[i + 1] == "[") {
      const std::size_t close = closing_bracket(tokens_, i + 1);
      if (close + 2 >= function.end || tokens_[close + 1] != "=" || tokens_[close + 2] == "=") continue;
      const std::size_t end = std::min(statement_end(close), function.end);
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
std::optional<Filling> LaunchingCode::filling_by_call(const std::string& name, std::size_t open, int depth) {
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
std::optional<Filling> LaunchingCode::filling_of(Tokens value, std::string_view index, std::size_t place) {
  value = without_casts(value);
  const Remainder parts = remainder_in(value);
  if (parts.has_other_operator) return std::nullopt;
  if (parts.modulo < value.size()) return range_of(value, parts, place);
  if (value.size() >= 3 && value[value.size() - 2] == "&" && has(value, "rand")) {
    const auto mask = integer_of(value.back());
    if (mask && ((*mask + 1) & *mask) == 0)
      return Filling{Filling::Kind::range, SizeTerm::number(0), SizeTerm::number(*mask)};
  }
  if (!index.empty() && value.size() == 1 && value[0] == index)
    return Filling{Filling::Kind::ramp, SizeTerm::number(0), SizeTerm::number(1)};
  if (!index.empty() && value.size() >= 3 && !has(value.subspan(2), index) && value[0] == index &&
      value[1] == "*") {
    const auto step = translate(value.subspan(2), place);
    if (step) return Filling{Filling::Kind::ramp, SizeTerm::number(0), *step};
  }
  const auto constant = has(value, "rand") ? std::nullopt : translate(value, place);
  if (constant && constant->constant()) return Filling{Filling::Kind::constant, *constant};
  return std::nullopt;
}

// 1 + rand() % n, rand() % n - 1
std::optional<Filling> LaunchingCode::range_of(Tokens value, const Remainder& parts, std::size_t place) {
  const auto integer = [&](Tokens part) {
    auto term = part.empty() ? std::optional(SizeTerm::number(0)) : translate(part, place);
    return term && !term->is_real() ? term : std::nullopt;
  };
  const bool has_front = parts.plus < value.size(), has_rest = parts.rest < value.size();
  if (has_front && value[parts.plus] != "+") return std::nullopt;
  const auto count = integer(value.subspan(parts.modulo + 1, parts.rest - parts.modulo - 1));
  const auto front = integer(has_front ? value.first(parts.plus) : Tokens());
  const auto last = integer(has_rest ? value.subspan(parts.rest + 1) : Tokens());
  if (!count || !front || !last) return std::nullopt;
  const SizeTerm low = has_rest && value[parts.rest] == "-" ? front->minus(*last) : front->plus(*last);
  return Filling{Filling::Kind::range, low, low.plus(*count).minus(SizeTerm::number(1))};
}

}  // namespace gktune
