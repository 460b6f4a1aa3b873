"""Vim with ALE in a terminal: hovers, references and diagnostics, as docs/editors.md configures it."""
import os
import pathlib
import re

from client_test import ClientTest, NAME, SOURCE
from documented import check_version, snippet
from skipping import require_or_skip
from terminal import Terminal

ALE = pathlib.Path("/usr/share/vim-ale/autoload/ale.vim")


class Ale(ClientTest):
    def open(self):
        require_or_skip("tmux")
        require_or_skip("vim")
        if not ALE.exists():
            require_or_skip("", "there is no ALE (Debian's package vim-ale)")
        version = re.search(r"s:current_ale_version = \[(\d+), (\d+), (\d+)\]", ALE.read_text())
        check_version(self, "Vim: ALE", ".".join(version.groups()))
        # A vimrc of one's own is instead of Vim's defaults, and those know types of files.
        self.write_home(".vimrc", "filetype plugin indent on\n" + snippet("ale"))
        return Terminal(self, self.home, ["vim", "-n", NAME], self.environment(),
                        self.workspace.directory)

    def test_shows_hovers_and_references(self):
        vim = self.open()
        vim.wait_for("static int work")
        vim.type(f":call cursor({self.line('static int work')}, 12)\n")
        screen = vim.ask("the hover", ":ALEHover\n", lambda screen: "50 calls." in screen)
        for row in (r"\| main +40 ", r"\| twice +10 ", r"\| leaf +250 "):
            self.assertRegex(screen, row)
        vim.type(":ALEFindReferences -quickfix\n")
        vim.type(":copen\n")
        # ALE leaves the definition out.
        vim.wait_for(*(f"{NAME}|{self.line(fragment)} col "
                       for fragment in ("static int twice", "once a turn")))

    def test_marks_a_source_that_changed_since_the_build(self):
        source = self.workspace.path(NAME)
        built = source.stat().st_mtime_ns
        self.addCleanup(os.utime, source, ns=(built, built))
        self.addCleanup(source.write_text, SOURCE)
        source.write_text(SOURCE.replace("int sum = 0;", "int sum = 1 - 1;"))
        vim = self.open()
        vim.wait_for("This source was changed since program was built")
