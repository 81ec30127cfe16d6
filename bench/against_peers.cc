// Compares the best configuration in a database with a vendor library: times gktune's kernel and CUB, cuBLAS
// or cuSPARSE on the same buffers, their samples taken in turn. Needs a GPU.
//
//   against_peers DATABASE SPACE [rounds=200] [axis=value …]
#include <algorithm>
#include <cstdio>
#include <string>

#include "bench/contest.h"
#include "bench/peers.h"
#include "bench/variants.h"
#include "gktune/lookup.h"

namespace gktune {
namespace {

struct Peer {
  std::string name;
  LibraryCall call;
};

Peer peer_of(const Contest& contest) {
  const std::string& kernel = contest.definition().kernel.name;
  const Problem& problem = contest.problem();
  auto at = [&](const char* name) { return contest.argument(name); };
  auto size = [&](const char* name) { return number_of(problem, name, 0); };
  if (kernel == "reduce") {
    const Value* element = problem.find("element");
    const bool is_float = element != nullptr && element->str() == "float";
    return {"CUB",
            (is_float ? cub_sum_float : cub_sum_int)(contest.stream(), at("in"), at("out"), size("n"))};
  }
  if (kernel == "histogram") {
    const Value* distribution = problem.find("distribution");
    const bool is_skewed = distribution != nullptr && distribution->str() == "skewed";
    return {"CUB", cub_histogram(contest.stream(), at(is_skewed ? "skewed" : "in"), size("n"))};
  }
  if (kernel == "scan") return {"CUB", cub_scan(contest.stream(), at("in"), at("out"), size("n"))};
  if (kernel == "segmented_sum") {
    return {"CUB", cub_segmented_sum(contest.stream(), at("offsets"), at("in"), at("out"), size("segments"))};
  }
  if (kernel == "spmv") {
    const SparseMatrix matrix{at("rowOffsets"), at("columnIndices"),
                              at("values"),     size("rows"),
                              size("columns"),  size("rows") * std::min<std::int64_t>(size("columns"), 16)};
    return {"cuSPARSE", cusparse_spmv(contest.stream(), matrix, at("x"), at("y"))};
  }
  if (kernel == "gemv") {
    return {"cuBLAS",
            cublas_sgemv(contest.stream(), at("a"), at("x"), at("y"), size("rows"), size("columns"))};
  }
  if (kernel == "saxpy") {
    return {"cuBLAS", cublas_saxpy(contest.stream(), 1.25f, at("x"), at("y"), size("n"))};
  }
  if (kernel == "batched_matmul") {
    return {"cuBLAS", cublas_batched_sgemm(contest.stream(), at("a"), at("b"), at("c"), size("matrices"),
                                           size("size"))};
  }
  if (kernel == "matmul") {
    return {"cuBLAS",
            cublas_sgemm(contest.stream(), at("a"), at("b"), at("c"), size("m"), size("n"), size("k"))};
  }
  if (kernel == "gemm") {
    return {"cuBLAS", cublas_gemm(contest.stream(), problem.find("element")->str() == "half", at("a"),
                                  at("b"), at("c"), size("m"), size("n"), size("k"))};
  }
  std::fprintf(stderr, "no library to compare '%s' with\n", kernel.c_str());
  std::exit(2);
}

int run(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "against_peers DATABASE SPACE [rounds=200] [axis=value …]\n");
    return 2;
  }
  Problem axes;
  for (int i = 3; i < argc; ++i) set_axis(axes, argv[i]);
  const auto rounds = static_cast<int>(number_of(axes, "rounds", 200));

  const auto lookup = Lookup::open(argv[1]);
  if (!lookup) {
    std::fprintf(stderr, "%s\n", lookup.error().message.c_str());
    return 1;
  }
  Contest contest(argv[2], axes);
  const DeviceInfo& device = contest.device();
  const std::string& kernel = contest.definition().kernel.name;
  const DeviceIdentity identity{device.kind, device.name, device.architecture, device.multiprocessors};
  const Answer answer = lookup->best(kernel, contest.problem(), identity);
  if (!answer) {
    std::fprintf(stderr, "%s knows nothing of %s %s\n", argv[1], kernel.c_str(),
                 contest.problem().str().c_str());
    return 4;
  }
  contest.enter("gktune", answer.config);
  const Peer peer = peer_of(contest);
  contest.enter(peer.name,
                Execution{[&](std::span<const CUdeviceptr> buffers) { peer.call(buffers.data()); }});

  const auto contenders = contest.hold(rounds);
  std::printf("%s %s (%s: %s)\n", kernel.c_str(), contest.problem().str().c_str(),
              std::string(match_name(answer.match)).c_str(), answer.config.str().c_str());
  for (const auto& contender : contenders) {
    const Timing& timing = contender.trial.timing;
    std::printf("  %-8s %10.2f us [%.2f, %.2f]  %s\n", contender.name.c_str(), timing.median_us,
                timing.low_us, timing.high_us, score_of(contender).c_str());
  }
  std::printf("  %.3f x %s\n", contenders[1].trial.timing.median_us / contenders[0].trial.timing.median_us,
              contenders[1].name.c_str());
  return 0;
}

}  // namespace
}  // namespace gktune

int main(int argc, char** argv) { return gktune::run(argc, argv); }
