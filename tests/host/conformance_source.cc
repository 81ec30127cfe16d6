#include <map>
#include <regex>
#include <stdexcept>

#include "tests/host/conformance.h"
#include "tuner/core/embedded_file.h"

namespace gktune {

// The test program contains the files, because it may run on another machine than the one that built it.
std::span<const EmbeddedFile> conformance_kernels();

namespace {

std::vector<std::string> entries_of(const std::string& text) {
  static const std::map<std::string, std::vector<std::string>> kTemplates{
      {"templated", {"templated<float, 3>", "templated<int, 5>"}},
      {"tiles", {"tiles<4>", "tiles<16>", "tiles<32>"}},
      {"in_namespace", {"inner::in_namespace"}}};
  std::vector<std::string> entries;
  const std::regex kernel(R"(__global__ void (__launch_bounds__\([^)]*\) )?(\w+)\()");
  for (std::sregex_iterator it(text.begin(), text.end(), kernel), end; it != end; ++it) {
    const std::string name = (*it)[2];
    const auto found = kTemplates.find(name);
    if (found == kTemplates.end()) {
      entries.push_back(name);
    } else {
      entries.insert(entries.end(), found->second.begin(), found->second.end());
    }
  }
  return entries;
}

}  // namespace

std::vector<std::string> conformance_files() {
  std::vector<std::string> files;
  for (const EmbeddedFile& kernels : conformance_kernels()) files.emplace_back(kernels.path);
  return files;
}

SourcePlan conformance_source(const std::string& file) {
  for (const EmbeddedFile& kernels : conformance_kernels()) {
    if (kernels.path != file) continue;
    SourcePlan source;
    source.path = "tests/host/kernels/" + file;
    source.text = kernels.text;
    source.entries = entries_of(source.text);
    return source;
  }
  throw std::runtime_error("no kernels in " + file);
}

}  // namespace gktune
