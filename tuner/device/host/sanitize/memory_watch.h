#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tuner/device/failure.h"
#include "tuner/device/host/execute/fault_handler.h"
#include "tuner/device/host/execute/launch.h"
#include "tuner/device/host/execute/shared_memory.h"
#include "tuner/device/host/execute/stack_pool.h"
#include "tuner/device/host/sanitize/thread_order.h"

namespace gktune {

// Follows what the threads of instrumented kernels read and write: finds data races, reads of shared memory
// that no thread wrote, accesses outside buffers. Blocks must run one after the other.
class MemoryWatch {
 public:
  // Sets the buffers of the next launches.
  void set_buffers(std::vector<NamedMemory> buffers) { buffers_ = std::move(buffers); }

  // The memory of the running block's threads: their own and shared.
  void begin_launch(const KernelLaunch& launch, const SharedMemory& shared, const StackPool& stacks);
  void begin_block(std::uint64_t block) { order_.begin_block(block, launch_->thread_orders->count()); }
  // The errors that were not reported before.
  std::optional<Failure> end_block();
  ThreadOrder& order() { return order_; }

  // The error of this access, if there is one.
  std::optional<Failure> access(unsigned rank, const void* address, std::size_t bytes,
                                kernel::AccessKind kind, const void* code);

 private:
  // The last access of some kind to a byte. Epoch 0: there was none.
  struct Access {
    ThreadOrder::Time epoch = 0;
    std::uint32_t rank : 10 = 0;
    std::uint32_t is_atomic : 1 = 0;
    std::uint32_t code : 21 = 0;  // bytes into the module; 0: farther than that
  };
  // Two unordered readers are stored: a write that races with a third one almost always races with one of them.
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
  // A plain read of memory that another thread updates atomically. A loop around atomicCAS begins with one: the
  // thread's next access to that memory is an update. Otherwise it is a race.
  struct PendingRead {
    Place place;
    Access before, now;
  };

  Page& page_at(std::uintptr_t address);
  void classify(Page& page, std::uintptr_t address) const;
  void find_static_shared();
  std::optional<Failure> find_outside(const Place& place, const Access& now) const;
  std::optional<Failure> note(const Place& place, Byte& byte, const Access& now);
  std::optional<Failure> resolve_pending_read();
  bool conflicts(const Access& before, const Access& now, bool is_shared) const;
  void note_read(Byte& byte, const Access& now) const;
  enum class Before { write, read };
  Failure race(const Place& place, const Access& before, Before what, const Access& now) const;
  // Adds the known parts of the place.
  Failure fault(Status status, std::string what, const Access& now, const void* code) const;
  kernel::uint3 thread_index(unsigned rank) const;
  std::string memory_name(const Place& place) const;
  std::string line_of(const Access& access) const;

  ThreadOrder order_;
  std::vector<NamedMemory> buffers_;
  const KernelLaunch* launch_ = nullptr;
  const SharedMemory* shared_ = nullptr;
  const StackPool* stacks_ = nullptr;
  std::uint64_t launch_number_ = 0;
  std::uintptr_t module_begin_ = 0;                                 // of the code that runs
  std::uintptr_t static_shared_begin_ = 0, static_shared_end_ = 0;  // known once it is used
  std::vector<std::uintptr_t> guards_;                              // initialisation flags of the compiler
  std::optional<PendingRead> pending_read_;
  std::unordered_map<std::uintptr_t, Page> pages_;
  std::array<Slot, 256> recent_;
};

}  // namespace gktune
