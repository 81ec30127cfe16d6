#include "tuner/device/host/problem_buffers.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "tuner/device/host/usable_memory.h"
#include "tuner/measure/contents.h"
#include "tuner/measure/element.h"
#include "tuner/measure/verdict.h"

namespace gktune {
namespace {

using Role = Argument::Role;

bool is_input(const ArgumentPlan& argument) { return !argument.is_scalar && argument.role == Role::in; }
bool is_changing_input(const ArgumentPlan& argument) {
  return !argument.is_scalar && argument.role == Role::inout;
}
bool is_output(const ArgumentPlan& argument) {
  return !argument.is_scalar && (argument.role == Role::out || argument.role == Role::scratch);
}

std::size_t size_of(const ArgumentPlan& argument) { return argument.count * element_size(argument.type); }

// At the speed of memory; it has to see a change, nothing more.
std::uint64_t digest_of(std::span<const std::byte> bytes) {
  std::uint64_t lanes[4] = {1, 2, 3, 4};
  std::size_t i = 0;
  for (; i + 32 <= bytes.size(); i += 32) {
    std::uint64_t words[4];
    std::memcpy(words, bytes.data() + i, sizeof words);
    for (int lane = 0; lane < 4; ++lane) {
      lanes[lane] = (std::rotl(lanes[lane], 23) ^ words[lane]) * 0x9e3779b97f4a7c15u;
    }
  }
  std::uint64_t digest = bytes.size();
  for (; i < bytes.size(); ++i) digest = digest * 257 + std::to_integer<std::uint64_t>(bytes[i]) + 1;
  for (std::uint64_t lane : lanes) digest = (std::rotl(digest, 23) ^ lane) * 0x9e3779b97f4a7c15u;
  return digest;
}

// All of it, with the copies that are kept to compare with.
std::uint64_t memory_needed(const std::vector<ArgumentPlan>& arguments) {
  std::uint64_t bytes = 0;
  for (const ArgumentPlan& argument : arguments) {
    if (argument.is_scalar) continue;
    bytes += size_of(argument);
    if (is_changing_input(argument)) bytes += size_of(argument);
    if (argument.is_checked) bytes += size_of(argument);
  }
  return bytes;
}

}  // namespace

Result<ProblemBuffers, Fault> ProblemBuffers::make(const std::vector<ArgumentPlan>& arguments,
                                                   GuardedBuffer::Against against) {
  const std::uint64_t needed = memory_needed(arguments), there_is = runner_share_bytes();
  if (needed > there_is) {
    return Fault{Status::out_of_memory, "its arguments need " + std::to_string(needed >> 20) +
                                            " MiB, a candidate may have " + std::to_string(there_is >> 20) +
                                            " MiB"};
  }
  ProblemBuffers buffers;
  buffers.arguments_ = arguments;
  buffers.slots_.resize(arguments.size());
  buffers.against_ = against;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].is_scalar) {
      store_number(arguments[i].type, buffers.slots_[i].value, arguments[i].scalar);
      continue;
    }
    auto buffer = GuardedBuffer::allocate(size_of(arguments[i]), against);
    if (!buffer) return Fault{Status::out_of_memory, buffer.error().message};
    buffers.slots_[i].buffer = std::move(*buffer);
    if (auto filled = buffers.fill(i); !filled) return filled.error();
  }
  return buffers;
}

Result<void, Fault> ProblemBuffers::fill(std::size_t argument) {
  const ArgumentPlan& plan = arguments_[argument];
  Slot& slot = slots_[argument];
  point(argument);
  if (is_output(plan)) return {};
  if (auto filled = fill_contents(plan.type, plan.contents, bytes(argument)); !filled) {
    return Fault{Status::invalid, "argument '" + plan.name + "': " + filled.error().message};
  }
  if (is_input(plan)) slot.digest = digest_of(bytes(argument));
  if (is_changing_input(plan)) slot.original.assign(bytes(argument).begin(), bytes(argument).end());
  return {};
}

void ProblemBuffers::point(std::size_t argument) {
  const std::byte* address = bytes(argument).data();
  std::memcpy(slots_[argument].value, &address, sizeof address);
}

