"""`gprof-lsp export`: each format is read back by the tool that it is made for, and
the totals are those of all others and of the flat profile."""
import csv
import gzip
import io
import json
import os
import pathlib
import re
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

import documented_shapes
import sidecar
from exported_program import (ExportedProgram, is_collector, is_of_library, name_with_module,
                              program_time, self_by_name, total_by_name)
from known_profile import KnownProfile
from own_folders import fresh_folder
from profiled_program import gprof_flat, require, run
from tested_build import COLLECTOR, skip_without_collector

SERVER = os.environ.get("GPROF_LSP_SERVER")
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "export.md"
PROFILE_PROTO = pathlib.Path("/usr/share/gocode/src/github.com/google/pprof/proto/profile.proto")
KINDS = ("stacks", "plain")
MICROSECONDS = 1_000_000
CYCLE = {"ping(int)", "pong(int)", "peng(int)"}
BRACKETED = re.compile(r"^\[.*\]$")


def setUpModule():
    if not SERVER:
        raise unittest.SkipTest("GPROF_LSP_SERVER does not name a server")
    skip_without_collector()
    global PROGRAM, DOCUMENTS
    PROGRAM = ExportedProgram(fresh_folder(unittest.addModuleCleanup))
    DOCUMENTS = {kind: PROGRAM.document(kind) for kind in KINDS}


def microseconds(seconds):
    return round(seconds * MICROSECONDS)


class ExportTest(unittest.TestCase):
    maxDiff = None

    def each_kind(self):
        for kind in KINDS:
            with self.subTest(kind):
                yield kind, DOCUMENTS[kind]


class Json(ExportTest):
    def test_documents_are_as_documented(self):
        shapes = documented_shapes.Shapes(PAGE.read_text())
        self.assertEqual(set(), shapes.referenced() - shapes.names() - set(documented_shapes.BASIC))
        seen = set()
        for kind, document in self.each_kind():
            self.assertEqual([], shapes.defects(document, "ExportDocument", seen))
        self.assertEqual([], shapes.defects(self.of_known_profile(), "ExportDocument", seen))
        documented = {(name, member) for name in shapes.names() if name.startswith("Export")
                      for member in shapes.members(name)}
        # These need glibc's collector, several processes, and a part.
        self.assertEqual({("ExportedCallSite", "approximate"), ("ExportedThread", "process"),
                          ("ExportDocument", "selected")}, documented - seen)

    def of_known_profile(self):
        """A profile with counted blocks and samples in the kernel, which a real run has by chance only."""
        folder = fresh_folder(self.addCleanup)
        KnownProfile(folder).make().add_sidecar(kernel=((20, 0), (36, 0), (0, 0)),
                                                flags=sidecar.MARKS_KERNEL_TIME)
        return json.loads(run([SERVER, "export", "--format=json", "program", "gmon.out"], folder))

    def test_the_basis_is_told(self):
        self.assertEqual("measured", DOCUMENTS["stacks"]["basis"])
        self.assertEqual("estimated", DOCUMENTS["plain"]["basis"])

    def test_self_times_are_the_flat_profiles(self):
        for kind, document in self.each_kind():
            times = self_by_name(document)
            self.assertAlmostEqual(document["total"], sum(f["self"] for f in document["functions"]),
                                   places=6)
            flat = gprof_flat(PROGRAM, "busy", PROGRAM.profiles[kind])
            for name, (_, seconds, calls) in flat.items():
                self.assertAlmostEqual(float(seconds), times.get(name, 0), delta=0.0101, msg=name)
            self.assertLess({name for name, time in times.items()
                             if time > 0.01 and not BRACKETED.match(name)}, set(flat))

    def test_lines_add_up_to_functions(self):
        for kind, document in self.each_kind():
            sums = [0] * len(document["functions"])
            for line in document["lines"]:
                sums[line["function"]] += line["self"]
            for function, time in zip(document["functions"], sums):
                if "linkageName" in function and not is_of_library(function):
                    self.assertAlmostEqual(function["self"], time, places=6, msg=function["name"])

    def test_sites_add_up_to_arcs_and_are_the_lines_of_calls(self):
        name = [function["name"] for function in DOCUMENTS["plain"]["functions"]]
        for kind, document in self.each_kind():
            for arc in document["arcs"]:
                self.assertAlmostEqual(arc["time"], sum(s["time"] for s in arc["sites"]), places=6)
                self.assertEqual(arc.get("calls", 0), sum(s.get("calls", 0) for s in arc["sites"]))
        places = {(name[arc["caller"]], name[arc["callee"]], site.get("line"), site.get("calls"))
                  for arc in DOCUMENTS["plain"]["arcs"] for site in arc["sites"]}
        self.assertIn(("cheap_calls()", "dear(int)",
                       PROGRAM.line_of("export/busy.cc", "dear(0)"), 990), places)
        self.assertIn(("descend(int)", "descend(int)",
                       PROGRAM.line_of("export/busy.cc", "1 + descend"), 20), places)

    def test_measured_arcs_are_charged_to_who_spent(self):
        def dear_arcs(kind):
            document = DOCUMENTS[kind]
            name = [function["name"] for function in document["functions"]]
            return {name[arc["caller"]]: arc["time"] for arc in document["arcs"]
                    if name[arc["callee"]] == "dear(int)"}

        measured, estimated = dear_arcs("stacks"), dear_arcs("plain")
        self.assertGreaterEqual(measured["dear_calls()"], 0.95 * sum(measured.values()))
        self.assertLess(estimated["dear_calls()"], 0.05 * sum(estimated.values()))

    def test_main_has_all_of_its_own_time(self):
        for kind, document in self.each_kind():
            own = sum(time for name, time in self_by_name(document).items()
                      if not BRACKETED.match(name))
            self.assertGreaterEqual(total_by_name(document)["main"], 0.99 * own)


