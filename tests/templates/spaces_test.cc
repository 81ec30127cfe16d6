// Every space that the project ships, as its files say it.
#include <gtest/gtest.h>

#include "shipped_spaces.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

class ShippedSpace : public testing::TestWithParam<std::string> {};

TEST_P(ShippedSpace, is_read_without_a_complaint_for_a_gpu_and_for_a_cpu) {
  for (const char* kind : {"cuda", "host"}) {
    auto definition = read_space_file(GetParam(), {.device_kind = kind});
    if (definition.ok()) continue;
    for (const Diagnostic& diagnostic : definition.error()) ADD_FAILURE() << kind << ": " << diagnostic.str();
  }
}

INSTANTIATE_TEST_SUITE_P(Spaces, ShippedSpace, testing::ValuesIn(shipped_spaces()), space_name);

}  // namespace
}  // namespace gktune
