"""What every session with an editor has: a small profiled program, and a home of its own.

The counts follow from the program's loops. Before calls stand characters of several bytes.
"""
import os
import unittest

from own_folders import fresh_folder
from profiled_program import Workspace, run

SOURCE = """#include <stdio.h>

static int leaf(int n) { return n * 3; }

static int work(int n) {
  int sum = 0;
  for (int i = 0; i < 5; i++)
    /* äöü漢😀 */ sum += leaf(n + i);
  return sum;
}

/* 😀 */ static int twice(int n) { return work(n) + 1; }

int main(void) {
  int total = 0;
  for (int i = 0; i < 40; i++) {
    /* 漢字 */ total += work(i); /* once a turn */
    if (i % 4 == 0) total += twice(i);
  }
  printf("%d\\n", total);
  return 0;
}
"""
NAME = "main.c"
# Fragments of the lines that have hints -> what the hints say.
HINTS = {"sum += leaf": "→ leaf 250×", "once a turn": "→ work 40×",
         "total += twice": "→ twice 10×", "static int twice": "→ work 10×"}
# Fragments of the lines of functions -> how their lenses begin.
LENSES = {"static int leaf": "250 calls", "static int work": "50 calls",
          "static int twice": "10 calls", "int main": "1 call"}


class ClientTest(unittest.TestCase):
    """A folder with the program and its profile, and a home where `gprof-lsp` is a command."""
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.home = fresh_folder(cls.addClassCleanup)
        cls.commands = cls.home / "commands"
        cls.commands.mkdir()
        (cls.commands / "gprof-lsp").symlink_to(os.environ["GPROF_LSP_SERVER"])
        cls.workspace = Workspace(cls.home / "project")
        cls.workspace.write(NAME, SOURCE)
        cls.workspace.build([NAME])
        # Without samples no text depends on how long the run took.
        run([os.environ["GPROF_LSP_SERVER"], "record", "--rate=0", "--", "./program"],
            cls.workspace.directory)

    def line(self, fragment):
        return self.workspace.line_of(NAME, fragment)

    def place(self, fragment, word):
        return {"line": self.line(fragment), "word": word}

    def write_home(self, name, text):
        """A file of the home, such as an editor's configuration."""
        target = self.home / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return target

    def environment(self, *folders, **variables):
        """For an editor: that home, and commands from there and from the folders alone. Without
        folders, from the system's."""
        path = [str(self.commands), *map(str, folders or os.environ["PATH"].split(":"))]
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("EMACS", "INSIDE_EMACS", "XDG_", "VIM", "NVIM", "TMUX"))}
        return kept | {"HOME": str(self.home), "PATH": ":".join(path), "LC_ALL": "C.UTF-8",
                       "SHELL": "/bin/sh", **variables}
