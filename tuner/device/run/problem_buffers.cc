#include "tuner/core/quantity.h"
#include "tuner/device/run/problem_buffers.h"

#include <limits>
#include <span>
#include <utility>

#include "tuner/measure/element.h"

namespace gktune {
namespace {

using Role = Argument::Role;

std::size_t size_of(const ArgumentPlan& plan) { return plan.count * element_size(plan.type); }

constexpr std::byte kAllBits{0xff};
constexpr std::byte kFinite{0x3f};  // a small number in all types

// The unsigned integer of the same width, for comparing bits. None is as wide as complex128.
ElementType bits_of(ElementType type) {
  if (type == ElementType::complex128) return type;
  switch (element_size(type)) {
    case 1:
      return ElementType::uint8;
    case 2:
      return ElementType::uint16;
    case 4:
      return ElementType::uint32;
    default:
      return ElementType::uint64;
  }
}

std::string gib_text(std::uint64_t bytes) {
  const std::string text = std::to_string(static_cast<double>(bytes) / (1 << 30));
  return text.substr(0, text.find('.') + 3) + " GiB";
}

// Selects the elements that count, without a tolerance.
TolerancePlan selection_of(const TolerancePlan& tolerance) {
  TolerancePlan selection;
  selection.row = tolerance.row;
  selection.pitch = tolerance.pitch;
  selection.mask = tolerance.mask;
  return selection;
}

// "3 of 100 elements of 'out'"
std::string share_text(std::uint64_t part, const ArgumentPlan& plan) {
  return std::to_string(part) + " of " + std::to_string(plan.count) +
         (plan.count == 1 ? " element of '" : " elements of '") + plan.name + "'";
}

Failure unwritten(std::uint64_t count, const ArgumentPlan& plan) {
  return {Status::wrong_result, "leaves " + share_text(count, plan) + " unwritten"};
}

// Names the reference or the verifier as the cause, unless the machine failed.
Failure blame(const std::string& code, Failure failure) {
  if (failure.status != Status::machine_failed) failure.status = Status::reference_failed;
  failure.message = "the " + code + ": " + failure.message;
  return failure;
}

}  // namespace

ProblemBuffers::ProblemBuffers(ComputeDevice& device, const RunJob& job)
    : device_(&device),
      job_(job),
      arguments_(job.plan.arguments),
      placement_(device.traits().timed_placements.back()),
      slots_(arguments_.size()),
      memory_(arguments_.size()) {}

Result<std::unique_ptr<ProblemBuffers>, Failure> ProblemBuffers::prepare(ComputeDevice& device,
                                                                         const RunJob& job,
                                                                         const Isolate& isolate) {
  auto problem = GKTUNE_TRY(allocate(device, job));
  GKTUNE_TRY(problem->draw(job.plan.arguments, isolate));
  return problem;
}

Result<std::unique_ptr<ProblemBuffers>, Failure> ProblemBuffers::allocate(ComputeDevice& device,
                                                                          const RunJob& job) {
  std::unique_ptr<ProblemBuffers> problem(new ProblemBuffers(device, job));
  GKTUNE_TRY(problem->allocate_all());
  problem->timer_ = device.timer(problem->memory_);
  return problem;
}

Result<void, Failure> ProblemBuffers::draw(const std::vector<ArgumentPlan>& arguments,
                                           const Isolate& isolate) {
  has_results_ = false;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    arguments_[i].contents = arguments[i].contents;
    memory_[i].is_read_only = false;
    slots_[i].differs.reset();
  }
  permit_results(ForkedAccess::write);
  const auto start = std::chrono::steady_clock::now();
  GKTUNE_TRY(fill_inputs());
  device_->preparation.inputs_s += seconds_since(start);
  const auto filled = std::chrono::steady_clock::now();
  if (job_.plan.reference.has_steps()) {
    auto done = isolate([&] { return run_reference(); });
    report_phase(Phase::setup);
    if (!done) return blame("reference", done.error());
    GKTUNE_TRY(note_results());
    device_->preparation.reference_s += seconds_since(filled);
  }
  // The reference may turn out to write its inputs: its changes are found by their digests.
  for (std::size_t i = 0; i < memory_.size(); ++i) memory_[i].is_read_only = arguments_[i].role == Role::in;
  is_drawn_again_ = true;
  return {};
}

