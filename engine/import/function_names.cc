#include "engine/import/function_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "engine/object/clone_suffix.h"
#include "engine/object/demangle.h"

namespace gprof {
namespace {

// Longer names are only looked up as they are.
constexpr std::size_t max_spelled_length = std::size_t{64} << 10;

constexpr bool is_of_identifier(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '_' || letter == '$';
}

bool is_hexadecimal(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// How Rust's names come out of a demangler that takes them for C++.
struct Escape {
  std::string_view written;
  std::string_view meaning;
};
constexpr std::array<Escape, 16> rust_escapes = {{{"_$", "$"},
                                                  {"$LT$", "<"},
                                                  {"$GT$", ">"},
                                                  {"$RF$", "&"},
                                                  {"$BP$", "*"},
                                                  {"$LP$", "("},
                                                  {"$RP$", ")"},
                                                  {"$C$", ","},
                                                  {"$SP$", "@"},
                                                  {"$u20$", " "},
                                                  {"$u27$", "'"},
                                                  {"$u5b$", "["},
                                                  {"$u5d$", "]"},
                                                  {"$u7b$", "{"},
                                                  {"$u7d$", "}"},
                                                  {"..", "::"}}};

// The "::h0123456789abcdef" at the end of a legacy Rust name; empty if there is none.
std::string_view rust_hash(std::string_view name) {
  constexpr std::size_t digits = 16;
  constexpr std::string_view mark = "::h";
  if (name.size() <= digits + mark.size()) return {};
  const std::string_view end = name.substr(name.size() - digits - mark.size());
  return end.starts_with(mark) && is_hexadecimal(end.substr(mark.size())) ? end
                                                                          : std::string_view();
}

std::string without_rust_escapes(std::string_view name) {
  std::string plain;
  while (!name.empty()) {
    const auto* const escape = std::ranges::find_if(
        rust_escapes, [&](const Escape& known) { return name.starts_with(known.written); });
    if (escape == rust_escapes.end()) {
      plain += name.front();
      name.remove_prefix(1);
      continue;
    }
    // The mangling puts an underscore before a name part that starts with an escape.
    const bool is_underscore = escape == rust_escapes.begin();
    if (!is_underscore) plain += escape->meaning;
    name.remove_prefix(is_underscore ? 1 : escape->written.size());
  }
  return plain;
}

// The length of a clone's suffix in brackets or parentheses at the end of the name, including the
// blank before it; 0 if there is none.
std::size_t length_of_clone(std::string_view name) {
  if (!name.ends_with(']') && !name.ends_with(')')) return 0;
  const std::size_t start = name.rfind(name.back() == ']' ? " [" : " (");
  if (start == std::string_view::npos) return 0;
  const std::string_view inner = name.substr(start + 2);
  return inner.starts_with("clone .") || inner.starts_with('.') ? name.size() - start : 0;
}

// The names of lambdas and of types without names, from LLVM's form to GNU's: 'lambda0'(int) is
// {lambda(int)#2}.
class LlvmNames {
 public:
  // Moves such a name, up to its parameters, from the start of the text to `plain`; false if the
  // text starts with something else.
  bool take(std::string_view& rest, std::string& plain);
  // Call it after each other letter: the number of a lambda follows its parameters.
  void follow(char letter, std::string& plain);

 private:
  struct Open {
    unsigned depth = 0;
    std::string number;
  };
  // GNU counts from 1, LLVM gives the first no number and the second 0.
  static std::string number_in(std::string_view digits);

  unsigned depth_ = 0;  // of parentheses
  std::vector<Open> open_;
};

std::string LlvmNames::number_in(std::string_view digits) {
  if (digits.empty()) return "1";
  unsigned number = 0;
  for (const char digit : digits) number = number * 10 + static_cast<unsigned>(digit - '0');
  return fmt::to_string(number + 2);
}

bool LlvmNames::take(std::string_view& rest, std::string& plain) {
  constexpr std::string_view lambda = "'lambda";
  constexpr std::string_view unnamed = "'unnamed";
  constexpr std::size_t max_digits = 6;
  const bool is_lambda = rest.starts_with(lambda);
  if (!is_lambda && !rest.starts_with(unnamed)) return false;
  const std::size_t start = is_lambda ? lambda.size() : unnamed.size();
  const std::size_t end = rest.find_first_not_of("0123456789", start);
  if (end == std::string_view::npos || rest[end] != '\'' || end > start + max_digits) return false;
  const std::string number = number_in(rest.substr(start, end - start));
  rest.remove_prefix(end + 1);
  plain += is_lambda ? "{lambda" : "{unnamed type";
  if (is_lambda && rest.starts_with('(')) {
    open_.push_back({depth_, number});
  } else {
    plain += "#" + number + "}";
  }
  return true;
}

void LlvmNames::follow(char letter, std::string& plain) {
  if (letter == '(') ++depth_;
  if (letter != ')' || depth_ == 0) return;
  --depth_;
  if (open_.empty() || open_.back().depth != depth_) return;
  plain += "#" + open_.back().number + "}";
  open_.pop_back();
}

// The length of "[0123abcd]", which Rust's demangler may append to a crate's name; 0 if the text
// starts with something else.
std::size_t length_of_crate_hash(std::string_view rest, const std::string& before) {
  if (before.empty() || !is_of_identifier(before.back())) return 0;
  const std::size_t end = rest.find(']');
  if (end == std::string_view::npos || !rest.substr(end + 1).starts_with("::")) return 0;
  return is_hexadecimal(rest.substr(1, end - 1)) ? end + 1 : 0;
}

}  // namespace

std::string common_spelling(std::string_view name) {
  std::string suffixes;
  while (const std::size_t length = length_of_clone(name)) {
    std::string_view suffix = name.substr(name.size() - length, length - 1);
    suffix.remove_prefix(suffix.find('.'));
    suffixes.insert(0, suffix);
    name.remove_suffix(length);
  }
  name.remove_suffix(rust_hash(name).size());
  std::string unescaped;
  if (name.find("$LT$") != std::string_view::npos || name.find("$u20$") != std::string_view::npos) {
    unescaped = without_rust_escapes(name);
    name = unescaped;
  }
  std::string plain;
  plain.reserve(name.size() + suffixes.size());
  LlvmNames llvm_names;
  for (std::string_view rest = name; !rest.empty();) {
    if (rest.front() == '\'' && llvm_names.take(rest, plain)) continue;
    const char letter = rest.front();
    if (letter == '[') {
      if (const std::size_t length = length_of_crate_hash(rest, plain)) {
        rest.remove_prefix(length);
        continue;
      }
    }
    rest.remove_prefix(1);
    // Blanks matter between words alone.
    const bool separates = !plain.empty() && is_of_identifier(plain.back()) && !rest.empty() &&
                           is_of_identifier(rest.front());
    if (letter != ' ' || separates) plain += letter == ';' ? ':' : letter;
    llvm_names.follow(letter, plain);
  }
  return plain + suffixes;
}

namespace {

std::string_view without_clone(std::string_view name) {
  while (const std::size_t length = length_of_clone(name)) name.remove_suffix(length);
  return name;
}

// Removes the parameters and what follows them.
std::string_view without_parameters(std::string_view name) {
  constexpr std::array<std::string_view, 5> qualifiers = {" const", " volatile", " &", "&&", " "};
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view qualifier : qualifiers) {
      if (!name.ends_with(qualifier)) continue;
      name.remove_suffix(qualifier.size());
      again = true;
    }
  }
  if (!name.ends_with(')')) return name;
  int depth = 0;
  std::size_t at = name.size();
  while (at > 0) {
    --at;
    if (name[at] == ')') ++depth;
    if (name[at] == '(' && --depth == 0) break;
  }
  // A name may start with "(anonymous namespace)", and "operator()" is a name.
  const bool is_operator = name.substr(0, at).ends_with("operator");
  return at > 0 && !is_operator ? name.substr(0, at) : name;
}

// Where the name begins, behind the return type: after the last blank outside all brackets. The
// names of conversion operators contain blanks themselves. `name`: without parameters.
std::size_t start_of_name(std::string_view name) {
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    constexpr std::string_view word = "operator";
    const bool begins_word = i == 0 || !is_of_identifier(name[i - 1]);
    if (depth == 0 && begins_word && name.substr(i).starts_with(word)) break;
    const char letter = name[i];
    if (letter == '(' || letter == '<' || letter == '{' || letter == '[') ++depth;
    if (letter == ')' || letter == '>' || letter == '}' || letter == ']') --depth;
    if (letter == ' ' && depth == 0) start = i + 1;
  }
  return start;
}

}  // namespace

