#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tuner/device/worker/worker_device.h"
#include "tuner/space/space_file.h"

namespace gktune {

// A time limit for kernels that never end.
constexpr const char* kShortLimit = "time_limit: 500ms\n";

// The space with this text, in this folder.
inline Definition read_definition(const std::string& text, const std::string& name) {
  auto definition = read_space_text(text, GKTUNE_FAULTS_DIR "/" + name + ".yaml", {}, read_whole_file);
  if (definition) return *std::move(definition);
  for (const Diagnostic& diagnostic : definition.error()) ADD_FAILURE() << diagnostic.str();
  return {};
}

// One of the kernels of this folder as a space of its own.
inline Definition fault_definition(const std::string& kernel, const std::string& more = "") {
  const std::string text = "kernel: " + kernel + R"yaml(
source: kernels/)yaml" + kernel +
                           R"yaml(.cu
problem: {n: [1000]}
parameters: {threadsPerBlock: [256], blocks: [4], sharedBytes: [0]}
arguments:
  in: {type: float, extent: n, init: {uniform: [1, 2], seed: 7}}
  out: {type: float, extent: n, role: out, check: {relative: 1e-6}}
  n: {type: int32, value: n}
launches: {entry: faulty, grid: blocks, block: threadsPerBlock, shared: sharedBytes, arguments: [in, out, n]}
reference:
  source: kernels/reference.cu
  launches: {entry: twice, grid: 4, block: 256, arguments: [in, out, n]}
)yaml" + more;
  return read_definition(text, kernel);
}

// The same for a plain C++ function.
inline Definition fault_function_definition(const std::string& function, const std::string& more = "") {
  const std::string text = "kernel: " + function + R"yaml(
language: c++
source: kernels/)yaml" + function +
                           R"yaml(.cc
problem: {n: [1000]}
)yaml" + (more.find("parameters:") == std::string::npos ? "parameters: {unroll: [1]}\n" : "") +
                           R"yaml(arguments:
  in: {type: float, extent: n, init: {uniform: [1, 2], seed: 7}}
  out: {type: float, extent: n, role: out, check: {relative: 1e-6}}
  n: {type: int32, value: n}
launches: {entry: faulty, arguments: [in, out, n]}
reference:
  source: kernels/reference_function.cc
  launches: {entry: twice, arguments: [in, out, n]}
)yaml" + more;
  return read_definition(text, function);
}

inline Config fault_config(int threads = 256, std::int64_t blocks = 4, std::int64_t shared_bytes = 0) {
  return {{"threadsPerBlock", threads}, {"blocks", blocks}, {"sharedBytes", shared_bytes}};
}

inline WorkerDeviceOptions fault_options(const std::string& kind) {
  WorkerDeviceOptions options;
  options.backends = {{kind, 0}};
  options.worker_argv = {GKTUNE_DEVICE_WORKER};
  options.cache_dir = GKTUNE_TEST_CACHE;
  options.compile_time_limit_s = 60;
  options.fault_telling_s = 10;  // a busy machine takes its time
  return options;
}

inline std::unique_ptr<WorkerDevice> open_fault_device(const Definition& definition,
                                                       WorkerDeviceOptions options) {
  return *WorkerDevice::open(definition.kernel, std::move(options));
}

inline Trial tried(Device& device, const Config& config = fault_config(), int n = 1000) {
  device.submit({config, {{"n", n}}});
  return device.next();
}

// A form of pretending.cu or pretending.cc on one kind of inputs.
struct Pretender {
  int trick;
  const char* inputs;  // as in a space file
  const char* regime;
};

constexpr const char *kUniform = "{uniform: [1, 2], seed: 7}", *kRamp = "{ramp: [1, 0.001]}";

inline std::vector<Pretender> pretenders(int last_trick, bool in_all_regimes) {
  std::vector<Pretender> all;
  for (int trick = 0; trick <= last_trick; ++trick) {
    all.push_back({trick, kUniform, "cold"});
    all.push_back({trick, kRamp, "hot"});
    if (in_all_regimes) all.push_back({trick, kUniform, "hot"});
    if (in_all_regimes) all.push_back({trick, kRamp, "cold"});
  }
  return all;
}

inline void PrintTo(const Pretender& pretender, std::ostream* out) {
  *out << pretender.trick << ' ' << pretender.inputs << ' ' << pretender.regime;
}

inline std::string pretender_name(const ::testing::TestParamInfo<Pretender>& info) {
  return "trick_" + std::to_string(info.param.trick) +
         (info.param.inputs[1] == 'u' ? "_uniform_" : "_ramp_") + info.param.regime;
}

// The kind of code that pretends to compute.
enum class PretendingCode { kernel, function, host_code };

