// What `gprof-lsp record --pid` says: what it has sampled, or why it cannot.
#include "server/cli/record/attach_summary.h"

#include <cerrno>
#include <string>

#include <catch2/catch.hpp>
#include <unistd.h>

using namespace gprof;
using namespace gprof::lsp;

namespace {

constexpr std::uint64_t second = 1'000'000'000;

AttachResult result_of(std::uint64_t samples, std::uint64_t cpu_time) {
  AttachResult result;
  result.samples = samples;
  result.cpu_time = cpu_time;
  result.threads = 3;
  result.rate = 997;
  result.observed = {100 * second, 110 * second};
  result.has_kernel = true;
  result.paranoid = 2;
  return result;
}

std::string line_of(const AttachResult& result) {
  return describe_recording("perf.data", describe_attach(result));
}

const AttachTarget lua = {4242, 1000, "/usr/bin/lua", "lua"};

std::string refusal(int error, std::optional<int> paranoid, const std::string& owner = "",
                    bool is_filtered = false) {
  return why_not_sampled(lua, {error, paranoid, owner, is_filtered});
}

}  // namespace

TEST_CASE("attach: the last line says what was sampled") {
  CHECK(line_of(result_of(1990, 2 * second)) ==
        "perf.data: 1,990 samples at 997 Hz, 3 threads, nothing lost; observed 10.0 s, "
        "2 s on CPU: waiting is not in the figures");
  CHECK(describe_attach(result_of(1990, 2 * second)).headline == "2 s CPU of 10.0 s");
  AttachResult result = result_of(9970, 10 * second);
  result.lost = 7;
  result.end = AttachEnd::process;
  CHECK(line_of(result) ==
        "perf.data: 9,970 samples at 997 Hz, 3 threads, 7 samples lost; observed 10.0 s, "
        "10.0 s on CPU; the process has ended");
  result.end = AttachEnd::size;
  CHECK(line_of(result).ends_with("; ended early: the recording has reached its limit"));
  result.end = AttachEnd::disk;
  CHECK(line_of(result).ends_with("; ended early: no more could be written to the disk"));
}

TEST_CASE("attach: time in the kernel that was not sampled is named") {
  AttachResult result = result_of(5000, 10 * second);
  result.has_kernel = false;
  CHECK(line_of(result).ends_with(
      "; 50 % of the CPU time was in the kernel and was not sampled; time in the kernel was not "
      "sampled (kernel.perf_event_paranoid is 2)"));
}

TEST_CASE("attach: missing samples are not put down to the kernel if that was sampled") {
  const std::string line = line_of(result_of(5000, 10 * second));
  INFO(line);
  CHECK(line.find("times are about 50 % too small") != std::string::npos);
  CHECK(line.find("kernel") == std::string::npos);
}

TEST_CASE("attach: a process without samples has no profile, for a reason") {
  CHECK(why_no_samples(lua, result_of(0, 0)) ==
        "no profile of process 4242 (lua): it used no CPU time in 10.0 s, and waiting is not "
        "sampled; attach to it while it is busy, or for longer (--time)");
  AttachResult result = result_of(0, 0);
  result.end = AttachEnd::process;
  CHECK(why_no_samples(lua, result) ==
        "no profile of process 4242 (lua): it used no CPU time in 10.0 s, and waiting is not "
        "sampled; the process has ended");
  result = result_of(0, second);
  CHECK(why_no_samples(lua, result) ==
        "no profile of process 4242 (lua): none of its 1 s of CPU time in 10.0 s was sampled");
  result.has_kernel = false;
  CHECK(why_no_samples(lua, result) ==
        "no profile of process 4242 (lua): none of its 1 s of CPU time in 10.0 s was in its own "
        "code; time in the kernel was not sampled (kernel.perf_event_paranoid is 2)");
}

TEST_CASE("attach: what the administrator would allow is one sentence") {
  CHECK(refusal(EACCES, 3) ==
        "process 4242 (lua) cannot be sampled: kernel.perf_event_paranoid is 3; an administrator "
        "can allow it by `sysctl kernel.perf_event_paranoid=2`, or by giving gprof-lsp the "
        "capability CAP_PERFMON");
  CHECK(refusal(EACCES, 2, "alice") ==
        "process 4242 (lua) cannot be sampled: it belongs to the user alice; run gprof-lsp as that "
        "user, or with the capabilities CAP_PERFMON and CAP_SYS_PTRACE");
  CHECK(refusal(EPERM, 2, "", true) ==
        "process 4242 (lua) cannot be sampled: a seccomp filter, as in containers, forbids "
        "perf_event_open; start the container with `--cap-add=PERFMON`, or with another "
        "`--security-opt seccomp=`");
  CHECK(refusal(EACCES, 2) ==
        "process 4242 (lua) cannot be sampled: it is set-user-ID, has capabilities, or has made "
        "itself undumpable (PR_SET_DUMPABLE); run gprof-lsp as root");
  CHECK(refusal(ENOSYS, std::nullopt) ==
        "process 4242 (lua) cannot be sampled: this kernel has no perf_event_open, or hides it; "
        "start the program with gprof-lsp record -- lua instead");
  CHECK(refusal(EPERM, std::nullopt, "", true) == refusal(ENOSYS, std::nullopt));
  CHECK(refusal(ESRCH, 2) == "process 4242 (lua) has ended");
  CHECK(refusal(EINVAL, 2) == "process 4242 (lua) cannot be sampled: Invalid argument");
}

TEST_CASE("attach: what is not a process that runs a program is named") {
  const auto own = find_attach_target(static_cast<std::uint32_t>(getpid()));
  REQUIRE_FALSE(own);
  CHECK(own.error().message.find("is gprof-lsp itself") != std::string::npos);
  // The largest number that the kernel gives is below four million.
  const auto none = find_attach_target(2'000'000'000);
  REQUIRE_FALSE(none);
  CHECK(none.error().code == ErrorCode::not_found);
  CHECK(none.error().message == "there is no process 2000000000; `ps -u $USER` lists yours");
  const auto parent = find_attach_target(static_cast<std::uint32_t>(getppid()));
  REQUIRE(parent);
  CHECK(parent->process == static_cast<std::uint32_t>(getppid()));
  CHECK_FALSE(parent->name.empty());
}
