#include "engine/import/kernel_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/core/text.h"
#include "tuner/measure/element.h"

namespace gktune {
namespace {

std::string bounds(const SizeTerm& low, const SizeTerm& high) {
  return "{uniform: [" + yaml_flow_text(low.text()) + ", " + yaml_flow_text(high.text()) + "]}";
}

std::string random_contents(ElementType element, const PointerUse& use = {}) {
  return is_floating(element) ? "{uniform: [0, 1]}"
         : use.is_divisor     ? "{uniform: [1, 100]}"
                              : "{uniform: [0, 100]}";
}

class KernelArguments {
 public:
  explicit KernelArguments(KernelInSource source) : source_(std::move(source)) {
    find_buffers();
    for (std::size_t i = 0; i < source_.kernel.parameters->size(); ++i) read_argument(i);
    read_symbols();
  }

  std::vector<ImportedArgument> list() { return std::move(arguments_); }

 private:
  // A pointer argument.
  struct Buffer {
    std::size_t place = 0;  // among the kernel's parameters
    std::string name;       // of the kernel's parameter
    ElementType element = ElementType::float32;
    std::int64_t width = 1;  // space-file elements in an element of the kernel: 4 for float4
    std::optional<SizeTerm> extent;
    PointerUse use;
    std::optional<std::int64_t> memset_byte;
    std::string comment;
    bool is_of_bytes = false;  // of structs, in which random ones mean nothing
    bool is_of_unknown = false;  // type
    bool has_offset = false;     // the launch passes a place inside of it
  };

  // The type that a template's parameter stands for in the launch.
  std::string without_template(const std::string& base) const {
    const auto& names = source_.kernel.template_parameters;
    const auto place = static_cast<std::size_t>(std::ranges::find(names, base) - names.begin());
    return place < source_.template_values.size() ? source_.template_values[place] : base;
  }

  void find_buffers() {
    const auto& parameters = *source_.kernel.parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const CppType type = parse_type(parameters[i].type);
      if (type.pointers == 0) continue;
      Buffer buffer;
      buffer.place = i;
      buffer.name = parameters[i].name;
      const std::string base = without_template(type.base);
      const auto layout = source_.code.layout(base);
      if (type.pointers > 1) {
        source_.note("argument " + buffer.name +
                     ": an array of pointers has to be filled by a setup step (docs/space-file.md, setup)");
        buffer.element = ElementType::uint64;
      } else if (layout && layout->element) {
        buffer.element = *layout->element;
        buffer.width = layout->elements;
      } else if (layout) {
        buffer.element = ElementType::uint8;
        buffer.width = layout->size;
        buffer.is_of_bytes = true;
        buffer.comment = "bytes of " + base;
        source_.note("argument " + buffer.name + ": " + base +
                     " has parts of several types: the file describes its bytes");
      } else {
        source_.note("argument " + buffer.name + ": its type " + base + " is not known; float32 is a guess");
      }
      buffer.is_of_unknown = type.pointers > 1 || !layout;
      if (source_.launch) {
        const auto allocation = source_.code.allocation(source_.launch->arguments[i], source_.launch->place);
        if (allocation)
          buffer.extent = elements_of(source_.code.bytes_of(*allocation, bytes_of(buffer)), buffer);
        // The program sets the size later.
        if (buffer.extent && buffer.extent->constant() == 0) buffer.extent.reset();
        buffer.has_offset = is_offset(source_.launch->arguments[i]);
        buffer.memset_byte = source_.code.memset_byte(source_.launch->arguments[i], source_.launch->place);
      }
      if (!buffer.name.empty()) buffer.use = source_.bodies.use_of(source_.kernel.name, buffer.name);
      if (type.points_to_const) {
        buffer.use.is_written = buffer.use.is_atomic = buffer.use.is_passed_on = false;
        buffer.use.is_read = true;
      }
      buffers_.push_back(std::move(buffer));
    }
  }

  // p + n, &p[n]
  static bool is_offset(Tokens pointer) {
    const bool is_element = pointer.size() > 4 && pointer[0] == "&" && pointer.back() == "]";
    return has(pointer, "+") || (is_element && pointer[pointer.size() - 2] != "0");
  }

  static std::optional<SizeTerm> elements_of(const std::optional<SizeTerm>& bytes, const Buffer& buffer) {
    const auto size = static_cast<std::int64_t>(element_size(buffer.element));
    return bytes ? bytes->divided_by(SizeTerm::number(size)) : std::nullopt;
  }

  static std::int64_t bytes_of(const Buffer& buffer) {
    return static_cast<std::int64_t>(element_size(buffer.element)) * buffer.width;
  }

