#include "engine/import/import_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <regex>
#include <vector>

#include "tuner/core/element_type.h"
#include "tuner/core/text.h"
#include "tuner/space/language/expression.h"

namespace gktune {
namespace {

// Raised inside this file only.
struct BadScript {
  std::string message;
};

// The end of the literal at this quote, behind its closing quote.
std::size_t end_of_literal(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string triple(3, quote);
  if (text.substr(at, 3) == triple) {
    const std::size_t end = text.find(triple, at + 3);
    return end == std::string_view::npos ? text.size() : end + 3;
  }
  for (++at; at < text.size() && text[at] != quote && text[at] != '\n'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

bool is_quote(char c) { return c == '"' || c == '\''; }

// Statements without comments: lines in brackets and in literals of several lines are one.
std::vector<std::string> statements_of(std::string_view text) {
  std::vector<std::string> all;
  std::string statement;
  int depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (is_quote(c)) {
      const std::size_t end = end_of_literal(text, i);
      statement += text.substr(i, end - i);
      i = end;
      continue;
    }
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == '\\' && i + 1 < text.size() && text[i + 1] == '\n') {
      i += 2;
      continue;
    }
    ++i;
    if (c != '\n' && c != ';') {
      statement += c;
    } else if (depth > 0) {
      statement += ' ';
    } else {
      all.push_back(std::exchange(statement, {}));
    }
  }
  all.push_back(statement);
  return all;
}

// The parts between separators outside of brackets and literals.
std::vector<std::string> split_outside(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (is_quote(text[i])) {
      i = end_of_literal(text, i);
      continue;
    }
    if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
    if (text[i] == ')' || text[i] == ']' || text[i] == '}') --depth;
    if (text[i] == separator && depth == 0) {
      parts.emplace_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
    ++i;
  }
  const std::string last(trimmed(text.substr(begin)));
  if (!last.empty() || parts.empty()) parts.push_back(last);
  return parts;
}

// The list in the brackets that the text ends with: of f(a, b), [a, b], (a, b).
std::optional<std::string> inside(std::string_view text, std::string_view open) {
  if (!text.starts_with(open)) return std::nullopt;
  int depth = 0;
  for (std::size_t i = open.size() - 1; i < text.size();) {
    if (is_quote(text[i])) {
      i = end_of_literal(text, i);
      continue;
    }
    if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
    if (text[i] == ')' || text[i] == ']' || text[i] == '}') {
      if (--depth == 0) {
        if (i + 1 != text.size()) return std::nullopt;
        return std::string(text.substr(open.size(), i - open.size()));
      }
    }
    ++i;
  }
  return std::nullopt;
}

std::optional<std::string> literal(std::string_view text) {
  std::size_t prefix = 0;
  while (prefix < text.size() && prefix < 2 && std::isalpha(static_cast<unsigned char>(text[prefix])) != 0)
    ++prefix;
  text.remove_prefix(prefix);
  if (text.empty() || !is_quote(text[0]) || end_of_literal(text, 0) != text.size() || text.size() < 2)
    return std::nullopt;
  const std::size_t width = text.size() >= 6 && text.substr(0, 3) == std::string(3, text[0]) ? 3 : 1;
  return std::string(text.substr(width, text.size() - 2 * width));
}

class Script {
 public:
  Script(const std::string& text, const std::filesystem::path& path)
      : path_(path), statements_(statements_of(text)) {
    static const std::regex kAssignment(R"(^\s*([A-Za-z_]\w*)\s*=(?!=)\s*([\s\S]+)$)");
    for (const std::string& statement : statements_) {
      std::smatch parts;
      if (std::regex_search(statement, parts, kAssignment))
        assigned_[parts[1].str()] = trimmed(parts[2].str());
    }
  }

  ImportedSpace run() {
    read_call();
    read_parameters();
    read_restrictions();
    read_problem();
    read_arguments();
    write();
    return std::move(space_);
  }

 private:
  void note(std::string text) { space_.notes.push_back(std::move(text)); }

