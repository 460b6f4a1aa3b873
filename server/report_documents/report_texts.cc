#include "server/report_documents/report_texts.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/report/report.h"
#include "engine/snapshot_view.h"
#include "engine/support/input_file.h"
#include "server/report_documents/estimate_note.h"
#include "server/report_documents/measured_report.h"

namespace gprof::lsp {
namespace {

constexpr std::size_t most_texts = 8;
constexpr std::size_t most_text_bytes = std::size_t{32} << 20;
constexpr std::size_t most_kept_bytes = std::size_t{64} << 20;
constexpr std::size_t most_documents = 64;

// An address of another build is that of another function.
void forget_functions(ReportRanges& parts) {
  std::erase_if(parts.ranges,
                [](const ReportRange& range) { return range.kind == RangeKind::function; });
}

// One below the other.
ReportText joined(ReportText first, ReportText second) {
  const std::size_t shift = first.text.size();
  const std::size_t files = first.parts.files.size();
  for (ReportRange range : second.parts.ranges) {
    range.begin += shift;
    range.end += shift;
    if (range.kind == RangeKind::file) range.subject += files;
    first.parts.ranges.push_back(range);
  }
  for (std::string& file : second.parts.files) first.parts.files.push_back(std::move(file));
  first.text += second.text;
  first.lines = LineTable(first.text);
  return first;
}

Expected<ReportText> printed_text(const LoadedProgram& program, const ReportAddress& address,
                                  bool demangle) {
  const auto request = report_request(address, program, demangle);
  if (!request) return request.error();
  auto output = make_report(*request);
  if (!output) return std::move(output).error();
  if (output->failure) return *output->failure;
  const Image& image = program.snapshot->image();
  if (file_stamp(image.path()) != image.stamp()) forget_functions(output->ranges);
  ReportText printed = report_text(std::move(output->text), std::move(output->ranges),
                                   address.page == ReportPage::name_index);
  const bool has_estimates = !request->accurate && (address.page == ReportPage::call_graph ||
                                                    address.page == ReportPage::everything);
  std::string note = has_estimates ? estimate_note(program, demangle) : "";
  if (note.empty()) return printed;
  return joined(report_text(std::move(note), {}, false), std::move(printed));
}

Expected<ReportText> any_text(const LoadedProgram& program, const ReportAddress& address,
                              bool demangle) {
  if (!is_measured_report(program, address)) return printed_text(program, address, demangle);
  ReportText measured = measured_report(program, address, demangle, most_text_bytes);
  if (address.page != ReportPage::everything) return measured;
  ReportAddress flat = address;
  flat.page = ReportPage::flat_profile;
  TRY_ASSIGN(ReportText profile, printed_text(program, flat, demangle));
  profile.text += '\n';
  return joined(std::move(profile), std::move(measured));
}

Expected<ReportText> make_text(const LoadedProgram& program, const ReportAddress& address,
                               bool demangle) {
  TRY_ASSIGN(ReportText report, any_text(program, address, demangle));
  if (report.text.size() > most_text_bytes) {
    return Error{ErrorCode::unsupported,
                 fmt::format("the report is larger than the {} MiB of a document; gprof-lsp report "
                             "prints it",
                             most_text_bytes >> 20U),
                 program.snapshot->image().path(), std::nullopt};
  }
  return report;
}

std::size_t size_of(const ReportText& report) {
  return report.text.size() + report.parts.ranges.size() * sizeof(ReportRange);
}

template <typename T>
bool same(const std::weak_ptr<const T>& a, const std::weak_ptr<const T>& b) {
  return !a.owner_before(b) && !b.owner_before(a);
}

// Told apart from every other part.
std::string part_text(const LoadedProgram& program) {
  const Selection& selection = program.view->selection;
  std::string text =
      fmt::format("{}\n{}\n{}\n{} {}", program.snapshot->cost_metric().name,
                  fmt::join(selection.processes, " "), fmt::join(selection.threads, " "),
                  selection.from.value_or(-1), selection.to.value_or(-1));
  for (const std::string& name : selection.thread_names) text += "\n" + name;
  return text;
}

template <typename State>
bool same_state(const State& a, const State& b) {
  return same(a.whole, b.whole) && a.part == b.part && a.demangle == b.demangle;
}

}  // namespace

bool ReportTexts::Key::matches(const Key& other) const {
  return same_state(state, other.state) && report == other.report;
}

ReportTexts::State ReportTexts::state_of(const LoadedProgram* program, const ReportAddress& address,
                                         bool demangle) {
  State state;
  state.demangle = demangle;
  if (program == nullptr) return state;
  const auto whole = whole_of(program->snapshot);
  state.whole = whole;
  const auto request = report_request(address, *program, demangle);
  const bool is_of_part = (request && request->view) || is_measured_report(*program, address);
  if (is_of_part && program->view) state.part = part_text(*program);
  return state;
}

Expected<std::shared_ptr<const ReportText>> ReportTexts::text(const LoadedProgram& program,
                                                              const ReportAddress& address,
                                                              bool demangle) {
  const std::shared_ptr<Entry> entry = this->entry(
      {state_of(&program, address, demangle),
       fmt::format("{}\n{}\n{}", name_of(address.page), address.options, address.file)});
  std::call_once(entry->made, [&] {
    auto made = make_text(program, address, demangle);
    if (!made) {
      entry->error = std::move(made).error();
      return;
    }
    auto text = std::make_shared<const ReportText>(std::move(*made));
    const std::lock_guard lock(mutex_);
    entry->text = std::move(text);
  });
  if (entry->error) {
    // Files may exist the next time.
    forget(entry);
    return *entry->error;
  }
  const std::lock_guard lock(mutex_);
  drop_old();
  return entry->text;
}

std::shared_ptr<ReportTexts::Entry> ReportTexts::entry(Key key) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const auto& entry) { return entry->key.matches(key); });
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
  } else {
    entries_.push_front(std::make_shared<Entry>());
    entries_.front()->key = std::move(key);
  }
  return entries_.front();
}

