"""`gprof-lsp record --pid`: running processes are sampled by the kernel, and notice nothing."""
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest

from chance import binomial_bounds
from harness import SERVER, clean_environment, execute, require, require_root
from record_support import RecordTest

NOBODY = 65534
NO_PROFILE = 125
RATE = 997  # by default
# The main figures.
LINE = (r"perf\.data: ([\d,]+) samples?(?: at (?:[\d.,]+ of )?([\d,]+) Hz), (\d+) threads?, nothing lost"
        r"; observed ([\d.]+) s, ([\d.]+) s on CPU")
# A machine that is busy with other things may give the process little of its time.
FEW = 20


def number(text):
    return int(text.replace(",", ""))


class Attach(RecordTest):
    @classmethod
    def programs(cls):
        cls.program = cls.build("attached", ["attached.c"], "-O2", "-pthread", pg=False)
        cls.refuse = cls.build("refuse", ["refuse.c"], "-O1", pg=False)
        spinner = subprocess.Popen(["sleep", "60"])
        try:
            outcome = execute([SERVER, "record", f"--pid={spinner.pid}", "--time=0.01"], cls.built)
        finally:
            spinner.kill()
            spinner.wait()
        if "cannot be sampled" in outcome.stderr:
            raise unittest.SkipTest(f"skipped: {outcome.stderr.strip()}")

    def begin(self, *words, program=None, **options):
        process = subprocess.Popen([program or self.program, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, cwd=self.directory, **options)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        self.assertEqual(int(process.stdout.readline()), process.pid)
        return process

    def end(self, process):
        output, errors = process.communicate(input="\n", timeout=120)
        return process.returncode, output, errors

    def attach(self, process, *words, **options):
        return self.record(f"--pid={process if isinstance(process, int) else process.pid}", *words, **options)

    def recorded(self, process, *words):
        status, output, errors = self.attach(process, *words)
        self.assertEqual((status, output), (0, ""), errors)
        self.assertEqual(len(errors.splitlines()), 1, errors)
        return self.last_line(errors)

    def stacks(self, program=None, rate=RATE, words=()):
        """{(functions, the outermost first): samples} of the program's recording."""
        outcome = execute([SERVER, "export", "--format=folded", *words, program or self.program,
                           self.directory / "perf.data"], self.directory)
        self.assertEqual(outcome.status, 0, outcome.stderr)
        found = re.findall(r"^(.+) (\d+)$", outcome.stdout, re.M)
        # The export has microseconds, which are the same for each sample.
        period = 1e6 / rate
        return {tuple(stack.split(";")): round(int(time_) / period) for stack, time_ in found}

    def assert_spinning(self, stacks):
        """Nearly all samples are where the threads spin, below the right callers, three quarters below one of them."""
        below = {name: sum(count for stack, count in stacks.items() if name in stack)
                 for name in ("three_quarters", "one_quarter")}
        total = sum(below.values())
        everything = sum(stacks.values())
        self.assertGreater(total, FEW, stacks)
        # Threads begin, and their work calls them; the last ones end.
        self.assertGreater(total, 0.9 * everything, stacks)
        for stack in stacks:
            if "spin" in stack:
                self.assertRegex(";".join(stack), r"work;(three|one)_quarters?;spin")
        low, high = binomial_bounds(total, 0.75)
        self.assertTrue(low <= below["three_quarters"] <= high, (below, low, high))


class Profiles(Attach):
    def test_threads_that_spin(self):
        process = self.begin("spin")
        line = self.recorded(process, "--time=2")
        figures = re.match(LINE, line)
        self.assertTrue(figures, line)
        self.assertEqual(figures[3], "3", line)
        stacks = self.stacks()
        self.assertEqual(sum(stacks.values()), number(figures[1]), stacks)
        self.assert_spinning(stacks)
        self.assertEqual(self.files(), ["perf.data"])
        # It holds copies of stacks.
        self.assertEqual((self.directory / "perf.data").stat().st_mode & 0o777, 0o600)

    def test_threads_that_are_started_later(self):
        process = self.begin("late")
        line = self.recorded(process, "--time=2")
        threads = number(re.match(LINE, line)[3])
        self.assertGreater(threads, 2, line)
        stacks = self.stacks()
        self.assert_spinning(stacks)
        named = self.stacks(words=["--thread=short"])
        self.assertGreater(sum(named.values()), sum(stacks.values()) / 2, (named, stacks))

    def test_stacks_can_be_left_out(self):
        process = self.begin("spin")
        self.recorded(process, "--time=1", "--no-stacks", "--rate=500")
        with_stacks = self.directory / "with"
        self.recorded(process, "--time=1", "--rate=500", f"--output={with_stacks}")
        small, large = (path.stat().st_size for path in (self.directory / "perf.data", with_stacks / "perf.data"))
        self.assertLess(10 * small, large)

    def test_the_editor_and_check_find_it(self):
        shutil.copy(self.program, self.directory / "attached")
        process = self.begin("spin", program=self.directory / "attached")
        self.recorded(process, "--time=1")
        outcome = execute([SERVER, "check", self.directory], self.directory)
        self.assertIn("perf.data", outcome.stdout)
        self.assertNotIn("not shown", outcome.stdout)
        self.assertEqual(outcome.status, 0, outcome.stdout)

    def test_an_older_recording_gets_another_name(self):
        process = self.begin("spin")
        self.recorded(process, "--time=0.5")
        first = (self.directory / "perf.data").read_bytes()
        (self.directory / "perf.data").chmod(0o644)
        self.recorded(process, "--time=0.5")
        self.assertEqual(self.files(), ["perf.data", "perf.data.old"])
        self.assertEqual((self.directory / "perf.data.old").read_bytes(), first)
        self.assertEqual((self.directory / "perf.data").stat().st_mode & 0o777, 0o600)
        (self.directory / "perf.data.old").unlink()
        (self.directory / "perf.data.old").mkdir()
        status, _, errors = self.attach(process, "--time=0.5")
        self.assertEqual(status, NO_PROFILE)
        self.assertIn("perf.data.old: a directory has this name", errors)

    def test_a_program_that_was_rebuilt_meanwhile(self):
        copy = self.directory / "copy"
        shutil.copy(self.program, copy)
        process = self.begin("spin", program=copy)
        copy.unlink()
        self.build_into(copy)
        self.recorded(process, "--time=0.5")
        outcome = execute([SERVER, "export", "--format=folded", copy, self.directory / "perf.data"], self.directory)
        self.assertIn("another build", outcome.stderr)
        self.assert_spinning(self.stacks())

    def build_into(self, path):
        done = execute(["gcc", "-O1", "-g", "-pthread", self.source("attached.c"), "-o", path], self.directory)
        self.assertEqual(done.status, 0, done.stderr)

    def test_the_summary_for_editors(self):
        process = self.begin("spin")
        self.recorded(process, "--time=1", "--summary=summary.json")
        summary = json.loads((self.directory / "summary.json").read_text())
        self.assertEqual((summary["program"], summary["profile"], summary["status"]),
                         (str(self.program), "perf.data", 0))
        self.assertRegex(summary["headline"], r"^[\d.]+ s CPU (of|in) [\d.]+ s$")
        self.assertIn("samples", summary["figures"])

    def test_perf_reads_it(self):
        require("perf")
        process = self.begin("spin")
        line = self.recorded(process, "--time=1")
        report = execute(["perf", "report", "-i", "perf.data", "--stdio", "--no-children", "-g", "none", "-n",
                          "-s", "comm,sym"], self.directory)
        self.assertEqual(report.status, 0, report.stderr)
        counts = re.findall(r"^\s+[\d.]+%\s+(\d+)\s+(\S+)\s+\[(.)\] (\S+)", report.stdout, re.M)
        total = sum(int(count) for count, *_ in counts)
        self.assertEqual(total, number(re.match(LINE, line)[1]), report.stdout)
        spinning = sum(int(count) for count, thread, _, name in counts if (thread, name) == ("spinner", "spin"))
        self.assertGreater(spinning, 0.9 * total, report.stdout)
        self.assertIn("Total Lost Samples: 0", report.stdout)
        script = execute(["perf", "script", "-i", "perf.data", "-F", "comm,tid,ip,sym"], self.directory)
        self.assertEqual(script.status, 0, script.stderr)
        self.assertRegex(script.stdout, r"spin\n.*three_quarters.*\n.*work")


class Harmless(Attach):
    def test_the_process_notices_nothing(self):
        plain = self.end(self.begin("spin"))
        process = self.begin("spin")
        recorder = subprocess.Popen([SERVER, "record", f"--pid={process.pid}", "--time=1.5"], cwd=self.directory,
                                    stderr=subprocess.PIPE, text=True, env=clean_environment())
        self.addCleanup(lambda: (recorder.kill(), recorder.communicate()))
        looks = 0
        while recorder.poll() is None:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            self.assertIn("TracerPid:\t0\n", status)
            self.assertNotRegex(status, r"State:\s[tT]")
            looks += 1
            time.sleep(0.01)
        self.assertGreater(looks, 1)
        self.assertEqual(recorder.returncode, 0, recorder.stderr.read())
        maps = pathlib.Path(f"/proc/{process.pid}/maps").read_text()
        self.assertNotIn("libgprof", maps)
        self.assertEqual(plain, self.end(process))
        self.assertEqual(plain, (7, "interrupted 0\n", ""))


class Ends(Attach):
    def start(self, process, *words):
        recorder = subprocess.Popen([SERVER, "record", f"--pid={process.pid}", *words], cwd=self.directory,
                                    stderr=subprocess.PIPE, text=True, env=clean_environment())
        self.addCleanup(lambda: (recorder.kill(), recorder.communicate()))
        # Its file begins once it samples.
        deadline = time.monotonic() + 60
        while not list(self.directory.glob(".gprof-lsp-*.tmp")):
            self.assertIsNone(recorder.poll())
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        return recorder

    def test_interrupted(self):
        for number_ in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number_.name):
                process = self.begin("spin")
                recorder = self.start(process, "--time=0")
                time.sleep(0.5)
                recorder.send_signal(number_)
                _, errors = recorder.communicate(timeout=60)
                self.assertEqual(recorder.returncode, 0, errors)
                self.assertTrue(re.match(LINE, self.last_line(errors)), errors)
                self.assert_spinning(self.stacks())
                self.assertEqual(self.end(process)[0], 7)

    def test_with_the_process(self):
        process = self.begin("spin")
        recorder = self.start(process, "--time=600")
        time.sleep(0.5)
        self.assertEqual(self.end(process)[0], 7)
        _, errors = recorder.communicate(timeout=60)
        self.assertEqual(recorder.returncode, 0, errors)
        self.assertTrue(self.last_line(errors).endswith("; the process has ended"), errors)
        self.assert_spinning(self.stacks())

    def test_killed_recorder_leaves_the_process_alone(self):
        process = self.begin("spin")
        recorder = self.start(process, "--time=600")
        recorder.kill()
        recorder.wait()
        self.assertEqual(self.end(process), (7, "interrupted 0\n", ""))
        self.assertNotIn("perf.data", self.files())


