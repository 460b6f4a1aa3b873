"""The protocol's meta model as a judge: of a whole conversation, and of messages that it must refuse.

The other tests hold their conversations against it as well, where it is there.
"""

import json
import unittest

import harness
import meta_model
from tested_build import NOT_HERE

INITIALIZE = {"from": "client", "message": {"jsonrpc": "2.0", "id": 1, "method": "initialize",
                                            "params": {}}}


def sent(**members):
    return {"from": "server", "message": dict({"jsonrpc": "2.0"}, **members)}


def asked(method, identity=2):
    return {"from": "client",
            "message": {"jsonrpc": "2.0", "id": identity, "method": method, "params": {}}}


RANGE = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}

DEFECTIVE = {
    "no version": [{"from": "server", "message": {"method": "window/logMessage", "params": {
        "type": 1, "message": "m"}}}],
    "unknown method": [sent(method="window/shout", params={})],
    "a client's method": [sent(method="textDocument/didOpen", params={"textDocument": {
        "uri": "file:///a", "languageId": "c", "version": 1, "text": ""}})],
    "missing member": [sent(method="window/logMessage", params={"type": 1})],
    "member of a wrong type": [sent(method="window/logMessage", params={"type": 1, "message": 2})],
    "value out of an enumeration": [sent(method="window/logMessage",
                                         params={"type": 9, "message": "m"})],
    "unknown member": [asked("textDocument/hover"), sent(id=2, result={
        "contents": {"kind": "markdown", "value": "v"}, "colour": 1})],
    "negative position": [asked("textDocument/codeLens"), sent(id=2, result=[
        {"range": dict(RANGE, start={"line": -1, "character": 0})}])],
    "result and error": [asked("shutdown"), sent(id=2, result=None, error={
        "code": 1, "message": "m"})],
    "neither result nor error": [asked("shutdown"), sent(id=2)],
    "an answer to nothing": [sent(id=77, result=None)],
    "answered twice": [asked("shutdown"), sent(id=2, result=None), sent(id=2, result=None)],
    "never answered": [asked("shutdown"), {"from": "client", "message": {
        "jsonrpc": "2.0", "method": "exit"}}],
    "an error without a message": [asked("shutdown"), sent(id=2, error={"code": 1})],
    "initialize without capabilities": [INITIALIZE, sent(id=1, result={})],
    "a uri that is none": [asked("textDocument/prepareCallHierarchy"), sent(id=2, result=[{
        "name": "f", "kind": 12, "uri": "a.c", "range": RANGE, "selectionRange": RANGE}])],
}

SOUND = [
    asked("textDocument/hover"), sent(id=2, result=None),
    asked("textDocument/inlayHint", 3), sent(id=3, result=[
        {"position": {"line": 1, "character": 2}, "label": [{"value": "v"}], "paddingLeft": True}]),
    asked("gprof/lineData", 4), sent(id=4, result={"anything": 1}),
    asked("no/such", 5), sent(id=5, error={"code": -32601, "message": "m"}),
    sent(id=None, error={"code": -32700, "message": "m"}),
    sent(id=1, method="workspace/codeLens/refresh"),
    sent(method="$/progress", params={"token": "t", "value": {"kind": "end"}}),
]


class MetaModel(harness.ProtocolTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.model = harness.meta_model_path()
        if not cls.model:
            raise unittest.SkipTest(f"{NOT_HERE}LSP_META_MODEL does not name the protocol's meta model")

    def defects(self, entries):
        record = self.folder / "record.jsonl"
        record.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
        return meta_model.check_conversation(self.model, record)

    def test_what_is_wrong_is_found(self):
        for name, entries in DEFECTIVE.items():
            with self.subTest(name):
                self.assertEqual(1, len(self.defects(entries)))

    def test_what_is_right_is_passed(self):
        self.assertEqual([], self.defects(SOUND))

    def test_a_conversation_with_every_sort_of_message(self):
        client = self.open_session(settings={"unknown": 1, "logLevel": "debug"})
        text = {"uri": "file:///a.c", "languageId": "c", "version": 1, "text": "int main;\n"}
        document = {"textDocument": {"uri": text["uri"]}}
        place = dict(document, position={"line": 0, "character": 4})
        client.notify("textDocument/didOpen", {"textDocument": text})
        client.request("textDocument/hover", place)
        client.request("textDocument/codeLens", document)
        client.request("textDocument/inlayHint", dict(document, range=RANGE))
        client.request("textDocument/prepareCallHierarchy", place)
        client.request("workspace/symbol", {"query": ""})
        client.start_request("no/such").error()
        item = {"name": "f", "kind": 12, "uri": text["uri"], "range": RANGE,
                "selectionRange": RANGE}
        for direction in ("incomingCalls", "outgoingCalls"):
            pending = client.start_request(f"callHierarchy/{direction}", {"item": item})
            client.wait_until(lambda: pending.response is not None, 60, direction)
        client.notify("textDocument/didClose", document)
        client.send_bytes(b"Content-Length: x\r\n\r\n")
        client.wait_for_stray_error()
        self.assertEqual(0, client.shutdown())
