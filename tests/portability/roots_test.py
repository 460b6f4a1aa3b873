"""The server that is linked statically, and the collector, in the roots of other Linux systems: programs that
are built there, by their own compiler, have the figures that they have here.

GPROF_TEST_SUITES names the versions of Debian: "bullseye" by default, which has the oldest glibc to be had."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from editor import Editor
from old_roots import debian, require_root, write_entrance
from own_folders import fresh_folder, own_environment
from profiled_program import require, run

STATIC_SERVER = os.environ.get("GPROF_LSP_STATIC_SERVER")
RUNTIME = os.environ.get("GPROF_RUNTIME_LIBRARY")
SOURCES = pathlib.Path(__file__).resolve().parent / "programs"
# Time, calls, in the flat profile.
ROW = re.compile(r"^ *(?P<share>[\d.]+) +[\d.]+ +[\d.]+ +(?:(?P<calls>\d+) +[\d.]+ +[\d.]+ +)?(?P<name>\w+)$",
                 re.MULTILINE)


def install(folder):
    """The server and the collector, side by side as in any installation."""
    if not STATIC_SERVER or not RUNTIME:
        raise unittest.SkipTest("skipped: no server that is linked statically, or no collector")
    (folder / "bin").mkdir()
    (folder / "lib").mkdir()
    shutil.copy2(STATIC_SERVER, folder / "bin/gprof-lsp")
    shutil.copy2(RUNTIME, folder / "lib")
    return folder / "bin/gprof-lsp"


class InRoot:
    """A test case's parts that do not depend on the root."""

    def enter(self, root):
        self.folder = fresh_folder(self.addCleanup)
        self.server = install(self.folder)
        for source in SOURCES.iterdir():
            shutil.copy2(source, self.folder)
        self.entrance = write_entrance(self.folder / "enter", root, self.folder)
        self.addCleanup(os.rmdir, root / str(self.folder).lstrip("/"))

    def inside(self, *words):
        done = subprocess.run([self.entrance, *map(str, words)], capture_output=True, text=True, timeout=300,
                              cwd=self.folder, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def lenses(self, source, program, profile="gmon.out"):
        server = self.folder / "serve"
        server.write_text(f'#!/bin/sh\nexec {self.entrance} {self.server} "$@"\n')
        server.chmod(0o755)
        with Editor(self.folder, environment=own_environment(self.folder / "user"), opened=[source],
                    server=str(server),
                    settings={"programs": [{"executable": program, "profiles": [profile]}]}) as editor:
            editor.wait_for_loads(1)
            return {line: titles[0] for line, titles in editor.lenses(source).items()}


class DebianRoots(InRoot, unittest.TestCase):
    def record(self, program, *arguments):
        """What `record` says, and the rows of the flat profile by function."""
        said = self.inside(self.server, "record", "--rate=1000", "--", program, *arguments)
        report = self.inside(self.server, "report", "-b", "-p", program, "gmon.out")
        return said, {row["name"]: row for row in ROW.finditer(report)}

    def assert_shares(self, rows, expected):
        for name, share in expected.items():
            self.assertAlmostEqual(float(rows[name]["share"]), share, delta=20)

    def check_work(self):
        self.inside("gcc", "-g", "-O1", "-pg", "work.c", "-o", "work")
        said, rows = self.record("./work")
        self.assertIn("nothing lost", said)
        self.assertEqual({name: rows[name]["calls"] for name in ("main", "heavy", "light")},
                         {"main": "1", "heavy": "10", "light": "20"})
        self.assert_shares(rows, {"heavy": 75, "light": 25})
        lenses = self.lenses("work.c", "work")
        titles = [title.split(" · ")[0] for _, title in sorted(lenses.items())]
        self.assertEqual(titles, ["10 calls", "20 calls", "1 call"])

    def check_uncounted(self):
        self.inside("gcc", "-g", "-O1", "work.c", "-o", "plain")
        said, rows = self.record("./plain")
        self.assertIn("calls are not counted", said)
        self.assert_shares(rows, {"heavy": 75, "light": 25})
        stacks = self.inside(self.server, "export", "--format=folded", "./plain", "gmon.out")
        self.assertRegex(stacks, r"(?m)^_start;.*;main;heavy \d+$")

    def check_threads(self):
        # Those that count no calls run for so long that some of them are sampled.
        for options, name in ((["-pg"], "counted"), (["-DCALLS=30000000"], "sampled")):
            self.inside("gcc", "-g", "-O1", *options, "-pthread", "threads.c", "-o", name)
            said, rows = self.record(f"./{name}")
            self.assertIn("13 threads", said)
            if name == "counted":
                self.assertIn("nothing lost", said)
                self.assertEqual((rows["tiny"]["calls"], rows["work"]["calls"]), ("3600000", "12"))
            self.assertTrue({"tiny", "work"} & rows.keys())

    def check_opened_library(self):
        """Before glibc 2.34 libpthread comes with the library, after the start."""
        self.inside("gcc", "-g", "-O1", "-pg", "-fPIC", "-shared", "-pthread", "-Dmain=run", "threads.c", "-o",
                    "libopened.so")
        self.inside("gcc", "-g", "-O1", "-pg", "opening.c", "-o", "opening", "-ldl")
        said, _ = self.record("./opening")
        self.assertIn("no error", said)
        self.assertIn("nothing lost", said)
        self.assertIn("13 threads", said)

    def check_weak_references(self):
        """A program without threads gets no libpthread by the collector; one that wants a thread does."""
        self.inside("gcc", "-g", "-O1", "-pg", "asking.c", "-o", "asking")
        alone = self.inside("./asking").splitlines()[0]
        said, _ = self.record("./asking")
        self.assertEqual(said.splitlines()[0], alone)
        self.assertIn("mask 0, of a wrong kind 22", said)
        said, _ = self.record("./asking", "thread")
        self.assertIn("thread 0", said)

    def test_figures(self):
        for suite in os.environ.get("GPROF_TEST_SUITES", "bullseye").split():
            root = debian(suite)
            self.enter(root)
            for check in (self.check_work, self.check_uncounted, self.check_threads, self.check_opened_library,
                          self.check_weak_references):
                with self.subTest(f"{suite}: {check.__name__}"):
                    check()


class Musl(InRoot, unittest.TestCase):
    """A root without glibc: musl's loader and a shell."""

    def setUp(self):
        require_root()
        require("musl-gcc", "busybox", "gcc")
        loader = pathlib.Path("/lib/ld-musl-x86_64.so.1")
        busybox = pathlib.Path(shutil.which("busybox"))
        if not loader.exists() or "statically linked" not in run(["file", "-L", busybox], "/"):
            self.skipTest("skipped: no loader of musl, or no static busybox")
        root = fresh_folder(self.addCleanup)
        for folder in ("bin", "lib", "proc", "dev", "tmp"):
            (root / folder).mkdir()
        shutil.copy2(loader, root / "lib")
        shutil.copy2(busybox, root / "bin/sh")
        self.enter(root)

    def test_server_and_collector(self):
        run(["gcc", "-g", "-O1", "-pg", "work.c", "-o", "work"], self.folder)
        run(["./work"], self.folder, env={**os.environ, "LD_PRELOAD": RUNTIME})
        report = self.inside(self.server, "report", "-b", "-p", "work", "gmon.out")
        self.assertEqual(report, run([os.environ["GPROF_LSP_SERVER"], "report", "-b", "-p", "work", "gmon.out"],
                                     self.folder))
        self.assertEqual(len(self.lenses("work.c", "work")), 3)
        run(["musl-gcc", "-g", "-O1", "work.c", "-o", "of_musl"], self.folder)
        self.assertIn("its C library is musl", self.inside(self.server, "record", "./of_musl"))
        # The shell is static, and passes the library on, which does nothing in a program of musl.
        said = self.inside(self.server, "record", "/bin/sh", "-c", "./of_musl && echo it ran")
        self.assertIn("it ran", said)
        self.assertIn("started without the collector: of_musl", said)


if __name__ == "__main__":
    unittest.main()
