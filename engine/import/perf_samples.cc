#include "engine/import/perf_samples.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/import/imported_profile.h"
#include "engine/import/text_tokens.h"
#include "engine/support/hash_seed.h"

namespace gprof {
namespace {

// Longer call chains are cut.
constexpr std::size_t most_frames = 4096;
// Lines beyond these are parsed each time that they occur.
constexpr std::size_t most_kept_lines = std::size_t{1} << 18;
constexpr std::size_t most_kept_bytes = std::size_t{48} << 20;

// `1440.035153:` or, with --ns, `1440.035153012:`.
std::optional<std::uint64_t> parse_time(std::string_view word) {
  constexpr std::size_t digits_of_nanoseconds = 9;
  if (!word.ends_with(':')) return std::nullopt;
  word.remove_suffix(1);
  const std::size_t point = word.find('.');
  if (point == std::string_view::npos) return std::nullopt;
  const auto seconds = parse_number(word.substr(0, point));
  const std::string_view digits = word.substr(point + 1);
  const auto fraction = parse_number(digits);
  if (!seconds || !fraction) return std::nullopt;
  std::uint64_t nanoseconds = *fraction;
  for (std::size_t i = digits.size(); i < digits_of_nanoseconds; ++i) nanoseconds *= 10;
  for (std::size_t i = digits_of_nanoseconds; i < digits.size(); ++i) nanoseconds /= 10;
  constexpr std::uint64_t a_second = 1'000'000'000;
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / a_second - 1;
  return std::min(*seconds, most) * a_second + nanoseconds;
}

std::uint32_t thread_number(std::string_view text) {
  const auto number = parse_number(text);
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  return number && *number <= most ? static_cast<std::uint32_t>(*number) : 0;
}

// What stands before the time: `my prog 12/13 [001]`. Commands may hold blanks.
void parse_thread(std::string_view text, PerfSample& sample) {
  text = trim(text);
  if (text.ends_with(']')) text = trim(text.substr(0, std::min(text.rfind('['), text.size())));
  const std::size_t blank = text.find_last_of(" \t");
  const std::string_view numbers = blank == std::string_view::npos ? text : text.substr(blank + 1);
  sample.command = trim(text.substr(0, text.size() - numbers.size()));
  const std::size_t slash = numbers.find('/');
  if (slash == std::string_view::npos) {
    sample.thread = thread_number(numbers);
    return;
  }
  sample.process = thread_number(numbers.substr(0, slash));
  sample.thread = thread_number(numbers.substr(slash + 1));
}

// Where the parentheses around the file begin, which end the line: all of the outermost pair, for
// a path may hold others. None if there are none.
std::optional<std::size_t> begin_of_file(std::string_view text) {
  if (text.ends_with(')')) {
    std::size_t open = 0;
    for (std::size_t i = text.size(); i-- > 0;) {
      if (text[i] == ')') ++open;
      if (text[i] == '(' && --open == 0) {
        if (i == 0 || text[i - 1] == ' ') return i;
        break;
      }
    }
  }
  if (text.starts_with('(')) return 0;
  const std::size_t blank = text.rfind(" (");
  return blank == std::string_view::npos ? std::nullopt : std::optional(blank + 1);
}

void take_symbol(std::string_view text, PerfFrame& frame) {
  frame.symbol = trim(text);
  if (frame.symbol == "[unknown]") frame.symbol = {};
  const std::size_t plus = frame.symbol.rfind("+0x");
  if (plus == std::string_view::npos) return;
  if (const auto offset = parse_number(frame.symbol.substr(plus + 3), 16)) {
    frame.offset = *offset;
    frame.has_offset = true;
    frame.symbol = frame.symbol.substr(0, plus);
  }
}

// `without_file`: whether there may be none.
std::optional<PerfFrame> parse_frame(std::string_view line, bool without_file) {
  constexpr std::string_view deleted = " (deleted)";
  std::string_view rest = trim(line);
  const auto address = parse_number(take_word(rest), 16);
  rest = trim(rest);
  const auto begin = begin_of_file(rest);
  if (!address || (!begin && (!without_file || rest.empty()))) return std::nullopt;
  PerfFrame frame;
  frame.address = *address;
  if (begin) {
    frame.file = rest.substr(*begin + 1);
    if (frame.file.ends_with(')')) frame.file.remove_suffix(1);
    if (frame.file.ends_with(deleted)) frame.file.remove_suffix(deleted.size());
  }
  frame.is_inlined = frame.file == "inlined";
  take_symbol(rest.substr(0, begin.value_or(rest.size())), frame);
  return frame;
}

// The word behind the last `name=`; empty if there is none. Commands may hold anything.
std::string_view last_value(std::string_view text, std::string_view name) {
  const std::size_t begin = text.rfind(name);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + name.size());
  return take_word(text);
}

// `prog 10 cpu-clock:`, or with a period before the event.
std::optional<PerfSample> parse_header_without_time(std::string_view line) {
  std::string_view rest = trim(line);
  if (!rest.ends_with(':')) return std::nullopt;
  const std::size_t blank = rest.find_last_of(" \t");
  if (blank == std::string_view::npos) return std::nullopt;
  PerfSample sample;
  sample.event = rest.substr(blank + 1, rest.size() - blank - 2);
  rest = trim(rest.substr(0, blank));
  if (sample.event.empty()) return std::nullopt;
  // The last of two numbers is the period.
  const std::size_t last = rest.find_last_of(" \t");
  if (last != std::string_view::npos) {
    const auto period = parse_number(rest.substr(last + 1));
    PerfSample with_period;
    parse_thread(rest.substr(0, last), with_period);
    if (period && with_period.thread != 0 && !with_period.command.empty()) {
      sample.period = *period;
      rest = trim(rest.substr(0, last));
    }
  }
  parse_thread(rest, sample);
  if (sample.thread == 0 || sample.command.empty()) return std::nullopt;
  return sample;
}

// Most lines are frames, which begin with a tab and end with the parenthesis around the file.
bool is_surely_of_frame(std::string_view line) {
  return line.starts_with('\t') && line.ends_with(')');
}

// Visits the samples of a block and returns the bytes that are done with: all if `is_last`, else
// those before the last sample, which may have more frames than the block shows.
std::size_t visit_samples(std::string_view block, bool is_last, PerfFrameLines& frames,
                          const PerfSampleVisitor& visit, bool& wants_frames) {
  PerfSample sample;
  bool has_sample = false;
  std::size_t begin = 0;  // of the sample
  const auto end_sample = [&] {
    if (!has_sample) return;
    frames.take_frames(sample.frames);
    wants_frames = visit(sample);
    has_sample = false;
  };
  const auto begin_sample = [&](PerfSample next) {
    // The list of frames is used again: it is as long as the longest chain so far.
    std::vector<PerfFrame> list = std::move(sample.frames);
    list.assign(next.frames.begin(), next.frames.end());
    sample = std::move(next);
    sample.frames = std::move(list);
    has_sample = true;
  };
  // A line without its end goes on in the next block.
  const std::string_view lines = is_last ? block : block.substr(0, block.rfind('\n') + 1);
  std::string_view rest = lines;
  while (const auto line = take_line(rest)) {
    const bool is_frame = is_surely_of_frame(*line);
    if (!is_frame && trim(*line).empty()) {
      end_sample();
      continue;
    }
    auto next = is_frame ? std::nullopt : parse_perf_header(*line);
    if (next) {
      end_sample();
      begin = static_cast<std::size_t>(line->data() - block.data());
      begin_sample(*std::move(next));
    } else if (has_sample && wants_frames && frames.added() < most_frames) {
      frames.add(*line);
    }
  }
  if (has_sample && !is_last) {
    frames.forget_added();
    return begin;
  }
  end_sample();
  return lines.size();
}

// `command:12 [120]`
std::string_view number_behind_colon(std::string_view text) {
  text = text.substr(0, std::min(text.rfind('['), text.size()));
  const std::size_t colon = text.rfind(':');
  return colon == std::string_view::npos ? std::string_view() : trim(text.substr(colon + 1));
}

}  // namespace

