// Whether the program runs under valgrind. Nothing is collected there: times mean nothing, and its
// tools take the collector's stacks, locks and signals for errors of the program (memcheck,
// helgrind) or fail (callgrind).
//
// Asked by a client request of valgrind: instructions that have no effect on a processor, and that
// valgrind recognises. Thread contract: any thread, any signal handler.
#pragma once

#include <cstdint>

namespace gprof_runtime::valgrind {

// The answer to the request; 0 if the program does not run under valgrind.
inline std::uint64_t request(std::uint64_t code, std::uint64_t first = 0,
                             std::uint64_t second = 0) {
  const volatile std::uint64_t words[6] = {code, first, second, 0, 0, 0};
  std::uint64_t answer = 0;
#if defined(__x86_64__)
  asm volatile(
      "rolq $3, %%rdi\n"
      "rolq $13, %%rdi\n"
      "rolq $61, %%rdi\n"
      "rolq $51, %%rdi\n"
      "xchgq %%rbx, %%rbx\n"
      : "+d"(answer)
      : "a"(words)
      : "cc", "memory");
#elif defined(__aarch64__)
  register std::uint64_t result asm("x3") = 0;
  register const volatile std::uint64_t* asked asm("x4") = words;
  asm volatile(
      "ror x12, x12, #3\n"
      "ror x12, x12, #13\n"
      "ror x12, x12, #51\n"
      "ror x12, x12, #61\n"
      "orr x10, x10, x10\n"
      : "+r"(result)
      : "r"(asked)
      : "cc", "memory");
  answer = result;
#endif
  return answer;
}

inline bool is_running() {
  constexpr std::uint64_t running_on_valgrind = 0x1001;
  return request(running_on_valgrind) != 0;
}

}  // namespace gprof_runtime::valgrind
