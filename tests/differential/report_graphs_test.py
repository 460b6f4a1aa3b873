"""Reports on thousands of random programs and call graphs equal GNU gprof's, byte for byte."""
import random

import elf_program
import gmon_files
import report_option_sets as options
from report_cases import Case, ReportTest, enough_comparisons
from report_random_programs import (NOWHERE, named_functions, random_program,
                                    without_overlaps, words_of)
from seeds import moved_seed

PROGRAMS = 1600
ALWAYS = (("-b",), ("-b", "-r"))
OTHERS = options.REPORTS + options.SYMBOLS + options.WIDTHS + options.SELECTIONS

tearDownModule = enough_comparisons("graphs")


class RandomGraphs(ReportTest):
    def random_cases(self, seeds, machines, name):
        for seed in map(moved_seed, seeds):
            generator = random.Random(f"{name}{seed}")
            machine = machines[seed % len(machines)]
            program, records = random_program(f"{name} {seed}", machine)
            directory = self.new_directory(f"{name}{seed}")
            program.write(directory / "program")
            gmon_files.write(directory / "gmon.out", records, gmon_files.Layout.of(machine))
            places = named_functions(generator, program) | NOWHERE
            others = OTHERS + (options.WIDE_SELECTIONS * 2 if without_overlaps(program) else ())
            chosen = (ALWAYS[seed % 2], *generator.sample(others, 2))
            for option_set in chosen:
                words = words_of(option_set, places)
                yield Case(directory, (*words, "program", "gmon.out"), f"{name} {seed}")

    def test_x86_64(self):
        self.compare(self.random_cases(range(PROGRAMS), (elf_program.X86_64,), "graph"))

    def test_other_machines(self):
        self.compare(self.random_cases(range(130), elf_program.MACHINES, "machine"))

    def test_large_graphs(self):
        """Hundreds of functions: cycles of many members, an index of many rows."""
        cases = []
        for seed in map(moved_seed, range(6)):
            generator = random.Random(seed)
            addresses = [0x401000 + 32 * i for i in range(600)]
            symbols = [elf_program.Symbol(f"function_{i}", a) for i, a in enumerate(addresses)]
            program = elf_program.Program(symbols, text_size=32 * 601)
            shape = gmon_files.Shape(arcs=generator.choice((500, 900, 2500)), tick_share=0.2)
            records = gmon_files.random_profile(seed, addresses, addresses[0], addresses[-1], shape)
            directory = self.new_directory(f"large{seed}")
            program.write(directory / "program")
            gmon_files.write(directory / "gmon.out", records)
            cases += [Case(directory, (*words, "program", "gmon.out"), f"large {seed}")
                      for words in (("-b",), ("-b", "-r"), ("-b", "-T"), ("-b", "-C", "-z"))]
        self.compare(cases)
