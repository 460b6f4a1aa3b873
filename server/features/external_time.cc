#include "server/features/external_time.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "engine/object/demangle.h"
#include "server/features/external_names.h"
#include "server/text/source_names.h"

namespace gprof::lsp {
namespace {

constexpr std::size_t most_named = 3;

// The functions of one library that are named.
struct LibraryTime {
  std::string_view module;
  std::string names;
  Ticks ticks = 0;
};

std::string name_of(const MarkupWriter& out, const ExternalCode& code) {
  return code.function.empty() ? "other code"
                               : out.link(as_written(demangle(code.function).name), "");
}

// Most time first.
std::vector<LibraryTime> by_library(const MarkupWriter& out,
                                    std::span<const ExternalCallee> callees) {
  std::vector<LibraryTime> libraries;
  for (const ExternalCallee& callee : callees) {
    auto library = std::find_if(libraries.begin(), libraries.end(), [&](const LibraryTime& known) {
      return known.module == callee.code.module;
    });
    if (library == libraries.end()) {
      library = libraries.insert(libraries.end(), {callee.code.module, "", 0});
    }
    const bool only_code = library->names.empty() && callee.code.function.empty();
    if (!library->names.empty()) library->names += ", ";
    library->names += only_code ? "code" : name_of(out, callee.code);
    library->ticks += callee.ticks;
  }
  std::stable_sort(libraries.begin(), libraries.end(),
                   [](const LibraryTime& a, const LibraryTime& b) { return a.ticks > b.ticks; });
  return libraries;
}

}  // namespace

std::string external_time_text(const MarkupWriter& out, const FileView& view,
                               std::span<const ExternalCall> calls,
                               const std::function<std::string(Ticks)>& amount) {
  const Snapshot& snapshot = view.snapshot();
  const std::vector<ExternalCallee> callees =
      external_callees(snapshot.symbols(), snapshot.code(), snapshot.stacks(), calls);
  const std::size_t named = std::min(callees.size(), most_named);
  // What libraries call back is part of a counted call's cost; stacks tell it apart.
  const std::string_view in = snapshot.measured().counted() != nullptr ? "in calls to" : "in";
  std::string text;
  for (const LibraryTime& library : by_library(out, std::span(callees).first(named))) {
    text += fmt::format(
        "{}{} {}{} {} of {}", text.empty() ? "" : ", ", amount(library.ticks),
        text.empty() ? "is " : "", in, library.names,
        library.module.empty() ? "an unknown library" : out.link(library_name(library.module), ""));
  }
  Ticks rest = 0;
  for (std::size_t i = named; i < callees.size(); ++i) rest += callees[i].ticks;
  if (rest >= 1) text += fmt::format(", {} {} other functions of libraries", amount(rest), in);
  return text;
}

}  // namespace gprof::lsp
