"""Waits: each is as long as the program says, on its own line, and locks name who held them; and nothing
that the program does is changed by being measured."""
import collections
import re
import subprocess

from harness import (ARCHIVE, LIBRARY, PROGRAMS, SERVER, RuntimeTest, clean_environment, execute, require,
                     require_file)

MEASURED = {"GPROF_WAIT": 1, "GPROF_ANY": 1}
# Sleeps repeatedly until it is killed. Prints a line after four naps.
NAPS = r'''
#include <stdio.h>
#include <unistd.h>

int main(void) {
  for (int times = 1;; ++times) {
    usleep(50000);
    if (times != 4) continue;
    puts("waited");
    fflush(stdout);
  }
}
'''


def marked_lines(source):
    """{mark: line} of the comments `here: MARK`."""
    lines = (PROGRAMS / source).read_text().splitlines()
    found = ((re.search(r"here: (\w+)", line), number) for number, line in enumerate(lines, 1))
    return {match[1]: number for match, number in found if match}


class Measured(RuntimeTest):
    @classmethod
    def programs(cls):
        require("addr2line")
        cls.program = cls.build("waits", ["waits.c"], "-O1", "-pthread", pg=False)
        cls.marks = marked_lines("waits.c")

    def line_of(self, frame, return_address=False):
        module, address = frame
        done = subprocess.run(["addr2line", "-e", module["path"], hex(address - return_address)],
                              check=True, capture_output=True, text=True)
        match = re.search(r"waits\.c:(\d+)", done.stdout)
        return int(match[1]) if match else None

    def measured(self):
        """The program's own figures, and its profile."""
        outcome = self.profiled(self.program, variables=MEASURED)
        return outcome.numbers(), self.sidecar()

    def waits_at(self, profile, mark):
        return [wait for wait in profile["waits"] if wait["kind"] != "cpu"
                and self.line_of(profile["wait_stacks"][wait["stack"]]["frames"][0])
                == self.marks[mark]]

    def assert_wait(self, profile, numbers, mark, kind, function):
        waits = self.waits_at(profile, mark)
        self.assertEqual([(wait["kind"], wait["function"]) for wait in waits], [(kind, function)])
        wait, = waits
        # By the program's clock, a wait goes on until the thread has a CPU again.
        for_cpu = sum(other["total"] for other in profile["waits"] if other["kind"] == "cpu")
        most = 1.05 * numbers[mark]
        if mark == "idle":  # which goes on until the program has ended
            most = 1.05 * (profile["process"]["end_time"] - profile["process"]["start_time"])
        self.assertLess(wait["total"], most)
        self.assertGreater(wait["total"], 0.95 * numbers[mark] - for_cpu)
        return wait

    def test_planted_waits(self):
        numbers, profile = self.measured()
        self.assertEqual(profile["version"], 3)
        self.assertEqual(profile["process"]["flags"] & 16, 16)
        for mark, kind, function in (("naps", "sleep", "usleep"), ("reads", "io", "read"),
                                     ("lines", "io", "fgets"),
                                     ("child", "child", "waitpid"), ("select", "sleep", "select"),
                                     ("locks", "lock", "pthread_mutex_lock"),
                                     ("idle", "other", "pthread_cond_wait")):
            with self.subTest(mark):
                wait = self.assert_wait(profile, numbers, mark, kind, function)
                times = numbers[f"{mark}_times"]
                # A lock may be free, and a line be there, by the time that it is asked for.
                least = 1 if mark in ("reads", "lines", "locks") else times
                self.assertTrue(least <= wait["times"] <= times, wait)
        self.assertGreaterEqual(numbers["naps"], 20 * 50_000_000)
        self.assertGreaterEqual(self.waits_at(profile, "naps")[0]["longest"], 49_500_000)
        self.assert_held(profile)
        self.assert_stacks(profile)
        self.assert_parts(profile)

    def assert_held(self, profile):
        """Who had the lock is known for all but the first wait, and on its line."""
        lock, = self.waits_at(profile, "locks")
        holders = [holder for holder in profile["holders"]
                   if profile["waits"][holder["wait"]] is lock]
        lines = {self.line_of(profile["wait_stacks"][holder["holder"]]["frames"][0])
                 for holder in holders}
        self.assertEqual(lines, {self.marks["holder"]})
        # The first wait may be the longest, where the machine stops for a while.
        self.assertGreaterEqual(sum(holder["time"] for holder in holders), 0.9 * (lock["total"] - lock["longest"]))
        self.assertGreaterEqual(sum(holder["times"] for holder in holders), lock["times"] - 5)
        others = [holder for holder in profile["holders"] if holder not in holders]
        self.assertLess(sum(holder["time"] for holder in others), 0.05 * lock["total"])

    def assert_stacks(self, profile):
        """They reach the function that each thread began with, and have no frame of the collector."""
        for stack in profile["wait_stacks"]:
            self.assertEqual(stack["truncated"], 0)
            for module, _ in stack["frames"]:
                self.assertNotIn("libgprof_runtime", module["path"] if module else "")
        naps, = self.waits_at(profile, "naps")
        callers = profile["wait_stacks"][naps["stack"]]["frames"][1:]
        text = (PROGRAMS / "waits.c").read_text().splitlines()
        called_from = [self.line_of(frame, True) for frame in callers]
        self.assertIn("naps();", text[called_from[0] - 1])

    def assert_parts(self, profile):
        """Each wait is shared out over threads and slices, wholly."""
        sums = collections.Counter()
        for part in profile["wait_parts"]:
            self.assertIsNotNone(part["thread"])
            self.assertIsNotNone(part["slice"])
            sums[part["whole"]] += part["count"]
            if part["count"] > 2 * profile["slice_width"] and profile["waits"][part["whole"]]["kind"] != "cpu":
                # Of a wait that is longer than the slices that it is shared out over.
                self.assertGreater(profile["waits"][part["whole"]]["longest"],
                                   60 * profile["slice_width"])
        self.assertEqual(sums, {number: wait["total"]
                                for number, wait in enumerate(profile["waits"])})
        # A thread does not wait longer than it lives, and never in two places.
        by_thread = collections.Counter()
        for part in profile["wait_parts"]:
            by_thread[part["thread"]["thread"]] += part["count"]
        length = profile["process"]["end_time"] - profile["process"]["start_time"]
        self.assertLessEqual(max(by_thread.values()), 1.01 * length)

    def test_none_unless_asked_for(self):
        self.profiled(self.program, variables={"GPROF_ANY": 1})
        profile = self.sidecar()
        self.assertEqual((profile["version"], profile["process"]["flags"] & 16, profile["waits"]),
                         (2, 0, []))


