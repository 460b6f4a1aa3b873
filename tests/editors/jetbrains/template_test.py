"""The template for LSP4IJ, which neither Debian nor npm has: its files have what LSP4IJ documents and no more
(docs/UserDefinedLanguageServerTemplate.md there), and what they say is compared with the server. Nothing here shows
that an IDE takes the template.
"""
import json
import os
import pathlib
import unittest

from feature_session import KnownProfileTest
from lsp_client import LspClient

TEMPLATE = pathlib.Path(__file__).resolve().parents[3] / "editors" / "jetbrains"
# What LSP4IJ reads of a template's folder.
FILES = {"template.json", "settings.json", "settings.schema.json", "initializationOptions.json", "clientSettings.json",
         "installer.json", "README.md"}


def read(name):
    return json.loads((TEMPLATE / name).read_text(encoding="utf-8"))


class Template(KnownProfileTest):
    def test_the_folder_has_only_what_is_read(self):
        names = {file.name for file in TEMPLATE.iterdir()}
        self.assertLessEqual(names, FILES)
        self.assertLessEqual({"template.json", "settings.json", "settings.schema.json"}, names)

    def test_the_descriptor_has_the_documented_members(self):
        template = read("template.json")
        self.assertEqual(set(template), {"id", "name", "programArgs", "fileTypeMappings"})
        self.assertLessEqual(set(template["programArgs"]), {"default", "windows"})
        patterns = []
        for mapping in template["fileTypeMappings"]:
            self.assertEqual(set(mapping), {"fileType", "languageId"})
            self.assertEqual(set(mapping["fileType"]), {"patterns"})
            self.assertRegex(mapping["languageId"], "^[a-z]+$")
            patterns += mapping["fileType"]["patterns"]
        self.assertIn("*.cpp", patterns)
        self.assertEqual(len(patterns), len(set(patterns)))

    def test_its_command_starts_the_server(self):
        program, *arguments = read("template.json")["programArgs"]["default"].split()
        self.assertEqual(program, "gprof-lsp")
        with LspClient([os.environ["GPROF_LSP_SERVER"], *arguments]) as client:
            self.assertIn("codeLensProvider", client.initialize()["capabilities"])
            self.assertEqual(client.shutdown(), 0)

    def test_the_server_takes_every_setting_of_the_schema(self):
        schema = read("settings.schema.json")
        settings = defaults(schema)
        self.assertEqual(list(settings), ["gprof"])
        self.assertEqual(settings["gprof"]["codeLens"], {"enable": True, "threshold": 0.005, "tests": True})
        with self.editor(settings=settings["gprof"], opened=["hot.c"]) as editor:
            editor.settle()
            self.assertEqual([message["message"] for message in editor.all_messages()], [])
        self.assertLessEqual(set(read("settings.json")), set(schema["properties"]))


def defaults(schema):
    """All defaults of a schema, at their levels."""
    found = {}
    for name, entry in schema["properties"].items():
        if "default" in entry:
            found[name] = entry["default"]
        elif "properties" in entry and (nested := defaults(entry)):
            found[name] = nested
    return found


if __name__ == "__main__":
    unittest.main()
