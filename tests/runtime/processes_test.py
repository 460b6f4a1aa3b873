"""fork, exec and similar calls: each process and each image has its own profile, from zero."""
import re

from harness import RuntimeTest

BEFORE = {("main", "many"): 1, ("many", "before"): 11}
IMAGE = {("main", "many"): 1, ("many", "in_image"): 17}


class Processes(RuntimeTest):
    @classmethod
    def programs(cls):
        cls.program = cls.build("processes", ["processes.c"], "-O1")
        cls.unprofiled = cls.build("unprofiled", ["processes.c"], "-O1", pg=False)

    def profiles(self):
        """Names of the gmon files; checks that there are no other files but their sidecars."""
        names = self.files()
        profiles = [name for name in names if not name.endswith(".gpx")]
        self.assertEqual(sorted(names), sorted(profiles + [f"{name}.gpx" for name in profiles]))
        return profiles

    def own_calls(self, name="gmon.out"):
        calls = self.calls(self.program, name)
        return {arc: count for arc, count in calls.items()
                if arc[1] in ("many", "before", "after", "in_child", "in_image")}

    def assert_fork(self, how, status=3):
        printed = self.profiled(self.program, how).numbers()
        self.assertEqual(printed["child-status"], status)
        child = f"gmon.out.{printed['child']}"
        self.assertEqual(self.own_calls(), {
            ("main", "many"): 1, ("many", "before"): 11,
            ("forks", "many"): 1, ("many", "after"): 40})
        self.assertEqual(self.own_calls(child), {("forks", "many"): 1, ("many", "in_child"): 23})
        return printed, child

    def test_fork(self):
        _, child = self.assert_fork("fork")
        self.assertEqual(self.profiles(), ["gmon.out", child])

    def test_fork_and_underscore_exit(self):
        _, child = self.assert_fork("fork-_exit")
        self.assertEqual(self.profiles(), ["gmon.out", child])

    def test_fork_in_the_child(self):
        printed = self.profiled(self.program, "fork-twice").numbers()
        grandchild = f"gmon.out.{printed['grandchild']}"
        self.assertEqual(self.own_calls(grandchild),
                         {("forks", "many"): 1, ("many", "in_child"): 5})
        self.assertEqual(self.own_calls(f"gmon.out.{printed['child']}"), {
            ("forks", "many"): 1, ("many", "in_child"): 23})
        self.assertEqual(len(self.profiles()), 3)

    def test_the_child_names_its_parent(self):
        printed, child = self.assert_fork("fork")
        process = self.sidecar(child + ".gpx")["process"]
        parent = self.sidecar()["process"]
        self.assertEqual(process["process"], printed["child"])
        self.assertEqual(process["parent_process"], parent["process"])

    def test_exec(self):
        for how in ("execve", "execv", "execvp", "execvpe", "execl", "execle", "execlp", "fexecve"):
            with self.subTest(how):
                outcome = self.profiled(self.program, how, self.program, "again", status=5)
                self.assertEqual(outcome.stdout, "image 1\n")
                self.assertEqual(self.own_calls(), BEFORE)
                names = self.profiles()
                self.assertEqual(len(names), 2)
                self.assertRegex(names[1], r"^gmon\.out\.\d+\.1$")
                self.assertEqual(self.own_calls(names[1]), IMAGE)
                self.assertEqual(self.sidecar()["process"]["ending"], "executed")
                self.assertEqual(self.sidecar(names[1] + ".gpx")["process"]["image_number"], 1)
            for name in self.files():
                (self.directory / name).unlink()

    def test_exec_of_a_program_without_profile(self):
        self.profiled(self.program, "execve", self.unprofiled, "again", status=5,
                      variables={"GPROF_ANY": 0})
        self.assertEqual(self.own_calls(), BEFORE)
        self.assertEqual(self.profiles(), ["gmon.out"])

    def test_exec_that_fails(self):
        outcome = self.profiled(self.program, "failed-exec")
        self.assertEqual(outcome.numbers(), {"result": -1, "errno": 2})
        self.assertEqual(self.own_calls(), BEFORE | {("many", "after"): 40, ("main", "many"): 2})
        self.assertEqual(self.profiles(), ["gmon.out"])

    def assert_started(self, how, status=5):
        outcome = self.profiled(self.program, how, self.program, "again")
        printed = outcome.numbers()
        self.assertEqual(printed["child-status"], status)
        parent = self.own_calls()
        self.assertLessEqual(parent.pop(("main", "in_child"), 0), 1)
        self.assertEqual(parent, {("main", "many"): 2, ("many", "before"): 11,
                                  ("many", "after"): 40})
        names = self.profiles()
        self.assertEqual(len(names), 2, names)
        self.assertTrue(re.match(rf"gmon\.out\.{printed['child']}(\.1)?$", names[1]), names)
        self.assertEqual(self.own_calls(names[1]), IMAGE)

    def test_vfork_and_exec(self):
        self.assert_started("vfork")

    def test_posix_spawn(self):
        self.assert_started("posix_spawn")

    def test_vfork_and_underscore_exit(self):
        printed = self.profiled(self.program, "vfork-_exit").numbers()
        self.assertEqual(printed["child-status"], 3)
        self.assertEqual(self.own_calls(), {("main", "many"): 2, ("many", "before"): 11,
                                            ("many", "after"): 40})
        self.assertEqual(self.profiles(), ["gmon.out"])

    def test_system(self):
        outcome = self.profiled(self.program, "system", f"{self.program} again; exit 4")
        self.assertEqual(outcome.numbers(), {"image": 1, "result": 4})
        self.assertEqual(self.own_calls(), {("main", "many"): 2, ("many", "before"): 11,
                                            ("many", "after"): 40})
        names = self.profiles()
        images = [name for name in names if self.own_calls(name) == IMAGE]
        self.assertEqual(len(images), 1, names)
        self.assertEqual(len(names), 2)

    def test_prefix_names_every_process(self):
        printed = self.profiled(self.program, "fork",
                                variables={"GMON_OUT_PREFIX": "prof"}).numbers()
        names = self.profiles()
        self.assertEqual(len(names), 2)
        self.assertIn(f"prof.{printed['child']}", names)
        for name in names:
            self.assertRegex(name, r"^prof\.\d+$")
        self.assertEqual(self.own_calls(f"prof.{printed['child']}"),
                         {("forks", "many"): 1, ("many", "in_child"): 23})
