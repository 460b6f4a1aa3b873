// What the answer to one request is made from: one state of programs, settings and documents.
//
// Ownership: shares the state, borrows the events. Thread contract: one thread; one object per
// request, so that the whole answer comes from one state.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "engine/selection.h"
#include "server/features/file_views.h"
#include "server/protocol/lifecycle.h"
#include "server/protocol/service_events.h"
#include "server/protocol/settings.h"

namespace gprof::lsp {

class TestPrograms;

// By selection_key(): see program_views.h. Programs without one are shown as a whole.
using ProgramSelections = std::map<std::string, Selection>;

struct FeatureContext {
  FileViews views;
  ClientSettings settings;
  const ClientCapabilities& client;
  PositionEncoding encoding = PositionEncoding::utf16;
  ServiceEvents& events;
  // Changes after each load that changed the programs, and when totals are made.
  std::uint64_t generation = 0;
  // The programs of `views` as they were loaded, in the same order; never null.
  ProgramList loaded;
  // Finds programs by the tests that they contain; outlives the request, never null.
  TestPrograms* tests = nullptr;
};

}  // namespace gprof::lsp
