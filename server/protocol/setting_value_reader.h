// Reads the value of one setting, of any type that settings have. What is wrong is named in
// `problems`, with the setting's full name.
//
// Ownership: borrows the problems. Thread contract: one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "server/protocol/json_reader.h"
#include "server/protocol/setting_row.h"
#include "server/protocol/setting_values.h"

namespace gprof::lsp {

class SettingValueReader {
 public:
  explicit SettingValueReader(std::vector<std::string>& problems) : problems_(problems) {}

  // False where it is wrong.
  bool read(const SettingRow& row, const Json& value, std::vector<ProgramSettings>& out);
  bool read(const SettingRow& row, const Json& value, std::optional<BaseSettings>& out);
  bool read(const SettingRow& row, const Json& value, std::vector<DerivedSetting>& out);
  template <typename T>
  bool read(const SettingRow& row, const Json& value, T& out);

  void unknown(std::string_view name);
  bool wrong(std::string_view name, std::string_view expected);  // false

 private:
  template <typename T>
  static std::string expected(const SettingRow& row);
  // Of an object, by what it says of its members.
  template <typename Object>
  void read_members(const std::string& object, const Json& value, Object& out);
  void read_member(const std::string& name, const Json& value, std::string& out);
  void read_member(const std::string& name, const Json& value, std::vector<std::string>& out);
  void read_member(const std::string& name, const Json& value, std::vector<PathMapping>& out);
  void read_program(const std::string& program, const Json& value, ProgramSettings& out);

  std::vector<std::string>& problems_;
};

template <typename T>
std::string SettingValueReader::expected(const SettingRow& row) {
  if constexpr (NamedEnum<T>) return fmt::format("one of {}", list_of_names<T>());
  if constexpr (std::is_same_v<T, bool>) return "true or false";
  if constexpr (std::is_same_v<T, std::string>) return "a string";
  return fmt::format("a number from {} to {}", row.least, row.most);
}

template <typename T>
bool SettingValueReader::read(const SettingRow& row, const Json& value, T& out) {
  ReadContext context;
  read_json(value, out, context);
  if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    if (out < row.least || out > row.most) context.fail("a number in the range");
  }
  return !context.failed() || wrong(row.name, expected<T>(row));
}

}  // namespace gprof::lsp
