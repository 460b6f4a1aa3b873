"""Documents and their edits, seen through the lenses of a small program that was profiled here."""

import subprocess

import harness
from lsp_client import FULL_CAPABILITIES

SOURCE = """static int work(int n) {
  return n * 3;
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 7; i++)
    sum += work(i);
  return sum == 0;
}
"""


class Synchronisation(harness.ProtocolTest):
    def setUp(self):
        super().setUp()
        self.source = self.folder / "pro gram.c"
        self.source.write_text(SOURCE)
        self.uri = self.source.as_uri()
        subprocess.run([self.compiler(), "-g", "-O0", "-pg", str(self.source), "-o", "program"],
                       cwd=self.folder, check=True)
        subprocess.run(["./program"], cwd=self.folder, check=True)

    def session(self, encoding="utf-16", text=SOURCE):
        settings = {"programs": [{"executable": str(self.folder / "program"),
                                  "profiles": [str(self.folder / "gmon.out")]}]}
        capabilities = dict(FULL_CAPABILITIES, general={"positionEncodings": [encoding]})
        client = self.open_session(settings=settings, capabilities=capabilities)
        self.open(client, text)
        return client

    def open(self, client, text):
        client.notify("textDocument/didOpen", {"textDocument": {
            "uri": self.uri, "languageId": "c", "version": 1, "text": text}})
        self.version = 1

    def change(self, client, *changes):
        """Each change: ((line, character), (line, character), text), or a whole text."""
        self.version += 1
        events = []
        for change in changes:
            if isinstance(change, str):
                events.append({"text": change})
                continue
            start, end, text = change
            events.append({"range": {name: {"line": line, "character": character}
                                     for name, (line, character) in
                                     (("start", start), ("end", end))}, "text": text})
        client.notify("textDocument/didChange", {
            "textDocument": {"uri": self.uri, "version": self.version}, "contentChanges": events})

    def lens_of_work(self, client):
        """Where the lens of `work` is: its line and its first and last character."""
        lenses = client.request("textDocument/codeLens", {"textDocument": {"uri": self.uri}})
        places = [lens["range"] for lens in lenses if lens["command"]["title"].startswith("7 ")]
        self.assertLessEqual(len(places), 1, lenses)
        if not places:
            return None
        place = places[0]
        return place["start"]["line"], place["start"]["character"], place["end"]["character"]

    def test_lenses_move_with_the_lines_above_them(self):
        client = self.session()
        self.assertEqual(0, self.lens_of_work(client)[0])
        self.change(client, ((0, 0), (0, 0), "// one\n// two\n"))
        self.assertEqual(2, self.lens_of_work(client)[0])
        self.change(client, ((0, 0), (1, 0), ""), ((0, 0), (0, 0), "\r\n\r"))
        self.assertEqual(3, self.lens_of_work(client)[0])
        self.assertEqual(0, client.shutdown())

    def test_a_deleted_function_has_no_lens_until_it_is_back(self):
        client = self.session()
        lines = SOURCE.splitlines(keepends=True)
        self.change(client, ((0, 0), (4, 0), ""))
        self.assertIsNone(self.lens_of_work(client))
        self.change(client, ((0, 0), (0, 0), "".join(lines[:4])))
        self.assertEqual(0, self.lens_of_work(client)[0])
        self.assertEqual(0, client.shutdown())

    def test_whole_texts_are_compared_line_by_line(self):
        client = self.session()
        self.change(client, "#include <stdio.h>\n\n" + SOURCE.replace("sum == 0", "!sum"))
        self.assertEqual(2, self.lens_of_work(client)[0])
        self.assertEqual(0, client.shutdown())

    def test_a_saved_document_keeps_its_lines(self):
        client = self.session()
        self.change(client, ((0, 0), (0, 0), "\n"))
        client.notify("textDocument/didSave", {"textDocument": {"uri": self.uri}})
        self.assertEqual(1, self.lens_of_work(client)[0])
        self.assertEqual(0, client.shutdown())

    def test_positions_are_in_the_encoding_that_was_agreed(self):
        # A smiley before the edit: 4 bytes, 2 UTF-16 units, 1 code point.
        for encoding, units in (("utf-8", 4), ("utf-16", 2), ("utf-32", 1)):
            client = self.session(encoding)
            self.change(client, ((0, 0), (0, 0), "/*\U0001f600*/x"))
            end = 4 + units
            # Takes exactly the x away; then the lens starts where `work` does.
            self.change(client, ((0, end), (0, end + 1), ""))
            line, first, last = self.lens_of_work(client)
            self.assertEqual((0, end + SOURCE.index("work"), 4), (line, first, last - first))
            self.assertEqual(0, client.shutdown())

    def test_a_document_that_is_not_open_cannot_be_changed(self):
        client = self.session()
        client.notify("textDocument/didClose", {"textDocument": {"uri": self.uri}})
        self.change(client, ((0, 0), (0, 0), "\n"))
        warning = client.wait_for_notification("window/logMessage",
                                               lambda p: "didChange" in p["message"])
        self.assertIn(self.uri, warning["message"])
        client.notify("textDocument/didClose", {"textDocument": {"uri": self.uri}})
        client.wait_for_notification("window/logMessage", lambda p: "didClose" in p["message"])
        self.open(client, SOURCE)
        self.assertEqual(0, self.lens_of_work(client)[0])
        self.assertEqual(0, client.shutdown())

    def test_a_uri_may_be_written_in_several_ways(self):
        client = self.session()
        self.change(client, ((0, 0), (0, 0), "\n"))
        self.assertIn("%20", self.uri)
        other = {"textDocument": {"uri": self.uri.replace("program", "%70rogram")}}
        lenses = client.request("textDocument/codeLens", other)
        self.assertEqual(client.request("textDocument/codeLens",
                                        {"textDocument": {"uri": self.uri}}), lenses)
        self.assertEqual(0, client.shutdown())

    def test_lenses_and_hints_can_be_switched_off_while_running(self):
        client = self.session()
        self.assertIsNotNone(self.lens_of_work(client))
        client.settings = dict(client.settings, codeLens={"enable": False})
        client.notify("workspace/didChangeConfiguration", {"settings": None})
        client.wait_until(lambda: client.count_requests("workspace/configuration") == 2, 60,
                          "a second workspace/configuration")
        self.assertIsNone(self.lens_of_work(client))
        self.assertEqual(0, client.shutdown())
