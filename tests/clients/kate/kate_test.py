"""Kate on a screen of its own: hovers and references, as docs/editors.md configures it."""
import json
import os
import pathlib
import signal
import subprocess

from client_test import ClientTest, NAME, SOURCE
from documented import check_version, snippet
from skipping import require_or_skip

HERE = pathlib.Path(__file__).resolve().parent
# Seconds until a Kate that does not end counts as broken; the waits for it end earlier.
PATIENCE = 150
# Debian's, whatever Python runs the tests: its packages read the accessibility bus.
PYTHON = "/usr/bin/python3"


class Kate(ClientTest):
    def setUp(self):
        for tool in ("kate", "Xvfb", "dbus-run-session", PYTHON):
            require_or_skip(tool)
        if subprocess.run([PYTHON, "-c", "import gi; gi.require_version('Atspi', '2.0')"],
                          check=False, capture_output=True).returncode != 0:
            require_or_skip("", "there is no gir1.2-atspi-2.0 for the system's Python")
        runtime = self.home / "runtime"
        runtime.mkdir(mode=0o700)
        self.surroundings = self.environment(XDG_RUNTIME_DIR=str(runtime), DISPLAY=self.screen(),
                                             QT_LINUX_ACCESSIBILITY_ALWAYS_ON="1")
        self.surroundings.pop("DBUS_SESSION_BUS_ADDRESS", None)

    def screen(self):
        """A display that nobody else has, until the test ends."""
        server = subprocess.Popen(["Xvfb", "-displayfd", "1", "-noreset", "-nolisten", "tcp",
                                   "-screen", "0", "1200x800x24"],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        self.addCleanup(server.stdout.close)
        return ":" + server.stdout.readline().strip()

    def configure(self):
        self.write_home(".config/kate/lspclient/settings.json", snippet("kate"))
        # The plugin ticked, and Kate's question answered whether this server may be started.
        self.write_home(".config/katerc",
                        "[Kate Plugins]\nlspclientplugin=true\n"
                        "[lspclient]\n"
                        f"AllowedServerCommandLines={self.commands}/gprof-lsp --stdio\n")

    def look(self, plan):
        """What look.py saw. Everything that it started ends with it."""
        result = self.home / "seen.json"
        plan = self.write_home("plan.json", json.dumps(plan | {"result": str(result)}))
        session = subprocess.Popen(
            ["dbus-run-session", "--", PYTHON, str(HERE / "look.py"), str(plan)],
            cwd=self.workspace.directory, env=self.surroundings, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        try:
            output, _ = session.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            output = "Kate does not end"
        finally:
            try:
                os.killpg(session.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass  # all have ended
        self.assertTrue(result.exists(), output)
        seen = json.loads(result.read_text())
        self.assertNotIn("error", seen, output)
        return seen

    def test_shows_hovers_and_references(self):
        version = subprocess.run(["kate", "--version"], env=self.surroundings, capture_output=True,
                                 text=True, check=True).stdout.split()[-1]
        check_version(self, "Kate", version)
        self.configure()
        uses = ("static int work", "static int twice", "once a turn")
        seen = self.look({"file": str(self.workspace.path(NAME)), "place": SOURCE.index("work"),
                          "hover": "50 calls.", "references": len(uses)})
        # Tables, cell by cell.
        shown = " ".join("".join(c if c.isprintable() and ord(c) < 0xfdd0 else " "
                                 for c in seen["hover"]).split())
        self.assertIn("Caller Calls (of 50) main 40 twice 10 Callee Calls leaf 250", shown)
        self.assertEqual(sorted(map(self.line, uses)), seen["references"])