bool ProblemBuffers::fits(const RunJob& job) const {
  return job_.guards == job.guards && job_.plan.reference == job.plan.reference &&
         job_.reference == job.reference && job_.plan.verifier == job.plan.verifier &&
         job_.verifier == job.verifier &&
         are_of_one_problem(arguments_, job.plan.arguments, job_.plan.reference, job_.plan.verifier);
}

// For a problem of size 0, say, no step computes the input: its zeros stay.
bool ProblemBuffers::is_computed(const ArgumentPlan& plan) const {
  return plan.contents.is_computed && job_.plan.reference.has_steps();
}

bool ProblemBuffers::needs_expected(std::size_t index) const {
  if (job_.plan.reference.steps.empty()) return false;
  const std::size_t count = arguments_.size();
  return arguments_[index].is_checked ||
         takes(job_.plan.verifier, static_cast<int>(expected_index(index, count)), verdict_index(count) + 1);
}

// The start of memory has any alignment.
Placement ProblemBuffers::placement_of(std::size_t index) const {
  return arguments_[index].is_aligned ? Placement::at_start : placement_;
}

Result<void, Failure> ProblemBuffers::allocate_all() {
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const ArgumentPlan& plan = arguments_[i];
    if (plan.is_scalar) continue;
    const int copies =
        1 + (plan.role == Role::inout || is_computed(plan) ? 1 : 0) + (needs_expected(i) ? 1 : 0);
    bytes_ += size_of(plan) * static_cast<std::uint64_t>(copies);
  }
  const auto free = GKTUNE_TRY(device_->free_bytes());
  if (bytes_ > free) {
    return Failure{Status::out_of_memory, "the problem needs " + gib_text(bytes_) + ", and the device has " +
                                              gib_text(free) + " left"};
  }
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const ArgumentPlan& plan = arguments_[i];
    memory_[i].name = plan.name;
    if (plan.is_scalar) continue;
    const auto add = [](std::unique_ptr<DeviceBuffer>& to, auto buffer) -> Result<void, Failure> {
      if (!buffer) return buffer.error();
      to = *std::move(buffer);
      return {};
    };
    Slot& slot = slots_[i];
    auto buffer = device_->allocate(size_of(plan), placement_of(i), job_.guards);
    GKTUNE_TRY(add(slot.buffer, std::move(buffer)));
    if (plan.role == Role::inout) {
      auto original = device_->allocate(size_of(plan), placement_, job_.guards);
      GKTUNE_TRY(add(slot.original, std::move(original)));
    }
    if (is_computed(plan)) GKTUNE_TRY(add(slot.computed, device_->allocate_shared(size_of(plan))));
    if (needs_expected(i)) GKTUNE_TRY(add(slot.expected, device_->allocate_shared(size_of(plan))));
    memory_[i].buffer = slot.buffer.get();
    memory_[i].original = slot.original.get();
    memory_[i].is_scratch = plan.role == Role::scratch;
    memory_[i].is_unwritten = !is_input(plan.role);
  }
  return job_.plan.verifier.has_steps() ? allocate_verdict() : Result<void, Failure>();
}

// The verifier reads what candidates read and write, and has memory of its own for its verdict.
Result<void, Failure> ProblemBuffers::allocate_verdict() {
  const std::vector<ArgumentPlan> plans = verifier_arguments(arguments_);
  verdict_ = GKTUNE_TRY(device_->allocate(size_of(plans.back()), placement_, job_.guards));
  for (std::size_t i = 0; i < plans.size(); ++i) {
    ArgumentMemory& memory = verifier_memory_.emplace_back();
    memory.name = plans[i].name;
    memory.is_read_only = i != verdict_index(slots_.size());
    memory.buffer = !memory.is_read_only ? verdict_.get()
                    : i >= slots_.size() ? slots_[i - slots_.size()].expected.get()
                                         : slots_[i].buffer.get();
  }
  return {};
}

