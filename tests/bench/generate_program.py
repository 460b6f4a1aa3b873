#!/usr/bin/env python3
"""Makes a large profiled program in seconds: sources, executable, gmon.out, expected figures.

The program is generated as assembly with the line rows and DIEs that a C compiler would emit for its
sources, because a compiler would take minutes. Every function counts its calls through mcount;
every call of the graph is a call instruction on a line of its caller, and the profile's arcs have
exactly the return addresses of these. When run, the program returns immediately.

Written into --output: the sources (file_NNN.c, main.c, program.h), program, gmon.out,
expected.json with call counts and samples known by construction, and with --profiles N as many files
in profiles/. x86-64 Linux; needs as and gcc.

"""

import argparse
import json
import pathlib
import platform
import sys

import program_assembly
import program_profiles
from program_shapes import SHAPES, Program

EXPECTED_FUNCTIONS = 400  # about as many are listed in expected.json


def chosen_functions(program, ticks):
    """An even spread of functions, and those with the most samples."""
    step = max(1, program.count // (EXPECTED_FUNCTIONS // 2))
    chosen = set(range(0, program.count, step))
    by_ticks = sorted(range(program.count), key=lambda index: -ticks[index])
    return chosen | set(by_ticks[:EXPECTED_FUNCTIONS // 2])


def callers_of(program, chosen):
    """The call sites of each, from the first arc to the last."""
    callers = {index: [] for index in chosen}
    places = {}
    for number, (caller, callee) in enumerate(zip(program.callers, program.callees)):
        place = places[caller] = places.get(caller, -1) + 1
        if callee in callers:
            callers[callee].append({
                "function": program.name(caller),
                "file": program.file_names[program.file_of(caller)],
                "line": program.call_line(caller, place), "count": program.arc_count(number)})
    return callers


def write_expected(program, output, figures, sums):
    ticks, total_ticks, calls = figures
    chosen = sorted(chosen_functions(program, ticks))
    callers = callers_of(program, chosen)
    functions = []
    for index in chosen:
        functions.append({
            "name": program.name(index), "file": program.file_names[program.file_of(index)],
            "line": program.lines[index], "calls": calls[index], "ticks": ticks[index],
            "callers": callers[index]})
        if sums is not None:
            functions[-1] |= {"sum_ticks": sums[0][index], "sum_calls": sums[1][index]}
    expected = {
        "options": {key: value for key, value in vars(program.options).items() if key != "output"},
        "rate": program_profiles.SAMPLE_RATE, "total_ticks": total_ticks,
        "arcs": len(program.callees), "source_lines": sum(program.line_counts),
        "functions": functions}
    if sums is not None:
        expected["sum_ticks"] = sum(sums[0])
    (output / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--functions", type=int, default=1000)
    parser.add_argument("--files", type=int, default=10)
    parser.add_argument("--lines", type=int, help="of all sources, a row each; default: 4 a function")
    parser.add_argument("--arcs", type=int,
                        help="call sites; default: 2 a function, 20 in the shape dense")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shape", choices=sorted(SHAPES), default="flat")
    parser.add_argument("--sampled", type=float, default=0.4, metavar="SHARE",
                        help="of the functions that have samples (0.4)")
    parser.add_argument("--no-debug", dest="debug", action="store_false",
                        help="a program as it is built without -g")
    parser.add_argument("--unwind", action="store_true",
                        help="with call frame information (.eh_frame)")
    parser.add_argument("--align", type=int, default=1, metavar="BYTES",
                        help="of functions, as compilers do it when they optimise: 16")
    parser.add_argument("--profiles", type=int, default=0, metavar="N",
                        help="also N different files gmon.out.NNNNN in profiles/")
    parser.add_argument("--output", type=pathlib.Path, required=True, metavar="DIR")
    options = parser.parse_args()
    options.lines = options.lines or 4 * options.functions
    options.arcs = options.arcs or SHAPES[options.shape][1] * options.functions
    if not 1 <= options.files <= options.functions <= 1_000_000:
        parser.error("1 <= files <= functions <= 1000000 expected")
    if options.arcs <= options.functions:
        parser.error("more arcs than functions expected: every function is called")
    if options.align & (options.align - 1) or not 1 <= options.align <= 4096:
        parser.error("--align: a power of two expected")
    if not 0 <= options.profiles <= 50_000 or not 0 <= options.sampled <= 1:
        parser.error("0 <= profiles <= 50000 and 0 <= sampled <= 1 expected")
    if platform.machine() != "x86_64":
        parser.error("an x86-64 machine expected")
    return options


def main():
    options = parse_options()
    output = options.output.resolve()
    output.mkdir(parents=True, exist_ok=True)
    program = Program(options)
    try:
        program_assembly.build(program, output)
    except RuntimeError as problem:
        sys.exit(f"generate_program.py: {problem}")
    end = program_assembly.end_of_text(output)
    figures = program_profiles.write_profile(program, output / "gmon.out", end)
    sums = None
    if options.profiles:
        sums = program_profiles.write_series(program, output / "profiles", end, options.profiles)
    write_expected(program, output, figures, sums)


if __name__ == "__main__":
    main()
