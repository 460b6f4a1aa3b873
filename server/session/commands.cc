#include "server/session/commands.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/snapshot_view.h"
#include "server/discovery/glob_pattern.h"
#include "server/export/export_answer.h"
#include "server/features/call_hierarchy.h"
#include "server/features/cost_text.h"
#include "server/features/line_functions.h"
#include "server/features/named_program.h"
#include "server/features/program_views.h"
#include "server/loading/choice_list.h"
#include "server/protocol/uri.h"
#include "server/report_documents/report_file.h"
#include "server/report_documents/report_pages.h"
#include "server/system/cache_directory.h"

namespace gprof::lsp {
namespace {

// Editors show each as a button or a line of a menu.
constexpr std::size_t max_functions_of_line = 10;

// The first argument. A reply that fails says which argument was expected and what is wrong with
// the one that came.
template <typename T>
std::optional<T> argument_of(const std::vector<AnyValue>& arguments, std::string_view expected,
                             Reply<AnyValue>& reply) {
  std::string problem = "there is none";
  if (!arguments.empty()) {
    auto read = from_any<T>(arguments.front());
    if (read) return std::move(*read);
    problem = read.error().message;
  }
  reply.fail(ResponseCode::invalid_params, fmt::format("expected {}; {}", expected, problem));
  return std::nullopt;
}

AnyValue neighbours(FeatureContext& context, const PlaceArgument& place, bool callers) {
  const auto view = context.views.of_document();
  if (!view) return to_any(std::vector<Location>());
  const OpenView open_view = context.views.of_program(view->program);
  const auto found = function_at(*view, place.position, open_view, place.function.value_or(""));
  if (!found) return to_any(std::vector<Location>());
  const auto locations =
      callers ? caller_locations(*found, open_view) : callee_locations(*found, open_view);
  if (locations.size() == 1) {
    context.events.show_document(locations.front().uri, locations.front().range);
  }
  return to_any(locations);
}

// Where the most time of the function is called, or is defined if no caller is known.
void open_hottest_caller(FeatureContext& context, const PlaceArgument& place) {
  const auto view = context.views.of_document();
  if (!view) return;
  const OpenView open_view = context.views.of_program(view->program);
  const auto found = function_at(*view, place.position, open_view, place.function.value_or(""));
  if (!found) return;
  const auto callers = caller_locations(*found, open_view);
  if (!callers.empty()) {
    return context.events.show_document(callers.front().uri, callers.front().range);
  }
  const auto name = name_range(found->view, *found->function);
  if (name) context.events.show_document(found->view.uri, *name);
}

// Those of the place's line that ran, the costliest first.
std::vector<FunctionOfLine> functions_at(FeatureContext& context, const PlaceArgument& place) {
  std::vector<FunctionOfLine> functions;
  const auto view = context.views.of_document();
  const auto line = view ? view->build_line(place.position.line + 1) : std::nullopt;
  if (!line) return functions;
  for (const FunctionCost* function : functions_of_line(*view, *line)) {
    if (functions.size() == max_functions_of_line) break;
    if (!has_run(*function)) continue;
    functions.push_back(
        {name_on_line(*view, *function), figures_text(view->program, *function), function->name});
  }
  return functions;
}

Expected<std::filesystem::path> written_report(const ReportSource& source, ReportPage page) {
  const auto directory = report_file_directory();
  if (!directory) {
    return Error{ErrorCode::unreadable,
                 "there is no folder for reports: set HOME or XDG_CACHE_HOME to an absolute path",
                 {},
                 std::nullopt};
  }
  return write_report_file(*directory, source.program->name, page, source.text->text);
}

// Opens the report if the client can show it; else answers with its text.
Outcome<AnyValue> open_report(FeatureContext& context, ReportTexts& reports,
                              const ReportAddress& address) {
  const auto source = made_report(context, reports, address);
  if (!source) return response_error(source.error());
  ShownReport answer{report_uri(address), std::nullopt};
  if (context.client.text_document_content && context.client.show_document) {
    context.events.show_document(answer.uri, std::nullopt);
  } else {
    answer.text = source->text->text;
  }
  return to_any(answer);
}

// The same for clients that do nothing with an answer: without virtual documents, as a file.
Outcome<AnyValue> open_report_or_file(FeatureContext& context, ReportTexts& reports,
                                      const ReportAddress& address) {
  if (context.client.text_document_content) return open_report(context, reports, address);
  const auto source = made_report(context, reports, address);
  if (!source) return response_error(source.error());
  const auto file = written_report(*source, address.page);
  if (!file) return response_error(file.error());
  const DocumentUri uri = uri_from_path(*file);
  context.events.show_document(uri, std::nullopt);
  return to_any(ShownReport{uri, std::nullopt});
}

Expected<void> known_metric(FeatureContext& context, const std::string& name) {
  TRY_ASSIGN(const LoadedProgram* program, named_program(context.views.programs(), std::nullopt));
  if (program == nullptr) {
    return Error{ErrorCode::invalid_argument,
                 fmt::format("no profile is loaded that could have a metric {}; expected one of {}",
                             name, list_of_names<ShownMetric>()),
                 {},
                 std::nullopt};
  }
  TRY(chosen_metric(*program->snapshot, name, context.settings.derived));
  return {};
}

// The key of the program if the selection can be shown, which is then ready to be.
Expected<std::string> selectable(FeatureContext& context, const std::optional<std::string>& name,
                                 const Selection& selection) {
  TRY_ASSIGN(const LoadedProgram* program, required_program(context.views.programs(), name));
  const std::string cost = program->view ? program->view->metric.cost : std::string();
  TRY(view_of(program->snapshot, cost, selection));
  return selection_key(*program);
}

// A path, or the URI of a file.
std::string path_of(const std::string& text) {
  const auto path = path_from_uri(text);
  return path ? path->string() : text;
}

std::vector<std::string> paths_of(const std::vector<std::string>& texts) {
  std::vector<std::string> paths;
  for (const std::string& text : texts) paths.push_back(path_of(text));
  return paths;
}

// What the user is asked to choose from.
struct Question {
  const char* text;
  const char* nothing_to_offer;
  std::vector<OfferedChoice> (*offered)(const std::vector<LoadedProgram>& programs, FileTime now);
  // Called on the I/O thread while there is a client, and so while its Commands exist.
  std::function<void(const ProgramSelection&)> chosen;
};

void ask_user(const Question& question, FeatureContext& context) {
  auto offered = question.offered(context.views.programs(), time_now());
  if (offered.empty()) {
    return context.events.show_message(Severity::info, question.nothing_to_offer);
  }
  std::vector<std::string> titles;
  for (const OfferedChoice& choice : offered) titles.push_back(choice.title);
  context.events.ask(Severity::info, question.text, std::move(titles),
                     [offered = std::move(offered),
                      chosen = question.chosen](const std::optional<std::string>& title) {
                       for (const OfferedChoice& choice : offered) {
                         if (choice.title == title) return chosen(choice.selection);
                       }
                     });
}

// Answered at once: some editors wait for the answer before they let the user choose.
void ask(ProfileService& service, Question question, Reply<AnyValue> reply) {
  run_on_worker(service, DocumentView(), std::move(reply),
                [question = std::move(question)](FeatureContext& context) {
                  ask_user(question, context);
                  return AnyValue();
                });
}

// Nothing selected ends the comparison.
BaseSettings base_of(const ProgramSelection& selection) {
  BaseSettings base;
  base.executable = selection.executable.string();
  for (const auto& profile : selection.profiles) base.profiles.push_back(glob_of(profile));
  return base;
}

}  // namespace

Commands::Commands(ProfileService& service, Session session)
    : service_(service), session_(std::move(session)) {}

const std::vector<Commands::Entry>& Commands::table() {
  static const std::vector<Entry> entries = {
      {"gprof.clear", &Commands::clear},
      {"gprof.compare", &Commands::compare},
      {"gprof.export", &Commands::export_profile},
      {"gprof.load", &Commands::load},
      {"gprof.open", &Commands::open},
      {"gprof.openReportDocument", &Commands::open_report_or_file},
      {"gprof.reload", &Commands::reload},
      {"gprof.select", &Commands::select},
      {"gprof.setIdle", &Commands::set_idle},
      {"gprof.setMetric", &Commands::set_metric},
      {"gprof.setSelection", &Commands::set_selection},
      {"gprof.setThreshold", &Commands::set_threshold},
      {"gprof.showCallees", &Commands::show_callees},
      {"gprof.showCallers", &Commands::show_callers},
      {"gprof.showFunctions", &Commands::show_functions},
      {"gprof.showReport", &Commands::show_report},
  };
  return entries;
}

std::vector<std::string> Commands::names() {
  std::vector<std::string> names;
  for (const Entry& entry : table()) names.emplace_back(entry.name);
  return names;
}

void Commands::execute(const std::string& name, const Arguments& arguments, Reply<AnyValue> reply) {
  const auto found = std::find_if(table().begin(), table().end(),
                                  [&](const Entry& entry) { return entry.name == name; });
  if (found == table().end()) {
    return reply.fail(ResponseCode::invalid_params, "this server knows no command " + name);
  }
  (this->*found->run)(arguments, std::move(reply));
}

void Commands::show_callers(const Arguments& arguments, Reply<AnyValue> reply) {
  show_neighbours(arguments, true, std::move(reply));
}

void Commands::show_callees(const Arguments& arguments, Reply<AnyValue> reply) {
  show_neighbours(arguments, false, std::move(reply));
}

std::optional<PlaceArgument> Commands::place_of(const Arguments& arguments,
                                                Reply<AnyValue>& reply) {
  constexpr std::string_view expected =
      "one argument {uri, position, function?} that names a place in a file";
  auto place = argument_of<PlaceArgument>(arguments, expected, reply);
  if (!place || path_from_uri(place->uri)) return place;
  reply.fail(ResponseCode::invalid_params,
             fmt::format("expected {}; {} is no file's URI", expected, place->uri));
  return std::nullopt;
}

void Commands::show_neighbours(const Arguments& arguments, bool callers, Reply<AnyValue> reply) {
  const auto place = place_of(arguments, reply);
  if (!place) return;
  run_on_worker(service_, session_.view(place->uri), std::move(reply),
                [callers, place = *place](FeatureContext& context) {
                  return neighbours(context, place, callers);
                });
}

// The user chooses whose callers to see. Answered at once, as all questions are.
void Commands::show_functions(const Arguments& arguments, Reply<AnyValue> reply) {
  const auto place = place_of(arguments, reply);
  if (!place) return;
  run_on_worker(service_, session_.view(place->uri), std::move(reply),
                [this, place = *place](FeatureContext& context) {
                  const auto functions = functions_at(context, place);
                  if (functions.empty()) {
                    context.events.show_message(
                        Severity::info, "The profile has no figures for functions of this line.");
                    return to_any(functions);
                  }
                  std::vector<std::string> names;
                  for (const FunctionOfLine& function : functions) names.push_back(function.name);
                  context.events.ask(
                      Severity::info,
                      fmt::format("Functions of line {}, the costliest first. Go to a caller of:",
                                  place.position.line + 1),
                      std::move(names),
                      [this, place, functions](const std::optional<std::string>& name) {
                        for (const FunctionOfLine& function : functions) {
                          if (function.name == name) return go_to_caller(place, function.function);
                        }
                      });
                  return to_any(functions);
                });
}

// Called on the I/O thread while there is a client, and so while its Commands exist.
void Commands::go_to_caller(PlaceArgument place, const std::string& function) {
  place.function = function;
  const DocumentView document = session_.view(place.uri);
  run_on_worker(service_, document, Reply<AnyValue>(),
                [place = std::move(place)](FeatureContext& context) {
                  open_hottest_caller(context, place);
                  return AnyValue();
                });
}

void Commands::open(const Arguments& arguments, Reply<AnyValue> reply) {
  const auto place = argument_of<Location>(arguments, "one argument {uri, range}", reply);
  if (!place) return;
  run_on_worker(service_, DocumentView(), std::move(reply),
                [place = *place](FeatureContext& context) {
                  context.events.show_document(place.uri, place.range);
                  return AnyValue();
                });
}

void Commands::load(const Arguments& arguments, Reply<AnyValue> reply) {
  const auto argument = argument_of<LoadArgument>(
      arguments, "one argument {executable, profiles?: [glob pattern], newest?}", reply);
  if (!argument) return;
  ProgramSettings program;
  program.executable = path_of(argument->executable);
  program.profiles = paths_of(argument->profiles);
  program.newest = argument->newest;
  std::erase_if(choices_.loaded, [&](const ProgramSettings& loaded) {
    return loaded.executable == program.executable;
  });
  choices_.selection = ProgramSelection{program.executable, {}};
  choices_.loaded.insert(choices_.loaded.begin(), std::move(program));
  choices_.cleared = false;
  service_.update_choices(choices_);
  reply.succeed(AnyValue());
}

void Commands::clear(const Arguments&, Reply<AnyValue> reply) {
  choices_ = ProgramChoices();
  choices_.cleared = true;
  service_.update_choices(choices_);
  reply.succeed(AnyValue());
}

void Commands::reload(const Arguments&, Reply<AnyValue> reply) {
  if (std::exchange(choices_.cleared, false)) service_.update_choices(choices_);
  service_.reload();
  reply.succeed(AnyValue());
}

void Commands::select(const Arguments& arguments, Reply<AnyValue> reply) {
  if (arguments.empty()) {
    return ask(service_,
               {"Which profile is to be shown?",
                "No profile is loaded, so there is nothing to choose from.", offered_choices,
                [this](const ProgramSelection& selection) { show(selection); }},
               std::move(reply));
  }
  const auto argument = argument_of<SelectArgument>(
      arguments, "one argument {executable, profiles?: [path]}, or none", reply);
  if (!argument) return;
  ProgramSelection selection{path_of(argument->executable), {}};
  for (const std::string& profile : argument->profiles) {
    selection.profiles.emplace_back(path_of(profile));
  }
  selection.pinned = argument->pinned;
  show(std::move(selection));
  reply.succeed(AnyValue());
}

// `{executable?, profiles?}`; null or `{}` ends the comparison.
void Commands::compare(const Arguments& arguments, Reply<AnyValue> reply) {
  if (arguments.empty()) {
    return ask(service_,
               {"Which profile is it to be compared with?",
                "There is no other profile to compare with: record one more run, or name a base in "
                "the setting gprof.base.",
                offered_bases,
                [this](const ProgramSelection& selection) { compare_with(base_of(selection)); }},
               std::move(reply));
  }
  if (arguments.front().is_null()) {
    compare_with({});
    return reply.succeed(AnyValue());
  }
  const auto argument = argument_of<CompareArgument>(
      arguments, "one argument {executable?, profiles?: [glob pattern]}, null, or none", reply);
  if (!argument) return;
  BaseSettings base;
  if (argument->executable) base.executable = path_of(*argument->executable);
  base.profiles = paths_of(argument->profiles);
  compare_with(std::move(base));
  reply.succeed(AnyValue());
}

void Commands::compare_with(BaseSettings base) {
  SettingsLayer layer;
  layer.set(&ClientSettings::base, std::optional(std::move(base)));
  session_.set(layer);
}

void Commands::show(ProgramSelection selection) {
  choices_.selection = std::move(selection);
  choices_.cleared = false;
  service_.update_choices(choices_);
}

void Commands::show_report(const Arguments& arguments, Reply<AnyValue> reply) {
  report(arguments, open_report, std::move(reply));
}

void Commands::open_report_or_file(const Arguments& arguments, Reply<AnyValue> reply) {
  report(arguments, lsp::open_report_or_file, std::move(reply));
}

void Commands::report(const Arguments& arguments, OpenReport answer, Reply<AnyValue> reply) {
  const auto params =
      argument_of<ReportParams>(arguments, "one argument {kind, program?, options?, file?}", reply);
  if (!params) return;
  run_on_worker(service_, DocumentView(), std::move(reply),
                [&reports = session_.reports, address = report_address(*params),
                 answer](FeatureContext& context) { return answer(context, reports, address); });
}

void Commands::export_profile(const Arguments& arguments, Reply<AnyValue> reply) {
  const auto params = argument_of<ExportArgument>(
      arguments, "one argument {format, program?, path?, table?}", reply);
  if (!params) return;
  run_on_worker(service_, DocumentView(), std::move(reply),
                [params = *params, folders = session_.folders()](FeatureContext& context) {
                  return export_for_editor(context, params, folders);
                });
}

// Those that every profile has are set at once; others, once it is known that there are such.
void Commands::set_metric(const Arguments& arguments, Reply<AnyValue> reply) {
  const auto metric = argument_of<std::string>(arguments, "the name of a metric", reply);
  if (!metric) return;
  if (value_named<ShownMetric>(*metric)) {
    set_metric(*metric);
    return reply.succeed(AnyValue());
  }
  service_.run(DocumentView(), [this, post = session_.post, name = *metric,
                                reply = std::move(reply)](FeatureContext& context) mutable {
    if (const auto known = known_metric(context, name); !known) {
      const ResponseError error = response_error(known.error());
      return reply.fail(error.code, error.message);
    }
    post([this, name, reply = std::move(reply)]() mutable {
      set_metric(name);
      reply.succeed(AnyValue());
    });
  });
}

void Commands::set_metric(const std::string& name) {
  SettingsLayer layer;
  layer.set(&ClientSettings::metric, name);
  session_.set(layer);
}

// `[selection | null, program?]`.
void Commands::set_selection(const Arguments& arguments, Reply<AnyValue> reply) {
  SelectionData selection;
  if (!arguments.empty() && !arguments.front().is_null()) {
    const auto argument = argument_of<SelectionData>(
        arguments, "a first argument {processes?, threads?, from?, to?}, or null", reply);
    if (!argument) return;
    selection = *argument;
  } else if (arguments.empty()) {
    return reply.fail(ResponseCode::invalid_params,
                      "expected a selection {processes?, threads?, from?, to?}, or null for all, "
                      "and a program; there is no argument");
  }
  std::optional<std::string> program;
  if (arguments.size() > 1 && !arguments[1].is_null()) {
    if (arguments[1].string() == nullptr) {
      return reply.fail(ResponseCode::invalid_params,
                        "expected the name of a program as second argument");
    }
    program = *arguments[1].string();
  }
  service_.run(DocumentView(), [this, post = session_.post, program = std::move(program),
                                selection = selection_of(selection),
                                reply = std::move(reply)](FeatureContext& context) mutable {
    const auto key = selectable(context, program, selection);
    if (!key) {
      const ResponseError error = response_error(key.error());
      return reply.fail(error.code, error.message);
    }
    post([this, key = *key, selection = std::move(selection), reply = std::move(reply)]() mutable {
      service_.select(key, std::move(selection));
      reply.succeed(AnyValue());
    });
  });
}

void Commands::set_idle(const Arguments& arguments, Reply<AnyValue> reply) {
  const std::string* name = arguments.empty() ? nullptr : arguments.front().string();
  const auto idle = name != nullptr ? value_named<IdleWaiting>(*name) : std::nullopt;
  if (!idle) {
    return reply.fail(ResponseCode::invalid_params,
                      "expected " + list_of_names<IdleWaiting>() + " as first argument");
  }
  SettingsLayer layer;
  layer.set(&ClientSettings::idle, *idle);
  session_.set(layer);
  reply.succeed(AnyValue());
}

void Commands::set_threshold(const Arguments& arguments, Reply<AnyValue> reply) {
  const auto share = arguments.empty() ? std::nullopt : arguments.front().number();
  if (!share || !(*share >= 0 && *share <= 1)) {
    return reply.fail(ResponseCode::invalid_params, "expected a share from 0 to 1, e.g. 0.005");
  }
  SettingsLayer layer;
  layer.set(&ClientSettings::threshold, *share);
  session_.set(layer);
  reply.succeed(AnyValue());
}

}  // namespace gprof::lsp
