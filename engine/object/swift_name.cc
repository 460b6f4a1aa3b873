#include "engine/object/swift_name.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "engine/object/swift_machine.h"

namespace gprof {
namespace swift {

bool Machine::step() {
  if (is_decimal(rest_.front())) return identifier();
  switch (next()) {
    case 'A':
      return back_reference();
    case 'B':
      return builtin_type();
    case 'C':
    case 'O':
    case 'P':
    case 'V':
    case 'a':
      return nominal();
    case 'E':
      return extension();
    case 'F':
      return function();
    case 'G':
      return bound_generic();
    case 'K':
      return push(NodeKind::annotation);
    case 'L':
      return local_name();
    case 'Q':
      return associated_type();
    case 'R':
      return requirement();
    case 'S':
      return standard();
    case 'T':
      // What a compiler made of a function.
      ended_ = true;
      return true;
    case 'X':
      return special_type();
    case 'Y':
      return annotation();
    case 'Z':
      return top() == NodeKind::entity;  // static
    case 'c':
      return function_type();
    case 'd':
      return push(NodeKind::variadic);
    case 'f':
      return other_function();
    case 'h':  // how a parameter is passed
    case 'n':
    case 'z':
      return pop(NodeKind::type) && push_type();
    case 'i':
      return variable(true);
    case 'l':
      return generic_signature(false);
    case 'm':
      return pop(NodeKind::type) && push_type();
    case 'o':
      return operator_name();
    case 'p':
      return protocol_list();
    case 'q':
      return generic_parameter() && push_type();
    case 'r':
      return generic_signature(true);
    case 's':
      return push(NodeKind::module, "Swift");
    case 't':
      return tuple();
    case 'u':
      return generic_type();
    case 'v':
      return variable(false);
    case 'x':
      return push_type();
    case 'y':
      return push(NodeKind::empty_list);
    case '_':
      return push(NodeKind::first_mark);
    default:
      return false;
  }
}

void Machine::add_words(std::string_view text) {
  std::optional<std::size_t> start;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char letter = i < text.size() ? text[i] : '\0';
    const bool ends =
        letter == '_' || letter == '\0' || (i > 0 && !is_upper(text[i - 1]) && is_upper(letter));
    if (start && ends) {
      if (i - *start >= 2 && words_.size() < most_words) {
        words_.emplace_back(text.substr(*start, i - *start));
      }
      start.reset();
    }
    if (!start && letter != '_' && letter != '\0' && !is_decimal(letter)) start = i;
  }
}

// 3foo; 0a3BarC0 is made of words of earlier ones, too.
bool Machine::identifier() {
  bool has_words = false;
  if (next_if('0')) {
    if (next_if('0')) return false;  // Punycode
    has_words = true;
  }
  std::string text;
  do {
    while (has_words && !rest_.empty() && (is_lower(rest_.front()) || is_upper(rest_.front()))) {
      const char letter = next();
      const bool last = is_upper(letter);
      const auto word = static_cast<std::size_t>(letter - (last ? 'A' : 'a'));
      if (word >= words_.size()) return false;
      text += words_[word];
      if (text.size() > longest_text) return false;
      if (last) has_words = false;
    }
    if (next_if('0')) break;
    const auto size = natural();
    if (!size || *size == 0 || *size > rest_.size()) return false;
    const std::string_view part = rest_.substr(0, *size);
    rest_.remove_prefix(*size);
    text += part;
    add_words(part);
  } while (has_words);
  return !text.empty() && push_known({NodeKind::identifier, std::move(text)});
}

bool Machine::push_several(const Node& node, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (stack_.size() > most_nodes || !push(node)) return false;
  }
  return true;
}

bool Machine::back_reference() {
  std::size_t repeats = 1;
  while (!rest_.empty()) {
    if (is_decimal(rest_.front())) {
      const auto number = natural();
      if (!number) return false;
      repeats = *number;
      if (next_if('_')) {
        return repeats + 27 < known_.size() && push(known_[repeats + 27]);
      }
      continue;
    }
    const char letter = next();
    if (letter == '_') return known_.size() > 26 && push(known_[26]);
    const bool last = is_upper(letter);
    if (!last && !is_lower(letter)) return false;
    const auto number = static_cast<std::size_t>(letter - (last ? 'A' : 'a'));
    if (number >= known_.size() || !push_several(known_[number], repeats)) return false;
    if (last) return true;
    repeats = 1;
  }
  return false;
}

bool Machine::nominal() {
  const auto name = pop_name();
  if (!name) return false;
  const auto context = pop_context();
  return context && push_known({NodeKind::type, context->text + "." + name->text});
}

bool Machine::extension() {
  (void)pop(NodeKind::signature);
  if (!pop(NodeKind::identifier) && !pop(NodeKind::module)) return false;
  auto type = pop(NodeKind::type);
  return type && push(*std::move(type));
}

