// Measures the time to build the known spaces from their text, the memory that they occupy, and the time to
// fetch a configuration by its index, beside KTT's figures with the constraints compiled in as lambdas.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bench/heap_count.h"
#include "tests/space/known/known_spaces.h"
#include "tuner/space/solver/space.h"

namespace gktune {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kBuilds = 31;
constexpr int kRounds = 101, kFetches = 2000;
constexpr double kKttFetchUs = 1.4;

struct Peer {
  double build_ms = 0;  // 0: not known
  double mebibytes = 0;
};

Peer ktt(const std::string& name) {
  if (name == "hotspot") return {104, 40};
  if (name == "gemm") return {3, 0};
  if (name == "convolution") return {140, 0};
  return {};
}

std::string beside(double own, double peer, const char* unit) {
  char text[96];
  if (peer == 0) {
    std::snprintf(text, sizeof text, "%8.3f %s", own, unit);
  } else {
    std::snprintf(text, sizeof text, "%8.3f %s (KTT %g, ratio %.4f)", own, unit, peer, own / peer);
  }
  return text;
}

double median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

double mebibytes(std::size_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

// From the text of the constraints to a space that can be asked.
std::optional<Space> build(const KnownSpace& known, double& took_ms) {
  std::vector<Parameter> parameters = known.parameters;
  const auto start = Clock::now();
  auto space = Space::build(std::move(parameters), known.constraints(), Scope());
  took_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  if (!space) {
    std::fprintf(stderr, "%s: %s\n", known.name.c_str(), space.error().message.c_str());
    return std::nullopt;
  }
  return std::move(*space);
}

// The median over many short rounds: others may run on this machine.
double fetch_us(const Space& space) {
  std::mt19937_64 random(1);
  std::vector<double> rounds_us(kRounds);
  for (double& round_us : rounds_us) {
    std::vector<std::uint64_t> indices;
    for (int i = 0; i < kFetches; ++i) indices.push_back(static_cast<std::uint64_t>(space.sample(random)));
    std::size_t fetched = 0;
    const auto start = Clock::now();
    for (const std::uint64_t index : indices) fetched += space.config_of(space.ranks_at(index)).size();
    round_us = std::chrono::duration<double, std::micro>(Clock::now() - start).count() / kFetches;
    if (fetched != indices.size() * space.parameters().size()) std::abort();
  }
  return median(std::move(rounds_us));
}

bool report(const KnownSpace& known) {
  std::vector<double> times_ms(kBuilds);
  std::optional<Space> space;
  std::size_t kept_bytes = 0, used_bytes = 0;
  for (double& time_ms : times_ms) {
    space.reset();
    HeapCount::forget_peak();
    const std::size_t before = HeapCount::live_bytes();
    space = build(known, time_ms);
    if (!space) return false;
    kept_bytes = HeapCount::live_bytes() - before;
    used_bytes = HeapCount::peak_bytes() - before;
  }
  const Peer peer = ktt(known.name);
  std::printf("%s: %s of %s%s\n", known.name.c_str(), space->size().str().c_str(),
              space->cartesian().str().c_str(), space->size() == known.valid ? "" : "  WRONG");
  std::printf("  build  %s\n", beside(median(times_ms), peer.build_ms, "ms").c_str());
  std::printf("  kept   %s\n", beside(mebibytes(kept_bytes), peer.mebibytes, "MiB").c_str());
  std::printf("  most   %s, at any time while it is built\n",
              beside(mebibytes(used_bytes), peer.mebibytes, "MiB").c_str());
  std::printf("  fetch  %s\n", beside(fetch_us(*space), kKttFetchUs, "us").c_str());
  return space->size() == known.valid;
}

}  // namespace
}  // namespace gktune

int main() {
  bool all_right = true;
  for (const auto& known : gktune::known_spaces()) all_right = gktune::report(known) && all_right;
  return all_right ? 0 : 1;
}
