#include "tuner/device/host/compile/checked_copies.h"

#include <fmt/format.h>

#include <algorithm>

namespace gktune {
namespace {

// 16 of "ptr align 16 %to", of the first or second argument of a call; 1 if it is not given.
std::string alignment_of(std::string_view argument) {
  constexpr std::string_view kAlign = " align ";
  const std::size_t at = argument.find(kAlign);
  if (at == std::string_view::npos) return "1";
  const std::string_view rest = argument.substr(at + kAlign.size());
  return std::string(rest.substr(0, rest.find_first_not_of("0123456789")));
}

// The index of the next comma, or of the bracket that ends the arguments.
std::size_t end_of_argument(std::string_view text, std::size_t from) {
  int depth = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (depth == 0 && (c == ',' || c == ')')) return i;
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '}' || c == '>') --depth;
  }
  return text.size();
}

// "call void @llvm.memcpy.p0.p0.i64(ptr align 16 %to, ptr align 16 %from, i64 16, i1 false), !dbg !7"
std::string with_checked_copy(std::string_view line) {
  constexpr std::string_view kCopy = "call void @llvm.memcpy.";
  const std::size_t call = line.find(kCopy);
  const std::size_t open = call == std::string_view::npos ? call : line.find('(', call);
  if (open == std::string_view::npos) return std::string(line);
  const std::size_t to = end_of_argument(line, open + 1), from = end_of_argument(line, to + 1);
  const std::size_t bytes = end_of_argument(line, from + 1), end = end_of_argument(line, bytes + 1);
  if (end >= line.size() || line[bytes] != ',' || !line.substr(call, open - call).ends_with(".i64"))
    return std::string(line);
  return fmt::format("{}call void @gktune_copy({}, i64 {}, i64 {}{}", line.substr(0, call),
                     line.substr(open + 1, bytes - open - 1), alignment_of(line.substr(open, to - open)),
                     alignment_of(line.substr(to, from - to)), line.substr(end));
}

}  // namespace

std::string with_checked_copies(std::string_view llvm_text) {
  std::string all;
  all.reserve(llvm_text.size());
  while (!llvm_text.empty()) {
    const std::size_t length = std::min(llvm_text.find('\n'), llvm_text.size() - 1) + 1;
    all += with_checked_copy(llvm_text.substr(0, length));
    llvm_text.remove_prefix(length);
  }
  return all;
}

}  // namespace gktune
