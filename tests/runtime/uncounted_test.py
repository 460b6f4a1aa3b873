"""`gprof-lsp record` profiles programs as they are, and keeps the profiles that are of interest."""
import os
import re

import gmon_profile
from chance import binomial_bounds
from harness import SERVER, execute, require, require_root
from record_support import RecordTest

NOT_COUNTED = "calls are not counted (built without -pg)"
WITH_STACKS = 1


class UncountedTest(RecordTest):
    @classmethod
    def programs(cls):
        super().programs()
        cls.uncounted = cls.build("uncounted", ["uncounted.c"], "-O2", "-fomit-frame-pointer", "-pthread",
                                  pg=False)

    def recorded(self, *words, status=0, **options):
        result, output, errors = self.record(*words, **options)
        self.assertEqual(result, status, errors)
        self.assertEqual(len(errors.splitlines()), 1, errors)
        return output, self.last_line(errors)

    def samples_of(self, name="gmon.out"):
        return gmon_profile.samples(self.profile(name), gmon_profile.symbols_of(self.uncounted))

    def stacks(self):
        """[(count, [function, ...])] of the executable's frames, innermost first."""
        symbols = gmon_profile.symbols_of(self.uncounted)
        found = []
        for stack in self.sidecar()["stacks"]:
            names = [symbols.name_at(address - (index > 0))
                     for index, (module, address) in enumerate(stack["frames"])
                     if module is not None and module["path"] == str(self.uncounted)]
            found.append((stack["count"], names))
        return found


