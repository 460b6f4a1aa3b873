"""Tables of a benchmark's results, for terminals and, as Markdown, for pages."""

import statistics

from bench_targets import GROWTH_TARGET, LARGE, LATENCY_TARGET, reached

MIB = 1 << 20


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def print_table(title, rows, header):
    widths = [max(len(row[i]) for row in rows + [header]) for i in range(len(header))]
    print(f"\n{title}")
    for row in [header, ["-" * width for width in widths]] + rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def markdown_table(title, rows, header):
    lines = [f"**{title}**", ""] if title else []
    for row in [header, ["---"] * len(header)] + rows:
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")
    return "\n".join(lines)


def seconds(value):
    return f"{value:.3f}" if value < 10 else f"{value:.1f}"


def number(value):
    if value is None:
        return ""
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def verdict(*pairs):
    """For (value, target) pairs: "yes", "no", or nothing if no target is set."""
    answers = [answer for answer in (reached(*pair) for pair in pairs) if answer is not None]
    return ("yes" if all(answers) else "no") if answers else ""


def work_table(result):
    rows = []
    for name, figures in result["work"].items():
        statuses = figures["status"]
        if not statuses:
            continue
        wall = statistics.median(figures["wall"])
        if statuses[-1] is None:
            rows.append([name, f"over {wall:.0f}", "", "", "stopped"])
        elif statuses[-1] != 0:
            rows.append([name, "", "", "", f"failed: {statuses[-1]}"])
        else:
            rows.append([name, seconds(wall), seconds(statistics.median(figures["cpu"])),
                         f"{statistics.median(figures['peak']) / MIB:.0f}", str(len(statuses))])
    return result["program"], rows, ["work", "seconds", "CPU seconds", "peak MiB", "runs"]


def ratio_table(results):
    rows = []
    for row in results["comparisons"]:
        if row.get("failed"):
            rows.append([row["program"], row["ours"], row["peer"], "failed", "", "", "", "", "no"])
            continue
        below = "< " if row["bound"] else ""
        rows.append([
            row["program"], row["ours"], row["peer"], below + number(row["time"]),
            number(row["time_target"]), number(row["cpu"]), number(row["memory"]),
            number(row["memory_target"]),
            verdict((row["time"], row["time_target"]), (row["memory"], row["memory_target"]))])
    return "Ratios", rows, ["program", "work", "to", "time", "at most", "CPU", "memory", "at most",
                            "reached"]


def growth_table(results):
    rows = [[row["title"], f"{row['from']:,} to {row['to']:,}", row["work"], number(row["time"]),
             number(row["cpu"]),
             verdict((row["time"], GROWTH_TARGET)) if row["ours"] else ""]
            for row in results["growth"]]
    return (f"Growth where the input is twice as large (at most {GROWTH_TARGET})", rows,
            ["program", "functions or files", "work", "time", "CPU", "reached"])


def latency_table(results):
    rows = []
    for entry in results["latency"]:
        for touch, kinds in entry["requests"].items():
            for kind, figures in kinds.items():
                target = LATENCY_TARGET if touch == "cached" and entry["functions"] >= LARGE else None
                rows.append([entry["program"], f"{kind}, {touch}", str(figures["requests"]),
                             f"{figures['median'] * 1e3:.3f}", f"{figures['p99'] * 1e3:.3f}",
                             "" if target is None else f"{target * 1e3:.0f}",
                             verdict((figures["p99"], target))])
    return "Requests, as the client sees them", rows, ["program", "request", "number", "median ms",
                                                       "p99 ms", "at most", "reached"]


def limit_table(results):
    rows = [[row["program"], row["work"], f"{row['limit'] / MIB:.0f}", row["means"], row["verdict"]]
            for row in results["limits"]]
    return "With half of gprof's peak memory", rows, ["program", "work", "MiB", "by", "result"]


def tables(results):
    """(title, rows, header) of everything that was measured."""
    made = [work_table(result) for result in results["results"]]
    made += [ratio_table(results), growth_table(results), latency_table(results),
             limit_table(results)]
    return [table for table in made if table[1]]
