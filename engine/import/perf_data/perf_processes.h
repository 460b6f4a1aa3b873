// What was mapped where in each process of a recording, at each time, and the names of threads.
//
// Records are told in the order of their times, then finish() is called, then places are asked for.
// Units: times are nanoseconds of perf's clock; addresses are those of the process. Ownership: owns
// its data. Thread contract: one thread. Errors: none; what exceeds `most_pieces` is left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/support/hash_seed.h"

namespace gprof::perf_data {

struct PerfMapping {
  std::uint32_t process = 0;
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::uint64_t file_offset = 0;
  std::string path;
  std::string build_id;  // hexadecimal; empty if not known
};

class PerfProcesses {
 public:
  // Where a file was mapped: `file` is a number of files().
  struct Place {
    std::uint32_t file = 0;
    std::uint64_t offset = 0;  // in the file
  };
  struct File {
    std::string path;
    std::string build_id;
  };

  explicit PerfProcesses(std::size_t most_pieces) : room_(most_pieces) {}

  void map(const PerfMapping& mapping, std::uint64_t time);
  void fork(std::uint32_t parent, std::uint32_t child, std::uint64_t time);
  // exec(): what was mapped is gone.
  void begin_image(std::uint32_t process, std::uint64_t time);
  void name_thread(std::uint32_t process, std::uint32_t thread, std::string_view name);
  void finish();

  [[nodiscard]] const std::vector<File>& files() const { return files_; }
  // None if nothing was mapped there.
  [[nodiscard]] std::optional<Place> find(std::uint32_t process, std::uint64_t address,
                                          std::uint64_t time) const;
  // The last one that it had; empty if it is not known.
  [[nodiscard]] std::string_view name_of(std::uint32_t process, std::uint32_t thread) const;
  // The file that was mapped first in the process's image at that time: its program.
  [[nodiscard]] std::optional<std::uint32_t> program_of(std::uint32_t process,
                                                        std::uint64_t time) const;
  // Whether mappings were left out.
  [[nodiscard]] bool is_full() const { return is_full_; }

 private:
  struct Version {
    std::uint64_t since = 0;
    std::uint32_t file = 0;
    std::uint64_t bias = 0;  // address minus file offset
  };
  // Addresses below `high` that had the same mappings; ascending by time.
  struct Piece {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::vector<Version> versions;
  };
  struct Image {
    std::uint64_t since = 0;
    std::map<std::uint64_t, Piece> pieces;  // by low; until finish()
    std::vector<Piece> sorted;
    std::optional<std::uint32_t> program;
    // The process whose mappings at the time of the fork it has as well.
    std::optional<std::uint32_t> parent;
    std::uint64_t forked = 0;
  };
  using Images = std::vector<Image>;  // of a process, ascending by time

  [[nodiscard]] std::uint32_t file_of(const PerfMapping& mapping);
  void split(Image& image, std::uint64_t address);
  [[nodiscard]] bool take_room(std::size_t pieces);
  [[nodiscard]] const Image* image_at(std::uint32_t process, std::uint64_t time) const;
  [[nodiscard]] const Version* version_at(std::uint32_t process, std::uint64_t address,
                                          std::uint64_t time) const;

  std::size_t room_;
  bool is_full_ = false;
  std::vector<File> files_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> file_numbers_;
  std::unordered_map<std::uint32_t, Images, NumberHash> processes_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> names_;
};

}  // namespace gprof::perf_data
