// Doubles its inputs in the ways in which honest functions work: FORM says which.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

[[maybe_unused]] void work(const float* in, float* out, int begin, int end) {
  for (int i = begin; i < end; ++i) {
    float y = in[i];
    for (int k = 0; k < 100; ++k) y = y * 0.5f + in[i];
    out[i] = y;
  }
}

#if FORM == 2 || FORM == 3
// A thread that lives as long as the process, and waits for work asleep or awake.
class Helper {
 public:
  void begin(const float* in, float* out, int first, int last) {
    {
      const std::lock_guard lock(mutex_);
      in_ = in, out_ = out, first_ = first, last_ = last;
      has_work_ = true;
    }
    wake_.notify_one();
  }
  void wait() {
    while (has_work_) std::this_thread::yield();
  }

 private:
  [[noreturn]] void serve() {
    while (true) {
      if (FORM == 2) {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return has_work_.load(); });
      }
      if (!has_work_) continue;
      work(in_, out_, first_, last_);
      has_work_ = false;
    }
  }
  const float* in_ = nullptr;
  float* out_ = nullptr;
  int first_ = 0, last_ = 0;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<bool> has_work_{false};
  std::thread thread_{[this] { serve(); }};
};
#endif

}  // namespace

void faulty(const float* in, float* out, int n) {
#if FORM == 0
  work(in, out, 0, n);
#elif FORM == 1  // OpenMP's threads
#pragma omp parallel for
  for (int i = 0; i < n; ++i) work(in, out, i, i + 1);
#elif FORM == 2 || FORM == 3
  static Helper& helper = *new Helper;
  helper.begin(in, out, 0, n / 2);
  work(in, out, n / 2, n);
  helper.wait();
#elif FORM == 4  // new threads each time
  auto half = std::async(std::launch::async, [&] { work(in, out, 0, n / 2); });
  work(in, out, n / 2, n);
  half.get();
#elif FORM == 5  // a table that the first call makes, and memory that later ones use again
  static const std::vector<float> table = [] {
    std::vector<float> made(1 << 20);
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = static_cast<float>(i) * 0.5f;
    return made;
  }();
  static std::vector<float> kept;
  kept.assign(in, in + n);
  for (int i = 0; i < n; ++i) out[i] = kept[static_cast<std::size_t>(i)] * 2 + table[0];
#elif FORM == 6  // a process for each call, and a file that goes with it
  std::string path = (std::getenv("TMPDIR") != nullptr ? std::getenv("TMPDIR") : "/tmp") + std::string("/half-XXXXXX");
  const int file = ::mkstemp(path.data());
  const pid_t half = ::fork();
  if (half == 0) {
    std::vector<float> own(static_cast<std::size_t>(n));
    work(in, own.data(), 0, n);
    [[maybe_unused]] const auto written = ::write(file, own.data(), sizeof(float) * static_cast<std::size_t>(n));
    ::_exit(0);
  }
  ::waitpid(half, nullptr, 0);
  [[maybe_unused]] const auto read = ::pread(file, out, sizeof(float) * static_cast<std::size_t>(n), 0);
  ::close(file);
  ::unlink(path.c_str());
#elif FORM == 7  // its time depends on the order of its inputs
  std::vector<float> sorted;
  for (int i = 0; i < n; ++i) sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), in[i]), in[i]);
  for (int i = 0; i < n; ++i) out[i] = 2 * in[i] + (sorted[0] > in[i] ? 1.0f : 0.0f);
#endif
}
