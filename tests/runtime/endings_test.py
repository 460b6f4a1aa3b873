"""However a program ends, its counts survive: in gmon.out, or after `gprof-lsp recover`."""
import os
import signal
import subprocess
import time

from harness import ARCHIVE, LIBRARY, RuntimeTest, clean_environment

EXPECTED = {("main", "alpha"): 1000, ("alpha", "beta"): 3000, ("ended", "gamma_"): 500,
            ("running", "delta"): 700, (None, "ended"): 1, (None, "running"): 1,
            ("main", "end"): 1}


class Endings(RuntimeTest):
    @classmethod
    def programs(cls):
        cls.program = cls.build("endings", ["endings.c"], "-O1", "-pthread")
        cls.static = cls.build("endings-linked", ["endings.c"], "-O1", "-pthread", "-static",
                               libraries=[ARCHIVE])

    def assert_counts(self, program=None, without=()):
        calls = self.calls(program or self.program)
        # In a static program libc's functions have names.
        calls = {(None if caller == "start_thread" else caller, callee): count
                 for (caller, callee), count in calls.items()}
        expected = {arc: count for arc, count in EXPECTED.items() if arc[1] not in without}
        own = {callee for _, callee in expected}
        self.assertEqual({arc: n for arc, n in calls.items() if arc[1] in own}, expected)

    def assert_nothing_left(self, ending=None):
        self.assertEqual(self.files(), ["gmon.out", "gmon.out.gpx"])
        if ending is not None:
            self.assertEqual(self.sidecar()["process"]["ending"], ending)

    def assert_written(self, how, status, ending=None, without=()):
        plain = self.plain(self.program, how)
        self.assertEqual(plain.status, status)
        outcome = self.profiled(self.program, how, status=status)
        self.assertEqual(outcome.stdout, plain.stdout)
        self.assert_counts(without=without)
        self.assert_nothing_left(ending)

    def test_return(self):
        self.assert_written("return", 7, ending="returned")
        self.assertEqual(self.sidecar()["process"]["exit_status"], 7)

    def test_exit(self):
        self.assert_written("exit", 7, ending="returned")

    def test_underscore_exit(self):
        self.assert_written("_exit", 7, ending="exit_now")
        self.assertEqual(self.sidecar()["process"]["exit_status"], 7)

    def test_capital_exit(self):
        self.assert_written("_Exit", 7, ending="exit_now")

    def test_quick_exit(self):
        self.assert_written("quick_exit", 7, ending="exit_now")

    def test_exit_in_a_thread(self):
        self.assert_written("exit-in-thread", 7, ending="returned", without=["end"])

    def test_underscore_exit_in_a_thread(self):
        self.assert_written("_exit-in-thread", 7, ending="exit_now", without=["end"])

    def test_pthread_exit_from_main(self):
        self.assert_written("pthread_exit", 0)

    def test_cleanup_by_hand(self):
        outcome = self.profiled(self.program, "_mcleanup")
        self.assertEqual(outcome.numbers(), {"written": 1})
        self.assert_counts()

    def assert_written_or_recovered(self, outcome, status, program=None, without=()):
        self.assertEqual((outcome.status, outcome.stderr), (status, ""))
        if any("live" in name for name in self.files()):
            recovered = self.recover()
            self.assertEqual((recovered.status, recovered.stderr), (0, ""))
        self.assert_counts(program, without)
        self.assert_nothing_left()

    def test_abort(self):
        self.assert_written("abort", -signal.SIGABRT, ending="aborted")

    def test_abort_in_a_thread(self):
        self.assert_written("abort-in-thread", -signal.SIGABRT, ending="aborted", without=["end"])

    def test_faults(self):
        for how, number in (("segv", signal.SIGSEGV), ("trap", signal.SIGILL)):
            with self.subTest(how):
                outcome = self.preloaded(self.program, how)
                self.assert_written_or_recovered(outcome, -number)
            for name in self.files():
                (self.directory / name).unlink()

    def killed(self, program, number, variables):
        process = subprocess.Popen([program, "wait"], cwd=self.directory, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=clean_environment(**variables))
        self.assertEqual(process.stdout.readline(), b"ready\n")
        process.send_signal(number)
        _, stderr = process.communicate(timeout=60)
        self.assertEqual(stderr, b"")
        self.assertEqual(process.returncode, -number)
        return process

    def test_killed(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL, signal.SIGHUP,
                       signal.SIGPIPE, signal.SIGQUIT):
            for program, variables in ((self.program, {"LD_PRELOAD": LIBRARY}), (self.static, {})):
                with self.subTest(f"{number.name} {program.name}"):
                    process = self.killed(program, number, variables)
                    self.assertEqual(self.files(), [f"gmon.live.{process.pid}"])
                    recovered = self.recover()
                    self.assertEqual((recovered.status, recovered.stderr), (0, ""))
                    self.assert_counts(program)
                    self.assert_nothing_left()
                for name in self.files():
                    (self.directory / name).unlink()

    def test_recover_leaves_running_programs_alone(self):
        process = subprocess.Popen([self.program, "wait"], cwd=self.directory,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=clean_environment(LD_PRELOAD=LIBRARY))
        try:
            self.assertEqual(process.stdout.readline(), b"ready\n")
            before = self.files()
            outcome = self.recover()
            self.assertIn(str(process.pid), outcome.stdout + outcome.stderr)
            self.assertEqual(self.files(), before)
        finally:
            process.kill()
            process.communicate()

    def test_killed_while_it_counts(self):
        """At any moment: what is left is complete, and no count exceeds the calls made."""
        for delay in (0.0, 0.002, 0.005, 0.01, 0.02, 0.03):
            process = subprocess.Popen([self.program, "wait"], cwd=self.directory,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                       env=clean_environment(LD_PRELOAD=LIBRARY))
            time.sleep(delay)
            process.kill()
            _, stderr = process.communicate(timeout=60)
            self.assertEqual(stderr, b"")
            recovered = self.recover()
            self.assertEqual((recovered.status, recovered.stderr), (0, ""), delay)
            if "gmon.out" in self.files():
                for arc, count in self.calls(self.program).items():
                    self.assertLessEqual(count, EXPECTED.get(arc, 1), arc)
            for name in self.files():
                os.unlink(self.directory / name)