class Recorded(RuntimeTest):
    @classmethod
    def programs(cls):
        require_file(SERVER)
        cls.program = cls.build("waits", ["waits.c"], "-O1", "-pthread", pg=False)

    def test_by_its_option(self):
        outcome = execute([SERVER, "record", "--wait", "--output", self.directory, "--", self.program],
                          self.directory)
        self.assertEqual(outcome.status, 0, outcome.stderr)
        waited = sum(wait["total"] for wait in self.sidecar()["waits"]) / 1e9
        told = re.search(r" on CPU, waited ([\d.]+) s(?:, idle ([\d.]+) s)?", outcome.stderr)
        self.assertTrue(told, outcome.stderr)
        self.assertAlmostEqual(float(told[1]) + float(told[2] or 0), waited, delta=0.06 * waited)
        functions = {wait["function"] for wait in self.sidecar()["waits"]}
        self.assertLessEqual({"usleep", "pthread_mutex_lock", "read", "waitpid"}, functions)

    def test_recovered_after_a_kill(self):
        """What had been waited by then."""
        (self.built / "naps.c").write_text(NAPS)
        program = self.build("naps", ["naps.c"], "-O1", pg=False)
        process = subprocess.Popen([program], cwd=self.directory, stdout=subprocess.PIPE,
                                   env=clean_environment(LD_PRELOAD=LIBRARY, **MEASURED))
        self.assertEqual(process.stdout.readline(), b"waited\n")
        process.kill()
        process.communicate()
        outcome = self.recover()
        self.assertEqual((outcome.status, outcome.stderr), (0, ""), outcome.stdout)
        profile = self.sidecar()
        self.assertEqual((profile["version"], profile["process"]["flags"] & 16), (3, 16))
        wait, = (wait for wait in profile["waits"] if wait["function"] == "usleep")
        self.assertGreaterEqual(wait["times"], 4)
        self.assertGreaterEqual(wait["total"], 50_000_000 * wait["times"])
        parts = [part for part in profile["wait_parts"] if profile["waits"][part["whole"]] is wait]
        self.assertEqual(sum(part["count"] for part in parts), wait["total"])
        self.assertEqual({part["thread"]["thread"] for part in parts}, {process.pid})
        for stack in profile["wait_stacks"]:
            for module, _ in stack["frames"]:
                self.assertNotIn("libgprof_runtime", module["path"] if module else "")

    def test_a_static_program_says_that_it_cannot(self):
        program = self.build("waits_static", ["waits.c"], "-O1", "-pthread", "-static",
                             libraries=[ARCHIVE])
        outcome = execute([program], self.directory, clean_environment(**MEASURED))
        self.assertEqual((outcome.status, outcome.stderr),
                         (0, "gprof: waits are not measured in a static program\n"))
        self.assertEqual(self.sidecar()["process"]["flags"] & 16, 0)


