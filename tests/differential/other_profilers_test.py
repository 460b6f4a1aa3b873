"""Profiles of other tools, as those tools read them: totals, functions with what they called, callers, lines and
threads of one file are the same in perf report, callgrind_annotate, both pprofs and `gprof-lsp export`.

The programs have what readers confuse: functions of one name in several files and in a library, inlined functions,
operators, a lambda, instances of templates, recursion, threads.
"""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from own_folders import fresh_folder, own_environment
from profiled_program import PROGRAMS, require, run

SERVER = os.environ.get("GPROF_LSP_SERVER")
SOURCES = PROGRAMS / "imports"
FLAGS = ("-g", "-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-fno-ipa-icf")
LIBRARY = "liboutside.so"
# perf takes the stubs of calls behind it for its code, where a run may have a sample.
STUBS = "_init"
# perf takes a sample each millisecond of CPU time.
RATE = 1000
# Of gperftools.
FREQUENCY = 500
ROUNDS = "60000000"


def setUpModule():
    if not SERVER:
        raise unittest.SkipTest("GPROF_LSP_SERVER does not name a server")


def quietly(*words, folder, environment=None):
    """Runs a program that is recorded; what it prints is of no interest."""
    done = subprocess.run([str(word) for word in words], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)
    return done.returncode, done.stdout.decode(errors="replace")


class Document:
    """What `gprof-lsp export --format=json` says of a profile."""

    def __init__(self, folder, program, profile, *options):
        text = run([SERVER, "export", "--format=json", *options, program, profile], folder,
                   env=own_environment(folder / "own"))
        self.fields = json.loads(text)
        self.functions = self.fields["functions"]
        self.total = self.fields["total"]

    def by_name(self, figure, unit=1, name="linkageName"):
        """(module, name) -> the figures of all such functions that have one, ascending."""
        found = collections.defaultdict(list)
        for function in self.functions:
            if name in function and round(function[figure] * unit):
                found[function.get("module", ""), function[name]].append(round(function[figure] * unit))
        return {key: sorted(figures) for key, figures in found.items()}

    def lines(self, unit=1):
        """(file's name, line) -> self cost."""
        found = collections.Counter()
        for line in self.fields["lines"]:
            if "line" in line and round(line["self"] * unit):
                found[pathlib.Path(line["file"]).name, line["line"]] += round(line["self"] * unit)
        return found

    def arcs(self, unit=1):
        """(caller's name, callee's name) -> cost, of functions of the program."""
        found = collections.Counter()
        for arc in self.fields["arcs"]:
            ends = [self.functions[arc[end]] for end in ("caller", "callee")]
            if all("linkageName" in end and "module" not in end for end in ends) and round(arc["time"] * unit):
                found[tuple(end["linkageName"] for end in ends)] += round(arc["time"] * unit)
        return found


