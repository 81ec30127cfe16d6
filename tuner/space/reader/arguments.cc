#include <algorithm>

#include "gktune/element_type.h"
#include "tuner/core/text.h"
#include "tuner/space/reader/error_list.h"
#include "tuner/space/reader/launches.h"

namespace gktune {
namespace {

constexpr std::size_t kMostArguments = 256;
constexpr std::string_view kInitForms =
    "zero, permutation, computed, {constant: c}, {ramp: [from, step]}, {uniform: [low, high]}, {normal: "
    "[mean, deviation]}, {sorted: [low, high]}, {zipf: [values, exponent]}, {field: [low, high], width: w}, "
    "{csr_offsets: {nonzeros: n, columns: c}}, {csr_columns: offsets} or {file: x.npy}";
constexpr std::string_view kCheckForms = "exact, none, or a map such as {absolute: a, relative: r, ulp: u}";

// Ways to fill a buffer that take numbers, and the form of those.
struct NumberedInit {
  std::string_view key, numbers;
};
constexpr NumberedInit kNumberedInits[] = {{"constant", "a number"},   {"ramp", "[from, step]"},
                                           {"uniform", "[low, high]"}, {"normal", "[mean, deviation]"},
                                           {"sorted", "[low, high]"},  {"zipf", "[values, exponent]"},
                                           {"field", "[low, high]"}};

void check_type(const YamlNode& node, const std::string& name, const std::string& where, const Names& names,
                ErrorList& errors) {
  if (element_type_from_name(name)) return;
  const EnumNames types = enum_names(ElementType{});
  std::string hint =
      "expected " + joined(types) + " or a C++ name such as int, unsigned, float, double or half";
  std::vector<std::string> known(types.begin(), types.end());
  known.insert(known.end(), {"int", "float", "double", "half", "bool"});
  std::string guess = errors.guess(name, known);
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
    argument.value = names_.expression(fields, "value", View::candidate);
    if (value != nullptr) {
      for (std::string_view word : {"role", "init", "check", "symbol"})
        fields.refuse(word, std::string(word) + " does not apply to a scalar");
      return written;
    }
    if (extent != nullptr) read_extent(*extent, fields, argument);
    const YamlNode* role = fields.find("role");
    const auto known_role =
        role != nullptr ? read_enum<Argument::Role>(*role, "role", errors_) : argument.role;
    argument.role = known_role.value_or(argument.role);
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
    } else if (known_role && !fields.has_unknown() && is_input(argument.role)) {
      errors_.add(key, "input '" + key.text + "' has no init", "expected " + std::string(kInitForms));
    }
    if (const YamlNode* check = fields.find("check")) read_check(*check, fields.key("check"), written);
    if (const YamlNode* symbol = fields.find("symbol")) read_symbol(*symbol, written);
    return written;
  }

  void read_other(const YamlNode& key, const YamlNode& node, Argument& argument) {
    if (argument.value || !is_input(argument.role) || argument.contents.is_computed) {
      errors_.add(key, "'" + argument.name + "' has no init that a check could replace",
                  "name an input whose contents this file describes");
      return;
    }
    for (const YamlNode& item : items_of(node)) {
      Contents contents;
      read_init(item, contents);
      if (contents.is_computed || contents.kind >= Contents::Kind::csr_offsets)
        errors_.add(item, "computed inputs and sparse matrices have no other contents here",
                    "they follow from other inputs, or have another seed at each draw");
      argument.others.push_back(std::move(contents));
    }
    if (argument.others.empty())
      errors_.add(node, "an empty list names no contents", "expected " + std::string(kInitForms));
  }

