#include "tuner/device/cuda/device_kernels.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tuner/core/embedded_file.h"
#include "tuner/device/cuda/compile/module_file.h"
#include "tuner/device/worker/compile_cache.h"
#include "tuner/measure/comparison.h"
#include "tuner/measure/contents.h"
#include "tuner/measure/element.h"
#include "tuner/space/fingerprint.h"

// The kernels as nvcc compiled them, if the build found nvcc (see CMakeLists.txt).
#ifdef GKTUNE_DEVICE_KERNELS
// The driver wants the code aligned.
asm(".pushsection .rodata\n"
    ".balign 16\n"
    ".globl gktune_built_device_kernels, gktune_built_device_kernels_end\n"
    ".hidden gktune_built_device_kernels, gktune_built_device_kernels_end\n"
    "gktune_built_device_kernels: .incbin \"" GKTUNE_DEVICE_KERNELS
    "\"\n"
    "gktune_built_device_kernels_end:\n"
    ".popsection\n");
extern "C" const char gktune_built_device_kernels[], gktune_built_device_kernels_end[];
#endif

namespace gktune {

// Matches the kernels' declaration.
struct DeviceKernels::Mismatches {
  std::uint64_t mismatches = 0, nans = 0, first = ~std::uint64_t{0}, counted = 0;
  double differences = 0, squares = 0;
};

// The sources of the kernels that gktune itself runs on a GPU; they travel inside the library.
std::span<const EmbeddedFile> device_kernel_texts();

namespace {

constexpr std::uint64_t kThreads = 256;
constexpr std::uint64_t kBlocksPerMultiprocessor = 16;
constexpr std::size_t kComparedAtOnce = 64;

// The kernels use the same numbers.
static_assert(static_cast<int>(ElementType::int8) == 0 && static_cast<int>(ElementType::uint8) == 4 &&
              static_cast<int>(ElementType::float16) == 8 && static_cast<int>(ElementType::float64) == 11 &&
              static_cast<int>(ElementType::float8_e5m2) == 13);
static_assert(static_cast<int>(ContentsKind::zero) == 0 && static_cast<int>(ContentsKind::normal) == 4 &&
              static_cast<int>(ContentsKind::sorted) == kSorted &&
              static_cast<int>(ContentsKind::csr_columns) == kCsrColumns);

template <class... Arguments>
void launch(Gpu& gpu, CUfunction function, const LaunchShape& shape, Arguments... arguments) {
  std::array<void*, sizeof...(Arguments)> pointers{static_cast<void*>(&arguments)...};
  gpu.launch(function, shape, pointers.data());
}

// One element, copied to the host.
struct Element {
  std::array<std::byte, 16> bytes{};

