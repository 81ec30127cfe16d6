// Adds the elements of a vector with the configuration that was found to be the fastest:
//   reduce sum.yaml gktune.db host|cuda N
#include <gktune/kernel.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "memory.h"

namespace {

int fail(const std::string& message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  return 1;
}

}  // namespace

int main(int count, char** words) {
  if (count != 5) return fail("usage: reduce SPACE DATABASE host|cuda N");
  const char* device = words[3];
  const std::int64_t n = std::strtoll(words[4], nullptr, 10);

  gktune::KernelSettings settings;
  settings.databases = {words[2]};
  settings.device = device;
  auto sum = gktune::Kernel::open(words[1], settings);
  if (!sum) return fail(sum.error().message);

  auto* in = static_cast<float*>(new_memory(device, static_cast<std::size_t>(n) * sizeof(float)));
  auto* out = static_cast<float*>(new_memory(device, sizeof(float)));
  for (std::int64_t i = 0; i < n; ++i) in[i] = 1;

  // The problem, then the buffers in the order of the space file.
  auto done = sum->launch({n}, {static_cast<const float*>(in), out});
  if (!done) return fail(done.error().message);
  wait_for(device);

  const auto choice = sum->prepare({n});
  std::printf("the sum of %lld ones is %.0f: %s (%s)\n", static_cast<long long>(n), static_cast<double>(*out),
              choice->config.str().c_str(), std::string(gktune::match_name(choice->match)).c_str());
  free_memory(device, in);
  free_memory(device, out);
}
