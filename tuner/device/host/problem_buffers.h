#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/core/trial.h"
#include "tuner/device/host/fault.h"
#include "tuner/device/host/fault_handler.h"
#include "tuner/device/host/guarded_buffer.h"
#include "tuner/space/plan.h"

namespace gktune {

// The arguments of one problem in memory: what its inputs hold, what is expected of its outputs, and what a
// run has made of both.
class ProblemBuffers {
 public:
  // Empty outputs and scratch; inputs filled. An error says what cannot be had.
  static Result<ProblemBuffers, Fault> make(const std::vector<ArgumentPlan>& arguments,
                                            GuardedBuffer::Against against);

  // Takes what is another candidate's own among these arguments, which are of the same problem: its scalars,
  // the sizes of its scratch memory.
  Result<void, Fault> adopt(const std::vector<ArgumentPlan>& arguments);
  // Lays everything against that guard page.
  void lay(GuardedBuffer::Against against);

  // One pointer to each argument's value: a scalar, or the address of a buffer.
  void* value(std::size_t argument) { return slots_[argument].value; }
  std::span<std::byte> bytes(std::size_t argument) const { return slots_[argument].buffer->bytes(); }
  const std::vector<ArgumentPlan>& arguments() const { return arguments_; }
  std::vector<NamedMemory> names() const;

  // What a run changes, as it was before: in-and-out arguments.
  void restore();
  bool has_changing_inputs() const;
  // Outputs and scratch hold what no right kernel leaves there.
  void poison_outputs();
  void fill_guards();

  // After the reference ran: what its outputs are is what is expected from now on.
  void keep_expected();
  // After a run: writes outside buffers, changed inputs, wrong outputs; the first that is found. Inputs and
  // guards are whole again afterwards.
  std::optional<Fault> judge();

 private:
  struct Slot {
    std::optional<GuardedBuffer> buffer;  // of an array
    alignas(8) std::byte value[8]{};      // a scalar's, or the buffer's address
    std::uint64_t digest = 0;             // of an input's contents
    std::vector<std::byte> original;      // of an in-and-out argument
    std::vector<std::byte> expected;      // of a checked output
  };

  ProblemBuffers() = default;
  Result<void, Fault> fill(std::size_t argument);
  void point(std::size_t argument);
  std::optional<Fault> find_violation();
  std::optional<Fault> find_changed_input();
  std::optional<Fault> find_wrong_output() const;

  std::vector<ArgumentPlan> arguments_;
  std::vector<Slot> slots_;
  GuardedBuffer::Against against_ = GuardedBuffer::Against::last_page;
};

}  // namespace gktune
