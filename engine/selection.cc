#include "engine/selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>
#include <charconv>
#include <limits>
#include <ranges>
#include <utility>

#include "gktune/values.h"
#include "tuner/core/quantity.h"
#include "tuner/core/text.h"
#include "tuner/space/definition.h"

namespace gktune {
namespace {

// The names and values of "n=1Mi,4Mi,T=float", as typed.
using AxisSelection = std::vector<std::pair<std::string, std::vector<std::string>>>;

// The message of an error shows `example`.
Result<AxisSelection> parse_selection(std::string_view text, std::string_view example) {
  const Error none{fmt::format("'{}' selects no values; write it as {}", text, example)};
  if (text.empty()) return none;
  AxisSelection selection;
  for (const auto range : std::views::split(text, ',')) {
    const std::string_view part(range.begin(), range.end());
    std::size_t sign = part.find('=');
    std::string value(part.substr(sign == std::string_view::npos ? 0 : sign + 1));
    bool names_axis = sign != std::string_view::npos && sign > 0;
    if (value.empty() || (!names_axis && (selection.empty() || sign == 0))) return none;
    if (!names_axis) {
      selection.back().second.push_back(std::move(value));
      continue;
    }
    std::string name(part.substr(0, sign));
    if (std::ranges::find(selection, name, &AxisSelection::value_type::first) != selection.end()) {
      return Error{fmt::format("'{}' names {} twice; write it as {}=A,B", text, name, name)};
    }
    selection.push_back({std::move(name), {std::move(value)}});
  }
  return selection;
}

constexpr std::string_view kExample = "n=1Mi,T=float";

Result<Value> value_as(Value::Kind kind, const std::string& typed) {
  if (kind == Value::Kind::text) return Value(typed);
  if (kind == Value::Kind::integer) {
    auto integer = parse_integer(typed);
    return integer ? Result<Value>(*integer) : integer.error();
  }
  const Value value = parse_value(typed);
  if (kind == Value::Kind::boolean) {
    return value.is_boolean() ? Result<Value>(value) : Error{"'" + typed + "' is neither true nor false"};
  }
  return value.is_number() ? Result<Value>(value.number()) : Error{"'" + typed + "' is not a number"};
}

// ", did you mean 'n'?", or all names and values that are known.
std::string choice_of(std::string_view typed, const std::vector<std::string>& known) {
  std::string guess = did_you_mean(typed, known);
  return guess.empty() ? fmt::format("; there is {}", fmt::join(known, ", ")) : guess;
}

std::vector<std::string> texts_of(const std::vector<Value>& values) {
  std::vector<std::string> texts;
  for (const Value& value : values) texts.push_back(value.str());
  return texts;
}

Error unknown_axis(const std::string& name, const std::vector<std::string>& names) {
  return Error{"unknown problem axis '" + name + "'" +
               (names.empty() ? ": this problem has no axes" : choice_of(name, names))};
}

// The selected values of one axis.
Result<std::vector<Value>> chosen_values(const Axis& axis, const std::vector<std::string>& typed) {
  std::vector<Value> values;
  for (const std::string& text : typed) {
    auto value = value_as(axis.values.empty() ? parse_value(text).kind() : axis.values.front().kind(), text);
    if (!value) return Error{"axis " + axis.name + ": " + value.error().message};
    bool is_listed = std::ranges::find(axis.values, *value) != axis.values.end();
    if (!is_listed && !value->is_integer()) {
      return Error{fmt::format("axis {} has no value '{}'{}", axis.name, text,
                               choice_of(text, texts_of(axis.values)))};
    }
    values.push_back(*std::move(value));
  }
  return values;
}

// The listed value that the user typed.
Result<Value> listed_value(const Parameter& parameter, const std::string& typed) {
  const Value meant = parse_value(typed);
  for (const Value& value : parameter.values) {
    const bool is_number = value.is_number() && meant.is_number() && value.number() == meant.number();
    if (value.str() == typed || is_number) return value;
  }
  return Error{fmt::format("parameter {} has no value '{}'{}", parameter.name, typed,
                           choice_of(typed, texts_of(parameter.values)))};
}

// Leaves the typed values.
Result<void> keep_values(Parameter& parameter, const std::vector<std::string>& typed) {
  std::vector<Value> values;
  for (const std::string& each : typed) {
    auto value = GKTUNE_TRY(listed_value(parameter, each));
    if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
  }
  const auto& by_default = parameter.default_value;
  if (by_default && std::ranges::find(values, *by_default) == values.end()) parameter.default_value.reset();
  parameter.values = std::move(values);
  return {};
}

// The problems with these values. A value that no problem has is put into all of them.
std::vector<Problem> narrowed(const std::vector<Problem>& problems, const std::string& axis,
                              const std::vector<Value>& values) {
  std::vector<Problem> chosen;
  for (const Value& value : values) {
    std::vector<Problem> matching;
    std::ranges::copy_if(problems, std::back_inserter(matching),
                         [&](const Problem& problem) { return *problem.find(axis) == value; });
    if (matching.empty()) matching = with_values(problems, axis, {value});
    for (Problem& problem : matching) chosen.push_back(std::move(problem));
  }
  return chosen;
}

}  // namespace

Result<std::vector<Problem>> select_problems(const KernelDefinition& kernel,
                                             const std::vector<std::string>& selections) {
  const std::vector<Problem> all = problems_of(kernel);
  if (selections.empty()) return all;
  std::vector<std::string> names;
  for (const Axis& axis : kernel.axes) names.push_back(axis.name);

  std::vector<Problem> problems;
  for (const std::string& text : selections) {
    auto selection = GKTUNE_TRY(parse_selection(text, kExample));
    std::vector<Problem> selected = all;
    for (const auto& [name, typed] : selection) {
      auto axis = std::ranges::find(kernel.axes, name, &Axis::name);
      if (axis == kernel.axes.end()) return unknown_axis(name, names);
      auto values = GKTUNE_TRY(chosen_values(*axis, typed));
      selected = narrowed(selected, name, values);
    }
    for (Problem& problem : selected) {
      if (std::ranges::find(problems, problem) == problems.end()) problems.push_back(std::move(problem));
    }
  }
  return problems;
}

Result<void> select_values(std::vector<Parameter>& parameters, const std::vector<std::string>& selections) {
  for (const std::string& text : selections) {
    auto selection = GKTUNE_TRY(parse_selection(text, "way=naive,tileM=64,128"));
    for (const auto& [name, typed] : selection) {
      auto parameter = std::ranges::find(parameters, name, &Parameter::name);
      if (parameter == parameters.end()) {
        std::vector<std::string> names;
        for (const Parameter& each : parameters) names.push_back(each.name);
        return Error{fmt::format("unknown parameter '{}'{}", name, choice_of(name, names))};
      }
      GKTUNE_TRY(keep_values(*parameter, typed));
    }
  }
  return {};
}

Result<Problem> parse_problem(std::string_view text, const std::vector<Problem>& known) {
  auto selection = GKTUNE_TRY(parse_selection(text, kExample));
  Problem problem;
  for (const auto& [name, typed] : selection) {
    if (typed.size() > 1) {
      return Error{fmt::format("'{}' asks for several problems; ask for one at a time", text)};
    }
    const Value* example = nullptr;
    std::vector<std::string> names;
    for (const Problem& each : known) {
      if (example == nullptr) example = each.find(name);
      for (const auto& [axis, value] : each) {
        if (std::ranges::find(names, axis) == names.end()) names.push_back(axis);
      }
    }
    if (example == nullptr) return unknown_axis(name, names);
    auto value = value_as(example->kind(), typed.front());
    if (!value) return Error{"axis " + name + ": " + value.error().message};
    problem.set(name, *std::move(value));
  }
  return problem;
}

bool has_values(const Problem& problem, const Problem& asked) {
  return std::ranges::all_of(asked, [&](const auto& axis) {
    const Value* own = problem.find(axis.first);
    return own != nullptr && AxisValue(*own) == AxisValue(axis.second);
  });
}

std::string problem_text(const Problem& problem) {
  return joined(problem, ",", [](const auto& axis) { return axis.first + '=' + format_value(axis.second); });
}

namespace {

using Studies = std::vector<StudySummary>;

Result<Studies> of_kernel(Studies studies, const std::string& kernel) {
  std::vector<std::string> kernels;
  for (const StudySummary& each : studies) kernels.push_back(each.study.kernel);
  std::erase_if(studies, [&](const StudySummary& each) { return each.study.kernel != kernel; });
  if (studies.empty())
    return Error{"there is no study of a kernel '" + kernel + "'" + did_you_mean(kernel, kernels)};
  return studies;
}

Result<Studies> on_device(Studies studies, const std::string& device) {
  std::vector<DeviceIdentity> devices;
  for (const StudySummary& each : studies) devices.push_back(each.study.device);
  auto known = GKTUNE_TRY(find_device(device, devices));
  std::erase_if(studies, [&](const StudySummary& each) { return each.study.device != known; });
  return studies;
}

Result<Studies> of_problem(Studies studies, const std::string& text) {
  std::vector<Problem> problems;
  for (const StudySummary& each : studies) problems.push_back(each.study.problem);
  auto problem = GKTUNE_TRY(parse_problem(text, problems));
  std::erase_if(studies, [&](const StudySummary& each) { return !has_values(each.study.problem, problem); });
  return studies;
}

// Narrows by each condition that is given.
Result<Studies> narrowed(Studies studies, const std::string& kernel, const std::string& device,
                         const std::string& problem) {
  Result<Studies> left = std::move(studies);
  if (!kernel.empty()) left = of_kernel(*std::move(left), kernel);
  if (left && !device.empty()) left = on_device(*std::move(left), device);
  if (left && !problem.empty()) left = of_problem(*std::move(left), problem);
  return left;
}

// The longest kernel that the word begins with, whose name may hold the marks of problems and devices; else
// the text before the first mark.
std::size_t size_of_kernel(const Studies& studies, const std::string& word) {
  std::size_t size = 0;
  for (const StudySummary& each : studies) {
    const std::string& kernel = each.study.kernel;
    if (!word.starts_with(kernel)) continue;
    const bool ends_there =
        word.size() == kernel.size() || word[kernel.size()] == '/' || word[kernel.size()] == '@';
    if (ends_there) size = std::max(size, kernel.size());
  }
  return size > 0 ? size : std::min(word.find_first_of("/@"), word.size());
}

}  // namespace

Result<DeviceIdentity> find_device(const std::string& text, const std::vector<DeviceIdentity>& devices) {
  std::vector<DeviceIdentity> found;
  std::vector<std::string> names;
  for (const DeviceIdentity& device : devices) {
    if (std::ranges::find(names, device.name) == names.end()) names.push_back(device.name);
    if (device.name == text) return device;
    bool is_new = std::ranges::find(found, device) == found.end();
    if (is_new && boost::algorithm::icontains(device.name, text)) found.push_back(device);
  }
  if (found.size() == 1) return found.front();
  if (found.size() > 1)
    return Error{"'" + text + "' may be any of " + joined(found, "; ", &DeviceIdentity::name)};
  std::string guess = did_you_mean(text, names);
  if (guess.empty() && !names.empty()) guess = "; it knows " + joined(names, "; ");
  return Error{"the database knows no device '" + text + "'" + guess};
}

std::int64_t since_unix_ms(const std::optional<double>& newer_s, std::int64_t now_unix_ms) {
  return newer_s ? now_unix_ms - static_cast<std::int64_t>(*newer_s * 1e3) : 0;
}

Result<Studies> select_studies(Studies studies, const StudyFilter& filter, std::int64_t now_unix_ms) {
  auto selected = GKTUNE_TRY(narrowed(std::move(studies), filter.kernel, filter.device, filter.problem));
  const auto since = since_unix_ms(filter.newer_s, now_unix_ms);
  const auto before = filter.older_s ? now_unix_ms - static_cast<std::int64_t>(*filter.older_s * 1e3)
                                     : std::numeric_limits<std::int64_t>::max();
  std::erase_if(selected, [&](const StudySummary& each) {
    return each.updated_unix_ms < since || each.updated_unix_ms >= before;
  });
  return selected;
}

std::optional<std::int64_t> number_in(std::string_view word) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  const bool is_number = !word.starts_with('-') && error == std::errc() && end == word.data() + word.size();
  return is_number ? std::optional(number) : std::nullopt;
}

Result<Studies> named_studies(const Studies& studies, const std::string& word) {
  if (const auto id = number_in(word)) {
    const auto found = std::ranges::find(studies, *id, &StudySummary::id);
    if (found == studies.end()) return Error{"there is no study " + word};
    return Studies{*found};
  }
  const std::size_t kernel_size = size_of_kernel(studies, word);
  if (kernel_size == 0) return Error{"'" + word + "' names no kernel; write KERNEL[/AXIS=VALUE,…][@DEVICE]"};
  const std::size_t at = word.find('@', kernel_size);
  const std::size_t slash = word.substr(0, at).find('/', kernel_size);
  const auto rest = [](const std::string& text, std::size_t mark) {
    return mark == text.npos ? std::string() : text.substr(mark + 1);
  };
  auto named =
      narrowed(studies, word.substr(0, kernel_size), rest(word, at), rest(word.substr(0, at), slash));
  if (named && named->empty()) return Error{"there is no study '" + word + "'"};
  return named;
}

std::string study_text(const Study& study) {
  return study.kernel + (study.problem.empty() ? "" : "/" + problem_text(study.problem)) + "@" +
         study.device.name;
}

}  // namespace gktune
