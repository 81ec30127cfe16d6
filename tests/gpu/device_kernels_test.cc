#include "tuner/device/cuda/device_kernels.h"

#include <gtest/gtest.h>

#include <random>

#include "tuner/array/npy.h"
#include "tuner/device/cuda/cuda_backend.h"
#include "tuner/measure/contents.h"
#include "tuner/measure/element.h"

namespace gktune {
namespace {

constexpr double kLimitS = 10;
constexpr ElementType kTypes[] = {
    ElementType::int8,        ElementType::int16,       ElementType::int32,     ElementType::int64,
    ElementType::uint8,       ElementType::uint16,      ElementType::uint32,    ElementType::uint64,
    ElementType::float16,     ElementType::bfloat16,    ElementType::float32,   ElementType::float64,
    ElementType::float8_e4m3, ElementType::float8_e5m2, ElementType::complex64, ElementType::complex128};

// Tests both versions: the built-in code, and the code that NVRTC compiles if the driver cannot use it.
enum class Code { built, compiled };

class DeviceKernelsTest : public testing::TestWithParam<Code> {
 protected:
  void SetUp() override {
    const auto driver = Driver::open();
    if (!driver) GTEST_SKIP() << driver.error().message;
    auto gpu = Gpu::open(*driver, 0);
    if (!gpu) GTEST_SKIP() << gpu.error().message;
    gpu_ = std::move(*gpu);
    const auto info = probe_gpu(gpu_->driver(), 0);
    LoadedModule code;
    if (GetParam() == Code::built) {
      if (built_device_kernels().empty()) GTEST_SKIP() << "gktune was built without nvcc";
      code = gpu_->load(built_device_kernels());
    } else {
      const auto nvrtc = Nvrtc::open({});
      const auto cubin = compile_device_kernels(*nvrtc, info->architecture);
      code = gpu_->load(*cubin);
    }
    ASSERT_TRUE(gpu_->ok());
    kernels_ =
        std::make_unique<DeviceKernels>(*gpu_, std::move(code), static_cast<int>(info->multiprocessors));
    ASSERT_TRUE(gpu_->ok());
  }
  DeviceMemory on_gpu(std::span<const std::byte> bytes) {
    DeviceMemory memory = gpu_->allocate(bytes.size());
    gpu_->upload(memory.get(), bytes);
    EXPECT_TRUE(gpu_->wait(kLimitS));
    return memory;
  }
  Verdict compare(const MemoryPair& pair) { return kernels_->compare({&pair, 1}, kLimitS).front(); }
  std::vector<std::byte> from_gpu(CUdeviceptr from, std::size_t size) {
    std::vector<std::byte> bytes(size);
    gpu_->download(bytes, from);
    EXPECT_TRUE(gpu_->wait(kLimitS));
    EXPECT_TRUE(gpu_->ok());
    return bytes;
  }

