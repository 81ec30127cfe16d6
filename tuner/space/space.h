#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tuner/core/named_values.h"
#include "tuner/core/result.h"
#include "tuner/space/parameter.h"

namespace gktune {

// How many configurations, or which one: exact, however large the space.
using Count = boost::multiprecision::cpp_int;

enum class Neighbourhood {
  one_parameter,  // one parameter has another value
  one_step,       // one parameter has the value next to it
};

// The valid configurations of a space, counted and indexed without being listed. Parameters that constraints tie
// together form a group; each group is a compact tree; the whole is their product. The order of the indices depends
// on nothing but what the space was built from.
class Space {
 public:
  // The scope knows the problem and the device; the parameters' names are added to it.
  static Result<Space> build(std::vector<Parameter> parameters, const std::vector<Constraint>& constraints,
                             const Scope& scope);
  Space(Space&&) noexcept;
  Space& operator=(Space&&) noexcept;
  ~Space();

  const std::vector<Parameter>& parameters() const;
  const Count& size() const;       // the valid ones
  const Count& cartesian() const;  // all combinations

  Config at(std::uint64_t index) const;
  Config at(const Count& index) const;
  std::optional<Count> index_of(const Config& config) const;  // nothing: it is not valid
  // Uniform over the valid ones; asks for a space that is not empty.
  Count sample(std::mt19937_64& random) const;
  std::vector<Config> neighbours(const Config& config, Neighbourhood neighbourhood) const;
  // Every parameter at its default (its first value where it names none), or the valid one closest to that.
  std::optional<Config> default_config() const;

 private:
  struct Body;
  explicit Space(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace gktune
