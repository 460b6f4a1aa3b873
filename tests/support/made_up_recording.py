"""Made-up recordings of compiled programs: a test states the samples, stacks and calls. No figure depends on where
a sampling signal lands, or on how fast and how busy the machine is.

A place is (function, fragment): the code of the function, with what was inlined into it, on its only line that
contains the fragment; or (function, fragment, file), if that line is not one of the recording's `source`; or
(function, None, library), somewhere in a library of which nothing else is known. A stack is a tuple of places,
innermost first: each but the first is where the function of the one before it is called.
"""
import collections
import dataclasses
import math
import re
import struct
import time

import gmon_files
import sidecar_files
from profiled_program import require, run

SECOND = 10**9
# Programs must be built like this, so that link-time and run-time addresses are the same.
FIXED = ("-no-pie", "-fno-pie", "-fcf-protection=none")
SOMEWHERE = 0x1000
HISTOGRAM_BEGIN = 20
HISTOGRAM_HEAD = struct.Struct("<BQQII16s")


@dataclasses.dataclass(frozen=True)
class Sampled:
    """`count` samples of a stack. `thread` and `slice`: numbers in the recording, from 0."""
    count: int
    stack: tuple
    thread: int = 0
    slice: int = 0


@dataclasses.dataclass(frozen=True)
class Called:
    """`count` calls of a function at a place."""
    count: int
    place: tuple
    callee: str
    thread: int = 0


@dataclasses.dataclass(frozen=True)
class Instruction:
    address: int
    function: str
    file: str
    line: int
    text: str


class Code:
    """The instructions of a program, and where its functions begin."""

    def __init__(self, workspace, program, source):
        require("objdump", "nm")
        self.program = program
        self._workspace, self._source = workspace, source
        rows = (row.split() for row in run(["nm", program], workspace.directory).splitlines())
        self.symbols = {row[2]: int(row[0], 16) for row in rows if len(row) == 3}
        self._instructions = self._read(run(["objdump", "-dl", "--no-show-raw-insn", program], workspace.directory))

    def sampled(self, place):
        """An address of the code there, an even one: bins have two bytes."""
        return (self._instructions[self._at(place)[0]].address + 1) & ~1

    def ranges(self, place):
        """Where each instruction there begins and ends."""
        return [(self._instructions[number].address, self._instructions[number + 1].address)
                for number in self._at(place)]

    def after_call(self, place, callee):
        """Where the call there, by its name or by a pointer, returns to."""
        for number in self._at(place):
            if re.match(rf"call\S* +([0-9a-f]+ <{re.escape(callee)}(@plt)?>|\*)", self._instructions[number].text):
                return self._instructions[number + 1].address
        raise AssertionError(f"{callee} is not called at {place}")

    def has(self, place):
        return any(each.function == place[0] for each in self._instructions)

    def _at(self, place):
        """The numbers of the instructions there."""
        function, fragment, *named = place
        file = named[0] if named else self._source
        lines = {line for line, text in enumerate(self._workspace.path(file).read_text().splitlines(), 1)
                 if fragment in text}
        found = [number for number, each in enumerate(self._instructions)
                 if each.function == function and each.file == file.rpartition("/")[2] and each.line in lines]
        assert len({self._instructions[number].line for number in found}) == 1, f"{place} is not one line of code"
        return found

    @staticmethod
    def _read(listing):
        found, function, file, line = [], None, None, None
        for row in listing.splitlines():
            if begin := re.match(r"[0-9a-f]+ <(.*)>:$", row):
                function, file, line = begin[1], None, None
            elif place := re.match(r"(?:.*/)?([^/]+):(\d+)(?: \(discriminator \d+\))?$", row):
                file, line = place[1], int(place[2])
            elif instruction := re.match(r"\s*([0-9a-f]+):\t(.*)", row):
                found.append(Instruction(int(instruction[1], 16), function, file, line, instruction[2]))
        return found


