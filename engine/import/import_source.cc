#include "engine/import/import_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <regex>
#include <set>

#include "tuner/core/element_type.h"
#include "tuner/core/quantity.h"
#include "tuner/core/text.h"
#include "tuner/source/kernel_code.h"
#include "tuner/source/signatures.h"
#include "tuner/source/tokens.h"
#include "tuner/space/language/expression.h"

namespace gktune {
namespace {

// 256, 256u, 1'024, 0x40.
std::optional<std::int64_t> integer_of(const Token& token) {
  if (token.kind != Token::Kind::number) return std::nullopt;
  std::string digits;
  for (const char c : token.text) {
    if (c != '\'') digits += c;
  }
  while (!digits.empty() && std::string_view("uUlL").find(digits.back()) != std::string_view::npos)
    digits.pop_back();
  const auto value = parse_integer(digits);
  return value ? std::optional(*value) : std::nullopt;
}

// An expression of C, written in the language of space files.
struct Term {
  std::string text;
  bool is_simple = true;                            // needs no brackets as an operand
  std::optional<std::int64_t> number;               // a constant
  std::vector<std::pair<char, std::string>> parts;  // of a sum
  std::vector<std::optional<std::int64_t>> part_numbers;
  bool is_product = false;  // of factors alone
  std::string operand() const { return is_simple ? text : "(" + text + ")"; }
};

// Finds out from the host code what the names in an expression mean.
class HostNames {
 public:
  explicit HostNames(Tokens tokens) : tokens_(tokens) { find_definitions(); }

  // Names that stand for themselves, or for another name.
  std::map<std::string, std::string, std::less<>> known;
  // A number that stands for a name: the literal block size in a grid.
  std::map<std::int64_t, std::string> literals;

  std::optional<Term> translate(Tokens tokens) {
    Parser parser{*this, tokens, 0};
    auto term = parser.sum();
    if (!term || parser.at != tokens.size()) return std::nullopt;
    return term;
  }
  // The value of a constant.
  std::optional<std::int64_t> constant(Tokens tokens) {
    const auto term = translate(tokens);
    return term ? term->number : std::nullopt;
  }
  // The extents of `dim3 name(a, b)`, or of one expression.
  std::vector<Tokens> extents(Tokens config) const {
    if (config.size() == 1 && config[0].is_word()) {
      if (const auto found = definitions_.find(config[0].text); found != definitions_.end()) {
        if (found->second.is_dim3) return found->second.values;
      }
    }
    if (config.size() > 2 && config[0] == "dim3") return split_list(config, 1);
    return {config};
  }
  bool is_dim3(std::string_view name) const {
    const auto found = definitions_.find(name);
    return found != definitions_.end() && found->second.is_dim3;
  }
  std::optional<Tokens> definition(std::string_view name) const {
    const auto found = definitions_.find(name);
    if (found == definitions_.end() || found->second.is_dim3 || found->second.values.size() != 1)
      return std::nullopt;
    return found->second.values[0];
  }
  void define(const std::string& name, Tokens value) {
    definitions_.try_emplace(name, Definition{false, {value}});
  }

 private:
  struct Definition {
    bool is_dim3;
    std::vector<Tokens> values;
  };

  struct Parser {
    HostNames& names;
    Tokens tokens;
    std::size_t at;
    static constexpr int kDeepest = 16;

    bool is(std::string_view text) const { return at < tokens.size() && tokens[at] == text; }

    std::optional<Term> sum() {
      auto left = product();
      if (!left) return std::nullopt;
      std::vector<std::pair<char, std::string>> parts{{'+', left->text}};
      std::vector<std::optional<std::int64_t>> numbers{left->number};
      while (is("+") || is("-")) {
        const char sign = tokens[at++].text[0];
        auto right = product();
        if (!right) return std::nullopt;
        parts.emplace_back(sign, right->text);
        numbers.push_back(right->number);
        if (left->number && right->number) {
          left = number(sign == '+' ? *left->number + *right->number : *left->number - *right->number);
        } else {
          left = Term{left->text + ' ' + sign + ' ' + right->text, false, std::nullopt, {}, {}};
        }
      }
      if (parts.size() > 1) {
        left->parts = std::move(parts);
        left->part_numbers = std::move(numbers);
      }
      // 1 << 20
      if (at + 1 < tokens.size() && is("<") && tokens[at + 1] == "<") {
        at += 2;
        const auto right = sum();
        if (!right || !right->number || *right->number < 0 || *right->number > 40) return std::nullopt;
        if (left->number) return number(*left->number << *right->number);
        return Term{
            left->operand() + " * " + std::to_string(std::int64_t{1} << *right->number), false, {}, {}, {}};
      }
      return left;
    }

    static Term number(std::int64_t value) { return {std::to_string(value), value >= 0, value, {}, {}}; }

