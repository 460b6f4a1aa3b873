"""Programs of others whose waits are measured: what they write, say and return is what it is without."""
import dataclasses
import os
import pwd
import re
import shlex
import shutil
import subprocess
import time
import unittest

from harness import LIBRARY, RuntimeTest, clean_environment, execute, require

MEASURED = {"GPROF_WAIT": 1, "GPROF_ANY": 1}
POSTGRESQL = "/usr/lib/postgresql"
# Since 5.6, xz forbids itself all files (Landlock) where it only reads one.
UNWRITTEN = re.compile(r"^gprof: cannot write the profile: gmon\.out: permission denied\n", re.MULTILINE)


class Compressed(RuntimeTest):
    def test_by_the_threads_of_xz(self):
        require("xz")
        text = self.directory / "text"
        text.write_bytes(b"".join(b"%d squared is %d\n" % (i, i * i) for i in range(60000)))
        command = ("xz", "-T4", "-1", "--block-size=128KiB", "--keep", "--force", text)
        packed = self.directory / "text.xz"
        plain = self.plain(*command)
        self.assertEqual((plain.status, plain.stderr), (0, ""))
        wanted = packed.read_bytes()
        self.profiled(*command, variables=MEASURED)
        self.assertEqual(packed.read_bytes(), wanted)
        self.assertNotEqual(self.sidecar()["waits"], [])
        # Errors, too.
        for words in (("--test", text), ("--keep", self.directory / "missing")):
            plain = self.plain("xz", "-T4", *words)
            self.assertNotEqual(plain.status, 0)
            measured = self.preloaded("xz", "-T4", *words, variables=MEASURED)
            self.assertEqual(dataclasses.replace(measured, stderr=UNWRITTEN.sub("", measured.stderr)), plain)


class Served(RuntimeTest):
    REQUESTS = (("set", "a", "1"), ("incr", "a"), ("rpush", "list", "x", "y"), ("blpop", "list", "1"),
                ("blpop", "empty", "1"), ("lrange", "list", "0", "-1"), ("bgsave",), ("get", "a"))

    def served(self, environment):
        """The answers of a server of that environment, and how it ended."""
        folder = self.directory / "data"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        socket = folder / "socket"
        words = ("redis-server", "--port", "0", "--unixsocket", str(socket), "--dir", str(folder))
        with open(folder / "errors", "wb") as errors, open(folder / "log", "wb") as log:
            server = subprocess.Popen(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                      stdout=log, stderr=errors)
        self.addCleanup(lambda: server.poll() is None and server.kill())
        for _ in range(400):
            if socket.exists() or server.poll() is not None:
                break
            time.sleep(0.05)

        def ask(*request):
            return execute(("redis-cli", "-s", socket, *request), folder)
        answers = [ask(*request) for request in self.REQUESTS]
        benchmark = execute(("redis-benchmark", "-s", socket, "-n", "2000", "-c", "5", "-t", "set,get", "-q"), folder)
        counts = re.findall(r"cmdstat_(?:get|set|incr|blpop):calls=\d+", ask("info", "commandstats").stdout)
        ask("shutdown", "nosave")
        return answers, benchmark.status, sorted(counts), server.wait(60), (folder / "errors").read_text()

    def test_the_same_by_redis(self):
        require("redis-server", "redis-cli", "redis-benchmark")
        plain = self.served(clean_environment())
        self.assertEqual((plain[1], plain[3:]), (0, (0, "")), plain)
        measured = self.served(clean_environment(LD_PRELOAD=LIBRARY, GPROF_OUTPUT=self.directory, **MEASURED))
        self.assertEqual(measured, plain)
        functions = {wait["function"] for wait in self.sidecar()["waits"]}
        self.assertIn("epoll_wait", functions)


class Initialised(RuntimeTest):
    @classmethod
    def programs(cls):
        found = sorted(os.listdir(POSTGRESQL)) if os.path.isdir(POSTGRESQL) else []
        if not found:
            raise unittest.SkipTest("skipped: there is no initdb")
        cls.initdb = f"{POSTGRESQL}/{found[-1]}/bin/initdb"

    def initialised(self, **variables):
        """What initdb says, how it ends, and the files and their sizes; by somebody who is not root."""
        folder = self.directory / "cluster"
        user = {}
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
            os.chown(self.directory, nobody.pw_uid, nobody.pw_gid)
        outcome = execute((self.initdb, "-D", folder, "-A", "trust", "--no-sync", "--no-locale", "-E", "UTF8"),
                          self.directory, clean_environment(TZ="UTC", **variables), **user)
        files = sorted((str(path.relative_to(folder)), path.stat().st_mode, path.stat().st_size)
                       for path in folder.rglob("*"))
        shutil.rmtree(folder)
        return outcome, files

    def test_the_same_by_initdb(self):
        # Where anybody can read it.
        library = shutil.copy(LIBRARY.resolve(), self.directory)
        plain, files = self.initialised()
        self.assertEqual(plain.status, 0, plain.stderr)
        self.assertGreater(len(files), 100)
        profiles = self.directory / "profiles"
        profiles.mkdir()
        profiles.chmod(0o777)
        measured, files_measured = self.initialised(LD_PRELOAD=library, GPROF_OUTPUT=profiles, **MEASURED)
        self.assertEqual(measured, plain)
        self.assertEqual(files_measured, files)
        self.assertNotEqual(list(profiles.glob("*.gpx")), [])


class Drawn(RuntimeTest):
    @classmethod
    def programs(cls):
        require("g++", "pkg-config")
        flags = execute(("pkg-config", "--cflags", "--libs", "Qt5Widgets"), cls.built)
        if flags.status != 0:
            raise unittest.SkipTest("skipped: there is no Qt5Widgets")
        cls.program = cls.build("qt_waits", ["qt_waits.cc"], "-O2", "-fPIC", pg=False, compiler="g++",
                                libraries=shlex.split(flags.stdout))

    def test_the_same_by_a_program_of_qt(self):
        more = {"QT_QPA_PLATFORM": "offscreen", "XDG_RUNTIME_DIR": self.directory}
        self.directory.chmod(0o700)
        plain = execute((self.program,), self.directory, clean_environment(**more))
        self.assertEqual((plain.status, plain.stdout),
                         (7, "dialog 1, ready 2, child 3: from the child\n"), plain.stderr)
        self.assertEqual(self.preloaded(self.program, variables=MEASURED | more), plain)
        functions = {wait["function"] for wait in self.sidecar()["waits"]}
        # Qt's mutexes and conditions are futexes by syscall().
        self.assertIn("futex", functions)
