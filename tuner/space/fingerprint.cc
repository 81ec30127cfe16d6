#include "tuner/space/fingerprint.h"

#include <algorithm>
#include <concepts>
#include <set>
#include <string_view>
#include <type_traits>

#include "tuner/source/tokens.h"
#include "tuner/space/definition.h"

namespace gktune {
namespace {

// A text with the bounds of its parts: "ab", "c" and "a", "bc" differ. Of a struct it has the names and the
// values of the fields that are set, so that a new field changes no fingerprint of a space without it.
class Canonical {
 public:
  template <class T>
  Canonical& add(const T& value) {
    if constexpr (std::convertible_to<const T&, std::string_view>) {
      const std::string_view text = value;
      text_ += std::to_string(text.size()) + ':';
      text_ += text;
    } else if constexpr (std::is_enum_v<T>) {
      add(enum_name(value));
    } else if constexpr (std::is_arithmetic_v<T>) {
      add(std::to_string(value));
    } else if constexpr (requires { value.text(); }) {  // an expression
      add(value.text());
    } else if constexpr (std::same_as<T, Pattern>) {
      add(value.text);
    } else if constexpr (requires { value.has_value(); }) {
      value ? add(*value) : add("-");
    } else if constexpr (requires { value.first; }) {
      add(value.first).add(value.second);
    } else if constexpr (requires { value.begin(); }) {
      add(value.size());
      for (const auto& item : value) add(item);
    } else {
      const auto add_if_set = [&](const char* name, const auto& field) {
        if (is_set(field)) add(name).add(field);
      };
      fields(add_if_set, value);
      text_ += ';';
    }
    return *this;
  }

  std::string hash() const { return content_key(text_); }

 private:
  template <class T>
  static bool is_set(const T& value) {
    if constexpr (std::is_enum_v<T> || std::is_arithmetic_v<T>) {
      return value != T{};
    } else if constexpr (std::same_as<T, Pattern>) {
      return !value.text.empty();
    } else if constexpr (requires { value.has_value(); }) {
      return value.has_value();
    } else if constexpr (requires { value.fill({}); }) {  // an array
      return std::ranges::any_of(value, [](const auto& item) { return is_set(item); });
    } else if constexpr (requires { value.empty(); }) {
      return !value.empty();
    } else {
      return true;
    }
  }

  std::string text_;
};

}  // namespace

std::string fingerprint(const KernelDefinition& kernel, const std::map<std::string, std::string>& let,
                        std::vector<std::string> included, const std::vector<std::string>& command) {
  // The names under which files are found depend on the working directory; their contents do not.
  for (std::string& text : included) text = without_layout(text);
  std::ranges::sort(included);
  std::map<std::string, std::string> axes;
  for (const Axis& axis : kernel.axes) axes[axis.name] = axis.macro;
  const std::set<std::string> parameters(kernel.parameter_names.begin(), kernel.parameter_names.end());
  // Launches name their arguments in order; the order in which they are described means nothing.
  std::vector<Argument> arguments = kernel.arguments;
  std::ranges::sort(arguments, {}, &Argument::name);
  std::vector<Reference> references;  // one at most
  if (kernel.reference) references.push_back(*kernel.reference);
  for (Reference& reference : references) reference.text = without_layout(reference.text);
  auto verifier = kernel.verifier;
  if (verifier) verifier->text = without_layout(verifier->text);
  std::vector<Setting> environment = kernel.environment;
  std::ranges::sort(environment, {}, &Setting::name);
  const bool is_cxx = kernel.language != Language::command;
  Canonical all;
  all.add(kernel.name)
      .add(kernel.language)
      .add(is_cxx ? without_layout(kernel.source_text) : kernel.source_text)
      .add(included)
      .add(let)
      .add(kernel.options)
      .add(kernel.host_options)
      .add(environment)
      .add(axes)
      .add(parameters)
      .add(arguments)
      .add(kernel.launches)
      .add(references)
      .add(verifier)
      .add(kernel.setup);
  if (!is_cxx) all.add(command);
  return all.hash();
}

}  // namespace gktune
