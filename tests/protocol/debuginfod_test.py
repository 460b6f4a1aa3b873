"""Debug information that is fetched: from a server of our own that speaks debuginfod's protocol, never from
another, and never without DEBUGINFOD_URLS."""
import ctypes
import http.server
import os
import re
import subprocess
import threading
import time
import unittest

from editor import Editor
from own_folders import fresh_folder, own_environment
from profiled_program import require, run
from tested_build import COLLECTOR, not_sanitized, skip_without_collector

SERVER = os.environ.get("GPROF_LSP_SERVER")
STATIC_SERVER = os.environ.get("GPROF_LSP_STATIC_SERVER")

PROGRAM = """\
int in_library(int n);

int called(int n) {
  return n * 2;
}

int main(void) {
  int result = 0;
  for (int i = 0; i < 21; ++i) result = called(result);
  return result != in_library(100000000);
}
"""
LIBRARY = """\
static unsigned __attribute__((noinline)) hidden(unsigned n) {
  unsigned value = n;
  while (n--) value = value * 1664525u + 1;
  return value;
}
int in_library(int n) { return hidden(n) == 0; }
"""


class DebugServer:
    """Serves files by build-id. `stalled`: it sends the beginning of a file, and no more until then."""

    def __init__(self):
        self.files = {}
        self.requests = []
        self.stalled = False
        self.go_on = threading.Event()
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                owner.answer(self)

            def log_message(self, *_):
                pass

        self._http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def close(self):
        self.go_on.set()
        self._http.shutdown()
        self._http.server_close()

    def answer(self, request):
        self.requests.append(request.path)
        contents = self.files.get(request.path)
        if contents is None:
            return request.send_error(404)
        request.send_response(200)
        request.send_header("Content-Length", str(len(contents)))
        request.end_headers()
        if self.stalled:
            request.wfile.write(contents[:1000])
            request.wfile.flush()
            self.go_on.wait(60)
            return None
        request.wfile.write(contents)
        return None


def build_id(path):
    notes = run(["readelf", "-n", path], path.parent)
    return re.search("Build ID: ([0-9a-f]+)", notes)[1]