class Csv(ExportTest):
    def table(self, kind, name, *options):
        text = PROGRAM.export(kind, "csv", f"--table={name}", *options).decode()
        self.assertTrue(text.endswith("\r\n"))
        return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))

    def test_tables_are_the_documents(self):
        for kind, document in self.each_kind():
            functions = self.table(kind, "functions")
            self.assertEqual([name_with_module(f) for f in document["functions"]],
                             [row["function"] for row in functions])
            for row, function in zip(functions, document["functions"]):
                self.assertEqual(str(function.get("calls", "")), row["calls"])
                self.assertEqual(str(function.get("cycle", "")), row["cycle"])
                for column in ("self", "total"):
                    self.assertAlmostEqual(function[column], float(row[column]), places=9)
                self.assertAlmostEqual(function["selfError"], float(row["self_error"]), places=9)
                self.assertEqual(document["basis"], row["basis"])
            arcs = self.table(kind, "arcs")
            self.assertEqual(sum(len(arc["sites"]) for arc in document["arcs"]), len(arcs))
            self.assertAlmostEqual(sum(arc["time"] for arc in document["arcs"]),
                                   sum(float(row["time"]) for row in arcs), places=6)
            lines = self.table(kind, "lines")
            self.assertEqual(len(document["lines"]), len(lines))
            self.assertAlmostEqual(sum(line["self"] for line in document["lines"]),
                                   sum(float(row["self"]) for row in lines), places=6)

    def test_names_are_quoted_and_demangled_on_request(self):
        names = {row["function"]: row["linkage_name"] for row in self.table("plain", "functions")}
        grow = "Pair<int, char>::grow(std::pair<int, char>)"
        self.assertIn(grow, names)
        self.assertIn("odd;name", names)
        raw = {row["function"] for row in self.table("plain", "functions", "--no-demangle")}
        self.assertIn(names[grow], raw)
        self.assertNotIn(grow, raw)


