// How a structure of the protocol describes itself: one function names its members, and messages
// are read, written and documented by it.
//
//   struct Place {
//     DocumentUri uri;
//     std::optional<Range> range;
//     bool live = false;
//
//     static void fields(auto& visit, auto& self) {
//       visit("uri", self.uri, "of the document");
//       visit("range", self.range);
//       visit.optional("live", self.live, "the program is running");
//     }
//   };
//
// `self` is the structure, const or not; the text becomes the member's documentation
// (tools/describe_protocol.cc). A visitor has these functions; each `describe` is called with a
// visitor of the inner object:
//
//   visit(name, member, text)           required; a std::optional is left out if empty
//   visit.optional(name, member, text)  left out if empty, false or 0; stays as it is if missing
//   visit.optional_true(name, …)        left out if true
//   visit.nullable(name, member, text)  a std::optional, null if empty
//   visit.or_null(name, member, text)   a std::optional<std::optional<T>>: missing, null or a
//   value;
//                                       read, never written
//   visit.lenient(name, member)         stays as it is if what was sent does not fit
//   visit.uri(name, member, text)       a string, or an optional one, that holds a URI
//   visit.metric(name, member, text)    the same for the name of a metric
//   visit.part(part)                    the members of an optional structure, if any;
//                                       written, never read
//   visit.constant(name, value)         written, never read
//   visit.nested(name, describe)        the members of an object within this one
//   visit.optional_nested(name, …)      the same, if clients may leave it out
//   visit.each(name, list, describe)    an array of objects, one per element; written, never read
//   visit.expect(holds, text)           what must hold for what was read: "an object with …"
//
// A structure made of parts calls their fields(): all members belong to the one object.
#pragma once

#include <optional>
#include <type_traits>

namespace gprof::lsp {

// Stands for any visitor where only the shape of fields() matters.
struct AnyVisitor;

template <typename T>
concept Described = std::is_class_v<T> && requires(AnyVisitor& visit, T& value) {
  T::fields(visit, value);
};

template <typename T>
inline constexpr bool is_optional = false;
template <typename T>
inline constexpr bool is_optional<std::optional<T>> = true;

}  // namespace gprof::lsp
