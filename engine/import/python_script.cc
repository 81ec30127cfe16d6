#include "engine/import/python_script.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "engine/import/python_text.h"
#include "tuner/core/text.h"
#include "tuner/space/language/expression.h"

namespace gktune {
PythonScript::PythonScript(const std::string& text) : statements_(python_statements(text)) {
  static const std::regex kAssignment(R"(^\s*([A-Za-z_]\w*)\s*=(?!=)\s*([\s\S]+)$)");
  for (const std::string& statement : statements_) {
    std::smatch parts;
    if (std::regex_search(statement, parts, kAssignment)) {
      // rows = columns = 512
      std::vector<std::string> names{parts[1].str()};
      std::string value(trimmed(parts[2].str()));
      for (std::smatch next; std::regex_match(value, next, kAssignment);) {
        names.push_back(next[1].str());
        value = std::string(trimmed(next[2].str()));
      }
      for (const std::string& each : names) assigned_[each] = value;
    } else {
      assign_list(statement);
    }
  }
}

// height, width = 512, 1024
void PythonScript::assign_list(const std::string& statement) {
  static const std::regex kNames(R"(^\s*([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)+)\s*=(?!=)\s*([\s\S]+)$)");
  std::smatch parts;
  if (!std::regex_match(statement, parts, kNames)) return;
  const std::vector<std::string> names = split_python(parts[1].str(), ',');
  std::string text(trimmed(parts[2].str()));
  if (const auto list = python_list(text, text.starts_with("[") ? "[" : "(")) text = *list;
  const std::vector<std::string> values = split_python(text, ',');
  for (std::size_t i = 0; i < names.size() && values.size() == names.size(); ++i)
    assigned_[names[i]] = values[i];
}

std::optional<std::string> PythonScript::assigned(const std::string& name) const {
  const auto found = assigned_.find(name);
  return found == assigned_.end() ? std::nullopt : std::optional(found->second);
}

std::string PythonScript::resolved(std::string text) const {
  for (int i = 0; i < 8; ++i) {
    const auto found = assigned_.find(text);
    if (found == assigned_.end()) break;
    text = found->second;
  }
  return text;
}

std::optional<std::vector<std::string>> PythonScript::elements_of(const std::string& written,
                                                                  const NamedTuple* named) const {
  if (named != nullptr && !named->elements.empty() && written == named->name) return named->elements;
  const std::string text = resolved(std::string(trimmed(written)));
  const auto list = python_list(text, text.starts_with("[") ? "[" : "(");
  if (!list) return std::nullopt;
  std::vector<std::string> all;
  for (std::string& each : split_python(*list, ',')) {
    if (!each.empty()) all.push_back(std::move(each));
  }
  return all;
}

std::string PythonScript::substituted(std::string text, const NamedTuple* named) const {
  static const std::regex kSubscript(R"(\b([A-Za-z_]\w*)\s*\[\s*(-?\d{1,4})\s*\])");
  static const std::regex kCall(R"((?:\b(?:np|numpy|math)\.)?\b(prod|len)\()");
  static const std::regex kShift(R"(\b(\w+)\s*<<\s*(\w+))");
  for (int round = 0; round < 16; ++round) {
    std::smatch found;
    std::string value;
    std::size_t end = 0;
    if (std::regex_search(text, found, kSubscript)) {
      const auto elements = elements_of(found[1].str(), named);
      const int index = std::stoi(found[2].str());
      const auto count = elements ? static_cast<int>(elements->size()) : 0;
      if (index >= count || index < -count) return text;
      value = (*elements)[static_cast<std::size_t>(index < 0 ? index + count : index)];
      end = static_cast<std::size_t>(found.position() + found.length());
    } else if (std::regex_search(text, found, kCall)) {
      end = static_cast<std::size_t>(found.position() + found.length());
      const std::size_t begin = end;
      for (int open = 1; end < text.size() && open > 0; ++end) {
        if (text[end] == '(') ++open;
        if (text[end] == ')') --open;
      }
      const auto elements = elements_of(text.substr(begin, end - 1 - begin), named);
      if (!elements) return text;
      value = found[1] == "len"
                  ? std::to_string(elements->size())
                  : joined(*elements, " * ", [](const std::string& each) {
                      return each.find_first_of("+-/% ") == std::string::npos ? each : "(" + each + ")";
                    });
    } else if (std::regex_search(text, found, kShift)) {
      value = found[1].str() + " * 2 ** " + found[2].str();
      end = static_cast<std::size_t>(found.position() + found.length());
    } else {
      return text;
    }
    const auto begin = static_cast<std::size_t>(found.position());
    const bool is_simple = value.find_first_not_of("0123456789") == std::string::npos ||
                           (begin == 0 && end == text.size()) ||
                           std::regex_match(value, std::regex(R"(\w+)"));
    text = text.substr(0, begin) + (is_simple ? value : "(" + value + ")") + text.substr(end);
  }
  return text;
}

std::string PythonScript::in_space_language(std::string text, const NamedTuple* named) const {
  text = substituted(std::move(text), named);
  text = std::regex_replace(text, std::regex(R"(\bTrue\b)"), "true");
  text = std::regex_replace(text, std::regex(R"(\bFalse\b)"), "false");
  return std::regex_replace(text, std::regex(R"(\b(np|numpy|math)\.(sqrt|log2|ceil|floor|minimum|maximum))"),
                            "$2");
}

std::optional<Value> PythonScript::value_of(const std::string& written, const NamedValues& local,
                                            int depth) const {
  const std::string text(trimmed(written));
  if (const auto word = python_literal(text)) return Value(*word);
  if (text == "True" || text == "False") return Value(text == "True");
  static const std::regex kCast(
      R"(^(?:np\.|numpy\.)?(?:int|float|u?int(?:8|16|32|64)|float(?:16|32|64))\()");
  std::smatch cast;
  if (std::regex_search(text, cast, kCast)) {
    if (const auto inner = python_list(text, cast.str())) {
      const auto value = value_of(*inner, local, depth + 1);
      const bool is_whole = cast.str().find("int") != std::string::npos && value && value->is_real() &&
                            std::abs(value->real()) < 1e15;
      return is_whole ? std::optional(Value(static_cast<std::int64_t>(value->real()))) : value;  // int(1e6)
    }
  }
  const auto expression = Expression::parse(in_space_language(text));
  if (!expression || depth > 8) return std::nullopt;
  NamedValues names;
  for (const auto& [name, value] : local) names.set(name, value);
  for (const auto& use : expression->names()) {
    if (names.find(use.name) != nullptr) continue;
    const auto found = assigned_.find(use.name);
    if (found == assigned_.end()) return std::nullopt;
    const auto value = value_of(found->second, {}, depth + 1);
    if (!value) return std::nullopt;
    names.set(use.name, *value);
  }
  Scope scope;
  scope.add(names);
  const auto value = expression->evaluate(scope);
  return value ? std::optional(*value) : std::nullopt;
}

std::optional<std::vector<Value>> PythonScript::values_of(const std::string& written) const {
  const std::string text = resolved(std::string(trimmed(written)));
  const std::vector<std::string> sum = split_python(text, '+');
  if (sum.size() > 1) {
    std::vector<Value> all;
    for (const std::string& part : sum) {
      const auto values = values_of(part);
      if (!values) return std::nullopt;
      all.insert(all.end(), values->begin(), values->end());
    }
    return all;
  }
  for (const std::string_view wrapper : {"list(", "tuple(", "sorted("}) {
    if (const auto inner = python_list(text, wrapper)) return values_of(*inner);
  }
  for (const std::string_view range : {"range(", "np.arange(", "numpy.arange("}) {
    if (const auto inner = python_list(text, range)) return range_of(*inner);
  }
  const auto list = python_list(text, text.starts_with("(") ? "(" : "[");
  if (!list) return std::nullopt;
  static const std::regex kComprehension(
      R"(^([\s\S]+?)\s+for\s+(\w+)\s+in\s+([\s\S]+?)(?:\s+if\s+([\s\S]+))?$)");
  std::smatch parts;
  if (!text.starts_with("(") && split_python(*list, ',').size() == 1 &&
      std::regex_match(*list, parts, kComprehension)) {
    return comprehension(parts);
  }
  std::vector<Value> all;
  for (const std::string& item : split_python(*list, ',')) {
    const auto value = value_of(item);
    if (!value) return std::nullopt;
    all.push_back(*value);
  }
  return all;
}

std::optional<std::vector<Value>> PythonScript::range_of(const std::string& list) const {
  std::vector<std::int64_t> bounds;
  for (const std::string& item : split_python(list, ',')) {
    const auto value = value_of(item);
    if (!value || !value->is_integer()) return std::nullopt;
    bounds.push_back(value->integer());
  }
  const std::int64_t first = bounds.size() > 1 ? bounds[0] : 0, end = bounds[bounds.size() > 1 ? 1 : 0],
                     step = bounds.size() > 2 ? bounds[2] : 1;
  if (step == 0 || bounds.size() > 3) return std::nullopt;
  std::vector<Value> all;
  constexpr std::size_t kMost = 16'384;
  for (std::int64_t each = first; (step > 0 ? each < end : each > end) && all.size() < kMost; each += step)
    all.emplace_back(each);
  return all;
}

std::optional<std::vector<Value>> PythonScript::comprehension(const std::smatch& parts) const {
  const auto over = values_of(parts[3].str());
  if (!over) return std::nullopt;
  std::vector<Value> all;
  for (const Value& each : *over) {
    const NamedValues local{{parts[2].str(), each}};
    if (parts[4].matched) {
      const auto condition = value_of(parts[4].str(), local);
      if (!condition || !condition->is_boolean()) return std::nullopt;
      if (!condition->boolean()) continue;
    }
    const auto value = value_of(parts[1].str(), local);
    if (!value) return std::nullopt;
    all.push_back(*value);
  }
  return all;
}

std::string PythonScript::body_of(const std::string& item, const std::vector<std::string>& names) const {
  static const std::regex kLambda(R"(^lambda\s+([\w\s,]+?)\s*:\s*([\s\S]+)$)"),
      kFunction(R"(^\s*def\s+(\w+)\s*\(([\w\s,]+)\)\s*:\s*(?:return\s+([\s\S]+))?$)"),
      kReturn(R"(^\s*return\s+([\s\S]+)$)");
  std::smatch parts;
  std::string own, text;
  if (std::regex_match(item, parts, kLambda)) {
    own = parts[1].str();
    text = parts[2].str();
  }
  for (std::size_t i = 0; i < statements_.size() && text.empty(); ++i) {
    if (!std::regex_match(statements_[i], parts, kFunction) || parts[1] != item) continue;
    own = parts[2].str();
    if (parts[3].matched) {  // def f(x): return x > 1
      text = trimmed(parts[3].str());
      break;
    }
    std::size_t next = i + 1;
    while (next < statements_.size() && trimmed(statements_[next]).empty()) ++next;
    if (next < statements_.size() && std::regex_match(statements_[next], parts, kReturn))
      text = trimmed(parts[1].str());
  }
  if (own.find(',') == std::string::npos && std::ranges::find(names, own) == names.end()) {
    text = std::regex_replace(text, std::regex("\\b" + own + R"(\s*\[\s*["'](\w+)["']\s*\])"), "$1");
    text = std::regex_replace(text, std::regex("\\b" + own + R"(\.(\w+))"), "$1");
  }
  return text;
}

