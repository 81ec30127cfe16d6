#include "tuner/space/reader/arguments.h"

#include <algorithm>
#include <array>
#include <span>

#include "tuner/core/element_type.h"

namespace gktune {
namespace {

constexpr std::size_t kMostArguments = 256;
constexpr std::string_view kInitForms =
    "zero, {constant: c}, {ramp: [from, step]}, {uniform: [low, high]}, {normal: [mean, deviation]} or "
    "{file: x.npy}";
constexpr std::string_view kCheckForms = "exact, none, or {absolute: a, relative: r, ulp: u}";

const std::vector<std::string>& type_names() {
  static const std::vector<std::string> kNames = {
      "int8",    "int16",    "int32",   "int64",   "uint8", "uint16", "uint32", "uint64",
      "float16", "bfloat16", "float32", "float64", "int",   "float",  "double", "half"};
  return kNames;
}

class ArgumentReader {
 public:
  ArgumentReader(const std::vector<Axis>& axes, const std::string& folder, Names& names,
                 Complaints& complaints)
      : axes_(axes), folder_(folder), names_(names), complaints_(complaints) {}

  WrittenArgument read(const YamlNode& key, const YamlNode& node) {
    WrittenArgument written;
    written.key = &key;
    Argument& argument = written.argument;
    argument.name = key.text;
    const Fields fields(node, "an argument", {"type", "value", "extent", "role", "init", "check"},
                        complaints_);
    if (!fields.is_map()) return written;
    if (const YamlNode* type = fields.require("type", "as in {type: float, extent: n}"))
      read_type(*type, argument);
    const YamlNode* value = fields.find("value");
    const YamlNode* extent = fields.find("extent");
    if (value != nullptr && extent != nullptr) {
      complaints_.add(fields.key("value"), "an argument has a value or an extent, not both",
                      "a scalar has a value; a buffer has an extent, and init says what it holds");
    } else if (value == nullptr && extent == nullptr && !fields.has_unknown()) {
      complaints_.add(key, "the argument '" + key.text + "' needs an extent or a value",
                      "a buffer has an extent: its number of elements; a scalar has a value");
    }
    if (value != nullptr) {
      argument.value = names_.expression(*value, View::candidate);
      for (std::string_view word : {"role", "init", "check"}) {
        if (fields.find(word) == nullptr) continue;
        complaints_.add(fields.key(word), "a scalar has no " + std::string(word));
      }
      return written;
    }
    if (extent != nullptr) argument.extent = names_.expression(*extent, View::candidate);
    const YamlNode* role = fields.find("role");
    const bool is_role_known = role == nullptr || read_role(*role, argument);
    if (const YamlNode* init = fields.find("init")) {
      if (argument.role == Argument::Role::out) {
        complaints_.add(fields.key("init"), "what an output holds before is of no account",
                        "its role is inout where the kernel adds to it");
      }
      read_init(*init, argument.contents);
    } else if (is_role_known && !fields.has_unknown() &&
               (argument.role == Argument::Role::in || argument.role == Argument::Role::inout)) {
      complaints_.add(key, "the input '" + key.text + "' needs an init", "one of " + std::string(kInitForms));
    }
    if (const YamlNode* check = fields.find("check")) read_check(*check, fields.key("check"), written);
    return written;
  }

 private:
  void read_type(const YamlNode& node, Argument& argument) {
    const auto type = names_.pattern(node, View::candidate);
    if (!type) return;
    argument.type = *type;
    if (type->parts.empty()) {
      complaints_.add(node, "an empty element type");
    } else if (type->parts.size() == 1 && !type->parts[0].expression) {
      check_type(node, type->parts[0].literal, "");
    } else if (type->parts.size() == 1) {
      const auto axis = std::ranges::find(axes_, type->parts[0].expression->text(), &Axis::name);
      if (axis == axes_.end()) return;
      for (const Value& value : axis->values)
        check_type(node, value.str(), "the axis '" + axis->name + "': ");
    }
  }

  void check_type(const YamlNode& node, const std::string& name, const std::string& where) {
    if (element_type_from_name(name)) return;
    std::string hint;
    std::string guess = complaints_.guess(name, type_names());
    if (names_.is_axis(name) || names_.is_parameter(name)) {
      hint = "\"{" + name + "}\" stands for the value of '" + name + "'";
      guess.clear();
    }
    complaints_.add(node, where + "'" + name + "' is no element type" + guess, hint);
  }

  bool read_role(const YamlNode& node, Argument& argument) {
    static const std::vector<std::string> kRoles = {"in", "out", "inout", "scratch"};
    const auto role = std::ranges::find(kRoles, node.text);
    if (node.is_scalar() && role != kRoles.end()) {
      argument.role = static_cast<Argument::Role>(role - kRoles.begin());
      return true;
    }
    complaints_.add(node, "'" + node.text + "' is no role" + complaints_.guess(node.text, kRoles),
                    "one of in, out, inout, scratch");
    return false;
  }

