"""Whole conversations, every method in them: the same answers over every transport and however the
bytes are split, and every message of the server valid by the meta model."""

import copy
import random
import socket

import harness
import meta_model
from listening_server import ListeningServer
from lsp_client import FULL_CAPABILITIES, LspClient
from profiled_program import Workspace

SOURCES = ("counts/main.c", "counts/work.c", "counts/shared.h")
CAPABILITIES = copy.deepcopy(FULL_CAPABILITIES)
CAPABILITIES["workspace"]["textDocumentContent"] = {}
CAPABILITIES["workspace"]["diagnostics"] = {"refreshSupport": True}
CAPABILITIES["textDocument"].update({
    "codeLens": {"resolveSupport": {"properties": ["command"]}},
    "inlayHint": {"resolveSupport": {"properties": ["tooltip", "label.location"]}},
    "diagnostic": {}, "references": {}, "definition": {}, "foldingRange": {}, "documentLink": {}})
CAPABILITIES["experimental"] = {"gprof": {"version": 1}}

SPLITS = {
    "whole messages": lambda data, _: [data],
    "byte by byte": lambda data, _: [data[i:i + 1] for i in range(len(data))],
    "random pieces": lambda data, chance: cut(data, chance),
}


def cut(data, chance):
    pieces, begin = [], 0
    while begin < len(data):
        end = begin + chance.randint(1, 40)
        pieces.append(data[begin:end])
        begin = end
    return pieces


class SplittingClient(LspClient):
    def __init__(self, *arguments, split, **members):
        self._split = split
        self._chance = random.Random(5)
        super().__init__(*arguments, **members)

    def _write(self, data):
        for piece in self._split(data, self._chance):
            super()._write(piece)


def whole(text):
    return {"start": {"line": 0, "character": 0},
            "end": {"line": text.count("\n") + 1, "character": 0}}


def converse(client, workspace):
    """Asks for everything; gives what was answered, by method."""
    work = workspace.path("counts/work.c")
    uri, text = work.as_uri(), work.read_text()
    document = {"textDocument": {"uri": uri}}
    line = workspace.line_of("counts/work.c", "int factorial") - 1
    name = text.splitlines()[line].index("factorial")
    place = dict(document, position={"line": line, "character": name})
    answers = {}

    def ask(method, params):
        answers.setdefault(method, []).append(client.request(method, params))
        return answers[method][-1]

    client.notify("textDocument/didOpen", {"textDocument": {
        "uri": uri, "languageId": "c", "version": 1, "text": text}})
    lenses = ask("textDocument/codeLens", document)
    for lens in lenses:
        ask("codeLens/resolve", lens)
    hints = ask("textDocument/inlayHint", dict(document, range=whole(text)))
    for hint in hints:
        ask("inlayHint/resolve", hint)
    ask("textDocument/hover", place)
    items = ask("textDocument/prepareCallHierarchy", place)
    ask("callHierarchy/incomingCalls", {"item": items[0]})
    ask("callHierarchy/outgoingCalls", {"item": items[0]})
    ask("textDocument/references", dict(place, context={"includeDeclaration": True}))
    ask("textDocument/diagnostic", document)
    ask("workspace/symbol", {"query": "fact"})
    ask("workspace/executeCommand", {"command": "gprof.showCallers", "arguments": [
        {"uri": uri, "position": place["position"]}]})
    ask("gprof/lineData", document)
    ask("gprof/hotSpots", {})
    ask("gprof/tests", document)
    ask("gprof/tests", {})
    ask("gprof/flatProfile", {})
    ask("gprof/cycles", {})
    ask("gprof/callGraph", dict(place, direction="both"))
    ask("gprof/callSites", dict(place, direction="callers"))
    ask("gprof/callSites", dict(place, direction="callees"))
    ask("gprof/flameGraph", {})
    ask("gprof/flameGraph", place)
    ask("gprof/programs", {})
    ask("gprof/idle", {})
    ask("gprof/metrics", {})
    ask("gprof/timeline", {"rows": "processes"})
    ask("gprof/report", {"kind": "flat-profile"})
    report = {"uri": "gprof-report:/call-graph"}
    ask("workspace/textDocumentContent", report)
    links = ask("textDocument/documentLink", {"textDocument": report})
    ask("textDocument/foldingRange", {"textDocument": report})
    ask("textDocument/definition", {"textDocument": report, "position": links[0]["range"]["start"]})
    client.notify("textDocument/didChange", {
        "textDocument": {"uri": uri, "version": 2}, "contentChanges": [
            {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}},
             "text": "/* äöü 😀 */\n\n"}]})
    ask("textDocument/codeLens", document)
    client.notify("textDocument/didSave", document)
    client.notify("textDocument/didClose", document)
    return answers


class Transcripts(harness.ProtocolTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()

    def setUp(self):
        super().setUp()
        self.workspace = Workspace(self.folder / "program", *SOURCES)
        self.workspace.build_and_run(SOURCES[:2])
        self.record = self.folder / "transcript.jsonl"

    def hold(self, client, connection_is_closed=False):
        """One conversation; gives its answers after they were judged."""
        client.initialize(self.workspace.directory)
        answers = converse(client, self.workspace)
        code = client.shutdown()
        if not connection_is_closed:
            self.assertEqual(0, code)
        if harness.meta_model_path():
            self.assertEqual([], meta_model.check_conversation(harness.meta_model_path(),
                                                               self.record))
        for method, results in answers.items():
            self.assertTrue(results[-1] or method == "gprof/idle", f"{method} was answered with nothing")
        return answers

    def over_streams(self, split):
        return self.hold(SplittingClient([harness.SERVER, "--stdio"], split=split,
                                         record=self.record, capabilities=CAPABILITIES,
                                         environment=self.environment()))

    def environment(self):
        return None

    def over_tcp(self, split):
        server = ListeningServer(self, folders=[self.folder])
        try:
            connection = server.socket()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return self.hold(SplittingClient(connection=connection, split=split,
                                             record=self.record, capabilities=CAPABILITIES,
                                             token=server.token),
                             connection_is_closed=True)
        finally:
            server.close()

    def test_the_answers_depend_on_neither_the_transport_nor_the_splits(self):
        expected = self.over_streams(SPLITS["whole messages"])
        for name, split in SPLITS.items():
            with self.subTest(name, transport="stdio"):
                self.assertEqual(expected, self.over_streams(split))
            with self.subTest(name, transport="TCP"):
                self.assertEqual(expected, self.over_tcp(split))
