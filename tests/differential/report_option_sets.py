"""The option sets that reports are compared with, as data.

In a word, {a} {b} {c} stand for names of functions, {file} {other} for source files and {line} for
a line; what a program lacks is filled in with something that matches nothing. No symbol is meant
twice in a list: GNU gprof loses functions where specifications overlap.
"""

# Every report, plainly.
REPORTS = (
    ("-b",),
    ("-b", "-p"),
    ("-b", "-q"),
    ("-b", "-C"),
    ("-b", "-r"),
    ("-b", "-i"),
    ("-b", "-p", "-q", "-C"),
    ("-b", "-q", "-r"),
    ("-b", "-z"),
    ("-b", "-z", "-p"),
    ("-b", "-z", "-q"),
    ("-b", "-z", "-C"),
    ("-b", "-T"),
    ("-b", "-T", "-p"),
    ("-b", "-T", "-q"),
    ("-b", "-T", "-z"),
    ("-b", "-T", "-C"),
    ("-b", "-i", "-p"),
)

# Which symbols there are, and how they are printed.
SYMBOLS = (
    ("-b", "-a"),
    ("-b", "-D"),
    ("-b", "-a", "-D"),
    ("-b", "-a", "-q"),
    ("-b", "-D", "-C"),
    ("-b", "-a", "-r"),
    ("-b", "-L"),
    ("-b", "-L", "-C"),
    ("-b", "--inline-file-names"),
    ("-b", "--no-demangle"),
    ("-b", "--demangle"),
    ("-b", "--demangle=auto"),
    ("-b", "--demangle=gnu-v3"),
    ("-b", "--demangle=java"),
    ("-b", "--demangle=gnat"),
    ("-b", "--demangle=dlang"),
    ("-b", "--demangle=rust"),
    ("-b", "--demangle=none"),
    ("-b", "--demangle=gnu-v3", "--no-demangle", "-q"),
)

WIDTHS = tuple(("-b", "-q", "-w", str(width)) for width in (-3, 0, 1, 2, 40, 80, 100, 132, 250))

# Selection by symbol specification, in every form, for every option that takes one.
SELECTIONS = (
    ("-b", "-r", "-k", "{a}/{b}"), ("-b", "-r", "-q{a}/{b}"),
    ("-b", "-r", "-k", "{a}/{b}", "-k", "{c}/{b}"),
    ("-b", "-p{a}"), ("-b", "-P{a}"), ("-b", "-q{a}"), ("-b", "-Q{a}"),
    ("-b", "-C{a}"), ("-b", "-Z{a}"), ("-b", "-P"), ("-b", "-Q"), ("-b", "-Z"), ("-b", "-J"),
    ("-b", "-C", "-Z{a}"),
    ("-b", "-p{a}", "-q{b}"), ("-b", "-p", "-q{a}", "-P{b}"),
    ("-b", "-p{a}", "-p{b}"), ("-b", "-q{a}", "-q{b}"), ("-b", "-Q{a}", "-Q{b}"),
    ("-b", "-p{a}", "-P{a}"), ("-b", "-q{a}", "-Q{a}"),
    ("-b", "-q{a}/{b}"), ("-b", "-Q{a}/{b}"),
    ("-b", "-Q{a}/{a}"),
    ("-b", "-k", "{a}/{b}"), ("-b", "-k", "{b}/{a}"),
    ("-b", "-q", "-k", "{a}/{c}"), ("-b", "-k{a}/{b}"),
    ("-b", "-e", "{a}"), ("-b", "-e{a}"), ("-b", "-E", "{a}"), ("-b", "-f", "{a}"),
    ("-b", "-F", "{a}"), ("-b", "-n", "{a}"), ("-b", "-N", "{a}"),
    ("-b", "-e", "{a}", "-e", "{b}"), ("-b", "-E", "{a}", "-E", "{b}"),
    ("-b", "-f", "{a}", "-f", "{b}"), ("-b", "-F", "{a}", "-F", "{b}"),
    ("-b", "-n", "{a}", "-n", "{b}"), ("-b", "-N", "{a}", "-N", "{b}"),
    ("-b", "-e", "{a}", "-f", "{b}"), ("-b", "-E", "{a}", "-F", "{b}"),
    ("-b", "-f", "{a}", "-E", "{b}"), ("-b", "-F", "{a}", "-e", "{b}"),
    ("-b", "-f", "{a}", "-e", "{a}"), ("-b", "-F", "{a}", "-E", "{a}"),
    ("-b", "-n", "{a}", "-N", "{b}"), ("-b", "-n", "{a}", "-e", "{c}"),
    ("-b", "-T", "-e", "{a}"), ("-b", "-T", "-E", "{a}"), ("-b", "-T", "-F", "{a}"),
    ("-b", "-T", "-f", "{b}"), ("-b", "-z", "-E", "{a}"), ("-b", "-z", "-F", "{b}"),
    ("-b", "-p{a}", "-E", "{b}"), ("-b", "--graph={a}"), ("-b", "--no-graph={a}"),
    ("-b", "--flat-profile={a}"), ("-b", "--no-flat-profile={a}"), ("-b", "--exec-counts={a}"),
    ("-b", "--no-exec-counts={a}"), ("-b", "--time={a}"), ("-b", "--no-time={a}"),
    ("-b", "--no-graph"), ("-b", "--no-flat-profile"), ("-b", "--no-exec-counts"),
    ("-b", "-p:{a}"), ("-b", "-q:{b}"), ("-b", "-pno_such_function"), ("-b", "-qno_such/{a}"),
    ("-b", "-E", "no_such_function"),
    ("-b", "-f", "no_such_function"),
    ("-b", "-p{file}"), ("-b", "-P{file}"), ("-b", "-q{file}"), ("-b", "-Q{file}"),
    ("-b", "-C{file}"), ("-b", "-Z{file}"), ("-b", "-p{file}:"), ("-b", "-q{file}:{a}"),
    ("-b", "-p{file}:{line}"), ("-b", "-q{file}:{line}"), ("-b", "-p{line}"), ("-b", "-q{line}"),
    ("-b", "-E", "{file}"), ("-b", "-F", "{file}"), ("-b", "-e", "{other}"),
    ("-b", "-f", "{other}:{b}"), ("-b", "-k", "{file}/{other}"), ("-b", "-q{file}/{b}"),
    ("-b", "-Q{a}/{file}:{line}"), ("-b", "-n", "{file}"), ("-b", "-N", "{other}"),
    ("-b", "-p/somewhere/{file}"), ("-b", "-p1{a}"), ("-b", "-p.{a}"),
)

