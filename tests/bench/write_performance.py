#!/usr/bin/env python3
"""Writes the tables of docs/performance.md from the results of benchmarks.

  write_performance.py [--page docs/performance.md] NAME=RESULTS ...

The page has, for each NAME, a section between `<!-- results: NAME -->` and `<!-- end of results -->`,
which is replaced by the tables of that file. The text around it stays.
"""

import argparse
import json
import pathlib
import re
import sys

from bench_tables import markdown_table, tables

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "performance.md"


def machine_line(results):
    machine = results["machine"]
    tools = ", ".join(machine["tools"].values())
    return (f"Measured on {machine['processors']} processors ({machine['processor']}), load "
            f"{machine['load']:.1f} at the end; {tools}.")


def results_text(results):
    parts = [machine_line(results)] + [markdown_table(*table) for table in tables(results)]
    return "\n\n".join(parts)


def replaced(page, name, text):
    place = re.compile(rf"(<!-- results: {re.escape(name)} -->\n).*?(<!-- end of results -->)",
                       re.DOTALL)
    if len(place.findall(page)) != 1:
        sys.exit(f"the page has not one place for the results {name}")
    return place.sub(lambda match: f"{match[1]}\n{text}\n\n{match[2]}", page)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", type=pathlib.Path, default=PAGE)
    parser.add_argument("results", nargs="+", metavar="NAME=RESULTS")
    options = parser.parse_args()
    page = options.page.read_text()
    for word in options.results:
        name, _, file = word.partition("=")
        page = replaced(page, name, results_text(json.loads(pathlib.Path(file).read_text())))
    options.page.write_text(page)


if __name__ == "__main__":
    main()
