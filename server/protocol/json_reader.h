// Checked reading of JSON into structures. Nothing is taken for granted: each access checks the
// member's presence, type and range, and the first problem is kept with the member's path.
//
// A structure is readable where a function `void read_json(const Json&, T&, ReadContext&)` exists.
// Thread contract: one thread.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/expected.h"
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

void read_json(const Json& json, bool& out, ReadContext& context);
// The protocol's integer, -2^31 to 2^31-1, and uinteger, 0 to 2^31-1. A number without a fraction
// counts as an integer, as it does in JavaScript.
void read_json(const Json& json, std::int32_t& out, ReadContext& context);
void read_json(const Json& json, std::uint32_t& out, ReadContext& context);
void read_json(const Json& json, std::int64_t& out, ReadContext& context);
void read_json(const Json& json, double& out, ReadContext& context);
void read_json(const Json& json, std::string& out, ReadContext& context);

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

// The integer value of a number without a fraction.
[[nodiscard]] std::optional<std::int64_t> whole_number(const Json& json);
// The member of an object; null where there is none, where it is null, or where `json` is no
// object.
[[nodiscard]] const Json* member(const Json& json, const char* name);

class ObjectReader {
 public:
  ObjectReader(const Json& json, ReadContext& context) : json_(json), context_(context) {
    if (!json.is_object()) context.fail("an object");
  }

  template <typename T>
  ObjectReader& required(const char* name, T& out) {
    const Json* value = member(json_, name);
    context_.enter(name);
    if (value) {
      read_json(*value, out, context_);
    } else {
      context_.fail("a value");
    }
    context_.leave();
    return *this;
  }

  // A member that is missing or null leaves `out` as it is.
  template <typename T>
  ObjectReader& optional(const char* name, T& out) {
    if (member(json_, name)) required(name, out);
    return *this;
  }
  template <typename T>
  ObjectReader& optional(const char* name, std::optional<T>& out) {
    if (member(json_, name)) required(name, out.emplace());
    return *this;
  }

 private:
  const Json& json_;
  ReadContext& context_;
};

// Reads a whole value; `root` names it in the message of a failure, e.g. "params".
template <typename T>
[[nodiscard]] Expected<T> from_json(const Json& json, std::string_view root) {
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
