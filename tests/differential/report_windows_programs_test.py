"""Reports on Windows programs (PE) equal GNU gprof's, which reads them wherever it runs."""
import dataclasses

import gmon_files
import report_option_sets as options
from profiled_program import require, run
from report_cases import Case, ReportTest, enough_comparisons
from report_programs import STATICS, blocks_of, profile_of
from report_random_programs import words_of
from report_sources_test import ANNOTATED, BY_LINE, EVERYWHERE, FILES
from windows_programs import MACHINES, code_of, compile_sources

tearDownModule = enough_comparisons("windows_programs")

@dataclasses.dataclass(frozen=True)
class Build:
    """`strip`: an option of strip. `lines`: GNU gprof can show it by line. `located`: it finds the lines of all functions
    that have some, and of no other."""
    name: str
    sources: tuple
    flags: tuple
    a: str = "left"
    b: str = "only_left"
    file: str = "statics_left.c"
    line: int = 12
    strip: str = ""
    lines: bool = True
    located: bool = True

    @property
    def compiler(self):
        return "g++" if self.sources[0].endswith(".cpp") else "gcc"


SHAPES = {"a": "_Z8repeatedIZ4mainEUliE_EiiOT_", "b": "main", "file": "shapes.cpp", "line": 35}
# DWARF 4, as GNU gprof misreads the first file of units of DWARF 5.
BUILDS = (
    Build("statics", STATICS, ("-O0", "-gdwarf-4")),
    Build("statics_optimised", STATICS, ("-O2", "-gdwarf-4")),
    Build("statics_profiled", STATICS, ("-O1", "-gdwarf-4", "-pg"), lines=False, located=False),
    Build("statics_without_lines", STATICS, ("-O2",)),
    Build("statics_stripped", STATICS, ("-O1", "-gdwarf-4"), strip="--strip-debug"),
    Build("statics_fixed", STATICS, ("-O1", "-gdwarf-2", "-Wl,--disable-dynamicbase")),
    Build("statics_elsewhere", STATICS, ("-O1", "-gdwarf-4", "-Wl,--image-base,0x70000000")),
    Build("sections", ("sections.c",), ("-O2", "-gdwarf-4", "-ffunction-sections"), a="here",
          b="far_away", file="sections.c", line=6, located=False),
    Build("dots", ("dots.c",), ("-O3", "-gdwarf-4"), a="checked", b="scaled", file="dots.c",
          line=26),
    Build("recursion", ("recursion.c",), ("-O0", "-gdwarf-4"), a="first", b="odd",
          file="recursion.c", line=10),
    Build("shapes", ("shapes.cpp",), ("-O0", "-gdwarf-4"), **SHAPES),
    # GNU gprof -l dies on it ("somebody miscounted").
    Build("shapes_optimised", ("shapes.cpp",), ("-O2", "-gdwarf-4"), lines=False, **SHAPES),
)


class WindowsPrograms(ReportTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        require("objdump", "nm", *(f"{machine.compilers}-{tool}" for machine in MACHINES
                                   for tool in ("gcc", "g++", "strip")))
        cls.programs = [(build, cls.make(build, machine))
                        for machine in MACHINES for build in BUILDS]

    @classmethod
    def make(cls, build, machine):
        """The directory with `program` and its profiles."""
        directory = cls.directory / f"{build.name}_{machine.compilers}"
        directory.mkdir()
        compile_sources(f"{machine.compilers}-{build.compiler}", build.sources, build.flags,
                        directory)
        if build.strip:
            run([f"{machine.compilers}-strip", build.strip, "program"], directory)
        code = code_of(directory / "program", machine)
        records = profile_of(code, build.name, gmon_files.Shape(arcs=200, tick_share=0.1))
        gmon_files.write(directory / "gmon.out", records, code.layout)
        gmon_files.write(directory / "blocks.out", [*records, blocks_of(code, build.name)],
                         code.layout)
        # What the library of MinGW writes.
        (directory / "bsd.out").write_bytes(
            gmon_files.bsd44_file(code.layout, records[0], records[1:]))
        return directory

    def cases(self, option_sets, profile="gmon.out", accept=lambda build: True, **more):
        for build, directory in self.programs:
            if not accept(build):
                continue
            places = {"a": build.a, "b": build.b, "c": "main", "file": build.file,
                      "other": "x.c", "line": build.line}
            for option_set in option_sets:
                words = words_of(option_set, places)
                yield Case(directory, (*words, "program", profile), directory.name, **more)

    def test_every_report(self):
        self.compare(self.cases(EVERYWHERE, accept=lambda build: build.located))
        self.compare(self.cases((("-b",), ("-b", "-a"), ("-b", "-z")),
                                accept=lambda build: not build.located))
        self.compare(self.cases((("-b",), ("-b", "-i"), ("-b", "-C")), "bsd.out",
                                accept=lambda build: build.located))

    def test_by_line(self):
        def accept(build):
            return build.name in ("statics", "recursion", "statics_elsewhere")
        self.compare(self.cases(BY_LINE, accept=accept))
        self.compare(self.cases((("-b", "-l", "-C"), ("-b", "-l", "-A")), "blocks.out",
                                accept=accept))

    def test_annotated_sources(self):
        # The sources of the run-time library are on another machine: both say so.
        self.compare(self.cases(ANNOTATED, accept=lambda build: build.located and build.lines))
        self.compare(self.cases(FILES, writes=True,
                                accept=lambda build: build.name in ("statics", "recursion")))

    def test_selections_and_symbols(self):
        def accept(build):
            return build.name in ("statics", "dots", "shapes")
        self.compare(self.cases(options.SELECTIONS + options.SYMBOLS, accept=accept))
        self.compare(self.cases(options.REPORTS, accept=lambda build: build.name == "statics"))

    def test_sums(self):
        self.compare(self.cases((("-s",), ("-b", "-s", "-q")), writes=True,
                                accept=lambda build: build.name == "statics"))