    std::optional<Term> product() {
      auto left = primary();
      while (left && (is("*") || is("/") || is("%"))) {
        const char sign = tokens[at++].text[0];
        auto right = primary();
        if (!right) return std::nullopt;
        left = combined(*left, sign, *right);
      }
      return left;
    }

    static Term combined(const Term& left, char sign, const Term& right) {
      if (left.number && right.number && (sign == '*' || *right.number > 0)) {
        const std::int64_t a = *left.number, b = *right.number;
        return number(sign == '*' ? a * b : sign == '/' ? a / b : a % b);
      }
      if (sign == '/') {
        if (const std::string dividend = rounded_up(left, right); !dividend.empty())
          return {"ceil_div(" + dividend + ", " + right.text + ")", true, {}, {}, {}};
      }
      const std::string word = sign == '/' ? " // " : sign == '*' ? " * " : " % ";
      const std::string first = sign == '*' && left.is_product ? left.text : left.operand();
      return {first + word + right.operand(), false, {}, {}, {}, sign == '*'};
    }

    // n of (n + b - 1) / b and of (n + 255) / 256.
    static std::string rounded_up(const Term& left, const Term& right) {
      const auto& parts = left.parts;
      std::optional<std::size_t> divisor, one;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i] == std::pair<char, std::string>('-', "1")) one = i;
        if (parts[i].first == '+' && parts[i].second == right.text && parts.size() > 1) divisor = i;
        const bool is_one_less =
            right.number && left.part_numbers[i] && *left.part_numbers[i] == *right.number - 1;
        if (parts[i].first == '+' && is_one_less) divisor = one = i;
      }
      if (!divisor || !one) return {};
      std::string rest;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i == *divisor || i == *one) continue;
        rest += (rest.empty() ? (parts[i].first == '-' ? "-" : "") : std::string(" ") + parts[i].first + ' ');
        rest += parts[i].second;
      }
      return rest;
    }

    std::optional<Term> primary() {
      if (at >= tokens.size()) return std::nullopt;
      const Token& token = tokens[at];
      if (token == "(") return in_brackets();
      if (const auto value = integer_of(token)) {
        ++at;
        Term term = number(*value);
        if (const auto name = names.literals.find(*value); name != names.literals.end())
          term.text = name->second;
        return term;
      }
      if (!token.is_word()) return std::nullopt;
      if (token == "std" && at + 3 < tokens.size() && tokens[at + 1] == ":") {
        at += 3;
        return primary();
      }
      if (token == "static_cast" && at + 1 < tokens.size()) {
        at = closing_bracket(tokens, at + 1) + 1;
        return is("(") ? in_brackets() : std::nullopt;
      }
      ++at;
      if (is("(")) return call(token.text);
      if (is(".")) return member(token.text);
      return name(token.text);
    }

    std::optional<Term> in_brackets() {
      const std::size_t close = closing_bracket(tokens, at);
      if (close == tokens.size()) return std::nullopt;
      const Tokens inner = tokens.subspan(at + 1, close - at - 1);
      const bool is_cast = !inner.empty() && std::ranges::all_of(inner, [](const Token& each) {
        static constexpr std::string_view kTypes[] = {"int",   "unsigned", "long", "size_t",
                                                      "float", "double",   "const"};
        return std::ranges::find(kTypes, each.text) != std::end(kTypes);
      });
      at = close + 1;
      if (is_cast) return primary();
      Parser parser{names, inner, 0};
      auto term = parser.sum();
      if (!term || parser.at != inner.size()) return std::nullopt;
      return term;
    }

    std::optional<Term> call(std::string_view function) {
      const std::size_t open = at, close = closing_bracket(tokens, open);
      if (close == tokens.size()) return std::nullopt;
      at = close + 1;
      const std::vector<Tokens> items = split_list(tokens, open);
      if (function == "sizeof") {
        const auto type = element_type_from_name(text_of(tokens.subspan(open + 1, close - open - 1)));
        return type ? std::optional(number(static_cast<std::int64_t>(element_size(*type)))) : std::nullopt;
      }
      static const std::regex kRoundUp("(ceil_?div|div_?(round)?_?up|cdiv|i?div_?up|divide_?up)",
                                       std::regex::icase);
      std::vector<Term> terms;
      if ((function == "ceil" || function == "ceilf") && items.size() == 1) return ceiling(items[0]);
      for (const Tokens item : items) {
        auto term = names.translate(item);
        if (!term) return std::nullopt;
        terms.push_back(*std::move(term));
      }
      if (terms.size() != 2) return std::nullopt;
      const bool rounds_up = std::regex_match(std::string(function), kRoundUp);
      if (!rounds_up && function != "min" && function != "max") return std::nullopt;
      return Term{
          (rounds_up ? "ceil_div" : std::string(function)) + "(" + terms[0].text + ", " + terms[1].text + ")",
          true,
          {},
          {},
          {}};
    }

    // ceil((float)n / b)
    std::optional<Term> ceiling(Tokens inner) {
      Parser parser{names, inner, 0};
      auto left = parser.primary();
      if (!left || !parser.is("/")) return std::nullopt;
      ++parser.at;
      const auto right = parser.primary();
      if (!right || parser.at != inner.size()) return std::nullopt;
      return Term{"ceil_div(" + left->text + ", " + right->text + ")", true, {}, {}, {}};
    }

    std::optional<Term> member(std::string_view object) {
      if (at + 1 >= tokens.size()) return std::nullopt;
      const std::string_view axis = tokens[at + 1].text;
      at += 2;
      const auto found = names.definitions_.find(object);
      if (found == names.definitions_.end() || !found->second.is_dim3) return std::nullopt;
      const std::size_t place = axis == "x" ? 0 : axis == "y" ? 1 : axis == "z" ? 2 : 3;
      if (place > 2) return std::nullopt;
      if (place >= found->second.values.size()) return number(1);
      const std::string full = std::string(object) + '.' + std::string(axis);
      if (const auto alias = names.known.find(full); alias != names.known.end())
        return Term{alias->second, true, {}, {}, {}};
      return names.inner(found->second.values[place]);
    }

    std::optional<Term> name(std::string_view word) {
      if (const auto alias = names.known.find(word); alias != names.known.end())
        return Term{alias->second, true, {}, {}, {}};
      const auto value = names.definition(word);
      return value ? names.inner(*value) : std::nullopt;
    }
  };

  std::optional<Term> inner(Tokens tokens) {
    if (++depth_ > Parser::kDeepest) {
      --depth_;
      return std::nullopt;
    }
    auto term = translate(tokens);
    --depth_;
    return term;
  }

  // True if the statement at this token declares dim3 variables.
  bool is_dim3_list(std::size_t at) const {
    while (at > 0 && tokens_[at - 1] != ";" && tokens_[at - 1] != "{" && tokens_[at - 1] != "}") --at;
    return at < tokens_.size() && tokens_[at] == "dim3";
  }

  // `int n = …;`, `dim3 grid(…)`, `dim3 grid = dim3(…)`, `dim3 grid{…}`.
  void find_definitions() {
    for (std::size_t i = 1; i + 1 < tokens_.size(); ++i) {
      const bool is_dim3_next = tokens_[i - 1] == "," && tokens_[i + 1] == "(" && is_dim3_list(i);
      // int a = 1, b = 2; dim3 block(16), grid(32);
      const bool is_next = tokens_[i - 1] == "," && (tokens_[i + 1] == "=" || is_dim3_next);
      if (!tokens_[i].is_word() || (!tokens_[i - 1].is_word() && !is_next)) continue;
      const std::string name(tokens_[i].text);
      const Token& next = tokens_[i + 1];
      if ((tokens_[i - 1] == "dim3" || is_dim3_next) && (next == "(" || next == "{")) {
        definitions_[name] = {true, split_list(tokens_, i + 1)};
      } else if (next == "=" && i + 2 < tokens_.size() && tokens_[i + 2] != "=") {
        std::size_t end = i + 2;
        for (; end < tokens_.size() && tokens_[end] != ";" && tokens_[end] != ","; ++end) {
          if (tokens_[end] == "(" || tokens_[end] == "{") end = closing_bracket(tokens_, end);
          if (end >= tokens_.size()) return;
        }
        Tokens value = tokens_.subspan(i + 2, end - i - 2);
        // The alternative of a condition: argc > 1 ? atoi(argv[1]) : 1024.
        const auto colon = std::ranges::find(value, std::string_view(":"), &Token::text);
        if (std::ranges::find(value, std::string_view("?"), &Token::text) != value.end() &&
            colon != value.end())
          value = value.subspan(static_cast<std::size_t>(colon - value.begin()) + 1);
        const bool is_dim3 = tokens_[i - 1] == "dim3" || (value.size() > 2 && value[0] == "dim3");
        definitions_[name] = is_dim3 && value.size() > 2 ? Definition{true, split_list(value, 1)}
                                                         : Definition{is_dim3, {value}};
      }
    }
  }

  Tokens tokens_;
  std::map<std::string, Definition, std::less<>> definitions_;
  int depth_ = 0;
};

