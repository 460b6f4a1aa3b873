"""Stock programs, built with -O2 -g and what each is named for, in several languages: `gprof-lsp record` says
of their hottest functions what `perf record` says of the same run, for a user without privileges.

Half of the programs are refused perf's clock, as where kernel.perf_event_paranoid is above 2: they are
sampled by the kernel's tick. A function may be off by 3.7 standard deviations. By chance, one comparison in 9,300 exceeds
that in a given direction; among so many functions, that happens. The program is then measured twice more, and the test
fails if the same function is off in the same direction each time: by chance, one time in 800 billion. With some fifteen
functions of 22 programs and two directions, that is less than once in 10^9 runs.
"""
import concurrent.futures
import dataclasses
import os
import re
import shutil
import sys
import unittest

import shares
from harness import ROOT, SERVER, execute, require, require_file
from record_support import RecordTest

SOURCES = ROOT / "tests" / "programs" / "stock"
RUNS = 3
FEWEST_SAMPLES = 15  # of those that count; with fewer, nothing is told apart
UNPRIVILEGED = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all",
                "--bounding-set=-all")


@dataclasses.dataclass(frozen=True)
class Stock:
    compiler: str
    source: str
    flags: str = ""
    words: tuple = ()
    refused: bool = False
    plugins: tuple = ()


C, CXX = "stock.c", "stock.cc"
PROGRAMS = {
    "c": Stock("gcc", C),
    "c-no-pie": Stock("gcc", C, "-no-pie", refused=True),
    "c-no-frames": Stock("gcc", C, "-fomit-frame-pointer"),
    "c-lto": Stock("gcc", C, "-flto", refused=True),
    "c-clang": Stock("clang", C, refused=True),
    "c-clang-no-pie": Stock("clang", C, "-no-pie -fomit-frame-pointer"),
    "c-clang-lto": Stock("clang", C, "-flto -fuse-ld=lld"),
    "threads": Stock("gcc", C, words=("threads", 3600)),
    "threads-ticks": Stock("clang", C, words=("threads", 3600), refused=True),
    "loads": Stock("gcc", C, words=("loads", 2500), plugins=("plugin_a.so", "plugin_b.so")),
    "loads-ticks": Stock("gcc", C, "-no-pie", words=("loads", 2500), refused=True,
                         plugins=("plugin_a.so", "plugin_b.so")),
    "forks": Stock("gcc", C, words=("fork",)),
    "signals": Stock("gcc", C, words=("signals",)),
    "leaves": Stock("clang", C, words=("exit",), refused=True),
    "aborts": Stock("gcc", C, words=("abort",)),
    "cxx": Stock("g++", CXX),
    "cxx-clang": Stock("clang++", CXX, refused=True),
    "cxx-lto": Stock("g++", CXX, "-flto -no-pie -fomit-frame-pointer"),
    "rust": Stock("rustc", "stock.rs"),
    "fortran": Stock("gfortran", "stock.f90", refused=True),
    "d": Stock("gdc", "stock.d"),
    "ada": Stock("gnatmake", "stock.adb"),
}


