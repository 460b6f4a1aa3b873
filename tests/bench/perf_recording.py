"""A recording of perf of a generated program: perf.data as `perf record -g` writes it, with call
chains by frame pointers, or with copies of the stack, as `--call-graph dwarf,512` does.

Drawn from hashes: the same bytes on every machine, and no kernel that counts is needed. Stacks are
ways through the program's own call graph; a few are taken most of the time. One process with several
threads.
"""

import dataclasses
import struct
import subprocess

from dimension_profile import CalledProgram, draw_stacks
from program_shapes import scatter

HEADER = struct.Struct("<8s12Q")
ATTR_SIZE = 112
RECORD = struct.Struct("<IHH")
MMAP2, COMM, SAMPLE, FINISHED_ROUND = 10, 3, 9, 68
USER, EXEC, DATA = 2, 1 << 13, 1 << 13
# Instruction pointer, process and thread, time, call chain, period.
SAMPLE_TYPE = 1 | 2 | 4 | 1 << 5 | 1 << 8
REGISTERS_AND_STACK = 1 << 12 | 1 << 13
NO_USER_CHAIN = 1 << 21  # of the attribute: it is made of the copies
REGISTERS = 0xff0fff  # as perf asks for them on x86-64; of them rbp, rsp and rip are set
RBP, RSP, RIP = 6, 7, 8
PROLOGUE = 8  # bytes, behind which a function has its frame of four words
STACK_POINTER = 0x7fffffff0000
SAMPLE_ID_ALL, EXCLUDE_GUEST = 1 << 18, 1 << 20
IN_USER = 2**64 - 512  # marks what follows in a call chain
BUILD_IDS, ARCH = 2, 6
BASE = 0x555555554000  # where the program is loaded
PROCESS = 4711
NANOSECONDS = 1_000_000  # from sample to sample
ROUND = 4096  # samples, after which perf says that nothing older comes


@dataclasses.dataclass(frozen=True)
class Extent:
    """How much is drawn."""
    samples: int = 1_000_000
    stacks: int = 100_000
    threads: int = 8
    copied: int = 0  # bytes of the stack in every sample; 0: call chains instead


def executable_segment(program):
    """(address, file offset, size) of the program's code, and its build-id."""
    out = subprocess.run(["readelf", "--wide", "--segments", "--notes", program], capture_output=True,
                         text=True, check=True).stdout
    segment = build = None
    for line in out.splitlines():
        fields = line.split()
        if fields[:1] == ["LOAD"] and "E" in fields[6:-1]:
            segment = int(fields[2], 16), int(fields[1], 16), int(fields[4], 16)
        if "Build ID:" in line:
            build = bytes.fromhex(fields[-1])
    return segment, build


def record(kind, misc, body):
    return RECORD.pack(kind, misc, RECORD.size + len(body)) + body


def padded(text):
    data = str(text).encode() + b"\0"
    return data + bytes(-len(data) % 8)


def ending(thread):
    """Whose and when a record is that is no sample."""
    return struct.pack("<IIQ", PROCESS, thread, 1)


def mapping(program, misc, place, offset, protection):
    """`place`: address and size in the process."""
    return record(MMAP2, misc, struct.pack("<IIQQQIIQQII", PROCESS, PROCESS, *place, offset, 8, 1, 0, 0,
                                           protection, 2) + padded(program) + ending(PROCESS))


