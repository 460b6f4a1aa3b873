"""Which servers run, for whom, and what happens when one ends."""
import os

from neovim import wait_for
from session import FIGURES, NeovimTest, since_0_11

# Waits are as many as they are, and short.
QUICK = """
local compat = require('gprof.compat')
local after = compat.after
compat.after = function(milliseconds, work)
  return after(math.min(milliseconds, 20), work)
end
"""
CLIENTS = "return #require('gprof.server.client').all()"


class SurvivalTest(NeovimTest):
    def wait_for_another(self, neovim, killed):
        return neovim.wait_for(neovim.servers, lambda found: found and killed not in found,
                               "another server")

    def test_a_server_that_was_killed_is_replaced(self):
        workspace = self.known_program()
        neovim = self.open(workspace)
        neovim.wait_for_texts(FIGURES)
        killed = self.kill(neovim)
        # What was true stays while there is no server.
        self.assertEqual(FIGURES, neovim.texts())
        self.assertEqual(1, len(self.wait_for_another(neovim, killed)))
        # The new one serves: it has another profile to tell of, and follows edits.
        workspace.make(scale=2)
        neovim.wait_for_texts(lambda texts: texts.get(8) == "→ 10.0k")
        neovim.keys("ggO/* above */<Esc>")
        neovim.wait_for_texts(lambda texts: texts.get(9) == "→ 10.0k")

    def test_edits_without_a_server(self):
        neovim = self.open(self.known_program())
        neovim.wait_for_texts(FIGURES)
        killed = self.kill(neovim)
        neovim.keys("ggO/* above */<Esc>4GA /**/<Esc>")
        self.wait_for_another(neovim, killed)
        wanted = {line + 1: text for line, text in FIGURES.items()} | {4: "changed"}
        neovim.wait_for_texts(wanted)
        neovim.keys("3GA /**/<Esc>")
        neovim.wait_for_texts({**wanted, 3: "changed"})

    def test_after_the_fifth_time_it_says_so(self):
        neovim = self.open(self.known_program(), settings=QUICK)
        neovim.wait_for_texts(FIGURES)
        for _ in range(5):
            killed = self.kill(neovim)
            self.wait_for_another(neovim, killed)
            neovim.wait_for_lua(CLIENTS + " == 1")
        self.kill(neovim)
        said = neovim.wait_for(neovim.messages, lambda text: "gprof:" in text, "messages")
        self.assertEqual(1, said.count("the server ended 6 times and is not started again"), said)
        self.assertEqual([], neovim.servers())
        self.assertEqual({}, neovim.marks())
        neovim.keys("ggO<Esc>")
        neovim.command("Gprof restart")
        neovim.wait_for_lua(CLIENTS + " == 1")
        neovim.wait_for_texts({line + 1: text for line, text in FIGURES.items()})

    def test_a_server_that_cannot_run(self):
        (self.path / "gprof-lsp").unlink()
        (self.path / "gprof-lsp").write_text("#!/bin/sh\nexit 1\n")
        (self.path / "gprof-lsp").chmod(0o755)
        neovim = self.open(self.known_program(), settings=QUICK)
        said = neovim.wait_for(neovim.messages, lambda text: "not started again" in text, "messages")
        self.assertEqual(1, said.count("not started again"), said)
        self.assertEqual({}, neovim.marks())

    def test_no_server_at_all(self):
        (self.path / "gprof-lsp").unlink()
        neovim = self.open(self.known_program(), settings="require('gprof').setup { cmd = { 'no-such-server' } }")
        neovim.command("split | edit hot.c | new other.c | set filetype=c")
        said = neovim.wait_for(neovim.messages, lambda text: "checkhealth" in text, "messages")
        self.assertEqual(1, said.count("there is no gprof-lsp to start"), said)

    def test_servers_end_with_neovim(self):
        neovim = self.open(self.known_program())
        neovim.wait_for_texts(FIGURES)
        server, = neovim.servers()
        neovim.keys(":qall!<CR>")
        neovim.wait_until_ended()
        wait_for(lambda: os.path.exists(f"/proc/{server}/exe"), lambda runs: not runs, "the server")

    def test_stopped_by_the_user(self):
        """What was stopped stays so, until the user wants it again."""
        neovim = self.open(self.known_program(), settings=QUICK)
        neovim.wait_for_texts(FIGURES)
        neovim.lua("vim.lsp.stop_client(require('gprof.server.client').all()[1].id)")
        neovim.wait_for(neovim.servers, lambda found: found == [], "no server")
        # Another one would be there within 20 ms; all that was to be done then has been done.
        neovim.lua("vim.wait(300)")
        self.assertEqual([], neovim.servers())
        # Figures that nobody keeps true are none.
        self.assertEqual({}, neovim.marks())
        neovim.command("Gprof restart")
        neovim.wait_for_lua(CLIENTS + " == 1")
        neovim.wait_for_texts(FIGURES)

    def test_restarted_by_the_user(self):
        neovim = self.open(self.known_program())
        neovim.wait_for_texts(FIGURES)
        before = neovim.servers()
        neovim.command("Gprof restart")
        neovim.wait_for(neovim.servers, lambda found: len(found) == 1 and found != before,
                        "another server, and it alone")
        neovim.wait_for_texts(FIGURES)
        self.assertEqual("", neovim.messages())