inline Definition pretending(const Pretender& pretender, PretendingCode code) {
  const bool is_kernel = code == PretendingCode::kernel, is_function = code == PretendingCode::function;
  const std::string launch = is_kernel ? "grid: 4, block: 256, " : "";
  const std::string text = std::string("kernel: pretending\nlanguage: ") +
                           (is_kernel     ? "cuda"
                            : is_function ? "c++"
                                          : "host") +
                           "\nsource: kernels/pretending" +
                           (is_kernel     ? ".cu"
                            : is_function ? ".cc"
                                          : "_host.cu") +
                           "\nregime: " + pretender.regime + "\nproblem: {n: [" +
                           (is_function ? "20000" : "1000") +
                           "]}\nparameters: {TRICK: {range: [0, 17]}}\narguments:\n  in: "
                           "{type: float, extent: n, init: " +
                           pretender.inputs + R"yaml(}
  out: {type: float, extent: n, role: out, check: {relative: 1e-5}}
  n: {type: int32, value: n}
launches: {entry: faulty, )yaml" +
                           launch + "arguments: [in, out, n]}\nreference:\n  " +
                           (is_kernel     ? "source: kernels/reference.cu"
                            : is_function ? "source: kernels/reference_function.cc"
                                          : "") +
                           "\n  launches: {entry: twice, " + launch + "arguments: [in, out, n]}\n";
  return read_definition(text, "pretending");
}

// A form that pretends fails, or claims no better time than the honest one.
inline void expect_that_pretending_is_found(const std::string& kind, const Pretender& pretender,
                                            PretendingCode code) {
  const auto device = open_fault_device(pretending(pretender, code), fault_options(kind));
  const int n = code == PretendingCode::function ? 20000 : 1000;
  const Trial trial = tried(*device, {{"TRICK", pretender.trick}}, n);
  if (pretender.trick == 0) {  // the honest one
    EXPECT_TRUE(trial.ok()) << trial.message;
    return;
  }
  if (!trial.ok()) return;
  // Other work on the machine may delay the honest one.
  double honest_us = std::numeric_limits<double>::infinity();
  for (int attempt = 0; attempt < 5 && trial.timing.median_us <= 0.6 * honest_us; ++attempt) {
    const Trial honest = tried(*device, {{"TRICK", 0}}, n);
    ASSERT_TRUE(honest.ok()) << honest.message;
    honest_us = std::min(honest_us, honest.timing.min_us);
  }
  EXPECT_GT(trial.timing.median_us, 0.6 * honest_us) << "fresh " << trial.fresh_us << " us";
}

// A kernel of tests/faults, and the trial that it ends in: its status and a part of its message.
struct FaultCase {
  const char* kernel;
  Status status;
  const char* message;
  int threads = 256;
  std::int64_t blocks = 4;
  std::int64_t shared_bytes = 0;
};

inline void PrintTo(const FaultCase& fault, std::ostream* out) { *out << fault.kernel; }

// Adds the faults that every device names in the same words.
inline std::vector<FaultCase> with_common_faults(std::vector<FaultCase> faults) {
  const FaultCase common[] = {
      {"clean", Status::ok, ""},
      {"long_printing", Status::ok, ""},
      {"endless_loop", Status::timed_out, "ran longer than 0.5 s"},
      {"failed_assertion", Status::aborted, "i < 600"},
      {"write_past_the_end", Status::guard_violated,
       "wrote outside 'out' (1000 elements): 0 bytes past its end"},
      {"wrong_result", Status::wrong_result, "983 of 1000 elements differ; the first is out[17]: "},
      {"nan_result", Status::wrong_result, "1 of 1000 elements differs (NaN); it is out[100]: "},
      {"unwritten_result", Status::wrong_result, "1 of 1000 elements differs (NaN); it is out[999]: "},
      {"changed_input", Status::input_changed, "wrote into its input: in[42] was 1."},
      {"copies_past_the_end", Status::guard_violated,
       "wrote outside 'out' (1000 elements): 0 bytes past its end"},
      {"depends_on_poison", Status::wrong_result, "; its first execution was right"},
      {"merged_executions", Status::wrong_result, "1000 of 1000 elements differ"},
      {"reused_result", Status::wrong_result, "; it was right on the inputs that it met before"},
      {"skipped_work", Status::wrong_result, ": it reuses results"},
      {"reduced_precision", Status::wrong_result, " elements differ; the first is out["},
      {"clean", Status::invalid, "block", 2048, 1},
      {"clean", Status::invalid, "grid", 256, std::int64_t{1} << 31},
      {"large_shared", Status::ok, "", 256, 4, 96 << 10}};
  faults.insert(faults.end(), std::begin(common), std::end(common));
  return faults;
}

// Runs the kernel twice on one device: the first trial must not disturb the second.
inline void expect_fault_twice(const std::string& kind, const FaultCase& fault) {
  const char* limit = fault.status == Status::timed_out ? kShortLimit : "";
  const auto device = open_fault_device(fault_definition(fault.kernel, limit), fault_options(kind));
  const Config config = fault_config(fault.threads, fault.blocks, fault.shared_bytes);
  for (int time = 0; time < 2; ++time) {
    const Trial trial = tried(*device, config);
    EXPECT_EQ(status_name(trial.status), status_name(fault.status)) << trial.message;
    EXPECT_NE(trial.message.find(fault.message), std::string::npos) << trial.message;
    EXPECT_EQ(trial.ok(), !trial.samples_us.empty());
    if (fault.status == Status::timed_out) {
      EXPECT_LT(trial.run_s, 3 * 0.5 + 2);
    }
  }
}

}  // namespace gktune
