#include "runtime/storage/live_space.h"

#include <sys/mman.h>

#include "runtime/storage/file_space.h"
#include "runtime/storage/growth_turn.h"
#include "runtime/storage/live_path.h"
#include "runtime/system/environment.h"
#include "runtime/system/populate.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime::live {
namespace {

// Each region adds half to what there is: few are enough for any size, and where thousands of
// threads take pieces at once, there is room for all while the next region is made.
constexpr std::uint64_t growth_share = 2;
constexpr std::uint32_t region_limit = 512;

// A piece of the file, or of anonymous memory, that pieces are cut from.
struct Region {
  std::uint8_t* base;
  std::uint64_t size;
  std::uint64_t used;
  std::uint64_t populated;  // end of what populate_ahead() has handled
};

// One per process. Regions are appended and never moved.
struct State {
  GrowthTurn turn;
  Region regions[region_limit];
  std::uint32_t region_count;
  Region* current;
  Region* next;                 // made ahead, to replace the current one; null: none
  std::uint32_t ahead_failed;   // no region could be made ahead
  std::uint32_t file_lost;      // no further space in the file
  std::uint32_t limit_reached;  // something was refused
  Limits limits;
  std::uint64_t wanted_limit;  // the setting
  std::uint64_t given_out;     // bytes of pieces
  std::uint64_t reserved;      // bytes of regions
  std::uint64_t in_file;       // of these, in the file
  std::uint64_t* file_size;    // in the header of the file
  // The smallest piece that no region could be made for, 0: none; and how many were asked for
  // since.
  std::uint64_t refused;
  std::uint64_t refusals;
};
State state;

template <typename Number>
Number load(const Number& number) {
  return __atomic_load_n(&number, __ATOMIC_RELAXED);
}

std::uint64_t rounded_up(std::uint64_t size) {
  return (size + page_multiple - 1) / page_multiple * page_multiple;
}

std::uint8_t* map(std::uint64_t size, int descriptor, std::uint64_t offset) {
  const int flags = descriptor >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
  const sys::Result result =
      sys::call(__NR_mmap, 0, static_cast<long>(size), PROT_READ | PROT_WRITE, flags, descriptor,
                static_cast<long>(offset));
  return sys::failed(result) ? nullptr : reinterpret_cast<std::uint8_t*>(result);
}

void unmap(std::uint8_t* base, std::uint64_t size) {
  sys::call(__NR_munmap, sys::word(base), static_cast<long>(size));
}

// Mapped first and reserved then: if there is no room to map it, the file has not grown for
// nothing.
std::uint8_t* map_reserved(int descriptor, std::uint64_t offset, std::uint64_t size) {
  std::uint8_t* base = map(size, descriptor, offset);
  if (base == nullptr || reserve_file_space(descriptor, offset, size)) return base;
  unmap(base, size);
  return nullptr;
}

// The next `size` bytes of the file; null if it cannot grow.
std::uint8_t* map_next_part(int descriptor, std::uint64_t size) {
  const std::uint64_t offset = __atomic_fetch_add(state.file_size, size, __ATOMIC_RELAXED);
  std::uint8_t* base = map_reserved(descriptor, offset, size);
  if (base != nullptr) {
    __atomic_fetch_add(&state.in_file, size, __ATOMIC_RELAXED);
    return base;
  }
  // Given back: what the attempt may have reserved of it is where the next one begins.
  std::uint64_t end = offset + size;
  __atomic_compare_exchange_n(state.file_size, &end, offset, false, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
  return nullptr;
}

// Whether a region of the size may still be made in the file. The default limit follows the free
// space, which others may be using up.
bool file_may_hold(int descriptor, std::uint64_t size) {
  const std::uint64_t taken = load(state.in_file);
  const std::uint64_t limit = choose_limits(state.wanted_limit, descriptor, taken).in_file;
  return taken <= limit && size <= limit - taken;
}

// Sets `*size`, which is at least `least`, to what was mapped.
std::uint8_t* map_file_region(std::uint64_t* size, std::uint64_t least) {
  if (load(state.file_lost) != 0) return nullptr;
  const int descriptor = open_own_file();
  if (descriptor < 0) return nullptr;
  std::uint8_t* base = nullptr;
  if (file_may_hold(descriptor, *size)) base = map_next_part(descriptor, *size);
  if (base == nullptr && least < *size && file_may_hold(descriptor, least)) {
    *size = least;
    base = map_next_part(descriptor, least);
  }
  release_own_file(descriptor);
  return base;
}

// The bytes of regions that are in memory alone.
std::uint64_t reserved_in_memory() {
  const std::uint64_t in_file = load(state.in_file);
  const std::uint64_t reserved = load(state.reserved);
  return in_file < reserved ? reserved - in_file : 0;
}

std::uint8_t* map_memory_region(std::uint64_t* size, std::uint64_t least) {
  const std::uint64_t taken = reserved_in_memory();
  const std::uint64_t most = state.limits.in_memory;
  const std::uint64_t left = taken < most ? (most - taken) / page_multiple * page_multiple : 0;
  if (*size > left) *size = left;
  if (least > left || left == 0) return nullptr;
  std::uint8_t* base = map(*size, -1, 0);
  if (base == nullptr && least < *size) {
    *size = least;
    base = map(least, -1, 0);
  }
  return base;
}

std::uint8_t* map_region(std::uint64_t* size, std::uint64_t least) {
  const std::uint64_t usual = *size;
  if (std::uint8_t* base = map_file_region(size, least); base != nullptr) return base;
  *size = usual;
  std::uint8_t* base = map_memory_region(size, least);
  if (base != nullptr) __atomic_store_n(&state.file_lost, 1, __ATOMIC_RELAXED);
  return base;
}

Region* publish(std::uint8_t* base, std::uint64_t size, std::uint64_t used) {
  const std::uint32_t index = __atomic_fetch_add(&state.region_count, 1, __ATOMIC_RELAXED);
  if (index >= region_limit) {
    __atomic_fetch_sub(&state.region_count, 1, __ATOMIC_RELAXED);
    unmap(base, size);
    return nullptr;
  }
  Region* region = &state.regions[index];
  region->base = base;
  region->size = size;
  region->used = used;
  return region;
}

std::uint64_t rest_of(const Region* region) {
  if (region == nullptr) return 0;
  const std::uint64_t used = load(region->used);
  return used < region->size ? region->size - used : 0;
}

// Once the file cannot grow, there is only so much memory in its place.
std::uint64_t total_limit() {
  const Limits& limits = state.limits;
  if (load(state.file_lost) == 0) return limits.total;
  const std::uint64_t rest = load(state.in_file) + limits.in_memory;
  return rest < limits.total ? rest : limits.total;
}

enum class Where : std::uint8_t { file, anywhere };

// The caller has the turn. The first `needed` bytes of the new region are in use. `room`: its
// preferred size.
Region* make_region(std::uint64_t needed, std::uint64_t room, Where where) {
  const std::uint64_t reserved = load(state.reserved);
  const std::uint64_t total = total_limit();
  // Rounded down: a region never exceeds the limit.
  const std::uint64_t left =
      reserved < total ? (total - reserved) / page_multiple * page_multiple : 0;
  const std::uint64_t least = rounded_up(needed != 0 ? needed : 1);
  if (least > left || load(state.region_count) >= region_limit) return nullptr;
  std::uint64_t size = reserved / growth_share;
  if (size < first_region_size) size = first_region_size;
  if (size < room) size = room;
  size = rounded_up(size) < left ? rounded_up(size) : left;
  std::uint8_t* base =
      where == Where::file ? map_file_region(&size, least) : map_region(&size, least);
  if (base == nullptr) return nullptr;
  __atomic_fetch_add(&state.reserved, size, __ATOMIC_RELAXED);
  return publish(base, size, needed);
}

// Returns the first `needed` bytes of a new region.
std::uint8_t* take_from_new_region(std::uint64_t needed, std::uint64_t room) {
  Region* region = make_region(needed, room, Where::anywhere);
  if (region == nullptr) return nullptr;
  // The rest of the smaller region is lost.
  if (rest_of(region) > rest_of(load(state.current))) {
    __atomic_store_n(&state.current, region, __ATOMIC_RELEASE);
  }
  return region->base;
}

// Whether the current region is more than half used, and the next one does not exist yet.
bool is_growth_due() {
  const Region* region = __atomic_load_n(&state.current, __ATOMIC_ACQUIRE);
  return load(state.next) == nullptr && load(state.ahead_failed) == 0 &&
         rest_of(region) < region->size / 2;
}

// Makes the pages of a piece present, and those after it, because small pieces are written right
// after they are cut. Large pieces are tables that may stay mostly empty: their pages are left to
// faults.
void populate_ahead(Region* region, std::uint64_t begin, std::uint64_t end) {
  constexpr std::uint64_t at_once = std::uint64_t{64} << 10U;
  constexpr std::uint64_t largest_piece = at_once / 2;
  std::uint64_t populated = load(region->populated);
  if (end <= populated) return;
  const bool is_large = end - begin > largest_piece;
  std::uint64_t next = is_large ? end : end / at_once * at_once + at_once;
  if (next > region->size) next = region->size;
  // If this fails, another thread populates the same pages.
  if (!__atomic_compare_exchange_n(&region->populated, &populated, next, false, __ATOMIC_RELAXED,
                                   __ATOMIC_RELAXED)) {
    return;
  }
  if (!is_large) populate(region->base + populated, next - populated);
}

// Null if the region has no room.
std::uint8_t* cut_from(Region* region, std::uint64_t size) {
  if (region == nullptr) return nullptr;
  std::uint64_t used = load(region->used);
  do {
    if (used > region->size || size > region->size - used) return nullptr;
  } while (!__atomic_compare_exchange_n(&region->used, &used, used + size, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
  populate_ahead(region, used, used + size);
  return region->base + used;
}

// Null if neither the current region nor the next one has room.
std::uint8_t* cut(std::uint64_t size) {
  Region* region = __atomic_load_n(&state.current, __ATOMIC_ACQUIRE);
  if (std::uint8_t* piece = cut_from(region, size); piece != nullptr) return piece;
  // A next region that is too small for this piece is kept for others.
  if (rest_of(__atomic_load_n(&state.next, __ATOMIC_ACQUIRE)) < size) return nullptr;
  Region* next = __atomic_exchange_n(&state.next, nullptr, __ATOMIC_ACQ_REL);
  if (next != nullptr && !__atomic_compare_exchange_n(&state.current, &region, next, false,
                                                      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    // Another thread has replaced the current region in the meantime.
    __atomic_store_n(&state.next, next, __ATOMIC_RELEASE);
  }
  return cut_from(__atomic_load_n(&state.current, __ATOMIC_ACQUIRE), size);
}

// Whether so large a piece was refused, and it is too early to try again: an attempt takes several
// system calls.
bool is_refused(std::uint64_t size) {
  constexpr std::uint64_t pause = 1024;
  const std::uint64_t refused = load(state.refused);
  return refused != 0 && size >= refused &&
         __atomic_add_fetch(&state.refusals, 1, __ATOMIC_RELAXED) % pause != 0;
}

void note_attempt(std::uint64_t size, bool succeeded) {
  const std::uint64_t refused = load(state.refused);
  if (succeeded && refused != 0 && size >= refused) {
    __atomic_store_n(&state.refused, 0, __ATOMIC_RELAXED);
  } else if (!succeeded && (refused == 0 || size < refused)) {
    __atomic_store_n(&state.refused, size, __ATOMIC_RELAXED);
  }
}

// Room for the waiting threads, with a reserve, because each is about to ask for several pieces. At
// most half of what is reserved so far, unless they need more right now.
std::uint64_t room_for_waiting() {
  constexpr std::uint64_t pieces = 4;
  const std::uint64_t wanted = state.turn.wanted();
  const std::uint64_t half = load(state.reserved) / 2;
  const std::uint64_t soon = wanted * pieces;
  if (soon <= half) return soon;
  return wanted < half ? half : wanted;
}

std::uint8_t* grow(std::uint64_t size) {
  // Each time, another thread has added a region, which others have used up since.
  constexpr int most_attempts = 64;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    if (is_refused(size)) return nullptr;
    const bool own = state.turn.enter(size) == Turn::own;
    std::uint8_t* piece = cut(size);
    if (!own) {
      if (piece != nullptr) return piece;
      continue;
    }
    if (piece == nullptr) {
      piece = take_from_new_region(size, size + room_for_waiting());
      note_attempt(size, piece != nullptr);
    }
    state.turn.leave();
    return piece;
  }
  return nullptr;
}

// Every signal: a handler that interrupted the thread whose turn it is would wait for itself.
class EverySignalBlocked {
 public:
  EverySignalBlocked() { exchange(&every_signal, &before_); }
  ~EverySignalBlocked() {
    if (blocked_) exchange(&before_, nullptr);
  }
  EverySignalBlocked(const EverySignalBlocked&) = delete;
  EverySignalBlocked& operator=(const EverySignalBlocked&) = delete;

 private:
  static constexpr std::uint64_t every_signal = ~std::uint64_t{0};
  void exchange(const std::uint64_t* mask, std::uint64_t* before) {
    constexpr long set_mask = 2;
    blocked_ = !sys::failed(sys::call_insisting(__NR_rt_sigprocmask, set_mask, sys::word(mask),
                                                sys::word(before), sizeof *mask));
  }
  std::uint64_t before_ = 0;
  bool blocked_ = false;
};

// Making a region takes as long as cutting thousands of pieces, so it is made before the current
// one is used up. Memory instead of the file is never used ahead: the file may be able to grow when
// it has to.
void grow_ahead() {
  const EverySignalBlocked blocked;
  if (!state.turn.try_enter()) return;
  if (is_growth_due()) {
    Region* region = make_region(0, 0, Where::file);
    __atomic_store_n(&state.next, region, __ATOMIC_RELEASE);
    if (region == nullptr) __atomic_store_n(&state.ahead_failed, 1, __ATOMIC_RELAXED);
  }
  state.turn.leave();
}

// False if it would be more than may be given out for this need.
bool account(std::uint64_t size, Need need) {
  const std::uint64_t given = __atomic_add_fetch(&state.given_out, size, __ATOMIC_RELAXED);
  if (given <= ceiling_of(need, total_limit())) return true;
  __atomic_fetch_sub(&state.given_out, size, __ATOMIC_RELAXED);
  return false;
}

}  // namespace

FirstRegion begin_space(int descriptor, std::size_t used) {
  std::uint8_t* base = nullptr;
  if (descriptor >= 0) base = map_reserved(descriptor, 0, first_region_size);
  const bool in_file = base != nullptr;
  if (!in_file) base = map(first_region_size, -1, 0);
  if (base == nullptr) return {nullptr, false};
  state.current = publish(base, first_region_size, used);
  state.given_out = used;
  state.reserved = first_region_size;
  state.in_file = in_file ? first_region_size : 0;
  state.file_lost = in_file ? 0 : 1;
  return {base, in_file};
}

void set_limit(std::uint64_t wanted, int descriptor, std::uint64_t* file_size) {
  state.wanted_limit = wanted;
  state.limits = choose_limits(wanted, descriptor, state.in_file);
  state.file_size = file_size;
}

std::uint8_t* take_space(std::size_t size, Need need) {
  std::uint8_t* piece = nullptr;
  if (account(size, need)) {
    piece = cut(size);
    if (piece == nullptr) {
      const EverySignalBlocked blocked;
      piece = grow(size);
    } else if (is_growth_due() && state.turn.is_free()) {
      grow_ahead();
    }
    if (piece == nullptr) __atomic_fetch_sub(&state.given_out, size, __ATOMIC_RELAXED);
  }
  if (piece == nullptr) __atomic_store_n(&state.limit_reached, 1, __ATOMIC_RELAXED);
  return piece;
}

void reserve_space(std::size_t size) {
  const EverySignalBlocked blocked;
  if (state.turn.enter(size) != Turn::own) return;
  // A region of which nothing is used yet, in the place of the current one.
  if (rest_of(load(state.current)) < size) take_from_new_region(0, size);
  state.turn.leave();
}

std::uint64_t current_limit() { return total_limit(); }
bool is_partly_in_memory() { return load(state.file_lost) != 0; }
bool has_reached_limit() { return load(state.limit_reached) != 0; }
std::uint64_t reserved_in_file() { return load(state.in_file); }
std::uint64_t reserved_space() { return load(state.reserved); }
std::uint32_t region_count() { return load(state.region_count); }

void abandon_space() {
  const std::uint32_t count = state.region_count < region_limit ? state.region_count : region_limit;
  for (std::uint32_t i = 0; i < count; ++i) {
    // A region of which another thread was writing the place has none yet.
    if (state.regions[i].size != 0) unmap(state.regions[i].base, state.regions[i].size);
  }
  __builtin_memset(&state, 0, sizeof state);
}

}  // namespace gprof_runtime::live
