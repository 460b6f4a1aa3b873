"""Waiting for a CPU: with CPU time and the time that threads are blocked, it makes up all of their time."""
import collections
import pathlib
import re

from harness import SERVER, RuntimeTest, execute, require_file

THREADS = 4
MILLISECONDS = 1500
SCHEDULER = pathlib.Path("/proc/self/schedstat")


class CpuWaits(RuntimeTest):
    @classmethod
    def programs(cls):
        cls.program = cls.build("cpu-waits", ["cpu_waits.c"], "-O1", "-pthread", pg=False)

    def setUp(self):
        super().setUp()
        numbers = SCHEDULER.read_text().split() if SCHEDULER.exists() else []
        if not any(int(number) for number in numbers):
            self.skipTest("skipped: the kernel keeps no account of run delays")

    def run_threads(self, kind):
        """Of each thread: ((how long at least and at most it ran by the clock), its CPU time, its waits by
        kind), in nanoseconds."""
        outcome = self.profiled(self.program, kind, THREADS, MILLISECONDS,
                                variables={"GPROF_WAIT": 1, "GPROF_RATE": 1000, "GPROF_ANY": 1})
        lines = [list(map(int, line.split())) for line in outcome.stdout.splitlines()]
        elapsed = {thread: (least, most) for thread, least, most in lines}
        sidecar = self.sidecar()
        waits = collections.defaultdict(collections.Counter)
        for part in sidecar["wait_parts"]:
            waits[part["thread"]["thread"]][sidecar["waits"][part["whole"]]["kind"]] += part["count"]
        threads = [(elapsed[thread["thread"]], thread["cpu_time"], waits[thread["thread"]])
                   for thread in sidecar["threads"] if thread["thread"] in elapsed]
        self.assertEqual(len(threads), THREADS)
        return threads

    def assert_adds_up(self, kind):
        threads = self.run_threads(kind)
        for (least, most), cpu_time, waits in threads:
            known = cpu_time + sum(waits.values())
            self.assertTrue(0.99 * least < known < 1.01 * most, (known, least, most, kind, threads))
        return threads

    def test_busy_threads(self):
        threads = self.assert_adds_up("busy")
        # One CPU for all: three quarters of their time at least.
        for (least, _), _, waits in threads:
            self.assertGreater(waits["cpu"], 0.6 * least)

    def test_a_contended_lock(self):
        threads = self.assert_adds_up("lock")
        self.assertGreater(sum(waits["cpu"] for _, _, waits in threads), 0)

    def test_sleepers(self):
        for (_, most), _, waits in self.assert_adds_up("sleep"):
            self.assertGreater(waits["sleep"], 0)
            self.assertLess(waits["sleep"], most)

    def test_calls_that_compute(self):
        """A file that is in memory: the time of such reads is CPU time, and that of waiting for a CPU."""
        for (least, _), _, waits in self.assert_adds_up("read"):
            self.assertLess(waits["io"], 0.1 * least)

    def test_in_turns(self):
        self.assert_adds_up("mixed")

    def test_not_unless_waits_are_measured(self):
        self.profiled(self.program, "busy", 2, 50, variables={"GPROF_RATE": 1000, "GPROF_ANY": 1})
        self.assertEqual(self.sidecar()["waits"], [])

    def test_metrics(self):
        """By function the time goes with the samples; the sum is that of the threads."""
        require_file(SERVER)
        threads = self.run_threads("busy")
        whole = sum(waits["cpu"] for _, _, waits in threads) / 1e9
        done = execute([SERVER, "report", "--accurate", "--metric", "wait.cpu", "-b", "-p", self.program,
                        self.directory / "gmon.out"], self.directory)
        self.assertEqual((done.status, done.stderr), (0, ""))
        rows = re.findall(r"(?m)^ *[\d.]+ +[\d.]+ +([\d.]+) .*?(\w+)$", done.stdout)
        self.assertGreater(float(dict((name, time) for time, name in rows)["compute"]), 0.8 * whole, done.stdout)
