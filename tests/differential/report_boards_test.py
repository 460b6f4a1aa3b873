"""Reports of firmware and of other systems' profiles: the bytes of the gprof that comes with each board's compiler.

GNU gprof wants a section .text. Where firmware has none, ours prints what GNU gprof prints of a copy whose code is
called so (docs/gnu-differences.md).
"""
import csv
import io
import os
import subprocess
import unittest

import elf_program
import firmware
import gmon_files
from firmware import BOARDS, CORTEX_M, ESP32, ZEPHYR, FirmwareTest, renamed, seconds_of
from gmon_files import Arc, Histogram, Layout
from own_folders import fresh_folder, own_environment
from report_cases import require_judge, subject

SERVER = os.environ["GPROF_LSP_SERVER"]
OPTIONS = (("-b",), ("-b", "-p", "-z"), ("-b", "-q", "-a"), ("-b", "-i"), ("-b", "-r"), ("-b", "-C"), ("-b", "-A"),
           ("-b", "-q", "-f", "filter"))
START, STEP = 0x401000, 0x40


class Boards(FirmwareTest):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.directory = fresh_folder(cls.addClassCleanup)

    def ours(self, directory, *words, command=None):
        return subprocess.run([*(command or subject()), *words], cwd=directory, capture_output=True, timeout=60,
                              check=False, env=own_environment(str(self.directory / "user")))

    def assert_same(self, board, words, section=None):
        """`section`: what GNU gprof is shown as .text."""
        folder = self.folder_of(board)
        program = renamed(board, folder, section) if section else "program"
        expected = self.judge(board, *words, program, "gmon.out")
        actual = self.ours(folder, *words, "program", "gmon.out")
        label = f"{board.name} {words}"
        self.assertEqual(actual.stdout.decode(), expected.stdout.decode(), label + actual.stderr.decode())
        self.assertEqual((actual.returncode, bool(actual.stderr)), (expected.returncode, bool(expected.stderr)), label)

    def test_programs_with_text(self):
        for board in BOARDS:
            if not board.has_text:
                continue
            for words in (*OPTIONS, ("-b", "-l"), ("-b", "-l", "-C")):
                with self.subTest(board=board.name, words=words):
                    self.assert_same(board, words)

    def test_programs_without_text(self):
        """The highest section is called .text in the copy: the last function ends with it."""
        for board in BOARDS:
            if board.has_text:
                continue
            refused = self.judge(board, "-b", "program", "gmon.out")
            self.assertEqual((refused.returncode, refused.stdout), (1, b""), board.name)
            for words in OPTIONS:
                with self.subTest(board=board.name, words=words):
                    self.assert_same(board, words, board.code[-1])

    def test_lines_of_programs_without_text(self):
        """GNU gprof reads lines of the section that it takes for .text, ours of all code."""
        for board in BOARDS:
            if board.has_text:
                continue
            with self.subTest(board=board.name):
                ours = self.ours(self.folder_of(board), "-b", "-l", "-p", "-z", "program", "gmon.out").stdout.decode()
                theirs = set()
                for section in board.code:
                    copy = renamed(board, self.folder_of(board), section)
                    theirs |= set(self.lines(self.judge(board, "-b", "-l", "-p", "-z", copy, "gmon.out").stdout.decode()))
                self.assertGreater(len(theirs), 10)
                self.assertEqual(set(self.lines(ours)), theirs)
                self.assertIn("filter (work.c:", ours)

    @staticmethod
    def lines(flat):
        """The names of the rows."""
        return [name for name in seconds_of(flat) if "(" in name]

    def test_each_histogram_is_shown(self):
        for board in (CORTEX_M, ZEPHYR):
            with self.subTest(board=board.name):
                text = self.ours(self.folder_of(board), "-b", "-p", "program", "gmon.out").stdout.decode()
                seconds = seconds_of(text)
                self.assertGreater(seconds["transform"], 0)  # in flash
                self.assertGreater(seconds["filter"], 0)  # in the fast memory

    def test_accurate_reports_exports_and_checks_agree(self):
        for board in BOARDS:
            with self.subTest(board=board.name):
                folder = self.folder_of(board)
                accurate = self.ours(folder, "-b", "-p", "--accurate", "program", "gmon.out")
                self.assertEqual((accurate.returncode, accurate.stderr), (0, b""))
                reported = {name: seconds for name, seconds in seconds_of(accurate.stdout.decode()).items() if seconds}
                exported = self.ours(folder, "--format=csv", "program", "gmon.out", command=[SERVER, "export"])
                self.assertEqual(exported.returncode, 0, exported.stderr)
                rows = csv.DictReader(io.StringIO(exported.stdout.decode()))
                for row in rows:
                    self.assertAlmostEqual(float(row["self"]), reported.get(row["function"], 0), delta=0.0051)
                checked = self.ours(folder, command=[SERVER, "check"]).stdout.decode()
                self.assertIn("program: program", checked)
                self.assertRegex(checked, r"[1-9]\d* samples \(")
                self.assertEqual("machine code of Xtensa is not decoded" in checked, board == ESP32)

    def test_static_calls_of_xtensa_are_not_decoded(self):
        """GNU gprof says the same, of Arm and RISC-V as well; ours decodes these."""
        self.assert_same(ESP32, ("-b", "-c"), ".flash.text")
        said = self.ours(self.folder_of(ESP32), "-b", "-c", "program", "gmon.out").stderr.decode()
        self.assertIn("-c adds no calls: machine code of Xtensa is not decoded", said)
        for board in (CORTEX_M, ZEPHYR):
            done = self.ours(self.folder_of(board), "-b", "-c", "-q", "program", "gmon.out")
            self.assertEqual(done.stderr, b"", board.name)
            self.assertRegex(done.stdout.decode(), r"0\.00 +0\.00 +0/0 +start_profile")


