// Builds the bytes of live counters (gmon.live.PID) and sidecars (NAME.gpx) from descriptions.
// Shares no code with the engine's readers and writers, so that they can be checked against it.
//
// Nothing is checked: contradictory descriptions produce damaged files.
// Thread contract: value types and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gprof::test {

inline constexpr std::uint64_t still_loaded = ~std::uint64_t{0};

// Which of the tables that replace one another; of version 2.
struct LiveEdition {
  std::uint32_t slot = 0;
  std::uint64_t edition = 1;
  std::uint64_t slice_width = 0;
};

struct LiveDescription {
  using Edition = LiveEdition;
  struct Crash {
    std::uint32_t state = 0;  // 2: noted
    std::uint32_t signal = 0;
    std::uint32_t code = 0;
    std::uint32_t thread = 0;
    std::uint32_t slot = 0;
    std::uint32_t stack = 0;
    std::uint64_t address = 0;
  };
  struct Header {
    std::string magic = "gprofliv";
    std::uint32_t version = 1;
    std::uint32_t header_size = 4096;
    std::uint32_t machine = 62;
    std::uint32_t flags = 0;
    std::uint32_t process = 4711;
    std::uint32_t parent_process = 1;
    std::uint64_t process_start = 99;
    std::uint64_t start_time = 1000;
    std::uint64_t end_time = 0;
    std::uint32_t state = 1;
    std::uint32_t ending = 0;
    std::uint32_t exit_status = 0;
    std::uint32_t requested_rate = 250;
    std::uint32_t sample_source = 1;
    std::uint32_t image_number = 0;
    std::uint64_t lost_calls = 0;
    std::uint64_t lost_samples = 0;
    std::uint64_t lost_stacks = 0;
    std::uint64_t price = 0;
    std::uint64_t epoch = 0;
    std::uint64_t slice_width = 0;  // this and the next: since version 2
    std::uint64_t replacements = 0;
    Crash crash = {};
    std::string name = "gmon.out";
  };
  Header header;  // its version decides how chunks are laid out: set it first
  std::vector<std::byte> chunks;

  // Each appends one chunk, whose size is rounded up to 4096, and to 1024 since version 3.
  struct Thread {
    std::uint32_t thread = 0;
    std::uint32_t slot = 0;
    bool ended = false;
    std::uint64_t calls_before = 0;
    std::uint64_t calls = 0;
    std::uint64_t samples = 0;
    std::uint64_t signals = 0;
    std::uint64_t cpu_time = 0;
    std::uint32_t number = 0;  // this and the following: since version 2
    std::uint64_t start_time = 0;
    std::string name = {};
  };
  LiveDescription& threads(const std::vector<Thread>& threads);

  struct Call {
    std::uint64_t from = 0;
    std::uint64_t self = 0;
    std::uint64_t count = 0;
    std::uint64_t profiled_caller = 0;  // this and the next: only through arcs
    std::uint64_t via = 0;
  };
  LiveDescription& arcs(std::uint32_t slot, const std::vector<Call>& calls);
  LiveDescription& through_arcs(std::uint32_t slot, const std::vector<Call>& calls);
  LiveDescription& retired_arcs(std::uint32_t slot, std::uint64_t epoch,
                                const std::vector<Call>& calls);
  LiveDescription& retired_through_arcs(std::uint32_t slot, std::uint64_t epoch,
                                        const std::vector<Call>& calls);

  struct Sample {
    std::uint64_t address = 0;
    std::uint64_t epoch = 0;
    std::uint64_t count = 0;
    std::uint64_t excess_variance = 0;
    std::uint32_t thread = 0;  // this and the next: since version 2
    std::uint32_t slice = 0xffffffff;
    std::uint64_t kernel_count = 0;  // since version 3
  };
  LiveDescription& samples(const std::vector<Sample>& samples, const Edition& edition = {});

  struct Stack {
    std::uint64_t count = 0;
    std::uint64_t epoch = 0;
    bool truncated = false;
    std::vector<std::uint64_t> frames;
    std::uint32_t number = 0;  // since version 2
    std::uint32_t inferred_from = 0;
  };
  LiveDescription& stacks(const std::vector<Stack>& stacks, std::uint32_t slot = 0);
  // Version 2.
  struct StackCount {
    std::uint32_t stack = 0;
    std::uint32_t thread = 0;
    std::uint32_t slice = 0xffffffff;
    std::uint64_t count = 0;
  };
  LiveDescription& stack_counts(const std::vector<StackCount>& counts, const Edition& edition);

  struct Wait {
    std::uint32_t stack = 0;
    std::uint32_t thread = 0;
    std::uint32_t slice = 0xffffffff;
    std::uint32_t function = 0;
    std::uint32_t kind = 1;
    std::uint64_t count = 0;
    std::uint64_t times = 0;
    std::uint64_t longest = 0;
  };
  LiveDescription& waits(const std::vector<Wait>& waits, const Edition& edition);
  struct Holder {
    std::uint32_t stack = 0;
    std::uint32_t kind = 1;
    std::uint32_t holder_slot = 0;
    std::uint32_t holder_stack = 0;
    std::uint64_t count = 0;
    std::uint64_t times = 0;
  };
  LiveDescription& wait_holders(const std::vector<Holder>& holders, const Edition& edition);
  LiveDescription& wait_functions(const std::vector<std::string>& names);

  struct Module {
    std::uint64_t bias = 0;
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::uint64_t text_low = 0;
    std::uint64_t text_high = 0;
    std::uint64_t init_address = 0;
    std::uint64_t load_epoch = 0;
    std::uint64_t unload_epoch = still_loaded;
    std::uint32_t flags = 0;
    std::string build_id;  // its bytes
    std::string soname;
    std::string path;
  };
  // `used` is 0 while the process fills the record.
  LiveDescription& module(const Module& module, std::uint64_t used = 1);

  struct BlockCount {
    std::uint64_t index = 0;
    std::uint64_t count = 0;
  };
  LiveDescription& block_counts(std::uint64_t epoch, std::uint64_t low,
                                const std::vector<BlockCount>& counts);
  struct BlockAddress {
    std::uint64_t call = 0;
    std::uint64_t returns_to = 0;
  };
  LiveDescription& block_places(std::uint64_t epoch, const std::vector<BlockAddress>& places);

  struct ChunkHeader {
    std::uint32_t kind = 0;
    std::uint32_t slot = 0;
    std::uint64_t capacity = 0;
    std::uint64_t used = 0;
    std::uint64_t epoch = 0;
    std::optional<std::uint64_t> announced_size;
    std::string magic = "gprofchk";
  };
  LiveDescription& chunk(const ChunkHeader& described, const std::vector<std::byte>& payload);
};

[[nodiscard]] std::vector<std::byte> build_live(const LiveDescription& description);

// A sidecar of the given sections, with a correct checksum.
struct SidecarSection {
  std::uint32_t kind = 0;
  std::uint32_t entry_size = 0;
  std::uint64_t count = 0;
  std::vector<std::byte> payload;
};
[[nodiscard]] std::vector<std::byte> build_sidecar(const std::vector<SidecarSection>& sections,
                                                   std::uint32_t header_size = 64,
                                                   std::uint32_t version = 2);
// The sections of a well-formed sidecar.
[[nodiscard]] std::vector<SidecarSection> sidecar_sections(const std::vector<std::byte>& file);
// Corrects the size and checksum in the header.
void repair_sidecar(std::vector<std::byte>& file);

}  // namespace gprof::test
