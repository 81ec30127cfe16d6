#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace gktune {

// Calls a function at regular intervals in a thread, as long as this object lives.
class Renewal {
 public:
  Renewal(std::chrono::milliseconds interval, std::function<void()> renew)
      : thread_([interval, renew = std::move(renew)](const std::stop_token& stop) {
          std::mutex mutex;
          std::condition_variable_any stopped;
          std::unique_lock lock(mutex);
          while (!stopped.wait_for(lock, stop, interval, [&stop] { return stop.stop_requested(); })) renew();
        }) {}

 private:
  std::jthread thread_;
};

}  // namespace gktune
