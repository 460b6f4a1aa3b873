"""Programs that the collector's library cannot be loaded into, started by recorded ones: they run as
without the collector, and the last line names them."""
import os
import pathlib
import re
import shutil
import subprocess

from harness import ARCHIVE, LIBRARY, SERVER, execute, require_root, required
from profiled_program import require
from record_support import RecordTest
from tested_build import NOT_HERE

WAYS = ("execve", "execv", "execvp", "execvpe", "execl", "execlp", "execle", "no-environment", "fexecve",
        "o_path", "execveat", "posix_spawn", "posix_spawn-own", "posix_spawn-none", "posix_spawnp",
        "clone", "clone-vm", "vfork", "system", "popen")
LINKER = "/lib64/ld-linux-x86-64.so.2"
MUSL = "/lib/ld-musl-x86_64.so.1"
LEFT_OUT = "started without the collector: "


class Started(RecordTest):
    @classmethod
    def programs(cls):
        super().programs()
        cls.starts = cls.build("starts", ["starts.c"], "-O1", pg=False)
        cls.loader = cls.build("loader", ["fake_linker.c"], "-O1", "-static", "-nostdlib", "-ffreestanding",
                               "-fno-stack-protector", pg=False)
        cls.child = cls.build("child", ["shows_preload.c"], "-O1",
                              f"-Wl,--dynamic-linker={cls.loader}", pg=False)

    def variables(self, **more):
        return {"PATH": f"{self.built}:{os.environ['PATH']}"} | more

    def compare(self, *command, variables=None, directory=None, status=None):
        """Runs it without and under `record`, which must differ in the last line alone; returns that.
        `status`: what the program ends with by itself."""
        plain = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                               cwd=directory or self.directory, check=False, timeout=120,
                               env=self.clean(variables or self.variables()))
        done, output, errors = self.record("--output", self.directory, "--", *command,
                                           directory=directory, variables=variables or self.variables())
        self.assertGreaterEqual(plain.returncode, 0)
        self.assertIn(status, (None, plain.returncode))
        lines = errors.splitlines(keepends=True)
        self.assertEqual((done, output, "".join(lines[:-1])),
                         (plain.returncode, plain.stdout, plain.stderr))
        return self.last_line(errors)

    @staticmethod
    def clean(variables):
        from harness import clean_environment
        return clean_environment(**variables)


class OtherLinker(Started):
    """A static program as the ELF interpreter: it sees the environment that a dynamic linker sees."""

    def test_every_way(self):
        for way in WAYS:
            with self.subTest(way):
                line = self.compare(self.starts, way, self.child, status=4)
                has_library = way not in ("no-environment", "posix_spawn-none")
                self.assertEqual(LEFT_OUT + "child (another C library than glibc)" in line,
                                 has_library, line)

    def test_other_entries_stay(self):
        (self.built / "first.c").write_text("int nothing;\n")
        first = self.build("libfirst.so", ["first.c"], "-shared", "-fPIC", pg=False)
        second = self.build("libsecond.so", ["first.c"], "-shared", "-fPIC", pg=False)
        for way in ("execve", "execle", "posix_spawn", "vfork"):
            for separator in (":", " "):
                preload = f"{first}{separator}{second}"
                with self.subTest(f"{way} {preload}"):
                    self.compare(self.starts, way, self.child, status=4,
                                 variables=self.variables(LD_PRELOAD=preload))

    def test_a_large_environment(self):
        many = {f"VARIABLE_{i}": "x" for i in range(3000)}
        for way in ("execve", "vfork", "posix_spawn", "clone-vm"):
            with self.subTest(way):
                self.compare(self.starts, way, self.child, status=4,
                             variables=self.variables(**many))

    def test_the_program_itself(self):
        line = self.compare(self.child, status=4)
        self.assertRegex(line, "^no profile of .*: its C library is another one, .*perf record")

    def test_scripts(self):
        """Followed to what runs them, as by the kernel."""
        for name, interpreter in (("inner", self.child), ("outer", self.built / "inner")):
            script = self.built / name
            script.write_text(f"#! {interpreter} word\n")
            script.chmod(0o755)
            for way in ("execve", "posix_spawnp", "execlp"):
                with self.subTest(f"{name} {way}"):
                    line = self.compare(self.starts, way, script, status=4)
                    self.assertIn(LEFT_OUT + name, line)
            self.assertRegex(self.compare(script, status=4), "it is a script for .*, and its C library is another one")

    def test_what_only_executes_another(self):
        for words in (("nice",), ("env", "A=b"), ("sh", "-c", 'exec "$0"')):
            with self.subTest(words[0]):
                line = self.compare(*words, self.child, status=4)
                self.assertIn(LEFT_OUT + "child (another C library than glibc)", line)
                self.assertNotIn("ended before it began", line)

    def test_several(self):
        """Each is named once, with the reason."""
        for name in ("one", "two", "three", "four", "five", "six"):
            shutil.copy(self.child, self.built / name)
        script = "; ".join(f"{self.built}/{name}" for name in
                           ("one", "two", "one", "three", "four", "five", "six", "two"))
        line = self.compare("sh", "-c", f"{script}; true")
        self.assertIn(LEFT_OUT + "one, two, three, four and 2 others (another C library than glibc)", line)

    def test_below_a_static_program(self):
        """What has no effect stays in its environment: programs further down are recorded."""
        static = self.build("starts-static", ["starts.c"], "-O1", "-static", pg=False)
        status, _, errors = self.record("--output", self.directory, static, "vfork", self.program)
        self.assertEqual(status, 0, errors)
        self.assertRegex(self.last_line(errors), r"gmon\.out: [\d,]+ calls")


