"""One Neovim without a screen, driven over RPC, that reads nothing of this machine's user.

Whatever is waited for is a condition with a limit; what Neovim said is in the failure's words.
"""
import itertools
import os
import pathlib
import signal
import subprocess
import threading
import time

import pynvim

PLUGIN = pathlib.Path(__file__).resolve().parents[4] / "editors" / "neovim"
# Seconds until a condition that does not hold counts as broken.
PATIENCE = float(os.environ.get("GPROF_LSP_PATIENCE", "20"))
STEP = 0.01
NUMBERS = itertools.count()
# Columns of the window: all figures fit.
WIDTH = 300
# What would lead Neovim, or the server, to something of the user's.
FOREIGN = ("NVIM", "VIM", "MYVIM", "XDG_", "GPROF_", "GMON_")

READ_MARKS = """
local buffer = ...
local namespace = vim.api.nvim_get_namespaces().gprof
local found = {}
if not namespace then
  return found
end
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, namespace, 0, -1, { details = true })) do
  table.insert(found, {
    line = mark[2] + 1,
    chunks = mark[4].virt_text or {},
    position = mark[4].virt_text_pos or '',
    sign = mark[4].sign_text or '',
    sign_group = mark[4].sign_hl_group or '',
  })
end
return found
"""

FUNCTION = "GprofFunction"
# Nothing is to be asked, and nothing that was asked is to be answered.
AT_REST = """
local buffer = ...
buffer = buffer == 0 and vim.api.nvim_get_current_buf() or buffer
local annotated = require('gprof.annotations').of(buffer)
return annotated ~= nil and annotated.delay == nil and next(annotated.client.requests) == nil
"""


class Mark:
    """What is drawn behind a line, which is counted from 1."""

    def __init__(self, found):
        self.line = found["line"]
        self.chunks = [tuple(chunk) for chunk in found["chunks"]]
        self.position = found["position"]
        self.sign = found["sign"]
        self.sign_group = found["sign_group"]

    @property
    def text(self):
        """The figures of the line."""
        return self._text(lambda group: group != FUNCTION)

    @property
    def summary(self):
        """What is said of the function that begins there."""
        return self._text(lambda group: group == FUNCTION)

    def _text(self, is_wanted):
        return "".join(chunk[0] for chunk in self.chunks if is_wanted(chunk[-1])).strip()

    @property
    def margin(self):
        return len(self.chunks[0][0]) if self.chunks else 0

    @property
    def groups(self):
        return [chunk[1] for chunk in self.chunks if chunk[0].strip()]

    def __repr__(self):
        return f"{self.line}: {self.chunks} {self.sign!r} {self.sign_group}"


