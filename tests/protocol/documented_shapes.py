"""The TypeScript of a page of documentation, read as far as such pages need it, and values held
against it.

    interface Name { member: Type; other?: Type[]; more: {[name: string]: Type}; }
    type Name = "a" | "b" | Name[] | (Name | null)[];

A value fits an interface where it has every member that is not optional, and none that does not
stand there.
"""
import re

BASIC = {
    "string": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}
TOKEN = re.compile(r'\s*(?:(//[^\n]*)|("[^"]*")|([A-Za-z_]\w*)|(\[\])|([{}();:|?=\[\]]))')


def blocks(page, language):
    """The texts of the fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


class Shapes:
    """All that a page's ts blocks declare. Raises ValueError for what it cannot read."""

    def __init__(self, page):
        self._interfaces = {}  # name -> {member: (type, optional)}
        self._aliases = {}     # name -> type
        for block in blocks(page, "ts"):
            self._tokens = self._split(block)
            while self._tokens:
                self._declaration()

    def names(self):
        return set(self._interfaces) | set(self._aliases)

    def referenced(self):
        """Names that declarations use."""
        found = set()

        def look(kind):
            if kind[0] == "name":
                found.add(kind[1])
            elif kind[0] in ("array", "map"):
                look(kind[1])
            elif kind[0] == "union":
                for one in kind[1]:
                    look(one)

        for members in self._interfaces.values():
            for kind, _ in members.values():
                look(kind)
        for kind in self._aliases.values():
            look(kind)
        return found

    def members(self, name):
        return set(self._interfaces[name])

    def literals(self, name):
        """The texts that a type allows."""
        kind = self._aliases[name]
        return {one[1] for one in (kind[1] if kind[0] == "union" else [kind])}

    def defects(self, value, name, seen=None):
        """What is wrong with the value, each as one line; `seen` collects (interface, member) pairs
        of members that were there."""
        return self._check(value, ("name", name), name, set() if seen is None else seen)

    # Within

    @staticmethod
    def _split(block):
        tokens = []
        at = 0
        while block[at:].strip():
            match = TOKEN.match(block, at)
            if not match:
                raise ValueError(f"cannot read {block[at:at + 40]!r}")
            if not match[1]:
                tokens.append(match[0].strip())
            at = match.end()
        return tokens

    def _take(self, *expected):
        token = self._tokens.pop(0)
        if expected and token not in expected:
            raise ValueError(f"found {token!r}, expected {expected}")
        return token

    def _declaration(self):
        word = self._take("interface", "type")
        name = self._take()
        if name in self.names():
            raise ValueError(f"{name} is declared twice")
        if word == "type":
            self._take("=")
            self._aliases[name] = self._type()
            self._take(";")
            return
        members = self._interfaces[name] = {}
        self._take("{")
        while self._tokens[0] != "}":
            member = self._take()
            optional = self._tokens[0] == "?"
            if optional:
                self._take()
            self._take(":")
            members[member] = (self._type(), optional)
            self._take(";")
        self._take("}")

    def _type(self):
        kinds = [self._one_type()]
        while self._tokens[0] == "|":
            self._take()
            kinds.append(self._one_type())
        return kinds[0] if len(kinds) == 1 else ("union", kinds)

    def _one_type(self):
        token = self._take()
        if token == "{":
            for part in ("[", None, ":", "string", "]", ":"):
                self._take(*([part] if part else []))
            kind = ("map", self._type())
            self._take("}")
            return kind
        if token == "(":
            kind = self._type()
            self._take(")")
        else:
            kind = ("literal", token[1:-1]) if token.startswith('"') else ("name", token)
        while self._tokens[0] == "[]":
            self._take()
            kind = ("array", kind)
        return kind

    def _check(self, value, kind, where, seen):
        if kind[0] == "literal":
            return [] if value == kind[1] else [f"{where} is {value!r}"]
        if kind[0] == "array":
            if not isinstance(value, list):
                return [f"{where} is no array"]
            return [defect for i, element in enumerate(value)
                    for defect in self._check(element, kind[1], f"{where}[{i}]", seen)]
        if kind[0] == "map":
            if not isinstance(value, dict):
                return [f"{where} is no object"]
            return [defect for key, element in value.items()
                    for defect in self._check(element, kind[1], f"{where}.{key}", seen)]
        if kind[0] == "union":
            tries = [self._check(value, one, where, seen) for one in kind[1]]
            return [] if [] in tries else [f"{where} is {value!r}, which is none of its types"]
        return self._check_name(value, kind[1], where, seen)

    def _check_name(self, value, name, where, seen):
        if name in self._interfaces:
            return self._check_interface(value, name, where, seen)
        # "integer" is said to be a number; here it is more than that.
        if name in BASIC:
            return [] if BASIC[name](value) else [f"{where} is {value!r}, which is no {name}"]
        if name in self._aliases:
            return self._check(value, self._aliases[name], where, seen)
        raise ValueError(f"{name} is not declared")

    def _check_interface(self, value, name, where, seen):
        if not isinstance(value, dict):
            return [f"{where} is no object"]
        members = self._interfaces[name]
        defects = [f"{where}.{member} is not documented" for member in value if member not in members]
        for member, (kind, optional) in members.items():
            if member in value:
                seen.add((name, member))
                defects += self._check(value[member], kind, f"{where}.{member}", seen)
            elif not optional:
                defects.append(f"{where}.{member} is missing")
        return defects
