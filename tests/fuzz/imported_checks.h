// Shared by the importers' fuzz targets: a small program whose symbols and lines readers use, and
// checks of what analysis relies on in an imported profile.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "engine/analysis/samples.h"
#include "engine/gmon/sidecar_parts.h"
#include "engine/import/imported_profile.h"
#include "engine/program.h"
#include "engine/support/saturating.h"
#include "tests/fuzz/require.h"

namespace gprof::test {

inline const Program& program() {
  static const auto opened = Program::open(GPROF_LSP_FUZZ_PROGRAM);
  require(opened.has_value(), "the program can be opened");
  return **opened;
}

// The same lines for every function: where they come from is another's concern.
inline ImportTarget target() {
  const auto lines = [](SymbolIndex function, std::string_view) {
    const Symbol& symbol = program().symbols()[function];
    return std::vector<LineCode>{{{symbol.address, symbol.end}, "a.c", 1}};
  };
  return {program().symbols(),
          program().code(),
          program().image().path(),
          lines,
          program().identity().build_id_hex,
          0};
}

// Parts of wholes are in order, and add up to these, unless that is more than can be counted.
template <typename Whole>
void check_parts(const std::vector<Whole>& wholes, const std::vector<SidecarPart>& parts,
                 const Sidecar& sidecar) {
  std::vector<std::uint64_t> sums(wholes.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const SidecarPart& part = parts[i];
    require(part.whole < wholes.size(), "a part's whole is there");
    require(part.slice < sidecar.slices || (part.slice == no_slice && sidecar.slices == 0),
            "a part's slice is there");
    require(part.thread < sidecar.threads.size() || part.thread == no_thread,
            "a part's thread is there");
    sums[part.whole] = saturating_add(sums[part.whole], part.count);
    if (i == 0) continue;
    const SidecarPart& last = parts[i - 1];
    require(std::tie(last.whole, last.thread, last.slice) <
                std::tie(part.whole, part.thread, part.slice),
            "parts are ascending");
  }
  // Without threads and slices there are no parts.
  if (parts.empty() && sidecar.threads.empty()) return;
  for (std::size_t i = 0; i < wholes.size(); ++i) {
    require(sums[i] == wholes[i].count, "parts add up to the whole");
  }
}

// As strict as the reader of sidecars.
inline void check_waits(const Sidecar& sidecar) {
  std::vector<WholeCount> wholes;
  for (const SidecarWait& wait : sidecar.waits) {
    require(wait.longest <= wait.total && wait.times > 0, "a wait has times");
    require(wait.function < sidecar.names.size(), "a wait's function is there");
    wholes.push_back(count_of_whole(wait));
  }
  require(!find_problem(sidecar.waits, sidecar.wait_stacks.size()), "waits are ascending");
  require(!find_problem(sidecar.wait_parts, wholes, sidecar), "parts of waits are sound");
  for (const SidecarStack& stack : sidecar.wait_stacks) {
    require(!stack.frames.empty(), "a wait has a place");
    for (const ModuleAddress& frame : stack.frames) {
      require(frame.module < sidecar.modules.size() || frame.module == no_module,
              "the module of a wait's frame is there");
    }
  }
}

inline void check_sidecar(const Sidecar& sidecar) {
  check_waits(sidecar);
  require(sidecar.slices <= gprof_formats::most_slices, "slices are bounded");
  check_parts(sidecar.samples, sidecar.sample_parts, sidecar);
  if (!sidecar.stacks.empty()) check_parts(sidecar.stacks, sidecar.stack_parts, sidecar);
  for (const SidecarStack& stack : sidecar.stacks) {
    require(!stack.frames.empty(), "a stack has frames");
    for (const ModuleAddress& frame : stack.frames) {
      require(frame.module < sidecar.modules.size() || frame.module == no_module ||
                  frame.module == stack_marks::left_out,
              "a frame's module is there");
    }
  }
}

// Threads whose costs were counted add up to all of them, unless that is more than can be counted.
inline void check_threads(const ImportedProfile& imported) {
  if (imported.threads.empty()) return;
  std::map<Address, std::uint64_t> ticks;
  std::size_t arcs = 0;
  for (const ImportedThread& thread : imported.threads) {
    for (const auto& [address, count] : thread.ticks) {
      ticks[address] = saturating_add(ticks[address], count);
    }
    arcs += thread.arcs->size();
  }
  require(arcs == imported.raw.arcs.size(), "calls are a thread's");
  const auto histograms = histograms_of(ticks);
  require(histograms.size() == imported.raw.histograms.size(), "costs are a thread's");
  require(total_of(histograms) == total_of(imported.raw.histograms), "threads add up");
}

inline void check_profile(const ImportedProfile& imported) {
  const auto& histograms = imported.raw.histograms;
  for (std::size_t i = 0; i < histograms.size(); ++i) {
    require(histograms[i].low < histograms[i].high, "a histogram's range is not empty");
    require(histograms[i].high - histograms[i].low == 2 * histograms[i].bins.size(),
            "a bin is two bytes");
    require(i == 0 || histograms[i - 1].high <= histograms[i].low,
            "histograms are ascending and disjoint");
  }
  require(imported.raw.rate > 0, "ticks have a unit");
  require(!imported.metric.name.empty(), "a metric has a name");
  if (imported.sidecar) check_sidecar(*imported.sidecar);
  check_threads(imported);
  if (imported.external_names) {
    require(imported.sidecar.has_value(), "names are of a sidecar's modules");
    for (const auto& [place, name] : *imported.external_names) {
      require(place.module < imported.sidecar->modules.size(), "a name's module is there");
    }
  }
}

inline void check_metrics(const ImportedProfile& imported) {
  check_profile(imported);
  require(imported.others.size() < 128, "events are bounded");
  for (const ImportedProfile& other : imported.others) {
    require(other.others.empty(), "others have no others");
    require(other.sidecar.has_value() == imported.sidecar.has_value(), "all have threads or none");
    if (other.sidecar) {
      require(other.sidecar->threads.size() == imported.sidecar->threads.size() &&
                  other.sidecar->slices == imported.sidecar->slices,
              "threads and the time line are the same in all");
    }
    check_profile(other);
  }
}

}  // namespace gprof::test
