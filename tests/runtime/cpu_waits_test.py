"""Waiting for a CPU: with CPU time and the time that threads are blocked, it makes up all of their time."""
import collections
import os
import pathlib
import re

from harness import SERVER, RuntimeTest, execute, require_file

THREADS = 4
MILLISECONDS = 1500
SCHEDULER = pathlib.Path("/proc/self/schedstat")
# Fields of /proc/stat: interrupts, and time that the host took from a virtual machine.
TAKEN_AWAY = ("irq", "softirq", "steal")
STAT_FIELDS = ("user", "nice", "system", "idle", "iowait", *TAKEN_AWAY)


def taken_away():
    """Processor time that no thread's account includes: interrupts and time stolen by the host. Of all processors
    since boot, in nanoseconds."""
    numbers = pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    ticks = dict(zip(STAT_FIELDS, map(int, numbers)))
    return sum(ticks.get(name, 0) for name in TAKEN_AWAY) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")


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
        before = taken_away()
        outcome = self.profiled(self.program, kind, THREADS, MILLISECONDS,
                                variables={"GPROF_WAIT": 1, "GPROF_RATE": 1000, "GPROF_ANY": 1})
        # Three numbers are each rounded to a tick, and the last tick is counted late.
        self.taken_away = taken_away() - before + 4 * 1_000_000_000 // os.sysconf("SC_CLK_TCK")
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
            self.assertTrue(0.99 * least - self.taken_away < known < 1.01 * most,
                            (known, least, most, self.taken_away, kind, threads))
        return threads

    def test_busy_threads(self):
        threads = self.assert_adds_up("busy")
        # They share one CPU as the kernel likes. Their only other wait is at the barrier, where the last one to arrive
        # does not wait.
        others = {wait["function"] for wait in self.sidecar()["waits"] if wait["kind"] != "cpu"}
        self.assertLessEqual(others, {"pthread_barrier_wait", "pthread_join"})
        (least, _), cpu_time, waits = min(threads, key=lambda thread: thread[2]["other"])
        self.assertGreater(waits["cpu"], 0.98 * least - cpu_time - self.taken_away, threads)
        self.assertGreater(sum(waits["cpu"] for _, _, waits in threads), 0)

    def test_a_contended_lock(self):
        threads = self.assert_adds_up("lock")
        self.assertGreater(sum(waits["cpu"] for _, _, waits in threads), 0)

    def test_sleepers(self):
        threads = self.assert_adds_up("sleep")
        for (_, most), _, waits in threads:
            self.assertLess(waits["sleep"], most)
        # A thread that the kernel keeps from running may never sleep, but that cannot be true of all.
        self.assertGreater(sum(waits["sleep"] for _, _, waits in threads), 0)

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
