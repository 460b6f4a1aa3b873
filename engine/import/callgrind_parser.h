// The lines of callgrind's format: names and their abbreviations, positions, costs and calls.
//
// Ownership: borrows the text. Thread contract: one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/expected.h"
#include "engine/support/units.h"

namespace gprof {

struct CallgrindPosition {
  std::string_view object;  // empty if the file names none
  std::string_view file;
  std::string_view function;
};

struct CallgrindCost {
  CallgrindPosition place;
  std::uint64_t instruction = 0;  // 0 if the file has none
  LineNumber line = 0;
  std::uint64_t cost = 0;  // of the first event
  // For a call: the callee, and how often; `cost` is then the callee's, with all it called.
  std::optional<CallgrindPosition> callee;
  std::uint64_t calls = 0;
};

class CallgrindParser {
 public:
  CallgrindParser(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  // Errors: corrupt, with the offset of the line.
  [[nodiscard]] Expected<void> parse(const std::function<void(const CallgrindCost&)>& visit);
  // The first event; empty if the file names none.
  [[nodiscard]] std::string_view event() const { return event_; }

 private:
  using Names = std::map<std::uint64_t, std::string_view>;

  [[nodiscard]] Expected<void> take(std::string_view line);
  void take_header(std::string_view key, std::string_view value);
  [[nodiscard]] Expected<void> take_name(std::string_view key, std::string_view value);
  [[nodiscard]] Expected<std::string_view> name(std::string_view value, Names& names);
  [[nodiscard]] Expected<void> take_cost(std::string_view line);
  // Positions relative to `last`; leaves the rest in `line`.
  [[nodiscard]] bool take_position(std::string_view& line, std::uint64_t& instruction,
                                   std::uint64_t& source_line) const;
  [[nodiscard]] Error damage(std::string expected) const;

  std::string_view text_;
  const std::string& path_;
  const std::function<void(const CallgrindCost&)>* visit_ = nullptr;
  std::uint64_t offset_ = 0;
  std::string_view event_;
  bool has_instructions_ = false;
  bool has_lines_ = true;
  Names objects_;
  Names files_;
  Names functions_;
  CallgrindPosition here_;
  CallgrindPosition callee_;
  bool callee_has_object_ = false;
  std::uint64_t calls_ = 0;
  bool is_call_ = false;
  std::uint64_t instruction_ = 0;
  std::uint64_t line_ = 0;
};

}  // namespace gprof
