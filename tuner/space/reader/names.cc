#include "tuner/space/reader/names.h"

#include <algorithm>
#include <utility>

#include "tuner/core/device_info.h"
#include "tuner/core/text.h"
#include "tuner/space/language/expression.h"
#include "tuner/space/plan.h"

namespace gktune {
namespace {

// Limits on one expression and on a whole file, in nodes, with definitions inserted.
constexpr std::uint64_t kLargestInlined = 10'000;
constexpr std::uint64_t kLargestFile = 100'000;

std::size_t word_end(std::string_view text, std::size_t at) {
  while (at < text.size() && is_word(text[at])) ++at;
  return at;
}

// "known names: n, unroll, device.*", at most twelve of the file's own.
std::string known_words(const std::vector<std::string>& names) {
  constexpr std::size_t kFew = 12;
  std::string list;
  std::size_t count = 0;
  for (const std::string& name : names) {
    if (name.starts_with("device.")) continue;
    if (++count <= kFew) list += name + ", ";
  }
  if (count > kFew) list += "…, ";
  return "known names: " + list + "device.*";
}

}  // namespace

Names::Names(ErrorList& errors) : errors_(errors) {
  for (const auto& [name, value] : DeviceInfo{}.attributes()) known_["device." + name].kind = Kind::attribute;
  for (std::string_view name : reading_names()) known_[std::string(name)].kind = Kind::reading;
}

bool Names::is(std::string_view name, Kind kind) const {
  const auto known = known_.find(name);
  return known != known_.end() && known->second.kind == kind;
}

bool Names::sees_parameters(const Expression& expression) const {
  return std::ranges::any_of(expression.names(), [&](const Expression::NameUse& use) {
    const auto known = known_.find(use.name);
    return known != known_.end() && known->second.sees_parameters;
  });
}

bool Names::add(const YamlNode& key, Kind kind) {
  const auto reason = why_no_name(key.text);
  if (reason) errors_.add(key, "invalid name '" + key.text + "': " + *reason);
  const auto [known, is_new] = known_.try_emplace(key.text);
  if (!is_new) {
    static constexpr std::string_view kOwners[] = {"an axis of the problem",     "a parameter",
                                                   "a definition of let",        "the index of a repeat",
                                                   "an attribute of the device", "a measured quantity"};
    errors_.add(key, "duplicate name '" + key.text + "': it is already " +
                         std::string(kOwners[static_cast<std::size_t>(known->second.kind)]));
    return false;
  }
  known->second.kind = kind;
  known->second.sees_parameters = kind == Kind::parameter;
  return !reason;
}

bool Names::add_index(const YamlNode& key) {
  const bool was_known = known_.contains(key.text);
  const bool is_good = add(key, Kind::index);
  if (!is_good && !was_known) known_.erase(key.text);
  return is_good;
}

void Names::add_definition(const YamlNode& key, const YamlNode& value, std::span<const YamlNode> later) {
  const auto used = std::exchange(used_, {});
  later_ = later;
  auto expression = this->expression(value, View::candidate);
  later_ = {};
  const auto leads = std::exchange(used_, used);
  (void)add(key, Kind::definition);
  Known& known = known_.find(key.text)->second;
  if (known.kind != Kind::definition || !expression) return;
  known.text = value.text;
  known.sees_parameters = sees_parameters(*expression);
  known.leads.assign(leads.begin(), leads.end());
  definitions_.insert_or_assign(key.text, *std::move(expression));
}

std::optional<Expression> Names::expression(const Fields& fields, std::string_view key, View view) {
  const YamlNode* node = fields.find(key);
  return node == nullptr ? std::nullopt : expression(*node, view);
}

std::optional<Expression> Names::expression(const YamlNode& node, View view) {
  if (!require_scalar(node, "an expression", errors_)) return std::nullopt;
  return part(node, node.text, 0, view);
}

std::optional<Expression> Names::part(const YamlNode& node, std::string_view text, std::size_t offset,
                                      View view) {
  const auto add_error = [&](const ExpressionError& error) {
    errors_.add_inside(node, offset + error.offset, error.length, error.message, comma_hint(node));
  };
  const auto parsed = Expression::parse(text);
  if (!parsed) {
    add_error(parsed.error());
    return std::nullopt;
  }
  bool is_good = true;
  for (const auto& use : parsed->names()) {
    is_good = check_name(node, use.name, offset + use.offset, view) && is_good;
  }
  if (!is_good) return std::nullopt;
  if (expression_nodes_ > kLargestFile) return std::nullopt;
  auto whole = parsed->inlined(definitions_);
  if (!whole) {
    add_error(whole.error());
    return std::nullopt;
  }
  const std::uint64_t size = whole->root().size;
  expression_nodes_ += size;
  if (size <= kLargestInlined && expression_nodes_ <= kLargestFile) return *std::move(whole);
  const std::string_view what = size > kLargestInlined ? "this expression" : "this file";
  add_error({std::string(what) + " is too large after its definitions are inserted", 0, text.size()});
  return std::nullopt;
}

bool Names::check_name(const YamlNode& node, const std::string& name, std::size_t offset, View view) {
  const auto known = known_.find(name);
  const bool is_reading = known != known_.end() && known->second.kind == Kind::reading;
  if (known == known_.end() && std::ranges::find(later_, name, &YamlNode::text) != later_.end()) {
    errors_.add_inside(node, offset, name.size(), "'" + name + "' is not defined yet",
                       "a definition can use the definitions above it");
    return false;
  }
  if (known == known_.end()) {
    const auto names = visible(view);
    const std::string guess = errors_.guess(name, names);
    const std::string hint =
        guess.empty() ? known_words(names) + "; a text needs quotes: \"'" + name + "'\"" : "";
    errors_.add_inside(node, offset, name.size(), "unknown name '" + name + "'" + guess, hint);
    return false;
  }
  if (is_reading && view != View::trial) {
    errors_.add_inside(node, offset, name.size(),
                       "'" + name + "' is a measured quantity: only metrics can use it");
    return false;
  }
  if (known->second.sees_parameters && view == View::problem) {
    const bool is_definition = known->second.kind == Kind::definition;
    errors_.add_inside(node, offset, name.size(),
                       "a reference or verifier cannot use '" + name +
                           (is_definition ? "': it depends on a parameter" : "': it is a parameter"),
                       "it serves all configurations: use numbers and axes of the problem");
    return false;
  }
  named_.insert(name);
  mark_used(name);
  // A faulty definition already has its error.
  return known->second.kind != Kind::definition || definitions_.contains(name);
}

void Names::mark_used(const std::string& name) {
  const auto known = known_.find(name);
  if (known == known_.end() || known->second.kind != Kind::definition || !used_.insert(name).second) return;
  for (const std::string& lead : known->second.leads) mark_used(lead);
}

std::map<std::string, std::string> Names::take_used_definitions() {
  std::map<std::string, std::string> texts;
  for (const std::string& name : std::exchange(used_, {})) texts[name] = known_.find(name)->second.text;
  return texts;
}

Pattern Names::pattern(const Fields& fields, std::string_view key, View view) {
  const YamlNode* node = fields.find(key);
  return node == nullptr ? Pattern() : pattern(*node, view).value_or(Pattern());
}

std::optional<Pattern> Names::pattern(const YamlNode& node, View view) {
  Pattern pattern;
  if (!require_scalar(node, "a text", errors_, brace_hint(node))) return std::nullopt;
  pattern.text = node.text;
  const auto pieces = split_pattern(node.text);
  if (!pieces) {
    errors_.add_inside(node, pieces.error().offset, pieces.error().length, pieces.error().message);
    return std::nullopt;
  }
  bool is_good = true;
  for (const PatternPiece& piece : *pieces) {
    if (piece.kind == PatternPiece::Kind::literal) {
      pattern.parts.push_back({piece.text, std::nullopt});
    } else if (auto expression = part(node, piece.text, piece.offset, view)) {
      pattern.parts.push_back({{}, std::move(expression)});
    } else {
      is_good = false;
    }
  }
  if (!is_good) return std::nullopt;
  return pattern;
}

std::optional<Pattern> Names::entry(const YamlNode& node, View view) {
  auto whole = pattern(node, view);
  if (!whole) return std::nullopt;
  const char first = node.text.empty() ? ' ' : node.text.front();
  if (!is_letter(first) && first != ':' && first != '{') {
    errors_.add(node, "invalid entry '" + node.text + "'",
                "expected a function, such as reduce or reduce<T, threadsPerBlock>");
    return std::nullopt;
  }
  Pattern entry{{}, node.text};
  Nesting nesting;
  bool is_good = true;
  const auto pieces = split_pattern(node.text);
  auto part = whole->parts.begin();
  for (const PatternPiece& piece : *pieces) {
    if (piece.kind == PatternPiece::Kind::literal) {
      is_good = add_template_arguments(node, piece, nesting, entry, view) && is_good;
    } else {
      entry.parts.push_back(*part);
    }
    ++part;
  }
  if (nesting.angles != 0) {
    errors_.add(node, "unbalanced '<' and '>'", comma_hint(node, "<>"));
  }
  if (nesting.angles != 0 || !is_good) return std::nullopt;
  return entry;
}

bool Names::add_template_arguments(const YamlNode& node, const PatternPiece& piece, Nesting& nesting,
                                   Pattern& pattern, View view) {
  const std::string& text = piece.text;
  std::string literal;
  bool is_good = true;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (!is_word(c)) {
      nesting.parentheses += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (nesting.parentheses == 0)
        nesting.angles += c == '<' ? 1 : c == '>' ? -1 : 0;  // else they compare or shift
      literal += c;
      ++at;
      continue;
    }
    const std::size_t end = word_end(text, at);
    const std::string word = text.substr(at, end - at);
    const auto known = known_.find(word);
    const bool is_member = at > 0 && (text[at - 1] == ':' || text[at - 1] == '.');
    const bool stands_for_value =
        nesting.angles > 0 && !is_member && known != known_.end() && known->second.kind <= Kind::index;
    if (!stands_for_value) {
      literal += word;
    } else if (auto value = part(node, word, piece.offset + at, view)) {
      pattern.parts.push_back({std::exchange(literal, {}), std::move(value)});
    } else {
      is_good = false;
    }
    at = end;
  }
  if (!literal.empty()) pattern.parts.push_back({std::move(literal), std::nullopt});
  return is_good;
}

std::vector<std::string> Names::visible(View view) const {
  std::vector<std::string> names;
  for (const auto& [name, known] : known_) {
    if (known.kind == Kind::reading && view != View::trial) continue;
    if (known.sees_parameters && view == View::problem) continue;
    names.push_back(name);
  }
  return names;
}

std::optional<std::string> why_no_name(std::string_view name) {
  static constexpr std::string_view kCuda[] = {"threadIdx", "blockIdx", "blockDim",
                                               "gridDim",   "warpSize", "main"};
  if (name.empty() || !is_letter(name.front()) || word_end(name, 0) != name.size())
    return "use letters, digits and _; do not start with a digit";
  if (is_expression_word(name)) return "it is a word of the expression language";
  if (is_cpp_keyword(name) || name == "defined") return "it is a C++ keyword";
  if (std::ranges::find(kCuda, name) != std::end(kCuda)) return "CUDA or C++ defines it";
  if (name.find("__") != std::string_view::npos ||
      (name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z')) {
    return "C++ reserves such names";
  }
  return std::nullopt;
}

}  // namespace gktune
