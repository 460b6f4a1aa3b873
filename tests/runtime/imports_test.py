"""What the collector imports and exports: no C++ runtime, nothing of libc but what is listed here, no
name that a program might use itself."""
import pathlib
import re
import subprocess
import unittest

from harness import ARCHIVE, LIBRARY, ROOT, require

# From libc. The call counter must leave vector registers alone: no memcpy, no memset.
EXPECTED_IMPORTS = {
    "__cxa_at_quick_exit", "__cxa_finalize", "__environ", "__errno_location", "__gmon_start__",
    "__register_atfork", "_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable", "_r_debug",
    "dlerror", "dlopen", "dlsym", "dlvsym", "environ", "free", "getauxval", "getenv", "malloc", "on_exit",
    "sigaddset", "sigdelset", "strcmp", "strncmp", "strrchr",
}
# Of 2012: RHEL 7's.
OLDEST_LIBC = (2, 17)
# The collector for 64-bit Arm, if it was built.
CROSS_LIBRARY = pathlib.Path(LIBRARY).parents[2] / "aarch64/lib/libgprof_runtime.so"
# Called by compilers and start files.
ENTRY_POINTS = {
    "mcount", "_mcount", "__mcount", "__fentry__", "__monstartup", "monstartup", "_mcleanup",
    "moncontrol", "profil", "__cyg_profile_func_enter", "__cyg_profile_func_exit",
    "__sanitizer_cov_trace_pc", "__sanitizer_cov_trace_pc_guard",
    "__sanitizer_cov_trace_pc_guard_init", "__sanitizer_cov_pcs_init",
}
PROGRAM_INTERFACE = {"gprof_dump", "gprof_reset", "gprof_control", "gprof_runtime_version"}
# Functions of libc that the collector interposes.
HOOKS = {
    "_exit", "_Exit", "abort", "execve", "execv", "execvp", "execvpe", "execveat", "fexecve",
    "execl", "execlp", "execle", "chroot",
}
SHARED_HOOKS = {
    "pthread_create", "thrd_create", "dlclose", "_Fork", "__assert_fail", "sigaction", "signal", "bsd_signal",
    "ssignal", "sysv_signal", "__sysv_signal", "sigprocmask", "pthread_sigmask", "setitimer",
    "sigwait", "sigwaitinfo", "sigtimedwait", "signalfd", "prctl", "syscall",
    "posix_spawn", "posix_spawnp",
}
# Of glibc alone: another libc that loads the library need not have them.
WEAK_IMPORTS = {"__register_atfork", "__cxa_at_quick_exit", "on_exit", "dlvsym", "_r_debug"}
# Of a sanitizer, if the program has it.
SANITIZER_IMPORTS = {"__lsan_do_leak_check"}
# Those that may wait.
WAIT_HOOKS = set(re.findall(r"^WAIT_FUNCTION(?:_AS)?\((\w+),",
                            (ROOT / "runtime/waits/wait_functions.inc").read_text(), re.M))


def names(*arguments):
    text = subprocess.run(["nm", *arguments], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1].partition("@")[0] for line in text.splitlines()
            if re.match(r"[0-9a-f ]{16} \w ", line)}


class Imports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        require("nm", "readelf")
        cls.library = str(LIBRARY)
        cls.archive = str(ARCHIVE)

    def test_the_library_needs_libc_alone(self):
        """libdl is a part of it, which has dlsym() before glibc 2.34."""
        dynamic = subprocess.run(["readelf", "-d", self.library], check=True, capture_output=True,
                                 text=True).stdout
        self.assertEqual(re.findall(r"NEEDED.*\[(.*)\]", dynamic), ["libdl.so.2", "libc.so.6"])

    def test_the_library_loads_with_every_libc(self):
        for library in (self.library, CROSS_LIBRARY):
            if not pathlib.Path(library).exists():
                continue
            text = subprocess.run(["readelf", "--wide", "-V", library], check=True, capture_output=True,
                                  text=True).stdout
            needs = text.partition("Version needs section")[2]
            versions = re.findall(r"Name: (\S+)", needs)
            self.assertNotEqual(versions, [])
            for version in versions:
                with self.subTest(f"{version} in {library}"):
                    self.assertRegex(version, r"^GLIBC_\d+(\.\d+)+$")
                    numbers = tuple(int(n) for n in version.partition("_")[2].split("."))
                    self.assertLessEqual(numbers, OLDEST_LIBC)

    def test_no_more_of_libc_than_is_known(self):
        self.assertEqual(names("-D", "--undefined-only", self.library) - EXPECTED_IMPORTS - SANITIZER_IMPORTS, set())

    def test_what_only_glibc_has_may_be_missing(self):
        """musl loads the library as well, where LD_PRELOAD reaches it."""
        text = subprocess.run(["nm", "-D", "--undefined-only", self.library], check=True,
                              capture_output=True, text=True).stdout
        weak = set(re.findall(r"^ +w (\w+)", text, re.M))
        self.assertEqual((WEAK_IMPORTS | SANITIZER_IMPORTS) - weak, set())

    def test_the_library_exports_what_is_documented(self):
        self.assertEqual(names("-D", "--defined-only", self.library),
                         ENTRY_POINTS | PROGRAM_INTERFACE | HOOKS | SHARED_HOOKS | WAIT_HOOKS)

    def test_the_archive_defines_no_name_of_a_program(self):
        defined = names("--defined-only", "--extern-only", self.archive)
        foreign = {name for name in defined
                   if not name.startswith(("gprof_runtime_", "_ZN13gprof_runtime",
                                           "_ZNK13gprof_runtime", "_ZZN13gprof_runtime",
                                           "_ZN13gprof_formats",
                                           "_ZTVN13gprof_runtime"))}
        # What libc's archive has in one member with abort().
        with_abort = {"__abort_msg", "__abort_lock_rdlock", "__abort_lock_wrlock", "__abort_lock_unlock"}
        allowed = ENTRY_POINTS | PROGRAM_INTERFACE | HOOKS | with_abort
        self.assertEqual(foreign - allowed, set())