class Sampled(UncountedTest):
    def test_times_with_stacks(self):
        output, line = self.recorded("--rate=500", "--", self.uncounted, "burn", 400, 5, status=5)
        self.assertEqual(output, "burn 0\n")
        self.assertRegex(line, r"^gmon.out: [\d,]+ samples at (?:[\d.]+ of )?500 Hz, 1 thread; "
                         + re.escape(NOT_COUNTED))
        self.assertEqual(self.files(), ["gmon.out", "gmon.out.gpx"])
        self.assertGreater(self.samples_of()["inner"], 50)
        self.assertEqual(self.sidecar()["process"]["flags"] & WITH_STACKS, WITH_STACKS)
        by_caller = {name: sum(count for count, names in self.stacks() if name in names)
                     for name in ("cheap", "dear", "main")}
        # Its share is three quarters; a few ticks in the kernel may count for several samples each.
        both = by_caller["dear"] + by_caller["cheap"]
        self.assertGreaterEqual(by_caller["dear"], binomial_bounds(both, 0.7)[0])
        self.assertGreater(by_caller["main"], 0.98 * self.samples_of()["inner"])

    def test_stacks_through_a_library(self):
        self.recorded("--rate=1000", self.uncounted, "sort")
        through = sum(count for count, names in self.stacks()
                      if "inner" in names and "main" in names)
        self.assertGreater(through, 20)

    def test_gnu_gprof_reads_it(self):
        require("gprof")
        self.recorded("--rate=500", self.uncounted, "burn", 200)
        done = execute(["gprof", "-b", "-p", self.uncounted, "gmon.out"], self.directory)
        self.assertEqual((done.status, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"(?m)^ *[\d.]+ +[\d.]+ +[\d.]+ +inner$")

    def test_from_the_constructors_on(self):
        self.recorded("--rate=500", self.uncounted, "none", variables={"EARLY": 1})
        self.assertGreater(self.samples_of()["early"], 10)

    def test_threads(self):
        _, line = self.recorded("--rate=1000", self.uncounted, "threads")
        self.assertIn(" 4 threads; ", line)
        self.assertGreaterEqual(sum(thread["samples"] > 0 for thread in self.sidecar()["threads"]), 3)

    def test_stacks_unless_they_are_not_wanted(self):
        for program in (self.uncounted, self.program):
            for words, variables, stacks in (((), {}, True), (("--no-stacks",), {}, False),
                                             ((), {"GPROF_STACKS": 0}, False), ((), {"GPROF_STACKS": ""}, True),
                                             (("--stacks",), {"GPROF_STACKS": 0}, True)):
                with self.subTest(program=program.name, words=words, variables=variables):
                    self.recorded("--rate=1000", *words, program, variables=variables)
                    self.assertEqual(self.sidecar()["process"]["flags"] & WITH_STACKS, WITH_STACKS * stacks)

    def test_gnu_gprof_prints_the_same_of_counted_calls_with_stacks(self):
        require("gprof")
        self.recorded("--rate=1000", self.program)
        self.assertEqual(self.sidecar()["process"]["flags"] & WITH_STACKS, WITH_STACKS)
        gnu = execute(["gprof", "-b", self.program, "gmon.out"], self.directory)
        ours = execute([SERVER, "report", "-b", self.program, "gmon.out"], self.directory)
        self.assertEqual((gnu.status, gnu.stderr), (0, ""))
        self.assertIn("work", gnu.stdout)
        self.assertEqual(gnu.stdout, ours.stdout)

    def test_a_rate_is_judged_only_by_enough_samples(self):
        _, line = self.recorded("--rate=500", self.uncounted, "burn", 50)
        self.assertRegex(line, r"^gmon.out: \d+ samples? at 500 Hz, 1 thread; ")
        self.assertNotIn("too small", line)

    def test_preloaded_without_record(self):
        self.profiled(self.uncounted, "burn", 200, variables={"GPROF_RATE": 1000})
        self.assertGreater(self.samples_of()["inner"], 20)
        for name in self.files():
            (self.directory / name).unlink()
        # Programs of the system are left alone, and others where it is wanted.
        self.profiled("/bin/sh", "-c", "i=0; while [ $i != 100000 ]; do i=$((i + 1)); done")
        self.profiled(self.uncounted, "burn", 10, variables={"GPROF_ANY": 0})
        self.assertEqual(self.files(), [])


class Whose(UncountedTest):
    BUSY = "i=0; while [ $i != 400000 ]; do i=$((i + 1)); done"

    def script(self, text):
        script = self.directory / "run.sh"
        script.write_text(f"#!/bin/sh\n{text}\n")
        script.chmod(0o755)
        return "./run.sh"

    def program_of(self, name="gmon.out.gpx"):
        return next(module["path"] for module in self.sidecar(name)["modules"] if module["flags"] & 1)

    def profiles(self):
        return [name for name in self.files() if name.startswith("gmon.out") and not name.endswith(".gpx")]

    def test_of_a_program_in_a_script(self):
        script = self.script(f"{self.BUSY}; '{self.uncounted}' burn 100; '{self.uncounted}' burn 50; exit 3")
        _, line = self.recorded(script, status=3)
        self.assertEqual(len(self.profiles()), 2)
        self.assertEqual(self.program_of(), str(self.uncounted))
        self.assertRegex(line, r"^gmon\.out: .*; left out: \w+ [\d.]+ s \(--children=all keeps them\)"
                         r"; further processes: gmon\.out\.\d+$")
        self.assertFalse([name for name in self.files() if "live" in name or "tmp" in name])

    def test_all_and_none(self):
        script = self.script(f"{self.BUSY}; '{self.uncounted}' burn 100; exit 3")
        _, line = self.recorded("--children=all", script, status=3)
        self.assertNotIn("left out", line)
        self.assertEqual(len(self.profiles()), 2)
        _, line = self.recorded("--children=none", "--output=none", script, status=3)
        self.assertRegex(line, r"^none/gmon\.out: .*; left out: uncounted [\d.]+ s")
        self.assertEqual(os.path.basename(os.path.realpath("/bin/sh")),
                         os.path.basename(self.program_of("none/gmon.out.gpx")))

    def test_of_what_was_named_where_nothing_else_took_time(self):
        # Without samples, because its start might have some by chance.
        _, line = self.recorded(self.script(f"GPROF_RATE=0 '{self.uncounted}'; {self.BUSY}"))
        self.assertEqual(self.program_of(), os.path.realpath("/bin/sh"))
        self.assertRegex(line, r"^gmon\.out: [\d,]+ samples")

    def test_of_a_program_behind_env(self):
        _, line = self.recorded("env", "EARLY=1", self.uncounted, "burn", 50)
        self.assertEqual(self.program_of(), str(self.uncounted))
        self.assertEqual(self.profiles(), ["gmon.out"])

    def test_of_tests_that_make_runs(self):
        require("make")
        (self.directory / "Makefile").write_text(f"test:\n\t@'{self.uncounted}' burn 60; true\n\t@'{self.program}'\n")
        self.recorded("make", "-s", "test")
        # One sampled, one that counts its calls.
        self.assertEqual(len(self.profiles()), 2)
        self.assertEqual(self.program_of(), str(self.uncounted))


class Refused(UncountedTest):
    def why(self, program, *words):
        output, line = self.recorded(program, "burn", 10, 4, *words, status=4)
        self.assertEqual(output, "burn 0\n")
        self.assertEqual(self.files(), [])
        return line

    def test_static(self):
        program = self.build("static", ["uncounted.c"], "-O1", "-static", "-pthread", pg=False)
        line = self.why(program)
        self.assertRegex(line, "^no profile of .*: it is statically linked, .*; record it with perf record -g, "
                         "whose perf.data gprof-lsp reads, or link it with -lgprof_runtime")

    def test_go(self):
        require("objcopy")
        program = self.build("made-by-go", ["uncounted.c"], "-O1", "-static", "-pthread", pg=False)
        (self.built / "note").write_text("note")
        execute(["objcopy", f"--add-section=.note.go.buildid={self.built}/note", program], self.built)
        self.assertRegex(self.why(program), "^no profile of .*: it is a Go program.*perf record")

    def test_go_with_a_dynamic_linker(self):
        """As Go's linker notes it in what it makes with -buildmode=pie, and gcc's with cgo."""
        (self.built / "note.s").write_text('''.section .note.go.buildid, "a", @note
            .balign 4
            .long 4, 4, 4
            .asciz "Go\\0", "abc"
''')
        program = self.build("linked-by-go", ["uncounted.c", "note.s"], "-O1", "-pthread", pg=False)
        self.assertRegex(self.why(program), "^no profile of .*: it is a Go program.*perf record")
        # Nor as a child, which inherits LD_PRELOAD.
        _, line = self.recorded("--children=all", "sh", "-c", f"'{program}' burn 200 4; exit 5", status=5)
        self.assertEqual([name for name in self.files() if name.startswith("gmon.out.")], ["gmon.out.gpx"])
        self.assertIn("were of programs without a profile", line)

    def test_capabilities(self):
        require_root()
        require("setcap", "setpriv")
        program = self.build("capable", ["uncounted.c"], "-O1", "-pthread", pg=False)
        if execute(["setcap", "cap_net_raw+ep", program], self.built).status != 0:
            self.skipTest("skipped: no file capabilities here")
        self.directory.chmod(0o777)
        server = self.server_within_reach()
        done = execute(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", server, "record",
                        program, "burn", 10, 4], self.directory)
        self.assertEqual((done.status, done.stdout), (4, "burn 0\n"), done.stderr)
        self.assertRegex(done.stderr, "^gprof-lsp: no profile of .*: it gains capabilities .*run a copy.*perf record")
        self.assertEqual(self.files(), [])

    def test_musl_itself(self):
        require("musl-gcc")
        (self.built / "small.c").write_text("#include <stdio.h>\nint main(void) { puts(\"burn 0\"); return 4; }\n")
        program = self.build("by-musl", ["small.c"], "-O1", compiler="musl-gcc", pg=False)
        self.assertRegex(self.why(program), "^no profile of .*: its C library is musl.*perf record")

    def test_the_linker_is_known_by_itself(self):
        """Not by its path: here glibc's own under the name of musl's."""
        require("readelf")
        text = execute(["readelf", "-l", self.uncounted], self.built).stdout
        linker = re.search(r"interpreter: (.*)\]", text)[1]
        (self.built / "ld-musl-x86_64.so.1").symlink_to(linker)
        program = self.build("musl", ["uncounted.c"], "-O1", "-pthread",
                             f"-Wl,--dynamic-linker={self.built}/ld-musl-x86_64.so.1", pg=False)
        _, line = self.recorded(program, "burn", 10, 4, status=4)
        self.assertRegex(line, r"^gmon\.out: ")
