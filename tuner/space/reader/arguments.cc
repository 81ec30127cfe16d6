#include "tuner/space/reader/arguments.h"

#include <algorithm>
#include <array>
#include <span>

#include "gktune/element_type.h"
#include "tuner/core/letters.h"
#include "tuner/space/reader/scalar.h"

namespace gktune {
namespace {

constexpr std::size_t kMostArguments = 256;
constexpr std::string_view kInitForms =
    "zero, permutation, computed, {constant: c}, {ramp: [from, step]}, {uniform: [low, high]}, {normal: "
    "[mean, deviation]}, {sorted: [low, high]}, {zipf: [values, exponent]}, {field: [low, high], width: w}, "
    "{csr_offsets: {nonzeros: n, columns: c}}, {csr_columns: offsets} or {file: x.npy}";
constexpr std::string_view kTypes =
    "int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, "
    "float8_e4m3, float8_e5m2, complex64, complex128 or a C++ "
    "name "
    "such as int, unsigned, float, double or half";
constexpr std::string_view kCheckForms = "exact, none, or a map such as {absolute: a, relative: r, ulp: u}";

const std::vector<std::string>& type_names() {
  static const std::vector<std::string> kNames = {
      "int8",   "int16",   "int32",       "int64",       "uint8",     "uint16",     "uint32",
      "uint64", "float16", "bfloat16",    "float32",     "float64",   "int",        "float",
      "double", "half",    "float8_e4m3", "float8_e5m2", "complex64", "complex128", "bool"};
  return kNames;
}

void check_type(const YamlNode& node, const std::string& name, const std::string& where, const Names& names,
                ErrorList& errors) {
  if (element_type_from_name(name)) return;
  std::string hint = "expected " + std::string(kTypes);
  std::string guess = errors.guess(name, type_names());
  if (names.is_axis(name) || names.is_parameter(name)) {
    hint = "write \"{" + name + "}\" for the value of '" + name + "'";
    guess.clear();
  }
  errors.add(node, where + "unknown element type '" + name + "'" + guess, hint);
}

class ArgumentReader {
 public:
  ArgumentReader(const std::vector<Axis>& axes, const std::string& folder, Names& names, ErrorList& errors)
      : axes_(axes), folder_(folder), names_(names), errors_(errors) {}

  WrittenArgument read(const YamlNode& key, const YamlNode& node) {
    WrittenArgument written;
    written.key = &key;
    Argument& argument = written.argument;
    argument.name = key.text;
    const Fields fields(node, "argument", {"type", "value", "extent", "role", "init", "check", "symbol"},
                        errors_);
    if (!fields.is_map()) return written;
    if (const YamlNode* type = fields.require("type", "for example {type: float, extent: n}"))
      argument.type = read_element_type(*type, axes_, View::candidate, names_, errors_).value_or(Pattern());
    const YamlNode* value = fields.find("value");
    const YamlNode* extent = fields.find("extent");
    if (value != nullptr && extent != nullptr) {
      errors_.add(fields.key("value"), "an argument has either a value or an extent, not both",
                  "a scalar has a value; a buffer has an extent and an init");
    } else if (value == nullptr && extent == nullptr && !fields.has_unknown()) {
      errors_.add(key, "argument '" + key.text + "' has neither an extent nor a value",
                  "add the extent of a buffer (its number of elements) or the value of a scalar");
    }
    if (value != nullptr) {
      argument.value = names_.expression(*value, View::candidate);
      for (std::string_view word : {"role", "init", "check", "symbol"}) {
        if (fields.find(word) == nullptr) continue;
        errors_.add(fields.key(word), std::string(word) + " does not apply to a scalar");
      }
      return written;
    }
    if (extent != nullptr) argument.extent = names_.expression(*extent, View::candidate);
    const YamlNode* role = fields.find("role");
    const bool is_role_known = role == nullptr || read_role(*role, argument);
    if (const YamlNode* init = fields.find("init")) {
      if (argument.role == Argument::Role::out) {
        errors_.add(fields.key("init"), "init does not apply to an output",
                    "use role: inout if the kernel reads it");
      }
      read_init(*init, argument.contents);
      if (argument.contents.is_computed && argument.role != Argument::Role::in) {
        errors_.add(fields.key("init"), "init: computed needs role: in",
                    "let a step of setup: {each: …} copy it to this buffer");
      }
    } else if (is_role_known && !fields.has_unknown() &&
               (argument.role == Argument::Role::in || argument.role == Argument::Role::inout)) {
      errors_.add(key, "input '" + key.text + "' has no init", "expected " + std::string(kInitForms));
    }
    if (const YamlNode* check = fields.find("check")) read_check(*check, fields.key("check"), written);
    if (const YamlNode* symbol = fields.find("symbol")) read_symbol(*symbol, written);
    return written;
  }

