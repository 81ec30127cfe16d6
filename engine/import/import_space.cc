#include "engine/import/import_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>
#include <cctype>
#include <regex>
#include <set>
#include <sstream>

#include "tuner/core/quantity.h"
#include "tuner/core/text.h"
#include "tuner/recording/kernel_tuner.h"
#include "tuner/source/flat_source.h"
#include "tuner/source/signatures.h"

namespace gktune {
namespace {

std::string text_of(const RecordedJson& object, const char* name) {
  field(object, name);
  return text_field(object, name);
}

SpaceDraft::Range range_of(std::int64_t low, std::int64_t high, std::int64_t step) {
  return {low, low + (high - low) / step * step, step};
}

// `what` names the value in the message of an error.
Value value_of(const RecordedJson& json, const std::string& what) {
  if (auto value = plain_value(json)) return *std::move(value);
  throw BadFile{what + " is neither a number nor a text, true or false"};
}

// "[1, 2, 4]", "['a', 'b']", "[True, False]", "range(16, 257, 16)", "list(range(4))"; also a JSON array.
void read_values(const RecordedJson& field, SpaceDraft::Parameter& parameter) {
  std::string text =
      field.is_string() ? std::string(trimmed(field.get_ref<const std::string&>())) : field.dump();
  if (text.starts_with("list(") && text.ends_with(")"))
    text = std::string(trimmed(std::string_view(text).substr(5, text.size() - 6)));
  static const std::regex kRange(R"(range\(\s*(-?\d+)\s*(?:,\s*(-?\d+)\s*)?(?:,\s*(-?\d+)\s*)?\))");
  std::smatch parts;
  if (std::regex_match(text, parts, kRange)) {
    const auto number = [&](std::size_t i) { return parse_integer(parts[i].str()); };
    const auto begin = parts[2].matched ? number(1) : Result<std::int64_t>(0);
    const auto end = parts[2].matched ? number(2) : number(1);
    const auto step = parts[3].matched ? number(3) : Result<std::int64_t>(1);
    if (!begin || !end || !step || *step <= 0 || *begin >= *end)
      throw BadFile{"the values of '" + parameter.name + "' are an empty range: " + text};
    parameter.range = range_of(*begin, *end - 1, *step);
    return;
  }
  // Python's words and quotes in JSON's.
  text = std::regex_replace(text, std::regex(R"(\bTrue\b)"), "true");
  text = std::regex_replace(text, std::regex(R"(\bFalse\b)"), "false");
  if (text.find('"') == text.npos) std::ranges::replace(text, '\'', '"');
  const auto values = RecordedJson::parse(text, nullptr, false);
  if (!values.is_array() || values.empty())
    throw BadFile{"the values of '" + parameter.name + "' are neither a list nor a range: " + text};
  for (const RecordedJson& each : values)
    parameter.values.push_back(value_of(each, "a value of '" + parameter.name + "'"));
}

// The default may be a text for a value of another kind: "64".
Value default_of(const RecordedJson& field, const SpaceDraft::Parameter& parameter) {
  const Value value = value_of(field, "the default of '" + parameter.name + "'");
  const bool is_text = std::ranges::any_of(parameter.values, &Value::is_text);
  return value.is_text() && !is_text ? parse_value(value.text()) : value;
}

// ProblemSize[0] is the axis size_x here.
std::string axis_name(std::size_t place) {
  constexpr const char* kNames[] = {"size_x", "size_y", "size_z"};
  return place < 3 ? kNames[place] : "size_" + std::to_string(place);
}

std::string expression(const RecordedJson& field) {
  std::string text = field.is_string() ? field.get<std::string>() : field.dump();
  static const std::regex kSize(R"(ProblemSize\s*\[\s*(\d+)\s*\])");
  std::string replaced;
  std::smatch found;
  while (std::regex_search(text, found, kSize)) {
    replaced += found.prefix().str() + axis_name(static_cast<std::size_t>(std::stoul(found[1].str())));
    text = found.suffix().str();
  }
  return std::string(trimmed(replaced + text));
}

class T1 {
 public:
  explicit T1(const RecordedJson& file) : file_(file) {}

