"""Windows programs (PE), made by MinGW's compilers of the sources of `tests/programs/report`."""
import dataclasses
import shutil

import gmon_files
from profiled_program import run
from report_programs import REPORT_PROGRAMS, Code


@dataclasses.dataclass(frozen=True)
class Machine:
    compilers: str
    pointer_size: int


MACHINES = (Machine("x86_64-w64-mingw32", 8), Machine("i686-w64-mingw32", 4))


def compile_sources(compiler, sources, flags, directory):
    """The executable `program` in the directory, which gets the sources."""
    for source in (*sources, "lines.h"):
        shutil.copy2(REPORT_PROGRAMS / source, directory / source)
    # The linker adds an ending to a name without one.
    run([compiler, "-w", *flags, *sources, "-o", "program.exe"], directory)
    (directory / "program.exe").rename(directory / "program")


def code_of(executable, machine):
    headers = run(["objdump", "-h", executable.name], executable.parent)
    fields = next(line for line in headers.splitlines() if " .text " in line).split()
    size, low = int(fields[2], 16), int(fields[3], 16)
    found = {}
    for line in run(["nm", "-n", executable.name], executable.parent).splitlines():
        parts = line.split()
        if len(parts) == 3 and parts[1] in "tTwW" and low <= int(parts[0], 16) < low + size:
            found.setdefault(int(parts[0], 16), parts[2])
    layout = gmon_files.Layout(machine.pointer_size, "little")
    # The last symbol's ticks are left out: GNU gprof reads behind its table.
    return Code(low, max(found), found, layout)


def moved(records, distance):
    """The histogram and arcs of the same run, had the system loaded the program elsewhere."""
    histogram, *arcs = records
    return [dataclasses.replace(histogram, low=histogram.low + distance,
                                high=histogram.high + distance),
            *(gmon_files.Arc(arc.caller + distance, arc.callee + distance, arc.count)
              for arc in arcs)]
