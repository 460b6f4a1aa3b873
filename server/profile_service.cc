#include "server/profile_service.h"

#include <atomic>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "server/features/code_lens.h"
#include "server/features/hover.h"
#include "server/features/inlay_hint.h"
#include "server/features/workspace_symbol.h"
#include "server/file_views.h"
#include "server/profile_store.h"
#include "server/protocol/uri.h"
#include "server/worker_pool.h"

namespace gprof::lsp {
namespace {

constexpr std::string_view reload_command = "gprof.reload";
constexpr std::size_t most_symbols = 128;
// Warnings of one load that are shown to the user; all of them are logged.
constexpr std::size_t most_shown_warnings = 3;

// Thread contract: members are called on the I/O thread, as the interface says, but for those
// marked otherwise. What follows `mutex_` is shared with the workers under it.
class LoadingProfileService : public ProfileService {
 public:
  explicit LoadingProfileService(std::size_t worker_threads)
      : workers_(worker_threads), loader_(worker_threads == 0 ? 0 : 1) {}
  ~LoadingProfileService() override { ending_ = true; }

  std::vector<std::string> commands() const override {
    return {std::string(show_callers_command), std::string(show_callees_command),
            std::string(reload_command)};
  }
  void start(ServiceContext context, ServiceEvents& events) override;
  void update_settings(ClientSettings settings) override;
  void update_workspace_folders(std::vector<std::filesystem::path> folders) override;
  void watched_files_changed(std::vector<FileEvent> changes) override;

  void code_lens(DocumentView document, Reply<std::vector<CodeLens>> reply) override;
  void inlay_hint(DocumentView document, Range range, Reply<std::vector<InlayHint>> reply) override;
  void hover(DocumentView document, Position position, Reply<std::optional<Hover>> reply) override;
  void prepare_call_hierarchy(DocumentView document, Position position,
                              Reply<std::vector<CallHierarchyItem>> reply) override;
  void incoming_calls(DocumentView document, CallHierarchyItem item,
                      Reply<std::vector<CallHierarchyIncomingCall>> reply) override;
  void outgoing_calls(DocumentView document, CallHierarchyItem item,
                      Reply<std::vector<CallHierarchyOutgoingCall>> reply) override;
  void workspace_symbol(std::string query, Reply<std::vector<WorkspaceSymbol>> reply) override;
  void execute_command(std::string name, std::vector<AnyValue> arguments,
                       Reply<AnyValue> reply) override;

 private:
  // Runs `answer(views)` on a worker once there is a state to answer from, and sends what it
  // returns.
  template <typename Result, typename Answer>
  void answer(DocumentView document, Reply<Result> reply, Answer answer);
  void show_neighbours(bool callers, const std::vector<AnyValue>& arguments, Reply<AnyValue> reply);

  [[nodiscard]] bool demangles() const;
  void queue_load();
  // On the loader's thread.
  void load();
  void tell(const LoadReport& report);
  // On a worker: what was found only when a file was first looked at (a missing .dwo).
  void tell_late_warnings(const std::vector<LoadedProgram>& programs);
  void release_waiting();

  ServiceEvents* events_ = nullptr;
  PositionEncoding encoding_ = PositionEncoding::utf16;
  MarkupKind hover_kind_ = MarkupKind::plaintext;
  ProfileStore store_;
  std::atomic<bool> ending_ = false;

  mutable std::mutex mutex_;
  ServiceContext context_;
  bool load_queued_ = false;
  // Requests that arrived before the first load was done.
  bool first_load_done_ = false;
  std::vector<Job> waiting_;
  std::set<std::filesystem::path> files_;
  std::set<std::string> told_;

