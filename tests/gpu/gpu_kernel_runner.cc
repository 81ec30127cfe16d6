// Runs the kernels of the conformance suite on GPU 0.
#include <algorithm>
#include <map>
#include <stdexcept>

#include "tests/host/conformance.h"
#include "tests/scratch_folder.h"
#include "tuner/device/cuda/cuda_backend.h"
#include "tuner/device/cuda/gpu.h"
#include "tuner/device/cuda/compile/module_file.h"

namespace gktune {
namespace {

constexpr double kLimitS = 20;

class GpuKernelRunner : public KernelRunner {
 public:
  std::string name() const override { return "gpu"; }

  std::optional<std::string> absence() override {
    if (gpu_ != nullptr) return std::nullopt;
    const auto backend = open_cuda_backend(0, {});
    auto info = backend->probe();
    if (!info) return info.error().message;
    auto compiler = backend->compiler();
    if (!compiler) return compiler.error().message;
    const auto driver = Driver::open();
    if (!driver) return driver.error().message;
    auto gpu = Gpu::open(*driver, 0);
    if (!gpu) return gpu.error().message;
    architecture_ = info->architecture;
    compiler_ = *std::move(compiler);
    gpu_ = *std::move(gpu);
    return std::nullopt;
  }

  void run(const std::string& file, const std::string& entry, const Geometry& geometry,
           std::span<const std::span<std::byte>> buffers) override {
    const CUfunction function = this->function(file, entry);
    std::vector<DeviceMemory> memory;
    std::vector<CUdeviceptr> addresses;
    for (const std::span<std::byte> buffer : buffers) {
      memory.push_back(gpu_->allocate(buffer.size()));
      addresses.push_back(memory.back().get());
      gpu_->upload(addresses.back(), buffer);
    }
    std::vector<void*> arguments;
    for (CUdeviceptr& address : addresses) arguments.push_back(&address);
    const LaunchShape shape{geometry.grid, geometry.block, geometry.shared_bytes};
    gpu_->launch(function, shape, arguments.data());
    for (std::size_t i = 0; i < buffers.size(); ++i) gpu_->download(buffers[i], addresses[i]);
    if (!gpu_->wait(kLimitS)) throw std::runtime_error("the kernel does not end");
    expect_success();
  }

 private:
  struct Loaded {
    std::vector<std::string> entries, symbols;
    LoadedModule module;
  };

  CUfunction function(const std::string& file, const std::string& entry) {
    Loaded& loaded = loaded_[file];
    if (loaded.entries.empty()) load(loaded, file);
    const auto at = std::ranges::find(loaded.entries, entry);
    if (at == loaded.entries.end()) throw std::runtime_error(file + " has no kernel " + entry);
    const CUfunction found =
        gpu_->function(loaded.module, loaded.symbols[static_cast<std::size_t>(at - loaded.entries.begin())]);
    expect_success();
    return found;
  }

  void load(Loaded& loaded, const std::string& file) {
    const SourcePlan source = conformance_source(file);
    const std::vector<CompiledVariant> compiled =
        compiler_->compile({{source}, architecture_, folder_.path("cache")});
    if (compiled.at(0).status != Status::ok) throw std::runtime_error(compiled[0].log);
    const auto cubin = read_module(compiled[0].module.path);
    if (!cubin) throw std::runtime_error(cubin.error().message);
    loaded.module = gpu_->load(cubin->cubin);
    expect_success();
    loaded.symbols = compiled[0].module.symbols;
    loaded.entries = source.entries;
  }

  void expect_success() {
    if (const auto failure = gpu_->take_failure()) throw std::runtime_error(failure->message);
  }

  ScratchFolder folder_;
  std::string architecture_;
  std::unique_ptr<Compiler> compiler_;
  std::unique_ptr<Gpu> gpu_;
  std::map<std::string, Loaded> loaded_;  // before the GPU in their end
};

}  // namespace

std::vector<std::shared_ptr<KernelRunner>> kernel_runners() {
  static const std::vector<std::shared_ptr<KernelRunner>> one{std::make_shared<GpuKernelRunner>()};
  return one;
}

}  // namespace gktune
