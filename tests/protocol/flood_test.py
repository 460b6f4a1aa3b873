"""More than a server can do at once: everything is answered, the newest state wins, memory stays
bounded."""

import harness
from lsp_client import ResponseError
from process_memory import resident_bytes
from profiled_program import Workspace
from tested_build import SANITIZED, not_sanitized

CONTENT_MODIFIED = -32801
REQUEST_CANCELLED = -32800
REQUEST_FAILED = -32803
SOURCES = ("counts/main.c", "counts/work.c", "counts/shared.h")
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 1000000, "character": 0}}


class Flood(harness.ProtocolTest):
    def setUp(self):
        super().setUp()
        self.workspace = Workspace(self.folder / "program", *SOURCES)
        self.workspace.build_and_run(SOURCES[:2])
        self.work = self.workspace.path("counts/work.c")
        self.document = {"textDocument": {"uri": self.work.as_uri()}}

    def open_work(self, client, text):
        client.notify("textDocument/didOpen", {"textDocument": {
            "uri": self.work.as_uri(), "languageId": "c", "version": 1, "text": text}})

    def insert(self, client, version, line, text):
        place = {"line": line, "character": 0}
        client.notify("textDocument/didChange", {
            "textDocument": {"uri": self.work.as_uri(), "version": version},
            "contentChanges": [{"range": {"start": place, "end": place}, "text": text}]})

    def hints(self, client):
        return client.request("textDocument/inlayHint", dict(self.document, range=WHOLE))

    def test_requests_between_edits_are_answered_from_the_newest_state(self):
        # A megabyte behind the code: each version that a waiting request kept would be seen.
        text = self.work.read_text() + "// padding padding padding\n" * 40_000
        client = self.open_session(root=self.workspace.directory)
        self.open_work(client, text)
        lines_before = [hint["position"]["line"] for hint in self.hints(client)]
        self.assertTrue(lines_before)
        before = resident_bytes(client.process.pid)
        rounds = 600
        waiting = []
        for number in range(rounds):
            self.insert(client, number + 2, 0, "\n")
            for method in ("textDocument/inlayHint", "textDocument/codeLens"):
                waiting.append(client.start_request(method, dict(self.document, range=WHOLE)))
            waiting.append(client.start_request("textDocument/hover", dict(
                self.document, position={"line": 1, "character": 0})))
        answered = 0
        for request in waiting:
            try:
                request.result()
                answered += 1
            except ResponseError as error:
                self.assertEqual(CONTENT_MODIFIED, error.code, error.message)
        self.assertGreater(answered, 0)
        last_hints = waiting[-3].result()
        self.assertEqual([line + rounds for line in lines_before],
                         [hint["position"]["line"] for hint in last_hints])
        if not SANITIZED:
            grown = resident_bytes(client.process.pid, peak=True) - before
            self.assertLess(grown, rounds * len(text) / 4, "waiting requests keep old texts")
        self.assertEqual(0, client.shutdown())

    def test_what_is_cancelled_is_answered_as_cancelled(self):
        client = self.open_session(root=self.workspace.directory)
        self.open_work(client, self.work.read_text())
        self.hints(client)
        requests = []
        for _ in range(2000):
            requests.append(client.start_request("textDocument/codeLens", self.document))
            client.cancel(requests[-1])
        codes = set()
        for request in requests:
            try:
                request.result()
            except ResponseError as error:
                codes.add(error.code)
        self.assertLessEqual(codes, {REQUEST_CANCELLED})
        self.assertTrue(self.hints(client))
        self.assertEqual(0, client.shutdown())

    def test_more_requests_than_are_taken_are_refused_and_the_server_lives(self):
        client = self.open_session(root=self.workspace.directory)
        self.open_work(client, self.work.read_text())
        requests = [client.start_request("textDocument/inlayHint", dict(self.document, range=WHOLE))
                    for _ in range(15_000)]
        for request in requests:
            try:
                self.assertTrue(request.result())
            except ResponseError as error:
                self.assertEqual(REQUEST_FAILED, error.code)
        self.assertTrue(self.hints(client))
        self.assertEqual(0, client.shutdown())


class ManyDocuments(harness.ProtocolTest):
    def open(self, client, number, text):
        client.notify("textDocument/didOpen", {"textDocument": {
            "uri": (self.folder / f"{number}.c").as_uri(), "languageId": "c", "version": 1,
            "text": text}})

    def settle(self, client):
        client.request("workspace/symbol", {"query": "none"})

    def test_large_ones_are_kept_as_far_as_there_is_room_and_that_is_told_once(self):
        client = self.open_session()
        # What a line needs is more than its letter.
        text = "\n" * (8 << 20)
        documents = 12
        before = resident_bytes(client.process.pid)
        for number in range(documents):
            self.open(client, number, text)
        self.settle(client)
        if not SANITIZED:
            grown = resident_bytes(client.process.pid, peak=True) - before
            self.assertLess(grown, 10 * documents * len(text))
        told = [params["message"] for method, params in client.notifications
                if method == "window/showMessage"]
        self.assertEqual(1, len(told), told)
        self.assertIn("there is no room for this document", told[0])
        # What is said of those that were left out hurts nobody; those that were kept are followed.
        for number in range(documents):
            document = {"uri": (self.folder / f"{number}.c").as_uri()}
            client.notify("textDocument/didChange", {
                "textDocument": dict(document, version=2), "contentChanges": [{"text": "x"}]})
            self.assertEqual([], client.request("textDocument/codeLens", {"textDocument": document}))
            client.notify("textDocument/didClose", {"textDocument": document})
        self.open(client, "small", "int a;\n")
        self.settle(client)

    @not_sanitized("a sanitizer keeps what was freed")
    def test_what_is_left_out_leaves_no_holes_between_what_is_kept(self):
        client = self.open_session()
        line = "  int value = compute(index, 42);\n"
        text = line * (20_000_000 // len(line))
        room = 512 << 20
        before = resident_bytes(client.process.pid)
        for number in range(20):
            self.open(client, number, text)
        self.settle(client)
        grown = resident_bytes(client.process.pid) - before
        self.assertGreater(grown, room / 2)
        self.assertLess(grown, room + len(text))
        self.assertEqual(1, sum(method == "window/showMessage"
                                for method, _ in client.notifications))
        self.assertEqual(0, client.shutdown())
