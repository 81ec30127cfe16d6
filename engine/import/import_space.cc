#include "engine/import/import_space.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "engine/import/import_script.h"
#include "engine/import/import_source.h"
#include "tuner/core/quantity.h"
#include "tuner/core/text.h"
#include "tuner/recording/text_file.h"

namespace gktune {
namespace {

using SpaceJson = nlohmann::ordered_json;

// A part of the file that cannot be read.
struct BadSpace {
  std::string message;
};

const SpaceJson& field_of(const SpaceJson& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  if (found == object.end()) throw BadSpace{std::string("'") + name + "' is missing"};
  return *found;
}

std::string text_of(const SpaceJson& object, const char* name) {
  const SpaceJson& field = field_of(object, name);
  if (!field.is_string()) throw BadSpace{std::string("'") + name + "' is not a text"};
  return field.get<std::string>();
}

// "[1, 2, 4]", "['a', 'b']", "[True, False]", "range(16, 257, 16)", "list(range(4))"; also a JSON array.
std::string values_text(const SpaceJson& field, const std::string& parameter) {
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
      throw BadSpace{"the values of '" + parameter + "' are an empty range: " + text};
    const std::int64_t last = *begin + (*end - 1 - *begin) / *step * *step;
    return "{range: [" + std::to_string(*begin) + ", " + std::to_string(last) + ", " + std::to_string(*step) +
           "]}";
  }
  // Python's words and quotes in JSON's.
  text = std::regex_replace(text, std::regex(R"(\bTrue\b)"), "true");
  text = std::regex_replace(text, std::regex(R"(\bFalse\b)"), "false");
  if (text.find('"') == text.npos) std::ranges::replace(text, '\'', '"');
  const auto values = SpaceJson::parse(text, nullptr, false);
  if (!values.is_array() || values.empty())
    throw BadSpace{"the values of '" + parameter + "' are neither a list nor a range: " + text};
  for (const SpaceJson& value : values) {
    if (!value.is_primitive() || value.is_null())
      throw BadSpace{"a value of '" + parameter + "' is neither a number nor a text, true or false"};
  }
  return "[" + joined(values, ", ", [](const SpaceJson& value) {
           return value.is_string() ? "\"" + value.get<std::string>() + "\"" : value.dump();
         }) + "]";
}

// ProblemSize[0] is the axis size_x here.
std::string axis_name(std::size_t place) {
  constexpr const char* kNames[] = {"size_x", "size_y", "size_z"};
  return place < 3 ? kNames[place] : "size_" + std::to_string(place);
}

std::string expression(const SpaceJson& field) {
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
  explicit T1(const SpaceJson& file) : file_(file) {}

  ImportedSpace run() {
    const SpaceJson& kernel = field_of(file_, "KernelSpecification");
    const std::string name = text_of(kernel, "KernelName");
    if (const auto language = text_of(kernel, "Language"); language != "CUDA")
      throw BadSpace{"the language is " + language + ", not CUDA"};
    out_ << "kernel: " << yaml_text(name) << "\nsource: " << yaml_text(text_of(kernel, "KernelFile"))
         << "\nlanguage: cuda\n";
    write_problem(kernel);
    write_parameters();
    write_options(kernel);
    write_arguments(kernel);
    write_launch(kernel, name);
    space_.notes.push_back("T1 has no reference: add one, so that results are checked");
    space_.text = out_.str();
    return std::move(space_);
  }

 private:
  void write_problem(const SpaceJson& kernel) {
    const auto size = kernel.find("ProblemSize");
    if (size == kernel.end()) return;
    const SpaceJson sizes = size->is_array() ? *size : SpaceJson::array({*size});
    out_ << "\nproblem:\n";
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (!sizes[i].is_number_integer()) throw BadSpace{"'ProblemSize' is not a list of integers"};
      out_ << "  " << axis_name(i) << ": [" << sizes[i].dump() << "]\n";
    }
  }

