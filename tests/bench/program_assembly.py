"""Machine code and DWARF of generated programs, made with the assembler and the linker.

A file of the program looks as gcc -O0 -pg -g would compile it: a line row per statement, DIEs with
types and parameters, addresses and strings where DWARF 5 has them. Files are made in parallel by as
many processes as there are processors; each holds the text of one file at a time.
"""

import array
import concurrent.futures
import multiprocessing
import os
import pathlib
import shutil
import subprocess
import sys

ADDRESS_SECTION = ".generated_addresses"  # the labels as resolved by the linker; not in the program
PARAMETER_AT = "\t.uleb128 2\n\t.byte 0x91\n\t.sleb128 -24\n"  # DW_OP_fbreg

# Call frame information: at the beginning, behind the two instructions that make the frame, behind
# the one that leaves it, and at the end.
FRAME_RULES = ("\t.cfi_startproc\n", "\t.cfi_def_cfa_offset 16\n\t.cfi_offset 6, -16\n",
               "\t.cfi_def_cfa_register 6\n", "\t.cfi_def_cfa 7, 8\n", "\t.cfi_endproc\n")
STATEMENT = "\tmovq\t-8(%rbp), %rax\n\tleaq\t1(%rax,%rax,2), %rax\n\tmovq\t%rax, -8(%rbp)\n"
# Abbreviations as (tag, children, [(attribute, form)]), in the order of their codes.
ABBREVIATIONS = (
    (0x11, 1, ((0x25, 0x0e), (0x13, 0x0b), (0x03, 0x1f), (0x1b, 0x1f), (0x11, 0x01), (0x12, 0x07),
               (0x10, 0x17))),  # unit: producer ... statement list
    (0x34, 0, ((0x03, 0x08), (0x3a, 0x0b), (0x3b, 0x0b), (0x49, 0x13), (0x3f, 0x19),
               (0x3c, 0x19))),  # the variable `gate`, a declaration
    (0x24, 0, ((0x0b, 0x0b), (0x3e, 0x0b), (0x03, 0x08))),  # base type
    (0x2e, 1, ((0x3f, 0x19), (0x03, 0x0e), (0x3a, 0x0b), (0x3b, 0x06), (0x39, 0x0b), (0x27, 0x19),
               (0x49, 0x13), (0x11, 0x01), (0x12, 0x07), (0x40, 0x18), (0x7c, 0x19),
               (0x01, 0x13))),  # subprogram: external, name ... sibling
    (0x05, 0, ((0x03, 0x08), (0x3a, 0x0b), (0x3b, 0x06), (0x39, 0x0b), (0x49, 0x13),
               (0x02, 0x18))),  # parameter
)


def body_assembly(program, index, out):
    """One statement per line. Calls are behind a gate that is never open."""
    first = program.lines[index] + 1
    body, arcs = program.line_counts[index] - 3, program.arcs_of(index)
    for place in range(body):
        out.append(f"\t.loc 1 {first + place} 3\n")
        if place >= len(arcs):
            out.append(STATEMENT)
            continue
        out.append(f"\tcmpl\t$0, gate(%rip)\n\tje\t.Ls{index}_{place}\n\tmovq\t$0, -16(%rbp)\n")
        for number in arcs[place::body]:
            out.append(f"\tmovq\t-8(%rbp), %rdi\n\tcall\t{program.name(program.callees[number])}\n"
                       f".Lr{number}:\n\taddq\t%rax, -16(%rbp)\n")
        out.append(f"\tmovq\t-16(%rbp), %rax\n\taddq\t%rax, -8(%rbp)\n.Ls{index}_{place}:\n")


