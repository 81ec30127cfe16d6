#include "runtime/kernel.h"

#include <stdlib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "db/sqlite_store.h"
#include "engine/known_device.h"
#include "engine/open_device.h"
#include "engine/tune_problem.h"
#include "runtime/launch_device.h"
#include "runtime/launch_table.h"
#include "tuner/core/spelling.h"
#include "tuner/core/version.h"
#include "tuner/device/worker/compile_cache.h"
#include "tuner/device/worker/private_folder.h"
#include "tuner/measure/element.h"
#include "tuner/measure/npy.h"
#include "tuner/space/content_key.h"
#include "tuner/space/language/evaluate.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

constexpr std::size_t kMostArguments = 256;  // of a space file

// A folder that ends with the object.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make() {
    std::error_code error;
    std::string pattern = (std::filesystem::temp_directory_path(error) / "gktune-XXXXXX").string();
    if (error || ::mkdtemp(pattern.data()) == nullptr) return Error{"cannot make a folder for temporary files"};
    return TemporaryFolder(pattern);
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

// What a thread launches for one problem. It stays as it is.
struct PreparedLaunch {
  std::unique_ptr<LaunchProgram> program;
  KernelChoice choice;
  // One per argument of the plan.
  struct alignas(8) Scalar : std::array<std::byte, 8> {};
  std::vector<Scalar> scalars;
  std::vector<void*> values;  // each a pointer to a scalar; null: passed by the caller, or scratch memory
  // The arguments that the caller passes.
  struct Passed {
    std::size_t place = 0;
    ElementType type = ElementType::float32;
    bool is_scalar = false, is_written = false;
  };
  std::vector<Passed> passed;
  struct Scratch {
    std::size_t place = 0, bytes = 0;
  };
  std::vector<Scratch> scratch;

  // Scratch memory of one stream: launches in different streams overlap.
  struct StreamScratch {
    void* stream = nullptr;
    std::vector<std::unique_ptr<LaunchMemory>> memory;
    std::vector<void*> addresses;
    StreamScratch* next = nullptr;
  };
  mutable std::atomic<StreamScratch*> streams{nullptr};
  mutable std::vector<std::unique_ptr<StreamScratch>> all_streams;  // under the kernel's lock
};

// The launch for one problem changes when a background compilation ends, or after a failure.
struct Slot {
  std::atomic<const PreparedLaunch*> launch{nullptr};
};

std::string problem_text_of(const Problem& problem) { return problem.empty() ? "the problem" : problem.str(); }

}  // namespace

