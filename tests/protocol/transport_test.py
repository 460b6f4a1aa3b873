"""The ways to reach the server, and its command line."""

import pathlib
import socket
import subprocess
import sys

import harness
from listening_server import ListeningServer
from lsp_client import LspClient

HOVER = {"textDocument": {"uri": "file:///a.c"}, "position": {"line": 0, "character": 0}}


class Sockets(harness.ProtocolTest):
    def converse(self, client):
        client.initialize(self.folder)
        self.assertIsNone(client.request("textDocument/hover", HOVER))

    def serve_listener(self, listener, *options):
        """Starts a server that connects to the listener; the session's client."""
        self.addCleanup(listener.close)
        listener.listen(1)
        server = subprocess.Popen([harness.SERVER, *options])
        self.addCleanup(server.wait)
        connection, _ = listener.accept()
        client = LspClient(connection=connection)
        client.process = server
        self.addCleanup(client.close)
        return client

    def test_a_unix_domain_socket(self):
        path = self.folder / "socket"
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        client = self.serve_listener(listener, f"--pipe={path}")
        self.converse(client)
        self.assertEqual(0, client.shutdown())

    def test_a_port_in_both_spellings(self):
        for spelling in (["--socket={}"], ["--socket", "--port={}"], ["--port={}"]):
            listener = socket.socket()
            listener.bind(("127.0.0.1", 0))
            port = listener.getsockname()[1]
            client = self.serve_listener(listener, *[word.format(port) for word in spelling])
            self.converse(client)
            self.assertEqual(0, client.shutdown())

    def test_a_socket_whose_client_closes_its_side(self):
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        client = self.serve_listener(listener, f"--socket={listener.getsockname()[1]}")
        self.converse(client)
        last = client.start_request("textDocument/hover", HOVER)
        client.end_input()
        self.assertIsNone(last.result())
        client.wait_for_end()
        self.assertEqual(1, client.process.wait())

    def test_nobody_listens(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))  # bound, but it does not listen
            for option in (f"--socket={unused.getsockname()[1]}",
                           f"--pipe={self.folder / 'none'}", f"--pipe={'x' * 200}"):
                done = subprocess.run([harness.SERVER, option], capture_output=True, text=True,
                                      check=False)
                self.assertEqual(1, done.returncode)
                self.assertTrue(done.stderr.startswith("gprof-lsp: "), done.stderr)


class Listening(harness.ProtocolTest):
    def setUp(self):
        super().setUp()
        listening = ListeningServer(self, folders=[self.folder])
        self.server, self.port, self.connect = listening.process, listening.port, listening.connect

    def test_several_clients_have_sessions_of_their_own(self):
        first, second = self.connect(), self.connect()
        first.initialize(self.folder)
        # The second has not shaken hands, whatever the first did.
        self.assertEqual(-32002, second.start_request("textDocument/hover", HOVER).error().code)
        second.initialize(self.folder, processId=None)
        self.assertIsNone(second.request("textDocument/hover", HOVER))
        first.shutdown()
        self.assertIsNone(second.request("textDocument/hover", HOVER))
        second.close()  # without a word
        third = self.connect()
        third.initialize(self.folder)
        self.assertIsNone(third.request("textDocument/hover", HOVER))
        third.shutdown()
        self.assertIsNone(self.server.poll())

    def test_the_end_of_a_clients_process_ends_its_own_session_alone(self):
        ending = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"],
                                  stdin=subprocess.PIPE)
        self.addCleanup(ending.kill)
        staying, leaving = self.connect(), self.connect()
        staying.initialize(self.folder)
        leaving.initialize(self.folder, processId=ending.pid)
        self.assertIsNone(leaving.request("textDocument/hover", HOVER))
        ending.stdin.close()
        ending.wait()
        leaving.wait_for_end()
        self.assertIsNone(staying.request("textDocument/hover", HOVER))
        staying.shutdown()
        self.assertIsNone(self.server.poll())

    def test_a_client_on_another_machine_is_not_looked_for_here(self):
        client = self.connect()
        client.initialize(self.folder, processId=2**22 + 1)  # past the largest process number
        self.assertIsNone(client.request("textDocument/hover", HOVER))
        client.shutdown()

    def test_a_signal_ends_the_server_and_its_sessions(self):
        client = self.connect()
        client.initialize(self.folder)
        self.server.terminate()
        client.wait_for_end()
        self.assertEqual(0, self.server.wait())

    def test_a_port_that_is_taken(self):
        done = subprocess.run([harness.SERVER, f"--listen=127.0.0.1:{self.port}"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(1, done.returncode)
        self.assertIn(str(self.port), done.stderr)


class CommandLine(harness.ProtocolTest):
    def run_server(self, *options):
        return subprocess.run([harness.SERVER, *options], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False)

    def test_help_and_version_go_to_standard_output(self):
        for option, word in (("--help", "--stdio"), ("--version", "gprof-lsp")):
            done = self.run_server(option)
            self.assertEqual((0, ""), (done.returncode, done.stderr))
            self.assertIn(word, done.stdout)

    def test_what_is_unknown_goes_to_standard_error(self):
        for options in (["--colour"], ["--stdio", "--pipe=x"], ["--socket"], ["--listen=x"]):
            done = self.run_server(*options)
            self.assertEqual((2, ""), (done.returncode, done.stdout))
            self.assertTrue(done.stderr.startswith("gprof-lsp: "), done.stderr)

    def test_files_that_cannot_be_used_are_named(self):
        broken = self.folder / "broken.json"
        broken.write_text("{")
        for option, path in (("--config", self.folder / "missing.json"), ("--config", broken),
                             ("--config", self.folder), ("--log", self.folder)):
            done = self.run_server("--stdio", f"{option}={path}")
            self.assertEqual(1, done.returncode)
            self.assertIn(str(path), done.stderr)
        self.assertEqual(pathlib.Path(broken).read_text(), "{")
