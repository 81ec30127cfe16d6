#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gktune {

// The code blocks of a Markdown page that are marked with this language.
inline std::vector<std::string> fenced_blocks(std::string_view page, std::string_view language) {
  const std::string fence = "```" + std::string(language) + "\n";
  std::vector<std::string> blocks;
  for (std::size_t at = page.find(fence); at != std::string_view::npos; at = page.find(fence, at)) {
    at += fence.size();
    blocks.emplace_back(page.substr(at, page.find("```", at) - at));
  }
  return blocks;
}

}  // namespace gktune