// kernel<T, 4><<<grid, block, shared>>>(arguments)
struct FoundLaunch {
  std::string kernel;
  std::string template_arguments;  // "<T, 4>"
  std::vector<Tokens> config, arguments;
};

std::vector<FoundLaunch> launches_in(Tokens tokens) {
  std::vector<FoundLaunch> found;
  const auto is_triple = [&](std::size_t i, std::string_view sign) {
    return i + 2 < tokens.size() && tokens[i] == sign && tokens[i + 1] == sign && tokens[i + 2] == sign &&
           tokens[i + 2].text.data() == tokens[i].text.data() + 2;
  };
  for (std::size_t i = 1; i + 3 < tokens.size(); ++i) {
    if (!is_triple(i, "<")) continue;
    FoundLaunch launch;
    std::size_t name = i - 1;
    if (tokens[name] == ">") {
      int depth = 0;
      for (; name > 0; --name) {
        if (tokens[name] == ">") ++depth;
        if (tokens[name] == "<" && --depth == 0) break;
      }
      launch.template_arguments = text_of(tokens.subspan(name, i - name));
      if (name == 0) continue;
      --name;
    }
    launch.kernel = tokens[name].text;
    std::size_t end = i + 3, begin = end;
    for (; end < tokens.size() && !is_triple(end, ">"); ++end) {
      if (tokens[end] == ",") {
        launch.config.push_back(tokens.subspan(begin, end - begin));
        begin = end + 1;
      } else if (tokens[end] == "(" || tokens[end] == "{" || tokens[end] == "[") {
        end = closing_bracket(tokens, end);
      }
      if (end >= tokens.size()) break;
    }
    if (end + 3 >= tokens.size() || tokens[end + 3] != "(") continue;
    launch.config.push_back(tokens.subspan(begin, end - begin));
    launch.arguments = split_list(tokens, end + 3);
    if (launch.config.size() >= 2) found.push_back(std::move(launch));
  }
  return found;
}

