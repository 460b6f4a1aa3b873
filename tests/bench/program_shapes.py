"""Generated programs before their code exists: their functions, lines and call graph.

Everything is in flat arrays, so that a program of a million functions takes some 100 MB.
"""

import array

MAIN = -1  # as the index of a caller
SMALLEST_FUNCTION = 4  # lines: signature, body, return, brace
FAN_OUT = 4  # callees of each function in the shape "flat"
RING = 8  # functions of one cycle in the shape "cycle"
FIRST_LINE = 3  # of the first function of a file


def scatter(seed, value):
    """A 32-bit hash: the same numbers on every machine and version of Python."""
    mixed = (value * 0x9E3779B1 + seed * 0x85EBCA77 + 0x165667B1) & 0xFFFFFFFF
    mixed ^= mixed >> 15
    mixed = mixed * 0x2C1B3C6D & 0xFFFFFFFF
    mixed ^= mixed >> 12
    mixed = mixed * 0x297A2D39 & 0xFFFFFFFF
    return mixed ^ mixed >> 15


# --- Call graphs: pairs of caller and callee, one per call site -------------------------------------


def tree_arcs(count):
    """A tree that grows fourfold from level to level."""
    for index in range(count):
        yield (index // FAN_OUT - 1 if index >= FAN_OUT else MAIN), index


def forward_arcs(count, first, arcs, seed):
    """Calls of any later function."""
    for number in range(first, arcs):
        caller = scatter(seed, number) % count
        further = count - caller - 1
        if further > 0:
            yield caller, caller + 1 + scatter(seed + 1, number) % further
        else:
            yield MAIN, caller


def flat_arcs(count, arcs, seed):
    yield from tree_arcs(count)
    yield from forward_arcs(count, count, arcs, seed)


def deep_arcs(count, arcs, seed):
    """One chain through all functions, with calls that skip some of its links."""
    yield MAIN, 0
    for index in range(1, count):
        yield index - 1, index
    for number in range(count, arcs):
        caller = scatter(seed, number) % count
        callee = caller + 1 + scatter(seed + 1, number) % 16
        yield (caller, callee) if callee < count else (MAIN, scatter(seed + 2, number) % count)


def cycle_arcs(count, arcs, seed):
    """The flat graph, with rings of neighbouring functions."""
    ring_arcs = min((count - count // 2) // RING * RING, arcs - count)
    yield from flat_arcs(count, arcs - ring_arcs, seed)
    for number in range(ring_arcs):
        start = count // 2 + number // RING * RING
        yield start + number % RING, start + (number + 1) % RING


def huge_cycle_arcs(count, arcs, seed):
    """The last four fifths of the functions are one ring, below a tree of the others."""
    others = max(1, count // 5)
    members = count - others
    yield from tree_arcs(others)
    for number in range(members):
        yield others + number, others + (number + 1) % members
    yield others - 1, others
    for number in range(count + 1, arcs):
        caller = scatter(seed, number) % others
        yield caller, caller + 1 + scatter(seed + 1, number) % (count - caller - 1)


def tangle_arcs(count, arcs, seed):
    """The flat graph, but nine in ten leaves call its beginning: again most functions are in one cycle,
    but with many paths through it. GNU gprof takes minutes for 50,000 functions."""
    back = [(index, 0) for index in range(max(count // FAN_OUT - 1, 0), count) if index % 10 != 0]
    back += [(0, index) for index in range(1, min(FAN_OUT, count))]
    back = back[:arcs - count]
    yield from tree_arcs(count)
    yield from back
    yield from forward_arcs(count, count + len(back), arcs, seed)


def dense_arcs(count, arcs, seed):
    """Calls of any later function among few: pairs repeat, at different call sites."""
    yield from tree_arcs(count)
    near = max(2, count // 50)
    for number in range(count, arcs):
        caller = scatter(seed, number) % count
        callee = caller + 1 + scatter(seed + 1, number) % near
        yield (caller, callee) if callee < count else (MAIN, caller)


# The shape's arcs, and the default number of arcs per function.
SHAPES = {"flat": (flat_arcs, 2), "deep": (deep_arcs, 2), "cycle": (cycle_arcs, 2),
          "huge-cycle": (huge_cycle_arcs, 2),
          "tangle": (tangle_arcs, 2), "dense": (dense_arcs, 20)}


# In these, counts and times rise with the function's number: GNU gprof sorts the members of a cycle
# by insertion, for which this order is the best case. It makes the peer some thirty times as fast,
# so that a ratio to it is meaningful.
ORDERED_SHAPES = {"huge-cycle"}


# --- The program ------------------------------------------------------------------------------------


class Program:
    """Functions 0 ... count - 1 and, last, main; each with its place in the sources.

    `options` has functions, files, lines, arcs, shape, seed. Addresses are filled in after the
    program is linked.
    """

    def __init__(self, options):
        self.options = options
        self.count = options.functions
        self.main = self.count
        self.ordered = options.shape in ORDERED_SHAPES
        self.per_file = -(-self.count // options.files)
        self.digits = max(3, len(str(options.files - 1)))
        self.file_names = [f"file_{index:0{self.digits}}.c" for index in range(options.files)]
        self.file_names.append("main.c")
        self._join_calls()
        self._lay_out_lines()
        self.starts = array.array("Q", bytes(8 * (self.count + 1)))
        self.ends = array.array("Q", bytes(8 * (self.count + 1)))
        self.returns = array.array("Q", bytes(8 * len(self.callees)))  # by arc

    def _join_calls(self):
        make_arcs, _ = SHAPES[self.options.shape]
        callers, self.callees = array.array("I"), array.array("I")
        for caller, callee in make_arcs(self.count, self.options.arcs, self.options.seed):
            callers.append(self.main if caller == MAIN else caller)
            self.callees.append(callee)
        self.callers = callers
        # The numbers of function i's arcs: arcs_by_caller[first_arc[i]:first_arc[i + 1]], rising.
        first = array.array("I", bytes(4 * (self.count + 2)))
        for caller in callers:
            first[caller + 1] += 1
        for index in range(self.count + 1):
            first[index + 1] += first[index]
        next_place = array.array("I", first)
        by_caller = array.array("I", bytes(4 * len(callers)))
        for number, caller in enumerate(callers):
            by_caller[next_place[caller]] = number
            next_place[caller] += 1
        self.first_arc, self.arcs_by_caller = first, by_caller

    def _lay_out_lines(self):
        self.lines = array.array("I", bytes(4 * (self.count + 1)))  # of the signatures
        self.line_counts = array.array("I", self.lines)
        wanted = self.options.lines / self.count
        reached, line = 0.0, FIRST_LINE
        for index in range(self.count + 1):
            reached += wanted
            count = max(SMALLEST_FUNCTION, int(reached))
            reached -= int(reached)
            if index % self.per_file == 0 or index == self.main:
                line = FIRST_LINE
            if index == self.main:
                count = max(SMALLEST_FUNCTION, self.first_arc[-1] - self.first_arc[-2] + 3)
            self.lines[index], self.line_counts[index] = line, count
            line += count

    def file_of(self, index):
        return len(self.file_names) - 1 if index == self.main else index // self.per_file

    def functions_of(self, file):
        if file == len(self.file_names) - 1:
            return range(self.main, self.main + 1)
        return range(min(file * self.per_file, self.count),
                     min((file + 1) * self.per_file, self.count))

    def name(self, index):
        if index == self.main:
            return "main"
        return f"f{index:06}_of_{index // self.per_file:0{self.digits}}"

    def arc_count(self, number):
        """How often arc `number` was traversed."""
        return 1000 + number if self.ordered else 1 + number * 7919 % 100003

    def arcs_of(self, index):
        """The numbers of the function's calls, in the order of its call sites."""
        return self.arcs_by_caller[self.first_arc[index]:self.first_arc[index + 1]]

    def call_line(self, index, place):
        """The line of the function's call site `place`."""
        return self.lines[index] + 1 + place % (self.line_counts[index] - 3)

    def source_text(self, file):
        text = ['#include "program.h"', ""]
        for index in self.functions_of(file):
            name, arcs = self.name(index), self.arcs_of(index)
            text.append("int main(void) { long n = 1;" if index == self.main
                        else f"long {name}(long n) {{")
            body = self.line_counts[index] - 3
            for place in range(body):
                if place < len(arcs):
                    calls = " + ".join(f"{self.name(self.callees[number])}(n)"
                                       for number in arcs[place::body])
                    text.append(f"  if (gate) n += {calls};")
                else:
                    text.append("  n = n * 3 + 1;")
            text.append("  return 0;" if index == self.main else "  return n;")
            text.append("}")
        if file == len(self.file_names) - 1:
            text.append("int gate;")
        return "\n".join(text) + "\n"

    def header_text(self):
        prototypes = "".join(f"long {self.name(index)}(long n);\n" for index in range(self.count))
        return "#pragma once\nextern int gate;\n" + prototypes
