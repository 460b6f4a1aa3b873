// The one way in which files are written: whole under their name, or not at all.
//
// Until commit(), the bytes are in a file with a random name in the same folder, which no profile
// pattern matches: it begins with a dot and ends with ".tmp". An existing file is replaced, never
// written through: the folder may be someone else's, and a link in it may lead anywhere. The new
// file takes over the old one's permissions if that belongs to this user, except set-user-ID and
// similar bits.
//
// Ownership: owns its descriptors and, until commit(), the temporary file, which it removes. Thread
// contract: one thread. Errors: unreadable, with the path and the system's reason.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/support/expected.h"

namespace gprof::lsp {

// Of a file whose name was not taken before.
enum class Readers : std::uint8_t { as_usual, owner_alone };

class NewFile {
 public:
  // A directory, a pipe or a device of that name is an error, and so is a file that may not be
  // written to. A link is replaced.
  static Expected<NewFile> create(const std::filesystem::path& path,
                                  Readers readers = Readers::as_usual);
  // Of a path that the user has given as the place of the output: the same, but a pipe or a device
  // is written to as such, and so is what stands in /dev or below /proc (/dev/stdout).
  static Expected<NewFile> create_or_open(const std::filesystem::path& path);

  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  [[nodiscard]] Expected<void> write(std::string_view bytes);
  // The same for what writes by itself; valid until commit().
  [[nodiscard]] int descriptor() const { return descriptor_; }
  // Puts it under its name.
  [[nodiscard]] Expected<void> commit();

 private:
  explicit NewFile(std::filesystem::path path) : path_(std::move(path)) {}
  static Expected<NewFile> open_stream(const std::filesystem::path& path);
  [[nodiscard]] Expected<void> begin(Readers readers);
  [[nodiscard]] std::string name() const { return path_.filename().string(); }

  std::filesystem::path path_;
  std::string temporary_;  // its name in the folder; empty if there is none, and after commit()
  int folder_ = -1;
  int descriptor_ = -1;
};

// create(), write() and commit() in one.
[[nodiscard]] Expected<void> write_whole_file(const std::filesystem::path& path,
                                              std::string_view bytes);

// Whether a file of that name was begun here, and is not finished.
[[nodiscard]] bool is_unfinished_name(std::string_view name);

// Writes all of it to the descriptor. Returns 0, or errno.
[[nodiscard]] int write_bytes(int descriptor, std::string_view bytes);

}  // namespace gprof::lsp
