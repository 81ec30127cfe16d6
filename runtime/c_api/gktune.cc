// The functions of gktune.h. Those at the end need sources or databases: only libgktune_runtime has them.
#include "gktune/gktune.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <exception>
#include <iterator>
#include <memory_resource>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/answer_table.h"
#include "gktune/kernel.h"
#include "gktune/lookup.h"
#include "tuner/core/text.h"
#include "tuner/core/version.h"

// The objects of gktune.h.
struct gktune_settings {
  gktune::KernelSettings settings;
  bool has_worker = false;  // the default was replaced
  bool follows = false;     // follow_ms was set, and not to 0
};

struct gktune_kernel {
  gktune::Kernel kernel;
};

struct gktune_answer {
  explicit gktune_answer(gktune::Answer found)
      : answer(std::move(found)),
        config(answer.config.json()),
        problem(answer.problem.json()),
        stale(gktune::joined(answer.stale, "; ")) {}
  gktune::Answer answer;
  std::string config, problem, stale;  // the members of the answer as texts
};

struct gktune_lookup {
  gktune::Lookup lookup;
  gktune::Question question;  // without its device
};

struct gktune_question {
  gktune::KernelLookup lookup;
  std::optional<gktune_answer> answer;  // the latest
};

namespace gktune::c_api {
namespace {

using Done = Result<void>;

static_assert(static_cast<int>(ErrorCode::invalid_argument) == GKTUNE_INVALID &&
              static_cast<int>(ErrorCode::no_configuration) == GKTUNE_NO_CONFIGURATION &&
              static_cast<int>(ErrorCode::context_lost) == GKTUNE_CONTEXT_LOST &&
              static_cast<int>(Match::none) == GKTUNE_NO_MATCH);

// The thread's last failure. Of a thread that has no memory for its message there is none.
thread_local Error last_error;

// Runs the body of a C function. No exception leaves it.
template <class Function>
gktune_code guarded(const Function& function) noexcept {
  last_error.message.clear(), last_error.native = 0;
  try {
    const Done done = function();
    if (done) return GKTUNE_OK;
    last_error = done.error();
  } catch (const std::bad_alloc&) {
    last_error.code = ErrorCode::out_of_memory;
  } catch (const std::exception& error) {
    try {
      last_error = {error.what()};
    } catch (...) {
      last_error.code = ErrorCode::out_of_memory;
    }
  }
  return static_cast<gktune_code>(last_error.code);
}

Error invalid(std::string message) { return {std::move(message), ErrorCode::invalid_argument}; }

// A function that returns no code: for a null object it returns null or 0, and gktune_message() says so.
template <class Value, class Object, class Read>
Value read_from(const Object* object, const Read& read) noexcept {
  if (object != nullptr) return read(*object);
  guarded([]() -> Done { return invalid("the object is null"); });
  return Value{};
}

// The place for a result holds null until there is one.
template <class Object>
void clear(Object** place) {
  if (place != nullptr) *place = nullptr;
}


// A list that a call makes. It allocates nothing unless it has more than 32 items.
template <class Item>
class CallList {
 public:
  CallList() = default;
  CallList(const CallList&) = delete;
  CallList& operator=(const CallList&) = delete;
  std::pmr::vector<Item>& operator*() { return items_; }