std::optional<PerfSwitch> parse_perf_switch(std::string_view fields) {
  const std::size_t arrow = fields.rfind("==>");
  if (arrow == std::string_view::npos) return std::nullopt;
  const std::string_view before = trim(fields.substr(0, arrow));
  const std::string_view after = trim(fields.substr(arrow + 3));
  std::string_view state = last_value(before, "prev_state=");
  std::string_view previous = last_value(before, "prev_pid=");
  std::string_view next = last_value(after, "next_pid=");
  if (state.empty()) {
    state = before.substr(before.find_last_of(" \t") + 1);
    previous = number_behind_colon(before);
    next = number_behind_colon(after);
  }
  if (state.empty() || !parse_number(previous) || !parse_number(next)) return std::nullopt;
  constexpr std::string_view waiting = "SDTt";
  return PerfSwitch{thread_number(previous), thread_number(next),
                    waiting.find(state.front()) != std::string_view::npos, state.front() == 'D'};
}

std::optional<PerfFrame> parse_perf_frame(std::string_view line) {
  const bool is_indented = line.starts_with(' ') || line.starts_with('\t');
  return parse_frame(line, is_indented);
}

std::optional<PerfSample> parse_perf_header(std::string_view line) {
  if (line.empty() || line.front() == '\t' || line.front() == '#') return std::nullopt;
  std::string_view rest = line;
  PerfSample sample;
  for (int words = 0; !trim(rest).empty() && !sample.has_time; ++words) {
    const std::string_view before = line.substr(0, line.size() - rest.size());
    const auto time = parse_time(take_word(rest));
    sample.has_time = time && words > 0;
    if (!sample.has_time) continue;
    sample.time = *time;
    parse_thread(before, sample);
  }
  if (!sample.has_time) return parse_header_without_time(line);
  std::string_view word = take_word(rest);
  if (const auto period = parse_number(word)) {
    sample.period = *period;
    word = take_word(rest);
  }
  if (word.size() < 2 || !word.ends_with(':')) return std::nullopt;
  sample.event = word.substr(0, word.size() - 1);
  sample.fields = rest;
  if (const auto frame = parse_frame(rest, false)) sample.frames.push_back(*frame);
  sample.has_frame = !sample.frames.empty();
  return sample;
}

