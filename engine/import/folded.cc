#include "engine/import/folded.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/import/folded_lines.h"
#include "engine/import/named_places.h"
#include "engine/import/stack_metrics.h"
#include "engine/import/text_tokens.h"

namespace gprof {
namespace {

// Longer stacks are cut.
constexpr std::size_t most_frames_of_a_stack = 4096;
constexpr std::size_t lines_looked_at = 50;
// The kernel keeps no more of a program's name.
constexpr std::size_t longest_command_name = 15;

// visit(line, offset) for each stack. Lines that begin with # are comments.
template <typename Visit>
Expected<void> each_folded_line(std::string_view text, const std::string& path,
                                const Visit& visit) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t offset = text.size() - rest.size();
    const std::string_view line = trim(*take_line(rest));
    if (line.empty() || line.starts_with('#')) continue;
    const auto parsed = parse_folded_line(line);
    if (!parsed) {
      return Error{ErrorCode::corrupt,
                   "a stack and a number expected, as in `main;work;leaf 12`; the file is damaged, "
                   "or holds something else: write it again",
                   path, offset};
    }
    visit(*parsed);
  }
  return {};
}

class FoldedImport {
 public:
  FoldedImport(std::size_t size, const std::string& path, const ImportTarget& target,
               StackMetric metric)
      : path_(path),
        target_(target),
        room_(size),
        places_(target, room_, 1),
        stacks_({std::move(metric)}, room_) {}

  void take(const FoldedLine& line);
  Expected<ImportedProfile> finish(Warnings& warnings);

 private:
  struct Frame {
    std::optional<SymbolIndex> symbol;  // of the program
    ModuleAddress place;
    bool is_inlined = false;
    bool is_left_out = false;  // stands for what is not known
  };

  [[nodiscard]] const Frame& frame_of(std::string_view text);
  [[nodiscard]] Frame resolve(std::string_view text);
  [[nodiscard]] bool is_of_target(std::string_view module) const {
    return module.empty() || last_part(module) == last_part(target_.path);
  }
  [[nodiscard]] bool is_command(std::string_view text) const {
    const std::string_view name = last_part(target_.path);
    return text == name || text == name.substr(0, longest_command_name);
  }
  std::uint32_t take_thread(std::string_view& stack);
  // The code that the frame was at when it called the next.
  [[nodiscard]] ModuleAddress place_in(const Frame& frame, const Frame* next);

  const std::string& path_;
  const ImportTarget& target_;
  ImportRoom room_;
  NamedPlaces places_;
  StackMetrics stacks_;
  std::map<std::string_view, Frame> known_;
};

FoldedImport::Frame FoldedImport::resolve(std::string_view text) {
  const FoldedFrame told = parse_folded_frame(text);
  Frame frame;
  frame.is_inlined = told.is_inlined;
  if (is_of_target(told.module)) {
    frame.symbol = places_.find({told.name, {}, {}, 0});
    // It was no line.
    if (!frame.symbol && told.line != 0) frame.symbol = places_.find({text, {}, {}, 0});
  }
  if (frame.symbol) {
    frame.place = {0, target_.symbols[*frame.symbol].address};
    return frame;
  }
  frame.is_left_out = told.module.empty() && told.name.starts_with('[') &&
                      (told.name == "[unknown]" || told.name == "[truncated]" ||
                       told.name == "[left out]" || told.name == "[no stack]");
  if (!frame.is_left_out) {
    frame.place = places_.external(told.module.empty() ? "other code" : told.module, told.name);
  }
  return frame;
}

const FoldedImport::Frame& FoldedImport::frame_of(std::string_view text) {
  const auto known = known_.find(text);
  if (known != known_.end()) return known->second;
  return known_.emplace(text, resolve(text)).first->second;
}

