#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <optional>
#include <regex>
#include <set>

#include "engine/import/import_space.h"
#include "engine/import/kernel_arguments.h"
#include "engine/import/launching_code.h"
#include "engine/import/size_term.h"
#include "engine/import/unset_names.h"
#include "gktune/element_type.h"
#include "tuner/core/device_info.h"
#include "tuner/core/files.h"
#include "tuner/core/text.h"
#include "tuner/measure/element.h"
#include "tuner/recording/recording.h"
#include "tuner/source/kernel_code.h"
#include "tuner/source/signatures.h"
#include "tuner/source/tokens.h"
#include "tuner/space/language/expression.h"
#include "tuner/space/plan.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

namespace fs = std::filesystem;

// The folder with this header: a folder around the source, or one of its usual folders for headers.
std::optional<fs::path> folder_of_header(const fs::path& source, const std::string& header) {
  constexpr int kMostLevels = 6;
  fs::path folder = source.parent_path();
  std::error_code error;
  for (int level = 0; level < kMostLevels; ++level, folder /= "..") {
    for (const char* inner :
         {"", "include", "inc", "common", "common/include", "Common", "src", "util", "utils"}) {
      const fs::path found = (folder / inner).lexically_normal();
      if (fs::is_regular_file(found / header, error)) return found;
    }
  }
  return std::nullopt;
}

// The source with its headers, and those in folders near it, which are added to `dirs`.
FlatSource with_near_headers(const fs::path& path, const std::string& text, std::vector<std::string>& dirs) {
  for (;;) {
    FlatSource flat = flatten(path.string(), text, dirs, AngleIncludes::expand);
    std::optional<std::string> added;
    for (const SourceLine& line : flat.lines) {
      if (line.kind != SourceLine::Kind::system_include || line.name.find('.') == line.name.npos) continue;
      const auto folder = folder_of_header(path, line.name.substr(1, line.name.size() - 2));
      if (folder && std::ranges::find(dirs, folder->string()) == dirs.end()) added = folder->string();
      if (added) break;
    }
    if (!added) return flat;
    dirs.push_back(*std::move(added));
  }
}

// The value of a condition if #define lines alone decide it: `!defined(X) && !defined(Y)`, `0`.
std::optional<bool> truth_of(Tokens condition, const std::set<std::string>& defined) {
  for (const std::string_view sign : {"|", "&"}) {
    int depth = 0;
    for (std::size_t i = 0; i + 1 < condition.size(); ++i) {
      depth += condition[i] == "(" ? 1 : condition[i] == ")" ? -1 : 0;
      if (depth > 0 || condition[i] != sign || condition[i + 1] != sign) continue;
      const auto left = truth_of(condition.first(i), defined),
                 right = truth_of(condition.subspan(i + 2), defined);
      if (!left || !right) return std::nullopt;
      return sign == "|" ? *left || *right : *left && *right;
    }
  }
  if (condition.empty()) return std::nullopt;
  const Tokens rest = condition.subspan(1);
  const bool has_brackets = rest.size() > 1 && rest[0] == "(" && rest.back() == ")";
  if (condition[0] == "(" && condition.back() == ")") return truth_of(rest.first(rest.size() - 1), defined);
  if (condition[0] == "!") {
    const auto value = truth_of(rest, defined);
    return value ? std::optional(!*value) : std::nullopt;
  }
  if (rest.empty() && is_any_of(condition[0].text, {"0", "1"})) return condition[0] == "1";
  if (condition[0] != "defined" || rest.size() != (has_brackets ? 3u : 1u)) return std::nullopt;
  return defined.contains(std::string(rest[has_brackets ? 1 : 0].text));
}

std::optional<bool> truth_of(const SourceLine& line, const std::set<std::string>& defined) {
  const std::vector<Token> tokens = tokenize(line.text);  // # if X
  if (line.name != "ifdef" && line.name != "ifndef") return truth_of(Tokens(tokens).subspan(2), defined);
  if (tokens.size() != 3) return std::nullopt;
  return defined.contains(std::string(tokens[2].text)) == (line.name == "ifdef");
}

// The source without the branches that nvcc leaves out. Keeps all branches of a condition that needs more
// than the #define lines.
FlatSource without_dead_branches(const FlatSource& source) {
  struct Branch {
    bool is_decided, is_taken, was_taken;
  };
  std::set<std::string> defined{"__CUDACC__", "__NVCC__", "__cplusplus", "__linux__", "__unix__", "__GNUC__"};
  std::vector<Branch> open;
  FlatSource rest = source;
  rest.lines.clear();
  for (const SourceLine& line : source.lines) {
    const bool is_live = std::ranges::all_of(open, &Branch::is_taken);
    if (line.kind == SourceLine::Kind::condition) {
      const auto truth = is_live || !line.name.starts_with("if") ? truth_of(line, defined) : std::nullopt;
      if (line.name.starts_with("if")) {
        open.push_back({truth.has_value(), truth.value_or(true), truth.value_or(false)});
      } else if (line.name == "endif") {
        if (!open.empty()) open.pop_back();
      } else if (!open.empty() && open.back().is_decided) {
        Branch& branch = open.back();
        branch.is_taken = !branch.was_taken && (line.name == "else" || truth.value_or(true));
        branch.was_taken = branch.was_taken || branch.is_taken;
      }
      continue;
    }
    if (!is_live) continue;
    if (line.kind == SourceLine::Kind::define) defined.insert(line.name);
    if (line.kind == SourceLine::Kind::undef) defined.erase(line.name);
    rest.lines.push_back(line);
  }
  return rest;
}

// The source that nvcc compiles; all of it if kernels are only in branches that it leaves out.
FlatSource compiled_source(const FlatSource& source) {
  FlatSource compiled = without_dead_branches(source);
  const bool has_kernel = std::ranges::any_of(signatures_in(compiled), [](const FunctionSignature& each) {
    return each.kind == FunctionSignature::Kind::kernel;
  });
  return has_kernel ? compiled : source;
}

class SourceImport {
 public:
  SourceImport(const std::string& text, const std::filesystem::path& path, std::string source)
      : path_(path),
        source_path_(std::move(source)),
        whole_(text),
        all_(with_near_headers(path, text, include_dirs_)),
        flat_(compiled_source(all_)),
        text_(text_of(flat_)),
        tokens_(code_tokens(text_)),
        signatures_(signatures_in(flat_)),
        code_(tokens_),
        bodies_(tokens_, signatures_) {
    for (const SourceLine& line : flat_.lines) {
      if (line.kind == SourceLine::Kind::define) defines_.push_back(tokenize(line.text));
    }
  }

  Result<ImportedSpace> run(const std::vector<std::string>& wanted) {
    if (auto chosen = choose_kernel(wanted); !chosen) return chosen.error();
    kernel_text_ = used_by(flat_, {kernel_->name});
    find_settings();
    find_unset_names();
    find_block();
    find_sizes();
    for (const std::string& name : unset_sizes_) guess_axis(name, true);
    template_values_ = template_values();
    read_arguments();
    write();
    return std::move(space_);
  }

 private:
  void note(std::string text) {
    if (std::ranges::find(space_.notes, text) == space_.notes.end()) space_.notes.push_back(std::move(text));
  }

  // False for a declaration like `__global__ void k(const Matrix, float*);`.
  static bool has_names(const FunctionSignature& kernel) {
    return kernel.parameters &&
           std::ranges::none_of(*kernel.parameters, &std::string::empty, &FunctionSignature::Parameter::name);
  }