 private:
  bool read_role(const YamlNode& node, Argument& argument) {
    const auto role = enum_from_name<Argument::Role>(node.text);
    if (node.is_scalar() && role) {
      argument.role = *role;
      return true;
    }
    errors_.add(node,
                "unknown role '" + node.text + "'" + errors_.guess(node.text, enum_names(argument.role)),
                "expected in, out, inout or scratch");
    return false;
  }

  void read_symbol(const YamlNode& node, WrittenArgument& written) {
    const std::string& name = node.text;
    const bool is_name = node.is_scalar() && !name.empty() && !is_digit(name.front()) &&
                         std::ranges::all_of(name, [](char c) { return is_word(c) || c == ':'; });
    if (!is_name) {
      errors_.add(node, "expected the name of a variable of the source",
                  "symbol: filter, or symbol: space::filter");
    } else if (written.argument.role == Argument::Role::scratch) {
      errors_.add(node, "a variable of the source needs no scratch memory", "use role: in, out or inout");
    } else {
      written.argument.symbol = name;
      written.symbol = &node;
    }
  }

  // One expression, or a list of as many as `into` has.
  void read_numbers(const YamlNode& node, std::string_view form,
                    std::initializer_list<std::optional<Expression>*> into) {
    const auto items = items_of(node);
    if (items.size() != into.size()) {
      errors_.add(node, "expected " + std::string(form), comma_hint(items, ""));
      return;
    }
    auto item = items.begin();
    for (auto* expression : into) *expression = names_.expression(*item++, View::candidate);
  }

