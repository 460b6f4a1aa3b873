#!/usr/bin/env python3
"""Measures the server and the reports on a large generated program, against GNU gprof and readelf on
the same files in the same run.

  run_bench.py --server PROGRAM --work FOLDER [--runs 7] [--functions 50000] [--lines 200000]

Figures are medians of interleaved runs (server, gprof, readelf, server, ...), so that a change in
the machine's speed meets all of them alike; what to compare between machines is the ratios.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

from measuring_client import MeasuringClient

HERE = pathlib.Path(__file__).resolve().parent
REQUESTS = ("lens", "hint", "hover")
# -l is not among them: GNU gprof takes minutes for a program of this size.
REPORTS = ("-b", "-b -c", "-b -C", "-b -r")


def generated_program(options):
    """The folder of the generated program; made once for its shape."""
    folder = options.work / f"program-{options.functions}-{options.files}-{options.lines}"
    if not (folder / "expected.json").exists():
        print(f"generating a program of {options.functions} functions in {folder.name}", flush=True)
        subprocess.run(
            [sys.executable, HERE / "generate_program.py", "--functions", str(options.functions),
             "--files", str(options.files), "--lines", str(options.lines),
             "--output", folder], check=True)
    return folder


def is_program(file):
    if not file.is_file() or not os.access(file, os.X_OK):
        return False
    with file.open("rb") as stream:
        return stream.read(4) == b"\x7fELF"


def program_parts(folder):
    programs = [file for file in sorted(folder.iterdir()) if is_program(file)]
    sources = sorted(folder.rglob("*.c")) or sorted(folder.rglob("*.cc"))
    if len(programs) != 1 or not sources:
        sys.exit(f"{folder} holds {len(programs)} programs and {len(sources)} sources; delete it")
    return programs[0], folder / "gmon.out", sources


def run_time(*command):
    start = time.perf_counter()
    subprocess.run([str(word) for word in command], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def peak_memory_of(*command):
    """Bytes. A small process in between starts the command: the kernel counts into a process's peak
    what its parent had resident when it was forked off."""
    script = ("import os,sys\n"
              "pid = os.fork()\n"
              "if pid == 0:\n"
              "  null = os.open(os.devnull, os.O_WRONLY); os.dup2(null, 1)\n"
              "  os.execvp(sys.argv[1], sys.argv[1:])\n"
              "print(os.wait4(pid, 0)[2].ru_maxrss * 1024)\n")
    done = subprocess.run([sys.executable, "-I", "-S", "-c", script, *map(str, command)],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return int(done.stdout)


def lens_parameters(path):
    return {"textDocument": {"uri": path.as_uri()}}


def hint_parameters(path, lines):
    return {"textDocument": {"uri": path.as_uri()},
            "range": {"start": {"line": 0, "character": 0},
                      "end": {"line": min(lines, 60), "character": 0}}}


def hover_parameters(path, position):
    return {"textDocument": {"uri": path.as_uri()}, "position": position}


def first_lens(client, source):
    while not client.request("textDocument/codeLens", lens_parameters(source)):
        client.wait_for_refresh()
    return time.monotonic() - client.started


def prepare(client, source):
    """Seconds from the start of the server to the first answer about `source` that holds lenses."""
    client.initialize(source.parent)
    client.open_document(source)
    return first_lens(client, source)


def measure_start(options, program, profile, source):
    """Medians of seconds: {"server", "gprof", "readelf"}, and the server's peak memory in bytes."""
    seconds = {"server": [], "gprof": [], "readelf": []}
    memory = 0
    for number in range(options.runs):
        print(f"\rstart: run {number + 1} of {options.runs}", end="", file=sys.stderr, flush=True)
        with MeasuringClient(options.server, program, profile) as client:
            seconds["server"].append(prepare(client, source))
            memory = max(memory, client.peak_memory())
        seconds["gprof"].append(run_time("gprof", "-b", program, profile))
        seconds["readelf"].append(run_time("readelf", "--debug-dump=decodedline", program))
    print(file=sys.stderr)
    return {name: statistics.median(values) for name, values in seconds.items()}, memory


