"""Emacs with lsp-mode, unmodified, in a terminal: lenses, hovers, and the call hierarchy, over its
connection and as lsp-treemacs draws it.
"""
import pathlib
import sys

from client_test import LENSES
from documented import check_version
from session import EmacsTest, first_parts
from skipping import require_or_skip


class LspMode(EmacsTest):
    def test_shows_lenses_hovers_and_callers_and_its_connection_walks_the_hierarchy(self):
        require_or_skip("emacs")
        packages = list(pathlib.Path("/usr/share/emacs/site-lisp/elpa").glob("lsp-mode-*"))
        if not packages:
            require_or_skip("", "there is no lsp-mode (Debian's package elpa-lsp-mode)")
        check_version(self, "Emacs: lsp-mode", packages[0].name.removeprefix("lsp-mode-"))
        seen = self.look("emacs", "show-lsp-mode.el", "lsp-mode")
        print(f"Emacs {seen['emacs']}, {seen['package']}", file=sys.stderr)
        self.assertEqual({self.line(fragment): lens for fragment, lens in LENSES.items()},
                         first_parts(seen["lenses"]))
        self.assertIn("250 calls", seen["screen"])
        self.check_hovers(seen)
        self.check_hierarchy(seen)
        if seen["tree"] is None:
            require_or_skip("", "there is no lsp-treemacs (Debian's package elpa-lsp-treemacs)")
        for row in ("work 50 calls", "main 40 of 50 calls", "twice 10 of 50 calls"):
            self.assertRegex(seen["tree"], rf"(?m)^ *[▾▸] +{row}$")
