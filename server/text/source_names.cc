#include "server/text/source_names.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace gprof::lsp {
namespace {

constexpr std::string_view left_out = "…";

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

// Whether an operator's name ends before `at`: what follows are its signs, not brackets.
bool is_after_operator(std::string_view name, std::size_t at) {
  constexpr std::string_view word = "operator";
  if (at < word.size() || name.substr(at - word.size(), word.size()) != word) return false;
  return at == word.size() || !is_name_letter(name[at - word.size() - 1]);
}

// Where the signs of an operator that begin at `at` end: "<<" of "operator<< <int>".
std::size_t end_of_signs(std::string_view name, std::size_t at) {
  for (const std::string_view signs :
       {"()", "[]", "<=>", "<<=", ">>=", "->*", "->", "<<", ">>", "<=", ">=", "<", ">", ","}) {
    if (name.substr(at, signs.size()) == signs) return at + signs.size();
  }
  return at;
}

struct StandardTemplate {
  std::string_view name;
  std::size_t required;  // arguments; what follows has defaults
};
constexpr std::array standard_templates = {
    StandardTemplate{"vector", 1},
    StandardTemplate{"deque", 1},
    StandardTemplate{"list", 1},
    StandardTemplate{"forward_list", 1},
    StandardTemplate{"set", 1},
    StandardTemplate{"multiset", 1},
    StandardTemplate{"unordered_set", 1},
    StandardTemplate{"unordered_multiset", 1},
    StandardTemplate{"map", 2},
    StandardTemplate{"multimap", 2},
    StandardTemplate{"unordered_map", 2},
    StandardTemplate{"unordered_multimap", 2},
    StandardTemplate{"stack", 1},
    StandardTemplate{"queue", 1},
    StandardTemplate{"priority_queue", 1},
    StandardTemplate{"unique_ptr", 1},
};

// The class templates of characters and their aliases, which have another letter for other types.
constexpr std::array character_templates = {
    std::string_view("basic_string"),        std::string_view("basic_string_view"),
    std::string_view("basic_ios"),           std::string_view("basic_istream"),
    std::string_view("basic_ostream"),       std::string_view("basic_iostream"),
    std::string_view("basic_ifstream"),      std::string_view("basic_ofstream"),
    std::string_view("basic_fstream"),       std::string_view("basic_istringstream"),
    std::string_view("basic_ostringstream"), std::string_view("basic_stringstream"),
    std::string_view("basic_streambuf"),     std::string_view("basic_filebuf"),
    std::string_view("basic_stringbuf"),
};

using Arguments = std::vector<std::string>;

// Whether `text` begins with `part`, which is then taken off.
bool skip(std::string_view& text, std::string_view part) {
  if (!text.starts_with(part)) return false;
  text.remove_prefix(part.size());
  return true;
}

// Compares in place: a hostile name has many arguments after a long one.
bool is_default(std::string_view argument, const Arguments& arguments) {
  const std::string_view first = arguments.front();
  const std::string_view second = arguments.size() > 1 ? arguments[1] : std::string_view();
  for (const std::string_view of_first : {"allocator", "less", "hash", "equal_to", "char_traits",
                                          "default_delete", "deque", "vector"}) {
    std::string_view rest = argument;
    if (skip(rest, "std::") && skip(rest, of_first) && skip(rest, "<") && skip(rest, first) &&
        rest == ">") {
      return true;
    }
  }
  return skip(argument, "std::allocator<std::pair<") && skip(argument, first) &&
         skip(argument, " const, ") && skip(argument, second) && argument == ">>";
}

void drop_defaults(Arguments& arguments, std::size_t required) {
  while (arguments.size() > required && is_default(arguments.back(), arguments)) {
    arguments.pop_back();
  }
}

// "string" for basic_string<char>.
std::optional<std::string> character_alias(std::string_view name, const Arguments& arguments) {
  if (arguments.size() != 1 ||
      std::ranges::find(character_templates, name) == character_templates.end()) {
    return std::nullopt;
  }
  const std::string plain(name.substr(std::string_view("basic_").size()));
  if (arguments.front() == "char") return plain;
  if (arguments.front() == "wchar_t") return "w" + plain;
  const bool has_wide_aliases = plain == "string" || plain == "string_view";
  if (!has_wide_aliases) return std::nullopt;
  if (arguments.front() == "char8_t") return "u8" + plain;
  if (arguments.front() == "char16_t") return "u16" + plain;
  if (arguments.front() == "char32_t") return "u32" + plain;
  return std::nullopt;
}

// Reads a name from left to right and writes it as its author would.
class NameReader {
 public:
  explicit NameReader(std::string_view name) : name_(name) {}

