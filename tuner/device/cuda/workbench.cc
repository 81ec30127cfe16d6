#include "tuner/device/cuda/workbench.h"

#include <algorithm>
#include <array>

#include "tuner/device/cuda/captured_output.h"
#include "tuner/device/cuda/program_text.h"
#include "tuner/device/worker/fault_report.h"
#include "tuner/measure/contents.h"
#include "tuner/measure/element.h"
#include "tuner/measure/guard.h"

namespace gktune {
namespace {

// For what is gktune's own: nothing of it takes longer, however large the problem.
constexpr double kOwnLimitS = 60;
// The driver tells of a fault only once it has looked at the damage, which takes up to a second: a short
// limit would take that for a hang.
constexpr double kFaultTellingS = 1.5;
// Copies leave the rest of the memory to the problem.
constexpr std::size_t kCopiesShare = 4;

std::string gib_text(std::size_t bytes) {
  const double gib = static_cast<double>(bytes) / (1 << 30);
  std::string text = std::to_string(gib);
  return text.substr(0, text.find('.') + 3) + " GiB";
}

std::size_t rounded_up(std::size_t size) { return (size + kGuardBytes - 1) / kGuardBytes * kGuardBytes; }

std::string bytes_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

Trouble too_long(double limit_s) {
  return {Status::timed_out, "ran longer than " + number_text(limit_s) + " s", true};
}

bool is_written(const ArgumentPlan& plan) { return plan.role != Argument::Role::in; }
bool has_contents(const ArgumentPlan& plan) {
  return plan.role == Argument::Role::in || plan.role == Argument::Role::inout;
}

}  // namespace

Workbench::Workbench(Gpu& gpu, DeviceKernels& kernels, const RunJob& job)
    : gpu_(&gpu),
      kernels_(&kernels),
      arguments_(job.plan.arguments),
      reference_(job.plan.reference),
      reference_module_(job.reference),
      addresses_(arguments_.size(), 0) {}

Result<Workbench, Trouble> Workbench::prepare(Gpu& gpu, DeviceKernels& kernels, ModuleShelf& shelf,
                                              const RunJob& job) {
  Workbench bench(gpu, kernels, job);
  if (auto made = bench.make_buffers(); !made) return made.error();
  if (!job.plan.reference.steps.empty()) {
    report_phase(Phase::reference);
    if (auto ran = bench.run_reference(shelf, job); !ran) {
      Trouble trouble = ran.error();
      trouble.message = "the reference: " + trouble.message;
      return trouble;
    }
  }
  for (auto& buffer : bench.buffers_) {
    if (has_contents(bench.plan_of(buffer))) {
      const CUdeviceptr kept = buffer.pristine.get() != 0 ? buffer.pristine.get() : buffer.data;
      buffer.pristine_digest = kernels.digest(kept, buffer.size, kOwnLimitS);
    }
  }
  if (auto done = bench.finished(kOwnLimitS); !done) return done.error();
  return bench;
}

bool Workbench::fits(const RunJob& job) const {
  return reference_ == job.plan.reference && reference_module_ == job.reference &&
         are_of_one_problem(arguments_, job.plan.arguments, reference_);
}

Result<void, Trouble> Workbench::adopt(const RunJob& job) {
  arguments_ = job.plan.arguments;
  for (auto& buffer : buffers_) {
    const ArgumentPlan& plan = plan_of(buffer);
    const std::size_t size = plan.count * element_size(plan.type);
    if (plan.role != Argument::Role::scratch || size == buffer.size) continue;
    buffer.size = size;
    if (size > buffer.capacity) {
      buffer.memory = {};
      allocate(buffer);
      for (auto& copy : copies_) copy.addresses[buffer.argument] = buffer.data;
      if (auto failure = gpu_->take_failure()) return trouble_of(*failure);
    }
    fill_guards(buffer);
  }
  return finished(kOwnLimitS);
}

void Workbench::allocate(Buffer& buffer) {
  buffer.capacity = buffer.size;
  buffer.memory = gpu_->allocate(rounded_up(buffer.capacity) + 2 * kGuardBytes);
  buffer.data = buffer.memory.get() + kGuardBytes;
  addresses_[buffer.argument] = buffer.data;
}

Result<void, Trouble> Workbench::finished(double limit_s) {
  if (!gpu_->wait(limit_s)) return too_long(limit_s);
  if (auto failure = gpu_->take_failure()) return trouble_of(*failure);
  return {};
}

Result<void, Trouble> Workbench::make_buffers() {
  std::size_t needed = 0;
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const ArgumentPlan& plan = arguments_[i];
    if (plan.is_scalar) continue;
    Buffer buffer;
    buffer.argument = i;
    buffer.size = plan.count * element_size(plan.type);
    needed += buffer.size * (1 + (plan.role == Argument::Role::inout ? 1 : 0) + (plan.is_checked ? 1 : 0));
    buffers_.push_back(std::move(buffer));
  }
  const std::size_t free = gpu_->free_bytes();
  if (gpu_->ok() && needed > free) {
    return Trouble{Status::out_of_memory,
                   "the problem needs " + gib_text(needed) + ", and the GPU has " + gib_text(free) + " left",
                   false};
  }
  for (auto& buffer : buffers_) {
    const ArgumentPlan& plan = plan_of(buffer);
    allocate(buffer);
    if (plan.role == Argument::Role::inout) buffer.pristine = gpu_->allocate(buffer.size);
    if (plan.is_checked && !reference_.steps.empty()) buffer.expected = gpu_->allocate(buffer.size);
    if (auto failure = gpu_->take_failure()) return trouble_of(*failure);
    fill_guards(buffer);
    if (auto filled = fill(buffer, buffer.data); !filled) return filled;
    if (buffer.pristine.get() != 0) gpu_->copy(buffer.pristine.get(), buffer.data, buffer.size);
  }
  return finished(kOwnLimitS);
}

