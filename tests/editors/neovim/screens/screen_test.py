"""What a user sees: a real Neovim in a terminal, typed into, its screen compared with the profile."""
import os
import pathlib
import re

from selecting import ANSWERS, answer_in_between
from session import COMMAND, FIGURES, SERVER, SUMMARIES, VERSION, NeovimTest
from skipping import require_or_skip

from profiled_program import run
from screen import COLUMNS, Screen

SIGN = "▎"
SIGNS = {2, 9, 16}
# Cells of the sign column.
GUTTER = 2


class OnScreen(NeovimTest):
    """A Neovim in a terminal that shows the known program."""

    def setUp(self):
        super().setUp()
        require_or_skip("tmux")
        self.prepare()
        self.workspace = self.known_program()
        self.source = self.workspace.path("hot.c").read_text().splitlines()
        self.screen = Screen([COMMAND, "-n", "-i", "NONE", "-u", str(self.init()), "hot.c"],
                             self.home, self.workspace.directory, self.path)
        self.addCleanup(self.screen.close)
        self.addCleanup(self.keep)

    def prepare(self):
        """What is to be there before Neovim is started."""

    def keep(self):
        folder = os.environ.get("GPROF_LSP_KEPT")
        if folder:
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            version = ".".join(map(str, VERSION))
            self.screen.keep(pathlib.Path(folder) / f"neovim-{version}-{self._testMethodName}.txt")

    def expected(self, text, by_line):
        """Source line -> what stands behind it, of a text whose lines are these."""
        return [(line, by_line.get(number, "")) for number, line in enumerate(text, 1)]

    def figures(self):
        return {**FIGURES, **SUMMARIES}

    def is_shown(self, row, line, figure):
        """Whether the row of the screen is the line with its figure, as far as there is room."""
        body = row[GUTTER:]
        shown = body[len(line):].strip()
        return body.startswith(line) and (
            shown == figure or len(row) == COLUMNS and shown != "" and figure.startswith(shown))

    def wait_for_figures(self, text, by_line):
        wanted = self.expected(text, by_line)
        return self.screen.wait_for(
            lambda rows: all(self.is_shown(row, *one) for row, one in zip(rows, wanted)),
            "figures behind lines, which should be\n" + "\n".join(f"{line}   {figure}" for line, figure in wanted))


