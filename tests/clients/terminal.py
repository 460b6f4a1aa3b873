"""A terminal with an editor in it, by tmux: keys go in, and what stands on the screen comes out."""
import pathlib
import shutil
import subprocess
import time

# Seconds until something that does not appear counts as broken.
PATIENCE = 60
COLUMNS, ROWS = 140, 60


class Terminal:
    """Ends with what runs in it at the end of the test. `home` is for its socket."""

    def __init__(self, test, home, command, environment, folder):
        self.test = test
        self.asked = 0  # when a question was typed last
        self.tmux = [shutil.which("tmux"), "-S", str(home / "tmux"), "-f", "/dev/null"]
        # What an editor says as it dies shall be seen.
        subprocess.run([*self.tmux, "start-server", ";", "set", "-g", "remain-on-exit", "on", ";",
                        "set", "-g", "status", "off", ";", "set", "-s", "escape-time", "0", ";",
                        "new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), "-c", str(folder),
                        *map(str, command)],
                       env=environment, stdin=subprocess.DEVNULL, check=True, timeout=PATIENCE)
        test.addCleanup(self.end)
        self.editor = subprocess.run([*self.tmux, "display-message", "-p", "#{pane_pid}"],
                                     stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                     check=True, timeout=PATIENCE).stdout.strip()

    def end(self):
        """And waits for the editor, which may write into its home until then."""
        subprocess.run([*self.tmux, "kill-server"], stdin=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False, timeout=PATIENCE)
        limit = time.monotonic() + PATIENCE
        while pathlib.Path(f"/proc/{self.editor}").exists() and time.monotonic() < limit:
            time.sleep(0.01)

    def screen(self):
        return subprocess.run([*self.tmux, "capture-pane", "-p"], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=True, timeout=PATIENCE).stdout

    def press(self, *keys):
        """Keys by their names in tmux."""
        subprocess.run([*self.tmux, "send-keys", *keys], stdin=subprocess.DEVNULL, check=True,
                       timeout=PATIENCE)

    def type(self, text):
        subprocess.run([*self.tmux, "send-keys", "-l", text], stdin=subprocess.DEVNULL, check=True,
                       timeout=PATIENCE)

    def wait(self, what, condition):
        """The screen once the condition holds of it; `what` names it for a failure."""
        limit = time.monotonic() + PATIENCE
        while not condition(screen := self.screen()):
            if time.monotonic() > limit:
                self.test.fail(f"no sign of {what}; the screen:\n{screen}")
            time.sleep(0.05)
        return screen

    def ask(self, what, command, condition):
        """Types the command again and again until the condition holds of the screen: for editors
        that answer nothing before the server has started."""
        def answered(screen):
            if time.monotonic() > self.asked + 1:
                self.asked = time.monotonic()
                self.type(command)
            return condition(screen)
        self.asked = 0
        return self.wait(what, answered)

    def wait_for(self, *texts):
        """The screen once all of the texts stand on it."""
        return self.wait(" and ".join(map(repr, texts)),
                         lambda screen: all(text in screen for text in texts))


def row_of(screen, fragment):
    """The number of the only row of the screen that holds the fragment."""
    rows = [number for number, row in enumerate(screen.splitlines()) if fragment in row]
    assert len(rows) == 1, f"{fragment!r} stands in the rows {rows} of\n{screen}"
    return rows[0]


def row_with(screen, fragment):
    return screen.splitlines()[row_of(screen, fragment)]
