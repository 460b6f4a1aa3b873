"""Every system call of the collector may fail, with each error that its manual names: the program does
what it does without, and what is written can be read. The collector that is used is one whose calls fail
at random (faults/faults.cc); the program's own calls do not."""
import os

import gmon_profile
import sidecar
from harness import FAULTY_LIBRARY, RuntimeTest, clean_environment, execute, require_file

HOWS = ("return", "exit", "quick_exit", "abort", "segv", "exec")
# Of 10,000 calls.
RATES = (30, 300, 2000)
# A program takes a fraction of a second; one that hangs takes forever.
PATIENCE = 120


class Faults(RuntimeTest):
    @classmethod
    def programs(cls):
        require_file(FAULTY_LIBRARY)
        cls.counting = cls.build("faults_pg", ["faults.c"], "-O1", "-pthread", libraries=["-ldl"])
        cls.program = cls.build("faults", ["faults.c"], "-O1", "-pthread", pg=False, libraries=["-ldl"])

    def run_faulty(self, program, seed, rate, how, variables):
        variables = {"LD_PRELOAD": FAULTY_LIBRARY, "GPROF_ANY": 1, "GPROF_FAULTS": f"{seed}:{rate}",
                     "GPROF_RATE": 2000, **variables}
        return execute([program, how], self.directory, clean_environment(**variables), timeout=PATIENCE)

    def assert_own_lines_only(self, plain, text):
        """One line of each process at most: this one, two children, an image, and the shell's."""
        lines = text.splitlines(keepends=True)
        own = [line for line in lines if line.startswith("gprof: ")]
        self.assertEqual("".join(line for line in lines if line not in own), plain.stderr)
        self.assertLessEqual(len(own), 6, text)

    def assert_readable(self):
        """A gmon file is complete or absent; a sidecar, too. Returns how many profiles there are."""
        profiles = 0
        for name in os.listdir(self.directory):
            path = self.directory / name
            if name.endswith(".gpx") and not name.startswith("."):
                sidecar.parse(str(path))
            elif name.startswith("gmon.out"):
                gmon_profile.read(path)
                profiles += 1
            else:
                self.assertTrue(name == "own.txt" or name.startswith(("gmon.live.", ".gmon.")), name)
        return profiles

    def assert_unharmed_by_faults(self, seeds, rates=RATES):
        plain = {how: self.plain(self.program, how) for how in HOWS}
        profiles = 0
        for seed in seeds:
            how = HOWS[seed % len(HOWS)]
            for rate in rates:
                for program, variables in ((self.counting, {"GPROF_STACKS": seed % 2}),
                                           (self.program, {"GPROF_WAIT": 1, "GPROF_LIVE": seed % 2})):
                    with self.subTest(f"{program.name} {how} GPROF_FAULTS={seed}:{rate} {variables}"):
                        outcome = self.run_faulty(program, seed, rate, how, variables)
                        self.assertEqual((outcome.status, outcome.stdout),
                                         (plain[how].status, plain[how].stdout), outcome.stderr[-2000:])
                        self.assert_own_lines_only(plain[how], outcome.stderr)
                        profiles += self.assert_readable()
                    for name in self.files():
                        (self.directory / name).unlink()
        return profiles

    def test_none(self):
        """The same library without faults is the collector: what follows is due to the faults."""
        plain = self.plain(self.program, "exit")
        outcome = self.run_faulty(self.counting, 1, 0, "exit", {})
        self.assertEqual((outcome.status, outcome.stdout, outcome.stderr),
                         (plain.status, plain.stdout, plain.stderr))
        self.assert_calls(self.calls(self.counting), {("work", "add"): 1200, (None, "work"): 6})

    def test_few(self):
        """Most profiles are written nevertheless."""
        self.assertGreater(self.assert_unharmed_by_faults(range(12), rates=(10,)), 12)

    def test_many(self):
        self.assert_unharmed_by_faults(range(12, 24))

    def test_all_fail(self):
        self.assert_unharmed_by_faults(range(6), rates=(5000, 10000))

    def test_no_room_for_the_live_file(self):
        """Together with a limit that is reached."""
        plain = self.plain(self.program, "exit")
        for seed in range(8):
            outcome = self.run_faulty(self.counting, seed, 500, "exit", {"GPROF_LIVE_LIMIT": "256K",
                                                                         "GPROF_WAIT": 1})
            self.assertEqual((outcome.status, outcome.stdout), (plain.status, plain.stdout))
            self.assert_readable()
            for name in self.files():
                (self.directory / name).unlink()
