// wrong or cheating: a thread does the work after the call has returned
/* gktune
language: host
launches: {entry: mine, arguments: [in, out, n]}
*/
#include <chrono>
#include <thread>
#include "space/twice_all.h"
void mine(const float* in, float* out, int n, cudaStream_t stream) {
  std::thread([=] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    twice_all(in, out, n, nullptr);
  }).detach();
}