Result<void, Failure> ProblemBuffers::fill_inputs() {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    if (!slot.buffer || !is_input(arguments_[i].role)) continue;
    GKTUNE_TRY(device_->fill(*slot.buffer, arguments_[i]));
    if (slot.original) device_->copy(*slot.original, *slot.buffer);
    if (slot.computed || needs_no_digest(i)) continue;
    slot.input_digest = GKTUNE_TRY(device_->digest(slot.input()));
  }
  return {};
}

Result<void, Failure> ProblemBuffers::run_reference() {
  const auto program = GKTUNE_TRY(device_->load(job_.reference, job_.plan.reference, arguments_));
  const LaunchOptions options{job_.plan.reference_limit_s, std::nullopt};
  poison_outputs(Poison::first);
  GKTUNE_TRY(execute(*program, options, Phase::reference));
  GKTUNE_TRY(keep_computed_inputs());
  GKTUNE_TRY(find_damage());
  if (job_.plan.reference.steps.empty()) return {};
  const auto needs_second_run = GKTUNE_TRY(keep_results());
  if (needs_second_run) {
    restore_inputs();
    poison_outputs(Poison::first);
    GKTUNE_TRY(execute(*program, options, Phase::reference));
    GKTUNE_TRY(keep_computed_inputs());
    GKTUNE_TRY(find_unwritten_integers());
  }
  return {};
}

// The reference may run in a process of its own, which shares these copies and nothing else.
Result<void, Failure> ProblemBuffers::keep_computed_inputs() {
  for (Slot& slot : slots_) {
    if (!slot.computed) continue;
    device_->copy(*slot.computed, *slot.buffer);
    slot.input_digest = GKTUNE_TRY(device_->digest(*slot.buffer));
  }
  return {};
}

Result<void, Failure> ProblemBuffers::note_results() {
  has_results_ = !job_.plan.reference.steps.empty();
  for (Slot& slot : slots_) {
    if (slot.computed) {
      slot.input_digest = GKTUNE_TRY(device_->digest(*slot.computed));
      slot.computed->permit(ForkedAccess::read);
      device_->copy(*slot.buffer, *slot.computed);
    }
    if (!slot.expected) continue;
    slot.expected->permit(ForkedAccess::read);
    if (is_drawn_again_) continue;
    slot.expected_digest = GKTUNE_TRY(device_->digest(*slot.expected));
  }
  return {};
}

// Finds NaN and unwritten outputs of floating types. True: some integers equal the poison, and only another
// run with another poison can tell if they were written.
Result<bool, Failure> ProblemBuffers::keep_results() {
  bool has_doubtful_integers = false;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const ArgumentPlan& plan = arguments_[i];
    Slot& slot = slots_[i];
    if (!slot.expected) continue;
    // The search for NaN finds them too.
    const bool are_found_as_nan = is_drawn_again_ && is_floating(plan.type) && !plan.tolerance.nan_equals;
    if (plan.role == Role::out && plan.is_checked && !job_.plan.has_default_reference && !are_found_as_nan) {
      device_->poison(*slot.expected, nullptr, kAllBits);
      TolerancePlan is_poison = selection_of(plan.tolerance);
      // The poison is NaN. Where NaN may be a result, that of complex128 cannot be told from it.
      is_poison.nan_equals = !plan.tolerance.nan_equals;
      const auto poisoned = GKTUNE_TRY(compare(i, bits_of(plan.type), is_poison));
      const std::uint64_t untouched = poisoned.count - poisoned.mismatches;
      if (untouched > 0 && is_floating(plan.type)) return unwritten(untouched, plan);
      has_doubtful_integers = has_doubtful_integers || untouched > 0;
    }
    device_->copy(*slot.expected, *slot.buffer);
    if (!plan.is_checked || !is_floating(plan.type) || plan.tolerance.nan_equals) continue;
    const auto itself = GKTUNE_TRY(compare(i, plan.type, selection_of(plan.tolerance)));
    if (itself.nans > 0) {
      return Failure{Status::wrong_result, share_text(itself.nans, plan) + " are NaN; the first is " +
                                               plan.name + '[' + std::to_string(itself.first) + ']'};
    }
  }
  has_results_ = true;
  return has_doubtful_integers;
}

