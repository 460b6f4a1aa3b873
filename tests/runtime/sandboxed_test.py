"""Programs that forbid themselves system calls on pain of death: the collector makes none of them."""
import unittest

from harness import LIBRARY
from record_support import RecordTest

# Per way of confinement: further calls of `leaf` in a thread, and whether the process may write its
# own profile.
WAYS = {
    "strict": (0, False),
    "minimal": (0, False),
    "prctl": (0, False),
    "no-handlers": (0, False),
    "trap": (0, False),
    "two": (0, False),
    "files": (0, True),
    "threads": (200, False),
    "tsync": (300, False),
    "tsync-no-handlers": (300, False),
    "worker": (200, True),
}


class Sandboxed(RecordTest):
    @classmethod
    def programs(cls):
        super().programs()
        cls.program = cls.build("sandboxed", ["sandboxed.c"], "-O1")
        cls.plain_program = cls.build("plain-sandboxed", ["sandboxed.c"], "-O1", pg=False)
        if cls().plain(cls.plain_program, "minimal").status == 123:
            raise unittest.SkipTest("skipped: no seccomp")

    def expected(self, in_thread):
        return {("main", "work"): 2, ("work", "leaf"): 1000 + in_thread}

    def clear(self):
        for name in self.files():
            (self.directory / name).unlink()

    def test_under_record(self):
        for rate in (100, 1000):
            for way, (in_thread, writes) in WAYS.items():
                with self.subTest(f"{way} at {rate} Hz"):
                    self.clear()
                    plain = self.plain(self.plain_program, way)
                    self.assertEqual(plain.status, 5)
                    status, output, errors = self.record(f"--rate={rate}", self.program, way)
                    self.assertEqual((status, output), (plain.status, plain.stdout), errors)
                    self.assertLessEqual(len(errors.splitlines()), 2, errors)
                    line = self.last_line(errors)
                    self.assertIn("nothing lost", line)
                    self.assertEqual("recovered" in line, not writes, errors)
                    self.assert_calls(self.calls(self.program), self.expected(in_thread))
                    self.assertEqual(self.files(), ["gmon.out", "gmon.out.gpx"])

    def test_preloaded(self):
        for way, (in_thread, writes) in WAYS.items():
            with self.subTest(way):
                self.clear()
                plain = self.plain(self.plain_program, way)
                outcome = self.preloaded(self.program, way, variables={
                    "LD_PRELOAD": LIBRARY, "GPROF_RATE": 1000, "GPROF_STACKS": 1})
                line = self.assert_unharmed(plain, outcome)
                if not writes:
                    # In strict mode nothing runs at the end that could report it.
                    if way != "strict":
                        self.assertRegex(line, "filter|no samples can be taken")
                    self.assertEqual(self.recover().status, 0)
                self.assert_calls(self.calls(self.program), self.expected(in_thread))

    def test_samples_go_on_by_timers(self):
        self.record("--rate=1000", self.program, "minimal")
        sidecar = self.sidecar()
        main = next(m for m in sidecar["modules"] if m["flags"] & 1)
        # `burn` runs only under the filter.
        self.assertGreater(sum(s["count"] for s in sidecar["samples"] if s["module"] is main), 2)
