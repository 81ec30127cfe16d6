#include "tuner/device/cuda/cuda_device.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "tuner/array/npy.h"
#include "tuner/core/quantity.h"
#include "tuner/device/cuda/apart_process.h"
#include "tuner/device/cuda/compile/cuda_text.h"
#include "tuner/device/cuda/cuda_backend.h"
#include "tuner/device/cuda/cuda_program.h"
#include "tuner/device/cuda/cuda_timer.h"
#include "tuner/device/run/device_runner.h"
#include "tuner/device/worker/fault_report.h"
#include "tuner/measure/contents.h"
#include "tuner/measure/element.h"

namespace gktune {
namespace {

// The driver reports a fault up to a second late. A shorter wait would take the fault for a hang.
constexpr double kFaultReportS = 1.5;
// After this rest a GPU has lowered its clock, and this long work raises it again.
constexpr double kRestS = 0.5, kWakingS = 0.1;
// At this share of its highest clock a GPU counts as awake.
constexpr double kFullClock = 0.95;

}  // namespace

Result<std::unique_ptr<CudaDevice>> CudaDevice::open(int ordinal, const ToolkitPlaces& places,
                                                     const std::string& cache_dir) {
  const auto driver = GKTUNE_TRY(Driver::open());
  const auto info = GKTUNE_TRY(probe_gpu(driver, ordinal));
  auto monitor = std::make_unique<ConditionsMonitor>(pci_bus_id(driver, ordinal));
  auto gpu = GKTUNE_TRY(Gpu::open(driver, ordinal));
  auto kernels = GKTUNE_TRY(load_device_kernels(*gpu, places, info.architecture, cache_dir));

  std::unique_ptr<CudaDevice> device(new CudaDevice(std::move(gpu)));
  Gpu& opened = *device->gpu_;
  device->kernels_.emplace(opened, std::move(kernels), static_cast<int>(info.multiprocessors));
  device->traits_.protects_inputs = can_guard_memory(opened);
  device->traits_.times_second_check = true;
  device->full_clock_mhz_ = static_cast<double>(info.clock_khz) / 1000;
  device->sweep_bytes_ = kSweepFactor * static_cast<std::size_t>(info.l2_bytes);
  device->sweep_buffer_ = opened.allocate(device->sweep_bytes_);
  opened.fill(device->sweep_buffer_.get(), 0, device->sweep_bytes_);
  if (auto failure = opened.take_failure()) return Error{failure->message};
  device->monitor_ = std::move(monitor);
  return device;
}

Result<void, Failure> CudaDevice::finish() {
  if (!gpu_->wait(kOwnLimitS)) return ran_too_long(kOwnLimitS);
  if (auto failure = gpu_->take_failure()) return *failure;
  return {};
}

Result<std::uint64_t, Failure> CudaDevice::free_bytes() {
  const std::size_t free = gpu_->free_bytes();
  if (auto failure = gpu_->take_failure()) return *failure;
  return std::uint64_t{free} + file_bytes() + bytes_for_later();
}

std::size_t CudaDevice::file_bytes() const {
  std::size_t bytes = 0;
  for (const auto& [file, memory] : files_) bytes += file.bytes;
  return bytes;
}

Result<std::unique_ptr<DeviceBuffer>, Failure> CudaDevice::allocate(std::size_t bytes, Placement placement,
                                                                    Guards guards) {
  if (!files_.empty() && bytes + bytes / 8 > gpu_->free_bytes()) files_.clear();
  const bool is_mapped = guards == Guards::hardware && traits_.protects_inputs;
  const GuardPattern pattern = next_pattern_++;
  auto buffer = is_mapped ? make_mapped_buffer(*this, pattern) : make_zoned_buffer(*gpu_, pattern);
  GKTUNE_TRY(buffer->place(bytes, placement));
  return buffer;
}

Result<std::shared_ptr<const LoadedProgram>, Failure> CudaDevice::load(
    const Module& module, const ProgramPlan& program, const std::vector<ArgumentPlan>& arguments) {
  if (program.source.language == Language::host) {
    gpu_->use_default_stream();
    if (auto failure = gpu_->take_failure()) return *failure;
    return load_launcher(module, program, arguments);
  }
  const auto code = GKTUNE_TRY(modules_.get(module.path));
  auto bound = GKTUNE_TRY(CudaProgram::bind(*gpu_, code, module, program, arguments));
  if (bound.may_wait()) watch_own_steps();  // the thread that queues its steps waits for kernels
  return std::shared_ptr<const LoadedProgram>(std::make_shared<CudaProgram>(std::move(bound)));
}

Result<void, Failure> CudaDevice::fill(DeviceBuffer& buffer, const ArgumentPlan& argument) {
  const auto misfit = [&](const Error& error) {
    return Failure{Status::invalid, "argument '" + argument.name + "': " + error.message};
  };
  const ContentsKind kind = argument.contents.kind;
  const auto count = static_cast<std::uint64_t>(argument.count);
  if (kind == ContentsKind::file && argument.contents.seed != 0) {
    auto original = file_copy(argument, buffer.bytes());
    if (!original) return misfit(original.error());
    kernels_->draw(buffer.address(), *original, argument.type, count, argument.contents.seed);
    return finish();
  }
  if (kind == ContentsKind::file || (kind == ContentsKind::constant && is_complex(argument.type))) {
    auto uploaded = upload_contents(argument, buffer.address(), buffer.bytes());
    return uploaded ? finish() : misfit(uploaded.error());
  }
  if (auto fits = check_contents(argument.type, argument.contents, count); !fits) return misfit(fits.error());
  kernels_->fill(buffer.address(), argument.type, argument.count, argument.contents);
  return {};
}

// Makes them in order on the CPU.
Result<void> CudaDevice::upload_contents(const ArgumentPlan& argument, CUdeviceptr to, std::size_t bytes) {
  const auto take = [&](std::span<const std::byte> piece) {
    gpu_->upload(to, piece);
    (void)gpu_->wait(kOwnLimitS);  // the bytes are the caller's
    to += piece.size();
  };
  const ContentsPlan& contents = argument.contents;
  if (contents.kind == ContentsKind::file)
    return read_npy(contents.file, argument.type, argument.count, take);
  std::vector<std::byte> made(bytes);
  GKTUNE_TRY(fill_contents(argument.type, contents, made));
  take(made);
  return {};
}

// Several fresh executions draw from one file: it stays on the GPU unless another one needs the room.
Result<CUdeviceptr> CudaDevice::file_copy(const ArgumentPlan& argument, std::size_t bytes) {
  std::error_code error;
  const std::filesystem::path path = argument.contents.file;
  const FileVersion version{path, bytes, std::filesystem::last_write_time(path, error)};
  if (const auto known = files_.find(version); known != files_.end()) return known->second.get();
  if (file_bytes() + bytes > gpu_->free_bytes() / 8) files_.clear();
  DeviceMemory memory = gpu_->allocate(bytes);
  GKTUNE_TRY(upload_contents(argument, memory.get(), bytes));
  if (!gpu_->ok()) return CUdeviceptr{0};  // finish() tells why
  return files_.insert_or_assign(version, std::move(memory)).first->second.get();
}

void CudaDevice::poison(DeviceBuffer& buffer, const DeviceBuffer* expected, std::byte mask) {
  if (expected == nullptr) {
    gpu_->fill(buffer.address(), std::to_integer<unsigned char>(mask), buffer.bytes());
  } else {
    kernels_->flip(buffer.address(), expected->address(), mask, buffer.bytes());
  }
}

// In pieces through memory whose contents nobody needs, in the order in which no piece overwrites the next.
void CudaDevice::move(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  const std::size_t piece = sweep_bytes_, count = (bytes + piece - 1) / piece;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = piece * (to < from ? i : count - 1 - i), size = std::min(piece, bytes - at);
    gpu_->copy(sweep_buffer_.get(), from + at, size);
    gpu_->copy(to + at, sweep_buffer_.get(), size);
  }
}

