"""Who is served by a server that listens, and what they get to see."""

import os
import pathlib
import shutil
import stat
import subprocess
import sys

import harness
from listening_server import ListeningServer
from lsp_client import PATIENCE, ResponseError, frame
from naming_profiles import KINDS, gmon, pprof
from opened_files import OpenedFiles
from own_folders import own_environment
from profiled_program import require, run

HOVER = {"textDocument": {"uri": "file:///a.c"}, "position": {"line": 0, "character": 0}}
REQUEST_FAILED = -32803
SECRET = "the_innermost_secret"
NOBODY = 65534


def what_comes(connection):
    """All that the server says until it closes the connection."""
    said = b""
    connection.settimeout(PATIENCE)
    try:
        while piece := connection.recv(4096):
            said += piece
    except ConnectionResetError:
        pass
    return said


class Strangers(harness.ProtocolTest):
    """What is no client gets no answer."""

    def setUp(self):
        super().setUp()
        self.server = ListeningServer(self, folders=[self.folder])

    def initialize(self):
        return frame({"jsonrpc": "2.0", "id": 1, "method": "initialize",
                      "params": {"capabilities": {}, "initializationOptions": {
                          "gprof": {"token": self.server.token}}}})

    def test_http_is_no_conversation(self):
        body = self.initialize()
        for request in (b"POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: https://example.org\r\n"
                        b"Content-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(body),
                        b"GET / HTTP/1.1\r\n\r\n", b"OPTIONS * HTTP/1.1\r\n\r\n",
                        b"{}", b"\r\n", b"Content-Length: x\r\n\r\n"):
            with self.subTest(request), self.server.socket() as connection:
                connection.sendall(request)
                try:
                    connection.sendall(body)
                except (BrokenPipeError, ConnectionResetError):
                    pass  # closed before the body came
                self.assertEqual(b"", what_comes(connection))

    def test_the_first_byte_is_enough(self):
        with self.server.socket() as connection:
            connection.sendall(b"P")
            self.assertEqual(b"", what_comes(connection))

    def test_the_same_bytes_without_the_http_are_answered(self):
        with self.server.socket() as connection:
            connection.sendall(self.initialize())
            self.assertIn(b"Content-Length", connection.recv(4096))

    def test_a_stranger_makes_the_server_keep_no_large_message(self):
        with self.server.socket() as connection:
            connection.sendall(b"Content-Length: 33554432\r\n\r\n")
            self.assertIn(b"too large", connection.recv(4096))
        client = self.server.connect()
        client.initialize(self.folder)
        client.notify("$/large", {"text": "x" * (4 << 20)})
        self.assertIsNone(client.request("textDocument/hover", HOVER))


class Tokens(harness.ProtocolTest):
    def refusal(self, server, token):
        client = server.connect(token=token)
        error = client.start_request("initialize", {
            "processId": None, "rootUri": None, "capabilities": {},
            **({"initializationOptions": {"gprof": {"token": token}}} if token is not None else {}),
        }).error()
        self.assertEqual(REQUEST_FAILED, error.code)
        client.wait_for_end()
        return error.message

    def test_who_does_not_know_it_is_not_served(self):
        server = ListeningServer(self, folders=[self.folder])
        self.assertRegex(server.token, "^[0-9a-f]{32}$")
        changed = server.token[:-1] + ("0" if server.token[-1] != "0" else "1")
        for token in (None, "", changed, server.token + "0", server.token[:-1], 17, [server.token]):
            with self.subTest(token):
                message = self.refusal(server, token)
                self.assertIn("initializationOptions.gprof.token", message)
                self.assertNotIn(server.token, message)
        client = server.connect()
        client.initialize(self.folder)
        self.assertIsNone(client.request("textDocument/hover", HOVER))

    def test_beside_settings_that_are_not_nested(self):
        server = ListeningServer(self, folders=[self.folder])
        client = server.connect(token=None)
        client.initialize(self.folder, initializationOptions={"token": server.token,
                                                              "metric": "calls"})
        self.assertIsNone(client.request("textDocument/hover", HOVER))
        told = [params["message"] for method, params in client.notifications
                if method == "window/showMessage"]
        self.assertFalse([text for text in told if "token" in text], told)

    def test_each_server_has_another_one(self):
        tokens = {ListeningServer(self, folders=[self.folder]).token for _ in range(3)}
        self.assertEqual(3, len(tokens))

    def test_a_file_that_is_not_there_is_written_for_its_owner_alone(self):
        file = self.folder / "token"
        before = os.umask(0)
        self.addCleanup(os.umask, before)
        server = ListeningServer(self, f"--token-file={file}", folders=[self.folder])
        self.assertIsNone(server.token)
        token = file.read_text().strip()
        self.assertNotIn(token, server.said)
        self.assertEqual(0o600, stat.S_IMODE(file.stat().st_mode))
        self.refusal(server, "0" * 32)
        server.connect(token=token).initialize(self.folder)
        server.close()
        # The next server knows it still.
        again = ListeningServer(self, f"--token-file={file}", folders=[self.folder])
        again.connect(token=token).initialize(self.folder)

    def test_a_file_that_proves_nothing_is_not_used(self):
        def made(name, text="0123456789" * 4, mode=0o600):
            file = self.folder / name
            file.write_text(text)
            file.chmod(mode)
            return file
        link = self.folder / "link"
        link.symlink_to(made("target"))
        fifo = self.folder / "fifo"
        os.mkfifo(fifo, 0o600)
        files = [made("readable", mode=0o640), made("writable", mode=0o602), made("empty", ""),
                 made("short", "0123456789"), made("spaces", "0123456789 " * 4), link, fifo,
                 self.folder]
        if os.geteuid() == 0:
            files.append(made("foreign"))
            os.chown(files[-1], NOBODY, NOBODY)
        for file in files:
            with self.subTest(file.name):
                done = subprocess.run([harness.SERVER, "--listen=0", f"--token-file={file}"],
                                      capture_output=True, text=True, check=False)
                self.assertEqual(1, done.returncode)
                self.assertIn(str(file), done.stderr)


