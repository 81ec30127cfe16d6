#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "tuner/core/fields.h"
#include "tuner/core/result.h"
#include "tuner/device/worker/backend.h"

namespace gktune {

// The task of a worker process: to compile, to run candidates, or to answer questions about the hardware.
enum class WorkerRole { compile, run, describe };
inline EnumNames enum_names(WorkerRole) {
  static constexpr std::string_view kNames[] = {"compile", "run", "describe"};
  return kNames;
}

using BackendOpener = std::function<Result<std::unique_ptr<Backend>>()>;

// Answers the parent's requests on descriptor 3 until the parent closes it. Returns the exit code. The parent
// learns why a backend cannot be opened.
int serve_worker(WorkerRole role, const BackendOpener& open);

}  // namespace gktune
