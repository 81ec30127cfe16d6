#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "tuner/space/solver/space.h"

namespace gktune {

// A few configurations in which every value of every parameter occurs, if constraints allow it. The sample
// grows from problem to problem and reuses configurations where it can. It is the same on every machine.
class CoveringSample {
 public:
  // Pairs: each value of a parameter of texts also occurs together with each
  // value of the other parameters.
  enum class Depth { values, pairs };

  explicit CoveringSample(std::vector<Parameter> parameters);

  // The configurations for one problem. An error says why there is none.
  Result<std::vector<Config>, SpaceError> cover(const std::vector<Constraint>& constraints,
                                                const Scope& scope, Depth depth);

  // Values that have occurred in no configuration so far: "tail=redux".
  std::vector<std::string> unseen() const;

 private:
  struct Choice {
    std::size_t parameter, value;  // the place of each
    friend auto operator<=>(const Choice&, const Choice&) = default;
  };
  using Meeting = std::pair<Choice, Choice>;  // twice the same: one value alone

  bool holds(const Config& config, const Choice& choice) const;
  bool holds(const Config& config, const Meeting& meeting) const;
  std::size_t count(const Config& config, const std::vector<Meeting>& meetings) const;
  std::optional<Config> find(const Meeting& meeting, const std::vector<Meeting>& others,
                             const std::vector<Constraint>& constraints, const Scope& scope) const;

  std::vector<Parameter> parameters_;
  std::vector<Meeting> meetings_;
  std::vector<Config> configs_;
};

}  // namespace gktune
