"""Files that have the version, the project's address or the list of changes from elsewhere: from CMakeLists.txt and
CHANGELOG.md, the only places where these are written."""

import datetime
import json
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOCK = ROOT / "editors/vscode/package-lock.json"
HEADER = ROOT / "runtime/include/gprof/runtime.h"
DEBIAN = ROOT / "debian/changelog"
MASON = ROOT / "packaging/mason/package.yaml"
EMACS = ROOT / "editors/emacs/gprof-lsp.el"
ZED = tuple(ROOT / "editors/zed" / name for name in ("extension.toml", "Cargo.toml"))
EXTENSION_CHANGES = ROOT / "editors/vscode/CHANGELOG.md"
MAINTAINER = "gprof-lsp authors <gprof-lsp@users.noreply.github.com>"
# Those of the archives of a release, as scripts/release and Mason call them.
PLATFORMS = ("x64", "arm64")
RELEASE = re.compile(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)\n(.*?)(?=^## |^\[|\Z)", re.MULTILINE | re.DOTALL)


def project():
    """(version, address)"""
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return (re.search(r"^project\(gprof-lsp VERSION (\d+\.\d+\.\d+)\s", text, re.MULTILINE)[1],
            re.search(r'HOMEPAGE_URL "(\S+)"', text)[1])


def releases():
    """[(version, date, text)], the newest first. The newest is the project's version."""
    version, _ = project()
    found = RELEASE.findall((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    if not found or found[0][0] != version:
        sys.exit(f"CHANGELOG.md begins with {found[0][0] if found else 'no release'}, CMakeLists.txt has {version}: "
                 f"the changes of a release stand below `## [{version}] - YEAR-MONTH-DAY`.")
    if f"## {version}\n" not in EXTENSION_CHANGES.read_text(encoding="utf-8"):
        sys.exit(f"{EXTENSION_CHANGES.relative_to(ROOT)} does not say what changed in {version}.")
    return found


def release_epoch():
    """The release's day, in seconds since 1970: the time of all files in packages."""
    day = datetime.date.fromisoformat(releases()[0][1])
    return int(datetime.datetime.combine(day, datetime.time(), datetime.timezone.utc).timestamp())


def manifest(text):
    """package.json of the extension."""
    version, address = project()
    found = json.loads(text)
    found["version"] = version
    found |= {"homepage": f"{address}#readme", "bugs": {"url": f"{address}/issues"},
              "repository": {"type": "git", "url": f"{address}.git", "directory": "editors/vscode"}}
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def lock(text):
    version, _ = project()
    found = json.loads(text)
    found["version"] = found["packages"][""]["version"] = version
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def header(text):
    for name, number in zip(("MAJOR", "MINOR"), project()[0].split(".")):
        text = re.sub(rf"(#define GPROF_RUNTIME_VERSION_{name}) \d+", rf"\1 {number}", text)
    return text


def emacs_package(text):
    """The headers of its main file."""
    version, address = project()
    text = re.sub(r"^(;; Version:) .*$", rf"\1 {version}", text, count=1, flags=re.MULTILINE)
    return re.sub(r"^(;; URL:) .*$", rf"\1 {address}", text, count=1, flags=re.MULTILINE)


def zed_manifest(text):
    """One of the two of the extension for Zed."""
    version, address = project()
    text = re.sub(r'^version = ".*"$', f'version = "{version}"', text, count=1, flags=re.MULTILINE)
    return re.sub(r'^repository = ".*"$', f'repository = "{address}"', text, count=1, flags=re.MULTILINE)


def debian_changelog():
    """Each point of CHANGELOG.md, as Debian has them."""
    entries = []
    for version, date, text in releases():
        points = [" ".join(point.split()) for point in re.findall(r"^- (.*?)(?=^- |^#|\Z)", text, re.MULTILINE | re.DOTALL)]
        lines = [line for point in points
                 for line in textwrap.wrap(point.replace("`", ""), 78, initial_indent="  * ", subsequent_indent="    ",
                                           break_on_hyphens=False)]
        day = datetime.date.fromisoformat(date).strftime("%a, %d %b %Y")
        entries.append("\n".join([f"gprof-lsp ({version}-1) unstable; urgency=medium", "", *lines, "",
                                  f" -- {MAINTAINER}  {day} 00:00:00 +0000"]))
    return "\n\n".join(entries) + "\n"


def mason_package():
    """The entry of mason-registry."""
    version, address = project()
    name = "gprof-lsp-{{ version | strip_prefix \"v\" }}"
    assets = "".join(f"""
    - target: linux_{platform}
      file: {name}-linux-{platform}.tar.zst
      bin: {name}-linux-{platform}/bin/gprof-lsp""" for platform in PLATFORMS)
    return f"""---
name: gprof-lsp
description: |
  Language server that shows profiles of gprof, perf, callgrind and pprof in the source: calls and times of functions
  and lines, callers and callees, comparisons of builds.
homepage: {address}
licenses:
  - Apache-2.0
languages:
  - C
  - C++
  - Rust
  - Fortran
  - Ada
categories:
  - LSP
  - Runtime

source:
  id: pkg:github/{address.removeprefix('https://github.com/')}@v{version}
  asset:{assets}

schemas:
  lsp: vscode:{address.replace('github.com', 'raw.githubusercontent.com')}/v{version}/editors/vscode/package.json

bin:
  gprof-lsp: "{{{{source.asset.bin}}}}"
"""


def generated():
    """The texts of all files, by path, but for package.json, which other parts write as well."""
    def read(path):
        return path.read_text(encoding="utf-8")
    return {LOCK: lock(read(LOCK)), HEADER: header(read(HEADER)), DEBIAN: debian_changelog(), MASON: mason_package(),
            EMACS: emacs_package(read(EMACS))} | {file: zed_manifest(read(file)) for file in ZED}
