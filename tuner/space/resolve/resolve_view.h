#pragma once

#include "tuner/space/plan.h"
#include "tuner/space/resolve/evaluator.h"

namespace gktune {

// A buffer that a step passes as a tensor map or texture.
struct ViewedBuffer {
  int argument = 0;
  ElementType type = ElementType::float32;
  std::uint64_t count = 0;  // of its elements
};

// Both check the limits in CUDA's documentation, because the driver does not say which one is exceeded.
// `where` names the view in messages.
TensorMapPlan resolve_tensor_map(const TensorMap& map, const ViewedBuffer& buffer, const Scope& scope,
                                 const std::string& where, Evaluator& evaluator);
TexturePlan resolve_texture(const Texture& texture, const ViewedBuffer& buffer, const Scope& scope,
                            const std::string& where, Evaluator& evaluator);

}  // namespace gktune
