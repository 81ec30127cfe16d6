#include <algorithm>
#include <map>

#include "tuner/core/text.h"
#include "tuner/space/resolve/parts.h"

namespace gktune {
namespace {

using Signature = FunctionSignature;
using Substitutions = std::map<std::string, std::string, std::less<>>;

// reduce and [float, 256] of ns::reduce<float, 256>.
struct Entry {
  std::string name;
  std::vector<std::string> template_arguments;
};

Entry read_entry(const std::string& text) {
  Entry entry;
  const std::vector<Token> tokens = tokenize(text);
  std::size_t open = 0;
  while (open < tokens.size() && tokens[open] != "<") ++open;
  if (open > 0) entry.name = tokens[open - 1].text;
  if (open == tokens.size()) return entry;
  for (Tokens item : split_list(tokens, open)) {
    entry.template_arguments.push_back(joined(item, " ", &Token::text));
  }
  return entry;
}

// The parameter's type with template arguments and macros put in. complex<float> has the name of CUDA's type.
CppType type_of(const std::string& text, const Substitutions& substitutions) {
  std::string replaced;
  for (const Token& token : tokenize(text)) {
    const auto found = substitutions.find(token.text);
    replaced += ' ';
    replaced += found == substitutions.end() ? token.text : found->second;
  }
  const std::vector<Token> tokens = tokenize(replaced);
  std::string named;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool is_complex = i + 3 < tokens.size() && tokens[i] == "complex" && tokens[i + 1] == "<" &&
                            tokens[i + 3] == ">" && (tokens[i + 2] == "float" || tokens[i + 2] == "double");
    named += ' ';
    named += !is_complex ? tokens[i].text : tokens[i + 2] == "float" ? "cuFloatComplex" : "cuDoubleComplex";
    if (is_complex) i += 3;
  }
  return parse_type(named);
}

// An element type, also by names that the space file's language does not know.
std::optional<ElementType> element_type_of(std::string base) {
  for (const std::string_view prefix : {"::", "cuda::", "std::", "thrust::"}) {
    if (base.starts_with(prefix)) base.erase(0, prefix.size());
  }
  if (base.ends_with(" int")) base.erase(base.size() - 4);  // long int is long
  static const std::map<std::string, ElementType, std::less<>> kNames = {
      {"byte", ElementType::uint8},           {"ptrdiff_t", ElementType::int64},
      {"long unsigned", ElementType::uint64}, {"signed", ElementType::int32},
      {"uint", ElementType::uint32},          {"uchar", ElementType::uint8},
      {"ushort", ElementType::uint16}};
  if (const auto known = kNames.find(base); known != kNames.end()) return known->second;
  return element_type_from_name(base);
}

bool is_real(ElementType type) { return type >= ElementType::float16; }

// int and unsigned have the same bits; float16 and bfloat16 do not. A complex number is two of its parts.
bool are_alike(ElementType a, ElementType b) {
  a = part_type(a);
  b = part_type(b);
  if (is_real(a) || is_real(b)) return a == b;
  return element_size(a) == element_size(b);
}

std::string words_for(const ArgumentPlan& argument) {
  if (argument.is_tensor_map() || argument.is_texture()) return "the launch passes a " + argument.name;
  if (!argument.members.empty())
    return "the launch passes a struct of " + std::to_string(argument.members.size());
  const std::string type(element_type_name(argument.type));
  return '\'' + argument.name + "' is a " + (argument.is_scalar ? "scalar of type " : "buffer of ") + type;
}

bool fits(const CppType& type, const ArgumentPlan& argument) {
  const auto element = element_type_of(type.base);
  if (!argument.members.empty() || argument.is_tensor_map()) return type.pointers == 0 && !element;
  // For a complex argument the two elements of the vector are its parts.
  if (type.pointers == 1 && is_complex(argument.type) && (type.base == "float2" || type.base == "double2"))
    return are_alike(argument.type, type.base == "float2" ? ElementType::float32 : ElementType::float64);
  // A texture object is a number of eight bytes.
  const bool is_handle = type.base == "cudaTextureObject_t" || type.base == "CUtexObject";
  if (argument.is_texture())
    return type.pointers == 0 && (is_handle || !element || element_size(*element) == kTextureBytes);
  if (is_handle && type.pointers == 0) return false;
  if (type.pointers == 0) return !element || (argument.is_scalar && are_alike(*element, argument.type));
  if (argument.is_scalar) return false;
  // Bytes match any type.
  const bool is_raw = element && element_size(*element) == 1;
  return type.pointers > 1 || !element || is_raw || are_alike(*element, argument.type);
}

std::string list_of(const std::vector<Signature::Parameter>& parameters) {
  if (parameters.empty()) return "none";
  return joined(parameters, ", ", [](const Signature::Parameter& parameter) {
    return parameter.type + (parameter.name.empty() ? "" : " ") + parameter.name;
  });
}

// One launch and one function that it may call.
class Match {
 public:
  Match(const StepPlan& step, const std::vector<ArgumentPlan>& arguments, const ProgramPlan& program,
        const Entry& entry, const Signature& signature)
      : signature_(signature) {
    for (const int index : step.arguments) arguments_.push_back(&passed_argument(arguments, program, index));
    Substitutions substitutions;
    for (const auto& [name, value] : program.source.macros) substitutions[name] = value;
    for (std::size_t i = 0; i < signature.template_parameters.size(); ++i) {
      const bool is_given = i < entry.template_arguments.size();
      // A missing template argument is deduced or has a default. A macro of its name does not replace it.
      substitutions[signature.template_parameters[i]] = is_given ? entry.template_arguments[i] : "?";
    }
    for (const Signature::Parameter& parameter : *signature.parameters)
      types_.push_back(type_of(parameter.resolved_type, substitutions));
  }

