// The memory that may be spent on what is made of one file of another tool: a bounded multiple of
// the file's bytes. Few bytes can stand for much: a compressed file unpacks to a thousand times its
// size, a message of two bytes becomes a structure of eighty, and each sample has a stack in every
// metric of its file.
//
// Readers take room before they allocate. What finds no room is left out, and said so.
//
// Units: bytes, as estimates of what is allocated for an element from reading it to the finished
// profile. Thread contract: one thread. Errors: none.
#pragma once

#include <cstdint>
#include <string>

#include "engine/support/limits.h"

namespace gprof {

class MemoryRoom {
 public:
  explicit MemoryRoom(std::uint64_t file_size) : left_(max_imported_bytes(file_size)) {}

  // False, and nothing is taken, if there is less, or if less than `rest` would be left.
  [[nodiscard]] bool take(std::uint64_t bytes, std::uint64_t rest = 0) {
    if (bytes > left_ || left_ - bytes < rest) {
      was_short_ = true;
      return false;
    }
    left_ -= bytes;
    taken_ += bytes;
    return true;
  }
  // For what exceeds another bound than the bytes.
  void refuse() { was_short_ = true; }
  [[nodiscard]] std::uint64_t left() const { return left_; }
  [[nodiscard]] std::uint64_t taken() const { return taken_; }
  // Whether something found no room.
  [[nodiscard]] bool was_short() const { return was_short_; }

 private:
  std::uint64_t left_;
  std::uint64_t taken_ = 0;
  bool was_short_ = false;
};

// The warning for input that did not fit.
[[nodiscard]] inline std::string short_of_room_text() {
  return "expands to more than is accepted of a file of its size: some of it is left out; write "
         "it again with fewer metrics, samples or names";
}

}  // namespace gprof
