"""The extension for Zed. It is built with the crate zed_extension_api, which only crates.io has, and taken by Zed: here
its manifests are read, and its source is compiled and run with a stand-in of that crate's API of version 0.7
(stand_in.rs). Nothing here shows that Zed takes the extension.
"""
import pathlib
import re
import subprocess
import tempfile
import tomllib
import unittest

from profiled_program import require

HERE = pathlib.Path(__file__).resolve().parent
EXTENSION = HERE.parents[2] / "editors" / "zed"


def manifest(name):
    return tomllib.loads((EXTENSION / name).read_text(encoding="utf-8"))


class Extension(unittest.TestCase):
    def test_the_manifest_names_the_server_and_its_languages(self):
        extension = manifest("extension.toml")
        for member in ("id", "name", "version", "authors", "description", "repository"):
            self.assertTrue(extension[member], member)
        self.assertEqual(extension["schema_version"], 1)
        self.assertEqual(list(extension["language_servers"]), ["gprof-lsp"])
        server = extension["language_servers"]["gprof-lsp"]
        self.assertLessEqual({"C", "C++", "Rust"}, set(server["languages"]))

    def test_the_crate_is_a_library_of_the_same_version(self):
        crate = manifest("Cargo.toml")
        self.assertEqual(crate["package"]["version"], manifest("extension.toml")["version"])
        self.assertEqual(crate["lib"]["crate-type"], ["cdylib"])
        self.assertTrue((EXTENSION / crate["lib"]["path"]).is_file())
        # That of which stand_in.rs is a part.
        self.assertEqual(crate["dependencies"], {"zed_extension_api": "0.7"})

    def test_the_source_compiles_with_a_stand_in_of_the_api_and_starts_the_server(self):
        require("rustc")
        with tempfile.TemporaryDirectory() as folder:
            def compile_rust(*words):
                done = subprocess.run(["rustc", "--edition=2021", "-D", "warnings", "--out-dir", folder, *words],
                                      capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
            compile_rust("--crate-type=rlib", "--crate-name=zed_extension_api", str(HERE / "stand_in.rs"))
            # The extension's own source, and below it what is expected of it.
            session = pathlib.Path(folder, "session.rs")
            session.write_text(re.sub(r"^//!.*\n", "", (EXTENSION / "src" / "lib.rs").read_text(), flags=re.MULTILINE)
                               + (HERE / "expected.rs").read_text())
            compile_rust("--test", "--crate-name=session", f"--extern=zed_extension_api={folder}/libzed_extension_api.rlib",
                         str(session))
            done = subprocess.run([f"{folder}/session"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn("4 passed", done.stdout)


if __name__ == "__main__":
    unittest.main()
