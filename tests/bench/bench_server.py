"""Measures of the server: how soon it first answers, and how long requests take."""

import os
import pathlib
import shutil
import sys
import time

from bench_measure import MemoryLimit, Sample
from measuring_client import MeasuringClient, ServerGone

KINDS = ("lens", "hint", "hover", "call hierarchy")
MEASURED_FILES = 100
LONGEST_WRITING = 20  # seconds that a server takes to save program and snapshot
KEPT_FILES = 2  # of a program with one profile: its own, and the snapshot's
SMALLEST_KEPT = 2000  # functions; smaller programs with small profiles are not saved
LATENCY_SECONDS = 60  # for repeating requests: slow ones are repeated less often


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
    """Seconds from the start of the server to the first answer about `source` with lenses."""
    client.initialize(source.parent)
    client.open_document(source)
    return first_lens(client, source)


def use_caches(folder):
    """Puts the server's caches into `folder` from now on."""
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    os.environ["XDG_STATE_HOME"] = str(folder / "state")


def forget_caches():
    """Makes the next start a first one."""
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME"):
        shutil.rmtree(os.environ[name], ignore_errors=True)


def measure_start(server, subject):
    """A Sample of the process from its start to the first lens."""
    with MeasuringClient(server, subject.program, subject.profile) as client:
        wall = prepare(client, subject.sources[0])
        return Sample(wall, client.processor_time(), client.peak_memory())


def measure_cold_start(server, subject):
    forget_caches()
    return measure_start(server, subject)


def measure_all_figures(server, subject):
    """To the lenses with all their figures: the first ones of a large program have no totals yet. The
    figures of lines wait for them."""
    forget_caches()
    source = subject.sources[0]
    with MeasuringClient(server, subject.program, subject.profile) as client:
        prepare(client, source)
        client.request("gprof/lineData", lens_parameters(source))
        client.request("textDocument/codeLens", lens_parameters(source))
        wall = time.monotonic() - client.started
        return Sample(wall, client.processor_time(), client.peak_memory())


def measure_second_start(server, subject):
    """The same after another start, whose server had time to save its snapshot."""
    forget_caches()
    with MeasuringClient(server, subject.program, subject.profile) as client:
        prepare(client, subject.sources[0])
        # It writes none for small programs.
        if not subject.functions or subject.functions >= SMALLEST_KEPT:
            wait_for_indexes()
    return measure_start(server, subject)


def wait_for_indexes():
    """Waits until the server has written both, of the program and of the snapshot."""
    indexes = pathlib.Path(os.environ["XDG_CACHE_HOME"]) / "gprof-lsp" / "indexes"
    until = time.monotonic() + LONGEST_WRITING
    while len(list(indexes.glob("*.index"))) < KEPT_FILES and time.monotonic() < until:
        time.sleep(0.05)


def limited_start(server, subject, limit):
    """(verdict, way of limiting) of a start with that little memory."""
    with MemoryLimit(limit) as limited:
        try:
            with MeasuringClient([*limited.prefix, str(server)], subject.program,
                                 subject.profile) as client:
                prepare(client, subject.sources[0])
        except ServerGone as gone:
            said = str(gone)
            cannot = "memory" in said.lower()
            return ("says that it cannot" if cannot else f"ends: {said[:80]}"), limited.way
    return "succeeds", limited.way


# --- Requests ---------------------------------------------------------------------------------------


def ask_all(client, source, latencies):
    """One request of each kind about one file."""
    lines = source.read_text(errors="replace").count("\n")
    elapsed, lenses = client.timed_request("textDocument/codeLens", lens_parameters(source))
    if not lenses:
        sys.exit(f"no lens in {source}: the figures would say nothing")
    latencies["lens"].append(elapsed)
    elapsed, _ = client.timed_request("textDocument/inlayHint", hint_parameters(source, lines))
    latencies["hint"].append(elapsed)
    place = hover_parameters(source, lenses[len(lenses) // 2]["range"]["start"])
    elapsed, _ = client.timed_request("textDocument/hover", place)
    latencies["hover"].append(elapsed)
    elapsed, items = client.timed_request("textDocument/prepareCallHierarchy", place)
    latencies["call hierarchy"].append(elapsed)
    for item in (items or [])[:1]:
        for direction in ("incomingCalls", "outgoingCalls"):
            elapsed, _ = client.timed_request(f"callHierarchy/{direction}", {"item": item})
            latencies["call hierarchy"].append(elapsed)


def spread(sources, count):
    """At most `count` of them, evenly spread."""
    step = max(1, len(sources) // count)
    return sources[::step][:count]


def measure_latency(server, subject):
    """{"first": {kind: [seconds]}, "cached": ...} and the peak memory afterwards, in bytes."""
    latencies = {touch: {kind: [] for kind in KINDS} for touch in ("first", "cached")}
    sources = spread(subject.sources, MEASURED_FILES)
    with MeasuringClient(server, subject.program, subject.profile) as client:
        prepare(client, sources[0])
        asked = [sources[0]]
        longest = time.monotonic() + LATENCY_SECONDS
        for source in sources[1:]:
            client.open_document(pathlib.Path(source))
            ask_all(client, source, latencies["first"])
            asked.append(source)
            if time.monotonic() > longest:
                break
        longest = time.monotonic() + LATENCY_SECONDS
        while len(latencies["cached"]["lens"]) < 1000 and time.monotonic() < longest:
            for source in asked[1:] or asked:
                ask_all(client, source, latencies["cached"])
        return latencies, client.peak_memory()
