// The reader's part for candidates: sources that bring their own launches to a space.
#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "tuner/space/reader/definition_reader.h"

namespace gktune {
namespace {

// A candidate has none of the space's parameters.
bool has_parameter(const Constraint& constraint, const Definition& space) {
  return std::ranges::any_of(constraint.condition.names(), [&](const Expression::NameUse& use) {
    return std::ranges::find(space.parameters, use.name, &Parameter::name) != space.parameters.end();
  });
}

bool takes(const KernelDefinition& kernel, const std::string& argument) {
  return takes(kernel.launches, argument) || takes(kernel.setup.once, argument) ||
         takes(kernel.setup.each, argument);
}

// True if the argument is a file that the reference reads and the space's kernel does not: it may hold the
// expected outputs.
bool is_expected(const Argument& argument, const KernelDefinition& kernel) {
  if (argument.role != Argument::Role::in || argument.contents.kind != Contents::Kind::file) return false;
  if (!argument.symbol.empty() || takes(kernel, argument.name)) return false;
  return kernel.reference && takes(kernel.reference->launches, argument.name);
}

// The reference has to work on the same device, and a CPU has no kernels in functions of C++.
bool are_of_one_device(Language candidate, Language space) {
  const auto is_of_cuda = [](Language each) { return each == Language::cuda || each == Language::host; };
  return candidate == space ? space != Language::command : is_of_cuda(candidate) && is_of_cuda(space);
}

// The copies in the candidate's definition belong to another source than the candidate's.
void name_source(PlainCode& code, const KernelDefinition& kernel) {
  if (!code.path.empty()) return;
  code.path = kernel.source_path;
  code.text = kernel.source_text;
}

}  // namespace

// Takes over what a candidate must not change. `place` is where errors about the space's arguments point.
void DefinitionReader::begin_candidate(const YamlNode& place, Language language, std::string source,
                                       const Definition& space) {
  definition_.search = space.search;
  definition_.check_problems = space.check_problems;
  std::ranges::copy_if(space.constraints, std::back_inserter(definition_.constraints),
                       [&](const Constraint& each) { return !has_parameter(each, space); });
  KernelDefinition& kernel = definition_.kernel = space.kernel;
  kernel.language = language;
  kernel.source_path = definition_.path;
  kernel.source_text = std::move(source);
  kernel.options.clear();
  kernel.host_options.clear();
  kernel.environment.clear();
  kernel.parameter_names.clear();
  kernel.default_values = {};
  kernel.setup = {};
  kernel.metrics.clear();  // may use the space's parameters
  kernel.objective = {};
  kernel.allowed_races.lines.clear();
  if (kernel.reference) name_source(*kernel.reference, space.kernel);
  if (kernel.verifier) name_source(*kernel.verifier, space.kernel);
  for (Argument& argument : kernel.arguments) {
    const Check check = argument.check ? Check::wanted : Check::none;
    arguments_.push_back({std::move(argument), check, &place, &place, &place});
  }
  kernel.arguments.clear();
}

// Those of the space, if this is a candidate, are there already.
void DefinitionReader::add_arguments(std::vector<WrittenArgument> written) {
  const std::vector<WrittenArgument> of_space = arguments_;
  for (WrittenArgument& own : written) {
    Argument& argument = own.argument;
    const bool is_known = std::ranges::any_of(
        of_space, [&](const WrittenArgument& each) { return each.argument.name == argument.name; });
    if (is_known) {
      errors_.add(*own.key, "the space has an argument '" + argument.name + "' already",
                  "give the candidate's own another name");
      continue;
    }
    if (!of_space.empty() && (argument.role != Argument::Role::scratch || argument.value)) {
      errors_.add(*own.key, "a candidate's own argument is scratch memory",
                  "add role: scratch; a launch passes values itself: {value: 4, type: int32}");
      argument.role = Argument::Role::scratch;
    }
    arguments_.push_back(std::move(own));
  }
}

Definition DefinitionReader::read_candidate(const YamlNode& root, std::string source,
                                            const Definition& space) {
  const Fields fields(root, "candidate",
                      {"language", "parameters", "let", "constraints", "options", "host_options", "arguments",
                       "launches", "setup"},
                      errors_);
  if (!fields.is_map()) return definition_;
  Language language = language_of(definition_.path).value_or(space.kernel.language);
  if (const YamlNode* node = fields.find("language"))
    language = read_enum<Language>(*node, "language", errors_).value_or(language);
  if (!are_of_one_device(language, space.kernel.language)) {
    errors_.add(
        root,
        "a candidate of language " + std::string(language_name(language)) +
            " does not fit a space of language " + std::string(language_name(space.kernel.language)),
        "CUDA kernels, and host code that launches some (language: host), are for spaces of these two; "
        "C++ functions for those of c++");
    return definition_;
  }
  begin_candidate(fields.key("launches"), language, std::move(source), space);
  for (const Axis& axis : definition_.kernel.axes) {
    YamlNode key;
    key.kind = YamlNode::Kind::scalar;
    key.text = axis.name;
    names_.add_axis(key);
  }
  read_names(fields);
  read_values(fields);
  if (const YamlNode* node = fields.section("constraints")) read_constraints(*node);
  names_.take_used_definitions();
  read_kernel(fields);
  for (const Argument& argument : space.kernel.arguments) {
    if (is_expected(argument, space.kernel) && takes(definition_.kernel, argument.name))
      errors_.add(fields.key("launches"), "a candidate cannot take '" + argument.name + "'",
                  "only the reference does: list the arguments of the launch: arguments: [in, out]");
  }
  used_definitions_ = names_.take_used_definitions();
  finish(fields);
  KernelDefinition judge = space.kernel;
  pad_arguments(judge, definition_.kernel.arguments.size());
  definition_.kernel.judge = std::make_shared<const KernelDefinition>(std::move(judge));
  return std::move(definition_);
}

}  // namespace gktune
