"""The live file is in proportion to what is counted, and within its limit; what there is no room for is
given up in order and counted, and what was counted stays."""
import re
import resource

from harness import RuntimeTest, execute, require_root, required

KIBIBYTE = 1024
MEBIBYTE = 1024 * KIBIBYTE
# Bytes of the live file: what a program of one thread has, and what each further one may add.
CONSTANT = MEBIBYTE
A_THREAD = 64 * KIBIBYTE
LEAVES = 1000


class LiveLimit(RuntimeTest):
    @classmethod
    def programs(cls):
        cls.program = cls.build("many_threads", ["many_threads.c"], "-O1", "-pthread", pg=False)
        cls.counting = cls.build("many_threads_pg", ["many_threads.c"], "-O1", "-pthread")

    def run_one(self, program, threads, *more, variables=None, output=None, **options):
        """The outcome without our own line and the size of the live file, which it had."""
        output = output or self.directory
        outcome = self.preloaded(
            program, threads, output, *more, **options,
            variables={"GPROF_OUTPUT": output, "GPROF_ANY": 1, "GPROF_LIVE_LIMIT": "1G",
                       **(variables or {})})
        self.assertEqual(outcome.status, 0, outcome.stderr[-2000:])
        rounds = int(more[0]) if more else 20
        self.assertEqual(outcome.numbers(), {"sum": threads * rounds + 10})
        lines = [line for line in outcome.stderr.splitlines() if not line.startswith("live ")]
        self.assert_one_line_at_most("".join(line + "\n" for line in lines))
        return int(re.search(r"^live (\d+)$", outcome.stderr, re.M)[1])

    def process(self, output=None):
        return self.sidecar(directory=output)["process"]


class Threads(LiveLimit):
    """Each takes little of the file, whatever is measured, and however many want it at once."""

    def assert_small(self, threads):
        for program, variables in ((self.program, {"GPROF_RATE": 1000, "GPROF_STACKS": 1}),
                                   (self.program, {"GPROF_RATE": 1000, "GPROF_WAIT": 1}),
                                   (self.counting, {"GPROF_RATE": 1000}),
                                   (self.counting, {"GPROF_WAIT": 1, "GPROF_STACKS": 1})):
            with self.subTest(f"{program.name} {variables}"):
                size = self.run_one(program, threads, variables=variables)
                self.assertLessEqual(size, CONSTANT + A_THREAD * threads)
                if program == self.counting:
                    self.assert_calls(self.calls(program), {
                        ("known", "add"): 10, ("work", "add"): 20 * threads, (None, "work"): threads})
                self.assertEqual((self.process()["lost_calls"], self.process()["lost_samples"],
                                  self.process()["lost_stacks"]), (0, 0, 0))

    def test_one(self):
        self.assert_small(1)

    def test_ten(self):
        self.assert_small(10)

    def test_a_hundred(self):
        self.assert_small(100)

    def test_a_thousand(self):
        self.assert_small(1000)

    def test_five_thousand(self):
        self.assert_small(5000)

    def test_growth_takes_few_system_calls(self):
        """A region for all who wait, not one for each: counted, not timed."""
        trace = self.directory / "trace"
        strace = [required("strace"), "--seccomp-bpf", "-f", "-qq", "-e", "trace=fallocate", "-o", trace]
        if execute([*strace, "true"], self.directory).status != 0:
            self.skipTest("skipped: strace cannot trace")
        for threads in (10, 300):
            command = [*strace, "env", f"LD_PRELOAD={self.library()}", "GPROF_WAIT=1", "GPROF_ANY=1",
                       f"GPROF_OUTPUT={self.directory}", "GPROF_LIVE_LIMIT=1G", self.program, threads,
                       self.directory]
            self.assertEqual(execute(command, self.directory).status, 0)
            calls = [line for line in trace.read_text().splitlines() if "fallocate(" in line]
            self.assertGreaterEqual(len(calls), 1)
            # Each adds an eighth at least: that of the limit would take 80.
            self.assertLessEqual(len(calls), 40)

    def library(self):
        from harness import LIBRARY
        return LIBRARY


class LimitedTest(LiveLimit):
    THREADS = 40

    def assert_kept(self, limit, variables=None, program=None):
        """Known arcs are complete, and what is missing of the others was counted as lost."""
        program = program or self.counting
        size = self.run_one(program, self.THREADS, 50, 4,
                            variables={"GPROF_LIVE_LIMIT": limit, **(variables or {})})
        process = self.process()
        # Where libc's start-up code counts calls, too, they are the same in each run.
        self.assertEqual(process["calls"] + process["lost_calls"], self.all_calls())
        if process["lost_calls"]:
            self.assertTrue(process["flags"] & 32, process)
        # known() had called add() before the room was taken.
        self.assertEqual(self.calls(program)["known", "add"], 10)
        return size, process

    def all_calls(self):
        # main, live_size, first, second, third, each, known twice; the leaves; the threads and their
        # rounds; those of known().
        return 8 + 4 * LEAVES + self.THREADS + 50 * self.THREADS + 10

    def disk(self, size):
        require_root()
        disk = self.directory / "disk"
        disk.mkdir()
        done = execute([required("mount"), "-t", "tmpfs", "-o", f"size={size}", "none", disk], "/")
        if done.status != 0:
            self.skipTest("skipped: no tmpfs")
        self.addCleanup(execute, ["umount", "-l", disk], "/")
        return disk


