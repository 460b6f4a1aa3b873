"""Holds the messages of a recorded conversation against the meta model of the protocol.

The meta model (a JSON file that describes LSP 3.18) says of every method which parameters and which
results it has. Every message that the server sent is checked: its envelope, its method and direction,
its parameters or its result, and that each request was answered once.

usage: meta_model.py CONVERSATION...     (the model is named by LSP_META_MODEL)
"""

import json
import os
import sys

INTEGER = range(-2**31, 2**31)
UNSIGNED = range(0, 2**31)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_integer_in(value, numbers):
    return isinstance(value, int) and not isinstance(value, bool) and value in numbers


def is_uri(value):
    return isinstance(value, str) and ":" in value


BASE_TYPES = {
    "string": lambda value: isinstance(value, str),
    "RegExp": lambda value: isinstance(value, str),
    "URI": is_uri,
    "DocumentUri": is_uri,
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: is_integer_in(value, INTEGER),
    "uinteger": lambda value: is_integer_in(value, UNSIGNED),
    "decimal": is_number,
}


class MetaModel:
    """Answers whether a value is of a type; defects are sentences that begin with a place."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            model = json.load(file)
        self.requests = {entry["method"]: entry for entry in model["requests"]}
        self.notifications = {entry["method"]: entry for entry in model["notifications"]}
        self._named = {}
        for group in ("structures", "enumerations", "typeAliases"):
            for entry in model[group]:
                self._named[entry["name"]] = (group, entry)
        self._members = {}

    def defects(self, value, kind, place):
        """Sentences on what keeps `value` from being of the type; none when it is."""
        return getattr(self, "_check_" + kind["kind"])(value, kind, place)

    def _check_base(self, value, kind, place):
        good = BASE_TYPES[kind["name"]](value)
        return [] if good else [f"{place} must be {kind['name']}, not {brief(value)}"]

    def _check_reference(self, value, kind, place):
        name = kind["name"]
        if name == "LSPAny":
            return []
        if name == "LSPObject":
            return [] if isinstance(value, dict) else [f"{place} must be an object"]
        group, entry = self._named[name]
        if group == "typeAliases":
            return self.defects(value, entry["type"], place)
        if group == "enumerations":
            return self._check_enumeration(value, entry, place)
        return self._check_members(value, self._members_of(name), f"{place} ({name})")

    def _check_enumeration(self, value, entry, place):
        wrong_type = self.defects(value, entry["type"], place)
        if wrong_type or entry.get("supportsCustomValues"):
            return wrong_type
        known = any(value == choice["value"] for choice in entry["values"])
        return [] if known else [f"{place}: {brief(value)} is none of {entry['name']}"]

    def _check_array(self, value, kind, place):
        if not isinstance(value, list):
            return [f"{place} must be an array, not {brief(value)}"]
        return [defect for index, element in enumerate(value)
                for defect in self.defects(element, kind["element"], f"{place}[{index}]")]

    def _check_map(self, value, kind, place):
        if not isinstance(value, dict):
            return [f"{place} must be an object, not {brief(value)}"]
        return [defect for name, element in value.items()
                for defect in self.defects(element, kind["value"], f"{place}.{name}")]

    def _check_or(self, value, kind, place):
        attempts = [self.defects(value, choice, place) for choice in kind["items"]]
        if not all(attempts):
            return []
        # The alternative that was meant is most likely the one with the fewest defects.
        return min(attempts, key=len)

    def _check_and(self, value, kind, place):
        members = {}
        for part in kind["items"]:
            members.update(self._members_of(part["name"]))
        return self._check_members(value, members, place)

    def _check_tuple(self, value, kind, place):
        if not isinstance(value, list) or len(value) != len(kind["items"]):
            return [f"{place} must be an array of {len(kind['items'])}"]
        return [defect for index, element in enumerate(value)
                for defect in self.defects(element, kind["items"][index], f"{place}[{index}]")]

    def _check_literal(self, value, kind, place):
        members = {entry["name"]: entry for entry in kind["value"]["properties"]}
        return self._check_members(value, members, place)

    def _check_stringLiteral(self, value, kind, place):
        return [] if value == kind["value"] else [f"{place} must be {kind['value']!r}"]

    _check_integerLiteral = _check_stringLiteral
    _check_booleanLiteral = _check_stringLiteral

    def _members_of(self, name):
        """A structure's members by name, those it inherits included."""
        if name not in self._members:
            entry = self._named[name][1]
            members = {}
            for parent in entry.get("extends", []) + entry.get("mixins", []):
                members.update(self._members_of(parent["name"]))
            members.update((member["name"], member) for member in entry["properties"])
            self._members[name] = members
        return self._members[name]

    def _check_members(self, value, members, place):
        if not isinstance(value, dict):
            return [f"{place} must be an object, not {brief(value)}"]
        defects = [f"{place}.{name} is missing" for name, member in members.items()
                   if name not in value and not member.get("optional")]
        for name, element in value.items():
            if name in members:
                defects += self.defects(element, members[name]["type"], f"{place}.{name}")
            elif members:
                defects.append(f"{place}.{name} is no member that the protocol knows")
        return defects


