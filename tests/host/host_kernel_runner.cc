#include <filesystem>
#include <map>
#include <regex>

#include "tests/host/conformance.h"
#include "tests/host/kernels.h"
#include "tuner/device/host/include_finder.h"
#include "tuner/device/host/memory_watch.h"

namespace gktune {
namespace {

// The names of the kernels in a text. Templates are listed with the arguments they are tested with.
std::vector<std::string> entries_of(const std::string& file, const std::string& text) {
  static const std::map<std::string, std::vector<std::string>> kTemplates{
      {"templated", {"templated<float, 3>", "templated<int, 5>"}},
      {"tiles", {"tiles<4>", "tiles<16>", "tiles<32>"}},
      {"in_namespace", {"inner::in_namespace"}}};
  std::vector<std::string> entries;
  const std::regex kernel(R"(__global__ void (__launch_bounds__\([^)]*\) )?(\w+)\()");
  for (std::sregex_iterator it(text.begin(), text.end(), kernel), end; it != end; ++it) {
    const std::string name = (*it)[2];
    const auto found = kTemplates.find(name);
    if (found == kTemplates.end()) {
      entries.push_back(name);
    } else {
      entries.insert(entries.end(), found->second.begin(), found->second.end());
    }
  }
  if (entries.empty()) throw std::runtime_error("no kernels in " + file);
  return entries;
}

class HostKernelRunner : public KernelRunner {
 public:
  // As a tuning run has it, or as a check has it: instrumented, and to be found without fault.
  enum class Mode { plain, watched };

  HostKernelRunner(std::string cxx, Mode mode) : cxx_(std::move(cxx)), mode_(mode) {}

  std::string name() const override {
    return std::string(cxx_.starts_with("clang") ? "clang" : "gcc") +
           (mode_ == Mode::watched ? "_watched" : "");
  }

  void run(const std::string& file, const std::string& entry, const LaunchShape& shape,
           std::span<const std::span<std::byte>> buffers) override {
    Loaded& loaded = load(file);
    const auto at = std::find(loaded.entries.begin(), loaded.entries.end(), entry);
    if (at == loaded.entries.end()) throw std::runtime_error(file + " has no kernel " + entry);
    std::vector<void*> pointers, arguments;
    for (const std::span<std::byte> buffer : buffers) pointers.push_back(buffer.data());
    for (void*& pointer : pointers) arguments.push_back(&pointer);
    const auto index = static_cast<std::size_t>(at - loaded.entries.begin());
    const Result<void, Fault> result =
        loaded.kernels->module().launch(loaded.kernels->executor(), index, shape, arguments);
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
      const std::string path = GKTUNE_SOURCE_DIR "/tests/host/kernels/" + file;
      const std::string text = read_text(path).value();
      loaded.entries = entries_of(file, text);
      SourcePlan source = kernel_source(text, loaded.entries);
      source.path = path;
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
    for (const std::string& cxx : compilers()) {
      for (const auto mode : {HostKernelRunner::Mode::plain, HostKernelRunner::Mode::watched}) {
        made.push_back(std::make_shared<HostKernelRunner>(cxx, mode));
      }
    }
    return made;
  }();
  return all;
}

}  // namespace gktune
