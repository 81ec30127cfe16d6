#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/import/size_term.h"
#include "gktune/element_type.h"
#include "tuner/source/tokens.h"

namespace gktune {

// The bytes of a C++ type.
struct TypeLayout {
  std::int64_t size = 0, alignment = 1;
  // The element type if all parts have the same: float4 has four elements of float32.
  std::optional<ElementType> element = {};
  std::int64_t elements = 0;
};

// Part of a struct, in order.
struct StructMember {
  std::string type, name;  // "float*", "data"
};

// kernel<T, 4><<<grid, block, shared>>>(arguments), or cudaLaunchKernel(kernel,
// grid, block, arguments, shared)
struct FoundLaunch {
  std::string kernel;
  std::vector<Token> template_arguments;  // < T , 4 >
  std::vector<Tokens> config, arguments;
  std::size_t place = 0;  // of its first token
  bool is_cooperative = false;
};

// The C++ functions of a CUDA source, which launch kernels: the values of their names, the memory that they
// allocate and clear. Looks up a name in the function that uses it, then outside
// of functions, then in other functions.
class LaunchingCode {
 public:
  explicit LaunchingCode(Tokens tokens);

  // Names that stay names in expressions, each with the name to write for it. A member of a
  // dim3 has its full name: block.x.
  std::map<std::string, std::string, std::less<>> known;
  // Numbers to replace with a name: the literal block size in the expression of a grid.
  std::map<std::int64_t, std::string> literals;

  void define(const std::string& name, Tokens value);
  void define(const std::string& name, std::vector<Tokens> parameters, Tokens value);

  std::optional<SizeTerm> translate(Tokens expression, std::size_t place);
  // An expression and the place that its names are looked up from.
  struct Written {
    Tokens tokens;
    std::size_t place = 0;
  };
  // The extents of a grid or block: of `dim3 name(a, b)`, or a single expression.
  std::vector<Written> extents(Tokens config, std::size_t place) const;
  bool is_dim3(std::string_view name, std::size_t place) const;
  // The initial value of a name.
  std::optional<Written> definition(std::string_view name, std::size_t place) const;
  // The variables that an expression depends on, without those in `known`, in the order of their use.
  struct Source {
    std::string name;
    std::size_t place;  // where it is used
  };
  std::vector<Source> sources_of(Tokens expression, std::size_t place) const;

  std::vector<FoundLaunch> launches() const;
  // The conditions of assert and static_assert outside of device functions, each part of a conjunction by
  // itself.
  std::vector<Written> asserted() const;
  // A comparison of two expressions that can be translated: "n % 4 == 0".
  std::optional<std::string> translate_comparison(Tokens condition, std::size_t place);
  // The calls of functions of CUDA's runtime.
  struct Call {
    std::size_t place;
    std::vector<Tokens> items;
  };
  std::vector<Call> calls_of(std::initializer_list<std::string_view> functions,
                             std::size_t fewest_items) const;

  // The layout of an element type, a vector type, a struct or an alias of these.
  std::optional<TypeLayout> layout(std::string_view type) const;
  // The type behind an alias; any other name is returned unchanged.
  std::string resolved_type(std::string type) const;
  std::vector<StructMember> members(std::string_view type) const;
  // Elements of buffers are often real numbers, and types of scalars alone count or index.
  static std::string guessed_type(bool has_buffers) { return has_buffers ? "float" : "int"; }
  // Finds the argument of a template parameter of the function around this place: float of run<float>(n). It
  // is a guess if no call gives one. Nullopt for other names.
  struct TemplateArgument {
    std::string text;
    bool is_guess = false;
  };
  std::optional<TemplateArgument> template_argument(std::string_view parameter, std::size_t place) const;
  // The type of a variable, without a `*` for arrays: "float*" of `float *in, *out;`. In the same function
  // first.
  std::optional<std::string> declared_type(std::string_view name, std::size_t place) const;

