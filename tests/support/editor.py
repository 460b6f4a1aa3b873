"""An editor as the tests see it: opens files, and gives what the server shows, by line.

Lines are numbered from 1, as people and profiles number them.
"""
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))

from lsp_client import LspClient  # noqa: E402


class Editor:
    def __init__(self, workspace, settings=None, record=None, capabilities=None):
        self.client = LspClient([os.environ["GPROF_LSP_SERVER"], "--stdio"],
                                settings=settings, record=record, capabilities=capabilities)
        self.workspace = pathlib.Path(workspace)
        self.messages = []
        self.client.on_notification("window/showMessage", self.messages.append)
        self.client.initialize(str(self.workspace))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.shutdown()

    def uri(self, name):
        return (self.workspace / name).resolve().as_uri()

    def open(self, name):
        path = self.workspace / name
        self.client.notify("textDocument/didOpen", {"textDocument": {
            "uri": self.uri(name), "languageId": "c", "version": 1,
            "text": path.read_text(errors="replace")}})

    def lenses(self, name):
        """Line -> titles, in the order of their columns."""
        found = {}
        for lens in self.client.request("textDocument/codeLens",
                                        {"textDocument": {"uri": self.uri(name)}}):
            found.setdefault(lens["range"]["start"]["line"] + 1, []).append(
                lens["command"]["title"])
        return found

    def hints(self, name, first=1, last=100000):
        whole = {"start": {"line": first - 1, "character": 0}, "end": {"line": last, "character": 0}}
        answer = self.client.request("textDocument/inlayHint",
                                     {"textDocument": {"uri": self.uri(name)}, "range": whole})
        return {hint["position"]["line"] + 1: hint["label"] for hint in answer}

    def place(self, name, line, word):
        text = (self.workspace / name).read_text().splitlines()[line - 1]
        column = re.search(rf"\b{re.escape(word)}\b", text).start()
        return {"textDocument": {"uri": self.uri(name)},
                "position": {"line": line - 1, "character": column}}

    def hover(self, name, line, word):
        answer = self.client.request("textDocument/hover", self.place(name, line, word))
        return answer and answer["contents"]["value"]

    def hierarchy(self, name, line, word):
        """(item, callers, callees); callers and callees: name -> (detail, lines of call sites)."""
        items = self.client.request("textDocument/prepareCallHierarchy",
                                    self.place(name, line, word))
        assert len(items) == 1, items
        incoming = self.client.request("callHierarchy/incomingCalls", {"item": items[0]})
        outgoing = self.client.request("callHierarchy/outgoingCalls", {"item": items[0]})

        def by_name(calls, end):
            return {f"{pathlib.Path(call[end]['uri']).name}:{call[end]['name']}":
                    (call[end]["detail"],
                     [r["start"]["line"] + 1 for r in call["fromRanges"]]) for call in calls}
        return items[0], by_name(incoming, "from"), by_name(outgoing, "to")
