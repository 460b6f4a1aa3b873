"""Profiles of generated programs, drawn from hashes: the same bytes on every machine, sums known.

A profile is what a collector writes for a position-independent executable: one histogram from the
image's start, then one arc per call site, ascending.
"""

import array
import struct

from program_shapes import scatter

SAMPLE_RATE = 100
BIN_BYTES = 4
LARGEST_SUM = 65535  # of a bin over all files: gmon.sum has 16 bits for it
HISTOGRAMS, ARC_LISTS = 16, 13  # kinds of each in a series of profiles


def gmon_bytes(bins, arcs, rate=SAMPLE_RATE):
    """The bytes, in pieces. `arcs`: (from, to, count)."""
    high = len(bins) * BIN_BYTES
    yield b"gmon" + struct.pack("<I12x", 1)
    yield struct.pack("<BQQII15sc", 0, 0, high, len(bins), rate, b"seconds", b"s")
    yield bins.tobytes()
    record = struct.Struct("<BQQI")
    yield b"".join(record.pack(1, source, target, count) for source, target, count in arcs)


def write_gmon(path, bins, arcs):
    with open(path, "wb") as out:
        out.writelines(gmon_bytes(bins, arcs))


def empty_bins(end):
    return array.array("H", bytes(2 * -(-end // BIN_BYTES)))


def by_address(program):
    """The numbers of call sites, in ascending order of address, as collectors write them."""
    return sorted(range(len(program.returns)), key=program.returns.__getitem__)


def draw_samples(program, bins):
    """Few functions take most of the time: ticks decrease along a shuffled list of the functions, and
    only its first `options.sampled` share has any. Returns the functions' ticks."""
    seed, count = program.options.seed, program.count
    ticks = array.array("I", bytes(4 * (count + 1)))
    sampled = int(count * program.options.sampled)
    order = sorted(range(count), key=lambda index: scatter(seed + 3, index))[:sampled]
    if program.ordered:
        order = range(count)
    for place, index in enumerate(order):
        start = program.starts[index] // BIN_BYTES
        # If functions shared a bin, their figures would depend on rounding.
        start += program.starts[index] % BIN_BYTES != 0
        whole_bins = program.ends[index] // BIN_BYTES - start
        left, draw = max(1, min(20000, sampled) // (place + 4)), index
        if program.ordered and whole_bins > 0:
            bins[start] = ticks[index] = min(LARGEST_SUM, 1 + index)
            continue
        while left > 0 and whole_bins > 0:
            draw = scatter(seed + 4, draw)
            part = min(left, 1 + draw % 50)
            bins[start + draw // 64 % whole_bins] += part
            ticks[index] += part
            left -= part
    return ticks


def write_profile(program, path, end):
    """Writes gmon.out. Returns (ticks of each function, total ticks, calls of each function)."""
    bins = empty_bins(end)
    ticks = draw_samples(program, bins)
    starts, callees = program.starts, program.callees
    write_gmon(path, bins, ((program.returns[number], starts[callees[number]],
                             program.arc_count(number)) for number in by_address(program)))
    calls = array.array("Q", bytes(8 * (program.count + 1)))
    for number, callee in enumerate(callees):
        calls[callee] += program.arc_count(number)
    return ticks, sum(bins), calls


# --- Many profiles of one program -------------------------------------------------------------------


def _histogram(program, end, kind, files):
    """A kind differs in which functions have samples. Bounded, so that no sum overflows."""
    bins, ticks = empty_bins(end), array.array("Q", bytes(8 * (program.count + 1)))
    largest = max(1, min(50, LARGEST_SUM // files))
    for index in range(program.count):
        draw = scatter(program.options.seed + 17 + kind, index)
        first = -(-program.starts[index] // BIN_BYTES)
        if draw % 4 == 0 and first < program.ends[index] // BIN_BYTES:
            bins[first] = ticks[index] = 1 + draw // 4 % largest
    return bins, ticks


def _arcs(program, kind):
    """A kind differs in which calls were made. The first arc is left to the individual file."""
    seed = program.options.seed + 61 + kind
    return [(number, 1 + scatter(seed, number) % 100003) for number in by_address(program)
            if number > 0 and scatter(seed + 1, number) % 8 != 0]


def write_series(program, folder, end, files):
    """Writes gmon.out.00000 ... into `folder`, each with a histogram and arcs that few others have,
    and one unique count. Returns the sums: (ticks of each function, calls of each function)."""
    folder.mkdir(exist_ok=True)
    ticks = array.array("Q", bytes(8 * (program.count + 1)))
    calls = array.array("Q", bytes(8 * (program.count + 1)))
    histograms = [_histogram(program, end, kind, files) for kind in range(min(HISTOGRAMS, files))]
    arc_lists = [_arcs(program, kind) for kind in range(min(ARC_LISTS, files))]
    record = struct.Struct("<BQQI")
    texts = [b"".join(record.pack(1, program.returns[number], program.starts[program.callees[number]],
                                  count) for number, count in arcs) for arcs in arc_lists]
    headers = [b"".join(gmon_bytes(bins, ())) for bins, _ in histograms]
    for file in range(files):
        own = record.pack(1, program.returns[0], program.starts[program.callees[0]], file + 1)
        with open(folder / f"gmon.out.{file:05}", "wb") as out:
            out.writelines((headers[file % len(headers)], own, texts[file % len(texts)]))
        calls[program.callees[0]] += file + 1
    for kind, (_, of_kind) in enumerate(histograms):
        times = len(range(kind, files, len(histograms)))
        for index, value in enumerate(of_kind):
            ticks[index] += value * times
    for kind, arcs in enumerate(arc_lists):
        times = len(range(kind, files, len(arc_lists)))
        for number, count in arcs:
            calls[program.callees[number]] += count * times
    return ticks, calls
