"""Where the files go, what they are called, and what is left of them when something goes wrong."""
import os
import pathlib
import re
import stat
import subprocess

from harness import (LIBRARY, RuntimeTest, clean_environment, execute, require, require_root,
                     required)

EXPECTED = {("main", "rounds"): 2, ("rounds", "work"): 1000}
NOBODY = 65534


class Files(RuntimeTest):
    @classmethod
    def programs(cls):
        cls.program = cls.build("calls", ["calls.c"], "-O1")

    def assert_profile(self, name="gmon.out", directory=None):
        self.assert_calls(self.calls(self.program, name, directory), EXPECTED)

    def make(self, name, mode=0o755):
        path = self.directory / name
        path.mkdir(parents=True)
        path.chmod(mode)
        return path


class Places(Files):
    def test_the_directory_at_the_end(self):
        end = self.make("end")
        self.profiled(self.program, f"chdir={end}")
        self.assert_profile(directory=end)
        self.assertEqual((self.files(), self.files(end)), (["end"], ["gmon.out", "gmon.out.gpx"]))

    def test_start_where_the_end_is_gone(self):
        gone = self.make("gone")
        self.profiled(self.program, f"chdir={gone}", f"rmdir={gone}")
        self.assert_profile()
        self.assertEqual(self.files(), ["gmon.out", "gmon.out.gpx"])

    def test_start_where_the_end_takes_no_files(self):
        self.profiled(self.program, "chdir=/proc/self")
        self.assert_profile()

    def test_start_where_the_end_is_read_only(self):
        require_root()
        self.directory.chmod(0o777)
        closed = self.make("closed", 0o555)
        self.profiled(self.program, f"setuid={NOBODY}", f"chdir={closed}")
        self.assert_profile()
        self.assertEqual(self.files(closed), [])

    def test_neither_can_be_written(self):
        require_root()
        self.directory.chmod(0o555)
        outcome = self.preloaded(self.program, user=NOBODY, group=NOBODY)
        line = self.assert_unharmed(self.plain(self.program), outcome)
        self.assertIn("gmon", line)
        self.assertEqual(self.files(), [])

    def test_the_end_alone_can_be_written(self):
        require_root()
        self.directory.chmod(0o755)
        end = self.make("end", 0o777)
        outcome = self.preloaded(self.program, f"chdir={end}", user=NOBODY, group=NOBODY)
        self.assert_unharmed(self.plain(self.program), outcome)
        self.assert_profile(directory=end)

    def test_chroot_after_the_start(self):
        require_root()
        jail = self.make("jail")
        outcome = self.preloaded(self.program, f"chroot={jail}")
        self.assert_unharmed(self.plain(self.program), outcome)
        self.assert_profile(directory=jail)

    def test_output_directory(self):
        output, end = self.make("output"), self.make("end")
        self.profiled(self.program, f"chdir={end}", variables={"GPROF_OUTPUT": output})
        self.assert_profile(directory=output)
        self.assertEqual((self.files(), self.files(end), self.files(output)),
                         (["end", "output"], [], ["gmon.out", "gmon.out.gpx"]))

    def test_output_directory_that_is_not_there(self):
        outcome = self.preloaded(self.program, variables={"GPROF_OUTPUT": self.directory / "none"})
        self.assert_unharmed(self.plain(self.program), outcome)

    def test_prefix(self):
        self.make("deep/er")
        end = self.make("end")
        for prefix, place in (("prof", end), ("deep/er/prof", self.directory / "deep/er"),
                              (f"{end}/absolute", end), ("a b", end)):
            with self.subTest(prefix):
                where = () if prefix.startswith("deep") else (f"chdir={end}",)
                self.profiled(self.program, *where, variables={"GMON_OUT_PREFIX": prefix})
                name = re.escape(pathlib.Path(prefix).name)
                names = [n for n in self.files(place) if re.fullmatch(rf"{name}\.\d+", n)]
                self.assertEqual(len(names), 1, self.files(place))
                self.assert_profile(names[0], place)
                self.assertIn(names[0] + ".gpx", self.files(place))
                self.assertNotIn("gmon.out", self.files() + self.files(end))

    def test_prefix_of_no_directory(self):
        outcome = self.preloaded(self.program, variables={"GMON_OUT_PREFIX": "none/prof"})
        self.assertNotEqual(self.assert_unharmed(self.plain(self.program), outcome), "")

    def test_two_at_once(self):
        processes = [subprocess.Popen([self.program], cwd=self.directory,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                      env=clean_environment(LD_PRELOAD=LIBRARY))
                     for _ in range(8)]
        for process in processes:
            self.assertEqual(process.communicate(timeout=60)[1], b"")
            self.assertEqual(process.returncode, 0)
        self.assert_profile()
        self.assertEqual([n for n in self.files() if "live" in n or "tmp" in n], [])


