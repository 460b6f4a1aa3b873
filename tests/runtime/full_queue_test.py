"""Where the kernel can queue no signal, nothing changes: neither for the program, nor for its signals."""
import contextlib
import resource
import subprocess

from harness import ARCHIVE, LIBRARY, RuntimeTest, clean_environment, execute

# What, how many rounds, how often.
CASES = (("work", 300, 4), ("limits", 60, 8), ("nought", 300, 4), ("sigio", 100, 8), ("sigurg", 100, 8),
         ("descriptor", 100, 8), ("sigwait", 40, 8), ("sigwaitinfo", 40, 8), ("signalfd", 40, 8),
         ("late", 60, 8), ("children", 60, 4), ("inherited", 20, 4), ("default-sigio", 1, 2),
         ("default-sigurg", 1, 2))
# The program's limit, below what the other process has queued.
LIMIT, FILLED = 40, 200


class FullQueue(RuntimeTest):
    @classmethod
    def programs(cls):
        cls.program = cls.build("full_queue", ["full_queue.c"], "-O1", "-pthread", pg=False)
        cls.at_once = cls.build("awaited_at_once", ["awaited_at_once.c"], "-O1", "-pthread", pg=False)
        cls.static = cls.build("full_queue-static", ["full_queue.c"], "-O1", "-pthread", "-static",
                               libraries=[ARCHIVE])

    def limited(self, command, **variables):
        def lower():
            resource.setrlimit(resource.RLIMIT_SIGPENDING, (LIMIT, LIMIT))
        return execute(command, self.directory, clean_environment(**variables), timeout=60,
                       preexec_fn=lower)

    @contextlib.contextmanager
    def another_that_fills_the_queue(self):
        process = subprocess.Popen([self.program, "fill", str(FILLED)], stdout=subprocess.PIPE,
                                   env=clean_environment())
        try:
            self.assertEqual(process.stdout.readline(), b"full\n")
            yield
        finally:
            process.kill()
            process.wait()
            process.stdout.close()

    def assert_same(self, what, rounds, times):
        plain = self.limited([self.program, what, rounds])
        for _ in range(times):
            outcome = self.limited([self.program, what, rounds], LD_PRELOAD=LIBRARY, GPROF_RATE=8000)
            self.assertEqual((outcome.status, outcome.stdout), (plain.status, plain.stdout))
            self.assert_one_line_at_most(outcome.stderr)

    def test_by_the_program_itself(self):
        for what, rounds, times in CASES:
            with self.subTest(what):
                self.assert_same(what, rounds, times)

    def test_by_another_process(self):
        with self.another_that_fills_the_queue():
            for what, rounds, times in CASES:
                with self.subTest(what):
                    self.assert_same(what, rounds, times)

    def test_static_programs(self):
        with self.another_that_fills_the_queue():
            for what in ("work", "limits", "nought", "children", "sigio"):
                with self.subTest(what):
                    outcome = self.limited([self.static, what, 60], GPROF_RATE=8000)
                    self.assertEqual(outcome.status, 3)

    def test_threads_that_wait_at_the_same_moment(self):
        """While one gives perf's clock up, its signal can be pending for no other."""
        outcome = self.preloaded(self.at_once, 200, variables={"GPROF_RATE": 20000})
        self.assertEqual((outcome.status, outcome.stdout), (0, ""))

    def test_samples_go_on(self):
        """perf's events need no room in the queue; the tick's timers reserve theirs when they are made."""
        outcome = self.limited([self.program, "nought", 600], LD_PRELOAD=LIBRARY, GPROF_RATE=1000)
        self.assertEqual(outcome.status, 3)
        process = self.sidecar()["process"]
        self.assertGreater(process["samples"], 0.5 * process["cpu_time"] / 1e6)


if __name__ == "__main__":
    import unittest
    unittest.main()
