// The user's settings: section `gprof` of the client's configuration, `initializationOptions`, and
// the file of --config. Each source is a layer that sets some of them; later layers win.
//
// A setting is a member of ClientSettings, whose value there is the default, and its row: reading,
// layers, the editors' schemas and all documentation go by that.
//
// Plain values. Thread contract: as for any value.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/expected.h"
#include "server/protocol/editor_settings.h"
#include "server/protocol/setting_values.h"
#include "server/protocol/settings_layer.h"

namespace gprof::lsp {

struct ClientSettings {
  std::vector<ProgramSettings> programs;  // empty: look for them in the workspace
  std::optional<BaseSettings> base;
  std::string metric = "time";  // a ShownMetric's, or a metric of the profile
  std::vector<DerivedSetting> derived;
  double threshold = 0.005;  // share of the total, 0 to 1
  bool code_lens = true;
  double lens_threshold = 0.005;  // share of the program's time, self or total
  bool test_lenses = true;
  bool inlay_hints = true;
  bool diagnostics = false;
  bool crash_diagnostics = true;
  bool demangle = true;
  bool inlined_at_calls = false;  // time of inlined code counts at the calls, not at its own lines
  IdleWaiting idle = IdleWaiting::folded;
  LogLevel log_level = LogLevel::warning;

  friend bool operator==(const ClientSettings&, const ClientSettings&) = default;

  // In the order of the documentation. A row without a member is there for its text.
  static void rows(auto&& visit) {
    using Self = ClientSettings;
    const auto tell = [&](const SettingRow& row, auto...) { visit(row); };
    visit({.name = "programs",
           .text =
               "Programs and their profiles. Empty: they are looked for in the workspace, which is "
               "enough for most projects.",
           .in_neovim =
               "`{ { executable = \"build/prog\", profiles = { \"gmon.out\" } } }` names one.",
           .scope = "resource"},
          &Self::programs);
    ProgramSettings::rows(tell);
    visit(
        {.name = "base",
         .text =
             "What is compared with: another profile, or another build. Lenses, lines, hovers and "
             "lists then show what differs.",
         .in_neovim = "`{ executable = …, profiles = { … } }`; |:GprofDiff| sets it as well.",
         .scope = "resource"},
        &Self::base);
    BaseSettings::rows(tell);
    visit(
        {.name = "metric",
         .text = "What leads on lines, colours them, and orders lists.",
         .suggestions = "time|calls|executions|self|total",
         .other_values = "the name of a metric of the profile, such as `cpu`, `page-faults`, `Ir`",
         .texts_of_values =
             "Time of a line with what it called and what was inlined into it, where stacks tell "
             "it, else its own; a function's own.|Calls that a line makes, calls of a "
             "function.|How often a line ran, where the program was built to count "
             "that.|Time spent in the code itself.|Time of the code with everything it "
             "called, an estimate where there are no stacks.",
         .in_vscode = "`Profile: Switch Metric…` changes it for a workspace without changing this "
                      "setting."},
        &Self::metric);
    visit(
        {.name = "derived",
         .text = "Metrics of your own: formulas of those that a profile has. Built in are "
                 "`seconds per call`, `seconds per execution`, `instructions per cycle` and "
                 "`misses per execution`.",
         .in_neovim =
             "`{ { name = \"miss rate\", formula = \"D1mr / Dr\", unit = \"misses\" } }` is one."},
        &Self::derived);
    DerivedSetting::rows(tell);
    visit({.name = "threshold",
           .text = "The share of the program's time, from 0 to 1, below which a line's time is not "
                   "shown.",
           .most = 1,
           .in_vscode = "`Profile: Set Threshold…` changes it for a workspace."},
          &Self::threshold);
    for (const SettingRow& row : annotation_settings()) visit(row);
    visit({.name = "codeLens.enable",
           .text = "Show calls, times and rank above functions.",
           .in_neovim =
               "These are code lenses, where Neovim draws them itself; `annotations.functions` "
               "shows the same without it."},
          &Self::code_lens);
    visit({.name = "codeLens.threshold",
           .text = "The share of the program's time, from 0 to 1, below which a function has no "
                   "lens; a function that never ran has none either. A short run, or one without "
                   "samples, shows each function that was called. 0 shows every function.",
           .most = 1},
          &Self::lens_threshold);
    visit({.name = "codeLens.tests",
           .text = "Offer above a test of GoogleTest or Catch2 to profile it, in editors that run "
                   "programs, where a program of the workspace contains it.",
           .in_neovim = "`:Gprof test` profiles the test under the cursor in any case."},
          &Self::test_lenses);
    visit({.name = "inlayHints.enable",
           .text = "Hints at the ends of lines, for editors that do not draw annotations.",
           .in_vscode = "Here annotations take their place.",
           .in_neovim = "Annotations take the place of Neovim's own inlay hints."},
          &Self::inlay_hints);
    visit(
        {.name = "diagnostics.enable",
         .text =
             "Mark sources that changed since the build, and functions that got slower than in the "
             "base."},
        &Self::diagnostics);
    visit({.name = "diagnostics.crashes",
           .text = "Mark the line where the program crashed in the profiled run, by SIGSEGV, "
                   "SIGABRT and the like."},
          &Self::crash_diagnostics);
    visit({.name = "demangle", .text = "Show C++, Rust, D and Ada names as they are written."},
          &Self::demangle);
    visit({.name = "inlinedAtCalls",
           .text = "Count the time of inlined code at the calls that were inlined, not at its own "
                   "lines."},
          &Self::inlined_at_calls);
    visit({.name = "idle",
           .text = "Waiting that is no time lost: threads that wait nearly always at one place for "
                   "something to do.",
           .texts_of_values = "left out of the figures of waiting and wall-clock time; hovers tell "
                              "of it|shown like all waiting"},
          &Self::idle);
    for (const SettingRow& row : server_start_settings()) visit(row);
    visit({.name = "logLevel",
           .text = "What the server writes to the editor's log.",
           .texts_of_values =
               "nothing|what failed|and what is not as it should be|and what is loaded|and "
               "what the server decides",
           .in_vscode = "`Profile: Show Log` shows it.",
           .in_neovim = "It is that of language servers (`:lua =vim.lsp.get_log_path()`)."},
          &Self::log_level);
    for (const SettingRow& row : recording_settings()) visit(row);
  }
};

using SettingsLayer = SettingsLayerOf<ClientSettings>;

// The defaults, with each layer laid over the ones before it.
[[nodiscard]] ClientSettings merge_settings(std::span<const SettingsLayer> layers);

// The base, where one is set: one that names nothing ends a comparison that a layer below began.
[[nodiscard]] std::optional<BaseSettings> active_base(const ClientSettings& settings);

// The text of a configuration file: the settings, or an object whose member `gprof` holds them.
// Fails with wrong_format where the text is no JSON object.
[[nodiscard]] Expected<SettingsLayer> parse_settings_text(std::string_view text,
                                                          const std::string& path);

}  // namespace gprof::lsp