// After a run whose outputs were poisoned with the inverted results of the run before: only an element that
// was not written has these bits.
Result<void, Failure> ProblemBuffers::find_unwritten_integers() {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const ArgumentPlan& plan = arguments_[i];
    Slot& slot = slots_[i];
    if (!slot.expected || !plan.is_checked || plan.role != Role::out || is_floating(plan.type)) continue;
    device_->poison(*slot.expected, slot.expected.get(), kAllBits);
    const auto poisoned = GKTUNE_TRY(compare(i, plan.type, selection_of(plan.tolerance)));
    const std::uint64_t untouched = poisoned.count - poisoned.mismatches;
    if (untouched > 0) return unwritten(untouched, plan);
    device_->copy(*slot.expected, *slot.buffer);
  }
  return {};
}

void ProblemBuffers::renew() {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].buffer && arguments_[i].role != Role::in) slots_[i].buffer->renew();
  }
}

Result<void, Failure> ProblemBuffers::adopt(const std::vector<ArgumentPlan>& arguments) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const ContentsPlan contents = std::exchange(arguments_[i], arguments[i]).contents;
    arguments_[i].contents = contents;
    if (!slots_[i].buffer || slots_[i].buffer->bytes() == size_of(arguments_[i])) continue;
    GKTUNE_TRY(slots_[i].buffer->place(size_of(arguments_[i]), placement_of(i)));
  }
  return {};
}

Result<void, Failure> ProblemBuffers::place(Placement placement) {
  if (std::exchange(placement_, placement) == placement) return {};
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i].buffer) continue;
    GKTUNE_TRY(slots_[i].buffer->place(slots_[i].buffer->bytes(), placement_of(i)));
  }
  return {};
}

Result<void, Failure> ProblemBuffers::execute(const LoadedProgram& program, const LaunchOptions& options,
                                              Phase phase) {
  report_phase(phase);
  const auto time_us = device_->run(program, memory_, options);
  report_phase(Phase::setup);
  if (!time_us) return time_us.error();
  execution_us_ = *time_us;
  return {};
}

void ProblemBuffers::restore_inputs() {
  for (Slot& slot : slots_) {
    if (slot.original) device_->copy(*slot.buffer, *slot.original);
  }
}

// No poison equals an expected result. The first is NaN for floating types, so that the message about an
// unwritten element says so.
void ProblemBuffers::poison_outputs(Poison poison) {
  constexpr std::byte kMasks[] = {kAllBits, std::byte{0x55}, std::byte{0xaa}};
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (!slot.buffer || is_input(arguments_[i].role)) continue;
    const bool is_nan = poison == Poison::first && is_floating(arguments_[i].type);
    poison_output(slot, has_results_ && !is_nan ? slot.expected.get() : nullptr,
                  kMasks[static_cast<std::size_t>(poison)]);
  }
}

// The default configuration may leave elements unwritten: all configurations find the same finite values there
// and must leave them.
void ProblemBuffers::poison_output(const Slot& slot, const DeviceBuffer* expected, std::byte mask) {
  if (job_.plan.has_default_reference)
    device_->poison(*slot.buffer, nullptr, kFinite);
  else
    device_->poison(*slot.buffer, expected, mask);
}