class Callgrind(ExportTest):
    def setUp(self):
        super().setUp()
        # Not in a loop of subtests, which a skip would leave in the middle.
        require("callgrind_annotate")

    def annotate(self, path, *options):
        done = subprocess.run(
            ["callgrind_annotate", "--threshold=100", "--show-percs=no", *options, path],
            cwd=PROGRAM.directory, capture_output=True, text=True, timeout=120, check=True)
        self.assertEqual("", done.stderr)
        return done.stdout

    @staticmethod
    def rows(text):
        """Function -> cost, of a table of callgrind_annotate."""
        found = {}
        for line in text.splitlines():
            match = re.match(r"^\s*([\d,]+)\s+(?:\S*?:)(\S.*?)(?: \[.*\])?$", line)
            if match:
                found[match[2]] = int(match[1].replace(",", ""))
        return found

    def test_totals_and_functions(self):
        for kind, document in self.each_kind():
            path = PROGRAM.export_to(kind, "callgrind", "callgrind")
            text = self.annotate(path)
            total = re.search(r"^\s*([\d,]+)\s+PROGRAM TOTALS", text, re.MULTILINE)
            self.assertIsNotNone(total, text)
            self.assertEqual(microseconds(document["total"]), int(total[1].replace(",", "")))
            rows = self.rows(text)
            for name, time in self_by_name(document).items():
                if time > 0.002:
                    self.assertAlmostEqual(microseconds(time), rows[name], delta=2, msg=name)

    def test_inclusive_costs(self):
        for kind, document in self.each_kind():
            path = PROGRAM.export_to(kind, "callgrind", "callgrind")
            rows = self.rows(self.annotate(path, "--inclusive=yes"))
            totals = total_by_name(document)
            for name in ("main", "sorts()", "dear_calls()", "cheap_calls()", "dear(int)"):
                self.assertAlmostEqual(microseconds(totals[name]), rows[name], delta=50, msg=name)

    def test_costs_are_told_line_by_line(self):
        path = PROGRAM.export_to("stacks", "callgrind", "callgrind")
        text = self.annotate(path, "--auto=yes", f"--include={PROGRAM.directory}")
        hot = [line for line in text.splitlines() if "i < rounds; i = i + 1" in line]
        self.assertEqual(1, len(hot), text)
        self.assertGreater(int(re.match(r"\s*([\d,]+)", hot[0])[1].replace(",", "")), 10_000)
        self.assertRegex(text, r"=> \S*:dear\(int\) \(990x\)")


class Graphviz(ExportTest):
    def test_a_picture(self):
        require("dot")
        for kind, document in self.each_kind():
            path = PROGRAM.export_to(kind, "dot", "dot")
            picture = ElementTree.fromstring(run(["dot", "-Tsvg", path], PROGRAM.directory))
            name = "{http://www.w3.org/2000/svg}"
            texts = [text.text for text in picture.iter(name + "text")]
            for function, total in total_by_name(document).items():
                if total >= 0.02 * document["total"] and len(function) < 80:
                    self.assertIn(function, texts)
            self.assertIn("cycle 1", texts)
            clusters = [group for group in picture.iter(name + "g")
                        if group.get("class") == "cluster"]
            self.assertEqual(1, len(clusters))
            self.assertTrue(any(text and document["basis"] in text for text in texts))

    def test_the_threshold_leaves_things_out(self):
        def nodes(threshold):
            text = PROGRAM.export("plain", "dot", f"--threshold={threshold}").decode()
            return set(re.findall(r'\[label="(\S+?)\\n', text))

        self.assertLess(nodes(0.5), nodes(0))
        self.assertIn("main", nodes(0.5))


class Folded(ExportTest):
    def stacks(self, kind):
        text = PROGRAM.export(kind, "folded").decode()
        return [(line.rpartition(" ")[0].split(";"), int(line.rpartition(" ")[2]))
                for line in text.splitlines()]

    def test_stacks_add_up(self):
        for kind, document in self.each_kind():
            stacks = self.stacks(kind)
            self.assertEqual(microseconds(program_time(document)), sum(time for _, time in stacks))
            own = {}
            for names, time in stacks:
                own[names[-1]] = own.get(names[-1], 0) + time
            for name, time in self_by_name(document).items():
                if time > 0.01 and name != "odd;name" and not is_collector(name):
                    self.assertAlmostEqual(microseconds(time), own[name],
                                           delta=max(50, 0.01 * microseconds(time)), msg=name)

    def test_names_do_not_part_stacks(self):
        names = {name for stack, _ in self.stacks("stacks") for name in stack}
        self.assertIn("odd:name", names)
        self.assertIn("Pair<int, char>::grow(std::pair<int, char>)", names)

    def test_cycles_and_recursion(self):
        measured = self.stacks("stacks")
        self.assertTrue(any(stack.count("descend(int)") > 5 for stack, _ in measured))
        self.assertTrue(any(CYCLE <= set(stack) for stack, _ in measured))
        for stack, _ in self.stacks("plain"):
            self.assertLessEqual(len(CYCLE & set(stack)), 1)
            self.assertEqual(bool(CYCLE & set(stack)), "<cycle 1>" in stack)


