"""The installed GNU gprof is what gnu_versions.py says of its version.

Each difference between versions is met by a program. Where the version is known to have it, the
reports differ in that way alone; where it is known not to, they are the same bytes.
"""
import re
import unittest

import elf_program
import gmon_files
import gnu_versions
from gmon_files import Arc, Histogram
from profiled_program import require, run
from report_cases import Case, ReportTest, outcome_of, subject
from report_programs import code_of

START, STEP = 0x401000, 64
HEADER = "static int in_header(int n) {\n  return n + 1;\n}\n"
MAIN = '#include "util.h"\nint used;\nint main(void) { return in_header(used); }\n'
# By file, as files of lines, in the index, chosen by file: wherever a file is shown or asked for.
FIRST_FILE_WORDS = (("-q",), ("-C",), ("-A",), ("-A", "-x"), ("-l", "-p"), ("-l", "-q"),
                    ("-putil.h",), ("-qutil.h:in_header",), ("-Qutil.h",), ("-Cutil.h:1",),
                    ("-Autil.h",), ("-e", "util.h"), ("-pmain.c",), ("-qmain.c:in_header",))
ENDS_IN_A_CALL = """
volatile int seen;
__attribute__((noreturn)) void stop(int n);
int ends(int n) { seen = n; stop(n); }
void _start(void) { seen = ends(1); for (;;) {} }
void stop(int n) { seen = n; for (;;) {} }
void zz_last(void) {}
"""


class Versions(ReportTest):
    def setUp(self):
        self.work = self.new_directory(self._testMethodName)

    def expected(self, name):
        shown = gnu_versions.shown(name)
        if shown is None:
            self.skipTest(f"skipped: gprof {gnu_versions.installed()} was not tried: {name}")
        return shown

    def texts(self, *words, judged="program"):
        """GNU gprof's and ours."""
        case = Case(self.work, ("-b", *words, "program"), twin=judged)
        outcomes = outcome_of(["gprof"], case.for_judge()), outcome_of(subject(), case)
        self.assertEqual([outcome.status for outcome in outcomes], [0, 0])
        return [outcome.stdout.decode() for outcome in outcomes]

    def write_profile(self, *arcs):
        code = code_of(self.work / "program")
        entry = {name: address for address, name in code.functions.items()}
        records = [code.even_ticks(), *(Arc(entry[caller], entry[callee], 1) for caller, callee in arcs)]
        gmon_files.write(self.work / "gmon.out", records, code.layout)

    def test_first_file(self):
        shown = self.expected("first file")
        require("gcc", "nm", "readelf")
        (self.work / "util.h").write_text(HEADER)
        (self.work / "main.c").write_text(MAIN)
        for version, name in ("5", "program"), ("4", "twin"):
            run(["gcc", "-O0", f"-gdwarf-{version}", "-no-pie", "main.c", "-o", name], self.work)
        self.write_profile(("main", "in_header"))
        for words in FIRST_FILE_WORDS:
            theirs, ours = self.texts(*words)
            if shown:
                self.assertNotEqual(theirs, ours, words)
            else:
                self.assertEqual(theirs, ours, words)
            twin, ours = self.texts(*words, judged="twin")
            self.assertEqual(twin, ours, words)

    def test_final_calls(self):
        shown = self.expected("final calls")
        require("gcc", "nm", "readelf")
        (self.work / "main.c").write_text(ENDS_IN_A_CALL)
        run(["gcc", "-O1", "-fno-inline", "-fno-toplevel-reorder", "-nostdlib", "-static",
             "-fno-pie", "-no-pie", "-ffreestanding", "main.c", "-o", "program"], self.work)
        self.write_profile(("_start", "ends"))
        for text, seen in zip(self.texts("-c", "-q", "-z"), (not shown, True)):
            entry = next(e for e in text.split("-" * 47) if re.search(r"^\[\d+\].* ends \[", e, re.M))
            self.assertEqual(bool(re.search(r" 0/0 +stop \[", entry)), seen, text)

    def test_warnings_of_clangs_files(self):
        shown = self.expected("warnings of clang's files")
        require("clang", "nm", "readelf")
        (self.work / "main.c").write_text("int main(void) { return 0; }\n")
        run(["clang", "-O0", "-gdwarf-5", "main.c", "-o", "program"], self.work)
        self.write_profile()
        case = Case(self.work, ("-b", "-l", "-p", "program"))
        theirs, ours = outcome_of(["gprof"], case), outcome_of(subject(), case)
        self.assertEqual((theirs.stdout, ours.stderr), (ours.stdout, b""))
        self.assertEqual(b"bad file number" in theirs.stderr, shown, theirs.stderr)

    def test_names_of_d(self):
        shown = self.expected("names of D")
        symbols = elf_program.functions(["_D3foo3barFZv", "other", "zz_last"], START, STEP)
        elf_program.Program(symbols, text_size=STEP * 3).write(self.work / "program")
        gmon_files.write(self.work / "gmon.out", [Histogram(START, START + 2 * STEP, [1] * 32)])
        theirs, _ = self.texts("-p")
        self.assertIn("foo.bar()" if shown else "_D3foo3barFZv", theirs)
        theirs, ours = self.texts("-p", "--no-demangle")
        self.assertEqual(theirs, ours)


class Table(unittest.TestCase):
    """Needs no gprof."""

    def test_versions_that_were_not_tried(self):
        difference = gnu_versions.Difference("", "", (((2, 40), True), ((2, 42), False)))
        answers = [difference.shown_by((2, minor)) for minor in (30, 40, 41, 42, 50)]
        self.assertEqual(answers, [True, True, None, False, False])
