#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/scratch_folder.h"
#include "tuner/device/worker/backend.h"

namespace gktune {

// A kernel with its surroundings, to be compiled and run for real.
struct Case {
  std::string source;
  std::vector<ArgumentPlan> arguments;
  std::vector<StepPlan> steps;
  std::string reference_source;
  std::vector<StepPlan> reference;
  std::vector<std::pair<std::string, std::string>> macros;  // the candidate's
  Regime regime = Regime::cold;
  bool check_only = true;
  Guards guards = Guards::hardware;
  bool measures_power = false;
};

ArgumentPlan buffer(const std::string& name, Argument::Role role, std::uint64_t count,
                    ElementType type = ElementType::float32);
ArgumentPlan scalar(const std::string& name, ElementType type, Value value);
StepPlan step(const std::string& entry, std::int64_t grid, std::int64_t block, std::vector<int> arguments,
              std::int64_t shared_bytes = 0);
StepPlan fill_step(int argument, int byte);

// GPU 0 and its compiler. ctest runs each test in its own process, which a test that loses its context needs.
class GpuTest : public testing::Test {
 protected:
  void SetUp() override;
  RunJob job(const Case& kernel);
  Module compile(ProgramPlan& program, const std::string& source,
                 const std::vector<std::pair<std::string, std::string>>& macros,
                 const std::vector<StepPlan>& steps);
  RunReply run(const Case& kernel) { return runner_->run(job(kernel)); }

  ScratchFolder folder_;
  DeviceInfo info_;
  std::unique_ptr<Compiler> compiler_;
  std::unique_ptr<Runner> runner_;
};

}  // namespace gktune