  Result<void> choose_kernel(const std::vector<std::string>& wanted) {
    const auto kernel_named = [&](const std::string& name) {
      return std::ranges::find(kernels_, name, &FunctionSignature::name);
    };
    for (const FunctionSignature& signature : signatures_) {
      if (signature.kind != FunctionSignature::Kind::kernel) continue;
      const auto declared = kernel_named(signature.name);
      if (declared == kernels_.end()) {
        kernels_.push_back(signature);
      } else if (!has_names(*declared)) {
        *declared = signature;
      }
    }
    if (kernels_.empty()) return Error{path_.string() + ": it has no kernel (no __global__ function)"};
    const std::string names = joined(kernels_, ", ", &FunctionSignature::name);
    const auto is_wanted = [&](const std::string& name) {
      return wanted.empty() || std::ranges::find(wanted, name) != wanted.end();
    };
    const auto first = std::ranges::find_if(kernels_, is_wanted, &FunctionSignature::name);
    if (first == kernels_.end())
      return Error{path_.string() + ": it has no kernel '" + wanted.front() + "'; its kernels are " + names};
    const std::vector<FoundLaunch> launches = code_.launches();
    auto chosen = kernels_.end();
    for (const FoundLaunch& launch : launches) {
      if (chosen == kernels_.end() && is_wanted(launch.kernel)) chosen = kernel_named(launch.kernel);
    }
    kernel_ = chosen == kernels_.end() ? &*first : &*chosen;
    if (!kernel_->parameters)
      return Error{path_.string() + ": the parameters of '" + kernel_->name +
                   "' do not show: a macro or #if hides them"};
    std::set<std::string> ways;  // to launch it
    const auto text = [](Tokens tokens) { return text_of(tokens); };
    for (const FoundLaunch& launch : launches) {
      if (launch.kernel != kernel_->name || launch.arguments.size() != kernel_->parameters->size()) continue;
      if (!launch_) launch_ = launch;
      ways.insert(joined(launch.config, ",", text) + "(" + joined(launch.arguments, ",", text));
    }
    if (!launch_) note("no launch of " + kernel_->name + " was found: its grid and block are guesses");
    if (ways.size() > 1)
      note(fmt::format(
          "the source launches {} in {} ways; this is the first: add the others to launches if they belong "
          "to one result",
          kernel_->name, ways.size()));
    if (kernels_.size() > 1 && wanted.size() != 1)
      note("this is for the kernel " + kernel_->name + " of " + names + "; name another to import that one");
    return {};
  }

  bool is_named_in_kernel(const std::string& name) const { return kernel_text_.words.contains(name); }

  const SourceSetting* setting(std::string_view name) const {
    const auto found = std::ranges::find(settings_, name, &SourceSetting::name);
    return found == settings_.end() ? nullptr : &*found;
  }
  bool is_kernel_setting(const SourceSetting& setting) const {
    return setting.is_global && is_named_in_kernel(setting.name);
  }

  static bool looks_like_parameter(const std::string& name, std::int64_t value) {
    static const std::regex kNames(
        ".*(tile|block|thread|unroll|coars|per_?th|items|vec|chunk|batch|bucket|stage|warps).*|bs|"
        "bdim[xyz]?|tpb|radix_?bits",
        std::regex::icase);
    // Others are rather facts of the data: DIM of points in 3 dimensions. BM is that of a tile of 64 rows.
    static const std::regex kNamesOfPowersOfTwo(".*(stride|step|factor|buf|_size|size_|dim).*|[bwt][mnkxyz]",
                                                std::regex::icase);
    const bool is_power = (value & (value - 1)) == 0;
    const bool is_name =
        std::regex_match(name, kNames) || (is_power && std::regex_match(name, kNamesOfPowersOfTwo));
    return value >= 1 && value <= 4096 && is_name && !is_fixed(name);
  }

  // Names of numbers that an algorithm needs as they are.
  static bool is_fixed(const std::string& name) {
    static const std::regex kFixed(
        ".*(warp_?size|per_?warp|radius|n_?bins|num_?bins|banks|steps|limit|n_?dims?|filter|mask|channels|"
        "lanes).*",
        std::regex::icase);
    return std::regex_match(name, kFixed);
  }

  // True if the launch passes the value of this name alone.
  bool is_passed(const std::string& name) const {
    return launch_ && std::ranges::any_of(launch_->arguments, [&](Tokens argument) {
             return argument.size() == 1 && argument[0] == name;
           });
  }

  void find_settings() {
    settings_ = source_settings(tokens_, defines_, code_);
    for (const SourceSetting& setting : settings_) {
      const bool is_in_template = launch_ && has(launch_->template_arguments, setting.name);
      if (is_in_template && setting.value > 0 && setting.value <= 4096) {
        add_setting_parameter(setting);
      } else if (!is_kernel_setting(setting)) {
        continue;
      } else if (is_passed(setting.name)) {
        add_axis(setting.name, setting.value, true);
      } else if (looks_like_parameter(setting.name, setting.value)) {
        add_setting_parameter(setting);
      } else if (setting.value > 1024 && setting.value <= kLargestSetting) {
        add_axis(setting.name, setting.value, true);
        note(setting.name + " is taken for a size of the problem");
      }
    }
  }

  // The macros that whoever compiles a kernel without launching code has to define: parameters, or sizes.
  void find_unset_names() {
    if (launch_) return;
    static const std::regex kBlock(".*(block|group)_?(size|dim)_?([xyz])?|.*n(um)?_?threads()()",
                                   std::regex::icase);
    static const std::regex kBlocks(".*n(um)?_?(blocks|groups)", std::regex::icase);
    NameSet compiled;
    for (const FunctionSignature& kernel : kernels_) compiled.insert(kernel.name);
    std::vector<UnsetName> unset = unset_names(all_, used_by(flat_, compiled).words);
    for (const FunctionSignature& each : signatures_) {
      if (!each.parameters) continue;
      for (const FunctionSignature::Parameter& parameter : *each.parameters)
        std::erase_if(unset, [&](const UnsetName& name) {
          return name.name == parameter.name || name.name == parse_type(parameter.type).base;
        });
    }
    std::smatch parts;
    for (const UnsetName& each : unset) {
      if (!std::regex_match(each.name, parts, kBlock)) continue;
      const std::string axis = parts[3].str();
      unset_block_.try_emplace(axis.empty() ? 0 : (axis[0] | 0x20) - 'x', each.name);
    }
    for (const auto& [dimension, name] : unset_block_) {
      const std::int64_t extent = unset_block_.rbegin()->first == 0 ? 256 : unset_block_.size() == 3 ? 4 : 16;
      add_parameter(name, value_list(extent), extent, kUnset);
      code_.known[name] = name;
    }
    for (const auto& [name, numbers, is_in_directive] : unset) {
      if (code_.known.contains(name)) continue;
      // Another kernel needs it.
      const bool has_one = !is_in_directive && !is_named_in_kernel(name);
      if (std::regex_match(name, kBlocks)) {
        add_parameter(name, value_list(256), 256, kUnset);
        unset_grid_ = name;
      } else if (!numbers.empty()) {
        std::set<std::int64_t> all(numbers.begin(), numbers.end());
        if (all.size() == 1) all.insert(*all.begin() == 0 ? 1 : 0);
        add_parameter(name, {all.begin(), all.end()}, numbers.front(), kUnset);
      } else if (looks_like_parameter(name, 1)) {
        add_parameter(name, has_one ? std::vector<Value>{1} : std::vector<Value>{1, 2, 4}, 1, kUnset);
      } else {
        unset_sizes_.push_back(name);
        continue;
      }
      code_.known[name] = name;
    }
    keep_few_configurations();
  }

  // Removes guessed values until few enough configurations are left for a check to end soon.
  void keep_few_configurations() {
    constexpr std::size_t kMost = 256;
    for (;;) {
      std::size_t count = 1;
      for (const SpaceDraft::Parameter& each : draft_.parameters) count *= each.values.size();
      const auto longest = std::ranges::max_element(
          draft_.parameters, {},
          [](const SpaceDraft::Parameter& each) { return each.comment == kUnset ? each.values.size() : 0; });
      if (count <= kMost || longest->comment != kUnset || longest->values.size() == 1) return;
      longest->values.erase(longest->values.back() == *longest->default_value ? longest->values.begin()
                                                                              : longest->values.end() - 1);
    }
  }

