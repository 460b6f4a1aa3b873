"""Every function that the collector interposes calls the next one of its name: a library in front of the
collector, or behind it, sees the calls that it sees without the collector, and the program the same
results."""
import os
import pathlib
import unittest

import interposed_functions
from harness import LIBRARY, SERVER, RuntimeTest, clean_environment, execute, require
from imports_test import names
from record_support import RecordTest

NOTES = 199  # the descriptor that calls are noted on
MODES = ({"GPROF_ANY": 1}, {"GPROF_ANY": 1, "GPROF_WAIT": 1}, {"GPROF_ANY": 0})


class Interposed(RuntimeTest):
    @classmethod
    def programs(cls):
        for name, source in (("interposed", interposed_functions.program()),
                             ("notes", interposed_functions.library(NOTES))):
            (cls.built / f"{name}.c").write_text(source)
        cls.program = cls.build("interposed", ["interposed.c"], "-O0", "-w", "-pthread", "-rdynamic", pg=False)
        cls.notes = cls.build("notes.so", ["notes.c"], "-O1", "-w", "-shared", "-fPIC", "-fno-builtin", pg=False)

    def run_with(self, preloaded, variables):
        """The outcome, and the calls that were noted."""
        path = self.directory / "notes"
        with open(path, "w+", opener=lambda name, flags: os.open(name, flags | os.O_APPEND)) as notes:
            os.dup2(notes.fileno(), NOTES)
            try:
                environment = clean_environment(LD_PRELOAD=":".join(map(str, preloaded)), **variables)
                outcome = execute([self.program], self.directory, environment, pass_fds=(NOTES,))
            finally:
                os.close(NOTES)
        return outcome, path.read_text().splitlines()

    def test_every_function_is_in_the_table(self):
        exported = names("-D", "--defined-only", str(LIBRARY))
        listed = set(interposed_functions.FUNCTIONS) | set(interposed_functions.ENDING)
        self.assertEqual(listed, exported - interposed_functions.REPLACED)

    def test_other_libraries_see_the_same_calls(self):
        plain, expected = self.run_with([self.notes], {})
        self.assertEqual(plain.status, 0, plain.stderr)
        seen = {line.split()[0] for line in expected}
        listed = set(interposed_functions.FUNCTIONS) | set(interposed_functions.ENDING)
        self.assertEqual(listed - seen, set())
        for variables in MODES:
            for where, preloaded in (("in front", [self.notes, LIBRARY]), ("behind", [LIBRARY, self.notes])):
                with self.subTest(f"{where}, {variables}"):
                    outcome, calls = self.run_with(preloaded, variables)
                    self.assertEqual(calls, expected)
                    self.assertEqual((outcome.status, outcome.stdout, outcome.stderr),
                                     (plain.status, plain.stdout, plain.stderr))


class RealLibraries(RecordTest):
    """Tools of Debian that work by a preloaded library, around the recorded program and inside of it."""

    def assert_same(self, command, inside=None, files=(), preload=None):
        """The same output, status and files if `command` is recorded, and if it runs what is."""
        variables = {} if preload is None else {"LD_PRELOAD": preload}
        plain = execute(command, self.directory, clean_environment(**variables))
        contents = [(self.directory / name).read_text() for name in files]
        self.assertEqual(plain.status, 0, plain.stderr)
        for options in (("--output=o",), ("--output=o", "--wait", "--stacks")):
            commands = [[SERVER, "record", *options, "--", *command]]
            if inside is not None:
                split = command.index(inside)
                commands.append([*command[:split], SERVER, "record", *options, "--", *command[split:]])
            for recorded in commands:
                with self.subTest(" ".join(map(str, recorded))):
                    for name in files:
                        (self.directory / name).unlink()
                    outcome = execute(recorded, self.directory, clean_environment(
                        GPROF_RUNTIME_LIBRARY=LIBRARY, **variables))
                    self.assert_same_but_for_last_line(plain, outcome)
                    self.assertEqual([(self.directory / name).read_text() for name in files], contents)

    def assert_same_but_for_last_line(self, plain, outcome):
        self.assertEqual((outcome.status, outcome.stdout), (plain.status, plain.stdout), outcome.stderr)
        other = [line for line in outcome.stderr.splitlines() if not line.startswith("gprof-lsp: ")]
        self.assertEqual(other, plain.stderr.splitlines())

    def library(self, *places):
        for place in places:
            for found in pathlib.Path("/usr/lib").glob(place):
                return found
        raise unittest.SkipTest(f"skipped: no {places[0]}")

    def test_fakeroot(self):
        require("fakeroot")
        self.assert_same(["fakeroot", "sh", "-c",
                          "touch owned; chown 5:6 owned; stat -c %u:%g owned; exec id -u"], inside="sh")

    def test_fakechroot(self):
        require("fakechroot")
        self.assert_same(["fakechroot", "sh", "-c", "ls -d /; echo done"], inside="sh")

    def test_faketime(self):
        require("faketime")
        self.assert_same(["faketime", "2001-02-03 04:05:06", "sh", "-c", "exec date +%Y-%m-%d"], inside="sh")

    def test_jemalloc(self):
        jemalloc = self.library("*/libjemalloc.so.2", "libjemalloc.so.2")
        self.assert_same(["sh", "-c", "grep -c libjemalloc /proc/self/maps | grep -vxq 0; echo $?"],
                         preload=jemalloc)

    def test_bear(self):
        require("bear", "gcc")
        (self.directory / "unit.c").write_text("int unit;\n")
        self.assert_same(["bear", "--", "sh", "-c", "gcc -c unit.c; env gcc -c unit.c -o other.o"],
                         files=["compile_commands.json"])


if __name__ == "__main__":
    unittest.main()