class WorkspacesTest(NeovimTest):
    def test_one_server_for_all_files_of_a_workspace(self):
        workspace = self.known_program()
        workspace.write("lib/cold.c", "int cold;\n")
        workspace.write("lib/cold.rs", "// cold\n")
        neovim = self.start(workspace.directory, words=["-O3", "hot.c", "lib/cold.c", "lib/cold.rs"])
        neovim.wait_for_texts(FIGURES, neovim.api.funcs.bufnr("hot.c"))
        neovim.wait_for_lua("return #require('gprof.server.client').buffers_of("
                            "require('gprof.server.client').all()[1].id) == 3")
        self.assertEqual(1, len(neovim.servers()))

    def test_two_workspaces_have_two_servers(self):
        one, two = self.known_program("one"), self.known_program("two")
        two.make(scale=2)
        neovim = self.start(one.directory, words=["-O2", one.path("hot.c"), two.path("hot.c")])
        neovim.wait_for_texts(FIGURES, neovim.api.funcs.bufnr(str(one.path("hot.c"))))
        neovim.wait_for_texts(lambda texts: texts.get(8) == "→ 10.0k",
                              neovim.api.funcs.bufnr(str(two.path("hot.c"))))
        self.assertEqual(2, len(neovim.servers()))

    def root_of(self, path):
        neovim = self.start(self.folder)
        return neovim.lua("return require('gprof.server.locate').root(...)", str(path))

    def test_where_a_workspace_begins(self):
        for marker, top in ((".git", "a"), ("gmon.out", "a/b"), ("CMakeLists.txt", "a")):
            with self.subTest(marker):
                folder = self.folder / f"with {marker}"
                (folder / "a" / "b" / "c").mkdir(parents=True)
                (folder / top / marker).touch()
                self.assertEqual(str(folder / top), self.root_of(folder / "a" / "b" / "c" / "x.c"))

    def test_the_uppermost_build_file_counts(self):
        folder = self.folder / "w"
        (folder / "lib" / "deep").mkdir(parents=True)
        for place in (folder, folder / "lib", folder / "lib" / "deep"):
            (place / "CMakeLists.txt").touch()
        self.assertEqual(str(folder), self.root_of(folder / "lib" / "deep" / "x.c"))

    def test_the_file_is_below_a_name_with_blanks_and_signs(self):
        workspace = self.known_program("my code, 100 % [ä#1]")
        neovim = self.start(workspace.directory)
        neovim.lua("vim.cmd('edit ' .. vim.fn.fnameescape(...))", str(workspace.path("hot.c")))
        neovim.wait_for_texts(FIGURES)

    def test_nothing_is_written_into_the_workspace(self):
        workspace = self.known_program()
        before = sorted(map(str, workspace.directory.rglob("*")))
        neovim = self.open(workspace)
        neovim.wait_for_texts(FIGURES)
        neovim.keys(":qall!<CR>")
        neovim.wait_until_ended()
        self.assertEqual(before, sorted(map(str, workspace.directory.rglob("*"))))

    def test_nothing_that_the_workspace_names_is_started(self):
        """Neither a gprof-lsp in the workspace, nor one that its settings name."""
        workspace = self.known_program()
        trap = workspace.write("gprof-lsp", "#!/bin/sh\ntouch trapped\nexit 1\n")
        trap.chmod(0o755)
        workspace.write(".nvim.lua", "vim.fn.writefile({}, 'trapped')\n")
        neovim = self.open(workspace)
        neovim.wait_for_texts(FIGURES)
        self.assertFalse(workspace.path("trapped").exists())


class AutostartTest(NeovimTest):
    def test_off(self):
        neovim = self.open(self.known_program(),
                           settings="require('gprof').setup { autostart = false }")
        neovim.command("edit | doautocmd FileType")
        self.assertEqual([], neovim.servers())
        neovim.command("Gprof start")
        neovim.wait_for_texts(FIGURES)

    @since_0_11
    def test_enabled_by_neovim_as_well(self):
        """No second server, whoever starts it."""
        neovim = self.open(self.known_program(), settings="vim.lsp.enable('gprof')")
        neovim.wait_for_texts(FIGURES)
        neovim.wait_until_at_rest()
        self.assertEqual(1, len(neovim.servers()))
        self.assertEqual("", neovim.messages())

    @since_0_11
    def test_enabled_by_neovim_alone(self):
        neovim = self.open(self.known_program(), settings="""
            require('gprof').setup { autostart = false }
            vim.lsp.enable('gprof')
        """)
        neovim.wait_for_texts(FIGURES)
        self.assertEqual(1, len(neovim.servers()))
        killed = self.kill(neovim)
        neovim.wait_for(neovim.servers, lambda found: found and killed not in found,
                        "another server")

    @since_0_11
    def test_disabled_by_neovim(self):
        neovim = self.open(self.known_program(), settings=QUICK + """
            require('gprof').setup { autostart = false }
            vim.lsp.enable('gprof')
        """)
        neovim.wait_for_texts(FIGURES)
        neovim.lua("vim.lsp.enable('gprof', false)")
        neovim.wait_for(neovim.servers, lambda found: found == [], "no server")
        neovim.lua("vim.wait(300)")
        self.assertEqual([], neovim.servers())
        neovim.lua("vim.lsp.enable('gprof')")
        neovim.command("edit")
        neovim.wait_for_texts(FIGURES)

    @since_0_11
    def test_configured_by_neovim(self):
        """What the user gave to vim.lsp.config() counts, whoever starts the server."""
        for start in ("", "vim.lsp.enable('gprof')"):
            with self.subTest(start):
                neovim = self.open(self.known_program(f"project{len(start)}"), settings=f"""
                    vim.lsp.config('gprof', {{ settings = {{ gprof = {{ threshold = 0.5 }} }} }})
                    {start}
                """)
                neovim.wait_for_texts(lambda texts: texts)
                client = neovim.lua("return require('gprof.server.client').all()[1].settings.gprof")
                self.assertEqual(0.5, client["threshold"])
