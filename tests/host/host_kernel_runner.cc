#include <algorithm>
#include <map>
#include <stdexcept>

#include "tests/host/conformance.h"
#include "tests/host/kernels.h"
#include "tuner/device/host/sanitize/memory_watch.h"

namespace gktune {
namespace {

class HostKernelRunner : public KernelRunner {
 public:
  // Compiled for a tuning run, or instrumented for a check that must report nothing.
  enum class Mode { plain, watched };

  HostKernelRunner(std::string cxx, Mode mode) : cxx_(std::move(cxx)), mode_(mode) {}

  std::string name() const override {
    return std::string(cxx_.starts_with("clang") ? "clang" : "gcc") +
           (mode_ == Mode::watched ? "_watched" : "");
  }

  void run(const std::string& file, const std::string& entry, const Geometry& geometry,
           std::span<const std::span<std::byte>> buffers) override {
    Loaded& loaded = load(file);
    const auto at = std::find(loaded.entries.begin(), loaded.entries.end(), entry);
    if (at == loaded.entries.end()) throw std::runtime_error(file + " has no kernel " + entry);
    std::vector<void*> pointers, arguments;
    for (const std::span<std::byte> buffer : buffers) pointers.push_back(buffer.data());
    for (void*& pointer : pointers) arguments.push_back(&pointer);
    const auto index = static_cast<std::size_t>(at - loaded.entries.begin());
    const Result<void, Failure> result = loaded.kernels->module().launch(
        loaded.kernels->executor(), index, {geometry.grid, geometry.block, geometry.shared_bytes}, arguments);
    if (!result) throw std::runtime_error(result.error().message);
  }

 private:
  struct Loaded {
    std::vector<std::string> entries;
    std::unique_ptr<Kernels> kernels;
  };

  Loaded& load(const std::string& file) {
    Loaded& loaded = loaded_[file];
    if (loaded.kernels == nullptr) {
      const SourcePlan source = conformance_source(file);
      loaded.entries = source.entries;
      const ExecutionSettings plain{.threads = 2}, watched{.threads = 1, .watch = &watch_};
      loaded.kernels = std::make_unique<Kernels>(cxx_, source, mode_ == Mode::watched ? watched : plain);
    }
    return loaded;
  }

  std::string cxx_;
  Mode mode_;
  MemoryWatch watch_;
  std::map<std::string, Loaded> loaded_;
};

}  // namespace

std::vector<std::shared_ptr<KernelRunner>> kernel_runners() {
  static const std::vector<std::shared_ptr<KernelRunner>> all = [] {
    std::vector<std::shared_ptr<KernelRunner>> made;
    for (const std::string& cxx : compilers())
      made.push_back(std::make_shared<HostKernelRunner>(cxx, HostKernelRunner::Mode::plain));
    made.push_back(std::make_shared<HostKernelRunner>("g++", HostKernelRunner::Mode::watched));
    return made;
  }();
  return all;
}

}  // namespace gktune