// How a kernel's body uses a pointer.
struct PointerUse {
  bool is_read = false, is_written = false, is_atomic = false, is_passed_on = false;
};

class SourceImport {
 public:
  SourceImport(const std::string& text, const std::filesystem::path& path, std::string source)
      : path_(path), source_path_(std::move(source)) {
    flat_ = flatten(path.string(), text, {}, AngleIncludes::keep);
    text_ = text_of(flat_);
    all_ = code_tokens(text_);
    tokens_ = all_;
    FlatSource device = flat_;
    drop_host_code(device, {});
    device_text_ = text_of(device);
    device_tokens_ = code_tokens(device_text_);
    for (const SourceLine& line : device.lines) {
      if (line.kind != SourceLine::Kind::define) continue;
      const std::vector<Token> tokens = tokenize(line.text);
      for (std::size_t i = 3; i < tokens.size(); ++i) device_words_.emplace(tokens[i].text);
    }
    for (const Token& token : device_tokens_) device_words_.emplace(token.text);
  }

  Result<ImportedSpace> run(const std::string& wanted) {
    if (auto chosen = choose_kernel(wanted); !chosen) return chosen.error();
    HostNames host(tokens_);
    host_ = &host;
    find_settings();
    find_block();
    read_arguments();
    write();
    return std::move(space_);
  }

 private:
  void note(std::string text) { space_.notes.push_back(std::move(text)); }

  Result<void> choose_kernel(const std::string& wanted) {
    std::string names;
    for (FunctionSignature& signature : signatures_in(flat_)) {
      if (signature.kind != FunctionSignature::Kind::kernel) continue;
      const bool is_known =
          std::ranges::any_of(kernels_, [&](const auto& each) { return each.name == signature.name; });
      if (is_known) continue;
      names += (names.empty() ? "" : ", ") + signature.name;
      kernels_.push_back(std::move(signature));
    }
    if (kernels_.empty()) return Error{path_.string() + ": it has no kernel (no __global__ function)"};
    const std::vector<FoundLaunch> launches = launches_in(tokens_);
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
    for (const FoundLaunch& launch : launches) {
      if (launch.kernel == kernel_->name && launch.arguments.size() == kernel_->parameters->size())
        launch_ = launch;
      if (launch_) break;
    }
    if (!launch_) note("no launch of " + kernel_->name + " was found: its grid and block are guesses");
    if (kernels_.size() > 1 && wanted.empty())
      note("this is for the kernel " + kernel_->name + " of " + names + "; name another to import that one");
    return {};
  }

  bool is_named_in_kernels(const std::string& name) const { return device_words_.contains(name); }

  struct SettingFound {
    std::string name;
    std::int64_t value;
    bool is_macro;
  };

