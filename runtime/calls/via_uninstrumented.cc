#include "runtime/calls/via_uninstrumented.h"

#include "runtime/calls/call_table.h"
#include "runtime/modules/modules.h"
#include "runtime/storage/live_file.h"

namespace gprof_runtime {
namespace {

constexpr unsigned deepest_walk = 256;
constexpr std::uint64_t first_capacity = 32;
static_assert(sizeof(ChunkHeader) + first_capacity * sizeof(ThroughEntry) <=
              live::max_first_table_size);
constexpr std::uint64_t growth = 4;

struct Origin {
  std::uint64_t profiled_caller = 0;
  std::uint64_t via = 0;
  // The last return addresses read, and their slots; 0 if there were fewer.
  std::uint64_t slots[ThroughContext::checked_slots] = {};
  std::uint64_t values[ThroughContext::checked_slots] = {};
};

ThroughContext& context_of(ThreadState* thread, std::uint64_t from, std::uint64_t self,
                           std::uint64_t stack) {
  const std::uint64_t hash = call_hash(from ^ (stack >> 3), self);
  return thread->through_contexts[(hash >> index_shift) % through_cache_size];
}

// Whether a frame in `module` may be recorded as the caller of `callee`.
bool is_caller_for(const ModuleRecord* callee, const ModuleRecord* module) {
  if (module == nullptr) return false;
  const std::uint32_t flags = __atomic_load_n(&module->flags, __ATOMIC_RELAXED);
  // A gmon file names callers within its own executable or library.
  if (callee != nullptr && (callee->flags & module_flags::main) != 0) return module == callee;
  return (flags & (module_flags::profiled | module_flags::main)) != 0;
}

void remember_slot(Origin* origin, std::uint64_t slot, std::uint64_t value, unsigned step) {
  const unsigned place = step % ThroughContext::checked_slots;
  origin->slots[place] = slot;
  origin->values[place] = value;
}

// Walks up to the frame that the call returns to.
bool walk_to_caller(Unwinder& walk, std::uint64_t from) {
  constexpr unsigned own_frames = 16;
  for (unsigned step = 0; walk.pc() != from; ++step) {
    if (step == own_frames || !walk.step()) return false;
  }
  return true;
}

// Walks from the frame that contains `from` to the nearest profiled caller. `at_hand`: uses only
// known rules and modules, and returns false if they do not suffice.
bool find_origin(Unwinder& walk, const Call& call, const ModuleRecord* callee, bool at_hand,
                 Origin* origin) {
  if (at_hand) walk.use_known_rules_only();
  origin->via = call.from;
  if (!walk_to_caller(walk, call.from)) return !walk.lacks_rule();
  for (unsigned step = 0; step < deepest_walk && walk.step(); ++step) {
    if (walk.left_signal_handler()) break;
    if (walk.return_slot() != 0) remember_slot(origin, walk.return_slot(), walk.pc(), step);
    const ModuleRecord* module =
        at_hand ? modules::recorded(walk.pc()) : modules::of_address(walk.pc());
    if (at_hand && module == nullptr) return false;
    if (is_caller_for(callee, module)) {
      origin->profiled_caller = walk.pc();
      break;
    }
    origin->via = walk.pc();
  }
  return !walk.lacks_rule();
}

bool is_entry_of(const ThroughEntry& entry, const Call& call, const Origin& origin) {
  return entry.from == call.from && entry.self == call.self &&
         entry.profiled_caller == origin.profiled_caller && entry.via == origin.via;
}

ThroughEntry* find_or_claim(ThreadState* thread, const Call& call, const Origin& origin) {
  const std::uint64_t mask = thread->through_capacity - 1;
  std::uint64_t place =
      (call_hash(call.from + origin.profiled_caller, call.self) >> index_shift) & mask;
  for (std::uint64_t tried = 0; tried <= mask; ++tried, place = (place + 1) & mask) {
    ThroughEntry& entry = thread->through_entries[place];
    if (is_entry_of(entry, call, origin)) return &entry;
    std::uint64_t free_place = 0;
    if (!__atomic_compare_exchange_n(&entry.from, &free_place, call.from, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED)) {
      continue;
    }
    entry.profiled_caller = origin.profiled_caller;
    entry.via = origin.via;
    __atomic_store_n(&entry.self, call.self, __ATOMIC_RELEASE);
    count_one(&thread->through_used);
    return &entry;
  }
  return nullptr;
}

bool add_table(ThreadState* thread) {
  const std::uint64_t capacity =
      thread->through_capacity == 0 ? first_capacity : thread->through_capacity * growth;
  ChunkHeader* chunk = live::allocate(ChunkKind::through_arcs, thread->slot,
                                      capacity * sizeof(ThroughEntry), capacity);
  if (chunk == nullptr) return false;
  thread->through_tables.add(chunk);
  // A handler in between finds an old table with an old, smaller size.
  if (capacity > thread->through_capacity) {
    thread->through_capacity = thread->through_entries == nullptr ? 0 : first_capacity;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->through_entries = live::entries<ThroughEntry>(chunk);
    thread->through_used = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->through_capacity = capacity;
  }
  return true;
}

// In the tables before the current one: where there is no memory for another table, what was
// counted in one goes on being counted.
ThroughEntry* find_in_older_tables(const ThreadState* thread, const Call& call,
                                   const Origin& origin) {
  for (std::uint32_t i = thread->through_tables.count; i-- > 0;) {
    ChunkHeader* table = thread->through_tables.tables[i];
    auto* entries = live::entries<ThroughEntry>(table);
    for (std::uint64_t place = 0; place < table->capacity; ++place) {
      if (is_entry_of(entries[place], call, origin)) return &entries[place];
    }
  }
  return nullptr;
}

bool has_room(const ThreadState* thread) {
  return thread->through_capacity != 0 && thread->through_used < thread->through_capacity / 2;
}

Unwinder walk_from(const Call& call) {
  return Unwinder(*call.registers, call.registers->pc != call.from, &process_rules(),
                  modules::epoch());
}

// Distinguishes contexts of this thread and these modules from those of earlier ones.
std::uint64_t validity_of(const ThreadState* thread) {
  return modules::epoch() << 32 | thread->owner_number;
}

void remember(const ThreadState* thread, ThroughContext& context, const Call& call,
              const Origin& origin, ThroughEntry* entry) {
  context.from = 0;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  context.self = call.self;
  context.stack = call.stack;
  for (std::size_t i = 0; i < ThroughContext::checked_slots; ++i) {
    context.slots[i] = origin.slots[i];
    context.values[i] = origin.values[i];
  }
  context.entry = entry;
  context.validity = validity_of(thread);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  context.from = call.from;
}

bool count_from(ThreadState* thread, const Call& call, const Origin& origin) {
  ThroughEntry* entry = find_or_claim(thread, call, origin);
  if (entry == nullptr) entry = find_in_older_tables(thread, call, origin);
  if (entry == nullptr) return false;
  count_one(&entry->count);
  remember(thread, context_of(thread, call.from, call.self, call.stack), call, origin, entry);
  return true;
}

}  // namespace

bool count_through_known(ThreadState* thread, std::uint64_t from, std::uint64_t self,
                         std::uint64_t stack) {
  const ThroughContext& context = context_of(thread, from, self, stack);
  // Read first: the checks below then prove that it belongs to this call, even if a signal handler
  // replaces the context in between.
  ThroughEntry* entry = context.entry;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (context.from != from || context.self != self || context.stack != stack ||
      context.validity != validity_of(thread)) {
    return false;
  }
  for (std::size_t i = 0; i < ThroughContext::checked_slots; ++i) {
    if (context.slots[i] == 0) continue;
    if (*reinterpret_cast<const volatile std::uint64_t*>(context.slots[i]) != context.values[i]) {
      return false;
    }
  }
  count_one(&entry->count);
  return true;
}

bool count_through_at_hand(ThreadState* thread, const Call& call, const ModuleRecord* callee) {
  if (!has_room(thread)) return false;
  Unwinder walk = walk_from(call);
  Origin origin;
  return find_origin(walk, call, callee, true, &origin) && count_from(thread, call, origin);
}

bool count_through(ThreadState* thread, const Call& call, const ModuleRecord* callee) {
  Unwinder walk = walk_from(call);
  Origin origin;
  find_origin(walk, call, callee, false, &origin);
  if (!has_room(thread) && !add_table(thread) && thread->through_capacity == 0) return false;
  return count_from(thread, call, origin);
}

}  // namespace gprof_runtime
