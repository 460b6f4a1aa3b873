"""Another profile, another build, another text on the disk: what is shown keeps up, and is honest."""
import os
import time

from session import FIGURES, SUMMARIES, NeovimTest, since_0_10

# Of Neovim 0.7.2 autocommands have no data.
LISTEN = """
_G.loaded = {}
vim.api.nvim_create_autocmd('User', { pattern = 'GprofLoaded', callback = function(event)
  table.insert(_G.loaded, event.data and event.data.program or event.match)
end })
"""
MAIN = """\
int leaf(int x);
int main(void) {
  int sum = 0;
  for (int i = 0; i < ROUNDS; ++i) {
    sum += leaf(i);
  }
  return sum < 0;
}
"""
LEAF = """\
int step(int x) { return x + 1; }
int leaf(int x) {
  return step(x) + step(x + 1);
}
"""


def with_rounds(count):
    return f"#define ROUNDS {count}\n" + MAIN


class RerunTest(NeovimTest):
    """A program of two files, of which each window shows one."""

    def setUp(self):
        super().setUp()
        self.workspace = self.recorded_program("two", {"main.c": with_rounds(12), "leaf.c": LEAF})
        self.neovim = self.start(self.workspace.directory, LISTEN, ["-O2", "main.c", "leaf.c"])
        self.buffers = [self.neovim.api.funcs.bufnr(name) for name in ("main.c", "leaf.c")]

    def wait_for(self, calls, functions):
        for buffer, figures in zip(self.buffers, calls):
            self.neovim.wait_for_texts(figures, buffer)
        for buffer, starts in zip(self.buffers, functions):
            self.assertEqual(starts, {line: text.split(" · ")[0]
                                      for line, text in self.neovim.summaries(buffer).items()})

    def check_first(self):
        self.wait_for([{6: "→ 12"}, {3: "→ 24"}],
                      [{3: "1 call"}, {1: "24 calls", 2: "12 calls"}])

    def test_a_rerun_refreshes_all_windows(self):
        self.check_first()
        # Another count, of the very same sources.
        self.workspace.write("main.c", with_rounds(34))
        self.workspace.build(["main.c", "leaf.c"])
        self.workspace.write("main.c", with_rounds(12))
        self.rerun(self.workspace)
        self.neovim.wait_for_texts({3: "→ 68"}, self.buffers[1])

    def test_a_rerun_of_the_same_program(self):
        self.check_first()
        self.neovim.lua("_G.loaded = {}")
        self.workspace.write("main.c", with_rounds(34))
        self.workspace.build(["main.c", "leaf.c"])
        self.rerun(self.workspace)
        self.neovim.command("checktime | wincmd w | edit | wincmd w | edit")
        self.wait_for([{6: "→ 34"}, {3: "→ 68"}],
                      [{3: "1 call"}, {1: "68 calls", 2: "34 calls"}])
        self.neovim.wait_for_lua("return #_G.loaded > 0")

    def test_the_event_comes_once_a_load(self):
        self.check_first()
        loaded = self.neovim.lua("return _G.loaded")
        self.assertEqual(1, len(loaded), loaded)

    @since_0_10
    def test_the_event_tells_the_program(self):
        self.check_first()
        self.assertEqual([str(self.workspace.path("program"))], self.neovim.lua("return _G.loaded"))


class ReloadTest(NeovimTest):
    def setUp(self):
        super().setUp()
        self.show_known_program()
        self.source = self.workspace.path("hot.c")
        self.neovim.wait_until_at_rest()

    def test_edited_again_without_a_change(self):
        for _ in range(3):
            self.neovim.command("edit")
            self.neovim.wait_until_at_rest()
            self.assertEqual(FIGURES, self.neovim.texts())

    def test_edits_that_are_given_up(self):
        self.neovim.keys("2Gddggdj")
        self.neovim.wait_for_texts(lambda texts: 2 not in texts)
        self.neovim.command("edit!")
        self.neovim.wait_for_texts(FIGURES)
        self.neovim.wait_until_at_rest()
        self.assertEqual(FIGURES, self.neovim.texts())

    def test_a_text_that_another_program_changed(self):
        text = self.source.read_text()
        self.source.write_text("/* first */\n/* second */\n" + text)
        self.neovim.command("set autoread | checktime")
        moved = {line + 2: figures for line, figures in FIGURES.items()}
        self.neovim.wait_for_texts(moved)
        self.assertEqual(self.source.read_text().splitlines(), self.neovim.line_texts())

    def test_saved(self):
        self.neovim.keys("ggO/* above */<Esc>:write<CR>")
        moved = {line + 1: figures for line, figures in FIGURES.items()}
        self.neovim.wait_for_texts(moved)
        self.neovim.wait_until_at_rest()
        self.assertEqual(moved, self.neovim.texts())

    def test_another_name(self):
        """Of a file that no profile knows, and back."""
        self.neovim.command("saveas! other.c")
        self.neovim.wait_for_texts({})
        self.neovim.wait_until_at_rest()
        self.assertEqual({}, self.neovim.summaries())
        self.neovim.command("saveas! hot.c")
        self.neovim.wait_for_texts(FIGURES)
        self.assertEqual(1, len(self.neovim.servers()))

    def test_a_buffer_that_was_detached_from_the_server(self):
        """Nobody tells the server of edits: what it says is of another text."""
        self.neovim.lua("vim.lsp.buf_detach_client(0, require('gprof.server.client').all()[1].id)")
        self.neovim.keys("ggO/* above */<Esc>")
        self.neovim.wait_for_texts({})
        self.neovim.wait_until_at_rest()
        self.assertEqual({}, self.neovim.texts())
        self.neovim.keys(":write<CR>:edit<CR>")
        self.neovim.wait_for_texts({line + 1: text for line, text in FIGURES.items()})

    def test_a_profile_of_another_run(self):
        self.workspace.make(scale=2)
        self.neovim.wait_for_texts(lambda texts: texts.get(8) == "→ 10.0k")
        self.neovim.wait_for(self.neovim.summaries, lambda said: said[1].startswith("60.0k calls"),
                             "summaries")
        self.assertEqual(SUMMARIES.keys(), self.neovim.summaries().keys())

    def test_a_profile_that_is_gone_leaves_the_last_one(self):
        """A program that is built anew takes its profile away for a while."""
        self.workspace.path("gmon.out").unlink()
        self.workspace.make()
        self.neovim.wait_for_lua("return require('gprof.server.status')"
                                 ".of(require('gprof.server.client').all()[1].id).state == 'ready'")
        self.neovim.wait_for_texts(FIGURES)

    def test_rebuilt_since(self):
        """Figures of the last run stay while the program is newer than they are, and it is said."""
        text = self.source.read_text()
        self.source.write_text(text.replace("return x * 3;", "for (; x > 9;) --x; return x * 3;"))
        self.workspace.build(["hot.c"])
        self.source.write_text(text)
        self.neovim.wait_for(lambda: self.neovim.lua("return require('gprof').statusline()"),
                             lambda text: "rebuilt since" in text, "the status line")
        self.neovim.wait_until_at_rest()
        self.assertEqual(FIGURES, self.neovim.texts())


class StaleTest(NeovimTest):
    def test_a_source_that_is_newer_than_the_program(self):
        """Nothing is known of the text that was compiled: lines show nothing, functions that mark."""
        workspace = self.known_program()
        source = workspace.path("hot.c")
        source.write_text("/* above */\n" + source.read_text().replace("x * 3", "x * 4"))
        future = time.time() + 60
        os.utime(source, (future, future))
        neovim = self.open(workspace)
        neovim.wait_for(lambda: neovim.lua("return require('gprof').statusline()"),
                        lambda text: "source changed" in text, "the status line")
        neovim.wait_until_at_rest()
        self.assertEqual({}, neovim.texts())
        for line, text in neovim.summaries().items():
            self.assertIn("changed since the build", text, line)

    def test_a_source_that_was_seen_before_it_was_changed(self):
        workspace = self.known_program()
        neovim = self.open(workspace)
        neovim.wait_for_texts(FIGURES)
        neovim.close()
        source = workspace.path("hot.c")
        source.write_text("/* above */\n" + source.read_text().replace("x * 3", "x * 4"))
        again = self.open(workspace)
        wanted = {line + 1: text for line, text in FIGURES.items()} | {3: "changed"}
        again.wait_for_texts(wanted)
        self.assertIn("source changed", again.lua("return require('gprof').statusline()"))


class StatusLineTest(NeovimTest):
    def test_program_and_age(self):
        workspace = self.known_program()
        neovim = self.open(workspace, settings="vim.o.statusline = \"%{v:lua.require'gprof'.statusline()}\"")
        neovim.wait_for_texts(FIGURES)
        self.assertEqual("program · time · just now", neovim.lua("return require('gprof').statusline()"))
        past = time.time() - 3 * 60 - 30
        os.utime(workspace.path("gmon.out"), (past, past))
        self.assertEqual("program · time · 3 min ago", neovim.lua("return require('gprof').statusline()"))
        self.assertEqual("", neovim.messages())
