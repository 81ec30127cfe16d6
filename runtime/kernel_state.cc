#include "runtime/kernel_state.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "runtime/temporary_folder.h"
#include "tuner/array/npy.h"
#include "tuner/core/spelling.h"
#include "tuner/core/text.h"
#include "tuner/core/version.h"
#include "tuner/device/worker/compile_cache.h"
#include "tuner/measure/element.h"
#include "tuner/space/content_key.h"
#include "tuner/space/language/evaluate.h"

namespace gktune {
namespace {

std::string problem_text_of(const Problem& problem) {
  return problem.empty() ? "the problem" : problem.str();
}

std::string launch_key(const Config& config, const Problem& problem) {
  return config.json() + '\n' + problem.json();
}

// A full disk, missing memory or a missing compiler may be there the next time.
bool lasts(const Failure& failure) {
  return failure.status != Status::machine_failed && failure.status != Status::out_of_memory;
}

std::string described(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::boolean:
      return "the boolean " + value.str();
    case Value::Kind::integer:
      return "the integer " + value.str();
    case Value::Kind::real:
      return "the number " + value.str();
    case Value::Kind::text:
      break;
  }
  return "the text '" + value.text() + "'";
}

// The same number as an integer, if it is one.
Value as_integer(const Value& value) {
  constexpr double kEnd = 9223372036854775808.0;  // 2^63
  const double number = value.number();
  if (!(number >= -kEnd && number < kEnd) || number != std::trunc(number)) return value;
  return static_cast<std::int64_t>(number);
}

}  // namespace

Kernel::State::~State() {
  if (background_.joinable()) {
    background_.request_stop();
    work_.notify_all();
    background_.join();
  }
  if (device_ == nullptr || device_->is_alive()) return;
  // CUDA has ended, or the context is gone: what it owned is gone too. The rest
  // is kept, so that it is no leak.
  static auto& mutex = *new std::mutex;
  static auto& kept = *new std::vector<std::unique_ptr<PreparedLaunch>>;
  const std::lock_guard lock(mutex);
  for (auto& launch : all_launches_) kept.push_back(std::move(launch));
}

Result<void> Kernel::State::open() {
  for (const Axis& axis : definition_.kernel.axes) axes_.push_back(axis.name);
  constraints_ =
      with_device_limits(definition_.listed.empty() ? definition_.constraints : std::vector<Constraint>(),
                         definition_.kernel, device_->info());
  if (auto chosen = choose_arguments(); !chosen) return chosen;
  std::vector<std::shared_ptr<const WinnersSource>> winners;
  for (const auto& bundle : bundles_) winners.push_back(std::make_shared<const WinnersSource>(bundle->winners()));
  if (has_databases())
    winners.insert(winners.end(), sources_->databases().begin(), sources_->databases().end());
  if (!winners.empty()) {
    const Question question{.device = settings_.lookup.answered_as(identity_of(device_->info())),
                            .fallback = {},
                            .freshness = {definition_.fingerprint, settings_.driver, settings_.runtime}};
    lookup_.emplace(winners, definition_.kernel.name, axes_, question);
  }
  const bool follows = has_databases() && settings_.follow_interval.count() > 0;
  if (settings_.compilation == Compilation::in_background || follows) {
    background_ = std::jthread([this](const std::stop_token& stop) { work_in_background(stop); });
  }
  return {};
}

Result<void> Kernel::State::choose_arguments() {
  const std::vector<Argument>& all = definition_.kernel.arguments;
  std::vector<std::string> names;
  for (const Argument& argument : all) names.push_back(argument.name);
  const auto must_pass = [](const Argument& argument) {
    return !argument.value && argument.role != Argument::Role::scratch;
  };
  for (const std::string& name : settings_.arguments) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      return Error{definition_.path + ": there is no argument '" + name + "'" + did_you_mean(name, names)};
    }
    const auto place = static_cast<std::size_t>(found - names.begin());
    if (std::ranges::find(passed_, place) != passed_.end()) {
      return Error{definition_.path + ": the argument '" + name + "' is named twice"};
    }
    passed_.push_back(place);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!must_pass(all[i])) continue;
    if (settings_.arguments.empty()) {
      passed_.push_back(i);
    } else if (std::ranges::find(passed_, i) == passed_.end()) {
      return Error{definition_.path + ": launches have to pass the buffer '" + all[i].name + "'"};
    }
  }
  return {};
}

