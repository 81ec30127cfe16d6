#include "tuner/device/cuda/compile/nvrtc.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>

namespace gktune {

// Owns a program of NVRTC.
class Nvrtc::Program {
 public:
  Program(const Functions& functions, const NvrtcSource& source) : functions_(functions) {
    std::vector<const char*> names, texts;
    for (const auto& [name, text] : source.headers) {
      names.push_back(name.c_str());
      texts.push_back(text.c_str());
    }
    status_ = functions_.create(&program_, source.text.c_str(), source.name.c_str(),
                                static_cast<int>(names.size()), texts.data(), names.data());
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (program_ != nullptr) functions_.destroy(&program_);
  }

  // Calls do nothing after the first failure.
  void add_name(const std::string& name) {
    if (ok()) status_ = functions_.add_name(program_, name.c_str());
  }
  void compile(const std::vector<std::string>& options) {
    if (!ok()) return;
    std::vector<const char*> texts;
    for (const auto& option : options) texts.push_back(option.c_str());
    status_ = functions_.compile(program_, static_cast<int>(texts.size()), texts.data());
  }
  std::string cubin() { return text(functions_.cubin_size, functions_.cubin); }
  std::string lowered(const std::string& name) {
    const char* symbol = nullptr;
    if (ok()) status_ = functions_.lowered_name(program_, name.c_str(), &symbol);
    return ok() && symbol != nullptr ? symbol : "";
  }

  // A successful compilation has a log too.
  std::string log() const {
    std::size_t size = 0;
    if (program_ == nullptr || functions_.log_size(program_, &size) != NVRTC_SUCCESS || size < 2) return {};
    std::string log(size, '\0');
    if (functions_.log(program_, log.data()) != NVRTC_SUCCESS) return {};
    std::erase(log, '\0');  // the assembler's part ends in one
    return log;
  }
  bool ok() const { return status_ == NVRTC_SUCCESS; }
  nvrtcResult status() const { return status_; }

 private:
  std::string text(decltype(Functions::cubin_size) size_of, decltype(Functions::cubin) copy) {
    std::size_t size = 0;
    if (ok()) status_ = size_of(program_, &size);
    std::string text(size, '\0');
    if (ok()) status_ = copy(program_, text.data());
    return text;
  }

  const Functions& functions_;
  nvrtcProgram program_ = nullptr;
  nvrtcResult status_ = NVRTC_SUCCESS;
};

namespace {

// NVRTC opens its builtins by name only, which the loader may not find. It finds them once they are open.
void open_builtins_beside(const std::string& nvrtc_path) {
  const std::filesystem::path directory = std::filesystem::path(nvrtc_path).parent_path();
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("libnvrtc-builtins.so.")) continue;
    (void)DynamicLibrary::open("NVRTC's builtins", {name}, {directory.string()});
  }
}

}  // namespace

Result<Nvrtc> Nvrtc::open(const ToolkitPlaces& places) {
  const auto directories = toolkit_library_dirs(places);
  auto library =
      DynamicLibrary::open("NVIDIA's run-time compiler", {"libnvrtc.so.13", "libnvrtc.so.12"}, directories);
  if (!library) return library.error();

  open_builtins_beside(library->path());

  Functions functions{};
  FunctionLoader loader(*library);
  loader.load(functions.version, "nvrtcVersion");
  loader.load(functions.error_string, "nvrtcGetErrorString");
  loader.load(functions.architecture_count, "nvrtcGetNumSupportedArchs");
  loader.load(functions.architectures, "nvrtcGetSupportedArchs");
  loader.load(functions.create, "nvrtcCreateProgram");
  loader.load(functions.destroy, "nvrtcDestroyProgram");
  loader.load(functions.compile, "nvrtcCompileProgram");
  loader.load(functions.log_size, "nvrtcGetProgramLogSize");
  loader.load(functions.log, "nvrtcGetProgramLog");
  loader.load(functions.cubin_size, "nvrtcGetCUBINSize");
  loader.load(functions.cubin, "nvrtcGetCUBIN");
  loader.load(functions.add_name, "nvrtcAddNameExpression");
  loader.load(functions.lowered_name, "nvrtcGetLoweredName");
  if (auto done = loader.done(); !done) return done.error();

  Nvrtc nvrtc(std::move(*library), functions);
  int count = 0;
  if (functions.version(&nvrtc.major_, &nvrtc.minor_) != NVRTC_SUCCESS ||
      functions.architecture_count(&count) != NVRTC_SUCCESS) {
    return Error{nvrtc.path() + " does not answer what version it is"};
  }
  nvrtc.architectures_.resize(static_cast<std::size_t>(count));
  if (functions.architectures(nvrtc.architectures_.data()) != NVRTC_SUCCESS) {
    return Error{nvrtc.path() + " does not answer which GPUs it compiles for"};
  }
  return nvrtc;
}

std::vector<std::string> Nvrtc::own_options() const {
  std::vector<std::string> options{"--modify-stack-limit=false"};
  // Its cache on disk forgets the log, and asks for a driver.
  if (major_ > 12 || (major_ == 12 && minor_ >= 9)) options.emplace_back("--no-cache");
  return options;
}

NvrtcOutput Nvrtc::compile(const NvrtcSource& source) const {
  Program program(functions_, source);
  for (const auto& entry : source.entries) program.add_name(entry);
  std::vector<std::string> options = own_options();
  options.insert(options.end(), source.options.begin(), source.options.end());
  program.compile(options);

  NvrtcOutput output;
  output.log = program.log();
  output.cubin = program.cubin();
  for (const auto& entry : source.entries) output.symbols.push_back(program.lowered(entry));
  output.ok = program.ok();
  if (!output.ok && output.log.empty()) {
    output.log = std::string("NVRTC: ") + functions_.error_string(program.status());
  }
  return output;
}

bool any_starts_with(const std::vector<std::string>& options,
                     std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(options, [&](const std::string& option) {
    return std::ranges::any_of(beginnings, [&](std::string_view start) { return option.starts_with(start); });
  });
}

std::string real_architecture(const std::string& architecture, const std::vector<int>& known) {
  int number = 0;
  const std::string_view digits =
      std::string_view(architecture).substr(std::min<std::size_t>(3, architecture.size()));
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (!architecture.starts_with("sm_") || number == 0) return architecture;
  if (std::ranges::find(known, number) == known.end()) {
    for (int candidate : known) {
      if (candidate < number && candidate / 10 == number / 10) number = candidate;
    }
    return "sm_" + std::to_string(number);
  }
  return "sm_" + std::to_string(number) + (number >= 90 ? "a" : "");
}

}  // namespace gktune