  // One expression, or as many as are wanted in a list.
  void read_numbers(const YamlNode& node, std::string_view form,
                    std::initializer_list<std::optional<Expression>*> into) {
    const auto items = items_of(node);
    if (items.size() != into.size()) {
      complaints_.add(node, "expected " + std::string(form));
      return;
    }
    auto item = items.begin();
    for (auto* expression : into) *expression = names_.expression(*item++, View::candidate);
  }

  void read_init(const YamlNode& node, Contents& contents) {
    if (node.is_scalar() && node.text == "zero") return;
    if (node.is_scalar()) {
      static const std::vector<std::string> kWords = {"zero",    "constant", "ramp",
                                                      "uniform", "normal",   "file"};
      complaints_.add(node, "'" + node.text + "' is no init" + complaints_.guess(node.text, kWords),
                      "one of " + std::string(kInitForms));
      return;
    }
    const Fields fields(node, "an init", {"constant", "ramp", "uniform", "normal", "file", "seed"},
                        complaints_);
    if (!fields.is_map()) return;
    int forms = 0;
    const auto find = [&](std::string_view form, Contents::Kind kind) {
      const YamlNode* found = fields.find(form);
      if (found == nullptr) return found;
      if (++forms > 1) complaints_.add(fields.key(form), "an init is one thing");
      contents.kind = kind;
      return found;
    };
    if (const YamlNode* c = find("constant", Contents::Kind::constant))
      read_numbers(*c, "a number", {&contents.a});
    if (const YamlNode* r = find("ramp", Contents::Kind::ramp)) {
      read_numbers(*r, "[from, step]", {&contents.a, &contents.b});
    }
    if (const YamlNode* u = find("uniform", Contents::Kind::uniform)) {
      read_numbers(*u, "[low, high]", {&contents.a, &contents.b});
    }
    if (const YamlNode* n = find("normal", Contents::Kind::normal)) {
      read_numbers(*n, "[mean, deviation]", {&contents.a, &contents.b});
    }
    if (const YamlNode* f = find("file", Contents::Kind::file)) read_file(*f, contents);
    if (forms == 0 && !fields.has_unknown())
      complaints_.add(node, "expected one of " + std::string(kInitForms));
    const YamlNode* seed = fields.find("seed");
    if (seed == nullptr) return;
    if (contents.kind == Contents::Kind::uniform || contents.kind == Contents::Kind::normal) {
      contents.seed = names_.expression(*seed, View::candidate);
    } else {
      complaints_.add(fields.key("seed"), "a seed without anything random: it goes with uniform and normal");
    }
  }

  void read_file(const YamlNode& node, Contents& contents) {
    auto file = names_.pattern(node, View::candidate);
    if (!file) return;
    contents.file = *std::move(file);
    if (!folder_.empty() && !contents.file.text.starts_with('/')) {
      contents.file.parts.insert(contents.file.parts.begin(), {folder_ + "/", std::nullopt});
    }
  }

  void read_check(const YamlNode& node, const YamlNode& key, WrittenArgument& written) {
    const Argument::Role role = written.argument.role;
    if (role != Argument::Role::out && role != Argument::Role::inout) {
      complaints_.add(key, "only an output is checked", "role: out, or inout");
      return;
    }
    if (node.is_scalar() && node.text == "none") {
      written.check = Check::none;
      return;
    }
    written.check = Check::wanted;
    Tolerance tolerance;
    if (!node.is_scalar()) {
      const Fields fields(node, "a check", {"absolute", "relative", "ulp"}, complaints_);
      const auto read = [&](std::string_view name, std::optional<Expression>& into) {
        if (const YamlNode* found = fields.find(name)) into = names_.expression(*found, View::candidate);
      };
      read("absolute", tolerance.absolute);
      read("relative", tolerance.relative);
      read("ulp", tolerance.ulp);
    } else if (node.text != "exact") {
      static const std::vector<std::string> kWords = {"exact", "none"};
      complaints_.add(node, "'" + node.text + "' is no check" + complaints_.guess(node.text, kWords),
                      std::string(kCheckForms));
    }
    written.argument.check = std::move(tolerance);
  }

  const std::vector<Axis>& axes_;
  const std::string& folder_;
  Names& names_;
  Complaints& complaints_;
};

}  // namespace

std::vector<WrittenArgument> read_arguments(const YamlNode& node, const std::vector<Axis>& axes,
                                            const std::string& folder, Names& names, Complaints& complaints) {
  std::vector<WrittenArgument> arguments;
  if (node.kind != YamlNode::Kind::map) {
    complaints.add(node, "arguments is a map of names, here is " + std::string(kind_words(node)));
    return arguments;
  }
  if (node.keys.size() > kMostArguments) {
    complaints.add(node, "more than " + std::to_string(kMostArguments) + " arguments");
    return arguments;
  }
  ArgumentReader reader(axes, folder, names, complaints);
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    arguments.push_back(reader.read(node.keys[i], node.items[i]));
  }
  return arguments;
}

}  // namespace gktune