// A first frame that is no function of the program may name the program or its thread.
std::uint32_t FoldedImport::take_thread(std::string_view& stack) {
  std::string_view rest = stack;
  const auto text = take_folded_frame(rest);
  if (!text || rest.empty() || places_.find({*text, {}, {}, 0})) return no_thread;
  if (is_command(*text)) {
    stack = rest;
    return no_thread;
  }
  const auto thread = parse_folded_thread(*text);
  if (!thread) return no_thread;
  stack = rest;
  return stacks_.thread_of(thread->process, thread->thread, thread->name);
}

ModuleAddress FoldedImport::place_in(const Frame& frame, const Frame* next) {
  if (!frame.symbol || next == nullptr || !next->symbol) return frame.place;
  const auto call = places_.call_in(*frame.symbol, *next->symbol);
  return call ? ModuleAddress{0, *call} : frame.place;
}

void FoldedImport::take(const FoldedLine& line) {
  std::string_view stack = line.stack;
  const std::uint32_t thread = take_thread(stack);
  std::vector<const Frame*> frames;
  while (const auto text = take_folded_frame(stack)) {
    if (text->empty() || frames.size() == most_frames_of_a_stack) continue;
    const Frame& frame = frame_of(*text);
    // The code of what was inlined is that of the function around it.
    if (frame.is_inlined && !frames.empty()) continue;
    if (frame.is_left_out && frames.empty() && !stack.empty()) continue;
    frames.push_back(&frame);
  }
  std::vector<ModuleAddress> places;
  for (std::size_t i = frames.size(); i-- > 0;) {
    const Frame* next = i + 1 < frames.size() ? frames[i + 1] : nullptr;
    ModuleAddress place = place_in(*frames[i], next);
    const bool has_place = place.module != no_module && place.address.value != 0;
    if (next != nullptr && has_place) place.address = place.address + 1;
    places.push_back(place);
  }
  constexpr double most = 9e15;
  stacks_.add(0, places, static_cast<std::uint64_t>(std::llround(std::min(line.value, most))),
              thread);
}

Expected<ImportedProfile> FoldedImport::finish(Warnings& warnings) {
  if (!stacks_.is_of_program()) {
    return Error{ErrorCode::mismatch,
                 fmt::format("no function of its {} stacks is in {}; name the program that ran",
                             stacks_.stacks(), target_.path),
                 path_, std::nullopt};
  }
  if (stacks_.has_left_out_threads()) {
    warnings.push_back(Error{ErrorCode::mismatch,
                             "holds samples of more threads than are told apart", path_,
                             std::nullopt});
  }
  if (room_.was_short()) {
    warnings.push_back(Error{ErrorCode::unsupported, short_of_room_text(), path_, std::nullopt});
  }
  return stacks_.take(places_, target_.symbols);
}

}  // namespace

bool is_folded(std::string_view start) {
  if (start.find('\0') != std::string_view::npos) return false;
  bool has_any = false;
  for (std::size_t i = 0; i < lines_looked_at; ++i) {
    // The last line may have been cut.
    const bool is_whole = start.find('\n') != std::string_view::npos;
    const auto line = take_line(start);
    if (!line || (!is_whole && has_any)) break;
    const std::string_view text = trim(*line);
    if (text.empty() || text.starts_with('#')) continue;
    if (!parse_folded_line(text)) return false;
    has_any = true;
  }
  return has_any;
}

Expected<void> check_folded(std::string_view text, const std::string& path) {
  return each_folded_line(text, path, [](const FoldedLine&) {});
}

Expected<ImportedProfile> read_folded(std::string_view text, const std::string& path,
                                      const ImportTarget& target, Warnings& warnings) {
  StackMetric metric;
  metric.metric = {"samples", "Samples", "samples", MetricKind::sampled, "folded stacks"};
  FoldedImport import(text.size(), path, target, std::move(metric));
  TRY(each_folded_line(text, path, [&](const FoldedLine& line) { import.take(line); }));
  return import.finish(warnings);
}

}  // namespace gprof