  // Last: their threads end first.
  WorkerPool workers_;
  WorkerPool loader_;
};

void LoadingProfileService::start(ServiceContext context, ServiceEvents& events) {
  events_ = &events;
  encoding_ = context.encoding;
  hover_kind_ = context.client.hover_markdown ? MarkupKind::markdown : MarkupKind::plaintext;
  {
    const std::lock_guard lock(mutex_);
    context_ = std::move(context);
  }
  queue_load();
}

void LoadingProfileService::update_settings(ClientSettings settings) {
  bool other_programs = false;
  {
    const std::lock_guard lock(mutex_);
    other_programs = settings.programs != context_.settings.programs;
    context_.settings = std::move(settings);
  }
  if (other_programs) {
    queue_load();
  } else {
    events_->refresh();
  }
}

void LoadingProfileService::update_workspace_folders(std::vector<std::filesystem::path> folders) {
  {
    const std::lock_guard lock(mutex_);
    context_.workspace_folders = std::move(folders);
  }
  queue_load();
}

void LoadingProfileService::watched_files_changed(std::vector<FileEvent> changes) {
  bool concerned = false;
  for (const FileEvent& event : changes) {
    const auto path = path_from_uri(event.uri);
    if (!path) continue;
    const std::lock_guard lock(mutex_);
    concerned = concerned || files_.contains(*path) || is_profile_name(path->filename().string());
  }
  if (concerned) queue_load();
}

bool LoadingProfileService::demangles() const {
  const std::lock_guard lock(mutex_);
  return context_.settings.demangle;
}

void LoadingProfileService::queue_load() {
  {
    const std::lock_guard lock(mutex_);
    if (load_queued_) return;
    load_queued_ = true;
  }
  loader_.post([this] { load(); });
}

void LoadingProfileService::load() {
  ClientSettings settings;
  std::vector<std::filesystem::path> folders;
  {
    const std::lock_guard lock(mutex_);
    load_queued_ = false;
    settings = context_.settings;
    folders = context_.workspace_folders;
  }
  const ProgressId progress = events_->begin_progress("Loading profile");
  const LoadReport report = store_.load(
      settings, folders,
      [&](std::string_view step, double share) {
        events_->report_progress(progress, static_cast<std::uint32_t>(share * 100),
                                 std::string(step));
      },
      ending_);
  events_->end_progress(progress, report.loaded == 0 ? "No profile loaded" : "Profile loaded");
  if (ending_) return;
  tell(report);
  release_waiting();
  events_->refresh();
}

void LoadingProfileService::tell(const LoadReport& report) {
  for (const std::string& remark : report.remarks) events_->log(LogLevel::info, remark);
  std::vector<std::string> patterns;
  std::set<std::string> news;
  {
    const std::lock_guard lock(mutex_);
    files_.clear();
    for (const auto& file : report.files) files_.insert(file.lexically_normal());
    for (const auto& folder : context_.workspace_folders) {
      patterns.push_back((folder / "**" / "gmon.{out,sum}").string());
    }
    for (const auto& file : files_) patterns.push_back(file.string());
    // What was told and still holds is not told again; what went away may come back as news.
    for (const Error& error : report.failures) news.insert(describe(error));
    for (const Error& error : report.warnings) news.insert(describe(error));
    std::swap(told_, news);
  }
  events_->watch_files(std::move(patterns));
  const std::set<std::string>& told_before = news;
  for (const Error& error : report.failures) {
    if (!told_before.contains(describe(error))) {
      events_->show_message(Severity::error, describe(error));
    }
  }
  std::size_t shown = 0;
  for (const Error& warning : report.warnings) {
    const std::string text = describe(warning);
    if (told_before.contains(text)) continue;
    if (shown++ < most_shown_warnings) {
      events_->show_message(Severity::warning, text);
    } else {
      events_->log(LogLevel::warning, text);
    }
  }
}

void LoadingProfileService::tell_late_warnings(const std::vector<LoadedProgram>& programs) {
  std::vector<std::string> news;
  for (const LoadedProgram& program : programs) {
    for (const Error& warning : program.snapshot->warnings()) {
      std::string text = describe(warning);
      const std::lock_guard lock(mutex_);
      if (told_.insert(text).second) news.push_back(std::move(text));
    }
  }
  for (std::size_t i = 0; i < news.size(); ++i) {
    if (i < most_shown_warnings) {
      events_->show_message(Severity::warning, news[i]);
    } else {
      events_->log(LogLevel::warning, news[i]);
    }
  }
}

void LoadingProfileService::release_waiting() {
  std::vector<Job> waiting;
  {
    const std::lock_guard lock(mutex_);
    first_load_done_ = true;
    waiting.swap(waiting_);
  }
  for (Job& job : waiting) workers_.post(std::move(job));
}

template <typename Result, typename Answer>
void LoadingProfileService::answer(DocumentView document, Reply<Result> reply, Answer answer) {
  Job job = [this, document = std::move(document), reply = std::move(reply),
             answer = std::move(answer)]() mutable {
    if (reply.cancelled()) {
      reply.fail(ResponseCode::request_cancelled, "cancelled by the client");
      return;
    }
    FileViews views(store_.programs(), std::move(document), encoding_, demangles());
    reply.succeed(answer(views));
    tell_late_warnings(views.programs());
  };
  {
    const std::lock_guard lock(mutex_);
    if (!first_load_done_) {
      waiting_.push_back(std::move(job));
      return;
    }
  }
  workers_.post(std::move(job));
}

void LoadingProfileService::code_lens(DocumentView document, Reply<std::vector<CodeLens>> reply) {
  answer(std::move(document), std::move(reply), [this](FileViews& views) {
    {
      const std::lock_guard lock(mutex_);
      if (!context_.settings.code_lens) return std::vector<CodeLens>();
    }
    const auto view = views.of_document();
    return view ? code_lenses(*view) : std::vector<CodeLens>();
  });
}

void LoadingProfileService::inlay_hint(DocumentView document, Range range,
                                       Reply<std::vector<InlayHint>> reply) {
  answer(std::move(document), std::move(reply), [this, range](FileViews& views) {
    double threshold = 0;
    {
      const std::lock_guard lock(mutex_);
      // A client that draws line data itself would show it twice.
      if (!context_.settings.inlay_hints || context_.client.gprof_decorations) {
        return std::vector<InlayHint>();
      }
      threshold = context_.settings.threshold;
    }
    const auto view = views.of_document();
    return view ? inlay_hints(*view, range, threshold) : std::vector<InlayHint>();
  });
}

void LoadingProfileService::hover(DocumentView document, Position position,
                                  Reply<std::optional<Hover>> reply) {
  answer(std::move(document), std::move(reply),
         [position, kind = hover_kind_](FileViews& views) -> std::optional<Hover> {
           const auto view = views.of_document();
           if (!view) return std::nullopt;
           return lsp::hover(*view, position, kind, views.of_program(view->program));
         });
}

void LoadingProfileService::prepare_call_hierarchy(DocumentView document, Position position,
                                                   Reply<std::vector<CallHierarchyItem>> reply) {
  answer(std::move(document), std::move(reply), [position](FileViews& views) {
    std::vector<CallHierarchyItem> items;
    const auto view = views.of_document();
    if (!view) return items;
    const auto found = function_at(*view, position, views.of_program(view->program));
    if (!found) return items;
    if (auto item = hierarchy_item(found->view, *found->function)) items.push_back(*item);
    return items;
  });
}

void LoadingProfileService::incoming_calls(DocumentView document, CallHierarchyItem item,
                                           Reply<std::vector<CallHierarchyIncomingCall>> reply) {
  answer(std::move(document), std::move(reply), [item = std::move(item)](FileViews& views) {
    for (const LoadedProgram& program : views.programs()) {
      const OpenView open_view = views.of_program(program);
      const auto found = function_of_item(program, item, open_view);
      if (found) return lsp::incoming_calls(*found, open_view);
    }
    return std::vector<CallHierarchyIncomingCall>();
  });
}

void LoadingProfileService::outgoing_calls(DocumentView document, CallHierarchyItem item,
                                           Reply<std::vector<CallHierarchyOutgoingCall>> reply) {
  answer(std::move(document), std::move(reply), [item = std::move(item)](FileViews& views) {
    for (const LoadedProgram& program : views.programs()) {
      const OpenView open_view = views.of_program(program);
      const auto found = function_of_item(program, item, open_view);
      if (found) return lsp::outgoing_calls(*found, open_view);
    }
    return std::vector<CallHierarchyOutgoingCall>();
  });
}

void LoadingProfileService::workspace_symbol(std::string query,
                                             Reply<std::vector<WorkspaceSymbol>> reply) {
  answer(DocumentView(), std::move(reply), [query = std::move(query)](FileViews& views) {
    std::vector<WorkspaceSymbol> symbols;
    for (const LoadedProgram& program : views.programs()) {
      auto more = workspace_symbols(program, query, most_symbols - symbols.size(),
                                    views.of_program(program));
      symbols.insert(symbols.end(), more.begin(), more.end());
    }
    return symbols;
  });
}

void LoadingProfileService::execute_command(std::string name, std::vector<AnyValue> arguments,
                                            Reply<AnyValue> reply) {
  if (name == reload_command) {
    queue_load();
    reply.succeed(AnyValue());
    return;
  }
  show_neighbours(name == show_callers_command, arguments, std::move(reply));
}

void LoadingProfileService::show_neighbours(bool callers, const std::vector<AnyValue>& arguments,
                                            Reply<AnyValue> reply) {
  const auto place = arguments.empty() ? std::nullopt : any_place(arguments.front());
  const auto path = place ? path_from_uri(place->text_document.uri) : std::nullopt;
  if (!path) {
    reply.fail(ResponseCode::invalid_params,
               "expected one argument {uri, position} that names a place in a file");
    return;
  }
  DocumentView document = {place->text_document.uri, *path, nullptr};
  answer(std::move(document), std::move(reply),
         [this, callers, position = place->position](FileViews& views) {
           const auto view = views.of_document();
           if (!view) return to_any(std::vector<Location>());
           const OpenView open_view = views.of_program(view->program);
           const auto found = function_at(*view, position, open_view);
           if (!found) return to_any(std::vector<Location>());
           const auto locations =
               callers ? caller_locations(*found, open_view) : callee_locations(*found, open_view);
           if (locations.size() == 1) {
             events_->show_document(locations.front().uri, locations.front().range);
           }
           return to_any(locations);
         });
}

}  // namespace

std::unique_ptr<ProfileService> make_profile_service(std::size_t worker_threads) {
  return std::make_unique<LoadingProfileService>(worker_threads);
}

}  // namespace gprof::lsp
