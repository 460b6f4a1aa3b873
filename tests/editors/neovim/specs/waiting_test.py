"""What a profile with waits shows: on lines, in lists and the time line, and `:Gprof idle`."""
import copy

import known_waits
from known_profile import KnownProfile
from selecting import ANSWERS
from selection_test import READ_FLOAT, READ_GROUPS, SelectionTest
from session import METRICS, NeovimTest

# Of the known program's hot.c.
MOST_CALLS, SOME_CALLS, CALLS_MIDDLE, CALLS_LEAF, MIDDLE, MAIN = 7, 8, 14, 15, 5, 12

# The texts behind a line, with their groups.
READ_CHUNKS = """
local space = vim.api.nvim_get_namespaces()['gprof']
local mark = vim.api.nvim_buf_get_extmarks(0, space, { ... - 1, 0 }, { ... - 1, -1 }, { details = true })[1]
local found = {}
for _, chunk in ipairs(mark and mark[4].virt_text or {}) do
  table.insert(found, { vim.trim(chunk[1]), chunk[2] or '' })
end
return found
"""
READ_LIST = """
local list = vim.fn.getqflist({ title = 0, items = 0 })
return { list.title, vim.tbl_map(function(entry) return entry.text end, list.items) }
"""


class WaitsTest(NeovimTest):
    settings = ""

    def setUp(self):
        super().setUp()
        folder = self.folder / "project"
        (folder / ".git").mkdir(parents=True)
        self.workspace = KnownProfile(folder).make()
        known_waits.write_sidecar(self.workspace, self.workspace.path("gmon.out.gpx"))
        self.neovim = self.open(self.workspace, settings=self.settings)
        self.wait_for_line(SOME_CALLS, "7.9 s lock")

    def wait_for_line(self, line, words):
        return self.neovim.wait_for(lambda: self.neovim.texts().get(line, ""), lambda text: words in text, words)

    def said(self, command, words):
        self.neovim.command("messages clear")
        self.neovim.command(command)
        self.neovim.wait_for(self.neovim.messages, lambda text: words in text, words)

    def list(self, command):
        self.neovim.lua("vim.fn.setqflist({}, 'f')")
        self.neovim.command(command)
        return self.neovim.wait_for(lambda: self.neovim.lua(READ_LIST), lambda found: found[1], command)


class OnLines(WaitsTest):
    def test_waits_lead_to_the_line_that_blocks(self):
        self.wait_for_line(CALLS_MIDDLE, "8.2 s wait")
        self.assertIn("300 ms io", self.wait_for_line(MOST_CALLS, "300 ms"))
        self.assertNotIn("lock", self.neovim.texts().get(CALLS_LEAF, ""))
        self.assertIn(["7.9 s lock", "GprofWaits"], self.neovim.lua(READ_CHUNKS, SOME_CALLS))

    def test_functions_tell_them_beside_cpu_time(self):
        summaries = self.neovim.summaries()
        self.assertIn(" · waits 8.2 s (lock 7.9)", summaries[MIDDLE])
        self.assertIn(" · waits 8.2 s (lock 7.9)", summaries[MAIN])

    def test_the_status_line_does_not_change(self):
        before = self.neovim.lua("return require('gprof').statusline()")
        self.said("Gprof idle shown", "idle waiting is shown")
        self.assertNotIn("idle", before)
        self.assertEqual(before, self.neovim.lua("return require('gprof').statusline()"))


class Idle(WaitsTest):
    WHO = "18.00 s of 2 threads, pool (12), pool (13)."

    def test_shown_and_folded(self):
        self.said("Gprof idle shown", f"idle waiting is shown: {self.WHO}")
        self.wait_for_line(CALLS_LEAF, "18 s lock")
        self.said("Gprof idle folded", f"idle waiting is folded away: {self.WHO}")
        self.neovim.wait_for(lambda: self.neovim.texts().get(CALLS_LEAF, ""), lambda text: "lock" not in text, "folded")

    def test_without_a_word_it_is_the_other_one(self):
        self.said("Gprof idle", "idle waiting is shown")
        self.said("Gprof idle", "idle waiting is folded away")
        self.neovim.keys(":Gprof idle sh<Tab><CR>")
        self.wait_for_line(CALLS_LEAF, "18 s lock")
        self.said("Gprof idle shown", "idle waiting is shown.")

    def test_an_unknown_word(self):
        self.neovim.refuses("Gprof idle away", "idle waiting cannot be away. It is one of: shown, folded.")
        self.assertEqual(["shown", "folded"], self.neovim.api.funcs.getcompletion("Gprof idle ", "cmdline"))

    def test_information_and_health(self):
        self.said("Gprof idle shown", "idle waiting is shown")
        self.neovim.command("checkhealth gprof")
        self.neovim.wait_for(lambda: "\n".join(self.neovim.line_texts()),
                             lambda text: "Waiting of idle threads is part of the figures" in text, "the report")
        self.neovim.command("bdelete!")
        self.neovim.lua("vim.api.nvim_echo = function(chunks) vim.g.said = chunks[1][1] end")
        self.neovim.command("Gprof info")
        self.assertIn("Idle:       waiting of idle threads is part", self.neovim.wait_for_lua("return vim.g.said"))


