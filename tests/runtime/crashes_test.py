"""Where a signal ends a program, which the collector notes; and that the program ends as it would without."""
import platform
import re
import resource
import signal
import subprocess

from harness import LIBRARY, PROGRAMS, clean_environment, execute, require
from record_support import RecordTest
from sidecar import MODULE_MAIN
from tested_build import NOT_HERE

SOURCE = PROGRAMS / "crashes.c"
# How it crashes, by which signal, and which address no access was to.
FAULTS = (("null", signal.SIGSEGV, 0), ("write", signal.SIGSEGV, 0x1234), ("call", signal.SIGSEGV, 0),
          ("noncanonical", signal.SIGSEGV, None), ("library", signal.SIGSEGV, 8), ("divide", signal.SIGFPE, None),
          ("trap", signal.SIGILL, None), ("bus", signal.SIGBUS, None), ("abort", signal.SIGABRT, None),
          ("assert", signal.SIGABRT, None), ("raise", signal.SIGSEGV, None))
if platform.machine() != "x86_64":
    # Divisions by 0 have a result there, and what traps is for debuggers.
    FAULTS = tuple(fault for fault in FAULTS if fault[0] not in ("divide", "trap", "noncanonical"))


def lines_of(how):
    """The line that crashes, and those that led there, the innermost first."""
    here, callers = None, []
    for number, line in enumerate(SOURCE.read_text().splitlines(), 1):
        words = line.rpartition("// ")[2].split()
        if how in words and words[-1] == "here":
            here = number
        elif how in words and words[-1] == "caller":
            callers.append(number)
    return [here, *callers]


