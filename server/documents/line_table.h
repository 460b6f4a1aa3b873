// Where the lines of a text begin. A line ends at CR LF, LF or CR, as in LSP; a text has one more
// line than line endings.
//
// Lines start at 0 here. Offsets are bytes. Ownership: owns the offsets, not the text.
// Thread contract: as for any value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gprof::lsp {

class LineTable {
 public:
  LineTable() = default;
  explicit LineTable(std::string_view text);
  // How many lines a table of the text would have.
  [[nodiscard]] static std::size_t count_lines(std::string_view text);

  [[nodiscard]] std::size_t line_count() const { return starts_.size(); }
  // Precondition: line < line_count().
  [[nodiscard]] std::size_t start(std::size_t line) const { return starts_[line]; }
  // The line's text without its ending; empty if there is no such line.
  [[nodiscard]] std::string_view line(std::string_view text, std::size_t line) const;
  // The line that contains the byte; the last one for offsets past the end.
  [[nodiscard]] std::size_t line_at(std::size_t offset) const;

  // Updates the table after `removed` bytes at `offset` of the old text were replaced by `inserted`
  // bytes; `text` is the new text. Cost: the edit's lines and a shift of the later ones.
  void replace(std::string_view text, std::size_t offset, std::size_t removed,
               std::size_t inserted);

  friend bool operator==(const LineTable&, const LineTable&) = default;

 private:
  std::vector<std::size_t> starts_{0};
};

}  // namespace gprof::lsp
