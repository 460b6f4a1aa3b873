"""Programs that change their root or drop rights, or start with others: they behave as docs/runtime.md
says."""
import os
import re
import shutil

from harness import ARCHIVE, LIBRARY, clean_environment, execute, require_root
from record_support import RecordTest

EXPECTED = {("main", "rounds"): 2, ("rounds", "work"): 1000}
NOBODY = 65534
PROFILE = ["gmon.out", "gmon.out.gpx"]


class Confined(RecordTest):
    @classmethod
    def programs(cls):
        super().programs()
        cls.program = cls.build("calls", ["calls.c"], "-O1")
        cls.static = cls.build("calls-static", ["calls.c"], "-O1", "-static", libraries=[ARCHIVE])

    def setUp(self):
        super().setUp()
        self.jail = self.directory / "jail"
        self.output = self.directory / "output"
        for directory in (self.jail, self.output):
            directory.mkdir()
        self.directory.chmod(0o755)

    def assert_profile(self, directory, program=None, expected=None):
        self.assert_calls(self.calls(program or self.program, directory=directory),
                          expected or EXPECTED)

    def clear(self):
        for directory in (self.jail, self.output):
            for path in directory.iterdir():
                path.unlink()


class Chroot(Confined):
    def setUp(self):
        require_root()
        super().setUp()

    def run_in_jail(self, program, *actions, variables=None):
        preload = {"LD_PRELOAD": "" if program == self.static else LIBRARY}
        return self.preloaded(program, f"chroot={self.jail}", *actions, directory=self.output,
                              variables=preload | (variables or {}))

    def test_directory_at_the_end(self):
        for program in (self.program, self.static):
            with self.subTest(program.name):
                outcome = self.run_in_jail(program)
                self.assertEqual((outcome.status, outcome.stderr), (0, ""))
                self.assertEqual((self.files(self.output), self.files(self.jail)), ([], PROFILE))
                self.assert_profile(self.jail, program)
                self.clear()

    def test_output_directory(self):
        for program in (self.program, self.static):
            with self.subTest(program.name):
                outcome = self.run_in_jail(program, variables={"GPROF_OUTPUT": self.output})
                self.assertEqual((outcome.status, outcome.stderr), (0, ""))
                self.assertEqual((self.files(self.output), self.files(self.jail)), (PROFILE, []))
                self.assert_profile(self.output, program)
                self.clear()

    def test_children(self):
        outcome = self.run_in_jail(self.program, "fork=33", variables={"GPROF_OUTPUT": self.output})
        self.assertEqual((outcome.status, outcome.stderr), (0, ""))
        names = [name for name in self.files(self.output) if not name.endswith(".gpx")]
        self.assertEqual(len(names), 2, names)
        self.assert_calls(self.calls(self.program, names[1], self.output),
                          {("fork_and_call", "work"): 33})
        child = next(m for m in self.sidecar(names[1] + ".gpx", self.output)["modules"]
                     if m["flags"] & 1)
        self.assertEqual(child["path"], str(self.program))

    def test_record(self):
        status, _, errors = self.record("--output", self.output, self.program,
                                        f"chroot={self.jail}", "fork=33")
        self.assertEqual(status, 0, errors)
        self.assertEqual(len(errors.splitlines()), 1, errors)
        self.assertRegex(self.last_line(errors), r"gmon\.out: 1,\d{3} calls, .*nothing lost; .*further")
        self.assert_profile(self.output)
        self.assertEqual([name for name in self.files(self.output) if "live" in name], [])

    def test_descriptors_that_the_program_closes(self):
        """If paths lead nowhere, nothing can be written: the counts stay where they are."""
        status, _, errors = self.record("--output", self.output, self.program,
                                        f"chroot={self.jail}", "close=3")
        self.assertEqual(status, 0, errors)
        self.assertRegex(self.last_line(errors), "nothing lost; .*recovered$")
        self.assert_profile(self.output)
        self.assertEqual(self.files(self.output), PROFILE)

    def test_descriptors_that_the_program_uses_anew(self):
        own = self.jail / "own"
        status, _, errors = self.record("--output", self.output, self.program,
                                        f"chroot={self.jail}", "reuse=/own", "threads=100")
        self.assertEqual(status, 0, errors)
        self.assertEqual(own.read_bytes(), b"", "the collector wrote into the program's file")
        self.assertIn("recovered", self.last_line(errors))
        self.assertEqual(self.files(self.jail), ["own"])

    def test_a_user_who_may_not_write(self):
        """The counts still reach the live file and are recovered from there."""
        expected = EXPECTED | {("call_often", "work"): 1000}
        actions = (f"chroot={self.jail}", f"setuid={NOBODY}", "threads=100")
        status, _, errors = self.record("--output", self.output, self.program, *actions)
        self.assertEqual(status, 0, errors)
        self.assertRegex(errors, r"\Agprof: cannot write the profile: .*permission denied\n")
        self.assertRegex(self.last_line(errors), "nothing lost; .*recovered$")
        self.assert_profile(self.output, expected=expected)
        self.clear()
        outcome = self.preloaded(self.program, *actions, directory=self.output,
                                 variables={"GPROF_OUTPUT": self.output})
        self.assertEqual(outcome.status, 0)
        self.assertRegex(outcome.stderr, r"\Agprof: cannot write the profile: .*permission denied\n\Z")
        self.assertEqual(self.recover(self.output).status, 0)
        self.assertEqual(self.files(self.output), PROFILE)
        self.assert_profile(self.output, expected=expected)

    def test_a_jail_that_is_not_there(self):
        outcome = self.preloaded(self.program, f"chroot={self.jail / 'none'}")
        self.assertEqual(outcome.status, 32)
        self.assertEqual(self.calls(self.program)["rounds", "work"], 900)


