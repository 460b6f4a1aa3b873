"""Programs built with a sanitizer: it reports the same as without the collector, and there is a
profile."""
import re
import resource
import shutil

from harness import LIBRARY, clean_environment, execute
from record_support import RecordTest

# Name of the build: compiler, flags, and what the sanitizer reports for each action.
LEAK = ("leak", r"77 byte\(s\) leaked in 1 allocation\(s\)")
OVERFLOW = ("overflow", "heap-buffer-overflow")
UNDEFINED = ("undefined", "signed integer overflow")
RACE = ("race", "data race")
BUILDS = {
    "gcc-address": ("gcc", ["-fsanitize=address"], LEAK, OVERFLOW),
    "g++-address": ("g++", ["-fsanitize=address", "-x", "c++"], LEAK, OVERFLOW),
    "clang-address": ("clang", ["-fsanitize=address"], LEAK, OVERFLOW),
    "clang++-address": ("clang++", ["-fsanitize=address", "-x", "c++"], LEAK, OVERFLOW),
    "clang-shared-address": ("clang", ["-fsanitize=address", "-shared-libasan"], LEAK, OVERFLOW),
    "gcc-leak": ("gcc", ["-fsanitize=leak"], LEAK),
    "gcc-undefined": ("gcc", ["-fsanitize=undefined"], UNDEFINED),
    "clang-undefined": ("clang", ["-fsanitize=undefined"], UNDEFINED),
    "gcc-thread": ("gcc", ["-fsanitize=thread"], RACE),
    "clang-thread": ("clang", ["-fsanitize=thread"], RACE),
}
EXPECTED = {("main", "work"): 1, ("thread", "work"): 1, ("work", "leaf"): 1500}


def reports(errors):
    """What sanitizers found, and where; leaves out lines with addresses and process ids."""
    return re.findall(r"^SUMMARY: .*|runtime error: .*", errors, re.M)


class Sanitizers(RecordTest):
    def sanitized(self, name):
        compiler, flags, *_ = BUILDS[name]
        if shutil.which(compiler) is None:
            return None
        if "-shared-libasan" in flags:
            library = execute([compiler, "-print-file-name=libclang_rt.asan-x86_64.so"], self.built)
            flags = [*flags, f"-Wl,-rpath,{library.stdout.strip().rpartition('/')[0]}"]
        try:
            program = self.build(name, ["sanitized.c"], "-O1", *flags, compiler=compiler,
                                 libraries=["-pthread"])
        except AssertionError:
            return None  # the compiler comes without this sanitizer
        return program if self.plain(program, "exit").status == 7 else None

    def compare(self, program, action, *options):
        plain = self.plain(program, action)
        status, output, errors = self.record("--output=o", *options, program, action)
        self.assertEqual((status, output), (plain.status, plain.stdout), errors)
        self.assertEqual(reports(errors), reports(plain.stderr), errors)
        line = self.last_line(errors)
        self.assertIn("nothing lost", line)
        return plain, line

    def test_reports_are_the_same_and_the_profile_is_there(self):
        tried = []
        for name, (_, _, *findings) in BUILDS.items():
            program = self.sanitized(name)
            if program is None:
                continue
            tried.append(name)
            for action, finding in (("exit", None), *findings):
                with self.subTest(f"{name} {action}"):
                    plain, line = self.compare(program, action)
                    if finding is None:
                        self.assertEqual((plain.stderr, plain.status), ("", 7))
                    else:
                        self.assertRegex(plain.stderr, finding)
                    self.assertRegex(line, r"^o/gmon\.out: 1,50\d calls, ")
                    if "++" not in name:
                        self.assert_calls(self.calls(program, directory=self.directory / "o"),
                                          EXPECTED)
        if not any("address" in name for name in tried):
            self.skipTest("skipped: no compiler with AddressSanitizer")

    def test_a_status_that_the_sanitizer_chooses(self):
        """ThreadSanitizer ends with 66 if it has found a race, however the program ends."""
        tried = False
        for name in ("gcc-thread", "clang-thread"):
            program = self.sanitized(name)
            if program is None:
                continue
            tried = True
            for action in ("race_and_exit", "race_and_Exit"):
                with self.subTest(f"{name} {action}"):
                    plain = self.plain(program, action)
                    if action == "race_and_exit":
                        self.assertEqual(plain.status, 66, plain.stderr)
                    for options in ((), ("--wait", "--stacks")):
                        self.compare(program, action, *options)
        if not tried:
            self.skipTest("skipped: no compiler with ThreadSanitizer")

    def test_many_samples(self):
        program = self.sanitized("gcc-address")
        if program is None:
            self.skipTest("skipped: no gcc with AddressSanitizer")
        for action in ("exit", "leak"):
            self.compare(program, action, "--rate=5000", "--stacks")

    def test_the_search_for_leaks_is_not_sampled(self):
        """A thread that it stops while it is being sampled hides leaks. The report takes far longer than the program."""
        program = self.sanitized("gcc-address")
        if program is None:
            self.skipTest("skipped: no gcc with AddressSanitizer")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.plain(program, "leak")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.record("--output=o", "--rate=5000", program, "leak")
        samples = sum(sample["count"] for sample in self.sidecar(directory=self.directory / "o")["samples"])
        self.assertLess(samples / 5000, took / 2)

    def test_options_of_the_user_are_kept(self):
        for given, expected in (
                (None, "verify_asan_link_order=0"),
                ("detect_leaks=0", "detect_leaks=0:verify_asan_link_order=0"),
                ("verify_asan_link_order=1,color=never", "verify_asan_link_order=1,color=never")):
            variables = {} if given is None else {"ASAN_OPTIONS": given}
            _, output, _ = self.record("sh", "-c", "echo $ASAN_OPTIONS", variables=variables)
            self.assertEqual(output, f"{expected}\n")

    def test_a_refusal_is_told(self):
        program = self.sanitized("gcc-address")
        if program is None:
            self.skipTest("skipped: no gcc with AddressSanitizer")
        status, _, errors = self.record(program, "exit", variables={
            "ASAN_OPTIONS": "verify_asan_link_order=1"})
        self.assertEqual(status, 1)
        self.assertIn("verify_asan_link_order=0", self.last_line(errors))

    def test_preloaded_by_hand(self):
        program = self.sanitized("gcc-address")
        if program is None:
            self.skipTest("skipped: no gcc with AddressSanitizer")
        outcome = execute([program, "exit"], self.directory, clean_environment(
            LD_PRELOAD=LIBRARY, ASAN_OPTIONS="verify_asan_link_order=0"))
        self.assertEqual((outcome.status, outcome.stderr), (7, ""))
        self.assert_calls(self.calls(program), EXPECTED)