  ImportedSpace run(const std::filesystem::path& path) {
    const RecordedJson& kernel = field(file_, "KernelSpecification");
    draft_.origin = path.filename().string();
    draft_.kernel = draft_.entry = text_of(kernel, "KernelName");
    if (const auto language = text_of(kernel, "Language"); language != "CUDA")
      throw BadFile{"the language is " + language + ", not CUDA"};
    draft_.source = text_of(kernel, "KernelFile");
    read_problem(kernel);
    read_parameters();
    if (const auto options = kernel.find("CompilerOptions"); options != kernel.end())
      draft_.options = options->get<std::vector<std::string>>();
    read_arguments(kernel);
    read_launch(kernel);
    space_.notes.push_back(kNoReference);
    space_.text = space_file_text(draft_);
    return std::move(space_);
  }

 private:
  void read_problem(const RecordedJson& kernel) {
    const auto size = kernel.find("ProblemSize");
    if (size == kernel.end()) return;
    const RecordedJson sizes = size->is_array() ? *size : RecordedJson::array({*size});
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (!sizes[i].is_number_integer()) throw BadFile{"'ProblemSize' is not a list of integers"};
      draft_.axes.push_back({axis_name(i), {sizes[i].dump()}});
    }
  }

  void read_parameters() {
    const RecordedJson& space = field(file_, "ConfigurationSpace");
    const RecordedJson& parameters = field(space, "TuningParameters");
    if (!parameters.is_array() || parameters.empty()) throw BadFile{"'TuningParameters' is not a list"};
    for (const RecordedJson& each : parameters) {
      SpaceDraft::Parameter parameter;
      parameter.name = text_of(each, "Name");
      read_values(field(each, "Values"), parameter);
      if (const auto field = each.find("Default"); field != each.end())
        parameter.default_value = default_of(*field, parameter);
      draft_.parameters.push_back(std::move(parameter));
    }
    const auto conditions = space.find("Conditions");
    if (conditions == space.end()) return;
    for (const RecordedJson& condition : *conditions)
      draft_.constraints.push_back({expression(field(condition, "Expression")), ""});
  }

  void read_arguments(const RecordedJson& kernel) {
    const auto arguments = kernel.find("Arguments");
    if (arguments == kernel.end()) return;
    static const std::set<std::string> kTypes = {"int8",  "uint8",  "int16", "uint16", "int32",  "uint32",
                                                 "int64", "uint64", "half",  "float",  "double", "bool"};
    std::size_t place = 0;
    for (const RecordedJson& each : *arguments) {
      ++place;
      SpaceDraft::Argument argument;
      argument.name = each.value("Name", "argument" + std::to_string(place));
      argument.type = text_of(each, "Type");
      if (!kTypes.contains(argument.type)) {
        space_.notes.push_back("argument " + argument.name + ": the type " + argument.type +
                               " has no counterpart; write it as more elements of a simple one");
      }
      const std::string memory = text_of(each, "MemoryType");
      if (memory == "Scalar") {
        const auto value = each.find("FillValue");
        argument.value = value == each.end() ? "0" : value->dump();
      } else if (memory == "Vector") {
        const std::string access = each.value("AccessType", "ReadOnly");
        argument.extent = expression(field(each, "Size"));
        argument.role = access == "WriteOnly" ? "out" : access == "ReadWrite" ? "inout" : "";
        if (access != "WriteOnly") argument.init = contents(each, argument.name);
      } else {
        space_.notes.push_back("argument " + argument.name + ": " + memory + " memory has no counterpart");
        continue;
      }
      draft_.passed.push_back(yaml_flow_text(argument.name));
      draft_.arguments.push_back(std::move(argument));
    }
  }