class Limit(LimitedTest):
    def test_enough(self):
        size, process = self.assert_kept("64M")
        self.assertEqual((process["lost_calls"], process["flags"] & 32), (0, 0))
        self.assertLess(size, 4 * MEBIBYTE)

    def test_any(self):
        for limit, most in (("1", 256), ("256K", 256), ("300k", 300), ("512K", 512), ("1M", 1024),
                            ("2097152", 2048)):
            with self.subTest(limit):
                size, process = self.assert_kept(limit, {"GPROF_RATE": 1000})
                self.assertLessEqual(size, most * KIBIBYTE)
                if most == 256:
                    self.assertTrue(process["flags"] & 32)

    def test_with_waits_and_stacks(self):
        limited = False
        for limit in ("256K", "384K", "768K", "1M"):
            with self.subTest(limit):
                _, process = self.assert_kept(limit, {"GPROF_WAIT": 1, "GPROF_STACKS": 1,
                                                      "GPROF_RATE": 1000})
                limited = limited or process["flags"] & 32 != 0
        self.assertTrue(limited)

    def test_default_is_a_share_of_the_free_space(self):
        disk = self.disk("200m")
        size = self.run_one(self.program, 300, output=disk,
                            variables={"GPROF_WAIT": 1, "GPROF_LIVE_LIMIT": ""})
        self.assertLessEqual(size, 2 * MEBIBYTE)
        # The rest was in memory.
        self.assertEqual(self.process(disk)["flags"] & 32, 0)

    def test_wrong_values_are_said(self):
        for value in ("x", "-1", "64X", "1.5G", "K", "99999999999999999999", "0", "2MM"):
            with self.subTest(value):
                outcome = self.preloaded(self.program, 1, self.directory,
                                         variables={"GPROF_LIVE_LIMIT": value, "GPROF_ANY": 1})
                self.assertIn("GPROF_LIVE_LIMIT", outcome.stderr)
                self.assertEqual(outcome.numbers(), {"sum": 30})


class Refused(LimitedTest):
    """The file cannot grow, whatever its limit: the program is as before, and so are its counts."""

    def assert_counts(self, output=None, **options):
        for variables in ({"GPROF_RATE": 1000}, {"GPROF_WAIT": 1, "GPROF_STACKS": 1}):
            with self.subTest(variables):
                size = self.run_one(self.counting, self.THREADS, 50, 4, variables=variables,
                                    output=output, **options)
                process = self.process(output)
                self.assertEqual((process["calls"], process["lost_calls"]), (self.all_calls(), 0))
                return size

    def test_full_disk(self):
        disk = self.disk("4m")
        filler = disk / "filler"
        for kibibytes in (900, 1200, 1600, 2400):
            with self.subTest(f"{kibibytes} KiB"):
                filler.write_bytes(bytes(4 * MEBIBYTE - kibibytes * KIBIBYTE))
                size = self.run_one(self.counting, self.THREADS, 50, 4, output=disk,
                                    variables={"GPROF_WAIT": 1})
                self.assertLessEqual(size, kibibytes * KIBIBYTE)
                if (disk / "gmon.out").exists():
                    process = self.process(disk)
                    self.assertEqual((process["calls"], process["lost_calls"]), (self.all_calls(), 0))
                for name in self.files(disk):
                    (disk / name).unlink()

    def test_limit_of_file_size(self):
        size = 640 * KIBIBYTE
        self.assertLessEqual(self.assert_counts(preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (size, size))), size)

    def test_little_address_space(self):
        plain = self.plain(self.counting, self.THREADS, self.directory, 50, 4)
        self.assertEqual(plain.status, 0)
        # The program's own need, with room for the library and the states of the threads.
        for mebibytes in (96, 128, 256):
            size = mebibytes * MEBIBYTE

            def limit(size=size):
                resource.setrlimit(resource.RLIMIT_AS, (size, size))

            variables = {"MALLOC_ARENA_MAX": "1"}
            if self.plain(self.counting, self.THREADS, self.directory, 50, 4,
                          preexec_fn=limit).status != 0:
                continue
            self.assert_counts_of_little(limit, variables)

    def assert_counts_of_little(self, limit, variables):
        self.run_one(self.counting, self.THREADS, 50, 4, preexec_fn=limit,
                     variables={"GPROF_WAIT": 1, **variables})
        process = self.process()
        self.assertEqual(process["calls"] + process["lost_calls"], self.all_calls())
