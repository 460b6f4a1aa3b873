"""`gprof-lsp query`: each tool's answer about a profile whose figures are known, by options and by JSON."""
import json
import os
import subprocess
import unittest

from known_profile import KnownProfile
from own_folders import fresh_folder, own_environment
from profiled_program import run
from tested_build import needs_collector

SERVER = os.environ.get("GPROF_LSP_SERVER")


@unittest.skipUnless(SERVER, "GPROF_LSP_SERVER does not name a server")
class QueryTest(unittest.TestCase):
    def setUp(self):
        folder = fresh_folder(self.addCleanup)
        self.environment = own_environment(folder / "user")
        self.workspace = KnownProfile(folder / "work")

    def run_query(self, *words, status=0, folder=None):
        done = subprocess.run([SERVER, "query", *map(str, words)], cwd=folder or self.workspace.directory,
                              env=self.environment, capture_output=True, text=True, timeout=120,
                              stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def ask(self, *words, **more):
        return json.loads(self.run_query(*words, **more).stdout)

    def complaint(self, *words, status=2):
        done = self.run_query(*words, status=status)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr


class KnownFigures(QueryTest):
    def setUp(self):
        super().setUp()
        self.workspace.make()

    def line(self, fragment):
        return self.workspace.line_of("hot.c", fragment)

    def test_programs(self):
        answer = self.ask("programs")
        program = answer["programs"][0]
        self.assertEqual((program["name"], program["executable"], program["profiles"], program["shown"]),
                         ("program", "program", ["gmon.out"], True))
        self.assertEqual(program["calls"], 30100)
        self.assertIn("cpu 1 seconds", program["metrics"])
        self.assertEqual(answer["next"][0]["tool"], "hot_spots")

    def test_hot_spots(self):
        answer = self.ask("hot_spots")
        self.assertEqual((answer["program"], answer["unit"], answer["program_total"], answer["totals"]),
                         ("program", "seconds", 1, "estimated"))
        rows = answer["functions"]
        self.assertEqual([row["function"] for row in rows], ["leaf", "middle", "main"])
        leaf, middle, main = rows
        # 60 samples: 0.6 s ± √60 / 100 s.
        self.assertEqual((leaf["self"], leaf["self_error"], leaf["percent"], leaf["calls"]), (0.6, 0.077, 60, 30000))
        self.assertEqual((middle["self"], middle["total"], middle["calls"]), (0.36, 0.76, 100))
        self.assertNotIn("total", leaf)
        self.assertEqual(leaf["at"], f"hot.c:{self.line('int leaf')}")
        self.assertEqual(main["total"], 1)
        self.assertNotIn("more", answer)

    def test_an_order_and_a_choice_of_names(self):
        by_total = self.ask("hot_spots", "--order=total")["functions"]
        self.assertEqual([row["function"] for row in by_total], ["main", "middle", "leaf"])
        self.assertEqual([row["function"] for row in self.ask("hot_spots", "--match=mdl")["functions"]], ["middle"])
        self.assertIn("nothing is compared", self.complaint("hot_spots", "--order=regression"))

    def test_pages(self):
        first = self.ask("hot_spots", "--limit=2")
        self.assertEqual((len(first["functions"]), first["more"]), (2, "2"))
        second = self.ask("hot_spots", "--limit=2", "--cursor=2")
        self.assertEqual([row["function"] for row in second["functions"]], ["main"])
        self.assertNotIn("more", second)
        for wrong in ("x", "-1", "1x", "99999999999"):
            self.assertIn("arguments.cursor: expected", self.complaint("hot_spots", f"--cursor={wrong}"))

    def test_a_function(self):
        answer = self.ask("function", "middle")
        self.assertEqual((answer["function"], answer["at"], answer["self"], answer["total"], answer["calls"]),
                         ("middle", f"hot.c:{self.line('int middle')}", 0.36, 0.76, 100))
        lines = {row["line"]: row for row in answer["lines"]}
        calls = lines[self.line("most calls")]
        self.assertEqual((calls["quote"], calls["calls"], calls["executions"]),
                         ("sum += leaf(x); /* most calls */", 15000, 15000))
        self.assertEqual(lines[self.line("middle's end")]["self"], 0.36)
        self.assertEqual([(row["function"], row["calls"], row["at"]) for row in answer["callers"]],
                         [("main", 100, f"hot.c:{self.line('calls middle')}")])
        self.assertEqual([(row["function"], row["calls"]) for row in answer["callees"]],
                         [("leaf", 15000), ("leaf", 5000)])
        self.assertLessEqual(len(answer["next"]), 2)

    def test_a_function_that_there_is_not(self):
        text = self.complaint("function", "midle")
        self.assertIn("program has no function midle", text)
        self.assertIn("similar names: middle", self.complaint("function", "midl"))

    def test_lines(self):
        answer = self.ask("lines", "hot.c")
        self.assertEqual((answer["file"], answer["program"]), ("hot.c", "program"))
        self.assertEqual(answer["lines"][0]["line"], self.line("calls middle"))
        first, last = self.line("int middle"), self.line("middle's end")
        by_line = self.ask("lines", "hot.c", "--order=line", f"--first={first}", f"--last={last}")
        numbers = [row["line"] for row in by_line["lines"]]
        self.assertEqual(numbers, sorted(numbers))
        self.assertIn(self.line("some calls"), numbers)
        self.assertNotIn(self.line("leaf's body"), numbers)

    def test_lines_of_an_edited_file(self):
        self.ask("lines", "hot.c")
        path = self.workspace.path("hot.c")
        later = self.workspace.path("program").stat().st_mtime + 10
        path.write_text(path.read_text().replace("sum += leaf(x);", "sum += leaf(x + 0);"))
        os.utime(path, (later, later))
        answer = self.ask("lines", "hot.c", "--order=line")
        self.assertNotEqual(answer["source"], "")
        self.assertNotIn(self.line("most calls"), [row["line"] for row in answer["lines"]])

    def test_ways_to_a_function(self):
        answer = self.ask("call_path", "leaf")
        self.assertEqual(answer["totals"], "estimated")
        paths = {tuple(row["path"][-3:]): row["cost"] for row in answer["paths"]}
        self.assertAlmostEqual(paths[("main", "middle", "leaf")], 0.4, places=2)
        direct = [row["cost"] for row in answer["paths"] if row["path"][-2:] == ["main", "leaf"]]
        self.assertAlmostEqual(direct[0], 0.2, places=2)

    def test_files_elsewhere_are_refused(self):
        for path in ("/etc/passwd", "../user/x", "sub/../../x"):
            self.assertIn("lies outside of the workspace", self.complaint("lines", path))
        os.symlink("/etc/passwd", self.workspace.path("link.c"))
        self.assertIn("lies outside of the workspace", self.complaint("lines", "link.c"))
        self.assertIn("arguments.before[0]", self.complaint("compare", "/etc/passwd"))

    def test_wrong_words(self):
        self.assertIn("nonsense is not a tool", self.complaint("nonsense"))
        self.assertIn("the tool is missing", self.complaint())
        self.assertIn("FUNCTION is missing", self.complaint("function"))
        self.assertIn("expected a whole number", self.complaint("hot_spots", "--limit=x"))
        self.assertIn("arguments.limit: expected a number from 1 to 1000", self.complaint("hot_spots", "--limit=0"))
        self.assertIn("arguments.max_tokens", self.complaint("hot_spots", "--max-tokens=10"))
        self.assertIn("unexpected", self.complaint("hot_spots", "leaf"))
        self.assertIn("arguments.time: expected", self.complaint("hot_spots", "--time=4"))
        self.assertIn("--order", self.complaint("hot_spots", "--order=size"))
        self.assertIn("not loaded", self.complaint("hot_spots", "--program=other"))

    def test_json_is_the_same(self):
        self.assertEqual(self.ask("function", '--json={"function": "leaf", "limit": 1}'),
                         self.ask("function", "leaf", "--limit=1"))
        self.assertIn("arguments.limt", self.complaint("function", '--json={"function": "leaf", "limt": 1}'))
        self.assertIn("arguments.function: expected a string", self.complaint("function", '--json={"function": 1}'))
        self.assertIn("JSON object", self.complaint("function", "--json=[1]"))
        self.assertIn("holds all arguments", self.complaint("function", "leaf", "--json={}"))

    def test_text(self):
        text = self.run_query("hot_spots", "--format=text").stdout
        self.assertRegex(text, r"(?m)^  leaf +hot\.c:\d+ +0\.6 ")
        self.assertIn("gprof-lsp query function leaf", text)

    def test_answers_fit(self):
        """A token holds more than two bytes of an answer."""
        for tokens in (200, 400, 1500):
            text = self.run_query("function", "middle", "--limit=1000", f"--max-tokens={tokens}").stdout
            self.assertLessEqual(len(text), max(3 * tokens, 1100))

    def test_help_of_each_tool(self):
        listed = self.run_query("--help").stdout
        for tool in ("programs", "record", "hot_spots", "function", "lines", "call_path", "timeline", "compare"):
            self.assertRegex(listed, rf"(?m)^  {tool} +[A-Z]")
            self.assertIn(f"gprof-lsp query {tool}", self.run_query(tool, "--help").stdout)


class WithoutProfile(QueryTest):
    def test_it_is_said(self):
        answer = self.ask("programs")
        self.assertEqual(answer["programs"], [])
        self.assertIn("no profile was found", answer["problems"][0])
        self.assertIn("no profile was found", self.complaint("hot_spots", status=1))

    def test_a_profile_that_is_broken_is_named(self):
        self.workspace.make()
        self.workspace.path("gmon.out").write_bytes(b"gmon\1\0\0\0broken")
        answer = self.ask("programs")
        self.assertEqual(answer["programs"], [])
        self.assertIn("gmon.out", answer["problems"][0])
        self.assertIn("gmon.out", self.complaint("hot_spots", status=1))


SLOW = """
#include <stdio.h>
#include <string.h>
static volatile unsigned sink;
__attribute__((noinline)) unsigned hash_text(const char *text) {
  unsigned hash = 0;
  for (unsigned i = 0; i < strlen(text); ++i) {  /* measured each time */
    __asm__ volatile("" ::: "memory");
    hash = hash * 31 + text[i];
  }
  return hash;
}
int main(void) {
  char text[4001];
  memset(text, 'a', 4000);
  text[4000] = 0;
  for (int i = 0; i < 600; ++i) sink += hash_text(text);
  return 0;
}
"""


@needs_collector
class Strategy(QueryTest):
    """What an agent does, without a model: finds the slow function, changes it, and proves that it helped."""

    def test_a_slow_function_is_found_and_the_change_is_proved(self):
        folder = self.workspace.directory
        (folder / "slow.c").write_text(SLOW)
        run(["gcc", "-g", "-O2", "slow.c", "-o", "slow"], folder)
        recorded = self.ask("record", "--runs=5", "--output=old", "--", "./slow")
        self.assertEqual((recorded["profiles"], recorded["status"]), (["old"], 0))
        hot = self.ask("hot_spots", "--order=total", "--match=hash_text")["functions"][0]
        self.assertGreater(hot["total"], 3 * hot["total_error"])
        lines = self.ask("function", hot["function"])["lines"]
        # What is suggested has an answer, of functions of libraries as well.
        for row in self.ask("hot_spots")["functions"]:
            paths = self.ask("call_path", row["function"])["paths"]
            self.assertTrue(paths and paths[0]["path"][-1] == row["function"], (row, paths))
        self.assertIn("strlen(text)", lines[0]["quote"])
        # Built in place: the old executable was kept.
        (folder / "slow.c").write_text(SLOW.replace("i < strlen(text)", "text[i] != 0"))
        run(["gcc", "-g", "-O2", "slow.c", "-o", "slow"], folder)
        self.ask("record", "--runs=5", "--output=new", "--", "./slow")
        answer = self.ask("compare", "old", "--after=new")
        self.assertEqual((answer["before"]["runs"], answer["after"]["runs"]), (5, 5))
        program = answer["program"]
        self.assertEqual(program["verdict"], "improved")
        self.assertLess(program["probability"], 0.01)
        self.assertLess(program["after"], program["before"])
        text = self.run_query("compare", "old", "--after=new", "--format=text").stdout
        self.assertIn("improved", text)

    def test_how_a_recording_ended(self):
        folder = self.workspace.directory
        (folder / "ends.c").write_text("#include <stdio.h>\n#include <unistd.h>\nint main(int n, char **w) {\n"
                                       "  puts(\"said \\x1b[31m\");\n  fflush(stdout);\n"
                                       "  if (n > 1) sleep(100);\n  return 7;\n}\n")
        run(["gcc", "-g", "ends.c", "-o", "ends"], folder)
        answer = self.ask("record", "./ends")
        self.assertEqual((answer["status"], answer["output_quote"]), (7, "said ?[31m"))
        slow = self.ask("record", "--seconds=0.5", "./ends", "stay")
        self.assertIn("ended after 0.5 seconds", slow["problem"])
        self.assertIn("outside of the workspace", self.complaint("record", "--output=/elsewhere", "./ends"))
        self.assertIn("arguments.runs", self.complaint("record", "--runs=1000", "./ends"))
        missing = self.ask("record", "./missing")
        self.assertEqual(missing["profiles"], [])
        self.assertNotEqual(missing["problem"], "")


if __name__ == "__main__":
    unittest.main()
