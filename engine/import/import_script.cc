#include "engine/import/import_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <regex>
#include <vector>

#include "engine/import/kernel_body.h"
#include "engine/import/python_text.h"
#include "tuner/core/element_type.h"
#include "tuner/core/text.h"
#include "tuner/recording/text_file.h"
#include "tuner/source/signatures.h"
#include "tuner/space/language/expression.h"

namespace gktune {
namespace {

// Raised inside this file only.
struct BadScript {
  std::string message;
};

class Script {
 public:
  Script(const std::string& text, const std::filesystem::path& path)
      : path_(path), statements_(python_statements(text)) {
    static const std::regex kAssignment(R"(^\s*([A-Za-z_]\w*)\s*=(?!=)\s*([\s\S]+)$)");
    for (const std::string& statement : statements_) {
      std::smatch parts;
      if (std::regex_search(statement, parts, kAssignment)) {
        assigned_[parts[1].str()] = trimmed(parts[2].str());
      } else {
        assign_list(statement);
      }
    }
  }

  ImportedSpace run() {
    read_call();
    read_source();
    read_parameters();
    read_problem();
    read_defines();
    read_restrictions();
    read_arguments();
    read_constant_memory();
    read_options();
    read_metrics();
    write();
    return std::move(space_);
  }

 private:
  void note(std::string text) { space_.notes.push_back(std::move(text)); }

  // height, width = 512, 1024
  void assign_list(const std::string& statement) {
    static const std::regex kNames(R"(^\s*([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)+)\s*=(?!=)\s*([\s\S]+)$)");
    std::smatch parts;
    if (!std::regex_match(statement, parts, kNames)) return;
    const std::vector<std::string> names = split_python(parts[1].str(), ',');
    std::string text(trimmed(parts[2].str()));
    if (const auto list = python_list(text, text.starts_with("[") ? "[" : "(")) text = *list;
    const std::vector<std::string> values = split_python(text, ',');
    for (std::size_t i = 0; i < names.size() && values.size() == names.size(); ++i) assigned_[names[i]] = values[i];
  }

  enum class Sizes { numbers, axes };  // what the name of the problem size stands for

  // The elements of a tuple or list.
  std::optional<std::vector<std::string>> elements_of(const std::string& written, Sizes sizes) const {
    if (sizes == Sizes::axes && !sizes_.empty() && written == problem_name_) return sizes_;
    const std::string text = resolved(std::string(trimmed(written)));
    const auto list = python_list(text, text.starts_with("[") ? "[" : "(");
    if (!list) return std::nullopt;
    std::vector<std::string> all;
    for (std::string& each : split_python(*list, ',')) {
      if (!each.empty()) all.push_back(std::move(each));
    }
    return all;
  }

