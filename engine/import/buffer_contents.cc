// The initial contents of a kernel's buffers: positions in other buffers, values that the
// program writes, or random values.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/import/kernel_arguments.h"

namespace gktune {
namespace {

std::string bounds(const SizeTerm& low, const SizeTerm& high) {
  return "{uniform: [" + yaml_flow_text(low.text()) + ", " + yaml_flow_text(high.text()) + "]}";
}

}  // namespace

std::string KernelArguments::contents_of(const std::string& element) {
  if (element.starts_with("float") || element.starts_with("bfloat") || element.starts_with("complex"))
    return "{uniform: [0, 1]}";
  return "{uniform: [0, 100]}";
}

// Contents that the launching code writes, except equal values in inputs: these would hide wrong results.
std::optional<std::string> KernelArguments::filled_contents(ImportedArgument& argument,
                                                            const Buffer& buffer) {
  if (!buffer.filling) return std::nullopt;
  const LaunchingCode::Filling& filling = *buffer.filling;
  const bool is_integer = is_integer_type(buffer.element);
  const bool is_input = !buffer.use.is_written && !buffer.use.is_atomic && !buffer.use.is_passed_on;
  const auto number = filling.first.constant();
  if (filling.is_memset) {
    if (buffer.extent && filling.bytes) {
      const auto element = element_type_from_name(buffer.element);
      const auto extent = filling.bytes->divided_by(
          SizeTerm::number(static_cast<std::int64_t>(element ? element_size(*element) : 1)));
      if (extent && extent->text() != buffer.extent->text())
        argument.add_comment("the source sets only " + extent->text() + " of them");
    }
    if (is_input) return std::nullopt;
    if (number == 0) return "zero";
    if (is_integer && (number == 255 || number == -1))
      return buffer.element == "uint8"    ? "{constant: 255}"
             : buffer.element == "uint16" ? "{constant: 65535}"
             : buffer.element == "uint32" ? "{constant: 4294967295}"
             : buffer.element == "uint64" ? std::nullopt
                                          : std::optional<std::string>("{constant: -1}");
    if (number && buffer.element == "uint8") return fmt::format("{{constant: {}}}", *number & 255);
    argument.add_comment("the source sets each byte to " + filling.first.text());
    return std::nullopt;
  }
  if (buffer.width > 1) return std::nullopt;
  switch (filling.kind) {
    case LaunchingCode::Filling::Kind::range:
      return bounds(filling.first, filling.second);
    case LaunchingCode::Filling::Kind::ramp:
      return is_integer && filling.first.constant() && filling.second.constant()
                 ? std::optional("{ramp: [" + filling.first.text() + ", " + filling.second.text() + "]}")
                 : std::nullopt;
    case LaunchingCode::Filling::Kind::constant:
      if (is_input) return std::nullopt;
      if (number == 0) return "zero";
      return is_integer && number ? std::optional(fmt::format("{{constant: {}}}", *number)) : std::nullopt;
  }
  return std::nullopt;
}

// The argument whose values say where the rows of this one begin: x[columns[j]] between
// offsets[row] and offsets[row + 1].
const KernelArguments::Buffer* KernelArguments::offsets_of(const Buffer& columns) const {
  const Buffer* found = nullptr;
  for (const Buffer& each : buffers_) {
    if (&each == &columns || !each.use.has_next || !is_row_offsets(each)) continue;
    if (found != nullptr) return nullptr;
    found = &each;
  }
  return found;
}

bool KernelArguments::is_row_offsets(const Buffer& buffer) const {
  return buffer.use.has_next && buffer.use.is_read && !buffer.use.is_written &&
         (buffer.element == "int32" || buffer.element == "int64") && buffer.width == 1 &&
         !buffer.name.empty() && bounds_a_loop(buffer.name);
}

// `for (j = p[row]; j < p[row + 1]; …)`, or through variables that a loop compares with.
bool KernelArguments::bounds_a_loop(const std::string& pointer) const {
  const Tokens body = source_.bodies.body(source_.kernel.name);
  std::set<std::string_view> names{pointer};
  for (std::size_t i = 2; i + 1 < body.size(); ++i) {
    if (body[i] == pointer && body[i - 1] == "=" && body[i - 2].is_word()) names.insert(body[i - 2].text);
  }
  for (std::size_t i = 0; i + 1 < body.size(); ++i) {
    if (body[i] != "for" && body[i] != "while") continue;
    const std::size_t close = closing_bracket(body, i + 1);
    for (std::size_t k = i; k + 1 < close && k + 1 < body.size(); ++k) {
      if (body[k] == "<" && names.contains(body[k + 1].text)) return true;
    }
  }
  return false;
}

const KernelArguments::Buffer* KernelArguments::columns_of(const Buffer& offsets) const {
  for (const Buffer& each : buffers_) {
    const bool names_elements = is_integer_type(each.element) && each.width == 1 && each.use.is_read &&
                                !each.use.is_written && !each.use.indexes.empty() &&
                                each.use.indexes[0].is_exact &&
                                buffer_named(each.use.indexes[0].array) != nullptr;
    if (names_elements && offsets_of(each) == &offsets && each.element == offsets.element) return &each;
  }
  return nullptr;
}

// How many values an index may take: the extent of the array that it points into.
std::optional<SizeTerm> KernelArguments::index_limit(const PointerUse::Index& index) {
  std::optional<SizeTerm> extent;
  if (const Buffer* buffer = buffer_named(index.array)) {
    extent = buffer->extent;
    if (extent) extent = extent->divided_by(SizeTerm::number(buffer->width));
  } else if (const auto written = source_.bodies.array_extent(source_.kernel.name, index.array)) {
    extent = source_.code.translate(*written, 0);
  }
  if (!extent || !index.is_exact || index.factor.empty()) return index.is_exact ? extent : std::nullopt;
  // array[p[i] * width + j]
  const auto& parameters = *source_.kernel.parameters;
  for (std::size_t i = 0; source_.launch && i < parameters.size(); ++i) {
    if (parameters[i].name != index.factor[0].text) continue;
    const auto factor = source_.code.translate(source_.launch->arguments[i], source_.launch->place);
    return factor ? extent->divided_by(*factor) : std::nullopt;
  }
  const auto factor = source_.code.translate(index.factor, 0);
  return factor ? extent->divided_by(*factor) : std::nullopt;
}

// Contents of integers that are positions in other arrays.
std::optional<std::string> KernelArguments::index_contents(ImportedArgument& argument, const Buffer& buffer) {
  if (!is_integer_type(buffer.element) || buffer.width > 1 || buffer.use.is_written || buffer.use.is_atomic)
    return std::nullopt;
  if (is_row_offsets(buffer)) {
    const Buffer* columns = columns_of(buffer);
    const auto nonzeros = columns != nullptr ? columns->extent : extent_of_rows(buffer);
    const auto width = columns != nullptr ? index_limit(columns->use.indexes[0]) : nonzeros;
    if (nonzeros && width) {
      argument.add_comment("a guess: the kernel reads it as the offsets of rows");
      return fmt::format("{{csr_offsets: {{nonzeros: {}, columns: {}}}}}", yaml_flow_text(nonzeros->text()),
                         yaml_flow_text(width->text()));
    }
  }
  if (const Buffer* offsets = offsets_of(buffer); offsets != nullptr && columns_of(*offsets) == &buffer &&
                                                  buffer.extent && index_limit(buffer.use.indexes[0])) {
    argument.add_comment("a guess: the kernel reads it as the columns of those rows");
    return "{csr_columns: " + offsets->name + "}";
  }
  return std::nullopt;
}

// The extent of the input that the offsets divide into rows if no array of columns does: the extent of the
// first input whose elements are not indices.
std::optional<SizeTerm> KernelArguments::extent_of_rows(const Buffer& offsets) const {
  for (const Buffer& each : buffers_) {
    if (&each != &offsets && each.use.is_read && !each.use.is_written && each.extent &&
        each.use.indexes.empty())
      return each.extent;
  }
  return std::nullopt;
}

std::optional<std::string> KernelArguments::range_of_indexes(ImportedArgument& argument,
                                                             const Buffer& buffer) {
  if (!is_integer_type(buffer.element) || buffer.width > 1 || buffer.use.indexes.empty()) return std::nullopt;
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

}  // namespace gktune