class StockTest(RecordTest):
    @classmethod
    def programs(cls):
        require_file(SERVER)
        require("perf")
        cls.refuse = cls.build("refuse", ["refuse.c"], "-O1", pg=False)
        cls.server = cls.server_within_reach()
        for kind, name in enumerate(("plugin_a.so", "plugin_b.so"), 1):
            cls.compiled(name, ["gcc", "-O2", "-g", "-shared", "-fPIC", f"-DKIND={kind}", SOURCES / "plugin.c"])
        tried = execute(["perf", "record", "-q", "-e", "cpu-clock:u", "-o", "tried", "true"], cls.built)
        if tried.status != 0:
            raise unittest.SkipTest(f"skipped: perf may not sample: {tried.stderr[:200]}")
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            cls.built_by_name = dict(zip(PROGRAMS, pool.map(cls.built_program, PROGRAMS)))

    @classmethod
    def compiled(cls, name, command):
        done = execute([*command, "-o", name], cls.built)
        if done.status != 0:
            raise AssertionError(f"{name}: {done.stderr}")
        return cls.built / name

    @classmethod
    def built_program(cls, name):
        """None if there is no such compiler, or what came of building it."""
        stock = PROGRAMS[name]
        if not shutil.which(stock.compiler):
            return None
        optimised = ["-C", "opt-level=2"] if stock.compiler == "rustc" else ["-O2"]
        folder = cls.built / f"{name}-objects"
        folder.mkdir()
        command = [stock.compiler, "-g", *optimised, *stock.flags.split(), SOURCES / stock.source]
        if stock.compiler in ("gcc", "clang"):
            command += ["-pthread", "-ldl"]
        if stock.compiler == "gnatmake":
            command += ["-q", "-D", folder]
        done = execute([*command, "-o", cls.built / name], folder)
        return cls.built / name if done.status == 0 else done.stderr

    def recorded(self, name, words):
        """One run under both: (what it did, the two recordings)."""
        stock = PROGRAMS[name]
        for path in self.directory.iterdir():
            path.unlink()
        self.directory.chmod(0o777)
        user = UNPRIVILEGED if os.geteuid() == 0 else ()
        refusal = (self.refuse, "EPERM", "perf_event_open") if stock.refused else ()
        rate = ("--rate=1000",) if stock.refused else ()
        record = (self.server, "record", *rate, "--", self.built / name, *words)
        outcome = execute(["perf", "record", "-q", "-e", "cpu-clock:u", "-F", 2500, "-o",
                           self.built / "perf.data", "--", *user, *refusal, *record], self.directory)
        own = {file: shares.one_name_each(execute(["nm", self.built / file], self.directory).stdout)
               for file in (name, *stock.plugins)}
        report = execute(["perf", "report", "-i", self.built / "perf.data", "--stdio", "--no-inline",
                          "--no-demangle", "-n", "-s", "comm,dso,sym", "-t", "\t"], self.directory)
        profiles = [path for path in self.files() if not path.endswith(".gpx")]
        table = execute([self.server, "export", "--format=csv", "--no-demangle", self.built / name, *profiles],
                        self.directory)
        self.assertEqual(table.status, 0, f"{outcome.stderr}\n{table.stderr}")
        return outcome, shares.of_perf(report.stdout, name, own), shares.of_export(table.stdout, name, own)

    def assert_unchanged(self, plain, outcome):
        own = [line for line in outcome.stderr.splitlines(keepends=True) if line.startswith("gprof-lsp: ")]
        self.assertEqual(len(own), 1, outcome.stderr)
        self.assertRegex(own[0], "^gprof-lsp: gmon.out: .*calls are not counted")
        self.assertEqual((outcome.status, outcome.stdout, outcome.stderr.replace(own[0], "")),
                         (plain.status, plain.stdout, plain.stderr))

    def off_in_a_run(self, name, words, plain):
        """{(place, direction): difference} of those that are off."""
        outcome, reference, recorded = self.recorded(name, words)
        self.assert_unchanged(plain, outcome)
        for one in (reference, recorded):
            self.assertGreater(one.samples, FEWEST_SAMPLES, f"{name}: {outcome.stderr}")
        found = shares.differences(reference, recorded)
        worst = max(found, key=lambda one: abs(one.deviations))
        print(f"{name}: {reference.samples:.0f} and {recorded.samples:.0f} samples, {worst}", file=sys.stderr)
        return {(one.place, one.deviations > 0): one for one in found if abs(one.deviations) > shares.LIMIT}

    def check(self, name):
        built = self.built_by_name[name]
        stock = PROGRAMS[name]
        if built is None:
            self.skipTest(f"skipped: no {stock.compiler}")
        self.assertNotIsInstance(built, str, built)
        words = [*stock.words, *(self.built / plugin for plugin in stock.plugins)]
        plain = self.plain(built, *words)
        off = self.off_in_a_run(name, words, plain)
        for _ in range(RUNS - 1):
            if off:
                again = self.off_in_a_run(name, words, plain)
                off = {key: again[key] for key in off if key in again}
        self.assertEqual(off, {}, f"{name}, {RUNS} runs each: {'; '.join(map(str, off.values()))}")


def test_of(name):
    return lambda self: self.check(name)


for program in PROGRAMS:
    setattr(StockTest, f"test_{re.sub('-', '_', program)}", test_of(program))
