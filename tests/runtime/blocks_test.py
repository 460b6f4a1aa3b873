"""Basic blocks: exact execution counts by line, from -fsanitize-coverage, in our report and gprof's."""
import bisect
import collections
import re
import shutil

import generated_program
import gmon_profile
from harness import PROGRAMS, SERVER, RuntimeTest, execute, require, require_file

GCC = ("-fsanitize-coverage=trace-pc",)
CLANG = ("-fsanitize-coverage=bb,no-prune,trace-pc-guard,pc-table", "-gdwarf-4")
ANNOTATED = re.compile(r"^ *([\d,#]+) ->")


class Blocks(RuntimeTest):
    def listing(self, program, tool, *options):
        """Line -> the counts that the annotated source shows for it; 0 for a line that never ran."""
        # Sources are looked up in the directory that the report is made in.
        command = {"gprof": ["gprof"], "ours": [SERVER, "report"]}[tool]
        if tool == "ours":
            require_file(SERVER)
        else:
            require("gprof")
        done = execute([*command, "-b", "-l", "-A", "-x", *options, program, "gmon.out"],
                       self.directory)
        self.assertEqual((done.status, done.stderr), (0, ""))
        lines = {}
        source = done.stdout.split("*** File ")[1].splitlines()[1:]
        for number, text in enumerate(source, 1):
            match = ANNOTATED.match(text)
            if match:
                lines[number] = [0 if "#" in n else int(n) for n in match[1].split(",") if n]
            if text.startswith("Top ") or text.startswith("Execution Summary"):
                break
        return lines

    def built_with_blocks(self, source, compiler, *flags, pg=True):
        """Linked without the flag: with it, clang links its own runtime."""
        require(compiler)
        name = f"{source.stem}-{compiler}"
        coverage = GCC if compiler == "gcc" else CLANG
        self.build(f"{name}.o", [source], "-c", "-w", "-O0", *coverage, *flags,
                   compiler=compiler, pg=pg)
        return self.linked(name, [self.built / f"{name}.o"], *flags, compiler=compiler, pg=pg)

    def run_with_blocks(self, program, *arguments):
        for name in self.files():
            (self.directory / name).unlink()
        outcome = self.preloaded(program, *arguments, variables={"LD_PRELOAD": ""})
        self.assertEqual((outcome.status, outcome.stderr), (0, ""))
        return outcome

    def copy(self, name):
        shutil.copy(PROGRAMS / name, self.built / name)
        return self.built / name

    def line_of(self, source, fragment):
        lines = [number for number, line in enumerate(source.read_text().splitlines(), 1)
                 if fragment in line]
        self.assertEqual(len(lines), 1, fragment)
        return lines[0]


class Manual(Blocks):
    """Section 5.4 of gprof's manual: 2, 1, 1, 26312, 2."""

    def assert_manual(self, compiler):
        source = self.copy("updcrc.c")
        program = self.built_with_blocks(source, compiler)
        self.run_with_blocks(program)
        for tool in ("gprof", "ours"):
            with self.subTest(tool):
                lines = self.listing(program, tool)
                at = {name: lines.get(self.line_of(source, text), [None]) for name, text in {
                    "if": "if (s == NULL) {", "null": "        c = 0xffffffffUL;",
                    "else": "        c = crc;", "do": "if (n) do {", "step": "c = table[",
                    "while": "} while (--n);", "crc": "    crc = c;", "return": "return c ^"}.items()}
                first = {name: counts[0] for name, counts in at.items()}
                self.assertEqual([first["if"], first["null"], first["else"], first["step"],
                                  first["crc"]], [2, 1, 1, 26312, 2], at)
                self.assertEqual(first["return"], 2)
                self.assertEqual(max(at["while"]), 26312)

    def test_gcc(self):
        self.assert_manual("gcc")

    def test_clang(self):
        self.assert_manual("clang")

    def test_never_run_blocks_are_written(self):
        for compiler in ("gcc", "clang"):
            with self.subTest(compiler):
                source = self.copy("updcrc.c")
                program = self.built_with_blocks(source, compiler)
                self.run_with_blocks(program)
                symbols = gmon_profile.symbols_of(program)
                counts = collections.defaultdict(list)
                for address, count in self.profile().blocks:
                    counts[symbols.name_at(address)].append(count)
                self.assertGreaterEqual(len(counts["never"]), 3)
                self.assertEqual(set(counts["never"]), {0})
                self.assertEqual(counts["updcrc"][0], 2)
                lines = self.listing(program, "ours")
                self.assertEqual(lines[self.line_of(source, "return 1;")], [0])
                self.assertEqual(lines[self.line_of(source, "return 2;")], [0])

    def test_block_is_at_its_call(self):
        """gprof treats an address in the middle of a line as another block of it."""
        require("objdump")
        program = self.built_with_blocks(self.copy("updcrc.c"), "gcc")
        self.run_with_blocks(program)
        text = execute(["objdump", "-d", "--no-show-raw-insn", program], self.directory).stdout
        calls = {int(a, 16) for a in re.findall(r"^ +([0-9a-f]+):\tcall +[0-9a-f]+ "
                                                r"<__sanitizer_cov_trace_pc@plt>", text, re.M)}
        self.assertEqual({address for address, _ in self.profile().blocks}, calls)


