"""`gprof-lsp mcp` on standard streams: both kinds of revisions, tools, resources, prompts, progress, cancellation, and
what it does not do."""
import json
import os
import pathlib
import subprocess
import time
import unittest

from agent_client import LEGACY, META, MODERN, SERVER, AgentClient, modern_meta
from known_profile import KnownProfile
from own_folders import fresh_folder, own_environment
from profiled_program import run
from tested_build import needs_collector

VERSIONS = [MODERN, "2025-11-25", LEGACY]
READING = ["programs", "hot_spots", "function", "lines", "call_path", "timeline", "compare"]


@unittest.skipUnless(SERVER, "GPROF_LSP_SERVER does not name a server")
class AgentTest(unittest.TestCase):
    def setUp(self):
        folder = fresh_folder(self.addCleanup)
        self.environment = own_environment(folder / "user")
        self.workspace = KnownProfile(folder / "work")

    def client(self, *options, modern=True):
        return AgentClient(self.workspace.directory, self.environment, *options, modern=modern)

    def check_error(self, answer, code, text=""):
        self.assertEqual(answer["error"]["code"], code, answer)
        self.assertIn(text, answer["error"]["message"])


class Conversations(AgentTest):
    def setUp(self):
        super().setUp()
        self.workspace.make()

    def test_the_newest_revision(self):
        with self.client() as client:
            found = client.request("server/discover")["result"]
            self.assertEqual((found["resultType"], found["supportedVersions"]), ("complete", VERSIONS))
            self.assertEqual(sorted(found["capabilities"]), ["prompts", "resources", "tools"])
            self.assertEqual(found["_meta"][META + "serverInfo"]["name"], "gprof-lsp")
            for method in ("server/discover", "tools/list", "resources/list", "resources/templates/list",
                           "prompts/list"):
                result = client.request(method)["result"]
                self.assertEqual((result["resultType"], result["cacheScope"]), ("complete", "private"))
                self.assertGreater(result["ttlMs"], 0)
            self.check_error(client.request("ping"), -32601)
            self.check_error(client.request("initialize", {"protocolVersion": LEGACY}), -32601)
            self.assertEqual(client.close(), 0)

    def test_an_older_revision(self):
        for asked, agreed in ((LEGACY, LEGACY), ("2025-11-25", "2025-11-25"), ("2024-11-05", "2025-11-25"),
                              (MODERN, "2025-11-25")):
            with self.client(modern=False) as client:
                self.assertEqual(client.request("ping")["result"], {})
                result = client.request("initialize", {"protocolVersion": asked, "capabilities": {},
                                                       "clientInfo": {"name": "test", "version": "1"}})["result"]
                self.assertEqual(result["protocolVersion"], agreed)
                client.send({"method": "notifications/initialized"})
                tools = client.request("tools/list")["result"]
                self.assertEqual(sorted(tools), ["tools"])
                self.assertEqual(client.ask("hot_spots", limit=1)["functions"][0]["function"], "leaf")
                self.check_error(client.request("server/discover"), -32601)

    def test_both_on_one_connection(self):
        """As clients do that discover first, and initialize then."""
        with self.client() as client:
            client.request("server/discover")
            client.modern = False
            client.request("initialize", {"protocolVersion": LEGACY, "capabilities": {}})
            self.assertNotIn("resultType", client.request("tools/list")["result"])
            client.modern = True
            self.assertIn("resultType", client.request("tools/list")["result"])

    def test_versions_that_are_not_known(self):
        with self.client(modern=False) as client:
            self.check_error(client.request("tools/list"), -32602, META + "protocolVersion")
            answer = client.request("tools/list", meta=modern_meta("1900-01-01"))
            self.check_error(answer, -32022)
            self.assertEqual(answer["error"]["data"], {"supported": VERSIONS, "requested": "1900-01-01"})
            self.check_error(client.request("tools/list", meta={META + "protocolVersion": MODERN}), -32602,
                             "clientCapabilities")
            self.check_error(client.request("initialize", {}), -32602, "params.protocolVersion")

    def test_tools_are_listed_in_one_order_with_schemas(self):
        with self.client() as client:
            tools = client.request("tools/list")["result"]["tools"]
            self.assertEqual([tool["name"] for tool in tools], READING)
            self.assertEqual(tools, client.request("tools/list")["result"]["tools"])
            for tool in tools:
                for schema in (tool["inputSchema"], tool["outputSchema"]):
                    self.assertEqual(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
                    self.assertEqual(schema["type"], "object")
                self.assertIs(tool["inputSchema"]["additionalProperties"], False)
                self.assertIs(tool["annotations"]["readOnlyHint"], True)
            self.check_error(client.request("tools/list", {"cursor": "x"}), -32602, "cursor")

    def test_answers(self):
        with self.client() as client:
            hot = client.ask("hot_spots", limit=2)
            self.assertEqual([row["function"] for row in hot["functions"]], ["leaf", "middle"])
            self.assertEqual(client.ask(hot["next"][0]["tool"], **hot["next"][0]["arguments"])["function"], "leaf")
            self.assertEqual(client.ask("lines", file="hot.c", limit=1)["lines"][0]["line"],
                             self.workspace.line_of("hot.c", "calls middle"))
            self.assertEqual(client.ask("hot_spots", cursor=hot["more"])["functions"][0]["function"], "main")

    def test_what_is_wrong_names_the_argument(self):
        with self.client() as client:
            for tool, arguments, text in (
                    ("hot_spots", {"limt": 1}, "arguments.limt: hot_spots has no such argument"),
                    ("hot_spots", {"limit": "3"}, "arguments.limit: expected"),
                    ("hot_spots", {"limit": 1.5}, "arguments.limit: expected"),
                    ("hot_spots", {"limit": 100000}, "arguments.limit: expected a number from 1 to 1000"),
                    ("hot_spots", {"order": "size"}, "arguments.order: expected"),
                    ("hot_spots", {"thread": "x"}, "arguments.thread: expected an array"),
                    ("hot_spots", {"metric": "no"}, "metric no"),
                    ("function", {}, "arguments.function: expected"),
                    ("lines", {"file": "/etc/passwd"}, "lies outside of the workspace"),
                    ("lines", {"file": "a\0b"}, "arguments.file: expected a path"),
                    ("compare", {"before": []}, "arguments.before: expected at least one profile"),
                    ("compare", {"before": ["missing"]}, "missing")):
                self.assertIn(text, client.complaint(tool, **arguments))
            self.check_error(client.request("tools/call", {"name": "nonsense"}), -32602, "Unknown tool: nonsense")
            self.check_error(client.request("tools/call"), -32602)
            self.assertIn("arguments: expected an object",
                          client.request("tools/call", {"name": "programs", "arguments": [1]})
                          ["result"]["content"][0]["text"])

    def test_messages_that_are_none(self):
        with self.client() as client:
            for text, code in (("{", -32700), ("[]", -32600), ("3", -32600), ('{"id": 1, "method": "ping"}', -32600),
                               ('{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
                               ('{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600),
                               ('{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600),
                               ("[" * 200 + "]" * 200, -32700)):
                client.send_text(text)
                self.check_error(client.receive(), code)
            client.send_text("")
            client.send({"id": 5, "result": {}})
            client.send({"method": "notifications/unknown"})
            client.send({"id": 6, "method": "tools/list", "params": [1]})
            self.check_error(client.receive(), -32602, "params: expected an object")
            self.check_error(client.request("no/such"), -32601, "no/such")
            # Bytes that are not UTF-8 are no end of the conversation.
            client.process.stdin.write(b'{"jsonrpc":"2.0","id":"\xff","method":"server/discover"}\n')
            client.process.stdin.flush()
            self.assertIn("error", client.receive())
            self.assertIn("result", client.request("server/discover"))

    def test_a_line_that_is_too_long(self):
        with self.client() as client:
            client.send_text('{"jsonrpc": "2.0", "x": "' + "y" * (17 << 20) + '"}')
            self.check_error(client.receive(), -32700, "skipped")
            self.assertIn("result", client.request("server/discover"))

    def test_resources(self):
        with self.client() as client:
            listed = client.request("resources/list")["result"]["resources"]
            self.assertEqual([entry["uri"] for entry in listed],
                             [f"gprof-report:/{kind}?program=program"
                              for kind in ("flat-profile", "call-graph", "flame-graph")])
            texts = [client.request("resources/read", {"uri": entry["uri"]})["result"]["contents"][0]["text"]
                     for entry in listed]
            self.assertIn("leaf", texts[0])
            self.assertIn("<spontaneous>", texts[1])
            self.assertRegex(texts[2], r"(?m)^ +\d+\.\d %  0\.4\d*  leaf$")
            for uri in ("file:///etc/passwd", "gprof-report:/nonsense", "gprof-report:/flat-profile?program=x", ""):
                answer = client.request("resources/read", {"uri": uri})
                self.check_error(answer, -32602)
            self.check_error(client.request("resources/read"), -32602, "params.uri")

    def test_prompts(self):
        with self.client() as client:
            names = [prompt["name"] for prompt in client.request("prompts/list")["result"]["prompts"]]
            self.assertEqual(names, ["why_slow", "did_it_help"])
            for name in names:
                text = client.request("prompts/get", {"name": name, "arguments": {"program": "prog\x1b"}}
                                      )["result"]["messages"][0]["content"]["text"]
                self.assertIn("prog?", text)
                self.assertNotIn("{program}", text)
            self.check_error(client.request("prompts/get", {"name": "x"}), -32602)

    def test_a_new_profile_is_seen_at_once(self):
        with self.client() as client:
            self.assertEqual(client.ask("hot_spots")["functions"][0]["calls"], 30000)
            self.workspace.make(scale=2)
            self.assertEqual(client.ask("hot_spots")["functions"][0]["calls"], 60000)

    def test_progress_rises(self):
        with self.client() as client:
            client.answer_to(client.start("tools/call", {"name": "programs", "arguments": {}},
                                          {"progressToken": "token"}))
            told = [message["params"] for message in client.notifications
                    if message["method"] == "notifications/progress"]
            self.assertLessEqual({params["progressToken"] for params in told}, {"token"})
            amounts = [params["progress"] for params in told]
            self.assertEqual(amounts, sorted(set(amounts)))

    def test_questions_are_answered_after_the_end_of_the_input(self):
        lines = "".join(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {
            "name": "hot_spots", "arguments": {}, "_meta": modern_meta()}}) + "\n" for number in range(20))
        done = subprocess.run([SERVER, "mcp", self.workspace.directory], env=self.environment, input=lines,
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(sorted(answer["id"] for answer in answers if "result" in answer), list(range(20)))

    def test_hundreds_of_questions_at_once(self):
        with self.client() as client:
            numbers = [client.start("tools/call", {"name": "hot_spots", "arguments": {}}) for _ in range(200)]
            answers = {message["id"]: message for message in (client.receive() for _ in numbers)}
            self.assertEqual(sorted(answers), numbers)
            self.assertEqual({json.dumps(message["result"]) for message in answers.values()},
                             {json.dumps(answers[1]["result"])})


PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **words) {
  FILE *file = fopen(words[1], "w");
  fprintf(file, "%d", (int)getpid());
  fclose(file);
  for (long i = 0; i < 20000000; ++i) __asm__ volatile("");
  if (count > 2) pause();
  return 0;
}
"""


@needs_collector
class Recording(AgentTest):
    def setUp(self):
        super().setUp()
        folder = self.workspace.directory
        (folder / "prog.c").write_text(PROGRAM)
        run(["gcc", "-g", "-O1", "prog.c", "-o", "prog"], folder)
        self.started = folder / "started"

    def wait_for_start(self):
        """The process of the program."""
        while not self.started.exists() or self.started.read_text() == "":
            time.sleep(0.02)
        return int(self.started.read_text())

    def wait_for_end(self, process):
        while True:
            try:
                state = (pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split() or ["Z"])[0]
            except (FileNotFoundError, ProcessLookupError):
                return
            if state == "Z":
                return
            time.sleep(0.02)

    def test_nothing_runs_unless_it_is_allowed(self):
        with self.client() as client:
            self.check_error(client.request("tools/call", {"name": "record", "arguments": {"command": ["./prog"]}}),
                             -32602, "Unknown tool: record")
        with self.client("--allow-record=" + str(self.workspace.path("prog"))) as client:
            for command in (["/bin/sh", "-c", "true"], ["sh", "-c", "true"], ["./prog.c"], ["../work/x"], [""], []):
                self.assertIn("arguments.command: expected", client.complaint("record", command=command))
        with self.client("--allow-record") as client:
            self.assertIn("record", [tool["name"] for tool in client.request("tools/list")["result"]["tools"]])
            os.symlink("/bin/true", self.workspace.path("link"))
            for command in (["/bin/true"], ["./link"], ["../../../bin/true"], ["true"]):
                self.assertIn("arguments.command: expected", client.complaint("record", command=command))
        self.assertFalse(self.started.exists())

    def test_a_program_is_run_and_its_profile_seen(self):
        with self.client("--allow-record") as client:
            answer = client.ask("record", command=["./prog", "started"], output="prof")
            self.assertEqual((answer["profiles"], answer["status"]), (["prof/gmon.out"], 0))
            self.assertEqual(client.ask("programs")["programs"][0]["profiles"], ["prof/gmon.out"])
            self.assertIn("main", [row["function"] for row in client.ask("hot_spots")["functions"]])
            # No shell reads the words.
            client.ask("record", command=["./prog", "$(touch shell)"])
            self.assertFalse(self.workspace.path("shell").exists())

    def test_a_recording_that_is_cancelled(self):
        with self.client("--allow-record") as client:
            number = client.start("tools/call", {"name": "record",
                                                 "arguments": {"command": ["./prog", "started", "stay"]}})
            process = self.wait_for_start()
            self.assertIn("another recording is running", client.complaint("record", command=["./prog", "other"]))
            client.send({"method": "notifications/cancelled", "params": {"requestId": number}})
            self.wait_for_end(process)
            # It is not answered, and the next one is.
            answer = client.request("tools/call", {"name": "programs", "arguments": {}})
            self.assertIn("result", answer)
            self.assertNotIn(number, [message.get("id") for message in client.notifications])

    def test_a_recording_ends_with_its_client(self):
        for how in ("close", "kill"):
            with self.subTest(how):
                self.started.unlink(missing_ok=True)
                client = self.client("--allow-record")
                client.start("tools/call", {"name": "record", "arguments": {"command": ["./prog", "started", "stay"]}})
                process = self.wait_for_start()
                recorder = int(pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
                if how == "close":
                    self.assertEqual(client.close(), 0)
                else:
                    client.process.kill()
                    client.close()
                self.wait_for_end(process)
                # It writes the profile after that.
                self.wait_for_end(recorder)


if __name__ == "__main__":
    unittest.main()