  // shape[0], np.prod(shape), len(shape) and 1 << 20 in the language of space files.
  std::string substituted(std::string text, Sizes sizes) const {
    static const std::regex kSubscript(R"(\b([A-Za-z_]\w*)\s*\[\s*(-?\d{1,4})\s*\])");
    static const std::regex kCall(R"((?:\b(?:np|numpy|math)\.)?\b(prod|len)\()");
    static const std::regex kShift(R"(\b(\w+)\s*<<\s*(\w+))");
    for (int round = 0; round < 16; ++round) {
      std::smatch found;
      std::string value;
      std::size_t end = 0;
      if (std::regex_search(text, found, kSubscript)) {
        const auto elements = elements_of(found[1].str(), sizes);
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
        const auto elements = elements_of(text.substr(begin, end - 1 - begin), sizes);
        if (!elements) return text;
        value = found[1] == "len" ? std::to_string(elements->size()) : joined(*elements, " * ", [](const std::string& each) {
          return each.find_first_of("+-/% ") == std::string::npos ? each : "(" + each + ")";
        });
      } else if (std::regex_search(text, found, kShift)) {
        value = found[1].str() + " * 2 ** " + found[2].str();
        end = static_cast<std::size_t>(found.position() + found.length());
      } else {
        return text;
      }
      const auto begin = static_cast<std::size_t>(found.position());
      const bool is_simple = value.find_first_not_of("0123456789") == std::string::npos || (begin == 0 && end == text.size()) ||
                             std::regex_match(value, std::regex(R"(\w+)"));
      text = text.substr(0, begin) + (is_simple ? value : "(" + value + ")") + text.substr(end);
    }
    return text;
  }

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
        if (is_quote(statement[end])) end = end_of_python_literal(statement, end) - 1;
        if (statement[end] == '(') ++depth;
        if (statement[end] == ')' && --depth == 0) break;
      }
      const auto list = python_list(std::string_view(statement).substr(at, end + 1 - at), "tune_kernel(");
      if (!list) throw BadScript{"the brackets of tune_kernel() do not match"};
      static constexpr const char* kPlaces[] = {"kernel_name", "kernel_source", "problem_size", "arguments",
                                                "tune_params"};
      static const std::regex kKeyword(R"(^(\w+)\s*=(?!=)\s*([\s\S]+)$)");
      std::size_t place = 0;
      for (const std::string& item : split_python(*list, ',')) {
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
    if (const auto word = python_literal(text)) return Value(*word);
    if (text == "True" || text == "False") return Value(text == "True");
    static const std::regex kCast(
        R"(^(?:np\.|numpy\.)?(?:int|float|u?int(?:8|16|32|64)|float(?:16|32|64))\()");
    std::smatch cast;
    if (std::regex_search(text, cast, kCast)) {
      if (const auto inner = python_list(text, cast.str())) {
        const auto value = value_of(*inner, local, depth + 1);
        const bool is_whole = cast.str().find("int") != std::string::npos && value && value->is_real() && std::abs(value->real()) < 1e15;
        return is_whole ? std::optional(Value(static_cast<std::int64_t>(value->real()))) : value;  // int(1e6)
      }
    }
    const auto expression = Expression::parse(python_words(substituted(text, Sizes::numbers)));
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

  std::optional<std::vector<Value>> range_of(const std::string& list) const {
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
    std::optional<std::string> list = python_list(text, "{");
    for (const std::string_view call : {"dict(", "OrderedDict(", "collections.OrderedDict("}) {
      if (!list) list = python_list(text, call);
    }
    if (!list) throw BadScript{"tune_params is no dict that can be read without running the script: " + text};
    if (const auto braces = python_list(*list, "{")) list = braces;
    for (const std::string& item : split_python(*list, ',')) {
      if (item.empty()) continue;
      const bool is_keyword = !is_quote(item[0]);
      const std::vector<std::string> parts = split_python(item, is_keyword ? '=' : ':');
      const auto name = parts.size() == 2 ? (is_keyword ? parts[0] : python_literal(parts[0])) : std::nullopt;
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

  // The items of a list; the names of a lambda are no items.
  static std::vector<std::string> items_of(const std::string& list) {
    std::vector<std::string> items;
    for (std::string& item : split_python(list, ',')) {
      const bool is_open = !items.empty() && items.back().starts_with("lambda ") && split_python(items.back(), ':').size() == 1;
      if (is_open) {
        items.back() += ", " + item;
      } else if (!item.empty()) {
        items.push_back(std::move(item));
      }
    }
    return items;
  }

  // The body of `lambda p: p["x"] > p.y`, of `lambda x, y: x > y` and of a function that only returns it, with
  // names of parameters; nothing for other texts.
  std::string body_of(const std::string& item) const {
    static const std::regex kLambda(R"(^lambda\s+([\w\s,]+?)\s*:\s*([\s\S]+)$)"),
        kFunction(R"(^\s*def\s+(\w+)\s*\(([\w\s,]+)\)\s*:\s*$)"), kReturn(R"(^\s*return\s+([\s\S]+)$)");
    std::smatch parts;
    std::string names, text;
    if (std::regex_match(item, parts, kLambda)) {
      names = parts[1].str();
      text = parts[2].str();
    }
    for (std::size_t i = 0; i + 1 < statements_.size() && text.empty(); ++i) {
      if (!std::regex_match(statements_[i], parts, kFunction) || parts[1] != item) continue;
      names = parts[2].str();
      std::size_t next = i + 1;
      while (next + 1 < statements_.size() && trimmed(statements_[next]).empty()) ++next;
      if (std::regex_match(statements_[next], parts, kReturn)) text = trimmed(parts[1].str());
    }
    if (names.find(',') == std::string::npos && !is_parameter(names)) {
      text = std::regex_replace(text, std::regex("\\b" + names + R"(\s*\[\s*["'](\w+)["']\s*\])"), "$1");
      text = std::regex_replace(text, std::regex("\\b" + names + R"(\.(\w+))"), "$1");
    }
    return text;
  }

  // An expression of parameters and axes, or of the names given; other names of the script have their values.
  std::optional<std::string> expression_of(std::string text, const std::vector<std::string>& names = {}) const {
    text = python_words(substituted(std::string(trimmed(text)), Sizes::axes));
    const auto expression = Expression::parse(text);
    if (!expression || text.empty()) return std::nullopt;
    for (const auto& use : expression->names()) {
      const bool is_axis = std::ranges::any_of(axes_, [&](const auto& axis) { return axis.first == use.name; });
      if (is_axis || is_parameter(use.name) || std::ranges::find(names, use.name) != names.end()) continue;
      const auto value = value_of(use.name);
      if (!value || value->is_text()) return std::nullopt;
      text = std::regex_replace(text, std::regex("\\b" + use.name + "\\b"), value->str());
    }
    return text;
  }

  void add_restriction(const std::string& item) {
    const auto text = expression_of(python_literal(item).value_or(body_of(item)));
    if (text) {
      restrictions_.push_back(*text);
    } else {
      note("the restriction " + item + " could not be read: write it under constraints");
    }
  }

  void read_restrictions() {
    const auto found = call_.find("restrictions");
    if (found == call_.end()) return;
    const std::string text = resolved(found->second);
    const auto list = python_list(text, "[");
    if (!list) return add_restriction(text);
    for (const std::string& item : items_of(*list)) add_restriction(resolved(item));
    for (const std::string& statement : statements_) {
      const std::string plain(trimmed(statement));
      if (const auto item = python_list(plain, found->second + ".append(")) add_restriction(*item);
      static const std::regex kMore(R"(^(\w+)\s*\+=\s*([\s\S]+)$)");
      std::smatch parts;
      if (!std::regex_match(plain, parts, kMore) || parts[1] != found->second) continue;
      const auto more = python_list(parts[2].str(), "[");
      for (const std::string& item : more ? items_of(*more) : std::vector<std::string>()) add_restriction(resolved(item));
    }
  }

  void read_problem() {
    const std::string text = resolved(call_["problem_size"]);
    const auto tuple = python_list(text, text.starts_with("[") ? "[" : "(");
    std::vector<std::string> sizes =
        tuple ? split_python(*tuple, ',') : std::vector{call_["problem_size"]};
    std::erase(sizes, std::string());
    static constexpr const char* kNames[] = {"size_x", "size_y", "size_z"};
    problem_name_ = call_["problem_size"];
    for (std::size_t i = 0; i < sizes.size() && i < 3; ++i) {
      const auto value = value_of(sizes[i]);
      if (!value || !value->is_integer()) {
        const std::string body = python_literal(sizes[i]).value_or(body_of(sizes[i]));
        if (const auto size = expression_of(body.empty() ? sizes[i] : body)) {
          sizes_.push_back(*size);
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

  // In names of axes; a name of the script with a number becomes one.
  std::optional<std::string> size_text(const std::string& written) {
    static const std::regex kCast(R"(\b(?:np\.|numpy\.)?u?int(?:8|16|32|64)?\()");
    std::string text(trimmed(written));
    for (int round = 0; round < 8; ++round) {
      text = python_words(std::regex_replace(substituted(text, Sizes::axes), kCast, "("));
      while (python_list(text, "(")) text = std::string(trimmed(*python_list(text, "(")));
      const auto expression = Expression::parse(text);
      if (!expression) break;
      const auto unknown = std::ranges::find_if(expression->names(), [&](const auto& use) {
        return !is_parameter(use.name) && std::ranges::none_of(axes_, [&](const auto& axis) { return axis.first == use.name; });
      });
      if (expression->names().empty()) break;
      if (unknown == expression->names().end()) return text;
      const std::string name = unknown->name;
      const auto found = assigned_.find(name);
      if (found == assigned_.end()) break;
      const auto value = value_of(found->second);
      const std::string plain = std::regex_replace(found->second, kCast, "(");
      if (value && value->is_integer() && value->integer() > 0 && plain.find_first_not_of("0123456789()*<e ") == std::string::npos) {
        axes_.emplace_back(name, value->integer());
        continue;
      }
      text = std::regex_replace(text, std::regex("\\b" + name + "\\b"), "(" + found->second + ")");
    }
    const auto value = value_of(written);
    return value && value->is_integer() ? std::optional(value->str()) : std::nullopt;
  }

  // The product of (h, w), of h, w, of a name for either.
  std::optional<std::string> extent_of(const std::string& written) {
    std::string text(trimmed(written));
    if (const auto elements = elements_of(text, Sizes::axes)) {
      text = "(" + joined(*elements) + ",)";
    } else if (!size_text(text)) {
      text = resolved(text);
    }
    const auto tuple = python_list(text, text.starts_with("[") ? "[" : "(");
    const bool is_tuple = tuple && (text.starts_with("[") || tuple->ends_with(',') || split_python(*tuple, ',').size() > 1);
    const std::vector<std::string> sizes = is_tuple ? split_python(*tuple, ',') : std::vector{text};
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

  std::string constant_of(const std::vector<std::string>& items) const {
    const auto value = items.size() > 1 ? value_of(items[1]) : std::nullopt;
    return "{constant: " + (value ? value->str() : "1") + "}";
  }

  std::optional<Array> array_of(const std::string& text, int depth = 0) {
    static const std::regex kCall(
        R"(\b\w+\.(?:random\.)?(randn|rand|random|random_sample|randint|integers|normal|standard_normal|uniform|zeros_like|empty_like|ones_like|full_like|zeros|ones|empty|full|arange)\()");
    std::smatch found;
    if (depth > 4 || !std::regex_search(text, found, kCall)) return std::nullopt;
    const std::string function = found[1].str();
    std::size_t end = static_cast<std::size_t>(found.position()) + found.str().size();
    const std::size_t begin = end;
    for (int open = 1; end < text.size() && open > 0; ++end) {
      if (text[end] == '(') ++open;
      if (text[end] == ')') --open;
    }
    const std::vector<std::string> items = split_python(text.substr(begin, end - 1 - begin), ',');
    if (items[0].empty()) return std::nullopt;
    if (function.ends_with("_like")) {
      auto other = array_of(resolved(items[0]), depth + 1);
      if (!other) return std::nullopt;
      other->type = type_in(text, other->type);
      other->is_output = function == "zeros_like" || function == "empty_like";
      other->contents = function == "ones_like" ? "{constant: 1}" : function == "full_like" ? constant_of(items) : "zero";
      return other;
    }
    std::map<std::string, std::string> named;
    std::vector<std::string> places;
    for (const std::string& item : items) {
      const std::vector<std::string> parts = split_python(item, '=');
      if (parts.size() == 2) {
        named[parts[0]] = parts[1];
      } else {
        places.push_back(item);
      }
    }
    // The place of the shape among the arguments without a name.
    const bool is_integer = function == "randint" || function == "integers";
    const bool has_bounds = is_integer || function == "normal" || function == "uniform";
    const std::size_t shape_place = has_bounds ? 2 : 0;
    std::string shape = shape_place < places.size() ? places[shape_place] : "";
    for (const char* name : {"size", "shape"}) {
      if (named.contains(name)) shape = named[name];
    }
    if (function == "rand" || function == "randn") {
      shape = places.size() == 1 ? places[0] : "(" + joined(places) + ")";
      if (shape.starts_with("*")) shape.erase(0, 1);
    }
    Array array;
    array.type = type_in(text, is_integer || function == "arange" ? "int64" : "float64");
    array.contents = "{uniform: [0, 1]}";
    if (function == "randn" || function == "standard_normal") array.contents = "{normal: [0, 1]}";
    if (function == "ones") array.contents = "{constant: 1}";
    if (function == "arange") array.contents = "{ramp: [0, 1]}";
    if (function == "full") array.contents = constant_of(items);
    if (has_bounds) {
      const auto low = places.size() > 1 ? value_of(places[0]) : std::nullopt, high = places.size() > 1 ? value_of(places[1]) : std::nullopt;
      const bool are_numbers = low && high && low->is_number() && high->is_number();
      if (function == "normal") {
        array.contents = are_numbers ? fmt::format("{{normal: [{}, {}]}}", low->str(), high->str()) : "{normal: [0, 1]}";
      } else if (!are_numbers) {
        const auto only = is_integer && places.size() == 1 ? value_of(places[0]) : std::nullopt;  // randint(256, size=n)
        array.contents = only && only->is_integer() ? fmt::format("{{uniform: [0, {}]}}", only->integer() - 1)
                         : is_integer               ? "{uniform: [0, 100]}"
                                                    : "{uniform: [0, 1]}";
      } else {
        array.contents = is_integer && low->is_integer() && high->is_integer()
                             ? fmt::format("{{uniform: [{}, {}]}}", low->integer(), high->integer() - 1)
                             : fmt::format("{{uniform: [{}, {}]}}", low->str(), high->str());
      }
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
    const auto list = python_list(text, text.starts_with("(") ? "(" : "[");
    if (!list)
      throw BadScript{"the arguments are no list that can be read without running the script: " + text};
    std::size_t place = 0;
    for (const std::string& item : split_python(*list, ',')) {
      if (item.empty()) continue;
      static const std::regex kName(R"([A-Za-z_]\w*)");
      const std::string name = std::regex_match(item, kName) ? item : fmt::format("argument{}", place);
      ++place;
      names_.push_back(name);
      const std::string value = resolved(item);
      static const std::regex kScalar(R"(^(?:np\.|numpy\.)(u?int(?:8|16|32|64)|float(?:16|32|64))\()");
      std::smatch scalar;
      if (std::regex_search(value, scalar, kScalar)) {
        const auto inner = python_list(value, scalar.str());
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
      arguments_.push_back(array_text(*array, names_.size() - 1));
    }
  }

  // With the role that the kernel's body shows, else the one that the array's name says: zeros are outputs.
  std::string array_text(const Array& array, std::size_t place) const {
    const auto use = use_of(place);
    const bool is_changed = use && (use->is_atomic || (use->is_written && use->is_read));
    const bool is_written = use ? use->is_written || use->is_atomic : array.is_output;
    const bool is_kept = use && use->is_passed_on && !is_written && !array.is_output;
    std::string role = is_changed || is_kept || (is_written && !array.is_output) ? ", role: inout" : "";
    if (use && !is_written && !use->is_passed_on) role.clear();
    if (is_written && role.empty()) role = ", role: out";
    if (array.is_output && use && use->is_passed_on && role.empty()) role = ", role: out";
    std::string text = fmt::format("{{type: {}, extent: \"{}\"{}", array.type, array.extent, role);
    if (role != ", role: out") text += ", init: " + array.contents;
    if (!role.empty()) text += check_of(place);
    return text + "}";
  }

  // An output without an `answer` is not compared.
  std::string check_of(std::size_t place) const {
    if (const auto answer = call_.find("answer"); answer != call_.end()) {
      const auto items = elements_of(answer->second, Sizes::numbers);
      if (items && place < items->size() && (*items)[place] == "None") return ", check: none";
    }
    return "";
  }

  // How the kernel uses its argument at this place; nothing if its source is not at hand.
  std::optional<PointerUse> use_of(std::size_t place) const {
    const auto found = std::ranges::find(signatures_, kernel_name_.substr(0, kernel_name_.find('<')), &FunctionSignature::name);
    if (found == signatures_.end() || !found->parameters || place >= found->parameters->size()) return std::nullopt;
    const FunctionSignature::Parameter& parameter = (*found->parameters)[place];
    const CppType type = parse_type(parameter.type);
    if (type.pointers == 0 || parameter.name.empty()) return std::nullopt;
    if (type.points_to_const) {
      PointerUse use;
      use.is_read = true;
      return use;
    }
    return KernelBodies(source_tokens_, signatures_).use_of(found->name, parameter.name);
  }

  std::vector<std::string> names_in(const char* keyword, std::vector<std::string> standard) {
    const auto found = call_.find(keyword);
    if (found == call_.end() || found->second == "None") return standard;
    const auto list = python_list(resolved(found->second), "[");
    std::vector<std::string> names;
    for (const std::string& item : list ? split_python(*list, ',') : std::vector<std::string>()) {
      if (const auto name = python_literal(item)) names.push_back(*name);
    }
    return names;
  }

  // The items of a dict: {'a': 1}, dict(a=1).
  std::vector<std::pair<std::string, std::string>> dict_of(const std::string& keyword) const {
    const auto found = call_.find(keyword);
    if (found == call_.end()) return {};
    const std::string text = resolved(found->second);
    auto list = python_list(text, "{");
    if (!list) list = python_list(text, "dict(");
    std::vector<std::pair<std::string, std::string>> items;
    for (const std::string& item : list ? items_of(*list) : std::vector<std::string>()) {
      const bool is_keyword = !is_quote(item[0]);
      const std::size_t at = is_keyword ? item.find('=') : item.find(':', end_of_python_literal(item, 0));
      if (at == std::string::npos) continue;
      const std::string name(trimmed(std::string_view(item).substr(0, at)));
      items.emplace_back(is_keyword ? name : python_literal(name).value_or(name), trimmed(std::string_view(item).substr(at + 1)));
    }
    const std::regex subscript(R"(^\s*)" + found->second.substr(0, found->second.find_first_not_of(
                                   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")) +
                               R"(\[\s*["']([^"']+)["']\s*\]\s*=(?!=)\s*([\s\S]+)$)");
    for (const std::string& statement : statements_) {
      std::smatch parts;
      if (std::regex_match(statement, parts, subscript)) items.emplace_back(parts[1].str(), trimmed(parts[2].str()));
    }
    return items;
  }

  void read_constant_memory() {
    for (const auto& [name, value] : dict_of("cmem_args")) {
      const auto array = array_of(resolved(value));
      if (!array) {
        note("the constant memory " + name + " could not be read: add an argument with symbol: " + name);
        continue;
      }
      symbols_.emplace_back(name, fmt::format("{{type: {}, extent: \"{}\", symbol: {}, init: {}}}", array->type, array->extent, name,
                                              array->contents));
    }
  }

  // Macros with numbers become axes, those with expressions options.
  void read_defines() {
    for (const auto& [name, value] : dict_of("defines")) {
      const std::string body = python_literal(value).value_or(body_of(value));
      if (body == name) continue;
      const auto number = value_of(value);
      if (body.empty() && number && number->is_integer()) {
        macros_.push_back(name);
        const bool is_new = std::ranges::none_of(axes_, [&](const auto& axis) { return axis.first == name; });
        if (is_new) axes_.emplace_back(name, number->integer());
        continue;
      }
      const auto text = expression_of(body.empty() ? value : body);
      if (text) {
        options_.push_back("-D" + name + "={" + *text + "}");
      } else {
        note("the macro " + name + " of defines could not be read: add it to the options");
      }
    }
  }

  void read_options() {
    const auto found = call_.find("compiler_options");
    if (found == call_.end()) return;
    const auto items = elements_of(found->second, Sizes::numbers);
    if (!items) note("compiler_options could not be read: " + found->second);
    for (const std::string& item : items.value_or(std::vector<std::string>())) {
      const auto text = item.starts_with("f") || item.starts_with("F") ? std::nullopt : python_literal(item);
      if (text) {
        options_.push_back(*text);
      } else {
        note("the compiler option " + item + " could not be read: add it to the options");
      }
    }
  }

  // lambda p: n / p["time"], whose times are milliseconds.
  void read_metrics() {
    for (const auto& [name, value] : dict_of("metrics")) {
      const std::string body = std::regex_replace(python_literal(value).value_or(body_of(value)), std::regex(R"(\btime\b)"), "(time_s * 1e3)");
      const auto text = expression_of(body, {"time_s"});
      if (text) {
        metrics_.emplace_back(name, *text);
      } else {
        note("the metric " + name + " could not be read: write it under metrics");
      }
    }
    const auto found = call_.find("objective");
    const auto objective = found == call_.end() ? std::nullopt : python_literal(found->second);
    if (!objective || *objective == "time") return;
    const auto is_higher = call_.find("objective_higher_is_better");
    const bool is_known = std::ranges::any_of(metrics_, [&](const auto& metric) { return metric.first == *objective; });
    if (is_known) {
      objective_ = fmt::format("{{{}: {}}}", is_higher != call_.end() && is_higher->second == "True" ? "maximize" : "minimize", yaml_text(*objective));
    } else {
      note("the objective " + *objective + " could not be read");
    }
  }

  // kernel_string of `with open('k.cu') as f: kernel_string = f.read()`.
  std::optional<std::string> opened_file(const std::string& written) const {
    static const std::regex kRead(R"(^(\w+)\.read\(\)$)");
    std::smatch parts;
    if (!std::regex_match(written, parts, kRead)) return std::nullopt;
    const std::string file = parts[1].str();
    const std::regex open(R"(open\(\s*["']([^"']+)["'][^)]*\)\s*as\s+)" + file + "\\b|\\b" + file + R"(\s*=\s*open\(\s*["']([^"']+)["'])");
    for (const std::string& statement : statements_) {
      if (std::regex_search(statement, parts, open)) return parts[1].matched ? parts[1].str() : parts[2].str();
    }
    return std::nullopt;
  }

  // The name of the source's file, and what is in it.
  void read_source() {
    const auto name = python_literal(resolved(call_["kernel_name"]));
    if (!name) throw BadScript{"kernel_name is no text: " + call_["kernel_name"]};
    kernel_name_ = *name;
    const std::string written = resolved(call_["kernel_source"]);
    static const std::regex kFile(R"(["']([^"'\n]*\.cuh?)["'])");
    std::smatch found;
    std::string source;
    if (const auto text = python_literal(written); text && text->find('\n') != std::string::npos) {
      source_file_ = path_.stem().string() + ".cu";
      source = *text;
      space_.files.emplace_back(source_file_, *text);
      note("the kernel's source is a text in the script: it belongs into " + source_file_ +
           " beside the space file (-o writes it)");
    } else if (text) {
      source_file_ = *text;
    } else if (const auto file = opened_file(written)) {
      source_file_ = *file;
    } else if (std::regex_search(written, found, kFile)) {
      source_file_ = found[1].str();
      note("the path of the kernel's source is a guess: the script says " + written);
    } else {
      throw BadScript{"kernel_source is no text: " + written};
    }
    if (source.empty()) {
      if (const auto text = read_text_file(path_.parent_path() / source_file_, std::size_t{1} << 24)) source = *text;
    }
    const FlatSource flat = flatten((path_.parent_path() / source_file_).string(), source, {}, AngleIncludes::keep);
    source_ = text_of(flat);
    source_tokens_ = code_tokens(source_);
    signatures_ = signatures_in(flat);
  }

  static std::string list_text(const std::vector<Value>& values) {
    return joined(values, ", ", [](const Value& value) {
      return value.is_text() ? "\"" + value.str() + "\"" : value.str();
    });
  }

  void write() {
    space_.text =
        fmt::format("# Made of {} by gktune import.\nkernel: {}\nsource: {}\n", path_.filename().string(),
                    kernel_name_.substr(0, kernel_name_.find('<')), source_file_);
    if (!source_file_.ends_with(".cu") && !source_file_.ends_with(".cuh")) space_.text += "language: cuda\n";
    std::string& out = space_.text;
    if (!axes_.empty()) out += "\nproblem:\n";
    for (const auto& [axis, value] : axes_) {
      const bool is_macro = std::ranges::find(macros_, axis) != macros_.end();
      out += is_macro ? fmt::format("  {0}: {{values: [{1}], macro: {0}}}\n", axis, value) : fmt::format("  {}: [{}]\n", axis, value);
    }
    out += "\nparameters:\n";
    for (const auto& [parameter, values] : parameters_)
      out += fmt::format("  {}: [{}]\n", parameter, list_text(values));
    if (!restrictions_.empty()) out += "\nconstraints:\n";
    for (const std::string& restriction : restrictions_) out += "  - " + yaml_text(restriction) + '\n';
    if (!options_.empty()) out += "\noptions:\n";
    for (const std::string& option : options_) out += "  - " + yaml_text(option) + '\n';
    out += "\narguments:\n";
    for (std::size_t i = 0; i < names_.size(); ++i) {
      out += fmt::format("  {}: {}\n", names_[i], arguments_[i]);
    }
    for (const auto& [name, text] : symbols_) out += fmt::format("  {}: {}\n", name, text);
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
    out += fmt::format("\nlaunches:\n  entry: {}\n  grid: [{}]\n  block: [{}]\n", kernel_name_, grid, block);
    for (const auto& [name, value] : dict_of("smem_args")) {
      if (name != "size") continue;
      const std::string body = python_literal(value).value_or(body_of(value));
      const auto bytes = expression_of(body.empty() ? value : body);
      if (!bytes) note("the shared memory " + value + " could not be read: add shared: to the launch");
      if (bytes && *bytes != "0") out += "  shared: " + yaml_text(*bytes) + '\n';
    }
    out += fmt::format("  arguments: [{}]\n", joined(names_));
    if (!metrics_.empty()) out += "\nmetrics:\n";
    for (const auto& [name, text] : metrics_) out += fmt::format("  {}: {}\n", yaml_text(name), yaml_text(text));
    if (!objective_.empty()) out += "\nobjective: " + objective_ + '\n';
    for (const char* keyword : {"texmem_args", "verify"}) {
      if (call_.contains(keyword)) note(fmt::format("{} is not read", keyword));
    }
    const auto tolerance = call_.find("atol");
    note("there is no reference: add one, so that outputs are checked" +
         std::string(call_.contains("answer") ? "; answer says what it computes" : "") +
         (tolerance == call_.end() ? "" : ", within check: {absolute: " + tolerance->second + "}"));
  }

  std::filesystem::path path_;
  std::vector<std::string> statements_;
  std::map<std::string, std::string> assigned_, call_;
  std::vector<std::pair<std::string, std::vector<Value>>> parameters_;
  std::vector<std::string> restrictions_, sizes_, names_, arguments_;
  std::vector<std::pair<std::string, std::int64_t>> axes_;
  std::vector<std::pair<std::string, std::string>> symbols_, metrics_;
  std::vector<std::string> macros_, options_;
  std::string problem_name_, kernel_name_, objective_;
  std::string source_file_, source_;
  std::vector<Token> source_tokens_;
  std::vector<FunctionSignature> signatures_;
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
