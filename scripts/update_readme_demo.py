#!/usr/bin/env python3
"""Puts an excerpt of what scripts/demo prints into README.md, between its two comments.

  scripts/update_readme_demo.py [--from FILE]

FILE holds the standard output of an earlier scripts/demo; without it the demo is run, which builds
and profiles and takes a while. The excerpt is the function that the demo hovers over and as many of
those after it as fit, the hover, and the hottest three functions. The figures are those of the
machine that it ran on.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
BEGIN, END = "<!-- demo -->\n", "<!-- end of demo -->\n"
GAP = re.compile(r"^ +⋮$", re.MULTILINE)
SHAPE = re.compile(
    r"(?P<path>[^\n]+)\n(?P<source>[^│]*)\nHover over line (?P<number>\d+)\n"
    r"(?P<hover>(?:│[^\n]*\n)+)\nHottest functions\n(?P<hottest>.*)", re.DOTALL)
WIDTH = 140
SOURCE_LINES = 28
HOTTEST = 3


def fail(message):
    sys.exit(f"update_readme_demo: {message}")


def source_lines(source, number):
    """From the stretch of source that has the line on, with the marks between stretches."""
    lines = []
    for stretch in GAP.split(source):
        if not stretch.strip():
            continue
        text = stretch.strip("\n").split("\n")
        if not lines and not re.search(rf"^ *{number}  ", stretch, re.MULTILINE):
            continue
        if lines and len(lines) + len(text) > SOURCE_LINES:
            break
        lines += ["    ⋮", *text[:SOURCE_LINES]]
    if not lines:
        fail(f"the demo hovers over line {number}, and does not show it")
    return lines


def excerpt(shown):
    parts = SHAPE.fullmatch(shown)
    if not parts:
        fail("this is not what the demo prints: a file, its source, a hover, the hottest functions")
    number = parts["number"]
    lines = [parts["path"], *source_lines(parts["source"], number), "    ⋮", "",
             f"Hover over line {number}", *parts["hover"].splitlines(), "",
             "Hottest functions", *parts["hottest"].splitlines()[:2 * HOTTEST]]
    shortened = (line if len(line) <= WIDTH else line[:WIDTH - 1] + "…" for line in lines)
    return "```text\n" + "\n".join(line.rstrip() for line in shortened) + "\n```\n"


def demo_output():
    demo = subprocess.run([ROOT / "scripts" / "demo"], stdout=subprocess.PIPE, check=True)
    return demo.stdout.decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--from", dest="file", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args()
    shown = options.file.read_text(encoding="utf-8") if options.file else demo_output()
    if shown.startswith("/"):
        fail(f"{shown.splitlines()[0]}: not a file of this repository")
    before, _, rest = README.read_text(encoding="utf-8").partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        fail(f"README.md lacks {BEGIN.strip()} or {END.strip()}")
    README.write_text(before + BEGIN + excerpt(shown) + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