  // Macros and constants with an integer value.
  std::vector<SettingFound> integers() {
    std::vector<SettingFound> found;
    const auto add = [&](std::string name, std::int64_t value, bool is_macro) {
      const bool is_new =
          std::ranges::none_of(found, [&](const SettingFound& each) { return each.name == name; });
      if (is_new) found.push_back({std::move(name), value, is_macro});
    };
    for (const SourceLine& line : flat_.lines) {
      if (line.kind != SourceLine::Kind::define) continue;
      defines_.push_back(tokenize(line.text));
      const std::vector<Token>& tokens = defines_.back();
      if (tokens.size() < 4) continue;
      const bool has_list =
          tokens[3] == "(" && tokens[3].text.data() == tokens[2].text.data() + tokens[2].text.size();
      if (has_list) continue;
      const Tokens value = Tokens(tokens).subspan(3);
      host_->define(line.name, value);
      if (const auto integer = value.size() <= 3 ? plain_integer(value) : std::nullopt)
        add(line.name, *integer, true);
    }
    for (std::size_t i = 1; i + 3 < tokens_.size(); ++i) {
      const bool is_end = tokens_[i + 3] == ";" || tokens_[i + 3] == ",";
      if (!tokens_[i].is_word() || tokens_[i + 1] != "=" || !is_end || !tokens_[i - 1].is_word()) continue;
      bool is_constant = false;
      for (std::size_t k = i;
           k-- > 0 && i - k < 6 && tokens_[k] != ";" && tokens_[k] != "}" && tokens_[k] != "{";)
        is_constant = is_constant || tokens_[k] == "const" || tokens_[k] == "constexpr";
      const auto value = integer_of(tokens_[i + 2]);
      if (is_constant && value) add(std::string(tokens_[i].text), *value, false);
    }
    return found;
  }

  // 16 and (16).
  static std::optional<std::int64_t> plain_integer(Tokens value) {
    if (value.size() == 3 && value[0] == "(") value = value.subspan(1, 1);
    return value.size() == 1 ? integer_of(value[0]) : std::nullopt;
  }

  static bool looks_like_parameter(const std::string& name, std::int64_t value) {
    static const std::regex kNames(
        ".*(tile|block|thread|unroll|coars|per_?th|items|vec|chunk|batch|bucket|stage|stride|step|factor|"
        "group|"
        "warps|buf|_size|size_|dim).*|[bwt][mnk]|bs|bdim[xyz]?|radix_?bits",
        std::regex::icase);
    static const std::regex kFixed(".*(warp_?size|radius|n_?bins|num_?bins|filter|mask|channels|lanes).*",
                                   std::regex::icase);
    return value >= 1 && value <= 4096 && std::regex_match(name, kNames) && !std::regex_match(name, kFixed);
  }

  void find_settings() {
    std::set<std::string> passed;  // to the kernel as scalars
    if (launch_) {
      for (const Tokens& argument : launch_->arguments) {
        if (argument.size() == 1 && argument[0].is_word()) passed.emplace(argument[0].text);
      }
    }
    for (const SettingFound& setting : integers()) {
      if (!is_named_in_kernels(setting.name)) continue;
      if (passed.contains(setting.name)) {
        add_axis(setting.name, setting.value, true);
      } else if (looks_like_parameter(setting.name, setting.value)) {
        parameters_.push_back({setting.name, value_list(setting.value), setting.value, ""});
        host_->known[setting.name] = setting.name;
      } else if (setting.value > 1024) {
        add_axis(setting.name, setting.value, true);
        note(setting.name + " is taken for a size of the problem");
      }
    }
  }

