"""What is linked into the programs of a build, as a list of components in CycloneDX's JSON: the libraries' archives and
headers with the Debian packages that they come from, and the packages of npm in the extension's code."""

import hashlib
import json
import pathlib
import re
import subprocess
import sys
import urllib.parse
import uuid

import version_files

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Entries of CMake's cache that say where a library was found, and the library's name in THIRD_PARTY_NOTICES.md.
LIBRARIES = {
    "dwarf_ARCHIVE": "libdwarf", "elf_ARCHIVE": "libelf (elfutils)", "iberty_ARCHIVE": "libiberty",
    "capstone_ARCHIVE": "Capstone", "zlib_ARCHIVE": "zlib", "lzma_ARCHIVE": "liblzma (XZ Utils)",
    "zstd_ARCHIVE": "Zstandard", "md_ARCHIVE": "libmd", "fmt_INCLUDE": "fmt", "asio_INCLUDE": "Asio",
    "protozero_INCLUDE": "protozero", "nlohmann_json_DIR": "JSON for Modern C++",
}
# What a folder of headers is asked for instead of the folder, which belongs to many packages.
HEADERS = {"fmt_INCLUDE": "fmt/format.h", "asio_INCLUDE": "asio.hpp", "protozero_INCLUDE": "protozero/pbf_writer.hpp",
           "nlohmann_json_DIR": "nlohmann_jsonConfig.cmake"}
# Packages of another architecture that scripts/arm64-libraries has unpacked, with a database of their own.
UNPACKED = ROOT / "build" / "arm64-libraries"
# Where nothing says that the C library is loaded, it is inside as well.
RUNTIME_ARCHIVES = {"libc.a": "LGPL-2.1-or-later", "libstdc++.a": "GPL-3.0-or-later WITH GCC-exception-3.1",
                    "libgcc.a": "GPL-3.0-or-later WITH GCC-exception-3.1"}


def output_of(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout.strip()


def debian_package(path):
    """{name, version, architecture, source, source version} of the package that the file is of."""
    query = ["dpkg-query"]
    if path.is_relative_to(UNPACKED):
        query.append(f"--admindir={UNPACKED / 'var/lib/dpkg'}")
    # Either may be what the package calls it, where /lib is a link to /usr/lib.
    names = [path.resolve(), path]
    names += [pathlib.Path("/", name.relative_to("/usr")) for name in names if name.is_relative_to("/usr")]
    owner = next((found.stdout.split(":")[0].split(",")[0] for name in names if (found := subprocess.run(
        [*query, "--search", str(name)], capture_output=True, text=True, check=False)).returncode == 0), None)
    if owner is None:
        return None
    fields = output_of(*query, "--show", "--showformat=${binary:Package}\n${Version}\n${Architecture}\n"
                       "${source:Package}\n${source:Version}\n", owner).splitlines()
    return dict(zip(("name", "version", "architecture", "source", "source version"), fields))


def distribution():
    fields = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', pathlib.Path("/etc/os-release").read_text(), re.MULTILINE))
    return fields["ID"], f"{fields['ID']}-{fields.get('VERSION_ID', 'unstable')}"


def notices():
    """{library: (source package and its version, licence)}, of THIRD_PARTY_NOTICES.md."""
    rows = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \|$", (ROOT / "THIRD_PARTY_NOTICES.md").read_text(encoding="utf-8"),
                      re.MULTILINE)
    return {name: (source, licence) for name, source, licence in rows if not name.startswith(("-", "library"))}


def component(path, licence, title):
    """The library that the file is of; from where, is known if Debian's packages have it."""
    found = {"type": "library", "name": title}
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    place = path.relative_to(ROOT) if path.is_relative_to(UNPACKED) else path
    properties = [{"name": "gprof-lsp:file", "value": str(place)}]
    package = debian_package(path)
    if package is None:
        print(f"sbom: {path} is of no Debian package: its version is not known", file=sys.stderr)
        found |= {"bom-ref": f"file:{path.name}"}
    else:
        vendor, distro = distribution()
        name = package["name"].split(":")[0]
        found |= {"bom-ref": f"deb:{name}", "version": package["source version"],
                  "purl": f"pkg:deb/{vendor}/{name}@{urllib.parse.quote(package['version'], safe='~')}"
                          f"?arch={package['architecture']}&distro={distro}"}
        properties.append({"name": "gprof-lsp:source", "value": f"{package['source']} {package['source version']}"})
    return found | {"hashes": [{"alg": "SHA-256", "content": digest}],
                    "licenses": [{"license": {"name": licence}}], "properties": properties}


def linked_libraries(build):
    """Components of what CMake found; fails where THIRD_PARTY_NOTICES.md does not name one."""
    cache = dict(re.findall(r"^(\w+):\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE))
    known = notices()
    for entry, title in LIBRARIES.items():
        if title not in known:
            sys.exit(f"sbom: THIRD_PARTY_NOTICES.md does not name {title}")
        if entry not in cache:
            sys.exit(f"sbom: {build}/CMakeCache.txt does not say where {title} is ({entry})")
        yield component(pathlib.Path(cache[entry], HEADERS.get(entry, "")), known[title][1], title)


def runtime_libraries(build):
    """Components of the C and C++ runtime, where the program carries its own."""
    needed = output_of("readelf", "--dynamic", build / "bin" / "gprof-lsp-static")
    settings = next((build / "CMakeFiles").glob("*/CMakeCXXCompiler.cmake")).read_text()
    compiler = re.search(r'^set\(CMAKE_CXX_COMPILER "(.*)"\)$', settings, re.MULTILINE)[1]
    for archive, licence in RUNTIME_ARCHIVES.items():
        if archive.replace(".a", ".so") in needed or (archive == "libgcc.a" and "libgcc_s.so" in needed):
            continue
        yield component(pathlib.Path(output_of(compiler, f"-print-file-name={archive}")), licence, archive)


def npm_packages():
    """Components of the extension's code."""
    packages = json.loads((ROOT / "editors/vscode/package-lock.json").read_text(encoding="utf-8"))["packages"]
    for folder, entry in packages.items():
        if folder == "" or entry.get("dev") or entry.get("optional"):
            continue
        name = folder.rpartition("node_modules/")[2]
        address = f"pkg:npm/{name.replace('@', '%40')}@{entry['version']}"
        yield {"type": "library", "name": name, "bom-ref": f"npm:{folder}", "version": entry["version"],
               "purl": address, "licenses": [{"license": {"name": entry.get("license", "see the package")}}],
               "properties": [{"name": "gprof-lsp:file", "value": "the extension for VS Code"}]}


def describe(build):
    """The list as JSON. The same build gives the same text."""
    version, address = version_files.project()
    components = [*linked_libraries(build), *runtime_libraries(build), *npm_packages()]
    product = {"type": "application", "name": "gprof-lsp", "bom-ref": "gprof-lsp", "version": version,
               "licenses": [{"license": {"id": "Apache-2.0"}}],
               "externalReferences": [{"type": "vcs", "url": address}]}
    time = version_files.releases()[0][1] + "T00:00:00Z"
    content = json.dumps(components, sort_keys=True)
    return json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, address + version + content)}",
        "metadata": {"timestamp": time, "component": product},
        "components": components,
        "dependencies": [{"ref": "gprof-lsp", "dependsOn": [part["bom-ref"] for part in components]}],
    }, indent=2) + "\n"
