#include "engine/gmon/encoded_profile.h"

#include <utility>

#include "engine/gmon/histogram_set.h"

namespace gprof {

RawProfile decode(EncodedProfile&& stored) {
  RawProfile profile = std::move(stored.decoded);
  if (!stored.histograms.empty()) {
    HistogramSet histograms;
    for (const StoredHistogram& histogram : stored.histograms) {
      histograms.add(histogram, stored.layout.byte_order);
    }
    profile.histograms = histograms.take();
  }
  if (!stored.arcs.empty()) {
    profile.arcs.reserve(profile.arc_records);
    for (const StoredBytes arcs : stored.arcs) {
      each_arc(arcs, stored.layout, [&](const RawArc& arc) { profile.arcs.push_back(arc); });
    }
  }
  return profile;
}

}  // namespace gprof
