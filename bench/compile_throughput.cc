// Compares a pool of compile processes, with several variants in one program, with NVRTC as it
// comes: one process, one variant after the other. Needs no GPU.
//
//   compile_throughput SPACE [processes=16] [batch=8] [variants=256] [serial=32]
//   [axis=value …] [parameter=value …]
#include <algorithm>
#include <cstdio>
#include <string>

#include "bench/compile_processes.h"
#include "bench/variants.h"

namespace gktune {
namespace {

void print_row(const std::string& what, const CompileCost& cost, double serial_ms, std::size_t count) {
  std::printf("  %-36s %8.2f ms a variant, %7.2f ms of a processor (%4zu variants) %6.1f x\n", what.c_str(),
              cost.wall_ms, cost.processor_ms, count, serial_ms / cost.wall_ms);
}

int run(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr,
                 "compile_throughput SPACE [processes=16] [batch=8] [variants=256] [serial=32] [axis=value "
                 "…] [parameter=value …]\n");
    return 2;
  }
  Problem given;
  for (int i = 2; i < argc; ++i) set_axis(given, argv[i]);
  const auto processes = static_cast<int>(number_of(given, "processes", 16));
  const auto batch = static_cast<std::size_t>(number_of(given, "batch", 8));
  const auto count = static_cast<std::size_t>(number_of(given, "variants", 256));
  const auto serial_count = static_cast<std::size_t>(number_of(given, "serial", 32));

  DeviceInfo h200;  // as far as constraints ask
  h200.kind = "cuda";
  h200.architecture = "sm_90";
  h200.multiprocessors = 132;
  h200.max_threads_per_block = h200.max_block_x = h200.max_block_y = 1024;
  h200.max_block_z = 64;
  h200.shared_bytes_per_block = 48 << 10;
  h200.shared_bytes_per_block_optin = 227 << 10;
  const Variants variants = draw_variants(argv[1], h200, given, std::max(count, serial_count), 1);
  const std::size_t all = std::min(count, variants.plans.size()),
                    few = std::min(serial_count, variants.plans.size());

  const std::string pool = std::to_string(processes) + (processes == 1 ? " process, " : " processes, ");
  const CompileCost serial = compile_serially(variants, few);
  const CompileCost alone = compile_in_processes(variants, all, processes, 1, ScratchCache().path());
  const CompileCost together = compile_in_processes(variants, all, processes, batch, ScratchCache().path());
  std::printf("%s\n", argv[1]);
  print_row("one process, one at a time", serial, serial.wall_ms, few);
  print_row(pool + "one at a time", alone, serial.wall_ms, all);
  print_row(pool + std::to_string(batch) + " in one program", together, serial.wall_ms, all);
  // A pool measures both and goes on with the better one.
  std::printf("best with %s: %.3f ms a variant\n", pool.substr(0, pool.size() - 2).c_str(),
              std::min(alone.wall_ms, together.wall_ms));
  return 0;
}

}  // namespace
}  // namespace gktune

int main(int argc, char** argv) { return gktune::run(argc, argv); }
