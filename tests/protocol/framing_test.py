"""The base protocol over real streams: any split, damaged headers, damaged content."""

import json
import os
import subprocess

import harness
from lsp_client import frame

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
HOVER = {"jsonrpc": "2.0", "method": "textDocument/hover",
         "params": {"textDocument": {"uri": "file:///a.c"},
                    "position": {"line": 0, "character": 0}}}


class Framing(harness.ProtocolTest):
    def quiet_session(self):
        """A client that the server asks nothing: no answer can get between the bytes of a test."""
        return self.open_session(capabilities={})

    def ask(self, client):
        """The server is alive and understands the next message."""
        self.assertIsNone(client.request("textDocument/hover", HOVER["params"]))

    def test_every_split_of_a_message(self):
        client = self.quiet_session()
        length = len(frame(dict(HOVER, id="split 000")))
        for split in range(length):
            message = dict(HOVER, id=f"split {split:3}")
            data = frame(message)
            client.send_bytes(data[:split], [message])
            client.send_bytes(data[split:])
        message = dict(HOVER, id="byte by byte")
        client.send_bytes(b"", [message])
        for byte in frame(message):
            client.send_bytes(bytes([byte]))
        self.ask(client)
        self.assertEqual([], client.stray_errors)
        self.assertEqual(0, client.shutdown())

    def test_many_messages_at_once(self):
        client = self.quiet_session()
        messages = [dict(HOVER, id=f"many {i}") for i in range(1000)]
        client.send_bytes(b"".join(frame(message) for message in messages), messages)
        self.ask(client)
        self.assertEqual([], client.stray_errors)
        self.assertEqual(0, client.shutdown())

    def test_damaged_headers(self):
        client = self.quiet_session()
        damaged = [b"Content-Length: x\r\n\r\n{}", b"Content-Length: -5\r\n\r\n", b"garbage\r\n\r\n",
                   b"Content-Type: text\r\n\r\n{}", b"\x00\xff\xfe\r\n\r\n",
                   b"Content-Length: 999999999999999999999999\r\n\r\n", b"x" * 100_000,
                   b"Content-Length: 3\r\nContent-Length: 4\r\n\r\n"]
        for count, data in enumerate(damaged, 1):
            client.send_bytes(data)
            self.ask(client)
            self.assertEqual(PARSE_ERROR, client.wait_for_stray_error(count)["code"])
        self.assertEqual(len(damaged), len(client.stray_errors))
        self.assertEqual(0, client.shutdown())

    def test_a_message_that_is_too_large_is_skipped(self):
        client = self.quiet_session()
        size = (64 << 20) + 1
        client.send_bytes(b"Content-Length: %d\r\n\r\n" % size)
        piece = b"x" * (1 << 20)
        for sent in range(0, size, len(piece)):
            client.send_bytes(piece[:size - sent])
        self.ask(client)
        error = client.wait_for_stray_error()
        self.assertEqual(PARSE_ERROR, error["code"])
        self.assertIn("too large", error["message"])
        self.assertEqual(0, client.shutdown())

    def test_content_that_is_no_message(self):
        client = self.quiet_session()
        contents = [(b"", PARSE_ERROR), (b"{", PARSE_ERROR), (b"\x00", PARSE_ERROR),
                    (b"[" * 1_000_000, PARSE_ERROR), (b"[" + b"0," * 2_000_000 + b"0]", PARSE_ERROR),
                    (b"{}", INVALID_REQUEST), (b"[]", INVALID_REQUEST), (b"17", INVALID_REQUEST),
                    (b'{"jsonrpc":"2.0","id":null,"method":"shutdown"}', INVALID_REQUEST),
                    (json.dumps([dict(HOVER, id=1)]).encode(), INVALID_REQUEST)]
        for count, (content, code) in enumerate(contents, 1):
            client.send_bytes(frame(content))
            self.assertEqual(code, client.wait_for_stray_error(count)["code"])
        self.ask(client)
        self.assertEqual(0, client.shutdown())

    def test_text_that_is_no_unicode_is_taken(self):
        client = self.quiet_session()
        opened = {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {
            "uri": "file:///a.c", "languageId": "c", "version": 1, "text": "@"}}}
        for text in (b"\xff\xfe", b"\\ud800", b"\\ud83d\\ude00"):
            client.send_bytes(frame(json.dumps(opened).encode().replace(b"@", text)))
        self.ask(client)
        self.assertEqual([], client.stray_errors)
        self.assertEqual(0, client.shutdown())

    def test_a_regular_file_as_input(self):
        conversation = self.folder / "conversation"
        initialize = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
                      "params": {"processId": os.getpid(), "rootUri": None, "capabilities": {}}}
        conversation.write_bytes(
            frame(initialize) + frame({"jsonrpc": "2.0", "method": "initialized", "params": {}}) +
            frame(dict(HOVER, id=2)) + frame({"jsonrpc": "2.0", "id": 3, "method": "shutdown"}))
        with open(conversation, "rb") as file:
            done = subprocess.run([harness.SERVER, "--stdio"], stdin=file, stdout=subprocess.PIPE,
                                  check=False)
        self.assertEqual(0, done.returncode)
        for identity in (1, 2, 3):
            self.assertIn(b'"id":%d' % identity, done.stdout)

    def test_a_stream_that_ends_within_a_message(self):
        client = self.quiet_session()
        client.send_bytes(frame(dict(HOVER, id=1))[:-3])
        client.end_input()
        client.wait_for_end()
        self.assertEqual(1, client.process.wait())

    def test_closed_standard_streams(self):
        done = subprocess.run(["sh", "-c", 'exec "$0" --stdio <&- >&-', harness.SERVER],
                              check=False)
        self.assertEqual(1, done.returncode)
