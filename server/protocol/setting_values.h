// What settings hold. Plain values. Thread contract: as for any value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/protocol/enumeration.h"

namespace gprof::lsp {

// Paths that begin with `from`, as the compiler recorded them, are found below `to`.
struct PathMapping {
  std::string from;
  std::string to;

  friend bool operator==(const PathMapping&, const PathMapping&) = default;
};

// One program and what it wrote. Paths and patterns may be relative to a workspace folder.
struct ProgramSettings {
  std::string executable;
  std::vector<std::string> profiles;   // glob patterns
  std::vector<std::string> libraries;  // glob patterns
  std::vector<PathMapping> path_map;
  // Of the profiles that match, the newest alone is shown. Of gprof.load, no setting.
  bool newest = false;

  friend bool operator==(const ProgramSettings&, const ProgramSettings&) = default;
};

// What profiles are compared with.
struct BaseSettings {
  std::string executable;
  std::vector<std::string> profiles;  // glob patterns

  friend bool operator==(const BaseSettings&, const BaseSettings&) = default;
};

enum class Metric : std::uint8_t { calls, executions, self, total };
template <>
inline constexpr auto wire_names<Metric> = enum_names<Metric>("Metric",
                                                              {{Metric::calls, "calls"},
                                                               {Metric::executions, "executions"},
                                                               {Metric::self, "self"},
                                                               {Metric::total, "total"}});
enum class LogLevel : std::uint8_t { off, error, warning, info, debug };
template <>
inline constexpr auto wire_names<LogLevel> = enum_names<LogLevel>({{LogLevel::off, "off"},
                                                                   {LogLevel::error, "error"},
                                                                   {LogLevel::warning, "warning"},
                                                                   {LogLevel::info, "info"},
                                                                   {LogLevel::debug, "debug"}});

[[nodiscard]] inline std::optional<LogLevel> parse_log_level(std::string_view name) {
  return value_named<LogLevel>(name);
}

}  // namespace gprof::lsp
