"""What is asked for and drawn: what windows show and a screen around it, in all windows alike."""
import time

from session import FIGURES, SUMMARIES, NeovimTest

LINES = 20_000
# Lines that call leaf, far from each other.
CALLS = (5, 4000, 12000, 19990)
GENERATED = """\
int leaf(int x) { return x * 3; }

int main(void) {
  int sum = 0;
"""


def large_source():
    """A source of 20,000 lines, a few of which have figures."""
    lines = GENERATED.splitlines()
    lines += [f"  sum += leaf({number});" if number in CALLS else f"  /* line {number} */"
              for number in range(len(lines) + 1, LINES - 1)]
    return "\n".join([*lines, "  return sum < 0;", "}"]) + "\n"


class LargeFileTest(NeovimTest):
    def setUp(self):
        super().setUp()
        self.record_conversation()
        self.workspace = self.recorded_program("large", {"large.c": large_source()})
        self.neovim = self.open(self.workspace, "large.c")
        self.height = self.neovim.lua("return vim.api.nvim_win_get_height(0)")
        self.neovim.wait_for_texts(lambda texts: 5 in texts)
        self.neovim.wait_until_at_rest()

    def asked(self):
        """(first, last) line of each request for figures, from 1."""
        return [(params["range"]["start"]["line"] + 1, params["range"]["end"]["line"] + 1)
                for params in self.sent("gprof/lineData") if "range" in params]

    def go_to(self, line):
        self.neovim.command(f"normal! {line}Gzz")
        return self.neovim.wait_for_texts(lambda texts: line in texts)

    def test_only_what_is_visible_is_asked_for(self):
        for line in CALLS:
            self.assertEqual("→ 1", self.go_to(line)[line])
        self.neovim.wait_until_at_rest()
        for first, last in self.asked():
            self.assertLessEqual(last - first + 1, 3 * self.height)
        wanted = {number for first, last in self.asked() for number in range(first, last + 1)}
        self.assertLess(len(wanted), LINES / 20)
        # Without a range or with all lines: nowhere.
        self.assertTrue(all("range" in params for params in self.sent("gprof/lineData")))

    def test_what_is_known_is_not_asked_again(self):
        before = len(self.asked())
        for _ in range(3):
            self.neovim.command("normal! j")
            self.neovim.command("normal! k")
        self.neovim.wait_until_at_rest()
        self.assertEqual(before, len(self.asked()))

    def test_a_flight_through_the_file_asks_where_it_ends(self):
        before = len(self.asked())
        for _ in range(40):
            self.neovim.keys("<C-f>")
        self.neovim.keys("12000Gzz")
        self.neovim.wait_for_texts(lambda texts: 12000 in texts)
        self.neovim.wait_until_at_rest()
        # One a screen would be forty; waiting for rest leaves few.
        self.assertLess(len(self.asked()) - before, 20)

    def test_typing_asks_once_it_rests(self):
        self.go_to(12000)
        self.neovim.wait_until_at_rest()
        before, began = len(self.asked()), time.monotonic()
        self.neovim.keys("12001GA")
        for number, letter in enumerate("one after the other, quickly ..."):
            self.neovim.keys(letter if letter != " " else "<Space>")
            self.neovim.wait_for_lua("return #vim.api.nvim_get_current_line() >= ...", number)
        self.neovim.keys("<Esc>")
        self.neovim.wait_until_at_rest()
        # Once the keys rest for 0.15 s: however slow the machine, no more often than that.
        most = (time.monotonic() - began) / 0.15 + 2
        self.assertLess(len(self.asked()) - before, most)
        self.assertEqual("→ 1", self.neovim.texts()[12000])

    def test_two_windows_on_different_parts(self):
        self.neovim.command("split")
        self.neovim.command("normal! 12000Gzz")
        texts = self.neovim.wait_for_texts(lambda texts: 12000 in texts)
        self.assertEqual("→ 1", texts[5])
        self.neovim.wait_until_at_rest()
        # An edit in one asks for both anew.
        self.neovim.command("wincmd j")
        before = len(self.asked())
        self.neovim.keys("ggO/* above */<Esc>")
        self.neovim.wait_for_texts(lambda texts: {6, 12001} <= texts.keys())
        self.neovim.wait_until_at_rest()
        asked = self.asked()[before:]
        for line in (6, 12001):
            self.assertTrue(any(first <= line <= last for first, last in asked), asked)

    def test_lines_in_closed_folds_are_not_asked_for(self):
        self.neovim.command("setlocal foldmethod=manual")
        self.neovim.command("30,18000fold")
        self.neovim.command("normal! gg")
        before = len(self.asked())
        self.neovim.keys("29Gztj")
        self.neovim.wait_for(lambda: len(self.asked()), lambda count: count > before, "requests")
        self.neovim.wait_until_at_rest()
        for first, last in self.asked()[before:]:
            self.assertLess(last - first, 400)


