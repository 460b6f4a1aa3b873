// How a session shows a program: by which metric, and which part of its profile.
//
// Ownership: owns everything, and shares the figures. Thread contract: immutable.
#pragma once

#include <memory>
#include <string>

#include "engine/metrics/derived_metrics.h"
#include "engine/selection.h"
#include "server/protocol/setting_values.h"

namespace gprof::lsp {

class MetricColumns;

// What the name of a metric means for one program.
struct ChosenMetric {
  std::string name = "time";
  std::string cost;                              // a metric of cost; empty: the program's first
  ShownMetric shown = ShownMetric::time;         // what is shown of it
  std::shared_ptr<const DerivedMetric> derived;  // shown as well, and leads; null: none
};

// Of a program whose snapshot is a view of what was loaded (engine/snapshot_view.h), or that is
// shown by a derived metric.
struct ProgramView {
  ChosenMetric metric;
  Selection selection;
  std::string selection_text;  // as selection_text(); empty for all
  // The derived metric's alone; null without one.
  std::shared_ptr<const MetricColumns> derived;
  // There is a base, and nothing is compared with it: a base is of a whole profile.
  bool base_left_out = false;
};

}  // namespace gprof::lsp
