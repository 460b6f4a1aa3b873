"""Completions of shells, as the program describes them, in a folder with something to complete."""
import os
import shutil
import subprocess
import unittest

from own_folders import fresh_folder

SERVER = os.environ.get("GPROF_LSP_SERVER")


@unittest.skipUnless(SERVER, "GPROF_LSP_SERVER does not name a server")
class CompletionTest(unittest.TestCase):
    shell = ""

    def setUp(self):
        self.program = shutil.which(self.shell)
        if not self.program:
            self.skipTest(f"no {self.shell}")
        self.root = fresh_folder(self.addCleanup)
        self.work = self.root / "work"
        (self.work / "folder").mkdir(parents=True)
        (self.work / "file.json").touch()
        self.environment = dict(os.environ, HOME=str(self.root), LC_ALL="C.UTF-8",
                                XDG_CONFIG_HOME=str(self.root), XDG_DATA_HOME=str(self.root))
        self.script = self.root / "completions" / self.script_name()
        self.script.parent.mkdir()
        self.script.write_text(subprocess.run([SERVER, "describe", f"--as={self.shell}"],
                                              capture_output=True, text=True, check=True).stdout)

    def script_name(self):
        return f"gprof-lsp.{self.shell}"

    def run_shell(self, *words, **more):
        done = subprocess.run([self.program, *words], cwd=self.work, env=self.environment,
                              capture_output=True, text=True, timeout=60, **more)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout
