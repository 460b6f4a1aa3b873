"""From the handshake to the end: the rules of the protocol's life cycle, and the settings."""

import json
import os
import subprocess
import sys

import harness
from lsp_client import FULL_CAPABILITIES, ServerGone

INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
NOT_INITIALIZED = -32002

HOVER = {"textDocument": {"uri": "file:///a.c"}, "position": {"line": 0, "character": 0}}


def sleeping_process():
    """A process that ends when its standard input is closed."""
    return subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"],
                            stdin=subprocess.PIPE)


class Handshake(harness.ProtocolTest):
    def test_the_server_says_what_it_can_do(self):
        client = self.start()
        result = client.initialize(self.folder)
        self.assertEqual("gprof-lsp", result["serverInfo"]["name"])
        capabilities = result["capabilities"]
        self.assertEqual({"openClose": True, "change": 2, "save": True},
                         capabilities["textDocumentSync"])
        for name in ("codeLensProvider", "inlayHintProvider", "hoverProvider",
                     "callHierarchyProvider", "workspaceSymbolProvider"):
            self.assertIn(name, capabilities)
        self.assertIn("gprof.showCallers", capabilities["executeCommandProvider"]["commands"])
        self.assertEqual(0, client.shutdown())

    def test_a_client_without_capabilities_is_asked_for_nothing(self):
        client = self.start(capabilities={})
        self.assertEqual("utf-16", client.initialize()["capabilities"]["positionEncoding"])
        self.assertIsNone(client.request("textDocument/hover", HOVER))
        self.assertEqual(0, client.shutdown())
        self.assertEqual([], client.server_requests)

    def test_the_clients_first_known_position_encoding_is_taken(self):
        for offered, chosen in ((["utf-8", "utf-16"], "utf-8"), (["utf-7", "utf-32"], "utf-32"),
                                (["utf-16", "utf-8"], "utf-16"), ([], "utf-16")):
            capabilities = dict(FULL_CAPABILITIES, general={"positionEncodings": offered})
            client = self.start(capabilities=capabilities)
            result = client.initialize()
            self.assertEqual(chosen, result["capabilities"]["positionEncoding"])
            client.shutdown()

    def test_requests_before_initialize_are_refused(self):
        client = self.start()
        for method in ("textDocument/hover", "shutdown", "no/such"):
            self.assertEqual(NOT_INITIALIZED, client.start_request(method).error().code)
        client.notify("textDocument/didOpen", {})  # dropped
        client.initialize()
        self.assertEqual(0, client.shutdown())

    def test_initialize_is_for_once(self):
        client = self.open_session()
        again = client.start_request("initialize", {"processId": None, "capabilities": {}})
        self.assertEqual(INVALID_REQUEST, again.error().code)
        self.assertEqual(0, client.shutdown())

    def test_initialize_with_wrong_parameters_can_be_repeated(self):
        client = self.start()
        wrong = client.start_request("initialize", {"processId": "me", "capabilities": {}})
        self.assertEqual(INVALID_PARAMS, wrong.error().code)
        client.initialize()
        self.assertEqual(0, client.shutdown())


class Trace(harness.ProtocolTest):
    """$/setTrace and $/logTrace."""

    def traces(self, client):
        return [params for method, params in client.notifications if method == "$/logTrace"]

    def test_nothing_is_traced_unless_asked_for(self):
        client = self.open_session()
        client.request("textDocument/hover", HOVER)
        client.notify("$/setTrace", {"value": "nonsense"})
        client.notify("$/setTrace", {})
        client.request("textDocument/hover", HOVER)
        self.assertEqual(0, client.shutdown())
        self.assertEqual([], self.traces(client))

    def test_messages_are_traced_until_it_is_turned_off(self):
        client = self.start()
        client.initialize(self.folder, trace="messages")
        client.request("textDocument/hover", HOVER)
        client.notify("$/setTrace", {"value": "off"})
        client.request("workspace/symbol", {"query": "x"})
        self.assertEqual(0, client.shutdown())
        told = " ".join(trace["message"] for trace in self.traces(client))
        self.assertIn("'textDocument/hover", told)
        self.assertIn("Sending response 'initialize", told)
        self.assertNotIn("workspace/symbol", told)
        self.assertFalse(any("verbose" in trace for trace in self.traces(client)))

    def test_verbose_traces_hold_what_was_said_but_not_without_end(self):
        client = self.open_session()
        client.notify("$/setTrace", {"value": "verbose"})
        client.notify("textDocument/didOpen", {"textDocument": {
            "uri": "file:///a.c", "languageId": "c", "version": 1, "text": "x" * 100000}})
        client.request("textDocument/hover", HOVER)
        self.assertEqual(0, client.shutdown())
        verbose = {trace["message"]: trace.get("verbose", "") for trace in self.traces(client)}
        received = next(text for message, text in verbose.items() if "hover" in message)
        self.assertIn("file:///a.c", received)
        self.assertLess(max(map(len, verbose.values())), 10000)


class End(harness.ProtocolTest):
    def test_nothing_but_exit_follows_shutdown(self):
        client = self.open_session()
        client.request("shutdown")
        self.assertEqual(INVALID_REQUEST,
                         client.start_request("textDocument/hover", HOVER).error().code)
        self.assertEqual(0, client.exit())

    def test_exit_without_shutdown_is_a_failure(self):
        self.assertEqual(1, self.open_session().exit())
        self.assertEqual(1, self.start().exit())

    def test_the_end_of_the_input_is_the_end(self):
        for ask_first, code in ((False, 1), (True, 0)):
            client = self.open_session()
            if ask_first:
                client.request("shutdown")
            client.end_input()
            client.wait_for_end()
            self.assertEqual(code, client.process.wait())

    def test_a_client_that_reads_no_more_ends_the_server(self):
        client = self.open_session()
        client.process.stdout.close()
        with self.assertRaises((ServerGone, TimeoutError)):
            while True:
                client.start_request("textDocument/hover", HOVER).result(timeout=1)
        self.assertEqual(1, client.process.wait())

    def test_the_server_ends_with_the_process_that_initialize_names(self):
        parent = sleeping_process()
        client = self.start()
        client.initialize(processId=parent.pid)
        self.assertIsNone(client.request("textDocument/hover", HOVER))
        parent.communicate()
        client.wait_for_end()
        self.assertEqual(1, client.process.wait())

    def test_the_server_ends_with_the_process_that_the_command_line_names(self):
        parent = sleeping_process()
        client = self.open_session("--stdio", f"--clientProcessId={parent.pid}")
        self.assertIsNone(client.request("textDocument/hover", HOVER))
        parent.communicate()
        client.wait_for_end()
        client.process.wait()

    def test_a_process_that_has_gone_already_counts(self):
        parent = sleeping_process()
        parent.communicate()
        client = self.start("--stdio", f"--clientProcessId={parent.pid}")
        client.wait_for_end()
        client.process.wait()


class Messages(harness.ProtocolTest):
    def test_unknown_requests_are_refused_and_unknown_notifications_ignored(self):
        client = self.open_session()
        for method in ("textDocument/unknown", "$/unknown", ""):
            self.assertEqual(METHOD_NOT_FOUND, client.start_request(method, {}).error().code)
        for method in ("$/unknown", "workspace/unknown", "$/setTrace"):
            client.notify(method, {"value": "off"})
        self.assertIsNone(client.request("textDocument/hover", HOVER))
        self.assertEqual(0, client.shutdown())

    def test_wrong_parameters_are_named(self):
        client = self.open_session()
        for params, place in ((None, "params"), ({}, "params.textDocument"),
                              ({"textDocument": {"uri": 1}}, "params.textDocument.uri"),
                              (dict(HOVER, position={"line": -1, "character": 0}),
                               "params.position.line")):
            error = client.start_request("textDocument/hover", params).error()
            self.assertEqual(INVALID_PARAMS, error.code)
            self.assertIn(place + ":", error.message)
        self.assertEqual(0, client.shutdown())

    def test_unknown_commands_are_refused(self):
        client = self.open_session()
        error = client.start_request("workspace/executeCommand", {"command": "gprof.fly"}).error()
        self.assertEqual(INVALID_PARAMS, error.code)
        self.assertIn("gprof.fly", error.message)
        self.assertEqual(0, client.shutdown())

    def test_ids_may_be_strings(self):
        client = self.open_session()
        pending = client.start_request("textDocument/hover", HOVER, identity="an id")
        self.assertIsNone(pending.result())
        self.assertEqual(0, client.shutdown())

    def test_a_cancelled_request_is_answered_once(self):
        client = self.open_session()
        pending = [client.start_request("textDocument/hover", HOVER) for _ in range(50)]
        for request in pending:
            client.cancel(request)
        client.notify("$/cancelRequest", {"id": "never asked"})
        client.notify("$/cancelRequest", {})
        for request in pending:
            client.wait_until(lambda: request.response is not None, 60, "an answer")
            if "error" in request.response:
                self.assertEqual(-32800, request.response["error"]["code"])
        self.assertEqual(0, client.shutdown())


