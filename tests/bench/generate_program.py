#!/usr/bin/env python3
"""Makes a large profiled program in seconds: sources, executable, gmon.out, expected figures.

The program is written as assembly with the line rows and DIEs that a C compiler would give its
sources, because a compiler would take minutes. Every function counts its calls through mcount;
every call of the graph is a call instruction on a line of its own caller, and the profile's arcs
hold the return addresses of exactly these. Run, the program returns at once.

Written into --output: the sources (file_NNN.c, main.c, program.h), program, gmon.out, and
expected.json with call counts and samples known by construction. x86-64 Linux; needs as and gcc.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import platform
import shutil
import struct
import subprocess
import sys

SAMPLE_RATE = 100
BIN_BYTES = 4
SMALLEST_FUNCTION = 4  # lines: signature, body, return, brace
FAN_OUT = 4  # callees of each function in the shape "flat"
RING = 8  # functions of one cycle in the shape "cycle"
EXPECTED_FUNCTIONS = 400  # about as many are told in expected.json
ADDRESS_SECTION = ".generated_addresses"


def scatter(seed, value):
    """A 32-bit hash: the same numbers on every machine and version of Python."""
    mixed = (value * 0x9E3779B1 + seed * 0x85EBCA77 + 0x165667B1) & 0xFFFFFFFF
    mixed ^= mixed >> 15
    mixed = mixed * 0x2C1B3C6D & 0xFFFFFFFF
    mixed ^= mixed >> 12
    mixed = mixed * 0x297A2D39 & 0xFFFFFFFF
    return mixed ^ mixed >> 15


class Function:
    __slots__ = ("name", "file", "line", "lines", "callees", "body_lines", "start", "end", "ticks")

    def __init__(self, name, file):
        self.name = name
        self.file = file  # index of the source file
        self.line = 0  # of the signature
        self.lines = SMALLEST_FUNCTION
        self.callees = []  # (arc's number, callee's index); a call site each
        self.body_lines = []  # the arcs' lines
        self.start = self.end = self.ticks = 0


MAIN = -1  # as the index of a caller


# --- The call graph ------------------------------------------------------------------------------


def flat_arcs(count, arcs, seed):
    """A tree that grows fourfold from level to level, then calls of any function further on."""
    for index in range(count):
        yield (index // FAN_OUT - 1 if index >= FAN_OUT else MAIN), index
    for number in range(count, arcs):
        caller = scatter(seed, number) % count
        further = count - caller - 1
        if further > 0:
            yield caller, caller + 1 + scatter(seed + 1, number) % further
        else:
            yield MAIN, caller


def deep_arcs(count, arcs, seed):
    """One chain through all functions, with calls that leave out some of its links."""
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


SHAPES = {"flat": flat_arcs, "deep": deep_arcs, "cycle": cycle_arcs}


def arc_count(number):
    """How often arc `number` was traversed."""
    return 1 + number * 7919 % 100003


# --- Sources -------------------------------------------------------------------------------------


class Program:
    def __init__(self, options):
        self.options = options
        self.functions = []
        self.file_names = [f"file_{index:03}.c" for index in range(options.files)] + ["main.c"]
        self.by_file = [[] for _ in self.file_names]
        per_file = -(-options.functions // options.files)
        for index in range(options.functions):
            file = min(index // per_file, options.files - 1)
            function = Function(f"f{index:06}_of_{file:03}", file)
            self.functions.append(function)
            self.by_file[file].append(function)
        self.main = Function("main", options.files)
        self.by_file[-1].append(self.main)
        self.arcs = list(SHAPES[options.shape](options.functions, options.arcs, options.seed))
        for number, (caller, callee) in enumerate(self.arcs):
            self.caller(caller).callees.append((number, callee))
        self.lay_out_lines()

    def caller(self, index):
        return self.main if index == MAIN else self.functions[index]

    def lay_out_lines(self):
        wanted = self.options.lines / self.options.functions
        reached = 0.0
        for functions in self.by_file:
            line = 3
            for function in functions:
                reached += wanted
                function.lines = max(SMALLEST_FUNCTION, int(reached))
                reached -= int(reached)
                if function is self.main:
                    function.lines = max(SMALLEST_FUNCTION, len(function.callees) + 3)
                function.line = line
                body = function.lines - 3
                for place in range(len(function.callees)):
                    function.body_lines.append(line + 1 + place % body)
                line += function.lines

    def calls_by_line(self, function):
        calls = {}
        for (number, callee), line in zip(function.callees, function.body_lines):
            calls.setdefault(line, []).append((number, self.functions[callee].name))
        return calls

    def source_text(self, file):
        text = ['#include "program.h"', ""]
        for function in self.by_file[file]:
            calls = self.calls_by_line(function)
            if function is self.main:
                text.append("int main(void) { long n = 1;")
            else:
                text.append(f"long {function.name}(long n) {{")
            for line in range(function.line + 1, function.line + function.lines - 2):
                if line in calls:
                    terms = " + ".join(f"{name}(n)" for _, name in calls[line])
                    text.append(f"  if (gate) n += {terms};")
                else:
                    text.append("  n = n * 3 + 1;")
            text.append("  return 0;" if function is self.main else "  return n;")
            text.append("}")
        if self.by_file[file] and self.by_file[file][-1] is self.main:
            text.append("int gate;")
        return "\n".join(text) + "\n"

    def header_text(self):
        prototypes = "".join(f"long {function.name}(long n);\n" for function in self.functions)
        return "#pragma once\nextern int gate;\n" + prototypes


# --- Assembly ------------------------------------------------------------------------------------


def function_assembly(program, function, label):
    name = function.name
    last = function.line + function.lines - 1
    calls = program.calls_by_line(function)
    out = [
        f"\t.globl\t{name}\n\t.type\t{name}, @function\n\t.p2align\t4\n{name}:\n"
        f"\t.loc\t1 {function.line} 1\n\tpushq\t%rbp\n\tmovq\t%rsp, %rbp\n\tsubq\t$16, %rsp\n"
        "\tcall\t*mcount@GOTPCREL(%rip)\n\tmovq\t%rdi, -8(%rbp)"
    ]
    returns = []
    for line in range(function.line + 1, last - 1):
        out.append(f"\t.loc\t1 {line} 3")
        if line not in calls:
            out.append("\tmovq\t-8(%rbp), %rax\n\tleaq\t1(%rax,%rax,2), %rax\n\tmovq\t%rax, -8(%rbp)")
            continue
        skip = f".Ls{label}_{line}"
        out.append(f"\tcmpl\t$0, gate(%rip)\n\tje\t{skip}\n\tmovq\t$0, -16(%rbp)")
        for number, callee in calls[line]:
            out.append(
                f"\tmovq\t-8(%rbp), %rdi\n\tcall\t{callee}\n.Lr{number}:\n\taddq\t%rax, -16(%rbp)"
            )
            returns.append(number)
        out.append(f"\tmovq\t-16(%rbp), %rax\n\taddq\t%rax, -8(%rbp)\n{skip}:")
    result = "\txorl\t%eax, %eax" if function is program.main else "\tmovq\t-8(%rbp), %rax"
    out.append(
        f"\t.loc\t1 {last - 1} 3\n{result}\n\t.loc\t1 {last} 1\n\tleave\n\tret\n"
        f".Le{label}:\n\t.size\t{name}, .-{name}"
    )
    # What the linker makes of the labels: the call graph's numbers with their addresses.
    out.append(f'\t.pushsection\t{ADDRESS_SECTION},"",@progbits')
    out.extend(f"\t.quad\t{number}, .Lr{number}, 0" for number in returns)
    index = -1 if function is program.main else int(name[1:7])
    out.append(f"\t.quad\t{-2 - index}, {name}, .Le{label}\n\t.popsection")
    return "\n".join(out)


def dwarf_assembly(program, file, directory):
    """One unit with a subprogram DIE a function; the rows come from the .loc lines."""
    unit = [
        '\t.section\t.debug_info,"",@progbits\n\t.long\t.Lu1-.Lu0\n.Lu0:\n\t.value\t5\n\t.byte\t1, 8\n'
        "\t.long\t.debug_abbrev\n\t.uleb128\t1\n"
        f'\t.string\t"generator -pg"\n\t.byte\t29\n\t.string\t"{program.file_names[file]}"\n'
        f'\t.string\t"{directory}"\n'
        "\t.quad\t.Ltext0\n\t.quad\t.Letext0-.Ltext0\n\t.long\t.Lline0"
    ]
    for label, function in enumerate(program.by_file[file]):
        unit.append(
            f'\t.uleb128\t2\n\t.string\t"{function.name}"\n\t.byte\t1\n\t.long\t{function.line}\n'
            f"\t.quad\t{function.name}\n\t.quad\t.Le{label}-{function.name}"
        )
    unit.append("\t.byte\t0\n.Lu1:")
    # Abbreviations: attribute, form. 1: unit with children; 2: external subprogram.
    unit.append('\t.section\t.debug_abbrev,"",@progbits')
    unit.append(
        "\t.byte\t1,0x11,1, 0x25,0x08, 0x13,0x0b, 0x03,0x08, 0x1b,0x08, 0x11,0x01, 0x12,0x07,"
        " 0x10,0x17, 0,0"
    )
    unit.append(
        "\t.byte\t2,0x2e,0, 0x3f,0x19, 0x03,0x08, 0x3a,0x0b, 0x3b,0x06, 0x11,0x01, 0x12,0x07, 0,0\n"
        "\t.byte\t0"
    )
    unit.append(
        '\t.section\t.debug_aranges,"",@progbits\n\t.long\t44\n\t.value\t2\n\t.long\t.debug_info\n'
        "\t.byte\t8,0,0,0,0,0\n\t.quad\t.Ltext0, .Letext0-.Ltext0, 0, 0"
    )
    unit.append('\t.section\t.debug_line,"",@progbits\n.Lline0:')
    return "\n".join(unit)


def file_assembly(program, file, directory):
    name = program.file_names[file]
    out = [f'\t.file\t"{name}"\n\t.text\n\t.p2align\t4\n.Ltext0:']
    out.append(f'\t.file\t0 "{directory}" "{name}"\n\t.file\t1 "{name}"')
    for label, function in enumerate(program.by_file[file]):
        out.append(function_assembly(program, function, label))
    out.append(".Letext0:")
    if program.by_file[file] and program.by_file[file][-1] is program.main:
        out.append("\t.globl\tgate\n\t.comm\tgate,4,4")
    out.append(dwarf_assembly(program, file, directory))
    out.append('\t.section\t.note.GNU-stack,"",@progbits\n')
    return "\n".join(out)


def run(arguments, directory):
    result = subprocess.run(arguments, cwd=directory, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"generate_program.py: {arguments[0]} failed:\n{result.stderr}")
    return result.stdout


def build(program, output):
    """The addresses of the labels, by number, after the executable is linked."""
    objects = output / "objects"
    objects.mkdir(exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        jobs = []
        for file, name in enumerate(program.file_names):
            (output / name).write_text(program.source_text(file))
            assembly = objects / (name[:-1] + "s")
            assembly.write_text(file_assembly(program, file, output))
            command = ["as", "--64", "-o", str(assembly.with_suffix(".o")), str(assembly)]
            jobs.append(pool.submit(run, command, output))
        for job in jobs:
            job.result()
    (output / "program.h").write_text(program.header_text())
    names = [f"objects/{name[:-1]}o" for name in program.file_names]
    (objects / "list").write_text("\n".join(names))
    run(["gcc", "-pg", "-o", "program", "@objects/list"], output)
    run(["objcopy", "-O", "binary", "-j", ADDRESS_SECTION, "--set-section-flags",
         f"{ADDRESS_SECTION}=alloc", "program", "objects/addresses"], output)
    run(["objcopy", "--remove-section", ADDRESS_SECTION, "program"], output)
    addresses = (objects / "addresses").read_bytes()
    shutil.rmtree(objects)
    return addresses


# --- The profile ---------------------------------------------------------------------------------


def place_functions(program, addresses):
    """Sets the functions' ranges; returns the return address of each arc."""
    returns = [0] * len(program.arcs)
    for number, start, end in struct.iter_unpack("<qQQ", addresses):
        if number >= 0:
            returns[number] = start
        else:
            function = program.caller(-2 - number)
            function.start, function.end = start, end
    return returns


