#include "runtime/system/seccomp_filter.h"

#include <cstddef>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>

#include "runtime/system/readable.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime {

std::uint32_t sys::filters_in_force = 0;

namespace seccomp {

struct Filter {
  const Filter* older_of_thread;
  Filter* older_of_all;
  std::uint32_t whole_process;
  std::uint32_t length;
  struct sock_filter* instructions;
};

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t architecture = AUDIT_ARCH_AARCH64;
#endif

// One per process.
struct State {
  Filter* newest;
};
State state;

__thread const Filter* thread_filters __attribute__((tls_model("initial-exec"))) = nullptr;
__thread bool thread_is_known __attribute__((tls_model("initial-exec"))) = false;

// The classic BPF machine, as far as the kernel lets seccomp programs use it.
class Machine {
 public:
  explicit Machine(const struct seccomp_data& data) : data_(data) {}

  // The program's return value; an invalid program kills the process.
  std::uint32_t run(const struct sock_filter* program, std::uint32_t length) {
    for (place_ = 0; place_ < length; ++place_) {
      const struct sock_filter& instruction = program[place_];
      if (BPF_CLASS(instruction.code) == BPF_RET) {
        return BPF_RVAL(instruction.code) == BPF_A ? accumulator_ : instruction.k;
      }
      if (!step(instruction)) break;
    }
    return SECCOMP_RET_KILL_PROCESS;
  }

 private:
  bool step(const struct sock_filter& instruction) {
    switch (BPF_CLASS(instruction.code)) {
      case BPF_LD:
        return load(instruction, &accumulator_);
      case BPF_LDX:
        return load(instruction, &index_);
      case BPF_ST:
        return store(instruction.k, accumulator_);
      case BPF_STX:
        return store(instruction.k, index_);
      case BPF_ALU:
        return calculate(instruction);
      case BPF_JMP:
        return jump(instruction);
      default:  // BPF_MISC
        if (BPF_MISCOP(instruction.code) == BPF_TAX) {
          index_ = accumulator_;
        } else {
          accumulator_ = index_;
        }
        return true;
    }
  }

  bool load(const struct sock_filter& instruction, std::uint32_t* to) {
    switch (BPF_MODE(instruction.code)) {
      case BPF_IMM:
        *to = instruction.k;
        return true;
      case BPF_LEN:
        *to = sizeof data_;
        return true;
      case BPF_MEM:
        if (instruction.k >= BPF_MEMWORDS) return false;
        *to = memory_[instruction.k];
        return true;
      case BPF_ABS:
        if (instruction.k > sizeof data_ - sizeof *to || instruction.k % sizeof *to != 0)
          return false;
        *to = reinterpret_cast<const std::uint32_t*>(&data_)[instruction.k / sizeof *to];
        return true;
      default:
        return false;
    }
  }

  bool store(std::uint32_t place, std::uint32_t value) {
    if (place >= BPF_MEMWORDS) return false;
    memory_[place] = value;
    return true;
  }

  [[nodiscard]] std::uint32_t operand(const struct sock_filter& instruction) const {
    return BPF_SRC(instruction.code) == BPF_X ? index_ : instruction.k;
  }

  bool calculate(const struct sock_filter& instruction) {
    const std::uint32_t value = operand(instruction);
    switch (BPF_OP(instruction.code)) {
      case BPF_ADD:
        accumulator_ += value;
        return true;
      case BPF_SUB:
        accumulator_ -= value;
        return true;
      case BPF_MUL:
        accumulator_ *= value;
        return true;
      case BPF_DIV:
        if (value == 0) return false;
        accumulator_ /= value;
        return true;
      case BPF_AND:
        accumulator_ &= value;
        return true;
      case BPF_OR:
        accumulator_ |= value;
        return true;
      case BPF_XOR:
        accumulator_ ^= value;
        return true;
      case BPF_LSH:
        accumulator_ = value < 32 ? accumulator_ << value : 0;
        return true;
      case BPF_RSH:
        accumulator_ = value < 32 ? accumulator_ >> value : 0;
        return true;
      case BPF_NEG:
        accumulator_ = 0 - accumulator_;
        return true;
      default:
        return false;
    }
  }

  // Only forwards; a place beyond the end ends run().
  bool jump(const struct sock_filter& instruction) {
    const std::uint32_t value = operand(instruction);
    bool holds = false;
    switch (BPF_OP(instruction.code)) {
      case BPF_JA:
        if (instruction.k > BPF_MAXINSNS) return false;
        place_ += instruction.k;
        return true;
      case BPF_JEQ:
        holds = accumulator_ == value;
        break;
      case BPF_JGT:
        holds = accumulator_ > value;
        break;
      case BPF_JGE:
        holds = accumulator_ >= value;
        break;
      case BPF_JSET:
        holds = (accumulator_ & value) != 0;
        break;
      default:
        return false;
    }
    place_ += holds ? instruction.jt : instruction.jf;
    return true;
  }

