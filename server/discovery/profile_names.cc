#include "server/discovery/profile_names.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "engine/gmon/entry_view.h"
#include "engine/import/perf_data/perf_bytes.h"
#include "engine/support/input_file.h"
#include "engine/support/packed_file.h"
#include "formats/sidecar.h"

namespace gprof::lsp {
namespace {

constexpr std::string_view usual_profile = "gmon.out";
constexpr std::string_view sidecar_suffix = ".gpx";

// One or two groups of digits, each after a dot.
bool is_number_suffix(std::string_view text) {
  int groups = 0;
  while (!text.empty()) {
    if (text.front() != '.') return false;
    text.remove_prefix(1);
    std::size_t digits = 0;
    while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
    if (digits == 0) return false;
    text.remove_prefix(digits);
    ++groups;
  }
  return groups == 1 || groups == 2;
}

// callgrind.out.PID, .PID.PART, and either followed by -THREAD.
bool is_callgrind_name(std::string_view name) {
  constexpr std::string_view usual = "callgrind.out";
  if (!name.starts_with(usual)) return false;
  name.remove_prefix(usual.size());
  const std::size_t thread = name.find('-');
  if (thread == std::string_view::npos) return is_number_suffix(name);
  const std::string_view number = name.substr(thread + 1);
  return is_number_suffix(name.substr(0, thread)) && !number.empty() &&
         number.find_first_not_of("0123456789") == std::string_view::npos;
}

// perf.data and perf.data.old.
bool is_perf_name(std::string_view name) { return name == "perf.data" || name == "perf.data.old"; }

bool begins_with(const std::filesystem::path& path, std::string_view magic) {
  const auto file = InputFile::open(path);
  if (!file || file->size() < magic.size()) return false;
  const auto bytes = file->read_at(0, magic.size());
  return bytes &&
         std::string_view(reinterpret_cast<const char*>(bytes->data()), magic.size()) == magic;
}

}  // namespace

bool is_in_perf_folder(const std::filesystem::path& path) {
  return path.filename() == perf_data::perf_folder_file &&
         is_perf_name(path.parent_path().filename().string());
}

bool is_part_of_perf_folder(const std::filesystem::path& path) {
  if (is_in_perf_folder(path)) return true;
  const std::string name = path.filename().string();
  return name.starts_with(perf_data::perf_folder_file) &&
         is_number_suffix(name.substr(perf_data::perf_folder_file.size())) &&
         is_perf_name(path.parent_path().filename().string());
}

std::string_view callgrind_run(std::string_view name) {
  const std::string_view unpacked = unpacked_name(name);
  if (!is_callgrind_name(unpacked)) return {};
  const std::size_t process = unpacked.find_first_of("0123456789");
  if (process == std::string_view::npos) return {};
  return unpacked.substr(0, unpacked.find_first_not_of("0123456789", process));
}

bool is_folded_name(std::string_view name) { return unpacked_name(name).ends_with(".folded"); }

bool is_profile_name(std::string_view name) {
  if (is_pprof_name(name)) return true;
  name = unpacked_name(name);
  if (name == usual_profile || name == "gmon.sum" || is_perf_name(name)) return true;
  if (is_pprof_name(name) || is_folded_name(name) || is_callgrind_name(name)) return true;
  return name.starts_with(usual_profile) && is_number_suffix(name.substr(usual_profile.size()));
}

bool may_be_profile_name(std::string_view name) {
  if (is_profile_name(name)) return true;
  const std::size_t last = name.rfind('.');
  return last != std::string_view::npos && last > 0 && is_number_suffix(name.substr(last));
}

bool is_collected_name(std::string_view name, std::uint32_t process) {
  if (name == usual_profile) return true;
  const std::string own = fmt::format(".{}", process);
  const std::size_t last = std::min(name.rfind('.'), name.size());
  const bool is_numbered = !name.ends_with(own) && is_number_suffix(name.substr(last));
  if (is_numbered) name = name.substr(0, last);
  return name.size() > own.size() && name.ends_with(own);
}

std::string_view library_part(std::string_view name, std::string_view profile_name) {
  if (profile_name.empty() || !name.starts_with(profile_name)) return {};
  const std::string_view rest = name.substr(profile_name.size());
  if (rest.size() < 2 || rest.front() != '.' || rest == sidecar_suffix ||
      rest.ends_with(sidecar_suffix) || is_number_suffix(rest) ||
      unpacked_name(name) == profile_name) {
    return {};
  }
  return rest.substr(1);
}

std::filesystem::path sidecar_path(const std::filesystem::path& profile) {
  return profile.string() + std::string(sidecar_suffix);
}

std::filesystem::path profile_of_sidecar(const std::filesystem::path& sidecar) {
  const std::string path = sidecar.string();
  if (!path.ends_with(sidecar_suffix)) return {};
  return path.substr(0, path.size() - sidecar_suffix.size());
}

bool begins_like_gmon(const std::filesystem::path& path) { return begins_with(path, "gmon"); }

bool begins_like_sidecar(const std::filesystem::path& path) {
  return begins_with(path, characters_of(gprof_formats::sidecar_magic));
}

}  // namespace gprof::lsp