  void read_argument(std::size_t place) {
    const FunctionSignature::Parameter& parameter = (*source_.kernel.parameters)[place];
    const CppType type = parse_type(parameter.type);
    const Tokens passed = source_.launch ? source_.launch->arguments[place] : Tokens();
    ImportedArgument argument;
    argument.name = parameter.name;
    if (argument.name.empty() && passed.size() == 1 && passed[0].is_word()) argument.name = passed[0].text;
    if (argument.name.empty()) argument.name = fmt::format("argument{}", place);
    argument.passed = argument.name;
    if (type.pointers == 0) {
      read_scalar(argument, without_template(type.base), passed);
    } else {
      read_buffer(argument, *std::ranges::find(buffers_, place, &Buffer::place));
    }
    arguments_.push_back(std::move(argument));
  }

  // 0xffffffff is -1 for an int.
  static SizeTerm in_range(const SizeTerm& term, ElementType element) {
    const auto number = term.constant();
    if (!number || element != ElementType::int32) return term;
    return SizeTerm::number(static_cast<std::int32_t>(*number));
  }

  void read_scalar(ImportedArgument& argument, const std::string& type, Tokens passed) {
    const auto known = element_type_from_name(source_.code.resolved_type(type));
    if (!known && (read_vector(argument, type, passed) ||
                   read_struct(argument, source_.code.resolved_type(type), passed)))
      return;
    if (type == "cudaTextureObject_t" && read_texture(argument)) return;
    if (!known) {
      argument.is_guess = true;
      const bool is_texture = type == "cudaTextureObject_t" || type == "CUtensorMap";
      source_.note("argument " + argument.name + ": its type " + type + " is not known; " +
                   (is_texture ? std::string("pass it with {texture: …} or {tensor_map: …} in the launch")
                               : "float32 is a guess"));
    }
    const ElementType element = known.value_or(ElementType::float32);
    std::optional<SizeTerm> term;
    if (source_.launch) term = source_.code.translate(passed, source_.launch->place);
    std::optional<std::string> value;
    const auto size = source_.code.known.find(argument.name);
    if (!source_.launch && size != source_.code.known.end()) value = size->second;
    if (term) value = (is_floating(element) ? *term : in_range(term->as_integer(), element)).text();
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
    argument.type = element_type_name(element);
    argument.is_guess = argument.is_guess || (!value && !is_floating(element));
    argument.value = value.value_or("1");
  }

  // A texture of one or two sizes that the kernels read as tex2D<float4>(name, x, y).
  bool read_texture(ImportedArgument& argument) {
    for (std::size_t i = 0; i + 2 < source_.tokens.size(); ++i) {
      const bool is_image = source_.tokens[i] == "tex2D";
      if ((!is_image && source_.tokens[i] != "tex1Dfetch") || source_.tokens[i + 1] != "<") continue;
      const std::size_t close = closing_bracket(source_.tokens, i + 1);
      if (close + 2 >= source_.tokens.size() || source_.tokens[close + 2] != argument.name) continue;
      const auto layout = source_.code.layout(text_of(source_.tokens.subspan(i + 2, close - i - 2)));
      if (!layout || !layout->element) return false;
      const std::string texels = source_.all_elements();
      const std::size_t product = texels.find(" * ");
      ImportedArgument buffer;
      buffer.name = argument.name + "_texels";
      buffer.type = element_type_name(*layout->element);
      buffer.extent = layout->elements == 1 ? texels : fmt::format("{} * {}", texels, layout->elements);
      buffer.init = random_contents(*layout->element);
      buffer.is_extent_guess = true;
      buffer.comment = "the sizes of the texture are guesses";
      const std::string sizes = !is_image ? texels
                                : product == std::string::npos
                                    ? texels + ", 1"
                                    : texels.substr(0, product) + ", " + texels.substr(product + 3);
      argument.passed =
          fmt::format("{{texture: {}, sizes: [{}], channels: {}}}", buffer.name, sizes, layout->elements);
      arguments_.push_back(std::move(buffer));
      return true;
    }
    return false;
  }

  // float2 by value, from a variable or from make_float2(x, y).
  bool read_vector(ImportedArgument& argument, const std::string& type, Tokens passed) {
    const auto layout = source_.code.layout(type);
    if (!layout || !layout->element || !source_.code.members(type).empty()) return false;
    std::vector<Tokens> written;
    if (passed.size() > 1 && passed[1] == "(") written = split_list(passed, 1);
    if (passed.size() == 1) written = source_.code.initializer(passed[0].text);
    std::vector<std::string> items;
    for (std::size_t i = 0; i < static_cast<std::size_t>(layout->elements); ++i) {
      const StructMember part{std::string(element_type_name(*layout->element)),
                              argument.name + '_' + "xyzw"[i]};
      items.push_back(*struct_scalar(part.name, part, i < written.size() ? written[i] : Tokens()));
    }
    argument.passed = "{struct: [" + joined(items) + "]}";
    return true;
  }

