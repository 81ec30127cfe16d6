#include "tuner/space/reader/launches.h"

#include <algorithm>
#include <type_traits>

#include "tuner/core/plan_parts.h"

namespace gktune {
namespace {

constexpr std::size_t kMostLaunches = 256;
constexpr std::size_t kMostPassed = 256;  // of one launch

// The keys that apply to kernels only: extents and the attributes of launches.
std::vector<std::string_view> geometry_keys() {
  std::vector<std::string_view> keys = {"grid", "block", "shared"};
  const LaunchAttributes none;
  fields([&](const char* name, const auto&) { keys.push_back(name); }, none);
  return keys;
}

class LaunchReader {
 public:
  LaunchReader(Language language, LaunchesOf whose, const std::vector<Axis>& axes,
               const std::vector<WrittenArgument>& arguments, Names& names, ErrorList& errors)
      : language_(language),
        whose_(whose),
        view_(view_of(whose)),
        axes_(axes),
        arguments_(arguments),
        names_(names),
        errors_(errors) {
    for (const WrittenArgument& written : arguments) argument_names_.push_back(written.argument.name);
  }

  std::vector<Launch> read_list(const YamlNode& node) {
    std::vector<Launch> launches;
    const auto items = items_of(node);
    if (items.empty()) errors_.add(node, "empty list of launches");
    if (items.size() > kMostLaunches) {
      errors_.add(node, "more than " + std::to_string(kMostLaunches) + " launches");
      return launches;
    }
    for (const YamlNode& item : items) launches.push_back(read(item));
    return launches;
  }

 private:
  Launch read(const YamlNode& node) {
    Launch launch;
    if (node.find("repeat") != nullptr || (node.find("until") != nullptr && node.find("entry") == nullptr)) {
      read_repeat(node, launch);
      return launch;
    }
    if (node.find("fill") != nullptr && node.find("entry") == nullptr) {
      read_fill(node, launch);
      return launch;
    }
    std::vector<std::string_view> keys = geometry_keys();
    keys.insert(keys.begin(), "entry");
    keys.insert(keys.end(), {"when", "arguments", "fill"});
    const Fields fields(node, "launch", keys, errors_);
    if (!fields.is_map()) return launch;
    fields.refuse("fill", "a launch has either fill or entry, not both", "write two launches");
    if (const YamlNode* entry = fields.require("entry", "add entry: FUNCTION, or fill: BUFFER")) {
      if (auto pattern = names_.entry(*entry, view_)) launch.entry = *std::move(pattern);
    }
    read_geometry(fields, launch);
    launch.when = names_.expression(fields, "when", view_);
    if (const YamlNode* list = fields.find("arguments")) {
      launch.arguments = read_passed(*list);
    } else if (whose_ == LaunchesOf::verifier) {
      errors_.add(node, "a launch of the verifier lists its arguments",
                  "for example arguments: [in, out, verdict]");
    } else {
      for (const WrittenArgument& written : arguments_) {
        if (!written.argument.symbol.empty()) continue;
        launch.arguments.push_back({.name = written.argument.name});
        check_sight(node, written);
      }
    }
    return launch;
  }

  void read_repeat(const YamlNode& node, Launch& launch) {
    const Fields fields(node, "repeat", {"repeat", "until", "index", "swap", "launches"}, errors_);
    if (const YamlNode* rounds = fields.require("repeat", "the number of rounds, or with until the most"))
      launch.rounds = names_.expression(*rounds, view_);
    if (const YamlNode* swap = fields.find("swap")) read_swap(*swap, launch);
    const YamlNode* body = fields.require("launches", "the steps of a round");
    const YamlNode* index = fields.find("index");
    const bool is_named = index != nullptr && add_index(*index);
    if (is_named) launch.index = indices_.emplace_back(index->text);
    if (body != nullptr) launch.body = read_list(*body);
    if (const YamlNode* until = fields.find("until")) read_until(*until, launch);
    if (!is_named) return;
    indices_.pop_back();
    names_.remove_index(launch.index);
  }

  bool add_index(const YamlNode& name) {
    if (!require_scalar(name, "a name", errors_)) return false;
    if (std::ranges::find(argument_names_, name.text) != argument_names_.end()) {
      errors_.add(name, "duplicate name '" + name.text + "': it is already an argument");
      return false;
    }
    return names_.add_index(name);
  }