  void add_axis(const std::string& name, std::int64_t value, bool is_macro) {
    axes_.push_back({name, value, is_macro});
    host_->known[name] = name;
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

  bool has_literal_in_kernels(std::int64_t value) const {
    return std::ranges::any_of(device_tokens_, [&](const Token& token) {
      const auto number = integer_of(token);
      return number && *number == value;
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
    const std::vector<Tokens> extents = host_->extents(launch_->config[1]);
    for (std::size_t i = 0; i < extents.size() && i < 3; ++i) {
      const auto term = host_->translate(extents[i]);
      if (!term) {
        block_.push_back(i == 0 ? "256" : "1");
        guesses_["block"] = "the source says " + text_of(extents[i]);
        note("the block " + text_of(extents[i]) + " could not be read: it is a guess");
        continue;
      }
      if (!term->number || *term->number <= 1) {
        block_.push_back(term->text);
        continue;
      }
      if (has_literal_in_kernels(*term->number)) {
        block_.push_back(term->text);
        note("the block of " + term->text + " threads stays: the kernel's text has this number too");
        continue;
      }
      const std::string name = kLong[i];
      parameters_.push_back({name,
                             extents.size() == 1 ? std::vector<std::int64_t>{64, 128, 256, 512, 1024}
                                                 : value_list(*term->number),
                             *term->number, ""});
      auto& values = parameters_.back().values;
      if (std::ranges::find(values, *term->number) == values.end()) {
        values.push_back(*term->number);
        std::ranges::sort(values);
      }
      block_.push_back(name);
      block_literals_[i] = *term->number;
      alias(extents[i], name);
      if (launch_->config[1].size() == 1) {
        static constexpr const char* kAxes[] = {".x", ".y", ".z"};
        host_->known[std::string(launch_->config[1][0].text) + kAxes[i]] = name;
        if (extents.size() == 1 && !host_->is_dim3(launch_->config[1][0].text))
          host_->known[std::string(launch_->config[1][0].text)] = name;
      }
    }
  }

  void alias(Tokens extent, const std::string& name) {
    if (extent.size() == 1 && extent[0].is_word())
      host_->known.try_emplace(std::string(extent[0].text), name);
  }

  // The grid's extents in the space file's language.
  std::vector<std::string> grid() {
    if (!launch_) {
      guesses_["grid"] = "a guess";
      return {"ceil_div(" + first_axis() + ", " + block_[0] + ")"};
    }
    std::vector<std::string> grid;
    const std::vector<Tokens> extents = host_->extents(launch_->config[0]);
    for (std::size_t i = 0; i < extents.size() && i < 3; ++i) {
      host_->literals.clear();
      if (block_literals_.contains(i)) host_->literals[block_literals_[i]] = block_[i];
      if (const auto term = host_->translate(extents[i])) {
        grid.push_back(term->text);
        continue;
      }
      grid.push_back(i == 0 ? "ceil_div(" + first_axis() + ", " + block_[0] + ")" : "1");
      guesses_["grid"] = "a guess: the source says " + text_of(extents[i]);
      note("the grid " + text_of(extents[i]) + " could not be read: it is a guess");
    }
    host_->literals.clear();
    return grid;
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
  };

  // The type's name for the space file.
  std::string type_text(const CppType& written, const std::string& name) {
    CppType type = written;
    for (std::size_t i = 1; i + 1 < tokens_.size(); ++i) {  // typedef float real; using real = float;
      if (tokens_[i] != type.base) continue;
      std::size_t begin = i;
      while (begin > 0 && tokens_[begin - 1] != ";" && tokens_[begin - 1] != "}" && tokens_[begin - 1] != "{")
        --begin;
      if (tokens_[begin] == "typedef" && tokens_[i + 1] == ";")
        type.base = text_of(tokens_.subspan(begin + 1, i - begin - 1));
      if (tokens_[i - 1] == "using" && tokens_[i + 1] == "=") {
        std::size_t end = i + 2;
        while (end < tokens_.size() && tokens_[end] != ";") ++end;
        type.base = text_of(tokens_.subspan(i + 2, end - i - 2));
      }
    }
    if (const auto known = element_type_from_name(type.base)) return std::string(element_type_name(*known));
    const auto& names = kernel_->template_parameters;
    const auto at = std::ranges::find(names, type.base);
    if (at != names.end() && launch_ && !launch_->template_arguments.empty()) {
      const std::vector<Token> tokens = tokenize(launch_->template_arguments);
      const auto items = split_list(tokens, 0);
      const auto place = static_cast<std::size_t>(at - names.begin());
      if (place < items.size()) {
        if (const auto known = element_type_from_name(text_of(items[place])))
          return std::string(element_type_name(*known));
      }
    }
    static const std::regex kVector("(char|uchar|short|ushort|int|uint|long|float|double|half)([1234])");
    std::smatch parts;
    if (std::regex_match(type.base, parts, kVector)) {
      vector_width_ = std::stoi(parts[2].str());
      const std::string base = parts[1].str() == "uchar"    ? "uint8"
                               : parts[1].str() == "ushort" ? "uint16"
                               : parts[1].str() == "uint"   ? "uint32"
                               : parts[1].str() == "char"   ? "int8"
                               : parts[1].str() == "long"   ? "int64"
                                                            : parts[1].str();
      if (const auto known = element_type_from_name(base)) return std::string(element_type_name(*known));
    }
    note("argument " + name + ": its type " + type.base + " is not known; float32 is a guess");
    return "float32";
  }

  // The body of the kernel.
  Tokens body() const {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (tokens_[i] != kernel_->name || tokens_[i + 1] != "(") continue;
      const std::size_t close = closing_bracket(tokens_, i + 1);
      if (close + 1 >= tokens_.size() || tokens_[close + 1] != "{") continue;
      return tokens_.subspan(close + 1, closing_bracket(tokens_, close + 1) - close - 1);
    }
    return {};
  }

  PointerUse use_of(const std::string& pointer) const {
    PointerUse use;
    const Tokens body = this->body();
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (body[i] != pointer || (i > 0 && body[i - 1] == ".")) continue;
      std::size_t after = i + 1;
      const bool is_indexed = after < body.size() && body[after] == "[";
      const bool is_star =
          i > 0 && body[i - 1] == "*" && i > 1 && !body[i - 2].is_word() && body[i - 2] != ")";
      if (is_indexed) after = closing_bracket(body, after) + 1;
      const std::string_view next = after < body.size() ? body[after].text : std::string_view();
      const std::string_view second = after + 1 < body.size() ? body[after + 1].text : std::string_view();
      std::size_t k = i;
      while (k > 0 && (body[k - 1] == "&" || body[k - 1] == "(")) --k;
      if (k > 0 && body[k - 1].text.starts_with("atomic")) {
        use.is_atomic = true;
      } else if ((is_indexed || is_star) && next == "=" && second != "=") {
        use.is_written = true;
      } else if ((is_indexed || is_star) && second == "=" && next.size() == 1 &&
                 std::string_view("+-*/%&|^").find(next) != std::string_view::npos) {
        use.is_read = use.is_written = true;
      } else if (is_indexed || is_star) {
        use.is_read = true;
      } else {
        use.is_passed_on = true;
      }
    }
    return use;
  }

  // The number of elements that cudaMalloc gives to the host's pointer.
  std::optional<std::string> extent_of(std::string_view pointer, const std::string& type) {
    for (std::size_t i = 0; i + 3 < tokens_.size(); ++i) {
      if (!tokens_[i].text.starts_with("cudaMalloc") || tokens_[i + 1] != "(") continue;
      const std::vector<Tokens> items = split_list(tokens_, i + 1);
      if (items.size() < 2) continue;
      if (std::ranges::find(items[0], pointer, &Token::text) == items[0].end()) continue;
      const auto term = host_->translate(without_size(items[1]));
      if (!term) return std::nullopt;
      const auto known = element_type_from_name(type);
      const std::string size = std::to_string(known ? element_size(*known) : 1);
      if (sized_) return term->text;
      if (term->text.ends_with(" * " + size))
        return term->text.substr(0, term->text.size() - 3 - size.size());
      if (term->text.starts_with(size + " * ")) return term->text.substr(size.size() + 3);
      return "(" + term->text + ") // " + size;
    }
    return std::nullopt;
  }

  // n of `n * sizeof(T)` and of a variable with this value.
  Tokens without_size(Tokens bytes) {
    sized_ = false;
    if (bytes.size() == 1 && bytes[0].is_word() && !host_->known.contains(bytes[0].text)) {
      if (const auto value = host_->definition(bytes[0].text)) bytes = *value;
    }
    for (std::size_t i = 0; i + 3 < bytes.size(); ++i) {
      if (bytes[i] != "sizeof" || bytes[i + 1] != "(") continue;
      const std::size_t close = closing_bracket(bytes, i + 1);
      if (close == bytes.size()) return bytes;
      if (i >= 2 && bytes[i - 1] == "*" && close + 1 == bytes.size()) {
        sized_ = true;
        return bytes.first(i - 1);
      }
      if (i == 0 && close + 2 < bytes.size() && bytes[close + 1] == "*") {
        sized_ = true;
        return bytes.subspan(close + 2);
      }
    }
    return bytes;
  }

  void read_arguments() {
    // Sizes first: extents need them.
    const auto& parameters = *kernel_->parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const CppType type = parse_type(parameters[i].type);
      if (type.pointers > 0) continue;
      const auto element = element_type_from_name(type.base);
      if (!element || *element >= ElementType::float16 || *element == ElementType::uint8) continue;
      if (!launch_) {
        add_axis(parameters[i].name, 1 << 20, false);
        note("the size " + parameters[i].name + " is a guess");
        continue;
      }
      const Tokens passed = launch_->arguments[i];
      if (passed.size() != 1 || !passed[0].is_word() || host_->known.contains(passed[0].text)) continue;
      const std::string name(passed[0].text);
      const auto value = host_->translate(passed);
      if (value && !value->number) continue;  // depends on others
      if (!value) note("the size " + name + " is a guess");
      add_axis(name, value ? *value->number : 1 << 20, false);
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) read_argument(i);
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
    vector_width_ = 1;
    const std::string element = type_text(type, argument.name);
    if (type.pointers == 0) {
      std::optional<std::string> value;
      if (!launch_ && host_->known.contains(argument.name)) value = argument.name;
      if (const auto term = launch_ ? host_->translate(passed) : std::nullopt) value = term->text;
      const bool is_real = element.find("float") != std::string::npos;
      if (!value && is_real && passed.size() == 1 && passed[0].kind == Token::Kind::number) {
        value = std::string(passed[0].text);
        while (!value->empty() && (value->back() == 'f' || value->back() == 'F')) value->pop_back();
        if (value->ends_with('.')) *value += '0';
      }
      if (!value) argument.comment = launch_ ? "a guess: the source passes " + text_of(passed) : "a guess";
      argument.text = fmt::format("{{type: {}, value: {}}}", element, value.value_or("1"));
    } else {
      argument.text =
          buffer_text(argument, parameter, type, element, is_name ? passed[0].text : std::string_view());
    }
    arguments_.push_back(std::move(argument));
  }

