"""Reports as virtual documents: their text is what the command line prints, and what they link to
is where it says."""
import json
import os
import pathlib
import re
import unittest
import urllib.parse

from counting_program import CountingProgram
from documented_shapes import Shapes
from editor import Editor
from extension_support import PAGE
from lsp_client import FULL_CAPABILITIES, PATIENCE
from own_folders import fresh_folder
from profiled_program import Workspace, run

COUNTS = ("counts/main.c", "counts/work.c", "counts/shared.h")
COUNT_SOURCES = ("counts/main.c", "counts/work.c")
INVALID_PARAMS = -32602
KINDS = {"all": (), "annotated-source": ("-A",), "call-graph": ("-q",), "execution-counts": ("-C",),
         "file-information": ("-i",), "flat-profile": ("-p",), "function-ordering": ("-r",)}


def capabilities(encoding="utf-16", dynamic=True, content=True, **more):
    """A client that shows virtual documents."""
    result = json.loads(json.dumps(FULL_CAPABILITIES))
    result["general"]["positionEncodings"] = [encoding]
    if content:
        result["workspace"]["textDocumentContent"] = {"dynamicRegistration": True}
    for name in ("documentLink", "foldingRange", "definition"):
        result["textDocument"][name] = {"dynamicRegistration": dynamic}
    result["textDocument"]["documentLink"]["tooltipSupport"] = True
    result.update(more)
    return result


class Columns:
    """A text's lines, and what ranges of one encoding cover in them."""

    def __init__(self, text, encoding="utf-16"):
        self.lines = text.split("\n")
        self.encoding = encoding

    def covered(self, span):
        assert span["start"]["line"] == span["end"]["line"], span
        line = self.lines[span["start"]["line"]]
        width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[self.encoding]
        data = line.encode({1: "utf-8", 2: "utf-16-le", 4: "utf-32-le"}[width])
        start, end = (span[side]["character"] * width for side in ("start", "end"))
        assert start < end <= len(data), span
        return data[start:end].decode({1: "utf-8", 2: "utf-16-le", 4: "utf-32-le"}[width])


