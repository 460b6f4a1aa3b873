// The views of a snapshot that were asked for last.
//
// A view that is handed out keeps its snapshot alive; one that is kept here does not, as the
// snapshot owns it.
//
// Thread contract: any thread; one view is made at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "engine/selection.h"
#include "engine/support/expected.h"

namespace gprof {

class Recording;
class Snapshot;

class SnapshotViews {
 public:
  using View = std::shared_ptr<const Snapshot>;

  // The view that is kept, or the one that `make` makes, which is kept if it is no error.
  [[nodiscard]] Expected<View> find_or_make(const std::string& cost, const Selection& selection,
                                            const std::function<Expected<View>()>& make);
  // What views are made from, where the snapshot has it not in memory: what `read` reads is kept if
  // it is no error.
  using Parts = std::shared_ptr<const Recording>;
  [[nodiscard]] Expected<Parts> find_or_read(const std::function<Expected<Parts>()>& read);

 private:
  struct Kept {
    std::string cost;
    Selection selection;
    View view;
  };

  std::recursive_mutex mutex_;  // a view of a selection is made of its metric's view
  std::list<Kept> kept_;        // newest first
  Parts parts_;
};

}  // namespace gprof
