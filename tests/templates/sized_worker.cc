// The host device with the number of multiprocessors of its first argument, so that tests do not depend on
// the machine: sized_worker COUNT KIND ORDINAL compile|run.

#include <cstdlib>

#include "tuner/device/backends.h"
#include "tuner/device/worker/backend.h"

namespace gktune {
namespace {

class SizedBackend : public Backend {
 public:
  SizedBackend(std::unique_ptr<Backend> backend, std::int64_t multiprocessors)
      : backend_(std::move(backend)), multiprocessors_(multiprocessors) {}

  Result<DeviceInfo> probe() override {
    auto info = backend_->probe();
    if (info) info->multiprocessors = multiprocessors_;
    return info;
  }
  Result<std::unique_ptr<Compiler>> compiler() override { return backend_->compiler(); }
  Result<std::unique_ptr<Runner>> runner() override { return backend_->runner(); }

 private:
  std::unique_ptr<Backend> backend_;
  std::int64_t multiprocessors_;
};

}  // namespace
}  // namespace gktune

int main(int argc, char** argv) {
  using namespace gktune;
  if (argc < 5) return 2;  // flags may follow
  const auto role = enum_from_name<WorkerRole>(argv[4]);
  if (!role) return 2;
  const BackendName name{argv[2], std::atoi(argv[3])};
  return serve_worker(*role, [&]() -> Result<std::unique_ptr<Backend>> {
    auto backend = open_backend(name, {});
    if (!backend) return backend.error();
    return {std::make_unique<SizedBackend>(*std::move(backend), std::atoi(argv[1]))};
  });
}
