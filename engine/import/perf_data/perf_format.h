// Numbers of the file format perf.data and of the kernel's records in it.
//
// Source: the kernel's include/uapi/linux/perf_event.h and tools/perf/Documentation/
// perf.data-file-format.txt. Thread contract: constants.
#pragma once

#include <cstdint>
#include <string_view>

namespace gprof::perf_data {

inline constexpr std::string_view magic = "PERFILE2";
inline constexpr std::string_view swapped_magic = "2ELIFREP";

// What perf calls the kernel; of its mapping a symbol follows.
inline constexpr std::string_view kernel_path = "[kernel.kallsyms]";

inline constexpr std::uint64_t file_header_size = 104;
inline constexpr std::uint64_t pipe_header_size = 16;
inline constexpr std::uint64_t record_header_size = 8;
inline constexpr std::uint64_t smallest_attr = 64;  // PERF_ATTR_SIZE_VER0
// Those that are read.
inline constexpr std::uint64_t largest_feature = std::uint64_t{64} << 20;

namespace record {
inline constexpr std::uint32_t mmap = 1;
inline constexpr std::uint32_t lost = 2;
inline constexpr std::uint32_t comm = 3;
inline constexpr std::uint32_t exit = 4;
inline constexpr std::uint32_t fork = 7;
inline constexpr std::uint32_t sample = 9;
inline constexpr std::uint32_t mmap2 = 10;
inline constexpr std::uint32_t lost_samples = 13;
inline constexpr std::uint32_t switched = 14;
inline constexpr std::uint32_t switched_on_cpu = 15;  // on a processor, whichever thread it is
inline constexpr std::uint32_t last_of_kernel = 63;
inline constexpr std::uint32_t attr = 64;
inline constexpr std::uint32_t tracing_data = 66;
inline constexpr std::uint32_t build_id = 67;
inline constexpr std::uint32_t auxtrace = 71;
inline constexpr std::uint32_t event_update = 78;
inline constexpr std::uint32_t feature = 80;
inline constexpr std::uint32_t compressed = 81;
inline constexpr std::uint32_t compressed2 = 83;
}  // namespace record

// In the `misc` of a record's header.
namespace misc {
inline constexpr std::uint16_t mode_mask = 7;
inline constexpr std::uint16_t kernel = 1;
inline constexpr std::uint16_t user = 2;
inline constexpr std::uint16_t hypervisor = 3;
inline constexpr std::uint16_t guest_kernel = 4;
inline constexpr std::uint16_t guest_user = 5;
inline constexpr std::uint16_t mmap_data = 1 << 13;
inline constexpr std::uint16_t comm_exec = 1 << 13;
inline constexpr std::uint16_t switch_out = 1 << 13;          // of switched: else in
inline constexpr std::uint16_t switch_out_preempt = 1 << 14;  // it could have gone on
inline constexpr std::uint16_t has_build_id_size = 1 << 15;   // of a build-id record
inline constexpr std::uint16_t mmap_build_id = 1 << 14;
}  // namespace misc

// What a sample holds, in the order in which it is stored, but for `identifier`, which is first.
namespace sample_bit {
inline constexpr std::uint64_t ip = 1 << 0;
inline constexpr std::uint64_t tid = 1 << 1;
inline constexpr std::uint64_t time = 1 << 2;
inline constexpr std::uint64_t addr = 1 << 3;
inline constexpr std::uint64_t read = 1 << 4;
inline constexpr std::uint64_t callchain = 1 << 5;
inline constexpr std::uint64_t id = 1 << 6;
inline constexpr std::uint64_t cpu = 1 << 7;
inline constexpr std::uint64_t period = 1 << 8;
inline constexpr std::uint64_t stream_id = 1 << 9;
inline constexpr std::uint64_t raw = 1 << 10;
inline constexpr std::uint64_t branch_stack = 1 << 11;
inline constexpr std::uint64_t regs_user = 1 << 12;
inline constexpr std::uint64_t stack_user = 1 << 13;
inline constexpr std::uint64_t weight = 1 << 14;
inline constexpr std::uint64_t identifier = 1 << 16;
inline constexpr std::uint64_t weight_struct = 1 << 24;
}  // namespace sample_bit

namespace read_bit {
inline constexpr std::uint64_t total_time_enabled = 1;
inline constexpr std::uint64_t total_time_running = 2;
inline constexpr std::uint64_t id = 4;
inline constexpr std::uint64_t group = 8;
inline constexpr std::uint64_t lost = 16;
}  // namespace read_bit

namespace branch_bit {
inline constexpr std::uint64_t call_stack = 1 << 11;
inline constexpr std::uint64_t hardware_index = 1 << 17;
}  // namespace branch_bit

// Places in the attribute's flags, as of a machine that counts bits from the lowest.
namespace attr_flag {
inline constexpr unsigned inherit = 1;
inline constexpr unsigned frequency = 10;
inline constexpr unsigned sample_id_all = 18;
inline constexpr unsigned context_switch = 26;
}  // namespace attr_flag

// Marks among the addresses of a call chain: what follows is of the kernel, of the program …
namespace chain_mark {
inline constexpr std::uint64_t first = static_cast<std::uint64_t>(-4095);
inline constexpr std::uint64_t hypervisor = static_cast<std::uint64_t>(-32);
inline constexpr std::uint64_t kernel = static_cast<std::uint64_t>(-128);
inline constexpr std::uint64_t user = static_cast<std::uint64_t>(-512);
inline constexpr std::uint64_t guest = static_cast<std::uint64_t>(-2048);
inline constexpr std::uint64_t guest_kernel = static_cast<std::uint64_t>(-2176);
inline constexpr std::uint64_t guest_user = static_cast<std::uint64_t>(-2560);
}  // namespace chain_mark

namespace feature {
inline constexpr unsigned first = 1;
inline constexpr unsigned tracing_data = 1;
inline constexpr unsigned build_id = 2;
inline constexpr unsigned kernel_release = 4;
inline constexpr unsigned arch = 6;
inline constexpr unsigned event_description = 12;
inline constexpr unsigned directory = 24;
inline constexpr unsigned end = 256;
}  // namespace feature

namespace event_type {
inline constexpr std::uint32_t hardware = 0;
inline constexpr std::uint32_t software = 1;
inline constexpr std::uint32_t tracepoint = 2;
inline constexpr std::uint32_t hardware_cache = 3;
inline constexpr std::uint32_t raw = 4;
}  // namespace event_type

// Configurations of software events.
namespace software_event {
inline constexpr std::uint64_t context_switches = 3;
}  // namespace software_event

}  // namespace gprof::perf_data
