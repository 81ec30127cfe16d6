#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gktune {

// An error or warning about a place in a file. Lines and columns count from 1; line 0 means the whole file.
struct Diagnostic {
  enum class Severity { error, warning };
  std::string file;
  std::size_t line = 0, column = 0;
  std::size_t length = 1;  // number of columns to underline
  std::string message;
  std::string hint;  // the correction
  std::string source_line;
  Severity severity = Severity::error;

  // The text as compilers write it: place and message, the line with a caret, the
  // hint. No line feed at the end.
  std::string str() const;
};

// Finds the lines of a text.
class SourceText {
 public:
  SourceText(std::string path, std::string_view text);
  const std::string& path() const { return path_; }
  std::string_view text() const { return text_; }
  Diagnostic diagnostic(std::size_t offset, std::size_t length, std::string message, std::string hint) const;

 private:
  std::string path_;
  std::string_view text_;
  std::vector<std::size_t> lines_;  // the offset of each line
};

}  // namespace gktune
