#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "gktune/result.h"
#include "gktune/values.h"
#include "tuner/space/solver/groups.h"
#include "tuner/space/solver/parameter.h"

namespace gktune {

// The reason why a space cannot be built.
struct SpaceError {
  enum class Kind {
    bad_parameter,  // a parameter without values, with a duplicate value or with the name of another
    // A constraint that cannot be evaluated: an unknown name, a division by zero for some combination.
    bad_constraint,
    too_large,  // the constraints connect too many parameters for the limits
    empty,      // no combination satisfies the constraints
  };
  Kind kind = Kind::bad_parameter;
  std::string message;
  // The one at fault; of an empty space, the first that leaves no combination.
  std::optional<std::size_t> constraint;
  std::size_t offset = 0, length = 0;  // the part of its text at fault
};

// Limits on the cost of building a space.
struct SpaceLimits {
  std::size_t bytes = std::size_t{512} << 20;
  std::uint64_t evaluations = std::uint64_t{1} << 32;
};

// The valid configurations of a space. Counts and indexes them without listing them. Parameters that share
// constraints form a group, stored as a compact tree; the space is the product of the groups. Indices follow
// the order of the file: the last parameter changes fastest.
class Space {
 public:
  // For each parameter, the index of its value.
  using Ranks = std::vector<std::uint32_t>;

  // `scope` has the problem and the device; the space adds the parameters. If a constraint cannot be
  // evaluated for some combination, that is an error, unless another constraint rejects the combination.
  static Result<Space, SpaceError> build(std::vector<Parameter> parameters,
                                         const std::vector<Constraint>& constraints, const Scope& scope,
                                         const SpaceLimits& limits = {});
  // Makes a space of the given combinations. Requires at least one, and ranks below the number of values.
  static Space of(std::vector<Parameter> parameters, std::vector<Ranks> valid);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const Count& size() const { return product_.size(); }   // number of valid configurations; not 0
  const Count& cartesian() const { return cartesian_; }   // number of all combinations

  // Requires an index below the size.
  Config at(const Count& index) const { return config_of(ranks_at(index)); }
  std::optional<Count> index_of(const Config& config) const;  // nothing if it is not valid
  bool contains(const Config& config) const { return index_of(config).has_value(); }
  // Draws an index with equal probability for each. The same generator gives the same index on every machine.
  Count sample(std::mt19937_64& random) const;
  // Each parameter has its default, or its first value if it has no default. If this configuration is not
  // valid, each parameter in turn has the value nearest to that which the earlier ones allow.
  std::optional<Config> default_config() const;

  // The same functions on ranks, for search strategies.
  Ranks ranks_at(const Count& index) const { return product_.ranks_at(index); }
  bool contains(std::span<const std::uint32_t> ranks) const;
  // The valid ranks of one parameter if all others keep theirs, ascending.
  Ranks choices(std::span<const std::uint32_t> ranks, std::uint32_t parameter) const {
    return product_.choices(ranks, parameter);
  }
  std::optional<Ranks> ranks_of(const Config& config) const;  // nothing if it has unknown names or values
  Config config_of(std::span<const std::uint32_t> ranks) const;

 private:
  Space(std::vector<Parameter> parameters, GroupProduct product);

  std::vector<Parameter> parameters_;
  std::shared_ptr<const Config::Names> names_;  // the parameters', in every configuration
  GroupProduct product_;
  Count cartesian_ = 1;
};

}  // namespace gktune
