#include "engine/import/folded.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/import/folded_lines.h"
#include "engine/import/function_names.h"
#include "engine/import/sample_threads.h"
#include "engine/import/text_tokens.h"
#include "engine/profile/profile_builder.h"

namespace gprof {
namespace {

// Longer stacks are cut.
constexpr std::size_t most_frames_of_a_stack = 4096;
constexpr std::size_t lines_looked_at = 50;
// The kernel keeps no more of a program's name.
constexpr std::size_t longest_command_name = 15;

// Numbers of lines by what they are.
struct FoldedLines {
  std::uint64_t stacks = 0;
  std::uint64_t with_second_number = 0;
  std::uint64_t others = 0;
  std::size_t first_other = 0;  // its offset
};

// Calls visit(line) for each stack. Lines that begin with # are comments. Fails if most lines are
// something else.
template <typename Visit>
Expected<FoldedLines> each_folded_line(std::string_view text, const std::string& path,
                                       const Visit& visit) {
  std::string_view rest = text;
  FoldedLines lines;
  while (!rest.empty()) {
    const std::size_t offset = text.size() - rest.size();
    const std::string_view line = trim(*take_line(rest));
    if (line.empty() || line.starts_with('#')) continue;
    const auto parsed = parse_folded_line(line);
    if (!parsed) {
      if (lines.others++ == 0) lines.first_other = offset;
      continue;
    }
    ++lines.stacks;
    if (parsed->has_second_number) ++lines.with_second_number;
    visit(*parsed);
  }
  if (lines.others > lines.stacks) {
    return Error{ErrorCode::corrupt,
                 "a stack and a number expected, as in `main;work;leaf 12`; the file is damaged, "
                 "or holds something else: write it again",
                 path, lines.first_other};
  }
  if (lines.with_second_number > 0 && lines.with_second_number == lines.stacks) {
    return Error{ErrorCode::unsupported,
                 "has two numbers in each line, like a difference of two profiles; compare the two "
                 "profiles with `gprof-lsp diff`",
                 path, std::nullopt};
  }
  return lines;
}

// Adds the stacks of a file to a profile. A place is a function's name.
class FoldedProfile {
 public:
  FoldedProfile(const std::string& path, const ImportTarget& target, MemoryRoom& room)
      : path_(path),
        target_(target),
        program_functions_(target.symbols),
        builder_(room),
        threads_(builder_, builder_.run({.path = path, .tool = "folded stacks"})) {
    metric_ = builder_.metric({.metric = {"samples", "Samples", "samples", MetricKind::sampled,
                                          "sampled, from folded stacks"}});
    left_out_ = builder_.place({.kind = PlaceKind::left_out});
    unknown_ = builder_.place({});
  }

  void take(const FoldedLine& line);
  [[nodiscard]] std::optional<Error> warning() const { return threads_.warning(path_); }
  [[nodiscard]] Expected<Profile> finish() { return builder_.finish(); }

 private:
  struct Frame {
    Row function = no_row;
    Address address = {};  // in the program; 0: not known
    Row module = no_row;
    bool is_inlined = false;
    bool is_left_out = false;  // a mark for frames that are missing
    // Rows, once a stack has the frame there.
    Row as_innermost = no_row;
    Row as_caller = no_row;
  };

  [[nodiscard]] Frame& frame_of(std::string_view text);
  [[nodiscard]] Frame read(std::string_view text);
  [[nodiscard]] Row place_of(Frame& frame, bool is_innermost);
  [[nodiscard]] bool is_function(std::string_view name) {
    return !program_functions_.find(name).empty();
  }
  [[nodiscard]] bool is_command(std::string_view text) const {
    const std::string_view name = last_part(target_.path);
    return text == name || text == name.substr(0, longest_command_name);
  }
  [[nodiscard]] Row module_of(std::string_view name);
  void place_at_offset(Frame& frame, const FoldedFrame& parsed);
  [[nodiscard]] Row take_thread(std::string_view& stack);

