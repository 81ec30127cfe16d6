#include <algorithm>
#include <set>

#include "engine/import/kernel_arguments.h"

namespace gktune {
namespace {

using Names = std::set<std::string, std::less<>>;

bool is_load(std::string_view function) {
  return is_any_of(function, {"__ldg", "__ldcs", "__ldca", "__ldcg", "__ldcv", "__ldlu"});
}

// Follows the uses of one pointer through a function's body.
class PointerReader {
 public:
  PointerReader(const KernelBodies& bodies, const std::vector<FunctionSignature>& signatures, Tokens body,
                const std::string& pointer, int depth)
      : bodies_(bodies), signatures_(signatures), body_(body), depth_(depth), names_{pointer} {
    find_brackets();
    find_aliases();
  }

  PointerUse run() {
    for (std::size_t i = 0; i < body_.size(); ++i) {
      if (body_[i].is_word() && names_.contains(body_[i].text) && !is(i - 1, ".")) read(i);
    }
    find_indexes_by_variables();
    return std::move(use_);
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  bool is(std::size_t at, std::string_view text) const { return at < body_.size() && body_[at] == text; }
  bool is_operand(std::size_t at) const {
    return at < body_.size() &&
           (body_[at].is_word() || body_[at].kind == Token::Kind::number || body_[at] == ")" ||
            body_[at] == "]") &&
           body_[at] != "return";
  }

  // The bracket around each token, and the partner of each bracket.
  void find_brackets() {
    around_.assign(body_.size(), kNone);
    partner_.assign(body_.size(), kNone);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < body_.size(); ++i) {
      const Token& token = body_[i];
      const bool closes = token == ")" || token == "]" || token == "}";
      if (closes && !open.empty()) {
        partner_[i] = open.back();
        partner_[open.back()] = i;
        open.pop_back();
      }
      around_[i] = open.empty() ? kNone : open.back();
      if (token == "(" || token == "[" || token == "{") open.push_back(i);
    }
  }

  // T* a = p + i; auto a = &p[i];
  void find_aliases() {
    for (std::size_t i = 1; i + 2 < body_.size(); ++i) {
      if (!body_[i].is_word() || !is(i + 1, "=") || is(i + 2, "=")) continue;
      std::size_t before = i - 1;
      while (before > 0 && is_any_of(body_[before].text, {"__restrict__", "const", "__restrict"})) --before;
      if (body_[before] != "*" && body_[before] != "auto" && body_[i - 1] != "auto") continue;
      const bool is_declaration =
          body_[before] != "*" || (before > 0 && (body_[before - 1].is_word() || body_[before - 1] == ",") &&
                                   body_[before - 1] != "return");
      if (!is_declaration) continue;
      for (std::size_t k = i + 2;
           k < body_.size() && body_[k] != ";" && !(body_[k] == "," && around_[k] == around_[i]); ++k) {
        if (!body_[k].is_word() || !names_.contains(body_[k].text)) continue;
        const bool is_value = is(k + 1, "[") && !is_address(k);
        if (is_value) continue;
        names_.emplace(body_[i].text);
        declared_.insert(k);
        declared_.insert(i);
        break;
      }
    }
  }

  // &p[i]
  bool is_address(std::size_t at) const { return is_address_sign(at - 1); }
  bool is_address_sign(std::size_t at) const {
    return is(at, "&") && !is(at - 1, "&") && !is_operand(at - 1);
  }

  struct Span {
    std::size_t begin, end;  // both included
  };

  // ++ or --
  bool is_doubled_sign(std::size_t at) const {
    return (is(at, "+") && is(at + 1, "+")) || (is(at, "-") && is(at + 1, "-"));
  }
  bool is_counted(const Span& span) const {
    return is_doubled_sign(span.end + 1) || (span.begin > 1 && is_doubled_sign(span.begin - 2));
  }

  // .x, ->x, [i]
  void skip_members(Span& span, bool& is_element) const {
    while (true) {
      if (is(span.end + 1, "[") && partner_[span.end + 1] != kNone) {
        span.end = partner_[span.end + 1];
        is_element = true;
      } else if (is(span.end + 1, ".") && is_element) {
        span.end += 2;
      } else if (is(span.end + 1, "-") && is(span.end + 2, ">")) {
        span.end += 3;
        is_element = true;
      } else {
        return;
      }
    }
  }