bool ProblemBuffers::is_protected(std::size_t index) const {
  return memory_[index].is_read_only && protects_inputs();
}

bool ProblemBuffers::protects_inputs() const {
  return job_.guards == Guards::hardware && device_->traits().protects_inputs;
}

bool ProblemBuffers::needs_no_digest(std::size_t index) const {
  return is_drawn_again_ && arguments_[index].role == Role::in && protects_inputs();
}

Result<void, Failure> ProblemBuffers::check(const LoadedProgram& candidate, Poison poison,
                                            const LaunchOptions& options) {
  return check_around(poison, [&] { return execute(candidate, options, Phase::check); });
}

Result<void, Failure> ProblemBuffers::check_around(Poison poison,
                                                   const std::function<Result<void, Failure>()>& execute) {
  restore_inputs();
  poison_outputs(poison);
  auto done = execute();
  if (!done && done.error().worker_is_lost) return done;
  auto harmless = find_damage();  // after a failure too: it repairs guards and inputs
  if (!done) return done;
  if (!harmless) return harmless;
  ProblemBuffers* const problem = this;
  return find_wrong_outputs({&problem, 1});
}

Result<void, Failure> ProblemBuffers::disguise(std::span<ProblemBuffers* const> problems,
                                               const ProblemBuffers* others) {
  std::vector<Slot*> unknown;
  std::vector<BufferPair> pairs;
  const TolerancePlan exact;
  for (ProblemBuffers* problem : problems) {
    problem->restore_inputs();
    for (std::size_t i = 0; i < problem->slots_.size(); ++i) {
      Slot& slot = problem->slots_[i];
      const DeviceBuffer* const other = problem->result_of(others, i);
      if (other == nullptr || !slot.differs.value_or(true)) continue;
      problem->device_->copy(*slot.buffer, *other);
      if (!slot.differs.has_value() && slot.expected) {
        unknown.push_back(&slot);
        pairs.push_back(problem->pair(i, bits_of(problem->arguments_[i].type), exact));
      }
      slot.differs = true;
    }
  }
  if (!pairs.empty()) {
    const auto verdicts = GKTUNE_TRY(problems.front()->device_->compare(pairs));
    for (std::size_t i = 0; i < verdicts.size(); ++i) unknown[i]->differs = !verdicts[i].passed();
  }
  for (ProblemBuffers* problem : problems) {
    for (std::size_t i = 0; i < problem->slots_.size(); ++i) {
      const Slot& slot = problem->slots_[i];
      if (!slot.buffer || is_input(problem->arguments_[i].role)) continue;
      if (problem->result_of(others, i) == nullptr || !*slot.differs)
        problem->poison_output(slot, slot.expected.get(), std::byte{0xaa});
    }
  }
  return {};
}

// Null: the argument is no output, or its results there have another size.
const DeviceBuffer* ProblemBuffers::result_of(const ProblemBuffers* others, std::size_t index) const {
  const Slot& slot = slots_[index];
  if (others == nullptr || !slot.buffer || is_input(arguments_[index].role)) return nullptr;
  const DeviceBuffer* const other = others->result(index);
  return other != nullptr && other->bytes() == slot.buffer->bytes() ? other : nullptr;
}

const DeviceBuffer* ProblemBuffers::result(std::size_t index) const {
  const Slot& slot = slots_[index];
  return slot.expected ? slot.expected.get() : slot.buffer.get();
}

Result<void, Failure> ProblemBuffers::judge_executions(std::span<ProblemBuffers* const> problems) {
  GKTUNE_TRY(find_wrong_outputs(problems));
  for (ProblemBuffers* problem : problems) GKTUNE_TRY(problem->find_damage());
  auto right = find_wrong_outputs(problems);
  if (right) return right;
  Failure failure = right.error();
  failure.message += "; its output was right when the execution ended, and changed later";
  return failure;
}

