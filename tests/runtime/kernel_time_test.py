"""Time in the kernel is sampled, too, where the program caused it, whatever that costs at a switch."""
import math
import unittest

import gmon_profile
from chance import NEVER
from harness import RuntimeTest

RATE = 1000
# What, how many threads, and for how many milliseconds each. Of such times, what begins and ends
# between two ticks is less than a hundredth.
CASES = (("touch", 1, 2000), ("map", 1, 2000), ("discard", 1, 2000), ("grow", 1, 2000),
         ("mixed", 1, 2500), ("yield", 1, 2000), ("yield", 4, 2000), ("touch", 4, 1000),
         ("mixed", 4, 1000))
MOST_MISSED = 0.03
# A tick places a random number of samples, of this mean; ticks come at least so often.
SAMPLES_A_TICK = 10


class KernelTime(RuntimeTest):
    @classmethod
    def programs(cls):
        cls.program = cls.build("kernel_time", ["kernel_time.c"], "-O1", "-pthread", pg=False)
        cls.hand_over = cls.build("hand_over", ["hand_over.c"], "-O1", "-pthread", pg=False)

    def run_case(self, *words):
        outcome = self.preloaded(self.program, *words, variables={"GPROF_RATE": RATE})
        self.assertEqual(outcome.status, 0)
        process = self.sidecar()["process"]
        if process["sample_source"] != "perf_clock":
            self.skipTest("skipped: perf's clock is not allowed")
        return outcome.numbers(), process

    def test_all_time_is_covered(self):
        for how, threads, milliseconds in CASES:
            with self.subTest(f"{how} in {threads}"):
                took, process = self.run_case(how, threads, milliseconds)
                self.assertLess(abs(process["cpu_time"] / took["cpu"] - 1), 0.02, (took, process))
                covered = process["covered_time"] / (process["cpu_time"] - process["sampling_time"])
                # Where threads give way to each other, no more is known of a tick than that it struck: the ticks of a
                # time are at worst a Poisson process.
                by_chance = NEVER * math.sqrt(process["tick_period"] / process["cpu_time"])
                self.assertLess(abs(covered - 1), MOST_MISSED + by_chance, process)
                for name in self.files():
                    (self.directory / name).unlink()

    def test_at_what_caused_it(self):
        took, process = self.run_case("mixed", 1, 3000)
        samples = gmon_profile.samples(self.profile(), gmon_profile.symbols_of(self.program))
        own = 1 - process["sampling_time"] / process["cpu_time"]
        for name, groups in (("touch", SAMPLES_A_TICK), ("compute", 1)):
            expected = took[name] / 1e9 * RATE * own
            self.assertGreater(expected, 100, took)
            allowed = NEVER * math.sqrt(expected * (1 + groups)) + MOST_MISSED * expected
            self.assertLess(abs(samples[name] - expected), allowed, (samples, took))

    def test_threads_that_switch_often_have_no_event(self):
        """perf's events cost at each switch; a thread gets one back when its switches are rare."""
        outcome = self.preloaded(self.hand_over, variables={"GPROF_RATE": RATE})
        self.assertEqual(outcome.status, 0)
        events = outcome.numbers()
        if events["before"] == 0:
            self.skipTest("skipped: perf's clock is not allowed")
        self.assertEqual(events, {"before": 1, "handing": 0, "started": 0, "after": 1})


if __name__ == "__main__":
    unittest.main()