class WrongEnvironments(Started):
    def test_what_nobody_can_read(self):
        program = self.build("wrong", ["wrong_environments.c"], "-O1", "-w", pg=False)
        self.assertNotIn(LEFT_OUT, self.compare(program, status=0))


class OwnLinker(Started):
    """Copies of glibc's dynamic linker, as Nix has them."""

    def setUp(self):
        super().setUp()
        if not os.path.exists(LINKER):
            self.skipTest(f"skipped: no {LINKER}")

    def with_linker(self, folder):
        """A program that asks for a copy of the linker in the folder."""
        place = self.built / folder
        place.mkdir(exist_ok=True)
        shutil.copy(LINKER, place / "linker-2.so")
        if not (place / "linker.so").exists():
            (place / "linker.so").symlink_to("linker-2.so")
        return self.build(f"{folder}-program", ["recorded.c"], "-O1",
                          f"-Wl,--dynamic-linker={place}/linker.so")

    def test_a_new_one(self):
        program = self.with_linker("new")
        libc = pathlib.Path(os.path.realpath(LINKER)).parent / "libc.so.6"
        shutil.copy(libc, self.built / "new" / "libc.so.6")
        for words in ((program,), (self.starts, "execve", program)):
            with self.subTest(str(words)):
                status, _, errors = self.record("--output", self.directory, *words)
                self.assertEqual(status, 0, errors)
                self.assertNotIn(LEFT_OUT, errors)
                self.assertRegex(self.last_line(errors), r"gmon\.out: [\d,]+ calls")

    def test_an_old_one(self):
        program = self.with_linker("old")
        (self.built / "old" / "libc.so.6").write_bytes(b"\0GLIBC_2.2.5\0GLIBC_2.16\0")
        line = self.compare(self.starts, "execve", program)
        self.assertIn(LEFT_OUT + "old-program (a glibc older than 2.17)", line)
        status, _, errors = self.record("--output", self.directory, program)
        self.assertEqual(status, 0)
        self.assertRegex(self.last_line(errors), "^no profile of .*: its C library is a glibc older than 2.17")

    def test_executed_itself(self):
        (self.built / "linked.sh").write_text(f"exec {LINKER} {self.program}\n")
        status, _, errors = self.record("--output", self.directory, "sh", self.built / "linked.sh")
        self.assertEqual(status, 0, errors)
        self.assertNotIn(LEFT_OUT, errors)
        self.assertRegex(self.last_line(errors), r"gmon\.out: [\d,]+ calls")


class Musl(Started):
    @classmethod
    def programs(cls):
        require("musl-gcc")
        super().programs()
        cls.musl = cls.build("by-musl", ["shows_preload.c"], "-O1", compiler="musl-gcc", pg=False)

    def test_every_way(self):
        for way in WAYS:
            with self.subTest(way):
                self.compare(self.starts, way, self.musl, status=4)

    def test_its_loader_executed(self):
        if not os.path.exists(MUSL):
            self.skipTest(f"skipped: no {MUSL}")
        line = self.compare("sh", "-c", f"{MUSL} {self.musl}; exit $?")
        self.assertIn(LEFT_OUT, line)

    def test_started_where_nothing_is_seen(self):
        """A static program passes the library on: musl loads it, and it does nothing."""
        static = self.build("starts-static", ["starts.c"], "-O1", "-static", pg=False)
        plain = execute([static, "vfork", self.musl], self.directory)
        for words in ((), ("--wait", "--rate=20000")):
            status, output, errors = self.record("--output", self.directory, *words, static, "vfork",
                                                 self.musl)
            self.assertEqual((status, plain.status), (4, 4), errors)
            # It sees the library in its environment, as static programs do.
            self.assertEqual(output.partition("preload ")[2], f"{LIBRARY}, own none\n")
            self.assertEqual(len(errors.splitlines()), 1, errors)
            self.assertIn(LEFT_OUT + "by-musl (another C library than glibc)", self.last_line(errors))