def text_end(output):
    symbols = (line.split() for line in run(["nm", "program"], output).splitlines())
    return next(int(fields[0], 16) for fields in symbols if fields[-1] == "etext")


def draw_samples(program, bins):
    """Few functions take most of the time: ticks fall with a function's place in a shuffled row."""
    seed = program.options.seed
    order = sorted(range(len(program.functions)), key=lambda index: scatter(seed + 3, index))
    for place, index in enumerate(order):
        function = program.functions[index]
        whole_bins = (function.end - function.start) // BIN_BYTES
        left = 20000 // (place + 4)
        draw = index
        while left > 0 and whole_bins > 0:
            draw = scatter(seed + 4, draw)
            part = min(left, 1 + draw % 50)
            bins[function.start // BIN_BYTES + draw // 64 % whole_bins] += part
            function.ticks += part
            left -= part


def write_gmon(program, output, returns):
    # As a collector of a position-independent executable does: from the image's start, 0.
    high = -(-text_end(output) // BIN_BYTES) * BIN_BYTES
    bins = [0] * (high // BIN_BYTES)
    draw_samples(program, bins)
    with open(output / "gmon.out", "wb") as out:
        out.write(b"gmon" + struct.pack("<I12x", 1))
        out.write(struct.pack("<BQQII15sc", 0, 0, high, len(bins), SAMPLE_RATE, b"seconds", b"s"))
        out.write(struct.pack(f"<{len(bins)}H", *bins))
        arc = struct.Struct("<BQQI")
        for number, (_, callee) in enumerate(program.arcs):
            self_pc = program.functions[callee].start
            out.write(arc.pack(1, returns[number], self_pc, arc_count(number)))
    return sum(bins)


def write_expected(program, output, total_ticks):
    count = len(program.functions)
    step = max(1, count // (EXPECTED_FUNCTIONS // 2))
    chosen = set(range(0, count, step))
    by_ticks = sorted(range(count), key=lambda index: -program.functions[index].ticks)
    chosen.update(by_ticks[: EXPECTED_FUNCTIONS // 2])
    callers = {index: [] for index in chosen}
    calls = [0] * count
    place = {}
    for number, (caller, callee) in enumerate(program.arcs):
        calls[callee] += arc_count(number)
        site = place[caller] = place.get(caller, -1) + 1
        if callee in chosen:
            function = program.caller(caller)
            callers[callee].append({
                "function": function.name, "file": program.file_names[function.file],
                "line": function.body_lines[site], "count": arc_count(number)})
    functions = []
    for index in sorted(chosen):
        function = program.functions[index]
        functions.append({
            "name": function.name, "file": program.file_names[function.file],
            "line": function.line, "calls": calls[index], "ticks": function.ticks,
            "callers": callers[index]})
    expected = {
        "options": {key: value for key, value in vars(program.options).items() if key != "output"},
        "rate": SAMPLE_RATE, "total_ticks": total_ticks, "arcs": len(program.arcs),
        "source_lines": sum(function.lines for function in program.functions),
        "functions": functions}
    (output / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--functions", type=int, default=1000)
    parser.add_argument("--files", type=int, default=10)
    parser.add_argument("--lines", type=int, help="of all sources; default: 4 a function")
    parser.add_argument("--arcs", type=int, help="call sites; default: 2 a function")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shape", choices=sorted(SHAPES), default="flat")
    parser.add_argument("--output", type=pathlib.Path, required=True, metavar="DIR")
    options = parser.parse_args()
    options.lines = options.lines or 4 * options.functions
    options.arcs = options.arcs or 2 * options.functions
    if not 1 <= options.files <= options.functions <= 1_000_000:
        parser.error("1 <= files <= functions <= 1000000 expected")
    if options.arcs < options.functions:
        parser.error("at least one arc a function expected: every function is called")
    if platform.machine() != "x86_64":
        parser.error("an x86-64 machine expected")
    return options


def main():
    options = parse_options()
    output = options.output.resolve()
    output.mkdir(parents=True, exist_ok=True)
    program = Program(options)
    returns = place_functions(program, build(program, output))
    write_expected(program, output, write_gmon(program, output, returns))


if __name__ == "__main__":
    main()