// "(size:_:)"
std::optional<std::string> Machine::labels(const Node& type) {
  std::vector<std::string> names(type.count, "_");
  if (!pop(NodeKind::empty_list)) {
    for (std::size_t i = names.size(); i-- > 0;) {
      if (pop(NodeKind::first_mark)) continue;
      auto label = pop(NodeKind::identifier);
      if (!label) return std::nullopt;
      names[i] = std::move(label->text);
    }
  }
  std::string text = "(";
  for (const std::string& name : names) text += name + ":";
  return text + ")";
}

bool Machine::function() {
  (void)pop(NodeKind::signature);
  if (!function_type()) return false;
  const auto parameters = labels(take());
  const auto name = parameters ? pop_name() : std::nullopt;
  const auto context = name ? pop_context() : std::nullopt;
  return context && push(NodeKind::entity, context->text + "." + name->text + *parameters);
}

bool Machine::variable(bool subscript) {
  std::string own = "subscript";
  const auto private_name = subscript ? pop(NodeKind::declared) : std::nullopt;
  (void)private_name;
  const auto type = pop(NodeKind::type);
  if (!type) return false;
  const auto parameters = type->is_function ? labels(*type) : std::string();
  if (!parameters) return false;
  if (subscript) {
    own += *parameters;
  } else {
    auto name = pop_name();
    if (!name) return false;
    own = std::move(name->text);
  }
  const auto context = pop_context();
  return context && accessor(context->text + "." + own);
}

bool Machine::accessor(std::string text) {
  switch (next()) {
    case 'g':
    case 'G':
      return push(NodeKind::entity, std::move(text) + ".getter");
    case 's':
      return push(NodeKind::entity, std::move(text) + ".setter");
    case 'M':
    case 'x':
      return push(NodeKind::entity, std::move(text) + ".modify");
    case 'r':
    case 'y':
      return push(NodeKind::entity, std::move(text) + ".read");
    case 'w':
      return push(NodeKind::entity, std::move(text) + ".willset");
    case 'W':
      return push(NodeKind::entity, std::move(text) + ".didset");
    case 'i':
      return push(NodeKind::entity, std::move(text) + ".init");
    case 'a':
    case 'l': {
      const char kind = next();
      return kind != '\0' && push(NodeKind::entity, std::move(text) + ".addressor");
    }
    case 'p':  // the variable itself
      return push(NodeKind::entity, std::move(text));
    default:
      return false;
  }
}

bool Machine::initializer() {
  (void)pop(NodeKind::declared);
  const auto type = pop(NodeKind::type);
  if (!type || !type->is_function) return false;
  const auto parameters = labels(*type);
  const auto context = parameters ? pop_context() : std::nullopt;
  return context && push(NodeKind::entity, context->text + ".init" + *parameters);
}

bool Machine::closure(std::string_view what) {
  const auto number = index();
  if (!number) return false;
  (void)pop(NodeKind::signature);
  if (what.ends_with("closure") && !pop(NodeKind::type)) return false;
  const auto context = pop_context();
  return context &&
         push(NodeKind::entity, fmt::format("{} #{} in {}", what, *number + 1, context->text));
}

bool Machine::other_function() {
  switch (next()) {
    case 'C':
    case 'c':
      return initializer();
    case 'D':
    case 'd': {
      const auto context = pop_context();
      return context && push(NodeKind::entity, context->text + ".deinit");
    }
    case 'U':
      return closure("closure");
    case 'u':
      return closure("implicit closure");
    case 'A':
      return closure("default argument");
    case 'i': {
      const auto context = pop_context();
      return context && push(NodeKind::entity, "initial value of " + context->text);
    }
    default:
      return false;
  }
}

// Private to a file, or one of several in a function.
bool Machine::local_name() {
  if (next_if('L')) {
    if (!pop(NodeKind::identifier)) return false;
    auto name = pop_name();
    return name && push(NodeKind::declared, std::move(name->text));
  }
  if (next_if('l')) return pop(NodeKind::identifier) && push(NodeKind::declared);
  if (!index()) return false;
  auto name = pop_name();
  return name && push(NodeKind::declared, std::move(name->text));
}

bool Machine::operator_name() {
  static constexpr std::string_view letters = "& @/= >    <*!|+?%-~   ^ .";
  const char place = next();
  if (place != 'i' && place != 'p' && place != 'P') return false;
  auto name = pop(NodeKind::identifier);
  if (!name) return false;
  for (char& letter : name->text) {
    if (!is_lower(letter)) return false;
    letter = letters[static_cast<std::size_t>(letter - 'a')];
  }
  return push(NodeKind::declared, std::move(name->text));
}

}  // namespace swift

bool is_swift_name(std::string_view linkage_name) {
  static constexpr std::array prefixes = {std::string_view("$s"), std::string_view("_$s"),
                                          std::string_view("$S"), std::string_view("_$S")};
  return std::ranges::any_of(
      prefixes, [&](std::string_view prefix) { return linkage_name.starts_with(prefix); });
}

std::optional<std::string> demangle_swift(std::string_view linkage_name) {
  const bool may_be_one =
      is_swift_name(linkage_name) && linkage_name.size() <= swift::longest_swift_name;
  if (!may_be_one) return std::nullopt;
  return swift::Machine(linkage_name.substr(linkage_name.find('$') + 2)).run();
}

}  // namespace gprof
