"""A server that listens where the system has no more to give: it waits, turns away whom it cannot
serve, serves the others, and ends when it is told to."""

import os
import pathlib
import resource

import harness
from listening_server import ListeningServer
from tested_build import not_sanitized

HOVER = {"textDocument": {"uri": "file:///a.c"}, "position": {"line": 0, "character": 0}}


def processor_seconds(pid):
    """What a process has used of processors so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# The undefined-behaviour sanitizer asks by a pipe whether memory can be read.
needs_own_descriptors = not_sanitized("the sanitizer itself needs file descriptors")


class Exhaustion(harness.ProtocolTest):
    def serve(self, *options, limits=()):
        def limit():
            for which, most in limits:
                resource.setrlimit(which, (most, most))
        return ListeningServer(self, *options, folders=[self.folder], preexec_fn=limit)

    def client(self, server):
        client = server.connect()
        client.initialize(self.folder)
        return client

    def check_end(self, server):
        """A signal ends it, whatever it lacks."""
        server.process.terminate()
        self.assertEqual(0, server.process.wait(60))

    @needs_own_descriptors
    def test_without_descriptors_it_waits_for_some(self):
        descriptors = 40
        server = self.serve("--max-clients=1000", limits=[(resource.RLIMIT_NOFILE, descriptors)])
        served = self.client(server)
        silent = [server.socket() for _ in range(2 * descriptors)]
        for connection in silent:
            self.addCleanup(connection.close)
        self.assertIn("no client can be taken for now", self.next_trouble(server))
        # Those who are served still are; nobody is looked for in a circle.
        before = processor_seconds(server.process.pid)
        rounds = 200
        for _ in range(rounds):
            self.assertIsNone(served.request("textDocument/hover", HOVER))
        used = processor_seconds(server.process.pid) - before
        # 10 ms of processor time a request would be a circle.
        self.assertLess(used, rounds * 0.01)
        for connection in silent:
            connection.close()
        later = self.client(server)
        self.assertIsNone(later.request("textDocument/hover", HOVER))
        self.check_end(server)

    def next_trouble(self, server):
        """Those who were turned away for want of threads may come first."""
        while "turned away" in (line := server.next_line()):
            pass
        return line

    @needs_own_descriptors
    def test_a_signal_ends_it_while_descriptors_are_missing(self):
        server = self.serve("--max-clients=1000", limits=[(resource.RLIMIT_NOFILE, 20)])
        for _ in range(60):
            self.addCleanup(server.socket().close)
        self.assertIn("no client can be taken for now", self.next_trouble(server))
        self.check_end(server)

    def test_as_many_clients_as_it_allows(self):
        server = self.serve("--max-clients=2")
        served = [self.client(server) for _ in range(2)]
        beyond = server.connect()
        told = beyond.wait_for_notification("window/showMessage")
        self.assertIn("2 clients", told["message"])
        beyond.wait_for_end()
        self.assertIn("turned away", server.next_line())
        for client in served:
            self.assertIsNone(client.request("textDocument/hover", HOVER))
        served[0].shutdown()
        served.append(self.client(server))
        self.assertIsNone(served[-1].request("textDocument/hover", HOVER))
        # However many come, a pipe that nobody reads is not filled.
        for _ in range(40):
            server.connect().wait_for_end()
        self.check_end(server)
        self.assertLess(len(server.process.stderr.readlines()), 20)

    def test_who_says_nothing_gives_way(self):
        server = self.serve("--max-clients=2")
        silent = [server.socket() for _ in range(2)]
        for connection in silent:
            self.addCleanup(connection.close)
            connection.settimeout(60)
        first = self.client(server)
        self.assertEqual(silent[0].recv(1), b"")
        self.assertIn("gave its place", self.next_trouble(server))
        second = self.client(server)
        self.assertEqual(silent[1].recv(1), b"")
        for client in (first, second):
            self.assertIsNone(client.request("textDocument/hover", HOVER))
        beyond = server.connect()
        beyond.wait_for_notification("window/showMessage")
        beyond.wait_for_end()
        self.check_end(server)

    @not_sanitized("a sanitizer's shadow memory is larger than any limit of addresses")
    def test_without_threads_the_others_are_served(self):
        # Each thread takes addresses for its stack: a limit that nobody is exempt from.
        server = self.serve("--max-clients=1000", limits=[(resource.RLIMIT_AS, 700 << 20)])
        served = self.client(server)
        refused = 0
        clients = []
        for _ in range(60):
            client = server.connect()
            clients.append(client)
            if not self.is_served(client):
                refused += 1
        self.assertGreater(refused, 0)
        self.assertIsNone(served.request("textDocument/hover", HOVER))
        self.assertIn("turned away", server.next_line())
        for client in clients:
            client.close()
        self.check_end(server)

    def is_served(self, client):
        try:
            client.initialize(self.folder)
            return True
        except Exception as error:  # the connection ended, in one way or another
            self.assertNotIsInstance(error, AssertionError)
            return False
