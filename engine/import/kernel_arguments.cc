#include "engine/import/kernel_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/core/text.h"

namespace gktune {
namespace {

// d_in, dev_in and in_d as in.
std::string plain_name(std::string name) {
  for (const std::string_view prefix : {"d_", "dev_", "device_"}) {
    if (name.starts_with(prefix) && name.size() > prefix.size()) return name.substr(prefix.size());
  }
  for (const std::string_view suffix : {"_d", "_dev", "_device"}) {
    if (name.ends_with(suffix) && name.size() > suffix.size())
      return name.substr(0, name.size() - suffix.size());
  }
  return name;
}

}  // namespace

KernelArguments::KernelArguments(KernelInSource source) : source_(std::move(source)) {
  find_buffers();
  for (std::size_t i = 0; i < source_.kernel.parameters->size(); ++i) read_argument(i);
  read_symbols();
  for (const Buffer& buffer : buffers_) note_kernels_before(buffer);
}

// The type that a template's parameter stands for in the launch.
std::string KernelArguments::without_template(const std::string& base) const {
  const auto& names = source_.kernel.template_parameters;
  const auto at = std::ranges::find(names, base);
  if (at == names.end() || !source_.launch || source_.launch->template_arguments.empty()) return base;
  const auto items = split_list(source_.launch->template_arguments, 0);
  const auto place = static_cast<std::size_t>(at - names.begin());
  return place < items.size() ? text_of(items[place]) : base;
}

void KernelArguments::find_buffers() {
  const auto& parameters = *source_.kernel.parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const CppType type = parse_type(parameters[i].type);
    if (type.pointers == 0) continue;
    Buffer buffer;
    buffer.place = i;
    buffer.name = parameters[i].name;
    const std::string base = without_template(type.base);
    const auto known = element_type_from_name(base);
    auto layout = source_.code.layout(base);
    if (known) layout = TypeLayout{element_size(*known), element_size(*known), known, 1};
    if (type.pointers > 1) {
      source_.note("argument " + buffer.name +
                   ": an array of pointers has to be filled by a setup step (docs/space-file.md, setup)");
      buffer.element = "uint64";
    } else if (layout && layout->element) {
      buffer.element = std::string(element_type_name(*layout->element));
      buffer.width = static_cast<std::int64_t>(layout->elements);
    } else if (layout) {
      buffer.element = "uint8";
      buffer.width = static_cast<std::int64_t>(layout->size);
      buffer.comment = "bytes of " + base;
      source_.note("argument " + buffer.name + ": " + base +
                   " has parts of several types: the file describes its bytes");
    } else {
      buffer.element = "float32";
      source_.note("argument " + buffer.name + ": its type " + base + " is not known; float32 is a guess");
    }
    if (source_.launch) {
      const auto allocation = source_.code.allocation(source_.launch->arguments[i], source_.launch->place);
      if (auto bytes = allocation ? source_.code.bytes_of(*allocation) : std::nullopt) {
        const auto element = element_type_from_name(buffer.element);
        const auto size = SizeTerm::number(static_cast<std::int64_t>(element ? element_size(*element) : 1));
        buffer.extent = bytes->divided_by(size);
      }
      buffer.filling = source_.code.filling(source_.launch->arguments[i], source_.launch->place);
    }
    if (type.points_to_const) {
      buffer.use =
          buffer.name.empty() ? PointerUse() : source_.bodies.use_of(source_.kernel.name, buffer.name);
      buffer.use.is_written = buffer.use.is_atomic = buffer.use.is_passed_on = false;
      buffer.use.is_read = true;
    } else if (!buffer.name.empty()) {
      buffer.use = source_.bodies.use_of(source_.kernel.name, buffer.name);
    }
    buffers_.push_back(std::move(buffer));
  }
}

const KernelArguments::Buffer* KernelArguments::buffer_named(std::string_view name) const {
  const auto found = std::ranges::find(buffers_, name, &Buffer::name);
  return found == buffers_.end() ? nullptr : &*found;
}

