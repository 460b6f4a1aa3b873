"""Emacs with the package of editors/emacs, configured as docs/editors.md says, in a terminal: lenses, figures, the
documentation at point, and that all of them follow edits and the window, its width and what it shows, without a command.

What its commands do is tested in tests/editors/emacs.
"""
import sys

from client_test import LENSES
from documented import check_version
from session import EmacsTest, first_parts
from skipping import fetched, require_or_skip

FIGURES = {"sum += leaf": "→ 250", "once a turn": "→ 40", "total += twice": "→ 10", "static int twice": "→ 10"}


class Package(EmacsTest):
    def check_session(self, emacs):
        seen = self.look(emacs, "show-package.el", "gprof-lsp.el")
        print(f"Emacs {seen['emacs']}", file=sys.stderr)
        check_version(self, "Emacs: gprof-lsp.el", seen["emacs"])
        lenses = {self.line(fragment): text for fragment, text in LENSES.items()}
        figures = {self.line(fragment): text for fragment, text in FIGURES.items()}
        self.assertEqual(lenses, first_parts(seen["lenses"]))
        self.assertEqual(figures, first_parts(seen["figures"]))
        self.assertIn("50 calls", seen["documentation"])
        for drawn in ("250 calls", "→ 250"):
            self.assertIn(drawn, seen["screen"])

        # Two lines were inserted above all.
        moved = seen["moved"]
        self.assertEqual({line + 2: text for line, text in lenses.items()}, first_parts(moved["lenses"]))
        self.assertEqual({line + 2: text for line, text in figures.items()}, first_parts(moved["figures"]))

        # Figures are drawn near what the window shows alone, lenses everywhere.
        far, near = seen["far"], seen["near"]
        self.assertEqual([], far["figures"])
        for marks in (far, near):
            self.assertEqual({line + 502: text for line, text in lenses.items()}, first_parts(marks["lenses"]))
        self.assertEqual({line + 502: text for line, text in figures.items()}, first_parts(near["figures"]))

        # No figure is behind the window's edge, where the line would wrap.
        for window in (seen["wide"], seen["narrow"]):
            self.assertGreater(len(window["ends"]), 0)
            self.assertLessEqual(max(window["ends"]), window["width"])
        self.assertLess(seen["narrow"]["width"], max(seen["wide"]["ends"]))

    def test_of_the_system_shows_a_profile_and_follows_edits(self):
        require_or_skip("emacs")
        self.check_session("emacs")

    def test_of_emacs_30_shows_a_profile_and_follows_edits(self):
        self.check_session(fetched("emacs"))