@not_sanitized("libdebuginfod and its HTTP client know nothing of sanitizers")
class Debuginfod(unittest.TestCase):
    """By the library."""
    program = SERVER

    def require_client(self):
        try:
            ctypes.CDLL("libdebuginfod.so.1")
        except OSError:
            self.skipTest("skipped: no libdebuginfod.so.1")

    def setUp(self):
        require("gcc", "objcopy", "readelf")
        skip_without_collector()
        self.require_client()
        self.server = DebugServer()
        self.addCleanup(self.server.close)
        self.root = fresh_folder(self.addCleanup)
        self.user = fresh_folder(self.addCleanup)
        (self.root / "program.c").write_text(PROGRAM)
        (self.root / "library.c").write_text(LIBRARY)
        run(["gcc", "-g", "-O1", "-fPIC", "-shared", "-Wl,--build-id", "library.c", "-o", "libwork.so"],
            self.root)
        run(["gcc", "-g", "-O0", "-pg", "-Wl,--build-id", "program.c", "-o", "program", "-L.", "-lwork",
             "-Wl,-rpath,$ORIGIN"], self.root)
        # At this rate the library certainly has samples: it runs for at least 50 ms.
        run(["./program"], self.root, env={**os.environ, "LD_PRELOAD": COLLECTOR, "GPROF_RATE": "1000"})

    def serve_debug_file_of(self, name, strip="--strip-debug"):
        """Takes from the file itself what it serves. Returns the path of the request."""
        file = self.root / name
        debug = self.user / f"{name}.debug"
        run(["objcopy", "--only-keep-debug", file, debug], self.root)
        request = f"/buildid/{build_id(file)}/debuginfo"
        self.server.files[request] = debug.read_bytes()
        # As it was, but for what is served.
        modified = file.stat().st_mtime_ns
        run(["objcopy", strip, file], self.root)
        os.utime(file, ns=(modified, modified))
        return request

    def environment(self, urls=None):
        return own_environment(self.user, HOME=str(self.user),
                               DEBUGINFOD_URLS=self.server.url if urls is None else urls)

    def editor(self, **options):
        return Editor(self.root, environment=self.environment(**options), opened=["program.c"], server=self.program,
                      settings={"programs": [{"executable": "program", "profiles": ["gmon.out"]}]})

    def progresses(self, editor):
        return [m["value"]["title"] for method, m in editor.client.notifications
                if method == "$/progress" and m["value"]["kind"] == "begin"]

    def report(self, **options):
        done = subprocess.run([self.program, "report", "--accurate", "-b", "-p", "program", "gmon.out"],
                              cwd=self.root, env=self.environment(**options), capture_output=True,
                              text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, done.stderr

    def test_a_program_is_fetched_once(self):
        request = self.serve_debug_file_of("program")
        with self.editor() as editor:
            editor.wait_for_loads(1)
            self.assertEqual([t.split(" · ")[0] for t in editor.lenses("program.c")[3]], ["21 calls"])
            self.assertIn("Fetching debug information", self.progresses(editor))
        self.assertEqual(self.server.requests.count(request), 1)
        with self.editor() as editor:
            editor.wait_for_loads(1)
            self.assertIn(3, editor.lenses("program.c"))
        # What is in the cache is used without the variable, too.
        with self.editor(urls="") as editor:
            editor.wait_for_loads(1)
            self.assertIn(3, editor.lenses("program.c"))
            self.assertNotIn("Fetching debug information", self.progresses(editor))
        self.assertEqual(self.server.requests.count(request), 1)

    def test_nothing_is_fetched_without_the_variable(self):
        self.serve_debug_file_of("libwork.so", "--strip-all")
        text, _ = self.report(urls="")
        self.assertNotIn("hidden", text)
        self.serve_debug_file_of("program")
        with self.editor(urls="") as editor:
            editor.wait_for_loads(1)
            self.assertEqual(editor.lenses("program.c"), {})
        self.assertEqual(self.server.requests, [])

    def test_a_fetch_that_is_cancelled_is_tried_again_by_a_reload(self):
        request = self.serve_debug_file_of("program")
        self.server.stalled = True
        with self.editor() as editor:
            client = editor.client
            client.wait_until(lambda: "Fetching debug information" in self.progresses(editor), 60,
                              "a progress of the fetch")
            token = next(m["token"] for method, m in client.notifications
                         if method == "$/progress"
                         and m["value"].get("title") == "Fetching debug information")
            while request not in self.server.requests:
                time.sleep(0.05)
            client.notify("window/workDoneProgress/cancel", {"token": token})
            editor.wait_for_loads(1)
            self.assertEqual(editor.lenses("program.c"), {})
            self.assertEqual(self.server.requests.count(request), 1)
            self.assertEqual([file for file in self.user.rglob("debuginfo*") if file.is_file()], [])
            self.server.stalled = False
            client.request("workspace/executeCommand", {"command": "gprof.reload", "arguments": []})
            editor.wait_for_lens("program.c", 3, "21 calls")
        self.assertEqual(self.server.requests.count(request), 2)

    def test_functions_of_a_library_have_their_names(self):
        request = self.serve_debug_file_of("libwork.so", "--strip-all")
        text, said = self.report()
        self.assertRegex(text, r"hidden.*libwork\.so")
        self.assertIn("fetching debug information of", said)
        self.assertEqual(self.server.requests.count(request), 1)

    def test_what_no_server_has_is_left_alone(self):
        request = self.serve_debug_file_of("libwork.so", "--strip-all")
        del self.server.files[request]
        text, said = self.report()
        self.assertIn("called", text)
        self.assertNotIn("hidden", text)
        self.assertNotIn("could not be fetched", said)
        self.assertEqual(self.server.requests.count(request), 1)

    def test_a_server_that_does_not_answer_is_told_of(self):
        self.serve_debug_file_of("libwork.so", "--strip-all")
        self.server.close()
        text, said = self.report()
        self.assertIn("called", text)
        self.assertIn("could not be fetched from DEBUGINFOD_URLS", said)


class ByProgram(Debuginfod):
    """By debuginfod-find: the server is linked statically, and can load no library."""
    program = STATIC_SERVER

    def require_client(self):
        if not STATIC_SERVER:
            self.skipTest("skipped: no server that is linked statically")
        require("debuginfod-find")

    def test_without_the_program_it_is_said(self):
        """One in a folder that PATH names relatively is nobody's choice."""
        self.serve_debug_file_of("libwork.so", "--strip-all")
        foreign = self.root / "debuginfod-find"
        foreign.write_text(f"#!/bin/sh\n: > {self.root}/was_run\n")
        foreign.chmod(0o755)
        done = subprocess.run([STATIC_SERVER, "report", "--accurate", "-b", "-p", "program", "gmon.out"],
                              cwd=self.root, env=self.environment() | {"PATH": ".:/nonexistent"},
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Debian's package debuginfod", done.stderr)
        self.assertFalse((self.root / "was_run").exists())


if __name__ == "__main__":
    unittest.main()
