"""Sampled times are what functions took, within the claimed errors, and without bias.

Without arguments runs the short form, a few runs each of a few cases; `--full [WORD]...` runs all cases
whose name has the words, 200 times each. Both print what they found.
"""
import sys
import unittest

from budget_cases import EVENTS, SHORT, full_form
from budget_runs import Bench
from budget_statistics import Deviations
from chance import NEVER, binomial_bounds
from harness import RuntimeTest, execute

ONE_SIGMA, TWO_SIGMA = 0.68, 0.95


class Budgets(RuntimeTest):
    cases = SHORT
    least_bias = 0.03  # other work on the machine changes how fast a program runs

    @classmethod
    def programs(cls):
        program = cls.build("budgets", ["budgets.c"], "-O1", "-pthread")
        refuse = cls.build("refuse", ["refuse.c"], "-O1", pg=False)
        cls.bench = Bench(program, refuse)
        refused = execute([refuse, "EPERM", "perf_event_open", "/bin/true"], cls.built)
        cls.can_refuse = refused.status == 0

    def deviations(self, case):
        found = Deviations()
        for _ in range(case.runs):
            found.add(self.bench.run(case))
        print(f"{case}: {found}", file=sys.stderr)
        return found

    def assert_holds(self, found):
        """The intervals contain the truth as often as they claim to."""
        for errors, share in ((1, ONE_SIGMA), (2, TWO_SIGMA)):
            least, most = binomial_bounds(len(found.observations), share)
            self.assertTrue(least <= found.held(errors) <= most, (least, most, str(found)))

    def assert_unbiased(self, found):
        slack = NEVER * found.bias_error + self.least_bias
        self.assertLess(abs(found.bias), slack, found)

    def test_budgets(self):
        events = Deviations()
        for case in self.cases:
            with self.subTest(str(case)):
                if case.source != EVENTS and not self.can_refuse:
                    self.skipTest("skipped: no seccomp")
                found = self.deviations(case)
                if case.in_step:
                    # Nothing is known except that the interval contains the truth.
                    self.assertGreaterEqual(found.within(1), ONE_SIGMA)
                    continue
                self.assert_unbiased(found)
                if case.source == EVENTS:
                    events.add(found.observations)
        self.assert_holds(events)


if __name__ == "__main__":
    if "--full" in sys.argv:
        wanted = sys.argv[sys.argv.index("--full") + 1:]
        Budgets.cases = [case for case in full_form() if all(w in str(case) for w in wanted)]
        Budgets.least_bias = 0.01
        sys.argv[1:] = []
    unittest.main()