def write_recording(workspace, sampled, called=(), source="work.c", program="program", profile="gmon.out", rate=1000,
                    stacks=True, libraries=(), threads=((7, "program"),), slices=(SECOND, 1), **process):
    """The profile and its sidecar. `libraries`: (file, source) of each that counts no calls, and has no build-id;
    `threads`: the number and the name of each; `slices`: the width and the number of those of the time line;
    `process`: fields of the sidecar's format."""
    codes = [Code(workspace, *files) for files in ((program, source), *libraries)]
    code = codes[0]
    unknown = sorted({one.stack[0][2] for one in sampled if one.stack[0][1] is None})

    def address(place, callee=None):
        """(module, address), behind the call of `callee` if it is named."""
        if place[1] is None:
            return len(codes) + unknown.index(place[2]), SOMEWHERE
        module, found = next((module, each) for module, each in enumerate(codes) if each.has(place))
        return module, found.after_call(place, callee) if callee else found.sampled(place)

    samples, whole_stacks, sample_parts, stack_parts, arcs, arc_parts = (collections.Counter() for _ in range(6))
    for one in sampled:
        outer = (address(place, inner[0]) for inner, place in zip(one.stack, one.stack[1:]))
        frames = (address(one.stack[0]), *outer)
        part = (one.thread, one.slice)
        samples[frames[0]] += one.count
        sample_parts[frames[0], part] += one.count
        whole_stacks[frames] += one.count
        stack_parts[frames, part] += one.count
    for one in called:
        arc = (code.after_call(one.place, one.callee), code.symbols[one.callee])
        arcs[arc] += one.count
        arc_parts[arc, (one.thread, sidecar_files.NO_SLICE)] += one.count

    own = {place: count for (module, place), count in samples.items() if module == 0}
    low = min(own)
    bins = [0] * ((max(own) - low) // 2 + 1)
    for place, count in own.items():
        bins[(place - low) // 2] = count
    counted = [gmon_files.Arc(*arc, count) for arc, count in arcs.items()]
    path = workspace.path(profile)
    gmon_files.write(path, [gmon_files.Histogram(low, low + 2 * len(bins), bins, rate=rate), *counted])

    # Parts name their wholes by the order of the file.
    stacks_in_order = sorted(whole_stacks, key=lambda frames: -whole_stacks[frames]) if stacks else []
    cpu_time = sum(samples.values()) * SECOND // rate
    # A library that is newer than the recording would be taken for another build.
    end = time.time_ns()
    usual = {"process": threads[0][0], "start_time": end - slices[0] * slices[1], "end_time": end, "ending": 1,
             "requested_rate": rate, "cpu_time": cpu_time, "covered_time": cpu_time}
    path.with_name(path.name + ".gpx").write_bytes(sidecar_files.sidecar_file(
        [sidecar_files.Module(str(workspace.path(each.program)), path.name if each is code else "") for each in codes]
        + [sidecar_files.Module(library) for library in unknown],
        counted, [sidecar_files.Sample(*place, count) for place, count in samples.items()],
        [sidecar_files.Stack(whole_stacks[frames], frames) for frames in stacks_in_order],
        threads=threads, timeline=slices, arc_parts=parts(arc_parts, sorted(arcs)),
        sample_parts=parts(sample_parts, sorted(samples)), stack_parts=parts(stack_parts, stacks_in_order),
        **{**usual, **process}))


def parts(counts, wholes):
    """`counts`: (whole, (thread, slice)) -> count; `wholes` in their order."""
    numbers = {whole: number for number, whole in enumerate(wholes)}
    return [(numbers[whole], *part, count) for (whole, part), count in counts.items() if whole in numbers]


def replace_samples(workspace, sampled, source, program="program", profile="gmon.out"):
    """Replaces the samples of a profile that the C library's collector wrote, and keeps its counts. `sampled`:
    (count, place)."""
    code = Code(workspace, program, source)
    low, high, number = histogram_of(workspace.path(profile).read_bytes())
    bins, width = [0] * number, (high - low) / number
    for count, place in sampled:
        found = ((math.ceil((begin - low) / width), end) for begin, end in code.ranges(place))
        # A bin that begins within the code of the place.
        bins[next(one for one, end in found if low + one * width < end)] += count
    write_samples(workspace.path(profile), bins)


def remove_samples(path):
    """Removes the samples of such a profile, whose places in a short run are chance."""
    write_samples(path, [0] * histogram_of(path.read_bytes())[2])


def histogram_of(written):
    """The range of a profile's first record, and the number of its bins."""
    kind, low, high, number, *_ = HISTOGRAM_HEAD.unpack_from(written, HISTOGRAM_BEGIN)
    assert kind == gmon_files.HISTOGRAM, f"the profile begins with a record of kind {kind}"
    return low, high, number


def write_samples(path, bins):
    written = bytearray(path.read_bytes())
    struct.pack_into(f"<{len(bins)}H", written, HISTOGRAM_BEGIN + HISTOGRAM_HEAD.size, *bins)
    path.write_bytes(written)
