"""Every option, in every spelling, means to `gprof-lsp report` what it means to GNU gprof."""
import shutil
import subprocess

import elf_program
import gmon_files
import report_option_sets as options
from profiled_program import require
from report_cases import Case, ReportTest, enough_comparisons, subject
from report_programs import BUILDS, code_of, make, profile_of
from report_random_programs import D_NAME, NOWHERE, PLAIN, words_of

NAMES = ("main", "alpha", "_ZN2ns5shape4areaEv", "_Z3fooi", "_ZSt4sortIPiEvT_S1_", "a", "b", "c",
         "_ZN3std2io5Write9write_fmt17h0123456789abcdefE", "__x", D_NAME,
         "ada__pkg__proc", *PLAIN[3:9], "zz_last")
PLACES = {"a": "a", "b": "alpha", "c": "main"} | NOWHERE

tearDownModule = enough_comparisons("options")


class Options(ReportTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.bare = cls.directory / "bare"
        cls.bare.mkdir()
        symbols = elf_program.functions(NAMES)
        program = elf_program.Program(symbols, text_size=0x40 * len(symbols))
        program.write(cls.bare / "program")
        addresses = [symbol.address for symbol in symbols]
        for name, seed in (("gmon.out", 3), ("other.out", 4)):
            records = gmon_files.random_profile(seed, addresses, addresses[0], addresses[-1],
                                                gmon_files.Shape(arcs=45))
            gmon_files.write(cls.bare / name, records)

    def built(self, name):
        """A fresh directory with a built program and a profile; the program's places."""
        build = next(build for build in BUILDS if build.name == name)
        require("gcc", "readelf", "nm")
        directory = self.new_directory(f"{name}_for_{self._testMethodName}")
        executable = make(build, directory)
        code = code_of(executable)
        gmon_files.write(directory / "gmon.out", profile_of(code, name), code.layout)
        return directory, dict(build.places)

    def cases(self, option_sets, directory, places, **more):
        for option_set in option_sets:
            yield Case(directory, (*words_of(option_set, places), "program"), directory.name,
                       **more)

    def test_profiles_from_pipes(self):
        """A shell names the output of a command as a file that can be read once."""
        require("bash")
        script = '"$@" -b program <(cat gmon.out) <(cat other.out)'
        texts = [subprocess.run(["bash", "-c", script, "bash", *command], cwd=self.bare,
                                stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout
                 for command in (subject(), ["gprof"])]
        self.assertTrue(texts[0])
        self.assertEqual(*texts)

    def test_selections(self):
        for name in ("statics", "recursion"):
            sets = options.SELECTIONS + options.PROGRAM_SELECTIONS
            self.compare(self.cases(sets, *self.built(name)))
        self.compare(self.cases(options.SELECTIONS + options.WIDE_SELECTIONS, self.bare, PLACES))

    def test_reports_symbols_and_widths(self):
        sets = options.REPORTS + options.SYMBOLS + options.WIDTHS
        self.compare(self.cases(sets, self.bare, PLACES))

    def test_spellings(self):
        self.compare(self.cases(options.SPELLINGS, self.bare, PLACES))

    def test_usage_errors(self):
        """The status and that there is a message; the wording is ours."""
        self.compare(Case(self.bare, (*words, "program"), "usage") for words in options.USAGE)
        self.compare(Case(self.bare, words, "usage") for words in options.USAGE)

    def test_explanations(self):
        """Without -b there are explanations, at GNU's places, and all else is the same."""
        sets = ((), ("-p",), ("-q",), ("-T",), ("-T", "-p"), ("-T", "-q"), ("-z",), ("-p", "-C"),
                ("-q", "-w", "50"), ("-C",), ("-r",), ("-i",), ("-p", "-q", "-C"), ("-qa",),
                ("-a",), ("-E", "main"))
        self.compare(Case(self.bare, (*words, "program"), "explained", explained=True)
                     for words in sets)

    def test_operands(self):
        """Where options, the executable and profiles stand; what they are by default."""
        directory = self.new_directory("operands")
        for name in ("program", "gmon.out", "other.out"):
            shutil.copy2(self.bare / name, directory / name)
        shutil.copy2(directory / "program", directory / "a.out")
        shutil.copy2(directory / "program", directory / "a")
        shutil.copy2(directory / "program", directory / "-odd")
        sets = ((), ("-b",), ("program",), ("program", "-b"), ("program", "gmon.out", "-b"),
                ("program", "-b", "other.out"), ("-p", "a", "-b"), ("-b", "-p", "a", "other.out"),
                ("-b", "-q", "a"), ("-b", "--", "program"), ("-b", "--", "-odd"),
                ("program", "--", "other.out", "-b"), ("-b", "program", "gmon.out", "other.out"),
                ("-b", "./program", "./gmon.out"), ("-b", "-C", "a", "gmon.out"),
                ("-b", "-A", "a"), ("-b", "-Z", "a"), ("-b", "-P", "a"), ("-b", "-J", "a"),
                ("-b", "", "gmon.out"), ("-b", "program", ""), ("-b", "no_such_program"),
                ("-b", "program", "no_such_profile"), ("-b", "program", "program"),
                ("-b", "gmon.out", "program"), ("-b", "."), ("-b", "program", "."),
                ("-i", "-b", "program", "gmon.out", "other.out"))
        self.compare(Case(directory, words, "operands", explained="-b" not in words)
                     for words in sets)

    def test_response_files(self):
        directory = self.new_directory("response")
        for name in ("program", "gmon.out"):
            shutil.copy2(self.bare / name, directory / name)
        texts = {"plain": "-b -p\nprogram\n", "quoted": "-b \"-p\" 'program'", "empty": "",
                 "escaped": "-b -qa\\lpha program", "nested": "@plain gmon.out",
                 "blank": " \t\n ", "half": "-b -q", "spaces": "-b '-pno such function' program",
                 "quotes": "-b \"-p'a'\" program"}
        for name, text in texts.items():
            (directory / name).write_text(text)
        self.compare(Case(directory, words, "response file") for words in (
            ("@plain",), ("@quoted",), ("-b", "@empty", "program"), ("@escaped",), ("@nested",),
            ("-b", "@blank", "program"), ("@half", "program", "gmon.out"), ("@spaces",),
            ("@quotes",), ("-b", "@no_such_file"), ("-b", "@"),
            ("-b", "program", "@no_such_file"), ("-b", "--", "@plain")))

    def test_symbol_list(self):
        """-S: symbols from a list."""
        directory = self.new_directory("symbol_list")
        shutil.copy2(self.bare / "program", directory / "program")
        shutil.copy2(self.bare / "gmon.out", directory / "gmon.out")
        lines = [f"{0x401000 + 0x40 * i:016x} {'Tt'[i % 3 == 2]} {name}"
                 for i, name in enumerate(("one", "two", "three", "four", "five", "six"))]
        # The last symbol, whose end GNU gprof does not know, lies behind the ticks.
        lines.append(f"{0x401000 + 0x40 * len(NAMES):016x} T zz")
        lists = {"symbols": lines, "reversed": lines[::-1],
                 "others": [*lines, "0000000000403000 D data", "                 U outside",
                            "0000000000401020 W weak"],
                 "short": [lines[0], lines[2], lines[-1]],
                 "prefixed": [f"0x{line}" for line in lines]}
        for name, text in lists.items():
            (directory / name).write_text("\n".join(text) + "\n")
        self.compare(Case(directory, (*words, "-S", name, "program"), f"-S {name}")
                     for name in lists
                     for words in (("-b",), ("-b", "-C"), ("-b", "-a"), ("-b", "-r"), ("-b", "-z")))

    def test_file_ordering(self):
        """-R: which object file holds which function."""
        directory, _ = self.built("statics")
        functions = {"statics_main.o": ("main",), "statics_left.o": ("left", "only_left"),
                     "statics_right.o": ("right",)}
        (directory / "map").write_text("".join(
            f"{file}:0000000000000000 T {function}\n"
            for file, names in functions.items() for function in names))
        (directory / "some").write_text("statics_left.o:0000 T left\nstatics_main.o:0000 T main\n")
        self.compare(Case(directory, (*words, "-R", name, "program"), f"-R {name}")
                     for name in ("map", "some") for words in (("-b",), ("-b", "-p"), ()))
