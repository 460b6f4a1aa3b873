"""Where `gprof-lsp report` differs from GNU gprof on purpose: what ours shows.

docs/gnu-differences.md lists the differences. Nothing here asks GNU gprof, except to read the sums
that ours writes.
"""
import os
import re
import shutil
import subprocess
import unittest

import elf_program
import gmon_files
import windows_programs
from gmon_files import Arc, Blocks, Histogram, Layout
from own_folders import fresh_folder
from profiled_program import PROGRAMS, require, run
from report_cases import subject
from report_programs import BUILDS, STATICS, Unavailable, code_of, make, profile_of

START, STEP = 0x401000, 64
HEADER_FIRST = """#include "util.h"
int used;
int main(void) { return in_header(used); }
"""
CALLS_BOTH_WAYS = """
volatile int seen;
int early(int n) { seen = n; return n * 3; }
int late(int n);
int tail(int n) { seen = n; return late(n + 1); }
void _start(void) { seen = early(late(tail(seen))); for (;;) {} }
int late(int n) { return early(n) + 1; }
void zz_last(void) {}
"""


class Differences(unittest.TestCase):
    def setUp(self):
        self.directory = fresh_folder(self.addCleanup)

    def ours(self, *words, status=0):
        done = subprocess.run([*subject(), *words], cwd=self.directory, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=60, check=False)
        self.assertEqual(done.returncode, status, done.stderr.decode(errors="replace"))
        self.stderr = done.stderr.decode(errors="replace")
        return done.stdout.decode(errors="replace")

    def describe(self, names, calls=(), bins=None):
        symbols = elf_program.functions([*names, "zz_last"], START, STEP)
        elf_program.Program(symbols, text_size=STEP * len(symbols)).write(self.directory / "a.out")
        address = {symbol.name: symbol.address for symbol in symbols}
        end = symbols[-1].address
        self.records = [Histogram(START, end, bins or [1] * ((end - START) // 4)),
                        *(Arc(address[a], address[b], n) for a, b, n in calls)]
        self.write("gmon.out", self.records)

    def write(self, name, records):
        gmon_files.write(self.directory / name, records)

    def built(self, name):
        build = next(build for build in BUILDS if build.name == name)
        try:
            executable = make(build, self.directory)
        except Unavailable as reason:
            self.skipTest(f"skipped: {reason}")
        code = code_of(executable)
        gmon_files.write(self.directory / "gmon.out", profile_of(code, name), code.layout)
        return code

    def test_several_excluded_arcs_with_one_caller(self):
        """GNU gprof forgets all but the last -k of a caller."""
        self.describe(("a", "b", "c", "d"), (("a", "b", 1), ("a", "c", 2), ("a", "d", 3)))
        text = self.ours("-b", "-q", "-k", "a/b", "-k", "a/c")
        entry = next(e for e in text.split("-" * 47) if re.search(r"^\[\d+\].* a \[", e, re.M))
        self.assertRegex(entry, r"\bd \[")
        self.assertNotRegex(entry, r"\b[bc] \[")

    def test_overlapping_specifications(self):
        """-pFILE -pFUNCTION: all of the file's functions and the function, once each."""
        self.built("statics")
        text = self.ours("-b", "-pstatics_left.c", "-phelper", "program")
        names = [line.split()[-1] for line in text.splitlines()[5:] if line.strip()]
        self.assertEqual(sorted(names), ["helper"] * 3 + ["left", "only_left"])

    def test_lines_of_optimised_cpp(self):
        """GNU gprof -l dies on it."""
        self.built("shapes_optimised")
        self.assertIn("index % time", self.ours("-b", "-l", "program"))

    def test_first_file_of_a_dwarf_5_unit(self):
        """Code of a header that comes first in a unit is named after the header, as by 2.44."""
        require("gcc", "nm", "readelf")
        (self.directory / "util.h").write_text(
            "static int in_header(int n) {\n  return n + 1;\n}\n")
        (self.directory / "main.c").write_text(HEADER_FIRST)
        run(["gcc", "-O0", "-gdwarf-5", "-no-pie", "main.c", "-o", "a.out"], self.directory)
        code = code_of(self.directory / "a.out")
        gmon_files.write(self.directory / "gmon.out", [code.even_ticks()], code.layout)
        self.assertRegex(self.ours("-b", "-l", "-p"), r"in_header \(util\.h:2 @")

    def test_rows_of_discarded_code(self):
        """The lines of functions that the linker has thrown away are no lines of living code."""
        require("gcc", "nm", "readelf")
        dead = ["int dead(int n) {", *["  n = n * 3 + 1;"] * 2000, "  return n;", "}"]
        (self.directory / "main.c").write_text(
            "\n".join([*dead, "int main(void) {", "  return 7;", "}", ""]))
        run(["gcc", "-O0", "-gdwarf-4", "-pie", "-fPIE", "-ffunction-sections", "-Wl,--gc-sections",
             "main.c", "-o", "a.out"], self.directory)
        code = code_of(self.directory / "a.out")
        gmon_files.write(self.directory / "gmon.out", [code.even_ticks()], code.layout)
        lines = {int(n) for n in re.findall(r"\(main\.c:(\d+) @", self.ours("-b", "-l", "-p", "-z"))}
        first = len(dead) + 1
        self.assertEqual(lines, {first, first + 1, first + 2})

    def test_windows_programs_loaded_elsewhere(self):
        """A profile has the addresses of its run; reports are those of the linked program."""
        for machine in windows_programs.MACHINES:
            compiler = f"{machine.compilers}-gcc"
            require(compiler, "objdump", "nm")
            windows_programs.compile_sources(f"{machine.compilers}-gcc", STATICS, ("-O0", "-g"),
                                             self.directory)
            code = windows_programs.code_of(self.directory / "program", machine)
            records = profile_of(code, machine.compilers)
            profiles = {"linked": 0, "higher": 0x30000, "lower": -0x10000}
            for name, distance in profiles.items():
                moved = windows_programs.moved(records, distance)
                gmon_files.write(self.directory / name, moved, code.layout)
                (self.directory / f"{name}_bsd").write_bytes(
                    gmon_files.bsd44_file(code.layout, moved[0], moved[1:]))
            expected = self.ours("-b", "program", "linked")
            self.assertIn("only_left", expected)
            for name in ("higher", "lower", "linked_bsd", "higher_bsd", "lower_bsd"):
                self.assertEqual(self.ours("-b", "program", name), expected, name)
            expected = self.ours("-b", "program", "linked", "linked", "linked")
            self.assertEqual(self.ours("-b", "program", *profiles), expected)
            self.ours("-b", "-s", "program", *profiles)
            self.assertEqual(self.ours("-b", "program", "gmon.sum"), expected)

    def test_windows_code_without_lines(self):
        """The run-time library was compiled without -g: nothing of it is in a source of the program."""
        compiler = "x86_64-w64-mingw32-gcc"
        require(compiler, "objdump", "nm")
        windows_programs.compile_sources(compiler, STATICS, ("-O1", "-gdwarf-4", "-pg"),
                                         self.directory)
        code = windows_programs.code_of(self.directory / "program", windows_programs.MACHINES[0])
        gmon_files.write(self.directory / "gmon.out", [code.even_ticks()], code.layout)
        counts = self.ours("-b", "-C", "-z", "program", "gmon.out")
        self.assertIn("<unknown>:0: (__gcc_register_frame:", counts)
        self.assertRegex(counts, r"statics_left\.c:\d+: \(left:")

    def test_windows_code_outside_of_text(self):
        compiler = "x86_64-w64-mingw32-gcc"
        require(compiler, "objdump", "nm")
        windows_programs.compile_sources(
            compiler, ("sections.c",), ("-O2", "-gdwarf-4", "-ffunction-sections"), self.directory)
        code = windows_programs.code_of(self.directory / "program", windows_programs.MACHINES[0])
        records = profile_of(code, "sections", gmon_files.Shape(arcs=200, tick_share=0.1))
        gmon_files.write(self.directory / "gmon.out", records, code.layout)
        annotated = self.ours("-b", "-Asections.c", "program", "gmon.out")
        self.assertRegex(annotated, r"(?m)^ +##### -> PLACED.* elsewhere\(int n\)")
        ordered = self.ours("-b", "-r", "-k", "here/far_away", "program", "gmon.out").splitlines()
        for name in ("here", "far_away", "elsewhere"):
            self.assertEqual(1, ordered.count(name), name)

    def test_sums_do_not_wrap(self):
        """GNU's bins hold 16 bits; ours repeats the record for the rest, and GNU's sums them."""
        require("gprof")
        self.describe(("a", "b"), (("a", "b", 0xf0000000),), [60000] * 32)
        self.ours("-b", "-s", "a.out", *["gmon.out"] * 3)
        flat = run(["gprof", "-b", "-p", "a.out", "gmon.sum"], self.directory)
        self.assertIn(f"{3 * 60000 * 16 / 100:.2f}", flat)
        self.assertIn(str(3 * 0xf0000000), self.ours("-b", "-C", "a.out", "gmon.sum"))

    def test_sums_that_bsd_cannot_hold(self):
        self.describe(("a", "b"), (("a", "b", 1),), [60000] * 32)
        self.ours("-b", "-s", "-O", "bsd", "a.out", "gmon.out", "gmon.out", status=1)
        self.assertTrue(self.stderr)
        self.assertFalse((self.directory / "gmon.sum").exists())

    def test_ranges_that_overlap_on_one_grid(self):
        """GNU gprof refuses both files; of the sum that ours makes of them it says what ours does."""
        require("gprof")
        self.describe(("a", "b", "c"))
        first = Histogram(START, START + 2 * STEP, [3] * 32)
        second = Histogram(START + STEP, START + 3 * STEP, [4] * 32)
        self.write("one", [first, *self.records[1:]])
        self.write("two", [second])
        self.write("both", [first, second])
        for files in (("one", "two"), ("both",)):
            refused = subprocess.run(["gprof", "-b", "-p", "a.out", *files], cwd=self.directory,
                                     capture_output=True, check=False)
            self.assertIn(b"overlapping histogram records", refused.stderr)
            self.ours("-b", "-s", "a.out", *files)
            flat = run(["gprof", "-b", "-p", "a.out", "gmon.sum"], self.directory)
            self.assertEqual(self.ours("-b", "-p", "a.out", *files), flat)
            for name, samples in (("a", 48), ("b", 112), ("c", 64)):
                self.assertRegex(flat, rf"(?m) {samples / 100:.2f} +{name}$")

    def test_header_length_of_bsd(self):
        """A length smaller than the header: GNU gprof wants 17 GB."""
        self.describe(("a", "b"))
        for length in (0, 1, 19):
            record = Histogram(START, START + STEP, [1] * 4, announced=length)
            (self.directory / "gmon.out").write_bytes(gmon_files.bsd_file(Layout(), record))
            self.assertEqual(self.ours("-b", status=1), "")
            self.assertTrue(self.stderr)

    def test_block_counts_of_the_other_byte_order(self):
        """Swapped once: 7 executions, not 7 << 56."""
        require("clang", "ld.lld", "nm", "readelf")
        shutil.copy2(PROGRAMS / "report" / "bare.c", self.directory / "bare.c")
        target = ["clang", "--target=mips-linux-gnu", "-O0", "-g", "-nostdlib", "-static",
                  "-ffreestanding", "-fuse-ld=lld", "bare.c", "-o", "a.out"]
        built = subprocess.run(target, cwd=self.directory, capture_output=True, check=False)
        if built.returncode != 0:
            self.skipTest("skipped: no clang for MIPS")
        code = code_of(self.directory / "a.out")
        address = next(a for a, name in code.functions.items() if name.endswith("leaf"))
        gmon_files.write(self.directory / "gmon.out", [Blocks(((address, 7),))], code.layout)
        self.assertRegex(self.ours("-b", "-l", "-C"), r"(?m) 7 executions$")

    def test_static_calls(self):
        """-c: calls and tail calls, forward and backward, as arcs of count 0."""
        require("gcc", "nm", "readelf")
        (self.directory / "calls.c").write_text(CALLS_BOTH_WAYS)
        run(["gcc", "-O2", "-fno-ipa-cp", "-fno-inline", "-fno-toplevel-reorder", "-nostdlib",
             "-static", "-fno-pie", "-no-pie", "-ffreestanding", "calls.c", "-o", "a.out"],
            self.directory)
        code = code_of(self.directory / "a.out")
        entry = {name: address for address, name in code.functions.items()}
        records = [code.even_ticks(), Arc(entry["_start"], entry["tail"], 1)]
        gmon_files.write(self.directory / "gmon.out", records, code.layout)
        text = self.ours("-b", "-q", "-c", "-z")
        entries = {}
        for entry in text.split("-" * 47):
            primary = re.search(r"^\[\d+\].*?(\w+) \[\d+\]$", entry, re.M)
            if primary:
                entries[primary[1]] = re.findall(r"(\w+) \[\d+\]$", entry[primary.end():], re.M)
        self.assertIn("early", entries["late"])  # backward
        self.assertIn("late", entries["_start"])  # forward
        self.assertIn("late", entries["tail"])  # a jump

    def test_static_calls_by_line_and_empty_map(self):
        """GNU gprof crashes on both."""
        self.built("bare64")
        self.ours("-b", "-c", "-l", "program")
        (self.directory / "map").write_text("")
        done = subprocess.run([*subject(), "-b", "-R", "map", "program"], cwd=self.directory,
                              capture_output=True, timeout=60, check=False)
        self.assertIn(done.returncode, (0, 1))

    def test_width_without_end(self):
        """GNU gprof makes as many blanks as it is told to."""
        self.describe(("a", "b", "c", "d"), (("a", "b", 1),))
        text = self.ours("-b", "-q", "-z", "-w", "2147483647")
        self.assertEqual(text, self.ours("-b", "-q", "-z", "-w", "10000"))

    def test_block_counts_of_old_compilers(self):
        """bb.out is not read; the message names the manual's way."""
        self.describe(("a", "b"))
        (self.directory / "bb.out").write_bytes(b"Basic block profiling finished on ...\n")
        self.assertEqual(self.ours("-b", "a.out", "bb.out", status=1), "")
        self.assertIn("Perl script", self.stderr)

    def test_samples_beyond_32_bits(self):
        """GNU gprof adds up the bins of repeated records in 32 bits."""
        self.describe(("a", "b"))
        record = Histogram(START, START + STEP, [65535])
        (self.directory / "gmon.out").write_bytes(
            gmon_files.gnu_header(Layout()) + gmon_files.gnu_record(Layout(), record) * 70000)
        self.assertIn(f" {70000 * 65535 / 100:.2f} ", self.ours("-b", "-p"))

    def test_spare_bytes_of_a_sum(self):
        """GNU gprof writes whatever lay in its memory."""
        self.describe(("a", "b"), (("a", "b", 1),))
        self.ours("-b", "-s")
        self.assertEqual((self.directory / "gmon.sum").read_bytes()[8:20], bytes(12))
        tag = b"gpid" + bytes(range(8))
        data = (self.directory / "gmon.out").read_bytes()
        (self.directory / "gmon.out").write_bytes(data[:8] + tag + data[20:])
        self.ours("-b", "-s")
        self.assertEqual((self.directory / "gmon.sum").read_bytes()[8:20], tag)

    def test_profile_of_another_program(self):
        """GNU gprof shows its figures as if they were this program's, and says nothing."""
        self.describe(("a", "b"), (("a", "b", 1),))
        own = self.ours("-b", "-p")
        self.assertEqual(self.stderr, "")
        self.write("other.out", [Histogram(START + (1 << 20), START + (1 << 20) + 2 * STEP, [2] * 32)])
        text = self.ours("-b", "-p", "a.out", "gmon.out", "other.out")
        self.assertRegex(self.stderr, r"other\.out: does not belong to a\.out: .*name the executable that wrote")
        self.assertNotIn(" gmon.out: ", self.stderr)
        if shutil.which("gprof"):
            gnu = subprocess.run(["gprof", "-b", "-p", "a.out", "gmon.out", "other.out"], cwd=self.directory,
                                 capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((gnu.stderr, gnu.returncode), ("", 0))
            self.assertEqual(text.splitlines()[:3], own.splitlines()[:3])
        self.ours("-s", "a.out", "gmon.out", "other.out")
        self.assertIn("other.out: does not belong to a.out", self.stderr)
        self.assertTrue((self.directory / "gmon.sum").exists())

    def test_last_symbol(self):
        """GNU gprof reads the end of the last symbol behind its table, and finds nothing."""
        self.describe(("a", "b"))
        self.write("gmon.out", [Histogram(START, START + 3 * STEP, [2] * 48)])
        self.assertRegex(self.ours("-b", "-p"), r"(?m) 33\.33 .* 0\.32 +zz_last$")

    def test_rate_of_zero(self):
        """GNU gprof reads in front of its table of units: "<s/call"."""
        self.describe(("a", "b"), (("a", "b", 1),))
        self.write("gmon.out", [Histogram(START, START + 2 * STEP, [2] * 32, rate=0)])
        self.assertIn("  Ts/call  Ts/call  name", self.ours("-b", "-p"))

    def test_version_0_blocks_of_32_bits(self):
        """GNU gprof takes the records to be longer than they are, and shows no block."""
        code = self.built("bare32")
        address = min(code.functions)
        (self.directory / "gmon.out").write_bytes(gmon_files.gnu_file(
            code.layout, [Blocks(((address, 7), (address + 4, 8)))], version=0))
        counts = re.findall(r"(\d+) executions$", self.ours("-b", "-l", "-C", "program"), re.M)
        self.assertEqual(counts, ["7", "8"])

    def test_name_of_an_unknown_format(self):
        self.describe(("a", "b"))
        for name in ("x", "prof"):
            self.assertEqual(self.ours("-O", name, status=1), "")
            self.assertIn(f"={name}: ", self.stderr)
            self.assertIn("4.4bsd", self.stderr)

    def test_bsd_data_on_a_pipe(self):
        """GNU gprof wants to go back in it."""
        self.describe(("a", "b"))
        data = gmon_files.bsd_file(Layout(), Histogram(START, START + 2 * STEP, [2] * 32))
        done = subprocess.run([*subject(), "-b", "-p", "a.out", "-"], cwd=self.directory,
                              input=data, capture_output=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"0.32", done.stdout)

    def test_file_of_an_lto_unit(self):
        """The first file of a DWARF 5 unit again: GNU gprof shows <artificial>."""
        require("gcc", "nm", "readelf")
        for name in STATICS:
            shutil.copy2(PROGRAMS / "report" / name, self.directory / name)
        run(["gcc", "-O2", "-gdwarf-5", "-flto", "-fno-inline", *STATICS, "-o", "a.out"],
            self.directory)
        code = code_of(self.directory / "a.out")
        gmon_files.write(self.directory / "gmon.out", [code.even_ticks()], code.layout)
        text = self.ours("-b", "-l", "-p")
        self.assertNotIn("<artificial>", text)
        self.assertIn(" (statics_left.c:", text)

    def test_empty_function_map(self):
        """GNU gprof crashes."""
        self.describe(("a", "b"))
        (self.directory / "map").write_text("")
        self.assertEqual(self.ours("-b", "-R", "map", status=1), "")
        self.assertIn("map is empty", self.stderr)

    def test_static_calls_by_line_of_a_static_program(self):
        """GNU gprof crashes where the histogram reaches to the end of the code."""
        self.built("statics_static")
        self.assertIn("index % time", self.ours("-b", "-c", "-l", "-q", "program", "real.out"))

    def test_help_and_version(self):
        for word in ("--help", "-h", "--version", "-v"):
            self.assertTrue(self.ours(word))
            self.assertEqual(self.stderr, "")

    def test_explanations_are_not_gnus(self):
        """None of gprof's sentences, nor its licence, which covers them."""
        require("gprof")
        self.describe(("a", "b"), (("a", "b", 1),))
        ours, brief = self.ours(), self.ours("-b")
        theirs = run(["gprof"], self.directory)
        sentences = {" ".join(s.split()) for s in re.split(r"(?<=\.)\s", theirs)}
        own = " ".join(ours.split())
        shared = [s for s in sentences if len(s.split()) > 7 and s in own
                  and s not in " ".join(brief.split())]
        self.assertEqual(shared, [])
        self.assertNotIn("Free Software Foundation", ours)

    def test_no_colour_in_a_pipe(self):
        self.describe(("a", "b"), (("a", "b", 1),))
        self.assertNotIn("\x1b", self.ours("-b", "--color=auto"))
        self.assertEqual(self.ours("-b", "--color=never"), self.ours("-b"))

    def test_environment_alone_changes_nothing(self):
        """No report needs a home, a terminal or a locale."""
        self.describe(("a", "b"), (("a", "b", 1),))
        done = subprocess.run([*subject(), "-b"], cwd=self.directory, capture_output=True,
                              env={"PATH": os.environ.get("PATH", "")}, check=False, timeout=60)
        self.assertEqual(done.stdout.decode(), self.ours("-b"))
