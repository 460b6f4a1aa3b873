"""Figures follow the text: through edits of every kind, undo, and at once."""
import contextlib
import os
import signal

from session import FIGURES, NeovimTest, moved


def without(*lines):
    return {line: text for line, text in FIGURES.items() if line not in lines}


class EditedProgram(NeovimTest):
    """A Neovim that shows hot.c."""

    def setUp(self):
        super().setUp()
        self.show_known_program()
        self.neovim.wait_until_at_rest()
        self.ticks = 0

    def type(self, keys):
        """Types them, and waits until they have been taken."""
        self.ticks += 1
        self.neovim.keys(f"{keys}<Cmd>let g:taken = {self.ticks}<CR>")
        self.neovim.wait_for(lambda: self.neovim.lua("return vim.g.taken"),
                             lambda taken: taken == self.ticks, f"the keys {keys}")

    def check_rest(self, wanted):
        """Once everything is answered, these are the figures."""
        self.neovim.wait_until_at_rest()
        self.assertEqual(wanted, self.neovim.texts())

    @contextlib.contextmanager
    def silent_server(self):
        """The server answers nothing: what happens meanwhile is the plugin's own doing."""
        server, = self.neovim.servers()
        os.kill(server, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(server, signal.SIGCONT)

    def check_at_once(self, keys, wanted):
        """The figures before the server has said anything of the edit."""
        with self.silent_server():
            self.type(keys)
            self.neovim.wait_for_texts(wanted)


class EditingTest(EditedProgram):
    def test_lines_above_move_the_figures(self):
        with self.silent_server():
            self.type("gg2O/* above */<Esc>")
            self.assertEqual(moved(FIGURES, 1, 2), self.neovim.texts())
        self.check_rest(moved(FIGURES, 1, 2))
        self.type("u")
        self.check_rest(FIGURES)
        self.type("<C-r>")
        self.check_rest(moved(FIGURES, 1, 2))

    def test_lines_between(self):
        self.type("8GO/* between */<Esc>")
        self.check_rest(moved(FIGURES, 8, 1))

    def test_an_edited_line_loses_its_figures_at_once(self):
        self.check_at_once("2GA /**/<Esc>", without(2))
        self.check_rest({**FIGURES, 2: "changed"})
        self.type("u")
        self.check_rest(FIGURES)

    def test_while_a_line_is_typed(self):
        self.check_at_once("9Gix", without(9))
        self.type("<BS>")
        self.check_rest(FIGURES)
        self.assertEqual("i", self.neovim.lua("return vim.api.nvim_get_mode().mode"))

    def test_one_character_replaced(self):
        self.check_at_once("2Gfxry", without(2))
        self.type("u")
        self.check_rest(FIGURES)

    def test_a_deleted_line(self):
        self.check_at_once("8Gdd", moved(without(8), 9, -1))
        self.check_rest(moved(without(8), 9, -1))
        self.type("u")
        self.check_rest(FIGURES)

    def test_all_lines_deleted(self):
        self.check_at_once("ggdG", {})
        self.check_rest({})
        self.type("u")
        self.check_rest(FIGURES)

    def test_lines_deleted_with_their_neighbours(self):
        self.check_at_once("7G3dd", moved(without(7, 8, 9), 10, -3))
        self.check_rest(moved(without(7, 8, 9), 10, -3))
        self.type("u")
        self.check_rest(FIGURES)

    def test_two_lines_joined(self):
        self.check_at_once("7GJ", moved(without(7, 8), 9, -1))
        self.type("u")
        self.check_rest(FIGURES)

    def test_a_line_split_before_its_text(self):
        self.type("9G0i<CR><Esc>")
        self.check_rest(moved(FIGURES, 9, 1))
        self.type("u")
        self.check_rest(FIGURES)

    def test_a_new_line_behind_a_hot_one(self):
        with self.silent_server():
            self.type("7GA<CR>int other;<Esc>")
            self.neovim.wait_for_texts(moved(FIGURES, 8, 1))
        self.check_rest(moved(FIGURES, 8, 1))

    def test_indented(self):
        self.check_at_once("7G>>", without(7))
        self.type("<lt><lt>")
        self.neovim.wait_until_at_rest()
        self.assertEqual(self.workspace.path("hot.c").read_text().splitlines(),
                         self.neovim.line_texts())

    def test_replaced_everywhere(self):
        self.check_at_once(":%s/leaf(x/leaf( x/<CR>", without(7, 8))
        self.type("u")
        self.check_rest(FIGURES)

    def test_replaced_by_the_same(self):
        self.type(":%s/leaf/leaf/g<CR>")
        self.check_rest(FIGURES)

    def test_filtered_through_a_program_that_changes_nothing(self):
        self.type(":%!cat<CR>")
        self.check_rest(FIGURES)
        self.type("u")
        self.check_rest(FIGURES)

    def test_indented_anew(self):
        self.type("gg=G")
        self.neovim.wait_until_at_rest()
        lines = self.neovim.line_texts()
        compiled = self.workspace.path("hot.c").read_text().splitlines()
        for line, text in FIGURES.items():
            wanted = (text,) if lines[line - 1] == compiled[line - 1] else ("changed", None)
            self.assertIn(self.neovim.texts().get(line), wanted, line)

    def test_many_lines_pasted(self):
        self.neovim.lua("vim.fn.setreg('a', vim.fn['repeat']({ 'int pasted;' }, 500), 'l')")
        self.type('11G"ap')
        self.check_at_rest_after_scrolling(moved(FIGURES, 12, 500))
        self.type("u")
        self.check_rest(FIGURES)

    def check_at_rest_after_scrolling(self, wanted):
        """The same, where not all of the lines are on the screen."""
        for line in wanted:
            self.type(f"{line}G")
            self.neovim.wait_for_texts(lambda texts, line=line: texts.get(line) == wanted[line])

    def test_a_macro_over_many_lines(self):
        self.type("ggqqA;<Esc>jq17@q")
        self.neovim.wait_until_at_rest()
        self.assertEqual({"changed"}, set(self.neovim.texts().values()))
        self.type("18u")
        self.check_rest(FIGURES)

    def test_a_block_of_columns(self):
        self.check_at_once("7G0<C-v>jIx<Esc>", without(7, 8))
        self.type("u")
        self.check_rest(FIGURES)

    def test_changed_by_another_plugin(self):
        """By calls of the API, of which no key tells."""
        self.neovim.lua("vim.api.nvim_buf_set_lines(0, 0, 0, false, { '/* one */', '/* two */' })")
        self.check_rest(moved(FIGURES, 1, 2))
        self.neovim.lua("vim.api.nvim_buf_set_text(0, 10, 2, 10, 8, { 'return ' })")
        self.neovim.wait_until_at_rest()
        self.assertNotIn("0.36", self.neovim.texts().get(11, ""))

    def test_undo_of_everything(self):
        self.type("ggOfirst<Esc>2jdd7Gddp9GA;<Esc>:%s/total/sum/g<CR>")
        self.neovim.wait_until_at_rest()
        self.type(":undo 0<CR>")
        self.check_rest(FIGURES)

    def test_undo_far_back_and_forth(self):
        self.type("ggOa<Esc>ob<Esc>oc<Esc>")
        self.type(":earlier 3<CR>")
        self.check_rest(FIGURES)
        self.type(":later 3<CR>")
        self.check_rest(moved(FIGURES, 1, 3))

    def test_a_quick_typist(self):
        for _ in range(5):
            self.neovim.keys("ggO/* more and more words */<Esc>")
        self.type("")
        self.check_rest(moved(FIGURES, 1, 5))
        self.type("5u")
        self.check_rest(FIGURES)


class MovedLinesTest(EditedProgram):
    """A line that was moved is where its text is, or shows nothing; never another line's figures."""

    def check_honest(self):
        """Figures stand on lines whose text they were made for, alone."""
        self.neovim.wait_until_at_rest()
        compiled = self.workspace.path("hot.c").read_text().splitlines()
        texts = {compiled[line - 1]: text for line, text in FIGURES.items()}
        lines = self.neovim.line_texts()
        shown = {lines[line - 1]: text for line, text in self.neovim.texts().items()}
        self.assertLessEqual(shown.items(), texts.items())
        return shown

    def test_deleted_and_put(self):
        self.type("8Gddp")
        self.assertGreaterEqual(len(self.check_honest()), 6)
        self.type("uu")
        self.check_rest(FIGURES)

    def test_moved_by_a_command(self):
        self.type(":9move 6<CR>")
        self.assertGreaterEqual(len(self.check_honest()), 6)
        self.type("u")
        self.check_rest(FIGURES)

    def test_copied(self):
        self.type("2Gyyp")
        self.check_honest()
        self.assertEqual("60 %  0.60 ±0.08 s   30.0k×", self.neovim.texts()[2])
        self.assertNotIn(3, self.neovim.texts())

    def test_sorted(self):
        self.type(":sort<CR>")
        self.check_honest()
        self.type("u")
        self.check_rest(FIGURES)
