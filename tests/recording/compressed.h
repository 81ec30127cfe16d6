#pragma once

#include <zlib.h>

#include <string>

namespace gktune {

inline void write_compressed(const std::string& path, const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
}

}  // namespace gktune