def function_assembly(program, index, out):
    name, line = program.name(index), program.lines[index]
    last = line + program.line_counts[index] - 1
    align = f"\t.p2align {program.options.align.bit_length() - 1}\n" if program.options.align > 1 else ""
    begin, pushed, moved, left, end = FRAME_RULES if program.options.unwind else ("",) * 5
    out.append(
        f"{align}\t.globl\t{name}\n\t.type\t{name}, @function\n{name}:\n{begin}"
        f"\t.loc 1 {line} 1\n\tpushq\t%rbp\n{pushed}\tmovq\t%rsp, %rbp\n{moved}\tsubq\t$16, %rsp\n"
        "\tcall\t*mcount@GOTPCREL(%rip)\n\tmovq\t%rdi, -8(%rbp)\n")
    body_assembly(program, index, out)
    result = "\txorl\t%eax, %eax" if index == program.main else "\tmovq\t-8(%rbp), %rax"
    out.append(f"\t.loc 1 {last - 1} 3\n{result}\n\t.loc 1 {last} 1\n\tleave\n{left}\tret\n{end}"
               f".Le{index}:\n\t.size\t{name}, .-{name}\n")


def addresses_assembly(program, functions, out):
    """The file's start; for each function its start, end and return addresses relative to it."""
    out.append(f'\t.section\t{ADDRESS_SECTION},"",@progbits\n\t.quad\t.Ltext0\n')
    for index in functions:
        words = [program.name(index), f".Le{index}"]
        words += [f".Lr{number}" for number in program.arcs_of(index)]
        out.append("\t.long\t" + ", ".join(f"{word}-.Ltext0" for word in words) + "\n")


def abbreviations_assembly():
    out = ['\t.section\t.debug_abbrev,"",@progbits\n']
    for code, (tag, children, attributes) in enumerate(ABBREVIATIONS, 1):
        pairs = "".join(f"{attribute:#x}, {form:#x}, " for attribute, form in attributes)
        out.append(f"\t.byte\t{code}, {tag:#x}, {children}, {pairs}0, 0\n")
    return "".join(out) + "\t.byte\t0\n"


def subprogram_assembly(program, index, out):
    """The DIE of a function with its parameter, or of main with its variable; and its name."""
    line, name = program.lines[index], program.name(index)
    out.append(
        f"\t.uleb128 4\n\t.long\t.Ln{index}\n\t.byte\t1\n\t.long\t{line}\n\t.byte\t6\n"
        f"\t.long\t.Ltype-.Lunit\n\t.quad\t{name}, .Le{index}-{name}\n\t.uleb128 1\n\t.byte\t0x9c\n"
        f"\t.long\t.Ld{index}-.Lunit\n"
        f'\t.uleb128 5\n\t.string\t"n"\n\t.byte\t1\n\t.long\t{line}\n\t.byte\t20\n'
        f"\t.long\t.Ltype-.Lunit\n{PARAMETER_AT}\t.byte\t0\n.Ld{index}:\n")


def dwarf_assembly(program, file, directory, out):
    """The unit's DIEs, names and ranges; the rows come from the .loc lines."""
    functions = program.functions_of(file)
    out.append(
        '\t.section\t.debug_info,"",@progbits\n.Lunit:\n\t.long\t.Lend-.Lbegin\n.Lbegin:\n\t.value\t5\n'
        "\t.byte\t1, 8\n\t.long\t.debug_abbrev\n\t.uleb128 1\n\t.long\t.Lproducer\n\t.byte\t29\n"
        "\t.long\t.Lfile, .Ldirectory\n\t.quad\t.Ltext0, .Letext0-.Ltext0\n\t.long\t.Lline0\n"
        '\t.uleb128 2\n\t.string\t"gate"\n\t.byte\t2, 2\n\t.long\t.Lint-.Lunit\n'
        '.Lint:\n\t.uleb128 3\n\t.byte\t4, 5\n\t.string\t"int"\n'
        '.Ltype:\n\t.uleb128 3\n\t.byte\t8, 5\n\t.string\t"long int"\n')
    for index in functions:
        subprogram_assembly(program, index, out)
    out.append("\t.byte\t0\n.Lend:\n")
    out.append('\t.section\t.debug_str,"MS",@progbits,1\n'
               '.Lproducer:\n\t.string\t"GNU C17 -mtune=generic -march=x86-64 -g -O0 -p"\n')
    out.extend(f'.Ln{index}:\n\t.string\t"{program.name(index)}"\n' for index in functions)
    out.append('\t.section\t.debug_line_str,"MS",@progbits,1\n'
               f'.Lfile:\n\t.string\t"{program.file_names[file]}"\n'
               f'.Ldirectory:\n\t.string\t"{directory}"\n')
    out.append(abbreviations_assembly())
    out.append('\t.section\t.debug_aranges,"",@progbits\n\t.long\t44\n\t.value\t2\n'
               "\t.long\t.Lunit\n\t.byte\t8, 0, 0, 0, 0, 0\n\t.quad\t.Ltext0, .Letext0-.Ltext0, 0, 0\n"
               '\t.section\t.debug_line,"",@progbits\n.Lline0:\n')


