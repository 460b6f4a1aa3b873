"""`gprof-lsp diff`: what it calls regressed, and what noise; its formats, and its exit status."""
import json
import os
import subprocess
import unittest

from compared_builds import NAMES, Build, source
from own_folders import fresh_folder, own_environment
from tested_build import needs_collector

SERVER = os.environ.get("GPROF_LSP_SERVER")
MEANS = {"alpha": 900, "beta": 500, "delta": 400, "epsilon": 300, "eta": 200, "theta": 40, "zeta": 8}
LEVELS = ("none", "note", "warning", "error")


@unittest.skipUnless(SERVER, "GPROF_LSP_SERVER does not name a server")
class Diff(unittest.TestCase):
    def setUp(self):
        self.root = fresh_folder(self.addCleanup)
        self.environment = own_environment(self.root / "user")

    def build(self, folder, text=None, *flags):
        return Build(self.root, folder, text).compile(*flags)

    def diff(self, *words, status=0):
        done = subprocess.run([SERVER, "diff", *map(str, words)], cwd=self.root,
                              env=self.environment, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stderr if status == 2 else done.stdout

    def compare(self, old, old_runs, new, new_runs, *options, status=0):
        return self.diff(*options, old.program, *old_runs, "--", new.program, *new_runs,
                         status=status)

    def json(self, *arguments, **options):
        return json.loads(self.compare(*arguments, "--json", **options))

    def verdicts(self, answer):
        return {function["linkageName"]: function["verdict"] for function in answer["functions"]}

    def slower(self):
        """Two builds, and runs of them in which delta is 30 % slower."""
        old, new = self.build("old"), self.build("new", None, "-DWORK=52")
        slow = dict(MEANS, delta=MEANS["delta"] * 1.3)
        return old, old.write_runs(5, MEANS, 1), new, new.write_runs(5, slow, 2)


class Verdicts(Diff):
    def test_a_function_that_is_30_percent_slower_leads(self):
        sides = self.slower()
        answer = self.json(*sides)
        first = answer["functions"][0]
        self.assertEqual((first["linkageName"], first["verdict"]), ("delta", "regressed"))
        self.assertTrue(1.15 < first["self"]["ratio"] < 1.45, first)
        self.assertEqual(set(self.verdicts(answer).values()), {"regressed", "noise"})
        self.assertEqual(list(self.verdicts(answer).values()).count("regressed"), 1)
        rows = [row for row in self.compare(*sides).splitlines() if row.endswith(tuple(NAMES))]
        self.assertRegex(rows[0], r"regressed +delta$")
        self.assertRegex(rows[0], r"\+0\.1\d\d ± 0\.0\d\d +\+[23]\d\.\d %")
        self.assertTrue(all("noise" in row for row in rows[1:]), rows)

    def test_one_build_with_itself_names_nobody(self):
        build = self.build("same")
        regressed = set()
        for i in range(20):
            answer = self.json(build, build.write_runs(5, MEANS, 2 * i), build,
                               build.write_runs(5, MEANS, 2 * i + 1))
            regressed |= {name for name, verdict in self.verdicts(answer).items()
                          if verdict == "regressed"}
        self.assertLess(len(regressed), 0.02 * len(MEANS))

    def test_a_slower_machine_flags_nobody(self):
        build = self.build("same")
        slow = {name: mean * 1.04 for name, mean in MEANS.items()}
        answer = self.json(build, build.write_runs(20, MEANS, 1), build,
                           build.write_runs(20, slow, 2))
        self.assertEqual(set(self.verdicts(answer).values()), {"noise"})
        self.assertEqual(answer["program"]["verdict"], "noise")
        self.assertAlmostEqual(answer["drift"]["ratio"], 1.04, delta=0.03)
        self.assertTrue(any("in common" in remark for remark in answer["remarks"]))

    def test_a_program_is_judged_as_the_function_that_is_all_of_it(self):
        build = self.build("one", source(["alpha"], slow="alpha"))
        runs = {name: [build.write_run(f"{name}-{i}", {"alpha": ticks}) for i, ticks in enumerate(ticks_of_runs)]
                for name, ticks_of_runs in {"base": (500, 530), "slower": (880, 940), "vague": (480, 640)}.items()}
        for name, verdict in (("slower", "regressed"), ("vague", "noise")):
            answer = self.json(build, runs["base"], build, runs[name])
            self.assertEqual((answer["program"]["verdict"], answer["functions"][0]["verdict"]), (verdict, verdict))
            self.assertEqual(answer["program"]["error"], answer["functions"][0]["self"]["error"])

    def test_noise_says_how_many_runs_would_decide(self):
        build = self.build("same")
        before = [build.write_run(f"before-{i}", dict(MEANS, theta=ticks)) for i, ticks in enumerate((36, 41, 46))]
        after = [build.write_run(f"after-{i}", dict(MEANS, theta=ticks)) for i, ticks in enumerate((52, 59, 64))]
        answer = self.json(build, before, build, after)
        theta = next(function for function in answer["functions"] if function["name"] == "theta")["self"]
        self.assertEqual(theta["verdict"], "noise")
        self.assertGreater(theta["difference"], theta["error"])
        self.assertIn(theta["runsToDecide"], range(4, 20))
        text = self.compare(build, before, build, after)
        self.assertRegex(text, rf"noise \({theta['runsToDecide']} runs\) +theta\n")
        self.assertIn("with N runs on each side", text)
        self.assertNotIn("runsToDecide", next(function for function in answer["functions"]
                                              if function["name"] == "alpha")["self"])

    def test_functions_of_libraries(self):
        build = self.build("same")
        before, after = ([build.write_run(f"{side}-{i}", MEANS, library=ticks + i) for i in range(3)]
                         for side, ticks in (("before", 80), ("after", 780)))
        sides = (build, before, build, after)
        answer = self.json(*sides)
        self.assertEqual([(library["name"], library["module"], library["self"]["verdict"])
                          for library in answer["libraries"]], [("[libslow.so.1]", "libslow.so.1", "regressed")])
        self.assertAlmostEqual(answer["libraries"][0]["self"]["difference"], 0.7, delta=0.01)
        self.assertEqual(set(self.verdicts(answer).values()), {"noise"})
        self.assertRegex(self.compare(*sides), r"functions of libraries:\n.*regressed +\[libslow\.so\.1\]\n")

    def test_new_and_gone_functions(self):
        old = self.build("old", source([*NAMES, "vanished"]))
        new = self.build("new", source([*NAMES, "added"]))
        answer = self.json(old, old.write_runs(2, dict(MEANS, vanished=300), 1),
                           new, new.write_runs(2, dict(MEANS, added=300), 2))
        verdicts = self.verdicts(answer)
        self.assertEqual((verdicts["added"], verdicts["vanished"]), ("new", "gone"))
        self.assertEqual({verdicts[name] for name in NAMES}, {"noise"})
        self.assertEqual([function["linkageName"] for function in answer["functions"][:2]],
                         ["added", "vanished"])

    def test_one_run_a_side_is_said_to_tell_no_variance(self):
        build = self.build("same")
        one, two = build.write_runs(2, MEANS, 1)
        self.assertIn("a side has one run", self.compare(build, [one], build, [two]))
        answer = self.json(build, [one], build, [two])
        self.assertFalse(answer["varianceKnown"])
        self.assertEqual(answer["totals"], "estimated")

    def test_calls_are_exact(self):
        build = self.build("same")
        calls = {"alpha": 10, "beta": 20, "delta": 7}
        old = build.write_runs(2, MEANS, 1, calls=calls)
        new = [build.write_run("a", MEANS, dict(calls, alpha=11, delta=6)),
               build.write_run("b", MEANS, dict(calls, alpha=11, delta=9))]
        answer = self.json(build, old, build, new, "--metric=calls")
        found = {f["linkageName"]: f["calls"]["verdict"] for f in answer["functions"]}
        self.assertEqual((found["alpha"], found["beta"], found["delta"]),
                         ("more", "same", "run-dependent"))
        self.assertEqual(answer["functions"][0]["linkageName"], "alpha")
        # 1 of 37 calls.
        self.compare(build, old, build, new, "--metric=calls", "--fail-over=2", status=1)
        self.compare(build, old, build, new, "--metric=calls", "--fail-over=3")

    @needs_collector
    def test_real_runs(self):
        # So much slower that no machine makes up for it. How far several runs of it are apart is not known, though:
        # times are of one run a side.
        text = source(("alpha", "beta", "delta"), rounds=5000)
        old, new = self.build("old", text), self.build("new", text, "-DWORK=600")
        before, after = ([build.record(SERVER, f"recorded-{i}", rate=5000) for i in range(2)] for build in (old, new))
        answer = self.json(old, before[:1], new, after[:1], "--fail-over=5", status=1)
        first = answer["functions"][0]
        self.assertEqual((first["linkageName"], first["verdict"]), ("delta", "regressed"))
        answer = self.json(old, before, new, after, "--metric=calls")
        delta = next(function for function in answer["functions"] if function["linkageName"] == "delta")
        self.assertEqual(delta["calls"]["before"], {"least": 5000, "most": 5000, "mean": 5000.0})
        self.assertEqual(delta["calls"]["verdict"], "same")


class Gate(Diff):
    def test_exit_status(self):
        sides = self.slower()
        # delta takes 30 % of 17 % of the time more.
        self.compare(*sides)
        for options, status, why in (
                ((), 0, "regressions fail only with --fail-over=PERCENT"),
                (("--fail-over=1",), 1, "what is listed above is over the limit, --fail-over=1"),
                (("--fail-over", "20%"), 0, "nothing regressed significantly by more than 20 %")):
            text = self.compare(*sides, *options, status=status)
            self.assertEqual(text.splitlines()[-1], f"exit status {status}: {why}")
            self.assertEqual(self.json(*sides, *options, status=status)["exitStatus"], status)
        self.assertIn("over 1 %: delta lost", self.compare(*sides, "--fail-over=1", status=1))
        self.assertTrue(self.compare(*sides[:2], *sides[:2]).endswith("exit status 0: nothing regressed significantly\n"))
        answer = self.json(*sides, "--fail-over=1", status=1)
        self.assertIn("delta", [failure.get("function") for failure in answer["failures"]])

    def test_what_cannot_be_compared(self):
        old, old_runs, new, new_runs = self.slower()
        other = self.build("other", source(["unrelated", *NAMES[3:]], slow="eta"))
        strange = other.write_run("strange", {"unrelated": 400},
                                  calls={name: 9 for name in ["unrelated", *NAMES[3:]]})
        for words, expected in (
                ((), "-- between"),
                ((old.program, "--", new.program, *new_runs), "a profile of"),
                ((old.program, *old_runs, "--"), "executable is missing"),
                (("--metric=heat", old.program, *old_runs, "--", new.program, *new_runs),
                 "no costs by the metric heat; it has cpu, or self, total or calls to rank by"),
                (("--fail-over=-1", "--"), "expected a percentage"),
                ((old.program, "missing", "--", new.program, *new_runs), "missing"),
                ((old.program, old.program, "--", new.program, *new_runs), "work"),
                (("-o", self.root / "none" / "x", old.program, *old_runs, "--", new.program,
                  *new_runs), "none/x")):
            message = self.diff(*words, status=2)
            self.assertIn(expected, message)
            self.assertEqual(len(message.splitlines()), 1, message)
        # A profile of another program: its calls go where this one has no function.
        small = Build(self.root, "small", "int main(void) { return 0; }\n").compile()
        message = self.diff(small.program, strange, "--", new.program, *new_runs, status=2)
        self.assertIn("strange", message)

    def test_help(self):
        self.assertIn("Usage: gprof-lsp diff", self.diff("--help"))


class Formats(Diff):
    def test_a_link_is_replaced(self):
        sides = self.slower()
        (self.root / "precious").write_text("precious")
        (self.root / "link").symlink_to("precious")
        self.assertEqual(self.compare(*sides, "-o", self.root / "link"), "")
        self.assertFalse((self.root / "link").is_symlink())
        self.assertEqual((self.root / "precious").read_text(), "precious")
        text = self.compare(*sides)
        self.assertEqual((self.root / "link").read_text(), text)
        self.assertEqual(self.compare(*sides, "-o", "/dev/stdout"), text)

    def test_sarif(self):
        sides = self.slower()
        output = self.root / "regressions.sarif"
        self.assertEqual(self.compare(*sides, "--format=sarif", "-o", output,
                                      f"--source-root={self.root}", "--fail-over=1", status=1), "")
        log = json.loads(output.read_text())
        self.check_sarif(log)
        results = log["runs"][0]["results"]
        delta = next(r for r in results if r["ruleId"] == "regression")
        self.assertEqual(delta["level"], "error")
        self.assertRegex(delta["message"]["text"], r"^delta: self time .* before .* ± .*\(\+\d+ %\)$")
        place = delta["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"], {"uri": "new/work.c", "uriBaseId": "%SRCROOT%"})
        self.assertEqual(place["region"], {"startLine": sides[2].line_of_function("delta")})
        self.assertGreater(delta["properties"]["difference"], delta["properties"]["error"])
        # The same finding of other runs is the same finding.
        again = sides[2].write_runs(5, dict(MEANS, delta=MEANS["delta"] * 1.4), 3)
        other = json.loads(self.compare(*sides[:3], again, "--format=sarif"))
        self.check_sarif(other)
        found = next(r for r in other["runs"][0]["results"] if r["ruleId"] == "regression")
        self.assertEqual(found["partialFingerprints"], delta["partialFingerprints"])
        self.assertEqual(found["level"], "warning")

    def test_sarif_without_findings_and_with_notes(self):
        old, old_runs, new, new_runs = self.slower()
        log = json.loads(self.compare(old, old_runs, old, old_runs, "--format=sarif"))
        self.check_sarif(log)
        self.assertEqual(log["runs"][0]["results"], [])
        log = json.loads(self.compare(new, new_runs, old, old_runs, "--format=sarif", "--notes"))
        self.check_sarif(log)
        self.assertEqual([(r["ruleId"], r["level"]) for r in log["runs"][0]["results"]],
                         [("change", "note")])

    def check_sarif(self, log):
        """What SARIF 2.1.0 requires of the objects that are used (sections 3.13 to 3.52)."""
        self.assertEqual(log["version"], "2.1.0")
        for run in log["runs"]:
            driver = run["tool"]["driver"]
            self.assertTrue(driver["name"])
            rules = [rule["id"] for rule in driver["rules"]]
            self.assertEqual(len(set(rules)), len(rules))
            for rule in driver["rules"]:
                self.assertTrue(rule["shortDescription"]["text"])
                self.assertIn(rule["defaultConfiguration"]["level"], LEVELS)
            for base in run["originalUriBaseIds"].values():
                self.assertRegex(base["uri"], r"^file:///.*/$")
            for result in run["results"]:
                self.assertIn(result["ruleId"], rules)
                self.assertIn(result["level"], LEVELS)
                self.assertTrue(result["message"]["text"])
                self.assertTrue(all(isinstance(value, str)
                                    for value in result["partialFingerprints"].values()))
                self.assertTrue(result["locations"])
                for location in result["locations"]:
                    physical = location["physicalLocation"]
                    self.assertGreaterEqual(physical["region"]["startLine"], 1)
                    artifact = physical["artifactLocation"]
                    self.assertIn(artifact.get("uriBaseId", "%SRCROOT%"), run["originalUriBaseIds"])

    def test_lines_follow_the_source(self):
        old = self.build("old")
        new = self.build("new", "/* one\n   two */\n" + source())
        slow = dict(MEANS, delta=MEANS["delta"] * 2)
        sides = (old, old.write_runs(5, MEANS, 1), new, new.write_runs(5, slow, 2))
        answer = self.json(*sides, "--lines")
        first = answer["lines"][0]
        self.assertEqual((first["lineBefore"], first["line"], first["self"]["verdict"]),
                         (old.line_of_function("delta"), new.line_of_function("delta"),
                          "regressed"))
        self.assertEqual(first["line"], first["lineBefore"] + 2)
        self.assertIn(f"work.c:{first['line']} (was {first['lineBefore']})",
                      self.compare(*sides, "--lines"))

    def test_lines_of_unknown_texts_are_left_out(self):
        old, new = self.build("old"), self.build("new")
        sides = (old, old.write_runs(2, MEANS, 1), new, new.write_runs(2, MEANS, 2))
        kept = self.root / "kept" / "old"
        kept.mkdir(parents=True)
        (self.root / "old" / "work.c").rename(kept / "work.c")
        answer = self.json(*sides, "--lines")
        self.assertEqual(answer["lines"], [])
        self.assertTrue(any("--old-source" in remark for remark in answer["remarks"]))
        answer = self.json(*sides, "--lines", f"--old-source={self.root / 'kept'}")
        self.assertEqual(len(answer["lines"]), len(MEANS))
