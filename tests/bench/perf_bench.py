#!/usr/bin/env python3
"""Measures how soon figures of a large recording of perf are shown, and what perf takes for them.

  perf_bench.py --server PROGRAM --work FOLDER [--functions 50000] [--samples 1000000]
                [--stacks 100000] [--kinds chains,copies,text] [--runs 5] [--longest 1200] [--json RESULTS]

Recordings are drawn, one with call chains and one with copies of the stack; perf reads them but need
not be able to count. In turn: the first lens in an editor's client; `perf report --stdio --no-inline`;
`perf script`, which looks for inlined frames (before Linux 6.4 where there are copies alone).
Of the text that `perf script` prints of the one with call chains: folded stacks by `export`, and by
`stackcollapse-perf.pl` if that is installed; `cat`. What takes more than --longest seconds is
stopped: ratios to it are bounds then.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys

from bench_measure import Contender, measure_in_turn, run_command
from bench_programs import Subject, generated_folder, program_parts
from bench_server import measure_all_figures, measure_cold_start, use_caches
from bench_tables import print_table, tables
from bench_targets import compare
from perf_recording import Extent, write_perf_data
from run_bench import machine, note, read_into_page_cache


COPIED = {"chains": 0, "copies": 512, "text": 0}  # bytes of each stack


def make_subject(options, kind):
    extent = Extent(options.samples, options.stacks, copied=COPIED[kind])
    folder = generated_folder(options.work, "flat", options.functions, int(options.functions * 6.3),
                              *(["--unwind"] if extent.copied else []))
    program, gmon, sources = program_parts(folder)
    recording = folder / f"{extent.samples}-{extent.stacks}-{extent.copied}.perf.data"
    write_perf_data(recording, program, gmon, extent)
    title = f"perf.data of {extent.samples:,} samples with {kind}"
    if kind == "text":
        title = f"text of {extent.samples:,} samples"
        recording = printed_text(recording)
    return Subject(title, f"perf.data {kind}", options.functions, 0, program, recording,
                   [sources[len(sources) // 2]])


def printed_text(recording):
    """The file with what `perf script` prints of a recording."""
    text = recording.with_suffix(".txt")
    if not text.exists():
        part = text.with_suffix(".part")
        with part.open("w") as out:
            subprocess.run(["perf", "script", "-i", recording], stdout=out, stderr=subprocess.DEVNULL, check=True)
        part.rename(text)
    return text


def contenders_of_text(options, subject):
    def command(*words):
        return Contender(lambda: run_command(words, options.longest)[0])

    found = {"folded stacks": command(options.server, "export", "--format=folded", "-o", "/dev/null",
                                      subject.program, subject.profile),
             "cat": command("cat", subject.profile)}
    if collapse := shutil.which("stackcollapse-perf.pl"):
        found["stackcollapse-perf.pl"] = command(collapse, subject.profile)
    return found


def contenders_of(options, subject):
    if subject.shape == "perf.data text":
        return contenders_of_text(options, subject)

    def perf(*words):
        return Contender(lambda: run_command(["perf", *words, "-i", subject.profile],
                                             options.longest)[0])

    found = {"first lens": Contender(lambda: measure_cold_start(options.server, subject)),
             "all figures": Contender(lambda: measure_all_figures(options.server, subject)),
             "perf report": perf("report", "--stdio", "--no-inline")}
    if not options.no_script:
        found["perf script"] = perf("script")
    return found


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--server", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--functions", type=int, default=50_000)
    parser.add_argument("--samples", type=int, default=Extent.samples)
    parser.add_argument("--stacks", type=int, default=Extent.stacks)
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=list(COPIED),
                        metavar=",".join(COPIED))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--patience", type=float, default=60,
                        help="what takes more seconds runs once (60)")
    parser.add_argument("--longest", type=float, default=1200,
                        help="what takes more seconds is stopped (1200)")
    parser.add_argument("--no-script", action="store_true", help="without `perf script`")
    parser.add_argument("--json", type=pathlib.Path, help="writes the figures there, too")
    options = parser.parse_args()
    if not set(options.kinds) <= COPIED.keys():
        parser.error(f"--kinds: some of {', '.join(COPIED)} expected")
    if shutil.which("perf") is None:
        sys.exit("skipped: no perf")
    options.server, options.work = options.server.resolve(), options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    return options


def main():
    options = parse_options()
    use_caches(options.work)
    results = {"results": [], "comparisons": [], "growth": [], "latency": [], "limits": []}
    for kind in options.kinds:
        subject = make_subject(options, kind)
        contenders = contenders_of(options, subject)
        read_into_page_cache(subject)
        measure_in_turn(contenders, options.runs, options.patience, note)
        note("")
        work = {name: contender.summary() for name, contender in contenders.items()}
        results["comparisons"] += compare(subject, contenders)
        results["results"].append({"program": subject.key, "title": subject.title,
                                   "size": subject.functions, "work": work})
    results["machine"] = machine("perf")
    for table in tables(results):
        print_table(*table)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    return 1 if any(row.get("failed") for row in results["comparisons"]) else 0


if __name__ == "__main__":
    sys.exit(main())
