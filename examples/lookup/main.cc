// Asks a database for the best configuration of a kernel, as an application does before it launches one:
//   lookup_example gktune.db reduce n=1048576 element=float
#include <gktune/lookup.h>

#include <charconv>
#include <iostream>
#include <string_view>

namespace {

// "n=1048576" is an integer, "element=float" a text.
gktune::Value parse(std::string_view text) {
  std::int64_t integer = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), integer);
  if (error == std::errc() && end == text.data() + text.size()) return integer;
  return text;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::cerr << "usage: lookup_example DATABASE KERNEL [AXIS=VALUE]…\n";
    return 2;
  }
  gktune::Problem problem;
  for (int i = 3; i < count; ++i) {
    std::string_view axis = arguments[i];
    auto equals = axis.find('=');
    if (equals == axis.npos) {
      std::cerr << "expected AXIS=VALUE, not " << axis << '\n';
      return 2;
    }
    problem.set(axis.substr(0, equals), parse(axis.substr(equals + 1)));
  }

  auto lookup = gktune::Lookup::open(arguments[1]);
  if (!lookup) {
    std::cerr << lookup.error().message << '\n';
    return 1;
  }
  // An application that runs on a GPU passes the GPU too: gktune::cuda_device(properties.name, …).
  // examples/transpose does, and launches the kernel.
  auto answer = lookup->best(arguments[2], problem);
  if (!answer) {
    std::cerr << answer.reason << '\n';
    return 1;
  }
  std::cout << "config:   " << answer.config.str() << '\n'
            << "match:    " << gktune::match_name(answer.match) << '\n';
  if (!answer.reason
           .empty()) {  // the configuration was chosen for all problems, so no time is known for this one
    std::cout << "reason:   " << answer.reason << '\n';
    return 0;
  }
  std::cout << "expected: " << answer.time_us << " us\n"
            << "tuned:    for " << answer.problem.str() << " on " << answer.device.name << '\n';
}