  std::unique_ptr<Gpu> gpu_;
  std::unique_ptr<DeviceKernels> kernels_;
};

INSTANTIATE_TEST_SUITE_P(Each, DeviceKernelsTest, testing::Values(Code::built, Code::compiled),
                         [](const auto& each) { return each.param == Code::built ? "built" : "compiled"; });

TEST_P(DeviceKernelsTest, make_the_same_contents_as_the_host_bit_for_bit) {
  constexpr std::size_t kCount = 100'003;
  const auto expect_same = [&](ElementType type, const ContentsPlan& plan) {
    std::vector<std::byte> expected(kCount * element_size(type));
    ASSERT_TRUE(fill_contents(type, plan, expected).ok());
    const DeviceMemory memory = gpu_->allocate(expected.size());
    kernels_->fill(memory.get(), type, kCount, plan);
    EXPECT_EQ(from_gpu(memory.get(), expected.size()), expected)
        << element_type_name(type) << " " << static_cast<int>(plan.kind) << " "
        << static_cast<int>(plan.sparse.lengths);
  };
  ContentsPlan plan;
  plan.a = -3.25;
  plan.b = 17.1;
  plan.a_integer = 3;
  plan.b_integer = 101;
  plan.seed = 42;
  plan.width = 1019;
  for (ElementType type : kTypes) {
    for (ContentsKind kind :
         {ContentsKind::zero, ContentsKind::constant, ContentsKind::ramp, ContentsKind::uniform,
          ContentsKind::normal, ContentsKind::sorted, ContentsKind::field}) {
      if (kind == ContentsKind::constant && is_complex(type)) continue;  // made on the host
      if (kind >= ContentsKind::sorted && is_complex(type)) continue;    // no space file has them
      plan.kind = kind;
      expect_same(type, plan);
    }
  }
  plan.b = 1.1;
  plan.a_integer = 5000;
  for (ElementType type : {ElementType::int32, ElementType::uint64}) {
    for (ContentsKind kind : {ContentsKind::permutation, ContentsKind::zipf}) {
      plan.kind = kind;
      expect_same(type, plan);
    }
    for (const RowLengths lengths : {RowLengths::even, RowLengths::uniform, RowLengths::zipf}) {
      for (const std::int64_t columns : {200, 1'000'000}) {  // rows that are too long, and none
        plan.kind = ContentsKind::csr_offsets;
        plan.sparse = {kCount - 1, columns, 700'000, lengths, 1.2, 9};
        expect_same(type, plan);
        plan.kind = ContentsKind::csr_columns;
        plan.sparse = {5000, columns, kCount, lengths, 1.2, 9};
        expect_same(type, plan);
      }
    }
  }
}

TEST_P(DeviceKernelsTest, draw_the_elements_of_a_file_as_the_host_does) {
  constexpr std::size_t kCount = 10'007;
  const std::string path = testing::TempDir() + "drawn.npy";
  for (ElementType type :
       {ElementType::uint8, ElementType::float16, ElementType::float32, ElementType::complex128}) {
    std::vector<std::byte> original(kCount * element_size(type)), expected(original.size());
    for (std::size_t i = 0; i < original.size(); ++i) original[i] = static_cast<std::byte>(mixed_bits(i));
    ASSERT_TRUE(write_npy(path, type, original).ok());
    ContentsPlan plan;
    plan.kind = ContentsKind::file;
    plan.file = path;
    plan.seed = 42;
    ASSERT_TRUE(fill_contents(type, plan, expected).ok());
    const DeviceMemory from = on_gpu(original), to = gpu_->allocate(original.size());
    kernels_->draw(to.get(), from.get(), type, kCount, plan.seed);
    EXPECT_EQ(from_gpu(to.get(), expected.size()), expected) << element_type_name(type);
  }
}

TEST_P(DeviceKernelsTest, judge_outputs_as_the_host_does) {
  constexpr std::size_t kCount = 65'537;
  std::mt19937_64 random(5);
  for (ElementType type : kTypes) {
    const std::size_t size = element_size(type);
    ContentsPlan plan;
    plan.kind = ContentsKind::uniform;
    plan.a = -2;
    plan.b = 2;
    plan.a_integer = 0;
    plan.b_integer = 120;
    std::vector<std::byte> expected(kCount * size);
    ASSERT_TRUE(fill_contents(type, plan, expected).ok());
    std::vector<std::byte> actual = expected;
    for (int i = 0; i < 300; ++i) {
      const ElementType part = part_type(type);
      std::byte* const at =
          actual.data() + random() % (kCount * size / element_size(part)) * element_size(part);
      std::uint64_t bits = load_bits(part, at);
      bits = i % 3 == 0 ? random() : bits + random() % 5 - 2;  // anything, NaN among it, or next to it
      store_bits(part, at, bits);
    }
    TolerancePlan nan_equals, rows, norm;
    nan_equals.nan_equals = true;
    rows.row = 5;
    rows.pitch = 7;
    norm.has_norm = true;
    norm.norm = 1e-3;
    for (const TolerancePlan& tolerance :
         {TolerancePlan{}, TolerancePlan{1e-2, 0, 0}, TolerancePlan{0, 1e-3, 0}, TolerancePlan{0, 0, 1},
          nan_equals, rows, norm}) {
      const Verdict host = judge(type, actual, expected, tolerance);
      const DeviceMemory a = on_gpu(actual), e = on_gpu(expected);
      const Verdict gpu = compare({a.get(), e.get(), type, kCount, tolerance});
      EXPECT_EQ(gpu.count, host.count);
      EXPECT_EQ(gpu.mismatches, host.mismatches) << element_type_name(type);
      EXPECT_EQ(gpu.nans, host.nans) << element_type_name(type);
      EXPECT_EQ(gpu.passed(), host.passed()) << element_type_name(type);
      if (host.mismatches > 0) {
        EXPECT_EQ(gpu.message("out"), host.message("out")) << element_type_name(type);
      }
    }
  }
}

TEST_P(DeviceKernelsTest, give_each_of_many_pairs_its_own_verdict) {
  const std::vector<int> expected(200, 1);
  const DeviceMemory e = on_gpu(std::as_bytes(std::span(expected)));
  std::vector<DeviceMemory> actual;
  std::vector<MemoryPair> pairs;
  for (std::size_t i = 0; i < 150; ++i) {
    std::vector<int> ints = expected;
    std::fill_n(ints.begin() + 7, i, 2);
    actual.push_back(on_gpu(std::as_bytes(std::span(ints))));
    pairs.push_back({actual.back().get(), e.get(), ElementType::int32, ints.size(), {}});
  }
  const std::vector<Verdict> verdicts = kernels_->compare(pairs, kLimitS);
  ASSERT_EQ(verdicts.size(), 150u);
  EXPECT_TRUE(verdicts[0].passed());
  for (std::size_t i = 1; i < 150; ++i) {
    EXPECT_EQ(verdicts[i].mismatches, i);
    EXPECT_EQ(verdicts[i].first, 7u);
  }
}

TEST_P(DeviceKernelsTest, ignore_masked_elements) {
  std::vector<float> actual(1000, 1.0f), expected = actual;
  std::vector<unsigned char> mask(1000, 1);
  for (std::size_t i = 0; i < 1000; i += 10) {
    actual[i] = 2;
    mask[i] = 0;
  }
  const DeviceMemory a = on_gpu(std::as_bytes(std::span(actual))),
                     e = on_gpu(std::as_bytes(std::span(expected))),
                     m = on_gpu(std::as_bytes(std::span(mask)));
  TolerancePlan masked;
  masked.mask = 0;
  const Verdict verdict = compare({a.get(), e.get(), ElementType::float32, 1000, masked, m.get()});
  EXPECT_TRUE(verdict.passed());
  EXPECT_EQ(verdict.count, 900u);
}

TEST_P(DeviceKernelsTest, weigh_all_differences_by_their_norm) {
  std::vector<float> actual{30, 40, 10}, expected{30, 40, 0};
  const DeviceMemory a = on_gpu(std::as_bytes(std::span(actual))),
                     e = on_gpu(std::as_bytes(std::span(expected)));
  TolerancePlan norm;
  norm.has_norm = true;
  norm.norm = 0.1;
  const Verdict verdict = compare({a.get(), e.get(), ElementType::float32, 3, norm});
  EXPECT_FALSE(verdict.passed());
  EXPECT_DOUBLE_EQ(verdict.norm, 0.2);
}

TEST_P(DeviceKernelsTest, never_pass_nan) {
  const std::vector<float> nans(1000, std::numeric_limits<float>::quiet_NaN());
  const DeviceMemory a = on_gpu(std::as_bytes(std::span(nans)));
  const Verdict verdict = compare({a.get(), a.get(), ElementType::float32, nans.size(), {1e9, 1e9, 1 << 30}});
  EXPECT_EQ(verdict.mismatches, 1000u);
  EXPECT_EQ(verdict.nans, 1000u);
}

TEST_P(DeviceKernelsTest, find_any_change_by_a_digest) {
  std::vector<std::byte> bytes(10'001, std::byte{3});
  const DeviceMemory before = on_gpu(bytes);
  const auto digest = kernels_->digest(before.get(), bytes.size(), kLimitS);
  EXPECT_EQ(kernels_->digest(before.get(), bytes.size(), kLimitS), digest);
  for (std::size_t at : {std::size_t{0}, std::size_t{5000}, std::size_t{9999}, std::size_t{10'000}}) {
    auto changed = bytes;
    changed[at] = std::byte{2};
    const DeviceMemory after = on_gpu(changed);
    EXPECT_NE(kernels_->digest(after.get(), bytes.size(), kLimitS), digest) << at;
  }
  auto swapped = bytes;
  swapped[0] = std::byte{4};
  swapped[8] = std::byte{5};
  const DeviceMemory one = on_gpu(swapped);
  std::swap(swapped[0], swapped[8]);
  const DeviceMemory other = on_gpu(swapped);
  EXPECT_NE(kernels_->digest(one.get(), bytes.size(), kLimitS),
            kernels_->digest(other.get(), bytes.size(), kLimitS));
}

TEST_P(DeviceKernelsTest, flip_bits_of_every_element) {
  constexpr std::size_t kCount = 1003;
  for (ElementType type : kTypes) {
    const std::vector<std::byte> expected(kCount * element_size(type), std::byte{0});
    const DeviceMemory e = on_gpu(expected), a = on_gpu(expected);
    kernels_->flip(a.get(), e.get(), std::byte{0xff}, expected.size());
    const Verdict verdict = compare({a.get(), e.get(), type, kCount, {}});
    EXPECT_EQ(verdict.mismatches, kCount) << element_type_name(type);
  }
}

TEST_P(DeviceKernelsTest, hold_the_stream_until_it_is_released) {
  const Event start = gpu_->event(), end = gpu_->event();
  gpu_->record(start);
  kernels_->hold(2);
  gpu_->record(end);
  EXPECT_FALSE(gpu_->wait(0.02));
  kernels_->release();
  EXPECT_TRUE(gpu_->wait(1));
  EXPECT_GT(gpu_->elapsed_us(start, end), 15'000);
  EXPECT_TRUE(gpu_->ok());
}

}  // namespace
}  // namespace gktune
