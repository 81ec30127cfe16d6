#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "db/identity.h"
#include "tuner/core/result.h"

namespace gktune {

// The winner of a study.
struct Winner {
  Study study;
  Config config;
  double time_us = 0;
};

// The winners of a database by kernel. Each kernel has its versions (fingerprints), and each version its
// winners, the latest first.
using KernelWinners = std::vector<std::vector<Winner>>;
using Winners = std::map<std::string, KernelWinners, std::less<>>;

// Opens the file, reads the winners and closes the file.
Result<Winners> read_winners(const std::filesystem::path& path);

}  // namespace gktune
