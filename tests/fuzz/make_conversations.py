#!/usr/bin/env python3
"""Writes the seeds of corpus/server and corpus/framing: short conversations of a client."""
import json
import pathlib

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"
URI = "file:///src/seed.c"
TEXT = "int leaf(int x) {\n  return x;\n}\nint middle(int x) { return leaf(x); }\nint größe;\n" * 4


def framed(message):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def conversation(*messages, capabilities=None):
    start = [("initialize", {"processId": None, "rootUri": None,
                             "capabilities": capabilities or {}}), ("initialized", {})]
    stream, ident = b"", 0
    for method, parameters in [*start, *messages]:
        message = {"jsonrpc": "2.0", "method": method, "params": parameters}
        if method not in ("initialized", "exit") and not method.startswith("textDocument/did"):
            ident += 1
            message["id"] = ident
        stream += framed(message)
    return stream


def main():
    document = {"textDocument": {"uri": URI}}
    opened = ("textDocument/didOpen", {"textDocument": {
        "uri": URI, "languageId": "c", "version": 1, "text": TEXT}})
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    places = [("textDocument/hover", {**document, "position": {"line": line, "character": 5}})
              for line in range(8)]
    hierarchy = [("textDocument/prepareCallHierarchy",
                  {**document, "position": {"line": line, "character": 5}}) for line in range(4)]
    item = {"name": "leaf", "kind": 12, "uri": URI, "range": whole, "selectionRange": whole,
            "data": {"program": "x", "symbol": "leaf", "address": "401126"}}
    seeds = {
        "annotations": conversation(
            opened, ("textDocument/codeLens", document),
            ("textDocument/inlayHint", {**document, "range": whole}), *places, *hierarchy,
            ("workspace/symbol", {"query": ""}), ("shutdown", None), ("exit", None)),
        "edits": conversation(
            opened, ("textDocument/didChange", {
                "textDocument": {"uri": URI, "version": 2},
                "contentChanges": [{"range": whole, "text": "x"}, {"text": TEXT}]}),
            ("textDocument/codeLens", document),
            capabilities={"general": {"positionEncodings": ["utf-8"]}}),
        "hierarchy": conversation(
            ("callHierarchy/incomingCalls", {"item": item}),
            ("callHierarchy/outgoingCalls", {"item": item}),
            ("workspace/executeCommand", {"command": "gprof.showCallers", "arguments": [
                {"uri": URI, "position": {"line": 0, "character": 4}}]})),
        "garbage": framed(b"{") + framed(b"[1, 2]") + framed({"id": 1}) + b"Content-Length: x\r\n\r\n",
    }
    for folder, prefix in (("server", b""), ("framing", b"\x07")):
        (CORPUS / folder).mkdir(parents=True, exist_ok=True)
        for name, stream in seeds.items():
            (CORPUS / folder / name).write_bytes(prefix + stream)


if __name__ == "__main__":
    main()