 private:
  static constexpr std::size_t kRoom = 32;
  alignas(Item) std::byte room_[kRoom * sizeof(Item)];
  std::pmr::monotonic_buffer_resource memory_{room_, sizeof room_};
  // With braces it would have one item, made of the address.
  std::pmr::vector<Item> items_ = std::pmr::vector<Item>(&memory_);
};

// The codes of types are those of ElementType, plus 1.
std::int32_t code_of(ElementType type) { return static_cast<std::int32_t>(type) + GKTUNE_INT8; }

std::optional<ElementType> element_type_of_code(std::int32_t type) {
  static_assert(static_cast<int>(ElementType::uint8) + GKTUNE_INT8 == GKTUNE_UINT8 &&
                static_cast<int>(ElementType::float32) + GKTUNE_INT8 == GKTUNE_FLOAT32 &&
                static_cast<int>(ElementType::complex128) + GKTUNE_INT8 == GKTUNE_COMPLEX128);
  if (type < GKTUNE_INT8 || type > GKTUNE_COMPLEX128) return std::nullopt;
  return static_cast<ElementType>(type - GKTUNE_INT8);
}

Done add_arguments(const gktune_argument* arguments, std::size_t count,
                                   std::pmr::vector<LaunchArgument>& to) {
  if (arguments == nullptr && count > 0) return invalid("the arguments are null");
  to.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const gktune_argument& each = arguments[i];
    const auto refusal = [&](const std::string& why) {
      return invalid("argument " + std::to_string(i + 1) + ": " + why);
    };
    const auto type = element_type_of_code(each.type);
    if (!type && each.type != GKTUNE_ANY_TYPE)
      return refusal("there is no type " + std::to_string(each.type));
    switch (each.kind) {
      case GKTUNE_SCALAR:
        if (!type || is_complex(*type)) return refusal("a scalar has a type that is not complex");
        to.push_back(LaunchArgument::scalar(*type, &each.bits));
        break;
      case GKTUNE_POINTER:
      case GKTUNE_CONST_POINTER:
        to.push_back(LaunchArgument::address(
            each.bits, type,
            each.kind == GKTUNE_POINTER ? LaunchArgument::Access::write : LaunchArgument::Access::read));
        break;
      default:
        return refusal("there is no kind " + std::to_string(each.kind));
    }
  }
  return {};
}

// The member of a text that is set as it is; null: the key is another one.
std::string* text_member(KernelSettings& settings, std::string_view key) {
  const std::pair<std::string_view, std::string*> texts[] = {{"device", &settings.device},
                                                             {"driver", &settings.driver},
                                                             {"runtime", &settings.runtime},
                                                             {"cxx", &settings.cxx},
                                                             {"cuda_home", &settings.cuda_home}};
  const auto found = std::ranges::find(texts, key, &std::pair<std::string_view, std::string*>::first);
  return found != std::end(texts) ? found->second : nullptr;
}

// The place of the value among the choices.
Result<std::size_t> choice(std::string_view key, const std::string& value, std::vector<std::string> choices) {
  const auto found = std::ranges::find(choices, value);
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  const std::string last = choices.back();
  choices.pop_back();
  return invalid(std::string(key) + ": it is " + joined(choices) + " or " + last + ", not " + value);
}

Done set(gktune_settings& to, std::string_view key, const std::string& value) {
  KernelSettings& settings = to.settings;
  static constexpr std::string_view kNeverEmpty[] = {"bundle", "database", "device", "argument", "worker"};
  if (value.empty() && std::ranges::find(kNeverEmpty, key) != std::end(kNeverEmpty))
    return invalid(std::string(key) + ": the value is empty");
  if (std::string* text = text_member(settings, key)) {
    *text = value;
  } else if (key == "bundle") {
    settings.bundles.emplace_back(value);
  } else if (key == "database") {
    settings.databases.emplace_back(value);
  } else if (key == "cache") {
    settings.cache_dir = value;
  } else if (key == "argument") {
    settings.arguments.push_back(value);
  } else if (key == "worker") {
    if (!std::exchange(to.has_worker, true)) settings.worker.clear();
    settings.worker.push_back(value);
  } else if (key == "alias") {
    const std::size_t equals = value.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == value.size())
      return invalid("alias: write it as NAME=NAME, not " + value);
    settings.lookup.aliases[value.substr(0, equals)] = value.substr(equals + 1);
  } else if (key == "compilation") {
    const auto chosen = GKTUNE_TRY(choice(key, value, {"at_first_use", "in_background"}));
    settings.compilation = static_cast<Compilation>(chosen);
  } else if (key == "worst") {
    const auto chosen = GKTUNE_TRY(choice(key, value, {std::begin(kWorstMatches), std::end(kWorstMatches)}));
    settings.worst = static_cast<Match>(chosen);
  } else if (key == "frozen") {
    const auto chosen = GKTUNE_TRY(choice(key, value, {"no", "yes"}));
    settings.is_frozen = chosen == 1;
  } else if (key == "follow_ms" || key == "most_problems") {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size()) {
      return invalid(std::string(key) + ": it is a number" + (key == "follow_ms" ? " of milliseconds" : "") +
                     ", not " + value);
    }
    if (key == "follow_ms") {
      settings.follow_interval = std::chrono::milliseconds(number);
      to.follows = number > 0;
    } else {
      settings.most_problems = number;
    }
  } else {
    return invalid("there is no setting '" + std::string(key) + "'");
  }
  return {};
}

