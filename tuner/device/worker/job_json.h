#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tuner/core/device_info.h"
#include "tuner/core/result.h"
#include "tuner/device/worker/job.h"

namespace gktune {

// Jobs and replies as CBOR, the binary form of JSON. It keeps every byte of a text and every bit of a number.
// The variants of a compile job share one text; the programs of a run job have none, because a runner does
// not need it. Invalid bytes are an error.

using Request = std::variant<DeviceQuestion, CompileJob, RunJob, PlayoffJob>;

std::string encode(DeviceQuestion question);
std::string encode(const CompileJob& job);
std::string encode(const RunJob& job);
std::string encode(const PlayoffJob& job);
Result<Request> decode_request(std::string_view bytes);

std::string encode(const DeviceInfo& info);
std::string encode(int device_count);
std::string encode(const std::string& compiler);
std::string encode(const std::vector<CompiledVariant>& variants);
std::string encode(const RunReply& reply);
std::string encode(const std::vector<Samples>& samples);
Result<DeviceInfo> decode_device_info(std::string_view bytes);
Result<int> decode_device_count(std::string_view bytes);
Result<std::string> decode_compiler(std::string_view bytes);
Result<std::vector<CompiledVariant>> decode_compiled_variants(std::string_view bytes);
Result<RunReply> decode_run_reply(std::string_view bytes);
Result<std::vector<Samples>> decode_samples(std::string_view bytes);

}  // namespace gktune