class UnixSockets(harness.ProtocolTest):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "socket"

    def serve(self):
        return ListeningServer(self, f"--listen=unix:{self.path}", folders=[self.folder])

    def test_its_user_needs_no_token(self):
        server = self.serve()
        self.assertEqual(str(self.path), server.path)
        self.assertIsNone(server.token)
        self.assertEqual(0o600, stat.S_IMODE(self.path.stat().st_mode))
        for _ in range(2):
            client = server.connect()
            client.initialize(self.folder)
            self.assertIsNone(client.request("textDocument/hover", HOVER))
        server.close()
        self.assertFalse(self.path.exists(), "the socket's file goes with its server")

    def test_what_is_no_header_is_refused_here_too(self):
        with self.serve().socket() as connection:
            connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
            self.assertEqual(b"", what_comes(connection))

    def test_another_users_connection_is_closed(self):
        if os.geteuid() != 0:
            self.skipTest("skipped: to be another user takes root")
        server = self.serve()
        # As if somebody had changed it.
        self.path.chmod(0o666)
        self.folder.chmod(0o755)
        script = ("import os, socket, sys\n"
                  f"os.setgid({NOBODY}); os.setuid({NOBODY})\n"
                  "s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])\n"
                  "try: s.sendall(b'Content-Length: 2\\r\\n\\r\\n{}')\n"
                  "except OSError: pass\n"
                  "try: sys.stdout.buffer.write(s.recv(100))\n"
                  "except OSError: pass\n")
        done = subprocess.run([sys.executable, "-c", script, str(self.path)], capture_output=True,
                              text=True, check=False)
        self.assertEqual((0, ""), (done.returncode, done.stdout), done.stderr)
        self.assertIn(str(NOBODY), server.next_line())

    def test_what_a_dead_server_left_behind_is_replaced(self):
        dead = self.serve()
        dead.process.kill()
        dead.process.wait()
        self.assertTrue(self.path.is_socket())
        self.serve().connect().initialize(self.folder)

    def test_nothing_else_is_removed(self):
        def refused():
            done = subprocess.run([harness.SERVER, f"--listen=unix:{self.path}"],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(1, done.returncode)
            self.assertIn(str(self.path), done.stderr)
        self.path.write_text("precious")
        refused()
        self.assertEqual("precious", self.path.read_text())
        self.path.unlink()
        self.path.symlink_to(self.folder / "nowhere")
        refused()
        self.assertTrue(self.path.is_symlink())
        self.path.unlink()
        living = self.serve()
        refused()
        living.connect().initialize(self.folder)

    def test_a_file_that_has_taken_its_place_stays(self):
        server = self.serve()
        self.path.unlink()
        self.path.write_text("precious")
        server.close()
        self.assertEqual("precious", self.path.read_text())


class Folders(harness.ProtocolTest):
    """`served` is what the server was started for; `private` lies beside it."""

    def setUp(self):
        super().setUp()
        root = self.folder.resolve()
        self.served, self.private = root / "served", root / "private"
        for folder in (self.served, self.private):
            folder.mkdir()
        self.secret = self.private / "secret.c"
        self.secret.write_text(f"int leaf(int n) {{ return n + 1; }} // {SECRET}\n")
        self.hidden = self.build(self.private, "hidden")
        self.server = ListeningServer(self, folders=[self.served])

    def build(self, folder, name):
        """A program whose leaf() stands in the private source."""
        self.compiler()
        main = folder / f"{name}.c"
        main.write_text("int leaf(int n);\n"
                        "int main(void) {\n  int n = 0;\n"
                        "  for (int i = 0; i < 1000; ++i) n = leaf(n);\n"
                        "  return n != 1000;\n}\n")
        run(["gcc", "-g", "-O0", "-pg", main, self.secret, "-o", name], folder)
        run([f"./{name}"], folder)
        return folder / name

    def open(self, root=None, **members):
        client = self.server.connect(**members)
        client.initialize(root or self.served)
        return client

    def messages(self, client, text):
        return client.wait_for_notification(
            "window/showMessage", lambda params: text in params["message"])["message"]

    def programs(self, client):
        return [program["executable"] for program in client.request("gprof/programs", {})["programs"]]

    def test_a_workspace_outside_is_refused(self):
        for root in (self.private, self.served / ".." / "private", self.folder, pathlib.Path("/")):
            with self.subTest(root):
                client = self.server.connect()
                with self.assertRaises(ResponseError) as refused:
                    client.initialize(root)
                self.assertIn(str(self.served), refused.exception.message)
                client.wait_for_end()
        inner = self.served / "inner"
        inner.mkdir()
        self.open(inner)
        link = self.served / "link"
        link.symlink_to(self.private)
        with self.assertRaises(ResponseError):
            self.server.connect().initialize(link)

    def test_a_folder_that_is_added_later_is_refused(self):
        client = self.open()
        client.notify("workspace/didChangeWorkspaceFolders", {"event": {
            "added": [{"uri": self.private.as_uri(), "name": "private"}], "removed": []}})
        self.messages(client, str(self.private))
        self.assertEqual([], self.programs(client))

    def test_programs_and_profiles_outside_are_not_read(self):
        shutil.copy(self.hidden, self.served / "copy")
        (self.served / "link").symlink_to(self.hidden)
        profile = self.private / "gmon.out"
        (self.served / "gmon.link").symlink_to(profile)
        asked = [{"executable": str(self.hidden)},
                 {"executable": "../private/hidden"},
                 {"executable": str(self.served / "link")},
                 {"executable": "copy", "profiles": [str(profile)]},
                 {"executable": "copy", "profiles": [str(self.private / "gmon.*")]},
                 {"executable": "copy", "profiles": ["gmon.link"]},
                 {"executable": "copy", "profiles": ["gmon.l?nk"]},
                 {"executable": "copy", "profiles": ["../priv*/gmon.out"]},
                 {"executable": str(self.private / "nothing")}]
        for program in asked:
            with self.subTest(program):
                client = self.open(settings={"programs": [program]})
                self.messages(client, "outside the folders")
                self.assertEqual([], self.programs(client))
                client.close()
            with self.subTest(program, by="command"):
                client = self.open()
                client.request("workspace/executeCommand",
                               {"command": "gprof.load", "arguments": [program]})
                self.messages(client, "outside the folders")
                self.assertEqual([], self.programs(client))
                client.close()

    def test_what_a_pattern_finds_outside_is_not_named(self):
        (self.served / "way").symlink_to(self.private)
        shutil.copy(self.hidden, self.served / "copy")
        client = self.open(settings={"programs": [{"executable": "copy",
                                                   "profiles": ["w*y/gmon.*"]}]})
        self.messages(client, "outside the folders")
        told = str(client.notifications)
        self.assertIn("w*y/gmon.*", told)
        self.assertNotIn("gmon.out", told)

    def test_sources_outside_are_not_shown(self):
        self.build(self.served, "program")
        client = self.open()
        text = client.request("gprof/report", {"kind": "annotated-source", "options": "-z"})["text"]
        self.assertNotIn(SECRET, text)
        self.assertIn(f"*** File {self.secret}", text)
        self.assertIn("not shown", text)
        self.assertIn("int main(void)", text)
        self.assertEqual([], client.request("textDocument/codeLens", {
            "textDocument": {"uri": self.secret.as_uri()}}))
        symbols = client.request("workspace/symbol", {"query": "leaf"})
        self.assertFalse([symbol for symbol in symbols or []
                          if symbol["location"]["uri"] == self.secret.as_uri()])
        # What a link leads to counts, not where it stands.
        link = self.served / "secret.c"
        link.symlink_to(self.secret)
        mapped = self.open(settings={"programs": [{"executable": "program", "pathMap": [
            {"from": str(self.private), "to": str(self.served)}]}]})
        text = mapped.request("gprof/report", {"kind": "annotated-source"})["text"]
        self.assertNotIn(SECRET, text)
        self.assertEqual([], mapped.request("textDocument/codeLens", {
            "textDocument": {"uri": link.as_uri()}}))

    def test_sources_inside_are(self):
        self.secret = self.served / "leaf.c"
        self.secret.write_text(f"int leaf(int n) {{ return n + 1; }} // {SECRET}\n")
        self.build(self.served, "program")
        client = self.open()
        text = client.request("gprof/report", {"kind": "annotated-source"})["text"]
        self.assertIn(SECRET, text)
        self.assertTrue(client.request("textDocument/codeLens", {
            "textDocument": {"uri": self.secret.as_uri()}}))

    def test_exports_go_nowhere_else(self):
        self.build(self.served, "program")
        (self.served / "way").symlink_to(self.private)
        client = self.open()
        for path in (str(self.private / "out.json"), "../private/out.json", "way/out.json"):
            with self.subTest(path), self.assertRaises(ResponseError):
                client.request("workspace/executeCommand", {
                    "command": "gprof.export", "arguments": [{"format": "json", "path": path}]})
        self.assertFalse((self.private / "out.json").exists())
        client.request("workspace/executeCommand", {
            "command": "gprof.export", "arguments": [{"format": "json", "path": "out.json"}]})
        self.assertTrue((self.served / "out.json").exists())

    def test_without_a_folder_the_working_directory_counts(self):
        server = ListeningServer(self, cwd=self.served)
        server.connect().initialize(self.served)
        with self.assertRaises(ResponseError):
            server.connect().initialize(self.private)

    def test_standard_streams_know_no_bounds(self):
        client = self.open_session("--stdio", root=self.served,
                                   settings={"programs": [{"executable": str(self.hidden)}]})
        self.assertEqual([str(self.hidden)], self.programs(client))
        text = client.request("gprof/report", {"kind": "annotated-source"})["text"]
        self.assertIn(SECRET, text)


class NamedFiles(harness.ProtocolTest):
    """A canary lies in `private`, outside of what the server was started for. Profiles and debug information in `served`
    name it: nobody opens it."""

    MAIN = "int main(void) {\n  volatile int n = 0;\n  while (n < 1000) ++n;\n  return 0;\n}\n"

    def setUp(self):
        super().setUp()
        self.compiler()
        root = self.folder.resolve()
        self.home, self.served, self.private = root / "home", root / "served", root / "private"
        for folder in (self.home, self.served, self.private):
            folder.mkdir()
        self.library = self.private / "libcanary.so"
        source = self.private / "libcanary.so.c"
        source.write_text("int canary(int n) { return n + 1; }\n" + "".join(f"int filler{i}(int n) {{ return n * {i}; }}\n" for i in range(100)))
        run(["gcc", "-g", "-shared", "-fPIC", source, "-o", self.library], root)
        self.program = self.served / "prog"
        source = self.served / "prog.c"
        source.write_text(self.MAIN)
        run(["gcc", "-g", "-no-pie", source, "-o", self.program], root)
        # perf and debuginfod's clients have caches, from which a name could lead out.
        for cache in (".debug/.build-id/ab", ".cache/debuginfod_client/ab"):
            (self.home / cache).mkdir(parents=True)

    def environment(self):
        return own_environment(self.home, HOME=str(self.home),
                               XDG_CACHE_HOME=str(self.home / ".cache"))

    def ask(self, client, **program):
        """Has it read all that it can be made to read."""
        client.initialize(self.served)
        client.request("workspace/executeCommand", {"command": "gprof.load", "arguments": [
            {"executable": str(self.program), **program}]})
        # The server answers the command before it loads the program.
        client.request("gprof/idle", {})
        asked = [*(("gprof/report", {"kind": kind})
                   for kind in ("flat-profile", "call-graph", "annotated-source")),
                 ("gprof/hotSpots", {}), ("gprof/flameGraph", {}), ("gprof/programs", {}),
                 ("textDocument/codeLens", {"textDocument": {"uri": (self.served / "prog.c").as_uri()}})]
        for method, params in asked:
            try:
                client.request(method, params)
            except ResponseError:
                pass  # of a program whose profile is refused
        return client

    def serve(self, *folders):
        server = ListeningServer(self, folders=folders or [self.served], env=self.environment())
        return server.connect()

    def test_libraries_that_profiles_name_are_not_opened(self):
        for name, write in KINDS.items():
            with self.subTest(name):
                profile = self.served / name
                write(profile, self.program, self.library)
                opened = OpenedFiles(self.private, self.addCleanup)
                client = self.ask(self.serve(), profiles=[str(profile)])
                programs = client.request("gprof/programs", {})["programs"]
                self.assertEqual([str(self.program)], [one["executable"] for one in programs])
                self.assertEqual(set(), opened.names())
                profile.unlink()

    def test_libraries_inside_are_opened(self):
        """Else the test above would prove nothing."""
        for name in ("perf.data", "gmon.out"):
            with self.subTest(name):
                profile = self.served / name
                KINDS[name](profile, self.program, self.library)
                opened = OpenedFiles(self.private, self.addCleanup)
                self.ask(self.serve(self.served, self.private), profiles=[str(profile)])
                self.assertIn("libcanary.so", opened.names())
                profile.unlink()

    def test_a_build_id_leads_nowhere_else(self):
        """Caches are looked through by build-id, which a profile may give as any text."""
        profile = self.served / "cpu.pprof"
        gone = self.private / "gone.so"
        for build_id in (f"ab{self.library}", f"ab/../../../../private/{self.library.name}",
                         f"../../../private/{self.library.name}"):
            for stem in ("debug", "elf", "debuginfo", "executable", f"{self.library.name}.debug"):
                (self.private / stem).write_bytes(self.library.read_bytes())
            with self.subTest(build_id):
                pprof(profile, self.program, gone, build_id)
                opened = OpenedFiles(self.private, self.addCleanup)
                self.ask(self.serve(), profiles=[str(profile)])
                self.assertEqual(set(), opened.names())

    def test_links_inside_lead_nowhere_else(self):
        profile = self.served / "gmon.out"
        gmon(profile, self.program, self.library)
        (self.private / "sidecar").write_bytes((self.served / "gmon.out.gpx").read_bytes())
        (self.served / "gmon.out.gpx").unlink()
        (self.served / "gmon.out.gpx").symlink_to(self.private / "sidecar")
        (self.private / "gmon.out").write_bytes(profile.read_bytes())
        (self.served / "gmon.out.2").symlink_to(self.private / "gmon.out")
        (self.served / "linked").symlink_to(self.library)
        opened = OpenedFiles(self.private, self.addCleanup)
        self.ask(self.serve(), profiles=[str(profile)])
        client = self.serve()
        client.initialize(self.served)
        client.request("gprof/programs", {})
        self.assertEqual(set(), opened.names())

    def test_debug_files_outside_are_not_opened(self):
        require("objcopy")
        gmon(self.served / "gmon.out", self.program, self.library)
        (self.served / "gmon.out.gpx").unlink()
        debug = self.private / "prog.debug"
        run(["objcopy", "--only-keep-debug", self.program, debug], self.served)
        run(["objcopy", "--strip-debug", f"--add-gnu-debuglink={debug}", self.program], self.served)
        (self.served / "prog.debug").symlink_to(debug)
        (self.served / ".debug").symlink_to(self.private)
        # As rpm's tools leave them, in the folders above the program.
        staged = self.served.parent / "usr/lib/debug/.build-id"
        staged.mkdir(parents=True)
        opened = [OpenedFiles(folder, self.addCleanup) for folder in (self.private, staged)]
        self.ask(self.serve(), profiles=[str(self.served / "gmon.out")])
        self.assertEqual([set(), set()], [one.names() for one in opened])

    def test_split_units_outside_are_not_opened(self):
        source = self.private / "split.c"
        source.write_text(self.MAIN)
        run(["gcc", "-g", "-gsplit-dwarf", "-no-pie", "-c", source, "-o", self.private / "split.o"], self.private)
        run(["gcc", "-no-pie", self.private / "split.o", "-o", self.program], self.private)
        (self.private / "package").write_bytes(self.library.read_bytes())
        (self.served / "prog.dwp").symlink_to(self.private / "package")
        profile = self.served / "gmon.out"
        gmon(profile, self.program, self.library)
        (self.served / "gmon.out.gpx").unlink()
        opened = OpenedFiles(self.private, self.addCleanup)
        self.ask(self.serve(), profiles=[str(profile)])
        self.assertEqual(set(), opened.names())

    def test_what_is_no_file_is_never_opened(self):
        """A pipe's writer would wake up, a device might act: in every mode."""
        require("objcopy")
        debug = self.private / "prog.debug"
        run(["objcopy", "--only-keep-debug", self.program, debug], self.served)
        run(["objcopy", "--strip-debug", f"--add-gnu-debuglink={debug}", self.program], self.served)
        profile = self.served / "gmon.out"
        gmon(profile, self.program, self.served / "libpipe.so")
        pipes = ("prog.debug", "prog.dwp", "libpipe.so", "gmon.out.2", "perf.data", "cpu.pprof", "program.gpx")
        for name in pipes:
            os.mkfifo(self.served / name)
        for device in ("null", "zero", "full"):
            (self.served / f"gmon.{device}").symlink_to(f"/dev/{device}")
        for open_client in (self.serve, lambda: self.stdio()):
            with self.subTest(open_client):
                opened = OpenedFiles(self.served, self.addCleanup)
                self.ask(open_client(), profiles=[str(profile), str(self.served / "gmon.out.2"),
                                                  str(self.served / "gmon.zero")])
                self.ask(open_client(), profiles=[str(profile)])
                self.assertEqual(set(), opened.names() & {*pipes, "gmon.null", "gmon.zero", "gmon.full"})

    def stdio(self):
        return self.start("--stdio", environment=self.environment())
