#include <limits>
#include <vector>

#include "tuner/core/text.h"
#include "tuner/space/resolve/parts.h"

namespace gktune {
namespace {

// CUDA's limits for textures: texels in one dimension; width, height and bytes of a row in two.
constexpr std::int64_t kMostTexels = std::int64_t{1} << 28;
constexpr std::int64_t kMostTextureWidth = 131'072, kMostTextureHeight = 65'000,
                       kMostTexturePitch = 2'097'120;
constexpr std::int64_t kTexturePitchAlignment = 32;

__extension__ using Wide = __int128;

std::vector<std::int64_t> extents(const std::vector<Expression>& expressions, const std::string& where,
                                  std::int64_t most, Evaluator& evaluator) {
  std::vector<std::int64_t> all;
  for (const Expression& each : expressions) {
    all.push_back(evaluator.integer(each, where));
    if (evaluator.failure() || (all.back() >= 1 && all.back() <= most)) continue;
    evaluator.fail(where, each, std::to_string(all.back()) + " is not between 1 and " + std::to_string(most));
  }
  return all;
}

// Fails if the view reaches elements behind its buffer.
void check_end(const ViewedBuffer& buffer, Wide elements, const std::string& where, Evaluator& evaluator) {
  if (elements > static_cast<Wide>(buffer.count))
    evaluator.fail(where + "it goes beyond the buffer's " + std::to_string(buffer.count) + " elements");
}

}  // namespace

TensorMapPlan resolve_tensor_map(const TensorMap& map, const ViewedBuffer& buffer, const std::string& where,
                                 Evaluator& evaluator) {
  if (is_complex(buffer.type)) evaluator.fail(where + "it cannot have complex elements");
  TensorMapPlan made;
  made.argument = buffer.argument;
  made.type = buffer.type;
  made.sizes = extents(map.sizes, where + "sizes", std::int64_t{1} << 32, evaluator);
  made.box = extents(map.box, where + "box", 256, evaluator);
  const auto size = static_cast<std::int64_t>(element_size(made.type));
  std::vector<std::int64_t> strides =
      extents(map.strides, where + "strides", std::int64_t{1} << 40, evaluator);
  if (map.swizzle) made.swizzle_bytes = evaluator.integer(*map.swizzle, where + "swizzle");
  if (evaluator.failure()) return made;
  for (std::size_t i = 0; map.strides.empty() && i + 1 < made.sizes.size(); ++i) {
    std::int64_t stride = 0;
    if (__builtin_mul_overflow(i == 0 ? std::int64_t{1} : strides.back(), made.sizes[i], &stride))
      stride = std::numeric_limits<std::int64_t>::max() / size;
    strides.push_back(stride);
  }
  Wide elements = made.sizes[0];
  for (std::size_t i = 0; i < strides.size(); ++i) {
    elements += Wide{strides[i]} * (made.sizes[i + 1] - 1);
    if (strides[i] * size % 16 != 0 || strides[i] > (std::int64_t{1} << 40) / size) {
      evaluator.fail(where + "a stride of " + std::to_string(strides[i] * size) +
                     " bytes: it is a multiple of 16 below 2^40");
    }
    made.stride_bytes.push_back(strides[i] * size);
  }
  check_end(buffer, elements, where, evaluator);
  const std::int64_t row = made.box[0] * size;
  if (row % 16 != 0)
    evaluator.fail(where + "a row of the box has " + std::to_string(row) + " bytes: it is a multiple of 16");
  if (made.swizzle_bytes != 0 && made.swizzle_bytes != 32 && made.swizzle_bytes != 64 &&
      made.swizzle_bytes != 128) {
    evaluator.fail(where + "swizzle " + std::to_string(made.swizzle_bytes) +
                   ": it is 0, 32, 64 or 128 bytes");
  } else if (made.swizzle_bytes > 0 && row > made.swizzle_bytes) {
    evaluator.fail(where + "a row of the box has " + std::to_string(row) +
                   " bytes, more than the swizzle of " + std::to_string(made.swizzle_bytes));
  }
  return made;
}

TexturePlan resolve_texture(const Texture& texture, const ViewedBuffer& buffer, const std::string& where,
                            Evaluator& evaluator) {
  TexturePlan made;
  made.argument = buffer.argument;
  made.type = buffer.type;
  const bool is_2d = texture.sizes.size() == 2;
  const auto sizes =
      extents(texture.sizes, where + "sizes", is_2d ? kMostTextureWidth : kMostTexels, evaluator);
  if (texture.channels) made.channels = evaluator.integer(*texture.channels, where + "channels");
  const auto choose = [&]<class E>(E& member, const Pattern& pattern, const std::string& key) {
    if (pattern.parts.empty()) return;
    const std::string chosen = evaluator.text(pattern, where + key);
    const auto known = enum_from_name<E>(chosen);
    if (!known)
      return evaluator.fail(where + key + ": '" + chosen + "' is none of " + joined(enum_names(member)));
    member = *known;
  };
  choose(made.address, texture.address, "address");
  choose(made.filter, texture.filter, "filter");
  if (texture.normalized) made.is_normalized = evaluator.truth(*texture.normalized, where + "normalized");
  if (texture.reads_fractions)
    made.reads_fractions = evaluator.truth(*texture.reads_fractions, where + "fractions");
  const auto size = static_cast<std::int64_t>(element_size(made.type));
  const bool is_small_float = made.type == ElementType::float16 || made.type == ElementType::float32;
  if (!is_small_float && (!is_integer_type(made.type) || size > 4))
    evaluator.fail(where + "elements are integers of up to 32 bits, float16 or float32, not " +
                   std::string(element_type_name(made.type)));
  if (made.channels != 1 && made.channels != 2 && made.channels != 4)
    evaluator.fail(where + "a texel has 1, 2 or 4 channels, not " + std::to_string(made.channels));
  if (evaluator.failure()) return made;
  made.width = sizes[0];
  const bool repeats =
      made.address == TexturePlan::Address::wrap || made.address == TexturePlan::Address::mirror;
  if (repeats && !made.is_normalized)
    evaluator.fail(where + "address wrap and mirror need normalized coordinates");
  if (made.reads_fractions && (is_small_float || size > 2))
    evaluator.fail(where + "fractions are for integers of 8 or 16 bits");
  if (made.filter == TexturePlan::Filter::linear && !is_small_float && !made.reads_fractions)
    evaluator.fail(where + "integers are not filtered unless they are read as fractions");
  std::int64_t last = made.width * made.channels;
  if (is_2d) {
    made.height = sizes[1];
    if (made.height > kMostTextureHeight)
      evaluator.fail(where + std::to_string(made.height) + " rows are more than " +
                     std::to_string(kMostTextureHeight));
    const std::int64_t pitch = texture.pitch ? evaluator.integer(*texture.pitch, where + "pitch") : last;
    if (pitch < last || pitch > kMostTexturePitch / size || pitch * size % kTexturePitchAlignment != 0) {
      evaluator.fail(where + "rows at a pitch of " + std::to_string(pitch) + " elements: a row has " +
                     std::to_string(last) + ", and the pitch in bytes is a multiple of " +
                     std::to_string(kTexturePitchAlignment) + " up to " + std::to_string(kMostTexturePitch));
    } else {
      made.pitch_bytes = pitch * size;
      last += (made.height - 1) * pitch;
    }
  }
  if (!evaluator.failure()) check_end(buffer, last, where, evaluator);
  return made;
}

}  // namespace gktune