void CudaDevice::copy(DeviceBuffer& to, const DeviceBuffer& from) {
  gpu_->copy(to.address(), from.address(), from.bytes());
}

Result<void, Failure> CudaDevice::download(std::span<std::byte> to, const DeviceBuffer& from) {
  gpu_->download(to, from.address());
  return finish();
}

Result<std::uint64_t, Failure> CudaDevice::digest(const DeviceBuffer& buffer) {
  const std::uint64_t digest = kernels_->digest(buffer.address(), buffer.bytes(), kOwnLimitS);
  GKTUNE_TRY(finish());
  return digest;
}

Result<std::vector<Verdict>, Failure> CudaDevice::compare(std::span<const BufferPair> pairs) {
  std::vector<MemoryPair> in_order;
  for (const BufferPair& pair : pairs) {
    if (pair.tolerance.any_order) continue;
    in_order.push_back({pair.actual.address(), pair.expected.address(), pair.type,
                        pair.actual.bytes() / element_size(pair.type), pair.tolerance,
                        pair.mask == nullptr ? 0 : pair.mask->address()});
  }
  std::vector<Verdict> verdicts = kernels_->compare(in_order, kOwnLimitS);
  GKTUNE_TRY(finish());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!pairs[i].tolerance.any_order) continue;
    verdicts.insert(verdicts.begin() + static_cast<std::ptrdiff_t>(i), GKTUNE_TRY(compare_sorted(pairs[i])));
  }
  return verdicts;
}

