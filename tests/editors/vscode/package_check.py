"""What has to be in the extension's package, and what must not be there."""
import json
import re
import stat
import subprocess
import tempfile
import zipfile

# What the collector may need of the system; the server needs nothing.
RUNTIME = re.compile(r"(libc|libdl)\.so\.\d+")
NEEDED = re.compile(r"\(NEEDED\).*\[(.*)\]")
PROGRAMS = ("extension/bin/gprof-lsp", "extension/bin/libgprof_runtime.so")
DOCUMENTS = ("extension/readme.md", "extension/changelog.md", "extension/LICENSE.txt",
             "extension/THIRD_PARTY_NOTICES.md", "extension/package.json",
             "extension/dist/extension.js")
# Folders that hold nothing else than what the extension uses.
FOLDERS = re.compile(r"extension/(bin|dist|images|skills|walkthrough)/|extension/[^/]+$")
MOST_BYTES = 12 * 2**20


def check_names(names):
    missing = [name for name in PROGRAMS + DOCUMENTS if name not in names]
    assert not missing, f"not in the package: {missing}"
    inside = [name for name in names if name.startswith("extension/")]
    foreign = [name for name in inside if not FOLDERS.match(name) or name.endswith((".ts", ".map"))]
    assert not foreign, f"in the package without need: {foreign}"


def check_programs(archive):
    for name in PROGRAMS:
        mode = archive.getinfo(name).external_attr >> 16
        assert stat.S_IMODE(mode) == 0o755, f"{name} has the mode {mode:o}"
        with tempfile.NamedTemporaryFile() as file:
            file.write(archive.read(name))
            file.flush()
            said = subprocess.run(["readelf", "--dynamic", "--sections", "--wide", file.name],
                                  capture_output=True, text=True, check=True).stdout
        needed = NEEDED.findall(said)
        print(f"{name} needs {', '.join(needed)}")
        foreign = [library for library in needed if not RUNTIME.fullmatch(library)]
        assert not foreign, f"{name} needs {foreign}"
        assert bool(needed) == name.endswith(".so"), f"{name} needs {needed}"
        assert ".debug_info" not in said, f"{name} holds debug information"


def check_manifest(archive, names):
    manifest = json.loads(archive.read("extension/package.json"))
    assert manifest["extensionKind"] == ["workspace"]
    assert manifest["capabilities"]["untrustedWorkspaces"]["supported"] in (False, "limited")
    assert f"extension/{manifest['icon']}" in names
    assert manifest["keywords"] and manifest["categories"]
    assert 'TargetPlatform="linux-x64"' in archive.read("extension.vsixmanifest").decode()


def check_pictures(archive, names):
    """Every picture of the README is in the package: none is fetched from elsewhere."""
    readme = archive.read("extension/readme.md").decode()
    pictures = re.findall(r"!\[[^]]*\]\(([^) ]+)", readme) + re.findall(r'<img[^>]* src="([^"]+)"', readme)
    assert pictures, "the README has no pictures"
    lost = [picture for picture in pictures if f"extension/{picture}" not in names]
    assert not lost, f"pictures of the README that are not in the package: {lost}"


def check_code(archive, names, root):
    for name in names:
        if name.endswith(".js"):
            code = archive.read(name).decode()
            assert str(root) not in code, f"{name} names folders of the machine that built it"
            assert "sourceMappingURL" not in code, f"{name} points to a map that is not there"


def check(package, root):
    size = package.stat().st_size
    print(f"{package}: {size / 2**20:.1f} MB")
    assert size < MOST_BYTES, f"{package} has {size} bytes: what made it so large?"
    with zipfile.ZipFile(package) as archive:
        names = archive.namelist()
        check_names(names)
        check_programs(archive)
        check_manifest(archive, names)
        check_pictures(archive, names)
        check_code(archive, names, root)
