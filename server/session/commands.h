// workspace/executeCommand: what a click on a lens, a menu or a key can ask the server to do.
//
// Queries are answered on a worker; commands that change what is shown go through the session
// (settings) or the service (programs).
// Ownership: borrows the service, which outlives it. Thread contract: the I/O thread.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "server/protocol/any_value.h"
#include "server/protocol/commands.h"
#include "server/protocol/reply.h"
#include "server/report_documents/report_texts.h"
#include "server/session/profile_service.h"
#include "server/system/job.h"

namespace gprof::lsp {

class Commands {
 public:
  struct Session {
    std::function<DocumentView(const DocumentUri&)> view;
    // Overrides all other settings until the session ends.
    std::function<void(const SettingsLayer&)> set;
    ReportTexts& reports;
    // The workspace folders, which exports may be written to.
    std::function<std::vector<std::filesystem::path>()> folders;
    // Runs it on the I/O thread, unless the session has ended; any thread may call it.
    std::function<void(Job<>)> post;
  };
  Commands(ProfileService& service, Session session);

  // The commands that the client may send, sorted.
  [[nodiscard]] static std::vector<std::string> names();
  void execute(const std::string& name, const std::vector<AnyValue>& arguments,
               Reply<AnyValue> reply);

 private:
  using Arguments = std::vector<AnyValue>;
  struct Entry {
    const char* name;
    void (Commands::*run)(const Arguments& arguments, Reply<AnyValue> reply);
  };
  static const std::vector<Entry>& table();

  void show_callers(const Arguments& arguments, Reply<AnyValue> reply);
  void show_callees(const Arguments& arguments, Reply<AnyValue> reply);
  void show_neighbours(const Arguments& arguments, bool callers, Reply<AnyValue> reply);
  void show_functions(const Arguments& arguments, Reply<AnyValue> reply);
  void go_to_caller(PlaceArgument place, const std::string& function);
  // None after failing the reply.
  [[nodiscard]] static std::optional<PlaceArgument> place_of(const Arguments& arguments,
                                                             Reply<AnyValue>& reply);
  void open(const Arguments& arguments, Reply<AnyValue> reply);
  void load(const Arguments& arguments, Reply<AnyValue> reply);
  void clear(const Arguments& arguments, Reply<AnyValue> reply);
  void reload(const Arguments& arguments, Reply<AnyValue> reply);
  void select(const Arguments& arguments, Reply<AnyValue> reply);
  void compare(const Arguments& arguments, Reply<AnyValue> reply);
  // An empty base ends the comparison.
  void compare_with(BaseSettings base);
  void show(ProgramSelection selection);
  void set_metric(const Arguments& arguments, Reply<AnyValue> reply);
  void set_metric(const std::string& name);
  void set_selection(const Arguments& arguments, Reply<AnyValue> reply);
  void set_idle(const Arguments& arguments, Reply<AnyValue> reply);
  void set_threshold(const Arguments& arguments, Reply<AnyValue> reply);
  void show_report(const Arguments& arguments, Reply<AnyValue> reply);
  void open_report_or_file(const Arguments& arguments, Reply<AnyValue> reply);
  using OpenReport = Outcome<AnyValue> (*)(FeatureContext& context, ReportTexts& reports,
                                           const ReportAddress& address);
  void report(const Arguments& arguments, OpenReport answer, Reply<AnyValue> reply);
  void export_profile(const Arguments& arguments, Reply<AnyValue> reply);

  ProfileService& service_;
  Session session_;
  ProgramChoices choices_;
};

}  // namespace gprof::lsp