Result<void, Fault> ProblemBuffers::adopt(const std::vector<ArgumentPlan>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == arguments_[i]) continue;
    if (arguments[i].is_scalar) {
      arguments_[i] = arguments[i];
      store_number(arguments[i].type, slots_[i].value, arguments[i].scalar);
      continue;
    }
    const std::size_t size = size_of(arguments[i]);
    std::optional<GuardedBuffer>& buffer = slots_[i].buffer;
    if (buffer->has_room_for(size)) {
      buffer->place(size, against_);
    } else {
      auto larger = GuardedBuffer::allocate(size, against_);
      if (!larger) return Fault{Status::out_of_memory, larger.error().message};
      buffer = std::move(*larger);
    }
    arguments_[i] = arguments[i];
    point(i);
  }
  return {};
}

void ProblemBuffers::lay(GuardedBuffer::Against against) {
  if (std::exchange(against_, against) == against) return;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i].buffer) continue;
    slots_[i].buffer->place(size_of(arguments_[i]), against);
    point(i);
  }
}

std::vector<NamedMemory> ProblemBuffers::names() const {
  std::vector<NamedMemory> names;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].buffer) {
      names.push_back({arguments_[i].name, bytes(i).data(), bytes(i).size(), slots_[i].buffer->mapping()});
    }
  }
  return names;
}

void ProblemBuffers::restore() {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (is_changing_input(arguments_[i])) std::ranges::copy(slots_[i].original, bytes(i).begin());
  }
}

bool ProblemBuffers::has_changing_inputs() const {
  return std::ranges::any_of(arguments_, is_changing_input);
}

void ProblemBuffers::poison_outputs() {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (is_output(arguments_[i])) poison(arguments_[i].type, slots_[i].expected, bytes(i));
  }
}

void ProblemBuffers::fill_guards() {
  for (Slot& slot : slots_) {
    if (slot.buffer) slot.buffer->fill_guards();
  }
}

void ProblemBuffers::keep_expected() {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (arguments_[i].is_checked) slots_[i].expected.assign(bytes(i).begin(), bytes(i).end());
  }
}

std::optional<Fault> ProblemBuffers::judge() {
  std::optional<Fault> violation = find_violation(), changed = find_changed_input();
  if (violation) return violation;
  if (changed) return changed;
  return find_wrong_output();
}

std::optional<Fault> ProblemBuffers::find_violation() {
  std::optional<Fault> found;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i].buffer) continue;
    const std::optional<std::string> where = slots_[i].buffer->violation();
    if (!where) continue;
    if (!found) {
      found =
          Fault{Status::guard_violated, "wrote outside '" + arguments_[i].name + "' (" +
                                            std::to_string(arguments_[i].count) + " elements): " + *where};
    }
    slots_[i].buffer->fill_guards();
  }
  return found;
}

std::optional<Fault> ProblemBuffers::find_changed_input() {
  std::optional<Fault> found;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!is_input(arguments_[i]) || digest_of(bytes(i)) == slots_[i].digest) continue;
    const std::vector<std::byte> now(bytes(i).begin(), bytes(i).end());
    if (auto filled = fill(i); !filled) return filled.error();
    const std::size_t size = element_size(arguments_[i].type);
    const auto at = static_cast<std::size_t>(std::ranges::mismatch(now, bytes(i)).in1 - now.begin()) / size;
    const std::byte *before = bytes(i).data() + at * size, *after = now.data() + at * size;
    found = Fault{Status::input_changed, "wrote into its input: " + arguments_[i].name + '[' +
                                             std::to_string(at) + "] was " +
                                             element_text(arguments_[i].type, before) + ", is now " +
                                             element_text(arguments_[i].type, after)};
  }
  return found;
}

std::optional<Fault> ProblemBuffers::find_wrong_output() const {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const ArgumentPlan& argument = arguments_[i];
    if (!argument.is_checked || slots_[i].expected.size() != bytes(i).size()) continue;
    const Verdict verdict = gktune::judge(argument.type, bytes(i), slots_[i].expected, argument.tolerance);
    if (!verdict.passed()) return Fault{Status::wrong_result, verdict.message(argument.name)};
  }
  return std::nullopt;
}

}  // namespace gktune
