#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/space/definition.h"
#include "tuner/space/reader/names.h"

namespace gktune {

// The value of `check` in the file.
enum class Check { unspecified, none, wanted };

// An argument as the file describes it, without faulty parts.
struct WrittenArgument {
  Argument argument;
  Check check = Check::unspecified;
  const YamlNode* key = nullptr;
  const YamlNode* symbol = nullptr;
  const YamlNode* mask = nullptr;
};

// Reads the type of a scalar or of a buffer's elements. After an error it returns nothing or an unknown type.
std::optional<Pattern> read_element_type(const YamlNode& node, const std::vector<Axis>& axes, View view,
                                         Names& names, ErrorList& errors);

// `folder` is the folder of the space file; paths of .npy files are relative to it.
std::vector<WrittenArgument> read_arguments(const YamlNode& node, const std::vector<Axis>& axes,
                                            const std::string& folder, Names& names, ErrorList& errors);

// Reads `check: {inputs: …}`: contents of the arguments' buffers in fresh executions.
void read_other_inputs(const YamlNode& node, const std::vector<Axis>& axes, const std::string& folder,
                       std::vector<WrittenArgument>& arguments, Names& names, ErrorList& errors);

// The program that launches belong to. Expressions of references and verifiers may not use parameters.
enum class LaunchesOf { candidate, reference, verifier };
constexpr View view_of(LaunchesOf whose) {
  return whose == LaunchesOf::candidate ? View::candidate : View::problem;
}

std::vector<Launch> read_launches(const YamlNode& node, Language language, LaunchesOf whose,
                                  const std::vector<Axis>& axes,
                                  const std::vector<WrittenArgument>& arguments, Names& names,
                                  ErrorList& errors);

}  // namespace gktune
