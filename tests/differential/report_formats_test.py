"""Every format of profile data is read, summed and written as GNU gprof does."""
import random

import elf_program
import gmon_files
from gmon_files import Arc, Blocks, Histogram, Layout, Shape
from report_cases import Case, ReportTest, enough_comparisons

START, STEP, COUNT = 0x401000, 32, 12
ADDRESSES = [START + STEP * i for i in range(COUNT)]
SMALL = Shape(arcs=25, ticks=40)

tearDownModule = enough_comparisons("formats")


def program_for(machine=elf_program.X86_64):
    names = [f"f{i}" for i in range(COUNT - 1)] + ["zz_last"]
    return elf_program.Program(elf_program.functions(names, START, STEP), machine,
                               text_size=STEP * COUNT)


def records_of(seed, shape=SMALL):
    return gmon_files.random_profile(seed, ADDRESSES, START, ADDRESSES[-1], shape)


def blocks_of(seed):
    generator = random.Random(seed)
    return Blocks(tuple((generator.choice(ADDRESSES) + generator.randrange(STEP),
                         generator.randint(0, 99)) for _ in range(9)))


# Every file a machine may have: name -> bytes of (layout, records, blocks).
FORMATS = {
    "v1": lambda layout, records, blocks: gmon_files.gnu_file(layout, records),
    "v0": lambda layout, records, blocks: gmon_files.gnu_file(layout, records, version=0),
    "bsd": lambda layout, records, blocks: gmon_files.bsd_file(layout, records[0], records[1:]),
    "bsd44": lambda layout, records, blocks: gmon_files.bsd44_file(layout, records[0], records[1:]),
    "v1_blocks": lambda layout, records, blocks: gmon_files.gnu_file(layout, [*records, blocks]),
    "v0_blocks": lambda layout, records, blocks: gmon_files.gnu_file(layout, [*records, blocks], 0),
}
# GNU gprof swaps the counts of blocks twice where the byte order is not the machine's.
NOT_BIG_ENDIAN = ("v1_blocks", "v0_blocks")
# GNU gprof wants four bytes more for each block of a 32-bit file than it does by its own layout.
NOT_32_BIT = ("v0_blocks",)


