"""A program that is started by a debugger or tracer gets no signals of ours: the tracer would show each."""
import unittest

from harness import require
from record_support import RecordTest

MILLISECONDS = 300


class Traced(RecordTest):
    @classmethod
    def programs(cls):
        super().programs()
        cls.program = cls.build("burn", ["uncounted.c"], "-O1", "-pthread", pg=False)

    def signals_of(self, *options):
        """The lines that strace writes of signals, and the last line of `record`."""
        status, _, errors = self.record("--children=all", *options, "--", "strace", "-f", "-e", "trace=none", "-o",
                                        "trace", self.program, "burn", MILLISECONDS)
        self.assertEqual(status, 0, errors)
        lines = (self.directory / "trace").read_text().splitlines()
        return [line for line in lines if "--- SIG" in line], self.last_line(errors)

    def test_a_tracer_sees_no_signals(self):
        require("strace")
        for options in ((), ("--rate=20000",)):
            with self.subTest(str(options)):
                signals, line = self.signals_of(*options)
                self.assertEqual(signals, [])
                self.assertIn("a debugger or tracer would see the signals of sampling", line)

    def test_a_debugger_does_not_stop(self):
        require("gdb")
        status, output, errors = self.record("--rate=20000", "--children=all", "--", "gdb", "-nx", "-q", "-batch", "-iex",
                                             "set debuginfod enabled off", "-ex", "run", "--args", self.program, "burn",
                                             MILLISECONDS)
        self.assertEqual(status, 0, errors)
        self.assertNotIn("received signal", output + errors)
        self.assertIn("exited normally", output)


if __name__ == "__main__":
    unittest.main()