class Pprof(ExportTest):
    def setUp(self):
        super().setUp()
        require("protoc")
        if not PROFILE_PROTO.exists():
            self.skipTest(f"skipped: no {PROFILE_PROTO}")

    def decoded(self, kind):
        """The profile as nested lists of (name, value)."""
        done = subprocess.run(
            ["protoc", f"--proto_path={PROFILE_PROTO.parent}",
             "--decode=perftools.profiles.Profile", PROFILE_PROTO.name],
            input=gzip.decompress(PROGRAM.export(kind, "pprof")), capture_output=True, check=True)
        top = []
        open_messages = [top]
        for line in done.stdout.decode().splitlines():
            line = line.strip()
            if line.endswith("{"):
                inner = []
                open_messages[-1].append((line[:-1].strip(), inner))
                open_messages.append(inner)
            elif line == "}":
                open_messages.pop()
            else:
                name, _, value = line.partition(": ")
                open_messages[-1].append((name, json.loads(value) if value[0] == '"' or
                                          value.lstrip("-").isdigit() else value))
        # A name that is no member of the schema is printed as its number.
        self.assertFalse([name for name, _ in top if name.isdigit()])
        return top

    @staticmethod
    def all_of(message, name):
        return [value for key, value in message if key == name]

    def test_samples(self):
        for kind, document in self.each_kind():
            profile = self.decoded(kind)
            strings = self.all_of(profile, "string_table")
            self.assertEqual("", strings[0])
            types = [tuple(strings[number] for _, number in value)
                     for value in self.all_of(profile, "sample_type")]
            times = [("cpu", "nanoseconds")]
            self.assertEqual([("samples", "count"), *times] if kind == "stacks" else times, types)
            comment = strings[self.all_of(profile, "comment")[0]]
            self.assertEqual(kind == "plain", "estimated" in comment)
            functions = {dict(message)["id"]: dict(message)
                         for message in self.all_of(profile, "function")}
            locations = {dict(message)["id"]: message
                         for message in self.all_of(profile, "location")}
            mappings = {dict(message)["id"] for message in self.all_of(profile, "mapping")}
            own = {}
            total = 0
            for sample in self.all_of(profile, "sample"):
                leaf = locations[self.all_of(sample, "location_id")[0]]
                for number in self.all_of(sample, "location_id"):
                    mapping = self.all_of(locations[number], "mapping_id")
                    self.assertTrue(not mapping or mapping[0] in mappings)
                function = functions[dict(dict(leaf)["line"])["function_id"]]
                name = strings[function["name"]]
                time = self.all_of(sample, "value")[-1]
                own[name] = own.get(name, 0) + time
                total += time
            self.assertAlmostEqual(program_time(document) * 1e9, total, delta=2000)
            for name, time in self_by_name(document).items():
                if time > 0.01 and not is_collector(name):
                    self.assertAlmostEqual(time * 1e9, own[name], delta=1e7 * max(time, 0.1),
                                           msg=name)

    def test_places(self):
        profile = self.decoded("stacks")
        strings = self.all_of(profile, "string_table")
        functions = {dict(message)["id"]: strings[dict(message)["name"]]
                     for message in self.all_of(profile, "function")}
        lines = {(functions[dict(line)["function_id"]], dict(line).get("line"))
                 for message in self.all_of(profile, "location")
                 for line in self.all_of(message, "line")}
        self.assertIn(("dear_calls()", PROGRAM.line_of("export/busy.cc", "dear(60)")), lines)


class Blocks(ExportTest):
    """Executions of lines, where the program was built to count them."""

    @classmethod
    def setUpClass(cls):
        library = pathlib.Path(COLLECTOR)
        cls.program = PROGRAM.directory / "counting"
        run(["g++", "-g", "-O0", "-pg", "-fsanitize-coverage=trace-pc", "export/busy.cc", "-o",
             cls.program, f"-L{library.parent}", "-lgprof_runtime", f"-Wl,-rpath,{library.parent}"],
            PROGRAM.directory)
        run([SERVER, "record", "--rate=0", "--output", "blocks", "--", cls.program],
            PROGRAM.directory)

    def export(self, form, *options):
        return run([SERVER, "export", f"--format={form}", *options, self.program,
                    "blocks/gmon.out"], PROGRAM.directory)

    def test_they_are_exact(self):
        line = PROGRAM.line_of("export/busy.cc", "dear(0)")
        rows = csv.DictReader(io.StringIO(self.export("csv", "--table=lines"), newline=""))
        # The condition of the loop, once more than its body.
        self.assertIn(("cheap_calls()", str(line), "991"),
                      {(row["function"], row["line"], row["executions"]) for row in rows})
        document = json.loads(self.export("json"))
        self.assertIn((line, 991), {(row["line"], row.get("executions"))
                                    for row in document["lines"] if "line" in row})

    def test_callgrind_has_them_as_an_event(self):
        require("callgrind_annotate")
        (PROGRAM.directory / "blocks.callgrind").write_text(self.export("callgrind"))
        text = run(["callgrind_annotate", "--threshold=100", "--show-percs=no", "--show=Bb",
                    "--sort=Bb", "blocks.callgrind"], PROGRAM.directory)
        total = int(re.search(r"^\s*([\d,]+)\s+PROGRAM TOTALS", text, re.MULTILINE)[1]
                    .replace(",", ""))
        document = json.loads(self.export("json"))
        self.assertEqual(sum(row.get("executions", 0) for row in document["lines"]), total)
        self.assertGreater(total, 1000)


