// Transposes a matrix with the configuration that gktune found to be the fastest on this GPU:
//   transpose [ROWS COLUMNS]
// The kernel (transpose.cu) and the database (transpose.db) lie beside the program. The kernel is compiled
// when the program starts, so that a new database needs no new build.
#include <cuda.h>
#include <cuda_runtime.h>
#include <gktune/lookup.h>
#include <nvrtc.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

void check(CUresult error) {
  const char* text = nullptr;
  if (error != CUDA_SUCCESS && cuGetErrorString(error, &text) != CUDA_SUCCESS) text = "unknown CUDA error";
  if (error != CUDA_SUCCESS) throw std::runtime_error(text);
}

void check(nvrtcResult error) {
  if (error != NVRTC_SUCCESS) throw std::runtime_error(nvrtcGetErrorString(error));
}

// Floats on the GPU.
class Buffer {
 public:
  explicit Buffer(std::size_t count) { check(cudaMalloc(&data_, count * sizeof(float))); }
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  float*& data() { return data_; }

 private:
  float* data_ = nullptr;
};

// 1. Ask: which configuration is the fastest for this problem on this GPU?
gktune::Answer ask(const fs::path& database, const cudaDeviceProp& gpu, int rows, int columns) {
  auto lookup = gktune::Lookup::open(database);
  if (!lookup) throw std::runtime_error(lookup.error().message);
  const auto device = gktune::cuda_device(gpu.name, gpu.major, gpu.minor, gpu.multiProcessorCount);
  // The fallback answers where the database has nothing for this GPU.
  const gktune::Config fallback = {{"TILE", 16}, {"ROWS", 16}, {"PAD", 1}};
  return lookup->best("transpose", {{"rows", rows}, {"columns", columns}}, device, fallback);
}

// 2. Pick: compile the kernel with this configuration's values as macros, as gktune did.
class Kernel {
 public:
  Kernel(const fs::path& source, const gktune::Config& config, const cudaDeviceProp& gpu) {
    std::ifstream file(source);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (text.empty()) throw std::runtime_error("cannot read " + source.string());

    std::vector<std::string> options = {"-arch=sm_" + std::to_string(gpu.major * 10 + gpu.minor),
                                        "-std=c++17"};
    for (const auto& [name, value] : config) options.push_back("-D" + name + '=' + value.str());
    std::vector<const char*> pointers;
    for (const std::string& option : options) pointers.push_back(option.c_str());

    nvrtcProgram program = nullptr;
    check(nvrtcCreateProgram(&program, text.c_str(), source.filename().c_str(), 0, nullptr, nullptr));
    check(nvrtcAddNameExpression(program, "transpose"));
    if (nvrtcCompileProgram(program, static_cast<int>(pointers.size()), pointers.data()) != NVRTC_SUCCESS) {
      std::size_t size = 0;
      check(nvrtcGetProgramLogSize(program, &size));
      std::string log(size, '\0');
      check(nvrtcGetProgramLog(program, log.data()));
      throw std::runtime_error(log);
    }
    std::size_t size = 0;
    check(nvrtcGetCUBINSize(program, &size));
    std::vector<char> code(size);
    check(nvrtcGetCUBIN(program, code.data()));
    const char* name = nullptr;
    check(nvrtcGetLoweredName(program, "transpose", &name));
    check(cuModuleLoadData(&module_, code.data()));
    check(cuModuleGetFunction(&function_, module_, name));
    check(nvrtcDestroyProgram(&program));
  }
  ~Kernel() { cuModuleUnload(module_); }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  // 3. Launch, with the grid and block of transpose.yaml.
  void launch(float*& in, float*& out, int rows, int columns, int tile, int thread_rows) const {
    void* arguments[] = {&in, &out, &rows, &columns};
    const auto blocks = [&](int size) { return static_cast<unsigned>((size + tile - 1) / tile); };
    check(cuLaunchKernel(function_, blocks(columns), blocks(rows), 1, static_cast<unsigned>(tile),
                         static_cast<unsigned>(thread_rows), 1, 0, nullptr, arguments, nullptr));
  }

 private:
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
};

int parse_size(std::string_view text) {
  int size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || end != text.data() + text.size() || size < 1) {
    throw std::runtime_error("expected a size, not " + std::string(text));
  }
  return size;
}

void run(int rows, int columns) {
  cudaDeviceProp gpu{};
  check(cudaGetDeviceProperties(&gpu, 0));
  check(cudaSetDevice(0));

  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  const gktune::Answer answer = ask(folder / "transpose.db", gpu, rows, columns);
  std::printf("%s: %s (%s)\n", gpu.name, answer.config.str().c_str(),
              std::string(gktune::match_name(answer.match)).c_str());
  const Kernel kernel(folder / "transpose.cu", answer.config, gpu);

  const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  std::vector<float> in(count), out(count);
  std::iota(in.begin(), in.end(), 0.0f);
  Buffer device_in(count), device_out(count);
  check(cudaMemcpy(device_in.data(), in.data(), count * sizeof(float), cudaMemcpyHostToDevice));
  kernel.launch(device_in.data(), device_out.data(), rows, columns, static_cast<int>(answer.integer("TILE")),
                static_cast<int>(answer.integer("ROWS")));
  check(cudaMemcpy(out.data(), device_out.data(), count * sizeof(float), cudaMemcpyDeviceToHost));

  const auto at = [](int row, int width, int column) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(width) + static_cast<std::size_t>(column);
  };
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      if (out[at(column, rows, row)] != in[at(row, columns, column)])
        throw std::runtime_error("wrong result");
    }
  }
  std::printf("transposed %d x %d\n", rows, columns);
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 1 && count != 3) {
    std::fprintf(stderr, "usage: transpose [ROWS COLUMNS]\n");
    return 2;
  }
  run(count == 3 ? parse_size(arguments[1]) : 4096, count == 3 ? parse_size(arguments[2]) : 4096);
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
