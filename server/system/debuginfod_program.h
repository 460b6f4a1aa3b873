// debuginfod-find, the program that does what libdebuginfod does: for a server that cannot load the
// library, because it is not there or because the server is linked statically.
//
// It is searched in the absolute folders of PATH and run without a shell, with the environment of
// this process. Thread contract: any thread, several at once. Errors: not_found if there is no such
// program.
#pragma once

#include <string>
#include <string_view>

#include "engine/support/expected.h"
#include "server/system/debuginfod_library.h"

namespace gprof::lsp {

// As DebuginfodLibrary::find_debug_information(), by running the program; it is ended when
// `progress` says so, and what it had received is removed.
Expected<DebuginfodLibrary::Fetched> find_by_debuginfod_program(
    const std::string& build_id_hex, const DebuginfodLibrary::Progress& progress);

// What it says on standard error: how far it is, and why it failed. What is too long for a line of
// it is let go.
class DebuginfodMessages {
 public:
  void add(std::string_view text);

  [[nodiscard]] long done() const { return done_; }
  [[nodiscard]] long total() const { return total_; }
  // As an errno; ENOENT is what no server has. 0 if it has told of none.
  [[nodiscard]] int error() const { return error_; }

 private:
  void take_line();

  std::string line_;
  long done_ = 0;
  long total_ = 0;
  int error_ = 0;
};

}  // namespace gprof::lsp
