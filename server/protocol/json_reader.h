// Checked reading of JSON into structures. Nothing is taken for granted: each access checks the
// member's presence, type and range, and the first problem is kept with the member's path, e.g.
// `params.range.start.line: expected an integer from 0 to 2147483647`.
//
// Structures are read by their descriptions (description.h); other types have a function
// `void read_json(const Json&, T&, ReadContext&)`. Thread contract: one thread.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/support/expected.h"
#include "server/protocol/description.h"
#include "server/protocol/enumeration.h"
#include "server/protocol/json_text.h"

namespace gprof::lsp {

class ReadContext {
 public:
  [[nodiscard]] bool failed() const { return problem_.has_value(); }
  [[nodiscard]] const std::string& problem() const { return *problem_; }
  // `expected`: e.g. "a string". Only the first problem is kept.
  void fail(std::string_view expected);

  // Where the reader is, e.g. `params.range.start`.
  void enter(std::string_view member);
  void enter(std::size_t index);
  void leave();

 private:
  std::vector<std::string> path_;
  std::optional<std::string> problem_;
};

// The integer value of a number without a fraction.
[[nodiscard]] std::optional<std::int64_t> whole_number(const Json& json);
// A member of an object; null if it is missing or null, or if `json` is not an object.
[[nodiscard]] const Json* member(const Json& json, const char* name);
// A number without a fraction counts as an integer, as it does in JavaScript.
std::int64_t read_integer(const Json& json, std::int64_t least, std::int64_t most,
                          ReadContext& context);

void read_json(const Json& json, bool& out, ReadContext& context);
void read_json(const Json& json, std::int64_t& out, ReadContext& context);
void read_json(const Json& json, double& out, ReadContext& context);
void read_json(const Json& json, std::string& out, ReadContext& context);

// The protocol's integer, -2^31 to 2^31-1, and uinteger, 0 to 2^31-1.
template <std::integral Integer>
void read_json(const Json& json, Integer& out, ReadContext& context) {
  constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();
  const std::int64_t least = std::is_signed_v<Integer> ? -largest - 1 : 0;
  out = static_cast<Integer>(read_integer(json, least, largest, context));
}

template <NamedEnum Enum>
void read_json(const Json& json, Enum& out, ReadContext& context) {
  const auto value = json.is_string() ? value_named<Enum>(json.get_ref<const std::string&>())
                                      : std::optional<Enum>();
  if (!value) return context.fail("one of " + list_of_names<Enum>());
  out = *value;
}

template <NumberedEnum Enum>
void read_json(const Json& json, Enum& out, ReadContext& context) {
  const NumberRange range = wire_numbers<Enum>;
  out = static_cast<Enum>(read_integer(json, range.least, range.most, context));
}

template <typename T>
void read_json(const Json& json, std::vector<T>& out, ReadContext& context) {
  if (!json.is_array()) return context.fail("an array");
  out.clear();
  for (std::size_t i = 0; i < json.size() && !context.failed(); ++i) {
    context.enter(i);
    read_json(json[i], out.emplace_back(), context);
    context.leave();
  }
}

template <typename T>
void read_json(const Json& json, std::variant<std::string, std::vector<T>>& out,
               ReadContext& context) {
  if (json.is_string()) return read_json(json, out.template emplace<std::string>(), context);
  if (!json.is_array()) return context.fail("a string or an array");
  read_json(json, out.template emplace<std::vector<T>>(), context);
}

// Visits a description with the members of an object.
class ObjectReader {
 public:
  ObjectReader(const Json& json, ReadContext& context) : json_(json), context_(context) {
    if (!json.is_object()) context.fail("an object");
  }

  template <typename T>
  void operator()(const char* name, T& out, const char* = "") {
    read(name, out, !is_optional<T>);
  }
  template <typename T>
  void optional(const char* name, T& out, const char* = "") {
    read(name, out, false);
  }
  template <typename T>
  void optional_true(const char* name, T& out, const char* = "") {
    read(name, out, false);
  }
  template <typename T>
  void nullable(const char* name, T& out, const char* = "") {
    read(name, out, false);
  }
  template <typename T>
  void uri(const char* name, T& out, const char* = "") {
    read(name, out, !is_optional<T>);
  }
  template <typename T>
  void metric(const char* name, T& out, const char* = "") {
    read(name, out, !is_optional<T>);
  }
  template <typename T>
  void or_null(const char* name, std::optional<std::optional<T>>& out, const char* = "") {
    if (!json_.contains(name)) return;
    out.emplace();
    read(name, *out, false);
  }
  template <typename T>
  void lenient(const char* name, T& out) {
    const Json* value = member(json_, name);
    if (value == nullptr) return;
    ReadContext forgiven;
    T read_value{};
    read_json(*value, read_value, forgiven);
    if (!forgiven.failed()) out = std::move(read_value);
  }
  template <typename T>
  void constant(const char*, const T&) {}
  template <typename Describe>
  void nested(const char* name, const Describe& describe) {
    read_object(name, describe, true);
  }
  template <typename Describe>
  void optional_nested(const char* name, const Describe& describe) {
    read_object(name, describe, false);
  }
  template <typename List, typename Describe>
  void each(const char*, const List&, const Describe&) {}
  void expect(bool holds, std::string_view expected) {
    if (!holds) context_.fail(expected);
  }

 private:
  // Calls `read` with the member if there is one.
  template <typename Read>
  void read_member(const char* name, bool is_required, const Read& read) {
    const Json* value = member(json_, name);
    if (value == nullptr && !is_required) return;
    context_.enter(name);
    if (value != nullptr) {
      read(*value);
    } else {
      context_.fail("a value");
    }
    context_.leave();
  }
  template <typename T>
  void read(const char* name, T& out, bool is_required) {
    read_member(name, is_required, [&](const Json& value) {
      if constexpr (is_optional<T>) {
        read_json(value, out.emplace(), context_);
      } else {
        read_json(value, out, context_);
      }
    });
  }
  template <typename Describe>
  void read_object(const char* name, const Describe& describe, bool is_required) {
    read_member(name, is_required, [&](const Json& value) {
      ObjectReader inner(value, context_);
      if (!context_.failed()) describe(inner);
    });
  }

  const Json& json_;
  ReadContext& context_;
};

template <Described T>
void read_json(const Json& json, T& out, ReadContext& context) {
  ObjectReader reader(json, context);
  if (!context.failed()) T::fields(reader, out);
}

// Reads a whole value; `root` names it in the message of a failure, e.g. "params".
template <typename T>
[[nodiscard]] Expected<T> read_as(const Json& json, std::string_view root) {
  ReadContext context;
  context.enter(root);
  T value;
  read_json(json, value, context);
  if (context.failed()) {
    return Error{ErrorCode::invalid_argument, context.problem(), {}, {}};
  }
  return value;
}

}  // namespace gprof::lsp
