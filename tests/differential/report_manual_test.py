"""The examples of the 1982 paper and of the manual, rebuilt as profiles: the same figures.

The layout is that of binutils 2.40. Index numbers depend on functions that the examples leave out
and are masked. Each report is also compared with GNU gprof's, where that is installed.
"""
import re
import shutil
import unittest

import elf_program
import gmon_files
import gnu_versions
from gmon_files import Arc, Blocks, Histogram
from own_folders import fresh_folder
from profiled_program import PROGRAMS, require, run
from report_cases import Case, difference, outcome_of, subject

START, STEP = 0x401000, 64
INDEX = re.compile(r"\[\d+\]")
PLACE = re.compile(r" @ [0-9a-f]+")


def masked(text):
    """Without index numbers, addresses and the blanks that they push about."""
    return [re.sub(r"\s+", " ", PLACE.sub("", INDEX.sub("[i]", line))).strip()
            for line in text.splitlines()]


class Example(unittest.TestCase):
    def setUp(self):
        self.directory = fresh_folder(self.addCleanup)

    def describe(self, ticks, calls):
        """A program of the functions in `ticks`, with as many ticks, and `calls` among them."""
        symbols = elf_program.functions([*ticks, "zz_last"], START, STEP)
        program = elf_program.Program(symbols, text_size=STEP * len(symbols))
        program.write(self.directory / "program")
        bins = [0] * (STEP // 4 * len(ticks))
        for i, count in enumerate(ticks.values()):
            bins[STEP // 4 * i] = count
        address = {symbol.name: symbol.address for symbol in symbols}
        arcs = [Arc(address[caller], address[callee], count) for caller, callee, count in calls]
        self.write([Histogram(START, symbols[-1].address, bins), *arcs])

    def write(self, records):
        gmon_files.write(self.directory / "gmon.out", records)

    def report(self, *words):
        """Our report; it is GNU gprof's too."""
        case = Case(self.directory, ("-b", *words, "program"))
        outcome = outcome_of(subject(), case)
        self.assertEqual((outcome.status, outcome.stderr), (0, b""))
        if gnu_versions.installed() is not None:
            self.assertIsNone(difference(case), difference(case))
        return outcome.stdout.decode()

    def assert_lines(self, text, expected):
        """The expected lines stand in the report, one below the other."""
        lines, wanted = masked(text), masked(expected.strip("\n"))
        found = any(lines[i:i + len(wanted)] == wanted for i in range(len(lines)))
        self.assertTrue(found, f"{wanted} is not in\n{text}")


class Paper(Example):
    def test_figure_4(self):
        """EXAMPLE: two callers, itself, a member of a cycle, a shared child, one never called."""
        self.describe(
            {"CALLER1": 13, "CALLER2": 30, "EXAMPLE": 50, "SUB1": 100, "partner": 200, "leaf": 200,
             "SUB2": 0, "slow": 250, "SUB3": 0, "other": 0},
            [("CALLER1", "EXAMPLE", 4), ("CALLER2", "EXAMPLE", 6), ("EXAMPLE", "EXAMPLE", 4),
             ("EXAMPLE", "SUB1", 20), ("other", "SUB1", 20), ("SUB1", "partner", 3),
             ("partner", "SUB1", 3), ("partner", "leaf", 9), ("EXAMPLE", "SUB2", 1),
             ("other", "SUB2", 4), ("SUB2", "slow", 5), ("EXAMPLE", "SUB3", 0),
             ("other", "SUB3", 5)])
        self.assert_lines(self.report("-q"), """
                                   4             EXAMPLE [2]
                0.20    1.20       4/10          CALLER1 [7]
                0.30    1.80       6/10          CALLER2 [1]
[2]     41.5    0.50    3.00      10+4       EXAMPLE [2]
                1.50    1.00      20/40          SUB1 <cycle 1> [4]
                0.00    0.50       1/5           SUB2 [9]
                0.00    0.00       0/5           SUB3 [11]
                                   4             EXAMPLE [2]
""")


class Cycle(Example):
    """Section 5.2.4: main calls a; a and b call each other; both call c."""

    def setUp(self):
        super().setUp()
        self.describe({"start": 0, "main": 16, "a": 75, "b": 102, "c": 0},
                      [("start", "main", 1), ("main", "a", 1), ("a", "b", 3), ("b", "a", 2),
                       ("a", "c", 3), ("b", "c", 3)])
        self.text = self.report("-q")

    def test_entry_of_the_cycle(self):
        """2.40 shows its callers in the members' entries alone."""
        self.assert_lines(self.text, """
[3]     91.7    1.77    0.00       1+5       <cycle 1 as a whole> [3]
                1.02    0.00       3             b <cycle 1> [4]
                0.75    0.00       3             a <cycle 1> [5]
""")

    def test_members(self):
        self.assert_lines(self.text, """
                                   3             a <cycle 1> [5]
[4]     52.8    1.02    0.00       3         b <cycle 1> [4]
                0.00    0.00       3/6           c [6]
                                   2             a <cycle 1> [5]
""")
        self.assert_lines(self.text, """
                                   2             b <cycle 1> [4]
                1.77    0.00       1/1           main [2]
[5]     38.9    0.75    0.00       3         a <cycle 1> [5]
                0.00    0.00       3/6           c [6]
                                   3             b <cycle 1> [4]
""")

    def test_around_it(self):
        self.assert_lines(self.text, """
                                                 <spontaneous>
[1]    100.0    0.00    1.93                 start [1]
                0.16    1.77       1/1           main [2]
""")
        self.assert_lines(self.text, """
                0.16    1.77       1/1           start [1]
[2]    100.0    0.16    1.77       1         main [2]
                1.77    0.00       1/1           a <cycle 1> [5]
""")


class Built(Example):
    """Examples by line: programs whose line tables say what the manual's said."""

    def build(self, source):
        require("gcc", "objdump", "nm")
        shutil.copy2(PROGRAMS / "report" / source, self.directory / source)
        run(["gcc", "-O0", "-gdwarf-4", "-no-pie", "-w", source, "-o", "program"], self.directory)
        self.lines = {}
        decoded = run(["objdump", "--dwarf=decodedline", "program"], self.directory)
        for file, line, address in re.findall(r"^(\S+)\s+(\d+)\s+0x([0-9a-f]+)", decoded, re.M):
            self.lines.setdefault((file, int(line)), int(address, 16))
        self.functions = {name: int(address, 16) for address, _, name in (
            line.split() for line in run(["nm", "-g", "program"], self.directory).splitlines()
            if len(line.split()) == 3)}

    def histogram(self, ticks, bin_size):
        """Ticks in the first bin that lies wholly behind a line's first byte."""
        low = min(self.lines.values()) & ~15
        high = (max(self.lines.values()) | 15) + 1
        bins = [0] * ((high - low) // bin_size)
        for place, count in ticks.items():
            bins[-((low - self.lines[place]) // bin_size)] = count
        return Histogram(low, high, bins)


class Gzip(Built):
    """Section 5.3."""

    CALLS = {("gzip.c", 1440): 1, ("deflate.c", 763): 1, ("trees.c", 396): 1,
             ("deflate.c", 727): 2, ("deflate.c", 686): 4, ("deflate.c", 675): 5,
             ("deflate.c", 679): 12, ("deflate.c", 730): 16, ("deflate.c", 654): 128,
             ("trees.c", 384): 3071, ("trees.c", 385): 3730, ("trees.c", 387): 6525}

    def setUp(self):
        super().setUp()
        self.build("gzip_lines.c")
        ticks = {("trees.c", line): 1 for line in (349, 351, 382, 385)}
        ticks |= {("deflate.c", 780): 5, ("deflate.c", 790): 4}
        arcs = [Arc(self.lines[place], self.functions["init_block"], count)
                for place, count in self.CALLS.items()]
        arcs.append(Arc(self.lines["gzip.c", 1501], self.functions["ct_init"], 6335))
        # Bins of 4 bytes, as the manual's; a call has 5, in which not every such bin fits.
        self.profiles = {size: [self.histogram(ticks, size), *arcs] for size in (2, 4)}
        self.write(self.profiles[4])

    def test_flat_profile_by_function(self):
        text = self.report("-p")
        self.assert_lines(text, """
  %   cumulative   self              self     total
 time   seconds   seconds    calls  us/call  us/call  name
""")
        self.assert_lines(text, " 30.77      0.13     0.04     6335     6.31     6.31  ct_init")

    def test_graph_by_function(self):
        text = self.report("-q")
        self.assert_lines(
            text, "granularity: each sample hit covers 4 byte(s) for 7.69% of 0.13 seconds")
        self.assert_lines(text, """
                0.00    0.00       1/13496       name_too_long [5]
                0.00    0.00      40/13496       deflate [1]
                0.00    0.00     128/13496       deflate_fast [4]
                0.00    0.00   13327/13496       ct_init [2]
[7]      0.0    0.00    0.00   13496         init_block [7]
""")

    def test_flat_profile_by_line(self):
        self.write(self.profiles[2])
        self.assert_lines(self.report("-l", "-p"), """
  7.69      0.10     0.01                             ct_init (trees.c:349 @ 401120)
  7.69      0.11     0.01                             ct_init (trees.c:351 @ 40112f)
  7.69      0.12     0.01                             ct_init (trees.c:382 @ 40113e)
  7.69      0.13     0.01                             ct_init (trees.c:385 @ 401152)
""")

    def test_graph_by_line(self):
        self.assert_lines(self.report("-l", "-q"), """
                0.00    0.00       1/13496       name_too_long (gzip.c:1440) [12]
                0.00    0.00       1/13496       deflate (deflate.c:763) [13]
                0.00    0.00       1/13496       ct_init (trees.c:396) [14]
                0.00    0.00       2/13496       deflate (deflate.c:727) [15]
                0.00    0.00       4/13496       deflate (deflate.c:686) [16]
                0.00    0.00       5/13496       deflate (deflate.c:675) [17]
                0.00    0.00      12/13496       deflate (deflate.c:679) [18]
                0.00    0.00      16/13496       deflate (deflate.c:730) [19]
                0.00    0.00     128/13496       deflate_fast (deflate.c:654) [20]
                0.00    0.00    3071/13496       ct_init (trees.c:384) [21]
                0.00    0.00    3730/13496       ct_init (trees.c:385) [22]
                0.00    0.00    6525/13496       ct_init (trees.c:387) [23]
[6]      0.0    0.00    0.00   13496         init_block (trees.c:408) [6]
""")


class AnnotatedSource(Built):
    """Section 5.4: updcrc, called twice, once through each branch."""

    COUNTS = {4: (2,), 9: (2,), 10: (1,), 12: (1,), 13: (1,), 14: (26312,),
              15: (26312, 1, 26311), 17: (2,), 18: (2,), 19: (2,)}

    def test_updcrc(self):
        self.build("updcrc.c")
        blocks = [(self.lines["updcrc.c", line] + i, count)
                  for line, counts in self.COUNTS.items() for i, count in enumerate(counts)]
        self.write([Arc(self.lines["updcrc.c", 24], self.functions["updcrc"], 2),
                    Blocks(tuple(blocks))])
        text = self.report("-l", "-A", "-x")
        counts = dict(zip(range(1, 20), self.counts_of(text)))
        expected = {line: ",".join(map(str, counts)) for line, counts in self.COUNTS.items()}
        self.assertEqual({line: counts[line] for line in expected}, expected)

    @staticmethod
    def counts_of(text):
        listing = text.split("*** File ")[1].splitlines()[1:]
        return [line[:13].strip() for line in listing]
