#include "runtime/unwind/own_frames.h"

#include <algorithm>

#include <sys/mman.h>

#include "runtime/system/syscalls.h"
#include "runtime/unwind/frame_entries.h"
#include "runtime/unwind/own_image.h"

namespace gprof_runtime::own_frames {
namespace {

struct Function {
  std::uint64_t first_address;
  const std::uint8_t* place;  // of its FDE
};

enum Progress : std::uint32_t { not_made, being_made, made };

// Written by the thread that moves `progress` from not_made to being_made; read once it is `made`.
struct State {
  std::uint32_t progress;
  std::uint32_t count;
  Function* functions;
  Bytes bytes;
};
constinit State state = {};

struct Chain {
  Bytes bytes;
  std::size_t functions = 0;
};

// Calls `visit` for each function of the chain of entries that starts at `begin`, in which each FDE
// refers to a CIE of the chain. Skips FDEs that cannot be parsed. Returns the end of the chain.
template <class Visit>
const std::uint8_t* for_each_function(Bytes bytes, const std::uint8_t* begin, const Visit& visit) {
  const Bytes chain = bytes.subspan(static_cast<std::size_t>(begin - bytes.data()));
  const std::uint8_t* place = begin;
  for (;;) {
    const FrameEntry entry = frame_entry_at(chain, place);
    if (entry.kind == EntryKind::function) {
      if (frame_entry_at(chain, entry.common).kind != EntryKind::common) return place;
      FrameDescription description;
      if (parse_description(chain, place, &description) &&
          own_image::holds_code(description.programs.first_address)) {
        visit(Function{description.programs.first_address, place});
      }
    } else if (entry.kind != EntryKind::common) {
      return place;
    }
    place = entry.next();
  }
}

// Finds the longest chain of entries in a segment. It begins with a CIE at a multiple of four.
void search(Bytes bytes, Chain* best) {
  const std::uint8_t* const end = bytes.data() + bytes.size();
  const std::uint8_t* place = bytes.data() + (-address_of(bytes.data()) & 3U);
  for (; end - place > 16; place += 4) {
    std::uint32_t words[2];
    __builtin_memcpy(words, place, sizeof words);
    if (words[1] != 0 || words[0] < 8 || words[0] > 256) continue;
    if (!is_common_entry(frame_entry_at(bytes, place))) continue;
    std::size_t functions = 0;
    const std::uint8_t* const chain_end =
        for_each_function(bytes, place, [&functions](const Function&) { ++functions; });
    if (functions == 0) continue;
    if (functions > best->functions) *best = {{place, chain_end}, functions};
    place = chain_end + (-address_of(chain_end) & 3U);
  }
}

Function* allocate(std::size_t count) {
  const sys::Result result = sys::call(__NR_mmap, 0, static_cast<long>(count * sizeof(Function)),
                                       PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return sys::failed(result) ? nullptr : reinterpret_cast<Function*>(result);
}

void make() {
  Chain chain;
  for (const Elf64_Phdr& segment : own_image::segments()) {
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) == 0) {
      search(own_image::bytes_of(segment), &chain);
    }
  }
  if (chain.functions == 0 || chain.functions > UINT32_MAX) return;
  Function* const functions = allocate(chain.functions);
  if (functions == nullptr) return;
  std::size_t count = 0;
  for_each_function(chain.bytes, chain.bytes.data(), [&](const Function& function) {
    if (count < chain.functions) functions[count++] = function;
  });
  // Heapsort: bounded stack and time, as this may run in a signal handler; no calls of memmove().
  const auto is_before = [](const Function& left, const Function& right) {
    return left.first_address < right.first_address;
  };
  std::make_heap(functions, functions + count, is_before);
  std::sort_heap(functions, functions + count, is_before);
  state.functions = functions;
  state.count = static_cast<std::uint32_t>(count);
  state.bytes = chain.bytes;
}

bool ready() {
  const std::uint32_t progress = __atomic_load_n(&state.progress, __ATOMIC_ACQUIRE);
  if (progress != not_made) return progress == made;
  std::uint32_t expected = not_made;
  if (!__atomic_compare_exchange_n(&state.progress, &expected, being_made, false, __ATOMIC_ACQUIRE,
                                   __ATOMIC_RELAXED)) {
    return expected == made;
  }
  make();
  __atomic_store_n(&state.progress, made, __ATOMIC_RELEASE);
  return true;
}

}  // namespace

const std::uint8_t* find(std::uint64_t address, Bytes* bytes) {
  if (!ready()) return nullptr;
  const Function* const begin = state.functions;
  const Function* const end = begin + state.count;
  const Function* const next =
      std::upper_bound(begin, end, address, [](std::uint64_t wanted, const Function& function) {
        return wanted < function.first_address;
      });
  if (next == begin) return nullptr;
  *bytes = state.bytes;
  return (next - 1)->place;
}

void prepare() {
  if (own_image::frame_header() == nullptr && !own_image::segments().empty()) ready();
}

}  // namespace gprof_runtime::own_frames