class Contents(Files):
    def test_header_has_the_build_id(self):
        require("readelf")
        self.profiled(self.program)
        notes = execute(["readelf", "-n", self.program], self.directory).stdout
        build_id = re.search(r"Build ID: ([0-9a-f]+)", notes)[1]
        self.assertEqual(self.profile().build_id, build_id[:16])
        main = next(m for m in self.sidecar()["modules"] if m["flags"] & 1)
        self.assertEqual((main["build_id"], main["path"]), (build_id, str(self.program)))

    def test_no_build_id(self):
        program = self.build("anonymous", ["calls.c"], "-O1", "-Wl,--build-id=none")
        self.profiled(program)
        self.assertIn(self.profile().spare, (bytes(12), b"gpid" + bytes(8)))
        self.assert_calls(self.calls(program), EXPECTED)

    def test_mode_obeys_the_umask(self):
        for mask in (0o022, 0o077, 0o000):
            with self.subTest(oct(mask)):
                self.profiled(self.program, f"umask={mask:o}")
                for name in ("gmon.out", "gmon.out.gpx"):
                    mode = stat.S_IMODE((self.directory / name).stat().st_mode)
                    self.assertEqual(mode, 0o666 & ~mask)

    def test_always_a_histogram(self):
        self.profiled(self.program, variables={"GPROF_RATE": 0})
        histograms = self.profile().histograms
        self.assertGreaterEqual(len(histograms), 1)
        self.assertEqual(self.profile().samples, 0)
        self.assertEqual({h.dimension for h in histograms}, {"seconds"})

    def test_removed_live_file_does_not_matter(self):
        self.profiled(self.program, "remove=gmon.live")
        self.assert_profile()
        self.assertEqual(self.files(), ["gmon.out", "gmon.out.gpx"])


class Replaced(Files):
    """An existing file is replaced completely or not at all."""

    def old(self):
        (self.directory / "gmon.out").write_bytes(b"what was there")

    def assert_old(self):
        self.assertEqual((self.directory / "gmon.out").read_bytes(), b"what was there")
        self.assertEqual([n for n in self.files() if "tmp" in n], [])

    def test_existing_file(self):
        self.old()
        with open(self.directory / "gmon.out", "rb") as opened:
            self.profiled(self.program)
            self.assertEqual(opened.read(), b"what was there")
        self.assert_profile()

    def test_link_is_replaced_not_followed(self):
        (self.directory / "elsewhere").write_bytes(b"precious")
        (self.directory / "gmon.out").symlink_to("elsewhere")
        self.profiled(self.program)
        self.assertEqual((self.directory / "elsewhere").read_bytes(), b"precious")
        self.assertFalse((self.directory / "gmon.out").is_symlink())
        self.assert_profile()

    def test_directory_of_the_name(self):
        self.make("gmon.out")
        outcome = self.preloaded(self.program)
        self.assertIn("gmon.out", self.assert_unharmed(self.plain(self.program), outcome))
        self.assertEqual([n for n in self.files() if "tmp" in n], [])

    def test_limit_of_file_size(self):
        """RLIMIT_FSIZE, whose signal kills unless it is ignored."""
        self.old()
        outcome = self.preloaded(self.program, "fsize=10")
        self.assertNotEqual(self.assert_unharmed(self.plain(self.program), outcome), "")
        self.assert_old()

    def test_limit_of_file_size_from_the_start(self):
        import resource
        self.old()

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))

        plain = self.plain(self.program_without(), preexec_fn=limit)
        outcome = self.preloaded(self.program, preexec_fn=limit)
        self.assertNotEqual(self.assert_unharmed(plain, outcome), "")
        self.assert_old()

    def program_without(self):
        return self.build("calls-plain", ["calls.c"], "-O1", pg=False)

    def full_disk(self, size):
        require_root()
        disk = self.make("disk")
        done = execute([required("mount"), "-t", "tmpfs", "-o", f"size={size}", "none", disk],
                       self.directory)
        if done.status != 0:
            self.skipTest("skipped: no tmpfs")
        self.addCleanup(execute, ["umount", "-l", disk], "/")
        return disk

    def test_full_disk(self):
        plain = self.plain(self.program_without())
        for kibibytes in (4, 8, 16, 64, 128, 256, 512, 1024, 4096):
            with self.subTest(f"{kibibytes} KiB"):
                disk = self.full_disk(f"{kibibytes}k") if kibibytes == 4 else self.disk
                self.disk = disk
                execute(["mount", "-o", f"remount,size={kibibytes}k", disk], "/")
                (disk / "gmon.out").write_bytes(b"what was there")
                outcome = self.preloaded(self.program, directory=disk)
                line = self.assert_unharmed(plain, outcome)
                if (disk / "gmon.out").read_bytes() == b"what was there":
                    self.assertNotEqual(line, "")
                else:
                    self.assert_profile(directory=disk)
                self.assertEqual([n for n in self.files(disk) if "tmp" in n], [])
                for name in self.files(disk):
                    os.unlink(disk / name)

    def test_disk_that_is_full_at_the_end(self):
        disk = self.full_disk("8m")
        (disk / "gmon.out").write_bytes(b"what was there")
        (disk / "junk").touch()
        filler = f"import os; f = open({str(disk / 'junk')!r}, 'wb', 0)\n" \
                 "try:\n  while f.write(bytes(4096)): pass\nexcept OSError: pass\n"
        (disk / "fill.py").write_text(filler)
        # Waits for a line, which is sent when the disk is full.
        waiting = self.build("waiting", ["endings.c"], "-O1", "-pthread")
        process = subprocess.Popen([waiting, "return-on-input"], cwd=disk, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=clean_environment(LD_PRELOAD=LIBRARY))
        self.assertEqual(process.stdout.readline(), "ready\n")
        execute([required("python3"), disk / "fill.py"], self.directory)
        _, stderr = process.communicate("\n", timeout=60)
        self.assertEqual(process.returncode, 7)
        self.assertRegex(stderr, r"^gprof: [^\n]*no space left[^\n]*\n$")
        self.assertEqual((disk / "gmon.out").read_bytes(), b"what was there")
        self.assertEqual([n for n in self.files(disk) if "tmp" in n], [])
        # Once there is space again, `recover` finds its counts.
        os.unlink(disk / "junk")
        os.unlink(disk / "gmon.out")
        self.assertEqual(self.recover(disk).status, 0)
        self.assert_calls(self.calls(waiting, directory=disk),
                          {("main", "alpha"): 1000, ("running", "delta"): 700})