  const std::string& path_;
  const ImportTarget& target_;
  NamedFunctions program_functions_;
  ProfileBuilder builder_;
  SampleThreads threads_;
  Row metric_ = no_row;
  Row left_out_ = no_row;
  Row unknown_ = no_row;
  std::map<std::string_view, Frame> known_;
};

Row FoldedProfile::module_of(std::string_view name) {
  const bool is_program = last_part(name) == last_part(target_.path);
  return builder_.module(
      {.kind = is_program ? ModuleKind::program : ModuleKind::named, .path = std::string(name)});
}

FoldedProfile::Frame FoldedProfile::read(std::string_view text) {
  FoldedFrame parsed = parse_folded_frame(text);
  Frame frame;
  // What looks like a module may be a part of the name: `work() [.constprop.0]`.
  if (!parsed.module.empty() && is_function(text)) {
    parsed = FoldedFrame();
    parsed.name = text.substr(0, longest_shared_name);
  }
  frame.is_inlined = parsed.is_inlined;
  if (parsed.module.empty() && parsed.name.starts_with('[')) {
    frame.is_left_out = parsed.name == "[truncated]" || parsed.name == "[left out]";
    if (frame.is_left_out || parsed.name == "[unknown]" || parsed.name == "[no stack]")
      return frame;
  }
  // What looks like a line may be a part of the name.
  const bool is_of_name = parsed.line != 0 && !is_function(parsed.name) && is_function(text);
  if (!parsed.name.empty()) frame.function = builder_.text(is_of_name ? text : parsed.name);
  if (!parsed.module.empty() && !is_of_name) frame.module = module_of(parsed.module);
  if (parsed.offset) place_at_offset(frame, parsed);
  return frame;
}

// Sets the address if exactly one function of the program has the name.
void FoldedProfile::place_at_offset(Frame& frame, const FoldedFrame& parsed) {
  const bool is_elsewhere =
      !parsed.module.empty() && last_part(parsed.module) != last_part(target_.path);
  const auto& symbols = program_functions_.find(parsed.name);
  if (is_elsewhere || symbols.size() != 1) return;
  const Symbol& function = target_.symbols[symbols.front()];
  if (*parsed.offset >= function.end - function.address) return;
  frame.module = module_of(target_.path);
  frame.address = function.address + *parsed.offset;
}

FoldedProfile::Frame& FoldedProfile::frame_of(std::string_view text) {
  const auto known = known_.find(text);
  if (known != known_.end()) return known->second;
  return known_.emplace(text, read(text)).first->second;
}

Row FoldedProfile::place_of(Frame& frame, bool is_innermost) {
  if (frame.is_left_out) return left_out_;
  Row& known = is_innermost ? frame.as_innermost : frame.as_caller;
  if (known != no_row) return known;
  Place place;
  place.kind = frame.is_inlined ? PlaceKind::inlined
               : is_innermost   ? PlaceKind::sampled
                                : PlaceKind::call;
  place.module = frame.module;
  place.function = frame.function;
  place.address = frame.address;
  known = builder_.place(place);
  return known;
}

// A first frame that is no function of the program may name the program or its thread.
Row FoldedProfile::take_thread(std::string_view& stack) {
  std::string_view rest = stack;
  const auto text = take_folded_frame(rest);
  if (!text || rest.empty() || is_function(*text)) return threads_.unknown();
  if (is_command(*text)) {
    stack = rest;
    return threads_.unknown();
  }
  const auto thread = parse_folded_thread(*text);
  if (!thread) return threads_.unknown();
  stack = rest;
  return threads_.find_or_add(thread->process, thread->thread, thread->name);
}

void FoldedProfile::take(const FoldedLine& line) {
  std::string_view stack = line.stack;
  const Row thread = take_thread(stack);
  std::vector<Frame*> frames;
  while (const auto text = take_folded_frame(stack)) {
    if (text->empty() || frames.size() == most_frames_of_a_stack) continue;
    frames.push_back(&frame_of(*text));
  }
  std::vector<Row> places;
  for (std::size_t i = frames.size(); i-- > 0;) {
    places.push_back(place_of(*frames[i], i + 1 == frames.size()));
  }
  if (places.empty()) places.push_back(unknown_);
  constexpr double most = 9e15;
  const auto amount = static_cast<std::uint64_t>(std::llround(std::min(line.value, most)));
  const Row known =
      std::ranges::find(places, no_row) == places.end() ? builder_.stack(places) : no_row;
  builder_.cost(metric_, known, thread, no_time_slice, amount);
}

}  // namespace

bool is_folded(std::string_view start) {
  if (start.find('\0') != std::string_view::npos) return false;
  std::size_t stacks = 0;
  std::size_t others = 0;
  bool has_callers = false;
  for (std::size_t i = 0; i < lines_looked_at; ++i) {
    // The last line may have been cut.
    const bool is_whole = start.find('\n') != std::string_view::npos;
    const auto line = take_line(start);
    if (!line || (!is_whole && stacks > 0)) break;
    const std::string_view text = trim(*line);
    if (text.empty() || text.starts_with('#')) continue;
    const bool is_stack = parse_folded_line(text).has_value();
    ++(is_stack ? stacks : others);
    has_callers = has_callers || (is_stack && text.find(';') != std::string_view::npos);
  }
  return stacks > others || (stacks == others && has_callers);
}

Expected<void> check_folded(std::string_view text, const std::string& path) {
  TRY(each_folded_line(text, path, [](const FoldedLine&) {}));
  return {};
}

Expected<Profile> read_folded(std::string_view text, const std::string& path,
                              const ImportTarget& target, MemoryRoom& room, Warnings& warnings) {
  FoldedProfile profile(path, target, room);
  TRY_ASSIGN(const FoldedLines lines,
             each_folded_line(text, path, [&](const FoldedLine& line) { profile.take(line); }));
  if (auto warning = profile.warning()) warnings.push_back(*std::move(warning));
  if (lines.others > 0) {
    warnings.push_back(
        Error{ErrorCode::corrupt,
              fmt::format("{} lines are ignored: a stack and a number expected", lines.others),
              path, lines.first_other});
  }
  return profile.finish();
}

}  // namespace gprof
