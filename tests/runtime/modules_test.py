"""Profiled libraries: their own arcs, arcs to and from the executable, loading and unloading."""
import collections

import gmon_profile
from harness import RuntimeTest, execute, require
from profiled_program import PRIMARY

PROFILED = 2  # ModuleFlags


class Modules(RuntimeTest):
    def sidecar_arcs(self, sidecar, programs):
        """{(caller, callee): count}, each as MODULE:FUNCTION; None: no profiled caller."""
        symbols = {str(path): gmon_profile.symbols_of(path) for path in programs}
        sums = collections.Counter()
        for arc in sidecar["arcs"]:
            place = None
            if arc["from_module"] is not None and arc["from_module"]["flags"] & PROFILED:
                place = self.place(symbols, arc["from_module"], arc["from"] - 1)
            sums[place, self.place(symbols, arc["self_module"], arc["self"])] += arc["count"]
        return dict(sums)

    @staticmethod
    def place(symbols, module, address):
        if module is None:
            return None
        path = module["path"]
        if path not in symbols:
            return path.rsplit("/", 1)[-1]
        return path.rsplit("/", 1)[-1] + ":" + (symbols[path].name_at(address) or "?")

    def graph_calls(self, image, profile):
        require("gprof")
        text = execute(["gprof", "-b", "-q", image, profile], self.directory).stdout
        rows = filter(None, map(PRIMARY.match, text.splitlines()))
        return {row[7]: int(row[5] or 0) for row in rows}


class Linked(Modules):
    @classmethod
    def programs(cls):
        cls.library = cls.build("libprofiled.so", ["library.c"], "-O1", "-fPIC", "-shared",
                                "-DTAG=_one", "-Wl,-soname,libprofiled.so.1")
        cls.library = cls.library.rename(cls.built / "libprofiled.so.1")
        cls.users = [cls.build(f"user{flag}", ["library_user.c"], "-O1", "-pthread", flag,
                               f"-Wl,-rpath,{cls.built}", libraries=[cls.library])
                     for flag in ("-pie", "-no-pie")]

    def test_arcs_of_the_library_itself(self):
        for user in self.users:
            with self.subTest(user.name):
                self.profiled(user)
                calls = self.calls(self.library, "gmon.out.libprofiled.so.1")
                self.assert_calls(calls, {("enter_one", "middle_one"): 26,
                                          ("middle_one", "inner_one"): 104})
                entries = {callee: count for (caller, callee), count in calls.items()
                           if caller in (None, "_init")}
                self.assertEqual(entries, {"enter_one": 4, "back_one": 4})

    def test_entries_are_pseudo_calls_of_init(self):
        self.profiled(self.users[0])
        calls = self.calls(self.library, "gmon.out.libprofiled.so.1")
        symbols = gmon_profile.symbols_of(self.library)
        arcs = [(from_, count) for from_, self_, count
                in self.profile("gmon.out.libprofiled.so.1").arcs
                if symbols.name_at(self_) == "enter_one"]
        self.assertEqual(arcs, [(symbols.address_of("_init"), 4)], calls)

    def test_arcs_of_the_executable(self):
        """A callback is charged to the nearest caller in the executable: the file can say no more."""
        for user in self.users:
            with self.subTest(user.name):
                self.profiled(user)
                calls = self.calls(user)
                own = {arc: n for arc, n in calls.items() if arc[1] in ("own", "called_back",
                                                                        "left", "right", "thread")}
                self.assertEqual(own, {("called_back", "own"): 4000, ("thread", "called_back"): 4000,
                                       ("main", "left"): 1, ("main", "right"): 1,
                                       (None, "thread"): 4})

    def test_arcs_between_them(self):
        for user in self.users:
            with self.subTest(user.name):
                self.profiled(user)
                arcs = self.sidecar_arcs(self.sidecar(), [user, self.library])
                name = user.name
                self.assert_calls(arcs, {
                    (f"{name}:left", "libprofiled.so.1:enter_one"): 1,
                    (f"{name}:right", "libprofiled.so.1:enter_one"): 3,
                    (f"{name}:thread", "libprofiled.so.1:back_one"): 4,
                    ("libprofiled.so.1:back_one", f"{name}:called_back"): 4000,
                    ("libprofiled.so.1:middle_one", "libprofiled.so.1:inner_one"): 104})

    def test_gprof_reads_both(self):
        self.profiled(self.users[0])
        rows = self.graph_calls(self.library, "gmon.out.libprofiled.so.1")
        self.assertEqual({n: rows.get(n) for n in ("enter_one", "middle_one", "inner_one",
                                                   "back_one")},
                         {"enter_one": 4, "middle_one": 26, "inner_one": 104, "back_one": 4})
        rows = self.graph_calls(self.users[0], "gmon.out")
        self.assertEqual(rows["own"], 4000)

    def test_each_file_names_its_build(self):
        self.profiled(self.users[0])
        modules = {m["file"]: m for m in self.sidecar()["modules"] if m["file"]}
        self.assertEqual(set(modules), {"gmon.out", "gmon.out.libprofiled.so.1"})
        for name, module in modules.items():
            self.assertEqual(self.profile(name).build_id, module["build_id"][:16])

    def test_only_the_library_is_profiled(self):
        user = self.build("plain-user", ["library_user.c"], "-O1", "-pthread", pg=False,
                          libraries=[self.library, f"-Wl,-rpath,{self.built}"])
        self.profiled(user)
        calls = self.calls(self.library, "gmon.out.libprofiled.so.1")
        self.assert_calls(calls, {("enter_one", "middle_one"): 26,
                                  ("middle_one", "inner_one"): 104})


