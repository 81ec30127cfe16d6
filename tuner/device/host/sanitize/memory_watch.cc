#include "tuner/device/host/sanitize/memory_watch.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "tuner/core/quantity.h"
#include "tuner/device/host/execute/launch.h"
#include "tuner/device/host/sanitize/module_symbols.h"

namespace gktune {
namespace {

using kernel::AccessKind;

bool reads(AccessKind kind) { return kind != AccessKind::write && kind != AccessKind::atomic_write; }
bool writes(AccessKind kind) { return kind != AccessKind::read && kind != AccessKind::atomic_read; }
bool is_atomic(AccessKind kind) { return kind != AccessKind::read && kind != AccessKind::write; }

std::uintptr_t number_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

bool is_within(std::uintptr_t at, const void* begin, std::size_t bytes) {
  return at >= number_of(begin) && at - number_of(begin) < bytes;
}

const char* verb(AccessKind kind) {
  return kind == AccessKind::atomic_update ? "updates" : writes(kind) ? "writes" : "reads";
}

// The end of a module, and the calling thread's copy of its thread-local variables, which is where its static
// shared memory is.
struct ModuleMemory {
  std::uintptr_t begin;
  std::uintptr_t end = 0, thread_locals_begin = 0, thread_locals_end = 0;
};

int find_module_memory(dl_phdr_info* info, std::size_t, void* found_in) {
  auto& found = *static_cast<ModuleMemory*>(found_in);
  if (info->dlpi_addr != found.begin) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type == PT_LOAD)
      found.end = std::max(found.end, found.begin + header.p_vaddr + header.p_memsz);
    if (header.p_type != PT_TLS || info->dlpi_tls_data == nullptr) continue;
    found.thread_locals_begin = number_of(info->dlpi_tls_data);
    found.thread_locals_end = found.thread_locals_begin + header.p_memsz;
  }
  return 1;
}

}  // namespace

void MemoryWatch::set_buffers(std::vector<NamedMemory> buffers) {
  buffers_ = std::move(buffers);
  execution_begin_ = order_.now() + 1;
}

void MemoryWatch::note_filled(const void* begin) {
  for (NamedMemory& buffer : buffers_) {
    if (buffer.begin == begin) buffer.is_unwritten = false;
  }
}

void MemoryWatch::begin_launch(const KernelLaunch& launch, const SharedMemory& shared,
                               const StackPool& stacks) {
  launch_ = &launch;
  shared_ = &shared;
  stacks_ = &stacks;
  ++launch_number_;
  order_.begin_launch();
  Dl_info info;
  const bool is_known = dladdr(reinterpret_cast<const void*>(launch.entry->run), &info) != 0;
  module_begin_ = is_known ? number_of(info.dli_fbase) : 0;
  if (is_known && symbols_path_ != info.dli_fname) {
    symbols_path_ = info.dli_fname;
    symbols_ = read_module_symbols(symbols_path_);
  }
  ModuleMemory module{module_begin_};
  dl_iterate_phdr(find_module_memory, &module);
  module_end_ = module.end;
  static_shared_begin_ = static_shared_end_ = 0;
  own_code_.fill(nullptr);
  loop_heads_.clear();
  allowed_places_.clear();
}

void MemoryWatch::begin_block(std::uint64_t block) {
  order_.begin_block(block, launch_->thread_orders->count());
  pending_reads_.clear();
  unwritten_read_.reset();
}

void MemoryWatch::find_static_shared() {
  ModuleMemory found{module_begin_};
  dl_iterate_phdr(find_module_memory, &found);
  static_shared_begin_ = found.thread_locals_begin;
  static_shared_end_ = found.thread_locals_end;
}

const void* MemoryWatch::users_code(kernel::CodePlace place) {
  constexpr int kMostCalls = 32;
  const void*& own = own_code_[number_of(place.code) % own_code_.size()];
  if (own == place.code) return own;
  if (!is_library(place)) return own = place.code;
  for (int i = 0; i < kMostCalls && is_library(place); ++i) place = caller_of(place);
  return place.code;
}