  // A name stands for what is assigned to it.
  std::string resolved(std::string text) const {
    for (int i = 0; i < 8; ++i) {
      const auto found = assigned_.find(text);
      if (found == assigned_.end()) break;
      text = found->second;
    }
    return text;
  }

  void read_call() {
    for (const std::string& statement : statements_) {
      const std::size_t at = statement.find("tune_kernel(");
      if (at == std::string::npos || (at > 0 && statement.substr(0, at).find("def ") != std::string::npos))
        continue;
      std::size_t end = at;
      int depth = 0;
      for (; end < statement.size(); ++end) {
        if (is_quote(statement[end])) end = end_of_literal(statement, end) - 1;
        if (statement[end] == '(') ++depth;
        if (statement[end] == ')' && --depth == 0) break;
      }
      const auto list = inside(std::string_view(statement).substr(at, end + 1 - at), "tune_kernel(");
      if (!list) throw BadScript{"the brackets of tune_kernel() do not match"};
      static constexpr const char* kPlaces[] = {"kernel_name", "kernel_source", "problem_size", "arguments",
                                                "tune_params"};
      static const std::regex kKeyword(R"(^(\w+)\s*=(?!=)\s*([\s\S]+)$)");
      std::size_t place = 0;
      for (const std::string& item : split_outside(*list, ',')) {
        std::smatch parts;
        if (std::regex_match(item, parts, kKeyword)) {
          call_[parts[1].str()] = parts[2].str();
        } else if (place < std::size(kPlaces)) {
          call_[kPlaces[place++]] = item;
        }
      }
      for (const char* name : kPlaces) {
        if (!call_.contains(name)) throw BadScript{fmt::format("tune_kernel() has no {}", name)};
      }
      return;
    }
    throw BadScript{"it does not call tune_kernel()"};
  }

  // A number or text; nothing if the script computes it in another way.
  std::optional<Value> value_of(const std::string& written, const NamedValues& local = {},
                                int depth = 0) const {
    const std::string text(trimmed(written));
    if (const auto word = literal(text)) return Value(*word);
    if (text == "True" || text == "False") return Value(text == "True");
    static const std::regex kCast(
        R"(^(?:np\.|numpy\.)?(?:int|float|u?int(?:8|16|32|64)|float(?:16|32|64))\()");
    std::smatch cast;
    if (std::regex_search(text, cast, kCast)) {
      if (const auto inner = inside(text, cast.str())) return value_of(*inner, local, depth + 1);
    }
    const auto expression = Expression::parse(python_words(text));
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

  static std::string python_words(std::string text) {
    text = std::regex_replace(text, std::regex(R"(\bTrue\b)"), "true");
    text = std::regex_replace(text, std::regex(R"(\bFalse\b)"), "false");
    return std::regex_replace(
        text, std::regex(R"(\b(np|numpy|math)\.(sqrt|log2|ceil|floor|minimum|maximum))"), "$2");
  }

  std::optional<std::vector<Value>> values_of(const std::string& written) const {
    const std::string text = resolved(std::string(trimmed(written)));
    const std::vector<std::string> sum = split_outside(text, '+');
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
      if (const auto inner = inside(text, wrapper)) return values_of(*inner);
    }
    for (const std::string_view range : {"range(", "np.arange(", "numpy.arange("}) {
      if (const auto inner = inside(text, range)) return range_of(*inner);
    }
    const auto list = inside(text, text.starts_with("(") ? "(" : "[");
    if (!list) return std::nullopt;
    static const std::regex kComprehension(
        R"(^([\s\S]+?)\s+for\s+(\w+)\s+in\s+([\s\S]+?)(?:\s+if\s+([\s\S]+))?$)");
    std::smatch parts;
    if (!text.starts_with("(") && split_outside(*list, ',').size() == 1 &&
        std::regex_match(*list, parts, kComprehension)) {
      return comprehension(parts);
    }
    std::vector<Value> all;
    for (const std::string& item : split_outside(*list, ',')) {
      const auto value = value_of(item);
      if (!value) return std::nullopt;
      all.push_back(*value);
    }
    return all;
  }