  // A struct by value: its members in the launch. Pointers in it are buffers of their own.
  bool read_struct(ImportedArgument& argument, const std::string& type, Tokens passed) {
    const std::vector<Tokens> initial =
        passed.size() == 1 ? source_.code.initializer(passed[0].text) : std::vector<Tokens>();
    std::vector<ImportedArgument> buffers;
    const auto items = struct_items(argument.name, type, initial, buffers);
    if (!items) return false;
    for (ImportedArgument& buffer : buffers) arguments_.push_back(std::move(buffer));
    argument.passed = *items;
    return true;
  }

  // {struct: […]}. Nullopt if a member has a type that space files do not have.
  std::optional<std::string> struct_items(const std::string& name, const std::string& type,
                                          const std::vector<Tokens>& initial,
                                          std::vector<ImportedArgument>& buffers, int depth = 0) {
    constexpr int kMostLevels = 4;
    const std::vector<StructMember> members = source_.code.members(type);
    if (members.empty() || depth == kMostLevels) return std::nullopt;
    std::vector<std::string> items;
    for (const StructMember& member : members) {
      const std::string full = name + "_" + member.name;
      const Tokens value = items.size() < initial.size() ? initial[items.size()] : Tokens();
      auto item = member.type.ends_with('*') ? struct_buffer(full, member.type, buffers)
                                             : struct_scalar(full, member, value);
      if (!item) item = struct_items(full, source_.code.resolved_type(member.type), {}, buffers, depth + 1);
      if (!item) return std::nullopt;
      items.push_back(*std::move(item));
    }
    return "{struct: [" + joined(items) + "]}";
  }

  std::optional<std::string> struct_buffer(const std::string& name, const std::string& type,
                                           std::vector<ImportedArgument>& buffers) {
    const std::string pointed = type.substr(0, type.size() - 1);
    const auto layout = source_.code.layout(pointed);
    if (!layout) return std::nullopt;
    const ElementType element = layout->element.value_or(ElementType::uint8);
    ImportedArgument buffer;
    buffer.name = name;
    buffer.type = element_type_name(element);
    buffer.extent = times(source_.all_elements(), layout->element ? layout->elements : layout->size);
    buffer.role = "inout";
    buffer.init = layout->element ? random_contents(element) : "zero";
    buffer.is_extent_guess = true;
    buffer.comment = "the extent and the role are guesses";
    if (!layout->element) buffer.comment += "; bytes of " + pointed;
    buffer.is_guess = !is_floating(element);
    buffers.push_back(std::move(buffer));
    return name;
  }

  // A number, or several of one type as in float3.
  std::optional<std::string> struct_scalar(const std::string& name, const StructMember& member,
                                           Tokens written) {
    const auto layout = source_.code.layout(source_.code.resolved_type(member.type));
    if (!layout || !layout->element || !source_.code.members(member.type).empty()) return std::nullopt;
    const std::vector<Token> own = tokenize(member.name);
    const std::size_t place = source_.launch ? source_.launch->place : 0;
    const auto value = source_.code.translate(written.empty() ? Tokens(own) : written, place);
    if (!value) source_.note("the value of " + name + " is a guess");
    const std::string item = fmt::format("{{type: {}, value: {}}}", element_type_name(*layout->element),
                                         value ? yaml_flow_text(value->text()) : "1");
    if (layout->elements == 1) return item;
    return "{struct: [" + joined(std::vector(static_cast<std::size_t>(layout->elements), item)) + "]}";
  }

  // Extents that a space file needs, or the guess.
  std::string extent_text(const Buffer& buffer) {
    if (buffer.extent) return buffer.extent->text();
    return times(source_.all_elements(), buffer.width);
  }

  static std::string times(const std::string& extent, std::int64_t factor) {
    if (factor == 1) return extent;
    return fmt::format("{} * {}", extent.find(' ') == std::string::npos ? extent : "(" + extent + ")",
                       factor);
  }

  void read_buffer(ImportedArgument& argument, const Buffer& buffer) {
    if (!buffer.comment.empty()) argument.add_comment(buffer.comment);
    argument.is_extent_guess = !buffer.extent || buffer.has_offset;
    if (buffer.has_offset)
      argument.add_comment("the source passes " + text_of(source_.launch->arguments[buffer.place]));
    argument.is_guess = buffer.is_of_unknown;
    argument.type = element_type_name(buffer.element);
    argument.extent = extent_text(buffer);
    const PointerUse& use = buffer.use;
    const bool is_unseen = use.is_passed_on && !use.is_written && !use.is_atomic;
    const bool is_output = use.is_written && !use.is_read && !use.is_atomic && !use.is_passed_on;
    if (is_unseen) argument.add_comment("the role is a guess");
    if (is_output && !buffer.memset_byte) {
      argument.role = "out";
      return;
    }
    if (is_output) argument.add_comment("the source sets it first; role: out if the kernel writes all of it");
    if (use.is_atomic || use.is_written || is_unseen) argument.role = "inout";
    // Equal values in inputs would hide wrong results.
    const bool is_cleared = buffer.memset_byte == 0 && !argument.role.empty();
    const bool is_zero = is_cleared || use.is_atomic || buffer.is_of_bytes;
    const auto range = is_zero ? std::nullopt : range_of_indexes(argument, buffer);
    const bool decides = buffer.is_of_bytes ||
                         (!is_zero && !is_floating(buffer.element) && (use.is_bound || !use.indexes.empty()));
    argument.is_guess = argument.is_guess || (decides && !range);
    argument.init = is_zero ? "zero" : range.value_or(random_contents(buffer.element, use));
  }