class Manners(RuntimeTest):
    @classmethod
    def programs(cls):
        cls.program = cls.build("wait_manners", ["wait_manners.c"], "-O1", "-pthread", pg=False)

    def assert_same(self, task):
        plain = self.plain(self.program, task)
        self.assertEqual((plain.status, plain.stderr), (0, ""))
        self.assertNotEqual(plain.stdout, "")
        for variables in (MEASURED, {"GPROF_ANY": 1}, {"GPROF_ANY": 0, "GPROF_WAIT": 1}):
            with self.subTest(f"{task}, {variables}"):
                outcome = self.preloaded(self.program, task, variables=variables)
                self.assertEqual((outcome.status, outcome.stdout, outcome.stderr),
                                 (plain.status, plain.stdout, ""))

    def test_cancelled_threads(self):
        self.assert_same("cancelled")

    def test_cancelled_before_the_wait(self):
        self.assert_same("cancelled_at_once")

    def test_robust_mutexes(self):
        self.assert_same("robust")

    def test_every_kind_of_mutex(self):
        self.assert_same("kinds")

    def test_mutexes_shared_with_a_child(self):
        self.assert_same("shared")

    def test_fork_while_others_wait(self):
        self.assert_same("forked")

    def test_errors(self):
        self.assert_same("errors")

    def test_streams_that_threads_share(self):
        self.assert_same("streams")

    def test_streams_that_another_thread_has_locked(self):
        self.assert_same("locked_stream")

    def test_reading_that_only_computes_is_not_a_wait(self):
        """The first such call may be taken for one."""
        self.assert_same("busy_stream")
        self.preloaded(self.program, "busy_stream", variables=MEASURED)
        times = sum(wait["times"] for wait in self.sidecar()["waits"] if wait["function"] == "fread")
        self.assertLess(times, 5)

    def test_handlers_that_jump_fork_and_wait(self):
        self.assert_same("interrupted")

    def test_a_wait_that_was_left_is_not_counted(self):
        """Nor is what a handler waits counted twice."""
        self.preloaded(self.program, "interrupted", variables=MEASURED)
        profile = self.sidecar()
        by_function = collections.Counter()
        for wait in profile["waits"]:
            if wait["kind"] != "cpu":
                by_function[wait["function"]] += wait["total"]
        self.assertNotIn("read", by_function)
        # Three calls of read() are left after 20 ms each; the other waits end early and share the remaining time.
        length = profile["process"]["end_time"] - profile["process"]["start_time"]
        self.assertLess(sum(by_function.values()), length - 59_000_000)
        self.assertGreaterEqual(by_function["nanosleep"], 29_500_000)


class OddArguments(RuntimeTest):
    """Every function is called with arguments that point nowhere."""

    @classmethod
    def programs(cls):
        cls.program = cls.build("odd_arguments", ["odd_arguments.c"], "-O1", "-pthread", "-w", pg=False)

    def assert_same(self, part, calls):
        plain = self.plain(self.program, part)
        self.assertEqual((plain.status, plain.stderr), (0, ""))
        self.assertGreater(len({line.partition(":")[0] for line in plain.stdout.splitlines()}), calls)
        for variables in (MEASURED, {"GPROF_ANY": 1}, {"GPROF_ANY": 0}):
            with self.subTest(f"{part}, {variables}"):
                outcome = self.preloaded(self.program, part, variables=variables)
                self.assertEqual((outcome.status, outcome.stdout, outcome.stderr),
                                 (plain.status, plain.stdout, ""))

    def test_of_streams(self):
        self.assert_same("streams", 18)

    def test_of_descriptors(self):
        self.assert_same("descriptors", 40)

    def test_of_locks(self):
        self.assert_same("locks", 35)

    def test_of_sleeps(self):
        self.assert_same("sleeps", 5)

    def test_of_children(self):
        self.assert_same("children", 5)

    def test_of_signals(self):
        self.assert_same("signals", 20)

    def test_of_processes(self):
        self.assert_same("processes", 30)
