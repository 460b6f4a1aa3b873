"""An LSP client for measurements: one thread, blocking, no unnecessary copies.

It drives `gprof-lsp --stdio` and answers the server's requests. Times are from the monotonic
clock, in seconds.
"""

import gc
import json
import os
import pathlib
import select
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from process_memory import resident_bytes  # noqa: E402

PATIENCE = 120  # seconds without any message from the server

# A garbage collection takes as long as a request and would run every few of them.
gc.disable()


class ServerGone(Exception):
    pass


class MeasuringClient:
    """`server`: the program, or a list of the words before it and the program."""

    def __init__(self, server, executable, profile):
        self.started = time.monotonic()
        self._process = subprocess.Popen(
            [*(server if isinstance(server, list) else [server]), "--stdio"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0)
        # Of a large program, most functions have too little time for a lens by default.
        self._settings = {"programs": [{"executable": str(executable), "profiles": [str(profile)]}],
                          "codeLens": {"threshold": 0}}
        self._received = bytearray()
        self._next_id = 0
        self.refreshes = 0
        self.messages = []

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if exception[0]:
            self.kill()
        else:
            self.close()

    def initialize(self, folder):
        self.request("initialize", {
            "processId": os.getpid(), "rootUri": folder.as_uri(),
            "workspaceFolders": [{"uri": folder.as_uri(), "name": folder.name}],
            "initializationOptions": {"gprof": self._settings},
            "capabilities": {
                "general": {"positionEncodings": ["utf-8", "utf-16"]},
                "window": {"workDoneProgress": True},
                "workspace": {"configuration": True, "codeLens": {"refreshSupport": True},
                              "inlayHint": {"refreshSupport": True}},
                "textDocument": {"hover": {"contentFormat": ["markdown"]}}}})
        self.notify("initialized", {})

    def open_document(self, path):
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": path.as_uri(), "languageId": "c", "version": 1,
            "text": path.read_text(errors="replace")}})

    def request(self, method, parameters):
        self._next_id += 1
        self._send({"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": parameters})
        while True:
            message = self._receive()
            if message.get("id") == self._next_id and "method" not in message:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message.get("result")
            self._attend(message)

    def timed_request(self, method, parameters):
        start = time.perf_counter()
        result = self.request(method, parameters)
        return time.perf_counter() - start, result

    def notify(self, method, parameters):
        self._send({"jsonrpc": "2.0", "method": method, "params": parameters})

    def wait_for_refresh(self):
        seen = self.refreshes
        while self.refreshes == seen:
            self._attend(self._receive())

    def attend_for(self, seconds):
        """Until there was no message for so long."""
        while b"\r\n\r\n" in self._received or select.select(
                [self._process.stdout], [], [], seconds)[0]:
            self._attend(self._receive())

    @property
    def process(self):
        return self._process.pid

    def peak_memory(self):
        """The server's largest resident set so far, in bytes."""
        return resident_bytes(self._process.pid, peak=True)

    def processor_time(self):
        """The processor time of all the server's threads so far, in seconds."""
        fields = pathlib.Path(f"/proc/{self._process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self):
        try:
            self.request("shutdown", None)
            self.notify("exit", None)
            self._process.wait(timeout=30)
        finally:
            self.kill()

    def kill(self):
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()

    def _attend(self, message):
        method = message.get("method")
        if method in ("window/showMessage", "window/logMessage"):
            self.messages.append(message["params"]["message"])
        if method == "workspace/codeLens/refresh":
            self.refreshes += 1
        if method and "id" in message:
            result = None
            if method == "workspace/configuration":
                result = [self._settings for _ in message["params"]["items"]]
            self._send({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def _send(self, message):
        body = json.dumps(message, separators=(",", ":")).encode()
        data = memoryview(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        while data:
            data = data[os.write(self._process.stdin.fileno(), data):]

    def _receive(self):
        while (end := self._received.find(b"\r\n\r\n")) < 0:
            self._read_more()
        header = bytes(self._received[:end]).lower()
        length = next(int(line.split(b":")[1]) for line in header.split(b"\r\n")
                      if line.startswith(b"content-length:"))
        while len(self._received) < end + 4 + length:
            self._read_more()
        body = bytes(self._received[end + 4:end + 4 + length])
        del self._received[:end + 4 + length]
        return json.loads(body)

    def _read_more(self):
        if not select.select([self._process.stdout], [], [], PATIENCE)[0]:
            raise ServerGone(f"the server said nothing for {PATIENCE} s; before, it had said: "
                             f"{self.messages}")
        data = os.read(self._process.stdout.fileno(), 1 << 18)
        if not data:
            raise ServerGone(f"the server ended with code {self._process.wait()}; it had said: "
                             f"{self.messages}")
        self._received += data