class Refusals(Attach):
    def refused(self, process, *words, **options):
        status, output, errors = self.attach(process, *words, **options)
        self.assertEqual((status, output), (NO_PROFILE, ""), errors)
        self.assertEqual(self.files(), [])
        self.assertEqual(len(errors.splitlines()), 1, errors)
        return self.last_line(errors)

    def test_what_is_no_process(self):
        child = subprocess.Popen(["true"])
        # Until it is waited for, it is one that has ended.
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        self.assertIn(f"process {child.pid} (true) has ended", self.refused(child.pid))
        child.wait()
        self.assertIn(f"there is no process {child.pid};", self.refused(child.pid))
        process = self.begin("spin")
        thread = next(int(name) for name in os.listdir(f"/proc/{process.pid}/task") if int(name) != process.pid)
        self.assertEqual(self.refused(thread), f"{thread} is a thread of process {process.pid}: "
                                               f"--pid={process.pid} samples all of its threads")

    def test_threads_of_the_kernel(self):
        with contextlib.suppress(OSError):
            if pathlib.Path("/proc/2/comm").read_text() == "kthreadd\n":
                self.assertIn("is a thread of the kernel", self.refused(2))
                return
        self.skipTest("skipped: no threads of the kernel are to be seen")

    def test_an_idle_process(self):
        process = self.begin("idle")
        line = self.refused(process, "--time=0.3")
        self.assertRegex(line, rf"^no profile of process {process.pid} \(attached\): it used no CPU time in ")

    def test_a_seccomp_filter(self):
        process = self.begin("spin")
        if execute([self.refuse, "EPERM", "perf_event_open", "/bin/true"], self.directory).status != 0:
            self.skipTest("skipped: no seccomp")
        outcome = execute([self.refuse, "EPERM", "perf_event_open", SERVER, "record", f"--pid={process.pid}"],
                          self.directory)
        self.assertEqual(outcome.status, NO_PROFILE)
        self.assertRegex(outcome.stderr, r"^gprof-lsp: process \d+ \(attached\) cannot be sampled: a seccomp filter")
        self.assertEqual(len(outcome.stderr.splitlines()), 1, outcome.stderr)

    def test_why_is_in_the_summary(self):
        process = self.begin("spin")
        thread = next(int(name) for name in os.listdir(f"/proc/{process.pid}/task") if int(name) != process.pid)
        status, _, _ = self.attach(thread, "--summary=summary.json")
        summary = json.loads((self.directory / "summary.json").read_text())
        self.assertEqual((status, summary["status"]), (NO_PROFILE, NO_PROFILE))
        self.assertIn("is a thread of process", summary["problem"])
        self.assertNotIn("profile", summary)


