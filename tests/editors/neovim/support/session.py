"""What all specs have in common: a Neovim of the version under test, a home, and programs.

GPROF_LSP_NEOVIM names the command that starts Neovim, GPROF_LSP_NEOVIM_VERSION its version as in
"0.10", GPROF_LSP_SERVER the server.
"""
import atexit
import functools
import json
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import unittest

from known_profile import KnownProfile
from neovim import PLUGIN, Neovim
from profiled_program import Workspace, run

HERE = pathlib.Path(__file__).resolve().parent
COMMAND = os.environ.get("GPROF_LSP_NEOVIM", "nvim")
VERSION = tuple(map(int, os.environ.get("GPROF_LSP_NEOVIM_VERSION", "0.7.2").split(".")))
SERVER = os.environ.get("GPROF_LSP_SERVER", "")


def only(condition):
    """A test of some versions alone: for others it is not there."""
    return lambda test: test if condition else None


since_0_10 = only(VERSION >= (0, 10))
since_0_11 = only(VERSION >= (0, 11))
before_0_10 = only(VERSION < (0, 10))

# What stands behind the lines of the known program's hot.c.
FIGURES = {
    2: "60 %  0.60 ±0.08 s   30.0k×",
    7: "15.0k×",
    8: "→ 5,000",
    9: "36 %  0.36 ±0.06 s",
    14: "→ 100",
    15: "→ 10.0k",
    16: "4.0 %  0.04 ±0.02 s",
}
# What lines and lists can be led by.
METRICS = ["time", "calls", "executions", "self", "total"]
SUMMARIES = {
    1: "30.0k calls · self 0.60 s (60 %) · total 0.60 s (60 %) · #1 by self time",
    5: "100 calls · self 0.36 s (36 %) · total ≈0.76 s (76 %) · #2 by self time",
    12: "called by the C library · self 0.04 s (4.0 %) · "
        "total ≈1.00 s (100 %) · #3 by self time",
}


def moved(figures, start, by):
    """The same, where the lines from `start` on have moved."""
    return {line + by if line >= start else line: text for line, text in figures.items()}


# How the three versions begin what they say of mistakes in Lua, and of those in autocommands.
MISTAKES = r"stack traceback|Error executing|Error detected|Error in |E5108|E5113"


@functools.cache
def known_folder():
    """Where this process has its known programs, one test after the other."""
    folder = tempfile.mkdtemp(prefix="gprof-nvim-known-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return pathlib.Path(folder).resolve()


class NeovimTest(unittest.TestCase):
    """A test with a folder of its own, which is home to all that it starts."""
    maxDiff = None

    def setUp(self):
        folder = tempfile.mkdtemp(prefix="gprof-nvim-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.folder = pathlib.Path(folder).resolve()
        self.home = self.folder / "home"
        self.home.mkdir()
        # The server stands on the PATH, where users have it.
        self.path = self.folder / "bin"
        self.path.mkdir()
        (self.path / "gprof-lsp").symlink_to(SERVER)

    def set_metric(self, typed, name=None):
        """Sets the metric as it is typed, and waits until lists are asked for by it."""
        self.neovim.command(f"Gprof metric {typed}")
        self.neovim.wait_for_lua("""
            local status = require('gprof.server.status')
            return status.session(require('gprof.server.client').all()[1].id).metric == ...
        """, name or typed)

    def record_conversation(self):
        """From now on servers are started so that the conversation with them is written down."""
        (self.path / "gprof-lsp").unlink()
        wrapper = self.path / "gprof-lsp"
        wrapper.write_text(f"#!{sys.executable}\n" + (HERE / "recording_server.py").read_text())
        wrapper.chmod(0o755)
        self._record = self.folder / "conversation.jsonl"
        (self.path / "recording.json").write_text(
            json.dumps({"server": SERVER, "record": str(self._record)}))

    def conversation(self):
        """What Neovim has sent."""
        lines = self._record.read_text().splitlines() if self._record.is_file() else []
        return [json.loads(line) for line in lines]

    def sent(self, method):
        """Parameters of what Neovim has sent of this method."""
        return [message.get("params") for message in self.conversation()
                if message.get("method") == method]

    def known_program(self, name="project"):
        """A workspace with `hot.c`, whose figures are known to the last digit."""
        folder = known_folder() / name
        if folder.exists():
            shutil.rmtree(folder)
        kept = known_folder() / "kept" / name
        if kept.exists():
            # Compiled once: the program names the folder that it was compiled in, which is this one.
            shutil.copytree(kept, folder)
            return KnownProfile(folder, source=None)
        (folder / ".git").mkdir(parents=True)
        workspace = KnownProfile(folder).make()
        shutil.copytree(folder, kept)
        return workspace

    def show_known_program(self, settings=""):
        """It is open in self.neovim, and its figures stand there."""
        self.workspace = self.known_program()
        self.neovim = self.open(self.workspace, settings=settings)
        self.neovim.wait_for_texts(FIGURES)

    def recorded_program(self, name, sources):
        """A workspace of these sources, built, and run under the collector: its counts are exact,
        and no time depends on the machine, as there are no samples."""
        folder = self.folder / name
        (folder / ".git").mkdir(parents=True)
        workspace = Workspace(folder)
        for source, text in sources.items():
            workspace.write(source, text)
        workspace.build([source for source in sources if source.endswith(".c")])
        self.rerun(workspace)
        return workspace

    def rerun(self, workspace):
        run([SERVER, "record", "--rate=0", "--", "./program"], workspace.directory)

    def init(self, settings="", before=""):
        """A configuration of one line: where the plugin is. `settings` are added, in Lua."""
        path = self.home / "init.lua"
        path.write_text(f"{before}\nvim.opt.runtimepath:prepend('{PLUGIN}')\n{settings}\n")
        return path

    def start(self, folder, settings="", words=(), before=""):
        """A Neovim in the folder."""
        neovim = Neovim(COMMAND, self.home, folder, self.init(settings, before), self.path, words)
        self.addCleanup(neovim.close)
        self.addCleanup(self.check_no_mistakes, neovim)
        return neovim

    def check_no_mistakes(self, neovim):
        """Whatever a test was about: nothing in Lua went wrong meanwhile."""
        if neovim.is_running():
            self.assertNotRegex(neovim.messages(), MISTAKES)

    def kill(self, neovim):
        """Ends its only server, as a crash would."""
        server, = neovim.servers()
        os.kill(server, signal.SIGKILL)
        return server

    def open(self, workspace, name="hot.c", settings="", before=""):
        """A Neovim that was started with a file of the workspace."""
        return self.start(workspace.directory, settings, [name], before)
