"""The last line of `gprof-lsp record`, compared with the sidecars that it summarises."""
import os
import pathlib
import re
import resource
import signal
import subprocess

from gmon_profile import symbols_of
from harness import ARCHIVE, SERVER, clean_environment, execute, require, require_root
from record_support import ALL_FIGURES, FIGURES, RecordTest
from sidecar import MODULE_MAIN

MANY_CALLS = 100_000_000


def number(text):
    return int(text.replace(",", ""))


class LastLine(RecordTest):
    def line_of(self, *words):
        _, _, errors = self.record(*words)
        return self.last_line(errors)

    def sidecars(self):
        return [self.sidecar(name) for name in self.files() if name.endswith(".gpx")]

    def totals(self, *names):
        processes = [sidecar["process"] for sidecar in self.sidecars()]
        return tuple(sum(process[name] for process in processes) for name in names)

    def test_several_processes_are_told_of_together(self):
        line = self.line_of("--rate=1000", self.program, "fork")
        figures = re.match(rf"gmon\.out: {ALL_FIGURES}; further processes: gmon\.out\.\d+, ", line)
        self.assertTrue(figures, line)
        sidecars = self.sidecars()
        self.assertEqual(len(sidecars), 4)
        threads = sum(len(sidecar["threads"]) for sidecar in sidecars)
        self.assertEqual([number(group) for group in figures.groups()],
                         [*self.totals("calls"), 4, threads])
        self.assertGreater(number(figures[1]), sidecars[0]["process"]["calls"])

    def test_waiting_is_told(self):
        # It waits for a signal, which is sent half a second after it has started, however long that took.
        waits = f"'{self.program}' signals {int(signal.SIGUSR1)}"
        line = self.line_of("sh", "-c", waits + " | { read number; read ready; sleep 0.5; kill -USR1 $number; cat; }")
        times = re.search(r"; ran ([\d.]+) s, ([\d.]+) s on CPU(?:, waited [\d.]+ s for a CPU)?"
                          ": waiting is not in the figures", line)
        self.assertTrue(times, line)
        process = self.sidecars()[0]["process"]
        ran = (process["end_time"] - process["start_time"]) / 1e9
        self.assertAlmostEqual(float(times[1]), ran, delta=0.06 * ran)
        self.assertAlmostEqual(float(times[2]), process["cpu_time"] / 1e9,
                               delta=0.06 * process["cpu_time"] / 1e9)

    def test_what_no_sample_means(self):
        # One sample a second at random times: even a run of milliseconds has one now and then.
        for _ in range(5):
            line = self.line_of("--rate=1", self.program)
            self.assertRegex(line, f"^gmon.out: {FIGURES}$")
            if not self.sidecar()["samples"]:
                break
        self.assertRegex(line, r"no samples in .*; at 1 Hz, what takes less than 3 s may have no sample")
        self.assertNotIn("no sample", self.line_of("--rate=0", self.program).partition("; ran")[2])

    def test_samples_in_the_collector(self):
        """As a shared library, and linked in, where its functions identify it."""
        linked = self.build("linked", ["recorded.c"], "-O1", "-static", libraries=[ARCHIVE])
        symbols = symbols_of(linked)

        def is_collector(sample):
            module = sample["module"]
            if program == self.program or module is None:
                return module is not None and module["path"].endswith("/libgprof_runtime.so")
            # Samples may be in other modules, such as the vDSO, whose addresses mean nothing in the program.
            name = symbols.name_at(sample["address"]) if module["flags"] & MODULE_MAIN else ""
            return name.startswith(("_ZN13gprof_runtime", "_ZN13gprof_formats", "mcount", "_mcount", "__fentry__"))

        for program in self.program, linked:
            line = self.line_of("--rate=1000", program, "calls", MANY_CALLS)
            told = re.search(r"; ([\d,]+) samples \([\d.]+ %\) in the collector itself", line)
            self.assertTrue(told, line)
            self.assertEqual(number(told[1]), sum(
                sample["count"] for sample in self.sidecar()["samples"] if is_collector(sample)))
            price = re.search(r"counting calls (?:took )?(?:about|at least) ([\d.]+) %", line)
            self.assertTrue(price, line)
            process = self.sidecar()["process"]
            share = process["price_picoseconds"] / 1e3 * process["calls"] / process["cpu_time"]
            self.assertAlmostEqual(float(price[1]), min(100 * share, 100), delta=1)

    def test_waiting_for_a_cpu_is_told(self):
        """A program that shares its only CPU with three busy loops runs for a quarter of the time."""
        if not pathlib.Path("/proc/self/schedstat").exists():
            self.skipTest("skipped: the kernel keeps no account of run delays")
        burn = self.build("burn", ["uncounted.c"], "-O1", "-pthread", pg=False)
        own = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, own)
        os.sched_setaffinity(0, {min(own)})
        for _ in range(3):
            rival = subprocess.Popen(["sh", "-c", "while :; do :; done"])
            self.addCleanup(rival.wait)
            self.addCleanup(rival.kill)
        line = self.line_of(burn, "burn", 300)
        told = re.search(r"; ran ([\d.]+) s, ([\d.]+) s on CPU, waited ([\d.]+) s for a CPU;", line)
        self.assertTrue(told, line)
        ran, busy, waited = (float(told[i]) for i in (1, 2, 3))
        self.assertLessEqual(waited, (ran - busy) * 1.06 + 0.01)

    def test_idle_threads_are_not_part_of_waiting(self):
        program = self.build("idle_pool", ["idle_pool.c"], "-O1", "-pthread", pg=False)
        line = self.line_of("--wait", program)
        told = re.search(r" on CPU, waited ([\d.]+) s, idle ([\d.]+) s;", line)
        self.assertTrue(told, line)
        waits = self.sidecar()["waits"]
        idle = sum(wait["total"] for wait in waits if wait["function"] == "sem_wait") / 1e9
        others = sum(wait["total"] for wait in waits if wait["function"] != "sem_wait") / 1e9
        self.assertGreaterEqual(idle, 4)
        self.assertAlmostEqual(float(told[1]), others, delta=0.06 * others)
        self.assertAlmostEqual(float(told[2]), idle, delta=0.06 * idle)

    def test_whose_time_is_in_no_profile(self):
        """Threads that are hardly there are of this program; another one has no profile."""
        threads = self.build("short_threads", ["short_threads.c"], "-O1", "-pthread", pg=False)
        for words in ((threads, 20000), ("sh", "-c", f"{threads} 20000; true")):
            with self.subTest(str(words)):
                line = self.line_of(*words)
                self.assertNotIn("programs without a profile", line)
        static = self.build("burn-static", ["uncounted.c"], "-O1", "-static", "-pthread", pg=False)
        line = self.line_of("sh", "-c", f"{static} burn 600; true")
        self.assertRegex(line, r"; 0\.\d+ s on CPU were of programs without a profile")
        self.assertNotIn("not sampled", line)

    def test_why_nothing_was_sampled(self):
        program = self.build("sandboxed", ["sandboxed.c"], "-O1", "-pthread", pg=False)
        if self.plain(program, "minimal").status == 123:
            self.skipTest("skipped: no seccomp")
        line = self.line_of(program, "no-handlers")
        self.assertNotIn("programs without a profile", line)
        self.assertRegex(line, r"s on CPU were not sampled: the collector reported: no more samples: "
                               "the program's own filter forbids what they need")


