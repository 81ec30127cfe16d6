#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gktune/kernel.h"
#include "runtime/launch_device.h"

namespace gktune {

// A launch for one problem. It stays as it is. A hot launch finds the processor's first cache full of the
// driver's data: it reads few lines of memory, those at the beginning.
struct alignas(64) PreparedLaunch : std::enable_shared_from_this<PreparedLaunch> {
  std::unique_ptr<LaunchProgram> program;
  // The arguments that the caller passes, in its order.
  struct Passed {
    Passed(std::size_t argument, const ArgumentInfo& info)
        : place(static_cast<std::uint16_t>(argument)),
          may_be_zero(info.is_scalar || info.count == 0),
          ignored(info.is_written ? 0 : LaunchArgument::kConst),
          typed(LaunchArgument::form_of(info.is_scalar ? 0 : LaunchArgument::kPointer, info.type)),
          untyped(info.is_scalar ? typed : LaunchArgument::form_of(LaunchArgument::kPointer, std::nullopt)) {}
    bool accepts(const LaunchArgument& given) const {
      const std::uint32_t form = given.form() & ~ignored;
      return ((form == typed) | (form == untyped)) & (may_be_zero | !given.is_zero());
    }
    std::uint16_t place;                    // among the arguments of the plan
    bool may_be_zero;                       // false: the address of a buffer
    std::uint32_t ignored, typed, untyped;  // as LaunchArgument::form() has it
  };
  std::vector<Passed> passed;
  // Locates a value for the program: in the caller's arguments, or at an address that the kernel owns.
  struct GivenValue {
    std::uintptr_t address = 0;      // or the offset in the arguments
    std::uintptr_t passed_bits = 0;  // all set: in the arguments; 0: at the address
    // A branch here would be mispredicted: launches are too rare for the predictor to know it.
    void* in(std::span<const LaunchArgument> arguments) const {
      return reinterpret_cast<void*>(address +
                                     (reinterpret_cast<std::uintptr_t>(arguments.data()) & passed_bits));
    }
  };
  std::vector<GivenValue> values;
  bool has_scratch = false;
  // Buffers of scratch memory, and the values that are their addresses.
  std::vector<std::size_t> scratch_bytes;
  struct ScratchValue {
    std::size_t value = 0, buffer = 0;
  };
  std::vector<ScratchValue> scratch_values;

  // Scratch memory of one stream: launches in different streams overlap.
  struct StreamScratch {
    void* stream = nullptr;
    std::vector<void*> addresses;
    StreamScratch* next = nullptr;
  };
  const StreamScratch* scratch_of(void* stream) const {
    const StreamScratch* each = streams.load(std::memory_order_acquire);
    while (each != nullptr && each->stream != stream) each = each->next;
    return each;
  }
  mutable std::atomic<StreamScratch*> streams{nullptr};
  mutable std::vector<std::unique_ptr<StreamScratch>> all_streams;  // under the kernel's lock

  struct alignas(8) Scalar : std::array<std::byte, 8> {};
  std::vector<Scalar> scalars;  // one per argument of the plan
  Answer answer;
  bool owns_code = false;                          // its module is loaded for it alone
  mutable std::atomic<std::uint32_t> last_use{0};  // as the table of launches counts

  [[gnu::always_inline]] bool accepts(std::span<const LaunchArgument> arguments) const {
    if (arguments.size() != passed.size()) return false;
    bool accepts_all = true;
    for (std::size_t i = 0; i < arguments.size(); ++i) accepts_all &= passed[i].accepts(arguments[i]);
    return accepts_all;
  }
  // The arguments with scalars of the types that the kernel takes, if these have the same values. An error
  // names the first argument that it does not take.
  [[gnu::cold, gnu::noinline]] Result<std::vector<LaunchArgument>> converted(
      const std::string& kernel, std::span<const LaunchArgument> arguments) const;
};
using SharedLaunch = std::shared_ptr<const PreparedLaunch>;

}  // namespace gktune
