"""Writes a C program of a few thousand lines, always the same for one seed: every kind of statement,
one per line, with loops and calls that terminate."""
import random

from seeds import moved_seed


class Writer:
    def __init__(self, seed):
        self.random = random.Random(moved_seed(seed))
        self.lines = []

    def add(self, depth, text):
        self.lines.append("    " * depth + text)

    def value(self):
        pick = self.random.choice
        return pick(("x", "y", "x + y", "x * 3 + 1", "y ^ x", "(x >> 2) + 7", "fuel",
                     str(self.random.randint(1, 50))))

    def condition(self):
        number = self.random.randint(2, 7)
        left = f"({self.value()}) % {number} == {self.random.randrange(number)}"
        kind = self.random.randrange(8)
        if kind == 0:
            return f"{left} && (y & 1)"
        if kind == 1:
            return f"{left} || x > y"
        if kind == 2:
            return f"!({left})"
        return left

    def statement(self, depth, function, in_loop):
        kinds = ["assign", "assign", "assign", "call", "ternary"]
        if depth < 5:
            kinds += ["if", "if-else", "for", "while", "do", "switch", "chain"]
        # A lone `break` shares its block, and so its count, with the end of the loop: gcc generates no
        # code for it. Real programs have few.
        if in_loop:
            kinds += ["continue", self.random.choice(("break", "assign", "call"))]
        if depth > 2:
            kinds += ["return"]
        getattr(self, "write_" + self.random.choice(kinds).replace("-", "_"))(
            depth, function, in_loop)

    def block(self, depth, function, in_loop):
        for _ in range(self.random.randint(1, 4)):
            self.statement(depth, function, in_loop)

    def write_assign(self, depth, function, in_loop):
        self.add(depth, self.assignment())

    def assignment(self):
        operator = self.random.choice(("=", "+=", "^=", "-="))
        return f"{self.random.choice('xy')} {operator} {self.value()};"

    def write_ternary(self, depth, function, in_loop):
        self.add(depth, f"y = {self.condition()} ? {self.value()} : {self.value()};")

    def write_call(self, depth, function, in_loop):
        if function == 0:
            self.add(depth, "helped++;")
        else:
            callee = self.random.randrange(max(0, function - 12), function)
            self.add(depth, f"x += f{callee}(x, y + {self.random.randrange(9)});")

    def write_if(self, depth, function, in_loop):
        self.add(depth, f"if ({self.condition()}) {{")
        self.block(depth + 1, function, in_loop)
        self.add(depth, "}")

    def write_if_else(self, depth, function, in_loop):
        self.add(depth, f"if ({self.condition()}) {{")
        self.block(depth + 1, function, in_loop)
        self.add(depth, "} else {")
        self.block(depth + 1, function, in_loop)
        self.add(depth, "}")

    def write_chain(self, depth, function, in_loop):
        self.add(depth, f"if ({self.condition()})")
        self.write_assign(depth + 1, function, in_loop)
        self.add(depth, f"else if ({self.condition()})")
        self.write_assign(depth + 1, function, in_loop)
        self.add(depth, "else")
        self.write_assign(depth + 1, function, in_loop)

    def write_for(self, depth, function, in_loop):
        self.add(depth, f"for (int i{depth} = 0; i{depth} < {self.random.randint(0, 6)}; i{depth}++) {{")
        self.block(depth + 1, function, True)
        self.add(depth, "}")

    def write_while(self, depth, function, in_loop):
        name = f"n{depth}"
        self.add(depth, f"int {name} = {self.random.randint(0, 5)};")
        self.add(depth, f"while ({name}-- > 0) {{")
        self.block(depth + 1, function, True)
        self.add(depth, "}")

    def write_do(self, depth, function, in_loop):
        name = f"d{depth}"
        self.add(depth, "{")
        self.add(depth + 1, f"int {name} = {self.random.randint(0, 4)};")
        self.add(depth + 1, "do {")
        self.block(depth + 2, function, True)
        self.add(depth + 1, f"}} while ({name}-- > 0);")
        self.add(depth, "}")

    def write_switch(self, depth, function, in_loop):
        cases = self.random.randint(2, 5)
        self.add(depth, f"switch (({self.value()}) & {self.random.choice((3, 7))}) {{")
        for case in range(cases):
            self.add(depth, f"case {case}: {self.assignment()}")
            if self.random.random() < 0.8:
                self.add(depth + 1, "break;")
        self.add(depth, f"default: {self.assignment()}")
        self.add(depth, "}")

    def write_break(self, depth, function, in_loop):
        self.add(depth, f"if ({self.condition()})")
        self.add(depth + 1, "break;")

    def write_continue(self, depth, function, in_loop):
        self.add(depth, f"if ({self.condition()})")
        self.add(depth + 1, "continue;")

    def write_return(self, depth, function, in_loop):
        self.add(depth, f"if ({self.condition()})")
        self.add(depth + 1, f"return {self.value()};")


def unique_names(lines):
    """While loops of one block would declare their counters twice."""
    result, number = [], 0
    for line in lines:
        text = line.strip()
        if text.startswith("int n"):
            number += 1
            old = text.split()[1]
            new = f"{old}_{number}"
            result.append(line.replace(f"int {old} ", f"int {new} "))
        elif text.startswith("while (n"):
            result.append(line.replace(f"({text[7:].split('-')[0]}--", f"({new}--"))
        else:
            result.append(line)
    return result


def program(seed=1982, lines=3000):
    writer = Writer(seed)
    writer.add(0, "#include <stdio.h>")
    writer.add(0, "static int fuel = 400000, helped;")
    function = 0
    while len(writer.lines) < lines:
        writer.add(0, "")
        writer.add(0, f"unsigned f{function}(unsigned x, unsigned y) {{")
        writer.add(1, "if (--fuel < 0)")
        writer.add(2, "return x;")
        for _ in range(4):
            writer.statement(1, function, False)
        writer.add(1, "return x ^ y;")
        writer.add(0, "}")
        function += 1
    writer.add(0, "")
    writer.add(0, "int main(void) {")
    writer.add(1, "unsigned sum = 0;")
    for i in range(function):
        if i % 7 == 3:  # so that some are never called
            continue
        writer.add(1, "fuel = 3000;")
        writer.add(1, f"for (unsigned i = 0; i < {3 + i % 5}; i++)")
        writer.add(2, f"sum += f{i}({i} + i, sum);")
    writer.add(1, 'printf("%u %d\\n", sum, helped);')
    writer.add(1, "return 0;")
    writer.add(0, "}")
    return "\n".join(unique_names(writer.lines)) + "\n"
