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
#include "engine/import/space_draft.h"
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
    const auto known = std::ranges::find(draft_.parameters, name, &SpaceDraft::Parameter::name);
    if (known != draft_.parameters.end()) {
      known->values = *list;
    } else {
      draft_.parameters.push_back({name, *list, {}, "", {}});
    }
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
    if (draft_.parameters.empty()) throw BadScript{"tune_params is empty"};
  }

  bool is_parameter(const std::string& name) const {
    return std::ranges::find(draft_.parameters, name, &SpaceDraft::Parameter::name) !=
           draft_.parameters.end();
  }

  bool is_axis(const std::string& name) const {
    return std::ranges::find(draft_.axes, name, &SpaceDraft::Axis::name) != draft_.axes.end();
  }

  // Adds it once.
  void add_axis(const std::string& name, std::int64_t value) {
    if (!is_axis(name)) draft_.axes.push_back({name, {std::to_string(value)}});
  }

  // The formula in a literal, in a lambda or in a function that only returns it; empty for other texts.
  std::string formula_of(const std::string& written) const {
    std::vector<std::string> names;
    for (const SpaceDraft::Parameter& each : draft_.parameters) names.push_back(each.name);
    return python_literal(written).value_or(script_.body_of(written, names));
  }

  // An expression of parameters and axes, or of the names given; other names of the script have their values.
  std::optional<std::string> expression_of(std::string text,
                                           const std::vector<std::string>& names = {}) const {
    text = script_.in_space_language(std::string(trimmed(text)), &size_);
    const auto expression = Expression::parse(text);
    if (!expression || text.empty()) return std::nullopt;
    for (const auto& use : expression->names()) {
      if (is_axis(use.name) || is_parameter(use.name) || std::ranges::find(names, use.name) != names.end())
        continue;
      const auto value = script_.value_of(use.name);
      if (!value || value->is_text()) return std::nullopt;
      text = std::regex_replace(text, std::regex("\\b" + use.name + "\\b"), value->str());
    }
    return text;
  }

  void add_restriction(const std::string& item) {
    const auto text = expression_of(formula_of(item));
    if (text) {
      draft_.constraints.push_back({*text, ""});
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
      for (const std::string& item : more ? python_items(*more) : std::vector<std::string>())
        add_restriction(script_.resolved(item));
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
      add_axis(name, value->integer());
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
        return !is_parameter(use.name) && !is_axis(use.name);
      });
      if (expression->names().empty()) break;
      if (unknown == expression->names().end()) return text;
      const std::string name = unknown->name;
      const auto found = script_.assigned(name);
      if (!found) break;
      const auto value = script_.value_of(*found);
      const std::string plain = std::regex_replace(*found, kCast, "(");
      if (value && value->is_integer() && value->integer() > 0 &&
          plain.find_first_not_of("0123456789()*<e ") == std::string::npos) {
        add_axis(name, value->integer());
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
    const bool is_tuple =
        tuple && (text.starts_with("[") || tuple->ends_with(',') || split_python(*tuple, ',').size() > 1);
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
      draft_.passed.push_back(name);
      const std::string value = script_.resolved(item);
      static const std::regex kScalar(R"(^(?:np\.|numpy\.)(u?int(?:8|16|32|64)|float(?:16|32|64))\()");
      std::smatch scalar;
      SpaceDraft::Argument argument;
      argument.name = name;
      if (std::regex_search(value, scalar, kScalar)) {
        argument.type = scalar[1].str();
        const auto inner = python_list(value, scalar.str());
        const auto size = is_axis(name) ? std::optional(name) : inner ? size_text(*inner) : std::nullopt;
        const auto number = inner ? script_.value_of(*inner) : std::nullopt;
        argument.value = size ? *size : number ? number->str() : "1";
        if (!size && !number) {
          argument.comment = "a guess";
          note("argument " + name + ": its value could not be read; 1 is a guess");
        }
      } else if (const auto array = array_of(value)) {
        read_array(argument, *array, draft_.passed.size() - 1);
      } else {
        argument.type = "float32";
        argument.extent = joined(size_.elements, " * ");
        argument.init = "{uniform: [0, 1]}";
        argument.comment = "a guess";
        note("argument " + name + ": '" + value + "' could not be read; its type and extent are guesses");
      }
      draft_.arguments.push_back(std::move(argument));
    }
  }

  // With the role that the kernel's body shows, else the one that the array's name says: zeros are outputs.
  void read_array(SpaceDraft::Argument& argument, const Array& array, std::size_t place) const {
    const auto use = use_of(place);
    const bool is_changed = use && (use->is_atomic || (use->is_written && use->is_read));
    const bool is_written = use ? use->is_written || use->is_atomic : array.is_output;
    const bool is_kept = use && use->is_passed_on && !is_written && !array.is_output;
    argument.type = array.type;
    argument.extent = array.extent;
    if (is_changed || is_kept || (is_written && !array.is_output)) argument.role = "inout";
    if (use && !is_written && !use->is_passed_on) argument.role.clear();
    if (is_written && argument.role.empty()) argument.role = "out";
    if (array.is_output && use && use->is_passed_on && argument.role.empty()) argument.role = "out";
    if (argument.role != "out") argument.init = array.contents;
    if (!argument.role.empty() && is_unchecked(place)) argument.check = "none";
  }

  // An output without an `answer` is not compared.
  bool is_unchecked(std::size_t place) const {
    const auto answer = call_.find("answer");
    const auto items = answer == call_.end() ? std::nullopt : script_.elements_of(answer->second);
    return items && place < items->size() && (*items)[place] == "None";
  }

  // How the kernel uses its argument at this place; nothing if its source is not at hand.
  std::optional<PointerUse> use_of(std::size_t place) const {
    const auto found = std::ranges::find(signatures_, kernel_name_.substr(0, kernel_name_.find('<')),
                                         &FunctionSignature::name);
    if (found == signatures_.end() || !found->parameters || place >= found->parameters->size())
      return std::nullopt;
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
      SpaceDraft::Argument argument;
      argument.name = argument.symbol = name;
      argument.type = array->type;
      argument.extent = array->extent;
      argument.init = array->contents;
      draft_.arguments.push_back(std::move(argument));
    }
  }

  // Macros with numbers become axes, those with expressions options.
  void read_defines() {
    for (const auto& [name, value] : dict_passed("defines")) {
      const std::string body = formula_of(value);
      if (body == name) continue;
      const auto number = script_.value_of(value);
      if (body.empty() && number && number->is_integer()) {
        add_axis(name, number->integer());
        std::ranges::find(draft_.axes, name, &SpaceDraft::Axis::name)->is_macro = true;
        continue;
      }
      const auto text = expression_of(body.empty() ? value : body);
      if (text) {
        draft_.options.push_back("-D" + name + "={" + *text + "}");
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
        draft_.options.push_back(*text);
      } else {
        note("the compiler option " + item + " could not be read: add it to the options");
      }
    }
  }

  // lambda p: n / p["time"], whose times are milliseconds.
  void read_metrics() {
    for (const auto& [name, value] : dict_passed("metrics")) {
      const std::string body =
          std::regex_replace(formula_of(value), std::regex(R"(\btime\b)"), "(time_s * 1e3)");
      const auto text = expression_of(body, {"time_s"});
      if (text) {
        draft_.metrics.emplace_back(name, *text);
      } else {
        note("the metric " + name + " could not be read: write it under metrics");
      }
    }
    const auto found = call_.find("objective");
    const auto objective = found == call_.end() ? std::nullopt : python_literal(found->second);
    if (!objective || *objective == "time") return;
    const auto is_higher = call_.find("objective_higher_is_better");
    const bool is_known =
        std::ranges::any_of(draft_.metrics, [&](const auto& metric) { return metric.first == *objective; });
    if (is_known) {
      draft_.objective = fmt::format(
          "{{{}: {}}}", is_higher != call_.end() && is_higher->second == "True" ? "maximize" : "minimize",
          yaml_flow_text(*objective));
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
      if (const auto text = read_text_file(path_.parent_path() / source_file_, std::size_t{1} << 24))
        source = *text;
    }
    const FlatSource flat =
        flatten((path_.parent_path() / source_file_).string(), source, {}, AngleIncludes::keep);
    source_ = text_of(flat);
    source_tokens_ = code_tokens(source_);
    signatures_ = signatures_in(flat);
  }

  void write() {
    draft_.origin = path_.filename().string();
    draft_.kernel = kernel_name_.substr(0, kernel_name_.find('<'));
    draft_.entry = kernel_name_;
    draft_.source = source_file_;
    static constexpr const char* kGridDivs[] = {"grid_div_x", "grid_div_y", "grid_div_z"};
    const std::vector<std::string> blocks =
        names_in("block_size_names", {"block_size_x", "block_size_y", "block_size_z"});
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string thread = i < blocks.size() && is_parameter(blocks[i]) ? blocks[i] : "1";
      const std::string divisor = joined(
          names_in(kGridDivs[i], thread == "1" ? std::vector<std::string>() : std::vector{thread}), " * ");
      const std::string size = i < size_.elements.size() ? size_.elements[i] : "1";
      draft_.grid.push_back(divisor.empty() || size == "1" ? size
                                                           : "ceil_div(" + size + ", " + divisor + ")");
      draft_.block.push_back(thread);
    }
    for (const auto& [name, value] : dict_passed("smem_args")) {
      if (name != "size") continue;
      const std::string body = formula_of(value);
      const auto bytes = expression_of(body.empty() ? value : body);
      if (!bytes) note("the shared memory " + value + " could not be read: add shared: to the launch");
      if (bytes && *bytes != "0") draft_.shared = *bytes;
    }
    space_.text = space_file_text(draft_);
    for (const char* keyword : {"texmem_args", "verify"}) {
      if (call_.contains(keyword)) note(fmt::format("{} is not read", keyword));
    }
    const auto tolerance = call_.find("atol");
    note(kNoReference + std::string(call_.contains("answer") ? "; answer says what it computes" : "") +
         (tolerance == call_.end() ? "" : ", within check: {absolute: " + tolerance->second + "}"));
  }

  std::filesystem::path path_;
  PythonScript script_;
  std::map<std::string, std::string> call_;
  PythonScript::NamedTuple size_;  // of the problem; its elements are axes or expressions of these
  std::string kernel_name_;
  std::string source_file_, source_;
  std::vector<Token> source_tokens_;
  std::vector<FunctionSignature> signatures_;
  SpaceDraft draft_;
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