class Conversation:
    """Goes through a conversation message by message and keeps what is wrong with it."""

    def __init__(self, model):
        self._model = model
        self._open = {}  # id (as JSON) to method, of the client's requests
        self._exited = False
        self.defects = []

    def client_sends(self, message):
        method = message.get("method")
        if method == "exit":
            self._exited = True
        if method is not None and "id" in message:
            self._open[json.dumps(message["id"])] = method

    def server_sends(self, message, place):
        if message.get("jsonrpc") != "2.0":
            self.defects.append(f"{place} jsonrpc must be \"2.0\"")
        if "method" in message:
            self._check_call(message, place)
        else:
            self._check_response(message, place)

    def finish(self):
        if self._exited:
            self.defects += [f"{method} (request {number}) was never answered"
                             for number, method in self._open.items()]
        return self.defects

    def _check_call(self, message, place):
        method = message["method"]
        asks = "id" in message
        known = (self._model.requests if asks else self._model.notifications).get(method)
        if known is None:
            if not method.startswith(("gprof/", "$/")):
                sort = "request" if asks else "notification"
                self.defects.append(f"{place} the protocol has no {sort} {method}")
            return
        if known["messageDirection"] == "clientToServer":
            self.defects.append(f"{place} {method} is not a server's to send")
        if "params" in known:
            self.defects += self._model.defects(message.get("params"), known["params"],
                                                f"{place} {method} params")

    def _check_response(self, message, place):
        number = json.dumps(message.get("id"))
        method = self._open.pop(number, None)
        if method is None:
            if message.get("id") is not None or "error" not in message:
                self.defects.append(f"{place} answers request {number}, which is not open")
            return
        if ("result" in message) == ("error" in message):
            self.defects.append(f"{place} {method}: either a result or an error, not both or none")
        elif "error" in message:
            error = message["error"]
            if not is_integer_in(error.get("code"), INTEGER) or not isinstance(
                    error.get("message"), str):
                self.defects.append(f"{place} {method}: an error has a code and a message")
        elif method in self._model.requests:
            self.defects += self._model.defects(
                message["result"], self._model.requests[method]["result"],
                f"{place} {method} result")


def brief(value):
    text = json.dumps(value)
    return text if len(text) <= 50 else text[:47] + "..."


def check_conversation(model_path, record_path):
    """The defects of a conversation that was recorded as lines of JSON."""
    conversation = Conversation(MetaModel(model_path))
    with open(record_path, encoding="utf-8") as record:
        for number, line in enumerate(record, 1):
            entry = json.loads(line)
            if entry["from"] == "server":
                conversation.server_sends(entry["message"], f"line {number}:")
            else:
                conversation.client_sends(entry["message"])
    return conversation.finish()


def main():
    model = os.environ.get("LSP_META_MODEL")
    if not model or len(sys.argv) < 2:
        sys.exit(__doc__)
    defects = [f"{path}: {defect}" for path in sys.argv[1:]
               for defect in check_conversation(model, path)]
    print("\n".join(defects) or "valid")
    sys.exit(1 if defects else 0)


if __name__ == "__main__":
    main()