  void read_swap(const YamlNode& list, Launch& launch) {
    const auto items = items_of(list);
    if (items.size() != 2 || items[0].text == items[1].text) {
      errors_.add(list, "expected two different buffers", "swap: [now, next]");
      return;
    }
    for (const YamlNode& item : items) {
      const WrittenArgument* written = find(item);
      if (written == nullptr) continue;
      if (written->argument.value)
        errors_.add(item, "cannot swap '" + written->argument.name + "': it is a scalar");
      if (!written->argument.symbol.empty())
        errors_.add(item, "cannot swap '" + written->argument.name + "': it is a variable of the source");
      check_sight(item, *written);
      launch.swap.push_back(written->argument.name);
    }
    if (launch.swap.size() != 2) launch.swap.clear();
  }

  void read_until(const YamlNode& name, Launch& launch) {
    const WrittenArgument* written = find(name);
    if (written == nullptr) return;
    check_sight(name, *written);
    launch.until = written->argument.name;
    const std::string what = "cannot repeat until '" + launch.until + "': ";
    if (!written->argument.symbol.empty()) {
      errors_.add(name, what + "it is a variable of the source", "let a kernel write a buffer");
    } else if (written->argument.role == Argument::Role::in || whose_ == LaunchesOf::verifier) {
      errors_.add(name, what + "no step may write it",
                  "steps write buffers with role: out, inout or scratch");
    } else if (!takes(launch.body, launch.until)) {
      errors_.add(name, what + "no step of a round takes it");
    }
  }

  void read_fill(const YamlNode& node, Launch& launch) {
    const Fields fields(node, "fill", {"fill", "byte", "when"}, errors_);
    if (whose_ == LaunchesOf::verifier) {
      errors_.add(fields.key("fill"), "a verifier fills no buffers: it reads all but its verdict",
                  "the verdict is reset before it; keep sums in __device__ variables of its source");
      return;
    }
    const YamlNode* name = fields.find("fill");
    if (const WrittenArgument* written = find(*name)) {
      launch.fill = written->argument.name;
      if (written->argument.value) {
        errors_.add(*name, "cannot fill '" + launch.fill + "': it is a scalar");
      } else if (written->argument.role == Argument::Role::in) {
        errors_.add(*name, "cannot fill '" + launch.fill + "': it is an input",
                    "use role: inout or role: scratch");
      } else if (!written->argument.symbol.empty()) {
        errors_.add(*name, "cannot fill '" + launch.fill + "': it is a variable of the source",
                    "let a kernel write it");
      }
      check_sight(*name, *written);
    }
    launch.fill_byte = names_.expression(fields, "byte", view_);
    launch.when = names_.expression(fields, "when", view_);
  }

  void read_geometry(const Fields& given, Launch& launch) {
    for (const std::string_view word : geometry_keys()) {
      if (language_ == Language::cuda || language_ == Language::command || given.find(word) == nullptr)
        continue;
      const bool is_host_code = language_ == Language::host;
      errors_.add(given.key(word),
                  std::string(word) + " does not apply to " + (is_host_code ? "host code" : "a C++ function"),
                  is_host_code ? "the function launches its kernels itself" : "");
      return;
    }
    if (const YamlNode* grid = given.find("grid")) read_extents(*grid, launch.grid);
    if (const YamlNode* block = given.find("block")) read_extents(*block, launch.block);
    launch.shared_bytes = names_.expression(given, "shared", view_);
    const LaunchAttributes none;
    const auto read_attribute = [&]<class T>(const char* name, const T&) {
      const YamlNode* node = given.find(name);
      if (node == nullptr) return;
      std::array<std::optional<Expression>, 3> values;
      if constexpr (std::is_arithmetic_v<T>) {
        values[0] = names_.expression(*node, view_);
      } else {
        read_extents(*node, values);
      }
      auto& attribute = launch.attributes.emplace_back(name, std::vector<Expression>());
      for (const auto& value : values) {
        if (value) attribute.second.push_back(*value);
      }
    };
    fields(read_attribute, none);
  }

  void read_extents(const YamlNode& node, std::array<std::optional<Expression>, 3>& extents) {
    const auto items = items_of(node);
    if (items.empty() || items.size() > extents.size()) {
      errors_.add(node, "expected one to three extents, found " + std::to_string(items.size()),
                  comma_hint(items, "x, [x, y] or [x, y, z]"));
      return;
    }
    for (std::size_t i = 0; i < items.size(); ++i) extents[i] = names_.expression(items[i], view_);
  }

