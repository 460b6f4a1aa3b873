"""Programs for tests: built with -pg, run, and read by GNU gprof.

Needs a C or C++ compiler and, for gprof's figures, gprof; `require` skips a test if one is missing.
"""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent / "programs"


def require(*tools):
    for tool in tools:
        if shutil.which(tool) is None:
            raise unittest.SkipTest(f"skipped: no {tool}")


def run(arguments, directory, **options):
    done = subprocess.run([str(a) for a in arguments], cwd=directory, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, **options)
    if done.returncode != 0:
        raise AssertionError(f"{arguments} failed ({done.returncode}):\n"
                             f"{done.stderr.decode(errors='replace')}")
    return done.stdout.decode(errors="replace")


class Workspace:
    """A fresh directory with copies of some test programs' sources."""

    def __init__(self, directory, *sources):
        self.directory = pathlib.Path(directory)
        for source in sources:
            target = self.directory / source
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PROGRAMS / source, target)

    def path(self, name):
        return self.directory / name

    def write(self, name, text):
        target = self.directory / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return target

    def build(self, sources, flags=("-O0",), compiler="gcc", program="program", pg=True):
        require(compiler)
        run([compiler, "-g", *(["-pg"] if pg else []), *flags, *sources, "-o", program], self.directory)
        return self.directory / program

    def build_and_run(self, sources, flags=("-O0",), compiler="gcc"):
        """Leaves the profile of a run without arguments."""
        self.build(sources, flags, compiler)
        self.execute()

    def execute(self, program="program", arguments=()):
        environment = {k: v for k, v in os.environ.items() if k != "GMON_OUT_PREFIX"}
        return run([f"./{program}", *arguments], self.directory, env=environment)

    def line_of(self, name, fragment):
        """The number, from 1, of the only line that contains the fragment."""
        lines = [i for i, line in enumerate(self.path(name).read_text().splitlines(), 1)
                 if fragment in line]
        assert len(lines) == 1, f"{fragment!r} stands on the lines {lines} of {name}"
        return lines[0]


FLAT_ROW = re.compile(r"^\s*([\d.]+)\s+([\d.]+)\s+([\d.]+)(?:\s+(\d+)\s+([\d.]+)\s+([\d.]+))?\s+(\S.*)$")
PRIMARY = re.compile(
    r"^\[(\d+)\]\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)(?:\s+(\d+)(?:\+(\d+))?)?\s+(\S.*?)(?: <cycle \d+>)? \[\d+\]$")


def gprof_flat(workspace, program="program", profile="gmon.out"):
    """Function name -> (share in percent, self seconds, calls or None), as gprof prints them."""
    require("gprof")
    rows = {}
    for line in run(["gprof", "-b", "-p", program, profile], workspace.directory).splitlines():
        match = FLAT_ROW.match(line)
        if match:
            rows.setdefault(match[7], (float(match[1]), match[3], match[4] and int(match[4])))
    return rows


def gprof_graph(workspace, program="program", profile="gmon.out"):
    """Function name -> (self, children, calls or None, recursive calls), as gprof prints them."""
    require("gprof")
    rows = {}
    for line in run(["gprof", "-b", "-q", program, profile], workspace.directory).splitlines():
        match = PRIMARY.match(line)
        if match:
            rows[match[7]] = (float(match[3]), float(match[4]), match[5] and int(match[5]),
                              int(match[6] or 0))
    return rows