Result<void, Trouble> Workbench::fill(Buffer& buffer, CUdeviceptr to) {
  const ArgumentPlan& plan = plan_of(buffer);
  if (!has_contents(plan)) {
    gpu_->fill(to, 0, buffer.size);
    return {};
  }
  if (plan.contents.kind == ContentsKind::file) {
    std::vector<std::byte> contents(buffer.size);
    if (auto read = fill_contents(plan.type, plan.contents, contents); !read) {
      return Trouble{Status::invalid, "argument '" + plan.name + "': " + read.error().message, false};
    }
    gpu_->upload(to, contents);
    return finished(kOwnLimitS);
  }
  // Whether the numbers fit the type is told by filling one element.
  std::array<std::byte, 8> one{};
  if (auto fits = fill_contents(plan.type, plan.contents, std::span(one).first(element_size(plan.type)));
      !fits) {
    return Trouble{Status::invalid, "argument '" + plan.name + "': " + fits.error().message, false};
  }
  kernels_->fill(to, plan.type, plan.count, plan.contents);
  return {};
}

Result<void, Trouble> Workbench::run_reference(ModuleShelf& shelf, const RunJob& job) {
  const auto code = shelf.get(job.reference.path);
  if (!code) return code.error();
  const auto bound = BoundProgram::bind(*gpu_, *code, job.reference, job.plan.reference, arguments_);
  if (!bound) return bound.error();
  bound->launch(*gpu_, addresses_);
  if (auto done = finished(job.plan.time_limit_s); !done) return done;
  if (auto intact = check_guards(); !intact) return intact;
  for (auto& buffer : buffers_) {
    if (buffer.expected.get() == 0) continue;
    gpu_->copy(buffer.expected.get(), buffer.data, buffer.size);
    buffer.expected_digest = kernels_->digest(buffer.expected.get(), buffer.size, kOwnLimitS);
  }
  // It may have changed what it was only to read: then the candidates would get something else than it did.
  for (auto& buffer : buffers_) {
    if (plan_of(buffer).role != Argument::Role::in) continue;
    const auto after = kernels_->digest(buffer.data, buffer.size, kOwnLimitS);
    if (auto filled = fill(buffer, buffer.data); !filled) return filled;
    if (gpu_->ok() && after != kernels_->digest(buffer.data, buffer.size, kOwnLimitS)) {
      return Trouble{Status::input_changed, "changed its input " + plan_of(buffer).name, false};
    }
  }
  return finished(kOwnLimitS);
}