// The table is larger than a processor's caches, and the lines of a sample are all over it: all of
// them are fetched before the first is needed.
void PerfFrameLines::add(std::string_view line) {
  added_.push_back({hash_of(line), line});
  __builtin_prefetch(&slots_[first_slot_of(added_.back())]);
}

void PerfFrameLines::take_frames(std::vector<PerfFrame>& frames) {
  for (const Line& line : added_) {
    const std::uint32_t number = slots_[first_slot_of(line)];
    if (number != PerfFrame::no_line) __builtin_prefetch(&kept_[number]);
  }
  for (const Line& line : added_) {
    const std::uint32_t number = slots_[first_slot_of(line)];
    if (number != PerfFrame::no_line) __builtin_prefetch(kept_[number].line.text.data());
  }
  for (const Line& line : added_) {
    if (const PerfFrame* frame = find(line)) frames.push_back(*frame);
  }
  added_.clear();
}

std::size_t PerfFrameLines::slot_of(const Line& line) const {
  std::size_t slot = first_slot_of(line);
  for (; slots_[slot] != PerfFrame::no_line; slot = (slot + 1) & (slots_.size() - 1)) {
    const Line& kept = kept_[slots_[slot]].line;
    if (kept.hash == line.hash && kept.text == line.text) break;
  }
  return slot;
}

void PerfFrameLines::grow() {
  constexpr std::size_t first_size = 1024;
  slots_.assign(slots_.empty() ? first_size : 2 * slots_.size(), PerfFrame::no_line);
  for (std::uint32_t number = 0; number < kept_.size(); ++number) {
    slots_[slot_of(kept_[number].line)] = number;
  }
}

const PerfFrame* PerfFrameLines::keep(const Line& line) {
  if (2 * (kept_.size() + 1) > slots_.size()) grow();
  const std::string_view text = texts_.keep(line.text);
  text_bytes_ += text.size();
  const auto number = static_cast<std::uint32_t>(kept_.size());
  slots_[slot_of(line)] = number;
  // Parsed once more, so that its views are of the kept text.
  kept_.push_back({{line.hash, text}, *parse_perf_frame(text)});
  kept_.back().frame.line = number;
  return &kept_.back().frame;
}

const PerfFrame* PerfFrameLines::find(const Line& line) {
  const std::uint32_t number = slots_[slot_of(line)];
  if (number != PerfFrame::no_line) return &kept_[number].frame;
  const auto frame = parse_perf_frame(line.text);
  if (!frame) return nullptr;
  const bool has_room =
      kept_.size() < most_kept_lines && text_bytes_ + line.text.size() <= most_kept_bytes;
  if (has_room) return keep(line);
  other_ = *frame;
  return &other_;
}

Expected<void> for_each_perf_sample(const TextBlocks& text, PerfFrameLines& lines,
                                    const PerfSampleVisitor& visit) {
  bool wants_frames = true;
  return text.read([&](std::string_view block, bool is_last) {
    return visit_samples(block, is_last, lines, visit, wants_frames);
  });
}

}  // namespace gprof
