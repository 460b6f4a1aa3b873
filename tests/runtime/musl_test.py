"""A program of musl that is started with the library in LD_PRELOAD: the library is loaded, and does
nothing."""
import re

from harness import LIBRARY, RuntimeTest
from profiled_program import require


class Musl(RuntimeTest):
    @classmethod
    def programs(cls):
        require("musl-gcc")
        cls.busy = cls.build("musl-busy", ["musl_busy.c"], "-O1", "-pthread", compiler="musl-gcc", pg=False)

    def test_it_runs_as_by_itself(self):
        for way in ("return", "exit", "_exit", "abort", "quick_exit", "kill"):
            with self.subTest(way):
                plain = self.plain(self.busy, way)
                for variables in ({}, {"GPROF_WAIT": 1, "GPROF_STACKS": 1, "GPROF_RATE": 20000}):
                    outcome = self.preloaded(self.busy, way, variables={
                        "LD_PRELOAD": LIBRARY, "GPROF_ANY": 1, **variables})
                    self.assertEqual(outcome, plain)
                    self.assert_no_profile()

    def assert_no_profile(self):
        """The shells that the program starts are of glibc, and have profiles."""
        for name in self.files():
            self.assertTrue(re.match(r"gmon\.out", name), name)
            if name.endswith(".gpx"):
                programs = {module["path"] for module in self.sidecar(name)["modules"]
                            if module["flags"] & 1}
                self.assertNotIn(str(self.busy), programs)
            (self.directory / name).unlink()
