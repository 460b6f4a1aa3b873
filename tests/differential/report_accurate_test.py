"""`gprof-lsp report --accurate` and `--error`: what they tell that GNU gprof does not.

Without them the reports are GNU gprof's; each test shows that too, where there is a difference.
"""
import math
import re
import subprocess
import unittest

import elf_program
import gmon_files
from elf_program import Symbol
from gmon_files import Arc, Histogram, Layout
from own_folders import fresh_folder
from profiled_program import require, run
from report_cases import require_judge, subject
from report_programs import code_of

START, STEP = 0x401000, 64
UNKNOWN = "<unknown code>"
ROW = re.compile(r"^ *([\d.]+) +([\d.]+) +([\d.]+)(?: *\+-([\d.]+))?( +\d+ +[\d.]+ +[\d.]+| {27})"
                 r"  (.+)$")
CLONES = """
#include <stdlib.h>
volatile int seen;
__attribute__((cold)) void fatal(int n) { seen = n; abort(); }
static __attribute__((noinline)) int scaled(int n, int by) {
  for (int i = 0; i < 40; i++) seen += n * by;
  for (int i = 0; i < 30; i++) seen -= n + by;
  return seen;
}
int checked(int n) {
  if (n < 0) { seen = n; fatal(n + seen); }
  return scaled(n, 3) + scaled(n + 1, 3);
}
int main(void) { return checked(seen) == 12345; }
"""


def flat_rows(text):
    """{name: (self seconds, error or None, calls)} in the order of the flat profile."""
    body = text.split("\f")[0]
    rows = filter(None, map(ROW.match, body.splitlines()))
    return {row[6]: (float(row[3]), row[4] and float(row[4]), int((row[5].split() or [0])[0]))
            for row in rows}


