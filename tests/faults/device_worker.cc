// The worker processes of the tests: device_worker KIND ORDINAL compile|run|describe|execute [--cache DIR].

#include <cstdlib>
#include <string_view>

#include "tuner/device/backends.h"
#include "tuner/device/worker/backend.h"

int main(int argc, char** argv) {
  using namespace gktune;
  if (argc < 4) return 2;
  const auto role = enum_from_name<WorkerRole>(argv[3]);
  if (!role) return 2;
  const BackendName name{argv[1], std::atoi(argv[2])};
  BackendOptions options;
  if (const char* cxx = std::getenv("CXX")) options.cxx = cxx;
  if (argc == 6 && std::string_view(argv[4]) == "--cache") options.cache_dir = argv[5];
  options.apart_argv.assign(argv, argv + argc);
  options.apart_argv[3] = enum_name(WorkerRole::execute);
  return serve_worker(*role, [&] { return open_backend(name, options); });
}
