// How reports print the names of symbols.
//
// The names of all symbols in the reports are made once: arcs repeat the names of their functions.
//
// Thread contract: immutable. Ownership: borrows what it is made from.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/report/graph_index.h"
#include "engine/report/report_data.h"
#include "engine/report/report_request.h"
#include "engine/report/text_output.h"
#include "engine/support/text_arena.h"

namespace gprof {

// By symbol, 1 or 0: which ones reports of the samples in `data` and of these arcs may name.
[[nodiscard]] std::vector<std::uint8_t> used_symbols(const ReportRequest& request,
                                                     const ReportData& data,
                                                     std::span<const SiteArc> arcs);

// A name in which line breaks and tabs would look like the report's own.
[[nodiscard]] std::string without_line_breaks(std::string name);

class ReportNames {
 public:
  // Only uses the symbols of `data`: the graph may still be missing. `used`: by symbol, 1 if a
  // report may name it.
  ReportNames(const ReportRequest& request, const ReportData& data,
              std::span<const std::uint8_t> used);
  // Call after the graph exists: adds what append_numbered() needs.
  void number_entries(const GraphIndex& index);

  // Of a symbol that has time, calls or arcs, or of any if unused ones are shown: "f", with its
  // source location under -l and --inline-file-names: "f (a.c:7 @ 11b9)".
  [[nodiscard]] std::string_view plain(SymbolIndex symbol) const { return shown_[symbol].name(); }
  // The same, with the function as a range.
  void append_plain(TextOutput& text, SymbolIndex symbol) const;
  // Fetches what append_numbered() is going to need.
  void prefetch(SymbolIndex symbol) const { __builtin_prefetch(&shown_[symbol]); }
  // Requires number_entries(). With its cycle and number: "f <cycle 1> [4]", "f (4)" if its entry
  // is not printed.
  void append_numbered(TextOutput& text, SymbolIndex symbol) const;
  // "<cycle 1 as a whole> [4]".
  void append_whole_cycle(TextOutput& text, CycleNumber cycle) const;
  // "[4]" or "(4)".
  static void append_bracketed(TextOutput& text, std::uint32_t number, bool printed);
  // According to -L: the path or its last part.
  [[nodiscard]] std::string_view shown_path(FileIndex file) const;

 private:
  // All that a name is shown with, together in memory, of which there is one a symbol.
  struct ShownName {
    const char* letters = nullptr;
    std::uint32_t size : 31 = 0;
    std::uint32_t printed : 1 = 0;
    std::uint32_t number = 0;
    CycleNumber cycle = 0;
    std::uint32_t place_size = 0;  // of its place in the source, at its end

    [[nodiscard]] std::string_view name() const { return {letters, size}; }
  };

  // Where a name is another one than the symbol's, it is kept in `made`.
  void make_plain(const SourceSymbol& symbol, TextArena& made, ShownName& shown) const;
  [[nodiscard]] std::string_view function_name(const SourceSymbol& symbol, TextArena& made) const;
  [[nodiscard]] std::string_view on_its_line(std::string_view name, TextArena& made) const;

  // Enough to be worth starting a thread.
  static constexpr std::size_t symbols_a_part = 4096;
  [[nodiscard]] std::size_t part_count() const {
    return (shown_.size() + symbols_a_part - 1) / symbols_a_part;
  }
  // work(part, symbol) for all symbols, the parts spread over all processors.
  template <typename Work>
  void for_each_part(const Work& work) const;

  const ReportRequest& request_;
  const ReportData& data_;
  const GraphIndex* index_ = nullptr;
  std::vector<TextArena> made_names_;
  std::vector<ShownName> shown_;
};

}  // namespace gprof
