// The lines of callgrind's format: names and their abbreviations, positions, costs and calls.
//
// Events that a file defines by a sum of others (`event: Sum = Ir + 2 Dr`) are counted like those
// of its columns.
//
// Ownership: borrows the text. Thread contract: one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
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
  // The file that defines the function; `file` may be that of inlined code.
  std::string_view function_file;
};

struct CallgrindCost {
  CallgrindPosition place;
  std::uint64_t instruction = 0;  // 0 if the file has none
  LineNumber line = 0;
  // By event: of as many as are known so far, valid until the visit ends.
  std::span<const std::uint64_t> costs;
  // For a call: the callee, and how often; the costs are then the callee's, with all it called.
  std::optional<CallgrindPosition> callee;
  std::uint64_t calls = 0;
  // The callee's entry; 0 if unknown.
  std::uint64_t entry_instruction = 0;
  LineNumber entry_line = 0;
  // Whose it is, by the header of its part; 0 if that does not say.
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
};

struct CallgrindEvent {
  std::string_view name;
  std::string_view long_name;  // empty if the file gives none
  std::string_view formula;    // of other events; empty if it was counted itself
};

// What may be defined; further ones are left out.
inline constexpr std::size_t most_callgrind_events = 32;

class CallgrindParser {
 public:
  CallgrindParser(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  // Errors: corrupt, with the offset of the line.
  [[nodiscard]] Expected<void> parse(const std::function<void(const CallgrindCost&)>& visit);
  // In the order of the file's columns, those of formulas after these; empty if it names none.
  [[nodiscard]] const std::vector<CallgrindEvent>& events() const { return events_; }
  // Names of events that are left out: there are too many, or their formulas cannot be read.
  [[nodiscard]] const std::vector<std::string_view>& left_out() const { return left_out_; }
  // The number of name indices that the file does not define. Each stands for itself: "(7)".
  [[nodiscard]] std::size_t unnamed() const { return unnamed_; }
  // The program's command line in the first part that has one; empty if none has.
  [[nodiscard]] std::string_view command() const { return command_; }
  // Of all parts; 0 where parts do not say, or differ.
  [[nodiscard]] std::uint32_t process() const { return process_.of_all(); }
  [[nodiscard]] std::uint32_t thread() const { return thread_.of_all(); }

 private:
  // A number that each part may have in its header.
  class PartNumber {
   public:
    // After the lines that tell it.
    void begin_part();
    void take(std::string_view text);
    [[nodiscard]] std::uint32_t of_all() const { return same_ && told_ >= parts_ ? number_ : 0; }
    [[nodiscard]] std::uint32_t of_part() const { return of_part_; }

   private:
    std::size_t parts_ = 0;
    std::size_t told_ = 0;
    std::uint32_t number_ = 0;
    std::uint32_t of_part_ = 0;
    bool is_told_ = false;  // since the last part began
    bool same_ = true;
  };
  struct Term {
    std::size_t event = 0;
    std::uint64_t factor = 0;
  };
  struct Sum {
    std::size_t event = 0;
    std::vector<Term> terms;  // of events before this one
  };

  using Names = std::map<std::uint64_t, std::string_view>;

  [[nodiscard]] Expected<void> take(std::string_view line);
  void take_header(std::string_view key, std::string_view value);
  void take_name(std::string_view key, std::string_view value);
  [[nodiscard]] std::string_view name(std::string_view value, Names& names);
  [[nodiscard]] Expected<void> take_calls(std::string_view value);
  [[nodiscard]] Expected<void> take_cost(std::string_view line);
  // Positions relative to `last`; leaves the rest in `line`.
  [[nodiscard]] bool take_position(std::string_view& line, std::uint64_t& instruction,
                                   std::uint64_t& source_line) const;
  // The place of an event, which is added if it is new; none if there are too many.
  [[nodiscard]] std::optional<std::size_t> event_named(std::string_view name);
  void leave_out(std::string_view name);
  void take_events(std::string_view value);
  void take_event(std::string_view value);
  // Formulas may come before the events that they name.
  void take_formulas();
  [[nodiscard]] std::optional<std::vector<Term>> terms_of(std::string_view formula) const;
  [[nodiscard]] Expected<void> take_costs(std::string_view line);
  [[nodiscard]] Error damage(std::string expected) const;

  std::string_view text_;
  const std::string& path_;
  const std::function<void(const CallgrindCost&)>* visit_ = nullptr;
  std::uint64_t offset_ = 0;
  std::vector<CallgrindEvent> events_;
  std::vector<CallgrindEvent> described_;  // by `event:` lines
  bool has_new_formulas_ = false;
  std::vector<std::optional<std::size_t>> columns_;  // of this part: places in events_
  std::vector<Sum> sums_;
  std::vector<std::string_view> left_out_;
  std::size_t unnamed_ = 0;
  std::vector<std::uint64_t> costs_;
  std::string_view command_;
  PartNumber process_;
  PartNumber thread_;
  bool has_instructions_ = false;
  bool has_lines_ = true;
  Names objects_;
  Names files_;
  Names functions_;
  CallgrindPosition here_;
  CallgrindPosition callee_;
  bool callee_has_object_ = false;
  bool callee_has_file_ = false;
  std::uint64_t calls_ = 0;
  std::uint64_t entry_instruction_ = 0;
  std::uint64_t entry_line_ = 0;
  bool is_call_ = false;
  std::uint64_t instruction_ = 0;
  std::uint64_t line_ = 0;
};

}  // namespace gprof
