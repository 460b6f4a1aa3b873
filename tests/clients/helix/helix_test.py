"""Helix in a terminal: hints, hovers, symbols and commands, as it is configured in docs/editors.md."""
import subprocess

from client_test import ClientTest, HINTS, LENSES, NAME
from documented import check_version, snippet
from skipping import fetched, require_or_skip
from terminal import Terminal, row_of, row_with


class Helix(ClientTest):
    def setUp(self):
        require_or_skip("tmux")
        helix = fetched("helix")
        version = subprocess.run([helix, "--version"], capture_output=True, text=True,
                                 check=True).stdout.split()[1]
        check_version(self, "Helix", version)
        for file in ("languages.toml", "config.toml"):
            self.write_home(f".config/helix/{file}", snippet(f"helix/{file}"))
        # Alone: whether there is a clangd depends on the machine.
        self.terminal = Terminal(self, self.home, [helix, f"{NAME}:{self.line('static int work')}:12"],
                                 self.environment("/nonexistent"), self.workspace.directory)

    def test_shows_hints_hovers_symbols_and_commands(self):
        screen = self.terminal.wait_for(*HINTS.values())
        # There are no lenses: what they say is a hint behind the line's own.
        texts = {fragment: [*filter(None, (HINTS.get(fragment), LENSES.get(fragment)))]
                 for fragment in {**HINTS, **LENSES}}
        for fragment, shown in texts.items():
            row = row_with(screen, fragment)
            self.assertTrue(row.endswith(" · ".join(shown)), row)
        self.check_hover()
        self.check_hints_follow_the_text()
        self.check_symbols()
        self.check_commands()

    def close(self, fragment):
        """Closes what shows the fragment, and waits until it is gone: an Escape that is read together
        with the key behind it is Alt and that key."""
        self.terminal.press("Escape")
        self.terminal.wait(f"a screen without {fragment!r}", lambda screen: fragment not in screen)

    def check_hover(self):
        self.terminal.press("Space", "k")
        self.terminal.wait_for("50 calls.", "| main ", "| twice ", "| leaf ")
        self.close("| main ")

    def check_hints_follow_the_text(self):
        """A line more above moves them, undoing it puts them back."""
        before = row_of(self.terminal.wait_for("→ leaf 250×"), "→ leaf 250×")
        self.terminal.press("O")
        self.terminal.wait_for(" INS ")
        self.close(" INS ")
        self.terminal.wait("the hint one row further down", lambda screen: (
            "→ leaf 250×" in screen and row_of(screen, "→ leaf 250×") == before + 1
            and "sum += leaf" in row_with(screen, "→ leaf 250×")))
        self.terminal.press("u")
        self.terminal.wait("the hint where it was", lambda screen: (
            "→ leaf 250×" in screen and row_of(screen, "→ leaf 250×") == before))

    def check_symbols(self):
        self.terminal.press("Space", "S")
        self.terminal.type("twice")
        self.terminal.wait_for("> function twice main.c")
        self.close("> function twice main.c")

    def check_commands(self):
        self.terminal.type(":lsp-workspace-command")
        self.terminal.wait_for(":lsp-workspace-command")
        self.terminal.press("Enter")
        self.terminal.wait_for("gprof.reload", "gprof.setMetric", "gprof.showCallers")