  const Buffer* buffer_named(std::string_view name) const {
    const auto found = std::ranges::find(buffers_, name, &Buffer::name);
    return found == buffers_.end() ? nullptr : &*found;
  }

  // How many values an index may take: the extent of the array that it points into.
  std::optional<SizeTerm> index_limit(const PointerUse::Index& index) {
    std::optional<SizeTerm> extent;
    if (const Buffer* buffer = buffer_named(index.array)) {
      extent = buffer->extent;
      if (extent) extent = extent->divided_by(SizeTerm::number(buffer->width));
    } else if (const auto written = source_.bodies.array_extent(source_.kernel.name, index.array)) {
      extent = source_.code.translate(*written, 0);
    }
    if (!extent || !index.is_exact || index.factor.empty()) return index.is_exact ? extent : std::nullopt;
    // array[p[i] * width + j]
    LaunchingCode::Written written{index.factor};
    const auto& parameters = *source_.kernel.parameters;
    const auto passed =
        std::ranges::find(parameters, index.factor[0].text, &FunctionSignature::Parameter::name);
    if (source_.launch && passed != parameters.end())
      written = {source_.launch->arguments[static_cast<std::size_t>(passed - parameters.begin())],
                 source_.launch->place};
    const auto factor = source_.code.translate(written.tokens, written.place);
    return factor ? extent->divided_by(*factor) : std::nullopt;
  }

  std::optional<std::string> range_of_indexes(ImportedArgument& argument, const Buffer& buffer) {
    if (is_floating(buffer.element) || buffer.width > 1 || buffer.use.indexes.empty()) return std::nullopt;
    for (const PointerUse::Index& index : buffer.use.indexes) {
      const auto limit = index_limit(index);
      if (!limit) continue;
      argument.add_comment("the range is a guess: the values are positions in " + index.array);
      return bounds(SizeTerm::number(0), limit->minus(SizeTerm::number(1)));
    }
    argument.add_comment("a guess: its values are positions in " + buffer.use.indexes[0].array +
                         ", and the source does not say how many that has");
    return std::nullopt;
  }

  // Variables of the source that cudaMemcpyToSymbol sets.
  void read_symbols() {
    for (const LaunchingCode::Call& call :
         source_.code.calls_of({"cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync"}, 1)) {
      const Tokens variable = call.items[0];
      if (variable.empty() || !variable.back().is_word()) continue;
      const std::string name(variable.back().text);
      const bool is_new = std::ranges::find(arguments_, name, &ImportedArgument::name) == arguments_.end();
      if (is_new && source_.text.words.contains(name)) add_symbol(name);
    }
  }

  void add_symbol(const std::string& name) {
    for (std::size_t i = 1; i + 1 < source_.tokens.size(); ++i) {
      if (source_.tokens[i] != name || !source_.tokens[i - 1].is_word()) continue;
      std::size_t begin = i;
      while (begin > 0 && source_.tokens[begin - 1].is_word()) --begin;
      const Tokens words = source_.tokens.subspan(begin, i - begin);
      if (!has(words, "__constant__") && !has(words, "__device__")) continue;
      const auto layout = source_.code.layout(words.back().text);
      const auto extent = source_.code.array_extent(i + 1, 0);
      if (!extent || !layout || !layout->element) {
        source_.note("the source sets the variable " + name + ": add an argument with symbol: " + name);
        return;
      }
      ImportedArgument argument;
      argument.name = argument.symbol = name;
      argument.type = element_type_name(*layout->element);
      argument.extent = SizeTerm::number(layout->elements).times(*extent).text();
      argument.init = random_contents(*layout->element);
      arguments_.push_back(std::move(argument));
      return;
    }
  }

  KernelInSource source_;
  std::vector<Buffer> buffers_;
  std::vector<ImportedArgument> arguments_;
};

}  // namespace

std::vector<ImportedArgument> kernel_arguments(const KernelInSource& source) {
  return KernelArguments(source).list();
}

}  // namespace gktune