// Another kernel that the source launches first and that writes the same buffer.
void KernelArguments::note_kernels_before(const Buffer& buffer) {
  if (!source_.launch || (!buffer.use.is_read && !buffer.use.is_passed_on)) return;
  const std::string pointer = text_of(source_.launch->arguments[buffer.place]);
  for (const FoundLaunch& launch : source_.code.launches()) {
    const auto kernel = std::ranges::find(source_.kernels, launch.kernel, &FunctionSignature::name);
    if (launch.place >= source_.launch->place || kernel == source_.kernels.end() ||
        &*kernel == &source_.kernel || !kernel->parameters)
      continue;
    for (std::size_t i = 0; i < launch.arguments.size() && i < kernel->parameters->size(); ++i) {
      const FunctionSignature::Parameter& parameter = (*kernel->parameters)[i];
      if (text_of(launch.arguments[i]) != pointer || parse_type(parameter.type).points_to_const) continue;
      const PointerUse use = source_.bodies.use_of(kernel->name, parameter.name);
      if (!use.is_written && !use.is_atomic && !use.is_passed_on) continue;
      source_.note(
          fmt::format("argument {}: the source lets the kernel {} write it first: add that to setup: "
                      "(docs/space-file.md)",
                      buffer.name, kernel->name));
      return;
    }
  }
}

void KernelArguments::read_argument(std::size_t place) {
  const FunctionSignature::Parameter& parameter = (*source_.kernel.parameters)[place];
  const CppType type = parse_type(parameter.type);
  const Tokens passed = source_.launch ? source_.launch->arguments[place] : Tokens();
  ImportedArgument argument;
  const bool is_name = passed.size() == 1 && passed[0].is_word();
  argument.name = parameter.name.empty()
                      ? (is_name ? plain_name(std::string(passed[0].text)) : fmt::format("argument{}", place))
                      : parameter.name;
  argument.passed = argument.name;
  if (type.pointers == 0) {
    read_scalar(argument, without_template(type.base), passed);
  } else {
    read_buffer(argument, *std::ranges::find(buffers_, place, &Buffer::place));
  }
  if (!argument.type.empty() || !argument.passed.empty()) arguments_.push_back(std::move(argument));
}

void KernelArguments::read_scalar(ImportedArgument& argument, const std::string& type, Tokens passed) {
  const auto known = element_type_from_name(source_.code.resolved_type(type));
  if (!known && read_struct(argument, source_.code.resolved_type(type), passed)) return;
  if (!known) {
    const bool is_texture = type == "cudaTextureObject_t" || type == "CUtensorMap";
    source_.note("argument " + argument.name + ": its type " + type + " is not known; " +
                 (is_texture ? std::string("pass it with {texture: …} or {tensor_map: …} in the launch")
                             : "float32 is a guess"));
  }
  const std::string element = known ? std::string(element_type_name(*known)) : "float32";
  std::optional<SizeTerm> term;
  if (source_.launch) term = source_.code.translate(passed, source_.launch->place);
  std::optional<std::string> value;
  if (!source_.launch && source_.code.known.contains(argument.name)) value = argument.name;
  if (term) value = (is_integer_type(element) ? term->as_integer() : *term).text();
  if (!value && type == "bool" && passed.size() == 1 && (passed[0] == "true" || passed[0] == "false"))
    value = passed[0] == "true" ? "1" : "0";
  if (const auto start = !value && passed.size() == 1
                             ? source_.code.loop_start(passed[0].text, source_.launch->place)
                             : std::nullopt) {
    value = start->text();
    argument.add_comment("the source launches it in a loop, with " + text_of(passed) +
                         " from here: see repeat in docs/space-file.md");
  }
  if (!value)
    argument.add_comment(source_.launch ? "a guess: the source passes " + text_of(passed) : "a guess");
  argument.type = element;
  argument.value = value.value_or("1");
}

// A struct by value: its members in the launch. Pointers in it are buffers of their own.
bool KernelArguments::read_struct(ImportedArgument& argument, const std::string& type, Tokens passed) {
  const std::vector<StructMember> members = source_.code.members(type);
  if (members.empty()) return false;
  const std::vector<Tokens> initial =
      passed.size() == 1 ? source_.code.initializer(passed[0].text) : std::vector<Tokens>();
  std::vector<std::string> items;
  std::vector<ImportedArgument> buffers;
  for (const StructMember& member : members) {
    if (member.type.ends_with('*')) {
      const std::string base = member.type.substr(0, member.type.size() - 1);
      const auto layout = source_.code.layout(base);
      if (!layout || !layout->element) return false;
      ImportedArgument buffer;
      buffer.name = argument.name + "_" + member.name;
      buffer.type = element_type_name(*layout->element);
      buffer.extent = source_.all_elements();
      buffer.role = "inout";
      buffer.init = contents_of(buffer.type);
      buffer.comment = "the extent and the role are guesses";
      items.push_back(buffer.name);
      buffers.push_back(std::move(buffer));
      continue;
    }
    const auto element = element_type_from_name(source_.code.resolved_type(member.type));
    if (!element) return false;
    const std::vector<Token> name = tokenize(member.name);
    const std::size_t order = items.size(), place = source_.launch ? source_.launch->place : 0;
    const auto value = source_.code.translate(order < initial.size() ? initial[order] : Tokens(name), place);
    items.push_back(fmt::format("{{type: {}, value: {}}}", element_type_name(*element),
                                value ? yaml_flow_text(value->text()) : "1"));
    if (!value) source_.note("argument " + argument.name + ": the value of " + member.name + " is a guess");
  }
  for (ImportedArgument& buffer : buffers) arguments_.push_back(std::move(buffer));
  argument.passed = "{struct: [" + joined(items) + "]}";
  return true;
}