class NoProfile(RecordTest):
    """What the collector reported is the reason that is given."""

    def test_a_full_disk(self):
        require_root()
        require("mount", "umount")
        place = self.directory / "small"
        place.mkdir()
        if execute(["mount", "-t", "tmpfs", "-o", "size=256k", "none", place], self.directory).status != 0:
            self.skipTest("skipped: no file system of its own")
        self.addCleanup(execute, ["umount", place], self.directory)
        (place / "all").write_bytes(bytes(252 * 1024))
        status, output, errors = self.record("--output", place, self.program, "echo", input="word\n")
        self.assertEqual(status, 0, errors)
        self.assertRegex(self.last_line(errors),
                         "^no profile of .*: the collector reported: cannot write the profile: .*"
                         "no space left on device$")

    def test_a_limit_of_file_sizes(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

        for words in ((self.program,), (self.plain_program,)):
            with self.subTest(str(words)):
                status, _, errors = self.record(*words, preexec_fn=limit)
                self.assertEqual(status, 0, errors)
                self.assertRegex(self.last_line(errors), "the collector reported: .*file too large$")

    def test_a_child_that_could_not_write(self):
        """Its parent has a profile; the child's is missing for a reason."""
        # Without samples: one of the child as a shell, before its limit, would be a part of a profile.
        script = f"(ulimit -f 0; exec {self.program}); true"
        status, _, errors = self.record("--rate=0", "--children=all", "sh", "-c", script)
        self.assertEqual(status, 0, errors)
        line = self.last_line(errors)
        self.assertTrue(line.startswith("gmon.out: "), line)
        self.assertRegex(line, "; no profile of a process, where the collector reported: .*file too large")

    def test_nothing_is_left_of_the_shared_memory(self):
        table = pathlib.Path("/proc/sysvipc/shm")
        if not table.exists():
            self.skipTest("skipped: no System V shared memory")
        process = subprocess.Popen([SERVER, "record", self.program], cwd=self.directory,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   stdin=subprocess.DEVNULL, env=clean_environment())
        process.wait(120)
        creators = [line.split()[4] for line in table.read_text().splitlines()[1:]]
        self.assertNotIn(str(process.pid), creators)
