"""What is compared with what, the targets, and whether results got worse."""

import dataclasses

LARGE = 500_000  # functions; from here on the targets for a million apply
SMALL = 20_000  # below, starting a process dominates: there are no targets
GROWTH_TARGET = 2.2  # times the time for twice the input
LATENCY_TARGET = 0.005  # seconds: p99 of a repeated request, in a large program
WORSE = 1.15  # a ratio that got worse by more is a regression


@dataclasses.dataclass(frozen=True)
class Pair:
    """Our work compared with a peer's, for programs of a shape; target ratios, or None.

    `sizes`: "any", or "small" or "large" if the targets apply only to programs of that size.
    """
    shape: str
    ours: str
    peer: str
    time: float | None = None
    memory: float | None = None
    sizes: str = "any"

    def targets_at(self, functions):
        applies = self.sizes == "any" or (self.sizes == "large") == (functions >= LARGE)
        if self.shape not in ("series", "real") and functions < SMALL:
            applies = False
        return (self.time, self.memory) if applies else (None, None)


PAIRS = (
    Pair("flat", "report -b", "gprof -b", 0.15, 0.4),
    Pair("flat", "report -b -l", "gprof -b -l", 0.08, 0.4),
    Pair("flat", "first lens", "gprof -b", 0.1, sizes="small"),
    Pair("flat", "first lens", "readelf lines", 0.3, sizes="large"),
    Pair("flat", "all figures", "readelf lines", 0.8, sizes="large"),
    Pair("flat", "second start", "readelf lines", 0.05, sizes="large"),
    Pair("flat", "first lens", "llvm-symbolizer"),
    Pair("flat", "first lens", "addr2line"),
    Pair("huge-cycle", "report -b", "gprof -b", 0.1),
    Pair("no-debug", "report -b", "gprof -b", 0.01),
    Pair("series", "report -s", "cat", 3),
    Pair("series", "report -s", "gprof -s"),
    Pair("perf.data chains", "first lens", "perf report", 0.1),
    Pair("perf.data chains", "first lens", "perf script"),
    Pair("perf.data copies", "first lens", "perf report", 0.1),
    Pair("perf.data copies", "first lens", "perf script", 0.01),
    Pair("perf.data text", "folded stacks", "cat"),
    Pair("perf.data text", "folded stacks", "stackcollapse-perf.pl"),
    # The same for programs given by the user, with no further targets.
    Pair("real", "report -b", "gprof -b", 0.15, 0.4),
    Pair("real", "report -b -l", "gprof -b -l", 0.08, 0.4),
    Pair("real", "first lens", "gprof -b", 0.1),
    Pair("real", "second start", "gprof -b"),
    Pair("real", "first lens", "readelf lines"),
)


def ratio(ours, peer, what):
    mine, theirs = ours.median(what), peer.median(what)
    return mine / theirs if mine is not None and theirs else None


def compare(subject, contenders):
    """The pairs of this subject, as rows for tables and JSON."""
    rows = []
    for pair in PAIRS:
        if pair.shape != subject.shape or not {pair.ours, pair.peer} <= contenders.keys():
            continue
        ours, peer = contenders[pair.ours], contenders[pair.peer]
        if ours.stopped:
            rows.append({"program": subject.key, "ours": pair.ours, "peer": pair.peer, "failed": True})
            continue
        if peer.stopped and peer.samples[-1].status is not None:
            continue  # it failed, so its time means nothing
        time, memory = pair.targets_at(subject.functions)
        row = {"program": subject.key, "ours": pair.ours, "peer": pair.peer,
               # A peer that was stopped is even slower: the ratio is an upper bound.
               "bound": peer.stopped, "time": ratio(ours, peer, "wall"),
               "cpu": None if peer.stopped else ratio(ours, peer, "cpu"),
               "memory": None if peer.stopped else ratio(ours, peer, "peak"),
               "time_target": time, "memory_target": memory}
        rows.append(row)
    return rows


def reached(value, target):
    return None if target is None or value is None else value <= target


def regressions(comparisons, earlier):
    """[(row, what, earlier ratio)] of ratios that got worse by more than WORSE."""
    known = {(row["program"], row["ours"], row["peer"]): row for row in earlier}
    found = []
    for row in comparisons:
        before = known.get((row["program"], row["ours"], row["peer"]))
        if before is None or before.get("failed"):
            continue
        if row.get("failed"):
            found.append((row, "time", before["time"]))
            continue
        for what in ("time", "memory"):
            if row[what] and before[what] and row[what] > before[what] * WORSE:
                found.append((row, what, before[what]))
    return found


def growth(results):
    """How each task's time grows when the input doubles:
    [{"title", "from", "to", "work", "time", "cpu"}]."""
    rows = []
    for small in results:
        for large in results:
            if small["title"] != large["title"] or not large["size"] == 2 * small["size"] > 0:
                continue
            for work, figures in large["work"].items():
                before = small["work"].get(work)
                if not before or any(before["status"]) or any(figures["status"]):
                    continue
                rows.append({"title": small["title"], "from": small["size"], "to": large["size"],
                             "work": work, "time": _median_ratio(figures, before, "wall"),
                             "cpu": _median_ratio(figures, before, "cpu")})
    return rows


def _median_ratio(large, small, what):
    above, below = sorted(large[what]), sorted(small[what])
    if not above or not below or below[len(below) // 2] <= 0:
        return None
    return above[len(above) // 2] / below[len(below) // 2]
