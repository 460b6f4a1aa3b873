"""`gprof-lsp recover` makes profiles from the files that killed programs left."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

from harness import SERVER, clean_environment, require_root
from record_support import RecordTest

NOBODY = 65534


class Recovery(RecordTest):
    def recover_here(self, *directories):
        return self.run_server("recover", *(directories or ["."]))

    def leave_live_file(self):
        outcome = self.preloaded(self.program, "kill", 9)
        self.assertEqual(outcome.status, -9)
        names = [name for name in self.files() if name.startswith("gmon.live.")]
        self.assertEqual(len(names), 1, names)
        return self.directory / names[0]

    def test_recovery(self):
        live = self.leave_live_file()
        status, output, errors = self.recover_here()
        self.assertEqual((status, errors), (0, ""))
        self.assertRegex(output, rf"\A\./gmon\.out: 1,002 calls and \d+ samples? from \./{live.name}\n\Z")
        self.assertEqual(self.files(), ["gmon.out", "gmon.out.gpx"])
        self.assertEqual(self.calls(self.program)["work", "leaf"], 1000)
        self.assertEqual(self.recover_here(), (0, "nothing to recover\n", ""))

    def test_a_newer_profile_stays(self):
        live = self.leave_live_file()
        newer = self.directory / "gmon.out"
        newer.write_text("newer")
        number = live.name.rpartition(".")[2]
        status, output, _ = self.recover_here()
        self.assertEqual(status, 0)
        self.assertIn(f"./gmon.out.{number}: ", output)
        self.assertEqual(newer.read_text(), "newer")
        self.assertEqual(self.calls(self.program, f"gmon.out.{number}")["work", "leaf"], 1000)

    def make_old(self, name, text):
        path = self.directory / name
        path.write_text(text)
        os.utime(path, (1000000000, 1000000000))
        return path

    def test_an_older_profile_is_replaced(self):
        self.make_old("gmon.out", "gmon older")
        self.make_old("gmon.out.gpx", "gprofgpx older")
        self.leave_live_file()
        self.recover_here()
        self.assertEqual(self.files(), ["gmon.out", "gmon.out.gpx"])
        self.assertEqual(self.calls(self.program)["work", "leaf"], 1000)

    def test_what_is_no_profile_is_not_replaced(self):
        for name in ("gmon.out", "gmon.out.gpx"):
            with self.subTest(name):
                older = self.make_old(name, "older")
                live = self.leave_live_file()
                number = live.name.rpartition(".")[2]
                status, output, errors = self.recover_here()
                self.assertEqual(status, 0)
                self.assertIn(f"./gmon.out.{number}: ", output)
                self.assertIn(f"./{name}: is not a profile, and is not replaced", errors)
                self.assertEqual(older.read_text(), "older")
                self.assertEqual(self.files(), sorted(
                    [name, f"gmon.out.{number}", f"gmon.out.{number}.gpx"]))
                for file in self.files():
                    (self.directory / file).unlink()

    def test_a_link_is_not_followed(self):
        profile = self.make_old("precious", "gmon precious")
        (self.directory / "gmon.out").symlink_to("precious")
        live = self.leave_live_file()
        self.assertEqual(self.recover_here()[0], 0)
        self.assertEqual(profile.read_text(), "gmon precious")
        self.assertIn(f"gmon.out.{live.name.rpartition('.')[2]}", self.files())

    def test_names_that_no_collector_gives(self):
        """An attacker may want a file replaced: the profile gets the usual name."""
        for name in ("../outside", "Makefile", "/etc/motd", ".profile", "", "x\x1b[31m", "x.1"):
            with self.subTest(name):
                live = self.leave_live_file()
                with live.open("r+b") as file:
                    file.seek(1024)
                    file.write(name.encode() + b"\0")
                place = self.directory / "inside"
                place.mkdir()
                live.rename(place / live.name)
                for other in (self.directory / "outside", place / "Makefile", place / "x.1"):
                    other.write_text("gmon mine")
                    os.utime(other, (1000000000, 1000000000))
                status, output, errors = self.recover_here("inside")
                self.assertEqual(status, 0)
                self.assertIn("inside/gmon.out: ", output)
                self.assertIn("gmon.out is taken instead", errors)
                self.assertNotIn("\x1b", errors)
                self.assertEqual((self.directory / "outside").read_text(), "gmon mine")
                self.assertEqual((place / "Makefile").read_text(), "gmon mine")
                self.assertEqual(self.files(), ["inside", "outside"])
                self.assertEqual(self.files(place), ["Makefile", "gmon.out", "gmon.out.gpx", "x.1"])
                shutil.rmtree(place)

    def test_files_of_others_are_left_alone(self):
        require_root()
        live = self.leave_live_file()
        os.chown(live, NOBODY, NOBODY)
        status, output, errors = self.recover_here()
        self.assertEqual((status, output), (1, ""))
        self.assertIn(f"./{live.name}: it belongs to another user (number {NOBODY})", errors)
        self.assertEqual(self.files(), [live.name])
        # Nor are they removed if there is nothing to recover.
        live.write_bytes(b"")
        os.chown(live, NOBODY, NOBODY)
        self.assertEqual(self.recover_here()[0], 1)
        self.assertEqual(self.files(), [live.name])

    def reads_so_far(self):
        """By this process and the children that it has waited for."""
        try:
            text = pathlib.Path("/proc/self/io").read_text()
        except OSError as reason:
            self.skipTest(f"skipped: {reason}")
        return int(re.search(r"^syscr: (\d+)$", text, re.M)[1])

    def test_a_large_file_with_little_in_it(self):
        """Its holes are not read."""
        live = self.leave_live_file()
        size = 1 << 35
        os.truncate(live, size)
        if live.stat().st_blocks * 512 >= size:
            self.skipTest("skipped: this file system has no sparse files")
        before = self.reads_so_far()
        self.assertEqual(self.recover_here()[0], 0)
        self.assertLess(self.reads_so_far() - before, (size >> 12) // 100)
        self.assertEqual(self.calls(self.program)["work", "leaf"], 1000)

    def test_running_processes_are_left_alone(self):
        process, child = self.start(self.program, "leave-child")
        errors = process.stderr.readline()
        self.assertRegex(errors, f"still running: process {child}$")
        live = f"gmon.live.{child}"
        status, output, _ = self.recover_here()
        self.assertEqual(status, 0)
        self.assertEqual(output, f"./{live}: process {child} is still running; left alone\n")
        self.assertIn(live, self.files())
        os.kill(child, signal.SIGKILL)
        process.communicate(timeout=60)
        for _ in range(3000):
            status, output, _ = self.recover_here()
            if "still running" not in output:
                break
            time.sleep(0.01)
        self.assertIn(f"./gmon.out.{child}: ", output)
        self.assertEqual(self.calls(self.program, f"gmon.out.{child}")["work", "leaf"], 77)

    def test_a_number_that_another_process_has_now(self):
        live = self.leave_live_file()
        with live.open("r+b") as file:
            file.seek(32)
            file.write(os.getpid().to_bytes(4, "little"))
        self.assertEqual(self.recover_here()[0], 0)
        self.assertIn("gmon.out", self.files())

    def test_what_is_no_live_file(self):
        (self.directory / "gmon.live.77").mkdir()
        os.mkfifo(self.directory / "gmon.live.78")
        (self.directory / "gmon.live.79").write_text("something else")
        (self.directory / "gmon.live.80").symlink_to("/etc/passwd")
        (self.directory / "gmon.live.99999999").write_bytes(b"")
        (self.directory / "gmon.live.notes").write_text("mine")
        status, output, errors = self.recover_here()
        self.assertEqual(status, 1)
        self.assertEqual(output, "./gmon.live.99999999: nothing was counted; removed\n")
        for number in (77, 78, 79, 80):
            self.assertIn(f"./gmon.live.{number}: ", errors)
        self.assertEqual(self.files(), [f"gmon.live.{n}" for n in (77, 78, 79, 80, "notes")])

    def test_damage(self):
        live = self.leave_live_file()
        data = live.read_bytes()
        for size in (1, 100, 2000, 4096, 5000, len(data) // 2):
            place = self.directory / f"cut-{size}"
            place.mkdir()
            (place / live.name).write_bytes(data[:size])
            status, _, errors = self.recover_here(place)
            self.assertIn(status, (0, 1), errors)

    def test_command_lines(self):
        for words in ((), ("--no-such",), ("",)):
            self.assertEqual(self.run_server("recover", *words)[0], 2)
        status, _, errors = self.recover_here("missing")
        self.assertEqual(status, 1)
        self.assertIn("missing: ", errors)

    def test_a_directory_that_cannot_be_written_keeps_the_live_file(self):
        live = self.leave_live_file()
        if os.geteuid() == 0:
            os.chown(live, NOBODY, NOBODY)
        server = shutil.copy2(SERVER, self.directory / "gprof-lsp")
        self.directory.chmod(0o555)
        self.addCleanup(self.directory.chmod, 0o755)
        # Root may write everywhere, and `nobody` may be unable to reach the server's folder.
        user = {"user": NOBODY, "group": NOBODY} if os.geteuid() == 0 else {}
        outcome = subprocess.run([server, "recover", "."], cwd=self.directory, check=False,
                                 capture_output=True, text=True, env=clean_environment(), **user)
        self.assertEqual(outcome.returncode, 1, outcome.stderr)
        self.assertIn("gmon", outcome.stderr)
        self.assertTrue(live.exists())