class HighAddresses(FirmwareTest):
    """Code above 2 GiB, and ranges of more than that."""

    @classmethod
    def setUpClass(cls):
        require_judge()
        cls.directory = fresh_folder(cls.addClassCleanup)

    def compare(self, name, machine, functions, records):
        """Functions by their addresses, the last one empty; `.text` reaches from the first to the last."""
        folder = self.directory / name
        folder.mkdir()
        symbols = [elf_program.Symbol(name, address) for name, address in functions]
        low, high = functions[0][1], functions[-1][1]
        elf_program.Program(symbols, machine, low, min(high - low, 0x1000)).write(folder / "program")
        (folder / "gmon.out").write_bytes(gmon_files.gnu_file(Layout.of(machine), records))
        self.print([*subject(), "-s", "program", "gmon.out", "gmon.out"], folder)
        for profile in ("gmon.out", "gmon.sum"):
            for words in (("-b", "-z", "-p"), ("-b",)):
                expected, actual = (self.print([*command, *words, "program", profile], folder)
                                    for command in (["gprof"], subject()))
                self.assertEqual(actual, expected, f"{name} {words} {profile}")
            if profile == "gmon.out":
                shown = actual
        return shown

    def print(self, command, folder):
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def test_code_above_two_gibibytes(self):
        riscv32 = elf_program.Machine("riscv32", 243, bits=32, pointer_size=4)
        for machine, start in ((riscv32, 0x80000000), (elf_program.ARM, 0x80000000), (elf_program.ARM, 0xfffff000),
                               (elf_program.POWERPC, 0xf0000000), (elf_program.RISCV64, 0xffffffff80000000),
                               (elf_program.X86_64, 0xffffffff81000000), (elf_program.AARCH64, 0xffff800010000000)):
            with self.subTest(machine=machine.name, start=hex(start)):
                names = ("a", "b", "c", "zz_last")
                functions = [(name, start + i * STEP) for i, name in enumerate(names)]
                histogram = Histogram(start, start + 3 * STEP, [1 + i // 16 for i in range(48)])
                arcs = [Arc(start + 4, start + STEP, 3), Arc(start + STEP + 8, start + 2 * STEP, 5)]
                text = self.compare(f"{machine.name}-{start:x}", machine, functions, [histogram, *arcs])
                self.assertIn("b [", text)

    def test_ranges_of_more_than_two_gibibytes(self):
        """One histogram over flash at 0x10000000 and RAM at 0xc0000000, whose bins are 2 MiB wide."""
        low, high = 0x10000000, 0xf0000000
        functions = [("flash", low), ("between", 0x20000000), ("ram", 0xc0000000), ("zz_last", high)]
        for machine in (elf_program.ARM, elf_program.X86_64):
            bins = [0] * ((high - low) >> 21)
            bins[1] = 7
            bins[(0xc0000000 - low) >> 21] = 5
            records = [Histogram(low, high, bins), Arc(low + 4, 0xc0000000, 9)]
            with self.subTest(machine=machine.name):
                text = self.compare(f"wide-{machine.name}", machine, functions, records)
                self.assertRegex(text, r"0\.07 +0\.07 +flash")

    def test_histograms_with_gibibytes_between_them(self):
        low, high = 0x10000000, 0xc0000000
        functions = [("flash", low), ("ram", high), ("zz_last", high + STEP)]
        for machine in (elf_program.ARM, elf_program.X86_64):
            records = [Histogram(high, high + STEP, [2] * 16), Histogram(low, low + STEP, [1] * 16),
                       Arc(low + 4, high, 9)]
            with self.subTest(machine=machine.name):
                self.compare(f"apart-{machine.name}", machine, functions, records)


class Systems(unittest.TestCase):
    """Headers of FreeBSD, OpenBSD and NuttX, which share a format but for what their spare words are for."""

    LAYOUTS = (Layout(8, "little"), Layout(4, "little"), Layout(8, "big"), Layout(4, "big"))
    MACHINES = (elf_program.X86_64, elf_program.ARM, elf_program.POWERPC64, elf_program.POWERPC)
    ARCS = (Arc(START + 4, START + STEP, 11), Arc(START + STEP + 8, START + 2 * STEP, 2))
    NAMES = ("a", "b", "zz_last")

    def setUp(self):
        require_judge()
        self.directory = fresh_folder(self.addCleanup)

    def output(self, command, profile):
        (self.directory / "gmon.out").write_bytes(profile)
        done = subprocess.run([*command, "-b", "program", "gmon.out"], cwd=self.directory, capture_output=True, timeout=60,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def each_machine(self):
        for machine in self.MACHINES:
            with self.subTest(machine=machine.name):
                elf_program.Program(elf_program.functions(self.NAMES, START, STEP), machine,
                                    text_size=3 * STEP).write(self.directory / "program")
                yield Layout.of(machine)

    def profile(self, layout, count=3, **options):
        bins = [0] * 32
        bins[0], bins[16] = count, 2 * count
        return gmon_files.bsd44_file(layout, Histogram(START, START + 2 * STEP, bins, rate=128), self.ARCS, **options)

    def test_what_openbsd_and_nuttx_have_in_spare_words(self):
        for layout in self.each_machine():
            plain = self.output(["gprof"], self.profile(layout))
            # The size of all arcs; what was in memory; NetBSD's zeros.
            for spare in ((len(self.ARCS) * 3 * layout.pointer_size, 0, 0), (64, 0x80001234, 7), (16, 0, 0), (0, 0, 0)):
                profile = self.profile(layout, spare=spare)
                self.assertEqual(self.output(["gprof"], profile), plain, spare)
                self.assertEqual(self.output(subject(), profile), plain, spare)

    def test_bins_of_freebsd(self):
        """A bin has the size that the first spare word gives. GNU gprof takes it for several of 16 bits."""
        for layout in self.each_machine():
            plain = self.output(subject(), self.profile(layout, 30000))
            for bits in (32, 64, -32 & 0xffffffff, -64 & 0xffffffff):
                wide = self.profile(layout, 30000, spare=(bits, 0, 0), bin_bytes=8 if bits in (64, -64 & 0xffffffff) else 4)
                self.assertEqual(self.output(subject(), wide), plain, bits)
            large = self.profile(layout, 5_000_000, spare=(64, 0, 0), bin_bytes=8)
            self.assertIn("39062.50", self.output(subject(), large))  # 5,000,000 at 128 a second
            self.assertNotIn("39062.50", self.output(["gprof"], large))

    def test_signed_bins_below_zero_count_nothing(self):
        for layout in self.each_machine():
            plain = self.output(subject(), self.profile(layout, 3))
            bins = [0] * 32
            bins[0], bins[16], bins[20] = 3, 6, -5
            below = gmon_files.bsd44_file(layout, Histogram(START, START + 2 * STEP, bins, rate=128), self.ARCS,
                                          spare=(-64 & 0xffffffff, 0, 0), bin_bytes=8)
            self.assertEqual(self.output(subject(), below), plain)


if __name__ == "__main__":
    unittest.main()
