#include "engine/import/perf_data/perf_processes.h"

#include <algorithm>
#include <iterator>

namespace gprof::perf_data {
namespace {

// Processes that forked one another, each of which may have mapped what the last one has.
constexpr int most_ancestors = 64;
constexpr std::size_t longest_name = 64;

}  // namespace

bool PerfProcesses::take_room(std::size_t pieces) {
  if (pieces > room_) {
    is_full_ = true;
    return false;
  }
  room_ -= pieces;
  return true;
}

std::uint32_t PerfProcesses::file_of(const PerfMapping& mapping) {
  const auto next = static_cast<std::uint32_t>(files_.size());
  const auto [place, is_new] = file_numbers_.try_emplace({mapping.path, mapping.build_id}, next);
  if (is_new) files_.push_back({mapping.path, mapping.build_id});
  return place->second;
}

// Makes a piece begin at the address, if one holds it.
void PerfProcesses::split(Image& image, std::uint64_t address) {
  auto after = image.pieces.upper_bound(address);
  if (after == image.pieces.begin()) return;
  Piece& piece = std::prev(after)->second;
  if (piece.low == address || piece.high <= address) return;
  if (!take_room(1 + piece.versions.size())) return;
  Piece rest = piece;
  rest.low = address;
  piece.high = address;
  image.pieces.emplace_hint(after, address, std::move(rest));
}

void PerfProcesses::map(const PerfMapping& mapping, std::uint64_t time) {
  if (mapping.low >= mapping.high || !take_room(1)) return;
  Images& images = processes_[mapping.process];
  if (images.empty()) images.emplace_back();
  Image& image = images.back();
  const Version version{time, file_of(mapping), mapping.low - mapping.file_offset};
  if (!image.program && !mapping.path.starts_with('[') && !mapping.path.starts_with("//")) {
    image.program = version.file;
  }
  split(image, mapping.low);
  split(image, mapping.high);
  std::uint64_t low = mapping.low;
  for (auto at = image.pieces.lower_bound(low); low < mapping.high; ++at) {
    const bool ends = at == image.pieces.end() || at->first >= mapping.high;
    const std::uint64_t next = ends ? mapping.high : at->first;
    if (!take_room(2)) return;
    if (low < next) image.pieces.emplace_hint(at, low, Piece{low, next, {version}});
    if (ends) return;
    at->second.versions.push_back(version);
    low = at->second.high;
  }
}

void PerfProcesses::fork(std::uint32_t parent, std::uint32_t child, std::uint64_t time) {
  if (parent == child || !take_room(1)) return;
  // The number may have been another's.
  Images& images = processes_[child];
  const std::uint64_t since = images.empty() ? 0 : time;
  Image& image = images.emplace_back();
  image.since = since;
  image.parent = parent;
  image.forked = time;
}

void PerfProcesses::begin_image(std::uint32_t process, std::uint64_t time) {
  if (take_room(1)) processes_[process].emplace_back().since = time;
}

void PerfProcesses::name_thread(std::uint32_t process, std::uint32_t thread,
                                std::string_view name) {
  if (name.empty()) return;
  names_[{process, thread}] = name.substr(0, longest_name);
}

void PerfProcesses::finish() {
  for (auto& [number, images] : processes_) {
    for (Image& image : images) {
      image.sorted.reserve(image.pieces.size());
      for (auto& [low, piece] : image.pieces) image.sorted.push_back(std::move(piece));
      image.pieces.clear();
    }
  }
}

const PerfProcesses::Image* PerfProcesses::image_at(std::uint32_t process,
                                                    std::uint64_t time) const {
  const auto found = processes_.find(process);
  if (found == processes_.end()) return nullptr;
  const Images& images = found->second;
  const auto after = std::upper_bound(
      images.begin(), images.end(), time,
      [](std::uint64_t wanted, const Image& image) { return wanted < image.since; });
  return after == images.begin() ? nullptr : &*std::prev(after);
}

const PerfProcesses::Version* PerfProcesses::version_at(std::uint32_t process,
                                                        std::uint64_t address,
                                                        std::uint64_t time) const {
  for (int depth = 0; depth < most_ancestors; ++depth) {
    const Image* image = image_at(process, time);
    if (image == nullptr) return nullptr;
    const auto after = std::upper_bound(
        image->sorted.begin(), image->sorted.end(), address,
        [](std::uint64_t wanted, const Piece& piece) { return wanted < piece.low; });
    if (after != image->sorted.begin() && address < std::prev(after)->high) {
      // A range may be mapped any number of times: the last mapping before the time counts, or
      // else the first of all.
      const std::vector<Version>& versions = std::prev(after)->versions;
      const auto later = std::upper_bound(
          versions.begin() + 1, versions.end(), time,
          [](std::uint64_t wanted, const Version& version) { return wanted < version.since; });
      return &*std::prev(later);
    }
    if (!image->parent) return nullptr;
    process = *image->parent;
    time = image->forked;
  }
  return nullptr;
}

std::optional<PerfProcesses::Place> PerfProcesses::find(std::uint32_t process,
                                                        std::uint64_t address,
                                                        std::uint64_t time) const {
  const Version* version = version_at(process, address, time);
  if (version == nullptr) return std::nullopt;
  return Place{version->file, address - version->bias};
}

std::string_view PerfProcesses::name_of(std::uint32_t process, std::uint32_t thread) const {
  const auto found = names_.find({process, thread});
  return found == names_.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<std::uint32_t> PerfProcesses::program_of(std::uint32_t process,
                                                       std::uint64_t time) const {
  for (int depth = 0; depth < most_ancestors; ++depth) {
    const Image* image = image_at(process, time);
    if (image == nullptr || image->program || !image->parent) {
      return image == nullptr ? std::nullopt : image->program;
    }
    process = *image->parent;
    time = image->forked;
  }
  return std::nullopt;
}

}  // namespace gprof::perf_data
