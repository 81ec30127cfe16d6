#include "tuner/space/plan.h"

#include <algorithm>

#include "tuner/source/kernel_code.h"

namespace gktune {
namespace {

// True if a step passes the argument with this index: by itself, in a struct, as a tensor map or as a texture.
bool passes(const std::vector<int>& passed, int index, const ProgramPlan& program, int first_value) {
  return std::ranges::any_of(passed, [&](int each) {
    if (each == index) return true;
    if (each < first_value) return false;
    const ArgumentPlan& value = program.values[static_cast<std::size_t>(each - first_value)];
    return value.tensor_map.argument == index || value.texture.argument == index ||
           passes(value.members, index, program, first_value);
  });
}

void add_textured(const std::vector<Launch>& launches, std::set<std::string>& names) {
  for (const Launch& launch : launches) {
    for (const PassedArgument& passed : launch.arguments) {
      if (passed.texture) names.insert(passed.texture->buffer);
    }
    add_textured(launch.body, names);
    const bool has_some =
        std::ranges::any_of(launch.swap, [&](const std::string& name) { return names.contains(name); });
    if (has_some) names.insert(launch.swap.begin(), launch.swap.end());
  }
}

std::size_t rounded_up(std::size_t size, std::size_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

}  // namespace

std::set<std::string> textured_buffers(const KernelDefinition& kernel) {
  std::set<std::string> names;
  for (const auto* launches : {&kernel.launches, &kernel.setup.once, &kernel.setup.each})
    add_textured(*launches, names);
  if (kernel.reference) {
    add_textured(kernel.reference->inputs, names);
    add_textured(kernel.reference->launches, names);
  }
  if (kernel.verifier) add_textured(kernel.verifier->launches, names);
  return names;
}

bool takes(const ProgramPlan& program, int index, std::size_t arguments) {
  const auto takes_it = [&](const StepPlan& step) {
    return step.fill_argument == index || step.flag_argument == index ||
           passes(step.arguments, index, program, static_cast<int>(arguments));
  };
  return std::ranges::any_of(program.steps, takes_it) || std::ranges::any_of(program.setup_once, takes_it) ||
         std::ranges::any_of(program.setup_each, takes_it);
}

const ArgumentPlan& passed_argument(const std::vector<ArgumentPlan>& arguments, const ProgramPlan& program,
                                    int index) {
  const auto i = static_cast<std::size_t>(index);
  return i < arguments.size() ? arguments[i] : program.values[i - arguments.size()];
}

std::vector<ArgumentPlan> verifier_arguments(const std::vector<ArgumentPlan>& arguments) {
  std::vector<ArgumentPlan> all;
  for (const std::string_view prefix : {std::string_view(), kExpectedPrefix}) {
    for (const ArgumentPlan& argument : arguments) {
      all.push_back(argument);
      all.back().name.insert(0, prefix);
      all.back().role = Argument::Role::in;
      all.back().is_checked = false;
    }
  }
  ArgumentPlan& verdict = all.emplace_back();
  verdict.name = kVerdictName;
  verdict.type = ElementType::uint64;
  verdict.count = 2;
  verdict.role = Argument::Role::out;
  // No wrong element, and an index beyond all of them.
  verdict.contents.kind = ContentsKind::ramp;
  verdict.contents.b_integer = -1;
  return all;
}

bool are_of_one_problem(const std::vector<ArgumentPlan>& a, const std::vector<ArgumentPlan>& b,
                        const ProgramPlan& reference, const ProgramPlan& verifier) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ArgumentPlan like_b = a[i];
    if (like_b.is_scalar) {
      const bool is_judges = takes(reference, static_cast<int>(i), a.size()) ||
                             takes(verifier, static_cast<int>(i), verdict_index(a.size()) + 1);
      if (!is_judges) like_b.scalar = b[i].scalar;
    } else if (like_b.role == Argument::Role::scratch) {
      like_b.count = b[i].count;
      // A candidate's own.
      if (!takes(reference, static_cast<int>(i), a.size())) like_b.name = b[i].name, like_b.type = b[i].type;
    }
    if (like_b != b[i]) return false;
  }
  return true;
}

StructLayout layout_of(const std::vector<ArgumentPlan>& arguments, const ProgramPlan& program, int index) {
  const ArgumentPlan& argument = passed_argument(arguments, program, index);
  StructLayout layout;
  if (argument.is_tensor_map()) {
    layout.bytes = kTensorMapBytes;
    layout.alignment = 64;
    return layout;
  }
  if (argument.is_texture()) {
    layout.bytes = layout.alignment = kTextureBytes;
    return layout;
  }
  if (argument.members.empty()) {
    layout.bytes = argument.is_scalar ? element_size(argument.type) : sizeof(void*);
    layout.alignment = argument.is_scalar ? element_size(argument.type) : sizeof(void*);
    layout.parts.push_back({0, layout.bytes, index});
    return layout;
  }
  for (const int each : argument.members) {
    const StructLayout member = layout_of(arguments, program, each);
    const std::size_t offset = rounded_up(layout.bytes, member.alignment);
    for (const StructLayout::Part& part : member.parts)
      layout.parts.push_back({offset + part.offset, part.bytes, part.index});
    layout.bytes = offset + member.bytes;
    layout.alignment = std::max(layout.alignment, member.alignment);
  }
  layout.bytes = rounded_up(layout.bytes, layout.alignment);
  return layout;
}

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
  drop_host_code(source, words_of(texts), unmarked_with(variants.front()->options));
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
