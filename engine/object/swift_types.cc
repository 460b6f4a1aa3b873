// The types in Swift's names, as far as it takes to know where they end and how many parameters
// they have.
#include <array>

#include "engine/object/swift_machine.h"

namespace gprof::swift {
namespace {

// Each name behind its letter.
constexpr std::string_view standard_types =
    " A AutoreleasingUnsafeMutablePointer a Array b Bool D Dictionary d Double f Float h Set"
    " I DefaultIndices i Int J Character N ClosedRange n Range O ObjectIdentifier P UnsafePointer"
    " p UnsafeMutablePointer R UnsafeBufferPointer r UnsafeMutableBufferPointer S String"
    " s Substring u UInt V UnsafeRawPointer v UnsafeMutableRawPointer W UnsafeRawBufferPointer"
    " w UnsafeMutableRawBufferPointer q Optional B BinaryFloatingPoint E Encodable e Decodable"
    " F FloatingPoint G RandomNumberGenerator H Hashable j Numeric K BidirectionalCollection"
    " k RandomAccessCollection L Comparable l Collection M MutableCollection"
    " m RangeReplaceableCollection Q Equatable T Sequence t IteratorProtocol U UnsignedInteger"
    " X RangeExpression x Strideable Y RawRepresentable y StringProtocol Z SignedInteger"
    " z BinaryInteger ";

std::string_view standard_type(char letter) {
  const std::array<char, 3> key = {' ', letter, ' '};
  const std::size_t found = standard_types.find(std::string_view(key.data(), key.size()));
  if (letter == ' ' || found == std::string_view::npos) return {};
  const std::size_t start = found + key.size();
  return standard_types.substr(start, standard_types.find(' ', start) - start);
}

}  // namespace

bool Machine::standard() {
  if (next_if('o')) return push(NodeKind::module, "__C");
  if (next_if('C')) return push(NodeKind::module, "__C_Synthesized");
  if (next_if('g')) {
    return pop(NodeKind::type) && push_known({NodeKind::type, "Swift.Optional"});
  }
  if (next_if('c')) {  // of concurrency
    return next() != '\0' && push_type("Swift.Task");
  }
  const std::size_t count = natural().value_or(1);
  const std::string_view name = standard_type(next());
  return !name.empty() && push_several({NodeKind::type, "Swift." + std::string(name)}, count);
}

bool Machine::bound_generic() {
  while (true) {
    while (pop(NodeKind::type)) {
    }
    if (pop(NodeKind::empty_list)) break;
    if (!pop(NodeKind::first_mark)) return false;
  }
  auto type = pop(NodeKind::type);
  return type && push_known(*std::move(type));
}

// Its result, its parameters, and what is said of it.
bool Machine::function_type() {
  while (pop(NodeKind::annotation)) {
  }
  Node made{NodeKind::type, {}, true, 0};
  if (!pop(NodeKind::empty_list)) {
    const auto parameters = pop(NodeKind::type);
    if (!parameters) return false;
    made.count = parameters->is_function ? 1 : parameters->count;
  }
  if (!pop(NodeKind::empty_list) && !pop(NodeKind::type)) return false;
  return push(std::move(made));
}

bool Machine::tuple() {
  Node made{NodeKind::type, {}, false, 0};
  if (!pop(NodeKind::empty_list)) {
    bool first = false;
    while (!first) {
      first = pop(NodeKind::first_mark).has_value();
      (void)pop(NodeKind::variadic);
      (void)pop(NodeKind::identifier);
      if (!pop(NodeKind::type)) return false;
      ++made.count;
    }
  }
  return push(std::move(made));
}

bool Machine::pop_protocol() {
  if (pop(NodeKind::type)) return true;
  return pop_name() && pop_context();
}

bool Machine::protocol_list() {
  if (!pop(NodeKind::empty_list)) {
    bool first = false;
    while (!first) {
      first = pop(NodeKind::first_mark).has_value();
      if (!pop_protocol()) return false;
    }
  }
  return push_type();
}

bool Machine::generic_parameter() {
  if (next_if('d')) return index() && index();
  if (next_if('z')) return true;
  return index().has_value();
}

// A.Element, of a parameter or of what is on the stack.
bool Machine::associated_type() {
  const auto pop_named = [&] {
    (void)pop(NodeKind::type);  // its protocol
    return pop(NodeKind::identifier).has_value();
  };
  const char kind = next();
  switch (kind) {
    case 'a':
      return pop(NodeKind::identifier) && pop(NodeKind::type) && push_type();
    case 'r':
      return push_type();
    case 'y':
    case 'z':
      if (kind == 'y' && !generic_parameter()) return false;
      return pop_named() && push_known({NodeKind::type, {}});
    case 'Y':
    case 'Z': {
      if (kind == 'Y' && !generic_parameter()) return false;
      bool first = false;
      while (!first) {
        first = pop(NodeKind::first_mark).has_value();
        if (!pop_named()) return false;
      }
      return push_known({NodeKind::type, {}});
    }
    default:
      return false;
  }
}

bool Machine::requirement() {
  enum class Of : std::uint8_t { parameter, associated, known };
  enum class That : std::uint8_t { protocol, type, layout };
  Of of = Of::parameter;
  That that = That::protocol;
  const char kind = rest_.empty() ? '\0' : rest_.front();
  static constexpr std::string_view kinds = "csbtlmpQSL";
  if (kinds.find(kind) != std::string_view::npos) {
    (void)next();
    if (kind == 'b' || kind == 't' || kind == 'm' || kind == 'p') of = Of::associated;
    if (kind == 'Q' || kind == 'S' || kind == 'L') of = Of::known;
    if (kind == 'c' || kind == 's' || kind == 'b' || kind == 't' || kind == 'S') that = That::type;
    if (kind == 'l' || kind == 'm' || kind == 'L') that = That::layout;
  }
  if (of == Of::known) {
    if (!pop(NodeKind::type)) return false;
  } else if (!generic_parameter()) {
    return false;
  }
  if (of == Of::associated) {
    (void)pop(NodeKind::type);
    if (!pop(NodeKind::identifier)) return false;
    known_.push_back({NodeKind::type, {}});
  }
  switch (that) {
    case That::protocol:
      if (!pop_protocol()) return false;
      break;
    case That::type:
      if (!pop(NodeKind::type)) return false;
      break;
    case That::layout: {
      static constexpr std::string_view simple = "URNCDT";
      if (simple.find(next()) == std::string_view::npos) return false;
      break;
    }
  }
  return push(NodeKind::requirement);
}

bool Machine::generic_signature(bool counted) {
  while (counted && !next_if('l')) {
    if (!next_if('z') && !index()) return false;
  }
  while (pop(NodeKind::requirement)) {
  }
  return push(NodeKind::signature);
}

bool Machine::generic_type() {
  if (!pop(NodeKind::signature)) return false;
  return top() == NodeKind::type;
}

bool Machine::annotation() {
  switch (next()) {
    case 'a':  // async
    case 'b':  // sendable
    case 'A':
    case 'C':
    case 'T':
      return push(NodeKind::annotation);
    case 'c':  // an actor's
    case 'K':  // throws a type
      return pop(NodeKind::type) && push(NodeKind::annotation);
    case 'i':
    case 'k':
    case 't':
    case 'u':
      return top() == NodeKind::type;
    default:
      return false;
  }
}

bool Machine::special_type() {
  switch (next()) {
    case 'B':
    case 'C':
    case 'E':
    case 'K':
    case 'f':
      return function_type();
    case 'D':
    case 'M':
    case 'm':
    case 'o':
    case 'p':
    case 'u':
    case 'w':
      return pop(NodeKind::type) && push_type();
    case 'l':  // an existential of any class
      return protocol_list();
    default:
      return false;
  }
}

bool Machine::builtin_type() {
  switch (next()) {
    case 'b':
    case 'B':
    case 'c':
    case 'D':
    case 'e':
    case 'I':
    case 'j':
    case 'O':
    case 'o':
    case 'p':
    case 't':
    case 'w':
      return push_type("Builtin");
    case 'f':
    case 'i':
      return index() && push_type("Builtin");
    default:
      return false;
  }
}

}  // namespace gprof::swift
