#include "engine/execution.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "tuner/core/device_info.h"
#include "tuner/device/backends.h"
#include "tuner/device/run/device_runner.h"
#include "tuner/device/worker/folders.h"

namespace gktune {
namespace {

// A debugger may stop a kernel for long.
constexpr double kNoLimitS = 1e6;

bool has_any(const std::vector<std::string>& options, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(options, [&](const std::string& each) {
    return std::ranges::find(names, std::string_view(each)) != names.end();
  });
}

// Tools name the lines of GPU code with line information only. The host's compiler always adds it.
void add_debug_options(SourcePlan& source, const ExecutionRequest& request) {
  if (!is_gpu(request.device.kind)) {
    if (request.needs_debugging) source.options.insert(source.options.end(), {"-g2", "-O0"});
  } else if (has_any(source.options, {"-G", "--device-debug"})) {
    return;
  } else if (request.needs_debugging) {
    source.options.emplace_back("-G");
  } else if (!has_any(source.options, {"-lineinfo", "--generate-line-info"})) {
    source.options.emplace_back("-lineinfo");
  }
}

class LocalExecution {
 public:
  LocalExecution(const ExecutionRequest& request, std::string cache_dir)
      : request_(request), cache_dir_(std::move(cache_dir)) {}

  Result<Execution, EngineError> run() {
    BackendOptions options = request_.options;
    options.cache_dir = cache_dir_;
    auto backend = open_backend(request_.device, options);
    if (!backend) return absent(backend.error());
    auto device = (*backend)->identify();
    if (!device) return absent(device.error());
    auto compiler = (*backend)->compiler();
    if (!compiler) return absent(compiler.error());
    info_ = *std::move(device);
    RunJob job;
    if (const auto failure = prepare(**compiler, job)) {
      RunReply reply;
      reply.status = failure->status;
      reply.message = failure->message;
      return done(std::move(reply));
    }
    for (const auto& [name, value] : job.plan.environment) ::setenv(name.c_str(), value.c_str(), 1);
    auto compute = open_compute_device(request_.device, options);
    if (!compute) return absent(compute.error());
    return done(DeviceRunner(*std::move(compute)).execute(job, request_.runs));
  }

 private:
  EngineError absent(const Error& why) const {
    return {EngineError::Kind::no_device,
            fmt::format("no device {}:{}: {}", request_.device.kind, request_.device.ordinal, why.message),
            {}};
  }

  Execution done(RunReply reply) const { return {info_, std::move(reply)}; }

  // Makes the plan and compiles what it needs.
  std::optional<Failure> prepare(Compiler& compiler, RunJob& job) const {
    auto plan = resolve(request_.kernel, request_.config, request_.problem, info_);
    if (!plan) return Failure{Status::invalid, plan.error().message};
    if (plan->reference_error) return Failure{Status::reference_failed, *plan->reference_error};
    job.plan = *std::move(plan);
    job.plan.time_limit_s = kNoLimitS;
    if (!request_.is_compared) {
      job.plan.reference.steps.clear();  // it may still compute inputs
      job.plan.verifier = {};
    }
    add_debug_options(job.plan.candidate.source, request_);
    auto compiled = compile_programs(compiler, info_.architecture, cache_dir_, job);
    return compiled ? std::nullopt : std::optional(std::move(compiled).error());
  }

  const ExecutionRequest& request_;
  std::string cache_dir_;
  DeviceInfo info_;
};

}  // namespace

Result<Execution, EngineError> execute_here(const ExecutionRequest& request) {
  const auto cache = make_private_folder(request.options.cache_dir);
  if (!cache) return EngineError{EngineError::Kind::no_cache, cache.error().message, {}};
  return LocalExecution(request, cache->string()).run();
}

}  // namespace gktune