std::string_view without_types(std::string_view name) {
  name = without_parameters(without_clone(name));
  return name.substr(start_of_name(name));
}

void NamedFunctions::index() {
  indexed_ = true;
  const auto add_one = [&](std::string name, SymbolIndex symbol) {
    std::vector<SymbolIndex>& symbols = by_name_[std::move(name)];
    if (symbols.empty() || symbols.back() != symbol) symbols.push_back(symbol);
  };
  const auto add = [&](std::string name, SymbolIndex symbol) {
    // Folded stacks have a colon in the place of what separates their frames: `[u64: 3]`.
    if (name.find(';') != std::string::npos) {
      std::string folded = name;
      std::ranges::replace(folded, ';', ':');
      add_one(std::move(folded), symbol);
    }
    add_one(std::move(name), symbol);
  };
  for (SymbolIndex i = 0; i < symbols_.size(); ++i) {
    const std::string linkage(symbols_[i].name);
    add(linkage, i);
    for (const std::string_view alias : symbols_.aliases(i)) add(std::string(alias), i);
    DemangledName name = demangle(linkage);
    if (name.signature == linkage) continue;
    // Instances of a generic function differ in the hash: _ZN4core3fmt17h0123456789abcdefE.
    constexpr std::size_t length_of_hash = 17;
    const std::size_t hash = linkage.size() - std::min(linkage.size(), length_of_hash + 1);
    if (linkage.ends_with('E') && linkage[hash] == 'h') {
      add(name.name + "::" + linkage.substr(hash, length_of_hash), i);
    }
    add(std::move(name.name), i);
    add(std::move(name.signature), i);
  }
}

