"""A profile of a generated program with processor samples by thread and slice of time, in a sidecar.

Drawn from hashes: the same bytes on every machine. Stacks are ways through the program's own call
graph, from a sampled function up to main; every thread has a few stacks that it mostly runs, in a few
stretches of the run. Written twice: with the parts (thread and slice of every sample), and without, as
collectors wrote it before there were any.
"""

import array
import bisect
import dataclasses
import struct
import subprocess
import zlib

from program_profiles import BIN_BYTES, gmon_bytes
from program_shapes import scatter

HEADER = struct.Struct("<8sIIQIIQIIQQ")
SECTION = struct.Struct("<IIQ")
PROCESS = struct.Struct("<IIQQIiIIIIQQQQQQQQQQQQQII")
MODULE = struct.Struct("<QQQIIIIII")
ARC = struct.Struct("<IIQQIIQIIQQ")
OLD_THREAD, THREAD = struct.Struct("<IIQQQQ"), struct.Struct("<IIQQQQIIQ")
PLACE = struct.Struct("<IIQQQ")
PART = struct.Struct("<IIIIQQ")
STACK, FRAME = struct.Struct("<QII"), struct.Struct("<IIQ")
(STRINGS, PROCESS_KIND, MODULES, ARCS, THREADS, PLACES, STACKS, TIMELINE, ARC_PARTS, PLACE_PARTS,
 STACK_PARTS) = range(1, 12)
X86_64, NO_MODULE, NO_SLICE = 62, 0xFFFFFFFF, 0xFFFFFFFF
MAIN_AND_PROFILED = 3
START = 1_700_000_000_000_000_000  # nanoseconds, realtime
RATE = 1000
DEEPEST = 60
STRETCHES = 8  # in which a thread is active


@dataclasses.dataclass(frozen=True)
class Extent:
    """How much is drawn."""
    samples: int = 1_000_000
    stacks: int = 100_000
    threads: int = 64
    slices: int = 4096


class CalledProgram:
    """Functions and calls of a generated program, from its symbols and its gmon.out."""

    def __init__(self, program, gmon):
        listed = subprocess.run(["nm", "--defined-only", "--format=posix", program],
                                capture_output=True, text=True, check=True).stdout
        self.starts, self.names = [], {}
        for fields in map(str.split, listed.splitlines()):
            if fields[1] in "tT" and (fields[0].startswith("f0") or fields[0] == "main"):
                self.starts.append(int(fields[2], 16))
                self.names[self.starts[-1]] = fields[0]
        self.starts.sort()
        data = gmon.read_bytes()
        _, _, self.high, bins, _ = struct.unpack_from("<BQQII", data, 20)
        record, at = struct.Struct("<BQQI"), 20 + 41 + 2 * bins
        self.arcs = [fields[1:] for fields in record.iter_unpack(data[at:])]
        self.callers = {}
        for source, target, _ in self.arcs:
            self.callers.setdefault(target, []).append(source)

    def function_at(self, address):
        return self.starts[bisect.bisect_right(self.starts, address) - 1]

    def way_up(self, function, seed):
        """Return addresses from the function's caller to main."""
        way = []
        while len(way) < DEEPEST and (callers := self.callers.get(function)):
            seed = scatter(91, seed)
            way.append(callers[seed % len(callers)])
            function = self.function_at(way[-1])
        return way


