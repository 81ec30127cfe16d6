#include "engine/study_selection.h"

#include <algorithm>
#include <charconv>

#include "engine/problem_selection.h"
#include "gktune/values.h"
#include "tuner/core/spelling.h"
#include "tuner/core/text.h"

namespace gktune {
namespace {

using Studies = std::vector<StudySummary>;

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

bool has_axes(const Problem& problem, const Problem& asked) {
  for (const auto& [name, value] : asked) {
    const Value* own = problem.find(name);
    if (own == nullptr || !(AxisValue(*own) == AxisValue(value))) return false;
  }
  return true;
}

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
  auto known = find_device(device, devices);
  if (!known) return known.error();
  std::erase_if(studies, [&](const StudySummary& each) { return each.study.device != *known; });
  return studies;
}

Result<Studies> of_problem(Studies studies, const std::string& text) {
  std::vector<Problem> problems;
  for (const StudySummary& each : studies) problems.push_back(each.study.problem);
  auto problem = parse_problem(text, problems);
  if (!problem) return problem.error();
  std::erase_if(studies, [&](const StudySummary& each) { return !has_axes(each.study.problem, *problem); });
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
    if (is_new && lower(device.name).find(lower(text)) != std::string::npos) found.push_back(device);
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

std::int64_t before_unix_ms(const std::optional<double>& older_s, std::int64_t now_unix_ms) {
  return older_s ? now_unix_ms - static_cast<std::int64_t>(*older_s * 1e3)
                 : std::numeric_limits<std::int64_t>::max();
}

Result<Studies> select_studies(Studies studies, const StudyFilter& filter,
                               const std::map<std::int64_t, TrialCounts>& counts, std::int64_t now_unix_ms) {
  auto selected = narrowed(std::move(studies), filter.kernel, filter.device, filter.problem);
  if (!selected) return selected;
  const auto since = since_unix_ms(filter.newer_s, now_unix_ms);
  const auto before = before_unix_ms(filter.older_s, now_unix_ms);
  std::erase_if(*selected, [&](const StudySummary& each) {
    if (each.updated_unix_ms < since || each.updated_unix_ms >= before) return true;
    if (!filter.status) return false;
    const auto found = counts.find(each.id);
    return found == counts.end() || !found->second.by_status.contains(*filter.status);
  });
  return selected;
}

std::optional<std::int64_t> number_in(std::string_view word) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  const bool is_number = !word.starts_with('-') && error == std::errc() && end == word.data() + word.size();
  return is_number ? std::optional(number) : std::nullopt;
}

bool is_kernel(const Studies& studies, std::string_view word) {
  return std::ranges::any_of(studies, [&](const StudySummary& each) { return each.study.kernel == word; });
}

Error ambiguous_number(const std::string& word, const std::string& what) {
  return Error{"'" + word + "' is a " + what + " and a kernel: write 0" + word + " for the " + what + ", " +
               word + "@ for the kernel"};
}

Result<Studies> named_studies(const Studies& studies, const std::string& word) {
  if (const auto id = number_in(word)) {
    const auto found = std::ranges::find(studies, *id, &StudySummary::id);
    const bool names_kernel = is_kernel(studies, word);
    if (found != studies.end() && names_kernel) return ambiguous_number(word, "study");
    if (found != studies.end()) return Studies{*found};
    if (!names_kernel) return Error{"there is no study " + word};
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

Result<StudySummary> named_study(const Studies& studies, const std::string& word) {
  auto named = named_studies(studies, word);
  if (!named) return named.error();
  if (named->size() == 1) return named->front();
  std::string texts;
  for (const StudySummary& each : *named) {
    if (&each - named->data() == 5) {
      texts += "; …";
      break;
    }
    texts += (texts.empty() ? "" : "; ") + std::to_string(each.id) + " is " + study_text(each.study);
  }
  return Error{"'" + word + "' names " + std::to_string(named->size()) + " studies: " + texts};
}

std::string study_text(const Study& study) {
  return study.kernel + (study.problem.empty() ? "" : "/" + problem_text(study.problem)) + "@" +
         study.device.name;
}

}  // namespace gktune
