#include "runtime/blocks/block_places.h"

#include <initializer_list>

#include <elf.h>

#include "runtime/modules/elf_in_memory.h"
#include "runtime/modules/modules.h"
#include "runtime/storage/live_file.h"

namespace gprof_runtime::blocks {
namespace {

// How an instruction calls the collector.
struct CallForm {
  std::uint64_t target = 0;  // of a direct call; for an indirect one, the word that holds it
  std::uint8_t size = 0;     // of the instruction; 0: not understood
  bool indirect = false;
};

#if defined(__x86_64__)

std::uint64_t relative_target(std::uint64_t after) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(after - 4);
  std::uint32_t offset = 0;
  for (unsigned i = 0; i < 4; ++i) offset |= std::uint32_t{bytes[i]} << (8 * i);
  return after +
         static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(offset)));
}

// e8 rel32: call; ff 15 rel32: call through a word (-fno-plt).
CallForm form_of_call(std::uint64_t returns_to) {
  const auto* after = reinterpret_cast<const std::uint8_t*>(returns_to);
  if (after[-5] == 0xe8) return {relative_target(returns_to), 5, false};
  if (after[-6] == 0xff && after[-5] == 0x15) return {relative_target(returns_to), 6, true};
  return {};
}

bool has_bytes(std::uint64_t at, std::initializer_list<std::uint8_t> bytes) {
  const auto* place = reinterpret_cast<const std::uint8_t*>(at);
  for (const std::uint8_t byte : bytes) {
    if (*place++ != byte) return false;
  }
  return true;
}

// Where the code of the block's call begins: clang computes the guard's address first. GNU gprof
// assigns a count to a line only if it is at the exact address where the line begins.
std::uint64_t begin_of_call(std::uint64_t call) {
  std::uint64_t begin = call;
  if (has_bytes(begin - 4, {0x48, 0x83, 0xc7})) {  // add $imm8, %rdi
    begin -= 4;
  } else if (has_bytes(begin - 7, {0x48, 0x81, 0xc7})) {  // add $imm32, %rdi
    begin -= 7;
  }
  if (has_bytes(begin - 7, {0x48, 0x8d, 0x3d})) return begin - 7;         // lea guard(%rip), %rdi
  if (has_bytes(begin - 10, {0x48, 0xbf})) return begin - 10;             // movabs $guard, %rdi
  return begin == call && has_bytes(call - 5, {0xbf}) ? call - 5 : call;  // mov $guard, %edi
}

// Calls `found` with the return address of each call of that form.
template <typename Found>
void for_each_call(std::uint64_t low, std::uint64_t high, const CallForm& form, Found found) {
  for (std::uint64_t at = low; at + form.size <= high; ++at) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(at);
    const bool is_call = form.indirect ? bytes[0] == 0xff && bytes[1] == 0x15 : bytes[0] == 0xe8;
    if (is_call && relative_target(at + form.size) == form.target) found(at + form.size);
  }
}

#else

constexpr std::uint64_t instruction_size = 4;

bool is_branch_with_link(std::uint32_t instruction) { return instruction >> 26 == 0x25; }

std::uint64_t branch_target(std::uint64_t at) {
  const auto instruction = *reinterpret_cast<const std::uint32_t*>(at);
  const auto words = static_cast<std::int32_t>(instruction << 6) >> 6;
  return at + static_cast<std::uint64_t>(static_cast<std::int64_t>(words) * 4);
}

// bl imm26
CallForm form_of_call(std::uint64_t returns_to) {
  const std::uint64_t at = returns_to - instruction_size;
  if (!is_branch_with_link(*reinterpret_cast<const std::uint32_t*>(at))) return {};
  return {branch_target(at), instruction_size, false};
}

bool is_address_sum(std::uint64_t at) {  // add x0, x0, imm
  return (*reinterpret_cast<const std::uint32_t*>(at) & 0xff8003ff) == 0x91000000;
}

// clang computes the guard's address first: adrp x0; add x0, x0, …, once or twice.
std::uint64_t begin_of_call(std::uint64_t call) {
  std::uint64_t begin = call;
  for (int sums = 0; sums < 2 && is_address_sum(begin - instruction_size); ++sums) {
    begin -= instruction_size;
  }
  const std::uint64_t page = begin - instruction_size;
  const bool loads_page =
      (*reinterpret_cast<const std::uint32_t*>(page) & 0x9f00001f) == 0x90000000;
  return begin != call && loads_page ? page : call;
}

template <typename Found>
void for_each_call(std::uint64_t low, std::uint64_t high, const CallForm& form, Found found) {
  for (std::uint64_t at = low / 4 * 4; at + instruction_size <= high; at += instruction_size) {
    if (is_branch_with_link(*reinterpret_cast<const std::uint32_t*>(at)) &&
        branch_target(at) == form.target) {
      found(at + instruction_size);
    }
  }
}

#endif

bool is_known(const ModuleRecord& module) {
  for (ChunkHeader* chunk = live::newest(); chunk != nullptr; chunk = live::next(chunk)) {
    if (kind_of(*chunk) != ChunkKind::block_places || chunk->epoch != still_loaded) continue;
    const std::uint64_t place = live::entries<BlockAddress>(chunk)->call;
    if (place >= module.low && place < module.high) return true;
  }
  return false;
}

// Searches every executable segment that is readable.
template <typename Found>
void for_each_call_in(const ElfObject& object, const CallForm& form, Found found) {
  for (std::size_t i = 0; i < object.program_header_count; ++i) {
    const Elf64_Phdr& segment = object.program_headers[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & (PF_X | PF_R)) != (PF_X | PF_R)) continue;
    const std::uint64_t low = object.bias + segment.p_vaddr;
    for_each_call(low, low + segment.p_filesz, form, found);
  }
}

bool read_module(const ModuleRecord& module, ElfObject* object) {
  if ((module.flags & module_flags::main) != 0) return read_executable(object);
  return read_object_at(module.low, module.high, object);
}

}  // namespace

void find_places(std::uint64_t returns_to) {
  ModuleRecord* module = modules::of_address(returns_to);
  if (module == nullptr || is_known(*module)) return;
  __atomic_fetch_or(&module->flags, module_flags::blocks, __ATOMIC_RELAXED);
  const CallForm form = form_of_call(returns_to);
  ElfObject object;
  if (form.size == 0 || !read_module(*module, &object)) return;
  std::uint64_t count = 0;
  for_each_call_in(object, form, [&](std::uint64_t) { ++count; });
  ChunkHeader* chunk =
      live::allocate(ChunkKind::block_places, 0, count * sizeof(BlockAddress), count);
  if (chunk == nullptr) return;
  auto* places = live::entries<BlockAddress>(chunk);
  for_each_call_in(object, form, [&](std::uint64_t after) {
    if (chunk->used == count) return;
    places[chunk->used++] = BlockAddress{begin_of_call(after - form.size), after};
  });
  __atomic_store_n(&chunk->epoch, still_loaded, __ATOMIC_RELEASE);
}

}  // namespace gprof_runtime::blocks