class Threads(Blocks):
    def test_exact_under_threads_and_signals(self):
        source = self.copy("block_threads.c")
        for compiler in ("gcc", "clang"):
            with self.subTest(compiler):
                program = self.built_with_blocks(source, compiler, "-pthread")
                handled = self.run_with_blocks(program).numbers()["handled"]
                lines = self.listing(program, "ours")
                self.assertEqual(
                    {name: max(lines[self.line_of(source, name)]) for name in (
                        "// every third", "// the others", "// in the handler", "if (i % 3")},
                    {"// every third": 800_000, "// the others": 1_600_000,
                     "// in the handler": handled, "if (i % 3": 2_400_000})

    def test_without_pg(self):
        """Blocks alone make a profile, too."""
        source = self.copy("block_threads.c")
        program = self.built_with_blocks(source, "gcc", "-pthread", pg=False)
        self.run_with_blocks(program)
        lines = self.listing(program, "ours", "-z")
        self.assertEqual(max(lines[self.line_of(source, "// every third")]), 800_000)


class Coverage(Blocks):
    """Counts of a program of a few thousand lines equal gcov's at -O0."""

    def gcov(self, source):
        require("gcov")
        program = self.build("big-gcov", [source], "-w", "-O0", "--coverage", pg=False)
        self.assertEqual(execute([program], self.directory).status, 0)
        done = execute(["gcov", "-t", self.built / "big-gcov-big.gcda"], self.built)
        self.assertEqual(done.status, 0, done.stderr)
        lines = {}
        for line in done.stdout.splitlines():
            count, number, _ = line.split(":", 2)
            if count.strip() != "-" and int(number) > 0:
                lines[int(number)] = int(re.sub(r"\D", "", count.replace("#####", "0")) or 0)
        return lines

    def counts_of_lines(self, program, source):
        """The largest count of the blocks in which code of a line begins, by the line table."""
        require("objdump", "nm")
        table = execute(["objdump", "--dwarf=decodedline", program], self.directory).stdout
        rows = sorted({(int(address, 16), int(line)) for line, address in re.findall(
            rf"^{re.escape(source.name)} +(\d+) +0x([0-9a-f]+)", table, re.M)})
        blocks = dict(self.profile().blocks)
        addresses = sorted(blocks)
        symbols = gmon_profile.symbols_of(program)
        lines = {}
        for address, line in rows:
            index = bisect.bisect_right(addresses, address) - 1
            # Code before the first block of its function runs as often as that block.
            if index < 0 or symbols.name_at(addresses[index]) != symbols.name_at(address):
                index = min(index + 1, len(addresses) - 1)
            lines[line] = max(lines.get(line, 0), blocks[addresses[index]])
        return lines

    def assert_agrees(self, compiler, share):
        source = self.built / "big.c"
        source.write_text(generated_program.program())
        expected = self.gcov("big.c")
        program = self.built_with_blocks(source, compiler)
        self.run_with_blocks(program)
        lines = self.counts_of_lines(program, source)
        self.assertGreater(len(expected), 2000)
        wrong = {number: (count, lines.get(number)) for number, count in expected.items()
                 if lines.get(number) != count}
        self.assertGreaterEqual(1 - len(wrong) / len(expected), share, sorted(wrong.items())[:40])
        never = {number for number, count in expected.items()
                 if (count == 0) != (lines.get(number) == 0)}
        self.assertLessEqual(len(never) / len(expected), 0.005, sorted(never)[:40])

    def test_gcc(self):
        self.assert_agrees("gcc", 0.985)