  std::string contents(const RecordedJson& argument, const std::string& name) {
    const std::string fill = argument.value("FillType", "Constant");
    const auto value = argument.find("FillValue");
    if (fill == "Constant") return value == argument.end() ? "zero" : "{constant: " + value->dump() + "}";
    if (fill == "Random") {
      std::string text = "{uniform: [0, " + (value == argument.end() ? "1" : value->dump()) + "]";
      if (const auto seed = argument.find("RandomSeed"); seed != argument.end())
        text += ", seed: " + seed->dump();
      return text + "}";
    }
    space_.notes.push_back("argument " + name + ": contents of the kind " + fill +
                           " have no counterpart; it is zero");
    return "zero";
  }

  void read_launch(const RecordedJson& kernel) {
    const RecordedJson& local = field(kernel, "LocalSize");
    const RecordedJson& global = field(kernel, "GlobalSize");
    const bool counts_threads = kernel.value("GlobalSizeType", "CUDA") == "OpenCL";
    for (const char* axis : {"X", "Y", "Z"}) {
      const auto threads = local.find(axis), blocks = global.find(axis);
      if (threads == local.end() && blocks == global.end()) break;
      const std::string of_block = threads == local.end() ? "1" : expression(*threads);
      std::string of_grid = blocks == global.end() ? "1" : expression(*blocks);
      if (counts_threads && of_block != "1") of_grid = "(" + of_grid + ") // (" + of_block + ")";
      draft_.block.push_back(of_block);
      draft_.grid.push_back(of_grid);
    }
    if (draft_.grid.empty()) draft_.grid = draft_.block = {"1"};
    if (const auto shared = kernel.find("SharedMemory"); shared != kernel.end() && *shared != 0)
      draft_.shared = expression(*shared);
  }

  const RecordedJson& file_;
  SpaceDraft draft_;
  ImportedSpace space_;
};

// // %RANGE% TUNE_ITEMS_PER_THREAD ipt 7:24:1
std::optional<ImportedSpace> from_comments(const std::string& text, const std::filesystem::path& path,
                                           const std::string& source) {
  static const std::regex kComment(R"(^\s*//\s*%RANGE%\s+(.*?)\s*$)");
  static const std::regex kRange(R"((\w+)\s+(\w+)\s+(-?\d+):(-?\d+):(\d+))");
  std::istringstream lines(text);
  SpaceDraft draft;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::smatch comment, parts;
    if (!std::regex_match(line, comment, kComment)) continue;
    const std::string range = comment[1].str();
    if (!std::regex_match(range, parts, kRange))
      throw BadFile{"line " + std::to_string(number) + ": '" + range + "' is not MACRO label low:high:step"};
    const auto low = parse_integer(parts[3].str()), high = parse_integer(parts[4].str()),
               step = parse_integer(parts[5].str());
    if (!low || !high || !step || *step == 0 || *low > *high)
      throw BadFile{"line " + std::to_string(number) + ": '" + range + "' is an empty range"};
    draft.parameters.push_back({parts[1].str(), {}, {}, parts[2].str(), range_of(*low, *high, *step)});
  }
  if (draft.parameters.empty()) return std::nullopt;
  std::string name = path.stem().string();
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  draft.origin = path.filename().string();
  draft.kernel = draft.entry = name;
  draft.source = source;
  draft.axes = {{"T", {"float"}}, {"n", {"64Mi"}}};
  draft.arguments = {{.name = "in",
                      .type = "{T}",
                      .extent = "n",
                      .init = "{uniform: [0, 100], seed: 1}",
                      .comment = "a guess"},
                     {.name = "out", .type = "{T}", .extent = "1", .role = "out", .comment = "a guess"},
                     {.name = "n", .type = "int64", .value = "n", .comment = "a guess"}};
  draft.passed = {"in", "out", "n"};
  draft.grid = {"1"};
  draft.block = {"256"};
  draft.grid_comment = draft.block_comment = "a guess";
  ImportedSpace space;
  space.text = space_file_text(draft);
  space.notes = {
      "CCCL's benchmark calls the algorithm from the host: write a kernel that uses its device code, and its "
      "launches",
      "the comments name parameters only: fill in axes, arguments and a reference"};
  return space;
}

