#include "server/export/thread_stacks.h"

#include <algorithm>

#include "engine/snapshot_view.h"

namespace gprof::lsp {
namespace {

// Each thread takes a view, and each view a list of all symbols: of a thread of a program with a
// million functions about a second.
constexpr std::size_t max_threads = 256;
constexpr std::size_t max_recounted_symbols = 8'000'000;

bool is_selected(const Selection& selection, const RecordedThread& thread) {
  const auto holds = [](const auto& list, const auto& value) {
    return std::ranges::find(list, value) != list.end();
  };
  if (!selection.processes.empty() && !holds(selection.processes, thread.process)) return false;
  if (selection.threads.empty() && selection.thread_names.empty()) return true;
  return holds(selection.threads, thread.thread) || holds(selection.thread_names, thread.name);
}

std::vector<ThreadStacks::Count> counts_of(const StackSamples& stacks) {
  std::vector<ThreadStacks::Count> counts;
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    const Ticks ticks = stacks[i].count;
    if (ticks > 0) counts.push_back({static_cast<std::uint32_t>(i), ticks});
  }
  return counts;
}

}  // namespace

Ticks ThreadStacks::of(std::size_t stack) const {
  const auto found = std::ranges::lower_bound(counts, stack, {}, &Count::stack);
  return found != counts.end() && found->stack == stack ? found->ticks : 0;
}

std::vector<ThreadStacks> stacks_by_thread(const std::shared_ptr<const Snapshot>& snapshot) {
  std::vector<ThreadStacks> all;
  const std::vector<RecordedThread>& threads = snapshot->dimensions().threads;
  if (threads.size() > max_threads) return all;
  if (threads.size() * snapshot->symbols().size() > max_recounted_symbols) return all;
  for (const RecordedThread& thread : threads) {
    if (!is_selected(snapshot->selection(), thread)) continue;
    Selection alone = snapshot->selection();
    alone.processes = {thread.process};
    alone.threads = {thread.thread};
    alone.thread_names.clear();
    const auto view = view_of(snapshot, snapshot->cost_metric().name, alone);
    // A view has the numbers of the whole's stacks, or fewer stacks.
    if (!view || (*view)->stacks().size() != snapshot->stacks().size()) return {};
    all.push_back({thread, counts_of((*view)->stacks())});
  }
  return all;
}

}  // namespace gprof::lsp
