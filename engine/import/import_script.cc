#include "engine/import/import_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <vector>

#include "engine/import/kernel_body.h"
#include "engine/import/numpy_array.h"
#include "engine/import/python_script.h"
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

class ScriptImport {
 public:
  ScriptImport(const std::string& text, const std::filesystem::path& path) : path_(path), script_(text) {}

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

  void read_call() {
    for (const std::string& statement : script_.statements()) {
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

  void add_parameter(const std::string& name, const std::string& values) {
    const auto list = script_.values_of(values);
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
    const std::string text = script_.resolved(written);
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
    for (const auto& [name, values] : script_.added_items(written)) add_parameter(name, values);
    if (parameters_.empty()) throw BadScript{"tune_params is empty"};
  }

  bool is_parameter(const std::string& name) const {
    return std::ranges::any_of(parameters_, [&](const auto& each) { return each.first == name; });
  }

  // The formula in a literal, in a lambda or in a function that only returns it; empty for other texts.
  std::string formula_of(const std::string& written) const {
    std::vector<std::string> names;
    for (const auto& [name, values] : parameters_) names.push_back(name);
    return python_literal(written).value_or(script_.body_of(written, names));
  }

  // An expression of parameters and axes, or of the names given; other names of the script have their values.
  std::optional<std::string> expression_of(std::string text, const std::vector<std::string>& names = {}) const {
    text = script_.in_space_language(std::string(trimmed(text)), &size_);
    const auto expression = Expression::parse(text);
    if (!expression || text.empty()) return std::nullopt;
    for (const auto& use : expression->names()) {
      const bool is_axis = std::ranges::any_of(axes_, [&](const auto& axis) { return axis.first == use.name; });
      if (is_axis || is_parameter(use.name) || std::ranges::find(names, use.name) != names.end()) continue;
      const auto value = script_.value_of(use.name);
      if (!value || value->is_text()) return std::nullopt;
      text = std::regex_replace(text, std::regex("\\b" + use.name + "\\b"), value->str());
    }
    return text;
  }

  void add_restriction(const std::string& item) {
    const auto text = expression_of(formula_of(item));
    if (text) {
      restrictions_.push_back(*text);
    } else {
      note("the restriction " + item + " could not be read: write it under constraints");
    }
  }

  void read_restrictions() {
    const auto found = call_.find("restrictions");
    if (found == call_.end()) return;
    const std::string text = script_.resolved(found->second);
    const auto list = python_list(text, "[");
    if (!list) return add_restriction(text);
    for (const std::string& item : python_items(*list)) add_restriction(script_.resolved(item));
    for (const std::string& statement : script_.statements()) {
      const std::string plain(trimmed(statement));
      if (const auto item = python_list(plain, found->second + ".append(")) add_restriction(*item);
      static const std::regex kMore(R"(^(\w+)\s*\+=\s*([\s\S]+)$)");
      std::smatch parts;
      if (!std::regex_match(plain, parts, kMore) || parts[1] != found->second) continue;
      const auto more = python_list(parts[2].str(), "[");
      for (const std::string& item : more ? python_items(*more) : std::vector<std::string>()) add_restriction(script_.resolved(item));
    }
  }

  void read_problem() {
    const std::string text = script_.resolved(call_["problem_size"]);
    const auto tuple = python_list(text, text.starts_with("[") ? "[" : "(");
    std::vector<std::string> sizes =
        tuple ? split_python(*tuple, ',') : std::vector{call_["problem_size"]};
    std::erase(sizes, std::string());
    static constexpr const char* kNames[] = {"size_x", "size_y", "size_z"};
    size_.name = call_["problem_size"];
    for (std::size_t i = 0; i < sizes.size() && i < 3; ++i) {
      const auto value = script_.value_of(sizes[i]);
      if (!value || !value->is_integer()) {
        const std::string body = formula_of(sizes[i]);
        if (const auto size = expression_of(body.empty() ? sizes[i] : body)) {
          size_.elements.push_back(*size);
          continue;
        }
        throw BadScript{"the problem size '" + sizes[i] +
                        "' is no number that can be read without running the script"};
      }
      static const std::regex kName(R"([A-Za-z_]\w*)");
      const bool is_name = std::regex_match(sizes[i], kName) && !is_parameter(sizes[i]) && sizes.size() > 1;
      const bool is_plain = sizes.size() == 1 && std::regex_match(sizes[i], kName) && !is_parameter(sizes[i]);
      const std::string name = is_name || is_plain ? sizes[i] : kNames[i];
      size_.elements.push_back(name);
      const bool is_new = std::ranges::none_of(axes_, [&](const auto& axis) { return axis.first == name; });
      if (is_new) axes_.emplace_back(name, value->integer());
    }
  }

  // In names of axes; a name of the script with a number becomes one.
  std::optional<std::string> size_text(const std::string& written) {
    static const std::regex kCast(R"(\b(?:np\.|numpy\.)?u?int(?:8|16|32|64)?\()");
    std::string text(trimmed(written));
    for (int round = 0; round < 8; ++round) {
      text = std::regex_replace(script_.in_space_language(text, &size_), kCast, "(");
      while (python_list(text, "(")) text = std::string(trimmed(*python_list(text, "(")));
      const auto expression = Expression::parse(text);
      if (!expression) break;
      const auto unknown = std::ranges::find_if(expression->names(), [&](const auto& use) {
        return !is_parameter(use.name) && std::ranges::none_of(axes_, [&](const auto& axis) { return axis.first == use.name; });
      });
      if (expression->names().empty()) break;
      if (unknown == expression->names().end()) return text;
      const std::string name = unknown->name;
      const auto found = script_.assigned(name);
      if (!found) break;
      const auto value = script_.value_of(*found);
      const std::string plain = std::regex_replace(*found, kCast, "(");
      if (value && value->is_integer() && value->integer() > 0 && plain.find_first_not_of("0123456789()*<e ") == std::string::npos) {
        axes_.emplace_back(name, value->integer());
        continue;
      }
      text = std::regex_replace(text, std::regex("\\b" + name + "\\b"), "(" + *found + ")");
    }
    const auto value = script_.value_of(written);
    return value && value->is_integer() ? std::optional(value->str()) : std::nullopt;
  }

  // The product of (h, w), of h, w, of a name for either.
  std::optional<std::string> extent_of(const std::string& written) {
    std::string text(trimmed(written));
    if (const auto elements = script_.elements_of(text, &size_)) {
      text = "(" + joined(*elements) + ",)";
    } else if (!size_text(text)) {
      text = script_.resolved(text);
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

  struct Array : NumpyArray {
    std::string extent;
  };
  std::optional<Array> array_of(const std::string& text) {
    auto array = numpy_array(script_, text);
    const auto extent = array ? extent_of(array->shape) : std::nullopt;
    return extent ? std::optional(Array{*std::move(array), *extent}) : std::nullopt;
  }

  void read_arguments() {
    const std::string text = script_.resolved(call_["arguments"]);
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
      const std::string value = script_.resolved(item);
      static const std::regex kScalar(R"(^(?:np\.|numpy\.)(u?int(?:8|16|32|64)|float(?:16|32|64))\()");
      std::smatch scalar;
      if (std::regex_search(value, scalar, kScalar)) {
        const auto inner = python_list(value, scalar.str());
        const bool is_axis = std::ranges::find(axes_, name, &std::pair<std::string, std::int64_t>::first) != axes_.end();
        const auto size = is_axis ? std::optional(name) : inner ? size_text(*inner) : std::nullopt;
        const auto number = inner ? script_.value_of(*inner) : std::nullopt;
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
            fmt::format("{{type: float32, extent: \"{}\", init: {{uniform: [0, 1]}}}}  # a guess", joined(size_.elements, " * ")));
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
      const auto items = script_.elements_of(answer->second);
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
    const auto list = python_list(script_.resolved(found->second), "[");
    std::vector<std::string> names;
    for (const std::string& item : list ? split_python(*list, ',') : std::vector<std::string>()) {
      if (const auto name = python_literal(item)) names.push_back(*name);
    }
    return names;
  }

  // The items of a dict that tune_kernel() gets by this keyword.
  std::vector<PythonScript::Item> dict_passed(const std::string& keyword) const {
    const auto found = call_.find(keyword);
    return found == call_.end() ? std::vector<PythonScript::Item>() : script_.dict_of(found->second);
  }

  void read_constant_memory() {
    for (const auto& [name, value] : dict_passed("cmem_args")) {
      const auto array = array_of(script_.resolved(value));
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
    for (const auto& [name, value] : dict_passed("defines")) {
      const std::string body = formula_of(value);
      if (body == name) continue;
      const auto number = script_.value_of(value);
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
    const auto items = script_.elements_of(found->second);
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
    for (const auto& [name, value] : dict_passed("metrics")) {
      const std::string body = std::regex_replace(formula_of(value), std::regex(R"(\btime\b)"), "(time_s * 1e3)");
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

  // The name of the source's file, and what is in it.
  void read_source() {
    const auto name = python_literal(script_.resolved(call_["kernel_name"]));
    if (!name) throw BadScript{"kernel_name is no text: " + call_["kernel_name"]};
    kernel_name_ = *name;
    const std::string written = script_.resolved(call_["kernel_source"]);
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
    } else if (const auto file = script_.opened_file(written)) {
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
      const std::string size = i < size_.elements.size() ? size_.elements[i] : "1";
      const std::string blocks_text =
          divisor.empty() || size == "1" ? size : "ceil_div(" + size + ", " + divisor + ")";
      grid += (i > 0 ? ", " : "") + yaml_text(blocks_text);
      block += (i > 0 ? ", " : "") + yaml_text(thread);
    }
    out += fmt::format("\nlaunches:\n  entry: {}\n  grid: [{}]\n  block: [{}]\n", kernel_name_, grid, block);
    for (const auto& [name, value] : dict_passed("smem_args")) {
      if (name != "size") continue;
      const std::string body = formula_of(value);
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
  PythonScript script_;
  std::map<std::string, std::string> call_;
  std::vector<std::pair<std::string, std::vector<Value>>> parameters_;
  std::vector<std::string> restrictions_, names_, arguments_;
  PythonScript::NamedTuple size_;  // of the problem; its elements are axes or expressions of these
  std::vector<std::pair<std::string, std::int64_t>> axes_;
  std::vector<std::pair<std::string, std::string>> symbols_, metrics_;
  std::vector<std::string> macros_, options_;
  std::string kernel_name_, objective_;
  std::string source_file_, source_;
  std::vector<Token> source_tokens_;
  std::vector<FunctionSignature> signatures_;
  ImportedSpace space_;
};

}  // namespace

Result<ImportedSpace> import_kernel_tuner_script(const std::string& text, const std::filesystem::path& path) {
  try {
    return ScriptImport(text, path).run();
  } catch (const BadScript& bad) {
    return Error{path.string() + ": " + bad.message};
  } catch (const std::regex_error&) {
    return Error{path.string() + ": a statement is too long to be read"};
  }
}

}  // namespace gktune
