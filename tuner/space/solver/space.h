#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tuner/core/named_values.h"
#include "tuner/core/result.h"
#include "tuner/space/solver/group_tree.h"
#include "tuner/space/solver/parameter.h"

namespace gktune {

// The reason why a space cannot be built.
struct SpaceError {
  enum class Kind {
    bad_parameter,   // it has no values, or one twice; two have one name
    bad_constraint,  // it cannot be evaluated: an unknown name, a division by zero for some combination
    too_large,       // the constraints connect too many parameters for the limits
    empty,           // no combination satisfies the constraints
  };
  Kind kind = Kind::bad_parameter;
  std::string message;
  std::optional<std::size_t>
      constraint;  // the one at fault: for `empty`, the first that leaves nothing
  std::size_t offset = 0, length = 0;  // where in its text
};

// Limits on the cost of building a space.
struct SpaceLimits {
  std::size_t bytes = std::size_t{512} << 20;
  std::uint64_t evaluations = std::uint64_t{1} << 32;
};

enum class Neighbourhood {
  one_parameter,  // one parameter has another value
  one_step,       // one parameter has the next value, up or down, that makes a valid configuration
};

// The valid configurations of a space, counted and indexed without being listed. Parameters that constraints
// tie together form a group; each group is a compact tree; the whole is their product. Indices follow the
// order of the file: the last parameter changes fastest.
class Space {
 public:
  // The place of each parameter's value among its values.
  using Ranks = std::vector<std::uint32_t>;

  // The scope knows the problem and the device; the parameters' names are added to it. A combination for
  // which one constraint fails to evaluate is an error, unless another one rejects it.
  static Result<Space, SpaceError> build(std::vector<Parameter> parameters,
                                         const std::vector<Constraint>& constraints, const Scope& scope,
                                         const SpaceLimits& limits = {});
  // Only the given combinations are valid. Requires at least one, of ranks below the numbers of values.
  static Space of(std::vector<Parameter> parameters, std::vector<Ranks> valid);
  Space(Space&&) noexcept;
  Space& operator=(Space&&) noexcept;
  ~Space();

  const std::vector<Parameter>& parameters() const;
  const Count& size() const;       // the valid ones: never 0
  const Count& cartesian() const;  // all combinations
  std::size_t bytes() const;       // that the trees occupy

  // Requires an index below the size.
  Config at(const Count& index) const;
  std::optional<Count> index_of(const Config& config) const;  // nothing: it is not valid
  bool contains(const Config& config) const;
  // Uniform over the valid ones, and the same on every machine.
  Count sample(std::mt19937_64& random) const;
  // Valid ones, the nearest first, at most `limit`. None where the configuration has unknown values.
  std::vector<Config> neighbours(const Config& config, Neighbourhood neighbourhood,
                                 std::size_t limit = 1000) const;
  // Every parameter at its default (its first value where it names none), or else the valid one that differs
  // in the fewest parameters, by the fewest steps. There always is one.
  std::optional<Config> default_config() const;

  // The same as places of values, for search strategies.
  Ranks ranks_at(std::uint64_t index) const;
  Ranks ranks_at(const Count& index) const;
  bool contains(std::span<const std::uint32_t> ranks) const;
  // The ranks that one parameter can have when all others keep theirs, ascending.
  std::vector<std::uint32_t> choices(std::span<const std::uint32_t> ranks, std::uint32_t parameter) const;
  std::optional<Ranks> ranks_of(const Config& config) const;  // nothing: it has unknown names or values
  Config config_of(std::span<const std::uint32_t> ranks) const;

 private:
  struct Body;
  explicit Space(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace gktune
