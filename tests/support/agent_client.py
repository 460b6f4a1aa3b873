"""A client of `gprof-lsp mcp` on standard streams: sends messages as lines, and reads them."""
import json
import os
import queue
import subprocess
import threading

SERVER = os.environ.get("GPROF_LSP_SERVER")
MODERN = "2026-07-28"
LEGACY = "2025-06-18"
META = "io.modelcontextprotocol/"


def modern_meta(version=MODERN, **more):
    return {META + "protocolVersion": version, META + "clientInfo": {"name": "test", "version": "1"},
            META + "clientCapabilities": {}, **more}


class AgentClient:
    """For a with statement."""

    def __init__(self, folder, environment, *options, modern=True):
        self.modern = modern
        self.notifications = []
        self.last = 0
        self.process = subprocess.Popen([SERVER, "mcp", *options, folder], env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.messages = queue.Queue()
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _read(self):
        for line in self.process.stdout:
            self.messages.put(line)
        self.messages.put(None)

    def close(self):
        """Its exit status."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        status = self.process.wait(60)
        self.reader.join()
        self.process.stdout.close()
        self.process.stderr.close()
        return status

    def send_text(self, text):
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()

    def send(self, message):
        self.send_text(json.dumps({"jsonrpc": "2.0", **message}))

    def receive(self):
        """The next message; every one is one line of JSON."""
        line = self.messages.get(timeout=120)
        assert line is not None, "the server has ended"
        assert line.endswith(b"\n"), line
        return json.loads(line)

    def start(self, method, params=None, meta=None):
        """The id of the request."""
        self.last += 1
        params = dict(params or {})
        if self.modern:
            params["_meta"] = {**modern_meta(), **(meta or {})}
        elif meta:
            params["_meta"] = meta
        self.send({"id": self.last, "method": method, "params": params})
        return self.last

    def answer_to(self, number):
        while True:
            message = self.receive()
            if message.get("id") == number:
                return message
            self.notifications.append(message)

    def request(self, method, params=None, meta=None):
        """The whole answer."""
        return self.answer_to(self.start(method, params, meta))

    def call(self, tool, **arguments):
        """The result of a tool."""
        return self.request("tools/call", {"name": tool, "arguments": arguments})["result"]

    def ask(self, tool, **arguments):
        """The answer of a tool that answers."""
        result = self.call(tool, **arguments)
        assert result["isError"] is False, result
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"], result
        return result["structuredContent"]

    def complaint(self, tool, **arguments):
        """What a tool says that does not answer."""
        result = self.call(tool, **arguments)
        assert result["isError"] is True, result
        return result["content"][0]["text"]
