"""A small client of the Language Server Protocol, for tests, demonstrations and benchmarks.

It starts a server and talks to it over its standard streams, or uses a socket. Requests from the
server are answered like an editor that supports everything. All methods may be called from any
thread; callbacks run on the reading thread. Python 3.9, standard library only.
"""

import collections
import json
import os
import pathlib
import socket
import subprocess
import threading
import time

# Seconds until a server that does not answer counts as broken; nothing waits this long in a
# successful run.
PATIENCE = 120

FULL_CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "window": {
        "workDoneProgress": True,
        "showDocument": {"support": True},
        "showMessage": {},
    },
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "didChangeConfiguration": {"dynamicRegistration": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "codeLens": {"refreshSupport": True},
        "inlayHint": {"refreshSupport": True},
        "executeCommand": {},
        "symbol": {},
    },
    "textDocument": {
        "synchronization": {"didSave": True},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "codeLens": {},
        "inlayHint": {},
        "callHierarchy": {},
    },
}


class ResponseError(Exception):
    """The server answered a request with an error."""

    def __init__(self, error):
        super().__init__(f"{error.get('message')} ({error.get('code')})")
        self.code = error.get("code")
        self.message = error.get("message")


class ServerGone(Exception):
    """The connection ended while waiting for something."""


def frame(message):
    """A message's bytes with their header. Takes bytes, text, or a value to encode as JSON."""
    if not isinstance(message, (bytes, str)):
        message = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    body = message if isinstance(message, bytes) else message.encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


class PendingRequest:
    """A request that was sent; the answer may come later."""

    def __init__(self, client, identity):
        self._client = client
        self.id = identity
        self.response = None

    def result(self, timeout=PATIENCE):
        """Waits for the answer; raises ResponseError if it is an error."""
        self._client.wait_until(lambda: self.response is not None, timeout,
                                f"an answer to request {self.id}")
        if "error" in self.response:
            raise ResponseError(self.response["error"])
        return self.response["result"]

    def error(self, timeout=PATIENCE):
        """Waits for an answer that must be an error, and returns it."""
        try:
            result = self.result(timeout)
        except ResponseError as error:
            return error
        raise AssertionError(f"request {self.id} was answered with {result!r}, not with an error")


