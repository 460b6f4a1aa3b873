"""What scripts/generate makes of the tools of coding agents: a part of docs/agents.md, and what the extension for
VS Code contributes."""
import json
import re

BEGIN, END = "<!-- tools -->", "<!-- end of tools -->"


def type_of(schema):
    """In words, as a table has room for."""
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        items = schema["items"]
        return "list of " + {"string": "texts", "integer": "numbers"}.get(items.get("type"), "texts or numbers")
    return {"string": "text", "integer": "whole number", "number": "number", "boolean": "yes or no"}[schema["type"]]


def section(tool):
    schema = tool["input"]
    required = schema.get("required", [])
    rows = [f"| `{name}`{' (required)' if name in required else ''} | {type_of(member)} | {member['description']} |"
            for name, member in schema["properties"].items()]
    return "\n".join([f"### {tool['name']}", "", tool["description"], "", "| argument | | |", "|---|---|---|", *rows])


def page(text, tools):
    written = "\n\n".join(section(tool) for tool in tools)
    return re.sub(f"{BEGIN}.*{END}", lambda _: f"{BEGIN}\n{written}\n\n{END}", text, flags=re.DOTALL)


def package(text, tools):
    """The extension's manifest with the tools of language models."""
    manifest = json.loads(text)
    manifest["contributes"]["languageModelTools"] = [{
        "name": f"gprof_{tool['name']}",
        "toolReferenceName": "gprof" + "".join(word.capitalize() for word in tool["name"].split("_")),
        "displayName": f"Profile: {tool['title']}",
        "modelDescription": tool["description"],
        "canBeReferencedInPrompt": True,
        "when": "isWorkspaceTrusted",
        "inputSchema": tool["input"],
    } for tool in tools]
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
