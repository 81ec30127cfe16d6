#include "tuner/device/worker/option_at_fault.h"

#include "tuner/core/text.h"

namespace gktune {

std::optional<std::string> option_at_fault(const FlatSource& source, const std::vector<std::string>& options,
                                           const std::function<bool(const HeaderCompile&)>& compiles) {
  std::vector<std::string> others;
  std::vector<std::vector<std::string>> definitions;  // -DX=1, or -D and X=1
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    if (option == "-D" && i + 1 < options.size()) {
      definitions.push_back({option, options[++i]});
    } else if (option.starts_with("-D") || option.starts_with("--define-macro")) {
      definitions.push_back({option});
    } else {
      others.push_back(option);
    }
  }
  std::string headers = "\n";
  const std::vector<bool> is_unconditional = unconditional_lines(source);
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const SourceLine& line = source.lines[i];
    if (line.kind == SourceLine::Kind::system_include && is_unconditional[i]) headers += line.text;
  }
  const auto compiles_with = [&](std::vector<std::string> definition) {
    definition.insert(definition.begin(), others.begin(), others.end());
    return compiles({headers, std::move(definition)});
  };
  if (definitions.empty() || !compiles_with({})) return std::nullopt;
  for (const std::vector<std::string>& definition : definitions) {
    if (compiles_with(definition)) continue;
    return "option " + joined(definition, " ") +
           ": CUDA's own headers use that name, and fail with the macro; give it another name\n";
  }
  return std::nullopt;
}

}  // namespace gktune
