#!/usr/bin/env python3
"""Measures what a selection of threads and time costs, on a large profile of many parts.

  parts_bench.py --server PROGRAM --work FOLDER [--before PROGRAM] [--functions 50000]
                 [--samples 1000000] [--stacks 100000] [--threads 64] [--slices 4096] [--runs 5]

The profile's samples have threads and slices of time; the same profile without them is measured in
turn. --before: a server that knows no parts, for the first lens of the same profile without them.
Between machines, compare the ratios, and whether the targets are met.
"""

import argparse
import itertools
import json
import pathlib
import statistics
import time

from bench_measure import Contender, measure_in_turn, run_command
from bench_programs import generated_folder, program_parts
from bench_server import (forget_caches, lens_parameters, measure_cold_start, measure_second_start,
                          prepare, use_caches)
from bench_tables import percentile, print_table
from dimension_profile import RATE, Extent, write_profiles
from measuring_client import MeasuringClient, resident_bytes

LENS_TARGET = 1.3  # of the first lens without parts
SECOND_START_TARGET = 0.05  # of readelf's time for the program's lines
MEMORY_TARGET = 64  # bytes for each distinct (stack, thread, slice)
METRIC_TARGET, SELECTION_TARGET = 0.05, 0.15  # seconds
METRICS = ("self", "calls", "total", "time")
LONGEST_READELF = 600  # seconds
SETTLED = 0.5  # seconds without a message: all work of a load is done


class Subject:
    """As bench_programs.Subject, as far as a start needs it."""

    def __init__(self, program, profile, source):
        self.program, self.profile, self.sources = program, profile, [source]
        self.functions = None  # enough to be kept


def selections(extent):
    """Never the same twice: threads, stretches, and both."""
    for number in itertools.count():
        thread = {"threads": [f"worker {number % extent.threads}"]}
        begin = number * 7 % (extent.slices * 3 // 4) / 1000
        stretch = {"from": begin, "to": begin + extent.slices / 4000}
        yield (thread, stretch, thread | stretch)[number % 3]


def lenses(client, source):
    return client.request("textDocument/codeLens", lens_parameters(source))


def timed_command(client, source, command, *arguments):
    """Seconds from the command to the lenses that show its effect."""
    begun = time.perf_counter()
    client.request("workspace/executeCommand", {"command": command, "arguments": list(arguments)})
    shown = lenses(client, source)
    return time.perf_counter() - begun, shown


def measure_commands(options, subject, extent):
    """({kind: [seconds]})"""
    taken = {"metric": [], "selection": [], "the same selection again": []}
    source = subject.sources[0]
    with MeasuringClient(options.server, subject.program, subject.profile) as client:
        prepare(client, source)
        client.attend_for(SETTLED)
        for selection in itertools.islice(selections(extent), options.commands):
            taken["selection"].append(
                timed_command(client, source, "gprof.setSelection", selection)[0])
            # As going from thread to thread and back.
            client.request("workspace/executeCommand",
                           {"command": "gprof.setSelection", "arguments": [None]})
            taken["the same selection again"].append(
                timed_command(client, source, "gprof.setSelection", selection)[0])
        client.request("workspace/executeCommand",
                       {"command": "gprof.setSelection", "arguments": [None]})
        for number in range(options.commands):
            metric = METRICS[number % len(METRICS)]
            taken["metric"].append(timed_command(client, source, "gprof.setMetric", metric)[0])
    return taken


def resident_after_load(options, subject):
    forget_caches()
    with MeasuringClient(options.server, subject.program, subject.profile) as client:
        prepare(client, subject.sources[0])
        client.attend_for(SETTLED)
        return resident_bytes(client.process)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--server", type=pathlib.Path, required=True)
    parser.add_argument("--before", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--functions", type=int, default=50_000)
    parser.add_argument("--samples", type=int, default=Extent.samples)
    parser.add_argument("--stacks", type=int, default=Extent.stacks)
    parser.add_argument("--threads", type=int, default=Extent.threads)
    parser.add_argument("--slices", type=int, default=Extent.slices)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--commands", type=int, default=30)
    parser.add_argument("--json", type=pathlib.Path, help="writes the figures there, too")
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    return options


def verdict(value, target):
    return f"{target:g}", "yes" if value <= target else "no"


def main():
    options = parse_options()
    use_caches(options.work)
    extent = Extent(options.samples, options.stacks, options.threads, options.slices)
    folder = generated_folder(options.work, "flat", options.functions, int(options.functions * 6.3))
    program, gmon, sources = program_parts(folder)
    name = f"parts-{options.functions}-{'-'.join(map(str, vars(extent).values()))}"
    parts, plain, distinct = write_profiles(options.work / name, program, gmon, extent)
    source = sources[len(sources) // 2]
    with_parts, without = Subject(program, parts, source), Subject(program, plain, source)

    contenders = {
        "with parts": Contender(lambda: measure_cold_start(options.server, with_parts)),
        "without parts": Contender(lambda: measure_cold_start(options.server, without))}
    if options.before:
        contenders["without parts, before"] = Contender(
            lambda: measure_cold_start(options.before, without))
    firsts = list(contenders)
    readelf = ["readelf", "--debug-dump=decodedline", program]
    contenders |= {
        "second start with parts": Contender(
            lambda: measure_second_start(options.server, with_parts)),
        "readelf lines": Contender(lambda: run_command(readelf, LONGEST_READELF)[0])}
    measure_in_turn(contenders, options.runs, 60, lambda _: None)
    memory = [resident_after_load(options, subject) for subject in (with_parts, without)]
    taken = measure_commands(options, with_parts, extent)

    first = contenders["with parts"].median("wall")
    rows = []
    for other in firsts[1:]:
        ratio = first / contenders[other].median("wall")
        rows.append([f"first lens, to that {other}", f"{ratio:.2f}", *verdict(ratio, LENS_TARGET)])
    second = contenders["second start with parts"].median("wall")
    rows.append(["second start with parts, to the first", f"{second / first:.2f}", "", ""])
    ratio = second / contenders["readelf lines"].median("wall")
    rows.append(["second start with parts, to readelf lines", f"{ratio:.2f}",
                 *verdict(ratio, SECOND_START_TARGET)])
    each = (memory[0] - memory[1]) / distinct
    rows.append([f"bytes for each of {distinct:,} distinct parts", f"{each:.1f}",
                 *verdict(each, MEMORY_TARGET)])
    print_table(f"{extent.samples:,} samples at {RATE:,} Hz in {extent.stacks:,} stacks", rows,
                ["", "measured", "at most", "reached"])
    targets = {"metric": METRIC_TARGET}
    print_table("From a command to the lenses of a file, as the client sees it", [
        [f"change of {kind}" if kind in ("metric", "selection") else kind, str(len(values)),
         f"{statistics.median(values) * 1e3:.1f}", f"{percentile(values, 0.95) * 1e3:.1f}",
         *verdict(statistics.median(values) * 1e3, targets.get(kind, SELECTION_TARGET) * 1e3)]
        for kind, values in taken.items()], ["", "number", "median ms", "p95 ms", "at most", "reached"])
    if options.json:
        options.json.write_text(json.dumps({
            "distinct": distinct, "memory": memory, "commands": taken,
            "first": {name: contender.summary() for name, contender in contenders.items()}}) + "\n")


if __name__ == "__main__":
    main()
