// Opens kernels from bundles, and their parts.
#include <pthread.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "runtime/kernel_state.h"
#include "tuner/core/text.h"

namespace gktune {
namespace {

std::string described(const Value& value) {
  if (value.is_text()) return "the text '" + value.text() + "'";
  return (value.is_boolean() ? "the boolean " : value.is_integer() ? "the integer " : "the number ") + value.str();
}

// The same number as an integer, if it is one.
Value as_integer(const Value& value) {
  constexpr double kEnd = 9223372036854775808.0;  // 2^63
  const double number = value.number();
  if (!(number >= -kEnd && number < kEnd) || number != std::trunc(number)) return value;
  return static_cast<std::int64_t>(number);
}

Error moved_error() {
  return {"the kernel was moved to another object, or none was assigned", ErrorCode::invalid_argument};
}

// Keeps an object until the process ends, so that it is neither destroyed nor a leak.
template <class T>
void keep(std::unique_ptr<T> object) {
  static auto& mutex = *new std::mutex;
  static auto& kept = *new std::vector<T*>;
  const std::lock_guard lock(mutex);
  kept.push_back(object.release());
}

// True for a buffer that holds data of the application and that the kernel uses, not its reference alone, and for a
// scalar that follows from nothing the kernel knows: from no axis, parameter or property of the device.
bool is_of_caller(const KernelDefinition& kernel, const Argument& argument) {
  if (argument.value) return argument.value->names().empty();
  const bool is_used = !argument.symbol.empty() || takes(kernel.launches, argument.name) ||
                       takes(kernel.setup.once, argument.name) || takes(kernel.setup.each, argument.name);
  return is_used && argument.role != Argument::Role::scratch;
}

[[maybe_unused]] const int counts_forks = ::pthread_atfork(nullptr, nullptr, [] { ++fork_count; });

}  // namespace

Result<void> check_textures(const KernelDefinition& kernel) {
  const std::set<std::string> textured = textured_buffers(kernel);
  if (textured.empty()) return {};
  return Error{"an application cannot launch " + kernel.name + ": it takes a texture of '" +
                   *textured.begin() + "', and only the tuner makes textures",
               ErrorCode::invalid_argument};
}

Result<std::vector<std::shared_ptr<const Bundle>>> open_bundles(const KernelSettings& settings) {
  std::vector<std::shared_ptr<const Bundle>> bundles;
  for (const auto& path : settings.bundles) {
    const auto bytes = settings.lookup.files.find(path.string());
    bundles.push_back(
        GKTUNE_TRY(Bundle::open(path, bytes != settings.lookup.files.end() ? &bytes->second : nullptr)));
  }
  return bundles;
}

Kernel::Kernel(std::unique_ptr<State> state) : state_(std::move(state)) {}
Kernel::Kernel(Kernel&&) noexcept = default;
Kernel& Kernel::operator=(Kernel&& other) noexcept {
  const Kernel earlier(std::move(*this));
  state_ = std::move(other.state_);
  return *this;
}
Kernel::~Kernel() {
  if (state_ != nullptr && state_->is_forked()) State::abandon(std::move(state_));
}

Result<Kernel> Kernel::make(KernelParts parts) {
  auto state = std::make_unique<State>(std::move(parts));
  GKTUNE_TRY(state->open());
  return Kernel(std::move(state));
}

Result<Kernel> Kernel::open_bundled(const std::string& kernel, KernelSettings settings) {
  if (settings.bundles.empty()) return Error{"no bundle was given", ErrorCode::invalid_argument};
  if (!settings.databases.empty())
    return Error{"a kernel of a bundle has no sources: it uses no database", ErrorCode::invalid_argument};
  auto bundles = GKTUNE_TRY(open_bundles(settings));
  auto device = GKTUNE_TRY(open_launch_device({settings.device, "", ""}));
  // The first bundle that serves the device says how the kernel is launched.
  std::string errors;
  for (const auto& bundle : bundles) {
    auto definition = bundle->definition(kernel, device->info());
    if (definition)
      return make({*std::move(definition), std::move(settings), std::move(device), std::move(bundles)});
    errors += (errors.empty() ? "" : "; ") + definition.error().message;
  }
  return Error{std::move(errors), ErrorCode::not_found};
}

const std::vector<std::string>& Kernel::axes() const {
  static const std::vector<std::string> none;
  return state_ != nullptr ? state_->axes() : none;
}

[[gnu::hot]] Result<void> Kernel::launch(std::span<const AxisValue> problem,
                                         std::span<const LaunchArgument> arguments, void* stream) {
  if (state_ == nullptr) [[unlikely]] return moved_error();
  return state_->launch(problem, arguments, stream);
}

Result<Answer> Kernel::prepare(std::span<const AxisValue> problem) {
  if (state_ == nullptr) return moved_error();
  return state_->prepare(problem);
}

Result<Answer> Kernel::autotune(std::span<const AxisValue> problem, std::span<const LaunchArgument> arguments,
                                double budget_s) {
  if (state_ == nullptr) return moved_error();
  return state_->autotune(problem, arguments, budget_s);
}

Kernel::State::~State() {
  if (background_.joinable()) {
    background_.request_stop();
    work_.notify_all();
    background_.join();
  }
  if (device_ == nullptr || device_->is_alive()) return;
  // CUDA has ended, or the context is gone: what it owned is gone too.
  struct Owned {
    std::unique_ptr<LaunchDevice> device;
    std::vector<SharedLaunch> launches;
    std::vector<std::shared_ptr<void>> scratch;
  };
  keep(std::make_unique<Owned>(Owned{std::move(device_), launches_.take_all(), std::move(scratch_memory_)}));
}

void Kernel::State::abandon(std::unique_ptr<State> state) { keep(std::move(state)); }

Error Kernel::State::forked_error() const {
  return {definition_.kernel.name + " was opened before this process was forked: open it in the child",
          ErrorCode::invalid_argument};
}

Result<void> Kernel::State::open() {
  for (const Axis& axis : definition_.kernel.axes) axes_.push_back(axis.name);
  constraints_ =
      with_device_limits(definition_.listed.empty() ? definition_.constraints : std::vector<Constraint>(),
                         definition_.kernel, device_->info());
  GKTUNE_TRY(choose_arguments());
  settings_.lookup.files.clear();
  std::vector<std::shared_ptr<const WinnersSource>> winners;
  for (const auto& bundle : bundles_)
    winners.push_back(std::make_shared<const WinnersSource>(bundle->winners()));
  if (has_databases())
    winners.insert(winners.end(), sources_->databases.begin(), sources_->databases.end());
  if (!winners.empty()) {
    const Question question{.device = settings_.lookup.answered_as(identity_of(device_->info())),
                            .fallback = {},
                            .freshness = {definition_.fingerprint, settings_.driver, settings_.runtime},
                            .worst = settings_.worst};
    lookup_.emplace(winners, definition_.kernel.name, axes_, question);
  }
  if (settings_.compilation == Compilation::in_background || follows())
    background_ = std::jthread([this](const std::stop_token& stop) { work_in_background(stop); });
  return {};
}

Result<void> Kernel::State::choose_arguments() {
  const std::vector<Argument>& all = definition_.kernel.arguments;
  std::vector<std::string> names;
  for (const Argument& argument : all) names.push_back(argument.name);
  for (const std::string& name : settings_.arguments) {
    const auto place = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    if (place == names.size())
      return Error{definition_.path + ": there is no argument '" + name + "'" + did_you_mean(name, names),
                   ErrorCode::invalid_argument};
    if (std::ranges::find(passed_, place) != passed_.end())
      return Error{definition_.path + ": the argument '" + name + "' is named twice", ErrorCode::invalid_argument};
    passed_.push_back(place);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_of_caller(definition_.kernel, all[i])) continue;
    if (settings_.arguments.empty()) passed_.push_back(i);
    if (!all[i].value && std::ranges::find(passed_, i) == passed_.end())
      return Error{definition_.path + ": launches have to pass the buffer '" + all[i].name + "'",
                   ErrorCode::invalid_argument};
  }
  return {};
}

Result<Problem> Kernel::State::problem_of(std::span<const AxisValue> values) const {
  const std::vector<Axis>& axes = definition_.kernel.axes;
  if (values.size() != axes.size()) {
    return Error{"a problem of " + definition_.kernel.name + " has a value for each axis (" + joined(axes_) +
                 "): " + std::to_string(axes.size()) + ", not " + std::to_string(values.size()),
                 ErrorCode::invalid_argument};
  }
  Problem problem;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    Value value = values[i].value();
    const Value& known = axes[i].values.front();
    if (known.is_real() && value.is_integer()) value = Value(value.number());
    if (known.is_integer() && value.is_real()) value = as_integer(value);
    if (value.kind() != known.kind() || (value.is_real() && !std::isfinite(value.real()))) {
      return Error{"the axis " + axes[i].name + " has values such as " + described(known) +
                       ", and the problem has " + described(value),
                   ErrorCode::invalid_argument};
    }
    problem.set(axes[i].name, std::move(value));
  }
  return problem;
}

}  // namespace gktune
