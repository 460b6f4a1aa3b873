#!/usr/bin/env python3
"""Measures the collector's cost, compared with glibc's and with none, in one run.

  runtime_bench.py --collector build/release/lib/libgprof_runtime.so --work FOLDER [--quick]
                   [--only NAME,...] [--json FILE]

Programs run in turn (one of each kind, then the next turn), so that changes of the machine's speed
affect all alike. A figure is the minimum of all turns unless stated otherwise; "spread" is how far
the median is above it. Compare ratios between machines, not times.
"""

import argparse
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys

from runtime.measure import Runner, Variant, best, spread
from runtime.programs import CALLEES, Programs


class Bench:
    def __init__(self, options):
        self.quick = options.quick
        self.turns = options.turns or (5 if options.quick else 15)
        self.collector = options.collector
        self.runner = Runner(options.work / "runs")
        self.programs = Programs(options.work / "programs", options.cc, options.clang)
        self.stub = self.programs.return_stub()
        self.rows = []

    def preloaded(self, library, **settings):
        return {"LD_PRELOAD": os.fspath(library),
                **{f"GPROF_{name}": str(value) for name, value in settings.items()}}

    def ours(self, **settings):
        """Without samples, unless requested: their cost is a separate row."""
        return self.preloaded(self.collector, **{"RATE": 0, **settings})

    def variants(self, plain, profiled, cost="cpu", arguments=()):
        """The four that most rows compare. glibc's collector always samples."""
        command = [profiled, *map(str, arguments)]
        return {"none": Variant([plain, *map(str, arguments)], cost=cost),
                "glibc": Variant(command, cost=cost),
                "ret stub": Variant(command, self.preloaded(self.stub), cost),
                "ours": Variant(command, self.ours(), cost)}

    def add_row(self, title, unit, scale, figures, ratios, choose=best, noise=0):
        """`ratios`: (name, value, "<=" or ">=" or None, target). `noise`: the share by which two
        figures of the same thing differ; a target within that is neither met nor missed."""
        row = {"title": title, "unit": unit,
               "figures": {name: {"value": choose(values) * scale, "spread": spread(values),
                                  "runs": len(values)} for name, values in figures.items()},
               "ratios": [{"name": name, "value": value, "relation": relation, "target": target,
                           "noise": noise}
                          for name, value, relation, target in ratios]}
        self.rows.append(row)
        print_row(row)

    def tiny_function(self):
        plain = self.programs.build("tiny", "tiny.c", "-O2")
        flags = ("-O2", "-pg")
        builds = {"mcount": self.programs.build("tiny_pg", "tiny.c", *flags),
                  "-mfentry": self.programs.build("tiny_fentry", "tiny.c", *flags, "-mfentry")}
        # Many short runs: some are not disturbed by other programs.
        calls = 10_000_000 if self.quick else 20_000_000
        for threads in (1, 2):
            for name, profiled in builds.items():
                variants = self.variants(plain, profiled, 0, (calls, threads))
                variants["glibc"].command[1] = str(calls // 2)
                title = f"call of a tiny function, {name}, {threads} thread{'s' * (threads > 1)}"
                figures = self.runner.run_in_turns(title, variants, self.turns * 2)
                cost = {kind: best(values) - best(figures["none"])
                        for kind, values in figures.items()}
                self.add_row(title, "ns a call", 1, figures, [
                    ("added: glibc / ours", cost["glibc"] / cost["ours"], ">=", 3),
                    ("added: ours / ret stub", cost["ours"] / cost["ret stub"], "<=", 1.2),
                    ("added: glibc / ret stub (bound)", cost["glibc"] / cost["ret stub"], None,
                     None)])

    def many_callees(self):
        source = self.programs.many_callees
        # Otherwise gcc 12 clones such functions with fewer arguments.
        flags = ("-O2", "-fno-ipa-cp", "-fno-ipa-sra")
        plain = self.programs.build("many_callees", source, *flags)
        profiled = self.programs.build("many_callees_pg", source, *flags, "-pg")
        rounds = 150 if self.quick else 600
        variants = self.variants(plain, profiled, arguments=(rounds,))
        glibc = {"glibc": variants.pop("glibc")}
        title = f"one place that calls {CALLEES} functions, {CALLEES * 3} arcs, {rounds} rounds"
        figures = self.runner.run_in_turns(title, variants, self.turns)
        figures |= self.runner.run_in_turns(title + ", glibc", glibc, 1 if self.quick else 3)
        added = {kind: best(values) - best(figures["none"]) for kind, values in figures.items()}
        self.add_row(title, "s", 1, figures, [
            ("glibc / ours", best(figures["glibc"]) / best(figures["ours"]), ">=", 50),
            ("added: glibc / ours", added["glibc"] / added["ours"], None, None),
            ("ours / none", best(figures["ours"]) / best(figures["none"]), None, None)])

    def compare(self, title, variants, target):
        figures = self.runner.run_in_turns(title, variants, self.turns)
        none = best(figures["none"])
        self.add_row(title, "s", 1, figures, [
            ("ours / none", best(figures["ours"]) / none, "<=" if target else None, target),
            ("ret stub / none", best(figures["ret stub"]) / none, None, None),
            ("glibc / none", best(figures["glibc"]) / none, None, None)])

    def interpreter_arguments(self):
        return (27, 300_000) if self.quick else (31, 2_000_000)

    def interpreter(self):
        for name, flags, target in (("interpreter", (), 1.5),
                                    ("interpreter, a function an opcode",
                                     ("-DFUNCTION_AN_OPCODE",), None)):
            program = "interpreter_functions" if flags else "interpreter"
            plain = self.programs.build(program, "interpreter.c", "-O2", *flags)
            profiled = self.programs.build(f"{program}_pg", "interpreter.c", "-O2", "-pg", *flags)
            self.compare(name + ", -O2 -pg",
                         self.variants(plain, profiled, arguments=self.interpreter_arguments()),
                         target)

    def compressor(self):
        plain = self.programs.build("compress", "compress.c", "-O2")
        profiled = self.programs.build("compress_pg", "compress.c", "-O2", "-pg")
        self.compare("compression, -O2 -pg",
                     self.variants(plain, profiled, arguments=(8 if self.quick else 40,)), None)

    def sort_arguments(self):
        return ("200000", "3" if self.quick else "8")

    def sort(self):
        plain = self.programs.build("sort", "sort.c", "-O2")
        profiled = self.programs.build("sort_pg", "sort.c", "-O2", "-pg")
        self.compare("qsort and its comparator, called through libc",
                     self.variants(plain, profiled, arguments=self.sort_arguments()), None)

    def idle(self):
        plain = self.programs.build("sort", "sort.c", "-O2")
        command = [plain, *self.sort_arguments()]
        # A library that does nothing shows the effect of any library on a program's layout.
        title = "idle: nothing is instrumented"
        figures = self.runner.run_in_turns(title, {
            "none": Variant(command), "none again": Variant(command),
            "ret stub": Variant(command, self.preloaded(self.stub)),
            "ours": Variant(command, self.preloaded(self.collector))}, self.turns * 2)
        none = best(figures["none"])
        self.add_row(title, "s", 1, figures, [
            ("ours / none", best(figures["ours"]) / none, "<=", 1.01),
            ("ret stub / none", best(figures["ret stub"]) / none, None, None),
            ("none again / none (noise)", best(figures["none again"]) / none, None, None)],
            noise=abs(best(figures["none again"]) / none - 1))

    def start(self):
        program = [shutil.which("true")]
        title = "start and end of true"
        figures = self.runner.run_in_turns(title, {
            "none": Variant(program), "ret stub": Variant(program, self.preloaded(self.stub)),
            "ours": Variant(program, self.preloaded(self.collector))}, 50 if self.quick else 200)
        middle = statistics.median
        self.add_row(title + " (medians)", "us", 1e6, figures, [
            ("ours / ret stub", middle(figures["ours"]) / middle(figures["ret stub"]), None, None),
            ("ours / none", middle(figures["ours"]) / middle(figures["none"]), None, None)], middle)

    def sampling(self):
        profiled = self.programs.build("interpreter_pg", "interpreter.c", "-O2", "-pg")
        command = [profiled, *map(str, self.interpreter_arguments())]
        variants = {"0 Hz": Variant(command, self.ours()),
                    "0 Hz again": Variant(command, self.ours())}
        for rate in (100, 250, 1000):
            variants[f"{rate} Hz"] = Variant(command, self.ours(RATE=rate))
        variants["100 Hz, stacks"] = Variant(command, self.ours(RATE=100, STACKS=1))
        figures = self.runner.run_in_turns("sampling", variants, self.turns * 2)
        none = best(figures["0 Hz"])
        self.add_row("sampling of the interpreter, against no samples", "s", 1, figures, [
            (f"{name} / 0 Hz", best(values) / none, "<=" if name == "250 Hz" else None,
             1.01 if name == "250 Hz" else None)
            for name, values in figures.items() if name != "0 Hz"],
            noise=abs(best(figures["0 Hz again"]) / none - 1))

    def blocks(self):
        for source, arguments in (
                ("interpreter", (25, 150_000) if self.quick else (29, 1_000_000)),
                ("compress", (4 if self.quick else 15,))):
            self.count_blocks(source, [*map(str, arguments)], "blocks", (), 3)
            self.count_blocks(source, [*map(str, arguments)], "blocks and calls", ("-pg",), None)

    def count_blocks(self, source, words, what, flags, target):
        file = f"{source}.c"
        pairs = {"gcc": (None, self.programs.traced),
                 "clang": (self.programs.clang, self.programs.guarded)}
        variants = {}
        for name, (compiler, instrumented) in pairs.items():
            program = instrumented(f"{source}_{name}_{what.replace(' ', '_')}", file, self.collector,
                                   "-O0", *flags)
            if program is None:
                continue
            plain = self.programs.build(f"{source}_{name}", file, "-O0", compiler=compiler)
            found = os.fspath(self.collector.parent)
            ours = {**self.ours(), "LD_LIBRARY_PATH": found}
            variants[name] = Variant([plain, *words])
            variants[f"{name}, ret stub"] = Variant(
                [program, *words], {**self.preloaded(self.stub), "LD_LIBRARY_PATH": found})
            variants[f"{name}, ours"] = Variant([program, *words], ours)
        title = f"counting {what} at -O0, {source}"
        figures = self.runner.run_in_turns(title, variants, self.turns)
        ratios = []
        for name in pairs:
            if name in figures:
                none = best(figures[name])
                ratios += [(f"{name}: ours / none", best(figures[f"{name}, ours"]) / none,
                            "<=" if target else None, target),
                           (f"{name}: ret stub / none", best(figures[f"{name}, ret stub"]) / none,
                            None, None)]
        self.add_row(title, "s", 1, figures, ratios)

    def threads(self):
        plain = self.programs.build("threads", "threads.c", "-O2")
        profiled = self.programs.build("threads_pg", "threads.c", "-O2", "-pg")
        count = 500 if self.quick else 3000
        for cost, name in ((1, "CPU time"), (0, "clock")):
            variants = self.variants(plain, profiled, cost, (count,))
            variants["ours, 100 Hz"] = Variant(variants["ours"].command, self.ours(RATE=100), cost)
            title = f"a thread made and joined, {name}"
            figures = self.runner.run_in_turns(title, variants, self.turns)
            self.add_row(title, "us", 1e-3, figures, [
                (f"{kind} / none", best(figures[kind]) / best(figures["none"]), None, None)
                for kind in ("ours", "ours, 100 Hz", "glibc")])


NAMES = ("tiny_function", "many_callees", "interpreter", "compressor", "sort", "idle", "start",
         "sampling", "blocks", "threads")


def verdict(ratio):
    if ratio["noise"] > abs(ratio["target"] - 1):
        return "unclear"
    if ratio["relation"] == ">=":
        return "met" if ratio["value"] >= ratio["target"] else "MISSED"
    return "met" if ratio["value"] <= ratio["target"] else "MISSED"


def print_row(row):
    print(f"\n{row['title']}")
    for name, figure in row["figures"].items():
        print(f"  {name:<32} {figure['value']:>10.4g} {row['unit']:<10} spread "
              f"{figure['spread'] * 100:>5.1f} %  {figure['runs']} runs")
    for ratio in row["ratios"]:
        target = ""
        if ratio["relation"]:
            target = f"{ratio['relation']} {ratio['target']:g}: {verdict(ratio)}"
        print(f"  {ratio['name']:<32} {ratio['value']:>10.3f} {'times':<10} {target}".rstrip())
    sys.stdout.flush()


def print_summary(rows):
    print("\nTargets (unclear: the machine's noise is larger than what is asked)")
    for row in rows:
        for ratio in row["ratios"]:
            if ratio["relation"]:
                print(f"  {verdict(ratio):<7} {ratio['value']:>8.3f} "
                      f"{ratio['relation']} {ratio['target']:<5g} {row['title']}: {ratio['name']}")


def first_line(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.splitlines()[0] if done.stdout else ""


def machine(options):
    processor = platform.machine()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            processor = line.partition(":")[2].strip()
    clang = first_line(options.clang, "--version") if shutil.which(options.clang) else "none"
    return {"processor": processor, "processors": os.cpu_count(), "kernel": platform.release(),
            "libc": " ".join(platform.libc_ver()), "cc": first_line(options.cc, "--version"),
            "clang": clang}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--collector", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--quick", action="store_true",
                        help="fewer and shorter runs: a look, no figure")
    parser.add_argument("--turns", type=int, help="how often each program runs")
    parser.add_argument("--only", default="", help="some of: " + ", ".join(NAMES))
    parser.add_argument("--cc", default="gcc")
    parser.add_argument("--clang", default="clang")
    parser.add_argument("--json", type=pathlib.Path, help="writes the figures there, too")
    options = parser.parse_args()
    options.collector = options.collector.resolve()
    options.work = options.work.resolve()
    chosen = options.only.split(",") if options.only else NAMES
    if unknown := set(chosen) - set(NAMES):
        parser.error(f"--only knows {', '.join(NAMES)}, not {', '.join(unknown)}")

    about = machine(options)
    print("; ".join(f"{name}: {value}" for name, value in about.items()))
    load = [os.getloadavg()[0]]
    bench = Bench(options)
    for name in chosen:
        getattr(bench, name)()
        load.append(os.getloadavg()[0])
    print_summary(bench.rows)
    print(f"\n{bench.runner.runs} runs in turns; load of the machine between {min(load):.1f} and "
          f"{max(load):.1f}, of which this is 1 to 2. CPU time: user and system together.")
    if options.json:
        options.json.write_text(json.dumps({"machine": about, "load": load, "rows": bench.rows},
                                           indent=1) + "\n")


if __name__ == "__main__":
    main()
