// Doubles its inputs by much work. TRICK says how it pretends to work later on; 0 is honest.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <new>
#include <string>
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
#elif TRICK == 9  // a process works ahead: it looks at the inputs through the file of this process's memory
  struct Ahead {
    std::atomic<bool> is_done{false};
    float in[1 << 15], out[1 << 15];
  };
  static Ahead* ahead = nullptr;
  if (ahead != nullptr) {
    for (int wait = 0; wait < 100 && !ahead->is_done; ++wait) std::this_thread::yield();
    if (ahead->is_done && std::memcmp(ahead->in, in, sizeof(float) * n) == 0) {
      std::memcpy(out, ahead->out, sizeof(float) * n);
      return;
    }
  }
  work_all(in, out, n);
  if (ahead != nullptr) return;
  ahead =
      new (::mmap(nullptr, sizeof(Ahead), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Ahead;
  if (::fork() != 0) return;
  ::setsid();
  const int memory = ::open(("/proc/" + std::to_string(::getppid()) + "/mem").c_str(), O_RDONLY);
  static float now[1 << 15];
  while (::pread(memory, now, sizeof(float) * n, reinterpret_cast<off_t>(in)) > 0) {
    if (std::memcmp(ahead->in, now, sizeof(float) * n) == 0) continue;
    ahead->is_done = false;
    std::memcpy(ahead->in, now, sizeof(float) * n);
    work_all(ahead->in, ahead->out, n);
    ahead->is_done = true;
  }
  ::_exit(0);
#elif TRICK == 10                 // finds what an earlier call has left on the stack and the heap
  volatile float left[3];
  auto* heap = static_cast<float*>(std::malloc(sizeof(float) * 2 * n));
  const bool is_known = left[0] == in[0] && left[1] == in[n - 1] && std::memcmp(heap + n, in + 8, 64) == 0;
  if (!is_known) work_all(in, heap, n);
  left[0] = in[0], left[1] = in[n - 1];
  std::memcpy(heap + n, in + 8, sizeof(float) * (n - 8));
  std::memcpy(out, heap, sizeof(float) * n);
  std::free(heap);
#elif TRICK == 11 || TRICK == 12  // leaves results in files, for other candidates too
  std::size_t digest = 0;
  for (int i = 0; i < n; ++i) digest = digest * 1000003 + std::hash<float>()(in[i]);
  const char* folder = std::getenv("TMPDIR");
  const std::string path = (folder != nullptr ? folder : "/tmp") + ("/result-" + std::to_string(digest));
  std::FILE* file = std::fopen(path.c_str(), "rb");
  const bool is_known =
      file != nullptr && std::fread(out, sizeof(float), n, file) == static_cast<std::size_t>(n);
  if (file != nullptr) std::fclose(file);
  if (is_known) return;
  work_all(in, out, n);
  file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return;
  std::fwrite(out, sizeof(float), n, file);
  std::fclose(file);
#endif
}