// The path of a file as a space file in this folder names it.
std::string path_from(const std::filesystem::path& folder, const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path relative =
      fs::proximate(fs::absolute(path, error), fs::absolute(folder.empty() ? "." : folder, error), error);
  return relative.empty() ? path.string() : relative.string();
}

bool launches_kernels(std::string_view text) { return text.find("<<<") != text.npos; }

struct SourceText {
  std::filesystem::path path;
  std::string text;
};

// The source of the same folder that includes this file of kernels and launches some.
std::optional<SourceText> including_source(const std::filesystem::path& path) {
  constexpr int kMostSources = 200;
  std::vector<std::filesystem::path> sources;
  std::error_code error;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  for (std::filesystem::directory_iterator each(folder, error), end; !error && each != end;
       each.increment(error)) {
    if (each->path().extension() == ".cu" && each->path().filename() != path.filename())
      sources.push_back(each->path());
    if (sources.size() == kMostSources) break;
  }
  std::ranges::sort(sources);
  const std::string name = path.filename().string();
  const auto includes_it = [&](const SourceLine& line) {
    return line.kind == SourceLine::Kind::include &&
           (line.name == '"' + name + '"' || line.name == "\"./" + name + '"');
  };
  for (const std::filesystem::path& source : sources) {
    auto text = read_text_file(source, std::size_t{1} << 20);
    if (text && launches_kernels(*text) && std::ranges::any_of(split_source(*text), includes_it))
      return SourceText{source, *std::move(text)};
  }
  return std::nullopt;
}

// The import of a file whose kernels another source launches, from there.
std::optional<ImportedSpace> from_including_source(const std::string& text, const std::filesystem::path& path,
                                                   const SpaceImport& options) {
  if (path.extension() != ".cu" || launches_kernels(text)) return std::nullopt;
  const auto source = including_source(path);
  if (!source) return std::nullopt;
  std::vector<std::string> kernels;
  for (const FunctionSignature& signature : signatures_in(flatten(path, text, {}, AngleIncludes::keep))) {
    const bool is_wanted = options.kernel.empty() || signature.name == options.kernel;
    if (signature.kind == FunctionSignature::Kind::kernel && is_wanted) kernels.push_back(signature.name);
  }
  if (kernels.empty()) return std::nullopt;
  auto space =
      import_cuda_source(source->text, source->path, path_from(options.folder, source->path), kernels);
  if (!space) return std::nullopt;
  const std::string name = source->path.filename().string();
  space->notes.insert(space->notes.begin(), path.filename().string() + " is a part of " + name +
                                                ", which launches its kernels: the space has that source");
  return *std::move(space);
}

}  // namespace

Result<ImportedSpace> import_space_text(const std::string& text, const std::filesystem::path& path,
                                        const SpaceImport& options) {
  const std::string extension = path.extension().string();
  const bool is_source = extension == ".cu" || extension == ".cuh";
  if (extension == ".py")
    return Error{path.string() +
                 ": Python scripts are not read; import the kernel's CUDA source (gktune import kernel.cu "
                 "--kernel NAME) and add the script's parameters to the space file"};
  const std::string source = path_from(options.folder, path);
  try {
    if (const auto begin = text.find_first_not_of(" \t\r\n"); begin != text.npos && text[begin] == '{') {
      const auto file = RecordedJson::parse(text, nullptr, false);
      if (file.is_discarded()) return Error{path.string() + ": it is not JSON"};
      return T1(file).run(path);
    }
    if (auto space = from_comments(text, path, source)) return *std::move(space);
  } catch (const BadFile& bad) {
    return Error{path.string() + ": " + bad.message};
  } catch (const RecordedJson::exception& bad) {
    return Error{path.string() + ": " + bad.what()};
  }
  if (is_source) {
    const auto kernels = options.kernel.empty() ? std::vector<std::string>() : std::vector{options.kernel};
    return import_cuda_source(text, path, source, kernels);
  }
  return Error{path.string() +
               ": neither a CUDA source (.cu), a T1 file (JSON) nor a source with %RANGE% comments"};
}

