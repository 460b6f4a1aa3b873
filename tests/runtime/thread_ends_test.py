"""Threads that end while their process forks, or as its last: nothing happens that would not without us."""
from harness import RuntimeTest


class ThreadEnds(RuntimeTest):
    @classmethod
    def programs(cls):
        cls.program = cls.build("thread_ends", ["thread_ends.c"], "-O1", "-pthread", pg=False)

    def assert_prints(self, expected, *arguments):
        for name, variables in (("samples", {}), ("waits", {"GPROF_WAIT": 1})):
            with self.subTest(name):
                output = self.directory / name
                output.mkdir()
                outcome = self.preloaded(self.program, *arguments, variables={
                    "GPROF_RATE": 20000, "GPROF_STACKS": 1, "GPROF_OUTPUT": output, **variables})
                self.assertEqual((outcome.status, outcome.stdout), (0, expected))

    def test_a_child_has_no_data_of_its_parents_threads(self):
        self.assert_prints("0\n", "keys", 200)

    def test_the_main_thread_ends_as_the_last(self):
        self.assert_prints("", "main", 50)


if __name__ == "__main__":
    import unittest
    unittest.main()
