"""Samples: they fall where time is spent, in every thread, at the reported rate, and disturb nobody."""
import collections
import math
import os
import pathlib
import subprocess
import sys

import gmon_profile
from chance import NEVER, binomial_bounds, poisson_bounds
from harness import LIBRARY, RuntimeTest, clean_environment, execute, require


class Samples(RuntimeTest):
    @classmethod
    def programs(cls):
        cls.program = cls.build("burn", ["burn.c"], "-O1", "-pthread")
        cls.plain_program = cls.build("burn-plain", ["burn.c"], "-O1", "-pthread", pg=False)
        cls.echo = cls.build("calls", ["calls.c"], "-O1", pg=False)

    def assert_shares(self, expected_total):
        """Nine tenths are in `dear`; bins cover two bytes, so the first functions share none."""
        profile = self.profile()
        samples = gmon_profile.samples(profile, gmon_profile.symbols_of(self.program))
        own = samples["dear"] + samples["cheap"]
        self.assertGreater(own, 0)
        least, most = binomial_bounds(own, 0.9)
        self.assertGreaterEqual(samples["dear"], min(0.8 * own, least))
        self.assertGreaterEqual(samples["cheap"], own - most)
        self.assertGreaterEqual(own, 0.9 * profile.samples)
        self.assertEqual({h.bin_size for h in profile.histograms}, {2.0})
        # Measured in CPU time without that of the signals, so the machine's speed does not matter.
        process = self.sidecar()["process"]
        expected = expected_total * (1 - process["sampling_time"] / process["cpu_time"])
        least, most = poisson_bounds(0.8 * expected, 1.2 * expected)
        self.assertTrue(least <= profile.samples <= most, (least, profile.samples, most, process))

    def test_shares(self):
        self.profiled(self.program, "plain", 1000)
        self.assert_shares(100)
        self.assertEqual({h.rate for h in self.profile().histograms}, {100})

    def test_rates(self):
        for rate in (50, 250, 1000, 4000):
            with self.subTest(rate):
                self.profiled(self.program, "plain", 1000, variables={"GPROF_RATE": rate})
                self.assert_shares(rate)
                self.assertEqual({h.rate for h in self.profile().histograms}, {rate})
                process = self.sidecar()["process"]
                self.assertEqual(process["requested_rate"], rate)
                self.assertEqual(process["samples"], self.total_samples())
                self.assertGreater(process["signals"], 0)
                self.assertLessEqual(process["signals"], process["samples"])
                self.assertGreater(process["cpu_time"], 900_000_000)
                self.assert_delivered(process)

    def test_samples_that_would_take_too_long_share_signals(self):
        """If a signal took 1 ms, the program would run 3 ms before the next one: 12 samples each on average."""
        self.profiled(self.program, "plain", 3000,
                      variables={"GPROF_RATE": 4000, "GPROF_SAMPLE_PRICE": 1_000_000})
        process = self.sidecar()["process"]
        if process["sample_source"] != "perf_clock":
            self.skipTest("skipped: perf's clock is not allowed")
        expected = process["cpu_time"] / 1e9 * 4000
        allowed = 0.1 * expected + NEVER * math.sqrt(expected + process["excess_variance"])
        self.assertLess(abs(process["samples"] - expected), allowed, process)
        # Ticks in the kernel, at most 250 a second, have signals of their own.
        self.assertLess(4 * process["signals"], process["samples"], process)
        self.assertGreater(process["excess_variance"], process["samples"], process)
        # Each signal counts with its price.
        self.assertGreater(process["sampling_time"], 0.1 * process["cpu_time"], process)

    def test_rate_by_what_the_clock_allows(self):
        self.profiled(self.program, "plain", 300, variables={"GPROF_RATE": "auto"})
        process = self.sidecar()["process"]
        by_events = process["sample_source"] == "perf_clock"
        self.assertEqual(process["requested_rate"], 1000 if by_events else 100)
        self.assertEqual({h.rate for h in self.profile().histograms},
                         {process["requested_rate"]})

    def test_rate_where_perf_is_refused(self):
        refuse = self.build("refuse", ["refuse.c"], "-O1", pg=False)
        outcome = execute([refuse, "EPERM", "perf_event_open", self.program, "plain", "300"],
                          self.directory, clean_environment(REFUSED_PRELOAD=LIBRARY,
                                                            GPROF_RATE="auto"))
        if outcome.status == 123:
            self.skipTest("skipped: no seccomp")
        self.assertEqual((outcome.status, outcome.stderr), (0, ""))
        process = self.sidecar()["process"]
        self.assertEqual((process["requested_rate"], process["sample_source"]),
                         (100, "thread_timers"))
        self.assertEqual(process["tick_samples"], 0)  # it does not sleep
        self.assert_delivered(process)

    def assert_delivered(self, process):
        sampled = process["cpu_time"] - process["sampling_time"]
        self.assertTrue(0.8 < process["covered_time"] / sampled < 1.2, process)

    def test_long_system_calls_between_long_computations(self):
        """Ticks are let go by while there are none; one that comes counts whole all the same."""
        self.assert_mapping_is_delivered()

    def test_long_system_calls_while_others_want_the_processors(self):
        others = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
                  for _ in range(2 * os.cpu_count())]
        try:
            self.assert_mapping_is_delivered()
        finally:
            for other in others:
                other.kill()
                other.wait()

    def assert_mapping_is_delivered(self):
        self.profiled(self.program, "mapping", 500, variables={"GPROF_RATE": 1000})
        process = self.sidecar()["process"]
        if process["sample_source"] != "perf_clock":
            self.skipTest("skipped: perf's clock is not allowed")
        self.assert_delivered(process)

    def test_program_in_step_with_the_clock(self):
        program = self.build("budgets", ["budgets.c"], "-O1", "-pthread")
        outcome = self.profiled(program, "sleeping", 500, 1000, 3000,
                                variables={"GPROF_RATE": 1000})
        if self.sidecar()["process"]["sample_source"] != "perf_clock":
            self.skipTest("skipped: perf's clock is not allowed")
        samples = gmon_profile.samples(self.profile(), gmon_profile.symbols_of(program))
        for name, nanoseconds in outcome.numbers().items():
            expected = nanoseconds / 1e6
            least, most = poisson_bounds(0.9 * expected, 1.1 * expected)
            self.assertTrue(least <= samples[name] <= most, (samples, outcome.stdout))

    def test_threads_shorter_than_a_period(self):
        program = self.build("budgets", ["budgets.c"], "-O1", "-pthread")
        outcome = self.profiled(program, "threads", 250, 4000, 1, variables={"GPROF_RATE": 100})
        if self.sidecar()["process"]["sample_source"] != "perf_clock":
            self.skipTest("skipped: perf's clock is not allowed")
        samples = gmon_profile.samples(self.profile(), gmon_profile.symbols_of(program))
        # They report how long they took.
        expected = sum(outcome.numbers().values()) / 1e9 * 100
        taken = samples["dear"] + samples["cheap"]
        least, most = poisson_bounds(expected)
        self.assertTrue(least <= taken <= most, (samples, outcome.stdout))

    def total_samples(self):
        return sum(place["count"] for place in self.sidecar()["samples"]) or \
            self.profile().samples

    def excess_variances(self):
        """The process's, and the parts in the executable and in libc."""
        profile = self.sidecar()
        by_module = collections.Counter()
        for sample in profile["samples"]:
            module = sample["module"]
            name = "" if module is None else pathlib.Path(module["path"]).name
            by_module[name] += sample["excess_variance"]
        whole = profile["process"]["excess_variance"]
        self.assertEqual(by_module.total(), whole)
        self.assertGreater(whole, 0)
        return whole, by_module["burn"], by_module["libc.so.6"]

    def test_whose_samples_are_heavy(self):
        """With perf's clock, those in system calls; with the kernel's tick, all."""
        refuse = self.build("refuse", ["refuse.c"], "-O1", pg=False)
        self.profiled(self.program, "kernel", 600, variables={"GPROF_RATE": 4000})
        if self.sidecar()["process"]["sample_source"] == "perf_clock":
            _, own, libc = self.excess_variances()
            # Ticks strike in page faults and interrupts of the program's own code, too, more often the
            # busier the machine is; and in system calls of the collector.
            self.assertGreater(libc, own)
        (self.directory / "gmon.out.gpx").unlink()
        outcome = execute([refuse, "EPERM", "perf_event_open", self.program, "kernel", "600"],
                          self.directory, clean_environment(REFUSED_PRELOAD=LIBRARY, GPROF_RATE=4000))
        self.assertEqual(outcome.status, 0)
        whole, own, libc = self.excess_variances()
        self.assertGreater(own, 0.2 * whole)
        self.assertGreater(libc, 0.1 * whole)

    def test_gprof_reads_them(self):
        require("gprof")
        self.profiled(self.program, "plain", 1000, variables={"GPROF_RATE": 250})
        text = execute(["gprof", "-b", "-p", self.program, "gmon.out"], self.directory).stdout
        first = text.splitlines()[5].split()
        self.assertEqual(first[-1], "dear")
        self.assertGreater(float(first[0]), 70)

    def test_each_thread(self):
        self.profiled(self.program, "plain", 600, 4, variables={"GPROF_RATE": 250})
        self.assert_shares(600)
        # For 600 ms each; the first one waits for them.
        least, most = poisson_bounds(0.95 * 150, 1.05 * 150)
        threads = [t for t in self.sidecar()["threads"] if t["samples"] >= least]
        self.assertEqual(len(threads), 4, self.sidecar()["threads"])
        for thread in threads:
            self.assertLessEqual(thread["samples"], most, threads)
            self.assertGreater(thread["cpu_time"], 550_000_000)

    def test_own_timer_and_handler_keep_working(self):
        # On a busy machine the kernel gives fewer ticks, to any program.
        alone = [self.plain(self.program, "own", 1000).numbers()["ticks"]]
        outcome = self.preloaded(self.program, "own", 1000)
        alone.append(self.plain(self.program, "own", 1000).numbers()["ticks"])
        self.assertEqual(outcome.status, 0)
        self.assert_one_line_at_most(outcome.stderr)
        printed = outcome.numbers()
        self.assertEqual(printed["interval"], 10000)
        self.assertGreater(printed["ticks"], min(alone) / 3)
        self.assert_shares(100)

    def test_blocked_signals_do_not_stop_them(self):
        self.profiled(self.program, "blocked", 500)
        self.assert_shares(50)

    def test_exec_after_sampling(self):
        for _ in range(40):
            outcome = self.preloaded(self.program, "exec", 1, 2, self.echo,
                                     variables={"GPROF_RATE": 10000})
            self.assertEqual((outcome.status, outcome.stdout, outcome.stderr),
                             (0, "nine rounds\n", ""))

    def test_threads_that_end_while_the_program_forks(self):
        program = self.build("short_lives", ["short_lives.c"], "-O1", "-pthread")
        for rate in (250, 4000):
            outcome = self.profiled(program, 3000, variables={"GPROF_RATE": rate})
            self.assertEqual(outcome.stdout, "done\n")

    def test_none_at_rate_nought(self):
        self.profiled(self.program, "plain", 200, variables={"GPROF_RATE": 0})
        self.assertEqual(self.profile().samples, 0)
        self.assertEqual(self.sidecar()["process"]["samples"], 0)
        calls = self.calls(self.program)
        self.assertGreater(calls["work", "dear"], 5)
        self.assertEqual(calls["work", "dear"], calls["work", "cheap"])

    def test_programs_that_count_no_calls_are_left_alone_on_request(self):
        self.profiled(self.plain_program, "plain", 100, variables={"GPROF_ANY": 0})
        self.assertEqual(self.files(), [])