  static constexpr const char* kUnset = "a guess: the source does not set it";

  // Larger constants are bits or limits.
  static constexpr std::int64_t kLargestSetting = std::int64_t{1} << 28;

  void add_setting_parameter(const SourceSetting& setting) {
    add_parameter(setting.name, value_list(setting.value), setting.value);
    code_.known[setting.name] = setting.name;
  }

  void add_parameter(const std::string& name, std::vector<Value> values, std::int64_t value,
                     std::string comment = "") {
    draft_.parameters.push_back({name, std::move(values), value, std::move(comment)});
  }

  void add_axis(const std::string& name, std::int64_t value, bool is_macro) {
    const bool is_free = !is_expression_word(name) && !is_any_of(name, reading_names());
    const std::string axis = is_free ? name : name + '_';  // a size `in`
    draft_.axes.push_back({axis, {std::to_string(value)}, is_macro && is_named_in_kernel(name)});
    code_.known[name] = axis;
  }

  // Buffers may have the product of all guessed sizes: a million elements together, 1024 x 1024, 64 x 64
  // x 64.
  void guess_axis(const std::string& name, bool is_macro) {
    note("the size " + name + " is a guess");
    guessed_axes_.push_back(draft_.axes.size());
    add_axis(name, 1, is_macro);
    for (const std::size_t axis : guessed_axes_)
      draft_.axes[axis].values = {std::to_string(1 << std::max<std::size_t>(20 / guessed_axes_.size(), 4))};
  }

  bool is_parameter(std::string_view name) const {
    return std::ranges::find(draft_.parameters, name, &SpaceDraft::Parameter::name) !=
           draft_.parameters.end();
  }

  static std::vector<Value> value_list(std::int64_t value) {
    std::vector<Value> values;
    if ((value & (value - 1)) != 0) {
      for (const std::int64_t each : {value / 2, value, value * 2}) {
        if (each > 0) values.push_back(each);
      }
      return values;
    }
    // From a quarter to four times the value; a block has at most 1024 threads.
    for (std::int64_t each = std::max<std::int64_t>(1, value / 4); each <= value * 4; each *= 2) {
      if (each <= std::max<std::int64_t>(1024, value)) values.push_back(each);
    }
    return values;
  }

  bool has_literal_in_kernel(std::int64_t value) const {
    return std::ranges::any_of(kernel_text_.numbers, [&](std::string_view digits) {
      digits = digits.substr(0, digits.find_last_not_of("uUlL") + 1);
      return digits == std::to_string(value);
    });
  }

  // The macros and constants of kernels that decide a block's extent are parameters under their own names.
  void add_block_settings(const LaunchingCode::Written& extent) {
    for (const auto& [name, place] : code_.sources_of(extent.tokens, extent.place)) {
      const SourceSetting* found = setting(name);
      if (found == nullptr || !is_kernel_setting(*found) || code_.known.contains(name)) continue;
      if (found->value <= 1 || found->value > 1024 || is_fixed(name)) continue;
      add_setting_parameter(*found);
    }
  }

  // The block's extents. A literal extent becomes a parameter where the kernel's text does not depend on it.
  void find_block() {
    static constexpr const char* kLong[] = {"threadsPerBlock", "threadsPerBlockY", "threadsPerBlockZ"};
    static const std::vector<Value> kBlockSizes = {64, 128, 256, 512, 1024};
    if (!unset_block_.empty()) {
      for (int i = 0; i <= unset_block_.rbegin()->first; ++i)
        draft_.block.push_back(unset_block_.contains(i) ? unset_block_[i] : "1");
      return;
    }
    if (!launch_) {
      if (const std::string name = block_setting_in_index(); !name.empty()) {
        draft_.block = {name};
        return;
      }
    }
    if (!launch_ && !has(bodies_.body(kernel_->name), "blockDim")) {
      draft_.block = {"256"};
      draft_.block_comment = "a guess";
      if (is_named_in_kernel("threadIdx")) add_guess("block");
      return;
    }
    if (!launch_) {
      add_parameter(kLong[0], kBlockSizes, 256, "a guess");
      draft_.block = {kLong[0]};
      if (has_second_dimension()) add_guess("block");
      return;
    }
    const std::vector<LaunchingCode::Written> extents = code_.extents(launch_->config[1], launch_->place);
    for (const LaunchingCode::Written& extent : extents) add_block_settings(extent);
    for (std::size_t i = 0; i < extents.size() && i < 3; ++i) {
      const auto term = code_.translate(extents[i].tokens, extents[i].place);
      if (!term) {
        draft_.block.push_back(i == 0 ? "256" : "1");
        draft_.block_comment = "the source says " + text_of(extents[i].tokens);
        add_guess("block");
        note("the block " + text_of(extents[i].tokens) + " could not be read: it is a guess");
        continue;
      }
      const auto number = term->constant();
      if (const std::string name = number ? block_setting(*number) : ""; !name.empty()) {
        add_block_extent(extents, i, *number, name);
        continue;
      }
      const std::string_view why = number && *number > 1 ? why_block_stays(i, *number) : "";
      if (!why.empty()) note(fmt::format("the block of {} threads stays: {}", term->text(), why));
      if (!number || *number <= 1 || !why.empty()) {
        draft_.block.push_back(term->text());
        continue;
      }
      const std::string name = kLong[i];
      std::vector<Value> values = extents.size() == 1 ? kBlockSizes : value_list(*number);
      if (std::ranges::find(values, Value(*number)) == values.end()) values.push_back(*number);
      std::ranges::sort(values);
      add_parameter(name, std::move(values), *number);
      add_block_extent(extents, i, *number, name);
    }
  }

  // threadIdx.y
  bool has_second_dimension() const {
    const Tokens body = bodies_.body(kernel_->name);
    for (std::size_t i = 0; i + 2 < body.size(); ++i) {
      if (is_any_of(body[i].text, {"threadIdx", "blockDim"}) && body[i + 2] == "y") return true;
    }
    return false;
  }

  void add_guess(const std::string& name) {
    if (std::ranges::find(draft_.guesses, name) == draft_.guesses.end()) draft_.guesses.push_back(name);
  }

  // The parameter `name` is the block's extent in this dimension, and stands for its variables and its
  // literal.
  void add_block_extent(const std::vector<LaunchingCode::Written>& extents, std::size_t dimension,
                        std::int64_t value, const std::string& name) {
    draft_.block.push_back(name);
    block_literals_[dimension] = value;
    alias(extents[dimension], name);
    alias_members(dimension, extents.size(), name);
  }

  // The parameter of the kernel that a literal extent of the block repeats: BLOCK_DIM of `#define BLOCK_DIM
  // 16` beside `dim3 block(16, 16)`. Empty if none or several have this value.
  std::string block_setting(std::int64_t extent) const {
    static const std::regex kNames(".*(block|tile|thread|dim).*", std::regex::icase);
    std::string found;
    for (const SpaceDraft::Parameter& each : draft_.parameters) {
      if (each.default_value != Value(extent) || !std::regex_match(each.name, kNames)) continue;
      if (setting(each.name) == nullptr) continue;
      if (!found.empty()) return "";
      found = each.name;
    }
    return found;
  }

  // BLOCK of a kernel that computes `blockIdx.x * BLOCK + threadIdx.x`.
  std::string block_setting_in_index() const {
    const Tokens body = bodies_.body(kernel_->name);
    for (std::size_t i = 0; i + 6 < body.size(); ++i) {
      const bool is_index = body[i] == "blockIdx" && body[i + 2] == "x" && body[i + 3] == "*" &&
                            body[i + 5] == "+" && body[i + 6] == "threadIdx";
      if (is_index && is_parameter(body[i + 4].text)) return std::string(body[i + 4].text);
    }
    return "";
  }