  std::optional<std::vector<Value>> range_of(const std::string& list) const {
    std::vector<std::int64_t> bounds;
    for (const std::string& item : split_outside(list, ',')) {
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

  std::optional<std::vector<Value>> comprehension(const std::smatch& parts) const {
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

  void add_parameter(const std::string& name, const std::string& values) {
    const auto list = values_of(values);
    if (!list || list->empty())
      throw BadScript{fmt::format(
          "the values of '{}' are no list that can be read without running the script: {}", name, values)};
    for (auto& [known, earlier] : parameters_) {
      if (known == name) {
        earlier = *list;
        return;
      }
    }
    parameters_.emplace_back(name, *list);
  }

  void read_parameters() {
    const std::string written = call_["tune_params"];
    const std::string text = resolved(written);
    std::optional<std::string> list = inside(text, "{");
    for (const std::string_view call : {"dict(", "OrderedDict(", "collections.OrderedDict("}) {
      if (!list) list = inside(text, call);
    }
    if (!list) throw BadScript{"tune_params is no dict that can be read without running the script: " + text};
    if (const auto braces = inside(*list, "{")) list = braces;
    for (const std::string& item : split_outside(*list, ',')) {
      if (item.empty()) continue;
      const bool is_keyword = !is_quote(item[0]);
      const std::vector<std::string> parts = split_outside(item, is_keyword ? '=' : ':');
      const auto name = parts.size() == 2 ? (is_keyword ? parts[0] : literal(parts[0])) : std::nullopt;
      if (!name) throw BadScript{"tune_params: '" + item + "' is not a name with a list"};
      add_parameter(*name, parts[1]);
    }
    static const std::regex kName(R"([A-Za-z_]\w*)");
    if (!std::regex_match(written, kName)) {
      if (parameters_.empty()) throw BadScript{"tune_params is empty"};
      return;
    }
    const std::regex subscript(R"(^\s*)" + written + R"(\[\s*["'](\w+)["']\s*\]\s*=(?!=)\s*([\s\S]+)$)");
    for (const std::string& statement : statements_) {
      std::smatch parts;
      if (std::regex_match(statement, parts, subscript))
        add_parameter(parts[1].str(), std::string(trimmed(parts[2].str())));
    }
    if (parameters_.empty()) throw BadScript{"tune_params is empty"};
  }

  bool is_parameter(const std::string& name) const {
    return std::ranges::any_of(parameters_, [&](const auto& each) { return each.first == name; });
  }

  void add_restriction(const std::string& item) {
    std::string text = literal(item).value_or("");
    static const std::regex kLambda(R"(^lambda\s+(\w+)\s*:\s*([\s\S]+)$)");
    std::smatch parts;
    if (text.empty() && std::regex_match(item, parts, kLambda)) {
      text = std::regex_replace(parts[2].str(), std::regex(parts[1].str() + R"(\s*\[\s*["'](\w+)["']\s*\])"),
                                "$1");
      text = std::regex_replace(text, std::regex("\\b" + parts[1].str() + R"(\.(\w+))"), "$1");
    }
    text = python_words(std::string(trimmed(text)));
    const auto expression = Expression::parse(text);
    const bool is_known = expression.ok() && std::ranges::all_of(expression->names(), [&](const auto& use) {
                            return is_parameter(use.name);
                          });
    if (is_known) {
      restrictions_.push_back(text);
    } else {
      note("the restriction " + item + " could not be read: write it under constraints");
    }
  }

  void read_restrictions() {
    const auto found = call_.find("restrictions");
    if (found == call_.end()) return;
    const std::string text = resolved(found->second);
    const auto list = inside(text, "[");
    if (!list) return add_restriction(text);
    for (const std::string& item : split_outside(*list, ',')) {
      if (!item.empty()) add_restriction(resolved(item));
    }
    for (const std::string& statement : statements_) {
      const std::string start = found->second + ".append(";
      const std::string plain(trimmed(statement));
      if (const auto item = inside(plain, start)) add_restriction(*item);
    }
  }

