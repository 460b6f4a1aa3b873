"""`:Gprof timeline`: what the float shows, and how threads and a stretch are chosen on it."""
import copy

from selecting import ANSWERS
from selection_test import LAST_LINE, PARSER_LINE, READ_FLOAT, READ_GROUPS, READ_PLACE, SOLVER_LINE, SelectionTest
from session import FIGURES

# Cells before those of the run: "thread 13", "parser (11)" and the longest, "my solver (12)".
LABEL = len("my solver (12) ")


class TimelineTest(SelectionTest):
    columns = 100

    def setUp(self):
        super().setUp()
        self.neovim.command(f"set columns={self.columns} lines=30")

    def lines(self):
        return self.neovim.lua(READ_FLOAT)

    def open_float(self, words=""):
        self.neovim.command(f"Gprof timeline {words}")
        return self.neovim.wait_for(self.lines, bool, "the float")

    def cells(self, line):
        return line[LABEL:LABEL + self.width()]

    def width(self):
        return self.columns - 6 - (LABEL - 1) - 10

    def go_to(self, line, cell):
        self.neovim.lua("vim.api.nvim_win_set_cursor(0, { ..., 0 })", line)
        self.neovim.command(f"normal! 0{LABEL + cell - 1}l")
        self.neovim.keys("<Ignore>")

    def test_rows(self):
        lines = self.open_float()
        self.assertEqual("program · CPU time, in seconds · 0 s to 5 s", lines[0])
        self.assertIn("<CR> on a name: thread", lines[1])
        self.assertEqual("Selected: all", lines[2])
        self.assertEqual("╷0 s", lines[3].split()[0] + " s")
        self.assertTrue(lines[PARSER_LINE - 1].startswith("parser (11)    ▄"), lines)
        cells = self.cells(lines[PARSER_LINE - 1])
        self.assertEqual(["▄", "█", "▄", "▂", "▁"], list(dict.fromkeys(cells[:len(cells) // 5])) +
                         list(dict.fromkeys(cells[len(cells) // 5 + 1:len(cells) // 2 - 1])))
        self.assertEqual(" " * (len(cells) // 2), cells[len(cells) // 2:])
        self.assertTrue(lines[PARSER_LINE - 1].endswith("  0.19 s"))
        self.assertEqual({" ", "█"}, set(self.cells(lines[SOLVER_LINE - 1])))
        self.assertEqual("thread 13", lines[LAST_LINE - 1][:LABEL].strip())
        self.assertEqual("0.020 s of which it is not known when", lines[LAST_LINE])
        self.assertEqual(1, len({line.index("s", LABEL + self.width()) for line in lines[4:6]}))

    def test_colours(self):
        self.open_float()
        groups = self.neovim.lua(READ_GROUPS, PARSER_LINE)
        self.assertEqual(["GprofHeat5", "GprofHeat4", "GprofHeat3"], list(dict.fromkeys(group for group, _ in groups)))
        self.assertEqual({"GprofHeat5"}, {group for group, _ in self.neovim.lua(READ_GROUPS, SOLVER_LINE)})

    def test_a_stretch_by_visual_mode(self):
        self.open_float()
        width = self.width()
        # From the cursor, which is on the first cell, to the middle.
        self.neovim.keys(f"v{width // 2 - 1}l<CR>")
        self.wait_for_selection({"from": 0, "to": 2.5})
        self.neovim.wait_for(self.lines, lambda lines: "selected" in lines[2], "what is selected")
        selected = [text for group, text in self.neovim.lua(READ_GROUPS, PARSER_LINE) if group == "GprofSelected"]
        self.assertEqual([self.cells(self.lines()[PARSER_LINE - 1])[:width // 2]], selected)
        self.assertEqual("n", self.neovim.lua("return vim.api.nvim_get_mode().mode"))
        # The figures behind it are asked for, the float stays.
        self.neovim.keys("x")
        self.wait_for_selection(None)
        self.neovim.wait_for(self.lines, lambda lines: lines[2] == "Selected: all", "all")

    def test_a_stretch_is_of_whole_slices(self):
        self.open_float()
        # Two cells that are in the second slice.
        self.go_to(SOLVER_LINE, self.width() // 10 + 3)
        self.neovim.keys("vh<CR>")
        self.wait_for_selection({"from": 0.5, "to": 1})

    def test_a_thread_by_its_name_and_with_a_stretch(self):
        self.open_float()
        self.neovim.keys("j0<CR>")
        self.wait_for_selection({"threads": [12]})
        self.neovim.wait_for(lambda: self.neovim.lua(READ_GROUPS, SOLVER_LINE),
                             lambda groups: ["GprofSelected", "my solver (12)"] in groups, "the name, marked")
        self.go_to(PARSER_LINE, 1)
        self.neovim.keys("v$<CR>")
        self.wait_for_selection({"threads": [12]})
        self.neovim.keys(f"{LABEL + self.width() // 2 + 1}|v$<CR>")
        self.wait_for_selection({"threads": [12], "from": 2.5, "to": 5})
        # Chosen once more, it is given up.
        self.neovim.keys("j0<CR>")
        self.wait_for_selection({"from": 2.5, "to": 5})

    def test_several_threads_by_lines(self):
        self.open_float()
        self.neovim.keys("Vj<CR>")
        self.wait_for_selection({"threads": [11, 12]})

    def test_the_place_of_the_cursor(self):
        self.open_float()
        self.go_to(PARSER_LINE, 10)
        self.neovim.wait_for_lua("return vim.fn.col('.') > 5")
        self.neovim.wait_for(lambda: self.neovim.lua(READ_PLACE), lambda text: text == " · 0.5 s to 1 s: 0.080 s",
                             "the place")
        self.neovim.keys("v0")
        self.neovim.wait_for(lambda: self.neovim.lua(READ_PLACE), lambda text: text == " · 0 s to 1 s", "the stretch")

    def test_a_cell_alone_chooses_nothing(self):
        self.open_float()
        self.neovim.keys("<CR>")
        self.neovim.wait_for(self.neovim.messages, lambda said: "v and a motion choose a stretch" in said, "a hint")
        self.assertEqual([], self.selections())

    def test_it_closes(self):
        for keys in ("q", "<Esc>", ":wincmd p<CR>"):
            with self.subTest(keys):
                self.open_float()
                self.neovim.keys(keys)
                self.neovim.wait_for(self.lines, lambda lines: not lines, "no float")
        self.assertEqual(1, self.neovim.lua("return #vim.api.nvim_list_wins()"))
        self.neovim.wait_for_texts(FIGURES)

    def test_in_one_line(self):
        self.neovim.lua("vim.api.nvim_echo = function(chunks) vim.g.said = chunks end")
        self.neovim.command("Gprof timeline echo")
        chunks = self.neovim.wait_for_lua("return vim.g.said")
        said = "".join(chunk[0] for chunk in chunks)
        self.assertTrue(said.startswith("program cpu 0 s ▄"), said)
        self.assertTrue(said.endswith("█ 5 s"), said)
        self.assertLessEqual(len(said), self.columns)
        self.assertIn("GprofHeat5", {chunk[1] for chunk in chunks if len(chunk) > 1})

    def test_in_one_line_where_there_is_no_room(self):
        self.neovim.command("set columns=50")
        self.neovim.lua("vim.api.nvim_echo = function(chunks) vim.g.said = chunks end")
        self.neovim.command("Gprof timeline")
        self.neovim.wait_for_lua("return vim.g.said")
        self.assertEqual([], self.lines())

    def test_an_unknown_word(self):
        self.assertIn("There are: threads, processes, echo", self.refusal("Gprof timeline rows"))
        self.assertEqual(["processes"], self.completed("Gprof timeline p"))

    def test_the_screen_is_made_smaller(self):
        self.open_float()
        self.neovim.command("set columns=80")
        self.columns = 80
        self.neovim.wait_for(self.lines, lambda lines: lines and max(map(len, lines)) < 80, "a narrower float")


class NoTimelineTest(SelectionTest):
    answers = copy.deepcopy(ANSWERS)
    answers["gprof/metrics"] |= {"threads": [], "length": 0, "sliceWidth": 0}

    def test_it_is_said(self):
        self.assertIn("does not tell when its samples were taken", self.refusal("Gprof timeline"))
        self.assertEqual(["process="], self.completed("Gprof select "))
