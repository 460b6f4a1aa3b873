"""Threads are sampled whoever creates them, and when; CPU time of others is named as what it is."""
import math
import sys

from chance import NEVER
from harness import ARCHIVE, clean_environment, execute
from record_support import RecordTest

RATE = 1000
EACH = 300  # milliseconds that each worker burns


class EarlyThreads(RecordTest):
    @classmethod
    def programs(cls):
        super().programs()
        cls.user = cls.build("user", ["early_user.c"], "-O1", "-pthread", pg=False, libraries=["-ldl"])

    @classmethod
    def library(cls, how):
        flags = ("-O1", "-fPIC", "-shared", "-pthread")
        if how == "std":
            return cls.build("libearly_std.so", ["early_threads.cc"], *flags, "-std=c++17", pg=False,
                             compiler="g++")
        return cls.build(f"libearly_{how}.so", ["early_threads.c"], *flags, f"-DHOW={how}", pg=False,
                         libraries=["-ldl"])

    @classmethod
    def linked_with(cls, library, *flags):
        return cls.build(f"with-{library.stem}", ["early_user.c"], "-O1", "-pthread", "-DLINKED", *flags,
                         pg=False, libraries=[library, f"-Wl,-rpath,{cls.built}", "-ldl"])

    def run_recorded(self, *words):
        """The CPU time that the program has used, in nanoseconds, and the last line."""
        status, output, errors = self.record(f"--rate={RATE}", "--", *words)
        self.assertEqual(status, 0, errors)
        return int(output.split()[1]), self.last_line(errors)

    def assert_all_sampled(self, cpu_time, threads):
        sidecar = self.sidecar()
        process = sidecar["process"]
        self.assertEqual(len(sidecar["threads"]), threads, sidecar["threads"])
        known = sum(thread["cpu_time"] for thread in sidecar["threads"])
        # Ahead of main, a thread's clock runs in the dynamic linker.
        self.assertLess(abs(known + process["earlier_time"] - cpu_time), 0.02 * cpu_time + 20e6, process)
        self.assertLess(process["unsampled_time"], 0.01 * cpu_time, process)
        expected = process["covered_time"] * RATE / 1e9
        self.assertGreater(expected, 0.5 * cpu_time * RATE / 1e9, process)
        deviation = math.sqrt(expected + process["excess_variance"])
        self.assertLess(abs(process["samples"] - expected), NEVER * deviation + 8, process)
        return sidecar

    def test_in_the_constructor_of_a_library(self):
        for how in ("posix", "c11", "std", "hidden"):
            with self.subTest(how):
                program = self.linked_with(self.library(how))
                cpu_time, line = self.run_recorded(program, EACH)
                sidecar = self.assert_all_sampled(cpu_time, 3)
                # The first thread takes a few milliseconds at most.
                self.assertEqual(sum(thread["samples"] > EACH // 3 for thread in sidecar["threads"]), 2)
                self.assertNotIn("were of", line)

    def test_in_the_constructor_of_a_library_that_is_opened(self):
        for how in ("posix", "c11", "std"):
            with self.subTest(how):
                cpu_time, line = self.run_recorded(self.user, EACH, self.library(how))
                self.assert_all_sampled(cpu_time, 3)
                self.assertNotIn("were of", line)

    def test_openblas(self):
        """Its workers wait in its constructor for work."""
        (self.built / "product.c").write_text(r'''
            #include <stdio.h>
            #include <stdlib.h>
            #include <time.h>
            void cblas_dgemm(int, int, int, int, int, int, double, const double*, int, const double*, int, double,
                             double*, int);
            int main(void) {
              enum { n = 700 };
              double* a = calloc(n * n, 8);
              double* b = calloc(n * n, 8);
              for (int i = 0; i < 6; ++i) cblas_dgemm(101, 111, 111, n, n, n, 1, a, n, a, n, 0, b, n);
              struct timespec t;
              clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
              printf("cpu %lld\n", t.tv_sec * 1000000000LL + t.tv_nsec);
              return 0;
            }''')
        command = ["gcc", "-O1", self.built / "product.c", "-o", self.built / "product", "-lopenblas"]
        if execute(command, self.built).status != 0:
            self.skipTest("skipped: no libopenblas")
        cpu_time, line = self.run_recorded(self.built / "product")
        self.assert_all_sampled(cpu_time, len(self.sidecar()["threads"]))
        self.assertNotIn("were of", line)

    def test_bare_threads_are_left_alone(self):
        """Such a thread has the thread-local memory of another one: the collector must not touch it."""
        cpu_time, line = self.run_recorded(self.user, EACH, "bare")
        process = self.sidecar()["process"]
        self.assertEqual(len(self.sidecar()["threads"]), 1)
        self.assertLess(abs(process["unsampled_time"] - EACH * 1e6), 0.1 * EACH * 1e6, process)
        self.assertRegex(line, r"; 0\.\d+ s on CPU were of threads that could not be sampled")
        self.assertNotIn("without a profile", line)
        self.assertLess(process["unsampled_time"], cpu_time)

    def test_time_before_sampling_began(self):
        """Constructors of libraries run in the order of what needs what."""
        (self.built / "slow.c").write_text('''
            #include <time.h>
            void run_early_workers(unsigned milliseconds) { (void)milliseconds; }
            __attribute__((constructor)) static void burn(void) {
              struct timespec t;
              do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); while (t.tv_sec == 0 && t.tv_nsec < 400000000);
            }''')
        library = self.build("libslow.so", ["slow.c"], "-O1", "-fPIC", "-shared", pg=False)
        cpu_time, line = self.run_recorded(self.linked_with(library), 1)
        process = self.sidecar()["process"]
        self.assertGreater(process["earlier_time"], 0.8 * cpu_time)
        self.assertRegex(line, r"; 0\.\d+ s on CPU were before sampling began, in constructors of libraries")
        self.assertNotIn("without a profile", line)
        # A later image of the process does not count the time of the earlier one, which leaves a profile if it has
        # samples: in 200 ms none in e^-200 of all runs.
        burn = "import time\nwhile time.process_time() < 0.2: pass\nimport os, sys\nos.execv(sys.argv[1], sys.argv[1:])"
        self.record("--children=all", "--", sys.executable, "-c", burn, self.linked_with(library), "1")
        processes = [self.sidecar(name)["process"] for name in self.files() if name.endswith(".gpx")]
        later = [process["earlier_time"] for process in processes if process["image_number"] != 0]
        self.assertEqual(later, [0])

    def test_found_when_counting_begins_late(self):
        """As in a program that is not sampled before it opens a library that counts calls."""
        (self.built / "counted.c").write_text("void counted(void) {}\n")
        (self.built / "late.c").write_text(r'''
            #include <dlfcn.h>
            #include <pthread.h>
            #include <stdio.h>
            #include <time.h>
            static volatile int is_counting;
            static long long now(void) {
              struct timespec t;
              clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
              return t.tv_sec * 1000000000LL + t.tv_nsec;
            }
            // However long it takes until calls are counted, it runs on for 600 ms then.
            static void* run(void* nothing) {
              while (!is_counting) continue;
              for (const long long end = now() + 600000000; now() < end;) continue;
              return nothing;
            }
            int main(int count, char** words) {
              pthread_t thread;
              pthread_create(&thread, 0, run, 0);
              void* library = dlopen(words[count - 1], RTLD_NOW);
              ((void (*)(void))dlsym(library, "counted"))();
              is_counting = 1;
              pthread_join(thread, 0);
              return 0;
            }''')
        counted = self.build("libcounted.so", ["counted.c"], "-O1", "-fPIC", "-shared")
        program = self.build("late", ["late.c"], "-O1", "-pthread", pg=False, libraries=["-ldl"])
        self.profiled(program, counted, variables={"GPROF_ANY": 0, "GPROF_RATE": RATE})
        threads = self.sidecar()["threads"]
        self.assertEqual(len(threads), 2)
        worker = max(threads, key=lambda thread: thread["cpu_time"])
        self.assertGreater(worker["cpu_time"], 300_000_000)
        self.assertGreater(worker["samples"], 100)

    def test_in_a_static_program(self):
        """It calls libc directly. What it samples in one thread shows it that there are others."""
        (self.built / "worker.c").write_text(r'''
            #include <pthread.h>
            #include <time.h>
            volatile int is_sampled;
            static long long now(void) {
              struct timespec t;
              clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
              return t.tv_sec * 1000000000LL + t.tv_nsec;
            }
            void burn(long nanoseconds) {
              for (const long long end = now() + nanoseconds; now() < end;) continue;
            }
            // Runs as long as the main thread is sampled, and then 300 ms more.
            static void* run(void* nothing) {
              while (!is_sampled) continue;
              burn(300000000);
              return nothing;
            }
            void start_worker(pthread_t* thread) { pthread_create(thread, 0, run, 0); }
            ''')
        (self.built / "static.c").write_text(r'''
            #include <pthread.h>
            extern volatile int is_sampled;
            void start_worker(pthread_t* thread);
            void burn(long nanoseconds);
            int main(void) {
              pthread_t thread;
              start_worker(&thread);
              burn(300000000);
              is_sampled = 1;
              pthread_join(thread, 0);
              return 0;
            }''')
        worker = self.build("worker.o", ["worker.c"], "-O1", "-c", pg=False)
        program = self.build("static", ["static.c", worker], "-O1", "-static", "-pthread", libraries=[ARCHIVE])
        done = execute([program], self.directory, clean_environment(GPROF_RATE=RATE))
        self.assertEqual((done.status, done.stderr), (0, ""))
        samples = sorted(thread["samples"] for thread in self.sidecar()["threads"])
        self.assertEqual(len(samples), 2)
        self.assertGreater(samples[0], 100)
