"""The test programs of `tests/programs/report`, how they are built, and profiles of them.

A program is built and run once for each set of flags. Its own gmon.out has few ticks; most
comparisons use profiles that a seeded generator makes for the functions that are really there.
"""
import dataclasses
import os
import random
import shutil
import subprocess

import gmon_files
import gnu_versions
from profiled_program import PROGRAMS, run

REPORT_PROGRAMS = PROGRAMS / "report"
LANGUAGES = {"c": "gcc", "clang": "clang", "c++": "g++", "fortran": "gfortran", "ada": "gnatmake"}
NO_WARNINGS = {"ada": ("-q", "-gnatws")}


@dataclasses.dataclass(frozen=True)
class Build:
    """`places` fill in an option set's {a} {b} {c} {file} {other} {line}.

    `meets`: of the differences between versions of GNU gprof, those that it shows.
    """
    name: str
    sources: tuple
    flags: tuple
    language: str = "c"
    places: tuple = ()
    runs: bool = True
    strip: bool = False
    large: bool = False  # thousands of functions: fewer comparisons
    meets: tuple = ()

    def may_differ(self, name):
        return name in self.meets and gnu_versions.may_show(name)


STATICS = ("statics_main.c", "statics_left.c", "statics_right.c")
NAMES = {
    STATICS: dict(a="left", b="only_left", c="main", file="statics_left.c", other="statics_right.c",
                  line=12),
    ("dots.c",): dict(a="checked", b="scaled", c="main", file="dots.c", other="none.c", line=26),
    ("aliases.c",): dict(a="twice", b="_loud", c="main", file="aliases.c", other="x.c", line=9),
    ("recursion.c",): dict(a="first", b="odd", c="even", file="recursion.c", other="x.c", line=10),
    ("sections.c",): dict(a="here", b="far_away", c="main", file="sections.c", other="x.c", line=6),
    ("lines.c",): dict(a="several", b="step", c="main", file="lines.c", other="lines.h", line=7),
    ("bare.c",): dict(a="deep", b="leaf", c="middle", file="bare.c", other="x.c", line=3),
    ("shapes.cpp",): dict(a="_Z8repeatedIZ4mainEUliE_EiiOT_", b="main",
                          c="_ZN8geometry2v27measureERKNS_5ShapeE", file="shapes.cpp",
                          other="stl_map.h", line=35),
    ("numbers.f90",): dict(a="__numbers_MOD_twice", b="gather_", c="__numbers_MOD_fibonacci",
                           file="numbers.f90", other="x.f90", line=11),
    ("nested.adb",): dict(a="nested__outer__inner.1", b="_ada_nested", c="main",
                          file="nested.adb", other="x.adb", line=10),
}


def build(name, sources, *flags, **options):
    sources = (sources,) if isinstance(sources, str) else sources
    return Build(name, sources, flags, places=tuple(NAMES[sources].items()), **options)


BARE = ("-nostdlib", "-static", "-ffreestanding", "-fno-pie", "-fno-stack-protector")

# A header comes first in a unit. So does an artificial file where LTO made it: those are of DWARF 4,
# as a twin would have other names for what LTO keeps apart.
FIRST_FILE = {"meets": ("first file",)}
CLANG = {"language": "clang", "meets": ("warnings of clang's files",)}

