"""A Neovim in a terminal of its own, by tmux: what stands on the screen, and in which colours."""
import os
import pathlib
import re
import subprocess

from neovim import own_environment, wait_for

COLUMNS, ROWS = 140, 40
SEQUENCE = re.compile(r"\x1b\[([\d;:]*)m")


class Screen:
    """`command` in a terminal; tmux has a socket, a configuration and a home of its own."""

    def __init__(self, command, home, folder, path):
        self._environment = own_environment(home, path)
        self._environment.pop("TMUX", None)
        # Of programs that would start others, or wait, where they believe to be watched.
        self._environment |= {"TMUX_TMPDIR": str(home), "EDITOR": "true"}
        self._tmux("-f", os.devnull, "new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS),
                   "-c", str(folder), *command)

    def _tmux(self, *words):
        done = subprocess.run(["tmux", "-L", "gprof", *words], env=self._environment,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"tmux {words}: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode(errors="replace")

    def close(self):
        self._tmux("kill-server")

    def keys(self, *keys):
        """By tmux's names of keys: Escape, Enter, C-r; other words are typed as they are."""
        self._tmux("send-keys", *keys)

    def rows(self):
        return self._tmux("capture-pane", "-p").split("\n")[:ROWS]

    def coloured_rows(self):
        """Rows of (character, colours) pairs; colours are what the terminal was told, as text."""
        rows, now = [], ""
        for row in self._tmux("capture-pane", "-p", "-e").split("\n")[:ROWS]:
            cells, at = [], 0
            for found in SEQUENCE.finditer(row):
                cells += [(character, now) for character in row[at:found.start()]]
                now = "" if found[1] in ("", "0") else found[1]
                at = found.end()
            rows.append(cells + [(character, now) for character in row[at:]])
        return rows

    def wait_for(self, wanted, what):
        """The first screen that is wanted."""
        try:
            return wait_for(self.rows, wanted, what)
        except AssertionError:
            raise AssertionError(f"{what}; the screen:\n" + "\n".join(self.rows())) from None

    def keep(self, path):
        """For people to look at: `less -R`."""
        pathlib.Path(path).write_text(self._tmux("capture-pane", "-p", "-e"))