  std::string buffer_text(ArgumentFound& argument, const FunctionSignature::Parameter& parameter,
                          const CppType& type, const std::string& element, std::string_view host_pointer) {
    auto extent = host_pointer.empty() ? std::nullopt : extent_of(host_pointer, element);
    if (!extent) {
      extent = all_elements();
      argument.comment = "the extent is a guess";
    }
    if (vector_width_ > 1) {
      extent = fmt::format("{} * {}", extent->find(' ') == std::string::npos ? *extent : "(" + *extent + ")",
                           vector_width_ == 3 ? 3 : vector_width_);
    }
    const bool is_real = element.find("float") != std::string::npos;
    const std::string contents = is_real ? "{uniform: [0, 1]}" : "{uniform: [0, 100]}";
    std::string role;
    if (!type.points_to_const) {
      const PointerUse use = use_of(parameter.name);
      if (use.is_atomic) {
        role = ", role: inout, init: zero";
      } else if (use.is_passed_on || (use.is_read && use.is_written)) {
        role = ", role: inout, init: " + contents;
        if (use.is_passed_on)
          argument.comment += std::string(argument.comment.empty() ? "" : "; ") + "the role is a guess";
      } else if (use.is_written) {
        role = ", role: out";
      }
    }
    if (role.empty()) role = ", init: " + contents;
    // Quotes: the extent may have commas.
    return fmt::format("{{type: {}, extent: \"{}\"{}}}", element, *extent, role);
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
    std::string& out = space_.text;
    out = fmt::format(
        "# A first version, made by gktune import. Look at what it guessed, and add a reference.\n"
        "kernel: {}\nsource: {}\n",
        kernel_->name, source_path_);
    if (!std::filesystem::path(source_path_).extension().string().starts_with(".cu"))
      out += "language: cuda\n";
    if (!axes_.empty()) out += "\nproblem:\n";
    for (const Axis& axis : axes_) {
      out += axis.is_macro && is_named_in_kernels(axis.name)
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
    out += "\narguments:\n";
    for (const ArgumentFound& argument : arguments_) {
      out += fmt::format("  {}: {}{}\n", argument.name, argument.text,
                         argument.comment.empty() ? "" : "  # " + argument.comment);
    }
    out += fmt::format("\nlaunches:\n  entry: \"{}{}\"\n  grid: {}{}\n  block: {}{}\n", kernel_->name,
                       template_text(), list_of(grid), comment("grid"), list_of(block_), comment("block"));
    if (launch_ && launch_->config.size() > 2) {
      const auto shared = host_->translate(launch_->config[2]);
      if (!shared)
        note("the shared memory " + text_of(launch_->config[2]) +
             " could not be read: add shared: to the launch");
      if (shared && shared->text != "0") out += fmt::format("  shared: \"{}\"\n", shared->text);
    }
    out += fmt::format("  arguments: [{}]\n", argument_names());
    out +=
        "\n# reference:                  # a plain kernel that computes the outputs; without it nothing is "
        "checked\n"
        "#   source: reference.cu\n#   launches: {entry: reference, arguments: [" +
        argument_names() + "]}\n";
    note("there is no reference: add one, so that outputs are checked");
  }

  std::string argument_names() const {
    return joined(arguments_, ", ", &ArgumentFound::name);
  }

  // The launch's template arguments; a host name in them gets its value.
  std::string template_text() {
    if (!launch_ || launch_->template_arguments.empty()) {
      if (!kernel_->template_parameters.empty())
        note("template arguments of " + kernel_->name + " are deduced or missing: add them to the entry");
      return "";
    }
    const std::vector<Token> tokens = tokenize(launch_->template_arguments);
    return "<" + joined(split_list(tokens, 0), ", ", [&](Tokens item) {
             const auto term = host_->translate(item);
             if (!term) return text_of(item);
             return term->text.find(' ') == std::string::npos ? term->text : "{" + term->text + "}";
           }) + ">";
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

  std::filesystem::path path_;
  std::string source_path_;
  FlatSource flat_;
  std::string text_, device_text_;
  std::vector<Token> all_, device_tokens_;
  Tokens tokens_;
  NameSet device_words_;
  std::vector<std::vector<Token>> defines_;
  std::vector<FunctionSignature> kernels_;
  const FunctionSignature* kernel_ = nullptr;
  std::optional<FoundLaunch> launch_;
  HostNames* host_ = nullptr;
  std::vector<Axis> axes_;
  std::vector<ParameterFound> parameters_;
  std::vector<ArgumentFound> arguments_;
  std::vector<std::string> block_;
  std::map<std::size_t, std::int64_t> block_literals_;
  std::map<std::string, std::string> guesses_;
  int vector_width_ = 1;
  bool sized_ = false;
  ImportedSpace space_;
};

}  // namespace

Result<ImportedSpace> import_cuda_source(const std::string& text, const std::filesystem::path& path,
                                         const std::string& source, const std::string& kernel) {
  return SourceImport(text, path, source).run(kernel);
}

}  // namespace gktune
