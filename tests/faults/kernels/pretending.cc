// Doubles its inputs by much work. TRICK says how it pretends to work later on; 0 is honest.
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <thread>
#include <vector>

namespace {

float work(float x) {
  float y = x;
  for (int k = 0; k < 1500; ++k) y = y * 0.5f + x;
  return y;
}

void work_all(const float* in, float* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = work(in[i]);
}

#if TRICK == 2 || TRICK == 4 || TRICK == 5
std::vector<float> last_in, last_out;
void keep(const float* in, const float* out, int n) {
  last_in.assign(in, in + n);
  last_out.assign(out, out + n);
}
#endif

}  // namespace

void faulty(const float* in, float* out, int n) {
#if TRICK == 0
  work_all(in, out, n);
#elif TRICK == 1  // leaves outputs that look like those of the last execution
  for (int i = 0; i < n; ++i) {
    if (!(out[i] >= 0 && out[i] < 1e6f)) return work_all(in, out, n);
  }
#elif TRICK == 2  // remembers the last execution
  if (last_in.empty() || std::memcmp(last_in.data(), in, sizeof(float) * n) != 0) {
    work_all(in, out, n);
    keep(in, out, n);
  }
  std::memcpy(out, last_out.data(), sizeof(float) * n);
#elif TRICK == 3  // remembers many values
  static std::map<float, float> known;
  for (int i = 0; i < n; ++i) {
    const auto found = known.find(in[i]);
    out[i] = found != known.end() ? found->second : known[in[i]] = work(in[i]);
  }
#elif TRICK == 4  // remembers by pointer
  static const float* place = nullptr;
  if (place != in) {
    work_all(in, out, n);
    keep(in, out, n);
    place = in;
  }
  std::memcpy(out, last_out.data(), sizeof(float) * n);
#elif TRICK == 5  // remembers after two executions
  static int executions = 0;
  if (++executions <= 2) {
    work_all(in, out, n);
    keep(in, out, n);
  }
  std::memcpy(out, last_out.data(), sizeof(float) * n);
#elif TRICK == 6  // looks whether a sample of the output is right already
  for (int i = 0; i < n; i += n / 16) {
    if (out[i] != work(in[i])) return work_all(in, out, n);
  }
#elif TRICK == 7  // a thread works ahead
  static auto& ahead = *new std::vector<float>(static_cast<std::size_t>(n));  // outlives the thread
  static auto& ahead_of = *new std::vector<float>(static_cast<std::size_t>(n));
  static std::atomic<const float*> place{nullptr};
  static std::atomic<bool> is_done{false}, is_started{false};
  if (place == in) {
    for (int wait = 0; wait < 100 && !is_done; ++wait) std::this_thread::yield();
    if (is_done && std::memcmp(ahead_of.data(), in, sizeof(float) * n) == 0) {
      std::memcpy(out, ahead.data(), sizeof(float) * n);
      return;
    }
  }
  work_all(in, out, n);
  place = in;
  if (is_started.exchange(true)) return;
  std::thread([in, n] {
    while (true) {
      if (std::memcmp(ahead_of.data(), in, sizeof(float) * n) == 0) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        continue;
      }
      is_done = false;
      std::memcpy(ahead_of.data(), in, sizeof(float) * n);
      work_all(ahead_of.data(), ahead.data(), n);
      is_done = true;
    }
  }).detach();
#elif TRICK == 8  // searches its memory for the expected output
  float sample[8];
  for (int i = 0; i < 8; ++i) sample[i] = work(in[i]);
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  char line[512];
  while (maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr) {
    std::uintptr_t begin = 0, end = 0;
    char rights[5] = {};
    if (std::sscanf(line, "%zx-%zx %4s", &begin, &end, rights) != 3 || rights[0] != 'r') continue;  // shared memory alone
    if (rights[3] != 's' || end - begin > (std::size_t{8} << 20)) continue;
    for (std::uintptr_t at = begin; at + sizeof(float) * n <= end; at += sizeof(float)) {
      const auto* there = reinterpret_cast<const float*>(at);
      int alike = 0;
      while (alike < 8 && std::abs(there[alike] - sample[alike]) < 1e-5f * sample[alike]) ++alike;
      if (alike < 8) continue;
      std::memcpy(out, there, sizeof(float) * n);
      std::fclose(maps);
      return;
    }
  }
  if (maps != nullptr) std::fclose(maps);
  work_all(in, out, n);
#endif
}