  // None if brackets do not match.
  std::optional<std::string> read() {
    std::string text = sequence();
    return sound_ && at_ == name_.size() ? std::optional(std::move(text)) : std::nullopt;
  }

 private:
  // Deeper names are not read: nobody wrote them.
  static constexpr int max_depth = 100;

  // Up to a comma or bracket that belongs to what is around it.
  std::string sequence();
  Arguments arguments();
  void bracketed(std::string& text, char close);
  void template_arguments(std::string& text);

  [[nodiscard]] bool is_at(std::string_view what) const {
    return name_.substr(at_, what.size()) == what;
  }

  std::string_view name_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool sound_ = true;
};

// Inline namespaces, which nobody writes.
constexpr std::array inline_namespaces = {std::string_view("__cxx11::"), std::string_view("__1::")};

std::string NameReader::sequence() {
  std::string text;
  while (sound_ && at_ < name_.size()) {
    if (is_after_operator(name_, at_)) {
      const std::size_t end = end_of_signs(name_, at_);
      text += name_.substr(at_, end - at_);
      at_ = end;
      if (at_ == name_.size()) break;
    }
    const auto* hidden = std::ranges::find_if(inline_namespaces,
                                              [&](std::string_view space) { return is_at(space); });
    if (hidden != inline_namespaces.end() && text.ends_with("::")) {
      at_ += hidden->size();
      continue;
    }
    const char c = name_[at_];
    if (c == ',' && depth_ > 0) return text;
    if (c == '>' && !(at_ > 0 && name_[at_ - 1] == '-')) return text;
    if (c == ')' || c == ']' || c == '}') return text;
    if (c == '<') {
      template_arguments(text);
    } else if (c == '(' || c == '[' || c == '{') {
      bracketed(text, c == '(' ? ')' : c == '[' ? ']' : '}');
    } else {
      text += c;
      ++at_;
    }
  }
  return text;
}

// Behind the opening bracket, up to the closing one.
Arguments NameReader::arguments() {
  Arguments found;
  if (++depth_ > max_depth) sound_ = false;
  while (sound_) {
    std::string argument = sequence();
    const std::size_t first = argument.find_first_not_of(' ');
    argument.erase(0, std::min(first, argument.size()));
    while (argument.ends_with(' ')) argument.pop_back();
    found.push_back(std::move(argument));
    if (at_ >= name_.size() || name_[at_] != ',') break;
    ++at_;
  }
  --depth_;
  return found;
}

std::string joined(const Arguments& arguments) {
  std::string text;
  for (const std::string& argument : arguments) {
    if (!text.empty()) text += ", ";
    text += argument;
  }
  return text;
}

void NameReader::bracketed(std::string& text, char close) {
  text += name_[at_++];
  text += joined(arguments());
  sound_ = sound_ && at_ < name_.size() && name_[at_] == close;
  if (sound_) text += name_[at_++];
}

void NameReader::template_arguments(std::string& text) {
  ++at_;
  Arguments list = arguments();
  sound_ = sound_ && at_ < name_.size() && name_[at_] == '>';
  if (!sound_) return;
  ++at_;
  std::size_t begin = text.size();
  while (begin > 0 && (is_name_letter(text[begin - 1]) || text[begin - 1] == ':')) --begin;
  constexpr std::string_view standard = "std::";
  const std::string_view name = std::string_view(text).substr(begin);
  if (name.starts_with(standard)) {
    const std::string own(name.substr(standard.size()));
    if (std::ranges::find(character_templates, own) != character_templates.end()) {
      drop_defaults(list, 1);
      if (const auto alias = character_alias(own, list)) {
        text.replace(begin + standard.size(), own.size(), *alias);
        return;
      }
    }
    const auto* known = std::ranges::find(standard_templates, own, &StandardTemplate::name);
    if (known != standard_templates.end()) drop_defaults(list, known->required);
  }
  text += "<" + joined(list) + ">";
}

// A list of template arguments, and how deep it is in others.
struct ArgumentList {
  std::size_t close = 0;
  int depth = 0;  // 0: none begins here
};
// By where they begin.
std::vector<ArgumentList> argument_lists(std::string_view name) {
  std::vector<ArgumentList> lists(name.size());
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (is_after_operator(name, at)) at = end_of_signs(name, at);
    if (at == name.size()) break;
    if (name[at] == '<') {
      open.push_back(at);
    } else if (name[at] == '>' && !open.empty() && name[at - 1] != '-') {
      lists[open.back()] = {at, static_cast<int>(open.size())};
      open.pop_back();
    }
  }
  return lists;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Without what is in the lists of that depth.
std::string without_lists(std::string_view name, const std::vector<ArgumentList>& lists,
                          int depth) {
  std::string text;
  std::size_t done = 0;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (lists[at].depth != depth) continue;
    text.append(name.substr(done, at + 1 - done)).append(left_out);
    done = lists[at].close;
    at = done;
  }
  return text.append(name.substr(done));
}

