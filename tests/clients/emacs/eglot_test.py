"""Emacs with eglot, unmodified, in a terminal: hints, hovers, symbols, and the call hierarchy.

The system's Emacs with the eglot that it has, and Emacs 30, whose eglot shows hints. Neither has a
command for the call hierarchy: it is walked over eglot's own connection.
"""
import pathlib
import shutil
import sys

from client_test import HINTS, LENSES, NAME
from documented import check_version
from profiled_program import run
from session import EmacsTest, first_parts
from skipping import fetched, require_or_skip


class Eglot(EmacsTest):
    def check_session(self, emacs):
        seen = self.look(emacs, "show-eglot.el", "eglot")
        print(f"Emacs {seen['emacs']}, {seen['package']}", file=sys.stderr)
        check_version(self, "Emacs: eglot", seen["emacs"])
        self.check_hovers(seen)
        self.check_hierarchy(seen)
        self.assertEqual([(NAME, self.line("static int work"), True)],
                         [(symbol["file"], symbol["line"], "work" in symbol["summary"])
                          for symbol in seen["symbols"]])
        # eglot asks for the definition as well.
        self.assertEqual({self.line("static int work"), self.line("once a turn"),
                          self.line("static int twice")},
                         {use["line"] for use in seen["references"]})
        return seen

    def test_of_the_system_shows_hovers_and_its_connection_walks_the_hierarchy(self):
        require_or_skip("emacs")
        if not has_eglot("emacs"):
            require_or_skip("", "the system's Emacs has no eglot")
        self.check_session("emacs")

    def test_of_emacs_30_shows_hints_and_hovers_and_its_connection_walks_the_hierarchy(self):
        seen = self.check_session(fetched("emacs"))
        # It has no lenses: what they say is a hint behind the line's own.
        expected = {self.line(fragment): text for fragment, text in [*LENSES.items(), *HINTS.items()]}
        self.assertEqual(expected, first_parts(seen["hints"]))
        self.assertIn("→ leaf 250×", seen["screen"])


def has_eglot(emacs):
    packages = pathlib.Path("/usr/share/emacs/site-lisp/elpa")
    if any(packages.glob("eglot-*")):
        return True
    return run([shutil.which(emacs), "-Q", "--batch", "--eval",
                "(princ (if (locate-library \"eglot\") 'yes 'no))"], "/") == "yes"
