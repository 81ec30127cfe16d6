// The choice of configurations, and launches.
#include "runtime/kernel_state.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "db/database.h"
#include "tuner/array/npy.h"
#include "tuner/core/text.h"
#include "tuner/core/version.h"
#include "tuner/device/worker/compile_cache.h"
#include "tuner/measure/element.h"
#include "tuner/space/fingerprint.h"
#include "tuner/space/language/expression.h"

namespace gktune {
namespace {

std::string launch_key(const Config& config, const Problem& problem) {
  return config.json() + '\n' + problem.json();
}

// A full disk, missing memory or a missing compiler may be there the next time.
constexpr std::size_t kMostFailures = 10'000;  // more are forgotten
bool lasts(const Failure& failure) {
  return failure.status != Status::machine_failed && failure.status != Status::out_of_memory;
}

ErrorCode code_of(const Failure& failure) {
  if (failure.worker_is_lost) return ErrorCode::context_lost;
  switch (failure.status) {
    case Status::out_of_memory:
      return ErrorCode::out_of_memory;
    case Status::compile_failed:
    case Status::compile_timed_out:
      return ErrorCode::compile_failed;
    case Status::machine_failed:
      return ErrorCode::failed;
    case Status::invalid:
      return ErrorCode::no_configuration;
    default:
      return ErrorCode::launch_failed;
  }
}

}  // namespace

bool Kernel::State::is_valid(const Config& config, const Problem& problem) const {
  const NamedValues attributes = device_->info().attributes();
  Scope scope;
  scope.add(config).add(problem).add(attributes, "device.");
  return all_hold(constraints_, scope, &Constraint::condition);
}

Result<std::optional<LaunchCode>, Failure> Kernel::State::code_for(const SourcePlan& source) {
  for (const auto& bundle : bundles_) {
    const StoredCode* code =
        bundle->code(definition_.kernel.name, definition_.fingerprint, source, device_->info());
    if (code != nullptr) return std::optional(LaunchCode{{{}, code->symbols}, code->bytes});
  }
  if (!sources_) return std::optional<LaunchCode>();
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
  CompileCache cache{sources_->cache_dir};
  const auto find = [&]() -> std::optional<LaunchCode> {
    auto known = cache.find(key);
    if (!known || known->status != Status::ok) return std::nullopt;
    return LaunchCode{std::move(known->module), {}};
  };
  if (auto known = find()) return known;
  if (settings_.is_frozen) return std::optional<LaunchCode>();
  const std::lock_guard lock(compiler_mutex_);
  if (auto known = find()) return known;
  auto variant = device_->compile(
      {.variants = {source}, .architecture = device.architecture, .cache_dir = sources_->cache_dir});
  if (!variant) return Failure{Status::machine_failed, variant.error().message};
  if (variant->status != Status::ok) return Failure{variant->status, variant->log};
  (void)cache.add(key, *variant);  // a full disk costs the next compilation
  return std::optional(LaunchCode{std::move(variant->module), {}});
}

Result<SharedLaunch, Failure> Kernel::State::load(const Answer& answer, const Problem& problem) {
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
  if (!*code) return SharedLaunch();
  auto program = device_->load(**code, *plan);
  if (!program) return failed(program.error());
  return make_launch(answer, *plan, *std::move(program));
}

SharedLaunch Kernel::State::make_launch(const Answer& answer, const Plan& plan,
                                        std::unique_ptr<LaunchProgram> program) const {
  const auto made = std::make_shared<PreparedLaunch>();
  PreparedLaunch& launch = *made;
  const ProgramPlan& candidate = plan.candidate;
  launch.owns_code =
      !candidate.variables.empty() || !candidate.setup_once.empty() || !candidate.setup_each.empty();
  launch.program = std::move(program);
  launch.answer = answer;
  launch.scalars.resize(plan.arguments.size());
  std::map<std::size_t, std::size_t> buffers;  // of scratch memory, by their arguments
  for (std::size_t i = 0; i < plan.arguments.size(); ++i) {
    const ArgumentPlan& argument = plan.arguments[i];
    if (argument.is_scalar) {
      store_number(argument.type, launch.scalars[i].data(), argument.scalar);
    } else if (argument.role == Argument::Role::scratch && std::ranges::find(passed_, i) == passed_.end()) {
      buffers[i] = launch.scratch_bytes.size();
      launch.scratch_bytes.push_back(
          std::max<std::size_t>(1, static_cast<std::size_t>(argument.count) * element_size(argument.type)));
    }
  }
  std::vector<PassedValue> given(launch.program->values().begin(), launch.program->values().end());
  if (given.empty()) {
    for (std::size_t i = 0; i < plan.arguments.size(); ++i) given.push_back({i, nullptr});
  }
  for (const auto& [argument, own] : given) {
    const auto place = static_cast<std::size_t>(std::ranges::find(passed_, argument) - passed_.begin());
    if (own == nullptr && place < passed_.size()) {
      launch.values.push_back({place * sizeof(LaunchArgument) + LaunchArgument::kValueOffset, ~std::uintptr_t{0}});
      continue;
    }
    if (own == nullptr && buffers.contains(argument))
      launch.scratch_values.push_back({launch.values.size(), buffers[argument]});
    const void* fixed = own != nullptr ? own : launch.scalars[argument].data();
    launch.values.push_back({reinterpret_cast<std::uintptr_t>(fixed), 0});
  }
  launch.has_scratch = !launch.scratch_values.empty();
  for (const std::size_t place : passed_) {
    const ArgumentPlan& argument = plan.arguments[place];
    const ArgumentInfo& info = launch.answer.arguments.emplace_back(
        ArgumentInfo{argument.name, argument.type, argument.is_scalar, argument.is_scalar ? 1 : argument.count,
                     !argument.is_scalar && argument.role != Argument::Role::in});
    launch.passed.emplace_back(place, info);
  }
  return made;
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

void Kernel::State::notice(std::string text) {
  if (settings_.on_notice) notices_.push_back(std::move(text));
}

void Kernel::State::note_failure(const Config& config, const Failure& failure) {
  const bool is_new = reported_.insert(config.json() + std::string(status_name(failure.status))).second;
  if (is_new) notice(in_words(config, failure));
}

SharedLaunch Kernel::State::find_launch(std::span<const AxisValue> values) const {
  const PreparedLaunch* launch = launches_.find(values);
  return launch != nullptr ? launch->shared_from_this() : nullptr;
}

void Kernel::State::set_launch(std::span<const AxisValue> values, const SharedLaunch& launch) {
  for (const SharedLaunch& forgotten : launches_.set(values, launch)) {
    for (const auto& scratch : forgotten->all_streams) {
      for (std::size_t i = 0; i < scratch->addresses.size(); ++i)
        spare_scratch_.emplace(std::pair(scratch->stream, forgotten->scratch_bytes[i]),
                               scratch->addresses[i]);
    }
  }
}

Kernel::State::Prepared Kernel::State::best_launch(std::span<const AxisValue> values,
                                                   const Problem& problem) {
  SharedLaunch best;
  std::set<std::string> tried;
  std::optional<Failure> first_failure;
  std::string failures;  // the first, in words
  int without_code = 0;
  const auto attempt = [&](Answer answer) {
    if (!tried.insert(answer.config.json()).second) return false;
    if (answer.match != Match::exact && !is_valid(answer.config, problem)) return false;
    if (answer.reason.empty()) answer.reason = failures;
    auto loaded = load(answer, problem);
    if (!loaded) {
      if (!first_failure) failures = in_words(answer.config, first_failure.emplace(loaded.error()));
      note_failure(answer.config, loaded.error());
    } else if (*loaded != nullptr) {
      best = *std::move(loaded);
    } else {
      ++without_code;
    }
    return best != nullptr;
  };
  std::string reason = "no database was given";
  if (lookup_) {
    reason = lookup_->best(values).reason;
    lookup_->visit(values, attempt);
  }
  if (best == nullptr && settings_.worst >= Match::space_default)
    attempt({.match = Match::space_default, .config = definition_.kernel.default_values, .reason = reason});
  if (best != nullptr) {
    if (best->answer.match == Match::space_default && lookup_ && !std::exchange(has_reported_default_, true)) {
      notice(definition_.kernel.name + ": the default of the space serves " +
             (problem.empty() ? "the problem" : problem.str()) + ": " + best->answer.reason);
    }
    set_launch(values, best);
    return best;
  }
  std::string why = ": the constraints exclude all";
  if (settings_.worst < Match::space_default) why = ": " + reason;
  if (!failures.empty()) why = "; the first that failed: " + failures;
  if (without_code > 0) {
    why = std::string(settings_.is_frozen ? ": there is" : ": the bundle has") + " no code for the " +
          std::to_string(without_code) +
          (without_code == 1 ? " configuration that does" : " configurations that do");
  }
  return Error{"no configuration of " + definition_.kernel.name + " works for " +
                   (problem.empty() ? "the problem" : problem.str()) + why,
               without_code > 0 || !first_failure ? ErrorCode::no_configuration : code_of(*first_failure),
               first_failure ? first_failure->native : 0};
}

// In the background the default configuration serves first.
Kernel::State::Prepared Kernel::State::prepare_problem(std::span<const AxisValue> values) {
  if (SharedLaunch launch = find_launch(values)) return launch;
  const auto problem = GKTUNE_TRY(problem_of(values));
  const Config& fallback = definition_.kernel.default_values;
  if (settings_.compilation == Compilation::in_background && settings_.worst >= Match::space_default &&
      is_valid(fallback, problem)) {
    const auto loaded = load(
        {.match = Match::space_default, .config = fallback, .reason = "the compiler works in the background"},
        problem);
    if (loaded && *loaded != nullptr) {
      set_launch(values, *loaded);
      auto& waiting = waiting_.emplace_back();
      for (const AxisValue& value : values) waiting.push_back(value.value());
      work_.notify_one();
      return *loaded;
    }
  }
  return best_launch(values, problem);
}

// Compiles what launches wait for without waiting for it, and follows the databases.
void Kernel::State::work_in_background(const std::stop_token& stop) {
  const auto has_work = [this] { return !waiting_.empty(); };
  while (true) {
    std::unique_lock lock(mutex_);
    if (follows())
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
    for (const auto& database : sources_->databases) has_changed = database->refresh() || has_changed;
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
  const SharedLaunch present = find_launch(values);
  if (!winner || present == nullptr) return;
  if (present->answer.config == winner->config && present->answer.match == winner->match &&
      present->answer.time_us == winner->time_us) {
    return;
  }
  lock.unlock();
  (void)code_for(source);  // then it is in the cache; a failure is found again below
  (void)with_lock([&] { return best_launch(values, *known); });
}

Result<Answer> Kernel::State::prepare(std::span<const AxisValue> problem) {
  if (is_forked()) return forked_error();
  const auto prepared = GKTUNE_TRY(with_lock([&] { return prepare_problem(problem); }));
  return prepared->answer;
}

Result<const PreparedLaunch::StreamScratch*, Failure> Kernel::State::new_scratch(const PreparedLaunch& launch,
                                                                                 void* stream) {
  const std::lock_guard lock(mutex_);
  if (const auto* known = launch.scratch_of(stream)) return known;
  auto scratch = std::make_unique<PreparedLaunch::StreamScratch>();
  scratch->stream = stream;
  for (const std::size_t bytes : launch.scratch_bytes) {
    if (auto spare = spare_scratch_.extract({stream, bytes})) {
      scratch->addresses.push_back(spare.mapped());
      continue;
    }
    auto memory = device_->allocate(bytes);
    if (!memory) return Failure{Status::out_of_memory, memory.error().message};
    scratch->addresses.push_back(memory->get());
    scratch_memory_.push_back(*std::move(memory));
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
  const auto prepared = GKTUNE_TRY(with_lock([&] { return prepare_problem(values); }));
  return launch_prepared(*prepared, values, arguments, stream);
}

Result<void> Kernel::State::launch_converted(const PreparedLaunch& launch, std::span<const AxisValue> values,
                                             std::span<const LaunchArgument> arguments, void* stream) {
  const auto converted = GKTUNE_TRY(launch.converted(definition_.kernel.name, arguments));
  return launch_prepared(launch, values, converted, stream);
}

// Launches the next best configuration that works.
Result<void> Kernel::State::recover(std::span<const AxisValue> values,
                                    std::span<const LaunchArgument> arguments, void* stream,
                                    const PreparedLaunch& launched, std::unique_ptr<Failure> failure) {
  // After these another configuration fares no better.
  if (failure->worker_is_lost || !lasts(*failure)) {
    return Error{definition_.kernel.name + ": " + failure->message, code_of(*failure), failure->native};
  }
  const auto next = GKTUNE_TRY(with_lock([&]() -> Prepared {
    note_failure(launched.answer.config, *failure);
    const auto problem = problem_of(values);
    if (failed_.size() >= kMostFailures) failed_.clear();
    failed_.emplace(launch_key(launched.answer.config, *problem), *failure);
    SharedLaunch present = find_launch(values);
    if (present != nullptr && present.get() != &launched) return present;  // another thread has replaced it
    return best_launch(values, *problem);
  }));
  return launch_prepared(*next, values, arguments, stream);
}

Result<Definition> Kernel::State::with_copied_inputs(const PreparedLaunch& launch,
                                                     std::span<const LaunchArgument> arguments,
                                                     const std::filesystem::path& folder) const {
  Definition definition = definition_;
  if (auto& reference = definition.kernel.reference)
    reference->inputs.clear();  // the caller has computed them
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ArgumentInfo& info = launch.answer.arguments[i];
    Argument& argument = definition.kernel.arguments[launch.passed[i].place];
    if (info.is_scalar || argument.role == Argument::Role::out) continue;
    std::vector<std::byte> copy(static_cast<std::size_t>(info.count) * element_size(info.type));
    const void* address = nullptr;
    std::memcpy(&address, arguments[i].value(), sizeof address);
    GKTUNE_TRY(device_->download(copy.data(), address, copy.size()));
    const std::string path = (folder / (std::to_string(i) + ".npy")).string();
    GKTUNE_TRY(write_npy(path, info.type, copy));
    argument.contents = {};
    argument.contents.kind = ContentsKind::file;
    argument.contents.file.text = path;
    argument.contents.file.parts = {{path, std::nullopt}};
  }
  return definition;
}

Result<Answer> Kernel::State::autotune(std::span<const AxisValue> values,
                                       std::span<const LaunchArgument> arguments, double budget_s) {
  if (is_forked()) return forked_error();
  if (!has_databases())
    return Error{"autotune needs a database to store its result in", ErrorCode::invalid_argument};
  if (settings_.is_frozen)
    return Error{definition_.kernel.name + " is frozen: nothing is tuned", ErrorCode::invalid_argument};
  if (!(budget_s > 0)) return Error{"autotune needs a budget above 0 seconds", ErrorCode::invalid_argument};
  const auto problem = GKTUNE_TRY(problem_of(values));
  const auto known = GKTUNE_TRY(with_lock([&] { return prepare_problem(values); }));
  if (known->answer.match == Match::exact) return known->answer;
  const auto converted = GKTUNE_TRY(known->converted(definition_.kernel.name, arguments));

  // Workers read copies of the caller's inputs from files.
  const auto folder = GKTUNE_TRY(temporary_folder());
  const auto definition = GKTUNE_TRY(with_copied_inputs(*known, converted, *folder));
  GKTUNE_TRY(sources_->tune(definition, problem, *device_, budget_s));
  sources_->databases.front()->refresh();

  const auto prepared = GKTUNE_TRY(with_lock([&] { return best_launch(values, problem); }));
  return prepared->answer;
}

}  // namespace gktune