BUILDS = (
    build("statics", STATICS, "-O0", "-g"),
    build("statics_optimised", STATICS, "-O2", "-g"),
    build("statics_fixed", STATICS, "-O1", "-g", "-no-pie"),
    build("statics_without_lines", STATICS, "-O0"),
    build("statics_lto", STATICS, "-O2", "-gdwarf-4", "-flto", "-fno-inline"),
    build("statics_clang", STATICS, "-O0", "-g", **CLANG),
    build("statics_static", STATICS, "-O0", "-g", "-static", large=True),
    build("dots", "dots.c", "-O3", "-g"),
    build("dots_lto", "dots.c", "-O2", "-gdwarf-4", "-flto", "-flto-partition=max"),
    build("dots_plain", "dots.c", "-O0", "-g", "-no-pie"),
    build("dots_clang", "dots.c", "-O2", "-g", **CLANG),
    build("aliases", "aliases.c", "-O0", "-g"),
    build("aliases_optimised", "aliases.c", "-O2"),
    build("aliases_clang", "aliases.c", "-O1", "-g", **CLANG),
    build("recursion", "recursion.c", "-O0", "-g"),
    build("recursion_optimised", "recursion.c", "-O2", "-g", "-no-pie"),
    build("recursion_three", "recursion.c", "-O3", "-g"),
    build("sections", "sections.c", "-O1", "-g"),
    build("sections_each", "sections.c", "-O2", "-g", "-ffunction-sections"),
    build("dwarf2", "lines.c", "-O0", "-gdwarf-2", "-gstrict-dwarf"),
    # A unit of DWARF 2 has one range of code, which leaves out that of main in .text.startup.
    build("dwarf2_optimised", "lines.c", "-O2", "-gdwarf-2", "-gstrict-dwarf"),
    build("dwarf3", "lines.c", "-O1", "-gdwarf-3"),
    build("dwarf4", "lines.c", "-O0", "-gdwarf-4"),
    build("dwarf4_optimised", "lines.c", "-O2", "-gdwarf-4"),
    build("dwarf5", STATICS, "-O1", "-gdwarf-5"),
    build("dwarf5_header", "lines.c", "-O0", "-gdwarf-5", **FIRST_FILE),
    build("dwarf5_optimised", "lines.c", "-O2", "-gdwarf-5", **FIRST_FILE),
    build("dwarf5_clang", STATICS, "-O1", "-gdwarf-5", **CLANG),
    build("dwarf4_clang", "lines.c", "-O1", "-gdwarf-4", language="clang"),
    build("line_tables_only", "recursion.c", "-O0", "-g1"),
    build("compressed", STATICS, "-O1", "-g", "-gz"),
    build("compressed_old", "recursion.c", "-O0", "-g", "-gz=zlib-gnu"),
    build("stripped", STATICS, "-O1", "-g", strip=True),
    build("bare32", "bare.c", "-O1", "-g", "-m32", *BARE, runs=False),
    build("bare64", "bare.c", "-O1", "-g", *BARE, runs=False),
    build("barex32", "bare.c", "-O1", "-g", "-mx32", *BARE, runs=False),
    build("shapes", "shapes.cpp", "-O0", "-gdwarf-4", language="c++"),
    build("shapes_optimised", "shapes.cpp", "-O2", "-gdwarf-4", language="c++"),
    build("shapes5", "shapes.cpp", "-O0", "-gdwarf-5", language="c++", **FIRST_FILE),
    build("numbers", "numbers.f90", "-O0", "-g", language="fortran"),
    build("numbers_optimised", "numbers.f90", "-O2", language="fortran"),
    build("nested", "nested.adb", "-O0", "-gdwarf-4", language="ada"),
    build("nested5", "nested.adb", "-O0", "-gdwarf-5", language="ada", **FIRST_FILE),
)

# GNU gprof -l dies on it ("somebody miscounted").
WITHOUT_LINES = ("shapes_optimised",)

# What GNU gprof reads in place of a program whose first files it may get wrong.
TWIN = "twin"


class Unavailable(Exception):
    """The message says what is missing."""


def compile_program(description, directory, name, flags):
    compiler = LANGUAGES[description.language]
    profiling = ("-pg",) if description.runs else ()
    quiet = NO_WARNINGS.get(description.language, ("-w",))
    command = [compiler, *profiling, *quiet, *flags, *description.sources, "-o", name]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Unavailable(f"{description.name}: {done.stderr.strip().splitlines()[-1]}")


