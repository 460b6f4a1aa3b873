#include "server/protocol/settings_table.h"

#include <array>

namespace gprof::lsp {
namespace {

using Layer = SettingsLayer;
using Settings = ClientSettings;

constexpr auto rows = std::to_array<SettingRow>({
    {.name = "programs",
     .text = "Programs and their profiles. Empty: they are looked for in the workspace, which is "
             "enough for most projects.",
     .slot = ProgramsSlot{&Layer::programs, &Settings::programs},
     .in_neovim = "`{ { executable = \"build/prog\", profiles = { \"gmon.out\" } } }` names one.",
     .scope = "resource"},
    {.name = "programs[].executable",
     .text = "The program, or a path relative to a workspace folder."},
    {.name = "programs[].profiles",
     .text = "Glob patterns of its profiles; several are summed. Texts of perf script and files of "
             "callgrind count as well."},
    {.name = "programs[].libraries",
     .text = "Glob patterns of shared libraries that have profiles of their own."},
    {.name = "programs[].pathMap",
     .text = "Where sources lie now that were built elsewhere: a list of `{from, to}`."},
    {.name = "base",
     .text = "What is compared with: another profile, or another build. Lenses, lines, hovers and "
             "lists then show what differs.",
     .slot = BaseSlot{&Layer::base, &Settings::base},
     .in_neovim = "`{ executable = …, profiles = { … } }`; |:GprofDiff| sets it as well.",
     .scope = "resource"},
    {.name = "base.executable",
     .text = "The other build. Without it: other profiles of the program that is shown."},
    {.name = "base.profiles",
     .text = "Glob patterns; each profile is a run. Without them, those that are found."},
    {.name = "metric",
     .text = "What leads on lines, colours them, and orders lists.",
     .slot = SettingSlot<Metric>{&Layer::metric, &Settings::metric},
     .texts_of_values = "Calls that a line makes, calls of a function.|How often a line ran, where "
                        "the program was built to count that.|Time spent in the code itself.|Time "
                        "of the code with everything it called.",
     .in_vscode = "`Profile: Switch Metric…` changes it for a workspace without changing this "
                  "setting."},
    {.name = "threshold",
     .text =
         "The share of the program's time, from 0 to 1, below which a line's time is not shown.",
     .slot = SettingSlot<double>{&Layer::threshold, &Settings::threshold},
     .most = 1,
     .in_vscode = "`Profile: Set Threshold…` changes it for a workspace."},
    {.name = "annotations.enable",
     .text = "Show figures at the ends of lines: how often they ran or called, their time and its "
             "share.",
     .clients = SettingClients::both,
     .type = "boolean",
     .value = "true",
     .in_vscode = "`Profile: Toggle Line Annotations` changes it for a workspace.",
     .in_neovim = "Where this is off, Neovim's own inlay hints show them when "
                  "|vim.lsp.inlay_hint.enable()| says so."},
    {.name = "annotations.functions",
     .text = "Show calls, times and rank of a function behind the line that it begins with, unless "
             "Neovim draws code lenses itself.",
     .clients = SettingClients::neovim,
     .type = "boolean",
     .value = "true"},
    {.name = "annotations.errors",
     .text = "Show sampled times with their error, one standard deviation (±).",
     .clients = SettingClients::both,
     .type = "boolean",
     .value = "true",
     .in_vscode = "Hovers always have it."},
    {.name = "annotations.column",
     .text =
         "No figures begin further to the right than this column, but for lines that are longer "
         "themselves.",
     .clients = SettingClients::both,
     .type = "integer",
     .value = "80",
     .most = 1000},
    {.name = "annotations.heat",
     .text = "Colour the edge of lines, beside the gutter, by their heat.",
     .clients = SettingClients::vscode,
     .type = "boolean",
     .value = "true"},
    {.name = "annotations.overviewRuler",
     .text = "Mark the hottest lines of the whole file in the overview ruler.",
     .clients = SettingClients::vscode,
     .type = "boolean",
     .value = "true"},
    {.name = "annotations.signs",
     .text = "Mark hot lines in the sign column by their heat. With `signcolumn=yes` code does not "
             "move when the first mark appears.",
     .clients = SettingClients::neovim,
     .type = "boolean",
     .value = "true"},
    {.name = "annotations.sign_text",
     .text = "The mark in the sign column, one or two cells wide.",
     .clients = SettingClients::neovim,
     .type = "string",
     .value = "\"▎\""},
    {.name = "codeLens.enable",
     .text = "Show calls, times and rank above functions.",
     .slot = SettingSlot<bool>{&Layer::code_lens, &Settings::code_lens},
     .in_neovim = "These are code lenses, where Neovim draws them itself; `annotations.functions` "
                  "shows the same without it."},
    {.name = "inlayHints.enable",
     .text = "Hints at the ends of lines, for editors that do not draw annotations.",
     .slot = SettingSlot<bool>{&Layer::inlay_hints, &Settings::inlay_hints},
     .in_vscode = "Here annotations take their place.",
     .in_neovim = "Annotations take the place of Neovim's own inlay hints."},
    {.name = "diagnostics.enable",
     .text = "Mark sources that changed since the build, and functions that got slower than in the "
             "base.",
     .slot = SettingSlot<bool>{&Layer::diagnostics, &Settings::diagnostics}},
    {.name = "demangle",
     .text = "Show C++, Rust, D and Ada names as they are written.",
     .slot = SettingSlot<bool>{&Layer::demangle, &Settings::demangle}},
    {.name = "inlinedAtCalls",
     .text = "Count the time of inlined code at the calls that were inlined, not at its own lines.",
     .slot = SettingSlot<bool>{&Layer::inlined_at_calls, &Settings::inlined_at_calls}},
    {.name = "server.path",
     .text =
         "The server, `gprof-lsp`. Empty: the one that comes with the extension, else the first "
         "on `PATH`. May begin with `~/` or `${workspaceFolder}/`.",
     .clients = SettingClients::vscode,
     .type = "string",
     .value = "\"\"",
     .scope = "machine-overridable"},
    {.name = "server.arguments",
     .text = "Further arguments of the server, such as `--config=FILE`.",
     .clients = SettingClients::vscode,
     .type = "list",
     .value = "[]",
     .scope = "machine-overridable"},
    {.name = "autostart",
     .text = "Start the server when a file of one of the `filetypes` is opened. Without it, "
             "|vim.lsp.enable()| does, or `:Gprof start`.",
     .clients = SettingClients::neovim,
     .type = "boolean",
     .value = "true"},
    {.name = "cmd",
     .text =
         "The command that starts the server, such as `{ \"gprof-lsp\", \"--stdio\" }`. Without "
         "it: `gprof-lsp` on the PATH, else the one that was built in the clone that this plugin "
         "lies in.",
     .clients = SettingClients::neovim,
     .type = "list"},
    {.name = "filetypes",
     .text = "The file types that the server is started for.",
     .clients = SettingClients::neovim,
     .type = "list",
     .value = R"(["c","cpp","objc","objcpp","cuda","fortran","ada","d","rust","asm"])"},
    {.name = "root_markers",
     .text =
         "What lies in the top folder of a workspace; each workspace has one server. Where none "
         "of them is above a file, the folder of the nearest `gmon.out` or build file is the "
         "workspace, else the current directory.",
     .clients = SettingClients::neovim,
     .type = "list",
     .value = R"([".git",".hg",".jj",".svn"])"},
    {.name = "logLevel",
     .text = "What the server writes to the editor's log.",
     .slot = SettingSlot<LogLevel>{&Layer::log_level, &Settings::log_level},
     .texts_of_values =
         "nothing|what failed|and what is not as it should be|and what is loaded|and "
         "what the server decides",
     .in_vscode = "`Profile: Show Log` shows it.",
     .in_neovim = "It is that of language servers (`:lua =vim.lsp.get_log_path()`)."},
    {.name = "trace.server",
     .text = "Messages between the editor and the server in an output channel of their own; for "
             "reports of errors.",
     .clients = SettingClients::vscode,
     .type = "string",
     .value = "\"off\"",
     .scope = "window"},
    {.name = "lists.open",
     .text = "Open the window of a quickfix list that |:GprofCallers|, |:GprofCallees|, "
             "|:GprofHotspots| or |:GprofDiff| has filled.",
     .clients = SettingClients::neovim,
     .type = "boolean",
     .value = "true"},
    {.name = "record.stacks",
     .text = "Programs that are run from the editor keep the call stack of each sample: times with "
             "what was called are then measured. Without stacks they are estimated, as gprof does "
             "it.",
     .clients = SettingClients::both,
     .type = "boolean",
     .value = "true",
     .scope = "resource"},
    {.name = "record.rate",
     .text = "Samples of a program that is run from the editor, for each second of CPU time of "
             "each thread. 0: 1000 where perf's clock is allowed, else 100.",
     .clients = SettingClients::both,
     .type = "integer",
     .value = "0",
     .most = 20000,
     .scope = "resource"},
});

}  // namespace

std::span<const SettingRow> settings_table() { return rows; }

}  // namespace gprof::lsp