# Specifications that match everything on one side. Only for programs in which each name occurs
# once and none is mcount's, which is in GNU gprof's lists beforehand: no overlap there either.
WIDE_SELECTIONS = (
    ("-b", "-q{a}/"), ("-b", "-q/{b}"), ("-b", "-Q/{b}"), ("-b", "-Q{a}/"),
    ("-b", "-q/"), ("-b", "-k", "{a}/"), ("-b", "-k", "/{b}"), ("-b", "-P:"),
    ("-b", "-p:"), ("-b", "-q::"), ("-b", "-F", ""), ("-b", "-E", ""),
    ("-b", "-e", "/"),
)

# For programs that have symbols behind .text, as the C library's all do. "Anything" ends where .text
# does, the last symbol is on no list, a file with folders is none, and what is not chosen has no
# part in the sort of the execution counts.
PROGRAM_SELECTIONS = (
    ("-b", "-z", "-C/"), ("-b", "-z", "-p/"), ("-b", "-z", "-P:"), ("-b", "-z", "-C", "-Z:"),
    ("-b", "-q/"), ("-b", "-Q/"), ("-b", "-q{a}/"), ("-b", "-q/{b}"), ("-b", "-k", "{a}/"),
    ("-b", "-k", "/{b}"), ("-b", "-z", "-Cdata_start"), ("-b", "-z", "-C_fini", "-Cdata_start"),
    ("-b", "-z", "-Petext"), ("-b", "-z", "-C", "-Z{a}"), ("-b", "-z", "-C", "-Z{c}"),
    ("-b", "-q{c}/{file}"), ("-b", "-q{c}/folder/{file}"), ("-b", "-q/folder/{file}:{a}"),
    ("-b", "-k", "{c}/folder/{file}"),
)

# Options that the command line takes in several ways.
SPELLINGS = (
    ("--brief", "--flat-profile"), ("--bri", "--fl"), ("--brief", "--gra"), ("-bpz",),
    ("-bT", "-q"), ("-bqw40",), ("--width=40", "-b", "-q"), ("--width", "40", "-b", "-q"),
    ("-b", "--exec-c"), ("-b", "--func"), ("-b", "--file-i"), ("-b", "--display"),
    ("-b", "--ignore"), ("-b", "--no-static"), ("-b", "--print-path"), ("-b", "--trad"),
    ("-b", "--traditional", "-p"), ("-b", "-O", "auto"), ("-b", "-Omagic"), ("-b", "-Om"),
    ("-b", "--file-format=magic"), ("-b", "--file-format", "auto"), ("-b", "-Oaardvark"),
    ("-b", "-m", "0", "-C"), ("-b", "-m", "5", "-C"), ("-b", "-m", "0x10", "-q"),
    ("-b", "-t", "3"), ("-b", "-t", "-1"), ("-b", "--table-length=2"), ("-b", "--min-count=3"),
    ("-b", "-I", "/no/such:/nor/this"), ("-b", "-I/no/such"), ("-b", "--directory-path=/x"),
    ("-b", "-x"), ("-b", "-x", "-y", "-q"),
)

# Where the answer is a message, or help, and an exit status.
USAGE = (
    ("--no-such-option",), ("-K",), ("-X",), ("-b", "-R"), ("-r", "-R", "map"), ("-b", "-O"),
    ("-Oprof",), ("-Ox",), ("-Opp",), ("--file-format=prof",), ("-w",), ("--width",),
    ("--demangle=nothing",), ("--demangle=",), ("--no-",), ("--f",), ("--brief=yes",),
    ("-m",), ("-t",), ("--time",), ("--no-time",), ("-k",), ("-E",), ("-S",),
    ("-S", "no/such/file", "-b"), ("-R", "no/such/map", "-b"),
)
