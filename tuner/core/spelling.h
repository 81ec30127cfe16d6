#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gktune {

// The candidate that `word` most likely misspells. Nothing if none is close.
std::optional<std::string> closest(std::string_view word, std::span<const std::string> candidates);

// ", did you mean 'candidate'?", or nothing: the end of a message about an unknown word.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace gktune
