// The same in an application that ships a bundle: it needs no sources, compiler or database.
//   bundled kernels.gkt host|cuda N
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
  if (count != 4) return fail("usage: bundled BUNDLE host|cuda N");
  const char* device = words[2];
  const std::int64_t n = std::strtoll(words[3], nullptr, 10);

  gktune::KernelSettings settings;
  settings.bundles = {words[1]};
  settings.device = device;
  auto sum = gktune::Kernel::open_bundled("sum", settings);
  if (!sum) return fail(sum.error().message);

  auto* in = static_cast<float*>(new_memory(device, static_cast<std::size_t>(n) * sizeof(float)));
  auto* out = static_cast<float*>(new_memory(device, sizeof(float)));
  for (std::int64_t i = 0; i < n; ++i) in[i] = 1;
  auto done = sum->launch({n}, {static_cast<const float*>(in), out});
  if (!done) return fail(done.error().message);
  wait_for(device);

  std::printf("the sum of %lld ones is %.0f: %s\n", static_cast<long long>(n), static_cast<double>(*out),
              sum->prepare({n})->config.str().c_str());
  free_memory(device, in);
  free_memory(device, out);
}
