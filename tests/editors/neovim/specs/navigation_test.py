"""Callers, callees, hot spots and hot lines: the lists are read back, and so is where the cursor went."""

from profiled_program import Workspace
from session import METRICS, NeovimTest

READ_LIST = """
local list = vim.fn.getqflist({ title = 0, items = 0, idx = 0, id = 0, winid = 0 })
local entries = {}
for index, entry in ipairs(list.items) do
  entries[index] = {
    entry.bufnr > 0 and vim.fn.fnamemodify(vim.fn.bufname(entry.bufnr), ':t') or '', entry.lnum, entry.col,
    entry.text, entry.valid,
  }
end
return { title = list.title, entries = entries, selected = list.idx, id = list.id,
         lists = vim.fn.getqflist({ nr = '$' }).nr, window = list.winid }
"""

RECURSIVE = """\
#include "far.h"
int down(int n) {
  return n == 0 ? 0 : 1 + down(n - 1); /* again */
}
int main(void) {
  int sum = 0;
  for (int i = 0; i < 20; i++) sum += down(3); /* twenty */
  /* ä€𝄞 */ sum += far(1); sum += down(1); /* behind characters */
  return sum == 0;
}
"""
FAR = """\
#include "far.h"
int down(int n);
int far(int n) {
  return down(n) + 1; /* far away */
}
"""


class Lists(NeovimTest):
    def setUp(self):
        super().setUp()
        self.workspace = self.known_program()
        self.neovim = self.open(self.workspace)
        self.neovim.wait_until_at_rest()

    def list(self):
        return self.neovim.lua(READ_LIST)

    def filled(self, command, line=None):
        """The list that the command has made."""
        if line:
            self.neovim.command(str(line))
        before = self.list()["id"]
        self.neovim.command(command)
        return self.neovim.wait_for(self.list, lambda found: found["id"] != before, command)

    def entries(self, found):
        return [(file, line, text) for file, line, _, text, _ in found["entries"]]

    def place(self):
        return self.neovim.lua("return { vim.fn.expand('%:t'), vim.fn.line('.'), vim.fn.col('.') }")


class Callers(Lists):
    def test_every_call_site_hottest_first(self):
        found = self.filled("GprofCallers", 2)
        self.assertEqual("Callers of leaf · program", found["title"])
        self.assertEqual([
            ("hot.c", 7, "15,000 calls · ≈0.30 ±0.04 s (30 %) · from middle"),
            ("hot.c", 15, "10,000 calls · ≈0.20 ±0.03 s (20 %) · from main"),
            ("hot.c", 8, "5,000 calls · ≈0.10 ±0.01 s (10 %) · from middle"),
        ], self.entries(found))
        # The first one was gone to, and the list is open, with the cursor in the code.
        self.neovim.wait_for(self.place, lambda place: place == ["hot.c", 7, 10], "the first call")
        self.assertNotEqual(0, self.list()["window"])
        self.neovim.command("cnext")
        self.assertEqual(["hot.c", 15, 12], self.place())

    def test_a_bang_stays_and_goes_to_the_list(self):
        found = self.filled("GprofCallers!", 2)
        self.assertEqual(3, len(found["entries"]))
        self.neovim.wait_for(lambda: self.neovim.lua("return vim.bo.buftype"),
                             lambda kind: kind == "quickfix", "the list's window")
        self.neovim.command("wincmd p")
        self.assertEqual(2, self.place()[1])

    def test_callees_are_the_lines_that_call(self):
        found = self.filled("GprofCallees", 13)
        self.assertEqual("Callees of main · program", found["title"])
        self.assertEqual([
            ("hot.c", 14, "100 calls · ≈0.76 ±0.08 s (76 %) · of middle (hot.c:5)"),
            ("hot.c", 15, "10,000 calls · ≈0.20 ±0.03 s (20 %) · of leaf (hot.c:1)"),
        ], self.entries(found))

    def test_why_there_is_no_list(self):
        self.neovim.command("13")
        self.neovim.refuses("GprofCallers", "the profile has no calls of main")
        self.neovim.command("4")
        self.neovim.refuses("GprofCallers", "no profiled function at the cursor")
        self.neovim.command("2")
        self.neovim.refuses("GprofCallees", "the profile has no calls by leaf")
        self.neovim.command("enew")
        self.neovim.refuses("GprofCallers", "no server runs for this buffer")
        self.assertEqual(0, self.list()["id"])

    def test_the_window_stays_closed_where_that_is_set(self):
        self.neovim.lua("require('gprof').setup({ lists = { open = false } })")
        self.filled("GprofCallers", 2)
        self.neovim.wait_for(self.place, lambda place: place == ["hot.c", 7, 10], "the first call")
        self.assertEqual(0, self.list()["window"])


