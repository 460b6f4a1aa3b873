"""Several processes in one directory at the same time: each keeps a profile under its own name."""
import contextlib
import os
import re
import subprocess

from harness import ARCHIVE, LIBRARY, SERVER, clean_environment
from record_support import RecordTest

USUAL = "gmon.out"


class Together(RecordTest):
    @classmethod
    def programs(cls):
        super().programs()
        cls.program = cls.build("together", ["together.c"], "-O1")
        cls.linked_program = cls.linked("together-linked", ["together.c"], "-O1")
        cls.refuse = cls.build("refuse", ["refuse.c"], "-O1", pg=False)
        cls.static = cls.build("together-static", ["together.c"], "-O1", "-static",
                               libraries=[ARCHIVE])

    def start_all(self, count, *action, command=(), program=None, variables=None):
        """Waiting processes, each with its id and how often it called `leaf`; and what ends them."""
        waiting, end = os.pipe()
        self.addCleanup(os.close, waiting)
        started = []
        for i in range(count):
            times = 1000 + i
            process = subprocess.Popen([*command, program or self.program, str(times), *action],
                                       cwd=self.directory, stdin=waiting, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True,
                                       env=clean_environment(**(variables or {})))
            self.addCleanup(lambda p=process: (p.kill(), p.communicate()))
            started.append((process, times))
        ends = contextlib.ExitStack()
        ends.callback(os.close, end)
        self.addCleanup(ends.close)  # cleaned up first
        numbers = [int(process.stdout.readline()) for process, _ in started]
        return [(*pair, number) for pair, number in zip(started, numbers)], ends

    def end_all(self, started, end, status=0):
        """What each of them wrote to standard error, after all ended at the same time."""
        end.close()
        errors = [process.communicate(timeout=120)[1] for process, _, _ in started]
        for process, _, _ in started:
            self.assertEqual(process.returncode, status, errors)
        return errors

    def leaf_calls(self, name):
        return self.calls(self.program, name)["main", "leaf"]

    def assert_each_has_its_own(self, started):
        """One is `gmon.out`, the others have their process id appended; each set belongs together."""
        names = [USUAL] + [f"{USUAL}.{number}" for _, _, number in started]
        found = [name for name in self.files() if not name.endswith(".gpx")]
        self.assertEqual(len(found), len(started), self.files())
        self.assertLessEqual(set(found), set(names))
        self.assertIn(USUAL, found)
        times_of = {number: times for _, times, number in started}
        for name in found:
            process = self.sidecar(f"{name}.gpx")["process"]["process"]
            self.assertIn(name, (USUAL, f"{USUAL}.{process}"))
            self.assertEqual(self.leaf_calls(name), times_of.pop(process))
        self.assertEqual(times_of, {})
        self.assertEqual(len(self.files()), 2 * len(started), self.files())

    def assert_kept(self, count, program=None):
        preload = {"LD_PRELOAD": LIBRARY} if program is None else {}
        started, end = self.start_all(count, program=program, variables=preload)
        self.assertEqual(set(self.end_all(started, end)), {""})
        self.assert_each_has_its_own(started)

    def clear(self):
        for name in self.files():
            (self.directory / name).unlink()

    def test_preloaded(self):
        for count in (4, 16):
            with self.subTest(count):
                self.assert_kept(count)
                self.clear()

    def test_without_locks(self):
        """Even then, only one process takes an unused name."""
        for calls in ("flock", "flock,renameat2,linkat"):
            with self.subTest(calls):
                started, end = self.start_all(8, command=(self.refuse, "EPERM", calls), variables={
                    "REFUSED_PRELOAD": LIBRARY})
                self.assertEqual(set(self.end_all(started, end)), {""})
                if calls == "flock":
                    self.assert_each_has_its_own(started)
                else:
                    self.assertIn(USUAL, self.files())
                self.clear()

    def test_static(self):
        started, end = self.start_all(4, program=self.static)
        self.assertEqual(set(self.end_all(started, end)), {""})
        found = [name for name in self.files() if not name.endswith(".gpx")]
        calls = {self.calls(self.static, name)["main", "leaf"] for name in found}
        self.assertEqual(calls, {times for _, times, _ in started})

    def test_an_earlier_profile_is_replaced_by_one_of_them(self):
        for _ in range(5):
            self.profiled(self.program, 7)
            self.assertEqual(self.leaf_calls(USUAL), 7)
            self.assert_kept(4)
            self.clear()

    def test_one_after_the_other(self):
        for times in (5, 6, 7):
            self.profiled(self.program, times)
            self.assertEqual(self.files(), [USUAL, f"{USUAL}.gpx"])
            self.assertEqual(self.leaf_calls(USUAL), times)
            self.record("--", self.program, times + 10)
            self.assertEqual(self.files(), [USUAL, f"{USUAL}.gpx"])
            self.assertEqual(self.leaf_calls(USUAL), times + 10)

    def test_profile_that_a_running_process_has_dumped(self):
        started, end = self.start_all(1, "dump", program=self.linked_program)
        _, times, number = started[0]
        other = self.profiled(self.program, 3)
        found = [name for name in self.files() if not name.endswith(".gpx") and "live" not in name]
        self.assertEqual(found, [USUAL, f"{USUAL}.{int(other.stdout)}"])
        self.assertEqual(self.leaf_calls(found[1]), 3)
        self.end_all(started, end)
        self.assertEqual(self.sidecar()["process"]["process"], number)
        self.assertEqual(self.calls(self.linked_program)["main", "leaf"], times)

    def test_file_without_a_sidecar_that_came_meanwhile(self):
        started, end = self.start_all(1, variables={"LD_PRELOAD": LIBRARY})
        (self.directory / USUAL).write_text("of another collector")
        self.assertEqual(self.end_all(started, end), [""])
        self.assertEqual((self.directory / USUAL).read_bytes(), b"of another collector")
        self.assertEqual(self.leaf_calls(f"{USUAL}.{started[0][2]}"), started[0][1])

    def assert_recorded(self, count, *action, status=0, ending=""):
        command = (SERVER, "record", "--")
        started, end = self.start_all(count, *action, command=command)
        errors = self.end_all(started, end, status)
        for (_, times, number), text in zip(started, errors):
            line = self.last_line(text)
            self.assertEqual(text, f"gprof-lsp: {line}\n")
            name, figures = line.split(": ", 1)
            self.assertIn(name, (USUAL, f"{USUAL}.{number}"))
            # In addition to those of `leaf`, main itself.
            self.assertTrue(figures.startswith(f"{times + 1:,} calls, "), line)
            self.assertIn("nothing lost", figures)
            self.assertTrue(figures.endswith(ending), line)
            self.assertEqual(self.leaf_calls(name), times)
        self.assert_each_has_its_own(started)

    def test_recorded(self):
        for count in (4, 16):
            with self.subTest(count):
                self.assert_recorded(count)
                self.clear()

    def test_recorded_and_killed(self):
        self.assert_recorded(4, "kill", status=-9, ending="; killed by SIGKILL; recovered")

    def test_children_are_those_of_their_own_recording(self):
        """Meanwhile, processes of another recording and of a preloaded program end."""
        command = (SERVER, "record", "--", "sh", "-c", '"$0" "$1" & "$0" "$1" <&0; wait')
        first, end_first = self.start_all(1, command=command)
        second, end_second = self.start_all(1, command=command)
        plain, end_plain = self.start_all(1, variables={"LD_PRELOAD": LIBRARY})
        self.end_all(plain, end_plain)
        for started, end in ((first, end_first), (second, end_second)):
            line = self.last_line(self.end_all(started, end)[0])
            recorded = self.sidecar(f"{line.split(': ')[0]}.gpx")["process"]["recorded_process"]
            names = re.findall(r"gmon\.out(?:\.\d+)*(?=[:,]|$)", line)
            self.assertEqual(len(names), 2, line)
            self.assertEqual({self.sidecar(f"{name}.gpx")["process"]["recorded_process"]
                              for name in names}, {recorded})
