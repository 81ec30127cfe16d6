#pragma once

#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace gktune {

// The lines "given → expected" of a file of tests/space.
inline std::vector<std::pair<std::string, std::string>> listed_cases(const std::string& file) {
  const std::string arrow = " → ";
  std::ifstream list(GKTUNE_SOURCE_DIR "/tests/space/" + file);
  std::vector<std::pair<std::string, std::string>> cases;
  for (std::string line; std::getline(list, line);) {
    const std::size_t at = line.find(arrow);
    if (at != line.npos) cases.emplace_back(line.substr(0, at), line.substr(at + arrow.size()));
  }
  return cases;
}

}  // namespace gktune
