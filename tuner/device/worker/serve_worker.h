#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "tuner/core/result.h"
#include "tuner/device/worker/backend.h"

namespace gktune {

// The task of a worker process: to compile, to run candidates, or to answer questions about the hardware.
enum class WorkerRole { compile, run, describe };
std::string_view worker_role_name(WorkerRole role);
std::optional<WorkerRole> worker_role_from_name(std::string_view name);

using BackendOpener = std::function<Result<std::unique_ptr<Backend>>()>;

// Answers the parent's requests on descriptor 3 until the parent closes it. Returns the exit code. The parent
// learns why a backend cannot be opened.
int serve_worker(WorkerRole role, const BackendOpener& open);

}  // namespace gktune