 private:
  // n, or {guess: n}
  void read_extent(const YamlNode& node, const Fields& fields, Argument& argument) {
    if (node.is_scalar()) {
      argument.extent = names_.expression(fields, "extent", View::candidate);
      return;
    }
    const Fields guess(node, "extent", {"guess"}, errors_);
    if (!guess.is_map()) return;
    (void)guess.require("guess", "the number of elements that the buffer may have");
    argument.extent = names_.expression(guess, "guess", View::candidate);
    argument.is_extent_guess = true;
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

  void read_init(const YamlNode& node, Contents& contents) {
    if (!node.is_scalar()) return read_init_map(node, contents);
    const auto kind = enum_from_name<Contents::Kind>(node.text);
    contents.is_computed = node.text == "computed";
    if (kind == Contents::Kind::permutation) contents.kind = *kind;
    if (contents.is_computed || kind == Contents::Kind::zero || kind == Contents::Kind::permutation) return;
    const EnumNames kinds = enum_names(contents.kind);
    std::vector<std::string> words(kinds.begin(), kinds.end());
    words.emplace_back("computed");
    errors_.add_unknown(node, "init", words, "expected " + std::string(kInitForms));
  }

  void read_init_map(const YamlNode& node, Contents& contents) {
    const Fields fields(node, "init",
                        {"constant", "ramp", "uniform", "normal", "sorted", "zipf", "field", "width",
                         "csr_offsets", "csr_columns", "file", "seed"},
                        errors_);
    if (!fields.is_map()) return;
    int forms = 0;
    const auto find = [&](std::string_view form) {
      const YamlNode* found = fields.find(form);
      if (found == nullptr) return found;
      if (++forms > 1) errors_.add(fields.key(form), "more than one init");
      contents.kind = *enum_from_name<Contents::Kind>(form);
      return found;
    };
    for (const auto& [key, numbers] : kNumberedInits) {
      if (const YamlNode* found = find(key)) read_numbers(*found, numbers, contents);
    }
    if (fields.find("field") != nullptr) {
      (void)fields.require("width", "the elements of a row: {field: [0, 1], width: n}");
      contents.width = names_.expression(fields, "width", View::candidate);
    } else {
      fields.refuse("width", "width applies to field only");
    }
    if (const YamlNode* c = find("csr_offsets")) read_offsets(*c, contents);
    if (const YamlNode* c = find("csr_columns")) contents.offsets = read_text(*c, errors_).value_or("");
    if (const YamlNode* f = find("file")) read_file(*f, contents);
    if (forms == 0 && !fields.has_unknown()) errors_.add(node, "expected " + std::string(kInitForms));
    if (is_random(contents.kind)) {
      contents.seed = names_.expression(fields, "seed", View::candidate);
    } else {
      fields.refuse("seed", "seed applies to random contents only");
    }
  }

  // One or two expressions.
  void read_numbers(const YamlNode& node, std::string_view form, Contents& contents) {
    const auto items = items_of(node);
    const std::size_t count = form.starts_with('[') ? 2 : 1;
    if (items.size() != count) {
      errors_.add(node, "expected " + std::string(form), comma_hint(items, ""));
      return;
    }
    contents.a = names_.expression(items[0], View::candidate);
    if (count > 1) contents.b = names_.expression(items[1], View::candidate);
  }

  void read_offsets(const YamlNode& node, Contents& contents) {
    const Fields fields(node, "csr_offsets", {"nonzeros", "columns", "lengths", "exponent"}, errors_);
    if (!fields.is_map()) return;
    (void)fields.require("nonzeros", "the nonzeros of the matrix");
    (void)fields.require("columns", "the columns of the matrix");
    contents.a = names_.expression(fields, "nonzeros", View::candidate);
    contents.b = names_.expression(fields, "columns", View::candidate);
    contents.exponent = names_.expression(fields, "exponent", View::candidate);
    contents.lengths = names_.pattern(fields, "lengths", View::candidate);
    const std::vector<Pattern::Part>& parts = contents.lengths.parts;
    if (parts.size() == 1 && !parts[0].expression)
      (void)read_enum<RowLengths>(*fields.find("lengths"), "lengths", errors_);
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
      errors_.add_unknown(node, "check", std::vector<std::string>{"exact", "none"},
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
      if (fields.find("norm") != nullptr)
        fields.refuse(word, "a check has either a norm or bounds of single elements, not both");
    }
    const auto add_pair = [&](std::string_view one, std::string_view other) {
      if (fields.find(other) == nullptr)
        fields.refuse(one, std::string(one) + " needs " + std::string(other),
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

void read_other_inputs(const YamlNode& node, const std::vector<Axis>& axes, const std::string& folder,
                       std::vector<WrittenArgument>& arguments, Names& names, ErrorList& errors) {
  if (!check_map(node, "inputs", errors)) return;
  std::vector<std::string> known;
  for (const WrittenArgument& written : arguments) known.push_back(written.argument.name);
  ArgumentReader reader(axes, folder, names, errors);
  std::optional<std::size_t> length;  // of the lists, which belong together
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const auto at = std::ranges::find(known, node.keys[i].text);
    if (at != known.end()) {
      reader.read_other(node.keys[i], node.items[i],
                        arguments[static_cast<std::size_t>(at - known.begin())].argument);
      const std::size_t own = items_of(node.items[i]).size();
      if (own > 1 && own != length.value_or(own)) {
        errors.add(node.items[i],
                   std::to_string(own) + " contents, another input has " + std::to_string(*length),
                   "a fresh execution takes the next of all lists");
      }
      if (own > 1) length = own;
    } else {
      errors.add(node.keys[i], "no argument is called '" + node.keys[i].text + "'" +
                                   errors.guess(node.keys[i].text, known));
    }
  }
}

}  // namespace gktune
