#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tuner/space/plan.h"

namespace gktune {

bool is_integer_type(ElementType type);
// True if an integer type has this value.
bool fits(std::int64_t value, ElementType type);

// Evaluates the expressions of a plan. Keeps the first failure only; discard the values after it. `where`
// names the place of an expression in messages.
class Evaluator {
 public:
  // The names of the expressions that follow. The scope must outlive their evaluation.
  void set_scope(const Scope& scope) { scope_ = &scope; }
  const Scope& scope() const { return *scope_; }

  Value value(const Expression& expression, const std::string& where);
  std::int64_t integer(const Expression& expression, const std::string& where);
  // An integer that is not below `least`, nor above `most` if that is positive.
  std::int64_t extent(const Expression& expression, const std::string& where, std::int64_t least,
                      std::int64_t most = 0);
  bool truth(const Expression& expression, const std::string& where);
  // A finite number.
  double number(const Expression& expression, const std::string& where);  // a finite one
  double real(const Expression& expression, const std::string& where);
  std::string text(const Pattern& pattern, const std::string& where);
  ElementType element_type(const Pattern& pattern, const std::string& where);
  // An integer for integer types, a real for the others.
  Value scalar(const Expression& expression, ElementType type, const std::string& where);

  void fail(std::string message);
  void fail(const std::string& where, const Expression& expression, const std::string& message);
  const std::optional<Error>& failure() const { return failure_; }
  // The program that is planned next; messages begin with it.
  void set_program(std::string program) { program_ = std::move(program); }

 private:
  const Scope* scope_ = nullptr;
  std::string program_;
  std::optional<Error> failure_;
};

// Plans one of the kernel's arguments: its type, extent, contents and tolerance, or its value.
ArgumentPlan resolve_argument(const Argument& argument, const KernelDefinition& kernel, Evaluator& evaluator);

// A buffer that a step passes as a tensor map or texture.
struct ViewedBuffer {
  int argument = 0;
  ElementType type = ElementType::float32;
  std::uint64_t count = 0;  // of its elements
};

// Both check the limits in CUDA's documentation, because the driver does not say which one is exceeded.
// `where` names the view in messages.
TensorMapPlan resolve_tensor_map(const TensorMap& map, const ViewedBuffer& buffer, const std::string& where,
                                 Evaluator& evaluator);
TexturePlan resolve_texture(const Texture& texture, const ViewedBuffer& buffer, const std::string& where,
                            Evaluator& evaluator);

// Finds an error in a program's launches by reading the source: a missing or extra argument, a buffer for a
// scalar or a scalar for a buffer, a wrong type, an output that is passed as const, a function that is not a
// kernel. Returns nothing if the source's text does not decide, for example because of a typedef or a macro.
std::optional<std::string> wrong_launch(const ProgramPlan& program,
                                        const std::vector<ArgumentPlan>& arguments,
                                        const std::vector<FunctionSignature>& signatures);

}  // namespace gktune
