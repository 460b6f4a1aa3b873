"""Several clients of one server: they share what is loaded, and nothing else."""
import copy

import harness
import lsp_client
from counting_program import LEAF_LINE, CountingProgram
from listening_server import ListeningServer
from own_folders import fresh_folder
from process_memory import resident_bytes
from profiled_program import run

REFRESH = "workspace/codeLens/refresh"


class Sharing(harness.ProtocolTest):
    def setUp(self):
        super().setUp()
        self.program = CountingProgram(fresh_folder(self.addCleanup))
        self.listening = ListeningServer(self, folders=[self.program.directory])
        self.server = self.listening.process
        self.program.compile()
        self.program.run(10)

    def connect(self):
        capabilities = copy.deepcopy(lsp_client.FULL_CAPABILITIES)
        capabilities["workspace"]["didChangeWatchedFiles"]["dynamicRegistration"] = False
        client = self.listening.connect(capabilities=capabilities)
        client.initialize(self.program.directory)
        return client

    def uri(self):
        return (self.program.directory / self.program.source).as_uri()

    def lenses(self, client):
        """Line -> the beginning of its title."""
        return {lens["range"]["start"]["line"] + 1: lens["command"]["title"].split(" · ")[0]
                for lens in client.request("textDocument/codeLens",
                                           {"textDocument": {"uri": self.uri()}})}

    def wait_for_refreshes(self, client, count):
        client.wait_until(lambda: client.count_requests(REFRESH) >= count, lsp_client.PATIENCE,
                          f"{count} refreshes")

    def test_documents_are_each_clients_own(self):
        clients = [self.connect() for _ in range(3)]
        text = (self.program.directory / self.program.source).read_text()
        for shift, client in enumerate(clients):
            client.notify("textDocument/didOpen", {"textDocument": {
                "uri": self.uri(), "languageId": "c", "version": 1, "text": text}})
            client.notify("textDocument/didChange", {
                "textDocument": {"uri": self.uri(), "version": 2},
                "contentChanges": [{"text": "\n" * shift,
                                    "range": {"start": {"line": 0, "character": 0},
                                              "end": {"line": 0, "character": 0}}}]})
        for shift, client in enumerate(clients):
            self.assertEqual(self.lenses(client)[LEAF_LINE + shift], "10 calls")

    def test_all_are_told_of_a_new_profile(self):
        clients = [self.connect() for _ in range(3)]
        for client in clients:
            self.wait_for_refreshes(client, 1)
        self.program.run(20)
        for client in clients:
            self.wait_for_refreshes(client, 2)
            self.assertEqual(self.lenses(client)[LEAF_LINE], "20 calls")

    def test_a_client_that_goes_leaves_the_others(self):
        first, second = self.connect(), self.connect()
        self.assertEqual(self.lenses(first)[LEAF_LINE], "10 calls")
        self.assertEqual(self.lenses(second)[LEAF_LINE], "10 calls")
        first.request("shutdown")
        first.notify("exit")
        self.program.run(30)
        self.wait_for_refreshes(second, 2)
        self.assertEqual(self.lenses(second)[LEAF_LINE], "30 calls")
        self.assertEqual(self.lenses(self.connect())[LEAF_LINE], "30 calls")

    def test_one_profile_in_memory(self):
        """A second client costs a fraction of the first one's profile."""
        groups, of_each = 120, 100
        functions = groups * of_each
        source = "".join(f"int f{i}(int n) {{ return n + {i}; }}\n" for i in range(functions))
        for group in range(groups):
            calls = "".join(f"  n = f{group * of_each + i}(n);\n" for i in range(of_each))
            source += f"int g{group}(int n) {{\n{calls}  return n;\n}}\n"
        calls = "".join(f"  n = g{group}(n);\n" for group in range(groups))
        (self.program.directory / "prog.c").write_text(
            f"{source}int main(void) {{\n  int n = 0;\n{calls}  return n == 7;\n}}\n")
        run(["gcc", "-g", "-O0", "-pg", "prog.c", "-o", "prog"], self.program.directory)
        run(["./prog"], self.program.directory)
        idle = resident_bytes(self.server.pid)
        self.assertEqual(len(self.lenses(self.connect())), functions + groups + 1)
        first = resident_bytes(self.server.pid) - idle
        before = resident_bytes(self.server.pid)
        for _ in range(4):
            client = self.connect()
            self.wait_for_refreshes(client, 1)
        more = (resident_bytes(self.server.pid) - before) / 4
        self.assertLess(more, first / 3)