void ProblemBuffers::permit_results(ForkedAccess access) {
  for (Slot& slot : slots_) {
    for (DeviceBuffer* buffer : {slot.computed.get(), slot.expected.get()}) {
      if (buffer != nullptr) buffer->permit(access);
    }
  }
}

void ProblemBuffers::permit(ForkedAccess access) {
  for (Slot& slot : slots_) {
    for (DeviceBuffer* buffer : {slot.buffer.get(), slot.original.get()}) {
      if (buffer != nullptr) buffer->permit(access);
    }
  }
  permit_results(access);
  if (verdict_) verdict_->permit(access);
}

std::vector<ProblemBuffers::Passed> ProblemBuffers::passed() {
  std::vector<Passed> all;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const ArgumentPlan& plan = arguments_[i];
    if (!slots_[i].buffer) continue;
    const ContentsPlan& contents = plan.contents;
    const bool is_structure =
        !is_floating(plan.type) && (contents.is_computed || contents.kind == ContentsKind::file ||
                                    contents.kind == ContentsKind::csr_offsets);
    all.push_back({i, slots_[i].buffer.get(), element_size(plan.type), is_input(plan.role),
                   plan.role != Role::in, is_structure});
  }
  return all;
}

Result<void, Failure> ProblemBuffers::find_damage() {
  auto inside = find_violation();
  if (!inside && inside.error().worker_is_lost) return inside;
  auto unchanged = find_changed_input();
  return inside ? std::move(unchanged) : std::move(inside);
}

Result<void, Failure> ProblemBuffers::find_violation() {
  Result<void, Failure> first;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i].buffer) continue;
    const auto where = GKTUNE_TRY(slots_[i].buffer->take_violation());
    if (!where || !first) continue;
    first = Failure{Status::guard_violated,
                    "wrote outside '" + arguments_[i].name + "' (" + std::to_string(arguments_[i].count) +
                        " elements): " + *where,
                    device_->traits().shares_memory};
  }
  return first;
}

Result<void, Failure> ProblemBuffers::find_changed_input() {
  Result<void, Failure> first;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i].buffer || arguments_[i].role != Role::in || is_protected(i) || needs_no_digest(i))
      continue;
    const auto digest = GKTUNE_TRY(device_->digest(*slots_[i].buffer));
    if (digest == slots_[i].input_digest) continue;
    const auto change = GKTUNE_TRY(repair_input(i));
    if (first) first = Failure{Status::input_changed, "wrote into its input: " + change};
  }
  return first;
}

// Writes the input anew and describes the first change: "in[42] was 42, is now -1".
Result<std::string, Failure> ProblemBuffers::repair_input(std::size_t index) {
  const ArgumentPlan& plan = arguments_[index];
  DeviceBuffer& buffer = *slots_[index].buffer;
  if (const DeviceBuffer* computed = slots_[index].computed.get()) return repair_input(index, *computed);
  const auto original = device_->allocate(size_of(plan), placement_, job_.guards);
  if (!original) {  // no room for a second copy: say less
    if (original.error().worker_is_lost) return original.error();
    GKTUNE_TRY(device_->fill(buffer, plan));
    return plan.name;
  }
  GKTUNE_TRY(device_->fill(**original, plan));
  return repair_input(index, **original);
}

Result<std::string, Failure> ProblemBuffers::repair_input(std::size_t index, const DeviceBuffer& original) {
  const ArgumentPlan& plan = arguments_[index];
  DeviceBuffer& buffer = *slots_[index].buffer;
  const TolerancePlan exact;
  const BufferPair pair{buffer, original, plan.type, exact};
  const Verdict verdict = GKTUNE_TRY(device_->compare({&pair, 1})).front();
  device_->copy(buffer, original);
  if (verdict.passed()) return plan.name;  // -0 instead of 0
  return plan.name + '[' + std::to_string(verdict.first) + "] was " + verdict.expected + ", is now " +
         verdict.actual;
}