void Workbench::fill_guards(const Buffer& buffer) {
  std::array<std::byte, kGuardBytes> zone{};
  fill_guard(zone);
  gpu_->upload(buffer.memory.get(), zone);
  gpu_->upload(buffer.data + buffer.size, zone);
}

Result<void, Trouble> Workbench::check(const BoundProgram& candidate, double limit_s) {
  for (auto& buffer : buffers_) {
    const ArgumentPlan& plan = plan_of(buffer);
    if (plan.role == Argument::Role::inout || !is_written(plan)) continue;
    kernels_->poison(buffer.data, buffer.expected.get(), plan.type, plan.count);
  }
  restore();
  if (auto ready = finished(kOwnLimitS); !ready) return ready;
  if (auto done = run_once(candidate, limit_s); !done) return done;
  if (auto outside = check_guards(); !outside) return outside;
  if (auto inputs = check_inputs(); !inputs) return inputs;
  return check_outputs();
}

Result<void, Trouble> Workbench::run_once(const BoundProgram& candidate, double limit_s) {
  const CapturedOutput output;
  report_phase(Phase::check);
  candidate.launch(*gpu_, addresses_);
  if (!gpu_->wait(limit_s + kFaultTellingS)) return too_long(limit_s);
  auto failure = gpu_->take_failure();
  if (!failure) return {};
  Trouble trouble = trouble_of(*failure);
  const std::string assertion = output.line_with(" Assertion `");
  if (!assertion.empty()) trouble.message = without_variant_names(assertion);
  return trouble;
}

bool Workbench::needs_restoring() const {
  return std::ranges::any_of(buffers_, [](const Buffer& buffer) { return buffer.pristine.get() != 0; });
}

void Workbench::restore() {
  for (auto& buffer : buffers_) {
    if (buffer.pristine.get() != 0) gpu_->copy(buffer.data, buffer.pristine.get(), buffer.size);
  }
}

Result<void, Trouble> Workbench::check_guards() {
  std::vector<std::array<std::byte, kGuardBytes>> zones(2 * buffers_.size());
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    gpu_->download(zones[2 * i], buffers_[i].memory.get());
    gpu_->download(zones[2 * i + 1], buffers_[i].data + buffers_[i].size);
  }
  if (auto done = finished(kOwnLimitS); !done) return done;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const auto before = guard_violation(zones[2 * i]), after = guard_violation(zones[2 * i + 1]);
    if (!before && !after) continue;
    for (const auto& buffer : buffers_) fill_guards(buffer);
    // Of what was written before the beginning the nearest is what a wrong index would explain; the zone
    // knows the farthest.
    const std::string where = after ? bytes_text(*after) + " past its end"
                                    : "up to " + bytes_text(kGuardBytes - *before) + " before its beginning";
    const ArgumentPlan& plan = plan_of(buffers_[i]);
    return Trouble{
        Status::guard_violated,
        "wrote outside '" + plan.name + "' (" + std::to_string(plan.count) + " elements): " + where, false};
  }
  return {};
}