  Element(Gpu& gpu, CUdeviceptr buffer, ElementType type, std::uint64_t index, double limit_s) {
    const std::size_t size = element_size(type);
    gpu.download(std::span(bytes).first(size), buffer + index * size);
    (void)gpu.wait(limit_s);
  }
};

bool sees_all(const TolerancePlan& tolerance) { return tolerance.has_norm || tolerance.is_selective(); }

NvrtcSource source_for(const std::string& architecture) {
  NvrtcSource source{"device_kernels.cu",
                     std::string(device_kernel_texts().front().text),
                     {},
                     {"--gpu-architecture=" + architecture, "--std=c++17", "--fmad=false"},
                     {}};
  for (const EmbeddedFile& header : shared_headers()) source.headers.emplace_back(header.path, header.text);
  return source;
}

// Covers everything the code is made from but the compiler's version: machine code of any version runs.
std::string key_of(const NvrtcSource& source) {
  std::string text = "device kernels 6\n" + source.text;
  for (const auto& [path, header] : source.headers) text += '\n' + path + '\n' + header;
  for (const std::string& option : source.options) text += '\n' + option;
  return content_key(text);
}

}  // namespace

std::string_view built_device_kernels() {
#ifdef GKTUNE_DEVICE_KERNELS
  return {gktune_built_device_kernels, gktune_built_device_kernels_end};
#else
  return {};
#endif
}

Result<std::string> compile_device_kernels(const Nvrtc& nvrtc, const std::string& architecture) {
  NvrtcOutput output = nvrtc.compile(source_for(architecture));
  if (!output.ok)
    return Error{"gktune's own kernels do not compile for " + architecture + ":\n" + output.log};
  return std::move(output.cubin);
}

namespace {

Result<std::string> cached_device_kernels(const ToolkitPlaces& places, const std::string& architecture,
                                          const std::string& cache_dir) {
  CompileCache cache(cache_dir);
  const std::string key = cache_dir.empty() ? std::string() : key_of(source_for(architecture));
  if (const auto known = key.empty() ? std::nullopt : cache.find(key); known && known->status == Status::ok) {
    if (auto module = read_module(known->module.path)) return std::move(module->cubin);
  }
  const auto nvrtc = GKTUNE_TRY(Nvrtc::open(places));
  auto cubin = compile_device_kernels(nvrtc, architecture);
  if (!cubin || key.empty()) return cubin;
  // If the cache cannot store the code, the next worker compiles it again.
  if (const auto path = cache.add_code(pack_module({*cubin, {}}))) {
    CompiledVariant variant;
    variant.module.path = *path;
    (void)cache.add(key, variant);
  }
  return cubin;
}

}  // namespace

Result<LoadedModule> load_device_kernels(Gpu& gpu, const ToolkitPlaces& places,
                                         const std::string& architecture, const std::string& cache_dir) {
  if (const std::string_view built = built_device_kernels(); !built.empty()) {
    if (auto loaded = gpu.try_load(built)) return *std::move(loaded);
  }
  const auto cubin = GKTUNE_TRY(cached_device_kernels(places, architecture, cache_dir));
  LoadedModule loaded = gpu.load(cubin);
  if (auto failure = gpu.take_failure()) return Error{failure->message};
  return loaded;
}

DeviceKernels::DeviceKernels(Gpu& gpu, LoadedModule code, int multiprocessors)
    : gpu_(gpu),
      most_blocks_(static_cast<std::uint64_t>(multiprocessors) * kBlocksPerMultiprocessor),
      multiprocessors_(multiprocessors),
      module_(std::move(code)),
      fill_(gpu.function(module_, "gktune_fill")),
      weigh_(gpu.function(module_, "gktune_weigh")),
      make_(gpu.function(module_, "gktune_make")),
      draw_(gpu.function(module_, "gktune_draw")),
      compare_(gpu.function(module_, "gktune_compare")),
      compare_complex_(gpu.function(module_, "gktune_compare_complex")),
      digest_(gpu.function(module_, "gktune_digest")),
      flip_(gpu.function(module_, "gktune_flip")),
      sweep_(gpu.function(module_, "gktune_sweep")),
      hold_(gpu.function(module_, "gktune_hold")),
      scrub_(gpu.function(module_, "gktune_scrub")),
      scratch_(gpu.allocate(kComparedAtOnce * sizeof(Mismatches))) {
  if (!gpu.ok()) return;
  int shared_bytes = 0;
  gpu.check(gpu.driver().cuDeviceGetAttribute(
                &shared_bytes, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, gpu.device()),
            "ask for the shared memory");
  shared_bytes_ = shared_bytes;
  gpu.check(
      gpu.driver().cuFuncSetAttribute(scrub_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared_bytes),
      "ask for shared memory");
  void* shared = nullptr;
  gpu.check(gpu.driver().cuMemHostAlloc(&shared, sizeof(int), CU_MEMHOSTALLOC_DEVICEMAP),
            "allocate shared memory");
  shared_ = {shared, gpu.driver().cuMemFreeHost};
  if (!gpu.ok()) return;
  *static_cast<int*>(shared) = 0;
  gpu.check(gpu.driver().cuMemHostGetDevicePointer(&released_on_gpu_, shared, 0), "share memory");
}

LaunchShape DeviceKernels::spread(std::uint64_t pieces) const {
  LaunchShape shape;
  shape.grid[0] = static_cast<std::int64_t>(
      std::clamp<std::uint64_t>((pieces + kThreads - 1) / kThreads, 1, most_blocks_));
  shape.block[0] = std::int64_t{kThreads};
  return shape;
}

// Tables in the GPU's memory.
class DeviceKernels::Tables final : public StructureTables {
 public:
  explicit Tables(DeviceKernels& kernels) : kernels_(kernels), gpu_(kernels.gpu_) {}

