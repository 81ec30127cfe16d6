#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "tuner/space/plan.h"

namespace gktune {

struct Geometry {
  std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::int64_t shared_bytes = 0;
};

// A file of tests/host/kernels with all its kernels as entries. Templates are listed with their arguments.
SourcePlan conformance_source(const std::string& file);
std::vector<std::string> conformance_files();

// Runs kernels of tests/host/kernels with a compiler for the CPU or on a GPU.
// The tests do not depend on which.
class KernelRunner {
 public:
  virtual ~KernelRunner() = default;
  virtual std::string name() const = 0;
  // The reason why it can run no kernel on this machine.
  virtual std::optional<std::string> absence() { return std::nullopt; }
  // Every argument is a buffer that the kernel may change. An error is thrown as an exception.
  virtual void run(const std::string& file, const std::string& entry, const Geometry& geometry,
                   std::span<const std::span<std::byte>> buffers) = 0;
};

inline void PrintTo(const std::shared_ptr<KernelRunner>& runner, std::ostream* out) {
  *out << runner->name();
}

// The runners that the test program is linked with.
std::vector<std::shared_ptr<KernelRunner>> kernel_runners();

class Conformance : public testing::TestWithParam<std::shared_ptr<KernelRunner>> {
 protected:
  void SetUp() override {
    if (const auto why = GetParam()->absence()) GTEST_SKIP() << *why;
  }

  template <class... T>
  void run(const std::string& file, const std::string& entry, const Geometry& geometry,
           std::vector<T>&... buffers) {
    const std::span<std::byte> all[] = {std::as_writable_bytes(std::span(buffers))...};
    GetParam()->run(file, entry, geometry, all);
  }
};

inline Geometry line(std::int64_t blocks, std::int64_t threads, std::int64_t shared_bytes = 0) {
  return {{blocks, 1, 1}, {threads, 1, 1}, shared_bytes};
}

inline std::string runner_label(const testing::TestParamInfo<std::shared_ptr<KernelRunner>>& info) {
  return info.param->name();
}

#define GKTUNE_ON_EACH_RUNNER(suite) \
  INSTANTIATE_TEST_SUITE_P(, suite, testing::ValuesIn(gktune::kernel_runners()), gktune::runner_label)

}  // namespace gktune
