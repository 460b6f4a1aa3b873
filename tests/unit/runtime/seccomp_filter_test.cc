// The collector's verdicts on system call filters, for programs with known answers.
#include "runtime/system/seccomp_filter.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "runtime/system/syscalls.h"

using namespace gprof_runtime;

namespace {

constexpr auto number_offset = static_cast<std::uint32_t>(offsetof(seccomp_data, nr));
constexpr auto low_of_argument(std::size_t i) {
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 * i);
}

bool forbidden(std::vector<sock_filter> program, long number, std::vector<long> arguments = {}) {
  const sock_fprog described = {static_cast<unsigned short>(program.size()), program.data()};
  const seccomp::Filter* filter = seccomp::prepare(&described);
  REQUIRE(filter != nullptr);
  long six[6] = {};
  for (std::size_t i = 0; i < arguments.size(); ++i) six[i] = arguments[i];
  return seccomp::forbids(*filter, number, six);
}

std::vector<sock_filter> returning(std::uint32_t action) {
  return {BPF_STMT(BPF_RET | BPF_K, action)};
}

// Lets the call through if the accumulator is `value` after `calculation`, starting from 12 in it
// and 5 in the index.
std::vector<sock_filter> expecting(sock_filter calculation, std::uint32_t value) {
  return {BPF_STMT(BPF_LDX | BPF_IMM, 5),
          BPF_STMT(BPF_LD | BPF_IMM, 12),
          calculation,
          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
}

}  // namespace

TEST_CASE("seccomp filter: what is answered without harm may be asked") {
  CHECK_FALSE(forbidden(returning(SECCOMP_RET_ALLOW), 1));
  CHECK_FALSE(forbidden(returning(SECCOMP_RET_LOG), 1));
  CHECK_FALSE(forbidden(returning(SECCOMP_RET_ERRNO | 38), 1));
  CHECK(forbidden(returning(SECCOMP_RET_KILL_PROCESS), 1));
  CHECK(forbidden(returning(SECCOMP_RET_KILL_THREAD), 1));
  CHECK(forbidden(returning(SECCOMP_RET_TRAP | 3), 1));
  CHECK(forbidden(returning(SECCOMP_RET_TRACE), 1));
  CHECK(forbidden(returning(SECCOMP_RET_USER_NOTIF), 1));
  CHECK(forbidden(returning(0x12340000), 1));
}

TEST_CASE("seccomp filter: number and arguments are what the call has") {
  const std::vector<sock_filter> program = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number_offset),
                                            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 257, 0, 3),
                                            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, low_of_argument(2)),
                                            BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x40, 1, 0),
                                            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
                                            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
  CHECK_FALSE(forbidden(program, 257, {0, 0, 0x3}));
  CHECK(forbidden(program, 257, {0, 0, 0x42}));
  CHECK(forbidden(program, 0, {0, 0, 0}));
  const std::vector<sock_filter> high_half = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, low_of_argument(5) + 4),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 7, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
  CHECK_FALSE(forbidden(high_half, 0, {0, 0, 0, 0, 0, 7L << 32}));
  CHECK(forbidden(high_half, 0, {0, 0, 0, 0, 0, 7}));
}

TEST_CASE("seccomp filter: arithmetic is that of the kernel's machine") {
  const auto holds = [](sock_filter calculation, std::uint32_t value) {
    return !forbidden(expecting(calculation, value), 0);
  };
  CHECK(holds(BPF_STMT(BPF_ALU | BPF_ADD | BPF_X, 0), 17));
  CHECK(holds(BPF_STMT(BPF_ALU | BPF_SUB | BPF_K, 13), 0xffffffff));
  CHECK(holds(BPF_STMT(BPF_ALU | BPF_MUL | BPF_X, 0), 60));
  CHECK(holds(BPF_STMT(BPF_ALU | BPF_DIV | BPF_X, 0), 2));
  CHECK(holds(BPF_STMT(BPF_ALU | BPF_AND | BPF_X, 0), 4));
  CHECK(holds(BPF_STMT(BPF_ALU | BPF_OR | BPF_K, 3), 15));
  CHECK(holds(BPF_STMT(BPF_ALU | BPF_XOR | BPF_X, 0), 9));
  CHECK(holds(BPF_STMT(BPF_ALU | BPF_LSH | BPF_X, 0), 384));
  CHECK(holds(BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 2), 3));
  CHECK(holds(BPF_STMT(BPF_ALU | BPF_NEG, 0), 0xfffffff4));
  CHECK(holds(BPF_STMT(BPF_MISC | BPF_TXA, 0), 5));
  CHECK(holds(BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0), sizeof(seccomp_data)));
}

TEST_CASE("seccomp filter: what means nothing is taken for a kill") {
  const auto with = [](sock_filter instruction) {
    return std::vector<sock_filter>{instruction, BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  };
  CHECK(forbidden(with(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 64)), 0));
  CHECK(forbidden(with(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 2)), 0));
  CHECK(forbidden(with(BPF_STMT(BPF_LD | BPF_MEM, BPF_MEMWORDS)), 0));
  CHECK(forbidden(with(BPF_STMT(BPF_ST, 0xffffffff)), 0));
  CHECK(forbidden(with(BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 0)), 0));
  CHECK(forbidden(with(BPF_STMT(BPF_JMP | BPF_JA, 0xffffffff)), 0));
  CHECK(forbidden(with(BPF_STMT(BPF_JMP | BPF_JA, 5)), 0));
  CHECK(forbidden({BPF_STMT(BPF_LD | BPF_IMM, 1)}, 0));
}

TEST_CASE("seccomp filter: a program that the kernel refuses is not kept") {
  sock_filter instruction = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const sock_fprog empty = {0, &instruction};
  const sock_fprog nowhere = {1, nullptr};
  const sock_fprog too_long = {BPF_MAXINSNS + 1, &instruction};
  CHECK(seccomp::prepare(nullptr) == nullptr);
  CHECK(seccomp::prepare(&empty) == nullptr);
  CHECK(seccomp::prepare(&nowhere) == nullptr);
  CHECK(seccomp::prepare(&too_long) == nullptr);
}

TEST_CASE("seccomp filter: strict mode allows four calls") {
  const seccomp::Filter* strict = seccomp::prepare_strict();
  REQUIRE(strict != nullptr);
  constexpr long none[6] = {};
  for (const long number : {__NR_read, __NR_write, __NR_exit, __NR_rt_sigreturn}) {
    CHECK_FALSE(seccomp::forbids(*strict, number, none));
  }
  for (const long number : {__NR_exit_group, __NR_openat, __NR_clock_gettime, __NR_mmap}) {
    CHECK(seccomp::forbids(*strict, number, none));
  }
}
