#pragma once

#include "tuner/search/strategy.h"

namespace gktune {

Strategy trees_strategy();
Strategy classifier_strategy();

}  // namespace gktune
