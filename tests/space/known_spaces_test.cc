#include "tests/space/known/known_spaces.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "tuner/space/solver/space.h"

namespace gktune {
namespace {

class KnownSpaces : public testing::TestWithParam<KnownSpace> {
 protected:
  static Space build(const KnownSpace& known) {
    return Space::build(known.parameters, known.constraints(), Scope()).value();
  }
};

class Fnv {
 public:
  void add(std::string_view text) {
    for (const char c : text) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 1099511628211u;
  }
  std::uint64_t hash() const { return hash_; }

 private:
  std::uint64_t hash_ = 14695981039346656037u;
};

TEST_P(KnownSpaces, have_the_known_number_of_valid_configurations) {
  const Space space = build(GetParam());
  EXPECT_EQ(space.size(), GetParam().valid);
  EXPECT_EQ(space.cartesian().str(), GetParam().cartesian);
}

using ListedSpaces = KnownSpaces;

TEST_P(ListedSpaces, list_the_known_configurations) {
  const Space space = build(GetParam().ascending());
  Fnv fnv;
  std::string line;
  for (std::uint64_t index = 0; index < space.size(); ++index) {
    const auto ranks = space.ranks_at(index);
    line.clear();
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if (i > 0) line += ',';
      line += std::to_string(space.parameters()[i].values[ranks[i]].integer());
    }
    fnv.add(line += '\n');
  }
  EXPECT_EQ(fnv.hash(), GetParam().listing_hash);
}

TEST_P(KnownSpaces, find_each_configuration_at_its_index_and_satisfy_every_constraint) {
  const Space space = build(GetParam());
  const auto constraints = GetParam().constraints();
  std::mt19937_64 random(7);
  for (int i = 0; i < 100; ++i) {
    const Count index = space.sample(random);
    const Config config = space.at(index);
    EXPECT_EQ(space.index_of(config), index);
    for (const Constraint& constraint : constraints) {
      EXPECT_EQ(constraint.condition.evaluate(Scope().add(config)).value(), Value(true));
    }
  }
}

std::string name_of(const testing::TestParamInfo<KnownSpace>& instance) { return instance.param.name; }

INSTANTIATE_TEST_SUITE_P(Literature, KnownSpaces, testing::ValuesIn(known_spaces()), name_of);
INSTANTIATE_TEST_SUITE_P(Literature, ListedSpaces,
                         testing::Values(dedispersion(), gemm(), hotspot(), expdist(), prl8()), name_of);

}  // namespace
}  // namespace gktune