gktune_value value_of(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::boolean:
      return {GKTUNE_BOOLEAN, 0, value.boolean() ? 1 : 0, 0, nullptr};
    case Value::Kind::integer:
      return {GKTUNE_INTEGER, 0, value.integer(), 0, nullptr};
    case Value::Kind::real:
      return {GKTUNE_REAL, 0, 0, value.real(), nullptr};
    case Value::Kind::text:
      break;
  }
  return {GKTUNE_TEXT, 0, 0, 0, value.text().c_str()};
}

Done add_values(const gktune_value* values, std::size_t count,
                                std::pmr::vector<AxisValue>& to) {
  if (values == nullptr && count > 0) return invalid("the values of the axes are null");
  to.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const gktune_value& each = values[i];
    if (each.reserved != 0) return invalid("the reserved member of axis " + std::to_string(i + 1) + " is not 0");
    switch (each.kind) {
      case GKTUNE_INTEGER:
        to.emplace_back(each.integer);
        break;
      case GKTUNE_REAL:
        to.emplace_back(each.real);
        break;
      case GKTUNE_BOOLEAN:
        to.emplace_back(each.integer != 0);
        break;
      case GKTUNE_TEXT:
        if (each.text == nullptr) return invalid("the text of axis " + std::to_string(i + 1) + " is null");
        to.emplace_back(each.text);
        break;
      default:
        return invalid("there is no kind of value " + std::to_string(each.kind));
    }
  }
  return {};
}

}  // namespace
}  // namespace gktune::c_api

using gktune::Result;
using namespace gktune::c_api;

const char* gktune_version(void) {
  static const std::string version(gktune::kVersion);
  return version.c_str();
}

const char* gktune_message(void) { return last_error.message.c_str(); }
int32_t gktune_native(void) { return last_error.native; }

gktune_code gktune_settings_create(gktune_settings** settings) {
  return guarded([&]() -> Done {
    if (settings == nullptr) return invalid("the place for the settings is null");
    *settings = new gktune_settings;
    return {};
  });
}

gktune_code gktune_settings_set(gktune_settings* settings, const char* key, const char* value) {
  return guarded([&]() -> Done {
    if (settings == nullptr || key == nullptr || value == nullptr)
      return invalid("settings, key or value is null");
    return set(*settings, key, value);
  });
}

gktune_code gktune_settings_on_notice(gktune_settings* settings, void (*notice)(const char* text, void* data),
                                      void* data) {
  return guarded([&]() -> Done {
    if (settings == nullptr) return invalid("the settings are null");
    settings->settings.on_notice = nullptr;
    if (notice != nullptr) {
      settings->settings.on_notice = [notice, data](const std::string& text) { notice(text.c_str(), data); };
    }
    return {};
  });
}

gktune_code gktune_settings_file(gktune_settings* settings, const char* path, const void* bytes, size_t size) {
  return guarded([&]() -> Done {
    if (settings == nullptr || path == nullptr || (bytes == nullptr && size > 0))
      return invalid("settings, path or bytes are null");
    settings->settings.lookup.files[path] = std::string(static_cast<const char*>(bytes), size);
    return {};
  });
}

void gktune_settings_destroy(gktune_settings* settings) { delete settings; }