  // Why a literal extent of the block is no parameter. Empty: it is one.
  std::string_view why_block_stays(std::size_t dimension, std::int64_t extent) {
    if (has_literal_in_kernel(extent)) return "the kernel's text has this number too";
    if (!steps_by_block() && !grid_follows(dimension, extent))
      return "neither the grid nor a loop of the kernel follows it, so a smaller one would do less work";
    return "";
  }

  // True if a grid's extent depends on this extent of the block.
  bool grid_follows(std::size_t dimension, std::int64_t extent) {
    static const std::string kName = "gktune_extent";
    const auto block = code_.extents(launch_->config[1], launch_->place);
    const auto known = code_.known;
    alias(block[dimension], kName);
    alias_members(dimension, block.size(), kName);
    code_.literals[extent] = kName;
    const bool follows = std::ranges::any_of(code_.extents(launch_->config[0], launch_->place),
                                             [&](const LaunchingCode::Written& each) {
                                               know_names(each.tokens, each.place);
                                               const auto term = code_.translate(each.tokens, each.place);
                                               return term && term->text().find(kName) != std::string::npos;
                                             });
    code_.literals.clear();
    code_.known = known;
    return follows;
  }

  // Sizes that nothing in the source gives a value stand for themselves.
  void know_names(Tokens tokens, std::size_t place, int depth = 0) {
    constexpr int kMostLevels = 6;
    for (std::size_t i = 0; i < tokens.size() && depth < kMostLevels; ++i) {
      const bool is_call = i + 1 < tokens.size() && is_any_of(tokens[i + 1].text, {"(", "<", "."});
      if (!tokens[i].is_word() || is_call || code_.known.contains(tokens[i].text)) continue;
      if (const auto value = code_.definition(tokens[i].text, place)) {
        know_names(value->tokens, value->place, depth + 1);
      } else if (may_be_size(std::string(tokens[i].text), place)) {
        code_.known[std::string(tokens[i].text)] = tokens[i].text;
      }
    }
  }

  // True if a loop of the kernel goes on by the number of threads: `i += blockDim.x * gridDim.x`, also by a
  // variable that has it.
  bool steps_by_block(std::string_view setting = {}) const {
    const Tokens body = bodies_.body(kernel_->name);
    std::set<std::string_view> counts{"blockDim", "num_threads", "size", "group_dim", "dim_threads", setting};
    const auto has_count = [&](std::size_t begin) {  // and no thread's own index or element
      bool found = false;
      int depth = 0;
      for (std::size_t k = begin; k < body.size() && depth >= 0 && body[k] != ";" && body[k] != "{"; ++k) {
        if (is_any_of(body[k].text, {"threadIdx", "blockIdx", "thread_rank", "["})) return false;
        found = found || counts.contains(body[k].text);
        depth += body[k] == "(" ? 1 : body[k] == ")" ? -1 : 0;
      }
      return found;
    };
    for (std::size_t i = 1; i + 1 < body.size(); ++i) {
      if (body[i] != "=" || body[i + 1] == "=") continue;
      if (body[i - 1] == "+" && has_count(i + 1)) return true;
      const bool is_sum = body[i - 1].is_word() && body[i + 1] == body[i - 1].text && has_count(i + 1);
      if (is_sum) return true;
      if (body[i - 1].is_word() && has_count(i + 1)) counts.insert(body[i - 1].text);
    }
    return false;
  }

  // block.x and, of a block with one extent, the variable itself.
  void alias_members(std::size_t dimension, std::size_t dimensions, const std::string& name) {
    if (launch_->config[1].size() != 1) return;
    static constexpr const char* kAxes[] = {".x", ".y", ".z"};
    const std::string variable(launch_->config[1][0].text);
    code_.known[variable + kAxes[dimension]] = name;
    if (dimensions == 1 && !code_.is_dim3(variable, launch_->place)) code_.known[variable] = name;
  }

  // A variable or macro for the block stands for the parameter elsewhere too.
  void alias(const LaunchingCode::Written& extent, const std::string& name) {
    LaunchingCode::Written at = extent;
    for (int depth = 0; depth < 8 && at.tokens.size() == 1 && at.tokens[0].is_word(); ++depth) {
      code_.known.try_emplace(std::string(at.tokens[0].text), name);
      const auto next = code_.definition(at.tokens[0].text, at.place);
      if (!next) break;
      at = *next;
    }
  }

  // The variables that decide sizes become axes.
  void find_sizes() {
    const auto& parameters = *kernel_->parameters;
    if (!launch_) {
      for (const auto& parameter : parameters) {
        const bool has_name = !parameter.name.empty() && !code_.known.contains(parameter.name);
        if (!is_size(parameter) || !has_name) continue;
        guess_axis(parameter.name, false);
      }
      return;
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (!is_size(parameters[i])) continue;
      const Tokens passed = launch_->arguments[i];
      add_sizes(passed, launch_->place, Use::size);
      const bool is_unknown =
          passed.size() == 1 && passed[0].is_word() && !code_.known.contains(passed[0].text) &&
          !code_.translate(passed, launch_->place) && !code_.loop_start(passed[0].text, launch_->place);
      if (!is_unknown) continue;
      guess_axis(std::string(passed[0].text), false);
    }
    for (const LaunchingCode::Written& each : code_.extents(launch_->config[0], launch_->place))
      add_sizes(each.tokens, each.place, Use::size);
    // Beside these, further extents may vary too: the rows of a table. Alone they would not fit the grid.
    for (std::size_t i = 0; i < parameters.size() && !draft_.axes.empty(); ++i) {
      if (parse_type(parameters[i].type).pointers == 0) continue;
      const auto allocation = code_.allocation(launch_->arguments[i], launch_->place);
      if (!allocation) continue;
      for (const Tokens factor : allocation->factors) add_sizes(factor, allocation->place, Use::extent);
    }
  }

  bool is_size(const FunctionSignature::Parameter& parameter) {
    const CppType type = parse_type(parameter.type);
    if (type.pointers > 0 || type.base == "bool") return false;
    const auto element = element_type_from_name(code_.resolved_type(type.base));
    return element && !is_floating(*element) && *element != ElementType::uint8;
  }

  // False for real of sizeof(real), for pointers, and for the number of the program's arguments.
  bool may_be_size(const std::string& name, std::size_t place) const {
    if (name == "argc" || name == "argv" || element_type_from_name(code_.resolved_type(name))) return false;
    const auto type = code_.declared_type(name, place);
    if (!type || *type == "auto") return true;
    const auto element = element_type_from_name(code_.resolved_type(*type));
    return element && *type != "bool" && !is_floating(*element);
  }

  static constexpr std::int64_t kFewestElements = 5, kLargestSize = std::numeric_limits<std::int32_t>::max();

  // True if the block was read with the value of this name: no other value fits.
  bool decides_block(const std::string& name) const {
    return std::ranges::any_of(code_.extents(launch_->config[1], launch_->place), [&](const auto& extent) {
      const auto sources = code_.sources_of(extent.tokens, extent.place);
      return std::ranges::find(sources, name, &LaunchingCode::Source::name) != sources.end();
    });
  }

  // An axis that no argument and no grid shows would have nothing to do with the others: the extent is a
  // guess instead.
  enum class Use { size, extent };

  void add_sizes(Tokens expression, std::size_t from, Use use) {
    for (const auto& [name, place] : code_.sources_of(expression, from)) {
      if (!may_be_size(name, place)) continue;
      const auto value = code_.definition(name, place);
      const auto term = value ? code_.translate(value->tokens, value->place) : std::nullopt;
      if (term && term->is_real()) continue;
      const auto number = term ? term->constant() : std::nullopt;
      if (term && (!number || *number < 1 || *number > kLargestSize)) continue;
      // Two coordinates, three channels.
      if (number && *number < kFewestElements) continue;
      const SourceSetting* found = setting(name);
      const bool is_macro = found != nullptr && is_kernel_setting(*found);
      if (is_macro && decides_block(name)) continue;
      // A guess would have nothing to do with the other sizes, nor has a number of bytes.
      if (use == Use::extent && (!number || has(value->tokens, "sizeof"))) continue;
      number ? add_axis(name, *number, is_macro) : guess_axis(name, is_macro);
    }
  }

