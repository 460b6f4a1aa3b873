#!/usr/bin/env python3
"""Writes the seeds of the report fuzz target out of the programs of corpus/dwarf and corpus/elf.

usage: make_report_seeds.py CORPUS    (the directory that holds report/, dwarf/ and elf/)
"""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import gmon_files  # noqa: E402

SEEDS = (
    ("gcc_dwarf4", "dwarf", ("-b",)),
    ("gcc_dwarf5", "dwarf", ("-b", "-l", "-z")),
    ("clang_dwarf5", "dwarf", ("-b", "-l", "-A", "-C", "-x")),
    ("gcc_dwarf2", "dwarf", ("-T", "-z", "-c", "-qmiddle", "-Eleaf")),
    ("gcc_dwarf5_gz", "dwarf", ("-s", "-r", "-kmiddle/leaf", "-pseed.c")),
    ("mips32_be", "dwarf", ("-b", "-l", "-d", "-i")),
    ("x86_64_pie", "elf", ("--accurate", "--error", "-z", "-c")),
    ("powerpc64_be", "elf", ("-Rmap", "-b")),
    ("x86_64_static", "elf", ("-Ssymbols", "-b", "-z")),
)
MAP = b"a.o:0 T leaf\na.o:8 T middle\nb.o:0 T _start\n"
SYMBOLS = b"401000 T first\n401010 t second\n401020 T third\n"


def layout_of(program):
    order = "big" if program[5] == 2 else "little"
    return gmon_files.Layout(8 if program[4] == 2 else 4, order)


def text_range(path):
    """Start and size of .text, as readelf prints them."""
    shown = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True)
    for line in shown.stdout.splitlines():
        words = line.replace("[ ", "[").split()
        if len(words) > 5 and words[1] == ".text":
            return int(words[3], 16), int(words[5], 16)
    raise SystemExit(f"{path}: no .text")


def profile_for(path, program):
    layout = layout_of(program)
    start, size = text_range(path)
    bins = [i % 3 for i in range(size // 4 + 1)]
    records = [gmon_files.Histogram(start, start + 4 * len(bins), bins),
               gmon_files.Arc(start + size // 2, start, 3), gmon_files.Arc(start, start, 2),
               gmon_files.Blocks(((start, 5), (start + 8, 7)))]
    return gmon_files.gnu_file(layout, records)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    corpus = pathlib.Path(sys.argv[1])
    (corpus / "report").mkdir(exist_ok=True)
    for name, kind, options in SEEDS:
        path = corpus / kind / name
        program = path.read_bytes()
        profile = profile_for(path, program)
        if options[0].startswith("-R"):
            profile = MAP
        elif options[0].startswith("-S"):
            profile = SYMBOLS
        head = " ".join(options).encode() + b"\n" + str(len(program)).encode() + b"\n"
        (corpus / "report" / name).write_bytes(head + program + profile)


if __name__ == "__main__":
    main()
