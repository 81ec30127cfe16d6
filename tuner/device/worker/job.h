#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "gktune/result.h"
#include "tuner/core/device_info.h"
#include "tuner/core/trial.h"
#include "tuner/device/device.h"
#include "tuner/space/plan.h"

namespace gktune {

// Messages between the parent and its worker processes.

// Questions about the hardware: its description, the compiler of its host code, the number of devices.
GKTUNE_ENUM(DeviceQuestion, probe, host_code_compiler, count)

// Sources to compile together. They share text, options and include directories,
// and differ in macros and entries.
struct CompileJob {
  std::vector<SourcePlan> variants;
  std::string architecture;  // of the device: sm_90a, x86-64
  std::string cache_dir;
  std::string scratch_dir = {};  // for temporary files, on the same file system; empty: cache_dir
};

GKTUNE_FIELDS(CompileJob, variants, architecture, cache_dir, scratch_dir)

// The parts of the launch of an entry that its compiled code decides; the plan decides the rest.
struct EntryLaunch {
  std::optional<std::vector<int>> arguments;  // see StepPlan
  std::optional<std::array<std::int64_t, 3>> block;
  std::optional<std::int64_t> shared_bytes;
  friend bool operator==(const EntryLaunch&, const EntryLaunch&) = default;
};

GKTUNE_FIELDS(EntryLaunch, arguments, block, shared_bytes)

// Code that a runner can load.
struct Module {
  std::string path;                  // a shared object, a cubin
  std::vector<std::string> symbols;  // one per entry of its SourcePlan, in order
  std::vector<EntryLaunch> launches = {};  // one per entry, or none
  friend bool operator==(const Module&, const Module&) = default;
};

GKTUNE_FIELDS(Module, path, symbols, launches)

// The program with the launches of the code.
ProgramPlan launched_as(const Module& module, ProgramPlan program);

struct CompiledVariant {
  Status status = Status::ok;  // ok, compile_failed, machine_failed, crashed
  std::string log;  // the compiler's messages about this variant, with the line numbers of the source
  Module module;
  double seconds = 0;  // this variant's share
  bool from_cache = false;
};

GKTUNE_FIELDS(CompiledVariant, status, log, module, seconds, from_cache)

// The means to find accesses outside buffers, if the device has both: hardware, which ends the process at the
// access, or zones with a pattern, which show writes only, and their places.
GKTUNE_ENUM(Guards, hardware, zones)

struct RunJob {
  Plan plan;
  Module candidate;
  Module reference;
  Module verifier;
  Cutoff cutoff;
  bool check_only = false;  // checked, not timed
  std::uint64_t seed = 0;   // of the order in which a check on the host runs blocks and threads
  Guards guards = Guards::hardware;
};

GKTUNE_FIELDS(RunJob, plan, candidate, reference, verifier, cutoff, check_only, seed, guards)

// The time that a job took to make inputs and to run the reference on them, so that candidates could start.
struct Preparation {
  double inputs_s = 0, reference_s = 0;
  Preparation& operator+=(const Preparation& other) {
    inputs_s += other.inputs_s;
    reference_s += other.reference_s;
    return *this;
  }
};

GKTUNE_FIELDS(Preparation, inputs_s, reference_s)

// The trial that a job became. Its parent adds what it knows: the configuration, the problem, the time that
// compiling took.
struct RunReply : Trial {
  bool worker_is_lost = false;  // see Failure
  // Hardware guards ended it without a place. A check between guard zones may show the place.
  bool is_unexplained = false;
  bool keeps_memory = false;  // it may have left data or taken memory, for as long as the worker lives
  Preparation preparation;  // of a playoff: the first finalist has all of it
};

template <class Archive, Is<RunReply> S>
void fields(Archive&& archive, S& reply) {
  std::conditional_t<std::is_const_v<S>, const Trial, Trial>& trial = reply;
  fields(archive, trial);
  archive("printed", reply.printed);
  archive("reuses_results", reply.reuses_results);
  archive("worker_is_lost", reply.worker_is_lost);
  archive("is_unexplained", reply.is_unexplained);
  archive("keeps_memory", reply.keeps_memory);
  archive("preparation", reply.preparation);
}

struct PlayoffJob {
  std::vector<RunJob> finalists;  // of one problem
  Rounds rounds;
};

GKTUNE_FIELDS(PlayoffJob, finalists, rounds)

using Request = std::variant<DeviceQuestion, CompileJob, RunJob, PlayoffJob>;

// Requests and answers as CBOR, the binary form of JSON. It keeps every byte of a text and every bit of a
// number. The variants of a compile job share one text; the programs of a run job have none, because a runner
// does not need it. Answers are a DeviceInfo, an int (the number of devices), a std::string (a compiler), a
// RunReply, CompiledVariants or the Samples of finalists. Invalid bytes are an error.
template <class Message>
std::string encode(const Message& message);
template <class Answer>
Result<Answer> decode(std::string_view bytes);
Result<Request> decode_request(std::string_view bytes);

}  // namespace gktune