class LspClient:
    """One session with a server.

    command       starts a server with this command; it uses its standard streams unless
                  `connection` is given
    connection    a connected socket to use
    settings      the section `gprof` of the configuration, which the server may request
    capabilities  of the client; FULL_CAPABILITIES by default
    record        a path: every message is written there as a line of JSON,
                  {"from": "client"|"server", "message": ...}
    token         what a server listening on a port expects
    """

    def __init__(self, command=None, *, connection=None, settings=None, capabilities=None,
                 record=None, environment=None, stderr=None, token=None):
        self.settings = settings if settings is not None else {}
        self.token = token
        self.capabilities = FULL_CAPABILITIES if capabilities is None else capabilities
        self.notifications = []    # (method, params), in order of arrival
        self.server_requests = []  # (method, params), in order of arrival
        self.stray_errors = []     # errors that answer no request
        self.process = None
        self._changed = threading.Condition()
        self._send_lock = threading.Lock()
        self._callbacks = collections.defaultdict(list)
        self._answers = {}
        self._pending = {}
        self._last_id = 0
        self._ended = False
        self._record = open(record, "w", encoding="utf-8") if record else None
        if command:
            streams = subprocess.DEVNULL if connection else subprocess.PIPE
            self.process = subprocess.Popen(command, stdin=streams, stdout=streams, stderr=stderr,
                                            env=environment, bufsize=0)
        if connection:
            self._socket = connection
            self._input = connection.makefile("rb")
        else:
            self._socket = None
            # A separate buffer, to read the process's pipe in large pieces.
            self._input = open(self.process.stdout.fileno(), "rb", closefd=False)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    # Sessions

    def initialize(self, root=None, **members):
        """Does the whole handshake; returns the server's capabilities. `members` replace or add members
        of the parameters."""
        params = {"processId": os.getpid(), "rootUri": None, "capabilities": self.capabilities,
                  "clientInfo": {"name": "lsp_client", "version": "1"}}
        if self.token:
            params["initializationOptions"] = {"gprof": {"token": self.token}}
        if root is not None:
            uri = pathlib.Path(root).absolute().as_uri()
            params["rootUri"] = uri
            params["workspaceFolders"] = [{"uri": uri, "name": pathlib.Path(root).name}]
        params.update(members)
        result = self.request("initialize", params)
        self.notify("initialized", {})
        return result

    def shutdown(self):
        """Ends the session properly; returns the server's exit code (None if it keeps running)."""
        self.request("shutdown")
        return self.exit()

    def exit(self):
        """Sends exit and waits for the end of the connection, and of the server if started here."""
        self.notify("exit")
        self.wait_for_end()
        code = self.process.wait(PATIENCE) if self.process else None
        self.close()
        return code

    def close(self):
        """Releases everything, whatever state the session is in."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self._socket:
            try:
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the other side was faster
        self._reader.join(PATIENCE)
        if self._socket:
            self._input.close()
            self._socket.close()
        elif self.process:
            self._input.close()
            self.process.stdin.close()
            self.process.stdout.close()
        with self._changed:
            if self._record:
                self._record.close()
                self._record = None

    def end_input(self):
        """Closes only the client's side: the server reads the end of its input."""
        with self._send_lock:
            if self._socket:
                self._socket.shutdown(socket.SHUT_WR)
            else:
                self.process.stdin.close()

    def wait_for_end(self, timeout=PATIENCE):
        """Waits until the server has closed its side."""
        self.wait_until(lambda: self._ended, timeout, "the end of the connection")

    # What the client sends

    def request(self, method, params=None, timeout=PATIENCE):
        """Sends a request and waits; returns the result or raises ResponseError."""
        return self.start_request(method, params).result(timeout)

    def start_request(self, method, params=None, identity=None):
        """Sends a request without waiting."""
        with self._changed:
            if identity is None:
                self._last_id += 1
                identity = self._last_id
            pending = PendingRequest(self, identity)
            self._pending[identity] = pending
        message = {"jsonrpc": "2.0", "id": identity, "method": method}
        if params is not None:
            message["params"] = params
        self._send(message)
        return pending

    def cancel(self, pending):
        self.notify("$/cancelRequest", {"id": pending.id})

    def notify(self, method, params=None):
        message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        self._send(message)

    def send_bytes(self, data, messages=()):
        """Sends raw bytes; records `messages` as their contents."""
        with self._send_lock:
            for message in messages:
                self._note("client", message)
            self._write(data)

    # What the server sends

    def on_notification(self, method, callback):
        """Calls `callback` with each notification's parameters, on the reading thread."""
        with self._changed:
            self._callbacks[method].append(callback)

    def answer_with(self, method, answer):
        """Answers requests of the server with the result of `answer(params)`: null if it returns
        None, an error if it raises ResponseError."""
        with self._changed:
            self._answers[method] = answer

    def wait_for_notification(self, method, predicate=lambda params: True, timeout=PATIENCE):
        """The parameters of the first matching notification, received already or still to come."""
        return self._wait_for_message(self.notifications, method, predicate, timeout)

    def wait_for_request(self, method, predicate=lambda params: True, timeout=PATIENCE):
        """The same for requests of the server."""
        return self._wait_for_message(self.server_requests, method, predicate, timeout)

    def wait_for_stray_error(self, count=1, timeout=PATIENCE):
        """The error of the count-th response that answers no request (its id is null)."""
        self.wait_until(lambda: len(self.stray_errors) >= count, timeout,
                        f"{count} errors without a request")
        return self.stray_errors[count - 1]

    def count_requests(self, method):
        """How often the server has sent a request, e.g. workspace/codeLens/refresh."""
        with self._changed:
            return sum(1 for name, _ in self.server_requests if name == method)

    def wait_until(self, condition, timeout, what):
        end = time.monotonic() + timeout
        with self._changed:
            while not condition():
                if self._ended:
                    raise ServerGone(f"the connection ended before {what}")
                left = end - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"no sign of {what} within {timeout} seconds")
                self._changed.wait(left)

    # Internals

    def _wait_for_message(self, messages, method, predicate, timeout):
        found = []

        def look():
            for name, params in messages[look.seen:]:
                look.seen += 1
                if name == method and predicate(params):
                    found.append(params)
                    return True
            return False

        look.seen = 0
        self.wait_until(look, timeout, method)
        return found[0]

    def _send(self, message):
        with self._send_lock:
            self._note("client", message)
            self._write(frame(message))

    def _write(self, data):
        try:
            if self._socket:
                self._socket.sendall(data)
                return
            view = memoryview(data)
            while view:
                view = view[self.process.stdin.write(view):]
        except ConnectionError as error:
            raise ServerGone("the server no longer reads") from error

    def _note(self, sender, message):
        with self._changed:
            if self._record:
                self._record.write(json.dumps({"from": sender, "message": message}) + "\n")
                self._record.flush()

    def _read(self):
        try:
            while True:
                message = self._read_message()
                if message is None:
                    break
                self._note("server", message)
                self._take(message)
        except (OSError, ValueError):
            pass  # a broken connection has ended
        finally:
            with self._changed:
                self._ended = True
                self._changed.notify_all()

    def _read_message(self):
        length = None
        while True:
            line = self._input.readline()
            if not line:
                return None
            if line == b"\r\n":
                break
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length":
                length = int(value)
        body = self._input.read(length)
        return json.loads(body) if len(body) == length else None

    def _take(self, message):
        method = message.get("method")
        if method is None:
            self._take_response(message)
        elif "id" in message:
            self._answer(message["id"], method, message.get("params"))
        else:
            with self._changed:
                callbacks = list(self._callbacks[method])
            for callback in callbacks:
                callback(message.get("params"))
            with self._changed:
                self.notifications.append((method, message.get("params")))
                self._changed.notify_all()

    def _take_response(self, message):
        with self._changed:
            pending = self._pending.pop(message.get("id"), None)
            if pending:
                pending.response = message
            elif "error" in message:
                self.stray_errors.append(message["error"])
            self._changed.notify_all()

    def _answer(self, identity, method, params):
        response = {"jsonrpc": "2.0", "id": identity}
        with self._changed:
            answer = self._answers.get(method, None)
        try:
            response["result"] = answer(params) if answer else self._usual_answer(method, params)
        except ResponseError as error:
            response["error"] = {"code": error.code, "message": error.message}
        try:
            self._send(response)
        except ServerGone:
            pass  # nobody waits for this answer any more
        with self._changed:
            self.server_requests.append((method, params))
            self._changed.notify_all()

    def _usual_answer(self, method, params):
        if method == "workspace/configuration":
            return [self.settings if item.get("section") == "gprof" else None
                    for item in params["items"]]
        if method == "window/showDocument":
            return {"success": True}
        if method in ("window/workDoneProgress/create", "client/registerCapability",
                      "client/unregisterCapability", "workspace/codeLens/refresh",
                      "workspace/inlayHint/refresh", "window/showMessageRequest"):
            return None
        raise ResponseError({"code": -32601, "message": f"the client knows no request {method}"})
