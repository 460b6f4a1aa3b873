"""Samples by thread and slice of time, calls by thread, and the names of threads."""
import collections
import pathlib

import gmon_profile
import sidecar
from harness import SERVER, RuntimeTest, execute, require, require_file


class Timeline(RuntimeTest):
    @classmethod
    def programs(cls):
        cls.program = cls.build("stretches", ["stretches.c"], "-O1", "-pthread")
        cls.symbols = gmon_profile.symbols_of(cls.program)

    def run_program(self, *arguments, **settings):
        settings = {"GPROF_RATE": 1000, "GPROF_STACKS": 1, **settings}
        outcome = self.profiled(self.program, *arguments, variables=settings)
        return outcome.numbers()

    def name_of(self, place):
        module = place["module"]
        own = module is not None and pathlib.Path(module["path"]).name == self.program.name
        return self.symbols.name_at(place["address"]) if own else None

    def by_function(self, profile, key):
        """{(function, key of a part): weight}, of the program's own samples."""
        sums = collections.Counter()
        for part in profile["sample_parts"]:
            name = self.name_of(profile["samples"][part["whole"]])
            if name is not None:
                sums[name, key(part)] += part["count"]
        return sums

    def assert_conserved(self, profile):
        """Parts add up to their wholes, place by place, and to what each thread has."""
        for wholes, parts in sidecar.PARTS.values():
            sums, excess = collections.Counter(), collections.Counter()
            for part in profile[parts]:
                sums[part["whole"]] += part["count"]
                excess[part["whole"]] += part["excess_variance"]
            for number, whole in enumerate(profile[wholes]):
                self.assertEqual(sums[number], whole["count"], (parts, whole))
                self.assertEqual(excess[number], whole.get("excess_variance", 0), (parts, whole))
        for parts in ("sample_parts", "stack_parts"):
            found = collections.Counter()
            for part in profile[parts]:
                self.assertIsNotNone(part["thread"])
                self.assertIsNotNone(part["slice"])
                found[part["thread"]["thread"]] += part["count"]
            self.assertEqual(found, collections.Counter(
                {t["thread"]: t["samples"] for t in profile["threads"] if t["samples"]}))

    def assert_threads(self, profile, main, *others):
        """The main thread comes first; of the others, whichever began to run."""
        names = [thread["name"] for thread in profile["threads"]]
        self.assertEqual(names[0], main)
        self.assertCountEqual(names[1:], others)

    def seconds(self, profile, part):
        return part["slice"] * profile["slice_width"] / 1e9

    def test_two_threads_one_after_the_other(self):
        times = self.run_program("two", 1000)
        profile = self.sidecar()
        self.assertEqual(profile["version"], 2)
        self.assert_conserved(profile)
        self.assert_threads(profile, "stretches", "parser", "solver")
        samples = self.by_function(profile, lambda part: part["thread"]["name"])
        self.assertGreater(samples["parse", "parser"], 50)
        self.assertGreater(samples["solve", "solver"], 50)
        self.assertEqual({key for key in samples if key[0] in ("parse", "solve")},
                         {("parse", "parser"), ("solve", "solver")})
        self.assert_when(profile, times, "parse", "parser")
        self.assert_when(profile, times, "solve", "solver")
        calls = collections.Counter()
        for part in profile["arc_parts"]:
            name = self.symbols.name_at(profile["arcs"][part["whole"]]["self"])
            calls[name, part["thread"]["name"]] += part["count"]
        self.assertGreater(calls["parse", "parser"], 100)
        self.assertEqual(calls["parse", "parser"] + calls["solve", "solver"],
                         calls["step", "parser"] + calls["step", "solver"])
        self.assertEqual(calls["step", "stretches"], 1)
        self.assertEqual(calls["parse", "solver"], 0)
        start = profile["process"]["start_time"]
        for thread in profile["threads"]:
            self.assertTrue(start <= thread["start_time"] <= profile["process"]["end_time"])

    def assert_when(self, profile, times, function, thread):
        """Its samples lie where it says that it was busy."""
        for part in profile["sample_parts"]:
            if self.name_of(profile["samples"][part["whole"]]) == function:
                self.assertEqual(part["thread"]["name"], thread)
                self.assertTrue(self.is_within(profile, part, times, function), (part, times))

    def is_within(self, profile, part, times, name):
        start = profile["process"]["start_time"] / 1e9
        slack = 0.02  # clocks are adjusted
        when = self.seconds(profile, part)
        return (times[f"{name}_from"] / 1e6 - start - profile["slice_width"] / 1e9 - slack <= when
                <= times[f"{name}_to"] / 1e6 - start + slack)

    def test_the_last_name_of_the_main_thread(self):
        self.run_program("main", 200)
        profile = self.sidecar()
        self.assert_conserved(profile)
        self.assertEqual([t["name"] for t in profile["threads"]], ["second"])

    def test_many_short_threads(self):
        self.run_program("short", 300, 3)
        profile = self.sidecar()
        self.assert_conserved(profile)
        self.assert_threads(profile, "stretches", *(f"short {i}" for i in range(300)))
        samples = self.by_function(profile, lambda part: int(part["thread"]["name"].split()[1])
                                   if part["thread"]["name"].startswith("short") else -1)
        for (name, number), _ in samples.items():
            if name in ("parse", "solve"):
                self.assertEqual(name, "parse" if number % 2 else "solve")
        # Calls of the first threads are told apart; those of the last are known together.
        own = collections.Counter()
        for part in profile["arc_parts"]:
            own[part["thread"] and part["thread"]["name"]] += part["count"]
        self.assertGreater(len(own), 60)
        self.assertGreater(own[None], 0)
        for thread in profile["threads"]:
            if thread["name"] in own:
                self.assertEqual(own[thread["name"]], thread["calls"])

    def test_slices_become_wider(self):
        """A run beyond 4,096 ms, and then beyond 8,192."""
        times = self.run_program("rests", 3, 4200)
        profile = self.sidecar()
        self.assert_conserved(profile)
        self.assertIn(profile["slice_width"], [1_000_000 << i for i in range(2, 8)])
        found = collections.Counter()
        for part in profile["sample_parts"]:
            if self.name_of(profile["samples"][part["whole"]]) == "parse":
                within = [i for i in range(3) if self.is_within(profile, part, times, f"parse{i}")]
                self.assertEqual(len(within), 1, (part, times))
                found[within[0]] += part["count"]
        self.assertEqual(len(found), 3)
        self.assertLessEqual(profile["slices"], 4096)
        length = profile["process"]["end_time"] - profile["process"]["start_time"]
        self.assertLessEqual(length, profile["slices"] * profile["slice_width"])

    def test_recovered_after_a_kill(self):
        require_file(SERVER)
        self.preloaded(self.program, "kill", 300,
                       variables={"GPROF_RATE": 1000, "GPROF_STACKS": 1})
        self.recover()
        profile = self.sidecar()
        self.assert_conserved(profile)
        self.assert_threads(profile, "stretches", "parser", "solver")
        samples = self.by_function(profile, lambda part: part["thread"]["name"])
        self.assertGreater(samples["parse", "parser"], 10)
        self.assertEqual(samples["parse", "solver"], 0)

    def test_gprof_reads_the_profile(self):
        require("gprof")
        self.run_program("two", 200)
        text = execute(["gprof", "-b", "-p", self.program, "gmon.out"], self.directory).stdout
        self.assertIn("parse", text)
        self.assertIn("solve", text)
