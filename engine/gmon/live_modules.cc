#include "engine/gmon/live_modules.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace gprof {
namespace {

constexpr std::size_t most_overlapping = 1024;

Address link_time(const LiveModule& record, std::uint64_t address) {
  return Address{address == 0 ? 0 : address - record.bias};
}

AddressRange text_of(const LiveModule& record) {
  return {link_time(record, record.text_low), link_time(record, record.text_high)};
}

bool holds(const LiveModule& record, std::uint64_t address, std::uint64_t epoch) {
  return record.low <= address && address < record.high && record.load_epoch <= epoch &&
         epoch <= record.unload_epoch;
}

bool is_executable(const LiveModule& record) { return (record.flags & module_flags::main) != 0; }

}  // namespace

LiveModules::LiveModules(const LiveCounters& live) {
  for (const LiveModule& record : live.modules) records_.push_back({&record, 0, 0});
  std::stable_partition(records_.begin(), records_.end(),
                        [](const Record& record) { return is_executable(*record.record); });
  const auto build = [](const LiveModule& record) {
    const AddressRange text = text_of(record);
    return std::tuple(record.build_id, text.low.value, text.high.value, record.path, record.soname);
  };
  std::map<decltype(build(live.modules.front())), std::uint32_t> known;
  for (Record& record : records_) {
    const auto number = static_cast<std::uint32_t>(modules_.size());
    const auto [place, is_new] = known.try_emplace(build(*record.record), number);
    record.module = place->second;
    if (is_new) modules_.emplace_back();
    Module& module = modules_[record.module];
    module.flags |= record.record->flags;
    if (!is_new && record.record->load_epoch < module.last->load_epoch) continue;
    module.last = record.record;
    module.text = text_of(*record.record);
    module.init_address = link_time(*record.record, record.record->init_address);
  }
  for (Module& module : modules_) {
    module.flags &= ~module_flags::unloaded;
    if (module.last->unload_epoch != gprof_formats::still_loaded) {
      module.flags |= module_flags::unloaded;
    }
  }
  std::stable_sort(records_.begin(), records_.end(), [](const Record& a, const Record& b) {
    return std::tie(a.record->low, a.record->load_epoch) <
           std::tie(b.record->low, b.record->load_epoch);
  });
  std::uint64_t highest = 0;
  for (Record& record : records_) {
    highest = std::max(highest, record.record->high);
    record.highest = highest;
  }
}

const LiveModules::Record* LiveModules::find(std::uint64_t address, std::uint64_t epoch) const {
  // From the last record that starts at or before the address in or before the epoch, backwards.
  auto at =
      std::upper_bound(records_.begin(), records_.end(), std::tuple(address, epoch),
                       [](const auto& wanted, const Record& record) {
                         return wanted < std::tuple(record.record->low, record.record->load_epoch);
                       });
  // Libraries do not overlap, but for those that were loaded one after the other: a file in which
  // many do is looked through no further.
  for (std::size_t steps = 0; at != records_.begin() && steps < most_overlapping; ++steps) {
    --at;
    if (holds(*at->record, address, epoch)) return &*at;
    if (at->highest <= address) return nullptr;
    // Of the records that start here, those loaded after the epoch are skipped at once.
    if (at->record->load_epoch > epoch) {
      at = std::upper_bound(records_.begin(), at, std::tuple(at->record->low, epoch),
                            [](const auto& wanted, const Record& record) {
                              return wanted <
                                     std::tuple(record.record->low, record.record->load_epoch);
                            });
    }
  }
  return nullptr;
}

ModuleAddress LiveModules::resolve(std::uint64_t address, std::uint64_t epoch) {
  const Record* found = nullptr;
  if (last_found_ < records_.size() && holds(*records_[last_found_].record, address, epoch)) {
    found = &records_[last_found_];
  } else {
    found = find(address, epoch);
  }
  if (found == nullptr) return {no_module, Address{address}};
  last_found_ = static_cast<std::size_t>(found - records_.data());
  return {found->module, Address{address - found->record->bias}};
}

}  // namespace gprof