// Sorts on the CPU.
Result<Verdict, Failure> CudaDevice::compare_sorted(const BufferPair& pair) {
  std::vector<std::byte> copies[3];
  const DeviceBuffer* const buffers[] = {&pair.actual, &pair.expected, pair.mask};
  for (std::size_t i = 0; i < 3; ++i) {
    if (buffers[i] == nullptr) continue;
    copies[i].resize(buffers[i]->bytes());
    gpu_->download(copies[i], buffers[i]->address());
  }
  GKTUNE_TRY(finish());
  return judge(pair.type, copies[0], copies[1], pair.tolerance, copies[2]);
}

Result<std::optional<double>, Failure> CudaDevice::run(const LoadedProgram& program,
                                                       std::span<const ArgumentMemory> arguments,
                                                       const LaunchOptions& options) {
  GKTUNE_TRY(finish());
  const auto& loaded = static_cast<const GpuProgram&>(program);
  std::optional<CapturedOutput> output;
  if (loaded.may_print()) output.emplace(CapturedOutput::Streams::output_and_errors);
  const Event start = gpu_->event(), end = gpu_->event();
  const auto addresses = addresses_of<CUdeviceptr>(arguments);
  loaded.queue(*gpu_, GpuProgram::Part::prepare, addresses);
  gpu_->record(start);
  loaded.queue(*gpu_, GpuProgram::Part::execute, addresses);
  gpu_->record(end);
  loaded.queue(*gpu_, GpuProgram::Part::finish, addresses);
  const double limit_s = options.limit_s + kFaultReportS;
  if (!(output ? gpu_->wait_and_print(limit_s) : gpu_->wait(limit_s))) return ran_too_long(options.limit_s);
  const double elapsed_us = gpu_->elapsed_us(start, end);
  if (loaded.may_wait() && !gpu_->rest_us(limit_s)) return ran_too_long(options.limit_s);
  auto failure = gpu_->take_failure();
  // CUDA's runtime library loads the kernels of launcher code at their first launch.
  if (!failure) return loaded.may_wait() ? std::nullopt : std::optional(elapsed_us);
  // The driver prints the failed assertion.
  const std::string printed = output ? output->text() : std::string();
  if (const auto at = printed.find(" Assertion `"); at != std::string::npos) {
    const std::size_t first = printed.rfind('\n', at) + 1, last = printed.find('\n', at);
    failure->message = without_variant_names(printed.substr(first, last - first));
  }
  return *failure;
}

// Lines that a kernel has asked to keep survive a sweep.
void CudaDevice::prepare_caches(std::span<const ProblemMemory> problems, Regime regime) {
  kernels_->scrub();
  if (regime == Regime::cold) {
    if (gpu_->ok()) gpu_->check(gpu_->driver().cuCtxResetPersistingL2Cache(), "reset the cache");
    return sweep_caches();
  }
  for (const ProblemMemory& problem : problems) {
    for (const ArgumentMemory& argument : problem)
      if (argument.buffer != nullptr) kernels_->sweep(argument.buffer->address(), argument.buffer->bytes());
  }
}

std::unique_ptr<Timer> CudaDevice::timer(std::span<const ArgumentMemory> arguments) {
  return std::make_unique<CudaTimer>(*this, arguments);
}

Result<std::unique_ptr<ApartProcess>, Failure> CudaDevice::start_apart(const RunJob& job) {
  if (apart_argv_.empty()) return ComputeDevice::start_apart(job);
  return gktune::start_apart(*this, apart_argv_, job);
}

Conditions CudaDevice::conditions() { return monitor_->latest(); }

void CudaDevice::sweep_caches() { kernels_->sweep(sweep_buffer_.get(), sweep_bytes_); }

void CudaDevice::wake_up() {
  if (last_busy_ && seconds_since(*last_busy_) < kRestS) return;
  const auto start = std::chrono::steady_clock::now();
  // It may be awake already, or soon.
  const auto is_awake = [&] { return conditions().clock_mhz >= kFullClock * full_clock_mhz_; };
  while (gpu_->ok() && !is_awake() && seconds_since(start) < kWakingS) {
    sweep_caches();
    if (!gpu_->wait(1)) return;
  }
}

}  // namespace gktune
