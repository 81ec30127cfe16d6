// The types of a program: their bytes, and the elements that they consist of.
#include <algorithm>
#include <regex>

#include "engine/import/launching_code.h"

namespace gktune {

namespace {

// Adds a word to a type: "unsigned int", "std::size_t".
void append_word(std::string& type, const Token& word) {
  const bool needs_blank = !type.empty() && !type.ends_with(':') && word != ":";
  type += (needs_blank ? " " : "") + std::string(word.text);
}

// The variables of `float* a, b[2] = {};`. False if the number of an array's elements is unknown.
bool add_members(Tokens statement, std::vector<StructMember>& all) {
  std::string base, stars;
  std::size_t at = 0;
  for (; at < statement.size() && (statement[at].is_word() || statement[at] == ":"); ++at) {
    const bool is_name = at + 1 == statement.size() || (!statement[at + 1].is_word() &&
                                                        statement[at + 1] != ":" && statement[at + 1] != "*");
    if (is_name) break;
    if (statement[at] != "const") append_word(base, statement[at]);
  }
  for (; at < statement.size(); ++at) {
    if (statement[at] == "*") stars += '*';
    if (statement[at] == "=") {
      while (at < statement.size() && statement[at] != ",") ++at;
    }
    if (at < statement.size() && statement[at] == ",") stars.clear();
    if (at >= statement.size() || !statement[at].is_word()) continue;
    const StructMember member{base + stars, std::string(statement[at].text)};
    std::int64_t count = 1;
    if (at + 2 < statement.size() && statement[at + 1] == "[") {
      count = std::clamp<std::int64_t>(integer_of(statement[at + 2]).value_or(0), 0, 4096);
      at = closing_bracket(statement, at + 1);
    }
    if (count == 0) return false;
    all.insert(all.end(), static_cast<std::size_t>(count), member);
  }
  return true;
}

// The members in the body of a struct.
std::vector<StructMember> members_in(Tokens body) {
  std::vector<StructMember> all;
  std::size_t begin = 0;
  for (std::size_t k = 0; k < body.size(); ++k) {
    if (body[k] == "(" || body[k] == "{") {  // a function, an initializer
      const bool is_body = body[k] == "{";
      k = closing_bracket(body, k);
      if (is_body && k + 1 < body.size() && body[k + 1] != ";") begin = k + 1;
      continue;
    }
    // public:
    const bool is_label =
        body[k] == ":" && k > begin && body[k - 1].is_word() && k + 1 < body.size() && body[k + 1] != ":";
    if (is_label) begin = k + 1;
    if (body[k] != ";") continue;
    const Tokens statement = body.subspan(begin, k - begin);
    begin = k + 1;
    if (has(statement, "(") || has(statement, "using") || has(statement, "static")) continue;
    if (!add_members(statement, all)) return {};
  }
  return all;
}

TypeLayout element_layout(ElementType element) {
  const auto size = static_cast<std::int64_t>(element_size(element));
  return {size, size, element, 1};
}

// float4 has four elements of float32.
std::optional<TypeLayout> vector_layout(const std::string& name) {
  static const std::regex kVector("(u?)(char|short|int|long|longlong|float|double|half)([1234])");
  std::smatch parts;
  if (!std::regex_match(name, parts, kVector)) return std::nullopt;
  const std::string base = parts[2] == "longlong" ? "long long" : parts[2].str();
  const auto element = element_type_from_name((parts[1].length() > 0 ? "unsigned " : "") + base);
  if (!element) return std::nullopt;
  const std::int64_t count = parts[3].str()[0] - '0', size = element_layout(*element).size;
  return TypeLayout{size * count, count == 3 ? size : std::min<std::int64_t>(16, size * count), element,
                    count};
}

}  // namespace

// typedef float real; using real = float;
std::string LaunchingCode::resolved_type(std::string type) const {
  for (int depth = 0; depth < kDeepest; ++depth) {
    if (type.starts_with("std::")) type.erase(0, 5);
    if (element_type_from_name(type)) return type;
    std::string other;
    for (std::size_t i = 1; i + 1 < tokens_.size() && other.empty(); ++i) {
      if (tokens_[i] != type) continue;
      const std::size_t begin = statement_begin(i);
      if (tokens_[begin] == "typedef" && tokens_[i + 1] == ";" && i > begin + 1) {
        std::size_t first = begin + 1;
        if (tokens_[first] == "struct" && first + 1 < i) ++first;
        other = text_of(tokens_.subspan(first, i - first));
      } else if (tokens_[i - 1] == "using" && tokens_[i + 1] == "=") {
        other = text_of(tokens_.subspan(i + 2, statement_end(i) - i - 2));
      }
    }
    const auto macro = definitions_.find(type);
    if (other.empty() && macro != definitions_.end() && macro->second.front().scope == kOutside &&
        macro->second.front().values.size() == 1)
      other = text_of(macro->second.front().values.front());
    if (other.empty() || other == type) return type;
    type = other;
  }
  return type;
}

std::optional<LaunchingCode::TemplateArgument> LaunchingCode::template_argument(std::string_view parameter,
                                                                                std::size_t place) const {
  const std::size_t scope = scope_of(place);
  if (scope == kOutside) return std::nullopt;
  const Function& function = functions_[scope];
  const std::size_t begin = statement_begin(function.parameters);
  if (tokens_[begin] != "template" || tokens_[begin + 1] != "<") return std::nullopt;
  const std::vector<Tokens> parameters = split_list(tokens_, begin + 1);
  const auto named = std::ranges::find_if(parameters, [&](Tokens each) { return has(each, parameter); });
  if (named == parameters.end()) return std::nullopt;
  const auto order = static_cast<std::size_t>(named - parameters.begin());
  for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
    if (tokens_[i] != function.name || tokens_[i + 1] != "<") continue;
    const std::vector<Tokens> given = split_list(tokens_, i + 1);
    if (order < given.size() && !has(given[order], parameter)) return TemplateArgument{text_of(given[order])};
  }
  if (!has(*named, "typename") && !has(*named, "class")) return TemplateArgument{"1", true};
  const bool has_buffers = std::ranges::any_of(split_list(tokens_, function.parameters), [&](Tokens each) {
    return has(each, parameter) && has(each, "*");
  });
  return TemplateArgument{guessed_type(has_buffers), true};
}