// Demangling is most of the work, so each name is demangled once, with all its types.
void NamedFunctions::index_spellings() {
  spellings_indexed_ = true;
  // Some demanglers drop a clone's suffix. Its function has precedence under that name.
  Names of_clones;
  for (SymbolIndex i = 0; i < symbols_.size(); ++i) {
    const std::string_view linkage = symbols_[i].name;
    const std::string_view suffix = linkage.substr(split_clone_name(linkage).base.size());
    const auto add = [&](std::string_view name) {
      std::string spelling = common_spelling(name);
      const auto put = [i](std::vector<SymbolIndex>& symbols) {
        if (symbols.empty() || symbols.back() != i) symbols.push_back(i);
      };
      if (!suffix.empty()) {
        put(of_clones[spelling]);
        spelling += suffix;
      }
      put(by_spelling_[std::move(spelling)]);
    };
    add(linkage.substr(0, linkage.size() - suffix.size()));
    std::string full = demangle_like_gnu(linkage);
    // The other languages' names have no types before them.
    if (full == linkage) full = demangle(linkage).signature;
    if (full == linkage) continue;
    const std::string_view whole = without_clone(full);
    const std::string_view plain = without_parameters(whole);
    const std::size_t start = start_of_name(plain);
    add(whole);
    if (start > 0) add(whole.substr(start));
    add(plain.substr(start));
  }
  by_spelling_.merge(of_clones);
}

const std::vector<SymbolIndex>& NamedFunctions::find_spelled(std::string_view name) {
  if (!spellings_indexed_) index_spellings();
  const auto found = by_spelling_.find(common_spelling(name));
  if (found != by_spelling_.end()) return found->second;
  // Demanglers spell types differently. Without types the name may be ambiguous.
  const std::string_view plain = without_types(name);
  if (plain.size() == name.size()) return none_;
  const auto similar = by_spelling_.find(common_spelling(plain));
  const bool is_one = similar != by_spelling_.end() && similar->second.size() == 1;
  return is_one ? similar->second : none_;
}

const std::vector<SymbolIndex>& NamedFunctions::find(std::string_view name) {
  if (!indexed_) index();
  const auto found = by_name_.find(name);
  if (found != by_name_.end()) return found->second;
  // C names have a single spelling.
  const bool is_plain = std::ranges::all_of(name, is_of_identifier);
  if (is_plain || name.size() > max_spelled_length) return none_;
  const auto known = asked_.find(name);
  if (known != asked_.end()) return *known->second;
  const std::vector<SymbolIndex>& spelled = find_spelled(name);
  asked_.emplace(name, &spelled);
  return spelled;
}

}  // namespace gprof