Result<Problem> Kernel::State::problem_of(std::span<const AxisValue> values) const {
  const std::vector<Axis>& axes = definition_.kernel.axes;
  if (values.size() != axes.size()) {
    return Error{"a problem of " + definition_.kernel.name + " has a value for each axis (" + joined(axes_) +
                 "): " + std::to_string(axes.size()) + ", not " + std::to_string(values.size())};
  }
  Problem problem;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    Value value = values[i].value();
    const Value& known = axes[i].values.front();
    if (known.is_real() && value.is_integer()) value = Value(value.number());
    if (known.is_integer() && value.is_real()) value = as_integer(value);
    if (value.kind() != known.kind() || (value.is_real() && !std::isfinite(value.real()))) {
      return Error{"the axis " + axes[i].name + " has values such as " + described(known) +
                   ", and the problem has " + described(value)};
    }
    problem.set(axes[i].name, std::move(value));
  }
  return problem;
}

bool Kernel::State::is_valid(const Config& config, const Problem& problem) const {
  const NamedValues attributes = device_->info().attributes();
  Scope scope;
  scope.add(config).add(problem).add(attributes, "device.");
  return all_hold(constraints_, scope, &Constraint::condition);
}

Result<std::optional<LaunchCode>, Failure> Kernel::State::code_for(const SourcePlan& source) {
  for (const auto& bundle : bundles_) {
    if (auto code = bundle->code(definition_.kernel.name, definition_.fingerprint, source, device_->info()))
      return std::optional(LaunchCode{{{}, std::move(code->symbols)}, code->bytes});
  }
  if (sources_ == nullptr) return std::optional<LaunchCode>();
  return compiled(source);
}

// Compiled code is found by what it is made from, without the compiler: opening
// NVRTC takes longer than loading.
Result<std::optional<LaunchCode>, Failure> Kernel::State::compiled(const SourcePlan& source) {
  const DeviceInfo& device = device_->info();
  const std::string key =
      content_key("launch " + std::string(kVersion) + '\n' + definition_.fingerprint + '\n' + device.kind +
                  ' ' + device.architecture + '\n' + (device.kind == "host" ? device.compiler : "") + '\n' +
                  variant_key(source));
  CompileCache cache{sources_->cache_dir()};
  const auto find = [&]() -> std::optional<LaunchCode> {
    auto known = cache.find(key);
    if (!known || known->status != Status::ok) return std::nullopt;
    return LaunchCode{std::move(known->module), {}};
  };
  if (auto known = find()) return known;
  const std::lock_guard lock(compiler_mutex_);
  if (auto known = find()) return known;
  auto variant = device_->compile(
      {.variants = {source}, .architecture = device.architecture, .cache_dir = sources_->cache_dir()});
  if (!variant) return Failure{Status::machine_failed, variant.error().message};
  if (variant->status != Status::ok) return Failure{variant->status, variant->log};
  (void)cache.add(key, *variant);  // a full disk costs the next compilation
  return std::optional(LaunchCode{std::move(variant->module), {}});
}

