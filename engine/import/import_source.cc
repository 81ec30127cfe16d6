#include "engine/import/import_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <set>

#include "engine/import/host_code.h"
#include "engine/import/kernel_body.h"
#include "engine/import/size_term.h"
#include "tuner/core/element_type.h"
#include "tuner/core/text.h"
#include "tuner/source/kernel_code.h"
#include "tuner/source/signatures.h"
#include "tuner/source/tokens.h"

namespace gktune {
namespace {

bool is_integer_type(std::string_view element) {
  return element.starts_with("int") || element.starts_with("uint");
}

class SourceImport {
 public:
  SourceImport(const std::string& text, const std::filesystem::path& path, std::string source)
      : path_(path), source_path_(std::move(source)) {
    flat_ = flatten(path.string(), text, {}, AngleIncludes::keep);
    text_ = text_of(flat_);
    all_ = code_tokens(text_);
    tokens_ = all_;
    signatures_ = signatures_in(flat_);
    for (const SourceLine& line : flat_.lines) {
      if (line.kind == SourceLine::Kind::define) defines_.push_back(tokenize(line.text));
    }
  }

  Result<ImportedSpace> run(const std::string& wanted) {
    HostCode host(tokens_);
    host_ = &host;
    const KernelBodies bodies(tokens_, signatures_);
    bodies_ = &bodies;
    if (auto chosen = choose_kernel(wanted); !chosen) return chosen.error();
    kernel_text_ = used_by(flat_, kernel_->name);
    find_settings();
    find_block();
    find_sizes();
    read_arguments();
    write();
    return std::move(space_);
  }

 private:
  void note(std::string text) {
    if (std::ranges::find(space_.notes, text) == space_.notes.end()) space_.notes.push_back(std::move(text));
  }

  Result<void> choose_kernel(const std::string& wanted) {
    std::string names;
    for (const FunctionSignature& signature : signatures_) {
      if (signature.kind != FunctionSignature::Kind::kernel) continue;
      const bool is_known =
          std::ranges::any_of(kernels_, [&](const auto& each) { return each.name == signature.name; });
      if (is_known) continue;
      names += (names.empty() ? "" : ", ") + signature.name;
      kernels_.push_back(signature);
    }
    if (kernels_.empty()) return Error{path_.string() + ": it has no kernel (no __global__ function)"};
    const std::vector<FoundLaunch> launches = host_->launches();
    const auto kernel_named = [&](const std::string& name) {
      return std::ranges::find(kernels_, name, &FunctionSignature::name);
    };
    auto chosen = kernels_.begin();
    if (!wanted.empty()) {
      chosen = kernel_named(wanted);
      if (chosen == kernels_.end())
        return Error{path_.string() + ": it has no kernel '" + wanted + "'; its kernels are " + names};
    } else {
      for (const FoundLaunch& launch : launches) {
        if (kernel_named(launch.kernel) == kernels_.end()) continue;
        chosen = kernel_named(launch.kernel);
        break;
      }
    }
    kernel_ = &*chosen;
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
      note(fmt::format("the source launches {} in {} ways; this is the first: add the others to launches if they belong "
                       "to one result", kernel_->name, ways.size()));
    if (kernels_.size() > 1 && wanted.empty())
      note("this is for the kernel " + kernel_->name + " of " + names + "; name another to import that one");
    return {};
  }

  bool is_named_in_kernel(const std::string& name) const { return kernel_text_.words.contains(name); }

  struct SettingFound {
    std::string name;
    std::int64_t value;
    bool is_macro;
    bool is_global;  // kernels can use it
  };

