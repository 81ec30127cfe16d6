#include "tuner/device/host/compile/missing_entry.h"

#include "tuner/source/flat_source.h"
#include "tuner/space/missing_function.h"

namespace gktune {
namespace {

// The part of the line with a compiler's first error that stands before the message.
std::string_view place_of_first_error(std::string_view log) {
  const std::size_t error = log.find("error:");
  if (error == std::string_view::npos) return {};
  const std::size_t begin = log.rfind('\n', error) + 1;  // npos + 1 is 0
  return log.substr(begin, error - begin);
}

}  // namespace

std::optional<std::string> missing_entry(const SourcePlan& source, std::string_view log) {
  const std::string_view place = place_of_first_error(log);
  for (const std::string& entry : source.entries) {
    if (!place.starts_with("entry " + entry + ':')) continue;
    return missing_function(
        entry, source.path,
        text_of(flatten(source.path, source.text, source.include_dirs, AngleIncludes::expand)));
  }
  return std::nullopt;
}

}  // namespace gktune