class OtherRights(Confined):
    def test_set_user_id(self):
        """The user who starts it must not choose what its owner writes, or where: nothing is written."""
        require_root()
        if os.statvfs(self.directory).f_flag & os.ST_NOSUID:
            self.skipTest("skipped: this file system gives no rights")
        self.directory.chmod(0o777)
        self.output.chmod(0o777)
        linked = self.linked("calls-linked", ["calls.c"], "-O1")
        for program in (linked, self.static):
            for ending in ((), ("kill=9",)):
                with self.subTest(f"{program.name} {ending}"):
                    privileged = self.directory / "privileged"
                    shutil.copy(program, privileged)
                    privileged.chmod(0o4755)
                    outcome = execute([privileged, "fork=33", *ending], self.directory,
                                      clean_environment(GPROF_OUTPUT=self.output,
                                                        GMON_OUT_PREFIX="prefix"),
                                      user=NOBODY, group=NOBODY)
                    if program == linked and "libgprof_runtime" in outcome.stderr:
                        continue  # the library is where `nobody` has no access
                    self.assertEqual((outcome.status, outcome.stderr), (-9 if ending else 0, ""))
                    self.assertEqual(self.files(), ["jail", "output", "privileged"])
                    self.assertEqual((self.files(self.output), self.files(self.jail)), ([], []))

    def test_record_says_why_a_set_user_id_program_has_none(self):
        require_root()
        privileged = self.directory / "privileged"
        shutil.copy(self.program, privileged)
        os.chown(privileged, NOBODY, NOBODY)
        privileged.chmod(0o4755)
        self.directory.chmod(0o777)
        status, _, errors = self.record("--output", self.output, privileged)
        self.assertEqual(status, 0, errors)
        self.assertIn("changes its user or group", self.last_line(errors))


class Preloaded(Confined):
    def test_a_library_that_the_user_preloads(self):
        (self.built / "first.c").write_text(
            '#include <stdio.h>\n'
            'int chdir(const char* path) { printf("chdir %s\\n", path); return 0; }\n')
        library = self.build("libfirst.so", ["first.c"], "-O1", "-shared", "-fPIC", pg=False)
        for variables, run in (
                ({"LD_PRELOAD": library}, lambda v: self.record(
                    "--output", self.output, self.program, "chdir=/nowhere", variables=v)),
                ({"LD_PRELOAD": f"{library}:{LIBRARY}", "GPROF_OUTPUT": self.output},
                 lambda v: self.run_preloaded("chdir=/nowhere", variables=v))):
            with self.subTest(str(variables)):
                status, output, errors = run(variables)
                self.assertEqual((status, output), (
                    0, "nine rounds\nchdir /nowhere\n"), errors)
                self.assert_profile(self.output)
                self.clear()

    def run_preloaded(self, *words, variables):
        outcome = self.preloaded(self.program, *words, variables=variables)
        return outcome.status, outcome.stdout, outcome.stderr

    def test_static_program(self):
        status, _, errors = self.record("--output", self.output, self.static)
        self.assertEqual(status, 0)
        self.assertTrue(re.search(r"gmon\.out: 1,00\d calls", self.last_line(errors)), errors)
        self.assert_profile(self.output, self.static)
