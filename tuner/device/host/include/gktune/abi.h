#pragma once

// The interface between compiled kernels and the engine that runs them. Both include this file.

namespace gktune::kernel {

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

// A place in the user's source.
struct Site {
  const char* file;
  int line;
};

// A thread's position in its block; the rank counts x first, then y, then z.
struct ThreadIndex {
  uint3 index;
  unsigned rank;
};

enum class BarrierOp { plain, count, all, any };

enum class WarpOp {
  sync,      // only wait for each other
  converge,  // the lanes at the same place; returns their mask
  ballot,
  shuffle,  // the value of the lane in `argument`
  match_any,
  match_all,  // the mask when all have the same value, else 0
  add,
  min_signed,
  max_signed,
  min_unsigned,
  max_unsigned,
  bit_and,
  bit_or,
  bit_xor,
};

// An access of an instrumented kernel to memory. An update reads and writes.
enum class AccessKind { read, write, atomic_read, atomic_write, atomic_update };

// The address that a function returns to, and its frame, whose first word is the
// address of the caller's frame.
struct CodePlace {
  const void* code;
  const void* frame;
};

// An error that an instrumented kernel detects itself.
enum class DetectedFault { null_pointer, misaligned, out_of_bounds, other };

// The functions of the engine that a kernel calls.
struct Services {
  int (*barrier)(BarrierOp op, int predicate, Site site);
  // Values are 64 bits wide; narrower ones are widened by the caller. The mask names the lanes that meet.
  unsigned long long (*warp)(WarpOp op, unsigned mask, unsigned long long value, unsigned argument,
                             Site site);
  // Lets other threads of the block run; called in loops that wait.
  void (*yield)();
  // Called when the stack of `run` has no thread left to start. Returns when there are more.
  void (*park)(void* stack);
  // A thread has returned after others of its block began to wait.
  void (*thread_returned)();
  __attribute__((noreturn)) void (*abort)(const char* what, Site site);
  unsigned long long (*clock)();  // nanoseconds
  // The calling thread stands for its block, whose other threads wait: returns when all blocks of a
  // cooperative launch have called.
  void (*grid_barrier)(Site site);

  // Only instrumented kernels call these, each with the return address and the
  // frame of the function that calls.
  void (*access)(const void* address, unsigned long bytes, AccessKind kind, CodePlace place);
  void (*acquire)();  // the thread sees what other threads released before
  void (*release)();
  void (*fence)();  // the thread sees what was released before its last atomic read, and releases
  __attribute__((noreturn)) void (*fault)(DetectedFault fault, const char* what, CodePlace place);
};

// The state of an operating system's thread that runs blocks. Kernels read it
// where CUDA has built-in variables.
struct ThreadState {
  ThreadIndex self;
  uint3 block_index;
  dim3 block_dim, grid_dim;
  void* dynamic_shared;
  unsigned dynamic_shared_bytes;
  bool is_watching_returns;  // a thread waits, so each return must be reported
  bool is_cooperative;       // all blocks of the launch run at once
  unsigned next, count;      // threads of this block that have been started, and all of them
  const ThreadIndex* order;  // the order in which threads start
  unsigned failed_exchanges;
  const Services* services;
};

// A call of launcher code, which launches its own kernels.
struct LauncherCall {
  void* stream;  // of the GPU
  bool has_failed;
  char message[256];  // why it failed
};

// Describes a texture. Its address is the texture object by which kernels read. See TexturePlan.
struct Texture {
  enum class Type { int8, int16, int32, uint8, uint16, uint32, float16, float32 };
  enum class Address { clamp, border, wrap, mirror };
  const unsigned char* data;
  Type type;
  long channels, texel_bytes;
  long width, height, pitch_bytes;
  Address address;
  bool is_filtered, is_normalized, reads_fractions;
};

// One entry of a compiled source: a function, or a variable, which has an address.
struct Entry {
  static constexpr unsigned kMaxArguments = 64;
  const char* name;
  // A kernel: starts the block's threads, one after the other, until none is left to start. The stack is the
  // argument for `park`. A plain function: calls it. Launcher code: the stack is a LauncherCall.
  void (*run)(void* const* arguments, void* stack);
  bool is_kernel;
  unsigned argument_count;
  unsigned argument_bytes[kMaxArguments];
  bool argument_is_pointer[kMaxArguments];
  const volatile void* variable;
  unsigned long variable_bytes;
};

}  // namespace gktune::kernel

// The one symbol that kernels take from the program that loads them.
extern "C" __attribute__((visibility("default"),
                          tls_model("initial-exec"))) __thread gktune::kernel::ThreadState gktune_thread;
