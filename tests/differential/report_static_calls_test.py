"""The static call graph (`gprof-lsp report -c`): arcs of count 0 for the calls in the code.

Three judges: objdump, which knows every call and jump; GNU gprof, where its search for bytes that
look like calls finds the same (x86, forward calls alone); and calls written by hand, one for each
machine.
"""
import random
import re
import subprocess

import elf_program
import gmon_files
from gmon_files import Arc, Histogram, Layout
from profiled_program import require, run
from report_cases import Case, ReportTest, subject
from report_programs import code_of
from seeds import moved_seed

START, STEP = 0x401000, 64
RULE = "-" * 47
TARGET = re.compile(r"\s(\d+)(?:/\d+)?\s+([\w.$]+)(?: <cycle \d+>)? [\[(]\d+[\])]$")
PRIMARY = re.compile(r"^\[\d+\].* ([\w.$]+)(?: <cycle \d+>)? \[\d+\]$")
OBJDUMP_LINE = re.compile(r"^\s+([0-9a-f]+):\s+(call|jmp|j[a-z]+)q?\s+(?:0x)?([0-9a-f]+)\b")

# Calls of every direction, a tail call, recursion, a function that nothing calls, and one that is
# called through a pointer alone.
PROGRAM = """
volatile int seen;
typedef int function(int);
int late(int n);
int early(int n) { seen = n; return n * 3; }
static int tail(int n) { seen = n; return late(n + 1); }
int deep(int n) { return n < 2 ? early(n) : deep(n - 1) + deep(n - 2) + seen; }
int pointed(int n) { seen = n; return n; }
function *volatile chosen = pointed;
int never(int n) { return tail(early(n)) + late(n); }
void _start(void) {
  seen = early(late(tail(deep(chosen(seen)))));
  for (;;) {}
}
int ping(int n);
int pong(int n) { seen = n; return n ? ping(n - 1) + 1 : early(n); }
int ping(int n) { seen = n; return n ? pong(n - 1) + 1 : late(n); }
int late(int n) { return early(n) + ping(n); }
void zz_last(void) {}
"""
FLAGS = ("-fno-ipa-cp", "-fno-ipa-sra", "-fno-ipa-icf", "-fno-inline", "-fno-partial-inlining",
         "-fno-toplevel-reorder", "-nostdlib", "-static", "-fno-pie", "-no-pie", "-ffreestanding",
         "-fno-stack-protector", "-fno-optimize-sibling-calls")
BUILDS = {
    "plain": ("-O0", *FLAGS),
    "optimised": ("-O2", *FLAGS[:-1]),
    "small": ("-Os", *FLAGS[:-1]),
    "i386": ("-m32", "-O2", "-fno-pic", *FLAGS[:-1]),
}


def arcs_of_count_zero(text):
    """(caller, callee) of the entries of a call graph."""
    found = set()
    for entry in text.split(RULE):
        lines = entry.splitlines()
        primary = next((i for i, line in enumerate(lines) if PRIMARY.match(line)), None)
        if primary is None:
            continue
        caller = PRIMARY.match(lines[primary])[1]
        targets = (TARGET.search(line) for line in lines[primary + 1:])
        found |= {(caller, target[2]) for target in targets if target and target[1] == "0"}
    return found


def arcs_of_objdump(executable, functions):
    """Calls and jumps from one function to the start of one, by address and by name."""
    text = run(["objdump", "-d", "--no-show-raw-insn", "-j", ".text", executable],
               executable.parent)
    starts, found = sorted(functions), set()
    for line in filter(None, map(OBJDUMP_LINE.match, text.splitlines())):
        address, target = int(line[1], 16), int(line[3], 16)
        holder = max((start for start in starts if start <= address), default=None)
        if target not in functions or holder is None:
            continue
        if line[2].startswith("call") or target != holder:
            found.add((functions[holder], functions[target]))
    return found