  // Macros, constants and enumerators with an integer value.
  void find_integers() {
    const auto add = [&](std::string name, std::int64_t value, bool is_macro, bool is_global) {
      const bool is_new =
          std::ranges::none_of(settings_, [&](const SettingFound& each) { return each.name == name; });
      if (is_new) settings_.push_back({std::move(name), value, is_macro, is_global});
    };
    for (const std::vector<Token>& tokens : defines_) {
      const bool has_list = tokens.size() > 3 && tokens[3] == "(" &&
                            tokens[3].text.data() == tokens[2].text.data() + tokens[2].text.size();
      if (tokens.size() < 4 || has_list) continue;
      const Tokens value = Tokens(tokens).subspan(3);
      const std::string name(tokens[2].text);
      host_->define(name, value);
      if (const auto number = plain_integer(value)) add(name, *number, true, true);
    }
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i] == "enum") add_enumerators(i, add);
    }
    int depth = 0;
    for (std::size_t i = 1; i + 2 < tokens_.size(); ++i) {
      if (tokens_[i] == "{" && !opens_namespace(i)) ++depth;
      if (tokens_[i] == "}") depth = std::max(0, depth - 1);
      if (!tokens_[i].is_word() || tokens_[i + 1] != "=" || (!tokens_[i - 1].is_word() && tokens_[i - 1] != ",")) continue;
      bool is_constant = false;
      for (std::size_t k = i; k-- > 0 && i - k < 40 && !is_any_of(tokens_[k].text, {";", "}", "{", "("});)
        is_constant = is_constant || tokens_[k] == "const" || tokens_[k] == "constexpr";
      std::size_t end = i + 2;
      while (end < tokens_.size() && tokens_[end] != ";" && tokens_[end] != ",") ++end;
      const auto value = plain_integer(tokens_.subspan(i + 2, end - i - 2));
      if (is_constant && value) add(std::string(tokens_[i].text), *value, false, depth == 0);
    }
  }

  bool opens_namespace(std::size_t open) const {
    for (std::size_t k = open; k-- > 0 && open - k < 8 && (tokens_[k].is_word() || tokens_[k] == ":" || tokens_[k] == "\"C\"");) {
      if (tokens_[k] == "namespace" || tokens_[k] == "extern") return true;
    }
    return false;
  }

  // enum { WARPS = 4, ITEMS = 8 };
  template <class Add>
  void add_enumerators(std::size_t at, const Add& add) {
    std::size_t open = at;
    while (open < tokens_.size() && tokens_[open] != "{" && tokens_[open] != ";") ++open;
    if (open >= tokens_.size() || tokens_[open] != "{") return;
    for (const Tokens item : split_list(tokens_, open)) {
      if (item.size() < 3 || item[1] != "=") continue;
      const std::string name(item[0].text);
      host_->define(name, item.subspan(2));
      if (const auto value = plain_integer(item.subspan(2))) add(name, *value, false, true);
    }
  }

  // 16, (16), 1 << 20, 4 * 256
  std::optional<std::int64_t> plain_integer(Tokens value) {
    const bool has_words = std::ranges::any_of(value, [](const Token& token) {
      return token.kind != Token::Kind::number && token.kind != Token::Kind::punctuation;
    });
    const auto term = value.empty() || has_words ? std::nullopt : host_->translate(value, 0);
    return term && !term->is_real() ? term->constant() : std::nullopt;
  }

  const SettingFound* setting(std::string_view name) const {
    const auto found = std::ranges::find(settings_, name, &SettingFound::name);
    return found == settings_.end() ? nullptr : &*found;
  }
  bool is_kernel_setting(const SettingFound& setting) const {
    return setting.is_global && is_named_in_kernel(setting.name);
  }

  static bool looks_like_parameter(const std::string& name, std::int64_t value) {
    static const std::regex kNames(
        ".*(tile|block|thread|unroll|coars|per_?th|items|vec|chunk|batch|bucket|stage|stride|step|factor|"
        "group|warps|buf|_size|size_|dim).*|[bwt][mnkxyz]|bs|bdim[xyz]?|tpb|radix_?bits",
        std::regex::icase);
    static const std::regex kFixed(".*(warp_?size|radius|n_?bins|num_?bins|filter|mask|channels|lanes).*",
                                   std::regex::icase);
    return value >= 1 && value <= 4096 && std::regex_match(name, kNames) && !std::regex_match(name, kFixed);
  }

  std::set<std::string> passed_names() const {
    std::set<std::string> passed;
    for (std::size_t i = 0; launch_ && i < launch_->arguments.size(); ++i) {
      const Tokens argument = launch_->arguments[i];
      if (argument.size() == 1 && argument[0].is_word()) passed.emplace(argument[0].text);
    }
    return passed;
  }

  void find_settings() {
    find_integers();
    const std::set<std::string> passed = passed_names();
    std::set<std::string> in_template;
    for (const Token& token : launch_ ? Tokens(launch_->template_arguments) : Tokens()) in_template.emplace(token.text);
    for (const SettingFound& setting : settings_) {
      if (in_template.contains(setting.name) && setting.value > 0 && setting.value <= 4096) {
        add_setting_parameter(setting);
      } else if (!is_kernel_setting(setting)) {
        continue;
      } else if (passed.contains(setting.name)) {
        add_axis(setting.name, setting.value, true);
      } else if (looks_like_parameter(setting.name, setting.value)) {
        add_setting_parameter(setting);
      } else if (setting.value > 1024) {
        add_axis(setting.name, setting.value, true);
        note(setting.name + " is taken for a size of the problem");
      }
    }
  }

  void add_setting_parameter(const SettingFound& setting) {
    parameters_.push_back({setting.name, value_list(setting.value), setting.value, ""});
    host_->known[setting.name] = setting.name;
  }

  void add_axis(const std::string& name, std::int64_t value, bool is_macro) {
    axes_.push_back({name, value, is_macro});
    host_->known[name] = name;
  }

  bool is_parameter(std::string_view name) const {
    return std::ranges::find(parameters_, name, &ParameterFound::name) != parameters_.end();
  }

  static std::vector<std::int64_t> value_list(std::int64_t value) {
    std::vector<std::int64_t> values;
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
  void add_block_settings(const HostCode::Written& extent) {
    for (const auto& [name, place] : host_->sources_of(extent.tokens, extent.place)) {
      const SettingFound* found = setting(name);
      if (found == nullptr || !is_kernel_setting(*found) || host_->known.contains(name)) continue;
      if (found->value <= 1 || found->value > 1024) continue;
      if (is_size_of_one_block(name)) {
        add_axis(name, found->value, true);
      } else {
        add_setting_parameter(*found);
      }
    }
  }

  // N of `add<<<1, N>>>(…)`, where N elements are allocated.
  bool is_size_of_one_block(const std::string& name) {
    for (const HostCode::Written& each : host_->extents(launch_->config[0], launch_->place)) {
      const auto term = host_->translate(each.tokens, each.place);
      if (!term || term->constant() != 1) return false;
    }
    return std::ranges::any_of(launch_->arguments, [&](Tokens argument) {
      const auto allocation = host_->allocation(argument, launch_->place);
      return allocation && std::ranges::any_of(allocation->factors, [&](Tokens factor) {
        return std::ranges::any_of(host_->sources_of(factor, allocation->place), [&](const auto& source) { return source.name == name; });
      });
    });
  }

  // The block's extents. A literal extent becomes a parameter where the kernel's text does not depend on it.
  void find_block() {
    static constexpr const char* kLong[] = {"threadsPerBlock", "threadsPerBlockY", "threadsPerBlockZ"};
    if (!launch_) {
      parameters_.push_back({kLong[0], {64, 128, 256, 512, 1024}, 256, "a guess"});
      block_ = {kLong[0]};
      return;
    }
    const std::vector<HostCode::Written> extents = host_->extents(launch_->config[1], launch_->place);
    for (const HostCode::Written& extent : extents) add_block_settings(extent);
    for (std::size_t i = 0; i < extents.size() && i < 3; ++i) {
      const auto term = host_->translate(extents[i].tokens, extents[i].place);
      if (!term) {
        block_.push_back(i == 0 ? "256" : "1");
        guesses_["block"] = "the source says " + text_of(extents[i].tokens);
        note("the block " + text_of(extents[i].tokens) + " could not be read: it is a guess");
        continue;
      }
      const auto number = term->constant();
      if (!number || *number <= 1) {
        block_.push_back(term->text());
        continue;
      }
      if (has_literal_in_kernel(*number)) {
        block_.push_back(term->text());
        note("the block of " + term->text() + " threads stays: the kernel's text has this number too");
        continue;
      }
      const std::string name = kLong[i];
      parameters_.push_back({name,
                             extents.size() == 1 ? std::vector<std::int64_t>{64, 128, 256, 512, 1024}
                                                 : value_list(*number),
                             *number, ""});
      auto& values = parameters_.back().values;
      if (std::ranges::find(values, *number) == values.end()) {
        values.push_back(*number);
        std::ranges::sort(values);
      }
      block_.push_back(name);
      block_literals_[i] = *number;
      alias(extents[i], name);
      if (launch_->config[1].size() == 1) {
        static constexpr const char* kAxes[] = {".x", ".y", ".z"};
        const std::string variable(launch_->config[1][0].text);
        host_->known[variable + kAxes[i]] = name;
        if (extents.size() == 1 && !host_->is_dim3(variable, launch_->place)) host_->known[variable] = name;
      }
    }
  }

  // A variable or macro for the block stands for the parameter elsewhere too.
  void alias(const HostCode::Written& extent, const std::string& name) {
    HostCode::Written at = extent;
    for (int depth = 0; depth < 8 && at.tokens.size() == 1 && at.tokens[0].is_word(); ++depth) {
      host_->known.try_emplace(std::string(at.tokens[0].text), name);
      const auto next = host_->definition(at.tokens[0].text, at.place);
      if (!next) break;
      at = *next;
    }
  }

  // The variables that decide sizes become axes.
  void find_sizes() {
    const auto& parameters = *kernel_->parameters;
    if (!launch_) {
      for (const auto& parameter : parameters) {
        if (!is_size(parameter) || host_->known.contains(parameter.name)) continue;
        add_axis(parameter.name, 1 << 20, false);
        note("the size " + parameter.name + " is a guess");
      }
      return;
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (!is_size(parameters[i])) continue;
      const Tokens passed = launch_->arguments[i];
      add_sizes(passed, launch_->place, true);
      const bool is_unknown = passed.size() == 1 && passed[0].is_word() && !host_->known.contains(passed[0].text) &&
                              !host_->translate(passed, launch_->place) && !host_->loop_start(passed[0].text, launch_->place);
      if (!is_unknown) continue;
      add_axis(std::string(passed[0].text), 1 << 20, false);
      note("the size " + std::string(passed[0].text) + " is a guess");
    }
    for (const HostCode::Written& each : host_->extents(launch_->config[0], launch_->place)) add_sizes(each.tokens, each.place, false);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (parse_type(parameters[i].type).pointers == 0) continue;
      const auto allocation = host_->allocation(launch_->arguments[i], launch_->place);
      if (!allocation) continue;
      for (const Tokens factor : allocation->factors) add_sizes(factor, allocation->place, false);
    }
  }

  bool is_size(const FunctionSignature::Parameter& parameter) {
    const CppType type = parse_type(parameter.type);
    if (type.pointers > 0 || type.base == "bool") return false;
    const auto element = element_type_from_name(host_->resolved_type(type.base));
    return element && is_integer_type(element_type_name(*element)) && *element != ElementType::uint8;
  }

  void add_sizes(Tokens expression, std::size_t from, bool is_passed) {
    for (const auto& [name, place] : host_->sources_of(expression, from)) {
      const auto value = host_->definition(name, place);
      const auto term = value ? host_->translate(value->tokens, value->place) : std::nullopt;
      if (term && term->is_real()) continue;
      const auto number = term ? term->constant() : std::nullopt;
      if (term && (!number || *number < 1)) continue;
      const SettingFound* found = setting(name);
      if (!is_passed && number && is_geometry(name, *number, place)) {
        parameters_.push_back({name, value_list(*number), *number, "the grid's size: the kernel's loop has to cover the rest"});
        host_->known[name] = name;
        continue;
      }
      if (!number) note("the size " + name + " is a guess");
      add_axis(name, number.value_or(1 << 20), found != nullptr && is_kernel_setting(*found));
    }
  }

  // A number of blocks that the source sets, for a kernel that asks how many there are.
  bool is_geometry(const std::string& name, std::int64_t value, std::size_t place) const {
    static const std::regex kNames(".*(block|grid|cta).*", std::regex::icase);
    if (value < 2 || value > 65535 || !std::regex_match(name, kNames) || host_->is_program_argument(name, place)) return false;
    return has(bodies_->body(kernel_->name), "gridDim");
  }

  // The grid's extents in the space file's language.
  std::vector<std::string> grid() {
    if (!launch_) {
      guesses_["grid"] = "a guess";
      return {"ceil_div(" + first_axis() + ", " + block_[0] + ")"};
    }
    std::vector<std::string> grid;
    const std::vector<HostCode::Written> extents = host_->extents(launch_->config[0], launch_->place);
    for (std::size_t i = 0; i < extents.size() && i < 3; ++i) {
      host_->literals.clear();
      if (block_literals_.contains(i)) host_->literals[block_literals_[i]] = block_[i];
      if (const auto term = host_->translate(extents[i].tokens, extents[i].place)) {
        grid.push_back(term->as_integer().text());
        add_divisibility(extents[i], grid.back());
        continue;
      }
      grid.push_back(i == 0 ? "ceil_div(" + first_axis() + ", " + block_[0] + ")" : "1");
      guesses_["grid"] = "a guess: the source says " + text_of(extents[i].tokens);
      note("the grid " + text_of(extents[i].tokens) + " could not be read: it is a guess");
    }
    host_->literals.clear();
    return grid;
  }

  // A grid of `n / TILE` blocks covers all elements only if TILE divides n.
  void add_divisibility(const HostCode::Written& extent, const std::string& text) {
    static const std::regex kQuotient(R"((\w+|\(.+\)) // (\w+|\(.+\)))");
    std::smatch parts;
    if (!std::regex_match(text, parts, kQuotient)) return;
    const std::string divisor = parts[2].str();
    const bool depends = std::ranges::any_of(parameters_, [&](const ParameterFound& each) {
      return std::regex_search(divisor, std::regex("\\b" + each.name + "\\b"));
    });
    if (depends) add_constraint(parts[1].str() + " % " + divisor + " == 0", "the source's grid is " + text_of(extent.tokens));
  }

  void add_constraint(std::string text, std::string comment) {
    if (std::ranges::find(constraints_, text, &ConstraintFound::text) == constraints_.end())
      constraints_.push_back({std::move(text), std::move(comment)});
  }

  // for (j = 0; j < TILE_DIM; j += BLOCK_ROWS) goes beyond TILE_DIM unless BLOCK_ROWS divides it.
  void find_loop_constraints() {
    const Tokens body = bodies_->body(kernel_->name);
    for (std::size_t i = 0; i + 8 < body.size(); ++i) {
      if (body[i] != "<" || !body[i + 1].is_word() || body[i + 2] != ";" || !body[i + 3].is_word()) continue;
      const bool starts_at_0 = i > 3 && body[i - 2] == ";" && body[i - 3] == "0" && body[i - 4] == "=";
      if (!starts_at_0 || body[i + 4] != "+" || body[i + 5] != "=" || !body[i + 6].is_word() || body[i + 7] != ")") continue;
      const std::string end(body[i + 1].text), step(body[i + 6].text);
      if (end != step && is_parameter(end) && is_parameter(step))
        add_constraint(end + " % " + step + " == 0", "a loop of the kernel counts to " + end + " in steps of " + step);
    }
  }

  std::string first_axis() {
    if (axes_.empty()) {
      add_axis("n", 1 << 20, false);
      note("no size of the problem was found: n is a guess");
    }
    return axes_.front().name;
  }

  std::string all_elements() {
    first_axis();
    return joined(axes_, " * ", &Axis::name);
  }

  // d_in, dev_in and in_d as in.
  static std::string plain_name(std::string name) {
    for (const std::string_view prefix : {"d_", "dev_", "device_"}) {
      if (name.starts_with(prefix) && name.size() > prefix.size()) return name.substr(prefix.size());
    }
    for (const std::string_view suffix : {"_d", "_dev", "_device"}) {
      if (name.ends_with(suffix) && name.size() > suffix.size())
        return name.substr(0, name.size() - suffix.size());
    }
    return name;
  }

  struct ArgumentFound {
    std::string name, text, comment;
    std::string passed;  // how launches pass it: its name, or a struct
  };

  void comment_on(ArgumentFound& argument, const std::string& text) {
    argument.comment += (argument.comment.empty() ? "" : "; ") + text;
  }

  // The type that a template's parameter stands for in the launch.
  std::string without_template(const std::string& base) const {
    const auto& names = kernel_->template_parameters;
    const auto at = std::ranges::find(names, base);
    if (at == names.end() || !launch_ || launch_->template_arguments.empty()) return base;
    const auto items = split_list(launch_->template_arguments, 0);
    const auto place = static_cast<std::size_t>(at - names.begin());
    return place < items.size() ? text_of(items[place]) : base;
  }

  // What is known of a pointer argument.
  struct Buffer {
    std::size_t place = 0;     // among the kernel's parameters
    std::string name;          // of the kernel's parameter
    std::string element;       // the space file's type
    std::int64_t width = 1;    // elements in each of the kernel's
    std::optional<SizeTerm> extent;
    PointerUse use;
    std::optional<HostCode::Filling> filling;
    std::string comment;
  };

  void find_buffers() {
    const auto& parameters = *kernel_->parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const CppType type = parse_type(parameters[i].type);
      if (type.pointers == 0) continue;
      Buffer buffer;
      buffer.place = i;
      buffer.name = parameters[i].name;
      const std::string base = without_template(type.base);
      const auto known = element_type_from_name(base);
      auto layout = host_->layout(base);
      if (known) layout = TypeLayout{element_size(*known), element_size(*known), known, 1};
      if (type.pointers > 1) {
        note("argument " + buffer.name + ": an array of pointers has to be filled by a setup step (docs/space-file.md, setup)");
        buffer.element = "uint64";
      } else if (layout && layout->element) {
        buffer.element = std::string(element_type_name(*layout->element));
        buffer.width = static_cast<std::int64_t>(layout->elements);
      } else if (layout) {
        buffer.element = "uint8";
        buffer.width = static_cast<std::int64_t>(layout->size);
        buffer.comment = "bytes of " + base;
        note("argument " + buffer.name + ": " + base + " has parts of several types: the file describes its bytes");
      } else {
        buffer.element = "float32";
        note("argument " + buffer.name + ": its type " + base + " is not known; float32 is a guess");
      }
      if (launch_) {
        const auto allocation = host_->allocation(launch_->arguments[i], launch_->place);
        if (auto bytes = allocation ? host_->bytes_of(*allocation) : std::nullopt) {
          const auto element = element_type_from_name(buffer.element);
          const auto size = SizeTerm::number(static_cast<std::int64_t>(element ? element_size(*element) : 1));
          buffer.extent = bytes->divided_by(size);
        }
        buffer.filling = host_->filling(launch_->arguments[i], launch_->place);
      }
      if (type.points_to_const) {
        buffer.use = buffer.name.empty() ? PointerUse() : bodies_->use_of(kernel_->name, buffer.name);
        buffer.use.is_written = buffer.use.is_atomic = buffer.use.is_passed_on = false;
        buffer.use.is_read = true;
      } else if (!buffer.name.empty()) {
        buffer.use = bodies_->use_of(kernel_->name, buffer.name);
      }
      buffers_.push_back(std::move(buffer));
    }
  }

  const Buffer* buffer_named(std::string_view name) const {
    const auto found = std::ranges::find(buffers_, name, &Buffer::name);
    return found == buffers_.end() ? nullptr : &*found;
  }

  void read_arguments() {
    find_buffers();
    for (std::size_t i = 0; i < kernel_->parameters->size(); ++i) read_argument(i);
    read_symbols();
    for (const Buffer& buffer : buffers_) note_kernels_before(buffer);
  }

  // Another kernel that the source launches first and that writes the same buffer.
  void note_kernels_before(const Buffer& buffer) {
    if (!launch_ || (!buffer.use.is_read && !buffer.use.is_passed_on)) return;
    const std::string pointer = text_of(launch_->arguments[buffer.place]);
    for (const FoundLaunch& launch : host_->launches()) {
      const auto kernel = std::ranges::find(kernels_, launch.kernel, &FunctionSignature::name);
      if (launch.place >= launch_->place || kernel == kernels_.end() || &*kernel == kernel_ || !kernel->parameters) continue;
      for (std::size_t i = 0; i < launch.arguments.size() && i < kernel->parameters->size(); ++i) {
        const FunctionSignature::Parameter& parameter = (*kernel->parameters)[i];
        if (text_of(launch.arguments[i]) != pointer || parse_type(parameter.type).points_to_const) continue;
        const PointerUse use = bodies_->use_of(kernel->name, parameter.name);
        if (!use.is_written && !use.is_atomic && !use.is_passed_on) continue;
        note(fmt::format("argument {}: the source lets the kernel {} write it first: add that to setup: (docs/space-file.md)",
                         buffer.name, kernel->name));
        return;
      }
    }
  }

  void read_argument(std::size_t place) {
    const FunctionSignature::Parameter& parameter = (*kernel_->parameters)[place];
    const CppType type = parse_type(parameter.type);
    const Tokens passed = launch_ ? launch_->arguments[place] : Tokens();
    ArgumentFound argument;
    const bool is_name = passed.size() == 1 && passed[0].is_word();
    argument.name = parameter.name.empty() ? (is_name ? plain_name(std::string(passed[0].text))
                                                      : fmt::format("argument{}", place))
                                           : parameter.name;
    argument.passed = argument.name;
    if (type.pointers == 0) {
      read_scalar(argument, without_template(type.base), passed);
    } else {
      argument.text = buffer_text(argument, *std::ranges::find(buffers_, place, &Buffer::place));
    }
    if (!argument.text.empty() || !argument.passed.empty()) arguments_.push_back(std::move(argument));
  }

  void read_scalar(ArgumentFound& argument, const std::string& type, Tokens passed) {
    const auto known = element_type_from_name(host_->resolved_type(type));
    if (!known && read_struct(argument, host_->resolved_type(type), passed)) return;
    if (!known) {
      const bool is_texture = type == "cudaTextureObject_t" || type == "CUtensorMap";
      note("argument " + argument.name + ": its type " + type + " is not known; " +
           (is_texture ? std::string("pass it with {texture: …} or {tensor_map: …} in the launch") : "float32 is a guess"));
    }
    const std::string element = known ? std::string(element_type_name(*known)) : "float32";
    std::optional<SizeTerm> term;
    if (launch_) term = host_->translate(passed, launch_->place);
    std::optional<std::string> value;
    if (!launch_ && host_->known.contains(argument.name)) value = argument.name;
    if (term) value = (is_integer_type(element) ? term->as_integer() : *term).text();
    if (!value && type == "bool" && passed.size() == 1 && (passed[0] == "true" || passed[0] == "false"))
      value = passed[0] == "true" ? "1" : "0";
    if (const auto start = !value && passed.size() == 1 ? host_->loop_start(passed[0].text, launch_->place) : std::nullopt) {
      value = start->text();
      comment_on(argument, "the source launches it in a loop, with " + text_of(passed) + " from here: see repeat in docs/space-file.md");
    }
    if (!value) comment_on(argument, launch_ ? "a guess: the source passes " + text_of(passed) : "a guess");
    const std::string written = value.value_or("1");
    const bool needs_quotes = written.find(',') != std::string::npos;
    argument.text = needs_quotes ? fmt::format("{{type: {}, value: \"{}\"}}", element, written)
                                 : fmt::format("{{type: {}, value: {}}}", element, written);
  }

  // A struct by value: its members in the launch. Pointers in it are buffers of their own.
  bool read_struct(ArgumentFound& argument, const std::string& type, Tokens passed) {
    const std::vector<StructMember> members = host_->members(type);
    if (members.empty()) return false;
    const std::vector<Tokens> initial = passed.size() == 1 ? host_->initializer(passed[0].text) : std::vector<Tokens>();
    std::vector<std::string> items;
    std::vector<ArgumentFound> buffers;
    for (const StructMember& member : members) {
      if (member.type.ends_with('*')) {
        const std::string base = member.type.substr(0, member.type.size() - 1);
        const auto layout = host_->layout(base);
        if (!layout || !layout->element) return false;
        ArgumentFound buffer;
        buffer.name = argument.name + "_" + member.name;
        buffer.text = fmt::format("{{type: {}, extent: \"{}\", role: inout, init: {}}}", element_type_name(*layout->element),
                                  all_elements(), contents_of(std::string(element_type_name(*layout->element))));
        buffer.comment = "the extent and the role are guesses";
        items.push_back(buffer.name);
        buffers.push_back(std::move(buffer));
        continue;
      }
      const auto element = element_type_from_name(host_->resolved_type(member.type));
      if (!element) return false;
      const std::vector<Token> name = tokenize(member.name);
      const std::size_t order = items.size(), place = launch_ ? launch_->place : 0;
      const auto value = host_->translate(order < initial.size() ? initial[order] : Tokens(name), place);
      items.push_back(fmt::format("{{type: {}, value: {}}}", element_type_name(*element), value ? value->text() : "1"));
      if (!value) note("argument " + argument.name + ": the value of " + member.name + " is a guess");
    }
    for (ArgumentFound& buffer : buffers) arguments_.push_back(std::move(buffer));
    argument.text.clear();
    argument.passed = "{struct: [" + joined(items) + "]}";
    return true;
  }

  static std::string contents_of(const std::string& element) {
    if (element.starts_with("float") || element.starts_with("bfloat") || element.starts_with("complex")) return "{uniform: [0, 1]}";
    return "{uniform: [0, 100]}";
  }

  static std::string bounds(const SizeTerm& low, const SizeTerm& high) {
    const auto quoted = [](const std::string& text) {
      return text.find(',') == std::string::npos ? text : '"' + text + '"';
    };
    return "{uniform: [" + quoted(low.text()) + ", " + quoted(high.text()) + "]}";
  }

  // What the host code writes, where that says something about the values. Inputs that are all equal would hide wrong results.
  std::optional<std::string> filled_contents(ArgumentFound& argument, const Buffer& buffer) {
    if (!buffer.filling) return std::nullopt;
    const HostCode::Filling& filling = *buffer.filling;
    const bool is_integer = is_integer_type(buffer.element);
    const bool is_input = !buffer.use.is_written && !buffer.use.is_atomic && !buffer.use.is_passed_on;
    const auto number = filling.first.constant();
    if (filling.is_memset) {
      if (buffer.extent && filling.bytes) {
        const auto element = element_type_from_name(buffer.element);
        const auto extent = filling.bytes->divided_by(SizeTerm::number(static_cast<std::int64_t>(element ? element_size(*element) : 1)));
        if (extent && extent->text() != buffer.extent->text())
          comment_on(argument, "the source sets only " + extent->text() + " of them");
      }
      if (is_input) return std::nullopt;
      if (number == 0) return "zero";
      if (is_integer && (number == 255 || number == -1))
        return buffer.element == "uint8"    ? "{constant: 255}"
               : buffer.element == "uint16" ? "{constant: 65535}"
               : buffer.element == "uint32" ? "{constant: 4294967295}"
               : buffer.element == "uint64" ? std::nullopt
                                            : std::optional<std::string>("{constant: -1}");
      if (number && buffer.element == "uint8") return fmt::format("{{constant: {}}}", *number & 255);
      comment_on(argument, "the source sets each byte to " + filling.first.text());
      return std::nullopt;
    }
    if (buffer.width > 1) return std::nullopt;
    switch (filling.kind) {
      case HostCode::Filling::Kind::range:
        return bounds(filling.first, filling.second);
      case HostCode::Filling::Kind::ramp:
        return is_integer && filling.first.constant() && filling.second.constant()
                   ? std::optional("{ramp: [" + filling.first.text() + ", " + filling.second.text() + "]}")
                   : std::nullopt;
      case HostCode::Filling::Kind::constant:
        if (is_input) return std::nullopt;
        if (number == 0) return "zero";
        return is_integer && number ? std::optional(fmt::format("{{constant: {}}}", *number)) : std::nullopt;
    }
    return std::nullopt;
  }

  // The argument whose values say where the rows of this one begin: x[columns[j]] between offsets[row] and offsets[row + 1].
  const Buffer* offsets_of(const Buffer& columns) const {
    const Buffer* found = nullptr;
    for (const Buffer& each : buffers_) {
      if (&each == &columns || !each.use.has_next || !is_row_offsets(each)) continue;
      if (found != nullptr) return nullptr;
      found = &each;
    }
    return found;
  }

  bool is_row_offsets(const Buffer& buffer) const {
    return buffer.use.has_next && buffer.use.is_read && !buffer.use.is_written && (buffer.element == "int32" || buffer.element == "int64") &&
           buffer.width == 1 && !buffer.name.empty() && bounds_a_loop(buffer.name);
  }

  // `for (j = p[row]; j < p[row + 1]; …)`, or through variables that a loop compares with.
  bool bounds_a_loop(const std::string& pointer) const {
    const Tokens body = bodies_->body(kernel_->name);
    std::set<std::string_view> names{pointer};
    for (std::size_t i = 2; i + 1 < body.size(); ++i) {
      if (body[i] == pointer && body[i - 1] == "=" && body[i - 2].is_word()) names.insert(body[i - 2].text);
    }
    for (std::size_t i = 0; i + 1 < body.size(); ++i) {
      if (body[i] != "for" && body[i] != "while") continue;
      const std::size_t close = closing_bracket(body, i + 1);
      for (std::size_t k = i; k + 1 < close && k + 1 < body.size(); ++k) {
        if (body[k] == "<" && names.contains(body[k + 1].text)) return true;
      }
    }
    return false;
  }

  const Buffer* columns_of(const Buffer& offsets) const {
    for (const Buffer& each : buffers_) {
      const bool names_elements = is_integer_type(each.element) && each.width == 1 && each.use.is_read && !each.use.is_written &&
                                  !each.use.indexes.empty() && each.use.indexes[0].is_exact && buffer_named(each.use.indexes[0].array) != nullptr;
      if (names_elements && offsets_of(each) == &offsets && each.element == offsets.element) return &each;
    }
    return nullptr;
  }

  // Extents that a space file needs, or the guess.
  std::string extent_text(const Buffer& buffer) {
    if (buffer.extent) return buffer.extent->text();
    const std::string all = all_elements();
    return buffer.width > 1 ? fmt::format("{} * {}", all.find(' ') == std::string::npos ? all : "(" + all + ")", buffer.width) : all;
  }

  // How many values an index may take: the extent of the array that it points into.
  std::optional<SizeTerm> index_limit(const PointerUse::Index& index) {
    std::optional<SizeTerm> extent;
    if (const Buffer* buffer = buffer_named(index.array)) {
      extent = buffer->extent;
      if (extent) extent = extent->divided_by(SizeTerm::number(buffer->width));
    } else if (const auto written = bodies_->array_extent(kernel_->name, index.array)) {
      extent = host_->translate(*written, 0);
    }
    if (!extent || !index.is_exact || index.factor.empty()) return index.is_exact ? extent : std::nullopt;
    // array[p[i] * width + j]
    const auto& parameters = *kernel_->parameters;
    for (std::size_t i = 0; launch_ && i < parameters.size(); ++i) {
      if (parameters[i].name != index.factor[0].text) continue;
      const auto factor = host_->translate(launch_->arguments[i], launch_->place);
      return factor ? extent->divided_by(*factor) : std::nullopt;
    }
    const auto factor = host_->translate(index.factor, 0);
    return factor ? extent->divided_by(*factor) : std::nullopt;
  }

  // Contents of integers that are positions in other arrays.
  std::optional<std::string> index_contents(ArgumentFound& argument, const Buffer& buffer) {
    if (!is_integer_type(buffer.element) || buffer.width > 1 || buffer.use.is_written || buffer.use.is_atomic) return std::nullopt;
    if (is_row_offsets(buffer)) {
      const Buffer* columns = columns_of(buffer);
      const auto nonzeros = columns != nullptr ? columns->extent : longest_input(buffer);
      const auto width = columns != nullptr ? index_limit(columns->use.indexes[0]) : nonzeros;
      if (nonzeros && width) {
        comment_on(argument, "a guess: the kernel reads it as the offsets of rows");
        return fmt::format("{{csr_offsets: {{nonzeros: \"{}\", columns: \"{}\"}}}}", nonzeros->text(), width->text());
      }
    }
    if (const Buffer* offsets = offsets_of(buffer); offsets != nullptr && columns_of(*offsets) == &buffer && buffer.extent &&
                                                    index_limit(buffer.use.indexes[0])) {
      comment_on(argument, "a guess: the kernel reads it as the columns of those rows");
      return "{csr_columns: " + argument_name(*offsets) + "}";
    }
    return std::nullopt;
  }

  std::string argument_name(const Buffer& buffer) const { return buffer.name; }

  // What the rows of offsets without columns divide: the input with the largest extent that is not the offsets.
  std::optional<SizeTerm> longest_input(const Buffer& offsets) const {
    for (const Buffer& each : buffers_) {
      if (&each != &offsets && each.use.is_read && !each.use.is_written && each.extent && each.use.indexes.empty()) return each.extent;
    }
    return std::nullopt;
  }

  std::optional<std::string> range_of_indexes(ArgumentFound& argument, const Buffer& buffer) {
    if (!is_integer_type(buffer.element) || buffer.width > 1 || buffer.use.indexes.empty()) return std::nullopt;
    for (const PointerUse::Index& index : buffer.use.indexes) {
      const auto limit = index_limit(index);
      if (!limit) continue;
      comment_on(argument, "the range is a guess: the values are positions in " + index.array);
      return bounds(SizeTerm::number(0), limit->minus(SizeTerm::number(1)));
    }
    comment_on(argument, "a guess: its values are positions in " + buffer.use.indexes[0].array + ", and the source does not say how many that has");
    return std::nullopt;
  }

  std::string buffer_text(ArgumentFound& argument, const Buffer& buffer) {
    if (!buffer.comment.empty()) comment_on(argument, buffer.comment);
    if (!buffer.extent) comment_on(argument, "the extent is a guess");
    const std::string extent = extent_text(buffer);
    const PointerUse& use = buffer.use;
    const bool is_unseen = use.is_passed_on && !use.is_written && !use.is_atomic;
    const bool is_output = use.is_written && !use.is_read && !use.is_atomic && !use.is_passed_on;
    std::string role = use.is_atomic || is_unseen || (use.is_written && !is_output) ? ", role: inout" : "";
    if (is_unseen) comment_on(argument, "the role is a guess");
    std::optional<std::string> contents;
    if (is_output) {
      const bool is_set = buffer.filling && buffer.filling->is_memset;
      if (!is_set) return fmt::format("{{type: {}, extent: \"{}\", role: out}}", buffer.element, extent);
      role = ", role: inout";
      comment_on(argument, "the source sets it first; role: out if the kernel writes all of it");
    }
    contents = index_contents(argument, buffer);
    if (!contents) contents = filled_contents(argument, buffer);
    if (!contents && use.is_atomic && !use.is_read) contents = "zero";
    if (!contents) contents = range_of_indexes(argument, buffer);
    if (!contents) contents = use.is_atomic ? "zero" : contents_of(buffer.element);
    // Quotes: the extent may have commas.
    return fmt::format("{{type: {}, extent: \"{}\"{}, init: {}}}", buffer.element, extent, role, *contents);
  }

  // Variables of the source that cudaMemcpyToSymbol sets.
  void read_symbols() {
    for (std::size_t i = 0; i + 3 < tokens_.size(); ++i) {
      if (!tokens_[i].text.starts_with("cudaMemcpyToSymbol") || tokens_[i + 1] != "(") continue;
      const std::vector<Tokens> items = split_list(tokens_, i + 1);
      if (items.empty() || items[0].empty() || !items[0].back().is_word()) continue;
      const std::string name(items[0].back().text);
      const bool is_known = std::ranges::any_of(arguments_, [&](const ArgumentFound& each) { return each.name == name; });
      if (is_known || !is_named_in_kernel(name)) continue;
      add_symbol(name);
    }
  }

  void add_symbol(const std::string& name) {
    for (std::size_t i = 1; i + 1 < tokens_.size(); ++i) {
      if (tokens_[i] != name || !(tokens_[i - 1].is_word())) continue;
      std::size_t begin = i;
      bool is_variable = false;
      for (; begin > 0 && tokens_[begin - 1].is_word(); --begin)
        is_variable = is_variable || tokens_[begin - 1] == "__constant__" || tokens_[begin - 1] == "__device__";
      if (!is_variable) continue;
      const auto layout = host_->layout(host_->resolved_type(std::string(tokens_[i - 1].text)));
      SizeTerm extent = SizeTerm::number(layout && layout->element ? static_cast<std::int64_t>(layout->elements) : 1);
      bool is_read = layout && layout->element;
      for (std::size_t open = i + 1; open < tokens_.size() && tokens_[open] == "[";) {
        const std::size_t close = closing_bracket(tokens_, open);
        if (close == tokens_.size()) return;
        const auto part = host_->translate(tokens_.subspan(open + 1, close - open - 1), 0);
        is_read = is_read && part;
        if (part) extent = extent.times(*part);
        open = close + 1;
      }
      if (!is_read) {
        note("the source sets the variable " + name + ": add an argument with symbol: " + name);
        return;
      }
      const std::string element(element_type_name(*layout->element));
      symbols_.push_back({name, fmt::format("{{type: {}, extent: \"{}\", symbol: {}, init: {}}}", element, extent.text(), name, contents_of(element)), "", ""});
      return;
    }
  }

  static std::string list_of(const std::vector<std::string>& items) {
    const std::string text = joined(items, ", ", [](const std::string& item) { return '"' + item + '"'; });
    return items.size() == 1 ? text : "[" + text + "]";
  }

  std::string comment(const std::string& key) const {
    const auto found = guesses_.find(key);
    return found == guesses_.end() ? "" : "  # " + found->second;
  }

  void write() {
    const std::vector<std::string> grid = this->grid();
    find_loop_constraints();
    std::string& out = space_.text;
    out = fmt::format(
        "# A first version, made by gktune import. Look at what it guessed, and add a reference.\n"
        "kernel: {}\nsource: {}\n",
        kernel_->name, source_path_);
    if (!std::filesystem::path(source_path_).extension().string().starts_with(".cu"))
      out += "language: cuda\n";
    if (!axes_.empty()) out += "\nproblem:\n";
    for (const Axis& axis : axes_) {
      out += axis.is_macro && is_named_in_kernel(axis.name)
                 ? fmt::format("  {0}: {{values: [{1}], macro: {0}}}\n", axis.name, axis.value)
                 : fmt::format("  {}: [{}]\n", axis.name, axis.value);
    }
    if (!parameters_.empty()) out += "\nparameters:\n";
    for (const ParameterFound& parameter : parameters_) {
      out += fmt::format("  {}: {{values: [{}], default: {}}}{}\n", parameter.name,
                         fmt::join(parameter.values, ", "), parameter.value,
                         parameter.comment.empty() ? "" : "  # " + parameter.comment);
    }
    if (parameters_.empty()) note("no macro or constant looks like a parameter: add parameters");
    if (!constraints_.empty()) out += "\nconstraints:\n";
    for (const ConstraintFound& constraint : constraints_) out += fmt::format("  - \"{}\"  # {}\n", constraint.text, constraint.comment);
    out += "\narguments:\n";
    for (const std::vector<ArgumentFound>* list : {&arguments_, &symbols_}) {
      for (const ArgumentFound& argument : *list) {
        if (argument.text.empty()) continue;
        out += fmt::format("  {}: {}{}\n", argument.name, argument.text,
                           argument.comment.empty() ? "" : "  # " + argument.comment);
      }
    }
    out += fmt::format("\nlaunches:\n  entry: \"{}{}\"\n  grid: {}{}\n  block: {}{}\n", kernel_->name,
                       template_text(), list_of(grid), comment("grid"), list_of(block_), comment("block"));
    if (launch_ && launch_->config.size() > 2) {
      use_block_literals();
      const auto shared = host_->translate(launch_->config[2], launch_->place);
      host_->literals.clear();
      if (!shared)
        note("the shared memory " + text_of(launch_->config[2]) +
             " could not be read: add shared: to the launch");
      if (shared && shared->constant() != 0) out += fmt::format("  shared: \"{}\"\n", shared->as_integer().text());
    }
    if (launch_ && launch_->is_cooperative) out += "  cooperative: true\n";
    out += fmt::format("  arguments: [{}]\n", passed_list());
    out +=
        "\n# reference:                  # a plain kernel that computes the outputs; without it nothing is "
        "checked\n"
        "#   source: reference.cu\n#   launches: {entry: reference, arguments: [" +
        passed_list() + "]}\n";
    note("there is no reference: add one, so that outputs are checked");
  }

  std::string passed_list() const {
    std::string list;
    for (const ArgumentFound& argument : arguments_) {
      if (!argument.passed.empty()) list += (list.empty() ? "" : ", ") + argument.passed;
    }
    return list;
  }

  // The literal size of a block stands for its parameter.
  void use_block_literals() {
    for (const auto& [axis, number] : block_literals_) host_->literals.try_emplace(number, block_[axis]);
  }

  // The launch's template arguments; a host name in them gets its value.
  std::string template_text() {
    if (!launch_ || launch_->template_arguments.empty()) {
      if (!kernel_->template_parameters.empty())
        note("template arguments of " + kernel_->name + " are deduced or missing: add them to the entry");
      return "";
    }
    use_block_literals();
    const std::string text = "<" + joined(split_list(launch_->template_arguments, 0), ", ", [&](Tokens item) {
             const auto term = host_->translate(item, launch_->place);
             if (!term) return text_of(item);
             return term->text().find(' ') == std::string::npos ? term->text() : "{" + term->text() + "}";
           }) + ">";
    host_->literals.clear();
    return text;
  }

  struct Axis {
    std::string name;
    std::int64_t value;
    bool is_macro;
  };
  struct ParameterFound {
    std::string name;
    std::vector<std::int64_t> values;
    std::int64_t value;
    std::string comment;
  };
  struct ConstraintFound {
    std::string text, comment;
  };

  std::filesystem::path path_;
  std::string source_path_;
  FlatSource flat_;
  std::string text_;
  std::vector<Token> all_;
  Tokens tokens_;
  UsedText kernel_text_;
  std::vector<std::vector<Token>> defines_;
  std::vector<FunctionSignature> signatures_, kernels_;
  const FunctionSignature* kernel_ = nullptr;
  std::optional<FoundLaunch> launch_;
  HostCode* host_ = nullptr;
  const KernelBodies* bodies_ = nullptr;
  std::vector<SettingFound> settings_;
  std::vector<Axis> axes_;
  std::vector<ParameterFound> parameters_;
  std::vector<ConstraintFound> constraints_;
  std::vector<Buffer> buffers_;
  std::vector<ArgumentFound> arguments_, symbols_;
  std::vector<std::string> block_;
  std::map<std::size_t, std::int64_t> block_literals_;
  std::map<std::string, std::string> guesses_;
  ImportedSpace space_;
};

}  // namespace

Result<ImportedSpace> import_cuda_source(const std::string& text, const std::filesystem::path& path,
                                         const std::string& source, const std::string& kernel) {
  return SourceImport(text, path, source).run(kernel);
}

}  // namespace gktune
