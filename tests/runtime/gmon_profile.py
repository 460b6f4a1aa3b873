"""Reads what the collector writes: gmon files of the GNU format, 64-bit, little-endian.

Independent of the engine, by docs/gmon-format.md; an incomplete file is an error.
"""
import bisect
import collections
import dataclasses
import struct
import subprocess

HISTOGRAM, ARC, BLOCKS = 0, 1, 2


@dataclasses.dataclass(frozen=True)
class Histogram:
    low: int
    high: int
    rate: int
    dimension: str
    bins: tuple

    @property
    def bin_size(self):
        return (self.high - self.low) / len(self.bins)


@dataclasses.dataclass
class Profile:
    spare: bytes
    histograms: list
    arcs: list  # (from, self, count)
    blocks: list  # (address, count)

    @property
    def build_id(self):
        assert self.spare[:4] == b"gpid", self.spare
        return self.spare[4:].hex()

    @property
    def samples(self):
        return sum(sum(histogram.bins) for histogram in self.histograms)

    def summed_arcs(self):
        sums = collections.Counter()
        for from_, self_, count in self.arcs:
            sums[from_, self_] += count
        return dict(sums)


def read(path):
    data = path.read_bytes()
    magic, version = struct.unpack_from("<4sI", data)
    assert (magic, version) == (b"gmon", 1), f"{path}: no GNU gmon file: {data[:20]}"
    profile = Profile(data[8:20], [], [], [])
    offset = 20
    while offset < len(data):
        tag = data[offset]
        offset += 1
        if tag == HISTOGRAM:
            low, high, bins, rate, dimension, _ = struct.unpack_from("<QQII15sc", data, offset)
            offset += 40
            counts = struct.unpack_from(f"<{bins}H", data, offset)
            offset += 2 * bins
            name = dimension.rstrip(b"\0").decode()
            profile.histograms.append(Histogram(low, high, rate, name, counts))
        elif tag == ARC:
            profile.arcs.append(struct.unpack_from("<QQI", data, offset))
            offset += 20
        elif tag == BLOCKS:
            (number,) = struct.unpack_from("<I", data, offset)
            profile.blocks += struct.iter_unpack("<QQ", data[offset + 4:offset + 4 + 16 * number])
            offset += 4 + 16 * number
        else:
            raise AssertionError(f"{path}: tag {tag} at {offset - 1}")
    assert offset == len(data), f"{path} is cut"
    return profile


class Symbols:
    """Functions by link-time address."""

    def __init__(self, addresses):
        self.by_address = sorted(addresses)
        self.starts = [address for address, _ in self.by_address]

    def name_at(self, address):
        index = bisect.bisect_right(self.starts, address) - 1
        return self.by_address[index][1] if index >= 0 else None

    def address_of(self, name):
        return next(address for address, symbol in self.by_address if symbol == name)


def symbols_of(program, nm="nm"):
    done = subprocess.run([nm, str(program)], stdout=subprocess.PIPE, check=True, timeout=60)
    found = {}
    for line in done.stdout.decode().splitlines():
        address, kind, name = (line.split(maxsplit=2) if line[0] != " " else (None, "", ""))
        # gprof uses those of the text section; if several share an address, the global one.
        if address is not None and kind in "tTwWiu" and "." not in name[:1]:
            key = (int(address, 16))
            if key not in found or kind == "T":
                found[key] = name
    return Symbols([(address, name) for address, name in found.items()])


def calls(profile, symbols):
    """{(caller, callee): count}; the caller is None if the profile names none."""
    sums = collections.Counter()
    for (from_, self_), count in profile.summed_arcs().items():
        caller = symbols.name_at(from_ - 1) if from_ else None
        sums[caller, symbols.name_at(self_)] += count
    return dict(sums)


def samples(profile, symbols):
    """Function -> samples; each bin belongs to the function at its first byte."""
    sums = collections.Counter()
    for histogram in profile.histograms:
        for index, count in enumerate(histogram.bins):
            if count:
                sums[symbols.name_at(int(histogram.low + index * histogram.bin_size))] += count
    return sums
