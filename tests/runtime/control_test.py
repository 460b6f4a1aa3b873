"""gprof/runtime.h, and gmon's own functions that programs call: moncontrol, profil, _mcleanup."""

import gmon_profile
from harness import RuntimeTest, execute

FULL = {("many", "first"): 10, ("many", "second"): 20, ("many", "third"): 30}


class Control(RuntimeTest):
    @classmethod
    def programs(cls):
        cls.program = cls.linked("control", ["control.c"], "-O1")

    def run_how(self, how, status=0):
        outcome = self.preloaded(self.program, how, variables={"LD_PRELOAD": ""})
        self.assertEqual((outcome.status, outcome.stderr), (status, ""))
        return outcome

    def of_many(self, name="gmon.out"):
        return {arc: count for arc, count in self.calls(self.program, name).items()
                if arc[0] == "many"}

    def test_nothing_steered(self):
        self.run_how("")
        self.assertEqual(self.of_many(), FULL)

    def test_dump_in_between(self):
        self.assertEqual(self.run_how("dump").numbers(), {"dump": 0})
        self.assertEqual(self.of_many("first.out"), {("many", "first"): 10})
        self.assertEqual(self.of_many(), FULL)
        self.assertEqual(self.sidecar("first.gpx")["process"]["ending"], "dumped")
        self.assertEqual(self.sidecar()["process"]["ending"], "returned")

    def test_many_dumps(self):
        self.run_how("dumps")
        self.assertEqual(self.of_many(), FULL | {("many", "second"): 70})
        self.assertEqual(self.files(), ["gmon.out", "gmon.out.gpx"])

    def test_reset(self):
        self.run_how("reset")
        self.assertEqual(self.of_many(), {("many", "second"): 20, ("many", "third"): 30})

    def test_control(self):
        self.assertEqual(self.run_how("control").numbers(), {"was": 1, "then": 0})
        self.assertEqual(self.of_many(), {("many", "first"): 10, ("many", "third"): 30})

    def test_moncontrol(self):
        self.run_how("moncontrol")
        self.assertEqual(self.of_many(), {("many", "first"): 10, ("many", "third"): 30})

    def test_cleanup_twice(self):
        """The file of the last one has everything counted until then, at least until the first."""
        self.run_how("again")
        calls = self.of_many()
        self.assertEqual({arc: calls[arc] for arc in list(FULL)[:2]},
                         {arc: FULL[arc] for arc in list(FULL)[:2]})
        self.assertIn(calls["many", "third"], (30, 35))

    def test_version(self):
        self.assertRegex(self.run_how("version").stdout, r"^\d+\.\d+\.\d+")

    def test_header_is_c89_and_cpp(self):
        self.build("c89.o", ["control.c"], "-c", "-include", "gprof/runtime.h", "-Wall", "-Werror")
        (self.built / "small.c").write_text("#include <gprof/runtime.h>\nint nothing;\n")
        self.build("small.o", ["small.c"], "-c", "-std=c89", "-pedantic-errors", "-Wall",
                   "-Wextra", "-Werror", pg=False)
        self.build("small-cpp.o", ["small.c"], "-c", "-x", "c++", "-pedantic-errors", "-Wall",
                   "-Wextra", "-Werror", pg=False)

    def test_profil(self):
        """The program's own profil(3), besides the collector's samples."""
        (self.built / "profil.c").write_text("""
#include <stdio.h>
#include <unistd.h>
static unsigned short bins[4096];
static volatile unsigned long result;
__attribute__((noinline)) void burn(void) {
  unsigned long value = 1;
  for (long i = 0; i < 400 * 1000 * 1000; i++) value = value * 6364136223846793005ul + 1;
  result = value;
}
static int sum(void) {
  int all = 0;
  for (int i = 0; i < 64; i++) all += bins[i];
  return all;
}
int main(void) {
  unsigned long low = (unsigned long)burn & ~15UL;
  printf("result %d\\n", profil(bins, sizeof bins, low, 65536));
  // The number of ticks depends on the machine: go on until there are enough, within a limit.
  for (int i = 0; i < 40 && sum() < 40; i++) burn();
  profil(NULL, 0, 0, 0);
  printf("sum %d\\n", sum());
  return 0;
}
""")
        program = self.linked("profil", ["profil.c"], "-O1")
        outcome = self.preloaded(program, variables={"LD_PRELOAD": ""})
        self.assertEqual((outcome.status, outcome.stderr), (0, ""))
        self.assertEqual(outcome.numbers()["result"], 0)
        self.assertGreaterEqual(outcome.numbers()["sum"], 40)
        samples = gmon_profile.samples(self.profile(), gmon_profile.symbols_of(program))
        self.assertGreater(samples["burn"], 5)


class NoProc(RuntimeTest):
    """/proc is not mounted."""

    def test_no_proc(self):
        program = self.build("calls", ["calls.c"], "-O1")
        from harness import ARCHIVE, LIBRARY, clean_environment, require
        static = self.build("static", ["calls.c"], "-O1", "-static-pie", libraries=[ARCHIVE])
        require("unshare", "umount")
        probe = execute(["unshare", "-m", "umount", "-l", "/proc"], self.directory)
        if probe.status != 0:
            self.skipTest("skipped: /proc cannot be taken away")
        for which, preload in ((program, LIBRARY), (static, "")):
            with self.subTest(which.name):
                script = f"umount -l /proc; LD_PRELOAD={preload} exec {which}"
                outcome = execute(["unshare", "-m", "/bin/sh", "-c", script], self.directory,
                                  clean_environment(GPROF_STACKS=1, GPROF_RATE=1000))
                self.assertEqual((outcome.status, outcome.stdout), (0, "nine rounds\n"))
                self.assert_one_line_at_most(outcome.stderr)
                self.assert_calls(self.calls(which), {("rounds", "work"): 1000})
                (self.directory / "gmon.out").unlink()
