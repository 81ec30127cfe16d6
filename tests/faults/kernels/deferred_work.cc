// Returns at once and leaves the work to a thread.
#include <chrono>
#include <thread>

void faulty(const float* in, float* out, int n) {
  std::thread([=] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (int i = 0; i < n; ++i) out[i] = 2 * in[i];
  }).detach();
}
