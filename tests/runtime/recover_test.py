"""`gprof-lsp recover` makes profiles of what killed programs left."""
import os
import shutil
import signal
import subprocess
import time
import unittest

from harness import SERVER, clean_environment
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

    def test_an_older_profile_is_replaced(self):
        older = self.directory / "gmon.out"
        older.write_text("older")
        os.utime(older, (1000000000, 1000000000))
        self.leave_live_file()
        self.recover_here()
        self.assertEqual(self.files(), ["gmon.out", "gmon.out.gpx"])
        self.assertEqual(self.calls(self.program)["work", "leaf"], 1000)

    def test_a_name_that_leads_elsewhere(self):
        live = self.leave_live_file()
        with live.open("r+b") as file:
            file.seek(1024)
            file.write(b"../outside\0")
        place = self.directory / "inside"
        place.mkdir()
        live.rename(place / live.name)
        status, output, _ = self.recover_here("inside")
        self.assertEqual(status, 0)
        self.assertIn("inside/outside: ", output)
        self.assertEqual(self.files(), ["inside"])

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
        live.chmod(0o644)
        server = shutil.copy2(SERVER, self.directory / "gprof-lsp")
        self.directory.chmod(0o555)
        self.addCleanup(self.directory.chmod, 0o755)
        # Root may write everywhere; and nobody may not be able to reach the server where it lies.
        user = {"user": NOBODY, "group": NOBODY} if os.geteuid() == 0 else {}
        outcome = subprocess.run([server, "recover", "."], cwd=self.directory, check=False,
                                 capture_output=True, text=True, env=clean_environment(), **user)
        self.assertEqual(outcome.returncode, 1, outcome.stderr)
        self.assertIn("gmon", outcome.stderr)
        self.assertTrue(live.exists())


if __name__ == "__main__":
    unittest.main()
