"""Programs that run under valgrind: its tools report what they report without the collector."""
import re

from harness import require
from record_support import RecordTest

TOOLS = {
    "memcheck": ["--leak-check=full", "--error-exitcode=9"],
    "helgrind": ["--error-exitcode=9"],
    "callgrind": ["--callgrind-out-file=/dev/null"],
    "none": [],
}


def reported(errors):
    """What valgrind says, without what differs from run to run: numbers of processes, addresses, suppressed
    errors; and without what the dynamic linker allocates and a shell keeps, which depends on the environment.
    """
    lines = [re.sub(r"^(==|--)\d+(==|--)|0x[0-9A-F]+|\(suppressed: .*\)", "", line)
             for line in errors.splitlines() if not line.startswith("gprof-lsp: ")]
    return [line for line in lines
            if not re.search(r"heap usage|in use at exit|still reachable|Collected|refs:", line)]


class Valgrind(RecordTest):
    @classmethod
    def programs(cls):
        require("valgrind")
        cls.program = cls.build("checked", ["checked.c"], "-O1", "-pthread", pg=False)
        cls.profiled_program = cls.build("checked-pg", ["checked.c"], "-O1", "-pthread")

    def test_its_tools_report_the_same(self):
        for tool, more in TOOLS.items():
            command = ["valgrind", f"--tool={tool}", "--trace-children=yes", *more, self.program]
            plain = self.plain(*command)
            self.assertIn(plain.status, (0, 9), plain.stderr)
            for options in ((), ("--wait", "--stacks", "--rate=5000")):
                with self.subTest(f"{tool}, {options}"):
                    status, output, errors = self.record("--output=o", *options, *command)
                    self.assertEqual((status, output), (plain.status, plain.stdout), errors)
                    self.assertEqual(reported(errors), reported(plain.stderr))
                    self.assertIn("under valgrind", self.last_line(errors))

    def test_a_program_that_counts_its_calls(self):
        """Its own profiler's timer would end it."""
        status, output, errors = self.record("--output=o", "valgrind", "--tool=none", self.profiled_program)
        self.assertEqual((status, output), (0, self.plain(self.program).stdout), errors)
        self.assertIn("under valgrind", self.last_line(errors))


if __name__ == "__main__":
    import unittest
    unittest.main()