class Refreshed(Lists):
    def test_another_run_fills_the_list_anew(self):
        self.filled("GprofCallers", 2)
        self.neovim.command("cc 2")
        self.workspace.make(scale=2)
        found = self.neovim.wait_for(self.list, lambda found: "30,000 calls" in str(found), "the new run")
        self.assertEqual(["30,000 calls · ≈0.30 ±0.04 s (30 %) · from middle", 2, 1],
                         [found["entries"][0][3], found["selected"], found["lists"]])

    def test_the_function_is_found_again_below_an_edit(self):
        self.filled("GprofCallers", 2)
        self.neovim.lua("vim.api.nvim_buf_set_lines(vim.fn.bufnr('hot.c'), 0, 0, false, { '/* a */', '/* b */' })")
        self.workspace.make(scale=2)
        found = self.neovim.wait_for(self.list, lambda found: "30,000 calls" in str(found), "the new run")
        self.assertEqual([9, 17, 10], [entry[1] for entry in found["entries"]])

    def test_lists_of_others_are_left_alone(self):
        self.filled("GprofCallers", 2)
        self.neovim.command("call setqflist([{'text': 'mine'}])")
        self.filled("GprofHotspots")
        self.neovim.command("colder")
        self.workspace.make(scale=2)
        self.neovim.wait_for(lambda: self.neovim.texts(), lambda texts: "20.0k" in str(texts), "the new run")
        self.assertEqual("mine", self.list()["entries"][0][3])
        self.neovim.command("colder")
        self.assertIn("15,000 calls", self.list()["entries"][0][3])

    def test_nothing_is_shown_any_more(self):
        self.filled("GprofCallers", 2)
        self.neovim.command("Gprof clear")
        self.neovim.wait_for(self.list, lambda found: found["title"].endswith("(outdated)"), "the title")
        self.neovim.command("Gprof reload")
        self.neovim.wait_for(self.list, lambda found: found["title"].endswith("program"), "the title")


class HotSpots(Lists):
    def test_by_what_leads(self):
        found = self.filled("GprofHotspots")
        self.assertEqual("Hot spots by self time · program", found["title"])
        self.assertEqual([
            ("hot.c", 1, "#1 leaf · self 0.60 ±0.08 s (60 %) · 30,000 calls"),
            ("hot.c", 5, "#2 middle · self 0.36 ±0.06 s (36 %) · total ≈0.76 ±0.08 s (76 %) · 100 calls"),
        ], self.entries(found)[:2])
        self.neovim.wait_for(self.place, lambda place: place == ["hot.c", 1, 5], "the first function")

    def test_by_another_metric(self):
        found = self.filled("GprofHotspots total")
        self.assertEqual(["main", "middle", "leaf"],
                         [text.split()[1] for _, _, text in self.entries(found)])
        found = self.filled("GprofHotspots calls")
        self.assertEqual("#1 leaf · 30,000 calls · self 0.60 ±0.08 s (60 %)", self.entries(found)[0][2])
        self.neovim.refuses("GprofHotspots heat", "has no metric heat; it has time, calls, executions, self, total, cpu")

    def test_completion(self):
        complete = "return vim.fn.getcompletion('GprofHotspots ' .. ..., 'cmdline')"
        self.assertEqual(METRICS, self.neovim.lua(complete, "")[:len(METRICS)])
        self.assertEqual(["total"], self.neovim.lua(complete, "to"))


class HotLines(Lists):
    """Of hot.c the lines 2, 9 and 16 took time."""

    def gone(self, command, line):
        self.neovim.command(command)
        self.neovim.wait_for(lambda: self.place()[1], lambda at: at == line, f"{command} to line {line}")

    def test_forth_and_back(self):
        self.neovim.command("1")
        for command, line in (("GprofNext", 2), ("GprofNext", 9), ("GprofNext", 16), ("GprofNext", 2),
                              ("GprofPrev", 16), ("GprofPrev", 9), ("2GprofNext", 2)):
            self.gone(command, line)
        # On the first character of the line, and CTRL-O leads back.
        self.assertEqual(["hot.c", 2, 3], self.place())
        self.neovim.keys("<C-O>")
        self.neovim.wait_for(lambda: self.place()[1], lambda at: at != 2, "the jump list")

    def test_maps_take_counts(self):
        self.neovim.command("nmap gn <Plug>(gprof-next)")
        self.neovim.command("1")
        self.neovim.keys("2gn")
        self.neovim.wait_for(lambda: self.place()[1], lambda at: at == 9, "the second one")

    def test_the_end_where_it_does_not_wrap(self):
        self.neovim.command("set nowrapscan")
        self.neovim.command("9")
        self.gone("5GprofNext", 16)
        self.neovim.refuses("GprofNext", "no hot line below this one")
        self.neovim.command("2")
        self.neovim.refuses("GprofPrev", "no hot line above this one")

    def test_why_there_is_none(self):
        self.neovim.command("Gprof threshold 0.7")
        self.neovim.wait_for(lambda: len(self.neovim.texts()), lambda count: count < 10, "fewer figures")
        self.neovim.refuses("GprofNext", "no line of this file took 70 % of the time")
        self.workspace.write("other.c", "int other;\n")
        self.neovim.command("edit other.c")
        self.neovim.wait_until_at_rest()
        self.neovim.refuses("GprofNext", "no profile has code of this file")


class Recursion(Lists):
    def setUp(self):
        NeovimTest.setUp(self)
        self.workspace = Workspace(self.folder / "project")
        (self.workspace.directory / ".git").mkdir(parents=True)
        self.workspace.write("far.h", "int far(int n);\n")
        self.workspace.write("far.c", FAR)
        self.workspace.write("main.c", RECURSIVE)
        self.workspace.build(("main.c", "far.c"))
        self.workspace.execute()
        self.neovim = self.open(self.workspace, "main.c")
        self.neovim.wait_until_at_rest()

    def test_recursive_calls_are_last(self):
        line = self.workspace.line_of
        found = self.filled("GprofCallers!", line("main.c", "again"))
        self.assertEqual([
            ("main.c", line("main.c", "twenty"), "20 calls · from main"),
            ("far.c", line("far.c", "far away"), "1 call · from far"),
            ("main.c", line("main.c", "behind characters"), "1 call · from main"),
            ("main.c", line("main.c", "again"), "62 recursive calls · from down"),
        ], self.entries(found))
        # The column is in bytes, whatever the server counts.
        text = self.workspace.path("main.c").read_text().splitlines()[line("main.c", "behind characters") - 1]
        self.assertEqual(len(text[:text.index("down")].encode()) + 1, found["entries"][2][2])
