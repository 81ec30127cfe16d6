#pragma once

#include <optional>
#include <string>

#include "engine/import/python_script.h"

namespace gktune {

// An array that a script makes with NumPy: np.zeros((h, w), np.float32), rng.integers(0,
// 9, size=n), np.ones_like(x).
struct NumpyArray {
  std::string type;      // as space files write it
  std::string shape;     // as the script writes it
  std::string contents;  // for init:
  bool is_output = false;
};
std::optional<NumpyArray> numpy_array(const PythonScript& script, const std::string& text);

}  // namespace gktune