void ReportTexts::forget(const std::shared_ptr<Entry>& entry) {
  const std::lock_guard lock(mutex_);
  entries_.remove(entry);
}

// Under the lock. Keeps the newest one, whatever its size.
void ReportTexts::drop_old() {
  std::size_t count = 0;
  std::size_t bytes = 0;
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    if (const auto& text = (*entry)->text) bytes += size_of(*text);
    const bool is_gone = (*entry)->key.state.whole.expired();
    const bool is_too_much = ++count > most_texts || (bytes > most_kept_bytes && count > 1);
    entry = is_gone || is_too_much ? entries_.erase(entry) : std::next(entry);
  }
}

void ReportTexts::opened(const DocumentUri& uri, State state) {
  const std::lock_guard lock(mutex_);
  shown_.remove_if([&](const ShownReport& report) { return report.uri == uri; });
  shown_.push_front({uri, std::move(state)});
  if (shown_.size() > most_documents) shown_.pop_back();
}

void ReportTexts::closed(const DocumentUri& uri) {
  const std::lock_guard lock(mutex_);
  shown_.remove_if([&](const ShownReport& report) { return report.uri == uri; });
}

bool ReportTexts::has_shown() const {
  const std::lock_guard lock(mutex_);
  return !shown_.empty();
}

std::vector<DocumentUri> ReportTexts::take_outdated(const Current& current) {
  std::vector<DocumentUri> outdated;
  const std::lock_guard lock(mutex_);
  for (ShownReport& report : shown_) {
    const auto address = parse_report_uri(report.uri);
    if (!address) continue;
    State now = current(*address);
    if (same_state(now, report.state)) continue;
    report.state = std::move(now);
    outdated.push_back(report.uri);
  }
  return outdated;
}

}  // namespace gprof::lsp
