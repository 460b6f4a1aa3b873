// What the reports' layouts share: columns of bytes, seconds, the break between reports.
//
// Thread contract: pure functions.
#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "engine/report/report_data.h"
#include "engine/report/report_request.h"
#include "engine/report/text_output.h"

namespace gprof {

template <typename... Arguments>
void append(TextOutput& text, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::memory_buffer piece;
  fmt::format_to(std::back_inserter(piece), format, std::forward<Arguments>(arguments)...);
  text += std::string_view(piece.data(), piece.size());
}

// A line of a report's column names.
template <typename... Arguments>
void append_column_line(TextOutput& text, fmt::format_string<Arguments...> format,
                        Arguments&&... arguments) {
  const std::string names = fmt::format(format, std::forward<Arguments>(arguments)...);
  text.append(RangeKind::column_names, names);
  text += '\n';
}

// A form feed, unless this is the first report; which lasts as long as what is returned.
[[nodiscard]] TextOutput::Mark begin_report(TextOutput& text);

// A share of the time in percent, with one or two digits behind the point.
void append_share(TextOutput& text, double percentage, unsigned decimals, std::size_t width);

// Exactly `width` bytes: truncated or padded with blanks. gprof counts bytes, not letters.
[[nodiscard]] std::string right_aligned(std::string_view text, std::size_t width);
[[nodiscard]] std::string left_aligned(std::string_view text, std::size_t width);

// For a profile without a rate: infinite, and for 0 ticks what dividing by 0 gives, "-nan".
[[nodiscard]] Seconds seconds_of(Ticks ticks, double rate);

// The column added by --error: the standard deviation of a number of samples (manual, section 6.1,
// plus what the sidecar adds), in seconds.
inline constexpr std::size_t error_width = 9;
[[nodiscard]] std::string error_column(Ticks error, double rate);

// Which part of the profile is reported, as a line; nothing if it is all of it.
void append_part(TextOutput& text, const ReportRequest& request);

// The granularity shown in a report: whole units of a bin, in bytes.
[[nodiscard]] std::uint64_t bytes_a_sample(double scale);

}  // namespace gprof
