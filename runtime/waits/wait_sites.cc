#include "runtime/waits/wait_sites.h"

#include "runtime/modules/modules.h"
#include "runtime/sampling/stack_table.h"
#include "runtime/system/readable.h"

namespace gprof_runtime::waits {
namespace {

constexpr std::uint64_t page_size = 4096;

std::size_t index_of(const Site& site) {
  const std::uint64_t mixed = (site.place ^ site.frame << 7U) * 0x9e3779b97f4a7c15;
  return static_cast<std::size_t>(mixed >> 40U) % ThreadWaits::site_count;
}

// What is in the page of a frame that is in use can be read; what is further out may be of another
// stack by now.
bool can_be_read(std::uint64_t slot, const Site& site) {
  return slot / page_size == site.frame / page_size && slot % sizeof slot == 0;
}

WaitSite* remember(ThreadState* thread, const Site& site, std::uint32_t stack) {
  WaitSite& known = thread->waits.sites[index_of(site)];
  known = {};
  const WalkedStack& walked = thread->walks.last();
  std::uint64_t slots[WaitSite::checked_slots];
  const std::uint32_t count = walked.inner_places(slots, WaitSite::checked_slots);
  for (std::uint32_t i = 0; i < count && can_be_read(slots[i], site); ++i) {
    known.slots[i] = slots[i];
    known.values[i] = ReadableMemory::read_unchecked(slots[i]);
  }
  known.frame = site.frame;
  known.epoch = modules::epoch();
  known.owner = thread->owner_number;
  known.stack = stack;
  known.place = site.place;
  return &known;
}

}  // namespace

WaitSite* find_site(ThreadState* thread, const Site& site) {
  WaitSite& known = thread->waits.sites[index_of(site)];
  if (known.place != site.place || known.frame != site.frame ||
      known.owner != thread->owner_number || known.epoch != modules::epoch()) {
    return nullptr;
  }
  for (std::size_t i = 0; i < WaitSite::checked_slots && known.slots[i] != 0; ++i) {
    if (ReadableMemory::read_unchecked(known.slots[i]) != known.values[i]) return nullptr;
  }
  return &known;
}

WaitSite* walk_to_site(ThreadState* thread, const Registers& registers, const Site& site) {
  const StackRecord* record = sampler::find_calling_stack(thread, registers, modules::epoch());
  return record != nullptr ? remember(thread, site, record->number) : nullptr;
}

}  // namespace gprof_runtime::waits
