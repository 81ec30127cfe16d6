#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "tuner/core/files.h"
#include "tuner/core/quantity.h"
#include "tuner/core/text.h"
#include "tuner/device/worker/backend.h"
#include "tuner/device/worker/compile_cache.h"
#include "tuner/process/file_descriptor.h"
#include "tuner/process/line_program.h"
#include "tuner/source/flat_source.h"
#include "tuner/space/fingerprint.h"

namespace gktune {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kShownText = 200;
constexpr off_t kShownErrors = 2000;
constexpr std::int64_t kMostThreads = 1024, kMostSharedBytes = 1 << 20;  // of a block of any device

std::string shown(const std::string& text) {
  return text.size() <= kShownText ? text : text.substr(0, kShownText) + "…";
}

// The machine failed if a program cannot answer at all; else the configuration did.
struct Refusal {
  Status status = Status::compile_failed;
  std::string why;
};

// Holds what a program writes to its standard error, in memory.
class ErrorOutput {
 public:
  ErrorOutput() : file_(::memfd_create("gktune-errors", MFD_CLOEXEC)) {
    ::fcntl(file_.number(), F_SETFL, O_APPEND);
  }
  int number() const { return file_.number(); }
  void forget() const { (void)!::ftruncate(file_.number(), 0); }
  // The end of it, behind a line feed; empty if there is none.
  std::string tail() const {
    const off_t size = ::lseek(file_.number(), 0, SEEK_END);
    std::string text(static_cast<std::size_t>(std::clamp<off_t>(size, 0, kShownErrors)), '\0');
    const ssize_t got =
        ::pread(file_.number(), text.data(), text.size(), size - static_cast<off_t>(text.size()));
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
    const std::string_view words = trimmed(text);
    return words.empty() ? std::string() : '\n' + std::string(words);
  }

 private:
  FileDescriptor file_;
};

// A running program, and what it was started from.
class CommandProgram {
 public:
  explicit CommandProgram(std::vector<std::string> words) : words_(std::move(words)), key_(key_of(words_)) {}

  // Follows from the words and from the contents of the files that they name.
  const std::string& key() const { return key_; }

  // A program that ends is started again once.
  Result<std::string, Refusal> answer(const std::string& request) {
    Error why;
    for (int attempt = 0; attempt < 2; ++attempt) {
      if (!program_) {
        auto started = LineProgram::start({words_, {}, ChildOptions::Kind::server, errors_.number()});
        if (!started) return Refusal{Status::machine_failed, described(started.error().message)};
        program_.emplace(*std::move(started));
      }
      auto line = exchange(request);
      if (line) return *std::move(line);
      why = line.error();
      why.message += errors_.tail();
      program_.reset();
    }
    return Refusal{has_answered_ ? Status::crashed : Status::machine_failed, described(why.message)};
  }

  void note_answer() { has_answered_ = true; }
  // A program that wrote something else may go on doing so.
  Refusal end_after(const std::string& line) {
    program_.reset();
    return {Status::machine_failed,
            described("the program wrote '" + shown(line) + "', not an answer" + errors_.tail())};
  }

 private:
  std::string described(const std::string& why) const {
    return "command '" + joined(words_, " ") + "': " + why;
  }

  static std::string key_of(const std::vector<std::string>& words) {
    std::string all;
    for (const std::string& word : words) {
      all += word + '\n';
      std::error_code error;
      if (!std::filesystem::is_regular_file(word, error)) continue;
      if (const auto text = read_whole(word)) all += *text + '\n';
    }
    return content_key(all);
  }

  Result<std::string> exchange(const std::string& request) {
    errors_.forget();
    GKTUNE_TRY(program_->write_line(request));
    return program_->read_line();
  }

  std::vector<std::string> words_;
  std::string key_;
  ErrorOutput errors_;
  std::optional<LineProgram> program_;
  bool has_answered_ = false;
};

// The answer of a program, read.
struct Compiled {
  std::string path;
  std::vector<std::string> symbols;
  std::vector<EntryLaunch> launches;
};

// Reads answers to a request. Methods return why the answer is none.
class AnswerReader {
 public:
  AnswerReader(const SourcePlan& source, const Json& request) : source_(source), request_(request) {}

