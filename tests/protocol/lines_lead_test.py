"""Lines by the default metric: each shows what it costs with what it calls and what was inlined into
it, so that the hottest line of each function leads on, from main to where the time is spent."""
import re

import harness
from editor import Editor
from made_up_recording import FIXED, Called, Sampled, write_recording
from profiled_program import Workspace

HEADER = """\
#pragma once
#include <vector>
template <typename T> struct Mixer {
  T state = 1;
  void add(T value) {
    state = (state ^ value) * 1099511628211ul; /* mixes */
  }
};
inline unsigned long mix_all(const std::vector<unsigned long>& values) {
  Mixer<unsigned long> mixer;
  for (unsigned long value : values)
    mixer.add(value); /* each value */
  return mixer.state;
}
"""
SOURCE = """\
#include <cstdio>
#include <vector>
#include "mix.h"
#define apart __attribute__((noinline))
static volatile unsigned long sink;
apart unsigned long hash(const std::vector<unsigned long>& values) {
  unsigned long result = 0;
  for (int turn = 0; turn < 600; ++turn)
    result += mix_all(values); /* hashes */
  return result + 1;
}
apart int print(int number) {
  char text[64];
  int length = 0;
  for (int turn = 0; turn < 50000; ++turn)
    length += snprintf(text, sizeof text, "%d %f", number, number * 1.5); /* prints */
  return length + 1;
}
static inline unsigned long work(const std::vector<unsigned long>& values) {
  unsigned long result = hash(values); /* works */
  sink = result;
  return result + static_cast<unsigned long>(print(7)); /* and prints */
}
apart unsigned long rounds(int count) {
  std::vector<unsigned long> values(20000, 3);
  unsigned long result = 0;
  for (int round = 0; round < count; ++round)
    result += work(values); /* rounds */
  return result + 1;
}
int main() {
  const unsigned long result = rounds(15); /* starts */
  sink = result;
  return result == 0;
}
"""
HASH, PRINT, ROUNDS = "_Z4hashRKSt6vectorImSaImEE", "_Z5printi", "_Z6roundsi"
CALLED = (Called(1, ("main", "/* starts"), ROUNDS), Called(15, (ROUNDS, "/* works"), HASH),
          Called(15, (ROUNDS, "/* and prints"), PRINT))


def sampled():
    """250 samples below hash, 200 below print, 2 in rounds alone, and 8 before main was called."""
    start = (("main", "/* starts"),)
    works, prints = ((ROUNDS, "/* works"), *start), ((ROUNDS, "/* and prints"), *start)
    yield Sampled(180, ((HASH, "/* mixes", "mix.h"), *works))
    yield Sampled(66, ((HASH, "for (unsigned", "mix.h"), *works))
    yield Sampled(4, ((HASH, "turn < 600"), *works))
    yield Sampled(190, (("snprintf", None, "/lib/libc.so.6"), (PRINT, "/* prints"), *prints))
    yield Sampled(7, ((PRINT, "/* prints"), *prints))
    yield Sampled(3, ((PRINT, "turn < 50000"), *prints))
    yield Sampled(2, ((ROUNDS, "round < count"), *start))
    yield Sampled(8, (("_start", None, "/lib64/ld-linux-x86-64.so.2"),))


class LinesLead(harness.ProtocolTest):
    def setUp(self):
        super().setUp()
        self.workspace = Workspace(self.folder.resolve() / "program")
        self.workspace.write("mix.h", HEADER)
        self.workspace.write("work.cc", SOURCE)
        self.workspace.build(("work.cc",), ("-O2", *FIXED), "g++")
        write_recording(self.workspace, [*sampled()], CALLED, source="work.cc")
        self.editor = self.enterContext(Editor(self.workspace.directory))
        self.rows = {}
        for name in ("work.cc", "mix.h"):
            self.editor.open(name)
            answer = self.editor.client.request(
                "gprof/lineData", {"textDocument": {"uri": self.editor.uri(name)}})
            self.rows[name] = {row["line"] + 1: row for row in answer["lines"]}

    def row(self, fragment, name="work.cc"):
        return self.rows[name].get(self.workspace.line_of(name, fragment), {})

    def share(self, *place):
        share = re.match(r"([\d.]+) %", (self.row(*place).get("cells") or [""])[0])
        return float(share[1]) if share else 0

    def total(self, *place):
        return self.row(*place).get("totalSeconds", 0)

    def test_from_main_to_the_hot_lines_no_line_is_empty(self):
        whole = self.share("/* starts")
        self.assertGreater(whole, 95)
        self.assertGreaterEqual(self.share("/* rounds"), 0.95 * whole)
        self.assertAlmostEqual(whole, self.share("/* works") + self.share("/* and prints"), delta=3)
        self.assertGreaterEqual(self.share("/* hashes"), 0.97 * self.share("/* works"))
        # Inlined from a header, and code of the C library.
        within = self.share("/* each value", "mix.h") + self.share("for (unsigned", "mix.h")
        self.assertGreaterEqual(within, 0.9 * self.share("/* hashes"))
        self.assertGreaterEqual(self.share("/* each value", "mix.h") + 1, self.share("/* mixes", "mix.h"))
        self.assertGreaterEqual(self.share("/* prints"), 0.9 * self.share("/* and prints"))

    def test_the_lines_of_a_function_add_up_to_its_total(self):
        spots = {spot["name"]: spot for spot in self.editor.client.request(
            "gprof/hotSpots", {"metric": "total"})["spots"]}
        for name in ("main", "rounds", "hash", "print"):
            with self.subTest(name):
                spot = spots[name]
                first = spot["range"]["start"]["line"] + 1
                text = self.workspace.path("work.cc").read_text().splitlines()
                last = next(line for line in range(first, len(text) + 1) if text[line - 1] == "}")
                lines = sum(self.rows["work.cc"].get(line, {}).get("totalSeconds", 0)
                            for line in range(first, last + 1))
                self.assertAlmostEqual(spot["totalSeconds"], lines, places=9)
                if name != "main":
                    hover = self.editor.hover("work.cc", first, name)
                    stated = re.search(r"Hottest lines?: .*Its lines add up to (\d+\.\d+ m?s)\.", hover)
                    self.assertTrue(stated, hover)

    def test_the_hover_tells_self_and_total(self):
        hover = self.editor.hover("work.cc", self.workspace.line_of("work.cc", "/* hashes"), "result")
        self.assertRegex(hover, r"With what it calls and what is inlined here \d+\.\d+ m?s .*, from stacks\.")

    def test_self_time_stands_there_when_it_is_asked_for(self):
        answer = self.editor.client.request("gprof/lineData", {
            "textDocument": {"uri": self.editor.uri("work.cc")}, "metric": "self"})
        rows = {row["line"] + 1: row for row in answer["lines"]}
        starts = rows[self.workspace.line_of("work.cc", "/* starts")]
        self.assertEqual("", (starts.get("cells") or [""])[0])


if __name__ == "__main__":
    import unittest
    unittest.main()
