#include <algorithm>
#include <utility>

#include "tuner/device/cuda/cuda_program.h"

namespace gktune {
namespace {

CUarray_format format_of(ElementType type) {
  constexpr std::pair<ElementType, CUarray_format> kFormats[] = {
      {ElementType::int8, CU_AD_FORMAT_SIGNED_INT8},      {ElementType::int16, CU_AD_FORMAT_SIGNED_INT16},
      {ElementType::int32, CU_AD_FORMAT_SIGNED_INT32},    {ElementType::uint8, CU_AD_FORMAT_UNSIGNED_INT8},
      {ElementType::uint16, CU_AD_FORMAT_UNSIGNED_INT16}, {ElementType::uint32, CU_AD_FORMAT_UNSIGNED_INT32},
      {ElementType::float16, CU_AD_FORMAT_HALF}};
  for (const auto& [known, format] : kFormats) {
    if (known == type) return format;
  }
  return CU_AD_FORMAT_FLOAT;
}

CUaddress_mode address_mode_of(TexturePlan::Address address) {
  using Address = TexturePlan::Address;
  return address == Address::border   ? CU_TR_ADDRESS_MODE_BORDER
         : address == Address::wrap   ? CU_TR_ADDRESS_MODE_WRAP
         : address == Address::mirror ? CU_TR_ADDRESS_MODE_MIRROR
                                      : CU_TR_ADDRESS_MODE_CLAMP;
}

CUDA_RESOURCE_DESC resource_of(const TexturePlan& plan, CUdeviceptr address) {
  CUDA_RESOURCE_DESC resource{};
  const CUarray_format format = format_of(plan.type);
  const auto channels = static_cast<unsigned>(plan.channels);
  const auto width = static_cast<std::size_t>(plan.width);
  if (plan.height == 0) {
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear.devPtr = address;
    resource.res.linear.format = format;
    resource.res.linear.numChannels = channels;
    resource.res.linear.sizeInBytes = width * channels * element_size(plan.type);
    return resource;
  }
  resource.resType = CU_RESOURCE_TYPE_PITCH2D;
  resource.res.pitch2D.devPtr = address;
  resource.res.pitch2D.format = format;
  resource.res.pitch2D.numChannels = channels;
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = static_cast<std::size_t>(plan.height);
  resource.res.pitch2D.pitchInBytes = static_cast<std::size_t>(plan.pitch_bytes);
  return resource;
}

CUDA_TEXTURE_DESC description_of(const TexturePlan& plan) {
  CUDA_TEXTURE_DESC texture{};
  for (CUaddress_mode& mode : texture.addressMode) mode = address_mode_of(plan.address);
  texture.filterMode =
      plan.filter == TexturePlan::Filter::linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
  if (!plan.reads_fractions && plan.type < ElementType::float16) texture.flags |= CU_TRSF_READ_AS_INTEGER;
  if (plan.is_normalized) texture.flags |= CU_TRSF_NORMALIZED_COORDINATES;
  return texture;
}

}  // namespace

Textures::~Textures() {
  for (const Known& known : known_) destroy_(known.texture);
}

CUresult Textures::find(const Driver& driver, const TexturePlan& plan, CUdeviceptr address,
                        CUtexObject& texture) {
  const auto known = std::ranges::find_if(
      known_, [&](const Known& each) { return each.address == address && each.plan == plan; });
  if (known != known_.end()) {
    texture = known->texture;
    return CUDA_SUCCESS;
  }
  const CUDA_RESOURCE_DESC resource = resource_of(plan, address);
  const CUDA_TEXTURE_DESC description = description_of(plan);
  destroy_ = driver.cuTexObjectDestroy;
  // It is no part of a graph that is being captured.
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  driver.cuThreadExchangeStreamCaptureMode(&mode);
  const CUresult code = driver.cuTexObjectCreate(&texture, &resource, &description, nullptr);
  driver.cuThreadExchangeStreamCaptureMode(&mode);
  if (code == CUDA_SUCCESS) known_.push_back({plan, address, texture});
  return code;
}

}  // namespace gktune