def process_records(program, segment, threads):
    address, offset, size = segment
    page = address % 4096
    yield record(COMM, EXEC, struct.pack("<II", PROCESS, PROCESS) + padded("program") + ending(PROCESS))
    # What is not code lies around it: perf reads call frame information through it.
    yield mapping(program, USER | DATA, (BASE, program.stat().st_size // 4096 * 4096), 0, 1)
    yield mapping(program, USER, (BASE + address - page, (size + page + 4095) // 4096 * 4096),
                  offset - page, 5)
    for number in range(1, threads):
        thread = PROCESS + number
        yield record(COMM, 0, struct.pack("<II", PROCESS, thread) + padded(f"worker {number}") +
                     ending(thread))


def chain_of(place, way):
    return struct.pack(f"<{3 + len(way)}Q", 2 + len(way), IN_USER, BASE + place,
                       *(BASE + address for address in way))


def copy_of(place, way, size):
    """No call chain, the registers, and the stack from the pointer on."""
    registers = [0] * REGISTERS.bit_count()
    registers[RBP], registers[RSP], registers[RIP] = STACK_POINTER + 16, STACK_POINTER, BASE + place
    words = []
    for number, address in enumerate(way):
        words += [0, 0, STACK_POINTER + 32 * number + 48, BASE + address]
    stack = struct.pack(f"<{len(words) + 4}Q", *words, 0, 0, 0, 0)[:size]
    return (struct.pack(f"<QQ{len(registers)}QQ", 0, 2, *registers, size) + stack.ljust(size, b"\0") +
            struct.pack("<Q", len(stack)))


def with_frames(called, stacks):
    """The same, with places behind the instructions that make the frame."""
    for place, *way in stacks:
        yield max(place, called.function_at(place) + PROLOGUE), *way


def sample_records(stacks, extent):
    """Every stack is taken; beyond that, the first of them most."""
    chains = [(BASE + place, copy_of(place, way, extent.copied) if extent.copied else
               chain_of(place, way)) for place, *way in stacks]
    numbers = struct.Struct("<QIIQQ")
    for sample in range(extent.samples):
        draw = scatter(81, sample)
        stack = sample
        if sample >= len(chains):
            stack = draw % len(chains) * (scatter(82, sample) % len(chains)) // len(chains)
        place, chain = chains[stack]
        yield record(SAMPLE, USER, numbers.pack(
            place, PROCESS, PROCESS + draw % extent.threads, 2 + sample * NANOSECONDS,
            NANOSECONDS) + chain)
        if sample % ROUND == ROUND - 1:
            yield record(FINISHED_ROUND, 0, b"")


def features(program, build, begin):
    """The table of the two features and what they hold; `begin`: where it is in the file."""
    path = padded(program)
    ids = record(0, USER | 1 << 15,
                 struct.pack("<I20sB3x", PROCESS, build, len(build)) + path)
    arch = struct.pack("<I", 64) + b"x86_64".ljust(64, b"\0")
    at = begin + 2 * 16
    return struct.pack("<4Q", at, len(ids), at + len(ids), len(arch)) + ids + arch


def attribute(extent):
    """cpu-clock, a software event, at every so many nanoseconds."""
    kind, flags = SAMPLE_TYPE, SAMPLE_ID_ALL | EXCLUDE_GUEST
    registers = 0
    if extent.copied:
        kind, flags, registers = kind | REGISTERS_AND_STACK, flags | NO_USER_CHAIN, REGISTERS
    return struct.pack("<IIQQQQQ24xQQI", 1, ATTR_SIZE, 0, NANOSECONDS, kind, 0, flags, 0, registers,
                       extent.copied).ljust(ATTR_SIZE, b"\0")


def write_perf_data(path, program, gmon, extent):
    """Writes the recording, unless it is there."""
    if path.exists():
        return
    called = CalledProgram(program, gmon)
    stacks = draw_stacks(called, extent.stacks)
    if extent.copied:
        stacks = list(with_frames(called, stacks))
    write_recording(path, program, stacks, extent)


def write_recording(path, program, stacks, extent):
    """`stacks`: (sampled place, return addresses), at link time."""
    segment, build = executable_segment(program)
    attr = attribute(extent) + struct.pack("<QQ", 0, 0)
    begin = HEADER.size + len(attr)
    partial = path.with_suffix(".partial")
    with partial.open("wb") as out:
        out.write(bytes(HEADER.size) + attr)
        out.writelines(process_records(program, segment, extent.threads))
        out.writelines(sample_records(stacks, extent))
        end = out.tell()
        out.write(features(program, build, end))
        out.seek(0)
        out.write(HEADER.pack(b"PERFILE2", HEADER.size, len(attr), HEADER.size, len(attr), begin,
                              end - begin, 0, 0, 1 << BUILD_IDS | 1 << ARCH, 0, 0, 0))
    partial.rename(path)
