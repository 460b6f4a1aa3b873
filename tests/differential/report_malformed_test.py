"""Damaged files: `gprof-lsp report` ends soon, with GNU gprof's status, and without a report.

GNU gprof is asked wherever it survives; where it falls, or wants memory without bound, ours alone
is looked at.
"""
import random
import subprocess

import elf_program
import gmon_files
from gmon_files import Arc, Blocks, Histogram, Layout
from report_cases import (Case, ReportTest, enough_comparisons, outcome_of, subject,
                          unified_diff)

START, STEP = 0x401000, 32
FUNCTIONS = elf_program.functions([f"f{i}" for i in range(5)] + ["zz_last"], START, STEP)
PROGRAM = elf_program.Program(FUNCTIONS, text_size=STEP * 6)
END = FUNCTIONS[-1].address
RECORDS = [Histogram(START, END, [i % 5 for i in range((END - START) // 4)]),
           Arc(START, START + STEP, 3), Arc(START + STEP, START + 2 * STEP, 12),
           Arc(START + 2 * STEP, START + STEP, 1)]
BLOCKS = Blocks(((START, 3), (START + 40, 5)))
WHOLE = {
    "v1": gmon_files.gnu_file(Layout(), [*RECORDS, BLOCKS]),
    "v0": gmon_files.gnu_file(Layout(), [*RECORDS, BLOCKS], version=0),
    "bsd": gmon_files.bsd_file(Layout(), RECORDS[0], RECORDS[1:]),
    "bsd44": gmon_files.bsd44_file(Layout(), RECORDS[0], RECORDS[1:]),
}

tearDownModule = enough_comparisons("malformed")


def survived(outcome):
    """Whether gprof came to an end of its own accord: no signal, no lack of memory."""
    return outcome.status in (0, 1) and b"out of memory" not in outcome.stderr


def ends_well(case):
    """Ours says no (and nothing else), or reports."""
    actual = outcome_of(subject(), case)
    if actual.status not in (0, 1):
        return f"status {actual.status}"
    if actual.status == 1 and actual.stdout:
        return "an error, but on stdout:\n" + actual.stdout[:400].decode(errors="replace")
    if actual.status == 1 and not actual.stderr:
        return "an error without a message"
    return None


def refused_alike(case):
    """The same verdict as gprof's, and the same report if there is one."""
    problem = ends_well(case)
    if problem:
        return problem
    try:
        expected = outcome_of(["gprof"], case)
    except subprocess.TimeoutExpired:
        return None
    if not survived(expected):
        return None
    actual = outcome_of(subject(), case)
    if actual.status != expected.status:
        return (f"status {expected.status} expected, not {actual.status}\n"
                f"gprof: {expected.stderr!r}\nours: {actual.stderr!r}")
    if actual.status == 0 and actual.stdout != expected.stdout:
        return unified_diff(expected.stdout, actual.stdout)
    return None


class Malformed(ReportTest):
    def cases(self, name, files, program=PROGRAM, words=("-b",)):
        directory = self.new_directory(name)
        program.write(directory / "program")
        for number, (label, content) in enumerate(files):
            file = f"gmon{number}"
            (directory / file).write_bytes(content)
            yield Case(directory, (*words, "program", file), f"{name}: {label}", limited=True)

    def test_cut_at_every_byte(self):
        for name, whole in WHOLE.items():
            with self.subTest(format=name):
                files = ((f"{size} bytes", whole[:size]) for size in range(len(whole)))
                self.compare(self.cases(f"cut_{name}", files), refused_alike)

    def test_cut_anywhere_when_summed(self):
        whole = WHOLE["v1"]
        files = [(f"{size} bytes", whole[:size]) for size in range(0, len(whole), 17)]
        directory = self.new_directory("summed")
        PROGRAM.write(directory / "program")
        (directory / "good").write_bytes(whole)
        cases = []
        for label, content in files:
            name = f"cut{len(content)}"
            (directory / name).write_bytes(content)
            cases.append(Case(directory, ("-b", "program", "good", name), label, limited=True))
        self.compare(cases, refused_alike)

    def test_headers_that_are_wrong(self):
        whole = WHOLE["v1"]
        header, records = whole[:20], whole[20:]
        number = Layout().number
        files = [("magic", b"GMON" + whole[4:]), ("magic of nothing", b"\0" * 4 + whole[4:]),
                 ("text", b"This is no profile.\n" * 20), ("elf", PROGRAM.bytes())]
        files += [(f"version {v}", whole[:4] + number(v, 4) + whole[8:])
                  for v in (2, 3, 0x51879, 0xffffffff, 0x01000000)]
        files += [(f"tag {tag}", header + bytes([tag]) + records) for tag in (3, 4, 9, 127, 255)]
        files += [("tag at the end", whole + b"\x07"), ("zeros at the end", whole + bytes(3))]
        self.compare(self.cases("headers", files, words=("-b", "-O", "magic")), refused_alike)
        self.compare(self.cases("headers_auto", files), ends_well)

    def test_lengths_that_lie(self):
        """Ours alone: GNU gprof takes a length for true and asks for the memory."""
        histogram, *arcs = RECORDS
        lying = [Histogram(START, END, histogram.bins, announced=n)
                 for n in (0, 1, 17, 0x7fffffff, 0x80000000, 0xffffffff)]
        files = [(f"{record.announced} bins", gmon_files.gnu_file(Layout(), [record, *arcs]))
                 for record in lying]
        files += [(f"{n} blocks", gmon_files.gnu_file(
            Layout(), [histogram, Blocks(BLOCKS.blocks, n), *arcs])) for n in
                  (0, 1, 3, 0x7fffffff, 0xffffffff)]
        files += [(f"bsd {record.announced}", gmon_files.bsd_file(Layout(), record, arcs))
                  for record in lying]
        files += [(f"bsd44 {record.announced}", gmon_files.bsd44_file(Layout(), record, arcs))
                  for record in lying]
        self.compare(self.cases("lengths", files), ends_well)

    def test_ranges_that_lie(self):
        bins = [1] * 40
        ranges = ((START, START), (END, START), (START, END - 1), (0, 1 << 63), (0, 0),
                  (1 << 63, (1 << 63) + 160), (START, START + 2), ((1 << 64) - 160, 0),
                  (0, (1 << 64) - 1))
        files = [(f"{low:#x} to {high:#x}",
                  gmon_files.gnu_file(Layout(), [Histogram(low, high, bins), *RECORDS[1:]]))
                 for low, high in ranges]
        self.compare(self.cases("ranges", files), ends_well)

    def test_random_damage(self):
        """A byte or two changed anywhere."""
        for name, whole in WHOLE.items():
            files = []
            for seed in range(60):
                generator = random.Random(f"{name}{seed}")
                damaged = bytearray(whole)
                for _ in range(generator.choice((1, 1, 2, 5))):
                    damaged[generator.randrange(len(damaged))] = generator.randrange(256)
                files.append((f"seed {seed}", bytes(damaged)))
            self.compare(self.cases(f"damaged_{name}", files), ends_well)

    def test_histograms_that_do_not_fit(self):
        middle = START + 2 * STEP
        files = [("overlapping", [Histogram(START, middle, [1] * 16),
                                  Histogram(middle - 8, END, [1] * 8)]),
                 ("unequal scales", [Histogram(START, middle, [1] * 16),
                                     Histogram(middle, END, [1] * 3)]),
                 ("other unit", [Histogram(START, middle, [1] * 16),
                                 Histogram(middle, END, [1] * 24, dimension="hours")]),
                 ("other length", [Histogram(START, middle, [1] * 16),
                                   Histogram(START, middle, [1] * 8)])]
        self.compare(self.cases("misfits", ((label, gmon_files.gnu_file(Layout(), records))
                                            for label, records in files)), refused_alike)

    def executables(self, name, contents, judge, words=("-b",)):
        directory = self.new_directory(name)
        (directory / "gmon.out").write_bytes(WHOLE["v1"])
        cases = []
        for number, (label, content) in enumerate(contents):
            (directory / f"program{number}").write_bytes(content)
            cases.append(Case(directory, (*words, f"program{number}"), f"{name}: {label}",
                              limited=True))
        self.compare(cases, judge)

    def test_what_is_no_executable(self):
        whole = PROGRAM.bytes()
        self.executables("no_executable", (
            ("empty", b""), ("text", b"#!/bin/sh\nexit 0\n"), ("profile", WHOLE["v1"]),
            ("magic alone", whole[:4]), ("identity alone", whole[:16]), ("header", whole[:64]),
            ("zeros", bytes(4096)), ("archive", b"!<arch>\n"), ("dos", b"MZ" + bytes(200)),
            ("no symbols", elf_program.Program([], with_symbols=False).bytes()),
            ("empty table", elf_program.Program([]).bytes()),
            ("no .text", elf_program.Program([], text_name=".code").bytes()),
            ("only data", elf_program.Program(
                [elf_program.Symbol("x", END, "object", "local")]).bytes()),
        ), refused_alike)

    def test_executable_cut_and_damaged(self):
        whole = PROGRAM.bytes()
        self.executables("cut_executable", [(f"{size} bytes", whole[:size])
                                            for size in range(0, len(whole), 13)], ends_well)
        damaged = []
        for seed in range(150):
            generator = random.Random(seed)
            content = bytearray(whole)
            # Headers and tables, not the code: that is what a reader reads.
            places = [*range(64), *range(len(whole) - 900, len(whole))]
            for _ in range(generator.choice((1, 2, 3))):
                content[generator.choice(places)] = generator.randrange(256)
            damaged.append((f"seed {seed}", bytes(content)))
        self.executables("damaged_executable", damaged, ends_well)
