"""`gprof-lsp mcp --listen`: MCP by HTTP. Who is served, what headers must say, and what breaks nothing."""
import errno
import http.client
import json
import random
import re
import socket
import subprocess
import unittest

from agent_client import META, MODERN, SERVER, modern_meta
from known_profile import KnownProfile
from own_folders import fresh_folder, own_environment


@unittest.skipUnless(SERVER, "GPROF_LSP_SERVER does not name a server")
class Http(unittest.TestCase):
    def setUp(self):
        folder = fresh_folder(self.addCleanup)
        self.workspace = KnownProfile(folder / "work").make()
        self.process = subprocess.Popen([SERVER, "mcp", "--listen=0", self.workspace.directory],
                                        env=own_environment(folder / "user"), stdin=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.stop)
        line = self.process.stderr.readline()
        found = re.fullmatch(r"gprof-lsp: listening on http://127\.0\.0\.1:(\d+)/mcp, token ([0-9a-f]+)\n", line)
        self.assertTrue(found, line)
        self.port, self.token = int(found[1]), found[2]

    def stop(self):
        self.process.terminate()
        self.assertEqual(self.process.wait(60), 0)
        self.process.stderr.close()

    def post(self, message, method="POST", path="/mcp", connection=None, **headers):
        """(status, type, body); None leaves a header out."""
        own = connection is None
        connection = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        body = message if isinstance(message, (str, bytes)) else json.dumps(message)
        fields = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                  "Authorization": f"Bearer {self.token}"}
        if isinstance(message, dict):
            fields |= self.headers_of(message)
        fields |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, {name: value for name, value in fields.items() if value is not None})
        response = connection.getresponse()
        answer = response.status, response.getheader("Content-Type"), response.read().decode()
        if own:
            connection.close()
        return answer

    @staticmethod
    def headers_of(message):
        params = message.get("params", {})
        fields = {"MCP-Protocol-Version": MODERN, "Mcp-Method": message.get("method", "")}
        if "name" in params or "uri" in params:
            fields["Mcp-Name"] = params.get("uri") or params["name"]
        return fields

    @staticmethod
    def message(method, number=1, **params):
        return {"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": modern_meta()}}

    def hot_spots(self):
        return self.message("tools/call", name="hot_spots", arguments={"limit": 1})

    def check(self, answer, status, code=None):
        self.assertEqual(answer[0], status, answer)
        if code is not None:
            self.assertEqual(json.loads(answer[2])["error"]["code"], code)

    def test_a_question(self):
        status, kind, body = self.post(self.hot_spots())
        self.assertEqual((status, kind), (200, "application/json"))
        result = json.loads(body)["result"]
        self.assertEqual(result["structuredContent"]["functions"][0]["function"], "leaf")
        self.assertEqual(result["resultType"], "complete")

    def test_several_on_one_connection(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        for _ in range(5):
            self.check(self.post(self.hot_spots(), connection=connection), 200)
        connection.close()

    def test_strangers(self):
        for token in (None, "Bearer", "Bearer ", f"Bearer {'0' * 32}", f"Bearer {self.token}0", f"Basic {self.token}"):
            self.check(self.post(self.hot_spots(), Authorization=token), 401)
        for origin in ("http://example.org", "null", "http://localhost.example.org", "file://", "http://127.0.0.1.nip.io"):
            self.check(self.post(self.hot_spots(), Origin=origin), 403)
        for origin in ("http://localhost", "http://localhost:3000", "http://127.0.0.1:1", "http://[::1]:1"):
            self.check(self.post(self.hot_spots(), Origin=origin), 200)

    def test_other_requests(self):
        for method in ("GET", "DELETE", "PUT"):
            self.check(self.post(self.hot_spots(), method=method), 405)
        self.check(self.post(self.hot_spots(), path="/"), 404)
        self.check(self.post(self.hot_spots(), Content_Type="text/plain"), 415)
        self.check(self.post("{", MCP_Protocol_Version=MODERN), 400, -32700)
        self.check(self.post("[]", MCP_Protocol_Version=MODERN), 400, -32600)
        self.check(self.post({"jsonrpc": "2.0", "method": "notifications/initialized"}), 202)

    def test_headers_say_what_the_body_says(self):
        self.check(self.post(self.hot_spots(), MCP_Protocol_Version="2025-06-18"), 400, -32020)
        self.check(self.post(self.hot_spots(), MCP_Protocol_Version=None), 400, -32020)
        self.check(self.post(self.hot_spots(), Mcp_Method="tools/list"), 400, -32020)
        self.check(self.post(self.hot_spots(), Mcp_Method=None), 400, -32020)
        self.check(self.post(self.hot_spots(), Mcp_Name="lines"), 400, -32020)
        self.check(self.post(self.hot_spots(), Mcp_Name=None), 400, -32020)
        self.check(self.post(self.hot_spots(), Mcp_Name="=?base64?aG90X3Nwb3Rz?="), 200)
        self.check(self.post(self.hot_spots(), Mcp_Name="=?base64?aG90X3Nwb3R?="), 400, -32020)

    def test_statuses_of_errors(self):
        self.check(self.post(self.message("no/such")), 404, -32601)
        unknown = self.message("tools/list")
        unknown["params"]["_meta"][META + "protocolVersion"] = "1900-01-01"
        self.check(self.post(unknown, MCP_Protocol_Version="1900-01-01"), 400, -32022)
        self.check(self.post(self.message("tools/call", name="nonsense")), 200, -32602)

    def test_what_asks_nothing(self):
        self.check(self.post({"jsonrpc": "2.0", "id": 1, "result": {}}), 202)
        self.check(self.post({"jsonrpc": "2.0", "id": 1}), 400, -32600)
        self.check(self.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, MCP_Protocol_Version="1999-01-01"),
                   400, -32022)

    def test_an_older_revision_without_a_session(self):
        fields = {"MCP_Protocol_Version": None, "Mcp_Method": None, "Mcp_Name": None}
        begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
                 "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                            "clientInfo": {"name": "test", "version": "1"}}}
        status, _, body = self.post(begin, **fields)
        self.assertEqual((status, json.loads(body)["result"]["protocolVersion"]), (200, "2025-11-25"))
        call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "hot_spots", "arguments": {}}}
        fields["MCP_Protocol_Version"] = "2025-11-25"
        status, _, body = self.post(call, **fields)
        self.assertEqual((status, json.loads(body)["result"]["isError"]), (200, False))

    def test_progress_comes_as_events(self):
        message = self.hot_spots()
        message["params"]["_meta"]["progressToken"] = 7
        self.workspace.make(scale=3)
        status, kind, body = self.post(message)
        self.assertEqual(status, 200)
        if kind == "text/event-stream":
            told = [json.loads(line[len("data: "):]) for line in body.splitlines() if line.startswith("data: ")]
            tokens = {notification["params"]["progressToken"] for notification in told[:-1]}
            self.assertEqual(tokens, {7})
            last = told[-1]
        else:
            last = json.loads(body)
        self.assertEqual(last["result"]["structuredContent"]["functions"][0]["calls"], 90000)

    def raw(self, text):
        """What comes back until the end of the connection, which is a reset where bytes were not read."""
        answer = b""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            try:
                connection.sendall(text)
                connection.shutdown(socket.SHUT_WR)
                while piece := connection.recv(65536):
                    answer += piece
            except OSError as error:
                # A connection that was reset already cannot be shut down.
                if not isinstance(error, ConnectionError) and error.errno != errno.ENOTCONN:
                    raise
        return answer

    def test_an_answer_is_not_lost_where_the_body_is_not_read(self):
        body = b"x" * 200000
        head = f"POST /mcp HTTP/1.1\r\nAuthorization: Bearer wrong\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
                connection.sendall(head + body)
                answer = b""
                while piece := connection.recv(65536):
                    answer += piece
                self.assertEqual(answer[9:12], b"401")

    def test_what_is_no_request(self):
        authorization = f"Authorization: Bearer {self.token}\r\nContent-Type: application/json\r\n".encode()
        for text, status in (
                (b"GARBAGE\r\n\r\n", b"400"), (b"POST /mcp HTTP/2.0\r\n\r\n", b"400"),
                (b"POST /mcp HTTP/1.1\r\nno colon\r\n\r\n", b"400"),
                (b"POST /mcp HTTP/1.1\r\n" + authorization + b"\r\n", b"411"),
                (b"POST /mcp HTTP/1.1\r\n" + authorization + b"Transfer-Encoding: chunked\r\n\r\n", b"411"),
                (b"POST /mcp HTTP/1.1\r\n" + authorization + b"Content-Length: -1\r\n\r\n", b"411"),
                (b"POST /mcp HTTP/1.1\r\n" + authorization + b"Content-Length: 99999999999\r\n\r\n", b"413"),
                (b"POST /mcp HTTP/1.1\r\n" + authorization + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", b"400"),
                (b"POST /mcp HTTP/1.1\r\n" + authorization + b"Content-Length: 99\r\n\r\n{", b""),
                (b"x" * 200000, b""), (b"", b"")):
            with self.subTest(text[:60]):
                answer = self.raw(text)
                self.assertEqual(answer[9:12], status, answer[:200])
        self.check(self.post(self.hot_spots()), 200)

    def test_random_bytes(self):
        source = random.Random(1)
        for _ in range(200):
            text = bytes(source.choice(b"POST /mcp HTTP/1.1\r\n:{}[]\"\x00\xff") for _ in range(source.randrange(400)))
            self.raw(text)
        self.check(self.post(self.hot_spots()), 200)


if __name__ == "__main__":
    unittest.main()