  Result<Compiled> read(const Json& answer) {
    if (const auto path = answer.find("file"); path != answer.end() && path->is_string()) {
      compiled_.path = path->get<std::string>();
    } else {
      return Error{"the answer names no 'file'"};
    }
    compiled_.symbols = source_.entries;
    compiled_.launches.resize(source_.entries.size());
    for (const auto& [key, value] : answer.items()) {
      if (key != "file" && key != "launches")
        return Error{"the answer has the unknown key '" + shown(key) + "'"};
    }
    const auto launches = answer.find("launches");
    if (launches == answer.end()) return std::move(compiled_);
    if (!launches->is_object()) return Error{"'launches' is no object with the entries of the space file"};
    for (const auto& [entry, launch] : launches->items()) {
      if (auto read = read_launch(entry, launch); !read)
        return Error{"launch '" + shown(entry) + "': " + read.error().message};
    }
    return std::move(compiled_);
  }

 private:
  Result<void> read_launch(const std::string& entry, const Json& launch) {
    const auto found = std::ranges::find(source_.entries, entry);
    if (found == source_.entries.end())
      return Error{"the space file launches " + joined(source_.entries, ", ")};
    if (!launch.is_object()) return Error{"it is no object"};
    const auto place = static_cast<std::size_t>(found - source_.entries.begin());
    EntryLaunch& read = compiled_.launches[place];
    for (const auto& [key, value] : launch.items()) {
      Result<void> done;
      if (key == "entry") {
        if (!value.is_string()) return Error{"'entry' is no text"};
        compiled_.symbols[place] = value.get<std::string>();
      } else if (key == "arguments") {
        done = read_arguments(value, read.arguments.emplace());
      } else if (key == "block") {
        done = read_block(value, read.block.emplace());
      } else if (key == "shared") {
        done = read_number(value, "shared", 0, kMostSharedBytes, read.shared_bytes.emplace());
      } else {
        return Error{"the unknown key '" + shown(key) + "'"};
      }
      if (!done) return done;
    }
    return {};
  }

  Result<void> read_arguments(const Json& names, std::vector<int>& indices) {
    if (!names.is_array()) return Error{"'arguments' is no list of names"};
    const Json& known = request_.at("arguments");
    for (const Json& name : names) {
      const auto found =
          std::ranges::find_if(known, [&](const Json& each) { return each.at("name") == name; });
      if (found == known.end()) return Error{"the space file has no argument " + shown(name.dump())};
      indices.push_back(static_cast<int>(found - known.begin()));
    }
    return {};
  }

  Result<void> read_block(const Json& value, std::array<std::int64_t, 3>& block) {
    const Json extents = value.is_array() ? value : Json::array({value});
    if (extents.empty() || extents.size() > block.size())
      return Error{"'block' is no list of one to three extents"};
    block = {1, 1, 1};
    std::int64_t threads = 1;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      GKTUNE_TRY(read_number(extents[i], "block", 1, kMostThreads, block[i]));
      threads *= block[i];
    }
    if (threads > kMostThreads) return Error{"a block of " + std::to_string(threads) + " threads"};
    return {};
  }

  Result<void> read_number(const Json& value, const std::string& name, std::int64_t least, std::int64_t most,
                           std::int64_t& number) {
    if (value.is_number_integer()) number = value.get<std::int64_t>();
    if (value.is_number_integer() && number >= least && number <= most) return {};
    return Error{"'" + name + "' is no integer from " + std::to_string(least) + " to " +
                 std::to_string(most) + ": " + shown(value.dump())};
  }

  const SourcePlan& source_;
  const Json& request_;
  Compiled compiled_;
};

class CommandCompiler final : public Compiler {
 public:
  explicit CommandCompiler(std::unique_ptr<Compiler> own) : own_(std::move(own)) {}

  std::vector<CompiledVariant> compile(const CompileJob& job) override {
    if (job.variants.empty() || job.variants.front().language != Language::command) return own_->compile(job);
    std::vector<CompiledVariant> all;
    for (const SourcePlan& variant : job.variants) {
      const auto start = std::chrono::steady_clock::now();
      all.push_back(compile_one(variant, job));
      if (!all.back().from_cache) all.back().seconds = seconds_since(start);
    }
    return all;
  }
  Result<std::string> loadable_code(const Module& module) const override {
    return own_->loadable_code(module);
  }
  Result<std::string> packed(const std::string& code) const override { return own_->packed(code); }

 private:
  static CompiledVariant failure(Status status, std::string why) {
    CompiledVariant failed;
    failed.status = status;
    failed.log = std::move(why) + '\n';
    return failed;
  }

