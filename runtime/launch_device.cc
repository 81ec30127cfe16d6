#include "runtime/launch_device.h"

#include <stdlib.h>

#include <cfenv>
#include <cstring>
#include <mutex>

#include "engine/device_choice.h"
#include "tuner/device/host/compile/host_compiler.h"
#include "tuner/device/host/execute/executor.h"
#include "tuner/device/host/host_backend.h"
#include "tuner/device/host/host_program.h"
#include "tuner/device/worker/backend.h"
#include "tuner/device/worker/compile_cache.h"

namespace gktune {
namespace {

// Restores the floating-point mode of the application.
class OwnFloatingPointMode {
 public:
  OwnFloatingPointMode() { std::fegetenv(&mode_); }
  OwnFloatingPointMode(const OwnFloatingPointMode&) = delete;
  OwnFloatingPointMode& operator=(const OwnFloatingPointMode&) = delete;
  ~OwnFloatingPointMode() { std::fesetenv(&mode_); }

 private:
  std::fenv_t mode_;
};

// Runs one launch at a time.
struct HostQueue {
  std::mutex mutex;
  Executor executor{ExecutionSettings{}};
};

class HostLaunchProgram final : public LaunchProgram {
 public:
  HostLaunchProgram(std::shared_ptr<HostQueue> queue, HostProgram program)
      : queue_(std::move(queue)), program_(std::move(program)) {}

  std::unique_ptr<Failure> launch(void** values, void*) const override {
    const std::lock_guard lock(queue_->mutex);
    const OwnFloatingPointMode own;
    const FloatingPointMode mode(program_.floating_point_mode());
    auto done = program_.launch(queue_->executor, values);
    return done ? nullptr : std::make_unique<Failure>(std::move(done).error());
  }

 private:
  std::shared_ptr<HostQueue> queue_;
  HostProgram program_;
};

class HostLaunchDevice final : public LaunchDevice {
 public:
  HostLaunchDevice(DeviceInfo info, const LaunchDeviceSettings& settings)
      : info_(std::move(info)),
        compiler_(
            with_commands(std::make_unique<HostCompiler>(settings.cxx, ToolkitPlaces{settings.cuda_home}))) {}

  const DeviceInfo& info() const override { return info_; }
  BackendName backend() const override { return {"host", 0}; }

  Result<CompiledVariant> compile(const CompileJob& job) override { return compiler_->compile(job).front(); }

  Result<std::unique_ptr<LaunchProgram>, Failure> load(const LaunchCode& code, const Plan& plan) override {
    const OwnFloatingPointMode own;
    Module module = code.module;
    if (!code.bytes.empty()) {
      auto path = unpacked(code.bytes);
      if (!path) return Failure{Status::machine_failed, path.error().message};
      module.path = *std::move(path);
    }
    auto program = GKTUNE_TRY(HostProgram::load(module, plan.candidate, plan.arguments));
    return std::unique_ptr<LaunchProgram>(std::make_unique<HostLaunchProgram>(queue_, std::move(program)));
  }

  Result<std::shared_ptr<void>> allocate(std::size_t bytes) override {
    constexpr std::align_val_t alignment{256};
    return std::shared_ptr<void>(::operator new(bytes, alignment),
                                 [=](void* memory) { ::operator delete(memory, alignment); });
  }

  Result<void> download(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
    return {};
  }

 private:
  // The dynamic loader takes files.
  Result<std::string> unpacked(std::string_view code) {
    if (!unpacked_) {
      unpacked_ = GKTUNE_TRY(temporary_folder());
    }
    return CompileCache(*unpacked_).add_code(code);
  }

  DeviceInfo info_;
  std::unique_ptr<Compiler> compiler_;
  TemporaryFolder unpacked_;
  std::shared_ptr<HostQueue> queue_ = std::make_shared<HostQueue>();
};

Result<std::unique_ptr<LaunchDevice>> open_host_launch_device(const LaunchDeviceSettings& settings) {
  BackendOptions options;
  options.cxx = settings.cxx;
  const auto host = make_host_backend(options);
  auto info = GKTUNE_TRY(settings.cxx.empty() ? host->identify() : host->probe());
  return std::unique_ptr<LaunchDevice>(std::make_unique<HostLaunchDevice>(std::move(info), settings));
}

}  // namespace

Result<TemporaryFolder> temporary_folder() {
  std::error_code error;
  std::string pattern = (std::filesystem::temp_directory_path(error) / "gktune-XXXXXX").string();
  if (error || ::mkdtemp(pattern.data()) == nullptr) return Error{"cannot make a folder for temporary files"};
  return TemporaryFolder(new std::filesystem::path(pattern), [](const std::filesystem::path* folder) {
    std::error_code ignored;
    std::filesystem::remove_all(*folder, ignored);
    delete folder;
  });
}

Result<std::unique_ptr<LaunchDevice>> open_launch_device(const LaunchDeviceSettings& settings) {
  const auto choice = parse_device(settings.device);
  if (!choice) return Error{choice.error().message, ErrorCode::invalid_argument};
  using Kind = DeviceChoice::Kind;
  const bool is_one = choice->extent == DeviceChoice::Extent::one;
  if (!is_one ||
      (choice->kind != Kind::automatic && choice->kind != Kind::host && choice->kind != Kind::gpu)) {
    return Error{"a kernel launches on one device: auto, host, cuda or cuda:N, not " + settings.device,
                 ErrorCode::invalid_argument};
  }
#ifdef GKTUNE_WITH_CUDA
  if (choice->kind != Kind::host) {
    auto gpu = open_cuda_launch_device(choice->ordinal.value_or(-1), settings);
    if (gpu || choice->kind == Kind::gpu) return gpu;
  }
#else
  if (choice->kind == Kind::gpu) return Error{"this gktune was built without CUDA", ErrorCode::no_device};
#endif
  return open_host_launch_device(settings);
}

}  // namespace gktune
