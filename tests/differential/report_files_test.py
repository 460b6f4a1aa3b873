"""What `gprof-lsp report` reads and writes in a folder that others may write to, and what it shows of
names that are made to harm a terminal."""
import os
import pty
import re
import subprocess
import threading
import unittest

import elf_program
import gmon_files
from gmon_files import Arc, Histogram, Layout
from own_folders import fresh_folder
from profiled_program import require, run
from report_cases import subject
from report_programs import code_of
from tested_build import SANITIZED

START, STEP = 0x401000, 64
ESCAPES = "red\x1b[31m", "c1\x9b31m", "turned\u202egnp", "bell\x07", "two\nlines"
COLORS = re.compile(rb"\x1b\[[0-9;]*m")


class ReportFiles(unittest.TestCase):
    def setUp(self):
        self.directory = fresh_folder(self.addCleanup)

    def start(self, *words, before=(), **streams):
        environment = {k: v for k, v in os.environ.items() if k not in ("PAGER", "GPROF_PAGER")}
        return subprocess.Popen([*before, *subject(), *words], cwd=self.directory, **(
            {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
             "env": environment | {"LC_ALL": "C.UTF-8"}} | streams))

    def ours(self, *words, status=0, **streams):
        process = self.start(*words, **streams)
        self.addCleanup(process.kill)
        output, errors = process.communicate(timeout=60)
        self.stderr = errors.decode(errors="replace")
        self.assertEqual(process.returncode, status, self.stderr)
        return output

    def describe(self, *names):
        """a.out with these functions, hit equally often, and gmon.out."""
        symbols = elf_program.functions([*names, "zz_last"], START, STEP)
        elf_program.Program(symbols, text_size=STEP * len(symbols)).write(self.directory / "a.out")
        end = symbols[-1].address
        self.records = [Histogram(START, end, [1] * ((end - START) // 4)),
                        *(Arc(symbols[0].address, symbol.address, 1) for symbol in symbols[1:-1])]
        self.profile = gmon_files.gnu_file(Layout(), self.records)
        (self.directory / "gmon.out").write_bytes(self.profile)

    def link(self, name):
        """To a file that must stay as it is."""
        precious = self.directory / "precious"
        precious.write_text("precious")
        (self.directory / name).symlink_to("precious")

    def assert_replaced(self, name):
        self.assertEqual((self.directory / "precious").read_text(), "precious")
        path = self.directory / name
        self.assertFalse(path.is_symlink())
        return path.read_bytes()

    def temporary_files(self):
        return [path.name for path in self.directory.iterdir() if ".tmp" in path.name]


class Written(ReportFiles):
    def build(self, source):
        require("gcc", "nm", "readelf")
        (self.directory / "main.c").write_text(source)
        run(["gcc", "-O0", "-g", "-no-pie", "main.c", "-o", "a.out"], self.directory)
        code = code_of(self.directory / "a.out")
        symbols = subprocess.run(["nm", "a.out"], cwd=self.directory, capture_output=True, text=True,
                                 check=True).stdout
        main = int(re.search(r"^(\w+) T main$", symbols, re.M)[1], 16)
        records = [code.even_ticks(), Arc(code.low, main, 7)]
        gmon_files.write(self.directory / "gmon.out", records, code.layout)

    def test_a_link_named_gmon_sum_is_replaced(self):
        self.describe("a", "b")
        self.link("gmon.sum")
        self.ours("-b", "-s", "a.out", "gmon.out")
        self.assertTrue(self.assert_replaced("gmon.sum").startswith(b"gmon"))
        self.assertEqual(self.temporary_files(), [])

    def test_a_link_to_an_annotated_source_is_replaced(self):
        self.build("int main(void) {\n  return 0;\n}\n")
        self.link("main.c-ann")
        self.ours("-b", "-A", "-y", "a.out", "gmon.out")
        self.assertIn(b"7 -> int main(void)", self.assert_replaced("main.c-ann"))

    def test_a_pipe_named_gmon_sum_is_left_alone(self):
        self.describe("a", "b")
        os.mkfifo(self.directory / "gmon.sum")
        self.ours("-b", "-s", "a.out", "gmon.out", status=1)
        self.assertIn("gmon.sum", self.stderr)
        self.assertTrue((self.directory / "gmon.sum").is_fifo())

    def test_a_file_that_may_not_be_written_stays(self):
        self.describe("a", "b")
        target = self.directory / "gmon.sum"
        target.write_text("old")
        target.chmod(0o400)
        before = ()
        if os.access(target, os.W_OK):  # the superuser, who is held to permissions then
            require("setpriv")
            before = ("setpriv", "--bounding-set=-dac_override")
        self.ours("-b", "-s", "a.out", "gmon.out", status=1, before=before)
        self.assertEqual(target.read_text(), "old")


class Streams(ReportFiles):
    def test_a_pipe_that_nobody_named_is_not_waited_for(self):
        self.describe("a", "b")
        (self.directory / "gmon.out").unlink()
        os.mkfifo(self.directory / "gmon.out")
        for words in ((), ("a.out",)):
            self.ours("-b", "-p", *words, status=1)
            self.assertIn("gmon.out: a file expected, a pipe found; name it", self.stderr)

    def through_pipe(self, profile):
        path = self.directory / "pipe"
        os.mkfifo(path)
        writer = threading.Thread(target=lambda: path.write_bytes(profile), daemon=True)
        writer.start()
        try:
            return self.ours("-b", "-p", "a.out", "pipe")
        finally:
            writer.join(timeout=60)
            path.unlink()

    def test_a_pipe_that_was_named_is_read(self):
        self.describe("a", "b")
        self.assertEqual(self.through_pipe(self.profile), self.ours("-b", "-p", "a.out", "gmon.out"))

    def test_streams_of_many_pieces_are_read_whole(self):
        """Of both kinds: the first pieces do not hold all that the header announces."""
        self.describe("a", "b")
        records = self.records + self.records[1:] * 40000
        many = gmon_files.gnu_file(Layout(), records)
        self.assertGreater(len(many), 10 * 65536)
        (self.directory / "gmon.out").write_bytes(many)
        self.assertEqual(self.through_pipe(many), self.ours("-b", "-p", "a.out", "gmon.out"))

    def test_a_stream_without_end_that_is_no_profile(self):
        """It is read as far as it may be one, not as far as there is memory."""
        self.describe("a", "b")
        with open("/dev/zero", "rb") as zeros:
            process = self.start("-b", "-p", "a.out", "-", stdin=zeros)
        self.addCleanup(process.kill)
        self.stderr = process.stderr.read().decode()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stdout.close()
        process.stderr.close()
        self.assertEqual(process.returncode, 1, self.stderr)
        self.assertIn("standard input", self.stderr)
        if not SANITIZED:
            self.assertLess(used.ru_maxrss, 128 << 10)


class Terminals(ReportFiles):
    def on_terminal(self, *words, **variables):
        """What a terminal gets, and its settings by which lines end in CR LF."""
        own, other = pty.openpty()
        process = subprocess.Popen(
            [*subject(), *words], cwd=self.directory, stdin=other, stdout=other, stderr=other,
            env=os.environ | {"LC_ALL": "C.UTF-8", "TERM": "xterm"} | variables)
        self.addCleanup(process.kill)
        os.close(other)
        text = b""
        with open(own, "rb", buffering=0) as terminal:
            while True:
                try:
                    piece = terminal.read(65536)
                except OSError:  # nobody has it open any more
                    break
                if not piece:
                    break
                text += piece
        self.assertEqual(process.wait(timeout=60), 0, text)
        return text.replace(b"\r\n", b"\n")

    def assert_harmless(self, shown):
        rest = COLORS.sub(b"", shown).decode()  # all of it is UTF-8
        self.assertNotRegex(rest, "[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f"
                                  "\u2028-\u202e\u2066-\u2069]")
        for name in ("red", "c1", "turned", "bell", "two"):
            self.assertRegex(rest, name + r"\?")

    def test_names_do_not_steer_a_terminal(self):
        self.describe(*ESCAPES)
        for words, variables in (
                (("--no-pager", "--color=never"), {}), (("--no-pager",), {}),
                ((), {"PAGER": "cat"}), ((), {"GPROF_PAGER": "tr a a"})):
            with self.subTest(words=words, variables=variables):
                shown = self.on_terminal(*words, "-b", "-p", "-q", "a.out", "gmon.out", **variables)
                self.assert_harmless(shown)
                self.assertNotIn(b"\x1b[31mred", shown)

    def test_a_pipe_gets_the_very_bytes(self):
        self.describe(*ESCAPES)
        for name in ESCAPES:
            self.assertIn(name.encode(), self.ours("-b", "-p", "a.out", "gmon.out"))

    def test_colors_for_a_pipe_are_for_a_terminal_in_the_end(self):
        self.describe(*ESCAPES)
        self.assert_harmless(self.ours("-b", "-p", "--color=always", "a.out", "gmon.out"))

    def test_messages_are_one_line_each(self):
        name = "no\x1b]0;title\x07\u202e\n"
        self.ours("-b", name, status=1)
        self.assertIn("no?]0;title???: ", self.stderr)
        self.assertEqual(self.stderr.count("\n"), 1)
