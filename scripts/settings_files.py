"""What scripts/generate makes of the settings (server/protocol/settings.h, editor_settings.cc)."""

import json
import re
import textwrap

BEGIN = "<!-- settings: made by scripts/generate -->"
END = "<!-- end of settings -->"


def sentences(setting, client=None):
    """What is said of a setting, to users of one client or to all."""
    return " ".join(filter(None, [setting["text"], setting.get(client)]))


def listed_suggestions(setting):
    """In Markdown, what a text may hold, where nothing else shows it."""
    if "suggestions" not in setting:
        return ""
    rows = [f"\n- `{name}`: {text}" for name, text in zip(setting["suggestions"], setting["textsOfValues"])]
    return "\n" + "".join(rows) + f"\n- {setting['otherValues']}"


def is_in(setting, client):
    return client in setting["clients"]


def members_of(settings, name):
    """The rows of a setting's members, by their names."""
    return {match[1]: row for row in settings
            if (match := re.fullmatch(re.escape(name) + r"(?:\[\])?\.(\w+)", row["name"])) and not row["clients"]}


def allowed_values(setting):
    """The members of its JSON schema that say which values a setting takes."""
    allowed = {}
    if "values" in setting:
        allowed |= {"enum": setting["values"], "enumDescriptions": setting["textsOfValues"]}
    if "suggestions" in setting:
        allowed["examples"] = setting["suggestions"]
    if "least" in setting:
        allowed |= {"minimum": setting["least"], "maximum": setting["most"]}
    return allowed


def package(text, settings):
    """package.json with the properties of its configuration. What the table does not know, such as patterns and
    snippets, is left as it is."""
    manifest = json.loads(text)
    configuration = manifest["contributes"]["configuration"]
    before = configuration["properties"]
    properties = configuration["properties"] = {}
    for setting in settings:
        if not is_in(setting, "vscode"):
            continue
        name = "gprof." + setting["name"]
        entry = properties[name] = dict(before.get(name, {}))
        if setting["type"] in ("boolean", "integer", "number", "string"):
            entry["type"] = setting["type"]
        entry["default"] = setting["default"]
        if "suggestions" in setting:
            for earlier in ("enum", "enumDescriptions"):
                entry.pop(earlier, None)
        entry |= allowed_values(setting)
        if setting["scope"]:
            entry["scope"] = setting["scope"]
        entry["order"] = len(properties)
        entry["markdownDescription"] = sentences(setting, "vscode") + listed_suggestions(setting)
        for member, row in members_of(settings, setting["name"]).items():
            (entry.get("items") or entry)["properties"][member]["description"] = row["text"]
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


def server_settings(settings):
    """The names that the server reads, as sections of the editor have them: the first parts."""
    names = sorted({setting["name"].split(".")[0] for setting in settings if is_in(setting, "server")})
    return ("// The settings that the server reads, by the first parts of their names. Made by scripts/generate.\n"
            "export const serverSettings: ReadonlySet<string> = new Set([\n"
            + "".join(f"  '{name}',\n" for name in names) + "]);\n")


def lua(value):
    if isinstance(value, list):
        return "{ " + ", ".join(map(lua, value)) + " }" if value else "{}"
    if isinstance(value, str):
        # As stylua wants it: the quotes that need fewer escapes.
        quote = '"' if value.count("'") > value.count('"') else "'"
        return quote + value.replace("\\", "\\\\").replace(quote, "\\" + quote) + quote
    return json.dumps(value)


def lua_text(text):
    """A string in lines of the plugin's width."""
    lines = [""]
    for word in re.findall(r"\S+\s*", text):
        if len(lines[-1]) + len(word) > 106 and lines[-1]:
            lines.append("")
        lines[-1] += word
    return "\n      .. ".join(map(lua, lines))


def neovim_schema(settings):
    """The table of the plugin's settings: its own, then those of the server."""
    types = {"programs": "any", "base": "any", "derived": "any"}
    lines = ["--- The settings, as config.lua reads them. Made by scripts/generate.", "",
             "---@type gprof.Setting[]", "return {"]
    mine = [setting for setting in settings if is_in(setting, "neovim")]
    for setting in sorted(mine, key=lambda setting: is_in(setting, "server")):
        prefix = "settings." if is_in(setting, "server") else ""
        lines += ["  {", f"    name = '{prefix}{setting['name']}',",
                  f"    type = '{types.get(setting['name'], setting['type'])}',"]
        if setting["default"] in (None, []):
            lines.append("    is_optional = true,")
        else:
            lines.append(f"    default = {lua(setting['default'])},")
        if "values" in setting:
            lines.append(f"    choices = {lua(setting['values'])},")
        if "least" in setting:
            lines += [f"    least = {setting['least']},", f"    most = {setting['most']},"]
        lines += [f"    text = {lua_text(sentences(setting, 'neovim'))},", "  },"]
    return "\n".join([*lines, "}"]) + "\n"