  // The grid's extents in the space file's language.
  std::vector<std::string> grid() {
    std::vector<std::string> grid;
    if (!launch_) {
      draft_.grid_comment = "a guess";
      if (!unset_grid_.empty()) return {unset_grid_};
      first_axis();
      const std::size_t x = axis_of_columns(), y = x == 0 && draft_.axes.size() > 1 ? 1 : 0;
      grid.push_back(fmt::format("ceil_div({}, {})", draft_.axes[x].name, elements_of_block(0)));
      if (unset_block_.contains(1))
        grid.push_back(fmt::format("ceil_div({}, {})", draft_.axes[y].name, elements_of_block(1)));
      return grid;
    }
    const std::vector<LaunchingCode::Written> extents = code_.extents(launch_->config[0], launch_->place);
    for (std::size_t i = 0; i < extents.size() && i < 3; ++i) {
      code_.literals.clear();
      if (block_literals_.contains(i)) code_.literals[block_literals_[i]] = draft_.block[i];
      if (const auto term = code_.translate(extents[i].tokens, extents[i].place)) {
        grid.push_back(term->as_integer().text());
        add_divisibility(extents[i], grid.back());
        continue;
      }
      grid.push_back(i == 0 ? "ceil_div(" + first_axis() + ", " + draft_.block[0] + ")" : "1");
      draft_.grid_comment = "a guess: the source says " + text_of(extents[i].tokens);
      add_guess("grid");
      note("the grid " + text_of(extents[i].tokens) + " could not be read: it is a guess");
    }
    code_.literals.clear();
    return grid;
  }

  // The size that the first dimension of a grid divides.
  std::size_t axis_of_columns() const {
    static const std::regex kColumns("(.*[^a-z])?(w|nx|.*width|.*col(umn)?s)", std::regex::icase);
    const auto found = std::ranges::find_if(
        draft_.axes, [](const SpaceDraft::Axis& axis) { return std::regex_match(axis.name, kColumns); });
    return found == draft_.axes.end() ? 0 : static_cast<std::size_t>(found - draft_.axes.begin());
  }

  // BLOCK * TILE of a kernel that computes `blockIdx.x * BLOCK * TILE`, else the block's extent.
  std::string elements_of_block(std::size_t dimension) const {
    const Tokens body = bodies_.body(kernel_->name);
    std::vector<std::string> factors;
    for (std::size_t i = 0; i + 4 < body.size() && factors.empty(); ++i) {
      if (body[i] != "blockIdx" || body[i + 2] != std::string(1, static_cast<char>('x' + dimension)))
        continue;
      for (std::size_t at = i + 3; at + 1 < body.size() && body[at] == "*"; at += 2) {
        if (is_parameter(body[at + 1].text)) factors.emplace_back(body[at + 1].text);
      }
    }
    return factors.empty() ? draft_.block[dimension] : joined(factors, " * ");
  }

  // The block's extents that only the sizes of the problem decide, which find_block() did not know.
  void find_unread_block() {
    if (!launch_) return;
    const auto extents = code_.extents(launch_->config[1], launch_->place);
    for (std::size_t i = 0; i < extents.size() && i < draft_.block.size(); ++i) {
      if (draft_.block_comment.empty() || (draft_.block[i] != "256" && draft_.block[i] != "1")) continue;
      const auto term = code_.translate(extents[i].tokens, extents[i].place);
      if (!term) return;
      draft_.block[i] = term->as_integer().text();
      if (i + 1 != extents.size()) continue;
      draft_.block_comment.clear();
      std::erase(draft_.guesses, "block");
    }
  }

  static bool names(const std::vector<std::string>& expressions, const std::string& name) {
    const std::regex word("\\b" + name + "\\b");
    return std::ranges::any_of(expressions,
                               [&](const std::string& each) { return std::regex_search(each, word); });
  }

  // A parameter of the block that neither the grid nor a loop of the kernel follows has the source's value
  // alone: another one would do another work.
  void keep_unfollowed_block() {
    for (SpaceDraft::Parameter& parameter : draft_.parameters) {
      if (!names(draft_.block, parameter.name) || !parameter.default_value) continue;
      const bool is_in_grid = names(draft_.grid, parameter.name);
      const bool is_followed = is_in_grid || steps_by_block(parameter.name);
      const bool is_of_data = is_in_grid && bodies_.has_element_of_block(*kernel_);
      if (is_followed && !is_of_data && (!launch_ || draft_.grid_comment.empty())) continue;
      parameter.values = {*parameter.default_value};
      if (is_of_data) {
        parameter.comment = "other values need other data: the kernel has elements for each block or thread";
        continue;
      }
      parameter.comment = is_followed ? "other values need the true grid"
                                      : "other values need a grid or a loop of the kernel that follows them";
    }
  }

  // Turns the source's asserts about parameters and sizes into constraints.
  void find_asserted_constraints() {
    for (const LaunchingCode::Written& condition : code_.asserted()) {
      const auto text = code_.translate_comparison(condition.tokens, condition.place);
      const bool names_any =
          text &&
          (std::ranges::any_of(draft_.axes, [&](const auto& axis) { return names({*text}, axis.name); }) ||
           std::ranges::any_of(draft_.parameters,
                               [&](const auto& each) { return names({*text}, each.name); }));
      if (names_any) add_constraint(*text, "the source asserts it");
    }
  }

  // A grid of `n / TILE` blocks covers all elements only if TILE divides n.
  void add_divisibility(const LaunchingCode::Written& extent, const std::string& text) {
    static const std::regex kQuotient(R"((\w+|\(.+\)) // (\w+|\(.+\)))");
    std::smatch parts;
    if (!std::regex_match(text, parts, kQuotient)) return;
    const std::string divisor = parts[2].str();
    const bool depends = std::ranges::any_of(draft_.parameters, [&](const SpaceDraft::Parameter& each) {
      return std::regex_search(divisor, std::regex("\\b" + each.name + "\\b"));
    });
    const bool divides_size = std::ranges::any_of(
        draft_.axes, [&](const SpaceDraft::Axis& axis) { return names({parts[1].str()}, axis.name); });
    if (!depends && !divides_size) return;
    needs_multiples_ = needs_multiples_ || !depends;
    add_constraint(parts[1].str() + " % " + divisor + " == 0",
                   "the source's grid is " + text_of(extent.tokens));
  }

  // True if the kernel compares something with the size. A loop alone keeps no thread of a grid within it.
  bool is_guarded(const std::string& axis) const {
    std::set<std::string, std::less<>> known;
    for (const SpaceDraft::Argument& argument : draft_.arguments) {
      if (names({argument.value}, axis)) known.insert(argument.name);
    }
    return bodies_.compares(kernel_->name, std::move(known),
                            names(draft_.grid, axis) ? Loops::skip : Loops::count);
  }

  // A size that the kernel compares with nothing is one that the blocks divide.
  void require_multiples() {
    static const std::regex kRoundedUp(R"(ceil_div\((\w+), (.+)\))");
    for (const std::string& extent : draft_.grid) {
      std::smatch parts;
      if (!std::regex_match(extent, parts, kRoundedUp)) continue;
      const std::string name = parts[1].str();
      const auto axis = std::ranges::find(draft_.axes, name, &SpaceDraft::Axis::name);
      if (axis == draft_.axes.end() || axis->is_macro || is_guarded(name)) continue;
      add_constraint(name + " % (" + parts[2].str() + ") == 0", "the kernel compares no index with " + name);
    }
  }