  // Reads the arguments of a launch, or the members of a struct.
  std::vector<PassedArgument> read_passed(const YamlNode& list) {
    std::vector<PassedArgument> all;
    const auto items = items_of(list);
    if (items.size() > kMostPassed) {
      errors_.add(list, "more than " + std::to_string(kMostPassed) + " arguments");
      return all;
    }
    for (const YamlNode& item : items) {
      if (item.is_scalar() && std::ranges::find(indices_, item.text) != indices_.end()) {
        all.push_back(
            {.type = {{{"int32", std::nullopt}}, "int32"}, .value = names_.expression(item, view_)});
      } else if (item.find("struct") != nullptr) {
        read_struct(item, all);
      } else if (item.find("tensor_map") != nullptr) {
        read_tensor_map(item, all);
      } else if (item.find("texture") != nullptr) {
        read_texture(item, all);
      } else if (item.kind == YamlNode::Kind::map) {
        read_value(item, all);
      } else if (const WrittenArgument* written = find(item)) {
        all.push_back({.name = written->argument.name});
        check_sight(item, *written);
      }
    }
    return all;
  }

  void read_struct(const YamlNode& node, std::vector<PassedArgument>& all) {
    const Fields fields(node, "struct", {"struct"}, errors_);
    const YamlNode& members = *fields.find("struct");
    PassedArgument passed;
    passed.members = read_passed(members);
    for (const PassedArgument& each : passed.members) {
      if (!each.tensor_map && !each.texture) continue;
      errors_.add(members, std::string(each.texture ? "a texture" : "a tensor map") +
                               " must be a parameter, not a member of a struct");
    }
    if (items_of(members).empty())
      errors_.add(members, "a struct needs members", "struct: [in, {type: int, value: n}]");
    if (!passed.members.empty()) all.push_back(std::move(passed));
  }

  void read_tensor_map(const YamlNode& node, std::vector<PassedArgument>& all) {
    const Fields fields(node, "tensor map", {"tensor_map", "sizes", "strides", "box", "swizzle"}, errors_);
    TensorMap map;
    if (language_ == Language::host) {
      errors_.add(node, "a tensor map does not apply to host code", "the function makes its own");
      return;
    }
    const WrittenArgument* written = find_buffer(*fields.find("tensor_map"), "tensor map");
    if (written != nullptr) map.buffer = written->argument.name;
    const YamlNode* sizes = fields.require("sizes", "of the buffer, innermost first: sizes: [columns, rows]");
    const YamlNode* box = fields.require("box", "of a copy, innermost first: box: [64, 16]");
    const YamlNode* strides = fields.find("strides");
    read_expressions(sizes, map.sizes);
    read_expressions(box, map.box);
    read_expressions(strides, map.strides);
    map.swizzle = names_.expression(fields, "swizzle", view_);
    if (sizes == nullptr || box == nullptr || written == nullptr) return;
    const std::size_t rank = items_of(*sizes).size();
    if (rank < 1 || rank > 5)
      errors_.add(*sizes, "expected one to five sizes, found " + std::to_string(rank));
    if (items_of(*box).size() != rank)
      errors_.add(*box, "expected as many box sizes as sizes (" + std::to_string(rank) + "), found " +
                            std::to_string(items_of(*box).size()));
    if (strides != nullptr && items_of(*strides).size() + 1 != rank) {
      errors_.add(*strides,
                  "expected " + std::to_string(rank - 1) + " strides, found " +
                      std::to_string(items_of(*strides).size()),
                  "one for each dimension but the innermost, in elements");
    }
    all.emplace_back().tensor_map = std::move(map);
  }

  void read_texture(const YamlNode& node, std::vector<PassedArgument>& all) {
    const Fields fields(
        node, "texture",
        {"texture", "sizes", "pitch", "channels", "address", "filter", "normalized", "fractions"}, errors_);
    if (language_ == Language::host) {
      errors_.add(node, "a texture does not apply to host code", "the function makes its own");
      return;
    }
    Texture texture;
    const WrittenArgument* written = find_buffer(*fields.find("texture"), "texture");
    if (written != nullptr) texture.buffer = written->argument.name;
    const YamlNode* sizes =
        fields.require("sizes", "texels in a row, or in a row and rows: sizes: [width, height]");
    read_expressions(sizes, texture.sizes);
    const std::size_t rank = sizes == nullptr ? 1 : items_of(*sizes).size();
    if (rank < 1 || rank > 2) errors_.add(*sizes, "expected one or two sizes, found " + std::to_string(rank));
    texture.pitch = names_.expression(fields, "pitch", view_);
    texture.channels = names_.expression(fields, "channels", view_);
    texture.normalized = names_.expression(fields, "normalized", view_);
    texture.reads_fractions = names_.expression(fields, "fractions", view_);
    texture.address = names_.pattern(fields, "address", view_);
    texture.filter = names_.pattern(fields, "filter", view_);
    for (std::string_view word : {"pitch", "address", "filter", "normalized"}) {
      if (rank == 1)
        fields.refuse(word, std::string(word) + " applies to textures with two sizes",
                      "tex1Dfetch reads a texture with one size by the number of the texel");
    }
    if (sizes == nullptr || written == nullptr) return;
    all.emplace_back().texture = std::move(texture);
  }

