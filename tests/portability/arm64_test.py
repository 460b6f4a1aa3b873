"""The server and the collector for 64-bit Arm, run by qemu: a program of that processor is profiled, and its
figures are those that the server for this processor shows of the same files.

What of the other tests is run so: the unit tests, and the protocol tests in PROTOCOL. Of those, the ones left out
start dozens of servers, wait for times, or hold the server to this processor's; qemu makes them last for minutes
each."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from editor import Editor
from own_folders import fresh_folder, own_environment
from profiled_program import require, run

SERVER = os.environ.get("GPROF_LSP_SERVER")
ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/aarch64"
SYSROOT = "/usr/aarch64-linux-gnu"
WORK = pathlib.Path(__file__).resolve().parent / "programs/work.c"
EMULATOR = "qemu-aarch64"
PROTOCOL = ("annotations", "edits", "framing", "hints", "hovers", "languages", "lenses", "lifecycle", "navigation",
            "reports", "sync", "transport")


class Arm64(unittest.TestCase):
    def setUp(self):
        require(EMULATOR, "aarch64-linux-gnu-gcc")
        self.program = BUILD / "bin/gprof-lsp-static"
        self.collector = BUILD / "lib/libgprof_runtime.so"
        for path in (self.program, self.collector):
            if not path.exists():
                self.skipTest(f"skipped: no {path}")
        self.folder = fresh_folder(self.addCleanup)
        self.server = self.write_emulated("gprof-lsp", self.program)
        shutil.copy(WORK, self.folder / "work.c")

    def write_emulated(self, name, program, options=""):
        """A script that runs the program: tools that start one expect a file."""
        script = self.folder / name
        script.write_text(f'#!/bin/sh\nexec {EMULATOR} {options} {program} "$@"\n')
        script.chmod(0o755)
        return script

    def build(self, name, *flags):
        run(["aarch64-linux-gnu-gcc", "-g", "-O1", *flags, "work.c", "-o", name], self.folder)

    def profile(self, name):
        """Runs the program with the collector. qemu passes it to the program alone: the emulator itself, which is
        for another processor, cannot load it."""
        run([EMULATOR, "-L", SYSROOT, "-E", f"LD_PRELOAD={self.collector}", "-E", f"GPROF_OUTPUT={self.folder}",
             f"./{name}"], self.folder)

    def both(self, *command):
        """What the command prints, which is the same by the server for this processor."""
        said = [run([server, *command], self.folder) for server in (self.server, SERVER)]
        self.assertEqual(said[0], said[1])
        return said[0]

    def test_it_needs_nothing(self):
        headers = run(["readelf", "--wide", "-h", "-l", "-d", self.program], "/")
        self.assertIn("AArch64", headers)
        self.assertNotIn("INTERP", headers)
        self.assertNotIn("(NEEDED)", headers)

    def test_a_profile_from_the_program_to_the_lens(self):
        self.build("work", "-pg")
        self.profile("work")
        checked = run([SERVER, "check", self.folder], self.folder)
        self.assertRegex(checked, r"  31 calls, \d+ samples ")
        self.assertNotIn("lost", checked)
        report = self.both("report", "-b", "work", "gmon.out")
        self.assertRegex(report, r"10 +[\d.]+ +[\d.]+ +heavy\n")
        # From the machine code.
        self.assertIn("light", self.both("report", "-b", "-c", "-q", "work", "gmon.out"))
        shown = []
        for server in (self.server, SERVER):
            with Editor(self.folder, environment=own_environment(self.folder / "user"), opened=["work.c"],
                        server=str(server),
                        settings={"programs": [{"executable": "work", "profiles": ["gmon.out"]}]}) as editor:
                editor.wait_for_loads(1)
                shown.append((editor.lenses("work.c"), editor.hints("work.c"), editor.hover("work.c", 4, "heavy")))
        self.assertEqual(shown[0], shown[1])
        titles = [titles[0].split(" · ")[0] for _, titles in sorted(shown[0][0].items())]
        self.assertEqual(titles, ["10 calls", "20 calls", "1 call"])

    def test_an_emulator_is_left_alone(self):
        self.build("work")
        done = subprocess.run([EMULATOR, self.program, "record", f"--output={self.folder}", "--",
                               shutil.which(EMULATOR), "-L", SYSROOT, "./work"],
                              cwd=self.folder, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertRegex(done.stderr, r"^gprof-lsp: no profile of .*: it is made for another kind of processor.*\n$")
        self.assertEqual(list(self.folder.glob("gmon*")), [])

    def test_packages(self):
        require("zstd", "tar", "dh", "dpkg-architecture", "aarch64-linux-gnu-strip")
        made = self.folder / "packages"
        run([sys.executable, "-B", ROOT / "scripts/release", "--untested", "--fast", "--build", BUILD, "--out", made,
             "--only", "archive", "deb", "sbom"], ROOT)
        depends = {}
        for package in made.glob("*.deb"):
            self.assertEqual(run(["dpkg-deb", "--field", package, "Architecture"], "/"), "arm64\n")
            name = package.name.split("_")[0]
            depends[name] = run(["dpkg-deb", "--field", package, "Depends"], "/")
            run(["dpkg-deb", "-x", package, self.folder / "root"], "/")
        self.assertEqual(sorted(depends), ["gprof-lsp", "libgprof-engine-dev", "libgprof-runtime-dev",
                                           "libgprof-runtime0"])
        # As packages of that processor say it, with the oldest versions that do.
        self.assertRegex(depends["libgprof-runtime0"], r"^libc6 \(>= 2\.17\)")
        self.assertRegex(depends["gprof-lsp"], r"libc6 \(>= 2\.\d+\), .*libstdc\+\+6 \(>= \d+")
        run(["tar", "--zstd", "-xf", next(made.glob("*-linux-arm64.tar.zst")), "--strip-components=1",
             "--one-top-level=archive"], self.folder)
        for root in ("root/usr", "archive"):
            said = run([EMULATOR, "-L", SYSROOT, self.folder / root / "bin/gprof-lsp", "--version"], "/")
            self.assertRegex(said, r"^gprof-lsp \d")

    def test_units(self):
        units = BUILD / "bin/unit_tests"
        if not units.exists():
            self.skipTest(f"skipped: no {units}")
        emulated = self.write_emulated("unit_tests", units, f"-L {SYSROOT}")
        done = subprocess.run([sys.executable, "-B", ROOT / "tests/unit_part.py", emulated, "0", "1"],
                              capture_output=True, text=True, timeout=1500, check=False)
        self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[-6000:])

    def test_protocol(self):
        environment = {**os.environ, "GPROF_LSP_SERVER": str(self.server)}
        # Programs of this processor cannot have the other's collector.
        environment.pop("GPROF_RUNTIME_LIBRARY", None)
        for name in PROTOCOL:
            with self.subTest(name):
                done = subprocess.run([sys.executable, "-B", ROOT / "tests/run.py",
                                       ROOT / f"tests/protocol/{name}_test.py"],
                                      env=environment, capture_output=True, text=True, timeout=600, check=False)
                said = done.stdout + done.stderr
                self.assertEqual(done.returncode, 0, said[-3000:])
                ran = int(re.search(r"^Ran (\d+) test", said, re.MULTILINE)[1])
                skipped = re.search(r"skipped=(\d+)", said)
                self.assertGreater(ran, int(skipped[1]) if skipped else 0, said[-3000:])


if __name__ == "__main__":
    unittest.main()
