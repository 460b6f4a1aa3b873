"""Calls via uninstrumented code are charged to the profiled caller."""
import collections

import gmon_profile
from harness import RuntimeTest

SPONTANEOUS = None


class Through(RuntimeTest):
    @classmethod
    def programs(cls):
        cls.library = cls.build("libthrough.so", ["through_library.c"], "-O1", "-fPIC", "-shared",
                                pg=False)
        cls.variants = {}
        for level in ("-O0", "-O2"):
            cls.variants[level] = cls.build("through" + level, ["through.c"], level,
                                            libraries=[cls.library])
        cls.variants["no frame pointers"] = cls.build(
            "through-fentry", ["through.c"], "-O2", "-mfentry",
            libraries=[cls.library])

    def expected(self, printed):
        return {("a", "cmp"): printed["a_cmp"], ("b", "cmp"): printed["b_cmp"],
                ("search", "same"): printed["search_same"], ("once", "initialise"): 1,
                (SPONTANEOUS, "handled"): 25, (SPONTANEOUS, "start"): 4,
                ("first", "called_back"): 70, ("second", "called_back"): 700,
                ("third", "deeply"): 60, ("outer", "inner"): 60, ("nested", "outer"): 30,
                ("_start", "at_end"): 1}

    def test_callers(self):
        for name, program in self.variants.items():
            with self.subTest(name):
                printed = self.profiled(program).numbers()
                expected = self.expected(printed)
                calls = self.calls(program)
                own = {callee for _, callee in expected}
                actual = {arc: count for arc, count in calls.items() if arc[1] in own}
                if (SPONTANEOUS, "at_end") in actual:  # as good as the start-up code
                    actual["_start", "at_end"] = actual.pop((SPONTANEOUS, "at_end"))
                self.assertEqual(actual, expected)

    def test_main_is_called_by_nobody(self):
        program = self.variants["-O2"]
        self.profiled(program)
        callers = {caller: count for (caller, callee), count in self.calls(program).items()
                   if callee == "main"}
        self.assertEqual(sum(callers.values()), 1)
        self.assertLessEqual(set(callers), {SPONTANEOUS, "_start"})

    def test_sidecar_names_what_was_passed_through(self):
        program = self.variants["-O0"]
        printed = self.profiled(program).numbers()
        symbols = gmon_profile.symbols_of(program)
        sidecar = self.sidecar()
        found = collections.Counter()
        for arc in sidecar["arcs"]:
            if arc["self_module"]["path"] != str(program) or not arc["flags"] & 1:
                continue
            behind = None
            if arc["behind_module"] is not None:
                behind = symbols.name_at(arc["behind"] - 1)
            found[arc["through_name"], behind, symbols.name_at(arc["self"])] += arc["count"]
        sort = next(name for name, _, callee in found if callee == "cmp")
        self.assertIn(sort, ("qsort", "qsort_r", "__qsort_r"))
        self.assertEqual({key: count for key, count in found.items() if key[2] != "main"}, {
            (sort, "a", "cmp"): printed["a_cmp"], (sort, "b", "cmp"): printed["b_cmp"],
            ("bsearch", "search", "same"): printed["search_same"],
            **{key: found[key] for key in found if key[2] in ("initialise", "start", "handled",
                                                              "at_end")},
            ("call_back", "first", "called_back"): 70,
            ("call_back", "second", "called_back"): 700,
            ("call_back_deeply", "third", "deeply"): 60,
            ("call_back", "outer", "inner"): 60, ("call_back", "nested", "outer"): 30})
        behind = {callee: behind for _, behind, callee in found}
        self.assertEqual({name: behind[name] for name in ("initialise", "start", "handled")},
                         {"initialise": "once", "start": None, "handled": None})
