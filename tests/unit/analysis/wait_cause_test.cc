// What a thread waited for, by the names on its stack.
#include "engine/import/wait_cause.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "runtime/waits/wait_function.h"

using namespace gprof;

namespace {

using Code = WaitingFrame::Code;

struct Told {
  WaitKind kind;
  std::string function;
  friend bool operator==(const Told&, const Told&) = default;
};

Told told(const std::vector<WaitingFrame>& frames) {
  const auto cause = cause_of_wait(frames);
  REQUIRE(cause);
  return {cause->kind, std::string(cause->function)};
}

}  // namespace

TEST_CASE("wait causes: functions that the collector measures are of the collector's kinds") {
  for (const gprof_runtime::waits::FunctionFacts& function : gprof_runtime::waits::function_facts) {
    const std::string_view name = function.name;
    // Those by syscall() have none.
    if (name.empty()) continue;
    CAPTURE(name);
    const auto cause = cause_of_function(name);
    REQUIRE(cause);
    CHECK(cause->kind == function.kind);
    CHECK(cause->function == function.shown);
  }
}

TEST_CASE("wait causes: names within the C library") {
  for (const std::string_view name : {"read", "__read", "__GI___libc_read", "__libc_read",
                                      "read@@GLIBC_2.2.5", "__read_nocancel", "__read_chk"}) {
    CAPTURE(name);
    const auto cause = cause_of_function(name);
    REQUIRE(cause);
    CHECK(cause->function == "read");
    CHECK(cause->kind == WaitKind::io);
  }
  CHECK(cause_of_function("___pthread_mutex_lock")->function == "pthread_mutex_lock");
  CHECK(cause_of_function("__pthread_clockjoin_ex")->function == "pthread_join");
  for (const std::string_view name : {"", "_", "__GI_", "@", "reader", "64", "_IO_"}) {
    CHECK_FALSE(cause_of_function(name));
  }
}

TEST_CASE("wait causes: the function that the program called says it best") {
  const std::vector<WaitingFrame> kernel = {{Code::kernel, "__schedule"},
                                            {Code::kernel, "schedule"},
                                            {Code::kernel, "futex_do_wait"},
                                            {Code::kernel, "__x64_sys_futex"},
                                            {Code::kernel, "do_syscall_64"}};
  auto frames = kernel;
  CHECK(told(frames) == Told{WaitKind::lock, "futex"});
  frames.push_back({Code::c_library, "__futex_abstimed_wait_common64"});
  CHECK(told(frames) == Told{WaitKind::lock, "futex"});
  frames.push_back({Code::c_library, "pthread_cond_wait"});
  frames.push_back({Code::library, "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE"});
  frames.push_back({Code::program, "read"});
  // Further out the C library runs the thread.
  frames.push_back({Code::c_library, "sleep"});
  CHECK(told(frames) == Told{WaitKind::other, "pthread_cond_wait"});
}

TEST_CASE("wait causes: a function of several others is the one that was called") {
  CHECK(told({{Code::kernel, "__x64_sys_poll"},
              {Code::c_library, "__poll"},
              {Code::c_library, "__res_context_send"},
              {Code::c_library, "getaddrinfo"},
              {Code::program, "fetch"}}) == Told{WaitKind::io, "getaddrinfo"});
  CHECK(told({{Code::c_library, "wait4"}, {Code::c_library, "__libc_system"}}) ==
        Told{WaitKind::child, "system"});
}

TEST_CASE("wait causes: system calls, and what is none") {
  CHECK(
      told({{Code::kernel, "hrtimer_nanosleep"}, {Code::kernel, "__arm64_sys_clock_nanosleep"}}) ==
      Told{WaitKind::sleep, "clock_nanosleep"});
  CHECK(told({{Code::kernel, "do_wait"}, {Code::kernel, "__do_sys_wait4"}}) ==
        Told{WaitKind::child, "wait4"});
  CHECK(told({{Code::kernel, "__x64_sys_pselect6"}}) == Told{WaitKind::io, "pselect"});
  CHECK(told({{Code::kernel, "vfs_read"}, {Code::kernel, "ksys_read"}}) ==
        Told{WaitKind::io, "read"});
  CHECK_FALSE(cause_of_wait(std::vector<WaitingFrame>{{Code::kernel, "kernel_clone"}}));
  CHECK(told({{Code::kernel, "__x64_sys_io_pause"}}) == Told{WaitKind::other, "io_pause"});
  CHECK(told({{Code::kernel, "io_schedule"}, {Code::kernel, "asm_exc_page_fault"}}) ==
        Told{WaitKind::io, ""});
  CHECK_FALSE(cause_of_wait({}));
  CHECK_FALSE(cause_of_wait(std::vector<WaitingFrame>{{Code::kernel, ""}, {Code::program, "f"}}));
}

TEST_CASE("wait causes: of a program that is linked statically") {
  CHECK(told({{Code::kernel, ""},
              {Code::program, "__lll_lock_wait"},
              {Code::program, "___pthread_mutex_lock"},
              {Code::program, "put"},
              {Code::program, "wait"}}) == Told{WaitKind::lock, "pthread_mutex_lock"});
  // Its own functions may have such names elsewhere.
  CHECK(told({{Code::c_library, ""},
              {Code::program, "wait"},
              {Code::c_library, "read"},
              {Code::kernel, "__x64_sys_futex"}}) == Told{WaitKind::lock, "futex"});
}
