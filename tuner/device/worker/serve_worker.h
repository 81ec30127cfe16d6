#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "tuner/core/result.h"
#include "tuner/device/worker/backend.h"

namespace gktune {

// What a worker process is for.
enum class WorkerRole { compile, run };
std::string_view worker_role_name(WorkerRole role);
std::optional<WorkerRole> worker_role_from_name(std::string_view name);

using BackendOpener = std::function<Result<std::unique_ptr<Backend>>()>;

// The life of a worker process: answers its parent's requests over descriptor 3 until the parent hangs up.
// Answers what to exit with. A backend that cannot be opened is told to the parent.
int serve_worker(WorkerRole role, const BackendOpener& open);

}  // namespace gktune
