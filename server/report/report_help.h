// The options of `gprof-lsp report`, each described once: the parser, --help and the test of the
// man page are made from this table.
//
// Ownership: everything is a constant. Thread contract: pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gprof::lsp {

enum class ArgumentKind : std::uint8_t {
  none,
  optional,  // attached alone: -pmain, --graph=main
  required,
};

enum class OptionTopic : std::uint8_t {
  output,
  analysis,
  data,
  appearance,
  deprecated,
  information,
};

// The codes of options that have no letter; that of the others is their letter.
enum OptionCode : int {
  option_demangle = 256,
  option_no_demangle,
  option_inline_file_names,
  option_accurate,
  option_error,
  option_color,
  option_no_pager,
};

struct OptionDescription {
  int code = 0;           // what getopt returns for it
  std::string_view name;  // the long form; empty: there is none
  ArgumentKind argument = ArgumentKind::none;
  std::string_view argument_name;  // as --help writes it
  OptionTopic topic = OptionTopic::output;
  std::string_view help;  // lines of at most 46 letters

  [[nodiscard]] bool has_letter() const { return code < option_demangle; }
};

[[nodiscard]] std::span<const OptionDescription> report_option_table();
// Null for a code that no option has.
[[nodiscard]] const OptionDescription* find_report_option(int code);

// Grouped by topic.
[[nodiscard]] std::string report_help_text();

}  // namespace gprof::lsp
