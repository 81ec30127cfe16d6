#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/space/definition.h"
#include "tuner/space/reader/names.h"

namespace gktune {

// The check that the file asks for.
enum class Check { unspecified, none, wanted };

// An argument as written, without its faulty parts.
struct WrittenArgument {
  Argument argument;
  Check check = Check::unspecified;
  const YamlNode* key = nullptr;
  const YamlNode* symbol = nullptr;
  const YamlNode* mask = nullptr;
};

// The type of a scalar or of a buffer's elements. After an error there is none, or one that is not known.
std::optional<Pattern> read_element_type(const YamlNode& node, const std::vector<Axis>& axes, View view, Names& names,
                                         ErrorList& errors);

// .npy files are relative to `folder`, the folder of the space file.
std::vector<WrittenArgument> read_arguments(const YamlNode& node, const std::vector<Axis>& axes,
                                            const std::string& folder, Names& names, ErrorList& errors);

}  // namespace gktune
