// Structures of this server's own messages, gprof/…: docs/lsp-extensions.md describes them.
//
// Lines and characters start at 0, as everywhere in the protocol. Times are in the profile's unit,
// seconds unless the profile says otherwise. Plain values. Thread contract: as for any value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/comparison/comparison.h"
#include "server/protocol/any_value.h"
#include "server/protocol/basic_types.h"
#include "server/protocol/metric_messages.h"
#include "server/protocol/setting_values.h"

namespace gprof::lsp {

// Raised by changes that clients must know about, not by additions.
inline constexpr int extensions_version = 2;

// The scheme of reports as virtual documents: gprof-report:/flat-profile?program=NAME.
inline constexpr const char* report_scheme = "gprof-report";

// What the server announces in its capabilities: experimental.gprof.
struct ServerExtensions {
  int version = extensions_version;
  std::vector<std::string> requests;
  std::vector<std::string> notifications;

  static void fields(auto& visit, auto& self) {
    visit("version", self.version);
    visit("requests", self.requests, "methods, sorted");
    visit("notifications", self.notifications, "methods that the server may send");
  }
};

// And what the client announces in its own.
struct ClientExtensions {
  bool decorations = false;
  bool status = false;
  bool tests = false;

  static void fields(auto& visit, auto& self) {
    visit.optional("decorations", self.decorations,
                   "it draws gprof/lineData itself and gets no inlay hints");
    visit.optional("status", self.status,
                   "it shows gprof/status and its warnings, and gets no messages of these");
    visit.optional("tests", self.tests,
                   "it runs programs: lenses above tests have the command gprof.profileTest, which "
                   "is the client's");
  }
};

[[nodiscard]] AnyValue extensions_offer();

// gprof/status
enum class ProfileState : std::uint8_t { loading, ready, stale, error };
template <>
inline constexpr auto wire_names<ProfileState> =
    enum_names<ProfileState>("ProfileState", {{ProfileState::loading, "loading"},
                                              {ProfileState::ready, "ready"},
                                              {ProfileState::stale, "stale"},
                                              {ProfileState::error, "error"}});

template <>
inline constexpr auto wire_names<Verdict> = enum_names<Verdict>("Verdict",
                                                                {{Verdict::regressed, "regressed"},
                                                                 {Verdict::improved, "improved"},
                                                                 {Verdict::noise, "noise"},
                                                                 {Verdict::appeared, "new"},
                                                                 {Verdict::gone, "gone"}});

// How the time of the whole program compares with the base's.
struct ProgramComparison {
  std::string text;
  std::optional<Verdict> verdict;

  static void fields(auto& visit, auto& self) {
    visit("text", self.text, "\"0.51 → 0.77 s, +51 %: regressed\"");
    visit("verdict", self.verdict, "left out if only calls are compared");
  }
  friend bool operator==(const ProgramComparison&, const ProgramComparison&) = default;
};

struct ProfileStatus {
  static constexpr const char* documented_as = "StatusParams";

  ProfileState state = ProfileState::loading;
  std::string program;
  std::vector<std::string> profiles;
  std::uint64_t generation = 0;
  std::string message;
  std::vector<std::string> warnings;
  std::string unavailable;
  std::string why;
  bool pinned = false;
  bool live = false;
  std::string ran;
  std::string waiting;
  std::string tick;
  std::optional<ProgramComparison> comparison;
  std::string metric;
  std::string metric_text;
  std::optional<SelectionData> selection;
  std::string selection_text;
  std::optional<IdleWaiting> idle;

  static void fields(auto& visit, auto& self) {
    visit("state", self.state);
    visit("program", self.program, "path of the executable being shown; empty for none");
    visit("profiles", self.profiles, "paths");
    visit("generation", self.generation);
    visit.optional("message", self.message, "what is wrong, and what to do");
    visit.optional("warnings", self.warnings,
                   "what was noticed of profiles that are shown; ten at most, the log has all");
    visit.optional("unavailable", self.unavailable,
                   "path of the program that was chosen and cannot be shown; message says why");
    visit.optional("why", self.why, "a sentence: why these profiles are shown");
    visit.optional("pinned", self.pinned, "newer profiles are not shown");
    visit.optional("live", self.live,
                   "the program is running: its counts are about a second old, and rising");
    visit.optional("ran", self.ran,
                   "by the clock and on CPUs: \"ran 3.9 s, 0.09 s on CPU\"; up to now if live");
    visit.optional("waiting", self.waiting,
                   "a sentence, if less than a third of that was on a CPU");
    visit.optional("tick", self.tick,
                   "a sentence, if the kernel's tick may have decided where samples fell");
    visit("comparison", self.comparison, "with the base, where there is one");
    visit.metric("metric", self.metric, "that is shown; time where the program lacks another one");
    visit.optional(
        "metricText", self.metric_text,
        "what users call it, where costs are no times: \"Ir\", \"self Ir\", \"total Ir\"");
    visit("selection", self.selection, "left out if all of the profile is shown");
    visit.optional("selectionText", self.selection_text, "\"thread parser (12), 1.2 s to 3.4 s\"");
    visit("idle", self.idle, "what gprof.idle says; left out where waits were not measured");
  }
  friend bool operator==(const ProfileStatus&, const ProfileStatus&) = default;
};

}  // namespace gprof::lsp