// struct Body { float x, y; float* data; };  typedef struct { … } Body;
std::vector<StructMember> LaunchingCode::members(std::string_view type) const {
  for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
    if (tokens_[i] != "struct" && tokens_[i] != "class") continue;
    std::size_t open = i + 1;
    while (open < tokens_.size() && !is_any_of(tokens_[open].text, {"{", ";", ")", "*"})) ++open;
    if (open >= tokens_.size() || tokens_[open] != "{") continue;
    const std::size_t close = closing_bracket(tokens_, open);
    if (close == tokens_.size()) return {};
    const bool is_named = has(tokens_.subspan(i + 1, open - i - 1), type);
    const bool is_typedef =
        i > 0 && tokens_[i - 1] == "typedef" && close + 1 < tokens_.size() && tokens_[close + 1] == type;
    if (is_named || is_typedef) return members_in(tokens_.subspan(open + 1, close - open - 1));
  }
  return {};
}

std::optional<TypeLayout> LaunchingCode::layout(std::string_view type) const {
  std::string name(type);
  std::erase(name, '&');
  if (name.starts_with("const ")) name.erase(0, 6);
  if (name.starts_with("struct ")) name.erase(0, 7);
  if (!name.ends_with('*')) name = resolved_type(name);
  if (name.ends_with('*')) return TypeLayout{8, 8};
  if (const auto vector = vector_layout(name)) return vector;
  if (const auto element = element_type_from_name(name)) return element_layout(*element);
  if (is_any_of(name, {"curandState", "curandState_t", "curandStateXORWOW_t", "curandStateXORWOW"}))
    return TypeLayout{48, 8};
  if (is_any_of(name, {"curandStatePhilox4_32_10_t", "curandStatePhilox4_32_10"})) return TypeLayout{64, 16};
  return struct_layout(name);
}