class IdleOfTheSettings(WaitsTest):
    settings = "vim.g.gprof = { settings = { idle = 'shown' } }"

    def test_it_is_where_the_command_begins(self):
        self.wait_for_line(CALLS_LEAF, "18 s lock")
        self.said("Gprof idle", f"idle waiting is folded away: {Idle.WHO}")


class NoWaits(NeovimTest):
    def test_it_is_said(self):
        self.show_known_program()
        self.neovim.command("Gprof idle shown")
        self.neovim.wait_for(self.neovim.messages, lambda text: "no waiting was measured" in text, "a message")


class AsMetrics(WaitsTest):
    def test_their_names(self):
        names = self.neovim.api.funcs.getcompletion("Gprof metric w", "cmdline")
        self.assertEqual(["wait", "wait.lock", "wait.io", "wall"], names)
        self.assertEqual(METRICS, self.neovim.api.funcs.getcompletion("Gprof metric ", "cmdline")[:len(METRICS)])

    def test_lists(self):
        title, texts = self.list("GprofHotspots! wall")
        self.assertIn("Hot spots by wall", title)
        self.assertEqual(["middle", "leaf", "main"], [text.split()[1] for text in texts], texts)
        self.assertIn("self 8.56 ±0.10 s (93 %)", texts[0])
        title, texts = self.list("GprofHotspots! wait.io")
        self.assertEqual(1, len(texts))
        self.assertIn("0.30 s", texts[0])

    def test_lines_are_coloured_by_it(self):
        self.neovim.command("Gprof metric wait")
        # Nearly all of it is waited there.
        self.neovim.wait_for(lambda: self.neovim.lua(READ_CHUNKS, SOME_CALLS),
                             lambda chunks: any(group == "GprofHeat5" and "7.9" in text for text, group in chunks),
                             "the colour")
        self.neovim.command("normal! gg")
        self.neovim.command("GprofNext")
        self.neovim.wait_for_lua("return vim.fn.line('.') == ...", MOST_CALLS)
        self.neovim.command("GprofNext")
        self.neovim.wait_for_lua("return vim.fn.line('.') == ...", SOME_CALLS)

    def test_callers_and_callees(self):
        self.set_metric("wall")
        self.neovim.lua("vim.api.nvim_win_set_cursor(0, { ..., 5 })", MIDDLE)
        _, texts = self.list("GprofCallers!")
        self.assertEqual(["100 calls · 8.20 ±0.10 s (89 %) · from main"], texts)

    def test_the_time_line(self):
        self.neovim.command("set columns=100 lines=30")
        self.set_metric("wait")
        self.neovim.command("Gprof timeline")
        lines = self.neovim.wait_for(lambda: self.neovim.lua(READ_FLOAT), bool, "the float")
        self.assertIn("in seconds", lines[0])
        main = next(line for line in lines if line.startswith("main (11)"))
        self.assertTrue(main.endswith("8.20 s"), main)


def with_activities(answers):
    """The same profile by the clock, of a server that tells what the threads did."""
    answers = copy.deepcopy(answers)
    line = answers["gprof/timeline"]
    line |= {"metric": "wall"}
    parser, solver, last = line["rows"]
    parser["activities"] = [
        {"name": "running", "values": [0.04, 0.01, 0.04, 0, 0, 0, 0, 0, 0, 0]},
        {"name": "lock", "values": [0, 0.07, 0, 0, 0, 0, 0, 0, 0, 0]},
        {"name": "io", "values": [0, 0, 0, 0.02, 0.01, 0, 0, 0, 0, 0]}]
    solver["activities"] = [{"name": "sleep", "values": solver["values"]}]
    last["activities"] = [{"name": "idle", "values": [0.5] * 10}]
    return answers


class Activities(SelectionTest):
    answers = with_activities(ANSWERS)

    def test_rows_are_coloured_by_them(self):
        self.neovim.command("set columns=100 lines=30")
        self.neovim.command("Gprof timeline")
        lines = self.neovim.wait_for(lambda: self.neovim.lua(READ_FLOAT), bool, "the float")
        self.assertEqual("█ running  █ lock  █ io  █ sleep  █ idle", lines[2])
        self.assertEqual("Selected: all", lines[3])

        def groups(name):
            row = next(number for number, line in enumerate(lines, 1) if line.startswith(name))
            return self.neovim.lua(READ_GROUPS, row)
        self.assertEqual(["GprofRunning", "GprofLock", "GprofRunning", "GprofIo"],
                         [group for group, _ in groups("parser")])
        self.assertEqual(["GprofSleep"], [group for group, _ in groups("my solver")])
        # Folded away, and yet seen.
        (group, text), = groups("thread 13")
        self.assertEqual(("GprofIdle", {"▁"}), (group, set(text)))
