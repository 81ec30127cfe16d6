#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace gktune {

// Findings of one kind: the first of them, and the number of the others, which would hide other kinds.
class Findings {
 public:
  explicit Findings(std::vector<std::string>& all) : all_(all) {}
  Findings(const Findings&) = delete;
  Findings& operator=(const Findings&) = delete;
  ~Findings() {
    if (count_ > kMost) all_.push_back("… and " + std::to_string(count_ - kMost) + " more like these");
  }
  void add(std::string finding) {
    if (++count_ <= kMost) all_.push_back(std::move(finding));
  }

 private:
  static constexpr std::size_t kMost = 20;

  std::vector<std::string>& all_;
  std::size_t count_ = 0;
};

}  // namespace gktune