  void write_parameters() {
    const SpaceJson& space = field_of(file_, "ConfigurationSpace");
    const SpaceJson& parameters = field_of(space, "TuningParameters");
    if (!parameters.is_array() || parameters.empty()) throw BadSpace{"'TuningParameters' is not a list"};
    out_ << "\nparameters:\n";
    for (const SpaceJson& parameter : parameters) {
      const std::string name = text_of(parameter, "Name");
      std::string values = values_text(field_of(parameter, "Values"), name);
      if (const auto standard = parameter.find("Default"); standard != parameter.end()) {
        const std::string value = standard->is_string() ? standard->get<std::string>() : standard->dump();
        values = values.front() == '{' ? values.substr(0, values.size() - 1) + ", default: " + value + "}"
                                       : "{values: " + values + ", default: " + value + "}";
      }
      out_ << "  " << name << ": " << values << '\n';
    }
    const auto conditions = space.find("Conditions");
    if (conditions == space.end() || conditions->empty()) return;
    out_ << "\nconstraints:\n";
    for (const SpaceJson& condition : *conditions)
      out_ << "  - " << yaml_text(expression(field_of(condition, "Expression"))) << '\n';
  }

  void write_options(const SpaceJson& kernel) {
    const auto options = kernel.find("CompilerOptions");
    if (options == kernel.end() || options->empty()) return;
    out_ << "\noptions:\n";
    for (const SpaceJson& option : *options) out_ << "  - " << yaml_text(option.get<std::string>()) << '\n';
  }

  void write_arguments(const SpaceJson& kernel) {
    const auto arguments = kernel.find("Arguments");
    if (arguments == kernel.end() || arguments->empty()) return;
    static const std::set<std::string> kTypes = {"int8",  "uint8",  "int16", "uint16", "int32",  "uint32",
                                                 "int64", "uint64", "half",  "float",  "double", "bool"};
    out_ << "\narguments:\n";
    std::size_t place = 0;
    for (const SpaceJson& argument : *arguments) {
      ++place;
      const std::string name = argument.value("Name", "argument" + std::to_string(place));
      const std::string type = text_of(argument, "Type");
      if (!kTypes.contains(type)) {
        space_.notes.push_back("argument " + name + ": the type " + type +
                               " has no counterpart; write it as more elements of a simple one");
      }
      const std::string memory = text_of(argument, "MemoryType");
      if (memory == "Scalar") {
        const auto value = argument.find("FillValue");
        out_ << "  " << name << ": {type: " << type
             << ", value: " << (value == argument.end() ? "0" : value->dump()) << "}\n";
        continue;
      }
      if (memory != "Vector") {
        space_.notes.push_back("argument " + name + ": " + memory + " memory has no counterpart");
        continue;
      }
      const std::string access = argument.value("AccessType", "ReadOnly");
      out_ << "  " << name << ": {type: " << type
           << ", extent: " << yaml_text(expression(field_of(argument, "Size")));
      if (access == "WriteOnly") {
        out_ << ", role: out, check: none}\n";
        continue;
      }
      if (access == "ReadWrite") out_ << ", role: inout";
      out_ << ", init: " << contents(argument, name) << "}\n";
    }
  }