class Formats(ReportTest):
    def directory_with(self, name, files, machine=elf_program.X86_64):
        directory = self.new_directory(name)
        program_for(machine).write(directory / "program")
        for file, content in files.items():
            (directory / file).write_bytes(content)
        return directory

    def test_every_machine(self):
        cases = []
        for machine in elf_program.MACHINES:
            layout = Layout.of(machine)
            files = {name: write(layout, records_of(machine.name), blocks_of(machine.name))
                     for name, write in FORMATS.items()
                     if (machine.order == "little" or name not in NOT_BIG_ENDIAN)
                     and (machine.pointer_size == 8 or name not in NOT_32_BIT)}
            directory = self.directory_with(machine.name, files, machine)
            for name in files:
                cases += [Case(directory, (*words, "program", name), f"{machine.name} {name}")
                          for words in (("-b",), ("-b", "-i"), ("-b", "-C"))]
        self.compare(cases)

    def test_named_formats(self):
        layout = Layout()
        files = {name: write(layout, records_of(5), blocks_of(5))
                 for name, write in FORMATS.items()}
        directory = self.directory_with("named", files)
        self.compare(Case(directory, ("-b", "-O", choice, "program", name), f"-O {choice} {name}",
                          limited=True)
                     for name, choices in (("bsd", ("auto", "bsd", "b")),
                                           ("bsd44", ("auto", "4.4bsd", "4", "bsd")),
                                           ("v1", ("auto", "magic", "m", "a")),
                                           ("v0", ("auto", "magic")),
                                           ("v1_blocks", ("magic",)))
                     for choice in choices)

    def test_rates_dimensions_and_scales(self):
        cases = []
        for number, (rate, dimension, letter) in enumerate((
                (1, "seconds", "s"), (18, "seconds", "s"),
                (99, "seconds", "s"), (1_000_000, "seconds", "s"), (2_147_483_648, "seconds", "s"),
                (100, "cache-misses", "m"), (100, "fifteen-letters", "f"), (1, "", "s"),
                (7, "x", "x"), (100, "instructions", "i"), (4_294_967_295, "seconds", "s"))):
            histogram, *arcs = records_of(number)
            histogram.rate, histogram.dimension = rate, dimension
            histogram.abbreviation = letter
            files = {"gmon.out": gmon_files.gnu_file(Layout(), [histogram, *arcs]),
                     "bsd44": gmon_files.bsd44_file(Layout(), histogram, arcs)}
            directory = self.directory_with(f"rate{number}", files)
            cases += [Case(directory, words, f"rate {rate} {dimension}")
                      for words in (("-b", "program"), ("-b", "-T", "program"),
                                    ("-b", "-p", "program"), ("-b", "-z", "program"),
                                    ("-b", "program", "bsd44"))]
        self.compare(cases)

    def test_bins_that_do_not_divide_the_range(self):
        cases = []
        for number in range(60):
            generator = random.Random(number)
            low = generator.choice((0, 2, 16, START, START + 6, START - 32))
            high = generator.choice((ADDRESSES[-1], ADDRESSES[5], ADDRESSES[-1] - 2))
            if high - low > 0x10000:
                low = START
            bins = generator.randint(1, (high - low) // 2)
            histogram = Histogram(low, high, [generator.choice((0, 1, 9, 65535))
                                              for _ in range(bins)])
            records = [histogram, *records_of(number)[1:]]
            files = {"gmon.out": gmon_files.gnu_file(Layout(), records)}
            directory = self.directory_with(f"bins{number}", files)
            cases += [Case(directory, (*words, "program"), f"{bins} bins of {low:#x}-{high:#x}")
                      for words in (("-b",), ("-b", "-p", "-z"))]
        self.compare(cases)

    def test_several_histograms(self):
        middle, end = ADDRESSES[5], ADDRESSES[-1]

        def bins(seed, low, high):
            return gmon_files.random_histogram(random.Random(seed), low, high, SMALL)
        arcs = records_of(1)[1:]
        sets = {
            "apart": [bins(1, START, middle), bins(2, middle, end)],
            "reversed": [bins(1, middle, end), bins(2, START, middle)],
            "same": [bins(1, START, end), bins(2, START, end), bins(3, START, end)],
            "gap": [bins(1, START, ADDRESSES[2]), bins(2, middle, end)],
            "both": [bins(1, START, middle), bins(2, middle, end), bins(3, START, middle)],
            "rates": [bins(1, START, middle),
                      Histogram(middle, end, bins(2, middle, end).bins, rate=1000)],
            # On one grid ours adds them up: report_gnu_differences_test.
            "overlap": [bins(1, START, middle), bins(2, ADDRESSES[4] + 2, end + 2)],
            "inside": [bins(1, START, end), bins(2, ADDRESSES[3] + 2, ADDRESSES[4] + 2)],
            "scales": [bins(1, START, middle), Histogram(middle, end, [1] * 7)],
            "units": [bins(1, START, middle), Histogram(middle, end, bins(2, middle, end).bins,
                                                        dimension="minutes")],
            "letters": [bins(1, START, middle), Histogram(middle, end, bins(2, middle, end).bins,
                                                          abbreviation="S")],
            "only_arcs": [],
        }
        files = {name: gmon_files.gnu_file(Layout(), [*records, *arcs])
                 for name, records in sets.items()}
        files["no_records"] = gmon_files.gnu_file(Layout(), [])
        files["only_blocks"] = gmon_files.gnu_file(Layout(), [blocks_of(1)])
        files["only_ticks"] = gmon_files.gnu_file(Layout(), [bins(1, START, end)])
        files["arcs_first"] = gmon_files.gnu_file(Layout(), [*arcs, bins(1, START, end)])
        directory = self.directory_with("several", files)
        self.compare(Case(directory, (*words, "program", name), name)
                     for name in files
                     for words in (("-b",), ("-b", "-i"), ("-b", "-p"), ("-b", "-q"), ("-b", "-C"),
                                   ("-b", "-q", "-P"), ("-b", "-P"), ("-b", "-Q"), ("-b", "-r")))

    def sum_directory(self, name):
        files = {}
        for number in range(3):
            records = records_of(number, Shape(arcs=25, ticks=400))
            files[f"run{number}"] = gmon_files.gnu_file(Layout(), records)
            files[f"bsd{number}"] = gmon_files.bsd44_file(Layout(), records[0], records[1:])
            files[f"old{number}"] = gmon_files.bsd_file(Layout(), records[0], records[1:])
        files["blocks"] = gmon_files.gnu_file(Layout(), [*records_of(7), blocks_of(7)])
        # On one grid ours adds them up: report_gnu_differences_test.
        files["fewer"] = gmon_files.gnu_file(
            Layout(), [Histogram(START + 2, ADDRESSES[4] + 2, [1] * 32), *records_of(3)[1:]])
        files["other_rate"] = gmon_files.gnu_file(Layout(), records_of(4, Shape(rate=1000)))
        return self.directory_with(name, files)

    def test_sums(self):
        directory = self.sum_directory("sums")
        sets = (("run0", "run1"), ("run2", "run1", "run0"), ("run0",) * 5, ("bsd0", "bsd1"),
                ("old0", "old2"), ("bsd0", "old1"), ("run0", "bsd1"), ("bsd1", "run0"),
                ("run0", "blocks"), ("run0", "fewer"), ("fewer", "run0"), ("run0", "other_rate"),
                ("other_rate", "run0"), ("run0", "no_such_file"), ("no_such_file", "run0"),
                ("run0", "program"), ("blocks", "blocks"))
        self.compare([*(Case(directory, ("-b", *words, "program", *files), "sum", limited=True)
                        for files in sets
                        for words in ((), ("-i",), ("-T",), ("-C", "-z"))),
                      *(Case(directory, ("-b", "-s", *words, "program", *files), "gmon.sum",
                             writes=True, limited=True)
                        for files in sets for words in ((), ("-p",), ("-q", "-z")))])

    def test_sums_written_as_bsd(self):
        directory = self.sum_directory("bsd_sums")
        self.compare(Case(directory, ("-b", "-s", "-O", choice, "program", *files), "gmon.sum",
                          writes=True)
                     for choice, files in (("bsd", ("old0", "old1")), ("4.4bsd", ("bsd0", "bsd1")),
                                           ("bsd", ("old0",)), ("magic", ("run0", "run1")),
                                           ("4.4bsd", ("bsd2",))))

    def test_standard_input(self):
        directory = self.sum_directory("standard_input")
        sets = (("-b", "program", "-"), ("-b", "-i", "program", "-"),
                ("-b", "program", "run1", "-"), ("-b", "program", "-", "run1"))
        cases = [Case(directory, words, f"< {name}", stdin_file=name)
                 for name in ("run0", "bsd0", "old0", "blocks") for words in sets]
        # GNU gprof reads BSD's formats twice, which a pipe does not let it.
        cases += [Case(directory, words, f"{name} in a pipe",
                       stdin=(directory / name).read_bytes())
                  for name in ("run0", "blocks") for words in sets]
        cases.append(Case(directory, ("-b", "program", "-"), "nothing there"))
        self.compare(cases)

    def test_counts(self):
        """Sums of counts at the edge of 32 bits, zero counts, arcs from and to nowhere."""
        a, b, c = ADDRESSES[:3]
        sets = {
            "large": [Arc(a, b, 0xffffffff), Arc(a + 4, b, 0xffffffff), Arc(b, c, 0xffffffff)],
            "zero": [Arc(a, b, 0), Arc(b, c, 0), Arc(c, a, 0), Arc(a, a, 0)],
            "same": [Arc(a, b, 1)] * 50,
            "outside": [Arc(0, b, 3), Arc(a, 0, 3), Arc(1 << 40, b, 4), Arc(a, 1 << 40, 5)],
            "itself": [Arc(a, a, 7), Arc(b, b + 4, 8), Arc(a, b, 1)],
            "ring": [Arc(ADDRESSES[i], ADDRESSES[(i + 1) % COUNT], i) for i in range(COUNT)],
        }
        files = {}
        for name, arcs in sets.items():
            files[name] = gmon_files.gnu_file(Layout(), [records_of(1)[0], *arcs])
            files[name + "_bsd"] = gmon_files.bsd_file(Layout(), records_of(1)[0], arcs)
        directory = self.directory_with("counts", files)
        self.compare(Case(directory, (*words, "program", name), name)
                     for name in files
                     for words in (("-b",), ("-b", "-z"), ("-b", "-T"), ("-b", "-C", "-z")))