// Extents that a space file needs, or the guess.
std::string KernelArguments::extent_text(const Buffer& buffer) {
  if (buffer.extent) return buffer.extent->text();
  const std::string all = source_.all_elements();
  return buffer.width > 1 ? fmt::format("{} * {}", all.find(' ') == std::string::npos ? all : "(" + all + ")",
                                        buffer.width)
                          : all;
}

void KernelArguments::read_buffer(ImportedArgument& argument, const Buffer& buffer) {
  if (!buffer.comment.empty()) argument.add_comment(buffer.comment);
  if (!buffer.extent) argument.add_comment("the extent is a guess");
  argument.type = buffer.element;
  argument.extent = extent_text(buffer);
  const PointerUse& use = buffer.use;
  const bool is_unseen = use.is_passed_on && !use.is_written && !use.is_atomic;
  const bool is_output = use.is_written && !use.is_read && !use.is_atomic && !use.is_passed_on;
  if (is_unseen) argument.add_comment("the role is a guess");
  if (is_output && !(buffer.filling && buffer.filling->is_memset)) {
    argument.role = "out";
    return;
  }
  if (is_output) argument.add_comment("the source sets it first; role: out if the kernel writes all of it");
  if (use.is_atomic || use.is_written || is_unseen) argument.role = "inout";
  std::optional<std::string> contents = index_contents(argument, buffer);
  if (!contents) contents = filled_contents(argument, buffer);
  if (!contents && use.is_atomic && !use.is_read) contents = "zero";
  if (!contents) contents = range_of_indexes(argument, buffer);
  if (!contents) contents = use.is_atomic ? "zero" : contents_of(buffer.element);
  argument.init = *std::move(contents);
}

// Variables of the source that cudaMemcpyToSymbol sets.
void KernelArguments::read_symbols() {
  for (const LaunchingCode::Call& call :
       source_.code.calls_of({"cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync"}, 1)) {
    const Tokens variable = call.items[0];
    if (variable.empty() || !variable.back().is_word()) continue;
    const std::string name(variable.back().text);
    const bool is_known =
        std::ranges::any_of(arguments_, [&](const ImportedArgument& each) { return each.name == name; });
    if (is_known || !source_.text.words.contains(name)) continue;
    add_symbol(name);
  }
}

void KernelArguments::add_symbol(const std::string& name) {
  for (std::size_t i = 1; i + 1 < source_.tokens.size(); ++i) {
    if (source_.tokens[i] != name || !(source_.tokens[i - 1].is_word())) continue;
    std::size_t begin = i;
    bool is_variable = false;
    for (; begin > 0 && source_.tokens[begin - 1].is_word(); --begin)
      is_variable = is_variable || source_.tokens[begin - 1] == "__constant__" ||
                    source_.tokens[begin - 1] == "__device__";
    if (!is_variable) continue;
    const auto layout =
        source_.code.layout(source_.code.resolved_type(std::string(source_.tokens[i - 1].text)));
    const auto extent = source_.code.array_extent(i + 1, 0);
    if (!extent || !layout || !layout->element) {
      source_.note("the source sets the variable " + name + ": add an argument with symbol: " + name);
      return;
    }
    ImportedArgument argument;
    argument.name = argument.symbol = name;
    argument.type = element_type_name(*layout->element);
    const auto elements = static_cast<std::int64_t>(layout->elements);
    argument.extent = SizeTerm::number(elements).times(*extent).text();
    argument.init = contents_of(argument.type);
    arguments_.push_back(std::move(argument));
    return;
  }
}

}  // namespace gktune
