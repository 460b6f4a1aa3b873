"""Writes sidecars: docs/gmon-format.md, section "Sidecar". Fields that a test does not set are 0 or empty.

Nothing is checked: descriptions may be contradictory.
"""
import dataclasses
import struct
import zlib

from gmon_files import Arc  # noqa: F401

HEADER = struct.Struct("<8sIIQIIQII16s")
SECTION = struct.Struct("<IIQ")
X86_64 = 62
NO_MODULE = 0xFFFFFFFF
STRINGS, PROCESS, MODULES, ARCS, THREADS, SAMPLES, STACKS, TIMELINE = range(1, 9)
ARC_PARTS, SAMPLE_PARTS, STACK_PARTS, WAIT_STACKS, WAITS, WAIT_PARTS, WAIT_HOLDERS = range(9, 16)
NO_SLICE = 0xFFFFFFFF
WAIT_KINDS = ("lock", "io", "sleep", "child", "other")

PROCESS_FORM = struct.Struct("<IIQQIiIIIIQQQQQQQQQQQQQ")
PROCESS_FIELDS = ("process", "parent_process", "start_time", "end_time", "ending", "exit_status",
                  "requested_rate", "sample_source", "flags", "image_number", "cpu_time", "signals",
                  "samples", "calls", "lost_calls", "lost_samples", "lost_stacks",
                  "price_picoseconds", "covered_time", "sampling_time", "excess_variance",
                  "tick_samples", "tick_period")


@dataclasses.dataclass(frozen=True)
class Module:
    path: str
    file: str = ""  # its gmon file, without directory


@dataclasses.dataclass(frozen=True)
class Sample:
    module: int
    address: int
    count: int
    excess_variance: int = 0
    kernel_count: int = 0


@dataclasses.dataclass(frozen=True)
class Stack:
    count: int
    frames: tuple  # (module, address), innermost first


@dataclasses.dataclass(frozen=True)
class Wait:
    kind: str  # one of WAIT_KINDS
    frames: tuple  # (module, address), innermost first: the last byte of the call that blocks
    parts: tuple  # (thread, slice, nanoseconds, times)
    function: str = ""
    longest: int = 0
    holders: tuple = ()  # (frames, nanoseconds, times)


def section(kind, entry_size, count, data):
    return SECTION.pack(kind, entry_size, count) + data + bytes(-len(data) % 8)


def stack_bytes(stack):
    frames = b"".join(struct.pack("<IIQ", module, 0, address) for module, address in stack.frames)
    return struct.pack("<QII", stack.count, len(stack.frames), 0) + frames


def wait_sections(waits, text):
    """Those of the waits, which are (stack, kind) once each."""
    stacks = {}
    for wait in waits:
        for frames in (wait.frames, *(holder[0] for holder in wait.holders)):
            stacks.setdefault(frames, 0)
        stacks[wait.frames] += sum(part[2] for part in wait.parts)
    stacks = sorted(stacks.items(), key=lambda stack: -stack[1])
    number = {frames: i for i, (frames, _) in enumerate(stacks)}
    kind = {name: i + 1 for i, name in enumerate(WAIT_KINDS)}
    waits = sorted(waits, key=lambda wait: (number[wait.frames], kind[wait.kind]))
    entries = b"".join(
        struct.pack("<IIQQQIIQ", number[wait.frames], kind[wait.kind], sum(part[3] for part in wait.parts),
                    sum(part[2] for part in wait.parts), wait.longest, text(wait.function), 0, 0)
        for wait in waits)
    parts = [struct.pack("<IIIIQQ", i, thread, slice_, 0, time, times)
             for i, wait in enumerate(waits) for thread, slice_, time, times in sorted(wait.parts)]
    holders = [struct.pack("<IIQQQ", i, number[frames], times, time, 0)
               for i, wait in enumerate(waits)
               for frames, time, times in sorted(wait.holders, key=lambda holder: number[holder[0]])]
    data = b"".join(stack_bytes(Stack(count, frames)) for frames, count in stacks)
    return (section(WAIT_STACKS, 8, len(data) // 8, data) + section(WAITS, 48, len(waits), entries)
            + section(WAIT_PARTS, 32, len(parts), b"".join(parts))
            + section(WAIT_HOLDERS, 32, len(holders), b"".join(holders)))


def sidecar_file(modules, arcs=(), samples=(), stacks=(), threads=(), timeline=(0, 0), sample_parts=(),
                 stack_parts=(), arc_parts=(), waits=(), **process):
    """The bytes of a sidecar. `process`: fields by the names in PROCESS_FIELDS; `threads`: (number, name);
    `timeline`: the slices' width and number; parts: (which one, in the order of the file, thread, slice,
    count), of samples also the part of the count in the kernel."""
    texts = bytearray(b"\0")

    def text(value):
        if not value:
            return 0
        texts.extend(value.encode() + b"\0")
        return len(texts) - len(value.encode()) - 1

    listed = b"".join(
        struct.pack("<QQQIIIIII", 0, 0, 1 << 32, 3 if number == 0 else 0, text(module.path),
                    0, 0, text(module.file), 0) for number, module in enumerate(modules))
    calls = b"".join(
        struct.pack("<IIQQIIQIIQQ", 0, 0, arc.caller, arc.callee, NO_MODULE, 0, 0, NO_MODULE, 0, 0,
                    arc.count) for arc in sorted(arcs, key=lambda arc: (arc.caller, arc.callee)))
    places = b"".join(
        struct.pack("<IIQQQQ", sample.module, 0, sample.address, sample.count,
                    sample.excess_variance, sample.kernel_count)
        for sample in sorted(samples, key=lambda sample: (sample.module, sample.address)))
    stack_data = b"".join(map(stack_bytes, sorted(stacks, key=lambda stack: -stack.count)))
    listed_threads = b"".join(struct.pack("<IIQQQQIIQ", number, 0, 0, 0, 0, 0, text(name), 0, 0)
                              for number, name in threads)
    later = b""
    if timeline[1]:
        later += section(TIMELINE, 16, 1, struct.pack("<QII", *timeline, 0))
    for kind, parts in ((ARC_PARTS, arc_parts), (SAMPLE_PARTS, sample_parts), (STACK_PARTS, stack_parts)):
        if parts:
            later += section(kind, 32, len(parts), b"".join(
                struct.pack("<IIIIQQ", whole, thread, slice_, sum(kernel), count, 0)
                for whole, thread, slice_, count, *kernel in sorted(parts)))
    if waits:
        later += wait_sections(waits, text)
    unknown = set(process) - set(PROCESS_FIELDS)
    assert not unknown, unknown
    body = b"".join((
        section(STRINGS, 1, len(texts), bytes(texts)),
        section(PROCESS, PROCESS_FORM.size, 1,
                PROCESS_FORM.pack(*(process.get(name, 0) for name in PROCESS_FIELDS))),
        section(MODULES, 48, len(modules), listed),
        section(ARCS, 64, len(arcs), calls),
        section(THREADS, 56, len(threads), listed_threads),
        section(SAMPLES, 40, len(samples), places),
        section(STACKS, 8, len(stack_data) // 8, stack_data),
        later))
    return HEADER.pack(b"gprofgpx", 3 if waits else 2 if later else 1, HEADER.size, HEADER.size + len(body), zlib.crc32(body), X86_64,
                       0, 0, 0, bytes(16)) + body
