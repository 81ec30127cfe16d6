#include "tuner/device/host/compile/toolkit_places.h"

#include <algorithm>
#include <filesystem>

namespace gktune {
namespace {

namespace fs = std::filesystem;

// /usr/local/cuda, then each /usr/local/cuda-VERSION, the newest first.
std::vector<fs::path> toolkit_homes(const ToolkitPlaces& places) {
  if (!places.home.empty()) return {places.home};
  std::vector<fs::path> versioned;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/usr/local", error)) {
    if (entry.path().filename().string().starts_with("cuda-")) versioned.push_back(entry.path());
  }
  std::ranges::sort(versioned, std::greater<>());
  std::vector<fs::path> homes{"/usr/local/cuda"};
  homes.insert(homes.end(), versioned.begin(), versioned.end());
  homes.emplace_back("/opt/cuda");
  return homes;
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

void add_if_new(std::vector<std::string>& all, const fs::path& path) {
  if (is_there(path) && std::ranges::find(all, path.string()) == all.end()) all.push_back(path.string());
}

}  // namespace

std::vector<std::string> toolkit_library_dirs(const ToolkitPlaces& places) {
  std::vector<std::string> all;
  for (const auto& home : toolkit_homes(places)) {
    for (const char* inner : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"}) {
      add_if_new(all, home / inner);
    }
  }
  return all;
}

std::vector<std::string> toolkit_include_dirs(const ToolkitPlaces& places, const std::string& nvrtc_path) {
  std::vector<fs::path> candidates;
  auto add_home = [&](const fs::path& home) {
    for (const char* inner : {"include", "targets/x86_64-linux/include", "targets/sbsa-linux/include"}) {
      candidates.push_back(home / inner);
    }
  };
  if (!places.home.empty()) add_home(places.home);
  std::error_code ignored;
  const fs::path library = fs::weakly_canonical(nvrtc_path, ignored);
  if (library.is_absolute()) {  // HOME/lib64/libnvrtc.so, HOME/targets/…/lib/libnvrtc.so
    add_home(library.parent_path().parent_path());
  }
  for (const auto& home : toolkit_homes({})) add_home(home);
  candidates.emplace_back("/usr/include");  // where distributions' packages put it
  for (const auto& candidate : candidates) {
    if (!is_there(candidate / "cuda_fp16.h")) continue;
    std::vector<std::string> dirs{candidate.string()};
    add_if_new(dirs, candidate / "cccl");  // since CUDA 13 CUB lies deeper
    return dirs;
  }
  return {};
}

Result<std::string> find_nvcc(const ToolkitPlaces& places) {
  std::vector<fs::path> candidates = toolkit_homes(places);
  if (places.home.empty()) candidates.emplace_back("/usr");  // where distributions' packages put it
  std::string searched;
  for (const fs::path& home : candidates) {
    const fs::path nvcc = home / "bin/nvcc";
    if (is_there(nvcc)) return nvcc.string();
    searched += (searched.empty() ? "" : ", ") + nvcc.string();
  }
  return Error{"host code needs nvcc, which was not found: looked for " + searched};
}

}  // namespace gktune
