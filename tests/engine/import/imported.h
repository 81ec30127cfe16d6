#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "engine/import/import_space.h"
#include "tests/scratch_folder.h"
#include "tuner/space/space_file.h"

namespace gktune {

// The definition that the imported text of a source gives, and the text.
struct Imported {
  ImportedSpace space;
  Definition definition;
};

class ImportTest : public testing::Test {
 protected:
  Imported import(const std::string& source, const std::string& name = "kernel.cu",
                  const SpaceImport& options = {}) {
    folder_.write(name, source);
    SpaceImport own = options;
    own.folder = folder_.path("");
    auto space = import_space(folder_.path(name), own);
    EXPECT_TRUE(space.ok()) << (space ? "" : space.error().message);
    if (!space) return {};
    folder_.write("space.yaml", space->text);
    auto read = read_space_file(folder_.path("space.yaml"), {});
    EXPECT_TRUE(read.ok()) << (read ? "" : read.error().front().str()) << "\n" << space->text;
    return {*std::move(space), read ? *std::move(read) : Definition()};
  }
  std::string error(const std::string& source, const std::string& name = "kernel.cu",
                    const std::string& kernel = {}) {
    const auto space = import_space_text(source, name, {kernel, {}});
    return space ? "no error" : space.error().message;
  }
  static std::string text(const Imported& imported, const std::string& line_start) {
    std::istringstream lines(imported.space.text);
    for (std::string line; std::getline(lines, line);) {
      const auto at = line.find_first_not_of(' ');
      if (at != std::string::npos && line.compare(at, line_start.size(), line_start) == 0)
        return line.substr(at);
    }
    return "no line " + line_start + " in\n" + imported.space.text;
  }
  ScratchFolder folder_;
};

}  // namespace gktune
