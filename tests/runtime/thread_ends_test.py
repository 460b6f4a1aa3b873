"""Threads that begin and end while their process forks, or end as its last: as without us."""
from chance import poisson_bounds
from harness import RuntimeTest

# glibc clears the flag "this thread has data" a moment before it clears the data. Without the collector, one in 20,000
# children was forked in between, and inherited it. Allow five times that rate.
CHILDREN = 400
MAX_WRONG = poisson_bounds(5 * CHILDREN / 20000)[1]


class ThreadEnds(RuntimeTest):
    @classmethod
    def programs(cls):
        cls.program = cls.build("thread_ends", ["thread_ends.c"], "-O1", "-pthread", pg=False)
        cls.slow_end = cls.build("slow_end", ["slow_end.c"], "-O1", "-pthread", pg=False)
        cls.called_at_fork = cls.build("called_at_fork", ["called_at_fork.c"], "-O1", "-pthread")

    def check_outputs(self, check, *arguments):
        for name, variables in (("samples", {}), ("waits", {"GPROF_WAIT": 1})):
            with self.subTest(name):
                output = self.directory / name
                output.mkdir()
                outcome = self.preloaded(self.program, *arguments, variables={
                    "GPROF_RATE": 20000, "GPROF_STACKS": 1, "GPROF_OUTPUT": output, **variables})
                self.assertEqual(outcome.status, 0)
                check(outcome.stdout)

    def test_a_child_has_no_data_of_its_parents_threads(self):
        self.check_outputs(lambda output: self.assertLessEqual(int(output), MAX_WRONG), "keys", CHILDREN)

    def test_a_first_call_does_not_wait_for_a_fork(self):
        self.assertEqual(self.profiled(self.called_at_fork).stdout, "1 calls, ended\n")

    def test_the_main_thread_ends_as_the_last(self):
        self.check_outputs(lambda output: self.assertEqual(output, ""), "main", 50)

    def test_a_thread_that_takes_long_to_end_is_one(self):
        """A thread that still exists after it released its slot is not adopted as a new one."""
        for variables in ({}, {"GPROF_WAIT": 1}):
            with self.subTest(str(variables)):
                outcome = self.preloaded(self.slow_end, variables={"GPROF_RATE": 1000, **variables})
                self.assertEqual(outcome.status, 0)
                names = [thread["name"] for thread in self.sidecar()["threads"]]
                self.assertEqual(names.count("late"), 1, names)
                for name in self.files():
                    (self.directory / name).unlink()


if __name__ == "__main__":
    import unittest
    unittest.main()