  // The largest expression around the pointer that is still the pointer, or an element of it.
  Span grow(std::size_t at, bool& is_element) const {
    Span span{at, at};
    for (int steps = 0; steps < 32; ++steps) {
      skip_members(span, is_element);
      if (span.end + 1 >= body_.size() || span.begin == 0) return span;
      const std::size_t before = span.begin - 1;
      if (is_element && is_address_sign(before)) {
        is_element = false;
        span.begin = before;
      } else if (!is_element && is(before, "*") && !is_product(before)) {
        is_element = true;
        span.begin = before;
        if (is_doubled_sign(span.end + 1)) span.end += 2;  // *p++
      } else if (is(before, ")") && is_cast(before)) {
        span.begin = partner_[before];
      } else if (is(before, "(") && is(span.end + 1, ")")) {
        const std::size_t word = before - 1;
        if (before > 0 && is(word, ">")) {  // reinterpret_cast<float4*>(p)
          std::size_t open = word;
          while (open > 0 && !is(open, "<")) --open;
          if (open == 0 || !body_[open - 1].text.ends_with("_cast")) return span;
          span = {open - 1, span.end + 1};
        } else if (before > 0 && is_load(body_[word].text)) {
          span = {word, span.end + 1};
          is_element = true;
        } else if (before == 0 || !body_[word].is_word() || is(word, "return")) {
          span = {before, span.end + 1};
        } else {
          return span;
        }
      } else if (!is_element && (is(span.end + 1, "+") || is(span.end + 1, "-")) && !is(span.end + 2, "=") &&
                 !is(span.end + 2, body_[span.end + 1].text)) {
        std::size_t end = span.end + 1;  // p + i
        while (end + 1 < body_.size() &&
               !(around_[end + 1] == around_[span.begin] && is_any_of(body_[end + 1].text, {",", ";"})) &&
               partner_[end + 1] != around_[span.begin])
          ++end;
        if (end == span.end + 1 || around_[span.begin] == kNone) return span;
        span.end = end;
      } else {
        return span;
      }
    }
    return span;
  }

  // The `*` of a * p, not that of `(T*)*p` and `if (p) *p`.
  bool is_product(std::size_t star) const {
    if (star == 0 || !is_operand(star - 1) || is_cast(star - 1)) return false;
    return !is(star - 1, ")") || partner_[star - 1] == kNone || !is_statement(partner_[star - 1]);
  }

  // The bracket that closes `(float4*)`.
  bool is_cast(std::size_t close) const {
    return is(close, ")") && partner_[close] != kNone && close > partner_[close] + 1 && is(close - 1, "*");
  }

  void read(std::size_t at) {
    bool is_element = false;
    Span span = grow(at, is_element);
    if (is_element) {
      read_element(span);
    } else if (!declared_.contains(at)) {
      read_pointer(span);
    }
  }

  void read_element(const Span& span) {
    std::size_t end = span.end;
    // FLOAT4(out[i]) = …
    while (is(end + 1, ")") && partner_[end + 1] != kNone && is(end + 2, "=") && !is(end + 3, "=") &&
           !is_statement(partner_[end + 1]))
      ++end;
    const auto text = [&](std::size_t k) {
      return end + k < body_.size() ? body_[end + k].text : std::string_view();
    };
    const bool is_shifted = (text(1) == "<" || text(1) == ">") && text(2) == text(1) && text(3) == "=";
    const bool is_changed = text(2) == "=" && is_any_of(text(1), {"+", "-", "*", "/", "%", "&", "|", "^"});
    if (is_counted({span.begin, end}) || is_shifted || is_changed) {
      use_.is_read = use_.is_written = true;
    } else if (text(1) == "=" && text(2) != "=") {
      use_.is_written = true;
    } else {
      use_.is_read = true;
      use_.is_written = use_.is_written || is_changed_by_call(span) || text(1) == "(";  // p[i].set(1)
      use_.is_divisor = use_.is_divisor || is(span.begin - 1, "/") || is(span.begin - 1, "%");
      note_index(span);
    }
  }

  // set(p[i]) with `void set(float& value)`
  bool is_changed_by_call(const Span& span) const {
    const std::size_t open = around_[span.begin];
    const bool is_argument = open != kNone && open > 0 && body_[open] == "(" &&
                             (span.begin == open + 1 || is(span.begin - 1, ",")) &&
                             (is(span.end + 1, ",") || is(span.end + 1, ")"));
    if (!is_argument) return false;
    const auto signature = std::ranges::find(signatures_, body_[open - 1].text, &FunctionSignature::name);
    if (signature == signatures_.end() || !signature->parameters) return false;
    const std::size_t place = place_in_list(open, span.begin);
    if (place >= signature->parameters->size()) return false;
    const std::string& type = (*signature->parameters)[place].type;
    return type.find('&') != std::string::npos && type.find("const") == std::string::npos;
  }

  // How many commas of the list that opens there come before this token.
  std::size_t place_in_list(std::size_t open, std::size_t at) const {
    std::size_t place = 0;
    for (std::size_t k = open + 1; k < at; ++k) {
      if (around_[k] == open && is(k, ",")) ++place;
    }
    return place;
  }

  // if (p[i]) x = …
  bool is_statement(std::size_t open) const {
    return open > 0 && is_any_of(body_[open - 1].text, {"if", "while", "for", "switch"});
  }