class ScreenTest(OnScreen):
    def test_counts_times_and_signs(self):
        rows = self.wait_for_figures(self.source, self.figures())
        self.assertEqual({line for line in range(1, len(self.source) + 1) if rows[line - 1].startswith(SIGN)},
                         SIGNS)
        # Below each other: units of times, and the first letters of functions.
        ends = {re.search(r" s\b", rows[line - 1]).start() for line in SIGNS}
        self.assertEqual(1, len(ends), ends)
        starts = {rows[line - 1].index(text[:80]) for line, text in SUMMARIES.items()}
        self.assertEqual(1, len(starts), starts)
        self.assertGreater(min(starts), GUTTER + max(map(len, self.source)))
        # Nothing covers the text, and nothing is said.
        self.assertNotIn("Error", "\n".join(rows))

    def colour_of(self, line, text):
        """That of the first character of the text on the line."""
        cells = self.screen.coloured_rows()[line - 1]
        at = "".join(character for character, _ in cells).index(text)
        return cells[at][1]

    def test_colours_follow_heat(self):
        self.wait_for_figures(self.source, self.figures())
        colours = {line: self.colour_of(line, FIGURES[line]) for line in (2, 9, 16, 7)}
        self.assertEqual(4, len(set(colours.values())), colours)
        self.assertEqual(self.colour_of(7, FIGURES[7]), self.colour_of(14, FIGURES[14]))
        # A sign has the colour of its figures.
        for line in SIGNS:
            self.assertEqual(self.colour_of(line, SIGN).split(";")[:2],
                             self.colour_of(line, FIGURES[line]).split(";")[:2], line)

    def test_typing_above_and_undo(self):
        self.wait_for_figures(self.source, self.figures())
        self.screen.keys("5GO/* typed above */")
        text = [*self.source[:4], "/* typed above */", *self.source[4:]]
        figures = {line + 1 if line >= 5 else line: figure for line, figure in self.figures().items()}
        # While it is typed, in insert mode, and behind it.
        self.wait_for_figures(text, figures)
        self.screen.keys("Escape")
        self.wait_for_figures(text, figures)
        self.screen.keys("u")
        self.wait_for_figures(self.source, self.figures())

    def test_callers(self):
        self.wait_for_figures(self.source, self.figures())
        self.screen.keys(":1", "Enter", ":GprofCallers", "Enter")
        rows = self.screen.wait_for(lambda rows: any("from main" in row for row in rows), "callers of leaf")
        entries = [row for row in rows if re.match(r"hot\.c\|\d+ col", row)]
        self.assertEqual([7, 15, 8], [int(re.match(r"hot\.c\|(\d+)", row)[1]) for row in entries])
        for row, words in zip(entries, ("15,000 calls", "10,000 calls", "5,000 calls")):
            self.assertIn(words, row)
        self.assertTrue(any("Callers of leaf" in row for row in rows))
        # The cursor is on the hottest call, and the next entry leads to the next one.
        self.screen.keys(":echo 'at' line('.')", "Enter")
        self.screen.wait_for(lambda rows: "at 7" in rows[-1], "the cursor on line 7")
        self.screen.keys(":cnext | echo 'at' line('.')", "Enter")
        self.screen.wait_for(lambda rows: "at 15" in rows[-1], "the cursor on line 15")

    def test_flat_profile(self):
        self.wait_for_figures(self.source, self.figures())
        self.screen.keys(":GprofFlat", "Enter")
        printed = run([SERVER, "report", "-b", "-p", "program", "gmon.out"], self.workspace.directory)
        wanted = [line.rstrip() for line in printed.rstrip("\n").split("\n")]
        rows = self.screen.wait_for(lambda rows: [row.rstrip() for row in rows[:len(wanted)]] == wanted,
                                    "the flat profile")
        self.assertTrue(any("gprof-report:///flat-profile" in row for row in rows))
        self.screen.keys("/middle", "Enter", "Enter", ":echo 'at' line('.')", "Enter")
        self.screen.wait_for(lambda rows: "at 5" in rows[-1], "the cursor on middle")


class TimelineScreenTest(OnScreen):
    def prepare(self):
        answer_in_between(self.path, SERVER, ANSWERS)

    def row_of(self, rows, name):
        """The row of a thread, without the float's border."""
        row, = [row for row in rows if f"│{name}" in row]
        return row.strip("~ │")

    def test_time_line(self):
        self.wait_for_figures(self.source, self.figures())
        self.screen.keys(":Gprof timeline", "Enter")
        # Line by line, its border last.
        rows = self.screen.wait_for(lambda rows: any("my solver (12)" in row for row in rows)
                                    and any("──╯" in row for row in rows), "the time line")
        self.assertTrue(self.row_of(rows, "parser (11)").startswith("parser (11)    ▄"), rows)
        self.assertEqual(["my", "solver", "(12)", "0.40", "s"], self.row_of(rows, "my solver").replace("█", "").split())
        # The code is seen above it, and the float has its border.
        self.assertEqual(self.source[1], rows[1][GUTTER:][:len(self.source[1])])
        self.assertTrue(any("╭──" in row for row in rows))
        self.screen.keys("v", "9l", "Enter")
        self.screen.wait_for(lambda rows: any("Selected: selected" in row for row in rows), "the stretch")
        number, = [number for number, row in enumerate(self.screen.rows(), 1) if "│parser (11)" in row]
        cells = self.screen.coloured_rows()[number - 1]
        first = next(index for index, (character, _) in enumerate(cells) if character == "▄")
        # What is selected has another background than the same block in the rest of the row.
        self.assertNotEqual(cells[first][1], [colour for character, colour in cells if character == "▄"][-1])
        self.screen.keys("x", "q")
        # The figures are there before the keys have been handled.
        self.screen.wait_for(lambda rows: not any("│" in row for row in rows), "the end of the time line")
        self.wait_for_figures(self.source, self.figures())
