#include "tuner/space/reader/launches.h"

#include <algorithm>

namespace gktune {
namespace {

constexpr std::size_t kMostLaunches = 256;

class LaunchReader {
 public:
  LaunchReader(Language language, View view, const std::vector<WrittenArgument>& arguments, Names& names,
               Complaints& complaints)
      : language_(language), view_(view), arguments_(arguments), names_(names), complaints_(complaints) {
    for (const WrittenArgument& written : arguments) argument_names_.push_back(written.argument.name);
  }

  Launch read(const YamlNode& node) {
    Launch launch;
    const bool is_fill = node.find("fill") != nullptr && node.find("entry") == nullptr;
    if (is_fill) {
      read_fill(node, launch);
      return launch;
    }
    const Fields fields(node, "a launch", {"entry", "grid", "block", "shared", "when", "arguments", "fill"},
                        complaints_);
    if (!fields.is_map()) return launch;
    if (fields.find("fill") != nullptr) {
      complaints_.add(fields.key("fill"), "a launch fills a buffer or runs an entry, not both",
                      "they are two items of launches");
    }
    if (const YamlNode* entry = fields.require("entry", "the function to run; or fill: the buffer to fill")) {
      if (auto pattern = names_.entry(*entry, view_)) launch.entry = *std::move(pattern);
    }
    read_geometry(fields, launch);
    if (const YamlNode* when = fields.find("when")) launch.when = names_.expression(*when, view_);
    if (const YamlNode* list = fields.find("arguments")) {
      read_arguments(*list, launch);
    } else {
      launch.arguments = argument_names_;
      if (view_ == View::problem) {
        for (const WrittenArgument& written : arguments_) check_sight(node, written);
      }
    }
    return launch;
  }

 private:
  void read_fill(const YamlNode& node, Launch& launch) {
    const Fields fields(node, "a fill", {"fill", "byte", "when"}, complaints_);
    const YamlNode* name = fields.find("fill");
    if (const WrittenArgument* written = find(*name)) {
      launch.fill = written->argument.name;
      if (written->argument.value) {
        complaints_.add(*name, "'" + launch.fill + "' is a scalar: only a buffer can be filled");
      } else if (written->argument.role == Argument::Role::in) {
        complaints_.add(*name, "'" + launch.fill + "' is an input: a launch must not change it",
                        "its role would be inout, or scratch");
      }
      if (view_ == View::problem) check_sight(*name, *written);
    }
    if (const YamlNode* byte = fields.find("byte")) launch.fill_byte = names_.expression(*byte, view_);
    if (const YamlNode* when = fields.find("when")) launch.when = names_.expression(*when, view_);
  }

  void read_geometry(const Fields& fields, Launch& launch) {
    for (std::string_view word : {"grid", "block", "shared"}) {
      if (language_ == Language::cpp && fields.find(word) != nullptr) {
        complaints_.add(fields.key(word), "a C++ function has no " + std::string(word));
        return;
      }
    }
    if (const YamlNode* grid = fields.find("grid")) read_extents(*grid, launch.grid);
    if (const YamlNode* block = fields.find("block")) read_extents(*block, launch.block);
    if (const YamlNode* shared = fields.find("shared"))
      launch.shared_bytes = names_.expression(*shared, view_);
  }

  void read_extents(const YamlNode& node, std::array<std::optional<Expression>, 3>& extents) {
    const auto items = items_of(node);
    if (items.empty() || items.size() > extents.size()) {
      complaints_.add(node, "expected one to three extents: x, or [x, y, z]");
      return;
    }
    for (std::size_t i = 0; i < items.size(); ++i) extents[i] = names_.expression(items[i], view_);
  }

  void read_arguments(const YamlNode& list, Launch& launch) {
    for (const YamlNode& item : items_of(list)) {
      const WrittenArgument* written = find(item);
      if (written == nullptr) continue;
      launch.arguments.push_back(written->argument.name);
      if (view_ == View::problem) check_sight(item, *written);
    }
  }

  const WrittenArgument* find(const YamlNode& name) {
    if (!name.is_scalar()) {
      complaints_.add(name, "expected the name of an argument, here is " + std::string(kind_words(name)));
      return nullptr;
    }
    for (const WrittenArgument& written : arguments_) {
      if (written.argument.name == name.text) return &written;
    }
    complaints_.add(
        name, "there is no argument '" + name.text + "'" + complaints_.guess(name.text, argument_names_));
    return nullptr;
  }

  // What depends on parameters cannot be the reference's: one reference serves all configurations.
  void check_sight(const YamlNode& place, const WrittenArgument& written) {
    const auto depends = [&](const std::optional<Expression>& e) { return e && names_.sees_parameters(*e); };
    const Argument& argument = written.argument;
    const Contents& contents = argument.contents;
    bool sees = depends(argument.value) || depends(argument.extent) || depends(contents.a) ||
                depends(contents.b) || depends(contents.seed);
    for (const Pattern* pattern : {&argument.type, &contents.file}) {
      for (const auto& part : pattern->parts) sees = sees || depends(part.expression);
    }
    if (!sees) return;
    complaints_.add(place, "the reference takes '" + argument.name + "', which depends on a parameter",
                    "the reference sees the problem alone; its arguments: names those it takes");
  }

  Language language_;
  View view_;
  const std::vector<WrittenArgument>& arguments_;
  std::vector<std::string> argument_names_;
  Names& names_;
  Complaints& complaints_;
};

}  // namespace

std::vector<Launch> read_launches(const YamlNode& node, Language language, View view,
                                  const std::vector<WrittenArgument>& arguments, Names& names,
                                  Complaints& complaints) {
  LaunchReader reader(language, view, arguments, names, complaints);
  std::vector<Launch> launches;
  const auto items = items_of(node);
  if (items.empty()) complaints.add(node, "no launches: there is nothing to run");
  if (items.size() > kMostLaunches) {
    complaints.add(node, "more than " + std::to_string(kMostLaunches) + " launches");
    return launches;
  }
  for (const YamlNode& item : items) launches.push_back(reader.read(item));
  return launches;
}

}  // namespace gktune
