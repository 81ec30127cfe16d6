#include "repro_program.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "tests/scratch_folder.h"
#include "tuner/device/host/execute/executor.h"
#include "tuner/device/host/execute/fiber_context.h"
#include "tuner/device/host/compile/translation_unit.h"
#include "tuner/process/child_process.h"

// The launch function of these tests' CUDA runtime.
extern "C" __attribute__((visibility("default"))) bool gktune_test_launch(
    const gktune::kernel::Entry* entry, const gktune::kernel::dim3* grid, const gktune::kernel::dim3* block,
    unsigned long long shared_bytes, bool is_cooperative, void** arguments) {
  static gktune::Executor executor({});
  const gktune::LaunchShape shape{{grid->x, grid->y, grid->z},
                                  {block->x, block->y, block->z},
                                  static_cast<std::int64_t>(shared_bytes),
                                  {.is_cooperative = is_cooperative}};
  const auto done = executor.run(*entry, shape, {arguments, entry->argument_count});
  if (!done) ADD_FAILURE() << done.error().message;
  return done.ok();
}

namespace gktune {
namespace {

// Prepared by the host device's compiler, without an entry.
std::string for_the_host(const std::string& text) {
  SourcePlan source;
  source.path = "repro.cu";
  source.text = text;
  const NamedVariant variant{&source, "repro"};
  return cuda_unit({&variant, 1}).text;
}

}  // namespace

Result<ReproRun> run_repro(const std::string& text, Language language) {
  const ScratchFolder scratch;
  const std::string input = scratch.path("repro.cc"), output = scratch.path("repro.so");
  const bool is_cuda = language == Language::cuda;
  scratch.write("repro.cc", is_cuda ? for_the_host(text) : text);
  std::vector<std::string> command = {"c++", "-std=c++20", "-O1", "-fPIC", "-shared", "-pthread", "-fopenmp"};
  if (is_cuda) {
    for (const char* option :
         {"-w", "-fno-strict-aliasing", "-fwrapv", "-I" GKTUNE_SOURCE_DIR "/tests/repro/include",
          "-I" GKTUNE_SOURCE_DIR "/tuner/device/host/include"}) {
      command.emplace_back(option);
    }
  } else {
    command.insert(command.end(), {"-Wall", "-Wextra", "-Wno-unknown-pragmas", "-Werror"});
  }
  command.insert(command.end(), {input, "-o", output});
  const auto compiled = run_command(command);
  if (!compiled) return compiled.error();
  if (compiled->exit_code != 0) return Error{compiled->text};

  void* library = ::dlopen(output.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Error{::dlerror()};
  using Main = int (*)(int, char**);
  const auto main = reinterpret_cast<Main>(::dlsym(library, "main"));
  if (main == nullptr) return Error{"it has no main"};
  std::string program = "repro", runs = "2";
  char* arguments[] = {program.data(), runs.data(), nullptr};
  ReproRun run;
  testing::internal::CaptureStdout();
  run.exit_code = main(2, arguments);
  std::fflush(stdout);
  run.output = testing::internal::GetCapturedStdout();
  // Leave the library open: OpenMP's threads may still run its code.
  return run;
}

}  // namespace gktune
