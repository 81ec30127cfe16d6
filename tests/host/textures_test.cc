// Reads of textures: where there is no texel, between texels, and of each type.
#include <gtest/gtest.h>

#include <vector>

#include "tests/host/kernels.h"

namespace gktune {
namespace {

using kernel::Texture;

constexpr const char* kTextureReads = R"(
__global__ void reads(cudaTextureObject_t image, const float* x, const float* y, float* out) {
  out[threadIdx.x] = tex2D<float>(image, x[threadIdx.x], y[threadIdx.x]);
}
__global__ void fetches(cudaTextureObject_t row, int first, float4* out) {
  out[threadIdx.x] = tex1Dfetch<float4>(row, first + static_cast<int>(threadIdx.x));
}
__global__ void whole(cudaTextureObject_t row, uint2* out) { out[threadIdx.x] = tex1Dfetch<uint2>(row, threadIdx.x); }
)";

class Textures : public WithEachCompiler {
 protected:
  static const unsigned char* bytes(const void* data) { return static_cast<const unsigned char*>(data); }

  // Reads the image 0 1 2 3 / 10 11 12 13 by tex2D.
  std::vector<float> reads(Texture::Address address, bool is_filtered, bool is_normalized,
                           std::vector<float> x, std::vector<float> y) {
    const std::vector<float> pixels = {0, 1, 2, 3, -1, -1, 10, 11, 12, 13};
    const Texture image{bytes(pixels.data()), Texture::Type::float32, 1,    4, 4, 2, 24, address,
                        is_filtered,          is_normalized,          false};
    std::vector<float> out(x.size());
    kernels_.run(0, shape(1, static_cast<std::int64_t>(x.size())), &image, x.data(), y.data(), out.data());
    return out;
  }
  // Reads a row of two channels by tex1Dfetch.
  template <class T>
  std::vector<float> fetches(Texture::Type type, bool reads_fractions, const std::vector<T>& row, int first,
                             std::size_t count) {
    const Texture texture{
        bytes(row.data()),       type,  2,     2 * sizeof(T),  static_cast<long>(row.size() / 2), 0, 0,
        Texture::Address::clamp, false, false, reads_fractions};
    std::vector<float> out(4 * count);
    kernels_.run(1, shape(1, static_cast<std::int64_t>(count)), &texture, first, out.data());
    return out;
  }

  Kernels kernels_{GetParam(), kernel_source(kTextureReads, {"reads", "fetches", "whole"})};
};

using Floats = std::vector<float>;
using Address = Texture::Address;

TEST_P(Textures, are_read_at_the_texel_around_a_point) {
  EXPECT_EQ(reads(Address::clamp, false, false, {0, 1.9f, 3.5f, 2}, {0.5f, 1, 1.9f, 0.9f}),
            (Floats{0, 11, 13, 2}));
  EXPECT_EQ(reads(Address::clamp, false, true, {0, 0.49f, 0.75f}, {0.2f, 0.6f, 0.5f}), (Floats{0, 11, 13}));
}

TEST_P(Textures, continue_outside_of_the_image_by_their_address_mode) {
  EXPECT_EQ(reads(Address::clamp, false, false, {-7, 9, 1}, {0, 5, -1e30f}), (Floats{0, 13, 1}));
  EXPECT_EQ(reads(Address::border, false, false, {-1, 3, 4, 1}, {0, 0, 0, 2}), (Floats{0, 3, 0, 0}));
  EXPECT_EQ(reads(Address::wrap, false, true, {1.1f, -0.1f, 2.6f}, {0, 1.6f, -1}), (Floats{0, 13, 2}));
  EXPECT_EQ(reads(Address::mirror, false, true, {1.1f, -0.3f, 2.1f}, {0, 1.4f, 0}), (Floats{3, 11, 0}));
}

TEST_P(Textures, are_filtered_between_the_centres_of_texels) {
  EXPECT_EQ(reads(Address::clamp, true, false, {0.5f, 1, 2.25f, 0, 9}, {0.5f, 0.5f, 1, 1, 9}),
            (Floats{0, 0.5f, 6.75f, 5, 13}));
  EXPECT_EQ(reads(Address::border, true, false, {0, 4}, {0.5f, 0.5f}), (Floats{0, 1.5f}));
  EXPECT_EQ(reads(Address::wrap, true, true, {0, 1}, {0.25f, 0.25f}), (Floats{1.5f, 1.5f}));
  EXPECT_EQ(reads(Address::mirror, true, true, {0, 1}, {0.25f, 0.25f}), (Floats{0, 3}));
  // Weights have eight bits.
  EXPECT_EQ(reads(Address::clamp, true, false, {0.5f + 0.3f}, {0.5f}), (Floats{77 / 256.0f}));
}

TEST_P(Textures, have_texels_of_each_type_and_none_outside_of_a_row) {
  using Type = Texture::Type;
  EXPECT_EQ(fetches(Type::float32, false, Floats{1, 2, 3, 4}, -1, 4),
            (Floats{0, 0, 0, 0, 1, 2, 0, 0, 3, 4, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(fetches(Type::float16, false, std::vector<unsigned short>{0x3c00, 0xc000}, 0, 1),
            (Floats{1, -2, 0, 0}));
  EXPECT_EQ(fetches(Type::int8, true, std::vector<signed char>{-128, 127}, 0, 1), (Floats{-1, 1, 0, 0}));
  EXPECT_EQ(fetches(Type::uint8, true, std::vector<unsigned char>{255, 51}, 0, 1), (Floats{1, 0.2f, 0, 0}));
  EXPECT_EQ(fetches(Type::int16, true, std::vector<short>{-32767, 0}, 0, 1), (Floats{-1, 0, 0, 0}));
  EXPECT_EQ(fetches(Type::uint16, true, std::vector<unsigned short>{65535, 0}, 0, 1), (Floats{1, 0, 0, 0}));
  EXPECT_EQ(fetches(Type::int32, false, std::vector<int>{-5, 7}, 0, 1), (Floats{-5, 7, 0, 0}));
}

TEST_P(Textures, keep_all_bits_of_integers) {
  const std::vector<unsigned> row = {0xffffffff, 0x80000001};
  const Texture texture{
      bytes(row.data()), Texture::Type::uint32, 2, 8, 1, 0, 0, Address::clamp, false, false, false};
  std::vector<unsigned> out(2);
  kernels_.run(2, shape(1, 1), &texture, out.data());
  EXPECT_EQ(out, row);
}

GKTUNE_WITH_EACH_COMPILER(Textures);

}  // namespace
}  // namespace gktune