def ask_all(client, source, latencies):
    """One request of each kind about one file."""
    lines = source.read_text(errors="replace").count("\n")
    elapsed, lenses = client.timed_request("textDocument/codeLens", lens_parameters(source))
    latencies["lens"].append(elapsed)
    if not lenses:
        sys.exit(f"no lens in {source}: the figures would say nothing")
    elapsed, _ = client.timed_request("textDocument/inlayHint", hint_parameters(source, lines))
    latencies["hint"].append(elapsed)
    position = lenses[len(lenses) // 2]["range"]["start"]
    elapsed, _ = client.timed_request("textDocument/hover", hover_parameters(source, position))
    latencies["hover"].append(elapsed)


def measure_latency(options, program, profile, sources):
    """{"first": {kind: [seconds]}, "cached": ...} and the peak memory after all of it, in bytes."""
    latencies = {touch: {kind: [] for kind in REQUESTS} for touch in ("first", "cached")}
    rest = sources[1:]
    rounds = -(-1000 // len(rest))
    with MeasuringClient(options.server, program, profile) as client:
        prepare(client, sources[0])
        for source in rest:
            client.open_document(source)
            ask_all(client, source, latencies["first"])
        for number in range(rounds):
            print(f"\rlatency: round {number + 1} of {rounds}", end="", file=sys.stderr, flush=True)
            for source in rest:
                ask_all(client, source, latencies["cached"])
        memory = client.peak_memory()
    print(file=sys.stderr)
    return latencies, memory


def measure_reports(options, program, profile):
    """Medians of seconds of each report: {words: (ours, gprof's)}."""
    seconds = {words: ([], []) for words in REPORTS}
    for number in range(options.runs):
        print(f"\rreports: run {number + 1} of {options.runs}", end="", file=sys.stderr, flush=True)
        for words, (ours, judge) in seconds.items():
            ours.append(run_time(options.server, "report", *words.split(), program, profile))
            judge.append(run_time("gprof", *words.split(), program, profile))
    print(file=sys.stderr)
    return {words: tuple(map(statistics.median, pair)) for words, pair in seconds.items()}


def print_reports(reports):
    print_table("gprof-lsp report", [
        [f"report {words}", f"{ours:.3f} s", f"{judge:.3f} s", f"{ours / judge:.2f}"]
        for words, (ours, judge) in reports.items()], ["", "median", "gprof", "report / gprof"])


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def print_table(title, rows, header):
    widths = [max(len(row[i]) for row in rows + [header]) for i in range(len(header))]
    print(f"\n{title}")
    for row in [header, ["-" * width for width in widths]] + rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        print("  " + "  ".join(cells))


def report(options, seconds, start_memory, latencies, full_memory, gprof_memory):
    ours = seconds["server"]
    print_table("Start to first answered lens", [
        ["first lens", f"{ours:.3f} s", "1.00"],
        ["gprof -b, whole run", f"{seconds['gprof']:.3f} s", f"{ours / seconds['gprof']:.2f}"],
        ["readelf --debug-dump=decodedline", f"{seconds['readelf']:.3f} s",
         f"{ours / seconds['readelf']:.2f}"]], ["", "median", "first lens / this"])
    rows = []
    for touch, kinds in latencies.items():
        for kind, values in kinds.items():
            rows.append([f"{kind}, {touch}", str(len(values)),
                         f"{statistics.median(values) * 1e3:.3f} ms",
                         f"{percentile(values, 0.99) * 1e3:.3f} ms"])
    print_table("Latency of a request, as the client sees it", rows,
                ["", "requests", "median", "p99"])
    mib = 1 << 20
    print_table("Peak memory (resident)", [
        ["server, first lens", f"{start_memory / mib:.1f} MiB", f"{start_memory / gprof_memory:.2f}"],
        ["server, every file asked", f"{full_memory / mib:.1f} MiB",
         f"{full_memory / gprof_memory:.2f}"],
        ["gprof -b", f"{gprof_memory / mib:.1f} MiB", "1.00"]], ["", "peak", "to gprof"])
    print(f"""
Method: a generated program of {options.functions} functions, {options.files} files and about
{options.lines} lines; {options.runs} interleaved runs, medians; files in the page cache. "First
lens" counts from the start of the server's process to the first answer that holds lenses.
"first" is the first request about a file, "cached" every later one. Compare the ratios between
machines, not the times.""")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--server", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--functions", type=int, default=50000)
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--lines", type=int, default=200000)
    parser.add_argument("--json", type=pathlib.Path, help="writes the figures there, too")
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)

    program, profile, sources = program_parts(generated_program(options))
    middle = len(sources) // 2
    sources.insert(0, sources.pop(middle))
    gprof_memory = peak_memory_of("gprof", "-b", program, profile)  # warms the page cache, too
    seconds, start_memory = measure_start(options, program, profile, sources[0])
    latencies, full_memory = measure_latency(options, program, profile, sources)
    reports = measure_reports(options, program, profile)
    report(options, seconds, start_memory, latencies, full_memory, gprof_memory)
    print_reports(reports)
    if options.json:
        options.json.write_text(json.dumps({
            "seconds": seconds, "reports": reports, "memory": {"first": start_memory, "all": full_memory,
                                           "gprof": gprof_memory},
            "latency": {touch: {kind: {"median": statistics.median(values),
                                       "p99": percentile(values, 0.99), "requests": len(values)}
                                for kind, values in kinds.items()}
                        for touch, kinds in latencies.items()}}, indent=1) + "\n")


if __name__ == "__main__":
    main()
