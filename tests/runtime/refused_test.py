"""Hosts that refuse system calls: at most one line on standard error, and the program is unharmed."""
import unittest

from harness import ARCHIVE, LIBRARY, RuntimeTest, clean_environment, execute

EXPECTED = {("main", "rounds"): 2, ("rounds", "work"): 1000}
# A program cannot be loaded without these; a static one does not need them.
LOADING = ("openat", "newfstatat", "fstat")
# Files can be neither created nor renamed: there is no profile then.
FILES = ("create", "openat", "pwrite64", "lseek")
OTHERS = ("share", "fallocate", "ftruncate", "fstat", "newfstatat", "timer_create",
          "timer_settime", "timer_delete", "perf_event_open", "setitimer", "getitimer",
          "clock_gettime", "clock_getres", "getrusage", "ioctl", "gettid", "getpid", "getppid", "getcwd", "readlink",
          "readlinkat", "faccessat", "unlink", "unlinkat", "sigaction", "sigmask", "fcntl",
          "membarrier", "prctl", "tgkill", "flock")
# Files can be created, but perhaps not renamed.
RENAMES = ("rename", "rename,renameat", "rename,renameat,renameat2")
GROUPS = ("timer_create,perf_event_open", "timer_create,perf_event_open,setitimer",
          "create,share,fallocate,ftruncate", "share,timer_create,perf_event_open,setitimer,gettid")


class Refused(RuntimeTest):
    @classmethod
    def programs(cls):
        cls.refuse = cls.build("refuse", ["refuse.c"], "-O1", pg=False)
        cls.plain_program = cls.build("plain", ["calls.c"], "-O1", pg=False)
        cls.program = cls.build("calls", ["calls.c"], "-O1")
        cls.forking = cls.build("processes", ["processes.c"], "-O1")
        cls.static = cls.build("calls-static", ["calls.c"], "-O1", "-static", libraries=[ARCHIVE])
        plain = execute([cls.refuse, "EPERM", "perf_event_open", cls.plain_program], cls.built)
        if plain.status == 123:
            raise unittest.SkipTest("skipped: no seccomp")
        cls.outcome = plain

    def setUp(self):
        super().setUp()
        self.variables = {}

    def run_refused(self, program, error, calls):
        environment = clean_environment(**self.variables)
        if program != self.static:
            environment["REFUSED_PRELOAD"] = str(LIBRARY)
        for name in self.files():
            (self.directory / name).unlink()
        outcome = execute([self.refuse, error, calls, program], self.directory, environment)
        return self.assert_unharmed(self.outcome, outcome)

    def assert_refused(self, calls, written):
        for error in ("EPERM", "ENOSYS"):
            for program in (self.program, self.static):
                if program == self.program and calls in LOADING:
                    continue
                with self.subTest(f"{error} {calls} {program.name}"):
                    line = self.run_refused(program, error, calls)
                    if "gmon.out" in self.files():
                        self.assert_calls(self.calls(program), EXPECTED)
                    else:
                        self.assertFalse(written, self.files())
                        self.assertNotEqual(line, "")
                    self.assertEqual([n for n in self.files() if "tmp" in n], [])

    def test_files_that_cannot_be_made(self):
        for calls in FILES:
            self.assert_refused(calls, written=False)

    def test_files_that_cannot_be_renamed(self):
        for calls in RENAMES:
            for program in (self.program, self.static):
                with self.subTest(f"{calls} {program.name}"):
                    line = self.run_refused(program, "EPERM", calls)
                    if "gmon.out" in self.files():
                        self.assert_calls(self.calls(program), EXPECTED)
                    else:
                        self.assertNotEqual(line, "")

    def test_everything_else_loses_no_call(self):
        for calls in OTHERS:
            self.assert_refused(calls, written=True)

    def test_several_at_once(self):
        for calls in GROUPS:
            self.assert_refused(calls, written="create" not in calls)

    def test_with_stacks_at_a_high_rate(self):
        self.variables = {"GPROF_STACKS": 1, "GPROF_RATE": 2000}
        for calls in ("timer_create", "perf_event_open", *GROUPS):
            self.assert_refused(calls, written="create" not in calls)

    def test_a_child_is_sampled_by_a_timer_of_its_own(self):
        """It inherits the handler of the process's timer, but no timer."""
        outcome = execute([self.refuse, "EPERM", "timer_create,perf_event_open", self.forking, "fork"],
                          self.directory, clean_environment(REFUSED_PRELOAD=str(LIBRARY)))
        self.assertEqual((outcome.status, outcome.stderr), (0, ""))
        self.assertIn(f"gmon.out.{outcome.numbers()['child']}", self.files())

    def test_the_timer_of_the_process_ends_with_its_image(self):
        """Such a timer survives exec. The file looks as if it could not be executed, but it can."""
        count = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; exit 3"
        for how in ("execve", "execvp", "execvpe"):
            with self.subTest(how):
                outcome = execute([self.refuse, "EPERM", "timer_create,perf_event_open,faccessat",
                                   self.forking, how, "/bin/sh", "-c", count],
                                  self.directory, clean_environment(REFUSED_PRELOAD=str(LIBRARY)))
                self.assertEqual((outcome.status, outcome.stderr), (3, ""))

    def test_no_way_to_sample_is_said(self):
        line = self.run_refused(self.program, "EPERM", "timer_create,perf_event_open,setitimer")
        self.assertIn("sampl", line)

    def test_other_errors(self):
        for error, calls in (("ENOSPC", "fallocate"), ("ENOSPC", "ftruncate"),
                             ("EACCES", "share"), ("EINVAL", "fallocate"),
                             ("ENOSPC", "create"), ("EINVAL", "clock_gettime")):
            for program in (self.program, self.static):
                with self.subTest(f"{error} {calls} {program.name}"):
                    self.run_refused(program, error, calls)
                    if calls != "create":
                        self.assert_calls(self.calls(program), EXPECTED)

    def test_program_that_locks_itself_in(self):
        for calls in ("create", "openat", "rename,renameat,renameat2", "unlink,unlinkat",
                      "share", "timer_delete", "create,unlink,rename,fcntl,clock_gettime",
                      "openat,share,fallocate,ftruncate,gettid,getpid,sigaction,sigmask"):
            for error in ("EPERM", "ENOSYS"):
                with self.subTest(f"{error} {calls}"):
                    for name in self.files():
                        (self.directory / name).unlink()
                    argument = f"refuse={error}:{calls}"
                    plain = self.plain(self.plain_program, argument)
                    outcome = self.preloaded(self.program, argument)
                    line = self.assert_unharmed(plain, outcome)
                    if "gmon.out" in self.files():
                        self.assert_calls(self.calls(self.program), EXPECTED)
                        continue
                    self.assertNotEqual(line, "")
                    # The mapped counts remain.
                    recovered = self.recover()
                    self.assertEqual((recovered.status, recovered.stderr), (0, ""))
                    self.assert_calls(self.calls(self.program), EXPECTED)
