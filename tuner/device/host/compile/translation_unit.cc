#include "tuner/device/host/compile/translation_unit.h"

#include <fmt/format.h>

#include "tuner/device/host/compile/kernel_source.h"
#include "tuner/source/flat_source.h"

namespace gktune {
namespace {

std::vector<std::string> add_entries(std::string& text, const NamedVariant& variant,
                                     std::string_view make_entry) {
  std::vector<std::string> symbols;
  for (const std::string& entry : variant.source->entries) {
    symbols.push_back(fmt::format("{}_{}", variant.name, symbols.size()));
    // Errors here are about the name, so they are said to be where names are written.
    text += line_directive(1, fmt::format("entry {}", entry));
    text += fmt::format(
        "extern \"C\" __attribute__((visibility(\"default\"), used)) const ::gktune::kernel::Entry {} = "
        "::gktune::kernel::{}<&{}>(R\"gktune({})gktune\");\n",
        symbols.back(), make_entry, entry, entry);
  }
  return symbols;
}

void add_macros(std::string& text, const SourcePlan& source) {
  for (const auto& [name, value] : source.macros) text += fmt::format("#define {} {}\n", name, value);
}

}  // namespace

TranslationUnit cuda_unit(std::span<const NamedVariant> variants) {
  TranslationUnit unit;
  std::vector<KernelSource> sources;
  unit.text = "#include \"gktune/cuda.h\"\n#include \"gktune/trampoline.h\"\n";
  for (const NamedVariant& variant : variants) {
    sources.push_back(read_kernel_source(*variant.source));
    unit.text += sources.back().headers;
  }
  unit.text += line_directive(1, "gktune") + "#include \"gktune/keywords.h\"\n";
  const bool is_batch = variants.size() > 1;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    add_macros(unit.text, *variants[i].source);
    // Nameless within, so that what no entry needs is not compiled.
    if (is_batch) unit.text += fmt::format("namespace gktune_variant_{} {{ namespace {{\n", i);
    unit.text += sources[i].text;
    if (is_batch) unit.text += "}\n";
    unit.symbols.push_back(add_entries(unit.text, variants[i], "kernel_entry"));
    if (is_batch) unit.text += "}\n";
    for (const auto& [name, value] : variants[i].source->macros)
      unit.text += fmt::format("#undef {}\n", name);
    for (const std::string& name : sources[i].macros) unit.text += fmt::format("#undef {}\n", name);
  }
  return unit;
}

TranslationUnit cpp_unit(const NamedVariant& variant) {
  TranslationUnit unit;
  unit.text = "#include \"gktune/trampoline.h\"\n";
  add_macros(unit.text, *variant.source);
  unit.text += line_directive(1, variant.source->path) + variant.source->text + "\n";
  unit.symbols.push_back(add_entries(unit.text, variant, "function_entry"));
  return unit;
}

}  // namespace gktune
