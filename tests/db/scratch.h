#pragma once

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "db/identity.h"

namespace gktune {

// A folder of the test's own, gone with it.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gktune-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Root may write everywhere: as long as this lives, the process is somebody else.
class Unprivileged {
 public:
  Unprivileged() : user_(geteuid()) {
    if (user_ == 0) is_changed_ = seteuid(65534) == 0;
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;
  ~Unprivileged() {
    if (is_changed_ && seteuid(user_) != 0) abort();
  }

 private:
  uid_t user_;
  bool is_changed_ = false;
};

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline const DeviceIdentity kH200{"cuda", "NVIDIA H200", "sm_90", 132};
inline const DeviceIdentity kH100{"cuda", "NVIDIA H100", "sm_90", 114};
inline const DeviceIdentity kCpu{"host", "CPU: AMD EPYC 9654", "x86-64", 2};

inline Study reduce_study(std::int64_t n = 1048576, const DeviceIdentity& device = kH200) {
  return {"reduce", "f1", device, {{"n", n}, {"T", "float"}}, Regime::cold, "time"};
}

// A trial that went well.
inline Trial ok_trial(Config config, double time_us, std::int64_t ended_ms = 1000) {
  Trial trial;
  trial.config = std::move(config);
  trial.samples_us = {time_us, time_us + 1, time_us - 1};
  trial.timing = {time_us, time_us - 1, time_us + 1, time_us - 1, time_us, 0.8};
  trial.objective = time_us;
  trial.ended_unix_ms = ended_ms;
  return trial;
}

inline Trial failed_trial(Config config, Status status, std::int64_t ended_ms = 1000) {
  Trial trial;
  trial.config = std::move(config);
  trial.status = status;
  trial.message = "it did not go well";
  trial.ended_unix_ms = ended_ms;
  return trial;
}

}  // namespace gktune