  bool is_in_loop_head(std::size_t at) const {
    const std::size_t open = around_[at];
    return open != kNone && open > 0 && is_any_of(body_[open - 1].text, {"for", "while"});
  }

  // The elements of another array that a value of this one names.
  void note_index(const Span& span) {
    const std::size_t open = around_[span.begin];
    if (is(span.end + 1, "%") || is(span.end + 1, "&")) return;  // any contents do
    use_.is_bound = use_.is_bound || is_in_loop_head(span.begin);
    if (open != kNone && body_[open] == "[" && open > 0 && body_[open - 1].is_word()) {
      add_index(open, span);
      return;
    }
    // int k = p[i];
    if (span.begin < 2 || !is(span.begin - 1, "=") || !body_[span.begin - 2].is_word()) return;
    if (is(span.end + 1, ";") || is(span.end + 1, ",")) variables_.emplace(body_[span.begin - 2].text);
  }

  void add_index(std::size_t open, const Span& span) {
    PointerUse::Index index;
    index.array = body_[open - 1].text;
    if (names_.contains(index.array)) return;
    const bool is_whole = span.begin == open + 1 && span.end + 1 == partner_[open];
    const bool has_factor = span.begin == open + 1 && is(span.end + 1, "*") && span.end + 2 < body_.size() &&
                            body_[span.end + 2].is_word() && (is(span.end + 3, "+") || is(span.end + 3, "]"));
    index.is_exact = is_whole || has_factor;
    if (has_factor) index.factor = body_.subspan(span.end + 2, 1);
    if (std::ranges::find(use_.indexes, index) == use_.indexes.end()) use_.indexes.push_back(index);
  }

  void find_indexes_by_variables() {
    for (std::size_t i = 0; i < body_.size() && !variables_.empty(); ++i) {
      if (!body_[i].is_word() || !variables_.contains(body_[i].text) || is(i - 1, ".")) continue;
      const std::size_t open = around_[i];
      if (is_in_loop_head(i)) use_.is_bound = true;
      if (open != kNone && body_[open] == "[" && open > 0 && body_[open - 1].is_word())
        add_index(open, {i, i});
    }
  }

  // The pointer itself is an argument, is compared, is assigned.
  void read_pointer(const Span& span) {
    // It is compared, set or moved: p == nullptr, p = q, p += n, p++.
    const bool is_set = is(span.end + 1, "=") ||
                        (is(span.end + 2, "=") && is_any_of(body_[span.end + 1].text, {"+", "-", "!"}));
    if (is_set || is_counted(span)) return;
    const std::size_t open = around_[span.begin];
    if (open == kNone || body_[open] != "(" || open == 0) {
      use_.is_passed_on = true;
      return;
    }
    std::size_t word = open - 1;
    if (is(word, ">")) {
      while (word > 0 && !is(word, "<")) --word;
      if (word > 0) --word;
    }
    const std::string_view function = body_[word].text;
    if (is_any_of(function, {"if", "while", "sizeof", "assert"})) return;
    const std::size_t place = place_in_list(open, span.begin);
    if (function.starts_with("atomic")) {
      use_.is_atomic = true;
    } else if (is_load(function)) {
      use_.is_read = true;
    } else if (is_any_of(function, {"__stcs", "__stcg", "__stwb", "__stwt"})) {
      use_.is_written = true;
    } else if (is_any_of(function, {"memcpy", "memcpy_async", "__pipeline_memcpy_async"})) {
      const std::size_t destination = is(open + 1, "group") || is(open + 1, "block") ? 1 : 0;
      (place <= destination ? use_.is_written : use_.is_read) = true;
    } else {
      read_call(function, place);
    }
  }

  void read_call(std::string_view function, std::size_t place) {
    const auto signature = std::ranges::find(signatures_, function, &FunctionSignature::name);
    const bool is_known = signature != signatures_.end() && signature->parameters &&
                          place < signature->parameters->size() && depth_ < 4;
    if (!is_known) {
      use_.is_passed_on = true;
      return;
    }
    const FunctionSignature::Parameter& parameter = (*signature->parameters)[place];
    if (bodies_.body(function).empty() || parameter.name.empty()) {
      (parse_type(parameter.type).points_to_const ? use_.is_read : use_.is_passed_on) = true;
      return;
    }
    const PointerUse inner = bodies_.use_of(function, parameter.name, depth_ + 1);
    use_.is_read = use_.is_read || inner.is_read;
    use_.is_written = use_.is_written || inner.is_written;
    use_.is_atomic = use_.is_atomic || inner.is_atomic;
    use_.is_passed_on = use_.is_passed_on || inner.is_passed_on;
    use_.is_divisor = use_.is_divisor || inner.is_divisor;
    use_.is_bound = use_.is_bound || inner.is_bound || !inner.indexes.empty();
  }