  const WrittenArgument* find_buffer(const YamlNode& name, const std::string& user) {
    const WrittenArgument* written = find(name);
    if (written == nullptr) return nullptr;
    if (written->argument.value)
      errors_.add(name, "a " + user + " needs a buffer, '" + written->argument.name + "' is a scalar");
    check_sight(name, *written);
    return written;
  }

  void read_expressions(const YamlNode* list, std::vector<Expression>& into) {
    if (list == nullptr) return;
    for (const YamlNode& item : items_of(*list)) {
      if (auto expression = names_.expression(item, view_)) into.push_back(*std::move(expression));
    }
  }

  // A scalar of this launch alone.
  void read_value(const YamlNode& node, std::vector<PassedArgument>& all) {
    const Fields fields(node, "value", {"type", "value"}, errors_);
    PassedArgument passed;
    if (const YamlNode* type = fields.require("type", "for example {type: int, value: n - 1}"))
      passed.type = read_element_type(*type, axes_, view_, names_, errors_).value_or(Pattern());
    (void)fields.require("value", "for example {type: int, value: n - 1}");
    passed.value = names_.expression(fields, "value", view_);
    if (passed.value) all.push_back(std::move(passed));
  }

  const WrittenArgument* find(const YamlNode& name) {
    if (!require_scalar(name, "the name of an argument", errors_)) return nullptr;
    for (const WrittenArgument& written : arguments_) {
      if (written.argument.name == name.text) return &written;
    }
    const bool is_expected = whose_ == LaunchesOf::verifier && name.text.starts_with(kExpectedPrefix);
    errors_.add_unknown(name, "argument", argument_names_,
                        is_expected ? "each reference has to compute an output of that name" : "");
    return nullptr;
  }

  // One reference serves all configurations, so its arguments must not depend on parameters.
  void check_sight(const YamlNode& place, const WrittenArgument& written) {
    if (view_ != View::problem) return;
    const Argument& argument = written.argument;
    if (!sees(argument.value) && !sees(argument.extent) && !sees(argument.type) && !sees(argument.contents) &&
        std::ranges::none_of(argument.others, [&](const Contents& other) { return sees(other); }))
      return;
    const std::string reader = whose_ == LaunchesOf::verifier ? "verifier" : "reference";
    errors_.add(place, "the " + reader + " cannot take '" + argument.name + "': it depends on a parameter",
                "list the arguments of the launch: arguments: [in, out]");
  }

  // True if it depends on a parameter.
  bool sees(const std::optional<Expression>& expression) const {
    return expression && names_.sees_parameters(*expression);
  }
  bool sees(const Pattern& pattern) const {
    return std::ranges::any_of(pattern.parts, [&](const auto& part) { return sees(part.expression); });
  }
  bool sees(const Contents& contents) const {
    return sees(contents.a) || sees(contents.b) || sees(contents.seed) || sees(contents.width) ||
           sees(contents.exponent) || sees(contents.lengths) || sees(contents.file);
  }

  Language language_;
  LaunchesOf whose_;
  View view_;
  const std::vector<Axis>& axes_;
  const std::vector<WrittenArgument>& arguments_;
  std::vector<std::string> argument_names_;
  std::vector<std::string> indices_;  // of the repeats around what is read
  Names& names_;
  ErrorList& errors_;
};

}  // namespace

std::vector<Launch> read_launches(const YamlNode& node, Language language, LaunchesOf whose,
                                  const std::vector<Axis>& axes,
                                  const std::vector<WrittenArgument>& arguments, Names& names,
                                  ErrorList& errors) {
  return LaunchReader(language, whose, axes, arguments, names, errors).read_list(node);
}

}  // namespace gktune