Result<const PreparedLaunch*, Failure> Kernel::State::load(const Answer& answer, const Problem& problem) {
  const auto plan = resolve(definition_.kernel, answer.config, problem, device_->info());
  if (!plan) return Failure{Status::invalid, plan.error().message};
  const SourcePlan& source = plan->candidate.source;
  if (const Failure* known = known_failure(answer.config, problem, source)) return *known;
  const auto failed = [&](const Failure& failure) {
    if (lasts(failure)) failed_.emplace(variant_key(source), failure);
    return failure;
  };
  const auto code = code_for(source);
  if (!code) return failed(code.error());
  if (!*code) return static_cast<const PreparedLaunch*>(nullptr);
  auto program = device_->load(**code, *plan);
  if (!program) return failed(program.error());

  auto launch = std::make_unique<PreparedLaunch>();
  launch->program = *std::move(program);
  launch->choice = {answer.match, answer.config, answer.time_us, answer.reason, answer.stale, {}};
  std::vector<PassedValue> given(launch->program->values().begin(), launch->program->values().end());
  if (given.empty()) {
    for (std::size_t i = 0; i < plan->arguments.size(); ++i) given.push_back({i, nullptr});
  }
  launch->scalars.resize(plan->arguments.size());
  constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t> buffers(plan->arguments.size(), kNone);  // of scratch memory
  for (std::size_t i = 0; i < plan->arguments.size(); ++i) {
    const ArgumentPlan& argument = plan->arguments[i];
    if (argument.is_scalar) {
      store_number(argument.type, launch->scalars[i].data(), argument.scalar);
    } else if (argument.role == Argument::Role::scratch && std::ranges::find(passed_, i) == passed_.end()) {
      buffers[i] = launch->scratch_bytes.size();
      launch->scratch_bytes.push_back(
          std::max<std::size_t>(1, static_cast<std::size_t>(argument.count) * element_size(argument.type)));
    }
  }
  for (const auto& [argument, own] : given) {
    const auto passed = std::ranges::find(passed_, argument);
    if (own == nullptr && passed != passed_.end()) {
      const auto place = static_cast<std::size_t>(passed - passed_.begin());
      launch->values.push_back(
          {place * sizeof(LaunchArgument) + LaunchArgument::kValueOffset, ~std::uintptr_t{0}});
      continue;
    }
    if (own == nullptr && buffers[argument] != kNone)
      launch->scratch_values.push_back({launch->values.size(), buffers[argument]});
    const void* fixed = own != nullptr ? own : launch->scalars[argument].data();
    launch->values.push_back({reinterpret_cast<std::uintptr_t>(fixed), 0});
  }
  launch->has_scratch = !launch->scratch_values.empty();
  for (const std::size_t place : passed_) {
    const ArgumentPlan& argument = plan->arguments[place];
    const bool is_written = !argument.is_scalar && argument.role != Argument::Role::in;
    launch->passed.emplace_back(place, argument.is_scalar, is_written, argument.count == 0, argument.type);
    launch->choice.arguments.push_back({argument.name, argument.type, argument.is_scalar,
                                        argument.is_scalar ? 1 : argument.count, is_written});
  }
  all_launches_.push_back(std::move(launch));
  return all_launches_.back().get();
}

const Failure* Kernel::State::known_failure(const Config& config, const Problem& problem,
                                            const SourcePlan& source) const {
  for (const std::string& key : {launch_key(config, problem), variant_key(source)}) {
    if (const auto known = failed_.find(key); known != failed_.end()) return &known->second;
  }
  return nullptr;
}

std::string Kernel::State::in_words(const Config& config, const Failure& failure) const {
  return definition_.kernel.name + ": " + config.str() + ": " + std::string(status_name(failure.status)) +
         ": " + failure.message;
}

void Kernel::State::note_failure(const Config& config, const Failure& failure) {
  const bool is_new = reported_.insert(config.json() + std::string(status_name(failure.status))).second;
  if (is_new && settings_.on_notice) settings_.on_notice(in_words(config, failure));
}

Kernel::State::Prepared Kernel::State::best_launch(std::span<const AxisValue> values,
                                                   const Problem& problem) {
  const PreparedLaunch* best = nullptr;
  std::set<std::string> tried;
  std::string failures;  // the first, in words
  int without_code = 0;
  const auto attempt = [&](Answer answer) {
    if (!tried.insert(answer.config.json()).second) return false;
    if (answer.match != Match::exact && !is_valid(answer.config, problem)) return false;
    if (answer.reason.empty()) answer.reason = failures;
    auto loaded = load(answer, problem);
    if (!loaded) {
      if (failures.empty()) failures = in_words(answer.config, loaded.error());
      note_failure(answer.config, loaded.error());
    } else if (*loaded != nullptr) {
      best = *loaded;
    } else {
      ++without_code;
    }
    return best != nullptr;
  };
  std::string reason = lookup_ ? "" : "no database was given";
  if (lookup_) {
    const Answer& answer = lookup_->best(values);
    reason = answer.reason;
    lookup_->visit(values, attempt);
  }
  if (best == nullptr) {
    Answer answer;
    answer.match = Match::space_default;
    answer.config = definition_.kernel.default_values;
    answer.reason = reason;
    attempt(answer);
  }
  if (best != nullptr) return best;
  std::string why =
      failures.empty() ? ": the constraints exclude all" : "; the first that failed: " + failures;
  if (without_code > 0) {
    why = ": the bundle has no code for the " + std::to_string(without_code) +
          (without_code == 1 ? " configuration that does" : " configurations that do");
  }
  return Error{"no configuration of " + definition_.kernel.name + " works for " + problem_text_of(problem) +
               why};
}