class Kernel::State {
 public:
  State(Definition definition, KernelSettings settings, std::unique_ptr<LaunchDevice> device)
      : definition_(std::move(definition)), settings_(std::move(settings)), device_(std::move(device)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  Result<void> open();
  const std::vector<std::string>& axes() const { return axes_; }
  Result<void> launch(std::span<const AxisValue> problem, std::span<const LaunchArgument> arguments, void* stream);
  Result<KernelChoice> prepare(std::span<const AxisValue> problem);
  Result<KernelChoice> autotune(std::span<const AxisValue> problem, std::span<const LaunchArgument> arguments,
                                double budget_s);

 private:
  using Prepared = Result<const PreparedLaunch*>;

  Result<void> choose_arguments();
  Result<void> open_lookup();
  Result<Problem> problem_of(std::span<const AxisValue> values) const;
  // With the lock held.
  Prepared prepare_slot(std::span<const AxisValue> values);
  // The best configuration that has not failed and that compiles and loads.
  Prepared best_launch(std::span<const AxisValue> values, const Problem& problem);
  Result<const PreparedLaunch*, Failure> load(const Answer& answer, const Problem& problem);
  Result<Module, Failure> module_for(const SourcePlan& source);
  bool is_valid(const Config& config, const Problem& problem) const;
  Result<void> check(const PreparedLaunch& launch, std::span<const LaunchArgument> arguments) const;
  Result<void> mismatch(const PreparedLaunch& launch, std::span<const LaunchArgument> arguments,
                        std::size_t place) const;
  Result<void, Failure> run(const PreparedLaunch& launch, std::span<const LaunchArgument> arguments, void* stream);
  Result<const PreparedLaunch::StreamScratch*, Failure> scratch_for(const PreparedLaunch& launch, void* stream);
  Result<void> recover(std::span<const AxisValue> values, std::span<const LaunchArgument> arguments, void* stream,
                       const PreparedLaunch* failed, Failure failure);
  void note_failure(const Config& config, const Failure& failure);
  void compile_in_background(const std::stop_token& stop);

  Definition definition_;
  KernelSettings settings_;
  std::unique_ptr<LaunchDevice> device_;
  std::vector<std::string> axes_;
  std::vector<std::size_t> passed_;  // places of the arguments that the caller passes
  std::vector<Constraint> constraints_;
  std::string cache_dir_;
  std::optional<TemporaryFolder> temporary_;

  std::mutex compiler_mutex_;  // of device_->compile(); taken after the other one

  LaunchTable<Slot> slots_;

  std::mutex mutex_;  // guards the members below, and changes of slots_
  std::optional<KernelLookup> lookup_;
  std::set<std::string> failed_;   // configurations, as JSON
  std::string failures_;           // in words
  std::vector<std::unique_ptr<PreparedLaunch>> launches_;
  std::deque<std::vector<Value>> waiting_;  // problems for the background
  std::condition_variable_any work_;
  std::jthread background_;  // last: it ends before the other members do
};

Kernel::State::~State() {
  if (background_.joinable()) {
    background_.request_stop();
    work_.notify_all();
    background_.join();
  }
  if (device_ == nullptr || device_->is_alive()) return;
  // CUDA has ended, or the context is gone: what it owned is gone too.
  for (auto& launch : launches_) {
    launch->program.release();
    for (auto& stream : launch->all_streams) {
      for (auto& memory : stream->memory) memory.release();
    }
  }
}

Result<void> Kernel::State::open() {
  for (const Axis& axis : definition_.kernel.axes) axes_.push_back(axis.name);
  constraints_ = with_device_limits(definition_.listed.empty() ? definition_.constraints : std::vector<Constraint>(),
                                    definition_.kernel, device_->info());
  if (auto chosen = choose_arguments(); !chosen) return chosen;
  if (settings_.cache_dir.empty()) {
    auto folder = TemporaryFolder::make();
    if (!folder) return folder.error();
    temporary_ = std::move(*folder);
    cache_dir_ = temporary_->path().string();
  } else {
    auto folder = make_private_folder(settings_.cache_dir);
    if (!folder) return folder.error();
    cache_dir_ = folder->string();
  }
  if (auto opened = open_lookup(); !opened) return opened;
  if (settings_.compilation == Compilation::in_background) {
    background_ = std::jthread([this](const std::stop_token& stop) { compile_in_background(stop); });
  }
  return {};
}

Result<void> Kernel::State::open_lookup() {
  if (settings_.databases.empty()) return {};
  auto lookup = Lookup::open(settings_.databases, settings_.lookup);
  if (!lookup) return lookup.error();
  lookup_ = lookup->prepare(definition_.kernel.name, axes_,
                            Question{.device = identity_of(device_->info()),
                                     .fallback = {},
                                     .freshness = {definition_.fingerprint, settings_.driver, settings_.runtime}});
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
    std::string names;
    for (const std::string& name : axes_) names += (names.empty() ? "" : ", ") + name;
    return Error{definition_.kernel.name + " has " + std::to_string(axes.size()) + " axes (" + names +
                 "), and the problem has " + std::to_string(values.size()) + " values"};
  }
  Problem problem;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    Value value = values[i].value();
    const Value& known = axes[i].values.front();
    if (known.is_real() && value.is_integer()) value = Value(value.number());
    if (value.kind() != known.kind()) {
      return Error{"the axis " + axes[i].name + " has values such as " + known.str() + ", and the problem has " +
                   value.str()};
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

// Compiled code is found by what it is made from, without the compiler: opening NVRTC takes longer than loading.
Result<Module, Failure> Kernel::State::module_for(const SourcePlan& source) {
  std::string parts = "launch " + std::string(kVersion) + '\n' + definition_.fingerprint + '\n' +
                      device_->info().kind + ' ' + device_->info().architecture + '\n';
  const auto add = [&parts](const std::string& text) { parts += std::to_string(text.size()) + ':' + text; };
  add(device_->info().kind == "host" ? device_->info().compiler : "");
  for (const auto& [name, value] : source.macros) add(name), add(value);
  parts += '\n';
  for (const std::string& option : source.options) add(option);
  parts += '\n';
  for (const std::string& entry : source.entries) add(entry);
  const std::string key = content_key(parts);
  CompileCache cache{cache_dir_};
  const auto find = [&]() -> std::optional<Module> {
    auto known = cache.find(key);
    if (!known || known->status != Status::ok) return std::nullopt;
    return std::move(known->module);
  };
  if (auto known = find()) return *std::move(known);
  const std::lock_guard lock(compiler_mutex_);
  if (auto known = find()) return *std::move(known);
  auto compiled = device_->compile({.variants = {source},
                                    .architecture = device_->info().architecture,
                                    .cache_dir = cache_dir_});
  if (!compiled) return Failure{Status::machine_failed, compiled.error().message};
  if (compiled->status != Status::ok) return Failure{compiled->status, compiled->log};
  (void)cache.add(key, *compiled);  // a full disk costs the next compilation
  return std::move(compiled->module);
}

Result<const PreparedLaunch*, Failure> Kernel::State::load(const Answer& answer, const Problem& problem) {
  const auto plan = resolve(definition_.kernel, answer.config, problem, device_->info());
  if (!plan) return Failure{Status::invalid, plan.error().message};
  const auto module = module_for(plan->candidate.source);
  if (!module) return module.error();
  auto program = device_->load(*module, *plan);
  if (!program) return program.error();

  auto launch = std::make_unique<PreparedLaunch>();
  launch->program = *std::move(program);
  launch->choice = {answer.match, answer.config, answer.time_us, answer.reason, {}};
  launch->scalars.resize(plan->arguments.size());
  launch->values.resize(plan->arguments.size());
  for (std::size_t i = 0; i < plan->arguments.size(); ++i) {
    const ArgumentPlan& argument = plan->arguments[i];
    if (argument.is_scalar) {
      store_number(argument.type, launch->scalars[i].data(), argument.scalar);
      launch->values[i] = launch->scalars[i].data();
    } else if (argument.role == Argument::Role::scratch && std::ranges::find(passed_, i) == passed_.end()) {
      launch->scratch.push_back(
          {i, std::max<std::size_t>(1, static_cast<std::size_t>(argument.count) * element_size(argument.type))});
    }
  }
  for (const std::size_t place : passed_) {
    const ArgumentPlan& argument = plan->arguments[place];
    const bool is_written = !argument.is_scalar && argument.role != Argument::Role::in;
    launch->passed.push_back({place, argument.type, argument.is_scalar, is_written});
    launch->choice.arguments.push_back({argument.name, argument.type, argument.is_scalar,
                                        argument.is_scalar ? 1 : argument.count, is_written});
  }
  launches_.push_back(std::move(launch));
  return launches_.back().get();
}

void Kernel::State::note_failure(const Config& config, const Failure& failure) {
  // A missing compiler or a full disk is not the configuration's fault, but the next one may be compiled already.
  if (!failed_.insert(config.json()).second) return;
  const std::string text = definition_.kernel.name + ": " + config.str() + ": " +
                           std::string(status_name(failure.status)) + ": " + failure.message;
  if (failures_.empty()) failures_ = text;
  if (settings_.on_notice) settings_.on_notice(text);
}

Kernel::State::Prepared Kernel::State::best_launch(std::span<const AxisValue> values, const Problem& problem) {
  const PreparedLaunch* best = nullptr;
  std::set<std::string> tried;
  const auto attempt = [&](const Answer& answer) {
    const std::string key = answer.config.json();
    if (failed_.contains(key) || !tried.insert(key).second) return false;
    if (answer.match != Match::exact && !is_valid(answer.config, problem)) return false;
    auto loaded = load(answer, problem);
    if (loaded) best = *loaded;
    else note_failure(answer.config, loaded.error());
    return best != nullptr;
  };
  std::string reason = settings_.databases.empty() ? "no database was given" : "";
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
  return Error{"no configuration of " + definition_.kernel.name + " works for " + problem_text_of(problem) +
               (failures_.empty() ? ": the constraints exclude all" : "; the first that failed: " + failures_)};
}

// In the background the default configuration serves first.
Kernel::State::Prepared Kernel::State::prepare_slot(std::span<const AxisValue> values) {
  Slot* slot = slots_.find(values);
  if (slot != nullptr) {
    if (const PreparedLaunch* launch = slot->launch.load(std::memory_order_acquire)) return launch;
  }
  const auto problem = problem_of(values);
  if (!problem) return problem.error();
  Prepared prepared = static_cast<const PreparedLaunch*>(nullptr);
  const Config& fallback = definition_.kernel.default_values;
  if (settings_.compilation == Compilation::in_background && !failed_.contains(fallback.json()) &&
      is_valid(fallback, *problem)) {
    Answer answer;
    answer.match = Match::space_default;
    answer.config = fallback;
    answer.reason = "the compiler works in the background";
    if (auto loaded = load(answer, *problem)) {
      prepared = *loaded;
      auto& waiting = waiting_.emplace_back();
      for (const AxisValue& value : values) waiting.push_back(value.value());
      work_.notify_one();
    }
  }
  if (*prepared == nullptr) prepared = best_launch(values, *problem);
  if (!prepared) return prepared;
  if (slot == nullptr) slot = &slots_.add(values);
  slot->launch.store(*prepared, std::memory_order_release);
  return prepared;
}

void Kernel::State::compile_in_background(const std::stop_token& stop) {
  while (true) {
    std::unique_lock lock(mutex_);
    if (!work_.wait(lock, stop, [&] { return !waiting_.empty(); })) return;
    const std::vector<Value> problem = std::move(waiting_.front());
    waiting_.pop_front();
    const std::vector<AxisValue> values(problem.begin(), problem.end());
    const auto known = problem_of(values);
    if (!known) continue;
    // Launches go on while the winner is compiled; then it is in the cache.
    std::optional<Config> winner;
    if (lookup_) {
      lookup_->visit(values, [&](const Answer& answer) {
        if (!failed_.contains(answer.config.json()) && (answer.match == Match::exact || is_valid(answer.config, *known)))
          winner = answer.config;
        return winner.has_value();
      });
    }
    lock.unlock();
    if (winner) {
      if (const auto plan = resolve(definition_.kernel, *winner, *known, device_->info())) {
        (void)module_for(plan->candidate.source);  // a failure is found again below
      }
    }
    lock.lock();
    const auto prepared = best_launch(values, *known);
    Slot* slot = slots_.find(values);
    if (prepared && slot != nullptr) slot->launch.store(*prepared, std::memory_order_release);
  }
}

Result<KernelChoice> Kernel::State::prepare(std::span<const AxisValue> problem) {
  const std::lock_guard lock(mutex_);
  const auto prepared = prepare_slot(problem);
  if (!prepared) return prepared.error();
  KernelChoice choice = (*prepared)->choice;
  if (choice.reason.empty()) choice.reason = failures_;
  return choice;
}

Result<void> Kernel::State::mismatch(const PreparedLaunch& launch, std::span<const LaunchArgument> arguments,
                                     std::size_t place) const {
  const auto& expected = launch.passed[place];
  const LaunchArgument& given = arguments[place];
  const auto described = [](bool is_pointer, std::string_view type) {
    return std::string(type) + (is_pointer ? "*" : "");
  };
  std::string text = "argument " + std::to_string(place + 1) + " of " + definition_.kernel.name + ", '" +
                     launch.choice.arguments[place].name + "', is " +
                     described(!expected.is_scalar, element_type_name(expected.type)) + ", not ";
  if (given.is_pointer() && given.is_const() && expected.is_written && !expected.is_scalar) text += "const ";
  return Error{text + described(given.is_pointer(), given.type() ? element_type_name(*given.type()) : "void")};
}

Result<void> Kernel::State::check(const PreparedLaunch& launch, std::span<const LaunchArgument> arguments) const {
  if (arguments.size() != launch.passed.size()) {
    std::string names;
    for (const auto& each : launch.choice.arguments) names += (names.empty() ? "" : ", ") + each.name;
    return Error{definition_.kernel.name + " takes " + std::to_string(launch.passed.size()) + " arguments (" +
                 names + "), and is given " + std::to_string(arguments.size())};
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& expected = launch.passed[i];
    const LaunchArgument& given = arguments[i];
    const bool fits = given.is_pointer() != expected.is_scalar && (!given.type() || *given.type() == expected.type) &&
                      (!given.is_const() || !expected.is_written);
    if (!fits) return mismatch(launch, arguments, i);
  }
  return {};
}

Result<const PreparedLaunch::StreamScratch*, Failure> Kernel::State::scratch_for(const PreparedLaunch& launch,
                                                                                void* stream) {
  const auto find = [&]() -> const PreparedLaunch::StreamScratch* {
    for (auto* each = launch.streams.load(std::memory_order_acquire); each != nullptr; each = each->next) {
      if (each->stream == stream) return each;
    }
    return nullptr;
  };
  if (const auto* known = find()) return known;
  const std::lock_guard lock(mutex_);
  if (const auto* known = find()) return known;
  auto scratch = std::make_unique<PreparedLaunch::StreamScratch>();
  scratch->stream = stream;
  for (const auto& each : launch.scratch) {
    auto memory = device_->allocate(each.bytes);
    if (!memory) return Failure{Status::out_of_memory, memory.error().message};
    scratch->addresses.push_back((*memory)->address());
    scratch->memory.push_back(*std::move(memory));
  }
  scratch->next = launch.streams.load(std::memory_order_relaxed);
  launch.streams.store(scratch.get(), std::memory_order_release);
  launch.all_streams.push_back(std::move(scratch));
  return launch.streams.load(std::memory_order_relaxed);
}

Result<void, Failure> Kernel::State::run(const PreparedLaunch& launch, std::span<const LaunchArgument> arguments,
                                         void* stream) {
  void* values[kMostArguments];
  std::copy(launch.values.begin(), launch.values.end(), values);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    values[launch.passed[i].place] = const_cast<void*>(arguments[i].value());  // kernels take copies
  }
  if (!launch.scratch.empty()) {
    const auto scratch = scratch_for(launch, stream);
    if (!scratch) return scratch.error();
    for (std::size_t i = 0; i < launch.scratch.size(); ++i) {
      values[launch.scratch[i].place] = const_cast<void**>(&(*scratch)->addresses[i]);
    }
  }
  return launch.program->launch(values, stream);
}

Result<void> Kernel::State::launch(std::span<const AxisValue> problem, std::span<const LaunchArgument> arguments,
                                   void* stream) {
  const Slot* slot = slots_.find(problem);
  const PreparedLaunch* launch = slot != nullptr ? slot->launch.load(std::memory_order_acquire) : nullptr;
  if (launch == nullptr) {
    const std::lock_guard lock(mutex_);
    const auto prepared = prepare_slot(problem);
    if (!prepared) return prepared.error();
    launch = *prepared;
  }
  if (auto checked = check(*launch, arguments); !checked) return checked;
  auto done = run(*launch, arguments, stream);
  if (done) return {};
  return recover(problem, arguments, stream, launch, done.error());
}

// Launches the next best configuration that works.
Result<void> Kernel::State::recover(std::span<const AxisValue> values, std::span<const LaunchArgument> arguments,
                                    void* stream, const PreparedLaunch* failed, Failure failure) {
  while (true) {
    // After these another configuration fares no better.
    if (failure.worker_is_lost || failure.status == Status::out_of_memory) {
      return Error{definition_.kernel.name + ": " + failure.message};
    }
    const PreparedLaunch* next = nullptr;
    {
      const std::lock_guard lock(mutex_);
      note_failure(failed->choice.config, failure);
      Slot* slot = slots_.find(values);
      next = slot->launch.load(std::memory_order_acquire);
      if (next == failed) {  // else another thread has replaced it
        const auto problem = problem_of(values);
        const auto prepared = best_launch(values, *problem);
        if (!prepared) return prepared.error();
        next = *prepared;
        slot->launch.store(next, std::memory_order_release);
      }
    }
    if (auto checked = check(*next, arguments); !checked) return checked;
    auto done = run(*next, arguments, stream);
    if (done) return {};
    failed = next;
    failure = done.error();
  }
}

Result<KernelChoice> Kernel::State::autotune(std::span<const AxisValue> values,
                                             std::span<const LaunchArgument> arguments, double budget_s) {
  if (settings_.databases.empty()) return Error{"autotune needs a database to store its result in"};
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
  {
    const Slot* slot = slots_.find(values);
    const PreparedLaunch* launch = slot->launch.load(std::memory_order_acquire);
    if (auto checked = check(*launch, arguments); !checked) return checked.error();
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
  auto store = open_sqlite_store(settings_.databases.front(), StoreAccess::write);
  if (!store) return store.error();
  const auto session =
      (*store)->begin_session({std::string(kVersion), "", "autotune " + definition.kernel.name, device_->info()});
  if (!session) return session.error();
  auto device = open_device(definition.kernel, {{device_->backend()}, device_->info()},
                            {.argv = settings_.worker, .cache_dir = cache_dir_}, DeviceWork::time);
  if (!device) return Error{device.error().message};
  const TuneRequest request{.definition = definition,
                            .problem = *problem,
                            .strategy = definition.search.strategy,
                            .trials = definition.search.trials,
                            .budget_s = budget_s};
  const auto tuning = tune_problem(request, {**device, **store, *session, {}});
  if (auto ended = (*store)->end_session(*session); !ended) return ended.error();
  if (!tuning) return Error{tuning.error().message};
  store->reset();

  const std::lock_guard lock(mutex_);
  if (auto opened = open_lookup(); !opened) return opened.error();
  const auto prepared = best_launch(values, *problem);
  if (!prepared) return prepared.error();
  slots_.find(values)->launch.store(*prepared, std::memory_order_release);
  return (*prepared)->choice;
}

Kernel::Kernel(std::unique_ptr<State> state) : state_(std::move(state)) {}
Kernel::Kernel(Kernel&&) noexcept = default;
Kernel& Kernel::operator=(Kernel&&) noexcept = default;
Kernel::~Kernel() = default;

Result<Kernel> Kernel::open(const std::string& space_file, KernelSettings settings) {
  auto device = open_launch_device({settings.device, settings.cxx, settings.cuda_home});
  if (!device) return device.error();
  auto definition = read_space_file(space_file, {.device_kind = (*device)->info().kind});
  if (!definition) {
    std::string errors;
    for (const Diagnostic& diagnostic : definition.error()) errors += (errors.empty() ? "" : "\n") + diagnostic.str();
    return Error{std::move(errors)};
  }
  if (definition->kernel.language == Language::cpp && (*device)->info().kind != "host") {
    return Error{space_file + ": C++ functions run on the host device only"};
  }
  auto state = std::make_unique<State>(*std::move(definition), std::move(settings), *std::move(device));
  if (auto opened = state->open(); !opened) return opened.error();
  return Kernel(std::move(state));
}

const std::vector<std::string>& Kernel::axes() const { return state_->axes(); }

Result<void> Kernel::launch(std::span<const AxisValue> problem, std::span<const LaunchArgument> arguments,
                            void* stream) {
  return state_->launch(problem, arguments, stream);
}

Result<KernelChoice> Kernel::prepare(std::span<const AxisValue> problem) { return state_->prepare(problem); }

Result<KernelChoice> Kernel::autotune(std::span<const AxisValue> problem, std::span<const LaunchArgument> arguments,
                                      double budget_s) {
  return state_->autotune(problem, arguments, budget_s);
}

}  // namespace gktune
