// The documents that show files and commands: the files are the shipped ones, and
// the commands print what is shown.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "program_process.h"
#include "tests/scratch_folder.h"
#include "tuner/core/trial.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

const fs::path kSource = GKTUNE_SOURCE_DIR;

Lines words_of(const std::string& line) {
  Lines words;
  std::istringstream stream(line);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// "```cpp transpose.cu" … "```"
struct Block {
  std::string language, name;
  Lines lines;
};

std::vector<Block> blocks_of(const fs::path& document) {
  std::vector<Block> blocks;
  bool is_inside = false;
  for (const std::string& line : lines_of(contents_of(document))) {
    if (!line.starts_with("```")) {
      if (is_inside) blocks.back().lines.push_back(line);
      continue;
    }
    is_inside = !is_inside;
    if (!is_inside) continue;
    const Lines words = words_of(line.substr(3));
    blocks.push_back({words.empty() ? "" : words[0], words.size() < 2 ? "" : words[1], {}});
  }
  return blocks;
}

// A line's words in any order, without what differs between runs and machines: figures,
// units of time, the CPU's name.
Lines comparable(std::string line, const std::string& cpu) {
  for (const std::string& name : {cpu, std::string("CPU: AMD EPYC")}) {
    for (std::size_t at; (at = line.find(name)) != line.npos;) line.replace(at, name.size(), "(the CPU)");
  }
  Lines words = words_of(line);
  const Lines units = {"ns", "µs", "ms", "s", "m", "ns,", "µs,", "ms,", "s,"};
  for (std::string& word : words) {
    const bool has_figure = std::ranges::any_of(word, [](unsigned char c) { return std::isdigit(c) != 0; });
    const std::size_t equals = word.find('=');
    if (std::ranges::find(units, word) != units.end()) {
      word = "(unit)";
    } else if (has_figure && equals != word.npos && word.find(',') == word.npos) {
      word.resize(equals + 1);  // TILE=16: the winner may be another
    } else if (has_figure && equals == word.npos && !word.starts_with('(')) {
      word = "(figure)";
    }
  }
  std::ranges::sort(words);
  return words;
}

bool is_shown_as(const std::string& shown, const std::string& printed, const std::string& cpu) {
  if (const std::size_t hole = shown.find("<*>"); hole != shown.npos) {
    return printed.starts_with(shown.substr(0, hole)) && printed.ends_with(shown.substr(hole + 3));
  }
  return comparable(shown, cpu) == comparable(printed, cpu);
}

// Every shown line was printed, in this order; further lines (progress, hints) may lie between.
::testing::AssertionResult shows(const Lines& printed, const Lines& shown, const std::string& cpu) {
  auto at = printed.begin();
  for (const std::string& line : shown) {
    at = std::find_if(at, printed.end(),
                      [&](const std::string& each) { return is_shown_as(line, each, cpu); });
    if (at == printed.end()) {
      return ::testing::AssertionFailure() << "not printed: " << line << "\nprinted:\n" << joined(printed);
    }
    ++at;
  }
  return ::testing::AssertionSuccess();
}

// Runs the block's commands in `folder` and compares what they print and their exit codes. Of a sample, a
// report that no two runs share, it compares the first line.
void replay(const Block& block, const fs::path& folder, const std::string& cpu) {
  for (std::size_t i = 0; i < block.lines.size();) {
    const std::string command = block.lines[i++].substr(2);
    Lines shown;
    for (; i < block.lines.size() && !block.lines[i].starts_with("$ "); ++i) {
      if (!block.lines[i].empty()) shown.push_back(block.lines[i]);
    }
    int expected = 0;
    if (!shown.empty() && shown.back().starts_with('[')) {
      expected = std::stoi(shown.back().substr(1));
      shown.pop_back();
    }
    if (block.name == "sample" && shown.size() > 1) shown.resize(1);
    EXPECT_EQ(ShellProcess(folder, command).wait(), expected) << "$ " << command;
    const Lines printed = lines_of(contents_of(folder / "out") + contents_of(folder / "err"));
    EXPECT_TRUE(shows(printed, shown, cpu)) << "$ " << command;
  }
}

// "host  CPU: AMD EPYC" is the first line of `gktune devices`.
std::string cpu_name(const fs::path& folder) {
  EXPECT_EQ(ShellProcess(folder, "gktune devices").wait(), 0);
  const std::string text = contents_of(folder / "out");
  const std::size_t begin = text.find("CPU: ");
  return begin == text.npos ? "CPU: unknown" : text.substr(begin, text.find('\n', begin) - begin);
}

TEST(Documents, the_tutorial_works_as_typed) {
  const ScratchFolder scratch;
  const std::string cpu = cpu_name(scratch.path());
  std::size_t commands = 0;
  for (const Block& block : blocks_of(kSource / "docs/tutorial.md")) {
    if (block.language == "console") {
      if (block.name == "gpu") continue;
      ++commands;
      replay(block, scratch.path(), cpu);
    } else if (!block.name.empty()) {
      scratch.write(block.name, joined(block.lines));
    }
  }
  EXPECT_GT(commands, 4u);
}

TEST(Documents, the_tutorial_shows_the_files_of_the_example) {
  std::size_t shown = 0;
  for (const Block& block : blocks_of(kSource / "docs/tutorial.md")) {
    const fs::path file = kSource / "examples/transpose" / block.name;
    if (block.name.empty() || !fs::is_regular_file(file)) continue;
    ++shown;
    EXPECT_EQ(joined(block.lines), contents_of(file)) << block.name;
  }
  EXPECT_EQ(shown, 4u);  // kernel, reference, space file, CMakeLists.txt
}

TEST(Documents, the_tutorial_shows_code_of_the_application) {
  const std::string application = contents_of(kSource / "examples/transpose/main.cc");
  for (const Block& block : blocks_of(kSource / "docs/tutorial.md")) {
    if (block.language == "cpp" && block.name.empty()) {
      EXPECT_NE(application.find(joined(block.lines)), std::string::npos) << joined(block.lines);
    }
  }
}

// Files and folders of the checkout, as paths from its root.
Lines places_of_the_tree() {
  Lines places;
  for (const char* root : {"bench", "cli", "cmake", "db", "dev", "docs", "engine", "examples", "include", "lab",
                           "python", "runtime", "spaces", "templates", "tests", "third_party", "tuner"}) {
    places.emplace_back(root);
    if (!fs::is_directory(kSource / root)) continue;
    for (const fs::directory_entry& each : fs::recursive_directory_iterator(kSource / root)) {
      places.push_back(each.path().lexically_relative(kSource).generic_string());
    }
  }
  return places;
}

// True for "tuner/tune.cc" and for the shorter names "tune.cc", "search/strategy.cc" and "run/device_runner"
// (without ".h").
bool is_place(const Lines& places, std::string name) {
  if (name.ends_with('/')) name.pop_back();
  return std::ranges::any_of(places, [&](const std::string& place) {
    return std::ranges::any_of(Lines{"", ".h", ".cc"}, [&](const std::string& ending) {
      return ("/" + place).ends_with("/" + name + ending);
    });
  });
}

bool looks_like_a_path(const std::string& text) {
  if (text.find_first_of(" {}()*,") != text.npos || text.find("NAME") != text.npos) return false;
  const Lines libraries = {"sqlite3.h", "cuda.h", "nvrtc.h"};
  if (std::ranges::find(libraries, text) != libraries.end()) return false;
  return std::ranges::any_of(Lines{"/", ".h", ".cc", ".cu", ".js", ".md", ".json"},
                             [&](const std::string& part) { return text.find(part) != text.npos; });
}

TEST(Documents, the_architecture_names_files_and_folders_that_exist) {
  const Lines places = places_of_the_tree();
  std::string parent;
  std::size_t named = 0;
  for (const std::string& line : lines_of(contents_of(kSource / "ARCHITECTURE.md"))) {
    const std::size_t indent = line.find_first_not_of(' ');
    // "    tuner/space/     definitions", below it "      solver/        the set of valid configurations"
    if (indent == 4 || indent == 6) {
      const std::string name = words_of(line)[0];
      if (indent == 4) parent = name;
      if (!name.ends_with('/')) continue;
      ++named;
      EXPECT_TRUE(fs::is_directory(kSource / (indent == 4 ? name : parent + name))) << line;
      continue;
    }
    std::istringstream parts(line);
    bool is_quoted = false;
    for (std::string text; std::getline(parts, text, '`'); is_quoted = !is_quoted) {
      if (!is_quoted || !looks_like_a_path(text)) continue;
      ++named;
      EXPECT_TRUE(is_place(places, text)) << text << "\nin: " << line;
    }
  }
  EXPECT_GT(named, 100u);
}

TEST(Documents, every_status_is_explained) {
  const std::string text = contents_of(kSource / "docs/failures.md");
  for (int status = 0; status <= static_cast<int>(kLastStatus); ++status) {
    const std::string name(status_name(static_cast<Status>(status)));
    EXPECT_NE(text.find("| `" + name + "` |"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace gktune
