"""A program recorded once with stacks and once without, and its exports."""
import json
import os
import subprocess

from profiled_program import Workspace, require, run

SERVER = os.environ.get("GPROF_LSP_SERVER")
SOURCE = "export/busy.cc"
# A sample represents a millisecond, which limits the precision of times.
RATE = 1000


class ExportedProgram(Workspace):
    """`busy`, with profiles of the two kinds: self.profiles["stacks"], self.profiles["plain"]."""

    def __init__(self, directory):
        super().__init__(directory, SOURCE)
        require("g++")
        self.program = self.build([SOURCE], ("-O1", "-std=c++17"), "g++", "busy")
        self.profiles = {"stacks": self.record("stacks", "--stacks"), "plain": self.record("plain", "--no-stacks")}

    def record(self, folder, *options):
        run([SERVER, "record", f"--rate={RATE}", *options, "--output", folder, "--", self.program],
            self.directory)
        return self.directory / folder / "gmon.out"

    def export(self, kind, form, *options, status=0):
        """Returns the bytes on standard output."""
        done = subprocess.run([SERVER, "export", f"--format={form}", *map(str, options),
                               self.program, self.profiles[kind]], cwd=self.directory,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=300,
                              check=False)
        # A busy machine may slow the clock down, which is reported.
        told = [line for line in done.stderr.splitlines() if b"was sampled at" not in line]
        if done.returncode != status or (status == 0 and told):
            raise AssertionError(f"{form} of {kind}: {done.returncode}, {done.stderr.decode()}")
        return done.stdout

    def export_to(self, kind, form, name, *options):
        """Returns the path of a file with the export."""
        path = self.directory / f"{kind}.{name}"
        self.export(kind, form, "-o", path, *options)
        return path

    def document(self, kind):
        return json.loads(self.export(kind, "json"))


def is_of_library(function):
    """A function of a library, whose name some formats write with the library's."""
    return "module" in function and "linkageName" in function


def name_with_module(function):
    return f"{function['name']} [{function['module']}]" if is_of_library(function) else function["name"]


def self_by_name(document):
    """For functions of the program and other code: name -> seconds."""
    times = {}
    for function in document["functions"]:
        if is_of_library(function):
            continue
        times[function["name"]] = times.get(function["name"], 0) + function["self"]
    return times


def is_collector(name):
    """Stacks leave out samples in the collector itself, of which a slow machine has many."""
    return name == "[collector]" or name.startswith("[libgprof_runtime")


def program_time(document):
    """The time of all samples except those in the collector itself."""
    return document["total"] - sum(function["self"] for function in document["functions"]
                                   if is_collector(function["name"]))


def total_by_name(document):
    return {function["name"]: function["total"] for function in document["functions"]
            if not is_of_library(function)}
