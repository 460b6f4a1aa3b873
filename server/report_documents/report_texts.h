// The texts of reports as virtual documents: made on first request and kept while they are open, so
// that links, folds and definitions refer to exactly the text that was shown.
//
// One object per session. Bounded: the newest few texts, of limited size.
// Ownership: shares texts and snapshots. Thread contract: any thread; concurrent requests for one
// text make it once.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/report_documents/report_address.h"
#include "server/report_documents/report_text.h"

namespace gprof::lsp {

class ReportTexts {
 public:
  // What `gprof-lsp report` prints for the shown executable and profiles. Errors: those of the
  // address and of the report; a text too large for a document.
  [[nodiscard]] Expected<std::shared_ptr<const ReportText>> text(const LoadedProgram& program,
                                                                 const ReportAddress& address,
                                                                 bool demangle);

  // What a report is made of.
  struct State {
    std::weak_ptr<const Snapshot> whole;  // as it was loaded
    std::string part;  // which of it, and by which metric; empty where the report is of all
    bool demangle = true;
  };
  // `program` may be null: there is none.
  [[nodiscard]] static State state_of(const LoadedProgram* program, const ReportAddress& address,
                                      bool demangle);

  // The client shows the document, and is notified when its text is replaced.
  void opened(const DocumentUri& uri, State state);
  void closed(const DocumentUri& uri);
  [[nodiscard]] bool has_shown() const;
  // The documents made from an outdated state of their program, each returned once.
  // `current(address)` returns the state shown now.
  using Current = std::function<State(const ReportAddress&)>;
  [[nodiscard]] std::vector<DocumentUri> take_outdated(const Current& current);

 private:
  struct Key {
    State state;
    std::string report;  // the address without its program

    [[nodiscard]] bool matches(const Key& other) const;
  };
  // Filled by the first caller; others wait for it.
  struct Entry {
    Key key;
    std::once_flag made;
    std::optional<Error> error;
    std::shared_ptr<const ReportText> text;
  };
  struct ShownReport {
    DocumentUri uri;
    State state;
  };

  [[nodiscard]] std::shared_ptr<Entry> entry(Key key);
  void forget(const std::shared_ptr<Entry>& entry);
  void drop_old();

  mutable std::mutex mutex_;
  std::list<std::shared_ptr<Entry>> entries_;  // newest first
  std::list<ShownReport> shown_;               // newest first
};

}  // namespace gprof::lsp
