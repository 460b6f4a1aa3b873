"""What the collector imports and exports: no C++ runtime, nothing of libc but what is listed here, no
name that a program might use itself."""
import re
import subprocess
import unittest

from harness import ARCHIVE, LIBRARY, require

# From libc. The call counter must leave vector registers alone: no memcpy, no memset.
EXPECTED_IMPORTS = {
    "__cxa_at_quick_exit", "__cxa_finalize", "__environ", "__errno_location", "__gmon_start__",
    "__register_atfork", "_dl_find_object", "_ITM_deregisterTMCloneTable",
    "_ITM_registerTMCloneTable", "dlsym", "environ", "free", "getauxval", "getenv", "malloc",
    "on_exit", "pthread_key_create", "pthread_setspecific", "sigaddset", "sigdelset", "strcmp",
    "strncmp", "strrchr",
}
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
    "pthread_create", "dlclose", "_Fork", "__assert_fail", "sigaction", "signal", "bsd_signal",
    "ssignal", "sysv_signal", "__sysv_signal", "sigprocmask", "pthread_sigmask", "setitimer",
    "sigwait", "sigwaitinfo", "sigtimedwait", "signalfd", "prctl", "syscall",
}


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
        dynamic = subprocess.run(["readelf", "-d", self.library], check=True, capture_output=True,
                                 text=True).stdout
        self.assertEqual(re.findall(r"NEEDED.*\[(.*)\]", dynamic), ["libc.so.6"])

    def test_no_more_of_libc_than_is_known(self):
        self.assertEqual(names("-D", "--undefined-only", self.library) - EXPECTED_IMPORTS, set())

    def test_the_library_exports_what_is_documented(self):
        self.assertEqual(names("-D", "--defined-only", self.library),
                         ENTRY_POINTS | PROGRAM_INTERFACE | HOOKS | SHARED_HOOKS)

    def test_the_archive_defines_no_name_of_a_program(self):
        defined = names("--defined-only", "--extern-only", self.archive)
        foreign = {name for name in defined
                   if not name.startswith(("gprof_runtime_", "_ZN13gprof_runtime",
                                           "_ZNK13gprof_runtime", "_ZZN13gprof_runtime",
                                           "_ZN13gprof_formats",
                                           "_ZTVN13gprof_runtime"))}
        allowed = ENTRY_POINTS | PROGRAM_INTERFACE | HOOKS | {"__abort_msg"}
        self.assertEqual(foreign - allowed, set())
