// Writes the seeds of the collected fuzz target into a directory: a sidecar, and live counters with
// a chunk of every kind, in the short form that the target expands. `live` and `live_header` are of
// version 1, `live_parts` of 2; what earlier versions wrote as `sidecar`, `sidecar_parts` and
// `sidecar_waits` is kept.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

#include "engine/gmon/collected_profile.h"
#include "tests/support/live_builder.h"

using namespace gprof;
using namespace gprof::test;

namespace {

LiveDescription seed(std::uint32_t version) {
  LiveDescription live;
  live.header.version = version;
  live.header.slice_width = 2'000'000;
  live.header.epoch = 2;
  live.module({0x50000, 0x50000, 0x60000, 0x51000, 0x58000, 0x51000, 0, still_loaded, 7, "\x01\x02",
               "program", "/opt/program"});
  live.module({0x70000, 0x70000, 0x78000, 0x70400, 0x70800, 0x70400, 1, 1, 2, "", "libone.so",
               "/opt/libone.so"});
  live.module({0x90000, 0x90000, 0xa0000, 0x90000, 0xa0000, 0, 0, still_loaded, 0, "\x03",
               "libc.so.6", "/lib/libc.so.6"});
  live.threads({{4711, 0, false, 1, 0, 5, 4, 1000, 0, 1100, "program"},
                {4712, 1, true, 0, 9, 6, 6, 2000, 1, 1200, "parser"}});
  live.arcs(0, {{0x51010, 0x51100, 7}, {0x51010, 0x51200, 0x1'0000'0001}});
  live.through_arcs(0, {{0x90000, 0x51300, 3, 0x51020, 0x90010}, {0x90000, 0x51300, 4}});
  live.retired_arcs(0, 1, {{0x70410, 0x70500, 5}});
  live.retired_through_arcs(0, 1, {{0x90000, 0x70500, 6, 0x70420, 0x90010}});
  live.samples({{0x51011, 2, 70'000, 2, 0, 3}, {0x70411, 1, 4}, {0x10, 2, 5}},
               {.slot = 0, .edition = 1, .slice_width = 1'000'000});
  live.stacks({{3, 2, false, {0x51011, 0x51020}}, {4, 1, true, {0x70411}}});
  // Two frames that repeat, and some that are left out.
  live.stacks(
      {{2,
        2,
        false,
        {0x51011, 0x51020, 0x51030, 0xfe02ULL << 48U | 500'000, 0xfdULL << 56U | 1'000, 0x51040}}});
  if (version > 1) {
    live.samples({{0x51011, 2, 7, 2, 0, 1}, {0x70411, 1, 4, 0, 1, 2}},
                 {.slot = 1, .edition = 2, .slice_width = 2'000'000});
    live.stacks({{1, 2, false, {0x51011}, 0}, {0, 2, true, {0x51021, 0x51031}, 1}}, 1);
    live.stack_counts({{0, 1, 1, 5}, {1, 0, 2, 6}},
                      {.slot = 1, .edition = 1, .slice_width = 2'000'000});
  }
  if (version > 2) {
    live.samples({{0x51011, 2, 9, 2, 1, 4, 5}, {0x51021, 2, 3, 0, 1, 4, 4}},
                 {.slot = 2, .edition = 1, .slice_width = 2'000'000});
  }
  live.block_counts(still_loaded, 0x50000, {{0x410, 11}, {0x411, 12}});
  live.block_places(still_loaded, {{0x5103c, 0x51041}, {0x5104c, 0x51051}});
  return live;
}

Sidecar with_waits(Sidecar sidecar) {
  sidecar.names = {"", "pthread_mutex_lock", "qsort"};
  for (SidecarArc& arc : sidecar.arcs) arc.via_name = arc.via_name == 0 ? 0 : 2;
  sidecar.wait_stacks = {{900, false, {{0, {0x1011}}, {0, {0x1021}}}}, {0, true, {{1, {0x411}}}}};
  sidecar.waits = {{0, WaitKind::lock, 3, 600, 300, 1}, {0, WaitKind::io, 1, 300, 300, 0}};
  sidecar.wait_parts = {{0, 0, 0, 400, 2}, {0, 1, 1, 200, 1}, {1, no_thread, no_slice, 300, 1}};
  sidecar.wait_holders = {{0, 0, 1, 100}, {0, 1, 2, 500}};
  return sidecar;
}

std::vector<std::byte> shortened(const std::vector<std::byte>& bytes) {
  constexpr std::size_t line = 64;
  constexpr std::size_t most_lines = 255;
  std::vector<std::byte> result;
  for (std::size_t i = 0; i < bytes.size();) {
    result.push_back(bytes[i]);
    if (bytes[i] != std::byte{0}) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < bytes.size() && bytes[end] == std::byte{0}) ++end;
    const std::size_t lines = std::min(most_lines, end / line - i / line);
    result.push_back(static_cast<std::byte>(lines));
    i = lines == 0 ? i + 1 : (i / line + lines) * line;
  }
  return result;
}

bool write_seed(const std::string& path, char how_to_read, const std::vector<std::byte>& bytes) {
  std::ofstream stream(path, std::ios::binary);
  stream.put(how_to_read);
  for (const std::byte byte : bytes) stream.put(static_cast<char>(byte));
  return static_cast<bool>(stream.flush());
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 2) {
    std::fprintf(stderr, "usage: collected_seeds DIRECTORY\n");
    return 1;
  }
  const std::string directory = arguments[1];
  const auto old_bytes = build_live(seed(1));
  const auto parts_bytes = build_live(seed(2));
  const auto live_bytes = build_live(seed(3));
  const auto live = read_live_counters(live_bytes, "seed");
  if (!live) return 1;
  CollectRequest request;
  request.via_name = [](const std::string&, Address) { return "qsort"; };
  const auto collected = collect_profile(*live, request);
  if (!collected) return 1;
  const auto sidecar = write_sidecar(with_waits(collected->sidecar));
  if (!sidecar) return 1;
  const bool written = write_seed(directory + "/sidecar_kernel", 0, *sidecar) &&
                       write_seed(directory + "/sidecar_kernel_repaired", 1, *sidecar) &&
                       write_seed(directory + "/live", 2, shortened(old_bytes)) &&
                       write_seed(directory + "/live_parts", 2, shortened(parts_bytes)) &&
                       write_seed(directory + "/live_kernel", 2, shortened(live_bytes)) &&
                       write_seed(directory + "/live_header", 2, shortened(build_live({})));
  if (!written) std::fprintf(stderr, "cannot write into %s\n", directory.c_str());
  return written ? 0 : 1;
}