class CommandLine(ExportTest):
    def fails(self, *words, status):
        done = subprocess.run([SERVER, "export", *map(str, words)], cwd=PROGRAM.directory,
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((status, ""), (done.returncode, done.stdout), done.stderr)
        # A busy machine may have slowed the profile's clock down, which is reported.
        told = "".join(line for line in done.stderr.splitlines(keepends=True) if "was sampled at" not in line)
        self.assertEqual(1, told.count("\n"), done.stderr)
        return told

    def test_what_is_wrong_is_told_in_one_line(self):
        self.assertIn("callgrind, csv", self.fails("busy", status=2))
        self.assertIn("--format=gif", self.fails("--format=gif", "busy", status=2))
        self.assertIn("nowhere", self.fails("--format=json", "nowhere", status=1))
        self.assertIn("gmon.out", self.fails("--format=json", "busy", status=1))
        self.assertIn("missing/file", self.fails("--format=json", "-o", "missing/file", "busy",
                                                 PROGRAM.profiles["plain"], status=1))

    def test_files_are_whole_or_not_there(self):
        folder = PROGRAM.directory / "whole"
        folder.mkdir()
        (folder / "old").write_text("old")
        (folder / "old").chmod(0o640)
        PROGRAM.export("plain", "folded", "-o", folder / "old")
        self.assertEqual(PROGRAM.export("plain", "folded"), (folder / "old").read_bytes())
        self.assertEqual(0o640, (folder / "old").stat().st_mode & 0o777)
        self.assertIn("one of the files", self.fails(
            "--format=json", "-o", PROGRAM.program, PROGRAM.program, PROGRAM.profiles["plain"],
            status=1))
        self.assertEqual(["old"], os.listdir(folder))

    def test_a_link_is_replaced_and_a_pipe_is_written_to(self):
        folder = PROGRAM.directory / "links"
        folder.mkdir()
        (folder / "precious").write_text("precious")
        (folder / "link").symlink_to("precious")
        PROGRAM.export("plain", "folded", "-o", folder / "link")
        text = PROGRAM.export("plain", "folded")
        self.assertFalse((folder / "link").is_symlink())
        self.assertEqual((text, "precious"),
                         ((folder / "link").read_bytes(), (folder / "precious").read_text()))
        self.assertEqual(text, PROGRAM.export("plain", "folded", "-o", "/dev/stdout"))
        self.assertEqual(["link", "precious"], sorted(os.listdir(folder)))

    def test_a_profile_without_samples(self):
        empty = PROGRAM.directory / "counted"
        run([SERVER, "record", "--rate=0", "--output", empty, "--", PROGRAM.program],
            PROGRAM.directory)
        self.assertIn("no samples", self.fails("--format=folded", "busy", empty / "gmon.out",
                                               status=1))
        done = subprocess.run([SERVER, "export", "--format=dot", "busy", empty / "gmon.out"],
                              cwd=PROGRAM.directory, capture_output=True, text=True, check=True)
        self.assertIn("dear(int)\\n1,000 calls", done.stdout)

    def test_several_profiles_are_added_up(self):
        text = subprocess.run([SERVER, "export", "--format=json", "busy",
                               *[PROGRAM.profiles[kind] for kind in ("plain", "plain")]],
                              cwd=PROGRAM.directory, capture_output=True, check=True).stdout
        self.assertAlmostEqual(2 * DOCUMENTS["plain"]["total"], json.loads(text)["total"])
