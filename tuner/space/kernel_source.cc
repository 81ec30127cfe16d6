#include "tuner/space/kernel_source.h"

#include <algorithm>

#include "tuner/source/kernel_code.h"

namespace gktune {

void keep_kernels(FlatSource& source, std::span<const SourcePlan* const> variants) {
  std::vector<std::string> texts;
  NameSet parameters;
  for (const SourcePlan* variant : variants) {
    texts.insert(texts.end(), variant->entries.begin(), variant->entries.end());
    texts.insert(texts.end(), variant->options.begin(), variant->options.end());
    for (const auto& [name, value] : variant->macros) {
      texts.push_back(value);
      parameters.insert(name);
    }
  }
  // Without entries everything counts.
  const bool has_entries =
      std::ranges::any_of(variants, [](const SourcePlan* each) { return !each->entries.empty(); });
  if (has_entries) drop_host_code(source, words_of(texts));
  replace_settings(source, parameters);
}

void keep_kernels(FlatSource& source, const SourcePlan& variant) {
  const SourcePlan* only = &variant;
  keep_kernels(source, {&only, 1});
}

std::vector<std::pair<std::string, std::string>> macros_for(const FlatSource& source,
                                                            const SourcePlan& variant) {
  auto macros = variant.macros;
  for (auto& [name, value] : macros) name = macro_of(source, name);
  return macros;
}

}  // namespace gktune