Result<void, Trouble> Workbench::check_inputs() {
  for (auto& buffer : buffers_) {
    const ArgumentPlan& plan = plan_of(buffer);
    if (plan.role != Argument::Role::in) continue;
    const auto digest = kernels_->digest(buffer.data, buffer.size, kOwnLimitS);
    if (auto done = finished(kOwnLimitS); !done) return done;
    if (digest == buffer.pristine_digest) continue;
    const std::string what = change_in(buffer);
    if (auto filled = fill(buffer, buffer.data); !filled) return filled;
    return Trouble{Status::input_changed, what, false};
  }
  return {};
}

std::string Workbench::change_in(Buffer& buffer) {
  const ArgumentPlan& plan = plan_of(buffer);
  const DeviceMemory right = gpu_->allocate(buffer.size);
  const bool is_filled = gpu_->ok() && fill(buffer, right.get()).ok();
  const Verdict verdict =
      is_filled ? kernels_->compare(buffer.data, right.get(), plan.type, plan.count, {}, kOwnLimitS)
                : Verdict{};
  const bool is_known = !gpu_->take_failure() && !verdict.passed();
  std::string text = "wrote into its input: " + plan.name;
  if (is_known) {
    text += '[' + std::to_string(verdict.first) + "] was " + verdict.expected + ", is now " + verdict.actual;
  }
  return text;
}

Result<void, Trouble> Workbench::check_outputs() {
  for (auto& buffer : buffers_) {
    if (buffer.expected.get() == 0) continue;
    const ArgumentPlan& plan = plan_of(buffer);
    const Verdict verdict = kernels_->compare(buffer.data, buffer.expected.get(), plan.type, plan.count,
                                              plan.tolerance, kOwnLimitS);
    if (auto done = finished(kOwnLimitS); !done) return done;
    if (!verdict.passed()) return Trouble{Status::wrong_result, verdict.message(plan.name), false};
  }
  return {};
}

bool Workbench::is_intact() {
  for (auto& buffer : buffers_) {
    if (has_contents(plan_of(buffer))) {
      const CUdeviceptr kept = buffer.pristine.get() != 0 ? buffer.pristine.get() : buffer.data;
      if (kernels_->digest(kept, buffer.size, kOwnLimitS) != buffer.pristine_digest) return false;
    }
    if (buffer.expected.get() != 0 &&
        kernels_->digest(buffer.expected.get(), buffer.size, kOwnLimitS) != buffer.expected_digest) {
      return false;
    }
  }
  return gpu_->ok();
}

std::size_t Workbench::footprint() const {
  std::size_t total = 0;
  for (const auto& buffer : buffers_) {
    if (is_copied(buffer)) total += rounded_up(buffer.size) + kGuardBytes;
  }
  return total;
}

bool Workbench::is_copied(const Buffer& buffer) const {
  return plan_of(buffer).role != Argument::Role::scratch;
}

std::size_t Workbench::grow_copies(std::size_t count) {
  const std::size_t free = gpu_->free_bytes(), each = std::max<std::size_t>(footprint(), 1);
  const std::size_t wanted = std::min(count, copies_.size() + free / kCopiesShare / each);
  while (gpu_->ok() && copies_.size() < wanted) {
    Copy copy;
    copy.memory = gpu_->allocate(each);
    if (!gpu_->ok()) break;
    CUdeviceptr at = copy.memory.get();
    copy.addresses = addresses_;
    for (const auto& buffer : buffers_) {
      if (!is_copied(buffer)) continue;
      copy.addresses[buffer.argument] = at;
      gpu_->copy(at, buffer.pristine.get() != 0 ? buffer.pristine.get() : buffer.data, buffer.size);
      at += rounded_up(buffer.size) + kGuardBytes;
    }
    copies_.push_back(std::move(copy));
  }
  return copies_.size();
}

void Workbench::restore_copy(std::size_t index) {
  for (const auto& buffer : buffers_) {
    if (buffer.pristine.get() == 0) continue;
    gpu_->copy(copies_[index].addresses[buffer.argument], buffer.pristine.get(), buffer.size);
  }
}

}  // namespace gktune
