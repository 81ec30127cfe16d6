#include "tuner/space/reader/definition_reader.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "tuner/core/text.h"
#include "tuner/source/source_names.h"
#include "tuner/space/definition.h"
#include "tuner/space/fingerprint.h"
#include "tuner/space/reader/error_list.h"
#include "tuner/space/reader/launches.h"
#include "tuner/space/reader/problem_reader.h"

namespace gktune {
namespace {

std::string path_in(const std::string& folder, const std::string& path) {
  return (std::filesystem::path(folder) / path).lexically_normal().string();
}

// Kernel names appear on command lines and in file names.
bool is_kernel_name(std::string_view name) {
  return !name.empty() && name.front() != '-' && name.front() != '.' &&
         std::ranges::all_of(name, [](char c) { return is_word(c) || c == '-' || c == '.'; });
}

}  // namespace

DefinitionReader::DefinitionReader(const std::string& path, const ReadOptions& options,
                                   const FileReader& files, ErrorList& errors)
    : folder_(std::filesystem::path(path).parent_path().string()),
      options_(options),
      files_(files),
      errors_(errors),
      names_(errors),
      problems_(names_, errors) {
  definition_.path = path;
}

Definition DefinitionReader::read(const YamlNode& root) {
  const Fields fields(root, "space file",
                      {"kernel",   "source",      "language", "include",      "problem",     "parameters",
                       "let",      "constraints", "options",  "host_options", "environment", "arguments",
                       "launches", "reference",   "metrics",  "objective",    "regime",      "time_limit",
                       "search",   "host",        "check",    "setup",        "verify",      "command"},
                      errors_);
  if (!fields.is_map()) return definition_;
  KernelDefinition& kernel = definition_.kernel;
  if (const YamlNode* name = fields.require("kernel", "for example kernel: reduce")) {
    if (auto text = read_text(*name, errors_)) kernel.name = *std::move(text);
    if (name->is_scalar() && !is_kernel_name(kernel.name)) {
      errors_.add(*name, "invalid kernel name '" + kernel.name + "'",
                  "use letters, digits, '_', '-' and '.'; start with none of the last two");
    }
  }
  read_source(fields);
  read_names(fields);
  read_values(fields);
  if (const YamlNode* node = fields.section("constraints")) read_constraints(*node);
  names_.take_used_definitions();  // not fingerprinted: constraints do not change how a configuration runs
  read_kernel(fields);
  used_definitions_ = names_.take_used_definitions();
  read_metrics(fields);
  if (const YamlNode* node = fields.find("regime"))
    kernel.regime = read_enum<Regime>(*node, "regime", errors_).value_or(kernel.regime);
  if (const YamlNode* node = fields.find("time_limit")) {
    if (const auto seconds = read_seconds(*node, errors_)) kernel.time_limit_s = *seconds;
  }
  if (const YamlNode* node = fields.find("search")) read_search(*node, definition_.search);
  if (const YamlNode* node = fields.section("host")) read_host(*node);
  if (const YamlNode* node = fields.section("check")) read_check(*node);
  finish(fields);
  return std::move(definition_);
}

void DefinitionReader::finish(const Fields& fields) {
  for (const Parameter& parameter : definition_.parameters)
    definition_.kernel.parameter_names.push_back(parameter.name);
  if (errors_.empty()) read_sources(fields.section("parameters"));
}

// Reads the sources with their includes, checks them against the file, and computes the fingerprint.
void DefinitionReader::read_sources(const YamlNode* parameters) {
  KernelDefinition& kernel = definition_.kernel;
  const auto flat = [&](const std::string& path, const std::string& text) {
    return flatten(path, text, kernel.include_dirs, AngleIncludes::expand, files_);
  };
  const bool is_cxx = kernel.language != Language::command;
  FlatSource source;
  if (is_cxx || language_of(kernel.source_path)) source = flat(kernel.source_path, kernel.source_text);
  if (is_cxx) kernel.signatures = signatures_in(source, macros());
  FlatSource of_reference;
  if (kernel.reference) of_reference = flat(kernel.reference->path, kernel.reference->text);
  check_symbols(source, of_reference);
  std::vector<std::string> included;
  const auto add_files = [&](FlatSource& of) {
    for (auto& [path, text] : of.files) included.push_back(std::move(text));
  };
  add_files(source);
  if (kernel.reference) {
    add_files(of_reference);
    note_declarations(*kernel.reference, std::move(of_reference));
  }
  if (kernel.verifier) {
    FlatSource of_verifier = flat(kernel.verifier->path, kernel.verifier->text);
    add_files(of_verifier);
    note_declarations(*kernel.verifier, std::move(of_verifier));
  }
  if (kernel.language == Language::cuda)
    drop_host_code(source, mentioned_names(), unmarked_with(option_texts(kernel.options)));
  if (is_cxx) kernel.undefined_names = undefined_names(source);
  for (const Parameter& parameter : definition_.parameters) {
    kernel.default_values.set(parameter.name, parameter.default_value.value_or(parameter.values.front()));
  }
  if (parameters != nullptr && is_cxx) check_macros(*parameters, std::move(source));
  definition_.fingerprint = fingerprint(kernel, used_definitions_, std::move(included), command_);
}

// Without macros that have no effect, configurations with the same code are compiled once. Host
// code is left alone: it may keep memory or streams of one configuration in static variables,
// which the next one must not find.
NameSet DefinitionReader::undefined_names(const FlatSource& source) const {
  const KernelDefinition& kernel = definition_.kernel;
  NameSet names = declared_names(source);
  if (kernel.language == Language::host) return names;
  NameSet mentioned = mentioned_names();
  for (const auto* options : {&kernel.options, &kernel.host_options})
    mentioned.merge(words_of(option_texts(*options)));
  names.merge(unused_names(source, macros(), mentioned));
  return names;
}

std::vector<std::string> DefinitionReader::macros() const {
  std::vector<std::string> names = definition_.kernel.parameter_names;
  for (const Axis& axis : definition_.kernel.axes) {
    if (!axis.macro.empty()) names.push_back(axis.macro);
  }
  return names;
}

// Names in entries and in values: host code that they mention is kept.
NameSet DefinitionReader::mentioned_names() const {
  const KernelDefinition& kernel = definition_.kernel;
  std::vector<std::string> texts;
  const auto add_entries = [&](const std::vector<Launch>& launches, auto&& again) -> void {
    for (const Launch& launch : launches) {
      texts.push_back(launch.entry.text);
      again(launch.body, again);
    }
  };
  add_entries(kernel.launches, add_entries);
  if (kernel.reference) {
    add_entries(kernel.reference->inputs, add_entries);
    add_entries(kernel.reference->launches, add_entries);
  }
  if (kernel.verifier) add_entries(kernel.verifier->launches, add_entries);
  const auto add_values = [&](const std::vector<Value>& values) {
    for (const Value& value : values) texts.push_back(value.str());
  };
  for (const Axis& axis : kernel.axes) add_values(axis.values);
  for (const Parameter& parameter : definition_.parameters) add_values(parameter.values);
  return words_of(texts);
}

void DefinitionReader::check_macros(const YamlNode& parameters, FlatSource source) {
  const KernelDefinition& kernel = definition_.kernel;
  NameSet names;
  for (const YamlNode& key : parameters.keys) {
    if (!kernel.undefined_names.contains(key.text)) names.insert(key.text);
  }
  if (kernel.language == Language::cuda) replace_settings(source, names);
  const bool is_with_reference = kernel.reference && kernel.reference->path.empty();
  const bool is_shared = is_with_reference || (kernel.verifier && kernel.verifier->path.empty());
  const SourceMacros macros(source);
  std::string assumed;
  for (const YamlNode& key : parameters.keys) {
    const std::string& name = key.text;
    const MacroUse use = macros.find(name);
    if (!use.is_used && !use.redefined_at && !names_.is_named(name)) {
      errors_.warn(key, "nothing uses the parameter '" + name + "'",
                   "the source does not name it, nor does an expression or an option");
    }
    if (kernel.undefined_names.contains(name)) continue;  // no macro
    if (use.redefined_at) {
      if (kernel.language == Language::cuda) {
        errors_.add(
            key,
            *use.redefined_at + " defines '" + name + "' with arguments: the parameter cannot replace it",
            "give one of the two another name");
      } else {
        errors_.warn(key,
                     *use.redefined_at + " sets the macro '" + name + "' itself: the parameter has no effect",
                     "delete that #define, or put it between #ifndef " + name + " and #endif");
      }
    }
    if (use.declared_at && !source.constants.contains(name)) {
      errors_.add(key, *use.declared_at + " declares '" + name + "', which the parameter cannot replace",
                  "only constants can be replaced: #define, constexpr, const with a number, an enumerator; "
                  "give one of the two another name");
    }
    const auto parameter = std::ranges::find(definition_.parameters, name, &Parameter::name);
    if (is_shared && use.is_used && !parameter->default_value)
      assumed += (assumed.empty() ? "" : ", ") + name + '=' + parameter->values.front().str();
  }
  if (assumed.empty()) return;
  const std::string default_hint = "a parameter's default says which value: " + parameters.keys.front().text +
                                   ": {values: […], default: …}";
  if (kernel.has_default_reference()) {
    errors_.warn(parameters.keys.front(), "the default configuration, which is the reference, has " + assumed,
                 default_hint);
    return;
  }
  const std::string code = is_with_reference ? "reference" : "verifier";
  errors_.warn(parameters.keys.front(),
               "the " + code + " is in the kernel's source, which is compiled for it with " + assumed,
               default_hint + "; or give the " + code + " a source of its own");
}

std::string DefinitionReader::load(const YamlNode& node, std::string& path) {
  const auto written = read_text(node, errors_);
  if (!written) return {};
  path = path_in(folder_, *written);
  auto text = files_(path);
  if (text) return *std::move(text);
  errors_.add(node, "cannot read '" + path + "': " + text.error().message,
              "paths are relative to the folder of the space file");
  return {};
}

void DefinitionReader::read_source(const Fields& fields) {
  KernelDefinition& kernel = definition_.kernel;
  const YamlNode* source =
      fields.require("source", "the file with the kernel, for example source: reduce.cu");
  if (source != nullptr) kernel.source_text = load(*source, kernel.source_path);
  const auto by_name = language_of(kernel.source_path);
  if (by_name) kernel.language = *by_name;
  if (const YamlNode* language = fields.find("language")) {
    kernel.language = read_enum<Language>(*language, "language", errors_).value_or(kernel.language);
  } else if (source != nullptr && source->is_scalar() && !by_name) {
    errors_.add(*source, "unknown language: the extension of '" + source->text + "' is not known",
                "add language: cuda, language: c++, language: host or language: command");
  }
  read_command(fields);
  if (const YamlNode* include = fields.section("include")) {
    for (const YamlNode& item : items_of(*include)) {
      if (const auto folder = read_text(item, errors_))
        kernel.include_dirs.push_back(path_in(folder_, *folder));
    }
  }
}

// A word that is the path of a file, relative to the space file, becomes the path from here.
void DefinitionReader::read_command(const Fields& fields) {
  KernelDefinition& kernel = definition_.kernel;
  if (kernel.language != Language::command)
    return fields.refuse("command",
                         "command does not apply to language: " + std::string(language_name(kernel.language)),
                         "language: command has a program compile the source");
  const YamlNode* node =
      fields.require("command", "the program that compiles the source: command: [python3, compile.py]");
  if (node == nullptr) return;
  std::vector<std::string> words;
  for (const YamlNode& item : items_of(*node)) {
    const auto text = read_text(item, errors_);
    if (!text) return;
    if (node->is_scalar()) {
      std::istringstream blank_separated(*text);
      words.assign(std::istream_iterator<std::string>(blank_separated), {});
    } else {
      words.push_back(*text);
    }
  }
  if (words.empty() || words.front().empty()) {
    errors_.add(*node, "the command names no program", "for example command: [python3, compile.py]");
    return;
  }
  for (std::string& word : words) {
    command_.push_back(word);
    if (word.empty() || word.front() == '-' || word.front() == '/') continue;
    const std::string path = path_in(folder_, word);
    auto file = files_(path);
    if (!file) continue;
    command_.push_back(*std::move(file));
    word = std::filesystem::path(path).has_parent_path() ? path : "./" + path;
  }
  kernel.command = std::move(words);
}

void DefinitionReader::read_names(const Fields& fields) {
  if (const YamlNode* problem = fields.section("problem")) problems_.name_axes(*problem);
  if (const YamlNode* node = fields.section("parameters");
      node != nullptr && check_map(*node, "parameters", errors_)) {
    for (const YamlNode& key : node->keys) names_.add_parameter(key);
  }
  if (const YamlNode* let = fields.section("let"); let != nullptr && check_map(*let, "let", errors_)) {
    for (std::size_t i = 0; i < let->keys.size(); ++i) {
      names_.add_definition(let->keys[i], let->items[i], std::span(let->keys).subspan(i));
    }
  }
}

void DefinitionReader::read_values(const Fields& fields) {
  if (const YamlNode* problem = fields.section("problem"))
    problems_.read(*problem, definition_.kernel.axes, definition_.kernel.listed_problems);
  const YamlNode* parameters = fields.section("parameters");
  if (parameters != nullptr && is_map_of_names(*parameters)) {
    for (std::size_t i = 0; i < parameters->keys.size(); ++i) {
      Parameter parameter;
      parameter.name = parameters->keys[i].text;
      read_parameter(parameters->items[i], parameter);
      definition_.parameters.push_back(std::move(parameter));
    }
  }
}

void DefinitionReader::read_parameter(const YamlNode& node, Parameter& parameter) {
  Choices choices = read_choices(node, ChoicesOf::parameter, errors_);
  parameter.values = std::move(choices.values);
  parameter.default_value = std::move(choices.default_value);
}

void DefinitionReader::read_host(const YamlNode& node) {
  const Fields fields(node, "host", {"problem", "parameters", "search", "time_limit"}, errors_);
  const bool is_used = options_.device_kind == "host";
  KernelDefinition& kernel = definition_.kernel;
  if (const YamlNode* problem = fields.find("problem")) {
    auto axes = kernel.axes;
    auto listed = kernel.listed_problems;
    problems_.replace(*problem, axes, listed);
    if (is_used) {
      kernel.axes = std::move(axes);
      kernel.listed_problems = std::move(listed);
    }
  }
  if (const YamlNode* map = fields.find("parameters");
      map != nullptr && check_map(*map, "parameters", errors_)) {
    std::vector<std::string> names;
    for (const Parameter& parameter : definition_.parameters) names.push_back(parameter.name);
    for (std::size_t i = 0; i < map->keys.size(); ++i) {
      const YamlNode& key = map->keys[i];
      const auto known = std::ranges::find(definition_.parameters, key.text, &Parameter::name);
      if (known == definition_.parameters.end()) {
        errors_.add_unknown(key, "parameter", names);
        continue;
      }
      Parameter parameter = *known;
      const auto earlier = parameter.default_value;
      read_parameter(map->items[i], parameter);
      if (!parameter.default_value && earlier &&
          std::ranges::find(parameter.values, *earlier) != parameter.values.end()) {
        parameter.default_value = earlier;
      }
      if (is_used) *known = std::move(parameter);
    }
  }
  if (const YamlNode* search = fields.find("search")) {
    SearchLimits limits = definition_.search;
    read_search(*search, limits);
    if (is_used) definition_.search = limits;
  }
  if (const YamlNode* limit = fields.find("time_limit")) {
    const auto seconds = read_seconds(*limit, errors_);
    if (is_used && seconds) kernel.time_limit_s = *seconds;
  }
}

// The problems replace those of the file, with the values of `host`: the sanitizer runs there.
void DefinitionReader::read_check(const YamlNode& node) {
  const Fields fields(node, "check", {"problem", "inputs", "allow", "guesses"}, errors_);
  const YamlNode* const allow = fields.find("allow");
  if (allow != nullptr) read_allowed_races(*allow);
  const YamlNode* const guesses = fields.find("guesses");
  if (guesses != nullptr) read_guesses(*guesses);
  const YamlNode* problem = fields.find("inputs") != nullptr || allow != nullptr || guesses != nullptr
                                ? fields.find("problem")
                                : fields.require("problem", "for example check: {problem: {n: [1, 1000]}}");
  if (problem == nullptr) return;
  KernelDefinition sizes;
  sizes.axes = definition_.kernel.axes;
  sizes.listed_problems = definition_.kernel.listed_problems;
  problems_.replace(*problem, sizes.axes, sizes.listed_problems);
  if (errors_.empty()) definition_.check_problems = problems_of(sizes);
}

void DefinitionReader::read_guesses(const YamlNode& node) {
  const KernelDefinition& kernel = definition_.kernel;
  std::vector<std::string> names{"block", "grid"};
  for (const Parameter& parameter : definition_.parameters) names.push_back(parameter.name);
  for (const Axis& axis : kernel.axes) names.push_back(axis.name);
  for (const Argument& argument : kernel.arguments) names.push_back(argument.name);
  if (items_of(node).empty())
    errors_.add(node, "an empty list names no guess", "for example guesses: [block]");
  for (const YamlNode& item : items_of(node)) {
    const auto name = read_text(item, errors_);
    if (!name) continue;
    if (std::ranges::find(names, *name) == names.end()) errors_.add_unknown(item, "part of the file", names);
    definition_.guesses.push_back(*name);
  }
}

void DefinitionReader::read_allowed_races(const YamlNode& node) {
  constexpr std::string_view kHint = "for example allow: [same_value, {data_race: \"bfs.cu:33\"}]";
  AllowedRaces& allowed = definition_.kernel.allowed_races;
  if (items_of(node).empty()) errors_.add(node, "an empty list allows nothing", std::string(kHint));
  for (const YamlNode& item : items_of(node)) {
    if (item.is_scalar()) {
      if (item.text == "same_value")
        allowed.of_same_value = true;
      else
        errors_.add_unknown(item, "finding", std::vector<std::string>{"same_value"}, std::string(kHint));
      continue;
    }
    const Fields fields(item, "allow", {"data_race"}, errors_);
    if (!fields.is_map()) continue;
    const YamlNode* const line = fields.require("data_race", kHint);
    if (line == nullptr) continue;
    const std::size_t colon = line->text.rfind(':');
    const bool has_number = line->is_scalar() && colon != std::string::npos && colon > 0 &&
                            colon + 1 < line->text.size() &&
                            line->text.find_first_not_of("0123456789", colon + 1) == std::string::npos;
    if (has_number)
      allowed.lines.push_back(line->text);
    else
      errors_.add(*line, "this is no file with the number of a line", std::string(kHint));
  }
}

void DefinitionReader::read_constraints(const YamlNode& node) {
  for (const YamlNode& item : items_of(node)) {
    if (auto condition = names_.expression(item, View::candidate)) {
      definition_.constraints.push_back({*std::move(condition), Constraint::Origin::file});
    }
  }
}

void DefinitionReader::read_kernel(const Fields& fields) {
  KernelDefinition& kernel = definition_.kernel;
  kernel.unsafe_options = options_.unsafe_options;
  if (const YamlNode* node = fields.section("options")) kernel.options = read_options(*node);
  if (const YamlNode* node = fields.section("host_options")) {
    kernel.host_options = read_options(*node);
    if (kernel.language == Language::cpp) {
      errors_.add(fields.key("host_options"), "host_options does not apply to a C++ function", "use options");
    }
  }
  if (const YamlNode* node = fields.section("environment")) {
    read_environment(*node);
    if (kernel.language == Language::cuda || kernel.language == Language::command) {
      errors_.add(fields.key("environment"), "environment does not apply to a CUDA kernel");
    }
  }
  if (const YamlNode* node = fields.section("arguments")) {
    add_arguments(read_arguments(*node, kernel.axes, folder_, names_, errors_));
  }
  const YamlNode* check = fields.section("check");
  const YamlNode* inputs = check == nullptr ? nullptr : check->find("inputs");
  if (inputs != nullptr) read_other_inputs(*inputs, kernel.axes, folder_, arguments_, names_, errors_);
  kernel.launches =
      launches(fields.require("launches", "for example launches: {entry: f, grid: n, block: 256}"),
               LaunchesOf::candidate);
  if (const YamlNode* node = fields.section("setup")) read_setup(*node);
  if (const YamlNode* node = fields.find("reference")) read_reference(*node);
  if (const YamlNode* node = fields.find("verify")) read_verifier(*node);
  check_computed_inputs();
  check_outputs();
  for (WrittenArgument& written : arguments_) kernel.arguments.push_back(written.argument);
}

std::vector<Launch> DefinitionReader::launches(const YamlNode* node, LaunchesOf whose) {
  const KernelDefinition& kernel = definition_.kernel;
  if (node == nullptr) return {};
  return read_launches(*node, kernel.language, whose, kernel.axes, arguments_, names_, errors_);
}

void DefinitionReader::read_setup(const YamlNode& node) {
  const Fields fields(node, "setup", {"once", "each"}, errors_);
  if (!fields.is_map()) return;
  definition_.kernel.setup.once = launches(fields.find("once"), LaunchesOf::candidate);
  definition_.kernel.setup.each = launches(fields.find("each"), LaunchesOf::candidate);
  if (node.keys.empty()) {
    errors_.add(node, "a setup needs steps",
                "once: before a series of executions; each: before each execution");
  }
}

}  // namespace gktune