  // The first value of a loop's variable: 0 of `for (int step = 0; …)`.
  std::optional<SizeTerm> loop_start(std::string_view name, std::size_t place);
  // The values in the braces of `Params p = {1, 2};`.
  std::vector<Tokens> initializer(std::string_view name) const;

  // The number of elements of an array: the product of the extents in the brackets that open here.
  std::optional<SizeTerm> array_extent(std::size_t open, std::size_t place);

  // The memory that the program allocates for a pointer: the product of the factors, as written.
  struct Allocation {
    std::vector<Tokens> factors;
    std::int64_t element = 1;  // bytes
    std::size_t place = 0;
  };
  std::optional<Allocation> allocation(Tokens pointer, std::size_t place) const;
  // `template_bytes`: those of a type that is a template parameter of the function which allocates.
  std::optional<SizeTerm> bytes_of(const Allocation& allocation, std::int64_t template_bytes);
  // The byte of the first cudaMemset of a pointer's memory.
  std::optional<std::int64_t> memset_byte(Tokens pointer, std::size_t place);

 private:
  struct Definition {
    std::size_t scope;  // a function's index, or kOutside
    bool is_dim3;
    std::vector<Tokens> values;
    std::size_t place;  // where the values are read
  };
  struct Macro {
    std::vector<Tokens> parameters;
    Tokens value;
  };
  struct Function {
    std::string name;
    // Tokens: the bracket that opens each, and the one that closes the body.
    std::size_t parameters, body, end;
    bool is_device;
  };
  struct Parser;
  static constexpr std::size_t kOutside = static_cast<std::size_t>(-1);
  // Values may refer to each other in cycles.
  static constexpr int kDeepest = 16, kMostSteps = 3'000;

  std::size_t statement_begin(std::size_t at) const;  // its first token
  std::size_t statement_end(std::size_t at) const;    // its semicolon
  void find_functions();
  static bool is_placeholder(const Definition& definition);
  void find_definitions();
  void find_parameters();
  void find_definition(std::size_t at);
  bool set_axis(std::size_t at, Tokens value);
  std::size_t scope_of(std::size_t place) const;
  bool is_loop_variable(std::size_t at) const;
  bool is_dim3_list(std::size_t at) const;
  const Definition* find(std::string_view name, std::size_t place) const;
  void add_sources(Tokens expression, std::size_t place, int depth, int& steps,
                   std::vector<Source>& found) const;
  std::optional<FoundLaunch> launch_by_call(std::size_t at) const;
  std::optional<TypeLayout> struct_layout(const std::string& name) const;
  std::optional<SizeTerm> size_of(Tokens what, std::size_t place);
  std::vector<std::string> pointer_names(Tokens pointer, std::size_t place) const;
  std::optional<Allocation> device_vector(std::string_view name) const;

  Tokens tokens_;
  std::vector<Function> functions_;
  std::map<std::string, std::vector<Definition>, std::less<>> definitions_;
  std::map<std::string, Macro, std::less<>> macros_;
  std::vector<std::string_view> expanded_;  // the macros that are being read
  int depth_ = 0, steps_ = 0;               // of the translation
  std::int64_t template_bytes_ = 0;         // of sizeof(T); 0: those of T's first argument
};

// The operand of `?:` that does not depend on the program's arguments: 1024 of `argc
// > 1 ? atoi(argv[1]) : 1024`.
Tokens without_condition(Tokens expression);

// A macro, a constant or an enumerator with an integer value.
struct SourceSetting {
  std::string name;
  std::int64_t value;
  bool is_global;  // kernels can use it
};

// Finds the settings of a source and of its #define lines. Defines the macros and enumerators in `code`.
std::vector<SourceSetting> source_settings(Tokens tokens, const std::vector<std::vector<Token>>& defines,
                                           LaunchingCode& code);

// Reads an integer literal: 256, 256u, 1'024, 0x40.
std::optional<std::int64_t> integer_of(const Token& token);

// True for words that may precede a name without declaring it: the `return` of `return n = 3`.
bool declares_nothing(std::string_view word);

}  // namespace gktune