def own_environment(home, path):
    """The environment of a user who has nothing: folders below `home`, and `path` before PATH."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(FOREIGN)}
    folders = {f"XDG_{name}_HOME": str(home / name.lower())
               for name in ("CONFIG", "DATA", "STATE", "CACHE")}
    for folder in folders.values():
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    runtime = {name: os.environ[name] for name in ("GPROF_RUNTIME_LIBRARY",) if name in os.environ}
    return {**environment, **folders, **runtime, "HOME": str(home), "LC_ALL": "C.UTF-8",
            "TERM": "xterm-256color", "PATH": f"{path}:{environment['PATH']}"}


def wait_for(look, wanted, what, more=lambda: ""):
    """The first value of look() that is wanted."""
    deadline = time.monotonic() + PATIENCE
    while True:
        value = look()
        if wanted(value):
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: still {value!r}{more()}")
        time.sleep(STEP)


class Neovim:
    """`command` starts it in `folder`, with `init`, a file of Lua, as its configuration."""

    def __init__(self, command, home, folder, init, path, words=()):
        self._address = str(home / f"nvim.{next(NUMBERS)}")
        self._process = subprocess.Popen(
            [command, "--headless", "--cmd", f"set columns={WIDTH}", "--listen", self._address, "-n", "-i", "NONE", "-u", init,
             *map(str, words)],
            cwd=folder, env=own_environment(home, path), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        # A Neovim that waits for a key answers nothing: it is ended, so that the test is as well.
        self._watch = threading.Timer(PATIENCE * 4, self._kill)
        self._watch.daemon = True
        self._watch.start()
        self.api = self._attach()

    def _attach(self):
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return pynvim.attach("socket", path=self._address)
            except OSError:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    self._kill()
                    said = self._process.stdout.read().decode(errors="replace")
                    raise AssertionError(f"Neovim does not listen: {said}") from None
                time.sleep(STEP)

    def _kill(self):
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def close(self):
        """Ends it, and what it started: those are in its group or end with their input."""
        self._watch.cancel()
        self._kill()
        self._process.wait()
        self._process.stdout.close()
        # pynvim's own loop is not needed any more; what it says of the lost peer is no news.
        try:
            self.api.close()
        except OSError:
            pass

    def is_running(self):
        return self._process.poll() is None

    def lua(self, code, *arguments):
        return self.api.exec_lua(code, *arguments)

    def command(self, text):
        self.api.command(text)

    def keys(self, keys):
        """Types them, as a user would; Neovim takes them when it comes to it."""
        self.api.input(keys)

    def edit(self, path):
        self.command(f"edit {path}")

    def line_texts(self):
        return list(self.api.current.buffer[:])

    def messages(self):
        return self.api.funcs.execute("messages").strip()

    def refuses(self, command, words):
        """The command says why it does nothing."""
        self.command("messages clear")
        try:
            self.command(command)
        except pynvim.api.NvimError as error:
            # What is said as an error, at once, may come back as one instead.
            if words in str(error):
                return
        self.wait_for(self.messages, lambda said: words in said, words)

    def marks(self, buffer=0):
        """Line -> mark of a buffer, the current one without a word. Two on a line are a mistake."""
        marks = [Mark(found) for found in self.lua(READ_MARKS, buffer)]
        by_line = {mark.line: mark for mark in marks}
        assert len(by_line) == len(marks), f"two marks on a line: {marks}"
        return by_line

    def texts(self, buffer=0):
        """Line -> text of its figures."""
        return {line: mark.text for line, mark in self.marks(buffer).items() if mark.text}

    def summaries(self, buffer=0):
        """Line -> what is said of the function that begins there."""
        return {line: mark.summary for line, mark in self.marks(buffer).items() if mark.summary}

    def wait_for(self, look, wanted, what):
        """The first value of look() that is wanted."""
        return wait_for(look, wanted, what,
                        lambda: f"\nmessages: {self.messages()}\n{self.log()}")

    def wait_until_ended(self):
        """Until Neovim itself has ended."""
        self._process.wait(PATIENCE)

    def wait_for_texts(self, wanted, buffer=0):
        """Until the figures of the buffer are these; wanted is a dictionary or a condition."""
        is_wanted = wanted if callable(wanted) else lambda texts: texts == wanted
        return self.wait_for(lambda: self.texts(buffer), is_wanted,
                             f"figures, which should be {wanted}")

    def wait_until_at_rest(self, buffer=0):
        """Until the annotations of the buffer have asked, and were answered, all that there is to
        ask: what is shown then stays."""
        self.wait_for(lambda: self.lua(AT_REST, buffer), bool, "annotations that are at rest")

    def wait_for_lua(self, code, *arguments):
        """Until the code answers something that is true; returns that."""
        return self.wait_for(lambda: self.lua(code, *arguments), bool, code)

    def log(self):
        """The end of what its language client wrote down."""
        path = self.lua("return vim.lsp.get_log_path and vim.lsp.get_log_path() or vim.lsp.log.get_filename()")
        file = pathlib.Path(path)
        return file.read_text(errors="replace")[-2000:] if file.is_file() else ""

    def servers(self):
        """Process numbers of the servers that run, oldest first."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                status = (entry / "stat").read_text() if entry.name.isdigit() else ""
            except OSError:
                continue
            name, _, rest = status.partition("(")[2].rpartition(")")
            if name == "gprof-lsp" and int(rest.split()[1]) == self._process.pid \
                    and rest.split()[0] != "Z":
                found.append(int(entry.name))
        return sorted(found)
