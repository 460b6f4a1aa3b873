// What settings hold. Plain values. Thread contract: as for any value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/protocol/enumeration.h"
#include "server/protocol/setting_row.h"

namespace gprof::lsp {

// Paths that begin with `from`, as the compiler recorded them, are found below `to`.
struct PathMapping {
  std::string from;
  std::string to;

  friend bool operator==(const PathMapping&, const PathMapping&) = default;

  static void rows(auto&& visit) {
    using Self = PathMapping;
    visit({.name = "from"}, &Self::from);
    visit({.name = "to"}, &Self::to);
  }
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

  static void rows(auto&& visit) {
    using Self = ProgramSettings;
    visit({.name = "programs[].executable",
           .text = "The program, or a path relative to a workspace folder."},
          &Self::executable);
    visit(
        {.name = "programs[].profiles",
         .text =
             "Glob patterns of its profiles; several are summed. perf.data, texts of perf "
             "script, files of callgrind, pprof and gperftools, and folded stacks count as well."},
        &Self::profiles);
    visit({.name = "programs[].libraries",
           .text = "Glob patterns of shared libraries that have profiles of their own."},
          &Self::libraries);
    visit({.name = "programs[].pathMap",
           .text = "Where sources lie now that were built elsewhere: a list of `{from, to}`."},
          &Self::path_map);
  }
};

// What profiles are compared with.
struct BaseSettings {
  std::string executable;
  std::vector<std::string> profiles;  // glob patterns

  friend bool operator==(const BaseSettings&, const BaseSettings&) = default;

  static void rows(auto&& visit) {
    using Self = BaseSettings;
    visit({.name = "base.executable",
           .text = "The other build. Without it: other profiles of the program that is shown."},
          &Self::executable);
    visit({.name = "base.profiles",
           .text = "Glob patterns; each profile is a run. Without them, those that are found."},
          &Self::profiles);
  }
};

// One more metric of each profile, by a formula of others (engine/metrics/formula.h).
struct DerivedSetting {
  std::string name;
  std::string formula;
  std::string unit;

  friend bool operator==(const DerivedSetting&, const DerivedSetting&) = default;

  static void rows(auto&& visit) {
    using Self = DerivedSetting;
    visit({.name = "derived[].name", .text = "What it is called, as a value of `metric`."},
          &Self::name);
    visit({.name = "derived[].formula",
           .text = "Numbers, names of metrics, `+ - * /` and parentheses; other names than words "
                   "stand in double quotes: `\"cache-misses\" / executions`."},
          &Self::formula);
    visit({.name = "derived[].unit", .text = "Shown behind its values."}, &Self::unit);
  }
};

// What is shown of a metric of cost, or instead of one. `time` is what a line costs as far as that
// is known; of a function, its self time.
enum class ShownMetric : std::uint8_t { time, calls, executions, self, total };
template <>
inline constexpr auto wire_names<ShownMetric> =
    enum_names<ShownMetric>({{ShownMetric::time, "time"},
                             {ShownMetric::calls, "calls"},
                             {ShownMetric::executions, "executions"},
                             {ShownMetric::self, "self"},
                             {ShownMetric::total, "total"}});
[[nodiscard]] constexpr bool is_of_time(ShownMetric metric) {
  return metric != ShownMetric::calls && metric != ShownMetric::executions;
}
enum class LogLevel : std::uint8_t { off, error, warning, info, debug };
template <>
inline constexpr auto wire_names<LogLevel> = enum_names<LogLevel>({{LogLevel::off, "off"},
                                                                   {LogLevel::error, "error"},
                                                                   {LogLevel::warning, "warning"},
                                                                   {LogLevel::info, "info"},
                                                                   {LogLevel::debug, "debug"}});

// Waiting that is no time lost: see engine/analysis/idle_waits.h.
enum class IdleWaiting : std::uint8_t { folded, shown };
template <>
inline constexpr auto wire_names<IdleWaiting> =
    enum_names<IdleWaiting>({{IdleWaiting::folded, "folded"}, {IdleWaiting::shown, "shown"}});

[[nodiscard]] inline std::optional<LogLevel> parse_log_level(std::string_view name) {
  return value_named<LogLevel>(name);
}

}  // namespace gprof::lsp
