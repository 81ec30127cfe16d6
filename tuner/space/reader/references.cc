// The reader's part for the reference and the verifier, and for the outputs that they compute.
#include <algorithm>

#include "tuner/source/source_names.h"
#include "tuner/space/reader/definition_reader.h"
#include "tuner/space/reader/launches.h"

namespace gktune {
namespace {

bool has_word(const FlatSource& source, const std::string& word) {
  return SourceMacros(source).find(word).is_used;
}

}  // namespace

// Variables have to be in the sources.
void DefinitionReader::check_symbols(const FlatSource& source, const FlatSource& of_reference) {
  KernelDefinition& kernel = definition_.kernel;
  for (const WrittenArgument& written : arguments_) {
    const std::string& symbol = written.argument.symbol;
    if (symbol.empty()) continue;
    if (kernel.language == Language::host) {
      errors_.add(*written.symbol, "symbol does not apply to host code", "pass the buffer as an argument");
      continue;
    }
    if (kernel.language == Language::command) {
      errors_.add(*written.symbol, "symbol does not apply to language: command",
                  "pass the buffer as an argument");
      continue;
    }
    const std::string name = symbol.substr(symbol.rfind(':') + 1);  // npos + 1 is 0
    if (!has_word(source, name)) {
      errors_.add(*written.symbol, "'" + kernel.source_path + "' has no variable '" + name + "'",
                  "declare it there as __constant__ or __device__");
    }
    if (!kernel.reference) continue;
    Reference& reference = *kernel.reference;
    const bool is_passed =
        takes(reference.inputs, written.argument.name) || takes(reference.launches, written.argument.name);
    const bool has_it = reference.path.empty() || has_word(of_reference, name);
    if (!is_passed && has_it) reference.symbols.insert(symbol);
  }
}

void DefinitionReader::read_own_source(const Fields& fields, const std::string& noun, PlainCode& code) {
  const Language of_kernel = definition_.kernel.language;
  const YamlNode* source =
      of_kernel == Language::command
          ? fields.require("source", "a CUDA source: the command compiles the kernel only")
          : fields.find("source");
  if (source == nullptr) return;
  code.text = load(*source, code.path);
  if (code.path ==
      definition_.kernel.source_path) {  // as if none was named: it sees the parameters' defaults
    code = {};
    return;
  }
  const auto language = language_of(code.path);
  if (of_kernel == Language::command) {
    if (language != Language::cuda) errors_.add(*source, "the " + noun + " must be a CUDA source (.cu)");
    return;
  }
  if (language && *language != of_kernel && of_kernel != Language::host)
    errors_.add(*source, "the " + noun + " must be in the kernel's language");
}

void DefinitionReader::note_declarations(PlainCode& code, FlatSource source) const {
  if (code.path.empty()) return;
  code.signatures = signatures_in(source, macros());
  if (definition_.kernel.language == Language::cuda || definition_.kernel.language == Language::command)
    drop_host_code(source, mentioned_names(), unmarked_with(option_texts(definition_.kernel.options)));
  code.undefined_names = declared_names(source);
}

void DefinitionReader::read_default_reference(const YamlNode& node) {
  if (node.text != "default") {
    errors_.add(
        node, "the reference '" + node.text + "' is not known",
        "reference: default compares with the default configuration; else a map with source and launches");
    return;
  }
  Reference reference;
  reference.is_default = true;
  reference.launches = definition_.kernel.launches;
  definition_.kernel.reference = std::move(reference);
}

void DefinitionReader::read_reference(const YamlNode& node) {
  if (node.is_scalar()) return read_default_reference(node);
  const Fields fields(node, "reference", {"source", "inputs", "launches"}, errors_);
  if (!fields.is_map()) return;
  Reference reference;
  read_own_source(fields, "reference", reference);
  const YamlNode* inputs = fields.find("inputs");
  reference.inputs = launches(inputs, LaunchesOf::reference);
  const YamlNode* steps = inputs != nullptr
                              ? fields.find("launches")
                              : fields.require("launches", "the functions that compute the expected outputs");
  reference.launches = launches(steps, LaunchesOf::reference);
  definition_.kernel.reference = std::move(reference);
}

void DefinitionReader::read_verifier(const YamlNode& node) {
  KernelDefinition& kernel = definition_.kernel;
  const Fields fields(node, "verify", {"source", "launches"}, errors_);
  if (!fields.is_map()) return;
  Verifier verifier;
  read_own_source(fields, "verifier", verifier);
  const YamlNode* launches = fields.require("launches", "the functions that count wrong elements");
  // All but the verdict is read.
  std::vector<WrittenArgument> readable;
  for (const WrittenArgument& written : arguments_) {
    const Argument& argument = written.argument;
    if (argument.name == kVerdictName || argument.name.starts_with(kExpectedPrefix)) {
      errors_.add(*written.key, "the name '" + argument.name + "' belongs to the verifier",
                  "rename the argument");
    }
    readable.push_back(written);
    if (!has_expected(argument)) continue;
    readable.push_back(written);
    readable.back().argument.name.insert(0, kExpectedPrefix);
  }
  WrittenArgument& verdict = readable.emplace_back();
  verdict.argument.name = kVerdictName;
  if (launches == nullptr) return;
  verifier.launches =
      read_launches(*launches, kernel.language, LaunchesOf::verifier, kernel.axes, readable, names_, errors_);
  for (const WrittenArgument& written : arguments_) {
    const std::string& name = written.argument.name;
    if (written.argument.role != Argument::Role::scratch || !takes(verifier.launches, name)) continue;
    errors_.add(*launches, "the verifier cannot take '" + name + "': it is scratch memory of the candidate",
                "keep sums in __device__ variables of the verifier's source");
  }
  if (!verifier.launches.empty() && !takes(verifier.launches, std::string(kVerdictName))) {
    errors_.add(
        *launches, "no launch of the verifier passes its verdict",
        "arguments: [out, verdict], for unsigned long long* verdict: verdict[0] counts wrong elements, "
        "verdict[1] is the index of the first");
  }
  kernel.verifier = std::move(verifier);
}

bool DefinitionReader::has_expected(const Argument& argument) const {
  if (argument.role != Argument::Role::out && argument.role != Argument::Role::inout) return false;
  const std::optional<Reference>& reference = definition_.kernel.reference;
  return reference && !reference->launches.empty() &&
         (!argument.symbol.empty() || takes(reference->launches, argument.name));
}

void DefinitionReader::check_computed_inputs() {
  const std::optional<Reference>& reference = definition_.kernel.reference;
  for (const WrittenArgument& written : arguments_) {
    const Argument& argument = written.argument;
    const bool is_computed = reference && takes(reference->inputs, argument.name);
    if (!argument.contents.is_computed || is_computed) continue;
    errors_.add(*written.key, "nothing computes the input '" + argument.name + "'",
                "reference: {inputs: {entry: …, arguments: [" + argument.name + ", …]}, …}");
  }
}

void DefinitionReader::check_outputs() {
  KernelDefinition& kernel = definition_.kernel;
  for (WrittenArgument& written : arguments_) {
    Argument& argument = written.argument;
    if (argument.role != Argument::Role::out && argument.role != Argument::Role::inout) continue;
    if (argument.symbol.empty() && !takes(kernel.launches, argument.name)) {
      errors_.add(*written.key, "no launch has the output '" + argument.name + "' among its arguments");
    }
    const bool has_reference = has_expected(argument);
    if (written.check == Check::wanted && !has_reference) {
      errors_.add(*written.key, "output '" + argument.name + "' has a check, but no reference computes it",
                  "add it to the arguments of a launch of the reference");
    }
    if (written.check == Check::unspecified && has_reference) argument.check.emplace();
  }
}

}  // namespace gktune