  void read_problem() {
    const std::string text = resolved(call_["problem_size"]);
    const auto tuple = inside(text, text.starts_with("[") ? "[" : "(");
    const std::vector<std::string> sizes =
        tuple ? split_outside(*tuple, ',') : std::vector{call_["problem_size"]};
    static constexpr const char* kNames[] = {"size_x", "size_y", "size_z"};
    for (std::size_t i = 0; i < sizes.size() && i < 3; ++i) {
      const auto value = value_of(sizes[i]);
      if (!value || !value->is_integer()) {
        if (is_parameter(sizes[i])) {
          sizes_.push_back(sizes[i]);
          continue;
        }
        throw BadScript{"the problem size '" + sizes[i] +
                        "' is no number that can be read without running the script"};
      }
      static const std::regex kName(R"([A-Za-z_]\w*)");
      const bool is_name = std::regex_match(sizes[i], kName) && !is_parameter(sizes[i]) && sizes.size() > 1;
      const bool is_plain = sizes.size() == 1 && std::regex_match(sizes[i], kName) && !is_parameter(sizes[i]);
      const std::string name = is_name || is_plain ? sizes[i] : kNames[i];
      sizes_.push_back(name);
      const bool is_new = std::ranges::none_of(axes_, [&](const auto& axis) { return axis.first == name; });
      if (is_new) axes_.emplace_back(name, value->integer());
    }
  }

  // In names of axes where the script's expression has them, else its value.
  std::optional<std::string> size_text(const std::string& text) const {
    const auto expression = Expression::parse(python_words(text));
    if (!expression) return std::nullopt;
    const bool is_known = std::ranges::all_of(expression->names(), [&](const auto& use) {
      return std::ranges::any_of(axes_, [&](const auto& axis) { return axis.first == use.name; });
    });
    if (is_known) return python_words(text);
    const auto value = value_of(text);
    return value && value->is_integer() ? std::optional(value->str()) : std::nullopt;
  }

  // The product of (h, w), of h, w, of a name for either.
  std::optional<std::string> extent_of(const std::string& written) const {
    std::string text(trimmed(written));
    if (!size_text(text)) text = resolved(text);
    const auto tuple = inside(text, text.starts_with("[") ? "[" : "(");
    const std::vector<std::string> sizes = tuple ? split_outside(*tuple, ',') : std::vector{text};
    std::string product;
    for (const std::string& size : sizes) {
      if (size.empty()) continue;
      const auto part = size_text(size);
      if (!part) return std::nullopt;
      const bool is_simple = part->find_first_of("+-/ ") == std::string::npos || sizes.size() == 1;
      product += (product.empty() ? "" : " * ") + (is_simple ? *part : "(" + *part + ")");
    }
    return product;
  }

  struct Array {
    std::string type, extent, contents;
    bool is_output = false;
  };