const char* gktune_answer_match(const gktune_answer* answer) {
  return read_from<const char*>(answer, [](const gktune_answer& of) { return match_name(of.answer.match).data(); });
}
const char* gktune_answer_config(const gktune_answer* answer) {
  return read_from<const char*>(answer, [](const gktune_answer& of) { return of.config.c_str(); });
}
const char* gktune_answer_reason(const gktune_answer* answer) {
  return read_from<const char*>(answer, [](const gktune_answer& of) { return of.answer.reason.c_str(); });
}
const char* gktune_answer_stale(const gktune_answer* answer) {
  return read_from<const char*>(answer, [](const gktune_answer& of) { return of.stale.c_str(); });
}
double gktune_answer_time_us(const gktune_answer* answer) {
  return read_from<double>(answer, [](const gktune_answer& of) { return of.answer.time_us; });
}
const char* gktune_answer_problem(const gktune_answer* answer) {
  return read_from<const char*>(answer, [](const gktune_answer& of) { return of.problem.c_str(); });
}
int32_t gktune_answer_match_code(const gktune_answer* answer) {
  const auto read = [](const gktune_answer& of) { return static_cast<int32_t>(of.answer.match); };
  const int32_t code = read_from<int32_t>(answer, read);
  return answer != nullptr ? code : GKTUNE_NO_MATCH;
}

gktune_code gktune_answer_device(const gktune_answer* answer, gktune_device* device) {
  return guarded([&]() -> Done {
    if (answer == nullptr || device == nullptr) return invalid("the answer or the place for the device is null");
    const gktune::DeviceIdentity& of = answer->answer.device;
    *device = {of.kind.c_str(), of.name.c_str(), of.architecture.c_str(), of.multiprocessors};
    return {};
  });
}

gktune_code gktune_answer_value(const gktune_answer* answer, const char* parameter, gktune_value* value) {
  return guarded([&]() -> Done {
    if (answer == nullptr || parameter == nullptr || value == nullptr)
      return invalid("answer, name or value is null");
    const gktune::Value* found = answer->answer.config.find(parameter);
    if (found == nullptr) return invalid(std::string("there is no parameter '") + parameter + "'");
    *value = value_of(*found);
    return {};
  });
}

size_t gktune_answer_parameter_count(const gktune_answer* answer) {
  return read_from<size_t>(answer, [](const gktune_answer& of) { return of.answer.arguments.size(); });
}

gktune_code gktune_answer_parameter(const gktune_answer* answer, size_t index, gktune_parameter* parameter) {
  return guarded([&]() -> Done {
    if (answer == nullptr || parameter == nullptr)
      return invalid("the answer or the place for the parameter is null");
    const auto& all = answer->answer.arguments;
    if (index >= all.size()) return invalid("there are " + std::to_string(all.size()) + " parameters");
    const gktune::ArgumentInfo& info = all[index];
    *parameter = {info.name.c_str(), code_of(info.type),      info.is_scalar ? 1 : 0,
                  info.count,        info.is_written ? 1 : 0, 0};
    return {};
  });
}

void gktune_answer_destroy(gktune_answer* answer) { delete answer; }

gktune_code gktune_kernel_open_bundled(const char* kernel, const gktune_settings* settings,
                                       gktune_kernel** opened) {
  return guarded([&]() -> Done {
    clear(opened);
    if (kernel == nullptr || settings == nullptr || opened == nullptr) {
      return invalid("the kernel's name, the settings or the place for the kernel is null");
    }
    auto found = GKTUNE_TRY(gktune::Kernel::open_bundled(kernel, settings->settings));
    *opened = new gktune_kernel{std::move(found)};
    return {};
  });
}

size_t gktune_kernel_axis_count(const gktune_kernel* kernel) {
  return read_from<size_t>(kernel, [](const gktune_kernel& of) { return of.kernel.axes().size(); });
}

const char* gktune_kernel_axis(const gktune_kernel* kernel, size_t index) {
  return read_from<const char*>(kernel, [&](const gktune_kernel& of) {
    const auto& axes = of.kernel.axes();
    return index < axes.size() ? axes[index].c_str() : nullptr;
  });
}

