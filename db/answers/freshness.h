#pragma once

#include <string>
#include <string_view>

namespace gktune {

// The versions that winners have to match. An empty member allows any.
struct Freshness {
  std::string fingerprint;  // of the sources: winners of others are stale
  std::string driver;       // version: winners measured with another major version are stale
  std::string runtime;      // version of CUDA: the same
  friend bool operator==(const Freshness&, const Freshness&) = default;
};

// "580" of "580.65.06".
inline std::string_view major_version(std::string_view version) {
  return version.substr(0, version.find('.'));
}

}  // namespace gktune