def draw_stacks(program, count):
    """Distinct ones: (sampled place, return addresses)."""
    stacks, draw = {}, 0
    while len(stacks) < count:
        draw += 1
        number = scatter(92, draw) % (2 * len(program.starts) // 5)
        start = program.starts[number]
        end = program.starts[number + 1] if number + 1 < len(program.starts) else start + 16
        place = start + scatter(93, draw) % max(1, end - start - BIN_BYTES)
        stacks[place, *program.way_up(start, draw)] = None
    return list(stacks)


def draw_parts(extent):
    """{(stack, thread, slice): count}"""
    parts, several = {}, max(1, extent.stacks // extent.threads)
    for sample in range(extent.samples):
        draw = scatter(94, sample)
        thread = draw % extent.threads
        # Every stack is sampled; beyond that, a thread's own ones mostly, the first of them most.
        if sample < extent.stacks:
            stack = sample
        elif draw // 64 % 8:
            own = scatter(95, sample) % several * (scatter(96, sample) % several) // several
            stack = (thread * several + own) % extent.stacks
        else:
            stack = scatter(97, sample) % extent.stacks
        stretch = scatter(98, thread * STRETCHES + draw // 512 % STRETCHES)
        length = max(1, extent.slices // 32)
        time = (stretch + scatter(99, sample) % length) % extent.slices
        key = stack, thread, time
        parts[key] = parts.get(key, 0) + 1
    return parts


def section(kind, entry_size, count, data):
    return SECTION.pack(kind, entry_size, count) + data + bytes(-len(data) % 8)


def part_section(kind, parts):
    """`parts`: {(whole, thread, slice): count}"""
    data = b"".join(PART.pack(*key, 0, parts[key], 0) for key in sorted(parts))
    return section(kind, PART.size, len(parts), data)


class Sidecars:
    """The profile's two files."""

    def __init__(self, program, gmon, extent):
        self.extent = extent
        self.called = CalledProgram(program, gmon)
        self.program = program
        stacks, drawn = draw_stacks(self.called, extent.stacks), draw_parts(extent)
        counts = [0] * len(stacks)
        for (stack, _, _), count in drawn.items():
            counts[stack] += count
        order = sorted(range(len(stacks)), key=lambda stack: (-counts[stack], stack))
        number_of = {stack: number for number, stack in enumerate(order)}
        self.stacks = [(counts[stack], stacks[stack]) for stack in order]
        self.stack_parts = {(number_of[stack], thread, time): count
                            for (stack, thread, time), count in drawn.items()}
        self._draw_places()
        self.thread_samples = [0] * extent.threads
        for (_, thread, _), count in self.stack_parts.items():
            self.thread_samples[thread] += count

    def _draw_places(self):
        places = {}
        for count, (place, *_) in self.stacks:
            places[place] = places.get(place, 0) + count
        self.places = sorted(places.items())
        number_of = {place: number for number, (place, _) in enumerate(self.places)}
        self.place_parts = {}
        for (stack, thread, time), count in self.stack_parts.items():
            key = number_of[self.stacks[stack][1][0]], thread, time
            self.place_parts[key] = self.place_parts.get(key, 0) + count

    def arc_parts(self):
        """Calls are of one thread or two."""
        parts = {}
        for number, (_, _, count) in enumerate(sorted(self.called.arcs)):
            thread = scatter(90, number) % self.extent.threads
            half = count // 2
            parts[number, thread, NO_SLICE] = count - half
            if half:
                other = (thread + 1) % self.extent.threads
                parts[number, other, NO_SLICE] = half
        return parts

    def gmon(self):
        bins = array.array("H", bytes(2 * -(-self.called.high // BIN_BYTES)))
        for place, count in self.places:
            bins[place // BIN_BYTES] = min(65535, bins[place // BIN_BYTES] + count)
        return b"".join(gmon_bytes(bins, self.called.arcs, RATE))

    def sidecar(self, gmon_name, with_parts):
        texts = bytearray(b"\0")

        def text(value):
            texts.extend(value.encode() + b"\0")
            return len(texts) - len(value.encode()) - 1

        module = MODULE.pack(0, 0, self.called.high, MAIN_AND_PROFILED, text(str(self.program)), 0, 0,
                             text(gmon_name), 0)
        names = [text(f"worker {number}") for number in range(self.extent.threads)]
        samples = sum(self.thread_samples)
        span = self.extent.slices * 1_000_000
        process = PROCESS.pack(
            4711, 1, START, START + span, 1, 0, RATE, 1, 0, 0, samples * 10**9 // RATE, samples,
            samples, sum(count for *_, count in self.called.arcs), 0, 0, 0, 0,
            samples * 10**9 // RATE, 0, 0, 0, 0, 0, 0)
        threads = b"".join(
            THREAD.pack(5000 + number, 1, 0, taken, taken, taken * 10**9 // RATE, names[number], 0, START)
            if with_parts else
            OLD_THREAD.pack(5000 + number, 1, 0, taken, taken, taken * 10**9 // RATE)
            for number, taken in enumerate(self.thread_samples))
        arcs = b"".join(
            ARC.pack(0, 0, source, target, NO_MODULE, 0, 0, NO_MODULE, 0, 0, count)
            for source, target, count in sorted(self.called.arcs))
        places = b"".join(PLACE.pack(0, 0, place, count, 0) for place, count in self.places)
        stacks = b"".join(
            STACK.pack(count, len(frames), 0) + b"".join(FRAME.pack(0, 0, frame) for frame in frames)
            for count, frames in self.stacks)
        sections = [
            section(STRINGS, 1, len(texts), bytes(texts)),
            section(PROCESS_KIND, PROCESS.size, 1, process),
            section(MODULES, MODULE.size, 1, module),
            section(ARCS, ARC.size, len(self.called.arcs), arcs),
            section(THREADS, len(threads) // self.extent.threads, self.extent.threads, threads),
            section(PLACES, PLACE.size, len(self.places), places),
            section(STACKS, 8, len(stacks) // 8, stacks)]
        if with_parts:
            sections += [
                section(TIMELINE, 16, 1, struct.pack("<QII", 1_000_000, self.extent.slices, 0)),
                part_section(ARC_PARTS, self.arc_parts()),
                part_section(PLACE_PARTS, self.place_parts),
                part_section(STACK_PARTS, self.stack_parts)]
        body = b"".join(sections)
        return HEADER.pack(b"gprofgpx", 2 if with_parts else 1, HEADER.size, HEADER.size + len(body),
                           zlib.crc32(body), X86_64, 0, 4711, 1, START, START + span) + body


def write_profiles(folder, program, gmon, extent):
    """Writes parts/gmon.out and plain/gmon.out, each with its sidecar, into `folder`. Returns both, and
    how many distinct (stack, thread, slice) there are."""
    written = [folder / kind / "gmon.out" for kind in ("parts", "plain")]
    known = folder / "distinct"
    if not known.exists():
        drawn = Sidecars(program, gmon, extent)
        for profile in written:
            profile.parent.mkdir(parents=True, exist_ok=True)
            profile.write_bytes(drawn.gmon())
            profile.with_name("gmon.out.gpx").write_bytes(
                drawn.sidecar(profile.name, profile.parent.name == "parts"))
        known.write_text(f"{len(drawn.stack_parts)}\n")
    return *written, int(known.read_text())
