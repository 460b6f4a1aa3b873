// What the collector leaves: sidecars and live counters. The first byte of an input chooses how the
// rest is read: 0 a sidecar as it is, 1 a sidecar whose size and checksum are made right first (no
// fuzzer finds a checksum), 2 live counters. In the input of live counters, runs of zero bytes are
// short (a zero byte and the number of 64-byte lines that it stands for), since chunks are large
// and empty.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <zlib.h>

#include "engine/gmon/collected_profile.h"
#include "engine/gmon/reader.h"
#include "engine/gmon/writer.h"
#include "tests/fuzz/require.h"

using namespace gprof;
using gprof::test::require;

namespace {

void put(std::vector<std::byte>& bytes, std::size_t offset, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    bytes[offset + i] = static_cast<std::byte>(value >> (8 * i) & 0xff);
  }
}

std::vector<std::byte> with_right_header(std::span<const std::byte> input) {
  constexpr std::size_t header_size = 64;
  std::vector<std::byte> bytes(input.begin(), input.end());
  if (bytes.size() < header_size) return bytes;
  put(bytes, 12, header_size, 4);
  put(bytes, 16, bytes.size(), 8);
  const auto* sections = reinterpret_cast<const Bytef*>(bytes.data() + header_size);
  put(bytes, 24, crc32_z(0, sections, bytes.size() - header_size), 4);
  return bytes;
}

std::vector<std::byte> expanded(std::span<const std::byte> input) {
  constexpr std::size_t line = 64;
  constexpr std::size_t largest = 1 << 20;
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < input.size() && bytes.size() < largest; ++i) {
    if (input[i] != std::byte{0} || i + 1 == input.size()) {
      bytes.push_back(input[i]);
      continue;
    }
    // To the end of the line, and as many empty ones as the next byte says.
    const std::size_t lines = std::to_integer<std::size_t>(input[++i]);
    bytes.resize(lines == 0 ? bytes.size() + 1 : (bytes.size() / line + lines) * line);
  }
  return bytes;
}

void check_sidecar(std::span<const std::byte> bytes) {
  const auto sidecar = read_sidecar(bytes, "input");
  if (!sidecar) {
    require(!sidecar.error().message.empty(), "an error says what went wrong");
    require(!sidecar.error().offset || *sidecar.error().offset <= bytes.size(),
            "an error's offset lies in the file");
    return;
  }
  const auto written = write_sidecar(*sidecar);
  require(written.has_value(), "a sidecar that was read can be written");
  const auto again = read_sidecar(*written, "written");
  require(again.has_value(), "what is written can be read");
  require(again->process == sidecar->process, "the process survives");
  require(again->modules == sidecar->modules, "modules survive");
  require(again->threads == sidecar->threads, "threads survive");
  require(again->arcs.size() == sidecar->arcs.size(), "arcs survive");
  require(again->waits.size() == sidecar->waits.size(), "waits survive");
  require(again->wait_parts.size() == sidecar->wait_parts.size(), "their parts survive");
  const auto twice = write_sidecar(*again);
  require(twice && *twice == *written, "writing again gives the same bytes");
}

void check_profile(const ModuleProfile& module, const Sidecar& sidecar) {
  require(module.module < sidecar.modules.size(), "a profile is of a module");
  require(module.file_suffix.find('/') == std::string::npos, "no name leads out of the directory");
  require(!module.profile.histograms.empty(), "a profile has a histogram");
  const auto written = write_gmon(module.profile, {});
  if (!written) return;  // more than a gmon file holds
  require(read_gmon(*written, "written", {}).has_value(), "what is written can be read");
}

void check_live_counters(std::span<const std::byte> bytes) {
  const auto live = read_live_counters(bytes, "input");
  if (!live) {
    require(!live.error().message.empty(), "an error says what went wrong");
    return;
  }
  CollectRequest request;
  request.via_name = [](const std::string& path, Address) { return path; };
  const auto collected = collect_profile(*live, request);
  if (!collected) return;
  require(!collected->modules.empty() && collected->modules.front().file_suffix.empty(),
          "the executable has a file");
  for (const ModuleProfile& module : collected->modules) {
    check_profile(module, collected->sidecar);
  }
  const auto written = write_sidecar(collected->sidecar);
  require(written.has_value(), "what is collected can be written");
  const auto again = read_sidecar(*written, "written");
  require(again && *again == collected->sidecar, "what is collected survives");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto input = std::as_bytes(std::span(data + 1, size - 1));
  switch (data[0] % 3) {
    case 0:
      check_sidecar(input);
      break;
    case 1:
      check_sidecar(with_right_header(input));
      break;
    default:
      check_live_counters(expanded(input));
  }
  return 0;
}