  // Sizes that nothing in the source relates to each other or to the launch: extents of them are guesses too,
  // and so is what a kernel does with their values.
  void find_unrelated_sizes() {
    for (const std::size_t place : guessed_axes_) {
      const std::string& name = draft_.axes[place].name;
      std::vector<std::string> extents, values;  // that the source has
      for (const SpaceDraft::Argument& argument : draft_.arguments) {
        if (!argument.is_extent_guess) extents.push_back(argument.extent);
        values.push_back(argument.value);
      }
      const bool is_in_extent = names(extents, name), is_in_value = names(values, name);
      if (names(draft_.grid, name) || is_in_extent == is_in_value) continue;
      if (is_in_value && draft_.axes.size() > 1) add_guess(name);
      for (SpaceDraft::Argument& argument : draft_.arguments)
        argument.is_extent_guess = argument.is_extent_guess || names({argument.extent}, name);
    }
  }

  void add_constraint(std::string text, std::string comment) {
    if (std::ranges::find(draft_.constraints, text, &SpaceDraft::Constraint::condition) ==
        draft_.constraints.end())
      draft_.constraints.push_back({std::move(text), std::move(comment)});
  }

  // for (j = 0; j < TILE_DIM; j += BLOCK_ROWS) goes beyond TILE_DIM unless BLOCK_ROWS divides it.
  void find_loop_constraints() {
    const Tokens body = bodies_.body(kernel_->name);
    for (std::size_t i = 0; i + 8 < body.size(); ++i) {
      if (body[i] != "<" || !body[i + 1].is_word() || body[i + 2] != ";" || !body[i + 3].is_word()) continue;
      const bool starts_at_0 = i > 3 && body[i - 2] == ";" && body[i - 3] == "0" && body[i - 4] == "=";
      if (!starts_at_0 || body[i + 4] != "+" || body[i + 5] != "=" || !body[i + 6].is_word() ||
          body[i + 7] != ")")
        continue;
      const std::string end(body[i + 1].text), step(body[i + 6].text);
      if (end != step && is_parameter(end) && is_parameter(step))
        add_constraint(end + " % " + step + " == 0",
                       "a loop of the kernel counts to " + end + " in steps of " + step);
    }
  }

  std::string first_axis() {
    if (draft_.axes.empty()) {
      note("no size of the problem was found");
      guess_axis("n", false);
    }
    return draft_.axes.front().name;
  }

  std::string all_elements() {
    constexpr std::size_t kMostSizes = 3;  // the product of more soon exceeds all memory
    first_axis();
    std::vector<SpaceDraft::Axis> axes = draft_.axes;
    if (axes.size() == 1 && unset_block_.contains(1)) axes.push_back(axes.front());
    while (axes.size() > kMostSizes) {
      axes.erase(std::ranges::min_element(
          axes, {}, [](const SpaceDraft::Axis& axis) { return std::stoll(axis.values.front()); }));
    }
    return joined(axes, " * ", &SpaceDraft::Axis::name);
  }

  void read_arguments() {
    for (const ImportedArgument& argument : kernel_arguments(
             {*kernel_, kernel_text_, launch_, template_values_, tokens_, bodies_, code_,
              [this] { return all_elements(); }, [this](std::string text) { note(std::move(text)); }})) {
      if (!argument.type.empty()) draft_.arguments.push_back(argument);
      if (!argument.passed.empty()) draft_.passed.push_back(argument.passed);
      if (argument.is_guess && !argument.type.empty()) add_guess(argument.name);
    }
  }

  void write() {
    draft_.origin = path_.filename().string();
    draft_.kernel = kernel_->name;
    draft_.source = source_path_;
    for (const fs::path dir : include_dirs_)
      draft_.include.push_back(in_space_folder(dir.empty() ? "." : dir).string());
    find_unread_block();
    draft_.grid = grid();
    keep_unfollowed_block();
    require_multiples();
    find_unrelated_sizes();
    find_loop_constraints();
    find_asserted_constraints();
    for (const SpaceDraft::Parameter& each : draft_.parameters) {
      if (each.values.size() > 1) add_guess(each.name);
    }
    if (draft_.parameters.empty()) note("no macro or constant looks like a parameter: add parameters");
    draft_.entry = namespace_of_kernel() + kernel_->name + template_text();
    if (launch_ && launch_->config.size() > 2) {
      use_block_literals();
      const auto shared = code_.translate(launch_->config[2], launch_->place);
      code_.literals.clear();
      if (!shared)
        note("the shared memory " + text_of(launch_->config[2]) + " could not be read: it is a guess");
      if (shared && shared->constant() != 0) draft_.shared = shared->as_integer().text();
    }
    if (draft_.shared.empty() && has_dynamic_shared()) {
      draft_.shared = "48Ki";
      draft_.shared_comment = "a guess";
    }
    const auto& words = kernel_text_.words;
    const bool has_grid = words.contains("this_grid") || words.contains("this_multi_grid");
    draft_.is_cooperative = (launch_ && launch_->is_cooperative) || (has_grid && words.contains("sync"));
    draft_.compares_with_default = !draft_.parameters.empty() && !words.contains("clock") &&
                                   !words.contains("clock64") && !depends_on_order();
    allow_rounding();
    check_file();
    note(draft_.compares_with_default
             ? "outputs are compared with those of the default configuration: a reference finds more"
             : kNoReference);
  }

  // True if the kernel uses what an atomicAdd returns, which the order of threads decides: out[atomicAdd(n,
  // 1)].
  bool depends_on_order() const {
    const Tokens body = bodies_.body(kernel_->name);
    for (std::size_t i = 1; i < body.size(); ++i) {
      const bool is_statement = is_any_of(body[i - 1].text, {";", "{", "}", ")", "else"});
      if (is_any_of(body[i].text, {"atomicAdd", "atomicSub"}) && !is_statement) return true;
    }
    return false;
  }

