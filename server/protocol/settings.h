// The user's settings: section `gprof` of the client's configuration, `initializationOptions`, and
// the file of --config. Each source is a layer that sets some of them; later layers win.
//
// Plain values. Thread contract: as for any value.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/expected.h"
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

struct ClientSettings {
  std::vector<ProgramSettings> programs;  // empty: look for them in the workspace
  std::optional<BaseSettings> base;
  Metric metric = Metric::self;
  double threshold = 0.005;  // share of the total, 0 to 1
  bool code_lens = true;
  bool inlay_hints = true;
  bool diagnostics = false;
  bool demangle = true;
  bool inlined_at_calls = false;  // time of inlined code counts at the calls, not at its own lines
  LogLevel log_level = LogLevel::warning;

  friend bool operator==(const ClientSettings&, const ClientSettings&) = default;
};

// What one source says. `problems` names each unknown key and wrong type, one sentence each; what
// is wrong is not set.
struct SettingsLayer {
  std::optional<std::vector<ProgramSettings>> programs;
  std::optional<BaseSettings> base;
  std::optional<Metric> metric;
  std::optional<double> threshold;
  std::optional<bool> code_lens;
  std::optional<bool> inlay_hints;
  std::optional<bool> diagnostics;
  std::optional<bool> demangle;
  std::optional<bool> inlined_at_calls;
  std::optional<LogLevel> log_level;
  std::vector<std::string> problems;
};

// The defaults, with each layer laid over the ones before it.
[[nodiscard]] ClientSettings merge_settings(std::span<const SettingsLayer> layers);

// The base, where one is set: one that names nothing ends a comparison that a layer below began.
[[nodiscard]] std::optional<BaseSettings> active_base(const ClientSettings& settings);

[[nodiscard]] inline std::optional<LogLevel> parse_log_level(std::string_view name) {
  return value_named<LogLevel>(name);
}

// The text of a configuration file: the settings, or an object whose member `gprof` holds them.
// Fails with wrong_format where the text is no JSON object.
[[nodiscard]] Expected<SettingsLayer> parse_settings_text(std::string_view text,
                                                          const std::string& path);

}  // namespace gprof::lsp
