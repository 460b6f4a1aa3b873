"""The package for Sublime Text, which neither Debian nor npm has, nor its package LSP: what the package says is compared
with the server, and its code runs against a stand-in of what it uses of LSP. Nothing here shows that Sublime Text takes
the package.
"""
import importlib.util
import json
import pathlib
import re
import sys
import types
import unittest
from unittest import mock

from feature_session import KnownProfileTest

PACKAGE = pathlib.Path(__file__).resolve().parents[3] / "editors" / "sublime"


def read(name):
    """A file of Sublime Text: JSON with remarks, which here have lines of their own."""
    text = (PACKAGE / name).read_text(encoding="utf-8")
    return json.loads(re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE))


def as_levels(settings):
    """Names with dots as levels, as LSP answers workspace/configuration."""
    root = {}
    for name, value in settings.items():
        *levels, last = name.split(".")
        level = root
        for part in levels:
            level = level.setdefault(part, {})
        level[last] = value
    return root


class Settings(KnownProfileTest):
    def test_the_configuration_starts_the_server(self):
        configuration = read("LSP-gprof.sublime-settings")
        self.assertEqual(sorted(configuration), ["command", "selector", "settings"])
        self.assertEqual(configuration["command"], ["gprof-lsp", "--stdio"])
        scopes = configuration["selector"].split(" | ")
        self.assertIn("source.c++", scopes)
        for scope in scopes:
            self.assertRegex(scope, r"^source\.[a-z0-9+-]+$")

    def test_the_server_takes_every_setting(self):
        settings = as_levels(read("LSP-gprof.sublime-settings")["settings"])
        self.assertEqual(list(settings), ["gprof"])
        with self.editor(settings=settings["gprof"], opened=["hot.c"]) as editor:
            editor.settle()
            self.assertEqual([message["message"] for message in editor.all_messages()], [])
        # That is because they are right: a wrong one is named.
        with self.editor(settings=settings["gprof"] | {"treshold": 1}, opened=["hot.c"]) as editor:
            editor.wait_for_message("treshold")

    def test_the_schema_has_the_same_settings_and_defaults(self):
        contributed = read("sublime-package.json")["contributions"]["settings"]
        own = contributed[0]["schema"]["definitions"]["PluginConfig"]["properties"]["settings"]["properties"]
        settings = read("LSP-gprof.sublime-settings")["settings"]
        self.assertEqual({name: entry["default"] for name, entry in own.items() if "default" in entry}, settings)
        self.assertEqual(set(own) - set(settings), {"gprof.base"})
        self.assertEqual(contributed[0]["file_patterns"], ["/LSP-gprof.sublime-settings"])

    def test_the_server_has_every_command(self):
        with self.editor() as editor:
            offered = editor.offered["executeCommandProvider"]["commands"]
        named = [entry["args"] for entry in read("LSP-gprof.sublime-commands") if entry["command"] == "lsp_execute"]
        self.assertGreater(len(named), 0)
        for arguments in named:
            self.assertEqual(arguments["session_name"], "gprof")
            self.assertIn(arguments["command_name"], offered)


class StandIn:
    """What the plugin uses of LSP and Sublime Text."""

    def __init__(self):
        self.registered, self.picked, self.requests = [], [], []
        lsp = types.ModuleType("LSP.plugin")
        lsp.AbstractPlugin = type("AbstractPlugin", (), {"weaksession": lambda plugin: plugin.session})
        lsp.Request = lambda method, params: (method, params)
        lsp.register_plugin = self.registered.append
        lsp.unregister_plugin = self.registered.remove
        picker = types.ModuleType("LSP.plugin.locationpicker")
        picker.LocationPicker = self.pick
        sublime = types.ModuleType("sublime")
        sublime.set_timeout = lambda function: function()
        self.modules = {"LSP": types.ModuleType("LSP"), "LSP.plugin": lsp, "LSP.plugin.locationpicker": picker,
                        "sublime": sublime}

    def pick(self, view, _session, locations, side_by_side):
        self.picked.append((view, locations, side_by_side))

    def load(self):
        with mock.patch.dict(sys.modules, self.modules):
            spec = importlib.util.spec_from_file_location("plugin", PACKAGE / "plugin.py")
            plugin = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(plugin)
        return plugin

    def session(self):
        window = mock.Mock()
        window.active_view.return_value = "the view"
        return types.SimpleNamespace(window=window, send_request=lambda *call: self.requests.append(call))


class Plugin(unittest.TestCase):
    def setUp(self):
        self.lsp = StandIn()
        self.plugin = self.lsp.load()
        self.gprof = self.plugin.Gprof()
        self.gprof.session = self.lsp.session()
        self.done = mock.Mock()

    def test_it_is_registered_under_the_name_of_its_settings(self):
        self.plugin.plugin_loaded()
        self.assertEqual(self.lsp.registered, [self.plugin.Gprof])
        self.assertTrue((PACKAGE / f"LSP-{self.plugin.Gprof.name()}.sublime-settings").is_file())
        self.plugin.plugin_unloaded()
        self.assertEqual(self.lsp.registered, [])

    def test_other_commands_are_left_to_lsp(self):
        self.assertFalse(self.gprof.on_pre_server_command({"command": "gprof.reload"}, self.done))
        self.done.assert_not_called()

    def test_several_callers_are_listed(self):
        command = {"command": "gprof.showCallers", "arguments": [{"uri": "file:///a.c"}]}
        self.assertTrue(self.gprof.on_pre_server_command(command, self.done))
        request, show, _ = self.lsp.requests[0]
        self.assertEqual(request, ("workspace/executeCommand", command))
        places = [{"uri": "file:///a.c"}, {"uri": "file:///b.c"}]
        show(places)
        self.assertEqual(self.lsp.picked, [("the view", places, False)])
        self.done.assert_called_once_with()

    def test_the_only_caller_is_opened_by_the_server_alone(self):
        self.gprof.on_pre_server_command({"command": "gprof.showCallers"}, self.done)
        self.lsp.requests[0][1]([{"uri": "file:///a.c"}])
        self.assertEqual(self.lsp.picked, [])
        self.done.assert_called_once_with()

    def test_a_refusal_is_in_the_status_line(self):
        self.gprof.on_pre_server_command({"command": "gprof.showCallees"}, self.done)
        self.lsp.requests[0][2]({"code": -32602, "message": "no function is here"})
        self.gprof.session.window.status_message.assert_called_once_with("gprof-lsp: no function is here")
        self.done.assert_called_once_with()


if __name__ == "__main__":
    unittest.main()
