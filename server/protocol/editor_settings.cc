#include "server/protocol/editor_settings.h"

#include <array>

namespace gprof::lsp {
namespace {

constexpr auto annotation_rows = std::to_array<SettingRow>({
    {.name = "annotations.enable",
     .text = "Show figures at the ends of lines: how often they ran or called, their time and its "
             "share.",
     .clients = SettingClients::both,
     .type = "boolean",
     .value = "true",
     .in_vscode = "`Profile: Toggle Line Annotations` changes it for a workspace.",
     .in_neovim = "Where this is off, Neovim's own inlay hints show them when "
                  "|vim.lsp.inlay_hint.enable()| says so."},
    {.name = "annotations.lines",
     .text = "Which lines have figures at their ends.",
     .clients = SettingClients::both,
     .type = "string",
     .value = "\"all\"",
     .values = "all|cursor|held",
     .texts_of_values = "all of them|the cursor's line alone|none, but while a key is held",
     .in_vscode = "`held`: as long as a key of yours repeats the command `gprof.peekAnnotations`.",
     .in_neovim = "`held`: as long as a mapping of yours repeats |:Gprof-peek|."},
    {.name = "annotations.inserting",
     .text = "Show figures in insert mode as well.",
     .clients = SettingClients::neovim,
     .type = "boolean",
     .value = "true"},
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
});

constexpr auto server_start_rows = std::to_array<SettingRow>({
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
});

constexpr auto recording_rows = std::to_array<SettingRow>({
    {.name = "trace.server",
     .text = "Messages between the editor and the server in an output channel of their own; for "
             "reports of errors.",
     .clients = SettingClients::vscode,
     .type = "string",
     .value = "\"off\"",
     .values = "off|messages|verbose",
     .texts_of_values = "nothing is written|the names of requests and how long they took|requests "
                        "and answers in full",
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
    {.name = "record.wait",
     .text = "Programs that are run from the editor tell how long their threads wait: for locks, "
             "input and output, sleep, other processes.",
     .clients = SettingClients::both,
     .type = "boolean",
     .value = "false",
     .scope = "resource"},
});

}  // namespace

std::span<const SettingRow> annotation_settings() { return annotation_rows; }
std::span<const SettingRow> server_start_settings() { return server_start_rows; }
std::span<const SettingRow> recording_settings() { return recording_rows; }

}  // namespace gprof::lsp