bool MemoryWatch::is_library(kernel::CodePlace place) const {
  return symbols_.is_library(number_of(place.code) - 1 - module_begin_);
}

kernel::CodePlace MemoryWatch::caller_of(kernel::CodePlace place) {
  struct StackFrame {
    const StackFrame* callers;
    const void* return_address;
  };
  const StackFrame* frame = static_cast<const StackFrame*>(place.frame)->callers;
  return {frame->return_address, frame};
}

std::optional<MemoryWatch::DifferentCalls> MemoryWatch::find_different_calls(kernel::CodePlace one,
                                                                             kernel::CodePlace other) const {
  const auto is_of_module = [this](const void* code) {
    return number_of(code) >= module_begin_ && number_of(code) < module_end_;
  };
  const kernel::CodePlace innermost = one;
  for (int calls = 0; is_of_module(one.code) && is_of_module(other.code); ++calls) {
    if (one.code != other.code) return DifferentCalls{one.code, other.code, has_users_code(innermost, calls)};
    one = caller_of(one);
    other = caller_of(other);
  }
  return std::nullopt;
}

bool MemoryWatch::has_users_code(kernel::CodePlace place, int calls) const {
  for (; calls > 0; --calls, place = caller_of(place))
    if (!is_library(place)) return true;
  return false;
}

std::string MemoryWatch::line_of_call(const void* code) {
  char line[512] = "";
  find_source_line(static_cast<const char*>(code) - 1, line, sizeof line);
  return line[0] == '\0' ? "an unknown line" : line;
}

void MemoryWatch::classify(Page& page, std::uintptr_t address) const {
  page.launch = launch_number_;
  page.buffer = nullptr;
  page.kind = Page::Kind::other;
  const void* at = reinterpret_cast<const void*>(address);
  if (stacks_->holds(at)) {
    page.kind = Page::Kind::stack;
  } else if (shared_->holds(at)) {
    page.kind = Page::Kind::dynamic_shared;
  } else {
    const auto buffer = std::ranges::find_if(buffers_, [&](const NamedMemory& each) {
      return is_within(address, each.room.data(), each.room.size());
    });
    if (buffer == buffers_.end()) return;
    page.kind = Page::Kind::buffer;
    page.buffer = &*buffer;
  }
}

MemoryWatch::Page& MemoryWatch::page_at(std::uintptr_t address) {
  const std::uintptr_t number = address / kPage;
  Slot& slot = recent_[number % recent_.size()];
  if (slot.page == nullptr || slot.number != number) slot = {number, &pages_[number]};
  Page& page = *slot.page;
  if (page.launch != launch_number_) classify(page, address);
  return page;
}

std::optional<Failure> MemoryWatch::access(unsigned rank, const void* address, std::size_t bytes,
                                           AccessKind kind, kernel::CodePlace place_in_code) {
  if (auto different = judge_write()) return different;
  const std::uintptr_t begin = number_of(address), end = begin + bytes;
  if (is_within(begin, &gktune_thread, sizeof gktune_thread)) return std::nullopt;
  if (is_atomic(kind) && reads(kind)) order_.note_relaxed_read(rank);
  if (page_at(begin).kind == Page::Kind::stack) return std::nullopt;
  const void* code = users_code(place_in_code);
  const std::uintptr_t offset = number_of(code) - module_begin_;
  const Access now{order_.epoch(rank), rank & 0x3ff, is_atomic(kind),
                   offset < (1u << 21) ? static_cast<std::uint32_t>(offset) & 0x1fffff : 0};
  for (std::uintptr_t at = begin; at < end;) {
    Page& page = page_at(at);
    const std::uintptr_t page_end = std::min(end, (at / kPage + 1) * kPage);
    bool is_shared = page.kind == Page::Kind::dynamic_shared;
    if (page.kind == Page::Kind::other) {
      if (static_shared_begin_ == 0) find_static_shared();
      is_shared = at >= static_shared_begin_ && at < static_shared_end_;
      if (is_shared && symbols_.is_guard(at - static_shared_begin_)) return std::nullopt;
    }
    const Place place{address, bytes, kind, &page, is_shared, code};
    if (auto outside = find_outside(place, now)) return outside;
    if (writes(kind) && page.buffer != nullptr && page.buffer->is_input) {
      return fault(
          Status::input_changed,
          fmt::format("{} {} of its input {}", verb(kind), format_byte_count(bytes), memory_name(place)), now,
          code);
    }
    if (unwritten_read_) return find_late_write(place, now);
    if (at == begin && kind == AccessKind::read) {
      RecentReads& recent = recent_reads_[now.rank];
      recent.reads[recent.next++ % RecentReads::kCount] = {address, now.epoch, now.code};
    }
    if (at == begin && kind == AccessKind::atomic_update) note_loop_head(address, now);
    if (page.bytes == nullptr) page.bytes = std::make_unique<std::array<Byte, kPage>>();
    // note() gives bytes with equal histories equal new ones: it is called once for them.
    Byte* byte = &(*page.bytes)[at % kPage];
    const Byte before = *byte;
    if (auto wrong = note(place, *byte, now)) return wrong;
    const Byte after = *byte;
    while (++at < page_end) {
      if (std::memcmp(++byte, &before, sizeof before) == 0) {
        *byte = after;
      } else if (auto wrong = note(place, *byte, now)) {
        return wrong;
      }
    }
  }
  return std::nullopt;
}