def file_assembly(program, file, directory):
    name, functions = program.file_names[file], program.functions_of(file)
    out = [f'\t.file\t"{name}"\n\t.text\n.Ltext0:\n']
    if program.options.debug:
        out.append(f'\t.file\t0 "{directory}" "{name}"\n\t.file\t1 "{name}"\n'
                   '\t.file\t2 "program.h"\n')
    code = []
    for index in functions:
        function_assembly(program, index, code)
    if not program.options.debug:
        code = [text for piece in code for text in piece.splitlines(True) if "\t.loc " not in text]
    out += code
    out.append(".Letext0:\n")
    if file == len(program.file_names) - 1:
        out.append("\t.globl\tgate\n\t.comm\tgate,4,4\n")
    addresses_assembly(program, functions, out)
    if program.options.debug:
        dwarf_assembly(program, file, directory, out)
    out.append('\t.section\t.note.GNU-stack,"",@progbits\n')
    return "".join(out)


def run(arguments, directory, text=None):
    result = subprocess.run(arguments, cwd=directory, input=text, capture_output=True, text=True,
                            check=False)
    if result.returncode != 0:
        raise RuntimeError(f"{arguments[0]} failed:\n{result.stderr[:4000]}")
    return result.stdout


class _Shared:
    """Data that forked processes find in their memory."""
    program = output = None


def _make_file(file):
    program, output = _Shared.program, _Shared.output
    name = program.file_names[file]
    (output / name).write_text(program.source_text(file))
    run(["as", "--64", "-o", f"objects/{name[:-1]}o", "-"], output,
        file_assembly(program, file, output))


def _make_files(program, output):
    _Shared.program, _Shared.output = program, output
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count() or 1, context) as pool:
        chunk = max(1, min(16, len(program.file_names) // 16))
        for _ in pool.map(_make_file, range(len(program.file_names)), chunksize=chunk):
            pass


def _place(program, data):
    """Sets the addresses of functions and returns that the linker assigned."""
    at = 0
    for file in range(len(program.file_names)):
        start = int.from_bytes(data[at:at + 8], "little")
        at += 8
        for index in program.functions_of(file):
            arcs = program.arcs_of(index)
            offsets = array.array("I", data[at:at + 8 + 4 * len(arcs)])
            at += 8 + 4 * len(arcs)
            program.starts[index], program.ends[index] = start + offsets[0], start + offsets[1]
            for number, offset in zip(arcs, offsets[2:]):
                program.returns[number] = start + offset
    if at != len(data):
        raise RuntimeError(f"{ADDRESS_SECTION}: {len(data)} bytes, expected {at}")


def build(program, output: pathlib.Path):
    """Creates sources and executable in `output`, and sets the addresses in `program`."""
    objects = output / "objects"
    objects.mkdir(exist_ok=True)
    (output / "program.h").write_text(program.header_text())
    _make_files(program, output)
    (objects / "list").write_text("\n".join(f"objects/{name[:-1]}o" for name in program.file_names))
    run(["gcc", "-pg", "-Wl,--build-id", "-o", "program", "@objects/list"], output)
    run(["objcopy", "-O", "binary", "-j", ADDRESS_SECTION, "--set-section-flags",
         f"{ADDRESS_SECTION}=alloc", "program", "objects/addresses"], output)
    run(["objcopy", "--remove-section", ADDRESS_SECTION, "program"], output)
    _place(program, (objects / "addresses").read_bytes())
    shutil.rmtree(objects)


def end_of_text(output):
    for line in run(["nm", "program"], output).splitlines():
        if line.endswith(" etext"):
            return int(line.split()[0], 16)
    sys.exit("the program has no symbol etext")