  static std::string type_in(const std::string& text, const std::string& standard) {
    static const std::regex kType(R"((?:np\.|numpy\.|["'])(u?int(?:8|16|32|64)|float(?:16|32|64))\b(?!\())");
    std::smatch found;
    return std::regex_search(text, found, kType) ? found[1].str() : standard;
  }

  std::optional<Array> array_of(const std::string& text, int depth = 0) const {
    static const std::regex kCall(
        R"((?:np|numpy)\.(random\.randn|random\.rand|random\.random|random\.randint|zeros_like|empty_like|ones_like|zeros|ones|empty|full)\()");
    std::smatch found;
    if (depth > 4 || !std::regex_search(text, found, kCall)) return std::nullopt;
    const std::string function = found[1].str();
    std::size_t end = static_cast<std::size_t>(found.position()) + found.str().size();
    const std::size_t begin = end;
    for (int open = 1; end < text.size() && open > 0; ++end) {
      if (text[end] == '(') ++open;
      if (text[end] == ')') --open;
    }
    const std::vector<std::string> items = split_outside(text.substr(begin, end - 1 - begin), ',');
    if (function.ends_with("_like")) {
      auto other = array_of(resolved(items[0]), depth + 1);
      if (!other) return std::nullopt;
      other->type = type_in(text, other->type);
      other->is_output = function != "ones_like";
      other->contents = function == "ones_like" ? "{constant: 1}" : "zero";
      return other;
    }
    Array array;
    std::string shape = items[0];
    if (function == "random.rand" || function == "random.randn") {
      shape.clear();
      for (const std::string& item : items) shape += (shape.empty() ? "(" : ", ") + item;
      shape += ")";
      if (items.size() == 1) shape = items[0].starts_with("*") ? items[0].substr(1) : items[0];
    }
    array.type = type_in(text, function == "random.randint" ? "int64" : "float64");
    array.contents = "{uniform: [0, 1]}";
    if (function == "random.randn") array.contents = "{normal: [0, 1]}";
    if (function == "ones") array.contents = "{constant: 1}";
    if (function == "full" && items.size() > 1) {
      const auto value = value_of(items[1]);
      array.contents = "{constant: " + (value ? value->str() : "1") + "}";
    }
    if (function == "random.randint") {
      array.contents = "{uniform: [0, 100]}";
      const auto low = items.size() > 1 ? value_of(items[0]) : std::nullopt,
                 high = items.size() > 1 ? value_of(items[1]) : std::nullopt;
      if (low && high && low->is_integer() && high->is_integer())
        array.contents = fmt::format("{{uniform: [{}, {}]}}", low->integer(), high->integer() - 1);
      if (items.size() > 2) shape = std::regex_replace(items[2], std::regex(R"(^size\s*=\s*)"), "");
    }
    if (function == "zeros" || function == "empty") {
      array.is_output = true;
      array.contents = "zero";
    }
    const auto extent = extent_of(shape);
    if (!extent) return std::nullopt;
    array.extent = *extent;
    return array;
  }

  void read_arguments() {
    const std::string text = resolved(call_["arguments"]);
    const auto list = inside(text, text.starts_with("(") ? "(" : "[");
    if (!list)
      throw BadScript{"the arguments are no list that can be read without running the script: " + text};
    std::size_t place = 0;
    for (const std::string& item : split_outside(*list, ',')) {
      if (item.empty()) continue;
      static const std::regex kName(R"([A-Za-z_]\w*)");
      const std::string name = std::regex_match(item, kName) ? item : fmt::format("argument{}", place);
      ++place;
      names_.push_back(name);
      const std::string value = resolved(item);
      static const std::regex kScalar(R"(^(?:np\.|numpy\.)(u?int(?:8|16|32|64)|float(?:16|32|64))\()");
      std::smatch scalar;
      if (std::regex_search(value, scalar, kScalar)) {
        const auto inner = inside(value, scalar.str());
        const auto size = inner ? size_text(*inner) : std::nullopt;
        const auto number = inner ? value_of(*inner) : std::nullopt;
        if (!size && !number) note("argument " + name + ": its value could not be read; 1 is a guess");
        arguments_.push_back(fmt::format("{{type: {}, value: {}}}", scalar[1].str(),
                                         size     ? *size
                                         : number ? number->str()
                                                  : "1"));
        continue;
      }
      const auto array = array_of(value);
      if (!array) {
        arguments_.push_back(
            fmt::format("{{type: float32, extent: \"{}\", init: {{uniform: [0, 1]}}}}  # a guess", joined(sizes_, " * ")));
        note("argument " + name + ": '" + value + "' could not be read; its type and extent are guesses");
        continue;
      }
      arguments_.push_back(array->is_output ? fmt::format("{{type: {}, extent: \"{}\", role: out}}",
                                                          array->type, array->extent)
                                            : fmt::format("{{type: {}, extent: \"{}\", init: {}}}",
                                                          array->type, array->extent, array->contents));
    }
  }

  std::vector<std::string> names_in(const char* keyword, std::vector<std::string> standard) {
    const auto found = call_.find(keyword);
    if (found == call_.end() || found->second == "None") return standard;
    const auto list = inside(resolved(found->second), "[");
    std::vector<std::string> names;
    for (const std::string& item : list ? split_outside(*list, ',') : std::vector<std::string>()) {
      if (const auto name = literal(item)) names.push_back(*name);
    }
    return names;
  }

  void write_source() {
    const std::string written = resolved(call_["kernel_source"]);
    std::string file;
    static const std::regex kFile(R"(["']([^"'\n]*\.cuh?)["'])");
    std::smatch found;
    if (const auto text = literal(written); text && text->find('\n') != std::string::npos) {
      file = path_.stem().string() + ".cu";
      space_.files.emplace_back(file, *text);
      note("the kernel's source is a text in the script: it belongs into " + file +
           " beside the space file (-o writes it)");
    } else if (text) {
      file = *text;
    } else if (std::regex_search(written, found, kFile)) {
      file = found[1].str();
      note("the path of the kernel's source is a guess: the script says " + written);
    } else {
      throw BadScript{"kernel_source is no text: " + written};
    }
    space_.text += fmt::format("source: {}\n", file);
    if (!file.ends_with(".cu") && !file.ends_with(".cuh")) space_.text += "language: cuda\n";
  }