  const struct seccomp_data& data_;
  std::uint32_t place_ = 0;
  std::uint32_t accumulator_ = 0;
  std::uint32_t index_ = 0;
  std::uint32_t memory_[BPF_MEMWORDS] = {};
};

Filter* allocate(std::uint32_t length) {
  const std::size_t size = sizeof(Filter) + length * sizeof(struct sock_filter);
  const sys::Result memory = sys::call(__NR_mmap, 0, static_cast<long>(size),
                                       PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (sys::failed(memory)) return nullptr;
  auto* filter = reinterpret_cast<Filter*>(memory);
  filter->length = length;
  filter->instructions = reinterpret_cast<struct sock_filter*>(filter + 1);
  return filter;
}

}  // namespace

namespace {

// True, too, where an earlier filter does not let the kernel be asked.
bool is_readable(const void* address, std::uint64_t size) {
  constexpr long none[6] = {};
  if (address == nullptr) return false;
  if (__atomic_load_n(&sys::filters_in_force, __ATOMIC_RELAXED) != 0 &&
      sys::is_forbidden(__NR_rt_sigprocmask, none)) {
    return true;
  }
  ReadableMemory memory;
  return memory.covers(reinterpret_cast<std::uint64_t>(address), size);
}

}  // namespace

Filter* prepare(const struct sock_fprog* program) {
  // The kernel refuses a filter that it cannot read.
  if (!is_readable(program, sizeof *program) || program->len == 0 || program->len > BPF_MAXINSNS ||
      !is_readable(program->filter, program->len * sizeof(struct sock_filter))) {
    return nullptr;
  }
  Filter* filter = allocate(program->len);
  if (filter == nullptr) return nullptr;
  for (std::uint32_t i = 0; i < filter->length; ++i) filter->instructions[i] = program->filter[i];
  return filter;
}

Filter* prepare_strict() {
  constexpr std::uint32_t allowed[] = {__NR_read, __NR_write, __NR_exit, __NR_rt_sigreturn};
  constexpr std::uint32_t count = sizeof allowed / sizeof *allowed;
  Filter* filter = allocate(count + 3);
  if (filter == nullptr) return nullptr;
  struct sock_filter* next = filter->instructions;
  *next++ = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto to_allow = static_cast<std::uint8_t>(count - i);
    *next++ = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i], to_allow, 0);
  }
  *next++ = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  *next++ = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  return filter;
}

bool forbids(const Filter& filter, long number, const long (&arguments)[6]) {
  struct seccomp_data data = {};
  data.nr = static_cast<int>(number);
  data.arch = architecture;
  data.instruction_pointer = reinterpret_cast<std::uint64_t>(&forbids);
  for (int i = 0; i < 6; ++i) data.args[i] = static_cast<std::uint64_t>(arguments[i]);
  switch (Machine(data).run(filter.instructions, filter.length) & SECCOMP_RET_ACTION_FULL) {
    case SECCOMP_RET_ALLOW:
    case SECCOMP_RET_LOG:
    case SECCOMP_RET_ERRNO:
      return false;
    default:
      return true;
  }
}

void install(Filter* filter, bool whole_process) {
  filter->older_of_thread = thread_filters;
  filter->whole_process = whole_process ? 1 : 0;
  thread_filters = filter;
  thread_is_known = true;
  Filter* newest = __atomic_load_n(&state.newest, __ATOMIC_RELAXED);
  do {
    filter->older_of_all = newest;
  } while (!__atomic_compare_exchange_n(&state.newest, &newest, filter, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
  __atomic_store_n(&sys::filters_in_force, 1, __ATOMIC_RELEASE);
}

void uninstall(Filter* filter) {
  thread_filters = filter->older_of_thread;
  // Others may be reading it, so it stays in the list but forbids nothing.
  filter->instructions[0] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
}

const Filter* of_this_thread() { return thread_filters; }

void inherit(const Filter* filter) {
  thread_filters = filter;
  thread_is_known = true;
}

}  // namespace seccomp

bool sys::is_forbidden(long number, const long (&arguments)[6]) {
  using seccomp::Filter;
  for (const Filter* filter = seccomp::thread_filters; filter != nullptr;
       filter = filter->older_of_thread) {
    if (seccomp::forbids(*filter, number, arguments)) return true;
  }
  for (const Filter* filter = __atomic_load_n(&seccomp::state.newest, __ATOMIC_ACQUIRE);
       filter != nullptr; filter = filter->older_of_all) {
    const bool obeyed = filter->whole_process != 0 || !seccomp::thread_is_known;
    if (obeyed && seccomp::forbids(*filter, number, arguments)) return true;
  }
  return false;
}

}  // namespace gprof_runtime
