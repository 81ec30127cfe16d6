#include "tuner/space/fingerprint.h"

#include <algorithm>

#include "tuner/space/content_key.h"

namespace gktune {
namespace {

// A text with the bounds of its parts: "ab", "c" and "a", "bc" differ.
class Canonical {
 public:
  Canonical& add(std::string_view text) {
    text_ += std::to_string(text.size());
    text_ += ':';
    text_ += text;
    return *this;
  }
  Canonical& add(const std::optional<Expression>& expression) {
    return add(expression ? std::string_view(expression->text()) : std::string_view("-"));
  }
  Canonical& add(const Pattern& pattern) { return add(pattern.text); }
  Canonical& add(std::size_t number) { return add(std::to_string(number)); }
  Canonical& add(std::vector<std::string> texts) {
    add(texts.size());
    for (const std::string& text : texts) add(text);
    return *this;
  }
  Canonical& add(const std::map<std::string, std::string>& texts) {
    add(texts.size());
    for (const auto& [name, text] : texts) add(name).add(text);
    return *this;
  }

  std::string hash() const { return content_key(text_); }

 private:
  std::string text_;
};

void add_passed(Canonical& canonical, const std::vector<PassedArgument>& passed) {
  canonical.add(passed.size());
  for (const PassedArgument& argument : passed) {
    canonical.add(argument.name);
    if (argument.value) canonical.add(argument.type).add(argument.value);
    if (!argument.members.empty()) {
      canonical.add("struct");
      add_passed(canonical, argument.members);
    }
    if (const auto& texture = argument.texture) {
      canonical.add("texture").add(texture->buffer).add(texture->sizes.size());
      for (const Expression& each : texture->sizes) canonical.add(each.text());
      canonical.add(texture->pitch).add(texture->channels).add(texture->address).add(texture->filter);
      canonical.add(texture->normalized).add(texture->reads_fractions);
    }
    if (!argument.tensor_map) continue;
    canonical.add("tensor map").add(argument.tensor_map->buffer).add(argument.tensor_map->swizzle);
    for (const auto* list :
         {&argument.tensor_map->sizes, &argument.tensor_map->strides, &argument.tensor_map->box}) {
      canonical.add(list->size());
      for (const Expression& each : *list) canonical.add(each.text());
    }
  }
}

// Adds rare attributes by name, and only if present, so that launches without them keep their fingerprints.
void add_attributes(Canonical& canonical, const Launch& launch) {
  if (launch.cluster[0]) {
    canonical.add("cluster");
    for (const auto& extent : launch.cluster) canonical.add(extent);
  }
  if (launch.cooperative) canonical.add("cooperative").add(launch.cooperative);
  if (launch.programmatic) canonical.add("programmatic").add(launch.programmatic);
  if (launch.carveout) canonical.add("carveout").add(launch.carveout);
}

void add_launches(Canonical& canonical, const std::vector<Launch>& launches) {
  canonical.add(launches.size());
  for (const Launch& launch : launches) {
    canonical.add(launch.entry)
        .add(launch.fill)
        .add(launch.fill_byte)
        .add(launch.shared_bytes)
        .add(launch.when);
    for (const auto& extent : launch.grid) canonical.add(extent);
    for (const auto& extent : launch.block) canonical.add(extent);
    add_passed(canonical, launch.arguments);
    add_attributes(canonical, launch);
    if (!launch.rounds) continue;
    canonical.add("repeat").add(launch.rounds).add(launch.index).add(launch.swap);
    add_launches(canonical, launch.body);
  }
}

void add_argument(Canonical& canonical, const Argument& argument) {
  canonical.add(argument.name).add(argument.type).add(argument.value).add(argument.extent);
  canonical.add(static_cast<std::size_t>(argument.role));
  const Contents& contents = argument.contents;
  canonical.add(static_cast<std::size_t>(contents.kind)).add(contents.a).add(contents.b).add(contents.seed);
  if (contents.kind > ContentsKind::file)
    canonical.add(contents.width).add(contents.exponent).add(contents.lengths).add(contents.offsets);
  if (!contents.array.text.empty()) canonical.add(contents.array);
  if (contents.is_computed) canonical.add("computed");
  canonical.add(contents.file).add(argument.check.has_value() ? "checked" : "unchecked");
  if (argument.check) {
    const Tolerance& check = *argument.check;
    canonical.add(check.absolute).add(check.relative).add(check.ulp);
    // Rare rules are added by name, and only if present.
    if (check.norm) canonical.add("norm").add(check.norm);
    if (check.pitch) canonical.add("row").add(check.row).add(check.pitch);
    if (!check.mask.empty()) canonical.add("mask").add(check.mask);
    if (check.any_order) canonical.add("any order");
    if (check.nan_equals) canonical.add("nan equals");
  }
  if (!argument.symbol.empty()) canonical.add("symbol").add(argument.symbol);
}

}  // namespace

std::string fingerprint(const KernelDefinition& kernel, const std::map<std::string, std::string>& let,
                        std::vector<std::string> included) {
  Canonical canonical;
  canonical.add(kernel.name).add(static_cast<std::size_t>(kernel.language));
  const Reference none;
  const Reference& first = kernel.references.empty() ? none : kernel.references.front();
  canonical.add(kernel.source_text).add(first.text);
  // The names under which files are found depend on the working directory; their contents do not.
  std::ranges::sort(included);
  canonical.add(std::move(included));
  canonical.add(let);
  for (const auto* options : {&kernel.options, &kernel.host_options}) {
    canonical.add(options->size());
    for (const Option& option : *options) canonical.add(option.flag).add(option.when);
  }
  std::map<std::string, std::string> settings, axes, parameters;
  for (const Setting& setting : kernel.environment) settings[setting.name] = setting.value.text();
  for (const Axis& axis : kernel.axes) axes[axis.name] = axis.macro;
  for (const std::string& name : kernel.parameter_names) parameters[name];
  canonical.add(settings).add(axes).add(parameters);
  // Launches name their arguments in order; the order in which they are described means nothing.
  std::vector<Argument> arguments = kernel.arguments;
  std::ranges::sort(arguments, {}, &Argument::name);
  canonical.add(arguments.size());
  for (const Argument& argument : arguments) add_argument(canonical, argument);
  add_launches(canonical, kernel.launches);
  // A further reference is added by name, so that a space with one plain reference keeps its fingerprint.
  for (const Reference& reference : kernel.references) {
    if (&reference != &first) canonical.add("reference").add(reference.text);
    if (reference.when) canonical.add("when").add(reference.when);
    add_launches(canonical, reference.launches);
    if (reference.inputs.empty()) continue;
    canonical.add("inputs");
    add_launches(canonical, reference.inputs);
  }
  if (kernel.verifier) {
    canonical.add("verify").add(kernel.verifier->text);
    add_launches(canonical, kernel.verifier->launches);
  }
  for (const auto& [name, steps] :
       {std::pair("once", &kernel.setup.once), std::pair("each", &kernel.setup.each)}) {
    if (steps->empty()) continue;
    canonical.add(name);
    add_launches(canonical, *steps);
  }
  // The regime identifies the study itself. It was hashed here once: this constant keeps the fingerprints of
  // the default regime as they were.
  canonical.add(regime_name(Regime::cold));
  return canonical.hash();
}

}  // namespace gktune
