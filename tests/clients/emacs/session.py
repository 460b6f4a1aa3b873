"""Emacs in a terminal of its own, with a small profiled program."""
import fcntl
import json
import os
import pathlib
import pty
import signal
import struct
import subprocess
import termios
import threading

from client_test import ClientTest, NAME
from documented import snippet

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
# Seconds until an Emacs that does not end counts as broken; its own waits end earlier.
PATIENCE = 120

class EmacsTest(ClientTest):
    """An Emacs that looks at the program."""

    def look(self, emacs, script, configuration):
        """What the script saw, and as "screen" all that Emacs drew. `emacs` starts it, configured as
        docs/editors.md says."""
        result = self.home / "seen.json"
        result.unlink(missing_ok=True)
        plan = self.home / "plan.json"
        plan.write_text(json.dumps({
            "configuration": str(self.write_home(
                "configuration.el", snippet(configuration).replace("/path/to/gprof-lsp", str(ROOT)))),
            "folder": str(self.workspace.directory), "file": str(self.workspace.path(NAME)),
            "result": str(result), "called": self.place("static int work", "work"),
            "top": self.place("int main", "main"),
            "hovers": [self.place("static int work", "work"),
                       self.place("once a turn", "work")]}))
        environment = self.environment(GPROF_LSP_PLAN=str(plan), TERM="xterm")
        # Compiling to machine code in the background would only keep processors busy.
        compiling = ("(setq native-comp-jit-compilation nil "
                     "native-comp-deferred-compilation nil)")
        screen = run_in_terminal([emacs, "-nw", "-Q", "--eval", compiling, *site_lisp(emacs),
                                  "-l", str(HERE / script)], environment, self.home)
        self.assertTrue(result.exists(), f"Emacs ended early; its screen: {screen[-2000:]!r}")
        seen = json.loads(result.read_text())
        self.assertNotIn("error", seen, seen)
        return seen | {"screen": screen.decode(errors="replace")}

    def check_hovers(self, seen):
        at_function, at_call = seen["hovers"]
        self.assertIn("50 calls", at_function)
        self.assertIn("work", at_call)
        self.assertIn("40", at_call)

    def check_hierarchy(self, seen):
        hierarchy = seen["hierarchy"]
        self.assertEqual(
            [("main", "40 of 50 calls", [self.line("once a turn")]),
             ("twice", "10 of 50 calls", [self.line("static int twice")])],
            sorted((caller["name"], first_part(caller["detail"]), caller["lines"])
                   for caller in hierarchy["callers"]))
        self.assertEqual(
            ("main", "1 call", [
                ("twice", "10 of 10 calls", [
                    ("work", "10 of 50 calls", [("leaf", "250 of 250 calls", [])])]),
                ("work", "40 of 50 calls", [("leaf", "250 of 250 calls", [])])]),
            tree(hierarchy["callees"]))


def first_part(text):
    return text.split(" · ")[0]


def first_parts(shown):
    """Line -> what is shown there, up to the first dot. A label of several parts is shown as one."""
    lines = {}
    for entry in shown:
        lines[entry["line"]] = lines.get(entry["line"], "") + entry["text"]
    return {line: first_part(text).strip() for line, text in lines.items()}


def tree(item):
    """(name, calls, callees by name)"""
    return (item["name"], first_part(item["detail"]),
            sorted(tree(callee) for callee in item["callees"]))


def site_lisp(emacs):
    """-Q leaves out what Debian's packages of Lisp add to the load path; here it is again, where
    the Emacs is the system's own."""
    packages = pathlib.Path("/usr/share/emacs/site-lisp/elpa")
    if pathlib.Path(emacs).name != emacs or not packages.is_dir():
        return []
    return [word for folder in sorted(packages.iterdir()) for word in ("-L", str(folder))]


def run_in_terminal(command, environment, folder):
    """Runs the command in a new terminal until it ends; returns what it wrote there."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 140, 0, 0))
    written = bytearray()

    def read():
        try:
            while data := os.read(ours, 65536):
                written.extend(data)
        except OSError:
            pass  # the other side is closed

    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs,
                               env=environment, cwd=folder, start_new_session=True,
                               preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.close(theirs)
    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        pass  # the missing result tells
    finally:
        # What it started as well; its language server ends with it.
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # all have ended
        process.wait()
        reader.join(PATIENCE)
        os.close(ours)
    return bytes(written)