class OwnReports(ReportTest):
    def report(self, directory, *words):
        done = subprocess.run([*subject(), *words], cwd=directory, capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


class Calls(OwnReports):
    def build(self, name, flags):
        require("gcc", "nm", "readelf", "objdump")
        directory = self.new_directory(name)
        (directory / "calls.c").write_text(PROGRAM)
        built = subprocess.run(["gcc", *flags, "calls.c", "-o", "a.out"], cwd=directory,
                               capture_output=True, check=False)
        if built.returncode != 0:
            self.skipTest(f"skipped: no gcc {flags[0]}")
        code = code_of(directory / "a.out")
        bins = [1] * ((code.high - code.low) // 2)
        # One arc that is in no code, for there to be a graph at all.
        entry = {name: address for address, name in code.functions.items()}
        counted = Arc(entry["pointed"], entry["never"], 1)
        gmon_files.write(directory / "gmon.out",
                         [Histogram(code.low, code.high, bins), counted], code.layout)
        return directory, code

    def test_calls_that_objdump_sees(self):
        for name, flags in BUILDS.items():
            with self.subTest(build=name):
                directory, code = self.build(name, flags)
                expected = arcs_of_objdump(directory / "a.out", code.functions)
                self.assertIn(("deep", "deep"), expected)
                self.assertIn(("late", "early"), expected)  # backward
                self.assertIn(("_start", "late"), expected)  # forward
                self.assertIn(("tail", "late"), expected)  # at -O2 a jump
                self.assertFalse([arc for arc in expected if arc[1] == "pointed"])
                shown = arcs_of_count_zero(self.report(directory, "-b", "-q", "-c", "-z"))
                self.assertEqual(shown, expected)

    def test_lines_call_functions_and_not_each_other(self):
        """Under -l a loop's jumps between lines are no calls."""
        require("gcc", "nm", "readelf")
        directory = self.new_directory("lines")
        (directory / "loop.c").write_text(
            "volatile int seen;\nint leaf(int n) { return n + seen; }\n"
            "int loop(int n)\n{\n  for (int i = 0; i < n; i++)\n  {\n    if (i % 3)\n"
            "      seen += i;\n    else\n      seen -= i;\n  }\n  return leaf(n);\n}\n"
            "int main(void)\n{\n  return loop(9) != 0;\n}\n")
        run(["gcc", "-O1", "-fno-inline", "-fno-ipa-cp", "-gdwarf-4", "-pg", "loop.c", "-o",
             "a.out"], directory)
        subprocess.run(["./a.out"], cwd=directory, check=False, timeout=60)
        text = self.report(directory, "-b", "-q", "-c", "-l", "-d256")
        calls = {(a, b) for a, b in re.findall(r"^  (\w+) calls (\w+) before", text, re.M)
                 if {a, b} & {"leaf", "loop", "main"}}
        self.assertEqual(calls, {("loop", "leaf"), ("main", "loop")})

    def test_call_that_completes_a_cycle(self):
        """`later` calls `early` in the code alone, which called it: one cycle."""
        directory = self.new_directory("cycle")
        names = ("first", "second", "middle", "zz_last")
        symbols = elf_program.functions(names, START, STEP)
        for caller, callee in ((0, 1), (1, 0)):  # forward, which GNU gprof sees, and backward
            text = bytearray(b"\x90" * (STEP * len(names)))
            text[STEP * caller:STEP * caller + 5] = near_call(STEP * caller, STEP * callee)
            elf_program.Program(symbols, text_size=len(text), text=bytes(text)).write(
                directory / "a.out")
            counted = Arc(START + STEP * callee, START + STEP * caller, 3)
            entered = Arc(START + 2 * STEP, START + STEP * callee, 1)
            gmon_files.write(directory / "gmon.out",
                             [Histogram(START, symbols[-1].address, [1] * 96), entered, counted])
            self.assertNotIn("<cycle", self.report(directory, "-b", "-q"))
            self.assertIn("<cycle 1 as a whole>", self.report(directory, "-b", "-q", "-c"))
            if caller == 0:
                self.compare([Case(directory, ("-b", "-q", "-c"), "cycle by a call in the code")])


def near_call(offset, target):
    """x86: CALL rel32."""
    return b"\xe8" + (target - offset - 5).to_bytes(4, "little", signed=True)


def word(value, machine):
    return (value & 0xffffffff).to_bytes(4, machine.order)


# How the instruction at one address calls the other, with its delay slot.
def x86_call(at, target, _machine):
    return near_call(at, target)


def aarch64_call(at, target, machine):
    return word(0x94000000 | (target - at) >> 2 & 0x3ffffff, machine)


def arm_call(at, target, machine):
    return word(0xeb000000 | (target - at - 8) >> 2 & 0xffffff, machine)


def powerpc_call(at, target, machine):
    return word(0x48000001 | (target - at) & 0x3fffffc, machine)


def mips_call(_at, target, machine):
    return word(0x0c000000 | target >> 2 & 0x3ffffff, machine) + word(0, machine)


def sparc_call(at, target, machine):
    return word(0x40000000 | (target - at) >> 2 & 0x3fffffff, machine) + word(0x01000000, machine)


MACHINES = (
    (elf_program.X86_64, x86_call, b"\x90"),
    (elf_program.I386, x86_call, b"\x90"),
    (elf_program.X32, x86_call, b"\x90"),
    (elf_program.AARCH64, aarch64_call, bytes.fromhex("1f2003d5")),
    (elf_program.ARM, arm_call, bytes.fromhex("00f020e3")),
    (elf_program.POWERPC, powerpc_call, bytes.fromhex("60000000")),
    (elf_program.POWERPC64LE, powerpc_call, bytes.fromhex("00000060")),
    (elf_program.MIPS, mips_call, bytes(4)),
    (elf_program.SPARC, sparc_call, bytes.fromhex("01000000")),
    (elf_program.SPARC64, sparc_call, bytes.fromhex("01000000")),
)


class Machines(OwnReports):
    def test_one_call_forward_and_one_backward(self):
        names = ("before", "caller", "after", "zz_last")
        symbols = elf_program.functions(names, START, STEP)
        for machine, call, no_operation in MACHINES:
            with self.subTest(machine=machine.name):
                directory = self.new_directory(machine.name)
                text = bytearray(no_operation * (STEP * len(names) // len(no_operation)))
                for place, target in ((STEP + 8, 0), (STEP + 32, 2 * STEP)):
                    code = call(START + place, START + target, machine)
                    text[place:place + len(code)] = code
                elf_program.Program(symbols, machine, text_size=len(text), text=bytes(text)).write(
                    directory / "a.out")
                (directory / "gmon.out").write_bytes(gmon_files.gnu_file(
                    Layout.of(machine), [Histogram(START, symbols[-1].address, [1] * 96),
                                         Arc(START + 2 * STEP, START + STEP, 5)]))
                shown = arcs_of_count_zero(self.report(directory, "-b", "-q", "-c"))
                self.assertEqual(shown, {("caller", "before"), ("caller", "after")})


class Judged(ReportTest):
    """Random programs of x86 code with forward calls: GNU gprof finds the same arcs."""
    COUNT = 150

    def program(self, seed):
        generator = random.Random(moved_seed(seed))
        directory = self.new_directory(f"forward{seed}")
        count = generator.randint(3, 25)
        symbols = elf_program.functions([f"f{i}" for i in range(count)] + ["zz_last"], START, STEP)
        text = bytearray(b"\x90" * (STEP * len(symbols)))
        for caller in range(count - 1):
            for place in range(generator.randint(0, 4)):
                offset = STEP * caller + 4 + 12 * place
                target = STEP * generator.randint(caller + 1, count - 1)
                text[offset:offset + 5] = near_call(offset, target)
        machine = generator.choice((elf_program.X86_64, elf_program.I386))
        elf_program.Program(symbols, machine, text_size=len(text), text=bytes(text)).write(
            directory / "a.out")
        shape = gmon_files.Shape(arcs=generator.randint(1, 30), equal=generator.random() < 0.3)
        entries = [symbol.address for symbol in symbols[:-1]]
        (directory / "gmon.out").write_bytes(gmon_files.gnu_file(
            Layout.of(machine), gmon_files.random_profile(seed, entries, START,
                                                          symbols[-1].address, shape)))
        return directory

    def test_forward_calls(self):
        options = (("-b", "-c"), ("-b", "-q", "-c", "-z"), ("-b", "-c", "-T"),
                   ("-b", "-c", "-C", "-z"))
        self.compare([Case(directory, words, f"forward calls, {' '.join(words)}")
                      for directory in map(self.program, range(self.COUNT)) for words in options])

    def test_forward_calls_of_a_compiler(self):
        require("gcc", "nm", "readelf")
        directory = self.new_directory("compiled")
        chain = "".join(
            f"int f{i}(int n) {{ seen = n; return f{i + 1}(n) + f{min(i + 3, 8)}(n); }}\n"
            for i in range(8))
        (directory / "chain.c").write_text(
            "volatile int seen;\n" + "".join(f"int f{i}(int);\n" for i in range(9))
            + "void _start(void) { for (;;) f0(1); }\n" + chain
            + "int f8(int n) { return n + 1; }\nvoid zz_last(void) {}\n")
        run(["gcc", "-O0", *FLAGS, "chain.c", "-o", "a.out"], directory)
        code = code_of(directory / "a.out")
        self.assertEqual(len(code.functions), 11)
        entry = {name: address for address, name in code.functions.items()}
        (directory / "gmon.out").write_bytes(gmon_files.gnu_file(
            code.layout, [Histogram(code.low, code.high, [2] * ((code.high - code.low) // 4)),
                          Arc(entry["_start"] + 9, entry["f0"], 4),
                          Arc(entry["f0"] + 9, entry["f3"], 4)]))
        self.compare([Case(directory, words) for words in (("-b", "-c"), ("-b", "-c", "-z"))])