  std::vector<double> block_weights(const Structure& structure, std::uint64_t blocks) override {
    std::vector<double> weights(blocks);
    const DeviceMemory memory = gpu_.allocate(blocks * sizeof(double));
    launch(gpu_, kernels_.weigh_, kernels_.spread(blocks), memory.get(), blocks, structure);
    gpu_.download(std::as_writable_bytes(std::span(weights)), memory.get());
    (void)gpu_.wait(kOwnLimitS);
    return weights;
  }
  const void* make(const Structure& structure, ElementType type, std::uint64_t count) override {
    const CUdeviceptr table = tables_.emplace_back(gpu_.allocate(count * element_size(type))).get();
    kernels_.make(table, type, count, structure);
    return reinterpret_cast<const void*>(table);
  }
  const void* keep(std::span<const std::byte> bytes) override {
    const CUdeviceptr table = tables_.emplace_back(gpu_.allocate(bytes.size())).get();
    gpu_.upload(table, bytes);
    (void)gpu_.wait(kOwnLimitS);  // the bytes are the caller's
    return reinterpret_cast<const void*>(table);
  }
  // The memory is in use until then.
  void wait() {
    if (!tables_.empty()) (void)gpu_.wait(kOwnLimitS);
  }

 private:
  DeviceKernels& kernels_;
  Gpu& gpu_;
  std::vector<DeviceMemory> tables_;
};

void DeviceKernels::make(CUdeviceptr to, ElementType type, std::uint64_t count, const Structure& structure) {
  const std::uint64_t piece = structure.sums_before != nullptr ? kStructureBlock : 1;
  launch(gpu_, make_, spread(count / piece + 1), to, count, static_cast<int>(type), structure);
}

void DeviceKernels::fill(CUdeviceptr to, ElementType type, std::uint64_t count, const ContentsPlan& plan) {
  if (is_structured(plan.kind)) {
    Tables tables(*this);
    make(to, type, count, prepared(plan, count, tables));
    return tables.wait();
  }
  if (plan.kind == ContentsKind::zero) return gpu_.fill(to, 0, count * element_size(type));
  if (is_complex(type)) return fill(to, part_type(type), 2 * count, plan);
  launch(gpu_, fill_, spread(count), to, static_cast<unsigned long long>(count), static_cast<int>(type),
         static_cast<int>(plan.kind), plan.a, plan.b, plan.a_integer, plan.b_integer, plan.seed);
}

void DeviceKernels::draw(CUdeviceptr to, CUdeviceptr from, ElementType type, std::uint64_t count,
                         std::uint64_t seed) {
  const int size = static_cast<int>(element_size(type)), word_size = std::min(size, 8);
  launch(gpu_, draw_, spread(count), to, from, count, word_size, size / word_size, seed);
}

void DeviceKernels::flip(CUdeviceptr to, CUdeviceptr from, std::byte mask, std::size_t size) {
  launch(gpu_, flip_, spread(size / 16), to, from, std::to_integer<unsigned>(mask) * 0x01010101u,
         static_cast<std::uint64_t>(size));
}

std::uint64_t DeviceKernels::digest(CUdeviceptr buffer, std::size_t size, double limit_s) {
  std::uint64_t digest = 0;
  gpu_.fill(scratch_.get(), 0, sizeof digest);
  launch(gpu_, digest_, spread(size / 8), buffer, static_cast<std::uint64_t>(size), scratch_.get());
  gpu_.download(std::as_writable_bytes(std::span(&digest, 1)), scratch_.get());
  (void)gpu_.wait(limit_s);
  return digest;
}

std::vector<Verdict> DeviceKernels::compare(std::span<const MemoryPair> pairs, double limit_s) {
  std::vector<Verdict> verdicts;
  while (verdicts.size() < pairs.size()) {
    const auto some =
        pairs.subspan(verdicts.size(), std::min(kComparedAtOnce, pairs.size() - verdicts.size()));
    std::vector<Mismatches> found(some.size());
    const auto bytes = std::as_writable_bytes(std::span(found));
    gpu_.upload(scratch_.get(), bytes);
    for (std::size_t i = 0; i < some.size(); ++i) compare(some[i], scratch_.get() + i * sizeof(Mismatches));
    gpu_.download(bytes, scratch_.get());
    (void)gpu_.wait(limit_s);
    for (std::size_t i = 0; i < some.size(); ++i) verdicts.push_back(verdict_of(some[i], found[i], limit_s));
  }
  return verdicts;
}

void DeviceKernels::compare(const MemoryPair& pair, CUdeviceptr found) {
  const auto& [actual, expected, type, count, tolerance, mask] = pair;
  const Selection selection{tolerance.row, tolerance.pitch, reinterpret_cast<const unsigned char*>(mask)};
  if (is_complex(type)) {
    launch(gpu_, compare_complex_, spread(count), actual, expected, count, static_cast<int>(part_type(type)),
           bounds_of(tolerance), selection, static_cast<int>(tolerance.has_norm), found);
  } else {
    launch(gpu_, compare_, spread(count * element_size(type) / 16), actual, expected, count,
           static_cast<int>(type), bounds_of(tolerance), selection, static_cast<int>(sees_all(tolerance)),
           static_cast<int>(tolerance.has_norm), found);
  }
}

Verdict DeviceKernels::verdict_of(const MemoryPair& pair, const Mismatches& found, double limit_s) {
  const auto& [actual, expected, type, count, tolerance, mask] = pair;
  Verdict verdict;
  verdict.count = count;
  if (!gpu_.ok()) return verdict;
  if (sees_all(tolerance)) verdict.count = found.counted;
  if (tolerance.has_norm) {
    verdict.norm = relative_norm(found.differences, found.squares);
    verdict.norm_limit = tolerance.norm;
  }
  verdict.mismatches = found.mismatches;
  verdict.nans = found.nans;
  if (verdict.mismatches == 0) return verdict;
  verdict.first = found.first;
  const Element is(gpu_, actual, type, found.first, limit_s),
      should_be(gpu_, expected, type, found.first, limit_s);
  const Verdict of_first = judge(type, std::span(is.bytes).first(element_size(type)),
                                 std::span(should_be.bytes).first(element_size(type)), {});
  verdict.actual = element_text(type, is.bytes.data());
  verdict.expected = element_text(type, should_be.bytes.data());
  verdict.first_absolute = of_first.first_absolute;
  return verdict;
}

void DeviceKernels::sweep(CUdeviceptr buffer, std::size_t size) {
  launch(gpu_, sweep_, spread(size / 16 / 4), buffer, static_cast<std::uint64_t>(size / 16), scratch_.get());
}

void DeviceKernels::scrub() {
  LaunchShape shape;
  shape.grid[0] = multiprocessors_;  // one has no room for two
  shape.block[0] = std::int64_t{kThreads};
  shape.shared_bytes = shared_bytes_;
  launch(gpu_, scrub_, shape, static_cast<unsigned>(shared_bytes_ / 4), 0u);
}

void DeviceKernels::hold(double limit_s) {
  LaunchShape one;
  launch(gpu_, hold_, one, released_on_gpu_, ++turn_, static_cast<unsigned long long>(limit_s * 1e9));
}

void DeviceKernels::release() {
  if (shared_.get() != nullptr) *static_cast<volatile int*>(shared_.get()) = turn_;
}

}  // namespace gktune