class Loaded(Modules):
    @classmethod
    def programs(cls):
        cls.loader = cls.build("loader", ["loader.c"], "-O1", libraries=["-ldl"])
        cls.plug = {}
        for tag in ("alpha", "gamma"):
            cls.plug[tag] = cls.build(f"plug_{tag}.so", ["library.c"], "-O1", "-fPIC", "-shared",
                                      f"-DTAG=_{tag}", "-DPLAIN_NAMES",
                                      f"-Wl,-soname,plug_{tag}.so")
        for version in ("1", "2"):
            (cls.built / version).mkdir()
            cls.plug[version] = cls.build(f"{version}/plug.so", ["library.c"], "-O1", "-fPIC",
                                          "-shared", f"-DTAG=_v{version}", "-DPLAIN_NAMES",
                                          "-Wl,-soname,plug.so")

    @staticmethod
    def expected(tag, rounds):
        entered = sum(2 * (r + 1) for r in range(rounds))
        return {("plug_enter", f"enter_{tag}"): 2 * rounds,
                (f"enter_{tag}", f"middle_{tag}"): entered,
                (f"middle_{tag}", f"inner_{tag}"): 4 * entered}

    def file_of(self, path):
        names = {m["file"] for m in self.sidecar()["modules"] if m["path"] == str(path)}
        self.assertEqual(len(names), 1, names)
        return names.pop()

    def assert_loaded(self, tags, rounds, *words, **options):
        outcome = self.profiled(self.loader, rounds, *words, *[self.plug[t] for t in tags], **options)
        for tag in tags:
            name = self.file_of(self.plug[tag])
            symbol = f"v{tag}" if tag in "12" else tag
            self.assert_calls(self.calls(self.plug[tag], name), self.expected(symbol, rounds))
            modules = [m for m in self.sidecar()["modules"] if m["path"] == str(self.plug[tag])]
            self.assertEqual(self.profile(name).build_id, modules[0]["build_id"][:16])
        self.assert_calls(self.calls(self.loader), {("main", "use"): 2 * rounds * len(tags)})
        arcs = self.sidecar_arcs(self.sidecar(), [self.loader, *[self.plug[t] for t in tags]])
        for tag in tags:
            name = self.plug[tag].name
            if len({self.plug[t].name for t in tags}) == len(tags):
                self.assert_calls(arcs, {("loader:use", f"{name}:plug_enter"): 2 * rounds})
        return outcome.stdout

    def test_opened(self):
        self.assert_loaded(["alpha", "gamma"], 3, "keep")

    def test_closed_and_opened_again(self):
        self.assert_loaded(["alpha"], 20)

    def test_two_in_turn_at_one_address(self):
        # No samples: for one at the wrong moment, the collector might map memory where a library was.
        printed = self.assert_loaded(["alpha", "gamma"], 20, variables={"GPROF_RATE": 0})
        addresses = {line.split()[1] for line in printed.splitlines()}
        self.assertEqual(len(addresses), 1, "they have to take one another's place")

    def test_two_of_one_soname(self):
        self.assert_loaded(["1", "2"], 5, "keep")

    def test_two_of_one_soname_in_turn(self):
        self.assert_loaded(["1", "2"], 10)

    def test_gprof_reads_an_unloaded_library(self):
        self.assert_loaded(["alpha", "gamma"], 4)
        rows = self.graph_calls(self.plug["gamma"], self.file_of(self.plug["gamma"]))
        self.assertEqual((rows["middle_gamma"], rows["inner_gamma"]), (20, 80))