class Users(Attach):
    """As a user without privileges."""

    @classmethod
    def programs(cls):
        require_root()
        super().programs()
        cls.server = cls.server_within_reach()

    def as_nobody(self, process, *words, before="true"):
        """The words of `before` are run by the shell that starts the recorder."""
        self.directory.chmod(0o777)
        done = subprocess.run(["sh", "-c", before + ' && exec "$@"', "sh", self.server, "record", f"--pid={process}",
                               *words], cwd=self.directory, capture_output=True, text=True, timeout=120,
                              env=clean_environment(), check=False, user=NOBODY, group=NOBODY, extra_groups=[])
        return done.returncode, done.stderr

    def paranoid(self):
        return int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text())

    def test_a_process_of_another_user(self):
        process = self.begin("spin")
        status, errors = self.as_nobody(process.pid, "--time=0.5")
        self.assertEqual(status, NO_PROFILE)
        self.assertIn(f"process {process.pid} (attached) cannot be sampled: ", errors)
        if self.paranoid() <= 2:
            self.assertIn("it belongs to the user root", errors)
        else:
            self.assertIn(f"kernel.perf_event_paranoid is {self.paranoid()}", errors)

    def test_a_process_of_its_own(self):
        if self.paranoid() > 2:
            self.skipTest("skipped: kernel.perf_event_paranoid is above 2")
        process = self.begin("spin", user=NOBODY, group=NOBODY, extra_groups=[])
        status, errors = self.as_nobody(process.pid, "--time=1")
        self.assertEqual(status, 0, errors)
        line = self.last_line(errors)
        self.assertTrue(re.match(LINE, line), line)
        if self.paranoid() == 2:
            self.assertIn("time in the kernel was not sampled (kernel.perf_event_paranoid is 2)", line)
        self.assert_spinning(self.stacks())

    def test_a_small_limit_of_locked_memory(self):
        """The buffers of all CPUs fit into what kernel.perf_event_mlock_kb grants."""
        if self.paranoid() > 2:
            self.skipTest("skipped: kernel.perf_event_paranoid is above 2")
        process = self.begin("spin", user=NOBODY, group=NOBODY, extra_groups=[])
        status, errors = self.as_nobody(process.pid, "--time=1", before="ulimit -l 0")
        self.assertEqual(status, 0, errors)
        self.assert_spinning(self.stacks())


if __name__ == "__main__":
    unittest.main()