  const KernelBodies& bodies_;
  const std::vector<FunctionSignature>& signatures_;
  Tokens body_;
  int depth_;
  Names names_, variables_;
  std::set<std::size_t> declared_;  // where aliases take the pointer
  std::vector<std::size_t> around_, partner_;
  PointerUse use_;
};

}  // namespace

Tokens KernelBodies::body(std::string_view function) const {
  for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
    if (tokens_[i] != function || tokens_[i + 1] != "(") continue;
    const std::size_t close = closing_bracket(tokens_, i + 1);
    if (close + 1 >= tokens_.size() || tokens_[close + 1] != "{") continue;
    return tokens_.subspan(close + 1, closing_bracket(tokens_, close + 1) - close - 1);
  }
  return {};
}

PointerUse KernelBodies::use_of(std::string_view function, const std::string& pointer, int depth) const {
  return PointerReader(*this, signatures_, body(function), pointer, depth).run();
}

namespace {

// 1 for `threadIdx.y` of one of these indexes, and for a variable that has it and is not changed.
std::optional<std::size_t> dimension_of(Tokens value, Tokens body,
                                        std::initializer_list<std::string_view> indexes) {
  constexpr std::string_view kAxes = "xyz";
  if (value.size() == 3 && is_any_of(value[0].text, indexes) && kAxes.find(value[2].text) != kAxes.npos)
    return kAxes.find(value[2].text);
  std::optional<std::size_t> found;
  for (std::size_t i = 0; value.size() == 1 && i + 5 < body.size(); ++i) {
    if (body[i] != value[0].text) continue;
    const bool is_set = body[i + 1] == "=" && body[i + 2] != "=";
    if (body[i + 2] == "=" && body[i + 1] == "+") return std::nullopt;
    if (is_set && is_any_of(body[i + 5].text, {";", ","}))
      found = dimension_of(body.subspan(i + 2, 3), {}, indexes);
  }
  return found;
}

}  // namespace

bool KernelBodies::has_element_of_block(const FunctionSignature& function) const {
  const Tokens body = this->body(function.name);
  for (std::size_t i = 0; i + 2 < body.size(); ++i) {
    const auto parameter =
        std::ranges::find(*function.parameters, body[i].text, &FunctionSignature::Parameter::name);
    if (parameter == function.parameters->end() || parse_type(parameter->type).pointers == 0) continue;
    if (!is_any_of(body[i + 1].text, {"+", "["})) continue;
    std::size_t end = i + 2;
    while (end < body.size() && !is_any_of(body[end].text, {"]", ",", ")", ";"})) ++end;
    if (dimension_of(body.subspan(i + 2, end - i - 2), body, {"threadIdx", "blockIdx"})) return true;
  }
  return false;
}

bool KernelBodies::compares(std::string_view function, Names names, Loops loops) const {
  const Tokens body = this->body(function);
  const auto is = [&](std::size_t at, std::initializer_list<std::string_view> signs) {
    return at < body.size() && is_any_of(body[at].text, signs);
  };
  std::size_t begin = 0;  // of the statement
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (is(i, {";", "{", "}"})) begin = i + 1;
    if (!names.contains(body[i].text)) continue;
    // for (int k = 0; k < n; …)
    const bool is_loop = begin > 2 && is(begin - 1, {";"}) && body[begin - 2].kind == Token::Kind::number &&
                         is(begin - 3, {"="}) && !has(body.subspan(begin, i - begin), "(");
    if (is_loop && loops == Loops::skip) continue;
    const bool is_compared = is(i - 1, {"<", ">"}) || is(i + 1, {"<", ">", "!"}) ||
                             (is(i - 1, {"="}) && is(i - 2, {"=", "!", "<", ">"})) ||
                             (is(i + 1, {"="}) && is(i + 2, {"="}));
    const bool is_passed_on = is(i - 1, {"(", ","}) && is(i + 1, {")", ","});
    if (is_compared || is_passed_on) return true;
    for (std::size_t k = begin; k + 1 < i; ++k) {
      if (body[k].is_word() && is(k + 1, {"="})) names.emplace(body[k].text);
    }
  }
  return false;
}

std::optional<Tokens> KernelBodies::array_extent(std::string_view function, std::string_view array) const {
  const Tokens body = this->body(function);
  for (std::size_t i = 1; i + 2 < body.size(); ++i) {
    if (body[i] != array || body[i + 1] != "[" || !body[i - 1].is_word() || body[i - 1] == "return") continue;
    const std::size_t close = closing_bracket(body, i + 1);
    if (close + 1 >= body.size() || body[close + 1] == "[") return std::nullopt;
    return body.subspan(i + 2, close - i - 2);
  }
  return std::nullopt;
}

}  // namespace gktune
