"""Random programs and profiles for reports: names, addresses, symbols' kinds, arcs and ticks.

A seed gives one program and one profile of it, the same at every run.
"""
import collections
import random

import elf_program
import gmon_files
import gnu_versions
from elf_program import Symbol

PLAIN = ("main", "alpha", "beta", "gamma", "delta", "solve", "init_block", "ct_init", "hash", "zip",
         "a", "b", "c", "F", "Zeta", "x1", "name_of_some_length_that_does_not_fit_a_column")
UNDERSCORES = ("_start", "_x", "__x", "___deep", "_alpha", "__beta", "_", "__")
DOTTED = ("f.1", "f.12.3", "g.constprop.0", "g.isra.0", "g.part.0", "h.cold", "k.clone.2",
          "k.constprop.0.isra.1", "h.lto_priv.0", "n.5x", "o.", "p.constprop.", ".dot", "q$1", "$d",
          "__gnu_compiled_c", "__gnu_compiled1", "___gnu_compiled")
# No name of D where GNU gprof may demangle it.
D_NAME = "_D3foo3barFZ" if gnu_versions.may_show("names of D") else "_D3foo3barFZv"
ENCODED = ("_Z3fooi", "_ZN2ns5shape4areaEv", "_ZN2ns5shapeD1Ev", "_ZN2ns5shapeD2Ev",
           "_ZSt4sortIPiEvT_S1_", "_ZNSt6vectorIiSaIiEE9push_backERKi", "_Z3barv.cold",
           "_ZZ4mainENKUlvE_clEv", "_ZN3std2io5Write9write_fmt17h0123456789abcdefE", "_Znwm",
           "_RNvC6_123foo3bar", "_ZTv0_n24_N1AD0Ev", "_Zbroken", "_ZN1AIXsr1BIT_E1cEE1dEv",
           "_Z1fIJidEEvDpT_", "_ZN1sC1EOS_", D_NAME, "ada__pkg__proc")
PROFILER = ("mcount", "_mcount", "__mcount", "__mcount_internal", "__mcleanup")


def names(generator, count):
    """Names that tie, clash and demangle; some twice."""
    pool = [f"f{i}" for i in range(count)] + list(PLAIN)
    for kind in (UNDERSCORES, DOTTED, ENCODED, PROFILER):
        if generator.random() < 0.5:
            pool += kind
    return [generator.choice(pool) for _ in range(count)]


def random_symbols(generator, count, start, step):
    symbols, address = [], start
    dull = generator.random() < 0.4  # nothing but global functions
    seen = set()
    for name in names(generator, count):
        symbol = Symbol(name, address)
        if not dull:
            symbol = Symbol(
                name, address,
                kind=generator.choice(("function",) * 8 + ("notype", "object", "ifunc")),
                binding=generator.choice(("global",) * 5 + ("local", "local", "weak", "unique")))
        if symbol not in seen:
            seen.add(symbol)
            symbols.append(symbol)
        if generator.random() > 0.1:  # otherwise the next one is an alias
            address += generator.choice((1, 2, 3, 4, 4)) * step
    return symbols, address


def random_program(seed, machine=elf_program.X86_64):
    """A program and its records. Its last function is called and calls, but has no ticks.

    GNU gprof bounds the last symbol by what lies behind its table, by accident.
    """
    generator = random.Random(seed)
    count = generator.choice((1, 2, 3, 5, 8, 12, 20, 35, 60))
    start = generator.choice((0x401000, 0x1000, 0x8048000))
    step = generator.choice((16, 32, 24, 7))
    symbols, last = random_symbols(generator, count, start, step)
    symbols.append(Symbol("zz_last", last))
    program = elf_program.Program(symbols, machine, start, last + 64 - start)
    addresses = sorted({s.address for s in symbols})
    shape = gmon_files.Shape(
        arcs=generator.choice((0, 1, 3)) if count < 3 else int(count * generator.choice(
            (0.5, 1, 1.5, 2, 4))),
        arc_count=generator.choice((1, 3, 100, 1_000_000, 4_000_000_000)),
        ticks=generator.choice((1, 3, 60, 60_000)),
        tick_share=generator.choice((0, 0.02, 0.1, 0.5, 1)),
        rate=generator.choice((100, 100, 100, 1, 18, 1000, 1_000_000)),
        equal=generator.random() < 0.2,
        outside=generator.choice((0, 0, 0.1)),
        bin_size=generator.choice((2, 4, 4, 8, 3, 5)))
    records = gmon_files.random_profile(generator.random(), addresses, start, last, shape)
    if generator.random() < 0.05:
        records = records[1:]  # no histogram
    return program, records


def named_functions(generator, program):
    """Three names for the specifications of an option set, none of which two symbols bear."""
    counts = collections.Counter(s.name for s in program.symbols)
    present = sorted(n for n, count in counts.items() if count == 1 and n not in PROFILER)
    chosen = generator.sample(present, min(3, len(present)))
    return dict(zip("abc", chosen + ["no_such_function"] * 3))


def without_overlaps(program):
    """Whether specifications that match everything name no symbol twice."""
    names_present = [s.name for s in program.symbols]
    return len(set(names_present)) == len(names_present) and not set(PROFILER) & set(names_present)


def words_of(option_set, places):
    return tuple(fill(word, places) for word in option_set)


def fill(word, places):
    for key, value in places.items():
        word = word.replace("{" + key + "}", str(value))
    return word


NOWHERE = {"file": "no_such.c", "other": "nor_this.c", "line": 4711}
