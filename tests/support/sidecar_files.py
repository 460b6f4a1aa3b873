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
STRINGS, PROCESS, MODULES, ARCS, SAMPLES, STACKS = 1, 2, 3, 4, 6, 7

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


@dataclasses.dataclass(frozen=True)
class Stack:
    count: int
    frames: tuple  # (module, address), innermost first


def section(kind, entry_size, count, data):
    return SECTION.pack(kind, entry_size, count) + data + bytes(-len(data) % 8)


def stack_bytes(stack):
    frames = b"".join(struct.pack("<IIQ", module, 0, address) for module, address in stack.frames)
    return struct.pack("<QII", stack.count, len(stack.frames), 0) + frames


def sidecar_file(modules, arcs=(), samples=(), stacks=(), **process):
    """The bytes of a sidecar. `process`: fields by the names in PROCESS_FIELDS."""
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
        struct.pack("<IIQQQ", sample.module, 0, sample.address, sample.count,
                    sample.excess_variance)
        for sample in sorted(samples, key=lambda sample: (sample.module, sample.address)))
    stack_data = b"".join(map(stack_bytes, sorted(stacks, key=lambda stack: -stack.count)))
    unknown = set(process) - set(PROCESS_FIELDS)
    assert not unknown, unknown
    body = b"".join((
        section(STRINGS, 1, len(texts), bytes(texts)),
        section(PROCESS, PROCESS_FORM.size, 1,
                PROCESS_FORM.pack(*(process.get(name, 0) for name in PROCESS_FIELDS))),
        section(MODULES, 48, len(modules), listed),
        section(ARCS, 64, len(arcs), calls),
        section(SAMPLES, 32, len(samples), places),
        section(STACKS, 8, len(stack_data) // 8, stack_data)))
    return HEADER.pack(b"gprofgpx", 1, HEADER.size, HEADER.size + len(body), zlib.crc32(body), X86_64,
                       0, 0, 0, bytes(16)) + body
