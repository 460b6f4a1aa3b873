#!/usr/bin/env python3
"""Measures gprof-lsp and its peers in turn on the same large programs, and prints the ratios.

  run_bench.py --server PROGRAM --work FOLDER [--large] [--functions N,2N] [--real EXE[:GMON] ...]
               [--json RESULTS] [--against EARLIER]

Figures are medians of interleaved runs (ours, gprof, readelf, ours, ...), so that changes of the
machine's speed affect all alike; compare ratios between machines. --against fails if a ratio is
more than 15 % worse than in the results of an earlier run.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys

import bench_programs
import bench_server
from bench_measure import (Contender, digest_of, limited_verdict, measure_in_turn,
                           run_command)
from bench_tables import percentile, print_table, tables
from bench_targets import LARGE, compare, growth, regressions

ADDRESSES = 10_000
LINES_PER_FUNCTION = 6.3
OURS = ("report -b", "report -b -l", "report -s", "first lens", "all figures",
        "second start")
COMPARED_SECONDS = 30  # if gprof is faster, its report is compared byte for byte


def note(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


class Suite:
    def __init__(self, options):
        self.options = options
        self.subjects = []  # (subject, contenders)
        self.limits, self.latency = [], []

    # --- What is measured ---

    def command(self, *words, directory=None):
        return Contender(lambda: run_command(words, self.options.longest, directory)[0])

    def report(self, subject, *words):
        return self.command(self.options.server, "report", *words, subject.program, subject.profile)

    def gprof(self, subject, *words):
        return self.command("gprof", *words, subject.program, subject.profile)

    def start(self, measure, subject):
        def take():
            try:
                return measure(self.options.server, subject)
            except bench_server.ServerGone as gone:
                sys.exit(f"{subject.key}: {gone}")
        return Contender(take)

    def whole_contenders(self, subject):
        addresses = self.address_file(subject)
        contenders = {"report -b": self.report(subject, "-b"), "gprof -b": self.gprof(subject, "-b"),
                      "report -b -l": self.report(subject, "-b", "-l"),
                      "gprof -b -l": self.gprof(subject, "-b", "-l"),
                      "readelf lines": self.command("readelf", "--debug-dump=decodedline",
                                                    subject.program)}
        if subject.sources:
            contenders["first lens"] = self.start(bench_server.measure_cold_start, subject)
            contenders["all figures"] = self.start(bench_server.measure_all_figures, subject)
            contenders["second start"] = self.start(bench_server.measure_second_start, subject)
        for tool in ("llvm-symbolizer", "addr2line"):
            if shutil.which(tool):
                words = ["sh", "-c", f'exec {tool} -f -e "$0" < "$1"', subject.program, addresses]
                contenders[tool] = self.command(*words)
        return contenders

    def address_file(self, subject):
        """As many addresses of functions, spread over the program, one per line."""
        path = self.options.work / f"addresses-{subject.program.parent.name}-{subject.program.name}"
        listed = subprocess.run(["nm", "--defined-only", subject.program], capture_output=True,
                                text=True, check=True).stdout.splitlines()
        functions = sorted(line.split()[0] for line in listed if line[17:18] in ("t", "T"))
        step = max(1, len(functions) // ADDRESSES)
        path.write_text("".join(f"0x{address}\n" for address in functions[::step][:ADDRESSES]))
        return path

    def series_contenders(self, subject, count):
        files = subject.profiles[:count]
        scratch = self.options.work / "sums"
        scratch.mkdir(exist_ok=True)
        return {"report -s": self.command(self.options.server, "report", "-s", subject.program, *files,
                                          directory=scratch),
                "cat": self.command("cat", *files),
                "gprof -s": self.command("gprof", "-s", subject.program, *files, directory=scratch)}

    # --- Measuring ---

    def measure(self, subject, contenders, runs=None):
        read_into_page_cache(subject)
        measure_in_turn(contenders, runs or self.options.runs, self.options.patience,
                        lambda text: note(f"{subject.key}: {text}"))
        if (subject, contenders) not in self.subjects:
            self.subjects.append((subject, contenders))
        note("")
        self.write_results()

    def check_output(self, subject, contenders, *words):
        """A fast report would be worthless if it differed from gprof's."""
        peer = contenders["gprof " + " ".join(words)]
        if peer.stopped or peer.median("wall") > COMPARED_SECONDS:
            return
        files = (subject.program, subject.profile)
        if digest_of([self.options.server, "report", *words, *files]) != digest_of(
                ["gprof", *words, *files]):
            print(f"{subject.key}: report {' '.join(words)} is not what gprof prints", file=sys.stderr)
            if subject.shape != "real":  # those may differ as in docs/gnu-differences.md
                sys.exit(1)

    def measure_limits(self, subject, contenders):
        """With half of gprof's memory: does it succeed, or say that it cannot?"""
        for words in (("-b",), ("-b", "-l")):
            peer = contenders.get("gprof " + " ".join(words))
            if peer is None or peer.stopped:
                continue
            half = peer.median("peak") // 2
            command = [self.options.server, "report", *words, subject.program, subject.profile]
            verdict, means = limited_verdict(command, half, self.options.longest)
            self.add_limit(subject, "report " + " ".join(words), half, means, verdict)
        if subject.sources and not contenders["gprof -b"].stopped:
            half = contenders["gprof -b"].median("peak") // 2
            verdict, means = bench_server.limited_start(self.options.server, subject, half)
            self.add_limit(subject, "first lens", half, means, verdict)

    def add_limit(self, subject, work, limit, means, verdict):
        self.limits.append({"program": subject.key, "work": work, "limit": limit, "means": means,
                            "verdict": verdict})

    def measure_latency(self, subject):
        note(f"{subject.key}: requests")
        latencies, memory = bench_server.measure_latency(self.options.server, subject)
        self.latency.append({
            "program": subject.key, "functions": subject.functions, "peak": memory,
            "requests": {touch: {kind: {"median": statistics.median(values),
                                        "p99": percentile(values, 0.99), "requests": len(values)}
                                 for kind, values in kinds.items() if values}
                         for touch, kinds in latencies.items()}})

    # --- Groups ---

    def measure_whole(self, subject, largest):
        contenders = self.whole_contenders(subject)
        self.measure(subject, contenders)
        self.check_output(subject, contenders, "-b")
        self.check_output(subject, contenders, "-b", "-l")
        if largest:
            self.measure_limits(subject, contenders)
            if subject.sources:
                self.measure_latency(subject)

    def measure_shape(self, title, shape, functions, *words):
        """One report of a program of another shape."""
        subject = bench_programs.generated(self.options.work, title, shape, functions,
                                           int(functions * self.lines_per_function(functions)), *words)
        subject.shape = "no-debug" if "--no-debug" in words else shape
        contenders = {"report -b": self.report(subject, "-b")}
        if functions >= LARGE:  # GNU gprof, quadratic in these, would take an hour or more
            self.measure(subject, contenders)
            return
        contenders["gprof -b"] = self.gprof(subject, "-b")
        self.measure(subject, contenders)
        self.check_output(subject, contenders, "-b")

    def measure_series(self, files):
        folder = self.options.work
        subject = bench_programs.generated(folder, "sums", "flat", 5000, 31500, "--profiles", str(files))
        for count in (files // 2, files):
            part = dataclasses.replace(
                subject, title=f"sums of {count:,} files", shape="series", functions=0)
            self.measure(part, self.series_contenders(subject, count))

    def lines_per_function(self, functions):
        return 5 if functions >= LARGE else LINES_PER_FUNCTION

    def run(self):
        sizes = self.options.functions
        for functions in sizes:
            self.measure_whole(bench_programs.generated(
                self.options.work, "flat", "flat", functions,
                int(functions * self.lines_per_function(functions))), functions == sizes[-1])
            self.measure_shape("one huge cycle", "huge-cycle", functions)
            self.measure_shape("without -g", "flat", functions, "--no-debug")
        if self.options.profiles:
            self.measure_series(self.options.profiles)
        for words in self.options.real:
            self.measure_whole(bench_programs.real(self.options.work, words), True)

    # --- Results ---

    def comparisons(self):
        return [row for subject, contenders in self.subjects for row in compare(subject, contenders)]

    def results(self):
        results = [{"program": subject.key, "title": title_of(subject), "size": size_of(subject),
                    "work": {name: contender.summary() for name, contender in contenders.items()}}
                   for subject, contenders in self.subjects]
        grown = [row | {"ours": row["work"] in OURS} for row in growth(results)]
        return {"machine": machine("gprof", "readelf"), "results": results, "comparisons": self.comparisons(),
                "growth": grown, "latency": self.latency, "limits": self.limits}

    def write_results(self):
        """Called after each program, so that a long run that is ended early is not wasted."""
        if self.options.json:
            self.options.json.write_text(json.dumps(self.results(), indent=1) + "\n")

    def confirmed_regressions(self, earlier):
        """Measures what got worse again, with twice the runs, before reporting it."""
        suspects = {row["program"] for row, _, _ in regressions(self.comparisons(), earlier)}
        for subject, contenders in self.subjects:
            if subject.key in suspects:
                self.measure(subject, contenders)
        return regressions(self.comparisons(), earlier)


def read_into_page_cache(subject):
    """Otherwise the first one would wait for the disk."""
    for file in {subject.program, subject.profile, *subject.profiles}:
        if file.exists():
            file.read_bytes()


def title_of(subject):
    return "sums" if subject.shape == "series" else subject.title


def size_of(subject):
    if subject.shape == "series":
        return int(subject.title.split()[2].replace(",", ""))
    return subject.functions


def machine(*tools):
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8")
                  if line.startswith("model name")), platform.machine())
    versions = {tool: subprocess.run([tool, "--version"], capture_output=True, text=True,
                                     check=False).stdout.splitlines()[0]
                for tool in tools if shutil.which(tool)}
    return {"processor": model, "processors": os.cpu_count(), "tools": versions,
            "load": os.getloadavg()[0]}


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--server", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--functions", type=lambda text: [int(word) for word in text.split(",")],
                        default=None, metavar="N[,2N...]", help="sizes (25000,50000; 0: none)")
    parser.add_argument("--large", action="store_true",
                        help="500,000 and a million functions, sums of 10,000 files: hours")
    parser.add_argument("--profiles", type=int, help="files to sum up (1000; 0: none)")
    parser.add_argument("--real", action="append", default=[], metavar="EXE[:GMON]",
                        help="measure this program as well; may be given again")
    parser.add_argument("--patience", type=float, default=30,
                        help="what takes more seconds runs once (30)")
    parser.add_argument("--longest", type=float, default=1200,
                        help="what takes more seconds is stopped (1200)")
    parser.add_argument("--json", type=pathlib.Path, help="writes the results there, too")
    parser.add_argument("--against", type=pathlib.Path, metavar="EARLIER",
                        help="fails where a ratio is more than 15 %% worse than in these results")
    options = parser.parse_args()
    if options.functions is None:
        options.functions = [LARGE, 2 * LARGE] if options.large else [25000, 50000]
    options.functions = [functions for functions in options.functions if functions > 0]
    if options.profiles is None:
        options.profiles = 10000 if options.large else 1000
    for tool in ("gprof", "readelf", "nm", "as", "gcc", "objcopy"):
        if shutil.which(tool) is None:
            sys.exit(f"skipped: no {tool}")
    options.work = options.work.resolve()
    options.server = options.server.resolve()
    return options


def report_regressions(suite, earlier):
    found = suite.confirmed_regressions(earlier["comparisons"])
    for row, what, before in found:
        now = "fails" if row.get("failed") else f"{row[what]:.3f}"
        print(f"REGRESSION {row['program']}: {row['ours']} to {row['peer']}, {what}: {before:.3f} "
              f"before, {now} now")
    return 1 if found else 0


def main():
    options = parse_options()
    options.work.mkdir(parents=True, exist_ok=True)
    bench_server.use_caches(options.work)
    suite = Suite(options)
    suite.run()
    status = 0
    if options.against:
        status = report_regressions(suite, json.loads(options.against.read_text()))
    for table in tables(suite.results()):
        print_table(*table)
    suite.write_results()
    return status


if __name__ == "__main__":
    sys.exit(main())