  std::string contents(const SpaceJson& argument, const std::string& name) {
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

  void write_launch(const SpaceJson& kernel, const std::string& name) {
    const SpaceJson& local = field_of(kernel, "LocalSize");
    const SpaceJson& global = field_of(kernel, "GlobalSize");
    const bool counts_threads = kernel.value("GlobalSizeType", "CUDA") == "OpenCL";
    std::string grid, block;
    for (const char* axis : {"X", "Y", "Z"}) {
      const auto threads = local.find(axis), blocks = global.find(axis);
      const std::string of_block = threads == local.end() ? "1" : expression(*threads);
      std::string of_grid = blocks == global.end() ? "1" : expression(*blocks);
      if (counts_threads && of_block != "1") of_grid = "(" + of_grid + ") // (" + of_block + ")";
      const bool is_given = threads != local.end() || blocks != global.end();
      if (!is_given) break;
      block += (block.empty() ? "" : ", ") + yaml_text(of_block);
      grid += (grid.empty() ? "" : ", ") + yaml_text(of_grid);
    }
    out_ << "\nlaunches:\n  entry: " << yaml_text(name) << "\n  grid: [" << grid << "]\n  block: [" << block
         << "]\n";
    if (const auto shared = kernel.find("SharedMemory"); shared != kernel.end() && *shared != 0)
      out_ << "  shared: " << yaml_text(expression(*shared)) << '\n';
  }

  const SpaceJson& file_;
  std::ostringstream out_;
  ImportedSpace space_;
};

// // %RANGE% TUNE_ITEMS_PER_THREAD ipt 7:24:1
std::optional<ImportedSpace> from_comments(const std::string& text, const std::filesystem::path& path, const std::string& source) {
  static const std::regex kComment(R"(^\s*//\s*%RANGE%\s+(.*?)\s*$)");
  static const std::regex kRange(R"((\w+)\s+(\w+)\s+(-?\d+):(-?\d+):(\d+))");
  std::istringstream lines(text);
  std::string parameters, ranges;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::smatch comment, parts;
    if (!std::regex_match(line, comment, kComment)) continue;
    const std::string range = comment[1].str();
    if (!std::regex_match(range, parts, kRange))
      throw BadSpace{"line " + std::to_string(number) + ": '" + range + "' is not MACRO label low:high:step"};
    const auto low = parse_integer(parts[3].str()), high = parse_integer(parts[4].str()),
               step = parse_integer(parts[5].str());
    if (!low || !high || !step || *step == 0 || *low > *high)
      throw BadSpace{"line " + std::to_string(number) + ": '" + range + "' is an empty range"};
    const std::int64_t last = *low + (*high - *low) / *step * *step;
    parameters += "  " + parts[1].str() + ": {range: [" + std::to_string(*low) + ", " + std::to_string(last) +
                  ", " + std::to_string(*step) + "]}  # " + parts[2].str() + "\n";
  }
  if (parameters.empty()) return std::nullopt;
  std::string name = path.stem().string();
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  ImportedSpace space;
  space.text = "kernel: " + name + "\nsource: " + yaml_text(source) +
               "\n\nproblem:\n  T: [float]\n  n: [64Mi]\n\nparameters:\n" + parameters +
               "\narguments:\n  in: {type: \"{T}\", extent: n, init: {uniform: [0, 100], seed: 1}}\n"
               "  out: {type: \"{T}\", extent: 1, role: out, check: none}\n  n: {type: int64, value: n}\n"
               "\nlaunches:\n  entry: " +
               name + "\n  grid: 1\n  block: 256\n  arguments: [in, out, n]\n";
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
  const fs::path relative = fs::proximate(fs::absolute(path, error), fs::absolute(folder.empty() ? "." : folder, error), error);
  return relative.empty() ? path.string() : relative.string();
}

}  // namespace

Result<ImportedSpace> import_space_text(const std::string& text, const std::filesystem::path& path,
                                        const SpaceImport& options) {
  const std::string extension = path.extension().string();
  const bool is_source = extension == ".cu" || extension == ".cuh";
  const std::string source = path_from(options.folder, path);
  try {
    if (extension == ".py") return import_kernel_tuner_script(text, path);
    if (const auto begin = text.find_first_not_of(" \t\r\n"); begin != text.npos && text[begin] == '{') {
      const auto file = SpaceJson::parse(text, nullptr, false);
      if (file.is_discarded()) return Error{path.string() + ": it is not JSON"};
      return T1(file).run();
    }
    if (auto space = from_comments(text, path, source)) return *std::move(space);
  } catch (const BadSpace& bad) {
    return Error{path.string() + ": " + bad.message};
  } catch (const SpaceJson::exception& bad) {
    return Error{path.string() + ": " + bad.what()};
  }
  if (is_source) return import_cuda_source(text, path, source, options.kernel);
  return Error{
      path.string() +
      ": neither a CUDA source (.cu), a script of Kernel Tuner (.py), a T1 file (JSON) nor a source with "
      "%RANGE% comments"};
}

Result<ImportedSpace> import_space(const std::filesystem::path& path, const SpaceImport& options) {
  auto text = read_text_file(path, std::size_t{1} << 24);
  if (!text) return text.error();
  return import_space_text(*text, path, options);
}

}  // namespace gktune