  CompiledVariant compile_one(const SourcePlan& source, const CompileJob& job) {
    CompileCache& cache = caches_.try_emplace(job.cache_dir, job.cache_dir, job.scratch_dir).first->second;
    Json request = Json::parse(source.request);
    request["architecture"] = job.architecture;
    std::error_code error;
    request["source"] = std::filesystem::absolute(source.path, error).string();
    request["entries"] = source.entries;
    const CompiledVariant answer = answer_to(source, request, cache);
    if (answer.status != Status::ok) return answer;
    auto compiled = AnswerReader(source, request).read(Json::parse(answer.log));
    if (!compiled)
      return failure(Status::compile_failed, compiled.error().message);  // never: it was read before
    return finished(source, *std::move(compiled), answer, job, cache);
  }

  // The answer in `log`, and its file in the cache. Both are kept there.
  CompiledVariant answer_to(const SourcePlan& source, const Json& request, CompileCache& cache) {
    CommandProgram& program = programs_.try_emplace(source.command, source.command).first->second;
    std::string all = "1\n" + program.key() + source.text + '\n' + request.dump();
    if (language_of(source.path)) {
      const FlatSource flat = flatten(source.path, source.text, source.include_dirs, AngleIncludes::keep);
      for (const auto& [path, text] : flat.files) all += '\n' + path + '\n' + text;
    }
    const std::string key = content_key(all);
    if (auto known = cache.find(key)) return *std::move(known);
    auto line = program.answer(request.dump());
    if (!line) return failure(line.error().status, line.error().why);
    const Json answer = Json::parse(*line, nullptr, false);
    if (!answer.is_object()) {
      const Refusal refusal = program.end_after(*line);
      return failure(refusal.status, refusal.why);
    }
    program.note_answer();
    CompiledVariant kept = kept_answer(source, request, answer, cache);
    if (kept.status == Status::ok || kept.status == Status::compile_failed) (void)cache.add(key, kept);
    return kept;
  }

  static CompiledVariant kept_answer(const SourcePlan& source, const Json& request, const Json& answer,
                                     CompileCache& cache) {
    if (const auto error = answer.find("error"); error != answer.end())
      return failure(Status::compile_failed, error->is_string() ? error->get<std::string>() : error->dump());
    const auto compiled = AnswerReader(source, request).read(answer);
    if (!compiled) return failure(Status::compile_failed, compiled.error().message);
    const auto bytes = read_whole(compiled->path);
    if (!bytes)
      return failure(Status::compile_failed, "cannot read " + compiled->path + ": " + bytes.error().message);
    const auto path = cache.add_code(*bytes);
    if (!path) return failure(Status::machine_failed, path.error().message);
    CompiledVariant kept;
    kept.log = answer.dump();
    kept.module.path = *path;
    return kept;
  }

  // Compiles the source of an answer, or packs its machine code.
  CompiledVariant finished(const SourcePlan& source, Compiled compiled, const CompiledVariant& answer,
                           const CompileJob& job, CompileCache& cache) {
    const auto bytes = read_whole(answer.module.path);
    if (!bytes) return failure(Status::machine_failed, bytes.error().message);
    const auto language = language_of(compiled.path);
    CompiledVariant variant;
    if (language) {
      CompileJob generated = job;
      generated.variants = {{.language = *language,
                             .instrumentation = source.instrumentation,
                             .path = compiled.path,
                             .text = *bytes,
                             .include_dirs = source.include_dirs,
                             .options = source.options,
                             .entries = compiled.symbols}};
      variant = std::move(own_->compile(generated).front());
    } else {
      if (std::filesystem::path(compiled.path).extension() != ".cubin")
        return failure(Status::compile_failed,
                       compiled.path + " is neither a cubin (.cubin) nor a source (.cu, .cc, .cpp)");
      const auto packed = own_->packed(*bytes);
      if (!packed) return failure(Status::compile_failed, compiled.path + ": " + packed.error().message);
      const auto path = cache.add_code(*packed);
      if (!path) return failure(Status::machine_failed, path.error().message);
      variant.module.path = *path;
      variant.module.symbols = std::move(compiled.symbols);
    }
    variant.module.launches = std::move(compiled.launches);
    variant.from_cache = answer.from_cache;
    return variant;
  }

  std::unique_ptr<Compiler> own_;
  std::map<std::vector<std::string>, CommandProgram> programs_;
  std::map<std::string, CompileCache> caches_;
};

}  // namespace

std::unique_ptr<Compiler> with_commands(std::unique_ptr<Compiler> own) {
  return std::make_unique<CommandCompiler>(std::move(own));
}

}  // namespace gktune
