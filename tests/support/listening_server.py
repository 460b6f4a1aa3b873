"""A listening server, and sessions with it."""
import os
import re
import socket
import subprocess

from lsp_client import LspClient
from tested_build import SANITIZED

SERVER = os.environ.get("GPROF_LSP_SERVER")
ANNOUNCEMENT = re.compile(r"listening on (?:unix:(?P<path>.+?)|127\.0\.0\.1:(?P<port>\d+))"
                          r"(?:, token (?!in )(?P<token>\S+)|, token in .+)?$")


class ListeningServer:
    """`folders`: what its clients may see. Runs until close(), which `test` calls at its end."""

    def __init__(self, test, *options, folders=(), **process):
        place = () if any(option.startswith("--listen") for option in options) else ("--listen=0",)
        self.process = subprocess.Popen([SERVER, *place, *options, *map(str, folders)],
                                        stderr=subprocess.PIPE, text=True, **process)
        self._test = test
        test.addCleanup(self.close)
        self.said = self.process.stderr.readline()
        found = ANNOUNCEMENT.search(self.said.strip())
        test.assertTrue(found, self.said)
        self.path, self.token = found["path"], found["token"]
        self.port = int(found["port"]) if found["port"] else None

    def close(self):
        if self.process.stderr.closed:
            return
        self.process.terminate()
        # The thread sanitizer may defer a signal that arrives just before epoll_wait() until the next one.
        while SANITIZED:
            try:
                self.process.wait(2)
                break
            except subprocess.TimeoutExpired:
                self.process.terminate()
        self.process.wait()
        self.process.stderr.close()

    def next_line(self):
        """The next line of standard error."""
        return self.process.stderr.readline()

    def socket(self):
        """A connection on which nothing has been sent."""
        if self.port:
            connection = socket.create_connection(("127.0.0.1", self.port))
        else:
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(self.path)
        return connection

    def connect(self, **members):
        """A client before the handshake."""
        client = LspClient(connection=self.socket(), **{"token": self.token, **members})
        self._test.addCleanup(client.close)
        return client