  static std::string list_text(const std::vector<Value>& values) {
    return joined(values, ", ", [](const Value& value) {
      return value.is_text() ? "\"" + value.str() + "\"" : value.str();
    });
  }

  void write() {
    const auto name = literal(resolved(call_["kernel_name"]));
    if (!name) throw BadScript{"kernel_name is no text: " + call_["kernel_name"]};
    space_.text =
        fmt::format("# Made of {} by gktune import.\nkernel: {}\n", path_.filename().string(), *name);
    write_source();
    std::string& out = space_.text;
    if (!axes_.empty()) out += "\nproblem:\n";
    for (const auto& [axis, value] : axes_) out += fmt::format("  {}: [{}]\n", axis, value);
    out += "\nparameters:\n";
    for (const auto& [parameter, values] : parameters_)
      out += fmt::format("  {}: [{}]\n", parameter, list_text(values));
    if (!restrictions_.empty()) out += "\nconstraints:\n";
    for (const std::string& restriction : restrictions_) out += "  - " + yaml_text(restriction) + '\n';
    out += "\narguments:\n";
    for (std::size_t i = 0; i < names_.size(); ++i) {
      out += fmt::format("  {}: {}\n", names_[i], arguments_[i]);
    }
    static constexpr const char* kGridDivs[] = {"grid_div_x", "grid_div_y", "grid_div_z"};
    const std::vector<std::string> blocks =
        names_in("block_size_names", {"block_size_x", "block_size_y", "block_size_z"});
    std::string grid, block;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string thread = i < blocks.size() && is_parameter(blocks[i]) ? blocks[i] : "1";
      const std::string divisor = joined(
          names_in(kGridDivs[i], thread == "1" ? std::vector<std::string>() : std::vector{thread}), " * ");
      const std::string size = i < sizes_.size() ? sizes_[i] : "1";
      const std::string blocks_text =
          divisor.empty() || size == "1" ? size : "ceil_div(" + size + ", " + divisor + ")";
      grid += (i > 0 ? ", " : "") + yaml_text(blocks_text);
      block += (i > 0 ? ", " : "") + yaml_text(thread);
    }
    out += fmt::format("\nlaunches:\n  entry: {}\n  grid: [{}]\n  block: [{}]\n  arguments: [{}]\n", *name,
                       grid, block, joined(names_));
    for (const char* keyword :
         {"smem_args", "cmem_args", "texmem_args", "compiler_options", "metrics", "answer"}) {
      if (call_.contains(keyword)) note(fmt::format("{} is not read", keyword));
    }
    note("there is no reference: add one, so that outputs are checked");
  }

  std::filesystem::path path_;
  std::vector<std::string> statements_;
  std::map<std::string, std::string> assigned_, call_;
  std::vector<std::pair<std::string, std::vector<Value>>> parameters_;
  std::vector<std::string> restrictions_, sizes_, names_, arguments_;
  std::vector<std::pair<std::string, std::int64_t>> axes_;
  ImportedSpace space_;
};

}  // namespace

Result<ImportedSpace> import_kernel_tuner_script(const std::string& text, const std::filesystem::path& path) {
  try {
    return Script(text, path).run();
  } catch (const BadScript& bad) {
    return Error{path.string() + ": " + bad.message};
  } catch (const std::regex_error&) {
    return Error{path.string() + ": a statement is too long to be read"};
  }
}

}  // namespace gktune
