"""A test that passed is run again as soon as anything changes that it reads, and not before."""
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from own_folders import fresh_folder

HERE = pathlib.Path(__file__).resolve().parent
TEST = """import pathlib, sys, unittest
{more}
class Case(unittest.TestCase):
    def test(self):
        with open({runs!r}, "a") as runs:
            runs.write("run ")
        {body}
"""


class RememberedPasses(unittest.TestCase):
    def setUp(self):
        self.folder = fresh_folder(self.addCleanup)
        self.root = self.folder / "repository"
        for name in ("run.py", "support/remembered_passes.py", "support/tested_build.py"):
            (self.root / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(HERE.parent / name, self.root / "tests" / name)
        self.write("tests/support/lsp_client.py", "")
        self.write("tests/support/helper.py", "")
        self.runs = self.folder / "runs"
        for program in ("server", "commands"):
            (self.folder / program).write_text("first")

    def write(self, name, text):
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def write_test(self, body="pass", more="", folder="runtime"):
        self.test = f"tests/{folder}/small_test.py"
        self.write(self.test, TEST.format(more=more, body=body, runs=str(self.runs)))

        # A file that changed after the test began is not trusted.
        os.utime(self.root / self.test, (0, 0))

    def run_test(self, remembers=True, **environment):
        """How often the test was really run, in all."""
        names = {"GPROF_LSP_SERVER": self.folder / "server", "GPROF_LSP_COMMANDS_ALONE": self.folder / "commands"}
        if remembers:
            names["GPROF_LSP_PASSED"] = self.folder / "passed"
        own = {name: value for name, value in os.environ.items() if not name.startswith("GPROF_")}
        subprocess.run([sys.executable, "-B", self.root / "tests/run.py", self.root / self.test], check=False,
                       env={**own, **{name: str(value) for name, value in names.items()}, **environment},
                       capture_output=True)
        return self.runs.read_text().count("run")

    def test_unchanged(self):
        self.write_test()
        self.assertEqual([self.run_test(), self.run_test(), self.run_test(remembers=False)], [1, 1, 2])

    def test_what_it_reads(self):
        self.write_test(more="import helper")
        runs = self.run_test()
        for name in (self.test, "tests/support/helper.py", "tests/programs/new.c", "scripts/tool"):
            with self.subTest(name):
                file = self.root / name
                self.write(name, (file.read_text() if file.exists() else "") + "\n")
                os.utime(file, (0, 0))
                self.assertEqual([self.run_test(), self.run_test()], [runs + 1, runs + 1])
                runs += 1
        self.assertEqual(self.run_test(GPROF_TEST_SEED="7"), runs + 1)

    def test_the_server_or_its_commands(self):
        for body, more, folder, reads_server in (("pass", "", "runtime", False),
                                                 ("pass", "import lsp_client", "runtime", True),
                                                 ("import lsp_client", "", "runtime", True),
                                                 ("pass", "", "protocol", True)):
            with self.subTest(body + more + folder):
                self.write_test(body, more, folder)
                runs = self.run_test()
                with open(self.folder / "server", "a") as server:
                    server.write("changed")
                self.assertEqual(self.run_test(), runs + reads_server)
                with open(self.folder / "commands", "a") as commands:
                    commands.write("changed")
                self.assertEqual(self.run_test(), runs + 1)

    def test_what_did_not_pass(self):
        for body in ("self.fail()", "self.skipTest('no tool')", "sys.exit(1)"):
            with self.subTest(body):
                self.write_test(body)
                runs = self.run_test()
                self.assertEqual(self.run_test(), runs + 1)

    def test_changed_while_it_ran(self):
        self.write_test("pathlib.Path(__file__).touch()")
        self.assertEqual([self.run_test(), self.run_test()], [1, 2])

    def test_that_no_longer_passes(self):
        switch = self.folder / "switch"
        self.write_test(f"self.assertFalse(pathlib.Path({str(switch)!r}).exists())")
        self.assertEqual(self.run_test(), 1)
        switch.touch()
        # Nothing says that it reads this file; it is run again once something else has changed.
        self.write("scripts/tool", "")
        self.assertEqual([self.run_test(), self.run_test()], [2, 3])


if __name__ == "__main__":
    unittest.main()