Failure MemoryWatch::detected(unsigned rank, Status status, std::string what, kernel::CodePlace place) {
  return fault(status, std::move(what), {order_.epoch(rank), rank & 0x3ff, false, 0}, users_code(place));
}

std::optional<Failure> MemoryWatch::find_outside(const Place& place, const Access& now) const {
  std::string name;
  std::uintptr_t begin = 0, end = 0;
  if (place.page->kind == Page::Kind::buffer) {
    name = outside_of(place.page->buffer->name);
    begin = number_of(place.page->buffer->begin);
    end = begin + place.page->buffer->bytes;
  } else if (place.page->kind == Page::Kind::dynamic_shared) {
    name = "outside " + memory_name(place);
    begin = number_of(shared_->taken().data());
    end = begin + shared_->taken().size();
  } else {
    return std::nullopt;
  }
  const std::uintptr_t at = number_of(place.address);
  if (at >= begin && at + place.bytes <= end) return std::nullopt;
  const std::string where = at < begin ? fmt::format("{} before its beginning", format_byte_count(begin - at))
                            : at < end ? std::string("across its end")
                                       : fmt::format("{} past its end", format_byte_count(at - end));
  return fault(Status::illegal_access,
               fmt::format("{} {} {} ({})", verb(place.kind), format_byte_count(place.bytes), name, where),
               now, place.code);
}

std::optional<Failure> MemoryWatch::note(const Place& place, Byte& byte, const Access& now) {
  if (reads(place.kind) && is_unwritten(place, byte)) {
    unwritten_read_ = {place, now};
    return std::nullopt;
  }
  if (conflicts(byte.write, now, place.is_shared)) {
    const bool is_plain_write = place.kind == AccessKind::write && !byte.write.is_atomic;
    if (is_plain_write && place.bytes <= kMostCompared) {
      if (!unjudged_write_) {
        unjudged_write_ = {place, byte.write, now, {}};
        std::memcpy(unjudged_write_->contents.data(), place.address, place.bytes);
      }
    } else if (place.kind != AccessKind::read || !byte.write.is_atomic) {
      if (auto found = race(place, byte.write, Before::write, now)) return found;
    } else {
      const bool is_known = std::ranges::any_of(
          pending_reads_, [&](const PendingRead& pending) { return pending.now.code == now.code; });
      if (!is_known) pending_reads_.push_back({place, byte.write, now});
    }
  }
  if (writes(place.kind)) {
    for (Access* read : {&byte.read, &byte.other_read}) {
      const bool is_of_loop = place.kind == AccessKind::atomic_update &&
                              conflicts(*read, now, place.is_shared) && begins_loop(*read);
      if (is_of_loop || (place.kind == AccessKind::atomic_update && read->rank == now.rank))
        read->is_atomic = 1;
      if (!conflicts(*read, now, place.is_shared)) continue;
      if (auto found = race(place, *read, Before::read, now)) return found;
    }
    byte.write = now;
  }
  // An update is stored once: a later update has seen it and may then write.
  if (!writes(place.kind)) note_read(byte, now);
  return std::nullopt;
}

// The write has been made by now.
std::optional<Failure> MemoryWatch::judge_write() {
  if (!unjudged_write_) return std::nullopt;
  const UnjudgedWrite write = *std::exchange(unjudged_write_, std::nullopt);
  const bool is_same = std::memcmp(write.place.address, write.contents.data(), write.place.bytes) == 0;
  if (is_same && (allowed_.of_same_value || !harmless_.empty())) return std::nullopt;
  auto found = race(write.place, write.before, Before::write, write.now);
  if (!is_same || !found) return found;
  harmless_ = std::move(found->message) + "; both write the same value";
  return std::nullopt;
}

bool MemoryWatch::is_unwritten(const Place& place, const Byte& byte) const {
  if (place.is_shared) return !order_.is_this_block(byte.write.epoch);
  return place.page->buffer != nullptr && place.page->buffer->is_unwritten &&
         byte.write.epoch < execution_begin_;
}

// The values read decide what the block does next, so later findings mean little: look only for the write
// that came too late, in as many accesses as fit into a second or two.
std::optional<Failure> MemoryWatch::find_late_write(const Place& place, const Access& now) {
  constexpr std::uint64_t kMostAccesses = std::uint64_t{1} << 22;
  const UnwrittenRead& unwritten = *unwritten_read_;
  const std::uintptr_t begin = number_of(place.address), read_begin = number_of(unwritten.place.address);
  const bool overlaps = begin < read_begin + unwritten.place.bytes && read_begin < begin + place.bytes;
  if (overlaps && writes(place.kind) && conflicts(unwritten.now, now, place.is_shared)) {
    std::string who = fmt::format("thread {}", format_index(thread_index(now.rank)));
    return take_unwritten_read(
        fmt::format("; {} writes them later, at {}: a barrier is missing in between", who, line_of(now)));
  }
  if (++unwritten_read_->accesses > kMostAccesses) return take_unwritten_read("");
  return std::nullopt;
}

Failure MemoryWatch::take_unwritten_read(const std::string& more) {
  const UnwrittenRead read = *std::exchange(unwritten_read_, std::nullopt);
  const std::string bytes = format_byte_count(read.place.bytes);
  const std::string what = read.place.is_shared
                               ? fmt::format("{} {} of shared memory that no thread of its block has written",
                                             verb(read.place.kind), bytes)
                               : fmt::format("{} {} of {} that nothing has written", verb(read.place.kind),
                                             bytes, memory_name(read.place));
  return fault(Status::undefined_behavior, what + more, read.now, read.place.code);
}

// The thread updates what it has read before: the read begins a loop around atomicCAS.
void MemoryWatch::note_loop_head(const void* address, const Access& update) {
  for (const RecentRead& read : recent_reads_[update.rank].reads) {
    if (read.address != address || read.code == 0 || !order_.is_since_barrier(read.epoch)) continue;
    if (std::ranges::find(loop_heads_, read.code) == loop_heads_.end()) loop_heads_.push_back(read.code);
  }
}

// Compilers may have made several reads of one in the source.
bool MemoryWatch::begins_loop(const Access& read) const {
  if (loop_heads_.empty() || read.code == 0) return false;
  if (std::ranges::find(loop_heads_, read.code) != loop_heads_.end()) return true;
  const std::string line = line_of(read);
  return std::ranges::any_of(loop_heads_, [&](std::uint32_t code) {
    Access head;
    head.code = code & 0x1fffff;
    return line_of(head) == line;
  });
}

