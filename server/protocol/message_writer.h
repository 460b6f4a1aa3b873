// Writes structures as the text of messages, by their descriptions (description.h). Members are
// written as they come: something as large as a flame graph never becomes a tree of values first.
//
// Bytes that are not UTF-8 become U+FFFD, and numbers that are not finite null. Thread contract:
// one thread.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "server/protocol/any_value.h"
#include "server/protocol/basic_types.h"
#include "server/protocol/description.h"
#include "server/protocol/enumeration.h"

namespace gprof::lsp {

class MessageWriter {
 public:
  [[nodiscard]] std::string take() { return std::move(text_); }

  void write(std::string_view text);
  void write(double number);
  void write(Nothing) { text_ += "null"; }
  template <std::integral T>
  void write(T value) {
    if constexpr (std::same_as<T, bool>) {
      text_ += value ? "true" : "false";
    } else if constexpr (std::signed_integral<T>) {
      write_integer(std::int64_t{value});
    } else {
      write_integer(std::uint64_t{value});
    }
  }
  template <NamedEnum T>
  void write(T value) {
    write(name_of(value));
  }
  template <NumberedEnum T>
  void write(T value) {
    write_integer(static_cast<std::int64_t>(value));
  }
  // Not for what converts to it, such as a string.
  template <std::same_as<AnyValue> T>
  void write(const T& value) {
    write_any(value);
  }
  template <Described T>
  void write(const T& value) {
    write_object([&](MessageWriter& members) { T::fields(members, value); });
  }
  template <typename T>
  void write(const std::optional<T>& value) {
    value ? write(*value) : write(Nothing());
  }
  template <typename... T>
  void write(const std::variant<T...>& value) {
    std::visit([this](const auto& held) { this->write(held); }, value);
  }
  template <typename T>
  void write(const std::map<std::string, T>& values) {
    text_ += '{';
    for (const auto& [name, value] : values) {
      write(std::string_view(name));
      text_ += ':';
      write(value);
      text_ += ',';
    }
    close('}');
  }
  template <typename T>
  void write(const std::vector<T>& values) {
    text_ += '[';
    for (const T& value : values) {
      write(value);
      text_ += ',';
    }
    close(']');
  }

  // Visits a description; writes members of the open object.
  template <typename T>
  void operator()(const char* name, const T& member, const char* = "") {
    if constexpr (is_optional<T>) {
      if (!member) return;
    }
    write_member(name, member);
  }
  template <typename T>
  void optional(const char* name, const T& member, const char* = "") {
    if constexpr (requires { member.empty(); }) {
      if (member.empty()) return;
    } else {
      if (member == T()) return;
    }
    write_member(name, member);
  }
  void optional_true(const char* name, bool member, const char* = "") {
    if (!member) write_member(name, member);
  }
  template <typename T>
  void nullable(const char* name, const std::optional<T>& member, const char* = "") {
    write_member(name, member);
  }
  template <typename T>
  void lenient(const char* name, const T& member) {
    write_member(name, member);
  }
  template <typename T>
  void uri(const char* name, const T& member, const char* = "") {
    (*this)(name, member);
  }
  template <typename T>
  void metric(const char* name, const T& member, const char* = "") {
    (*this)(name, member);
  }
  template <typename T>
  void part(const std::optional<T>& part) {
    if (part) T::fields(*this, *part);
  }
  template <typename T>
  void constant(const char* name, const T& value) {
    write_member(name, value);
  }
  template <typename Describe>
  void nested(const char* name, const Describe& describe) {
    write_name(name);
    write_object(describe);
    text_ += ',';
  }
  template <typename Describe>
  void optional_nested(const char* name, const Describe& describe) {
    nested(name, describe);
  }
  template <typename List, typename Describe>
  void each(const char* name, const List& list, const Describe& describe) {
    write_name(name);
    text_ += '[';
    for (const auto& element : list) {
      write_object([&](MessageWriter& members) { describe(members, element); });
      text_ += ',';
    }
    close(']');
    text_ += ',';
  }
  void expect(bool, std::string_view) {}

 private:
  void write_any(const AnyValue& value);
  void write_integer(std::int64_t number);
  void write_integer(std::uint64_t number);
  void write_name(std::string_view name);  // must need no escaping
  template <typename T>
  void write_member(const char* name, const T& value) {
    write_name(name);
    write(value);
    text_ += ',';
  }
  template <typename Describe>
  void write_object(const Describe& describe) {
    text_ += '{';
    describe(*this);
    close('}');
  }
  // Each part ends with a comma; the bracket replaces the last one.
  void close(char bracket) {
    if (text_.back() == ',') text_.pop_back();
    text_ += bracket;
  }

  std::string text_;
};

template <typename T>
[[nodiscard]] std::string written_text(const T& value) {
  MessageWriter writer;
  writer.write(value);
  return writer.take();
}

}  // namespace gprof::lsp
