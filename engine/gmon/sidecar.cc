#include "engine/gmon/sidecar.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <zlib.h>

namespace gprof {

bool is_collector(std::string_view module_name) {
  return module_name.starts_with("libgprof_runtime");
}

std::strong_ordering compare_places(const SidecarArc& a, const SidecarArc& b) {
  const auto key = [](const SidecarArc& arc) {
    return std::tuple(arc.from.module, arc.self.module, arc.from.address, arc.self.address,
                      arc.profiled_caller.module, arc.flags, arc.profiled_caller.address,
                      arc.via.module, arc.via_name, arc.via.address);
  };
  return key(a) <=> key(b);
}

SamplingQuality sampling_quality(const SidecarProcess& process) {
  const double samples_a_nanosecond = process.requested_rate / nanoseconds_a_second;
  const auto cpu_time = static_cast<double>(process.cpu_time);
  SamplingQuality quality = process.sampling;
  auto samples = static_cast<double>(quality.tick_samples);
  const bool by_ticks = process.sample_source == SampleSource::thread_timers ||
                        process.sample_source == SampleSource::process_timer;
  if (by_ticks && quality.tick_period != 0) {
    samples += std::abs(cpu_time - static_cast<double>(quality.sampling_time) -
                        static_cast<double>(quality.covered_time)) *
               samples_a_nanosecond;
  }
  // At most what is possible, whatever a file says.
  constexpr double unbounded = 1e18;
  const double all = std::ceil(cpu_time * samples_a_nanosecond);
  const double most = all > 0 ? all : unbounded;
  quality.tick_samples =
      static_cast<std::uint64_t>(std::min({std::round(samples), most, unbounded}));
  return quality;
}

std::uint32_t sidecar_checksum(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace gprof