std::optional<Failure> MemoryWatch::end_block(std::optional<Failure> fault) {
  if (unwritten_read_) return take_unwritten_read("");
  if (fault) {
    unjudged_write_.reset();
    return fault;
  }
  if (auto different = judge_write()) return different;
  for (const PendingRead& pending : std::exchange(pending_reads_, {})) {
    if (begins_loop(pending.now)) continue;
    if (auto found = race(pending.place, pending.before, Before::write, pending.now)) return found;
  }
  return std::nullopt;
}

bool MemoryWatch::conflicts(const Access& before, const Access& now, bool is_shared) const {
  if (before.epoch == 0 || (before.is_atomic && now.is_atomic)) return false;
  const bool is_this_block = order_.is_this_block(before.epoch);
  // Each block has its own shared memory. Only this device puts that of several blocks at the same addresses.
  if (!is_this_block && is_shared) return false;
  if (is_this_block && before.rank == now.rank) return false;
  return !order_.precedes(before.epoch, before.rank, now.rank);
}

void MemoryWatch::note_read(Byte& byte, const Access& now) const {
  const auto is_superseded = [&](const Access& read) {
    return (read.rank == now.rank && order_.is_this_block(read.epoch)) ||
           order_.precedes(read.epoch, read.rank, now.rank);
  };
  if (is_superseded(byte.read)) {
    byte.read = now;
  } else if (is_superseded(byte.other_read) || byte.other_read.rank / 32 == byte.read.rank / 32) {
    byte.other_read = now;
  }
}

std::string MemoryWatch::memory_name(const Place& place) const {
  if (place.page->buffer != nullptr) return fmt::format("‘{}’", place.page->buffer->name);
  if (place.page->kind == Page::Kind::dynamic_shared) return "the dynamic shared memory";
  return place.is_shared ? "shared memory" : "global memory";
}

std::string MemoryWatch::line_of(const Access& access) const {
  return access.code == 0 ? "an unknown line"
                          : line_of_call(reinterpret_cast<const void*>(module_begin_ + access.code));
}

kernel::uint3 MemoryWatch::thread_index(unsigned rank) const {
  const kernel::ThreadIndex* order = launch_->thread_orders->of_block(0);
  return std::find_if(order, order + launch_->thread_orders->count(),
                      [&](const kernel::ThreadIndex& each) { return each.rank == rank; })
      ->index;
}

Failure MemoryWatch::fault(Status status, std::string what, const Access& now, const void* code) const {
  char line[512];
  find_source_line(static_cast<const char*>(code) - 1, line, sizeof line);
  what += fmt::format(", kernel {}, block {}, thread {}{}{}", launch_->entry->name,
                      format_index(launch_->block_index(order_.block_of(now.epoch))),
                      format_index(thread_index(now.rank)), line[0] == '\0' ? "" : ", ", line);
  return {status, std::move(what)};
}

bool MemoryWatch::is_allowed(const Access& access) {
  if (allowed_.lines.empty()) return false;
  const auto [known, is_new] = allowed_places_.try_emplace(access.code);
  if (is_new) {
    const std::string line = line_of(access);
    known->second = std::ranges::any_of(allowed_.lines, [&](const std::string& allowed) {
      return line == allowed || line.ends_with('/' + allowed);
    });
  }
  return known->second;
}

std::optional<Failure> MemoryWatch::race(const Place& place, const Access& before, Before what,
                                         const Access& now) {
  if (is_allowed(before) || is_allowed(now)) return std::nullopt;
  std::string where = memory_name(place);
  if (place.page->buffer != nullptr) {
    where += fmt::format(" at byte {}", number_of(place.address) - number_of(place.page->buffer->begin));
  }
  std::string who = fmt::format("thread {}", format_index(thread_index(before.rank)));
  if (!order_.is_this_block(before.epoch)) {
    who += fmt::format(" of block {}", format_index(launch_->block_index(order_.block_of(before.epoch))));
  }
  return fault(
      Status::data_race,
      fmt::format("a data race: {} {} of {} that {} {}{} at {}, and nothing orders the two", verb(place.kind),
                  format_byte_count(place.bytes), where, who, what == Before::write ? "writes" : "reads",
                  before.is_atomic ? " atomically" : "", line_of(before)),
      now, place.code);
}

}  // namespace gktune
