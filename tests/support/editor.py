"""An editor for tests: opens files, and returns what the server shows, by line.

Lines are numbered from 1, as people and profiles number them. If LSP_META_MODEL names the meta
model, every message from the server is checked against it when the session ends.
"""
import os
import pathlib
import re
import tempfile
import time

import meta_model
from lsp_client import PATIENCE, LspClient
from own_folders import own_environment


class Editor:
    """`environment` is the server's; by default it has its own cache and state. `opened`: the files that
    are open from the start. `folders`: those of the workspace, below it; by default it is one itself. `name`:
    what the editor says it is."""

    def __init__(self, workspace, settings=None, capabilities=None, environment=None, opened=(), folders=(),
                 server=None, name=None):
        self._folder = tempfile.TemporaryDirectory(prefix="gprof-lsp-record-")
        self._record = pathlib.Path(self._folder.name) / "conversation.jsonl"
        self.client = LspClient([server or os.environ["GPROF_LSP_SERVER"], "--stdio"], settings=settings,
                                record=self._record, capabilities=capabilities,
                                environment=environment or own_environment(self._folder.name))
        self.workspace = pathlib.Path(workspace)
        self.messages = []
        self._versions = {}
        self.client.on_notification("window/showMessage", self.messages.append)
        members = {"clientInfo": {"name": name}} if name else {}
        if folders:
            members["workspaceFolders"] = [{"uri": self.uri(folder), "name": folder} for folder in folders]
        self.offered = self.client.initialize(str(self.workspace), **members)["capabilities"]
        for file in opened:
            self.open(file)

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

    def open(self, name, text=None):
        """Opens the file; with `text`, as an unsaved change of the text on disk."""
        path = self.workspace / name
        self._versions[name] = 1
        self.client.notify("textDocument/didOpen", {"textDocument": {
            "uri": self.uri(name), "languageId": "c", "version": 1,
            "text": path.read_text(errors="replace") if text is None else text}})

    def edit(self, name, text):
        """Replaces all of an open document's text."""
        self._versions[name] += 1
        self.client.notify("textDocument/didChange", {
            "textDocument": {"uri": self.uri(name), "version": self._versions[name]},
            "contentChanges": [{"text": text}]})

    def save(self, name):
        self.client.notify("textDocument/didSave", {"textDocument": {"uri": self.uri(name)}})

    def files_changed(self, *names):
        """Notifies the server as a client does that watches files for it."""
        self.client.notify("workspace/didChangeWatchedFiles", {
            "changes": [{"uri": self.uri(name), "type": 2} for name in names]})

    def refreshes(self):
        """The number of loads so far: the server sends one refresh of the lenses for each. It may answer requests from
        a load before it sends the refresh, so this waits until the server is idle."""
        self.settle()
        return self._refresh_count()

    def wait_for_loads(self, count):
        self.client.wait_until(lambda: self._refresh_count() >= count, PATIENCE, f"{count} loads")

    def _refresh_count(self):
        return self.client.count_requests("workspace/codeLens/refresh")

    def wait_for(self, look, what):
        """What look() finds, which is asked again and again: not every change has a refresh."""
        end = time.monotonic() + PATIENCE
        while not (found := look()):
            if time.monotonic() > end:
                raise TimeoutError(f"no sign of {what} within {PATIENCE} seconds")
            time.sleep(0.05)
        return found

    def settle(self):
        """Returns when the server has done, and sent, all that it had to do before: what has not come by then does not
        come."""
        self.client.request("gprof/idle", {})

    def wait_for_lens(self, name, line, beginning):
        """Waits until the lenses of a line begin so."""
        self.wait_for(lambda: any(title.startswith(beginning)
                                  for title in self.lenses(name).get(line, ())),
                      f"a lens {beginning!r} on line {line} of {name}")

    def all_messages(self):
        """What window/showMessage says. Messages of a load may come after the answers that it makes possible, so this
        waits until the server is idle."""
        self.settle()
        return self.messages

    def wait_for_message(self, *words, after=0):
        """Waits for a message with these words among those that come behind the first `after`."""
        self.client.wait_until(
            lambda: any(all(word in m["message"] for word in words)
                        for m in self.messages[after:]), PATIENCE, f"a message with {words}")

    def lenses(self, name):
        """Line -> titles, in the order of their columns."""
        found = {}
        for lens in self.client.request("textDocument/codeLens",
                                        {"textDocument": {"uri": self.uri(name)}}):
            if "command" not in lens:
                lens = self.client.request("codeLens/resolve", lens)
            found.setdefault(lens["range"]["start"]["line"] + 1, []).append(
                lens["command"]["title"])
        return found

    def hints(self, name, first=1, last=100000):
        whole = {"start": {"line": first - 1, "character": 0}, "end": {"line": last, "character": 0}}
        answer = self.client.request("textDocument/inlayHint",
                                     {"textDocument": {"uri": self.uri(name)}, "range": whole})
        # A client that resolves labels gets them in parts.
        return {hint["position"]["line"] + 1:
                hint["label"] if isinstance(hint["label"], str)
                else "".join(part["value"] for part in hint["label"]) for hint in answer}

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