BufferPair ProblemBuffers::pair(std::size_t index, ElementType type, const TolerancePlan& tolerance) const {
  const Slot& slot = slots_[index];
  const DeviceBuffer* mask =
      tolerance.mask < 0 ? nullptr : slots_[static_cast<std::size_t>(tolerance.mask)].buffer.get();
  return {*slot.buffer, *slot.expected, type, tolerance, mask};
}

Result<Verdict, Failure> ProblemBuffers::compare(std::size_t index, ElementType type,
                                                 const TolerancePlan& tolerance) {
  const BufferPair compared = pair(index, type, tolerance);
  return GKTUNE_TRY(device_->compare({&compared, 1})).front();
}

Result<void, Failure> ProblemBuffers::find_wrong_outputs(std::span<ProblemBuffers* const> problems) {
  std::vector<BufferPair> pairs;
  std::vector<Verdict> verdicts;  // where a verifier alone judges, there are none
  std::vector<std::string_view> names;
  for (const ProblemBuffers* problem : problems) {
    for (std::size_t i = 0; i < problem->slots_.size(); ++i) {
      const ArgumentPlan& plan = problem->arguments_[i];
      if (!problem->slots_[i].expected || !plan.is_checked) continue;
      pairs.push_back(problem->pair(i, plan.type, plan.tolerance));
      names.emplace_back(plan.name);
    }
  }
  if (!pairs.empty()) verdicts = GKTUNE_TRY(problems.front()->device_->compare(pairs));
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (!verdicts[i].passed()) return Failure{Status::wrong_result, verdicts[i].message(names[i])};
  }
  for (ProblemBuffers* problem : problems) {
    if (problem->has_verifier()) GKTUNE_TRY(problem->verify());
  }
  return {};
}

// It is loaded in the process of the candidate: its code may do anything.
Result<void, Failure> ProblemBuffers::verify() {
  const std::vector<ArgumentPlan> plans = verifier_arguments(arguments_);
  if (!loaded_verifier_) {
    auto loaded = device_->load(job_.verifier, job_.plan.verifier, plans);
    if (!loaded) return blame("verifier", loaded.error());
    loaded_verifier_ = *std::move(loaded);
  }
  GKTUNE_TRY(device_->fill(*verdict_, plans.back()));
  report_phase(Phase::verifier);
  const auto done =
      device_->run(*loaded_verifier_, verifier_memory_, {job_.plan.reference_limit_s, std::nullopt});
  report_phase(Phase::setup);
  if (!done) return failed_verification(done.error());
  std::uint64_t verdict[2];
  GKTUNE_TRY(device_->download(std::as_writable_bytes(std::span(verdict)), *verdict_));
  const auto where = GKTUNE_TRY(verdict_->take_violation());
  if (where) {
    return blame("verifier", {Status::guard_violated, "wrote outside its verdict: " + *where,
                              device_->traits().shares_memory});
  }
  if (auto harmless = find_damage(); !harmless) return blame("verifier", harmless.error());
  const auto [wrong, first] = verdict;
  if (wrong == 0) return {};
  std::string message =
      "the verifier counts " + std::to_string(wrong) + (wrong == 1 ? " wrong element" : " wrong elements");
  if (first != std::numeric_limits<std::uint64_t>::max())
    message += (wrong == 1 ? "; its index is " : "; the index of the first is ") + std::to_string(first);
  return Failure{Status::wrong_result, std::move(message)};
}

Result<bool, Failure> ProblemBuffers::is_intact() {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i].buffer) continue;
    if (is_input(arguments_[i].role)) {
      const auto digest = GKTUNE_TRY(device_->digest(slots_[i].input()));
      if (digest != slots_[i].input_digest) return false;
    }
    if (slots_[i].expected) {
      const auto digest = GKTUNE_TRY(device_->digest(*slots_[i].expected));
      if (digest != slots_[i].expected_digest) return false;
    }
  }
  return true;
}

}  // namespace gktune
