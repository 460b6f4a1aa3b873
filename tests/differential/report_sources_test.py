"""Reports on built programs equal GNU gprof's: by line, annotated sources, counts, real names."""
import random

import gmon_files
import report_option_sets as options
from report_cases import Case, ReportTest, enough_comparisons
from report_programs import (BUILDS, TWIN, WITHOUT_LINES, Unavailable, blocks_of,
                             code_of, make, profile_of)
from report_random_programs import words_of

EVERYWHERE = (("-b",), ("-b", "-C"), ("-b", "-A"), ("-b", "-z"), ("-b", "-r"),
              ("-b", "-q", "-L", "-w", "130"), ("-b", "-a"), ("-b", "-D", "-C"))
BY_LINE = (("-b", "-l"), ("-b", "-l", "-p"), ("-b", "-l", "-q"), ("-b", "-l", "-C"),
           ("-b", "-l", "-A"), ("-b", "-l", "-A", "-x"), ("-b", "-l", "-L"), ("-b", "-l", "-z"),
           ("-b", "-l", "-T"), ("-b", "-l", "-a"), ("-b", "-l", "-D"), ("-b", "-l", "-r"),
           ("-b", "-l", "--inline-file-names"), ("-b", "-l", "-q{a}"), ("-b", "-l", "-p{file}"),
           ("-b", "-l", "-p{file}:{line}"), ("-b", "-l", "-E", "{b}"), ("-b", "-l", "-C", "-z"))
ANNOTATED = (("-b", "-A"), ("-b", "-A", "-x"), ("-b", "-A", "-m", "50"), ("-b", "-A", "-m", "0"),
             ("-b", "-A", "-t", "0"), ("-b", "-A", "-t", "3"), ("-b", "-A", "-z"),
             ("-b", "-A", "-x", "-z", "-t", "100"), ("-b", "-A", "-L"), ("-b", "-A{file}"),
             ("-b", "-A{a}"), ("-b", "-J{a}"), ("-b", "-A", "-J{file}"), ("-b", "-A{file}:{line}"),
             ("-b", "-A", "-p", "-q", "-C"), ("-b", "--annotated-source={file}"),
             ("-b", "--no-annotated-source={a}"), ("-b", "-Ano_such_function"),
             ("-b", "-A", "-T"), ("-A",), ("-b", "-i", "-A"))
FILES = (("-b", "-y", "-A"), ("-b", "-y", "-A", "-x"), ("-b", "-y", "-A{file}", "-t", "2"),
         ("-b", "-y"), ("-b", "-y", "-l", "-A", "-x"))
OTHERS = options.SELECTIONS + options.SYMBOLS + options.REPORTS

tearDownModule = enough_comparisons("sources")


class BuiltPrograms(ReportTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.programs, missing = [], []
        for build in BUILDS:
            directory = cls.directory / build.name
            directory.mkdir()
            try:
                executable = make(build, directory)
            except Unavailable as reason:
                missing.append(str(reason))
                continue
            cls.add_profiles(build, executable)
        for reason in missing:
            print(f"without {reason}", flush=True)

    @classmethod
    def add_profiles(cls, build, executable):
        code = code_of(executable)
        shape = gmon_files.Shape(arcs=400 if build.large else 40,
                                 tick_share=0.02 if build.large else 0.25)
        records = profile_of(code, build.name, shape)
        directory = executable.parent
        gmon_files.write(directory / "gmon.out", records, code.layout)
        gmon_files.write(directory / "blocks.out",
                         [*records, blocks_of(code, build.name)], code.layout)
        gmon_files.write(directory / "ticks.out", records[:1], code.layout)
        gmon_files.write(directory / "calls.out", records[1:], code.layout)
        cls.programs.append((build, directory))

    def cases(self, option_sets, profile="gmon.out", accept=lambda build: True, **more):
        for build, directory in self.programs:
            if not accept(build) or not (directory / profile).exists():
                continue
            for option_set in option_sets:
                words = words_of(option_set, dict(build.places))
                yield self.case(build, directory, (*words, "program", profile), **more)

    @staticmethod
    def case(build, directory, words, **more):
        """Allows for what the installed GNU gprof does to such a program."""
        return Case(directory, words, build.name,
                    twin=TWIN if build.may_differ("first file") else "",
                    stderr_may_differ=build.may_differ("warnings of clang's files"), **more)

    def test_every_report(self):
        self.compare(self.cases(EVERYWHERE))

    def test_profiles_of_real_runs(self):
        self.compare(self.cases((("-b",), ("-b", "-q", "-C", "-z")), "real.out"))

    def test_histogram_only_and_calls_only(self):
        self.compare([*self.cases((("-b",), ("-b", "-q"), ("-b", "-A")), "ticks.out",
                                  lambda build: not build.large),
                      *self.cases((("-b",), ("-b", "-p"), ("-b", "-C")), "calls.out",
                                  lambda build: not build.large)])

    def test_options(self):
        cases = []
        for build, directory in self.programs:
            generator = random.Random(build.name)
            for option_set in generator.sample(OTHERS, 3 if build.large else 12):
                words = words_of(option_set, dict(build.places))
                cases.append(self.case(build, directory, (*words, "program")))
        self.compare(cases)

    def test_by_line(self):
        self.compare(self.cases(BY_LINE, accept=lambda build: build.name not in WITHOUT_LINES
                                and not build.large))

    def test_annotated_sources(self):
        names = ("statics", "statics_optimised", "dots", "dwarf2", "dwarf4_clang", "aliases")
        self.compare(self.cases(ANNOTATED, accept=lambda build: build.name in names))

    def test_block_counts(self):
        names = ("statics", "recursion", "dwarf4", "dwarf2", "dots_plain", "bare32")
        sets = (("-b", "-l", "-A"), ("-b", "-l", "-A", "-x"), ("-b", "-l", "-C"), ("-b", "-i"),
                ("-b", "-C"), ("-b", "-A"), ("-b", "-l", "-p"), ("-b", "-l", "-A", "-m", "9"))
        self.compare(self.cases(sets, "blocks.out", lambda build: build.name in names))

    def test_annotated_files(self):
        names = ("statics", "dwarf4", "recursion")
        self.compare(self.cases(FILES, accept=lambda build: build.name in names, writes=True))


class MovedSources(ReportTest):
    """Sources that are no longer where the line tables say."""

    def test_search(self):
        build = next(build for build in BUILDS if build.name == "statics")
        built = self.new_directory("built")
        executable = make(build, built)
        code = code_of(executable)
        gmon_files.write(built / "gmon.out", profile_of(code, "moved"), code.layout)
        moved = self.new_directory("moved")
        for source in ("statics_left.c", "statics_main.c"):
            (built / source).rename(moved / source)
        cases = [Case(built, (*words, "program"), "moved", environment=environment)
                 for words, environment in (
                     (("-b", "-A"), ()),
                     (("-b", "-A", "-I", str(moved)), ()),
                     (("-b", "-A", "-I../moved"), ()),
                     (("-b", "-A", "-I", f"/no/such:{moved}"), ()),
                     (("-b", "-A", "--directory-path=../moved"), ()),
                     (("-b", "-A"), (("GPROF_PATH", str(moved)),)),
                     (("-b", "-A", "-I", "/no/such"), (("GPROF_PATH", f"/nor/this:{moved}"),)),
                     (("-b", "-A", "-x", "-I", "../moved", "-I", "/no/such"), ()))]
        self.compare(cases)