class OwnReports(unittest.TestCase):
    def setUp(self):
        self.directory = fresh_folder(self.addCleanup)

    def ours(self, *words):
        done = subprocess.run([*subject(), "-b", *words], cwd=self.directory, capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def theirs(self, *words):
        require_judge()
        return run(["gprof", "-b", *words], self.directory)

    def describe(self, symbols, arcs=(), ticks=1, rate=1):
        """`ticks` in every two bytes of code; with a rate of 1, seconds are ticks."""
        end = START + STEP * 8
        elf_program.Program(symbols, text_size=end - START).write(self.directory / "a.out")
        self.total = ticks * (end - START) // 2
        self.records = [Histogram(START, end, [ticks] * ((end - START) // 2), rate), *arcs]
        gmon_files.write(self.directory / "gmon.out", self.records)


class Accurate(OwnReports):
    def clones(self):
        names = ("whole", "whole.cold", "whole.part.0", "whole.constprop.0", "whole.isra.0",
                 "whole.lto_priv.3", "other", "zz_last")
        self.describe([Symbol(name, START + STEP * i, size=STEP,
                              binding="local" if "." in name else "global")
                       for i, name in enumerate(names)])

    def test_clones_have_rows_of_their_own(self):
        self.clones()
        rows = flat_rows(self.ours("-p", "--accurate"))
        self.assertEqual(set(rows), {"whole", "other", "zz_last",
                                     *(f"whole [.{clone}]" for clone in (
                                         "cold", "part.0", "constprop.0", "isra.0",
                                         "lto_priv.3"))})
        self.assertEqual({row[0] for row in rows.values()}, {STEP / 2})

    def test_clones_belong_to_their_neighbour_otherwise(self):
        self.clones()
        self.assertEqual(flat_rows(self.ours("-p"))["whole"][0], 6 * STEP / 2)
        self.assertEqual(flat_rows(self.theirs("-p"))["whole"][0], 6 * STEP / 2)

    def test_clones_of_a_compiler(self):
        require("gcc", "nm", "readelf")
        (self.directory / "clones.c").write_text(CLONES)
        run(["gcc", "-O2", "-g", "-no-pie", "clones.c", "-o", "a.out"], self.directory)
        local = set(re.findall(r" [tT] ((?:checked|scaled)\S*)",
                               run(["nm", "a.out"], self.directory)))
        clones = {name for name in local if "." in name}
        if not clones:
            self.skipTest("skipped: gcc makes no clones of these")
        code = code_of(self.directory / "a.out")
        bins = [1] * ((code.high - code.low) // 2)
        gmon_files.write(self.directory / "gmon.out",
                         [Histogram(code.low, code.high, bins)], code.layout)
        rows = flat_rows(self.ours("-p", "--accurate"))
        for name in clones:
            function, _, suffix = name.partition(".")
            self.assertIn(f"{function} [.{suffix}]", rows)

    def test_calls_of_clones(self):
        names = ("caller", "callee", "callee.part.0", "zz_last")
        symbols = [Symbol(name, START + STEP * i, size=STEP,
                          binding="local" if "." in name else "global")
                   for i, name in enumerate(names)]
        self.describe(symbols, [Arc(START + 5, START + STEP, 2),
                                Arc(START + 5, START + 2 * STEP, 7)])
        rows = flat_rows(self.ours("-p", "--accurate"))
        self.assertEqual((rows["callee"][2], rows["callee [.part.0]"][2]), (2, 7))
        self.assertEqual(flat_rows(self.ours("-p"))["callee"][2], 9)

    def test_code_of_no_function(self):
        """Three quarters of the code have no symbol that says it is theirs."""
        self.describe(elf_program.functions(["first", "second"]))
        rows = flat_rows(self.ours("-p", "--accurate"))
        self.assertEqual({name: row[0] for name, row in rows.items()},
                         {"first": 32, "second": 32, UNKNOWN: 192})
        self.assertNotIn(UNKNOWN, self.ours("-p"))

    def test_stripped_symbols(self):
        require("gcc", "nm", "readelf", "objcopy")
        (self.directory / "clones.c").write_text(CLONES)
        run(["gcc", "-O0", "-no-pie", "clones.c", "-o", "a.out"], self.directory)
        code = code_of(self.directory / "a.out")
        entry = {name: address for address, name in code.functions.items()}
        bins = [0] * ((code.high - code.low) // 2)
        bins[(entry["scaled"] - code.low) // 2 + 3] = 5
        bins[(entry["checked"] - code.low) // 2 + 3] = 4
        gmon_files.write(self.directory / "gmon.out",
                         [Histogram(code.low, code.high, bins, rate=1)], code.layout)
        self.assertEqual(flat_rows(self.ours("-p", "--accurate"))["scaled"][0], 5)
        run(["objcopy", "--strip-symbol=scaled", "a.out"], self.directory)
        rows = flat_rows(self.ours("-p", "--accurate"))
        self.assertEqual({name: row[0] for name, row in rows.items()}, {UNKNOWN: 5, "checked": 4})
        # GNU gprof takes it for the function before.
        self.assertEqual(flat_rows(self.theirs("-p")), flat_rows(self.ours("-p")))
        self.assertEqual(flat_rows(self.ours("-p"))["fatal"][0], 5)

    def test_rows_add_up_to_the_histogram(self):
        for ticks in (1, 3, 60000):
            for symbols in (1, 2, 5, 8):
                with self.subTest(ticks=ticks, symbols=symbols):
                    self.describe(elf_program.functions([f"f{i}" for i in range(symbols)]),
                                  ticks=ticks)
                    rows = flat_rows(self.ours("-p", "--accurate"))
                    self.assertEqual(sum(row[0] for row in rows.values()), self.total)

    def test_unknown_code_is_no_function_to_call_or_to_order(self):
        self.describe([Symbol("first", START, size=STEP)], [Arc(START + 1, START, 4)])
        for option in ("-C", "-r", "-A"):
            self.assertNotIn(UNKNOWN, self.ours("--accurate", "-z", option))
        self.assertEqual(self.ours("--accurate", "-z", "-p", "-r").count(UNKNOWN), 1)
        self.assertIn(UNKNOWN, self.ours("--accurate", "-q"))

    def test_calls_from_nowhere_known(self):
        """Signal handlers, callbacks of a library: GNU gprof forgets their calls."""
        self.describe(elf_program.functions(["known", "handler", "zz_last"]),
                      [Arc(0, START + STEP, 6), Arc(START + 8, START + STEP, 2)])
        text = self.ours("-q", "--accurate")
        self.assertRegex(text, r"(?m)^ +24\.00 +0\.00 +6/8 +<spontaneous>$")
        self.assertRegex(text, r"(?m)^ +8\.00 +0\.00 +2/8 +known \[\d+\]$")
        self.assertEqual(flat_rows(self.ours("-p", "--accurate"))["handler"][2], 8)
        self.assertEqual(flat_rows(self.ours("-p"))["handler"][2], 2)
        self.assertEqual(flat_rows(self.theirs("-p"))["handler"][2], 2)

    def test_rounded_call_sites(self):
        """glibc rounds the call down to 16 bytes, here into the function before."""
        names = {"before": 0, "caller": 8, "callee": STEP, "zz_last": 2 * STEP}
        symbols = [Symbol(name, START + at, size=8) for name, at in names.items()]
        text = bytearray(b"\x90" * (3 * STEP))
        text[8:13] = b"\xe8" + (STEP - 13).to_bytes(4, "little")
        elf_program.Program(symbols, text_size=len(text), text=bytes(text)).write(
            self.directory / "a.out")
        (self.directory / "gmon.out").write_bytes(gmon_files.gnu_file(
            Layout(), [Histogram(START, START + 2 * STEP, [1] * 64), Arc(START, START + STEP, 3)]))
        called_by = r"(?m)^.* 3/3 +%s \[\d+\]$"
        self.assertRegex(self.ours("-q", "--accurate"), called_by % "caller")
        self.assertRegex(self.ours("-q"), called_by % "before")
        self.assertRegex(self.theirs("-q"), called_by % "before")

    def test_symbols_that_gnus_filter_drops(self):
        symbols = [Symbol("plain", START, size=STEP),
                   Symbol("odd$name", START + STEP, size=STEP, binding="local")]
        self.describe(symbols)
        self.assertEqual(flat_rows(self.ours("-p", "--accurate"))["odd$name"][0], STEP / 2)
        self.assertNotIn("odd$name", self.ours("-p"))
        self.assertNotIn("odd$name", self.theirs("-p"))

    def test_symbols_from_elsewhere(self):
        """With -S or -R the functions are not the program's, and calls go to those that are."""
        self.describe(elf_program.functions(["a", "b", "c", "zz_last"]),
                      [Arc(START + 4, START + STEP, 3), Arc(START + STEP, START + 2 * STEP, 2)])
        (self.directory / "list").write_text(
            f"{START:016x} T a\n{START + 2 * STEP:016x} T c\n")
        rows = flat_rows(self.ours("-p", "--accurate", "-Slist"))
        self.assertEqual({name: row[2] for name, row in rows.items()}, {"a": 0, "c": 2})
        (self.directory / "map").write_text("x.o:0 T a\nx.o:0 T b\ny.o:0 T c\n")
        self.ours("--accurate", "-Rmap")
        self.ours("--accurate", "-Rmap", "-q", "-p")

    def test_sum_of_an_accurate_report(self):
        self.describe(elf_program.functions(["known", "handler", "zz_last"]),
                      [Arc(0, START + STEP, 6), Arc(START + 8, START + STEP, 2)])
        self.ours("--accurate", "-s", "-p")
        self.assertEqual(flat_rows(self.theirs("-p", "a.out", "gmon.sum"))["handler"][2], 2)


class Errors(OwnReports):
    def test_error_is_the_root_of_the_samples(self):
        for rate, ticks in ((1, 1), (100, 7), (250, 40000)):
            with self.subTest(rate=rate):
                self.describe(elf_program.functions(["a", "b", "c", "zz_last"]), ticks=ticks,
                              rate=rate)
                for words in ((), ("--accurate",)):
                    rows = flat_rows(self.ours("-p", "--error", *words))
                    self.assertTrue(rows)
                    for seconds, error, _calls in rows.values():
                        root = math.sqrt(seconds * rate) / rate
                        self.assertAlmostEqual(error, root, delta=0.0051)

    def test_error_of_nothing_is_nothing(self):
        self.describe(elf_program.functions(["a", "b", "zz_last"]), ticks=0)
        rows = flat_rows(self.ours("-p", "-z", "--error"))
        self.assertEqual({row[1] for row in rows.values()}, {0})

    def test_without_the_option_there_is_no_column(self):
        self.describe(elf_program.functions(["a", "b", "zz_last"]))
        self.assertNotIn("+-", self.ours())
        shown = self.ours("-p", "--error")
        self.assertIn(" +-error ", shown)
        self.assertEqual(re.sub(r" {2}\+-error| \s*\+-[\d.]+(?= )", "", shown).split(),
                         self.ours("-p").split())
