"""One program in each language, recorded by perf and by `gprof-lsp record`: both find the planted function, its line
and the caller that it works for, under the names that users of the language write.

The planted function has nearly all of the time, and nine tenths of that for one of two callers: with the samples of
half a second, another answer is less likely than one in 10⁹ tests.
"""
import dataclasses
import json
import os
import shutil
import subprocess
import unittest

from own_folders import fresh_folder, own_environment
from profiled_program import PROGRAMS, require, run
from tested_build import skip_without_collector

SERVER = os.environ.get("GPROF_LSP_SERVER")
SOURCES = PROGRAMS / "imports" / "languages"
ROUNDS = "20000000"
FRAMES = "-fno-omit-frame-pointer"


@dataclasses.dataclass(frozen=True)
class Language:
    command: tuple  # that builds the program `hot`
    source: str     # with the planted line
    hot: str
    caller: str
    is_loaded: bool = True  # by glibc, so that it can load the collector
    stacks: tuple = ("-g",)  # how perf walks them


LANGUAGES = {
    "C++": Language(("g++", "-g", "-O1", FRAMES, "-fno-optimize-sibling-calls", "hot.cc", "-o", "hot"), "hot.cc",
                    "shapes::Box<long>::grow(long)", "shapes::dear(shapes::Box<long>&, long)"),
    "Rust": Language(("rustc", "-g", "-C", "opt-level=1", "-C", "force-frame-pointers=yes", "hot.rs"), "hot.rs",
                     "<hot::shapes::Crate<u64> as hot::shapes::Grows>::grow", "hot::shapes::dear"),
    "D": Language(("gdc", "-g", "-O1", FRAMES, "hot.d", "-o", "hot"), "hot.d",
                  "hot.Box!(long).Box.grow(long)", "hot.dear(ref hot.Box!(long).Box, long)",
                  # D's run-time library, which calls main, has no frame pointers.
                  stacks=("--call-graph", "dwarf,4096")),
    "Fortran": Language(("gfortran", "-g", "-O1", FRAMES, "hot.f90", "-o", "hot"), "hot.f90",
                        "shapes::grow", "shapes::dear"),
    "Ada": Language(("gnatmake", "-q", "-g", "-O1", FRAMES, "hot.adb"), "shapes.adb", "shapes.grow", "shapes.dear"),
    "Go": Language(("go", "build", "-o", "hot", "hot.go"), "hot.go",
                   "main.(*box[...]).grow", "main.dear", is_loaded=False),
}


def setUpModule():
    if not SERVER:
        raise unittest.SkipTest("GPROF_LSP_SERVER does not name a server")
    skip_without_collector()


class RecordedLanguages(unittest.TestCase):
    maxDiff = None

    def build(self, name):
        language = LANGUAGES[name]
        require(language.command[0])
        self.folder = fresh_folder(self.addCleanup)
        for source in SOURCES.iterdir():
            shutil.copy2(source, self.folder)
        # On a busy machine, Go interrupts its loops so often that this has a share of the samples.
        self.environment = own_environment(self.folder / "own", GO111MODULE="off", GOFLAGS="", HOME=os.environ["HOME"],
                                           GOCACHE=str(self.folder / "cache"), GODEBUG="asyncpreemptoff=1")
        run(language.command, self.folder, env=self.environment)
        lines = (self.folder / language.source).read_text().splitlines()
        self.line = next(i for i, line in enumerate(lines, 1) if line.rstrip().endswith(" hot"))
        return language

    def command(self, *words):
        return subprocess.run([str(word) for word in words], cwd=self.folder, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)

    def check(self, language, profile, *options):
        document = json.loads(run([SERVER, "export", "--format=json", *options, "hot", profile], self.folder,
                                  env=self.environment))
        functions = document["functions"]
        hottest = max(functions, key=lambda function: function["self"])
        self.assertEqual(hottest["name"], language.hot)
        self.assertGreater(hottest["self"], 0.8 * document["total"])
        line = max(document["lines"], key=lambda one: one["self"])
        self.assertEqual((os.path.basename(line["file"]), line["line"]), (language.source, self.line))
        callers = [arc for arc in document["arcs"] if arc["callee"] == hottest["id"]]
        dearest = max(callers, key=lambda arc: arc["time"])
        self.assertEqual(functions[dearest["caller"]]["name"], language.caller)
        self.assertGreater(dearest["time"], 0.6 * sum(arc["time"] for arc in callers))

    def check_both(self, name):
        require("perf")
        language = self.build(name)
        recorded = self.command("perf", "record", "-e", "cpu-clock:u", "-F", 1000, *language.stacks, "-o", "perf.data",
                                "./hot", ROUNDS)
        if recorded.returncode != 0:
            self.skipTest(f"skipped: perf may not record here: {recorded.stderr.splitlines()[:1]}")
        with self.subTest("perf"):
            self.check(language, "perf.data")
        with self.subTest("gprof-lsp record"):
            done = self.command(SERVER, "record", "--stacks", "--", "./hot", ROUNDS)
            self.assertEqual(done.returncode, 0, done.stderr)
            if language.is_loaded:
                self.check(language, "gmon.out")
            else:
                self.assertIn("perf record", done.stderr)
                self.assertFalse((self.folder / "gmon.out").exists())

    def test_cpp(self):
        self.check_both("C++")

    def test_rust(self):
        self.check_both("Rust")

    def test_d(self):
        self.check_both("D")

    def test_fortran(self):
        self.check_both("Fortran")

    def test_ada(self):
        self.check_both("Ada")

    def test_go(self):
        self.check_both("Go")

    def test_what_go_writes_itself(self):
        language = self.build("Go")
        run(["./hot", ROUNDS, "cpu.pprof"], self.folder, env=self.environment)
        self.check(language, "cpu.pprof")