class WindowsTest(NeovimTest):
    def setUp(self):
        super().setUp()
        self.show_known_program()

    def test_another_tab_page(self):
        self.neovim.command("tab split")
        self.neovim.keys("ggO/* above */<Esc>")
        self.neovim.wait_for_texts(lambda texts: 3 in texts)
        self.neovim.command("tabclose")
        self.neovim.wait_until_at_rest()
        self.assertEqual({line + 1: text for line, text in FIGURES.items()}, self.neovim.texts())

    def test_a_buffer_that_is_hidden_and_shown_again(self):
        self.neovim.command("set hidden")
        self.workspace.write("cold.c", "int cold;\n")
        self.neovim.edit("cold.c")
        self.workspace.make(scale=2)
        self.neovim.edit("hot.c")
        self.neovim.wait_for_texts(lambda texts: texts.get(8) == "→ 10.0k")

    def test_a_buffer_that_is_gone_leaves_nothing_behind(self):
        self.workspace.write("cold.c", "int cold;\n")
        buffer = self.neovim.lua("return vim.api.nvim_get_current_buf()")
        self.neovim.edit("cold.c")
        self.neovim.command(f"bwipeout {buffer}")
        self.neovim.wait_for_lua(f"return require('gprof.annotations').of({buffer}) == nil")
        self.neovim.edit("hot.c")
        self.neovim.wait_for_texts(FIGURES)
        self.assertNotIn("rror", self.neovim.messages())

    def test_a_window_that_is_larger(self):
        self.neovim.command("split")
        self.neovim.command("resize 2 | normal! gg")
        self.neovim.command("only")
        self.neovim.wait_for_texts(FIGURES)

    def test_toggled_for_one_buffer(self):
        """Off is off for this buffer alone, and on again shows the same."""
        self.workspace.write("other.c", (self.workspace.path("hot.c")).read_text())
        self.neovim.command("Gprof toggle")
        self.assertEqual({}, self.neovim.marks())
        self.workspace.make(scale=2)
        self.neovim.command("split")
        self.neovim.command("Gprof toggle")
        doubled = self.neovim.wait_for_texts(lambda texts: texts.get(8) == "→ 10.0k")
        self.assertEqual(FIGURES.keys(), doubled.keys())
        self.assertEqual(SUMMARIES.keys(), self.neovim.summaries().keys())

    def test_toggled_off_other_buffers_stay(self):
        other = self.known_program("other")
        buffer = self.neovim.lua("return vim.api.nvim_get_current_buf()")
        self.neovim.command(f"split {other.path('hot.c')}")
        self.neovim.wait_for_texts(FIGURES)
        self.neovim.command("Gprof toggle")
        self.assertEqual({}, self.neovim.texts())
        self.assertEqual(FIGURES, self.neovim.texts(buffer))

    def test_toggled_before_anything_was_answered(self):
        neovim = self.open(self.workspace)
        neovim.command("silent! Gprof toggle")
        neovim.command("silent! Gprof toggle")
        neovim.wait_for_texts(FIGURES)