std::vector<PythonScript::Item> PythonScript::dict_of(const std::string& written) const {
  const std::string text = resolved(written);
  auto list = python_list(text, "{");
  if (!list) list = python_list(text, "dict(");
  std::vector<Item> items;
  for (const std::string& item : list ? python_items(*list) : std::vector<std::string>()) {
    const bool is_keyword = !is_quote(item[0]);
    const std::size_t at = is_keyword ? item.find('=') : item.find(':', end_of_python_literal(item, 0));
    if (at == std::string::npos) continue;
    const std::string name(trimmed(std::string_view(item).substr(0, at)));
    items.emplace_back(is_keyword ? name : python_literal(name).value_or(name),
                       trimmed(std::string_view(item).substr(at + 1)));
  }
  std::ranges::move(added_items(written), std::back_inserter(items));
  return items;
}

std::vector<PythonScript::Item> PythonScript::added_items(const std::string& dict) const {
  static const std::regex kItem(R"(^\s*(\w+)\[\s*["']([^"']+)["']\s*\]\s*=(?!=)\s*([\s\S]+)$)");
  std::vector<Item> items;
  for (const std::string& statement : statements_) {
    std::smatch parts;
    if (std::regex_match(statement, parts, kItem) && parts[1] == dict)
      items.emplace_back(parts[2].str(), trimmed(parts[3].str()));
  }
  return items;
}

std::optional<std::string> PythonScript::opened_file(const std::string& written) const {
  static const std::regex kRead(R"(^(\w+)\.read\(\)$)");
  std::smatch parts;
  if (!std::regex_match(written, parts, kRead)) return std::nullopt;
  const std::string file = parts[1].str();
  const std::regex open(R"(open\(\s*["']([^"']+)["'][^)]*\)\s*as\s+)" + file + "\\b|\\b" + file +
                        R"(\s*=\s*open\(\s*["']([^"']+)["'])");
  for (const std::string& statement : statements_) {
    if (std::regex_search(statement, parts, open)) return parts[1].matched ? parts[1].str() : parts[2].str();
  }
  return std::nullopt;
}

}  // namespace gktune
