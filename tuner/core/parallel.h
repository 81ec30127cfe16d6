#pragma once

#include <algorithm>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace gktune {

// Calls the function with ranges that cover 0 to count, on as many threads as the process has cores. A thread
// takes at least `least` items: fewer are not worth a thread.
template <class Function>
void in_parallel(std::size_t count, std::size_t least, const Function& function) {
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t parts = std::clamp<std::size_t>(count / least, 1, cores);
  std::vector<std::jthread> threads;
  for (std::size_t part = 1; part < parts; ++part) {
    const std::size_t first = count * part / parts, end = count * (part + 1) / parts;
    try {
      threads.emplace_back([&function, first, end] { function(first, end); });
    } catch (const std::system_error&) {  // the system has no more threads
      function(first, end);
    }
  }
  function(std::size_t{0}, count / parts);
}

}  // namespace gktune
