// The memory that a program allocates and clears.
#include <algorithm>

#include "engine/import/launching_code.h"

namespace gktune {
namespace {

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
    return text_of(pointer).ends_with(name) || has(pointer, name);
  };
  return std::ranges::any_of(names, is_named);
}

}  // namespace

// The names of variables that a pointer comes from: casts, wrappers, and the argument that is passed to the
// function around it.
std::vector<std::string> LaunchingCode::pointer_names(Tokens pointer, std::size_t place) const {
  std::vector<std::string> names{text_of(pointer)};
  for (int depth = 0; depth < 4; ++depth) {
    std::string_view word;
    for (std::size_t i = 0; i < pointer.size() && word.empty(); ++i) {
      const bool is_cast = i + 1 < pointer.size() && pointer[i + 1] == "*";  // (float4*)p
      const bool names_type = std::ranges::find(kTypesAndCasts, pointer[i].text) != std::end(kTypesAndCasts);
      if (!pointer[i].is_word() || is_cast || names_type) continue;
      word = pointer[i].text;
      std::size_t end = i + 1;  // behind data->rows
      while (end + 1 < pointer.size() && is_any_of(pointer[end].text, {".", "-", ">"})) ++end;
      const bool is_member = end > i + 1 && pointer[end].is_word() &&
                             std::ranges::find(kTypesAndCasts, pointer[end].text) == std::end(kTypesAndCasts);
      if (!is_member) continue;
      names.push_back(text_of(pointer.subspan(i, end + 1 - i)));
      return names;  // other members of the struct are other memory
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

std::optional<std::int64_t> LaunchingCode::memset_byte(Tokens pointer, std::size_t place) {
  const std::vector<std::string> names = pointer_names(pointer, place);
  for (const Call& call : calls_of({"cudaMemset", "cudaMemsetAsync"}, 3)) {
    if (!names_any(call.items[0], names)) continue;
    const auto value = translate(call.items[1], call.place);
    return value ? value->constant() : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace gktune
