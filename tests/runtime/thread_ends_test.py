"""Threads that begin and end while their process forks, or end as its last: as without us."""
from harness import RuntimeTest


class ThreadEnds(RuntimeTest):
    @classmethod
    def programs(cls):
        cls.program = cls.build("thread_ends", ["thread_ends.c"], "-O1", "-pthread", pg=False)
        cls.called_at_fork = cls.build("called_at_fork", ["called_at_fork.c"], "-O1", "-pthread")

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

    def test_a_first_call_does_not_wait_for_a_fork(self):
        self.assertEqual(self.profiled(self.called_at_fork).stdout, "1 calls, ended\n")

    def test_the_main_thread_ends_as_the_last(self):
        self.assert_prints("", "main", 50)


if __name__ == "__main__":
    import unittest
    unittest.main()