class OtherProfilers(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        require(*cls.TOOLS)
        cls.folder = fresh_folder(cls.addClassCleanup)
        cls.record()

    @classmethod
    def build(cls, *more):
        """The program, and the library that it is linked with."""
        for source in filter(pathlib.Path.is_file, SOURCES.iterdir()):
            shutil.copy2(source, cls.folder)
        here = cls.folder
        run(["gcc", *FLAGS, "-shared", "-fPIC", here / "outside.c", "-o", LIBRARY], here)
        run(["gcc", *FLAGS, "-c", *(here / f"{name}.c" for name in ("main", "left", "right"))], here)
        run(["g++", *FLAGS, "-c", here / "shapes.cc"], here)
        run(["g++", "main.o", "left.o", "right.o", "shapes.o", "-o", "program", "-L.", "-loutside", "-pthread",
             f"-Wl,-rpath,{here},-z,now", *more], here)

    def document(self, profile, *options, program="program"):
        return Document(self.folder, program, profile, *options)


class Perf(OtherProfilers):
    TOOLS = ("perf", "gcc", "g++")
    PROFILES = ("perf.data", "perf.txt")

    @classmethod
    def record(cls):
        cls.build()
        status, said = quietly("perf", "record", "-e", "cpu-clock:u", "-F", RATE, "-g", "-o", "perf.data",
                               "./program", ROUNDS, folder=cls.folder)
        if status != 0:
            raise unittest.SkipTest(f"skipped: perf may not record here: {said.splitlines()[:1]}")
        (cls.folder / "perf.txt").write_text(run(["perf", "script", "-i", "perf.data"], cls.folder))

    def report(self, *options):
        """The columns of `perf report`, a row each."""
        text = run(["perf", "report", "--stdio", "--no-inline", "--no-demangle", "-g", "none", "-t", "|", "-i",
                    "perf.data", *options], self.folder)
        return [[column.strip() for column in row.split("|")] for row in text.splitlines()
                if row.strip() and not row.startswith("#")]

    def named(self, rows, count):
        """Figures by (module, name), as Document.by_name(): of the program and its library."""
        found = collections.defaultdict(list)
        for row in rows:
            module, symbol = row[-2], row[-1].removeprefix("[.] ")
            if module in ("program", LIBRARY) and symbol != STUBS and count(row):
                found["" if module == "program" else module, symbol].append(count(row))
        return {key: sorted(figures) for key, figures in found.items()}

    def own(self, document, figure):
        return {key: value for key, value in document.by_name(figure, RATE).items()
                if key[0] in ("", LIBRARY) and key[1] != STUBS}

    def documents(self, *options):
        return {profile: self.document(profile, *options) for profile in self.PROFILES}

    def test_totals_and_functions(self):
        rows = self.report("--no-children", "-F", "sample,dso,sym")
        wanted = self.named(rows, lambda row: int(row[0]))
        self.assertEqual(len(wanted[("", "step")]), 2, rows)
        for profile, document in self.documents().items():
            with self.subTest(profile):
                self.assertEqual(round(document.total * RATE), sum(int(row[0]) for row in rows))
                self.assertEqual(self.own(document, "self"), wanted)

    def test_functions_with_what_they_called(self):
        samples = sum(int(row[0]) for row in self.report("--no-children", "-F", "sample,dso,sym"))
        # perf prints hundredths of a percent, which stand for one number of samples alone.
        self.assertLess(samples, 5000)
        rows = self.report("--children", "-F", "overhead_children,dso,sym")
        wanted = self.named(rows, lambda row: round(float(row[0].rstrip("%")) * samples / 100))
        for profile, document in self.documents().items():
            with self.subTest(profile):
                self.assertEqual(self.own(document, "total"), wanted)

    def test_threads(self):
        # The column "Pid:Command" has the numbers of threads.
        threads = collections.defaultdict(list)
        for row in self.report("--no-children", "-s", "pid,dso,sym", "-F", "sample,pid,dso,sym"):
            threads[row[1].split(":")[0]].append(row)
        self.assertEqual(len(threads), 2)
        for number, rows in threads.items():
            for profile, document in self.documents(f"--thread={number}").items():
                with self.subTest(profile):
                    self.assertEqual(round(document.total * RATE), sum(int(row[0]) for row in rows))
                    self.assertEqual(self.own(document, "self"), self.named(rows, lambda row: int(row[0])))

    def test_lines(self):
        rows = self.report("--no-children", "-s", "dso,srcline", "-F", "sample,dso,srcline")
        wanted = collections.Counter()
        for count, module, place in rows:
            file, _, line = place.rpartition(":")
            if module == "program" and line.isdigit():
                wanted[pathlib.Path(file).name, int(line)] += int(count)
        self.assertGreater(len(wanted), 5, rows)
        for profile, document in self.documents().items():
            with self.subTest(profile):
                self.assertEqual(document.lines(RATE), wanted)

    def test_callers(self):
        """Samples with a call on their stacks, by the frames that perf prints."""
        text = run(["perf", "script", "--no-inline", "--no-demangle", "-F", "ip,sym,dso", "-i", "perf.data"],
                   self.folder)
        wanted = collections.Counter()
        for sample in text.split("\n\n"):
            frames = re.findall(r"^\s+[0-9a-f]+ (\S+) \((.*)\)$", sample, re.MULTILINE)
            calls = {(caller[0], callee[0]) for callee, caller in zip(frames, frames[1:])
                     if {pathlib.Path(frame[1]).name for frame in (callee, caller)} == {"program"}}
            wanted.update(calls)
        self.assertIn(("left", "step"), wanted)
        for profile, document in self.documents().items():
            with self.subTest(profile):
                self.assertEqual(document.arcs(RATE), wanted)

    def test_our_pprof_of_it_in_pprof(self):
        require("go")
        run([SERVER, "export", "--format=pprof", "-o", "copy.pb.gz", "program", "perf.data"], self.folder)
        rows = go_pprof(self.folder, "program", "copy.pb.gz")
        document = self.document("perf.data")
        names = collections.defaultdict(lambda: [0, 0])
        for function in document.functions:
            # pprof adds up what has one name.
            for i, figure in enumerate(("self", "total")):
                names[function["name"]][i] += round(function[figure] * RATE)
        for name, (own, total) in rows.items():
            if name in ("step", "left", "right", "descend", "main", "other_thread", "shapes"):
                self.assertEqual((own, total), tuple(names[name]), name)
        self.assertEqual(sum(own for own, _ in rows.values()), round(document.total * RATE))


def go_pprof(folder, program, profile, *options):
    """Name -> (own samples, samples with what it called), as `go tool pprof -top` has them."""
    environment = own_environment(folder / "own", HOME=str(folder), PPROF_TMPDIR=str(folder),
                                  PPROF_BINARY_PATH=str(folder))
    text = run(["go", "tool", "pprof", "-top", "-sample_index=samples", "-noinlines", "-nodefraction=0",
                "-nodecount=100000", *options, program, profile], folder, env=environment)
    rows = re.findall(r"^ *(\d+) +[\d.]+% +[\d.]+% +(\d+) +[\d.]+% +(.*)$", text, re.MULTILINE)
    found = collections.Counter()
    for own, total, name in rows:
        # Functions of one name in several files have a row each.
        found[name, 0] += int(own)
        found[name, 1] += int(total)
    return {name: (found[name, 0], found[name, 1]) for name, _ in found}


def plain(function):
    """Without the return type, which instances of templates are shown with."""
    return function.removeprefix("(anonymous namespace)::Box ")


class Callgrind(OtherProfilers):
    TOOLS = ("valgrind", "callgrind_annotate", "cg_annotate", "gcc", "g++")
    RUNS = {"lines": (), "instructions": ("--dump-instr=yes",), "threads": ("--separate-threads=yes",),
            "callers": ("--separate-callers=2",), "cache": ("--cache-sim=yes", "--branch-sim=yes")}
    FILES = ("lines", "instructions", "threads-01", "threads-02", "callers", "cache")

    @classmethod
    def record(cls):
        cls.build()
        for name, options in cls.RUNS.items():
            status, said = quietly("valgrind", "--tool=callgrind", *options,
                                   f"--callgrind-out-file=callgrind.out.{name}", "./program", "3000", folder=cls.folder)
            if status != 0:
                raise AssertionError(said)
        status, said = quietly("valgrind", "--tool=cachegrind", "--cachegrind-out-file=cachegrind.out", "./program",
                               "3000", folder=cls.folder)
        if status != 0:
            raise AssertionError(said)

    def annotate(self, name, *options):
        return run(["callgrind_annotate", "--threshold=100", "--show-percs=no", "--auto=no", "--show=Ir", *options,
                    f"callgrind.out.{name}"], self.folder)

    def total(self, name):
        """Of all costs in the file, as it says at its end. callgrind_annotate prints the sum at its beginning, which
        may be a few instructions off."""
        return int(re.findall(r"^(?:totals|summary): (\d+)", (self.folder / name).read_text(), re.MULTILINE)[-1])

    @staticmethod
    def rows(text):
        """(file's name, function) -> cost, of the program's own functions."""
        found = collections.Counter()
        for cost, file, function in re.findall(r"^\s*([\d,]+)\s+([^\s:]\S*?):(\S.*) \[/\S*/program\]$", text,
                                               re.MULTILINE):
            if not function.startswith("0x") and file != "???":
                found[pathlib.Path(file).name, plain(function)] += int(cost.replace(",", ""))
        return found

    @staticmethod
    def found(document, figure):
        """The same of ours."""
        found = collections.Counter()
        for function in document.functions:
            if "file" in function and "module" not in function and function[figure]:
                found[pathlib.Path(function["file"]).name, function["name"]] += round(function[figure])
        return found

    def test_totals_and_functions(self):
        for name in self.FILES:
            with self.subTest(name):
                text = self.annotate(name)
                wanted = collections.Counter()
                # With the levels of a recursion, and with callers.
                for (file, function), cost in self.rows(text).items():
                    wanted[file, function.split("'")[0]] += cost
                self.assertIn(("left.c" if name.endswith("-01") else "right.c", "step"), wanted)
                document = self.document(f"callgrind.out.{name}")
                self.assertEqual(round(document.total), self.total(f"callgrind.out.{name}"))
                self.assertEqual(self.found(document, "self"), wanted)

    def test_functions_of_a_library(self):
        for name in self.FILES:
            with self.subTest(name):
                wanted = collections.Counter()
                for cost, function in re.findall(rf"^\s*([\d,]+)\s+[^\s:]\S*?:(\S.*) \[/\S*/{re.escape(LIBRARY)}\]$",
                                                 self.annotate(name), re.MULTILINE):
                    if not function.startswith("0x"):
                        wanted[function.split("'")[0]] += int(cost.replace(",", ""))
                self.assertIn("step", wanted)
                document = self.document(f"callgrind.out.{name}")
                found = {function["linkageName"]: round(function["self"]) for function in document.functions
                         if function.get("module") == LIBRARY and "linkageName" in function and function["self"]}
                self.assertEqual(found, wanted)

    def test_functions_with_what_they_called(self):
        for name in self.FILES:
            if name == "callers":
                continue
            with self.subTest(name):
                # The inner levels of a recursion are part of the outermost.
                wanted = {key: cost for key, cost in self.rows(self.annotate(name, "--inclusive=yes")).items()
                          if "'" not in key[1]}
                found = self.found(self.document(f"callgrind.out.{name}"), "total")
                self.assertEqual(found, wanted)

    def test_cachegrind(self):
        text = run(["cg_annotate", "--show-percs=no", "--threshold=0", "--auto=no", "--show=Ir", "cachegrind.out"],
                   self.folder)
        rows = re.findall(rf"^\s*([\d,]+)\s+{re.escape(str(self.folder))}/(\S*?):(\S.*)$", text, re.MULTILINE)
        # Cachegrind does not say which object a function is in.
        wanted = {(file, plain(function)): int(cost.replace(",", "")) for cost, file, function in rows
                  if file != "outside.c"}
        self.assertIn(("right.c", "step"), wanted)
        document = self.document("cachegrind.out")
        self.assertEqual(round(document.total), self.total("cachegrind.out"))
        self.assertEqual(self.found(document, "self"), wanted)


class Gperftools(OtherProfilers):
    TOOLS = ("google-pprof", "gcc", "g++")
    # google-pprof shortens the names of C++.
    NAMES = ("step", "left", "right", "descend", "main", "other_thread", "shapes")

    @classmethod
    def record(cls):
        try:
            cls.build("-Wl,--no-as-needed", "-lprofiler", "-ltcmalloc")
        except AssertionError as error:
            raise unittest.SkipTest("skipped: no libgoogle-perftools-dev") from error
        cls.addresses = {line.split()[0].lstrip("0") for line in run(["nm", "program"], cls.folder).splitlines()}
        quietly("./program", ROUNDS, folder=cls.folder, environment=own_environment(
            cls.folder / "own", CPUPROFILE=str(cls.folder / "cpu.prof"), CPUPROFILE_FREQUENCY=str(FREQUENCY)))
        quietly("./program", "1000", folder=cls.folder, environment=own_environment(
            cls.folder / "own", HEAPPROFILE=str(cls.folder / "heap")))

    def text(self, profile, *options):
        """Function -> [(own, with what it called)], and the total, as google-pprof has them."""
        text = run(["google-pprof", "--text", "--functions", "--nodefraction=0", "--edgefraction=0",
                    "--nodecount=100000", *options, "program", profile], self.folder)
        total = int(re.search(r"^Total: (\d+)", text, re.MULTILINE)[1])
        found = collections.defaultdict(list)
        for own, both, name in re.findall(r"^ *(\d+) +[\d.]+% +[\d.]+% +(\d+) +[\d.]+% (.*)$", text, re.MULTILINE):
            # Functions of one name have their addresses behind it: in the program, or in the library.
            name, _, address = name.partition("@")
            if name in self.NAMES and (not address or address in self.addresses):
                found[name].append((int(own), int(both)))
        return {name: sorted(figures) for name, figures in found.items()}, total

    def found(self, document, unit):
        found = collections.defaultdict(list)
        for function in document.functions:
            name = function["name"].split("(")[0]
            figures = round(function["self"] * unit), round(function["total"] * unit)
            if name in self.NAMES and figures[1] and "module" not in function and "::" not in function["name"]:
                found[name].append(figures)
        return {name: sorted(figures) for name, figures in found.items()}

    def test_processor_time(self):
        wanted, total = self.text("cpu.prof")
        self.assertGreater(len(wanted["step"]), 2, wanted)
        document = self.document("cpu.prof")
        self.assertEqual(round(document.total * FREQUENCY), total)
        self.assertEqual(self.found(document, FREQUENCY), wanted)

    def test_heap(self):
        profile = sorted(self.folder.glob("heap.*.heap"))[-1].name
        for metric, options in (("alloc_space", ("--alloc_space", "--show_bytes")),
                                ("alloc_objects", ("--alloc_objects",)), ("inuse_space", ("--inuse_space", "--show_bytes"))):
            with self.subTest(metric):
                wanted, total = self.text(profile, *options)
                document = self.document(profile, f"--metric={metric}")
                self.assertEqual(round(document.total), total)
                self.assertEqual(self.found(document, 1), wanted)


class Go(OtherProfilers):
    TOOLS = ("go",)

    @classmethod
    def record(cls):
        shutil.copy2(SOURCES / "work.go", cls.folder)
        environment = own_environment(cls.folder / "own", HOME=str(cls.folder), GO111MODULE="off", GOFLAGS="")
        run(["go", "build", "-o", "work", cls.folder / "work.go"], cls.folder, env=environment)
        run(["./work", "100000000", "cpu.pprof"], cls.folder)

    def test_totals_and_functions(self):
        rows = go_pprof(self.folder, "work", "cpu.pprof")
        self.assertIn("main.(*box).grow", rows)
        document = self.document("cpu.pprof", "--metric=samples", program="work")
        found = {function["name"]: (round(function["self"]), round(function["total"]))
                 for function in document.functions if round(function["total"])}
        self.assertEqual(found, rows)

    def test_lines(self):
        text = run(["go", "tool", "pprof", "-top", "-lines", "-sample_index=samples", "-nodefraction=0", "-nodecount=100000",
                    "work", "cpu.pprof"], self.folder, env=own_environment(self.folder / "own", HOME=str(self.folder)))
        wanted = collections.Counter()
        for own, place in re.findall(r"^ *(\d+) .*/work\.go:(\d+)", text, re.MULTILINE):
            if int(own):
                wanted["work.go", int(place)] += int(own)
        self.assertGreater(len(wanted), 1)
        lines = self.document("cpu.pprof", "--metric=samples", program="work").lines()
        self.assertEqual({place: cost for place, cost in lines.items() if place[0] == "work.go"}, wanted)