// Where the scopes of a name end, outside brackets.
std::vector<std::size_t> scope_ends(std::string_view name) {
  std::vector<std::size_t> ends;
  int depth = 0;
  for (std::size_t at = 0; at + 1 < name.size(); ++at) {
    if (is_after_operator(name, at)) break;
    const char c = name[at];
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == '}') --depth;
    if (depth == 0 && c == ':' && name[at + 1] == ':' && at > 0) ends.push_back(at++);
  }
  return ends;
}

}  // namespace

std::string as_written(std::string_view demangled) {
  // Quick for the names that have nothing to change.
  if (demangled.find('<') == std::string_view::npos &&
      demangled.find("std::__") == std::string_view::npos) {
    return std::string(demangled);
  }
  return NameReader(demangled).read().value_or(std::string(demangled));
}

std::string fitted_name(std::string_view name, std::size_t width) {
  if (characters(name) <= width) return std::string(name);
  const std::vector<ArgumentList> lists = argument_lists(name);
  // What is deeper is left out at once.
  constexpr int max_steps = 8;
  int depth = 0;
  for (const ArgumentList& list : lists) depth = std::max(depth, list.depth);
  depth = std::min(depth, max_steps);
  std::string shorter(name);
  for (; depth > 0; --depth) {
    shorter = without_lists(name, lists, depth);
    if (characters(shorter) <= width) return shorter;
  }
  const std::vector<std::size_t> ends = scope_ends(shorter);
  if (ends.empty()) return shorter;
  // Without more scopes than needed, or without any.
  std::size_t rest = characters(shorter);
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    rest -= characters(std::string_view(shorter).substr(begin, end - begin));
    begin = end;
    if (characters(left_out) + rest <= width) break;
  }
  return std::string(left_out) + shorter.substr(begin);
}

std::vector<std::string> distinct_forms(const std::vector<NameForms>& names) {
  std::vector<std::size_t> form(names.size(), 0);
  std::map<std::string_view, std::vector<std::size_t>> rows;
  for (bool again = true; again;) {
    again = false;
    rows.clear();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!names[i].empty()) rows[names[i][form[i]]].push_back(i);
    }
    for (const auto& [text, alike] : rows) {
      if (alike.size() < 2) continue;
      for (const std::size_t i : alike) {
        if (form[i] + 1 == names[i].size()) continue;
        ++form[i];
        again = true;
      }
    }
  }
  std::vector<std::string> chosen;
  chosen.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    chosen.push_back(names[i].empty() ? std::string() : names[i][form[i]]);
  }
  return chosen;
}

}  // namespace gprof::lsp
