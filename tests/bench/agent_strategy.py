"""How well an agent without a model does that only asks the tools of `gprof-lsp query`:

  agent_strategy.py [--server PROGRAM] [--programs N] [--rounds N] [--runs N]

1. In N programs, each with a slow function among others: is it the first of hot_spots, and is the given patch of it
   judged an improvement?
2. The same program built again, unchanged: in how many of the rounds is every verdict noise?
3. A function made slower by 5 % of the program's time: in how many of the rounds is it found?

Prints a line for each; asserts nothing, as the answers are those of a machine.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

# (the slow function, its patch): what each does is repeated until it takes most of the program's time.
PLANTED = [
    ("for (unsigned i = 0; i < strlen(text); ++i) sum += text[i];", "for (unsigned i = 0; text[i]; ++i) sum += text[i];"),
    ("for (int i = 0; i < 700; ++i) for (int k = 0; k < 700; ++k) sum += table[k] * i;",
     "for (int i = 0; i < 70; ++i) for (int k = 0; k < 70; ++k) sum += table[k] * i;"),
    ("for (int i = 1; i < 600; ++i) for (int k = i; k > 0 && table[k] < table[k - 1]; --k) { int t = table[k]; table[k] = "
     "table[k - 1]; table[k - 1] = t; } for (int i = 0; i < 600; ++i) table[i] = 600 - i;",
     "for (int i = 0; i < 600; ++i) table[i] = 600 - i;"),
    ("for (int i = 0; i < 90000; ++i) sum += (unsigned)(i / (1.0 + i % 7));",
     "for (int i = 0; i < 9000; ++i) sum += (unsigned)(i / (1.0 + i % 7));"),
    ("for (int i = 0; i < 700; ++i) { char *copy = malloc(3000); memcpy(copy, text, 3000); sum += copy[i]; free(copy); }"
     " for (int i = 0; i < 60000; ++i) sum ^= (unsigned)i * 3;",
     "for (int i = 0; i < 700; ++i) sum += text[i];"),
]
FRAME = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int table[1000];
static char text[4001];
static volatile unsigned sink;
%s
int main(void) {
  memset(text, 'a', 4000);
  for (int round = 0; round < %d; ++round) {
%s
  }
  return 0;
}
"""
FUNCTION = """__attribute__((noinline)) void %s(void) {
  unsigned sum = 0;
  %s
  __asm__ volatile("" : "+r"(sum) : : "memory");
  sink += sum;
}
"""
FILLER = "for (int i = 0; i < %d; ++i) { __asm__ volatile(\"\" : \"+r\"(sum)); sum += (unsigned)i; }"


class Agent:
    def __init__(self, server, folder):
        self.server = server
        self.folder = pathlib.Path(folder)
        self.environment = {**os.environ, "XDG_CACHE_HOME": f"{folder}/.cache", "XDG_STATE_HOME": f"{folder}/.state"}

    def ask(self, *words):
        done = subprocess.run([self.server, "query", *map(str, words)], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            sys.exit(f"{words}: {done.stderr}")
        return json.loads(done.stdout)

    def build(self, source):
        (self.folder / "prog.c").write_text(source)
        subprocess.run(["gcc", "-g", "-O0", "prog.c", "-o", "prog"], cwd=self.folder, check=True)

    def record(self, name, runs):
        subprocess.run(["rm", "-rf", name], cwd=self.folder, check=True)
        self.ask("record", f"--runs={runs}", f"--output={name}", "--", "./prog")


def program(functions, rounds):
    """`functions`: (name, body)."""
    text = "".join(FUNCTION % function for function in functions)
    return FRAME % (text, rounds, "".join(f"    {name}();\n" for name, _ in functions))


def find_planted(server, count, runs):
    found = improved = 0
    for number in range(count):
        slow, patch = PLANTED[number % len(PLANTED)]
        others = [(f"helper_{i}", FILLER % (20000 + 4000 * ((number + i) % 5))) for i in range(4 + number % 3)]
        name = f"step_{number}"
        with tempfile.TemporaryDirectory() as folder:
            agent = Agent(server, folder)
            agent.build(program([*others[:2], (name, slow), *others[2:]], 300))
            agent.record("old", runs)
            rows = agent.ask("hot_spots", "--order=total")["functions"]
            # Of the program itself, and called by its start.
            first = next(row["function"] for row in rows if "[" not in row["function"] and "at" in row
                         and row["function"] != "main")
            found += first == name
            lines = agent.ask("function", first)["lines"]
            agent.build(program([*others[:2], (name, patch), *others[2:]], 300))
            agent.record("new", runs)
            answer = agent.ask("compare", "old", "--after=new", "--order=total")
            row = next(row for row in answer["functions"] if row["function"].startswith(name))
            improved += row["verdict"] == "improved" and answer["program"]["verdict"] == "improved" and bool(lines)
    print(f"planted functions: {found} of {count} found, {improved} of {count} patches improved")


def judge(server, rounds, runs, percent):
    """Rounds in which a verdict is given, and in which it is that of the changed function."""
    given = right = 0
    # Ten functions; one of them gets slower by so much of the whole.
    sizes = [30000 + 3000 * i for i in range(10)]
    changed = sizes[4] + int(sum(sizes) * percent / 100)
    with tempfile.TemporaryDirectory() as folder:
        agent = Agent(server, folder)
        for _ in range(rounds):
            agent.build(program([(f"part_{i}", FILLER % size) for i, size in enumerate(sizes)], 750))
            agent.record("old", runs)
            agent.build(program([(f"part_{i}", FILLER % (changed if i == 4 and percent else size))
                                 for i, size in enumerate(sizes)], 750))
            agent.record("new", runs)
            rows = agent.ask("compare", "old", "--after=new")["functions"]
            told = [row["function"] for row in rows if row["verdict"] != "noise"]
            given += bool(told)
            right += bool(told) and told[0].startswith("part_4")
    return given, right


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", default=ROOT / "build/release/bin/gprof-lsp", type=pathlib.Path)
    parser.add_argument("--programs", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--only", choices=("planted", "noise", "regression"))
    options = parser.parse_args()
    server = str(options.server.resolve())
    if options.only in (None, "planted"):
        find_planted(server, options.programs, 5)
    if options.only in (None, "noise"):
        given, _ = judge(server, options.rounds, options.runs, 0)
        print(f"built again, unchanged: all noise in {options.rounds - given} of {options.rounds}")
    if options.only in (None, "regression"):
        _, right = judge(server, options.rounds, options.runs, 5)
        print(f"slower by 5 %: found in {right} of {options.rounds}")


if __name__ == "__main__":
    main()
