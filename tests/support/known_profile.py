"""A program and a profile of it that is generated, not measured: every figure is known to the last
digit. 100 samples of 0.01 s, 40,100 calls between three functions, block counts for two lines.

leaf    0.60 s, called 30,000 times: from two lines of middle (15,000 and 5,000), one of main (10,000)
middle  0.36 s and 0.40 s of leaf's, called 100 times
main    0.04 s and all the rest
"""
import dataclasses
import re

import gmon_files
import sidecar_files
from profiled_program import Workspace, require, run

SOURCE = """\
int leaf(int x) {
  return x * 3; /* leaf's body */
}

int middle(int x) {
  int sum = 0;
  sum += leaf(x); /* most calls */
  sum += leaf(x + 1); /* some calls */
  return sum; /* middle's end */
}

int main(void) {
  int total = 0;
  total += middle(1); /* calls middle */
  total += leaf(2); /* calls leaf */
  return total & 1; /* main's end */
}
"""

SITES = (("most calls", "middle", "leaf", 15000), ("some calls", "middle", "leaf", 5000),
         ("calls middle", "main", "middle", 100), ("calls leaf", "main", "leaf", 10000))
TICKS = (("leaf's body", 60), ("middle's end", 36), ("main's end", 4))
BLOCKS = (("leaf's body", 30000), ("most calls", 15000))


class KnownProfile(Workspace):
    """The workspace with `hot.c`, and by default its `program` and `gmon.out`."""

    def __init__(self, directory, source=SOURCE):
        """Without a source, uses what is in the directory already."""
        super().__init__(directory)
        if source is not None:
            self.write("hot.c", source)

    def make(self, program="program", profile="gmon.out", sources=("hot.c",), scale=1,
             ticks=TICKS, rate=100):
        """`scale` multiplies every count of calls."""
        require("objdump", "nm")
        self.build(sources, ("-O0", "-no-pie", "-fno-pie", "-fcf-protection=none"), program=program)
        code = self._code(program)
        symbols = self._symbols(program)
        layout = gmon_files.Layout()
        low = min(symbols.values()) & ~1
        high = (max(address for address, _, _ in code) + 64) & ~1
        bins = [0] * ((high - low) // 2)
        for fragment, count in ticks:
            first = next(a for a, line, _ in code if line == self.line_of("hot.c", fragment))
            bins[(first + 1 - low) // 2] += count
        self.samples = [sidecar_files.Sample(0, low + 2 * i, count)
                        for i, count in enumerate(bins) if count]
        self.arcs = []
        records = [gmon_files.Histogram(low, high, bins, rate=rate)]
        for fragment, _, callee, count in SITES:
            line = self.line_of("hot.c", fragment)
            site = next(end for a, at, end in code
                        if at == line and end is not None and callee in end[1])
            records.append(gmon_files.Arc(site[0], symbols[callee], count * scale))
            self.arcs.append(sidecar_files.Arc(site[0], symbols[callee], count * scale))
        records.append(gmon_files.Blocks(tuple(
            (next(a for a, line, _ in code if line == self.line_of("hot.c", fragment)), count)
            for fragment, count in BLOCKS)))
        self.path(profile).write_bytes(gmon_files.gnu_file(layout, records))
        return self

    def add_sidecar(self, program="program", profile="gmon.out", elsewhere=(), stacks=False, kernel=(),
                    **process):
        """Goes with the last profile made. `elsewhere`: (path of the module, samples), an empty path
        for no module; `stacks`: one per sample, of that frame alone; `kernel`: (samples in the kernel, their
        excess variance) of each place, ascending; `process`: fields of the format."""
        modules = [sidecar_files.Module(str(self.path(program)), profile)]
        samples = list(self.samples)
        for i, (count, excess) in enumerate(kernel):
            samples[i] = dataclasses.replace(samples[i], kernel_count=count, excess_variance=excess)
        for path, count in elsewhere:
            number = len(modules) if path else sidecar_files.NO_MODULE
            if path:
                modules.append(sidecar_files.Module(path))
            samples.append(sidecar_files.Sample(number, 0x1000, count))
        alone = [sidecar_files.Stack(sample.count, ((sample.module, sample.address),))
                 for sample in samples] if stacks else []
        self.path(profile + ".gpx").write_bytes(sidecar_files.sidecar_file(
            modules, self.arcs, samples, alone, **process))
        return self

    def call_at(self, fragment, program="program"):
        """The address that the call on the line returns to."""
        line = self.line_of("hot.c", fragment)
        return next(end[0] for _, at, end in self._code(program) if at == line and end is not None)

    def _symbols(self, program):
        rows = (row.split() for row in run(["nm", program], self.directory).splitlines())
        return {row[2]: int(row[0], 16) for row in rows
                if len(row) == 3 and row[2] in ("leaf", "middle", "main")}

    def _code(self, program):
        """(address, line of hot.c, (return address, callee) of a call or None), by address."""
        listing = run(["objdump", "-dl", "--no-show-raw-insn", program], self.directory)
        rows, line = [], None
        for row in listing.splitlines():
            place = re.match(r"(?:/.*)?hot\.c:(\d+)", row)
            if place:
                line = int(place[1])
            elif re.match(r"[0-9a-f]+ <", row):
                line = None
            instruction = re.match(r"\s*([0-9a-f]+):\t(.*)", row)
            if instruction:
                rows.append((int(instruction[1], 16), line, instruction[2]))
        found = []
        for (address, line, text), after in zip(rows, rows[1:] + [None]):
            call = re.match(r"call\S*\s+[0-9a-f]+ <(\w+)", text)
            end = (after[0], call[1]) if call and after else None
            if line is not None:
                found.append((address, line, end))
        return found