def make_twin(description, directory):
    """The same code, described by DWARF 4."""
    for made in (*directory.glob("*.o"), *directory.glob("*.ali")):
        made.unlink()  # gnatmake would take them, whatever the flags
    flags = ["-gdwarf-4" if flag == "-gdwarf-5" else flag for flag in description.flags]
    compile_program(description, directory, TWIN, flags)
    if machine_code(directory / TWIN) != machine_code(directory / "program"):
        raise Unavailable(f"{description.name}: the compiler makes other code with {flags}")


def machine_code(executable):
    """What symbols and profiles refer to: the sections with code, and the functions in them."""
    return run(["objdump", "-s", "-j", ".text", executable.name], executable.parent).replace(
        executable.name, ""), code_of(executable).functions


def make(description, directory):
    """Builds the program as `program` into the directory, which has its sources, and runs it.

    Beside it is a TWIN where GNU gprof may read the program wrong.
    """
    compiler = LANGUAGES[description.language]
    if shutil.which(compiler) is None:
        raise Unavailable(f"{description.name}: no {compiler}")
    sources = [*description.sources, "lines.h"]
    for source in sources:
        shutil.copy2(REPORT_PROGRAMS / source, directory / source)
    compile_program(description, directory, "program", description.flags)
    if description.may_differ("first file"):
        make_twin(description, directory)
    if description.strip:
        run(["strip", "-g", "program"], directory)
    for leftover in directory.glob("*.o"):
        leftover.unlink()
    if description.runs:
        environment = {k: v for k, v in os.environ.items() if k != "GMON_OUT_PREFIX"}
        subprocess.run(["./program"], cwd=directory, env=environment, check=False, timeout=60)
        if (directory / "gmon.out").exists():
            (directory / "gmon.out").rename(directory / "real.out")
    return directory / "program"


@dataclasses.dataclass
class Code:
    """Where an executable's `.text` and functions lie, and the layout of its gmon files."""
    low: int
    high: int
    functions: dict
    layout: gmon_files.Layout

    def even_ticks(self):
        """A tick in every two bytes."""
        return gmon_files.Histogram(self.low, self.high, [1] * ((self.high - self.low) // 2))


def code_of(executable):
    sections = run(["readelf", "-S", "-W", executable], executable.parent)
    fields = next(line for line in sections.splitlines() if " .text " in line).split("]")[1].split()
    low, size = int(fields[2], 16), int(fields[4], 16)
    found = {}
    for line in run(["nm", "-n", executable], executable.parent).splitlines():
        parts = line.split()
        if len(parts) == 3 and parts[1] in "tTwWi" and low <= int(parts[0], 16) < low + size:
            found.setdefault(int(parts[0], 16), parts[2])
    header = executable.read_bytes()[:6]
    layout = gmon_files.Layout(8 if header[4] == 2 else 4, "little" if header[5] == 1 else "big")
    # The last symbol's ticks are no safe ground: GNU gprof reads behind its table.
    return Code(low, max(found), found, layout)


def profile_of(code, seed, shape=gmon_files.Shape()):
    """A profile in which calls come from anywhere in a function and go to entries."""
    generator = random.Random(seed)
    entries = sorted(code.functions)
    own = [a for a in entries if not code.functions[a].startswith(("_init", "_dl", "__lib"))]
    bounds = dict(zip(entries, entries[1:] + [code.high]))
    arcs = []
    for _ in range(shape.arcs):
        caller, callee = generator.choice(own), generator.choice(own)
        site = generator.randrange(caller, max(bounds[caller], caller + 1))
        arcs.append(gmon_files.Arc(site, callee + generator.choice((0, 0, 4)),
                                   generator.randint(0, shape.arc_count)))
    return [gmon_files.random_histogram(generator, code.low, code.high, shape), *arcs]


def blocks_of(code, seed, count=25):
    """Counts for addresses anywhere in the code, in the order of addresses."""
    generator = random.Random(seed)
    places = sorted(generator.sample(range(code.low, code.high), min(count, code.high - code.low)))
    return gmon_files.Blocks(tuple((a, generator.randint(0, 30000)) for a in places))
