#include "tests/support/collector_child.h"

#include <cstdint>
#include <cstring>

#include <sys/wait.h>
#include <unistd.h>

#include "runtime/modules/modules.h"
#include "runtime/output/write_profile.h"
#include "runtime/storage/live_file.h"

namespace gprof_runtime::modules {
namespace {

// Of this process, which ends with the profile.
std::vector<ModuleRecord*> described;

bool holds(const ModuleRecord& record, std::uint64_t address) {
  return record.low <= address && address < record.high;
}

}  // namespace

ModuleRecord* recorded(std::uint64_t address) {
  for (ModuleRecord* record : described) {
    if (holds(*record, address) && record->unload_epoch == still_loaded) return record;
  }
  return nullptr;
}

ModuleRecord* of_address(std::uint64_t address) { return recorded(address); }

ModuleRecord* main_module() {
  for (ModuleRecord* record : described) {
    if ((record->flags & module_flags::main) != 0) return record;
  }
  return nullptr;
}

const ModuleRecord* in_epoch(std::uint64_t address, std::uint64_t when, const ModuleRecord* hint) {
  const auto held = [&](const ModuleRecord& record) {
    return holds(record, address) && record.load_epoch <= when && when <= record.unload_epoch;
  };
  if (hint != nullptr && held(*hint)) return hint;
  for (const ModuleRecord* record : described) {
    if (held(*record)) return record;
  }
  return nullptr;
}

}  // namespace gprof_runtime::modules

namespace gprof::test {
namespace {

using namespace gprof_runtime;

// What the process itself does not say.
void take_header(const LiveHeader& described) {
  LiveHeader& header = *live::header();
  header.flags |= described.flags;
  header.requested_rate = described.requested_rate;
  header.sample_source = described.sample_source;
  header.lost_calls = described.lost_calls;
  header.lost_samples = described.lost_samples;
  header.lost_stacks = described.lost_stacks;
  header.price_picoseconds = described.price_picoseconds;
  header.epoch = described.epoch;
  header.slice_width = described.slice_width;
}

bool take_chunk(const std::byte* bytes, const ChunkHeader& described) {
  const std::size_t payload = described.size - sizeof described;
  ChunkHeader* chunk =
      live::allocate(kind_of(described), described.slot, payload, described.capacity);
  if (chunk == nullptr) return false;
  std::memcpy(chunk + 1, bytes + sizeof described, payload);
  chunk->epoch = described.epoch;
  chunk->used = described.used;
  if (kind_of(described) == ChunkKind::module) {
    modules::described.push_back(live::entries<ModuleRecord>(chunk));
  }
  return true;
}

bool write_here(const std::vector<std::byte>& bytes) {
  live::abandon();
  if (!live::start()) return false;
  LiveHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  take_header(header);
  for (std::size_t offset = header.header_size; offset < bytes.size();) {
    ChunkHeader chunk;
    std::memcpy(&chunk, bytes.data() + offset, sizeof chunk);
    if (!take_chunk(bytes.data() + offset, chunk)) return false;
    offset += chunk.size;
  }
  return gprof_runtime::write_profile(Ending::returned, 3);
}

}  // namespace

bool write_by_collector(const std::vector<std::byte>& live,
                        const std::filesystem::path& directory) {
  const pid_t child = fork();
  if (child == 0) _exit(chdir(directory.c_str()) == 0 && write_here(live) ? 0 : 1);
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace gprof::test