// Reads the problem and the arguments of a call, and passes them to the function.
template <class Function>
static Done with_call(gktune_kernel* kernel, const gktune_value* problem, size_t axes,
                      const gktune_argument* arguments, size_t count, const Function& function) {
  if (kernel == nullptr) return invalid("the kernel is null");
  CallList<gktune::AxisValue> values;
  GKTUNE_TRY(add_values(problem, axes, *values));
  CallList<gktune::LaunchArgument> passed;
  GKTUNE_TRY(add_arguments(arguments, count, *passed));
  return function(kernel->kernel, *values, *passed);
}

static Result<void> describe(Result<gktune::Answer> found, gktune_answer** answer) {
  if (!found) return found.error();
  if (answer != nullptr) *answer = new gktune_answer(*std::move(found));
  return {};
}

gktune_code gktune_kernel_launch(gktune_kernel* kernel, const gktune_value* problem, size_t axes,
                                 const gktune_argument* arguments, size_t count, uintptr_t stream) {
  return guarded([&] {
    return with_call(kernel, problem, axes, arguments, count, [&](auto& of, auto& values, auto& passed) {
      return of.launch(values, passed, reinterpret_cast<void*>(stream));
    });
  });
}

gktune_code gktune_kernel_prepare(gktune_kernel* kernel, const gktune_value* problem, size_t axes,
                                  gktune_answer** answer) {
  return guarded([&]() -> Done {
    clear(answer);
    if (kernel == nullptr || answer == nullptr)
      return invalid("the kernel or the place for the answer is null");
    return with_call(kernel, problem, axes, nullptr, 0,
                     [&](auto& of, auto& values, auto&) { return describe(of.prepare(values), answer); });
  });
}

gktune_code gktune_kernel_autotune(gktune_kernel* kernel, const gktune_value* problem, size_t axes,
                                   const gktune_argument* arguments, size_t count, double seconds,
                                   gktune_answer** answer) {
  return guarded([&] {
    clear(answer);
    return with_call(kernel, problem, axes, arguments, count, [&](auto& of, auto& values, auto& passed) {
      return describe(of.autotune(values, passed, seconds), answer);
    });
  });
}

void gktune_kernel_destroy(gktune_kernel* kernel) { delete kernel; }

#ifdef GKTUNE_WITH_SOURCES

gktune_code gktune_kernel_open(const char* space_file, const gktune_settings* settings,
                               gktune_kernel** opened) {
  return guarded([&]() -> Done {
    clear(opened);
    if (space_file == nullptr || opened == nullptr)
      return invalid("the space file or the place for the kernel is null");
    auto found = GKTUNE_TRY(gktune::Kernel::open(
        space_file, settings != nullptr ? settings->settings : gktune::KernelSettings()));
    *opened = new gktune_kernel{std::move(found)};
    return {};
  });
}

static Done open_lookup(Result<gktune::Lookup> lookup, gktune::Question question, gktune_lookup** opened) {
  if (!lookup) return lookup.error();
  *opened = new gktune_lookup{*std::move(lookup), std::move(question)};
  return {};
}

gktune_code gktune_lookup_open(const char* const* paths, size_t count, gktune_lookup** opened) {
  return guarded([&]() -> Done {
    clear(opened);
    if (opened == nullptr || (paths == nullptr && count > 0))
      return invalid("the paths or the place is null");
    if (count == 0) return invalid("there is no path");
    std::vector<std::filesystem::path> files;
    for (size_t i = 0; i < count; ++i) {
      if (paths[i] == nullptr) return invalid("path " + std::to_string(i + 1) + " is null");
      files.emplace_back(paths[i]);
    }
    return open_lookup(gktune::Lookup::open(files), {}, opened);
  });
}