class OtherMachine(Started):
    def test_of_32_bits(self):
        libc = pathlib.Path("/lib32/libc.so.6")
        if not libc.exists():
            self.skipTest("skipped: no 32-bit libc")
        (self.built / "small.c").write_text("""
            int printf(const char*, ...); void exit(int); char* getenv(const char*);
            void _start(void) { printf("%s\\n", getenv("LD_PRELOAD") ? "library" : "none"); exit(4); }
        """)
        program = self.built / "of-32-bits"
        made = execute(["gcc", "-m32", "-O1", "-nostdlib", "-fno-pic", "-no-pie", "-fno-stack-protector",
                        "-mpreferred-stack-boundary=2", self.built / "small.c", libc, "-o", program,
                        "-Wl,--dynamic-linker=/lib/ld-linux.so.2"], self.built)
        if made.status != 0:
            self.skipTest("skipped: no compiler for 32-bit programs")
        try:
            execute([program], self.built)
        except OSError:
            self.skipTest(f"{NOT_HERE}this kernel runs no 32-bit programs")
        for way in ("execve", "posix_spawn", "vfork", "system"):
            with self.subTest(way):
                line = self.compare(self.starts, way, program, status=4)
                self.assertIn(LEFT_OUT + "of-32-bits (for another kind of processor)", line)
        self.assertRegex(self.compare(program), "^no profile of .*another kind of processor")

    def test_that_the_kernel_does_not_run(self):
        """The error is the same, and the program goes on."""
        data = bytearray(self.child.read_bytes())
        for name, place, value in (("machine", 18, 0x2B), ("class", 4, 1), ("order", 5, 2)):
            changed = bytearray(data)
            changed[place] = value
            program = self.built / f"other-{name}"
            program.write_bytes(changed)
            program.chmod(0o755)
            for way in ("execve", "posix_spawn", "fexecve"):
                with self.subTest(f"{name} {way}"):
                    self.compare(self.starts, way, program)


class OtherRoots(Started):
    def setUp(self):
        require_root()
        super().setUp()

    def root(self):
        """A root with a dynamic program, its libraries, and a static shell if there is one."""
        root = self.directory / "root"
        program = self.build("dynamic", ["shows_preload.c"], "-O1", pg=False)
        libraries = re.findall(r"(/\S+)", execute(["ldd", program], self.built).stdout)
        for path in (*libraries, program):
            place = root / str(path).lstrip("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)
        return root, program

    def test_chroot(self):
        require("chroot", "ldd")
        root, program = self.root()
        line = self.compare("chroot", root, program, status=4)
        self.assertIn(LEFT_OUT + "dynamic (the collector's file is out of its reach)", line)

    def test_an_own_chroot(self):
        """system() and popen() pass the process's environment on without calling a hook."""
        require("ldd")
        root, program = self.root()
        shell = pathlib.Path(required("sh")).resolve()
        for path in (*re.findall(r"(/\S+)", execute(["ldd", shell], self.built).stdout), "/bin/sh"):
            place = root / str(path).lstrip("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)
        for flags, libraries in (((), ()), (("-static",), (ARCHIVE,))):
            with self.subTest(flags):
                changes = self.build("changes" + "".join(flags), ["changes_root.c"], "-O1", *flags, pg=False,
                                     libraries=libraries)
                self.compare(changes, root, program, status=4)

    def test_a_static_shell_in_the_root(self):
        require("chroot", "ldd")
        busybox = required("busybox")
        if "statically linked" not in execute(["file", "-L", busybox], self.directory).stdout:
            self.skipTest("skipped: no static busybox")
        root, program = self.root()
        shutil.copy(busybox, root / "busybox")
        self.compare("chroot", root, "/busybox", "sh", "-c", f"{program}; echo $?")

    def test_a_mount_that_hides_the_library(self):
        require("unshare", "mount")
        server = self.server_within_reach()
        if execute(["unshare", "-m", "true"], self.directory).status != 0:
            self.skipTest("skipped: no mount namespaces")
        program = self.build("dynamic", ["shows_preload.c"], "-O1", pg=False)
        script = f"mount -t tmpfs none {self.built}/lib && exec {program}"
        done = subprocess.run([server, "record", "--output", self.directory, "--", "unshare", "-m", "sh",
                               "-c", script], capture_output=True, text=True, check=False,
                              cwd=self.directory, env=self.clean(self.variables()), timeout=120)
        self.assertEqual((done.returncode, done.stdout), (4, "preload none, own none\n"), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(LEFT_OUT + "dynamic (the collector's file is out of its reach)", done.stderr)

    def test_a_user_who_cannot_reach_the_library(self):
        require("setpriv")
        server = self.private_server()
        program = self.build("dynamic", ["shows_preload.c"], "-O1", pg=False)
        done = subprocess.run([server, "record", "--output", self.directory, "--", "setpriv",
                               "--reuid=65534", "--clear-groups", program], capture_output=True, text=True,
                              check=False, cwd=self.directory, env=self.clean(self.variables()),
                              timeout=120)
        self.assertEqual((done.returncode, done.stdout), (4, "preload none, own none\n"), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def private_server(self):
        place = self.directory / "private"
        for path, folder in ((SERVER, "bin"), (LIBRARY, "lib")):
            (place / folder).mkdir(parents=True)
            shutil.copy(path, place / folder)
        place.chmod(0o700)
        return place / "bin" / SERVER.name
