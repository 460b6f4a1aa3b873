// Errors are values: every operation of the engine that can fail returns Expected<T>.
//
// Ownership: an Expected owns its value or its error. Thread contract: as for the value it holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace gprof {

enum class ErrorCode : std::uint8_t {
  not_found,             // the file does not exist
  unreadable,            // it exists but cannot be read (permission, directory, I/O error)
  wrong_format,          // it is another kind of file
  truncated,             // it ends before its own fields say it does
  corrupt,               // its fields contradict each other or the format
  unsupported,           // a valid file that this version cannot use
  mismatch,              // two files do not belong together
  no_symbols,            // an executable without a usable symbol table
  no_debug_information,  // an executable without line information
  no_profile_data,       // a profile without any data
  stale,                 // one file is newer than another made from it
  invalid_argument,      // a request that makes no sense
  cancelled,
  incomplete,  // a profile whose collector loses what it cannot tell of
};
inline constexpr ErrorCode last_error_code = ErrorCode::incomplete;

// What went wrong, where, and what to do about it: `message` names what was expected and the
// remedy; `path` and `offset` (bytes from the start of the file) say where.
struct Error {
  ErrorCode code = ErrorCode::corrupt;
  std::string message;
  std::string path;
  std::optional<std::uint64_t> offset;

  friend bool operator==(const Error&, const Error&) = default;
};

// Tolerable damage is reported along with a value, in the same shape as a failure.
using Warnings = std::vector<Error>;

// One line for a person: `PATH: MESSAGE (at byte OFFSET)`.
[[nodiscard]] std::string describe(const Error& error);

template <typename T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Expected(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  // Precondition of the four: has_value().
  [[nodiscard]] T& value() & { return *std::get_if<0>(&state_); }
  [[nodiscard]] const T& value() const& { return *std::get_if<0>(&state_); }
  [[nodiscard]] T&& value() && { return std::move(*std::get_if<0>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }

  // Precondition: !has_value().
  [[nodiscard]] const Error& error() const& { return *std::get_if<1>(&state_); }
  [[nodiscard]] Error&& error() && { return std::move(*std::get_if<1>(&state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Expected<void> {
 public:
  Expected() = default;
  Expected(Error error) : error_(std::move(error)) {}

  [[nodiscard]] bool has_value() const { return !error_; }
  explicit operator bool() const { return has_value(); }
  [[nodiscard]] const Error& error() const& { return *error_; }
  [[nodiscard]] Error&& error() && { return *std::move(error_); }

 private:
  std::optional<Error> error_;
};

}  // namespace gprof

// Hands an error on to the caller of the function that this stands in, else goes on. No lambda with
// one of these may stand in the arguments of another.
//
//   TRY(check(header));
//   TRY_ASSIGN(const auto bytes, file.read_all());
//
// The first is for what gives no value, or one that is not wanted; the second declares a variable,
// or assigns to one.
#define TRY(...)                                                             \
  do {                                                                       \
    if (auto tried = (__VA_ARGS__); !tried) return std::move(tried).error(); \
  } while (false)
#define TRY_ASSIGN(declaration, ...) \
  GPROF_TRY_ASSIGN_BY(GPROF_JOINED(tried_at_, __LINE__), declaration, (__VA_ARGS__))

#define GPROF_JOINED(a, b) GPROF_JOINED_TEXTS(a, b)
#define GPROF_JOINED_TEXTS(a, b) a##b
// NOLINTBEGIN(bugprone-macro-parentheses): no declaration can stand in parentheses.
#define GPROF_TRY_ASSIGN_BY(tried, declaration, expression) \
  auto tried = expression;                                  \
  if (!tried) return std::move(tried).error();              \
  declaration = *std::move(tried)
// NOLINTEND(bugprone-macro-parentheses)
