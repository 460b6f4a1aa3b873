"""An editor as the tests see it: opens files, and gives what the server shows, by line.

Lines are numbered from 1, as people and profiles number them. Where LSP_META_MODEL names the meta
model, every message that the server sent is held against it when the session ends.
"""
import os
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "scripts"))
sys.path.insert(0, str(HERE.parent / "protocol"))

import meta_model  # noqa: E402
from lsp_client import LspClient  # noqa: E402


class Editor:
    def __init__(self, workspace, settings=None, capabilities=None):
        self._folder = tempfile.TemporaryDirectory(prefix="gprof-lsp-record-")
        self._record = pathlib.Path(self._folder.name) / "conversation.jsonl"
        self.client = LspClient([os.environ["GPROF_LSP_SERVER"], "--stdio"], settings=settings,
                                record=self._record, capabilities=capabilities)
        self.workspace = pathlib.Path(workspace)
        self.messages = []
        self.client.on_notification("window/showMessage", self.messages.append)
        self.client.initialize(str(self.workspace))

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        status = self.client.shutdown()
        model = os.environ.get("LSP_META_MODEL")
        defects = []
        if model and pathlib.Path(model).is_file():
            defects = meta_model.check_conversation(model, self._record)
        self._folder.cleanup()
        if failure is None:
            assert status == 0, f"the server ended with {status}"
            assert not defects, defects

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