  // extern __shared__ float tile[];
  bool has_dynamic_shared() const {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i] != "extern") continue;
      std::size_t end = i;
      while (end + 1 < tokens_.size() && !is_any_of(tokens_[end + 1].text, {"[", ";", "{"})) ++end;
      if (has(Tokens(tokens_).subspan(i, end - i), "__shared__") &&
          is_named_in_kernel(std::string(tokens_[end].text)))
        return true;
    }
    return false;
  }

  // Another configuration may add in another order.
  void allow_rounding() {
    for (SpaceDraft::Argument& argument : draft_.arguments) {
      const auto element = element_type_from_name(argument.type);
      if (argument.role.empty() || !element || !is_floating(*element)) continue;
      const char* part = element_size(*element) == 8 ? "1e-9" : element_size(*element) == 4 ? "1e-4" : "1e-2";
      argument.check = fmt::format("{{absolute: {0}, relative: {0}}}", part);
    }
  }

  // "tools::" of a kernel in that namespace.
  std::string namespace_of_kernel() const {
    std::vector<std::string> open;  // for each brace
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (tokens_[i] == "}" && !open.empty()) open.pop_back();
      if (tokens_[i] == "{") {
        std::size_t begin = i;
        while (begin > 0 && (tokens_[begin - 1].is_word() || tokens_[begin - 1] == ":")) --begin;
        const Tokens head = Tokens(tokens_).subspan(begin, i - begin);
        const auto name = std::ranges::find(head, "namespace", &Token::text);
        const bool is_named = name != head.end() && name + 1 != head.end();
        open.push_back(is_named ? text_of({name + 1, head.end()}) + "::" : "");
      }
      if (tokens_[i] == kernel_->name && tokens_[i + 1] == "(" && i > 0 && tokens_[i - 1] != ":" &&
          std::ranges::any_of(open, [](const std::string& each) { return !each.empty(); }))
        return joined(open, "");
    }
    return "";
  }

  // Finds what `gktune check` would find in the file before it compiles. Makes guessed sizes smaller until
  // buffers and grids fit, drops constraints that rule out the source's own values, and leaves the rest as a
  // comment.
  void check_file() {
    for (;;) {
      space_.text = space_file_text(draft_);
      const auto definition = read_space_text(
          space_.text, "space.yaml", {}, [&](const std::string& path) { return read_beside_source(path); });
      if (!definition) return decide(definition.error().front().message);
      const std::vector<Problem> problems = problems_of(definition->kernel);
      const Config& config = definition->kernel.default_values;
      if (drop_false_constraints(*definition, config, problems.front())) continue;
      const auto plan = resolve(definition->kernel, config, problems.front(), any_gpu());
      if (draft_.compares_with_default && !can_compare(*definition, problems.front())) {
        draft_.compares_with_default = false;
        continue;
      }
      if (plan && bytes_of(*plan) <= kMostBytes) return add_small_sizes(*definition, problems.front());
      if (shrink_axes()) continue;
      return decide(plan ? fmt::format("buffers of {:.0f} GB", bytes_of(*plan) / 1e9) : plan.error().message);
    }
  }

  // False: a buffer depends on a parameter.
  static bool can_compare(const Definition& definition, const Problem& problem) {
    return std::ranges::all_of(definition.parameters, [&](const Parameter& parameter) {
      return std::ranges::all_of(parameter.values, [&](const Value& value) {
        Config config = definition.kernel.default_values;
        config.set(parameter.name, value);
        const auto plan = resolve(definition.kernel, config, problem, any_gpu());
        return !plan || !plan->reference_error;
      });
    });
  }

  // The path that the space file has for a folder beside the source.
  fs::path in_space_folder(const fs::path& dir) const {
    std::error_code error;
    const fs::path from_source =
        fs::proximate(fs::absolute(dir, error), fs::absolute(path_, error).parent_path(), error);
    return (fs::path(source_path_).parent_path() / from_source).lexically_normal();
  }

  // The space file lies in another folder than the source may.
  Result<std::string> read_beside_source(const std::filesystem::path& path) const {
    const std::filesystem::path source(source_path_);
    if (path.lexically_normal() == source.lexically_normal()) return whole_;
    return read_whole_file((path_.parent_path() / path.lexically_relative(source.parent_path())).string());
  }

  void decide(const std::string& finding) {
    draft_.finding = finding.substr(0, finding.find('\n'));
    space_.text = space_file_text(draft_);
    note("gktune check will say: " + draft_.finding);
  }

  // Sizes for a CPU, and sizes for the sanitizer if its own ones mean nothing to the kernel.
  void add_small_sizes(const Definition& definition, const Problem& problem) {
    const auto add = [&](std::vector<SpaceDraft::Axis>& axes, double most_bytes, double most_threads,
                         const std::set<std::string>& kept) {
      const Problem small = small_problem(definition, problem, most_bytes, most_threads, kept);
      for (const SpaceDraft::Axis& axis : draft_.axes)
        axes.push_back({axis.name, {std::to_string(small.find(axis.name)->integer())}, axis.is_macro});
    };
    add(draft_.host_axes, 16e6, 65536, {});
    if (std::ranges::equal(draft_.host_axes, draft_.axes, {}, &SpaceDraft::Axis::values,
                           &SpaceDraft::Axis::values))
      draft_.host_axes.clear();
    const bool takes_any =
        !needs_multiples_ && std::ranges::none_of(draft_.arguments, &SpaceDraft::Argument::is_extent_guess) &&
        std::ranges::all_of(draft_.axes, [&](const SpaceDraft::Axis& axis) { return is_guarded(axis.name); });
    if (!takes_any) {
      constexpr double kMostThreads = 65536;
      std::set<std::string> kept = unseen_axes();
      if (threads_at(definition, problem, kept) > kMostThreads) kept.clear();
      add(draft_.check_axes, 250e3, 1024, kept);
    }
    space_.text = space_file_text(draft_);
  }

  // Halves the greatest size until buffers and grids are small. Keeps multiples of powers of two, on which
  // kernels without checks of their indices rely; of 64 if that is small enough. A power of two replaces a
  // half that is no integer or breaks a constraint.
  static Problem small_problem(const Definition& definition, Problem problem, double most_bytes,
                               double most_threads, const std::set<std::string>& kept) {
    const Problem first = problem;
    for (const std::int64_t smallest : {64, 2}) {
      std::set<std::string> fixed = kept;
      while (auto plan = resolve(definition.kernel, definition.kernel.default_values, problem, any_gpu())) {
        constexpr double kFewestBlocks = 4;
        const double threads = std::max(most_threads, kFewestBlocks * threads_of_block(*plan));
        if (bytes_of(*plan) <= most_bytes && threads_of(*plan) <= threads) return problem;
        const auto longest = longest_to_halve(problem, first, fixed, smallest);
        if (!longest) break;
        const auto value = static_cast<std::uint64_t>(problem.find(*longest)->integer());
        const std::uint64_t half = value % 2 == 0 ? value / 2 : std::bit_floor(value);
        bool is_smaller = false;
        for (const std::uint64_t size : {half, std::bit_floor(half)}) {
          Problem smaller = problem;
          smaller.set(*longest, static_cast<std::int64_t>(size));
          if (is_smaller || !is_valid(definition, smaller)) continue;
          problem = smaller;
          is_smaller = true;
        }
        if (!is_smaller) fixed.insert(*longest);
      }
    }
    return problem;
  }

  // The greatest size that stays at `smallest` or above, and above sizes that were smaller at first:
  // kernels rely on their order.
  static std::optional<std::string> longest_to_halve(const Problem& problem, const Problem& first,
                                                     const std::set<std::string>& fixed,
                                                     std::int64_t smallest) {
    const auto size_in = [](const Problem& sizes, const std::string& name) {
      return sizes.find(name)->integer();
    };
    std::optional<std::string> longest;
    for (const auto& [name, value] : problem) {
      if (fixed.contains(name) || !value.is_integer()) continue;
      const std::int64_t size = value.integer();
      if (size < 2 * smallest || (longest && size <= size_in(problem, *longest))) continue;
      const bool keeps_order = std::ranges::all_of(problem, [&](const auto& other) {
        return !other.second.is_integer() || size_in(first, other.first) >= size_in(first, name) ||
               other.second.integer() <= size / 2;
      });
      if (keeps_order) longest = name;
    }
    return longest;
  }

  static bool is_valid(const Definition& definition, const Problem& problem) {
    const Config& config = definition.kernel.default_values;
    Scope scope;
    scope.add(config).add(problem);
    return resolve(definition.kernel, config, problem, any_gpu()) &&
           all_hold(definition.constraints, scope, &Constraint::condition);
  }

  // The sizes that the kernel does not get: its text may rely on them.
  std::set<std::string> unseen_axes() const {
    std::set<std::string> unseen;
    for (const SpaceDraft::Axis& axis : draft_.axes) {
      const bool is_passed = std::ranges::any_of(draft_.arguments, [&](const SpaceDraft::Argument& argument) {
        return names({argument.value}, axis.name);
      });
      if (!is_passed && !axis.is_macro && !names(draft_.passed, axis.name)) unseen.insert(axis.name);
    }
    return unseen;
  }

  // The threads of the smallest problem with these axes as they are.
  static double threads_at(const Definition& definition, const Problem& problem,
                           const std::set<std::string>& kept) {
    const Problem small = small_problem(definition, problem, 250e3, 1024, kept);
    const auto plan = resolve(definition.kernel, definition.kernel.default_values, small, any_gpu());
    return plan ? threads_of(*plan) : 0;
  }

  static double threads_of_block(const Plan& plan) {
    double most = 0;
    for (const StepPlan& step : plan.candidate.steps)
      most = std::max(most, static_cast<double>(step.block[0] * step.block[1] * step.block[2]));
    return most;
  }

  static double threads_of(const Plan& plan) {
    double threads = 0;
    for (const StepPlan& step : plan.candidate.steps) {
      double of_step = 1;
      for (std::size_t i = 0; i < 3; ++i)
        of_step *= static_cast<double>(step.grid[i]) * static_cast<double>(step.block[i]);
      threads += of_step;
    }
    return threads;
  }

  static constexpr double kMostBytes = 2e9;
  static double bytes_of(const Plan& plan) {
    double bytes = 0;
    for (const ArgumentPlan& argument : plan.arguments)
      bytes += static_cast<double>(argument.count) * static_cast<double>(element_size(argument.type));
    return bytes;
  }

  static DeviceInfo any_gpu() {
    DeviceInfo device;
    device.max_threads_per_block = device.max_block_x = device.max_block_y = 1024;
    device.max_block_z = 64;
    device.max_grid_x = std::numeric_limits<std::int32_t>::max();
    device.max_grid_y = device.max_grid_z = 65535;
    device.shared_bytes_per_block = 48 << 10;
    device.shared_bytes_per_block_optin = 227 << 10;
    return device;
  }

  // A block that is no power of two is mostly three times one. False: no guessed size can change.
  bool make_multiple_of_3(const std::string& condition) {
    bool is_changed = false;
    for (const std::size_t place : guessed_axes_) {
      SpaceDraft::Axis& axis = draft_.axes[place];
      const std::int64_t size = std::stoll(axis.values.front());
      if (!names({condition}, axis.name) || size % 3 == 0 || size % 4 != 0) continue;
      axis.values = {std::to_string(size / 4 * 3)};
      is_changed = true;
    }
    return is_changed;
  }

  bool drop_false_constraints(const Definition& definition, const Config& config, const Problem& problem) {
    Scope scope;
    scope.add(config).add(problem);
    std::vector<SpaceDraft::Constraint> held;
    for (std::size_t i = 0; i < draft_.constraints.size(); ++i) {
      const auto truth = evaluate_truth(definition.constraints[i].condition.root(), scope);
      if (truth && *truth) {
        held.push_back(draft_.constraints[i]);
      } else if (make_multiple_of_3(draft_.constraints[i].condition)) {
        return true;
      } else {
        note("the constraint " + draft_.constraints[i].condition +
             " is left out: the source's own values break it");
      }
    }
    const bool is_changed = held.size() < draft_.constraints.size();
    draft_.constraints = std::move(held);
    return is_changed;
  }

  bool shrink_axes() {
    constexpr std::int64_t kSmallest = 16;
    const auto shrink = [](SpaceDraft::Axis& axis) {
      const std::int64_t number = std::stoll(axis.values.front());
      if (number / 4 < kSmallest) return false;
      axis.values = {std::to_string(number / 4)};
      return true;
    };
    bool is_changed = false;
    for (const std::size_t axis : guessed_axes_) is_changed = shrink(draft_.axes[axis]) || is_changed;
    if (is_changed) return true;
    for (SpaceDraft::Axis& axis : draft_.axes) {
      if (axis.is_macro || !shrink(axis)) continue;
      note("the size " + axis.name + " is smaller than in the source, so that the buffers fit");
      is_changed = true;
    }
    return is_changed;
  }

  // The literal size of a block stands for its parameter.
  void use_block_literals() {
    for (const auto& [axis, number] : block_literals_) code_.literals.try_emplace(number, draft_.block[axis]);
  }

  std::string template_text() const {
    return template_values_.empty() ? "" : "<" + joined(template_values_, ", ") + ">";
  }

  // The values of the kernel's template parameters, up to those that have their defaults: the launch's
  // template arguments, or the types that the compiler deduces from the launch's arguments.
  std::vector<std::string> template_values() {
    std::vector<Tokens> given;
    if (launch_ && !launch_->template_arguments.empty()) given = split_list(launch_->template_arguments, 0);
    use_block_literals();
    std::vector<std::string> values;
    for (std::size_t i = 0; i < kernel_->template_parameters.size(); ++i) {
      std::optional<std::string> value =
          i < given.size() ? template_value(given[i]) : deduced_type(kernel_->template_parameters[i]);
      if (!value) break;
      values.push_back(*std::move(value));
    }
    code_.literals.clear();
    return values;
  }

  std::string template_value(Tokens given) {
    if (const auto term = code_.translate(given, launch_->place))
      return term->text().find(' ') == std::string::npos ? term->text() : "{" + term->text() + "}";
    return type_behind(text_of(given));
  }

  // The type that an alias or a template parameter of the launching function stands for.
  std::string type_behind(const std::string& name) {
    const auto argument = code_.template_argument(name, launch_->place);
    if (!argument) return code_.resolved_type(name);
    if (argument->is_guess) note(name + "=" + argument->text + " is a guess");
    return code_.resolved_type(argument->text);
  }

  // Nullopt if no argument of the kernel has a type of that name.
  std::optional<std::string> deduced_type(const std::string& name) {
    const auto& parameters = *kernel_->parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const CppType type = parse_type(parameters[i].type);
      if (type.base != name) continue;
      if (launch_ && launch_->arguments[i].size() == 1) {
        auto found = code_.declared_type(launch_->arguments[i][0].text, launch_->place);
        for (int k = 0; found && k < type.pointers && found->ends_with('*'); ++k) found->pop_back();
        if (found) return type_behind(*found);
      }
      const bool has_buffers = std::ranges::any_of(parameters, [&](const auto& parameter) {
        const CppType each = parse_type(parameter.type);
        return each.base == name && each.pointers > 0;
      });
      const std::string guess = LaunchingCode::guessed_type(has_buffers);
      note(name + "=" + guess + " is a guess");
      return guess;
    }
    return std::nullopt;
  }

  std::filesystem::path path_;
  std::string source_path_, whole_;
  std::vector<std::string> include_dirs_;
  FlatSource all_, flat_;
  std::string text_;
  std::vector<Token> tokens_;
  std::vector<FunctionSignature> signatures_;
  LaunchingCode code_;
  KernelBodies bodies_;
  UsedText kernel_text_;
  std::vector<std::vector<Token>> defines_;
  std::vector<FunctionSignature> kernels_;
  const FunctionSignature* kernel_ = nullptr;
  std::optional<FoundLaunch> launch_;
  std::vector<SourceSetting> settings_;
  std::map<std::size_t, std::int64_t> block_literals_;
  std::map<int, std::string> unset_block_;  // the names of its extents that the source does not set
  std::string unset_grid_;
  std::vector<std::string> unset_sizes_;
  std::vector<std::string> template_values_;
  SpaceDraft draft_;
  std::vector<std::size_t> guessed_axes_;
  bool needs_multiples_ = false;  // of sizes, by a grid of n / 256 blocks
  ImportedSpace space_;
};

}  // namespace