  void read_init(const YamlNode& node, Contents& contents) {
    if (node.is_scalar() && node.text == "zero") return;
    if (node.is_scalar() && node.text == "computed") {
      contents.is_computed = true;
      return;
    }
    if (node.is_scalar() && node.text == "permutation") {
      contents.kind = Contents::Kind::permutation;
      return;
    }
    if (node.is_scalar()) {
      static const std::vector<std::string> kWords = {
          "zero",   "computed", "permutation", "constant",    "ramp",        "uniform", "normal",
          "sorted", "zipf",     "field",       "csr_offsets", "csr_columns", "file"};
      errors_.add(node, "unknown init '" + node.text + "'" + errors_.guess(node.text, kWords),
                  "expected " + std::string(kInitForms));
      return;
    }
    const Fields fields(node, "init",
                        {"constant", "ramp", "uniform", "normal", "sorted", "zipf", "field", "width",
                         "csr_offsets", "csr_columns", "file", "array", "seed"},
                        errors_);
    if (!fields.is_map()) return;
    int forms = 0;
    const auto find = [&](std::string_view form, Contents::Kind kind) {
      const YamlNode* found = fields.find(form);
      if (found == nullptr) return found;
      if (++forms > 1) errors_.add(fields.key(form), "more than one init");
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
    if (const YamlNode* s = find("sorted", Contents::Kind::sorted)) {
      read_numbers(*s, "[low, high]", {&contents.a, &contents.b});
    }
    if (const YamlNode* z = find("zipf", Contents::Kind::zipf)) {
      read_numbers(*z, "[values, exponent]", {&contents.a, &contents.b});
    }
    if (const YamlNode* f = find("field", Contents::Kind::field)) {
      read_numbers(*f, "[low, high]", {&contents.a, &contents.b});
      if (const YamlNode* width = fields.require("width", "the elements of a row: {field: [0, 1], width: n}"))
        contents.width = names_.expression(*width, View::candidate);
    } else if (fields.find("width") != nullptr) {
      errors_.add(fields.key("width"), "width applies to field only");
    }
    if (const YamlNode* c = find("csr_offsets", Contents::Kind::csr_offsets)) read_offsets(*c, contents);
    if (const YamlNode* c = find("csr_columns", Contents::Kind::csr_columns)) {
      if (auto name = read_text(*c, errors_)) contents.offsets = *std::move(name);
    }
    if (const YamlNode* f = find("file", Contents::Kind::file)) {
      read_file(*f, contents);
      if (const YamlNode* array = fields.find("array"))
        contents.array = names_.pattern(*array, View::candidate).value_or(Pattern());
    } else if (fields.find("array") != nullptr) {
      errors_.add(fields.key("array"), "array applies to file only",
                  "for example {file: graph.npz, array: offsets}");
    }
    if (forms == 0 && !fields.has_unknown()) errors_.add(node, "expected " + std::string(kInitForms));
    const YamlNode* seed = fields.find("seed");
    if (seed == nullptr) return;
    if (is_random(contents.kind)) {
      contents.seed = names_.expression(*seed, View::candidate);
    } else {
      errors_.add(fields.key("seed"), "seed applies to random contents only");
    }
  }

  void read_offsets(const YamlNode& node, Contents& contents) {
    const Fields fields(node, "csr_offsets", {"nonzeros", "columns", "lengths", "exponent"}, errors_);
    if (!fields.is_map()) return;
    if (const YamlNode* n = fields.require("nonzeros", "the nonzeros of the matrix"))
      contents.a = names_.expression(*n, View::candidate);
    if (const YamlNode* c = fields.require("columns", "the columns of the matrix"))
      contents.b = names_.expression(*c, View::candidate);
    if (const YamlNode* exponent = fields.find("exponent"))
      contents.exponent = names_.expression(*exponent, View::candidate);
    const YamlNode* lengths = fields.find("lengths");
    if (lengths == nullptr) return;
    contents.lengths = names_.pattern(*lengths, View::candidate).value_or(Pattern());
    const std::vector<Pattern::Part>& parts = contents.lengths.parts;
    if (parts.size() != 1 || parts[0].expression || enum_from_name<RowLengths>(parts[0].literal)) return;
    errors_.add(
        *lengths,
        "unknown lengths '" + lengths->text + "'" + errors_.guess(lengths->text, enum_names(RowLengths{})),
        "expected even, uniform or zipf");
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
      errors_.add(key, "check applies to outputs only", "use role: out or role: inout");
      return;
    }
    if (node.is_scalar() && node.text == "none") {
      written.check = Check::none;
      return;
    }
    written.check = Check::wanted;
    Tolerance tolerance;
    if (!node.is_scalar()) {
      read_tolerance(node, tolerance, written);
    } else if (node.text != "exact") {
      static const std::vector<std::string> kWords = {"exact", "none"};
      errors_.add(node, "unknown check '" + node.text + "'" + errors_.guess(node.text, kWords),
                  "expected " + std::string(kCheckForms));
    }
    written.argument.check = std::move(tolerance);
  }

  void read_tolerance(const YamlNode& node, Tolerance& tolerance, WrittenArgument& written) {
    const Fields fields(node, "check",
                        {"absolute", "relative", "ulp", "norm", "order", "nan", "row", "pitch", "mask"},
                        errors_);
    tolerance.absolute = names_.expression(fields, "absolute", View::candidate);
    tolerance.relative = names_.expression(fields, "relative", View::candidate);
    tolerance.ulp = names_.expression(fields, "ulp", View::candidate);
    tolerance.norm = names_.expression(fields, "norm", View::candidate);
    tolerance.row = names_.expression(fields, "row", View::candidate);
    tolerance.pitch = names_.expression(fields, "pitch", View::candidate);
    for (std::string_view word : {"absolute", "relative", "ulp"}) {
      if (fields.find("norm") == nullptr || fields.find(word) == nullptr) continue;
      errors_.add(fields.key(word), "a check has either a norm or bounds of single elements, not both");
    }
    const auto add_pair = [&](std::string_view one, std::string_view other) {
      if (fields.find(one) != nullptr && fields.find(other) == nullptr)
        errors_.add(fields.key(one), std::string(one) + " needs " + std::string(other),
                    "for example {row: n, pitch: 128}");
    };
    add_pair("row", "pitch");
    add_pair("pitch", "row");
    tolerance.any_order = read_choice(fields, "order", "any", "same");
    tolerance.nan_equals = read_choice(fields, "nan", "equal", "wrong");
    if (const YamlNode* mask = fields.find("mask")) {
      tolerance.mask = mask->text;
      written.mask = mask;
    }
  }