class Reports(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.root = fresh_folder(cls.addClassCleanup)
        cls.counted = Workspace(cls.root / "counted", *COUNTS)
        cls.counted.build_and_run(COUNT_SOURCES)
        cls.shapes = Workspace(cls.root / "shapes", "cpp/shapes.cpp")
        cls.shapes.build_and_run(("cpp/shapes.cpp",), compiler="g++")

    def printed(self, workspace, *options, program="program", profiles=("gmon.out",)):
        """What the command line prints of the same files."""
        return run([os.environ["GPROF_LSP_SERVER"], "report", *options,
                    workspace.path(program), *map(workspace.path, profiles)], workspace.directory)

    def text(self, editor, uri):
        return editor.client.request("workspace/textDocumentContent", {"uri": uri})["text"]

    def links(self, editor, uri):
        return editor.client.request("textDocument/documentLink", {"textDocument": {"uri": uri}})

    def folds(self, editor, uri):
        return editor.client.request("textDocument/foldingRange", {"textDocument": {"uri": uri}})

    def line_of_target(self, target):
        """(text of the line, path) that a link leads to."""
        path, _, fragment = target.removeprefix("file://").partition("#L")
        path = pathlib.Path(urllib.parse.unquote(path))
        return path.read_text(errors="replace").splitlines()[int(fragment or 1) - 1], path


class Texts(Reports):
    def test_it_is_what_the_command_line_prints(self):
        for workspace in (self.counted, self.shapes):
            with Editor(workspace.directory, capabilities=capabilities()) as editor:
                self.assertEqual(["gprof-report"],
                                 editor.offered["workspace"]["textDocumentContent"]["schemes"])
                for kind, options in KINDS.items():
                    with self.subTest(kind):
                        expected = self.printed(workspace, "-b", *options)
                        self.assertTrue(expected)
                        self.assertEqual(expected, self.text(editor, f"gprof-report:/{kind}"))

    def test_options_are_gprofs(self):
        with Editor(self.counted.directory, capabilities=capabilities()) as editor:
            for kind, options in (("all", ""), ("all", "-T"), ("all", "-b -z"),
                                  ("flat-profile", "-b -l"), ("flat-profile", "-b --error"),
                                  ("call-graph", "-b -a"), ("call-graph", "-w120"),
                                  ("annotated-source", "-t2 -x -l"), ("all", "--accurate"),
                                  ("flat-profile", "--no-demangle -c"),
                                  ("call-graph", "-b --inline-file-names -L")):
                with self.subTest((kind, options)):
                    expected = self.printed(self.counted, *options.split(), *KINDS[kind])
                    query = urllib.parse.urlencode({"options": options})
                    uri = f"gprof-report:/{kind}?{query.replace('+', '%20')}"
                    self.assertEqual(expected, self.text(editor, uri))
            for options in ("-s", "-y", "-S/etc/passwd", "--help", "-m", "-mx", "x"):
                error = editor.client.start_request("workspace/textDocumentContent", {
                    "uri": f"gprof-report:/all?options={options}"}).error()
                self.assertEqual(INVALID_PARAMS, error.code, options)

    def test_one_source(self):
        with Editor(self.counted.directory, capabilities=capabilities()) as editor:
            path = urllib.parse.quote(str(self.counted.path("counts/work.c")))
            text = self.text(editor, f"gprof-report:/annotated-source?file={path}")
            self.assertEqual(self.printed(self.counted, "-b", "-Awork.c:"), text)
            self.assertEqual(1, text.count("*** File"))

    def test_the_index_is_the_last_part_of_the_call_graph(self):
        with Editor(self.counted.directory, capabilities=capabilities()) as editor:
            graph = self.printed(self.counted, "-b", "-q")
            index = self.text(editor, "gprof-report:/index")
            self.assertTrue(index.startswith("Index by function name\n"))
            self.assertEqual(graph[graph.index("Index by"):], index)

    def test_ways_to_write_the_address(self):
        expected = self.printed(self.counted, "-b", "-p")
        with Editor(self.root, capabilities=capabilities()) as editor:
            programs = editor.client.request("gprof/programs", {})["programs"]
            name = next(p["name"] for p in programs if "counted" in p["executable"])
            quoted = urllib.parse.quote(name, safe="")
            twice = urllib.parse.quote(f"program={name}&options=-b", safe="")
            for uri in (f"gprof-report:/flat-profile?program={quoted}",
                        f"gprof-report:///flat-profile?program={quoted}#L3",
                        f"GPROF-REPORT:/flat-profile?options=-b&program={quoted}",
                        f"gprof-report:/flat-profile?{twice}"):
                self.assertEqual(expected, self.text(editor, uri), uri)
            other = next(p["name"] for p in programs if "shapes" in p["executable"])
            self.assertIn("geometry::", self.text(
                editor, f"gprof-report:/call-graph?program={urllib.parse.quote(other)}"))
            for uri, said in (("gprof-report:/flat-profile?program=none", name),
                              ("gprof-report:/poem", "flat-profile"),
                              ("gprof-report:/all?program=%zz", "percent"),
                              ("file:///a.c", "gprof-report")):
                error = editor.client.start_request("workspace/textDocumentContent",
                                                    {"uri": uri}).error()
                self.assertEqual(INVALID_PARAMS, error.code, uri)
                self.assertIn(said, error.message)

    def test_a_report_without_data_says_what_is_missing(self):
        workspace = Workspace(self.root / "no_arcs")
        workspace.directory.mkdir(exist_ok=True)
        workspace.write("bare.c", "int main(void) { return 0; }\n")
        run(["gcc", "-g", "-c", "bare.c"], workspace.directory)
        run(["gcc", "-pg", "bare.o", "-o", "program"], workspace.directory)
        workspace.execute()
        with Editor(workspace.directory, capabilities=capabilities()) as editor:
            error = editor.client.start_request("workspace/textDocumentContent",
                                                {"uri": "gprof-report:/call-graph"}).error()
            self.assertIn("no call-graph arcs found", error.message)
            self.assertEqual([], self.links(editor, "gprof-report:/call-graph"))

    def test_gprof_report_and_the_command_give_the_same(self):
        with Editor(self.counted.directory, capabilities=capabilities(content=False)) as editor:
            self.assertNotIn("textDocumentContent", editor.offered["workspace"])
            expected = self.printed(self.counted, "-b", "-q")
            answer = editor.client.request("gprof/report", {"kind": "call-graph"})
            self.assertEqual((expected, "gprof-report:/call-graph"),
                             (answer["text"], answer["uri"]))
            self.assertEqual(self.links(editor, answer["uri"]), answer["links"])
            shown = editor.client.request("workspace/executeCommand", {
                "command": "gprof.showReport", "arguments": [{"kind": "call-graph"}]})
            self.assertEqual({"uri": answer["uri"], "text": expected}, shown)
            documented = Shapes(PAGE.read_text())
            self.assertEqual([], documented.defects(shown, "ShownReport"))
            self.assertEqual(set(KINDS) | {"index"}, documented.literals("ReportKind"))
            self.assertEqual(0, editor.client.count_requests("window/showDocument"))

    def test_the_command_opens_it_where_that_can_be_done(self):
        with Editor(self.counted.directory, capabilities=capabilities()) as editor:
            shown = editor.client.request("workspace/executeCommand", {
                "command": "gprof.showReport",
                "arguments": [{"kind": "annotated-source", "options": "-b -L", "file": "/a b.c"}]})
            uri = "gprof-report:/annotated-source?options=-b%20-L&file=/a%20b.c"
            self.assertEqual({"uri": uri}, shown)
            asked = editor.client.wait_for_request("window/showDocument")
            self.assertEqual(uri, asked["uri"])
            for arguments in ([], [{}], [{"kind": "poem"}], ["flat-profile"]):
                error = editor.client.start_request("workspace/executeCommand", {
                    "command": "gprof.showReport", "arguments": arguments}).error()
                self.assertEqual(INVALID_PARAMS, error.code)


class Links(Reports):
    def check_leads(self, editor, uri, text, encoding="utf-16"):
        """Every link stands over a name, and its line has that name. The covered words, in order."""
        columns = Columns(text, encoding)
        words = []
        for link in self.links(editor, uri):
            word = columns.covered(link["range"])
            words.append(word)
            if link["target"].startswith("gprof-report:"):
                number = re.fullmatch(r"\[(\d+)\]", word)[1]
                line = int(link["target"].rpartition("#L")[2]) - 1
                self.assertTrue(columns.lines[line].startswith(f"[{number}] "), link)
                self.assertNotEqual(link["range"]["start"]["line"], line)
                continue
            line, path = self.line_of_target(link["target"])
            if not path.name.endswith((".c", ".h", ".cpp")) or "/" in word:
                continue
            name = re.sub(r"^.*\{(lambda)\(.*$", r"\1", word)
            while "<" in name and (plain := re.sub(r"<[^<>]*>", "", name)) != name:
                name = plain
            name = name.replace("(anonymous namespace)", "")
            # A destructor that nobody wrote stands where its class does.
            last = name.partition("(")[0].split("::")[-1].split()[-1].removeprefix("~")
            self.assertIn(last, line, link)
            self.assertRegex(link["tooltip"], r"^[\d,+]+ calls?")
        return words

    def test_names_lead_to_their_definitions(self):
        with Editor(self.counted.directory, capabilities=capabilities()) as editor:
            for kind in KINDS:
                uri = f"gprof-report:/{kind}"
                words = self.check_leads(editor, uri, self.text(editor, uri))
                if kind == "file-information":
                    self.assertEqual([], words)
                elif kind != "annotated-source":
                    self.assertLessEqual({"factorial", "step", "is_even", "work"}, set(words), kind)
            self.check_statics(editor)

    def check_statics(self, editor):
        """Functions of one name lead each to its own file, in every part of the report."""
        uri = "gprof-report:/all"
        columns = Columns(self.text(editor, uri))
        files = {}
        for link in self.links(editor, uri):
            if columns.covered(link["range"]) == "same_name":
                line = columns.lines[link["range"]["start"]["line"]]
                path = pathlib.Path(link["target"].partition("#")[0]).name
                files.setdefault(path, []).append(line)
        self.assertEqual({"main.c", "work.c"}, set(files))
        for path, count in (("main.c", 127), ("work.c", 300)):
            self.assertTrue(any(re.search(rf" {count} +\S+ +\S+  same_name$", line)
                                for line in files[path]), files[path])
            self.assertTrue(any(re.search(rf"^\[\d+\].* {count} +same_name \[\d+\]$", line)
                                for line in files[path]))
            self.assertTrue(any(f"same_name ({path})" in line for line in files[path]))

    def test_functions_that_their_lines_do_not_tell_apart(self):
        """Of one name, in files of one name, called as often: each row leads to its own."""
        workspace = Workspace(self.root / "twins")
        for folder in ("one", "two"):
            (workspace.directory / folder).mkdir(parents=True, exist_ok=True)
            workspace.write(f"{folder}/part.c", f"""\
static void __attribute__((noinline)) twin(void) {{ __asm__(""); }}
void {folder}(void) {{ twin(); twin(); }}
""")
        workspace.write("main.c", """\
void one(void);
void two(void);
int main(void) { one(); two(); return 0; }
""")
        workspace.build_and_run(("main.c", "one/part.c", "two/part.c"))
        both = sorted(workspace.path(f"{folder}/part.c").as_uri() for folder in ("one", "two"))
        with Editor(workspace.directory, capabilities=capabilities()) as editor:
            for kind in ("flat-profile", "index", "function-ordering"):
                uri = f"gprof-report:/{kind}"
                columns = Columns(self.text(editor, uri))
                self.assertEqual(both, sorted(
                    link["target"].partition("#")[0] for link in self.links(editor, uri)
                    if columns.covered(link["range"]) == "twin"), kind)
            uri = "gprof-report:/call-graph"
            columns = Columns(self.text(editor, uri))
            files = {}
            for link in self.links(editor, uri):
                line = columns.lines[link["range"]["start"]["line"]]
                if columns.covered(link["range"]) == "twin" and "(" not in line:
                    number = re.search(r"twin \[(\d+)\]$", line)
                    if number:
                        files.setdefault(number[1], set()).add(link["target"].partition("#")[0])
            self.assertEqual([[uri] for uri in both], sorted(map(sorted, files.values())))

    def test_numbers_lead_to_entries_and_files_to_files(self):
        with Editor(self.counted.directory, capabilities=capabilities()) as editor:
            uri = "gprof-report:/call-graph"
            text = self.text(editor, uri)
            words = self.check_leads(editor, uri, text)
            entries = re.findall(r"^\[(\d+)\]", text, re.MULTILINE)
            # Each is named by at least one other line, and by the index.
            for number in entries:
                self.assertIn(f"[{number}]", words)
            uri = "gprof-report:/annotated-source"
            columns = Columns(self.text(editor, uri))
            targets = {columns.covered(link["range"]): link["target"]
                       for link in self.links(editor, uri)}
            self.assertEqual({str(self.counted.path(name)): editor.uri(name) for name in COUNTS},
                             targets)
            uri = "gprof-report:/execution-counts"
            columns = Columns(self.text(editor, uri))
            for link in self.links(editor, uri):
                place = re.fullmatch(r"(/.*):(\d+)", columns.covered(link["range"]))
                if place:
                    self.assertEqual(f"{pathlib.Path(place[1]).as_uri()}#L{place[2]}",
                                     link["target"])

    def test_every_layout(self):
        with Editor(self.counted.directory, capabilities=capabilities()) as editor:
            for options in ("", "-T", "-T -b", "-b -l", "-b --error", "-b --accurate", "-b -z",
                            "-b --inline-file-names"):
                uri = "gprof-report:/all?options=" + urllib.parse.quote(options)
                words = self.check_leads(editor, uri, self.text(editor, uri))
                self.assertGreater(words.count("factorial"), 2, options)

    def test_demangled_names(self):
        with Editor(self.shapes.directory, capabilities=capabilities()) as editor:
            uri = "gprof-report:/all"
            words = self.check_leads(editor, uri, self.text(editor, uri))
            for name in ("geometry::Box<int>::grow(int)", "overloaded(double)",
                         "(anonymous namespace)::hidden(int)", "geometry::Square::area() const"):
                self.assertIn(name, words)

    def test_encodings(self):
        workspace = Workspace(self.root / "letters")
        workspace.directory.mkdir(exist_ok=True)
        workspace.write("größe.c", """\
void __attribute__((noinline)) größe(void) { __asm__(""); }
int main(void) { /* ü𝄞 */ größe(); größe(); return 0; }
""")
        workspace.build_and_run(("größe.c",))
        for encoding in ("utf-8", "utf-16", "utf-32"):
            with Editor(workspace.directory, capabilities=capabilities(encoding)) as editor:
                for kind in ("all", "execution-counts", "index"):
                    uri = f"gprof-report:/{kind}"
                    words = self.check_leads(editor, uri, self.text(editor, uri), encoding)
                    self.assertIn("größe", words)
                self.assertEqual(editor.uri("größe.c"), self.links(
                    editor, "gprof-report:/annotated-source")[0]["target"])

    def test_bytes_that_are_no_text(self):
        workspace = Workspace(self.root / "latin")
        workspace.directory.mkdir(exist_ok=True)
        workspace.path("latin.c").write_bytes(
            b"/* gr\xfc\xdfe */ void f(void) { __asm__(\"\"); }\nint main(void) { f(); }\n")
        workspace.build_and_run(("latin.c",))
        with Editor(workspace.directory, capabilities=capabilities("utf-8")) as editor:
            text = self.text(editor, "gprof-report:/annotated-source")
            self.assertIn("/* gr\ufffd\ufffde */", text)

    def test_definitions(self):
        with Editor(self.counted.directory, capabilities=capabilities()) as editor:
            uri = "gprof-report:/all"
            columns = Columns(self.text(editor, uri))
            for link in self.links(editor, uri):
                for side in ("start", "end"):
                    answer = editor.client.request("textDocument/definition", {
                        "textDocument": {"uri": uri}, "position": link["range"][side]})
                    self.assertEqual(link["target"],
                                     f"{answer['uri']}#L{answer['range']['start']['line'] + 1}")
            word = columns.lines.index("Flat profile:")
            self.assertIsNone(editor.client.request("textDocument/definition", {
                "textDocument": {"uri": uri}, "position": {"line": word, "character": 2}}))

    def test_the_text_that_is_open_counts(self):
        name = "counts/shared.h"
        with Editor(self.counted.directory, capabilities=capabilities()) as editor:
            uri = "gprof-report:/flat-profile"
            text = "one more line\n" + self.text(editor, uri)
            editor.client.notify("textDocument/didOpen", {"textDocument": {
                "uri": uri, "languageId": "plaintext", "version": 1, "text": text}})
            self.check_leads(editor, uri, text)
            editor.open(name)
            start = {"line": 0, "character": 0}
            editor.client.notify("textDocument/didChange", {
                "textDocument": {"uri": editor.uri(name), "version": 2},
                "contentChanges": [{"range": {"start": start, "end": start}, "text": "\n\n"}]})
            columns = Columns(text)
            line = self.counted.line_of(name, "int fifty_steps") + 2
            self.assertEqual({f"{editor.uri(name)}#L{line}"}, {
                link["target"] for link in self.links(editor, uri)
                if columns.covered(link["range"]) == "fifty_steps"})

    def test_other_documents_have_none_of_it(self):
        for dynamic in (True, False):
            with Editor(self.counted.directory,
                        capabilities=capabilities(dynamic=dynamic)) as editor:
                for uri in (editor.uri("counts/work.c"), "untitled:x"):
                    self.assertEqual([], self.links(editor, uri))
                    self.assertEqual([], self.folds(editor, uri))
                    self.assertIsNone(editor.client.request("textDocument/definition", {
                        "textDocument": {"uri": uri}, "position": {"line": 2, "character": 11}}))
                self.assertEqual(not dynamic, "documentLinkProvider" in editor.offered)

    def test_tooltips_only_where_they_are_shown(self):
        plain = capabilities()
        del plain["textDocument"]["documentLink"]["tooltipSupport"]
        with Editor(self.counted.directory, capabilities=plain) as editor:
            links = self.links(editor, "gprof-report:/flat-profile")
            self.assertTrue(links)
            self.assertFalse([link for link in links if "tooltip" in link])


class Folds(Reports):
    def test_entries_of_the_call_graph(self):
        with Editor(self.counted.directory, capabilities=capabilities()) as editor:
            uri = "gprof-report:/call-graph"
            lines = self.text(editor, uri).split("\n")
            folds = {(f["startLine"], f["endLine"]) for f in self.folds(editor, uri)}
            begin = next(i for i, line in enumerate(lines) if line.startswith("index % time")) + 1
            entries = 0
            for number, line in enumerate(lines):
                if line.startswith("-----"):
                    if number - begin > 1:
                        self.assertIn((begin, number - 1), folds)
                        entries += 1
                    begin = number + 1
            self.assertGreater(entries, 5)

    def test_parts_of_a_document(self):
        with Editor(self.counted.directory, capabilities=capabilities()) as editor:
            uri = "gprof-report:/all?options="
            lines = self.text(editor, uri).split("\n")
            folds = self.folds(editor, uri)
            for fold in folds:
                self.assertTrue(0 <= fold["startLine"] < fold["endLine"] < len(lines))
                self.assertTrue(lines[fold["endLine"]].strip())
            begins = [lines[fold["startLine"]].strip() for fold in folds]
            for title in ("Flat profile:", "Call graph (explanation follows)",
                          "Index by function name"):
                self.assertEqual(1, begins.count(title), begins)
            self.assertEqual(2, sum(fold["kind"] == "comment" for fold in folds))
            uri = "gprof-report:/annotated-source"
            lines = self.text(editor, uri).split("\n")
            self.assertEqual([i for i, line in enumerate(lines) if line.startswith("*** File")],
                             [fold["startLine"] for fold in self.folds(editor, uri)
                              if lines[fold["startLine"]].startswith("*** File")])


class Reload(unittest.TestCase):
    def test_documents_are_made_anew(self):
        program = CountingProgram(fresh_folder(self.addCleanup))
        program.compile()
        program.run(5)
        with Editor(program.directory, capabilities=capabilities()) as editor:
            editor.client.answer_with("workspace/textDocumentContent/refresh", lambda _: None)
            uris = ["gprof-report:/flat-profile", "gprof-report:/call-graph"]
            for uri in uris:
                self.assertRegex(self.text(editor, uri), r"\b5\b.*leaf")
            closed = "gprof-report:/index"
            self.text(editor, closed)
            document = {"uri": closed, "languageId": "plaintext", "version": 1, "text": ""}
            editor.client.notify("textDocument/didOpen", {"textDocument": document})
            editor.client.notify("textDocument/didClose", {"textDocument": {"uri": closed}})
            program.run(7)
            editor.client.request("workspace/executeCommand", {"command": "gprof.reload"})
            for uri in uris:
                editor.client.wait_for_request("workspace/textDocumentContent/refresh",
                                               lambda params, uri=uri: params["uri"] == uri,
                                               PATIENCE)
                self.assertRegex(self.text(editor, uri), r"\b7\b.*leaf")
            self.assertEqual(2, editor.client.count_requests(
                "workspace/textDocumentContent/refresh"))

    def text(self, editor, uri):
        return editor.client.request("workspace/textDocumentContent", {"uri": uri})["text"]