class Crashes(RecordTest):
    @classmethod
    def programs(cls):
        require("addr2line")
        cls.program = cls.build("crashes", ["crashes.c"], "-O1", "-pthread", pg=False)
        cls.counted = cls.build("counted", ["crashes.c"], "-O1", "-pthread")

    def setUp(self):
        super().setUp()
        # No core file in the folder of a test.
        before = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (0, before[1]))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_CORE, before)

    def unharmed(self, *words, program=None, variables=None):
        """The run's sidecar, if it has one, after it ended as it does without us."""
        program = program or self.program
        plain = self.plain(program, *words)
        status, output, errors = self.record("--", program, *words, variables=variables)
        own = [line for line in errors.splitlines() if line.startswith("gprof-lsp: ")]
        others = [line for line in errors.splitlines() if line not in own]
        # The assertion that fails is named with the program.
        self.assertEqual((status, output, others), (plain.status, plain.stdout, plain.stderr.splitlines()), errors)
        self.assertEqual(1, len(own), errors)
        self.line = own[0]
        return self.sidecar() if "gmon.out.gpx" in self.files() else None

    def lines_in_program(self, crash, program):
        """Of the source, by the frames in the program; callers are looked up in the call before."""
        places = []
        for number, frame in enumerate(crash["stack"]["frames"]):
            module, address = frame
            if module is not None and module["flags"] & MODULE_MAIN:
                places.append(f"{address - (number > 0):#x}")
        done = execute(["addr2line", "-e", program, *places], self.directory)
        return [int(line) for line in re.findall(r"crashes\.c:(\d+)", done.stdout)]

    def test_the_line_is_noted(self):
        for program in (self.program, self.counted):
            for how, number, address in FAULTS:
                with self.subTest(how, program=program.name):
                    sidecar = self.unharmed(how, program=program)
                    self.assertEqual(1, len(sidecar["crashes"]))
                    crash = sidecar["crashes"][0]
                    self.assertEqual(number, crash["signal"])
                    if address is not None:
                        self.assertEqual(address, crash["address"])
                    self.assertEqual(sidecar["process"]["process"], crash["thread"]["thread"])
                    self.assertEqual(lines_of(how), self.lines_in_program(crash, program))
                    self.assertFalse(crash["stack"]["truncated"])
                    self.assertRegex(self.line, rf"; killed by {number.name} at crashes\.c:{lines_of(how)[0]} \(\w+\)")
                for name in self.files():
                    (self.directory / name).unlink()

    def test_in_a_program_that_a_shell_starts(self):
        status, _, errors = self.record("--", "sh", "-c", f"'{self.program}' write; echo $?")
        self.assertEqual(0, status)
        self.assertRegex(self.last_line(errors), rf"; killed by SIGSEGV at crashes\.c:{lines_of('write')[0]} \(access_nothing\)")

    def test_in_a_library(self):
        crash = self.unharmed("library")["crashes"][0]
        inner = crash["stack"]["frames"][0][0]
        self.assertEqual(0, inner["flags"] & MODULE_MAIN)
        self.assertIn("libc", inner["path"])

    def test_in_a_thread(self):
        sidecar = self.unharmed("thread")
        crash = sidecar["crashes"][0]
        self.assertNotEqual(sidecar["process"]["process"], crash["thread"]["thread"])
        self.assertEqual(lines_of("thread")[0], self.lines_in_program(crash, self.program)[0])

    def test_without_samples(self):
        self.record("--rate=0", "--", self.counted, "write")
        self.assertEqual(lines_of("write"), self.lines_in_program(self.sidecar()["crashes"][0], self.counted))

    def test_without_stacks_nothing_is_noted(self):
        plain = self.plain(self.program, "null")
        status, _, _ = self.record("--no-stacks", "--", self.program, "null")
        self.assertEqual(plain.status, status)
        self.assertEqual([], self.sidecar()["crashes"])

    def test_programs_that_look_after_crashes_themselves(self):
        for how in ("handler", "handler-again", "ignored", "actions"):
            with self.subTest(how):
                sidecar = self.unharmed(how)
                self.assertEqual([], sidecar["crashes"] if sidecar else [])
            for name in self.files():
                (self.directory / name).unlink()

    def test_a_program_that_survives_abort(self):
        sidecar = self.unharmed("abort-and-go-on")
        self.assertEqual([], sidecar["crashes"])
        self.assertNotIn("killed", self.line)

    def test_odd_endings(self):
        for how in ("strict", "blocked", "small-stack", "overflow", "children"):
            with self.subTest(how):
                self.unharmed(how)
            for name in self.files():
                (self.directory / name).unlink()

    def test_signals_of_others_are_no_crashes(self):
        for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGTERM):
            with self.subTest(number.name):
                process = subprocess.Popen([self.program, "wait"], cwd=self.directory, stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, env=clean_environment(LD_PRELOAD=LIBRARY))
                self.assertEqual(process.stdout.readline(), b"ready\n")
                process.send_signal(number)
                _, errors = process.communicate(timeout=60)
                self.assertEqual((-number, b""), (process.returncode, errors))
                self.assertEqual(0, self.recover().status)
                self.assertEqual([], self.sidecar()["crashes"])
            for name in self.files():
                (self.directory / name).unlink()

    def test_the_core_file_is_the_same(self):
        """Where core files are written to the current directory: the same signal, the same stack."""
        require("gdb")
        with open("/proc/sys/kernel/core_pattern", encoding="utf-8") as file:
            pattern = file.read().strip()
        if not re.fullmatch(r"core[.\w%-]*", pattern):
            self.skipTest(f"{NOT_HERE}core files go to {pattern}")
        resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
        for how in ("write", "call", "raise"):
            with self.subTest(how):
                seen = []
                for variables in ({}, {"LD_PRELOAD": LIBRARY}):
                    execute([self.program, how], self.directory, clean_environment(**variables))
                    core = next(self.directory.glob("core*"))
                    shown = execute(["gdb", "-batch", "-ex", "print $_siginfo", "-ex", "bt", self.program, core], self.directory)
                    seen.append(re.findall(r"Program terminated with signal.*|si_(?:signo|code) = \S+|^#\d.* at \S+:\d+",
                                           re.sub(r"0x[0-9a-f]{6,}", "ADDRESS", shown.stdout), re.M))
                    for file in self.directory.iterdir():
                        file.unlink()
                self.assertEqual(*seen)
                self.assertTrue(seen[0])


if __name__ == "__main__":
    import unittest
    unittest.main()
