"""Two builds of one program, with runs of them: generated ones, whose every sample is known, and
real ones. Each build has its own folder, so that sources and times do not collide."""
import os
import random
import re

import gmon_files
import sidecar_files
from profiled_program import Workspace, require, run

NAMES = ("alpha", "beta", "delta", "epsilon", "eta", "theta", "zeta")
RATE = 1000

HEAD = """\
#ifndef WORK
#define WORK 40
#endif
volatile unsigned sink;
"""
FUNCTION = """\
__attribute__((noinline)) void {name}(void) {{
  for (unsigned i = 0; i < {work} * 400u; ++i) sink ^= i * 3;
}}
"""
MAIN = """\
int main(void) {{
  for (int i = 0; i < {rounds}; ++i) {{ {calls} }}
  return 0;
}}
"""


def source(names=NAMES, slow="delta", head=HEAD, rounds=400):
    """The work of the function `slow` is the macro WORK, that of all others is 40."""
    functions = "".join(FUNCTION.format(name=name, work="WORK" if name == slow else 40)
                        for name in names)
    return head + functions + MAIN.format(rounds=rounds, calls=" ".join(f"{name}();" for name in names))


def poisson(generator, mean):
    """A random number of samples, for a mean of at most a few thousand."""
    count, passed = 0, generator.expovariate(1)
    while passed < mean:
        count += 1
        passed += generator.expovariate(1)
    return count


class Build(Workspace):
    """`folder`/work.c and its program."""

    def __init__(self, directory, folder, text=None):
        (directory / folder).mkdir(parents=True, exist_ok=True)
        super().__init__(directory / folder)
        self.program = self.directory / "work"
        self.text = text or source()
        self.write("work.c", self.text)

    def compile(self, *flags):
        require("gcc", "nm")
        run(["gcc", "-g", "-O1", "-pg", "-no-pie", "-fno-pie", *flags, "work.c", "-o", "work"],
            self.directory)
        rows = (row.split() for row in run(["nm", "work"], self.directory).splitlines())
        self.symbols = {row[2]: int(row[0], 16) for row in rows if len(row) == 3}
        return self

    def line_of_function(self, name):
        return self.line_of("work.c", f"void {name}(void)")

    def return_addresses(self):
        """Where main goes on after its call of each function."""
        listing = run(["objdump", "-d", "--no-show-raw-insn", "--disassemble=main", "work"], self.directory)
        addresses, called = {}, None
        for row in listing.splitlines():
            instruction = re.match(r" *([0-9a-f]+):\t(.*)", row)
            if not instruction:
                continue
            if called:
                addresses[called] = int(instruction[1], 16)
            call = re.match(r"call\S* +[0-9a-f]+ <(\w+)>", instruction[2])
            called = call and call[1]
        return addresses

    def write_run(self, profile, ticks, calls=(), stacks=False, library=0):
        """A profile with the given ticks in each function and calls of it by main; with `stacks`, main
        is known to have called them. `library`: ticks in a library whose functions nobody knows."""
        low = min(self.symbols[name] for name in ticks) & ~1
        high = (max(self.symbols[name] for name in ticks) + 64) & ~1
        bins = [0] * ((high - low) // 2)
        for name, count in ticks.items():
            bins[(self.symbols[name] - low + 3) // 2] += count
        records = [gmon_files.Histogram(low, high, bins, rate=RATE)]
        for name, count in dict(calls).items():
            records.append(gmon_files.Arc(self.symbols["main"] + 16, self.symbols[name], count))
        path = self.path(profile)
        gmon_files.write(path, records)
        if stacks:
            self.write_stacks(path, {name: low + (self.symbols[name] - low + 3) // 2 * 2 for name in ticks},
                              ticks)
        if library:
            sidecar = sidecar_files.sidecar_file(
                [sidecar_files.Module(str(self.program), path.name), sidecar_files.Module("/nowhere/libslow.so.1")],
                samples=[*(sidecar_files.Sample(0, self.symbols[name], count) for name, count in ticks.items()),
                         sidecar_files.Sample(1, 0x1000, library)])
            (path.parent / f"{path.name}.gpx").write_bytes(sidecar)
        return path

    def write_stacks(self, profile, places, ticks):
        after = self.return_addresses()
        (profile.parent / f"{profile.name}.gpx").write_bytes(sidecar_files.sidecar_file(
            [sidecar_files.Module(str(self.program), profile.name)],
            samples=[sidecar_files.Sample(0, places[name], count) for name, count in ticks.items()],
            stacks=[sidecar_files.Stack(count, ((0, places[name]), (0, after[name])))
                    for name, count in ticks.items()]))

    def write_runs(self, count, means, seed, **options):
        """Runs that vary as samples do, always the same for one seed."""
        generator = random.Random(seed)
        return [self.write_run(f"run-{seed}-{i}",
                               {name: poisson(generator, mean) for name, mean in means.items()},
                               **options)
                for i in range(count)]

    def record(self, server, folder, environment=None, rate=RATE, more=()):
        """A real run, kept in the folder; `more` options of the recorder."""
        run([server, "record", f"--rate={rate}", f"--output={folder}", *more, "--", "./work"],
            self.directory, env=environment or dict(os.environ))
        return self.path(folder) / "gmon.out"
