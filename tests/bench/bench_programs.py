"""The programs to measure: generated ones, made once per shape, and real ones."""

import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
FUNCTIONS_PER_FILE = 100
LARGEST_FILES = 2000


@dataclasses.dataclass
class Subject:
    """A program with its profile; `sources`: those that lenses can be requested for, best first."""
    title: str
    shape: str
    functions: int
    lines: int
    program: pathlib.Path
    profile: pathlib.Path
    sources: list
    profiles: list = dataclasses.field(default_factory=list)

    @property
    def key(self):
        return f"{self.title}, {self.functions:,} functions" if self.functions else self.title


def generated_folder(work, shape, functions, lines, *words, files=None):
    """The folder of the generated program, which is created if missing."""
    files = files or max(1, min(LARGEST_FILES, functions // FUNCTIONS_PER_FILE))
    kind = "-".join([shape, *(word.strip("-") for word in words)])
    folder = work / f"{kind}-{functions}-{files}-{lines}"
    if not (folder / "expected.json").exists():
        print(f"generating a program of {functions} functions in {folder.name}", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run(
            [sys.executable, HERE / "generate_program.py", "--shape", shape, "--functions",
             str(functions), "--files", str(files), "--lines", str(lines), *words, "--output", folder],
            check=True)
    return folder


def generated(work, title, shape, functions, lines, *words):
    folder = generated_folder(work, shape, functions, lines, *words)
    sources = sorted(folder.glob("file_*.c"))
    sources.insert(0, sources.pop(len(sources) // 2))
    return Subject(title, shape, functions, lines, folder / "program", folder / "gmon.out", sources,
                   sorted((folder / "profiles").glob("gmon.out.*")))


def is_program(file):
    if not file.is_file() or not os.access(file, os.X_OK):
        return False
    with file.open("rb") as stream:
        return stream.read(4) == b"\x7fELF"


def program_parts(folder):
    """(program, profile, sources) of a generated folder."""
    programs = [file for file in sorted(folder.iterdir()) if is_program(file)]
    sources = sorted(folder.rglob("*.c")) or sorted(folder.rglob("*.cc"))
    if len(programs) != 1 or not sources:
        sys.exit(f"{folder} holds {len(programs)} programs and {len(sources)} sources; delete it")
    return programs[0], folder / "gmon.out", sources


def real(work, words):
    """`EXECUTABLE` or `EXECUTABLE:PROFILE`. Without a profile, one is drawn from its symbols."""
    executable, _, profile = words.partition(":")
    executable = pathlib.Path(executable).resolve()
    if not is_program(executable):
        sys.exit(f"{executable}: not an executable of ELF format")
    drawn = work / f"real-{executable.name}.gmon"
    if not profile:
        subprocess.run([sys.executable, HERE / "draw_profile.py", "--program", executable,
                        "--output", drawn], check=True)
    source = _hottest_source(executable, profile or drawn)
    return Subject(executable.name, "real", 0, 0, executable, pathlib.Path(profile or drawn).resolve(),
                   [source] if source else [])


def _hottest_source(executable, profile):
    """The first existing source file of the functions in the order of the flat profile."""
    with subprocess.Popen(["gprof", "-b", "-p", "--no-demangle", executable, profile], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as process:
        names = [line.split()[-1] for line in process.stdout if line[:6].strip()[:1].isdigit()][:200]
    listed = subprocess.run(["nm", "--defined-only", executable], capture_output=True, text=True,
                            check=True).stdout
    addresses = {fields[2]: fields[0] for fields in map(str.split, listed.splitlines())
                 if len(fields) == 3}
    wanted = [addresses[name] for name in names if name in addresses]
    if not wanted:
        return None
    places = subprocess.run(["addr2line", "-e", executable, *wanted], capture_output=True, text=True,
                            check=True).stdout
    for place in places.splitlines():
        source = pathlib.Path(place.rsplit(":", 1)[0])
        if source.is_absolute() and source.is_file():
            return source
    return None