  // Empty if the text shows no error.
  std::string fault() const {
    const std::vector<Signature::Parameter>& parameters = *signature_.parameters;
    if (arguments_.size() != parameters.size()) {
      return "it has " + std::to_string(parameters.size()) + " parameters (" + list_of(parameters) +
             "), the launch passes " + std::to_string(arguments_.size()) + " arguments (" +
             joined(arguments_, ", ", &ArgumentPlan::name) + ")";
    }
    std::vector<std::size_t> wrong;
    for (std::size_t i = 0; i < types_.size(); ++i) {
      if (!fits(types_[i], *arguments_[i])) wrong.push_back(i);
    }
    if (wrong.empty()) return {};
    const std::size_t first = wrong.front();
    std::string text = "parameter " + std::to_string(first + 1);
    if (!parameters[first].name.empty()) text += " '" + parameters[first].name + '\'';
    text += " is " + parameters[first].type;
    if (element_type_of(types_[first].base) &&
        parameters[first].type.find(types_[first].base) == std::string::npos)
      text += " (" + types_[first].base + ')';
    text += ", " + words_for(*arguments_[first]);
    const std::size_t last = wrong.back();
    if (wrong.size() == 2 && fits(types_[last], *arguments_[first]) && fits(types_[first], *arguments_[last]))
      text += "; '" + arguments_[first]->name + "' and '" + arguments_[last]->name + "' seem to be swapped";
    return text;
  }

 private:
  const Signature& signature_;
  std::vector<const ArgumentPlan*> arguments_;
  std::vector<CppType> types_;
};

// Host code may take the stream behind its arguments.
std::vector<Signature> without_streams(std::vector<Signature> signatures) {
  for (Signature& signature : signatures) {
    if (!signature.parameters || signature.parameters->empty()) continue;
    const std::string base = parse_type(signature.parameters->back().type).base;
    if (base == "cudaStream_t" || base == "CUstream" || base == "CUstream_st")
      signature.parameters->pop_back();
  }
  return signatures;
}

}  // namespace

std::optional<std::string> wrong_launch(const ProgramPlan& program,
                                        const std::vector<ArgumentPlan>& arguments,
                                        const std::vector<FunctionSignature>& all_signatures) {
  const std::vector<Signature> signatures =
      program.source.language == Language::host ? without_streams(all_signatures) : all_signatures;
  std::vector<StepPlan> steps = program.steps;
  for (const auto* setup : {&program.setup_once, &program.setup_each})
    steps.insert(steps.end(), setup->begin(), setup->end());
  for (const StepPlan& step : steps) {
    if (step.entry.empty()) continue;
    const Entry entry = read_entry(step.entry);
    std::vector<const Signature*> named;
    for (const Signature& signature : signatures) {
      if (signature.name == entry.name) named.push_back(&signature);
    }
    const auto are_all = [&](Signature::Kind kind) {
      return !named.empty() &&
             std::ranges::all_of(named, [=](const auto* each) { return each->kind == kind; });
    };
    const std::string what = "launch of '" + step.entry + "': ";
    if (program.source.language == Language::cuda) {
      if (are_all(Signature::Kind::function))
        return what + "'" + entry.name + "' is no kernel, its declaration lacks __global__";
      std::erase_if(named, [](const auto* each) { return each->kind == Signature::Kind::function; });
    }
    if (program.source.language == Language::host && are_all(Signature::Kind::kernel))
      return what + "'" + entry.name + "' is a kernel: host code is a function that launches it";
    // Several of one name: an overload, or an #if decides.
    if (named.size() != 1 || !named.front()->parameters) continue;
    const std::string fault = Match(step, arguments, program, entry, *named.front()).fault();
    if (!fault.empty()) return what + fault;
  }
  return std::nullopt;
}

}  // namespace gktune
