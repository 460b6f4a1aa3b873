#include "server/cli/record/record_sum.h"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "engine/gmon/encoded_profile.h"
#include "engine/gmon/sidecar_sum.h"
#include "engine/gmon/sum.h"
#include "engine/gmon/writer.h"
#include "engine/run_info.h"
#include "server/system/new_file.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

constexpr const char* sum_name = "gmon.sum";

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Expected<RawProfile> sum_of(const std::vector<fs::path>& paths) {
  ProfileSum sum;
  std::vector<std::byte> buffer;
  for (const fs::path& path : paths) {
    const auto profile = read_stored_gmon_file(path, {}, GmonFormatChoice::automatic, buffer);
    if (!profile) return profile.error();
    if (auto added = sum.add(*profile, path.string()); !added) return added.error();
  }
  return sum.take();
}

Expected<void> write_sum_file(const fs::path& path, const std::vector<fs::path>& parts) {
  const auto sum = sum_of(parts);
  if (!sum) return sum.error();
  const auto bytes = write_gmon(*sum, {});
  if (!bytes) {
    Error error = bytes.error();
    error.path = path.string();
    return error;
  }
  return write_whole_file(path, text_of(*bytes));
}

// Next to the sum of the programs' profiles, from the sidecars next to these.
Expected<void> write_sidecar_sum(const fs::path& sum, const std::vector<fs::path>& programs) {
  SidecarSum total(sum_name);
  for (const fs::path& program : programs) {
    const std::string path = sidecar_name(program.string());
    const auto sidecar = read_sidecar_file(path);
    if (!sidecar) return sidecar.error();
    const std::string name = program.filename().string();
    if (auto added = total.add(*sidecar, name, path); !added) return added.error();
  }
  const std::string path = sidecar_name(sum.string());
  const auto bytes = write_sidecar(total.take());
  if (!bytes) {
    Error error = bytes.error();
    error.path = path;
    return error;
  }
  return write_whole_file(path, text_of(*bytes));
}

}  // namespace

Expected<FoundProfile> write_sum(const fs::path& directory,
                                 const std::vector<FoundProfile>& profiles) {
  FoundProfile total;
  total.path = directory / sum_name;
  total.program = profiles.front().program;
  total.build_id = profiles.front().build_id;
  std::vector<fs::path> programs;
  std::map<std::string, std::vector<fs::path>> libraries;
  for (const FoundProfile& profile : profiles) {
    programs.push_back(profile.path);
    for (std::size_t i = 0; i < profile.libraries.size(); ++i) {
      libraries[profile.library_names[i]].push_back(profile.libraries[i]);
    }
    add_figures(total.figures, profile.figures);
  }
  for (const auto& [name, parts] : libraries) {
    const fs::path path = directory / fmt::format("{}.{}", sum_name, name);
    if (auto written = write_sum_file(path, parts); !written) return written.error();
    total.libraries.push_back(path);
    total.library_names.push_back(name);
  }
  if (auto written = write_sidecar_sum(total.path, programs); !written) return written.error();
  // Last: once it exists, all files do.
  if (auto written = write_sum_file(total.path, programs); !written) return written.error();
  return total;
}

}  // namespace gprof::lsp