Result<ImportedSpace> import_space(const std::filesystem::path& path, const SpaceImport& options) {
  auto text = read_text_file(path, std::size_t{1} << 24);
  if (!text) return text.error();
  if (auto space = from_including_source(*text, path, options)) return *std::move(space);
  return import_space_text(*text, path, options);
}

namespace {

// YAML reads these words as null or as booleans.
bool is_yaml_word(std::string_view text) {
  using boost::algorithm::iequals;
  return iequals(text, "null") || iequals(text, "true") || iequals(text, "false");
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// True if YAML reads the text without quotes as one scalar of the same characters.
bool is_plain_yaml(std::string_view text) {
  if (text.empty() || text != trimmed(text) || std::ranges::any_of(text, is_control)) return false;
  if (is_yaml_word(text) || std::string_view("~?:,[]{}#&*!|>'\"%@`").find(text.front()) != text.npos)
    return false;
  if (text == "-" || text.starts_with("- ") || text.starts_with("---")) return false;
  return !text.ends_with(':') && text.find(": ") == text.npos && text.find(" #") == text.npos;
}

std::string double_quoted(std::string_view text) {
  std::string all = "\"";
  for (const char c : text) {
    if (is_control(c)) {
      all += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      if (c == '"' || c == '\\') all += '\\';
      all += c;
    }
  }
  return all + '"';
}

std::string block_text(std::string_view text) {
  return is_plain_yaml(text) ? std::string(text) : double_quoted(text);
}

// A text that reads as a number needs quotes.
std::string value_text(const Value& value) {
  if (!value.is_text()) return value.str();
  const std::string& text = value.text();
  const bool starts_a_word =
      !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '_');
  return starts_a_word ? yaml_flow_text(text) : double_quoted(text);
}

std::string comment_text(const std::string& comment) { return comment.empty() ? "" : "  # " + comment; }

std::string parameter_text(const SpaceDraft::Parameter& parameter) {
  const std::string list = "[" + joined(parameter.values, ", ", value_text) + "]";
  if (!parameter.range && !parameter.default_value) return list;
  const std::string values = parameter.range ? fmt::format("range: [{}, {}, {}]", parameter.range->first,
                                                           parameter.range->last, parameter.range->step)
                                             : "values: " + list;
  return "{" + values +
         (parameter.default_value ? ", default: " + value_text(*parameter.default_value) : "") + "}";
}

std::string argument_text(const SpaceDraft& draft, const SpaceDraft::Argument& argument) {
  std::string text = "{type: " + yaml_flow_text(argument.type);
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) text += fmt::format(", {}: {}", key, value);
  };
  const auto add_text = [&](const char* key, const std::string& value) {
    if (!value.empty()) add(key, yaml_flow_text(value));
  };
  add_text("value", argument.value);
  if (argument.is_extent_guess) {
    add("extent", "{guess: " + yaml_flow_text(argument.extent) + "}");
  } else {
    add_text("extent", argument.extent);
  }
  add_text("symbol", argument.symbol);
  add_text("role", argument.role);
  add("init", argument.init);
  if (draft.compares_with_default) add("check", argument.check);
  return text + "}";
}

// Writes one extent, or a list of the extents of all dimensions. Leaves out extents of 1 at the end.
std::string extents_text(std::vector<std::string> extents) {
  while (extents.size() > 1 && extents.back() == "1") extents.pop_back();
  return extents.size() == 1 ? block_text(extents[0]) : "[" + joined(extents, ", ", yaml_flow_text) + "]";
}