  // True if the key has the first word, false if it has the second one or is absent.
  bool read_choice(const Fields& fields, std::string_view key, std::string_view yes, std::string_view no) {
    const YamlNode* node = fields.find(key);
    if (node == nullptr) return false;
    if (node->is_scalar() && (node->text == yes || node->text == no)) return node->text == yes;
    const std::string found = node->is_scalar() ? "'" + node->text + "'" : std::string(kind_words(*node));
    errors_.add(*node,
                std::string(key) + " is " + std::string(yes) + " or " + std::string(no) + ", found " + found);
    return false;
  }

  const std::vector<Axis>& axes_;
  const std::string& folder_;
  Names& names_;
  ErrorList& errors_;
};

void check_masks(const std::vector<WrittenArgument>& arguments, ErrorList& errors) {
  std::vector<std::string> inputs;
  for (const WrittenArgument& written : arguments) {
    if (!written.argument.value && written.argument.role == Argument::Role::in)
      inputs.push_back(written.argument.name);
  }
  for (const WrittenArgument& written : arguments) {
    if (written.mask == nullptr || std::ranges::find(inputs, written.mask->text) != inputs.end()) continue;
    const YamlNode& mask = *written.mask;
    const std::string found = mask.is_scalar() ? "'" + mask.text + "'" : std::string(kind_words(mask));
    errors.add(mask, found + " is no input" + errors.guess(written.mask->text, inputs),
               "a mask is an input of bytes: elements count where it is not zero");
  }
}

}  // namespace

std::optional<Pattern> read_element_type(const YamlNode& node, const std::vector<Axis>& axes, View view,
                                         Names& names, ErrorList& errors) {
  auto type = names.pattern(node, view);
  if (!type) return std::nullopt;
  if (type->parts.empty()) {
    errors.add(node, "empty element type");
  } else if (type->parts.size() == 1 && !type->parts[0].expression) {
    check_type(node, type->parts[0].literal, "", names, errors);
  } else if (type->parts.size() == 1) {
    const auto axis = std::ranges::find(axes, type->parts[0].expression->text(), &Axis::name);
    if (axis == axes.end()) return type;
    for (const Value& value : axis->values)
      check_type(node, value.str(), "axis '" + axis->name + "': ", names, errors);
  }
  return type;
}

std::vector<WrittenArgument> read_arguments(const YamlNode& node, const std::vector<Axis>& axes,
                                            const std::string& folder, Names& names, ErrorList& errors) {
  std::vector<WrittenArgument> arguments;
  if (node.kind != YamlNode::Kind::map) {
    errors.add(node, "arguments must be a map of names; found " + std::string(kind_words(node)));
    return arguments;
  }
  if (node.keys.size() > kMostArguments) {
    errors.add(node, "more than " + std::to_string(kMostArguments) + " arguments");
    return arguments;
  }
  ArgumentReader reader(axes, folder, names, errors);
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    arguments.push_back(reader.read(node.keys[i], node.items[i]));
  }
  check_masks(arguments, errors);
  for (const WrittenArgument& written : arguments) {
    const Contents& contents = written.argument.contents;
    if (contents.kind != Contents::Kind::csr_columns || contents.offsets.empty()) continue;
    const bool is_there = std::ranges::any_of(arguments, [&](const WrittenArgument& other) {
      return other.argument.name == contents.offsets &&
             other.argument.contents.kind == Contents::Kind::csr_offsets;
    });
    if (!is_there) {
      errors.add(*written.key, "csr_columns: no argument '" + contents.offsets + "' has csr_offsets",
                 "name the argument with the matrix's offsets");
    }
  }
  return arguments;
}

}  // namespace gktune
