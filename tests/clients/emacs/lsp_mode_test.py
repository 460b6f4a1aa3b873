"""Emacs with lsp-mode, unmodified, in a terminal: lenses, hovers, and the call hierarchy."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from session import EmacsTest, first_parts  # noqa: E402
from skipping import main, require_or_skip  # noqa: E402


class LspMode(EmacsTest):
    def test_shows_lenses_and_hovers_and_its_connection_walks_the_hierarchy(self):
        require_or_skip("emacs")
        if not any(pathlib.Path("/usr/share/emacs/site-lisp/elpa").glob("lsp-mode-*")):
            require_or_skip("", "there is no lsp-mode (Debian's package elpa-lsp-mode)")
        seen = self.look("emacs", "show-lsp-mode.el")
        print(f"Emacs {seen['emacs']}, {seen['package']}", file=sys.stderr)
        self.assertEqual(
            {self.line("static int leaf"): "250 calls", self.line("static int work"): "50 calls",
             self.line("static int twice"): "10 calls", self.line("int main"): "1 call"},
            first_parts(seen["lenses"]))
        self.assertIn("250 calls", seen["screen"])
        self.check_hovers(seen)
        self.check_hierarchy(seen)


if __name__ == "__main__":
    main()
