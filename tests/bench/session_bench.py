#!/usr/bin/env python3
"""Measures whole sessions with the server on a large generated program: latencies of every feature,
typing, reloads of a changed profile, memory; compared with GNU gprof -l on the same files.

  session_bench.py --server PROGRAM --work FOLDER [--functions 50000] [--reloads 15] [--seconds 10]

Between machines, compare the ratios and whether the targets are met.
"""

import argparse
import json
import os
import pathlib
import select
import shutil
import statistics
import struct
import subprocess
import sys
import time

from measuring_client import MeasuringClient
from process_memory import resident_bytes
from bench_programs import generated_folder, program_parts
from bench_server import KINDS, ask_all, hint_parameters, prepare, use_caches
from bench_tables import percentile, print_table

CHANGES_PER_SECOND = 30


class SessionClient(MeasuringClient):
    """Also records when loads begin and end, and answers in between."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.loads = []  # [begin, end]
        self.answers = {}

    def _attend(self, message):
        if message.get("method") == "$/progress":
            kind = message["params"]["value"]["kind"]
            if kind == "begin":
                self.loads.append([time.monotonic(), None])
            elif kind == "end" and self.loads:
                self.loads[-1][1] = time.monotonic()
        elif "method" not in message and "id" in message:
            self.answers[message["id"]] = time.monotonic()
        super()._attend(message)

    def send_request(self, method, parameters):
        self._next_id += 1
        self._send({"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": parameters})
        return self._next_id

    def attend_until(self, moment):
        while (left := moment - time.monotonic()) > 0:
            if b"\r\n\r\n" not in self._received and not select.select(
                    [self._process.stdout], [], [], left)[0]:
                return
            self._attend(self._receive())

    def finished_loads(self):
        return [end - begin for begin, end in self.loads if end is not None]

    def wait_for_loads(self, count):
        while len(self.finished_loads()) < count:
            self._attend(self._receive())


def measure_latency(options, program, profile, sources):
    latencies = {touch: {kind: [] for kind in KINDS} for touch in ("first", "cached")}
    rounds = -(-1000 // len(sources))
    with SessionClient(options.server, program, profile) as client:
        prepare(client, sources[0])
        for source in sources[1:]:
            client.open_document(source)
            ask_all(client, source, latencies["first"])
        for _ in range(rounds):
            for source in sources[1:]:
                ask_all(client, source, latencies["cached"])
        return latencies, client.peak_memory()


def measure_typing(options, program, profile, source):
    """Seconds from each change's hint request to its answer, and how many were still pending when
    the next change was due."""
    waits, late = [], 0
    with SessionClient(options.server, program, profile) as client:
        prepare(client, source)
        uri = source.as_uri()
        lines = source.read_text(errors="replace").count("\n")
        pending, version = {}, 1
        next_change = time.monotonic()
        for number in range(int(options.seconds * CHANGES_PER_SECOND)):
            version += 1
            place = {"line": lines // 2, "character": number % 40}
            client.notify("textDocument/didChange", {
                "textDocument": {"uri": uri, "version": version},
                "contentChanges": [{"range": {"start": place, "end": place}, "text": "x"}]})
            sent = time.monotonic()
            identity = client.send_request("textDocument/inlayHint", hint_parameters(source, lines))
            pending[identity] = sent
            next_change += 1 / CHANGES_PER_SECOND
            client.attend_until(next_change)
            if identity not in client.answers:
                late += 1
        client.attend_until(time.monotonic() + 1)
        for identity, sent in pending.items():
            if identity not in client.answers:
                sys.exit("a hint request was never answered")
            waits.append(client.answers[identity] - sent)
    return waits, late


def write_changed_profile(original, profile, number):
    """Replaces the profile, by rename, with one that has another count in an arc."""
    data = bytearray(original)
    # The last record of the file is an arc; its count is the last four bytes.
    count, = struct.unpack_from("<I", data, len(data) - 4)
    struct.pack_into("<I", data, len(data) - 4, count + number)
    temporary = profile.with_name("gmon.out.new")
    temporary.write_bytes(data)
    os.replace(temporary, profile)


def measure_reloads(options, program, profile, source):
    """(seconds of the first load, seconds of each reload, growth of the resident set)."""
    work = options.work / "reload"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    live = work / "gmon.out"
    original = profile.read_bytes()
    live.write_bytes(original)
    firsts = []
    for _ in range(5):
        with SessionClient(options.server, program, live) as client:
            prepare(client, source)
            client.wait_for_loads(1)
            firsts.append(client.finished_loads()[0])
    with SessionClient(options.server, program, live) as client:
        prepare(client, source)
        client.wait_for_loads(1)
        for number in range(1, options.reloads + 1):
            write_changed_profile(original, live, number)
            client.request("workspace/executeCommand", {"command": "gprof.reload"})
            client.wait_for_loads(1 + number)
        return statistics.median(firsts), client.finished_loads()[1:]


def gprof_line_memory(program, profile, longest):
    """Peak resident bytes of `gprof -b -l`, and whether it finished within the time limit."""
    process = subprocess.Popen(["gprof", "-b", "-l", str(program), str(profile)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak, begun = 0, time.monotonic()
    while process.poll() is None and time.monotonic() - begun < longest:
        try:
            peak = max(peak, resident_bytes(process.pid, peak=True))
        except (OSError, TypeError):  # it has ended
            break
        time.sleep(0.05)
    ended = process.poll() is not None
    process.kill()
    process.wait()
    return peak, ended


def milliseconds(seconds):
    return f"{seconds * 1e3:.2f} ms"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--server", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--functions", type=int, default=50000)
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--lines", type=int, default=315000)
    parser.add_argument("--reloads", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--gprof-seconds", type=float, default=300,
                        help="gprof -l takes minutes: its memory is looked at for so long")
    parser.add_argument("--json", type=pathlib.Path, help="writes the figures there, too")
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    use_caches(options.work)

    program, profile, sources = program_parts(generated_folder(
        options.work, "flat", options.functions, options.lines, files=options.files))
    gprof_memory, ended = gprof_line_memory(program, profile, options.gprof_seconds)
    latencies, memory = measure_latency(options, program, profile, sources)
    waits, late = measure_typing(options, program, profile, sources[0])
    first, reloads = measure_reloads(options, program, profile, sources[0])

    print_table("Latency of a request, as the client sees it", [
        [f"{kind}, {touch}", str(len(values)), milliseconds(statistics.median(values)),
         milliseconds(percentile(values, 0.99)), "50 ms" if touch == "first" else "5 ms"]
        for touch, kinds in latencies.items() for kind, values in kinds.items()],
        ["", "requests", "median", "p99", "target of p99"])
    print_table(f"Typing, {CHANGES_PER_SECOND} changes a second, hints after each", [
        ["change to hints", str(len(waits)), milliseconds(statistics.median(waits)),
         milliseconds(percentile(waits, 0.99)), str(late)]],
        ["", "changes", "median", "p99", "not answered before the next"])
    reload = statistics.median(reloads)
    print_table("Reload of a changed gmon.out", [
        ["first load", milliseconds(first), ""],
        ["reload", milliseconds(reload), f"{reload / first:.2f} (target 0.25)"]],
        ["", "median", "to the first load"])
    mib = 1 << 20
    print_table("Peak memory (resident)", [
        ["server, every file asked", f"{memory / mib:.1f} MiB", f"{memory / gprof_memory:.2f} (target 0.4)"],
        ["gprof -b -l" + ("" if ended else f", stopped after {options.gprof_seconds:.0f} s"),
         f"{gprof_memory / mib:.1f} MiB", "1.00"]], ["", "peak", "to gprof -l"])
    if options.json:
        options.json.write_text(json.dumps({
            "latency": latencies, "typing": waits, "late": late, "first_load": first,
            "reloads": reloads, "memory": memory, "gprof_memory": gprof_memory}) + "\n")


if __name__ == "__main__":
    main()