// In the background the default configuration serves first.
Kernel::State::Prepared Kernel::State::prepare_problem(std::span<const AxisValue> values) {
  if (const PreparedLaunch* launch = launches_.find(values)) return launch;
  const auto problem = problem_of(values);
  if (!problem) return problem.error();
  Prepared prepared = static_cast<const PreparedLaunch*>(nullptr);
  const Config& fallback = definition_.kernel.default_values;
  if (settings_.compilation == Compilation::in_background && is_valid(fallback, *problem)) {
    Answer answer;
    answer.match = Match::space_default;
    answer.config = fallback;
    answer.reason = "the compiler works in the background";
    const auto loaded = load(answer, *problem);
    if (loaded && *loaded != nullptr) {
      prepared = *loaded;
      auto& waiting = waiting_.emplace_back();
      for (const AxisValue& value : values) waiting.push_back(value.value());
      work_.notify_one();
    }
  }
  if (*prepared == nullptr) prepared = best_launch(values, *problem);
  if (prepared) launches_.set(values, *prepared);
  return prepared;
}

// Compiles what launches wait for without waiting for it, and follows the databases.
void Kernel::State::work_in_background(const std::stop_token& stop) {
  const bool follows = has_databases() && settings_.follow_interval.count() > 0;
  const auto has_work = [this] { return !waiting_.empty(); };
  while (true) {
    std::unique_lock lock(mutex_);
    if (follows)
      work_.wait_for(lock, stop, settings_.follow_interval, has_work);
    else
      work_.wait(lock, stop, has_work);
    if (stop.stop_requested()) return;
    if (has_work()) {
      const std::vector<Value> problem = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      update(problem);
      continue;
    }
    lock.unlock();
    bool has_changed = false;
    for (const auto& database : sources_->databases()) has_changed = database->refresh() || has_changed;
    if (!has_changed) continue;
    lock.lock();
    launches_.for_each_problem([&](const std::vector<Value>& problem) { waiting_.push_back(problem); });
  }
}

// Launches the best configuration for a problem from now on. Launches go on while it is compiled.
void Kernel::State::update(const std::vector<Value>& problem) {
  const std::vector<AxisValue> values(problem.begin(), problem.end());
  const auto known = problem_of(values);
  if (!known || !lookup_) return;
  std::unique_lock lock(mutex_);
  std::optional<Answer> winner;
  SourcePlan source;
  lookup_->visit(values, [&](const Answer& answer) {
    if (answer.match != Match::exact && !is_valid(answer.config, *known)) return false;
    auto resolved = resolve(definition_.kernel, answer.config, *known, device_->info());
    if (!resolved || known_failure(answer.config, *known, resolved->candidate.source) != nullptr)
      return false;
    winner = answer;
    source = std::move(resolved->candidate.source);
    return true;
  });
  const PreparedLaunch* present = launches_.find(values);
  if (!winner || (present != nullptr && present->choice.config == winner->config &&
                  present->choice.match == winner->match && present->choice.expected_us == winner->time_us)) {
    return;
  }
  lock.unlock();
  (void)code_for(source);  // then it is in the cache; a failure is found again below
  lock.lock();
  const auto prepared = best_launch(values, *known);
  if (prepared && present != nullptr) launches_.set(values, *prepared);
}

Result<KernelChoice> Kernel::State::prepare(std::span<const AxisValue> problem) {
  const std::lock_guard lock(mutex_);
  const auto prepared = prepare_problem(problem);
  if (!prepared) return prepared.error();
  return (*prepared)->choice;
}

Result<const PreparedLaunch::StreamScratch*, Failure> Kernel::State::new_scratch(const PreparedLaunch& launch,
                                                                                 void* stream) {
  const std::lock_guard lock(mutex_);
  if (const auto* known = launch.scratch_of(stream)) return known;
  auto scratch = std::make_unique<PreparedLaunch::StreamScratch>();
  scratch->stream = stream;
  for (const std::size_t bytes : launch.scratch_bytes) {
    auto memory = device_->allocate(bytes);
    if (!memory) return Failure{Status::out_of_memory, memory.error().message};
    scratch->addresses.push_back((*memory)->address());
    scratch->memory.push_back(*std::move(memory));
  }
  scratch->next = launch.streams.load(std::memory_order_relaxed);
  launch.streams.store(scratch.get(), std::memory_order_release);
  launch.all_streams.push_back(std::move(scratch));
  return launch.streams.load(std::memory_order_relaxed);
}