gktune_code gktune_lookup_open_with(const gktune_settings* settings, gktune_lookup** opened) {
  return guarded([&]() -> Done {
    clear(opened);
    if (settings == nullptr || opened == nullptr) return invalid("the settings or the place is null");
    const gktune::KernelSettings& of = settings->settings;
    std::vector<std::filesystem::path> files = of.bundles;
    files.insert(files.end(), of.databases.begin(), of.databases.end());
    gktune::LookupSettings lookup = of.lookup;
    if (settings->follows && !of.is_frozen) lookup.follow_interval = of.follow_interval;
    gktune::Question question;
    question.freshness = {{}, of.driver, of.runtime};
    question.worst = of.worst;
    return open_lookup(gktune::Lookup::open(files, std::move(lookup)), std::move(question), opened);
  });
}

const char* gktune_lookup_digest(const gktune_lookup* lookup) {
  return read_from<const char*>(lookup, [](const gktune_lookup& of) {
    thread_local std::string digest;
    digest = of.lookup.digest();
    return digest.c_str();
  });
}

static Result<gktune::KernelLookup> prepared_lookup(const gktune_lookup& lookup, const char* kernel,
                                                    const char* const* axes, size_t count,
                                                    const gktune_device* device) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) {
    if (axes[i] == nullptr) return invalid("the name of axis " + std::to_string(i + 1) + " is null");
    names.emplace_back(axes[i]);
  }
  gktune::Question question = lookup.question;
  if (device != nullptr) {
    const auto text = [](const char* given) { return std::string(given != nullptr ? given : ""); };
    question.device = {text(device->kind), text(device->name), text(device->architecture),
                       device->multiprocessors};
  }
  return lookup.lookup.prepare(kernel, std::move(names), question);
}

static Result<const gktune::Answer*> ask(gktune::KernelLookup& lookup, const gktune_value* problem,
                                         size_t count) {
  CallList<gktune::AxisValue> values;
  GKTUNE_TRY(add_values(problem, count, *values));
  const gktune::Answer& found = lookup.best(*values);
  if (!found) return gktune::Error{found.reason, gktune::ErrorCode::no_configuration};
  return &found;
}

gktune_code gktune_lookup_best(const gktune_lookup* lookup, const char* kernel, const char* const* axes,
                               const gktune_value* problem, size_t count, const gktune_device* device,
                               gktune_answer** answer) {
  return guarded([&]() -> Done {
    clear(answer);
    if (lookup == nullptr || kernel == nullptr || answer == nullptr || (axes == nullptr && count > 0)) {
      return invalid("the lookup, the kernel's name, the axes or the place for the answer is null");
    }
    auto prepared = GKTUNE_TRY(prepared_lookup(*lookup, kernel, axes, count, device));
    const auto found = GKTUNE_TRY(ask(prepared, problem, count));
    *answer = new gktune_answer(*found);
    return {};
  });
}

gktune_code gktune_question_prepare(const gktune_lookup* lookup, const char* kernel, const char* const* axes,
                                    size_t count, const gktune_device* device, gktune_question** prepared) {
  return guarded([&]() -> Done {
    clear(prepared);
    if (lookup == nullptr || kernel == nullptr || prepared == nullptr || (axes == nullptr && count > 0))
      return invalid("the lookup, the kernel's name, the axes or the place for the question is null");
    auto made = GKTUNE_TRY(prepared_lookup(*lookup, kernel, axes, count, device));
    *prepared = new gktune_question{std::move(made), {}};
    return {};
  });
}

gktune_code gktune_question_ask(gktune_question* question, const gktune_value* problem, size_t count,
                                const gktune_answer** answer) {
  return guarded([&]() -> Done {
    if (answer != nullptr) *answer = nullptr;
    if (question == nullptr || answer == nullptr)
      return invalid("the question or the place for the answer is null");
    const auto found = GKTUNE_TRY(ask(question->lookup, problem, count));
    question->answer.emplace(*found);
    *answer = &*question->answer;
    return {};
  });
}

void gktune_question_destroy(gktune_question* question) { delete question; }

void gktune_lookup_destroy(gktune_lookup* lookup) { delete lookup; }

#endif