std::optional<TypeLayout> LaunchingCode::struct_layout(const std::string& name) const {
  const std::vector<StructMember> parts_of = members(name);
  if (parts_of.empty()) return std::nullopt;
  TypeLayout all;
  bool is_uniform = true;
  for (const StructMember& member : parts_of) {
    if (member.type == name) return std::nullopt;
    const auto part = layout(member.type);
    if (!part || part->size > 4096) return std::nullopt;
    all.alignment = std::max(all.alignment, part->alignment);
    const std::int64_t start = (all.size + part->alignment - 1) / part->alignment * part->alignment;
    is_uniform =
        is_uniform && start == all.size && part->element && (!all.element || all.element == part->element);
    if (!all.element) all.element = part->element;
    all.elements += part->elements;
    all.size = start + part->size;
  }
  const std::int64_t padded = (all.size + all.alignment - 1) / all.alignment * all.alignment;
  if (!is_uniform || padded != all.size) all.element.reset();
  all.size = padded;
  return all;
}

std::optional<std::string> LaunchingCode::declared_type(std::string_view name, std::size_t place) const {
  std::optional<std::string> elsewhere;
  for (std::size_t i = 1; i + 1 < tokens_.size(); ++i) {
    if (tokens_[i] != name || (!tokens_[i - 1].is_word() && tokens_[i - 1] != "*" && tokens_[i - 1] != ","))
      continue;
    std::string stars;
    for (std::size_t k = i; k > 0 && tokens_[k - 1] == "*"; --k) stars += '*';
    std::size_t begin = i, comma = i;
    while (begin > 0 && !is_any_of(tokens_[begin - 1].text, {";", "{", "}", "("})) {
      --begin;
      if (tokens_[begin] == "," && comma == i) comma = begin;
    }
    const bool is_parameter = begin > 0 && tokens_[begin - 1] == "(";
    if (is_parameter && comma < i) begin = comma + 1;
    std::string base;
    for (std::size_t k = begin; k < i && (tokens_[k].is_word() || tokens_[k] == ":"); ++k) {
      if (is_any_of(tokens_[k].text, {"const", "constexpr", "static", "struct"})) continue;
      const bool is_type =
          tokens_[k + 1].is_word() || tokens_[k + 1] == "*" || tokens_[k + 1] == ":" || tokens_[k] == ":";
      if (!is_type) break;
      append_word(base, tokens_[k]);
    }
    if (base.empty() || declares_nothing(base) || definitions_.contains(base)) continue;  // rows * columns
    if (scope_of(i) == scope_of(place)) return base + stars;
    if (!elsewhere) elsewhere = base + stars;
  }
  return elsewhere;
}

// sizeof(float), sizeof(float4), sizeof(*p), sizeof p[0]
std::optional<SizeTerm> LaunchingCode::size_of(Tokens what, std::size_t place) {
  if (const auto type = layout(text_of(what))) return SizeTerm::number(type->size);
  if (const auto argument = template_argument(text_of(what), place)) {
    if (template_bytes_ > 0) return SizeTerm::number(template_bytes_);
    if (const auto type = layout(argument->text)) return SizeTerm::number(type->size);
  }
  std::size_t stars = 0;
  while (stars < what.size() && what[stars] == "*") ++stars;
  if (stars >= what.size() || !what[stars].is_word()) return std::nullopt;
  const std::string_view name = what[stars].text;
  if (stars + 1 < what.size() && what[stars + 1] == "[") ++stars;
  auto type = declared_type(name, place);
  if (!type) return std::nullopt;
  for (; stars > 0 && type->ends_with('*'); --stars) type->pop_back();
  const auto found = layout(*type);
  if (!found) return std::nullopt;
  const SizeTerm size = SizeTerm::number(found->size);
  if (stars > 0) return size;
  // An array: sizeof(bins).
  for (std::size_t i = 1; i + 1 < tokens_.size(); ++i) {
    if (tokens_[i] != name || !tokens_[i - 1].is_word() || tokens_[i + 1] != "[") continue;
    const auto extent = array_extent(i + 1, place);
    return extent ? std::optional(size.times(*extent)) : std::nullopt;
  }
  return size;
}

std::optional<SizeTerm> LaunchingCode::array_extent(std::size_t open, std::size_t place) {
  SizeTerm product = SizeTerm::number(1);
  while (open < tokens_.size() && tokens_[open] == "[") {
    const std::size_t close = closing_bracket(tokens_, open);
    if (close == tokens_.size()) return std::nullopt;
    const auto extent = translate(tokens_.subspan(open + 1, close - open - 1), place);
    if (!extent) return std::nullopt;
    product = product.times(*extent);
    open = close + 1;
  }
  return product;
}

}  // namespace gktune
