"""Writes gmon files: GNU's versions 0 and 1, BSD and 4.4BSD, any byte order and pointer size.

Nothing is checked: contradictory descriptions produce damaged files.
"""
import dataclasses
import random

HISTOGRAM, ARC, BLOCKS = 0, 1, 2
BSD44_VERSION = 0x51879


@dataclasses.dataclass(frozen=True)
class Layout:
    pointer_size: int = 8
    order: str = "little"

    @staticmethod
    def of(machine):
        return Layout(machine.pointer_size, machine.order)

    def number(self, value, size):
        return (value & ((1 << (8 * size)) - 1)).to_bytes(size, self.order)

    def word(self, value):
        return self.number(value, self.pointer_size)


@dataclasses.dataclass
class Histogram:
    low: int
    high: int
    bins: list
    rate: int = 100
    dimension: str = "seconds"
    abbreviation: str = "s"
    announced: int | None = None  # the number of bins that the file claims, if it is wrong


@dataclasses.dataclass(frozen=True)
class Arc:
    caller: int
    callee: int
    count: int


@dataclasses.dataclass(frozen=True)
class Blocks:
    """Basic-block counts: (address, count) pairs."""
    blocks: tuple
    announced: int | None = None


def announced(given, actual):
    return actual if given is None else given


def gnu_header(layout, version=1):
    return b"gmon" + layout.number(version, 4) + bytes(12)


def gnu_record(layout, record, version=1):
    if isinstance(record, Histogram):
        return (bytes([HISTOGRAM]) + layout.word(record.low) + layout.word(record.high)
                + layout.number(announced(record.announced, len(record.bins)), 4)
                + layout.number(record.rate, 4)
                + record.dimension.encode().ljust(15, b"\0")[:15] + record.abbreviation.encode()
                + b"".join(layout.number(count, 2) for count in record.bins))
    if isinstance(record, Arc):
        return (bytes([ARC]) + layout.word(record.caller) + layout.word(record.callee)
                + layout.number(record.count, 4))
    head = bytes([BLOCKS]) + layout.number(announced(record.announced, len(record.blocks)), 4)
    if version == 0:
        place = b"function\0src.c\0" + layout.number(7, 4)
        return head + b"module\0" + b"".join(layout.word(count) + layout.word(address) + place
                                             for address, count in record.blocks)
    return head + b"".join(layout.word(address) + layout.word(count)
                           for address, count in record.blocks)


def gnu_file(layout, records, version=1):
    return gnu_header(layout, version) + b"".join(gnu_record(layout, record, version)
                                                  for record in records)


def write(path, records, layout=Layout()):
    """As GNU's version 1."""
    path.write_bytes(gnu_file(layout, records))


def bsd_file(layout, histogram, arcs=(), with_version=False, spare=(0, 0, 0), bin_bytes=2):
    """Old BSD, or 4.4BSD if `with_version`. `announced` is the size of header and bins in bytes. `spare` are the words at
    the end of the header; FreeBSD's first one announces `bin_bytes`."""
    header_size = 2 * layout.pointer_size + (24 if with_version else 4)
    size = announced(histogram.announced, header_size + bin_bytes * len(histogram.bins))
    header = layout.word(histogram.low) + layout.word(histogram.high) + layout.number(size, 4)
    if with_version:
        header += layout.number(BSD44_VERSION, 4) + layout.number(histogram.rate, 4)
        header += b"".join(layout.number(word, 4) for word in spare)
    bins = b"".join(layout.number(count, bin_bytes) for count in histogram.bins)
    return header + bins + b"".join(layout.word(arc.caller) + layout.word(arc.callee)
                                    + layout.word(arc.count) for arc in arcs)


def bsd44_file(layout, histogram, arcs=(), **options):
    return bsd_file(layout, histogram, arcs, with_version=True, **options)


@dataclasses.dataclass(frozen=True)
class Shape:
    """The shape of a random profile; counts stay below the limits."""
    arcs: int = 20
    arc_count: int = 100
    ticks: int = 60
    tick_share: float = 0.3  # of the bins
    rate: int = 100
    equal: bool = False  # all counts equal: nothing but ties
    outside: float = 0.0  # share of the addresses outside any function
    bin_size: int = 4


def random_histogram(generator, low, high, shape):
    bins = max(1, (high - low) // shape.bin_size)
    counts = [0] * bins
    for i in range(bins):
        if generator.random() < shape.tick_share:
            counts[i] = 7 if shape.equal else generator.randint(1, shape.ticks)
    return Histogram(low, high, counts, shape.rate)


def random_arcs(generator, addresses, low, high, shape):
    """Call sites anywhere in a caller; entries exact or, as after a prologue, slightly off."""
    arcs = []
    for _ in range(shape.arcs):
        caller = generator.choice(addresses) + generator.randint(0, 15)
        callee = generator.choice(addresses) + generator.choice((0, 0, 0, 4, 8))
        if generator.random() < shape.outside:
            caller = generator.choice((low - 0x100, high + 0x100, 0, 1 << 31))
        if generator.random() < shape.outside / 2:
            callee = generator.choice((low - 8, high + 64, 3))
        count = 5 if shape.equal else generator.choice(
            (0, 1, 2, generator.randint(0, shape.arc_count)))
        arcs.append(Arc(caller, callee, count))
    return arcs


def random_profile(seed, addresses, low, high, shape=Shape()):
    """A histogram over [low, high) and arcs between functions at `addresses`."""
    generator = random.Random(seed)
    return [random_histogram(generator, low, high, shape),
            *random_arcs(generator, addresses, low, high, shape)]
