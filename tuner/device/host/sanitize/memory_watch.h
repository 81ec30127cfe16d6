#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tuner/core/plan_parts.h"
#include "tuner/device/failure.h"
#include "tuner/device/host/execute/block_memory.h"
#include "tuner/device/host/execute/fault_handler.h"
#include "tuner/device/host/execute/launch.h"
#include "tuner/device/host/sanitize/module_symbols.h"
#include "tuner/device/host/sanitize/thread_order.h"

namespace gktune {

// Follows what the threads of instrumented kernels read and write: finds data races, reads of shared memory
// and of scratch that nothing wrote, accesses outside buffers. Blocks must run one after the other.
class MemoryWatch {
 public:
  // Sets the buffers of the next execution.
  void set_buffers(std::vector<NamedMemory> buffers);
  // Does not report these races in the launches that follow.
  void allow(const AllowedRaces& races) { allowed_ = races; }
  // The buffer that begins there has got contents.
  void note_filled(const void* begin);

  // The memory of the running block's threads: their own and shared.
  void begin_launch(const KernelLaunch& launch, const SharedMemory& shared, const StackPool& stacks);
  void begin_block(std::uint64_t block);
  // Returns `fault`, which ended the block, or an error that came before it or that waited for the end.
  std::optional<Failure> end_block(std::optional<Failure> fault);
  ThreadOrder& order() { return order_; }

  // The error of this access, if there is one.
  std::optional<Failure> access(unsigned rank, const void* address, std::size_t bytes,
                                kernel::AccessKind kind, kernel::CodePlace place);
  // The first finding since the last call that cannot change a result; empty: there is none.
  std::string take_harmless() { return std::exchange(harmless_, {}); }
  // An error that the code itself has detected.
  Failure detected(unsigned rank, Status status, std::string what, kernel::CodePlace place);

  // The calls in the user's code by which two threads have come to one place in different ways.
  struct DifferentCalls {
    const void *one, *other;
    bool is_outside;  // of the user's function that has the place
  };
  std::optional<DifferentCalls> find_different_calls(kernel::CodePlace one, kernel::CodePlace other) const;
  // "reduce.cu:42" for the address that a call returns to.
  static std::string line_of_call(const void* code);

 private:
  // The last access of some kind to a byte. Epoch 0: there was none.
  struct Access {
    ThreadOrder::Time epoch = 0;
    std::uint32_t rank : 10 = 0;
    std::uint32_t is_atomic : 1 = 0;
    std::uint32_t code : 21 = 0;  // bytes into the module; 0: farther than that
  };
  // Two unordered readers are stored: a write that races with a third one almost
  // always races with one of them.
  struct Byte {
    Access write, read, other_read;
  };
  static constexpr std::size_t kPage = 4096;
  struct Page {
    enum class Kind { stack, buffer, dynamic_shared, other };
    Kind kind = Kind::other;
    std::uint64_t launch = 0;  // the launch in which the kind was determined
    const NamedMemory* buffer = nullptr;
    std::unique_ptr<std::array<Byte, kPage>> bytes;
  };
  struct Slot {
    std::uintptr_t number = 0;
    Page* page = nullptr;
  };
  struct Place {
    const void* address;
    std::size_t bytes;
    kernel::AccessKind kind;
    const Page* page;
    bool is_shared;
    const void* code;
  };
  // A plain read of memory that another thread updates atomically. That is a race, unless the read begins a
  // loop around atomicCAS: then some thread updates what it has just read there. A thread may leave such a
  // loop without an update.
  struct PendingRead {
    Place place;
    Access before, now;
  };
  // The last plain reads of a thread, to find those that begin such loops.
  struct RecentRead {
    const void* address = nullptr;
    ThreadOrder::Time epoch = 0;
    std::uint32_t code = 0;
  };
  struct RecentReads {
    static constexpr unsigned kCount = 8;
    std::array<RecentRead, kCount> reads;
    unsigned next = 0;
  };
  // A read of memory that nothing has written. It is reported at the end of the
  // block, or with the later write.
  struct UnwrittenRead {
    Place place;
    Access now;
    std::uint64_t accesses = 0;  // since then
  };

  // A write over one that nothing orders before it. Harmless if both write the same value.
  static constexpr std::size_t kMostCompared = 16;
  struct UnjudgedWrite {
    Place place;
    Access before, now;
    std::array<std::byte, kMostCompared> contents;  // before the write
  };

  Page& page_at(std::uintptr_t address);
  void classify(Page& page, std::uintptr_t address) const;
  void find_static_shared();
  // The call of the function that contains the place.
  static kernel::CodePlace caller_of(kernel::CodePlace place);
  // The call in the user's code: an access within a function of a library is reported there.
  const void* users_code(kernel::CodePlace place);
  bool is_library(kernel::CodePlace place) const;
  // True if the place, or one of as many calls that led to it, is in the user's code.
  bool has_users_code(kernel::CodePlace place, int calls) const;
  std::optional<Failure> find_outside(const Place& place, const Access& now) const;
  std::optional<Failure> note(const Place& place, Byte& byte, const Access& now);
  std::optional<Failure> judge_write();
  void note_loop_head(const void* address, const Access& update);
  bool begins_loop(const Access& read) const;
  bool is_unwritten(const Place& place, const Byte& byte) const;
  std::optional<Failure> find_late_write(const Place& place, const Access& now);
  Failure take_unwritten_read(const std::string& more);
  bool conflicts(const Access& before, const Access& now, bool is_shared) const;
  void note_read(Byte& byte, const Access& now) const;
  enum class Before { write, read };
  // No value: the space file allows this race.
  std::optional<Failure> race(const Place& place, const Access& before, Before what, const Access& now);
  // Adds the known parts of the place.
  Failure fault(Status status, std::string what, const Access& now, const void* code) const;
  kernel::uint3 thread_index(unsigned rank) const;
  std::string memory_name(const Place& place) const;
  std::string line_of(const Access& access) const;
  bool is_allowed(const Access& access);

  ThreadOrder order_;
  std::vector<NamedMemory> buffers_;
  const KernelLaunch* launch_ = nullptr;
  const SharedMemory* shared_ = nullptr;
  const StackPool* stacks_ = nullptr;
  std::uint64_t launch_number_ = 0;
  std::uintptr_t module_begin_ = 0, module_end_ = 0;                // of the code that runs
  std::uintptr_t static_shared_begin_ = 0, static_shared_end_ = 0;  // known once it is used
  ModuleSymbols symbols_;
  std::array<const void*, 256>
      own_code_{};  // places of this launch that are in no library, by their last byte
  std::string symbols_path_;                // of the module that they are from
  std::vector<PendingRead> pending_reads_;  // of the block, one for each place in the code
  std::vector<std::uint32_t> loop_heads_;   // places in the code of this launch
  std::vector<RecentReads> recent_reads_ = std::vector<RecentReads>(ThreadOrder::kMaxThreads);  // by rank
  std::optional<UnwrittenRead> unwritten_read_;
  std::optional<UnjudgedWrite> unjudged_write_;
  std::string harmless_;
  AllowedRaces allowed_;
  // Of places in the code of this launch: to find the line of one takes a millisecond.
  std::unordered_map<std::uint32_t, bool> allowed_places_;
  ThreadOrder::Time execution_begin_ = 0;
  std::unordered_map<std::uintptr_t, Page> pages_;
  std::array<Slot, 256> recent_;
};

}  // namespace gktune
