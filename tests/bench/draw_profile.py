#!/usr/bin/env python3
"""Draws a profile of any executable from its symbols, for measuring: samples in some functions, and
calls between them. The figures are meaningless but cost as much to read as real ones.

Needs nm. Deterministic: the same executable has the same profile.
"""

import argparse
import array
import pathlib
import struct
import subprocess

from program_profiles import BIN_BYTES, SAMPLE_RATE
from program_shapes import scatter

LARGEST_TEXT = 1 << 32


def functions_of(program):
    """[(address, size)] of the functions in its symbol table, by address."""
    listed = subprocess.run(["nm", "--defined-only", "--print-size", "--format=posix", program],
                            capture_output=True, text=True, check=True).stdout
    found = set()
    for fields in map(str.split, listed.splitlines()):
        if len(fields) == 4 and fields[1] in "tTwWi" and int(fields[3], 16) > 0:
            found.add((int(fields[2], 16), int(fields[3], 16)))
    return sorted(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--calls", type=int, default=2, help="call sites a function (2)")
    options = parser.parse_args()
    functions = functions_of(options.program)
    if not functions:
        parser.error(f"{options.program} has no symbols of functions")
    low = functions[0][0] // 4096 * 4096
    high = -(-sum(functions[-1]) // BIN_BYTES) * BIN_BYTES
    if high - low > LARGEST_TEXT:
        parser.error(f"{options.program}: functions lie {high - low} bytes apart")
    bins = array.array("H", bytes(2 * ((high - low) // BIN_BYTES)))
    for index, (address, size) in enumerate(functions):
        if scatter(3, index) % 5 < 2:
            bins[(address + scatter(4, index) % size - low) // BIN_BYTES] += 1 + scatter(5, index) % 50
    record = struct.Struct("<BQQI")
    with open(options.output, "wb") as out:
        out.write(b"gmon" + struct.pack("<I12x", 1))
        out.write(struct.pack("<BQQII15sc", 0, low, high, len(bins), SAMPLE_RATE, b"seconds", b"s"))
        out.write(bins.tobytes())
        for number in range(options.calls * len(functions)):
            address, size = functions[number % len(functions)]
            callee = scatter(6, number) % len(functions)
            out.write(record.pack(1, address + scatter(7, number) % size, functions[callee][0],
                                  1 + scatter(8, number) % 100003))


if __name__ == "__main__":
    main()