def shown_default(setting):
    if setting["default"] in (None, [], ""):
        return ""
    return f"`{json.dumps(setting['default']).strip(chr(34))}`"


def shown_text(setting, client):
    text = sentences(setting, client)
    if "values" in setting:
        names = [f"`{value}`" for value in setting["values"]]
        text += f" {', '.join(names[:-1])} or {names[-1]}."
    if "suggestions" in setting:
        text += " " + ", ".join(f"`{value}`" for value in setting["suggestions"]) + f" or {setting['otherValues']}."
    return text


def table(settings, client, prefix):
    lines = ["| setting | | default |", "|---|---|---|"]
    for setting in settings:
        if is_in(setting, client):
            lines.append(f"| `{prefix}{setting['name']}` | {shown_text(setting, client)} | {shown_default(setting)} |")
            for member, row in members_of(settings, setting["name"]).items() if client == "server" else ():
                lines.append(f"| `{prefix}{row['name']}` | {row['text']} | |")
    return "\n".join(lines)


def with_table(page, settings, client, prefix=""):
    """The page with the table between its marks."""
    parts = re.split(f"{re.escape(BEGIN)}\n.*?{re.escape(END)}", page, flags=re.DOTALL)
    assert len(parts) == 2, f"one table of settings was expected, between {BEGIN} and {END}"
    return f"{BEGIN}\n{table(settings, client, prefix)}\n{END}".join(parts)


def schema(setting, settings):
    """What JSON Schema says of one setting of the server, and of its members."""
    entry = {"markdownDescription": setting["text"] + listed_suggestions(setting)}
    if setting["type"]:
        entry["type"] = "array" if setting["type"] == "list" else setting["type"]
    if setting["default"] is not None:
        entry["default"] = setting["default"]
    entry |= allowed_values(setting)
    members = {name: {"markdownDescription": row["text"]} for name, row in members_of(settings, setting["name"]).items()}
    if members and setting["type"] == "list":
        entry["items"] = {"type": "object", "properties": members}
    elif members:
        entry["properties"] = members
    return entry


def server_schemas(settings):
    """The schemas of the server's settings, by their names."""
    return {setting["name"]: schema(setting, settings) for setting in settings if is_in(setting, "server")}


def as_json(value):
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def jetbrains_schema(settings):
    """The schema of settings.json of the template for LSP4IJ: names with dots are levels there."""
    root = {"type": "object", "properties": {}}
    for name, entry in server_schemas(settings).items():
        level = root
        *levels, last = name.split(".")
        for part in levels:
            level = level["properties"].setdefault(part, {"type": "object", "properties": {}})
        level["properties"][last] = entry
    return as_json({"$schema": "http://json-schema.org/draft-07/schema#", "title": "gprof-lsp", "type": "object",
                    "properties": {"gprof": root}, "additionalProperties": False})


SUBLIME_HEAD = """// The client configuration of gprof-lsp. Made by scripts/generate.
{
  // The server, which is looked for on the PATH.
  "command": ["gprof-lsp", "--stdio"],
  // The files that it serves, by their scopes, as "Tools: Developer: Show Scope Name" shows them.
  "selector": "source.c | source.c++ | source.rust | source.go | source.d | source.fortran | source.modern-fortran | source.ada | source.asm",
  "settings": {
"""


def sublime_settings(settings):
    """LSP-gprof.sublime-settings: the defaults, each below what is said of it. One without a default is a remark."""
    entries = []
    for setting in settings:
        if not is_in(setting, "server"):
            continue
        remark = textwrap.wrap(shown_text(setting, "server"), 112, initial_indent="    // ", subsequent_indent="    // ")
        name = json.dumps("gprof." + setting["name"])
        line = f"    {name}: {json.dumps(setting['default'])}," if setting["default"] is not None else f"    // {name}: {{}},"
        entries.append("\n".join([*remark, line]))
    return SUBLIME_HEAD + "\n".join(entries).removesuffix(",") + "\n  }\n}\n"


def sublime_schema(settings):
    """sublime-package.json, by which the package LSP-json completes settings, those of projects too."""
    own = "sublime://settings/LSP-gprof#/definitions/PluginConfig"
    project = {"properties": {"settings": {"properties": {"LSP": {"properties": {"gprof": {"$ref": own}}}}}}}
    properties = {"gprof." + name: entry for name, entry in server_schemas(settings).items()}
    package_schema = {
        "$id": "sublime://settings/LSP-gprof",
        "definitions": {"PluginConfig": {"properties": {"settings": {
            "type": "object", "properties": properties, "additionalProperties": False}}}},
        "allOf": [{"$ref": "sublime://settings/LSP-plugin-base"}, {"$ref": own}]}
    return as_json({"contributions": {"settings": [
        {"file_patterns": ["/LSP-gprof.sublime-settings"], "schema": package_schema},
        {"file_patterns": ["/*.sublime-project"], "schema": project}]}})
