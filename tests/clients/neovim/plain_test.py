"""Neovim without a plugin, as docs/editors.md configures it: lenses, hints, hovers, callers."""
import subprocess
import sys

from client_test import ClientTest, HINTS, LENSES, NAME
from documented import check_version, snippet
from skipping import fetched, require_or_skip
from terminal import Terminal, row_of, row_with


class PlainNeovim(ClientTest):
    def open(self, wanted, configuration):
        """A Neovim at least as new as wanted."""
        require_or_skip("tmux")
        neovim = fetched("neovim", wanted)
        version = subprocess.run([neovim, "--version"], capture_output=True, text=True,
                                 check=True).stdout.split()[1].removeprefix("v")
        print(f"Neovim {version}", file=sys.stderr)
        # Debian's unstable, where the newest comes from, moves on.
        check_version(self, "Neovim", min(version, f"{wanted}.99", key=numbers))
        self.write_home(".config/nvim/init.lua", snippet(configuration))
        return Terminal(self, self.home, [neovim, "-n", NAME], self.environment(),
                        self.workspace.directory)

    def check_session(self, neovim):
        screen = neovim.wait_for(*HINTS.values(), *LENSES.values())
        for fragment, hint in HINTS.items():
            self.assertIn(hint, row_with(screen, fragment))
        neovim.type(f":call cursor({self.line('static int work')}, 12)\n")
        neovim.type("K")
        screen = neovim.wait_for("50 calls.")
        for row in (r"main\b.*\b40\b", r"twice\b.*\b10\b", r"leaf\b.*\b250\b"):
            self.assertRegex(screen, row)
        # The window of the hover closes when the cursor moves.
        neovim.type("jk:lua vim.lsp.buf.incoming_calls()\n")
        return neovim.wait_for("[Quickfix List]",
                        *(f"{NAME}|{self.line(fragment)} col "
                          for fragment in ("static int twice", "once a turn")))

    def test_0_12_shows_lenses_hints_hovers_and_callers(self):
        screen = self.check_session(self.open("0.12", "neovim 0.11"))
        for fragment, lens in LENSES.items():
            row_above = screen.splitlines()[row_of(screen, fragment) - 1]
            self.assertTrue(row_above.strip().startswith(lens), screen)

    def test_0_10_shows_lenses_hints_hovers_and_callers(self):
        screen = self.check_session(self.open("0.10", "neovim 0.10"))
        for fragment, lens in LENSES.items():
            self.assertTrue(row_with(screen, fragment).endswith(lens), screen)


def numbers(version):
    return [int(part) for part in version.split("-")[0].split(".")]