class Settings(harness.ProtocolTest):
    WRONG = {"colour": "red", "threshold": "much"}

    def warnings(self, client):
        return [params["message"] for method, params in client.notifications
                if method == "window/showMessage"]

    def check_warning(self, client):
        warning = client.wait_for_notification("window/showMessage")
        self.assertEqual(2, warning["type"])
        self.assertIn("gprof.colour", warning["message"])
        self.assertIn("gprof.threshold", warning["message"])

    def test_what_is_wrong_is_reported_once_by_name(self):
        client = self.open_session(settings=self.WRONG)
        self.check_warning(client)
        client.notify("workspace/didChangeConfiguration", {"settings": None})
        client.wait_until(lambda: client.count_requests("workspace/configuration") == 2, 60,
                          "a second workspace/configuration")
        client.request("textDocument/hover", HOVER)
        self.assertEqual(0, client.shutdown())
        self.assertEqual(1, len(self.warnings(client)))

    def test_initialization_options_are_settings_with_and_without_their_section(self):
        for options in (self.WRONG, {"gprof": self.WRONG}):
            client = self.start(capabilities={})
            client.initialize(initializationOptions=options)
            self.check_warning(client)
            self.assertEqual(0, client.shutdown())

    def test_settings_that_are_pushed(self):
        client = self.open_session(capabilities={})
        client.notify("workspace/didChangeConfiguration", {"settings": {"gprof": self.WRONG}})
        self.check_warning(client)
        self.assertEqual(0, client.shutdown())

    def test_settings_of_a_file(self):
        path = self.folder / "settings.json"
        path.write_text(json.dumps({"gprof": self.WRONG}))
        client = self.open_session("--stdio", f"--config={path}")
        self.check_warning(client)
        self.assertEqual(0, client.shutdown())

    def test_a_client_that_refuses_its_configuration_is_served(self):
        client = self.start()
        client.answer_with("workspace/configuration", lambda params: "nonsense")
        client.initialize(self.folder)
        self.assertIsNone(client.request("textDocument/hover", HOVER))
        self.assertEqual(0, client.shutdown())

    def test_exit_cancels_what_still_waits_for_the_start(self):
        client = self.start(capabilities={})
        client.request("initialize", {"processId": os.getpid(), "rootUri": None,
                                      "capabilities": FULL_CAPABILITIES})
        waiting = client.start_request("textDocument/hover", HOVER)  # initialized never comes
        client.request("shutdown")
        client.notify("exit")
        self.assertEqual(-32800, waiting.error().code)
        client.wait_for_end()
        self.assertEqual(0, client.process.wait())

    def test_a_log_is_written(self):
        log = self.folder / "server.log"
        client = self.open_session("--stdio", f"--log={log}", "--log-level=debug")
        client.notify("workspace/unknown")
        self.assertEqual(0, client.shutdown())
        text = log.read_text()
        self.assertIn("lsp_client 1", text)
        self.assertIn("workspace/unknown", text)