Result<std::vector<std::string>> kernels_to_import(const fs::path& path) {
  const std::string extension = path.extension().string();
  if (extension != ".cu" && extension != ".cuh") return Error{path.string() + ": it is no CUDA source (.cu)"};
  const auto text = read_text_file(path, std::size_t{1} << 24);
  if (!text) return text.error();
  std::vector<std::string> dirs;
  const FlatSource flat = compiled_source(with_near_headers(path, *text, dirs));
  std::vector<std::string> kernels, launched;
  const auto add = [](std::vector<std::string>& names, const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const FunctionSignature& signature : signatures_in(flat)) {
    if (signature.kind == FunctionSignature::Kind::kernel) add(kernels, signature.name);
  }
  const std::string all = text_of(flat);
  const std::vector<Token> tokens = code_tokens(all);
  for (const FoundLaunch& launch : LaunchingCode(tokens).launches()) {
    if (std::ranges::find(kernels, launch.kernel) != kernels.end()) add(launched, launch.kernel);
  }
  if (kernels.empty()) return Error{path.string() + ": it has no kernel (no __global__ function)"};
  return launched.empty() ? kernels : launched;
}

Result<ImportedSpace> import_cuda_source(const std::string& text, const std::filesystem::path& path,
                                         const std::string& source, const std::vector<std::string>& kernels) {
  return SourceImport(text, path, source).run(kernels);
}

}  // namespace gktune
