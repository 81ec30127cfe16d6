#pragma once

// Reads by texture objects: of a row by tex1Dfetch, of an image by tex2D.

#include "gktune/float16.h"
#include "gktune/math.h"
#include "gktune/thread.h"

using cudaTextureObject_t = unsigned long long;
using CUtexObject = unsigned long long;

namespace gktune::kernel {

// The components of float, float2, …
template <class T, class = void>
struct TexelParts {
  using Part = T;
};
template <class T>
struct TexelParts<T, decltype(static_cast<void>(T().x))> {
  using Part = decltype(T().x);
};

// Integers that are read as fractions end at 1, and at -1.
template <class Part, class Element>
Part part_of(const unsigned char* texel, long channel, bool reads_fractions) {
  const Element element = reinterpret_cast<const Element*>(texel)[channel];
  if (!reads_fractions) return static_cast<Part>(element);
  constexpr Element kOnes = static_cast<Element>(~Element());
  constexpr unsigned kGreatest = kOnes < Element() ? (1u << (8 * sizeof(Element) - 1)) - 1 : kOnes;
  return static_cast<Part>(fmaxf(static_cast<float>(element) / static_cast<float>(kGreatest), -1.0f));
}

template <class Part>
Part part_of(const Texture& texture, const unsigned char* texel, long channel) {
  const bool fractions = texture.reads_fractions;
  switch (texture.type) {
    case Texture::Type::int8:
      return part_of<Part, signed char>(texel, channel, fractions);
    case Texture::Type::int16:
      return part_of<Part, short>(texel, channel, fractions);
    case Texture::Type::int32:
      return part_of<Part, int>(texel, channel, false);
    case Texture::Type::uint8:
      return part_of<Part, unsigned char>(texel, channel, fractions);
    case Texture::Type::uint16:
      return part_of<Part, unsigned short>(texel, channel, fractions);
    case Texture::Type::uint32:
      return part_of<Part, unsigned>(texel, channel, false);
    case Texture::Type::float16:
      return static_cast<Part>(HalfFormat::widen(reinterpret_cast<const unsigned short*>(texel)[channel]));
    default:
      return static_cast<Part>(reinterpret_cast<const float*>(texel)[channel]);
  }
}

// 0 where there is none.
template <class T>
T texel_at(const Texture& texture, long x, long y) {
  using Part = typename TexelParts<T>::Part;
  constexpr long kParts = sizeof(T) / sizeof(Part);
  Part parts[kParts] = {};
  const bool is_inside = x >= 0 && x < texture.width && y >= 0 && y < (texture.height ? texture.height : 1);
  const unsigned char* texel = texture.data + y * texture.pitch_bytes + x * texture.texel_bytes;
  for (long i = 0; is_inside && i < kParts && i < texture.channels; ++i)
    parts[i] = part_of<Part>(texture, texel, i);
  T whole;
  __builtin_memcpy(&whole, parts, sizeof(T));
  return whole;
}

// The texel that stands for the one at `i`, which may be outside.
inline long texel_for(long i, long size, Texture::Address address) {
  if (address == Texture::Address::border) return i;
  if (address == Texture::Address::clamp) return i < 0 ? 0 : i < size ? i : size - 1;
  const long period = address == Texture::Address::mirror ? 2 * size : size;
  const long within = (i % period + period) % period;
  return within < size ? within : period - 1 - within;
}

// The texel below a coordinate.
inline long texel_below(float coordinate) {
  return static_cast<long>(fminf(fmaxf(floorf(coordinate), -0x1p30f), 0x1p30f));
}

// The mean of four texels. A GPU rounds weights to 8 bits too.
template <class T>
T filtered_at(const Texture& texture, float x, float y) {
  using Part = typename TexelParts<T>::Part;
  constexpr long kParts = sizeof(T) / sizeof(Part);
  const auto weight = [](float at) { return rintf((at - floorf(at)) * 256) / 256; };
  const float right = weight(x), lower = weight(y);
  Part sums[kParts] = {}, parts[kParts];
  for (int corner = 0; corner < 4; ++corner) {
    const int dx = corner % 2, dy = corner / 2;
    const long column = texel_for(texel_below(x) + dx, texture.width, texture.address);
    const T texel =
        texel_at<T>(texture, column, texel_for(texel_below(y) + dy, texture.height, texture.address));
    __builtin_memcpy(parts, &texel, sizeof(T));
    const float share = (dx ? right : 1 - right) * (dy ? lower : 1 - lower);
    for (long i = 0; i < kParts; ++i) sums[i] = static_cast<Part>(sums[i] + share * parts[i]);
  }
  T whole;
  __builtin_memcpy(&whole, sums, sizeof(T));
  return whole;
}

}  // namespace gktune::kernel

template <class T>
GKTUNE_ALWAYS_INLINE T tex1Dfetch(cudaTextureObject_t object, int x) {
  return ::gktune::kernel::texel_at<T>(*reinterpret_cast<const ::gktune::kernel::Texture*>(object), x, 0);
}
template <class T>
GKTUNE_ALWAYS_INLINE T tex2D(cudaTextureObject_t object, float x, float y) {
  const auto& texture = *reinterpret_cast<const ::gktune::kernel::Texture*>(object);
  if (texture.is_normalized) x *= static_cast<float>(texture.width), y *= static_cast<float>(texture.height);
  if (texture.is_filtered) return ::gktune::kernel::filtered_at<T>(texture, x - 0.5f, y - 0.5f);
  using ::gktune::kernel::texel_below, ::gktune::kernel::texel_for;
  return ::gktune::kernel::texel_at<T>(texture, texel_for(texel_below(x), texture.width, texture.address),
                                       texel_for(texel_below(y), texture.height, texture.address));
}