std::string sizes_text(const char* key, const std::vector<SpaceDraft::Axis>& axes, const char* comment) {
  if (axes.empty()) return "";
  const auto text = [](const SpaceDraft::Axis& axis) {
    return yaml_flow_text(axis.name) + ": [" + joined(axis.values, ", ", yaml_flow_text) + ']';
  };
  return fmt::format("\n{}:\n  problem: {{{}}}  # {}\n", key, joined(axes, ", ", text), comment);
}

}  // namespace

std::string yaml_flow_text(std::string_view text) {
  return is_plain_yaml(text) && text.find_first_of(",[]{}:") == text.npos ? std::string(text)
                                                                          : double_quoted(text);
}

std::string space_file_text(const SpaceDraft& draft) {
  std::string out = fmt::format(
      "# Made from {} by gktune import. Check what it guessed, and add a reference.\nkernel: {}\nsource: "
      "{}\n",
      draft.origin, block_text(draft.kernel), block_text(draft.source));
  if (!draft.finding.empty())
    out.insert(out.find('\n') + 1, "# To decide: gktune check says: " + draft.finding + '\n');
  if (!std::filesystem::path(draft.source).extension().string().starts_with(".cu")) out += "language: cuda\n";
  if (!draft.include.empty()) out += "include: [" + joined(draft.include, ", ", yaml_flow_text) + "]\n";
  if (!draft.axes.empty()) out += "\nproblem:\n";
  for (const SpaceDraft::Axis& axis : draft.axes) {
    const std::string name = yaml_flow_text(axis.name), values = joined(axis.values, ", ", yaml_flow_text);
    out += axis.is_macro ? fmt::format("  {0}: {{values: [{1}], macro: {0}}}\n", name, values)
                         : fmt::format("  {}: [{}]\n", name, values);
  }
  if (!draft.parameters.empty()) out += "\nparameters:\n";
  for (const SpaceDraft::Parameter& parameter : draft.parameters)
    out += fmt::format("  {}: {}{}\n", yaml_flow_text(parameter.name), parameter_text(parameter),
                       comment_text(parameter.comment));
  if (!draft.constraints.empty()) out += "\nconstraints:\n";
  for (const SpaceDraft::Constraint& constraint : draft.constraints)
    out += fmt::format("  - {}{}\n", block_text(constraint.condition), comment_text(constraint.comment));
  if (!draft.options.empty()) out += "\noptions:\n";
  for (const std::string& option : draft.options) out += fmt::format("  - {}\n", block_text(option));
  if (!draft.arguments.empty()) out += "\narguments:\n";
  for (const SpaceDraft::Argument& argument : draft.arguments)
    out += fmt::format("  {}: {}{}\n", yaml_flow_text(argument.name), argument_text(draft, argument),
                       comment_text(argument.comment));
  out += fmt::format("\nlaunches:\n  entry: {}\n  grid: {}{}\n  block: {}{}\n", block_text(draft.entry),
                     extents_text(draft.grid), comment_text(draft.grid_comment), extents_text(draft.block),
                     comment_text(draft.block_comment));
  if (!draft.shared.empty())
    out += fmt::format("  shared: {}{}\n", block_text(draft.shared), comment_text(draft.shared_comment));
  if (draft.is_cooperative) out += "  cooperative: true\n";
  const std::string passed = joined(draft.passed);
  if (!passed.empty()) out += fmt::format("  arguments: [{}]\n", passed);
  out += sizes_text("host", draft.host_axes, "sizes for a CPU");
  out +=
      sizes_text("check", draft.check_axes, "sizes for check --sanitize; without them it takes awkward ones");
  if (draft.compares_with_default)
    return out +
           "\nreference: default  # the outputs of the default configuration; a plain kernel would find "
           "more\n";
  out += fmt::format(
      "\n# reference:                  # a plain kernel that computes the outputs; without it nothing is "
      "checked\n"
      "#   source: reference.cu\n"
      "#   launches: {{entry: reference, arguments: [{}]}}\n",
      passed);
  return out;
}

}  // namespace gktune