std::unique_ptr<Failure> Kernel::State::add_scratch(const PreparedLaunch& launch, void* stream,
                                                    void** values) {
  const auto* scratch = launch.scratch_of(stream);
  if (scratch == nullptr) {
    auto made = new_scratch(launch, stream);
    if (!made) return std::make_unique<Failure>(std::move(made).error());
    scratch = *made;
  }
  for (const auto& [value, buffer] : launch.scratch_values) {
    values[value] = const_cast<void**>(&scratch->addresses[buffer]);
  }
  return nullptr;
}

Result<void> Kernel::State::launch_first(std::span<const AxisValue> values,
                                         std::span<const LaunchArgument> arguments, void* stream) {
  const PreparedLaunch* launch = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto prepared = prepare_problem(values);
    if (!prepared) return prepared.error();
    launch = *prepared;
  }
  return launch_prepared(*launch, values, arguments, stream);
}

// Launches the next best configuration that works.
Result<void> Kernel::State::recover(std::span<const AxisValue> values,
                                    std::span<const LaunchArgument> arguments, void* stream,
                                    const PreparedLaunch& launched, std::unique_ptr<Failure> failure) {
  const PreparedLaunch* failed = &launched;
  while (true) {
    // After these another configuration fares no better.
    if (failure->worker_is_lost || failure->status == Status::out_of_memory) {
      return Error{definition_.kernel.name + ": " + failure->message};
    }
    const PreparedLaunch* next = nullptr;
    {
      const std::lock_guard lock(mutex_);
      note_failure(failed->choice.config, *failure);
      const auto problem = problem_of(values);
      failed_.emplace(launch_key(failed->choice.config, *problem), *failure);
      next = launches_.find(values);
      if (next == failed) {  // else another thread has replaced it
        const auto prepared = best_launch(values, *problem);
        if (!prepared) return prepared.error();
        next = *prepared;
        launches_.set(values, next);
      }
    }
    if (!next->accepts(arguments)) return next->refusal(definition_.kernel.name, arguments);
    failure = run(*next, arguments, stream);
    if (failure == nullptr) return {};
    failed = next;
  }
}

Result<KernelChoice> Kernel::State::autotune(std::span<const AxisValue> values,
                                             std::span<const LaunchArgument> arguments, double budget_s) {
  if (!has_databases()) return Error{"autotune needs a database to store its result in"};
  if (!(budget_s > 0)) return Error{"autotune needs a budget above 0 seconds"};
  const auto problem = problem_of(values);
  if (!problem) return problem.error();
  const auto known = prepare(values);
  if (!known) return known.error();
  if (known->match == Match::exact) return known;

  // Workers read copies of the caller's inputs from files.
  auto folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  Definition definition = definition_;
  for (Reference& reference : definition.kernel.references)
    reference.inputs.clear();  // the caller has computed them
  {
    const PreparedLaunch* launch = launches_.find(values);
    if (!launch->accepts(arguments)) return launch->refusal(definition_.kernel.name, arguments);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const ArgumentInfo& info = launch->choice.arguments[i];
      Argument& argument = definition.kernel.arguments[launch->passed[i].place];
      if (info.is_scalar || argument.role == Argument::Role::out) continue;
      std::vector<std::byte> copy(static_cast<std::size_t>(info.count) * element_size(info.type));
      const void* address = nullptr;
      std::memcpy(&address, arguments[i].value(), sizeof address);
      if (auto copied = device_->download(copy.data(), address, copy.size()); !copied) return copied.error();
      const auto path = folder->path() / (std::to_string(i) + ".npy");
      if (auto written = write_npy(path.string(), info.type, copy); !written) return written.error();
      argument.contents = {};
      argument.contents.kind = ContentsKind::file;
      argument.contents.file.text = path.string();
      argument.contents.file.parts = {{path.string(), std::nullopt}};
    }
  }
  if (auto tuned = sources_->tune(definition, *problem, *device_, budget_s); !tuned) return tuned.error();
  sources_->databases().front()->refresh();

  const std::lock_guard lock(mutex_);
  const auto prepared = best_launch(values, *problem);
  if (!prepared) return prepared.error();
  launches_.set(values, *prepared);
  return (*prepared)->choice;
}

}  // namespace gktune
