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
// `self` is the structure, const or not; the text documents the member in what is generated
// (tools/describe_protocol.cc). A visitor has these, where a `describe` is called with a visitor of
// the inner object:
//
//   visit(name, member, text)           required; a std::optional is left out where it is empty
//   visit.optional(name, member, text)  left out where it is empty, false or 0; else as it was made
//   visit.optional_true(name, …)        left out where it is true
//   visit.nullable(name, member, text)  a std::optional that is null where it is empty
//   visit.lenient(name, member)         left as it is where what was sent does not fit
//   visit.uri(name, member, text)       a string, or an optional one, that holds a URI
//   visit.part(part)                    members of an optional structure, where there is one;
//                                       written, never read
//   visit.constant(name, value)         written, never read
//   visit.nested(name, describe)        members of an object in the object
//   visit.optional_nested(name, …)      one that clients may leave out
//   visit.each(name, list, describe)    an array of objects, one an element; written, never read
//   visit.expect(holds, text)           what must hold of all that was read: "an object with …"
//
// A structure in parts calls fields() of its parts: they are members of the one object.
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
