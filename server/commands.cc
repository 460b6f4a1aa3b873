#include "server/commands.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "server/export/export_answer.h"
#include "server/features/call_hierarchy.h"
#include "server/programs/choice_list.h"
#include "server/programs/glob_pattern.h"
#include "server/protocol/uri.h"
#include "server/report_pages.h"

namespace gprof::lsp {
namespace {

void refuse(Reply<AnyValue>& reply, std::string expected) {
  reply.fail(ResponseCode::invalid_params, "expected " + std::move(expected));
}

AnyValue neighbours(FeatureContext& context, Position position, bool callers) {
  const auto view = context.views.of_document();
  if (!view) return to_any(std::vector<Location>());
  const OpenView open_view = context.views.of_program(view->program);
  const auto found = function_at(*view, position, open_view);
  if (!found) return to_any(std::vector<Location>());
  const auto locations =
      callers ? caller_locations(*found, open_view) : callee_locations(*found, open_view);
  if (locations.size() == 1) {
    context.events.show_document(locations.front().uri, locations.front().range);
  }
  return to_any(locations);
}

// Opens the report where the client can show it, and answers its text where it cannot.
Outcome<AnyValue> open_report(FeatureContext& context, ReportTexts& reports,
                              const ReportAddress& address) {
  const auto source = made_report(context, reports, address);
  if (!source) return response_error(source.error());
  AnyValue::Object answer = {{"uri", AnyValue(report_uri(address))}};
  if (context.client.text_document_content && context.client.show_document) {
    context.events.show_document(report_uri(address), std::nullopt);
  } else {
    answer.emplace_back("text", AnyValue(source->text->text));
  }
  return AnyValue(std::move(answer));
}

std::vector<std::string> strings_of(const AnyValue* value) {
  std::vector<std::string> strings;
  if (value == nullptr || value->array() == nullptr) return strings;
  for (const AnyValue& element : *value->array()) {
    if (element.string() != nullptr) strings.push_back(*element.string());
  }
  return strings;
}

// A path, or the URI of a file.
std::string path_of(const std::string& text) {
  const auto path = path_from_uri(text);
  return path ? path->string() : text;
}

// `{executable, profiles?}`.
std::optional<ProgramSettings> program_of(const std::vector<AnyValue>& arguments) {
  if (arguments.empty()) return std::nullopt;
  const AnyValue* executable = arguments.front().find("executable");
  if (executable == nullptr || executable->string() == nullptr) return std::nullopt;
  ProgramSettings program;
  program.executable = path_of(*executable->string());
  for (const std::string& profile : strings_of(arguments.front().find("profiles"))) {
    program.profiles.push_back(path_of(profile));
  }
  const AnyValue* newest = arguments.front().find("newest");
  const bool* wanted = newest != nullptr ? newest->boolean() : nullptr;
  program.newest = wanted != nullptr && *wanted;
  return program;
}

// A title without a program ends the comparison.
std::optional<BaseSettings> base_of(const OfferedChoice& choice) {
  if (choice.selection.executable.empty()) return std::nullopt;
  BaseSettings base;
  base.executable = choice.selection.executable.string();
  for (const auto& profile : choice.selection.profiles) {
    base.profiles.push_back(glob_of(profile));
  }
  return base;
}

}  // namespace

Commands::Commands(ProfileService& service, ServiceEvents& events, Session session)
    : service_(service), events_(events), session_(std::move(session)) {}

const std::vector<Commands::Entry>& Commands::table() {
  static const std::vector<Entry> entries = {
      {"gprof.clear", &Commands::clear},
      {"gprof.compare", &Commands::compare},
      {"gprof.export", &Commands::export_profile},
      {"gprof.load", &Commands::load},
      {"gprof.reload", &Commands::reload},
      {"gprof.select", &Commands::select},
      {"gprof.setMetric", &Commands::set_metric},
      {"gprof.setThreshold", &Commands::set_threshold},
      {"gprof.showCallees", &Commands::show_callees},
      {"gprof.showCallers", &Commands::show_callers},
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

void Commands::show_neighbours(const Arguments& arguments, bool callers, Reply<AnyValue> reply) {
  const auto place = arguments.empty() ? std::nullopt : any_place(arguments.front());
  if (!place || !path_from_uri(place->text_document.uri)) {
    return refuse(reply, "one argument {uri, position} that names a place in a file");
  }
  answer(service_, session_.view(place->text_document.uri), std::move(reply),
         [callers, position = place->position](FeatureContext& context) {
           return neighbours(context, position, callers);
         });
}

void Commands::load(const Arguments& arguments, Reply<AnyValue> reply) {
  auto program = program_of(arguments);
  if (!program)
    return refuse(reply, "one argument {executable, profiles?: [glob pattern], newest?}");
  std::erase_if(choices_.loaded, [&](const ProgramSettings& loaded) {
    return loaded.executable == program->executable;
  });
  choices_.selection = ProgramSelection{program->executable, {}};
  choices_.loaded.insert(choices_.loaded.begin(), std::move(*program));
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
  if (arguments.empty()) return ask_what_to_show(std::move(reply));
  const auto program = program_of(arguments);
  if (!program) return refuse(reply, "one argument {executable, profiles?: [path]}, or none");
  ProgramSelection selection{program->executable, {}};
  for (const std::string& profile : program->profiles) selection.profiles.emplace_back(profile);
  show(std::move(selection));
  reply.succeed(AnyValue());
}

// `{executable?, profiles?}`, either of which may be left out; null or `{}` ends the comparison.
void Commands::compare(const Arguments& arguments, Reply<AnyValue> reply) {
  if (arguments.empty()) return ask_what_to_compare_with(std::move(reply));
  const AnyValue& argument = arguments.front();
  const AnyValue* executable = argument.find("executable");
  const bool fits =
      (argument.is_null() || argument.object() != nullptr) &&
      (executable == nullptr || executable->is_null() || executable->string() != nullptr);
  if (!fits) {
    return refuse(reply, "one argument {executable?, profiles?: [glob pattern]}, null, or none");
  }
  BaseSettings base;
  if (executable != nullptr && executable->string() != nullptr) {
    base.executable = path_of(*executable->string());
  }
  for (const std::string& profile : strings_of(argument.find("profiles"))) {
    base.profiles.push_back(path_of(profile));
  }
  compare_with(base);
  reply.succeed(AnyValue());
}

void Commands::compare_with(const std::optional<BaseSettings>& base) {
  SettingsLayer layer;
  layer.base = base.value_or(BaseSettings());
  session_.set(layer);
}

void Commands::ask_what_to_compare_with(Reply<AnyValue> reply) {
  answer(service_, DocumentView(), std::move(reply), [this](FeatureContext& context) {
    auto offered = offered_bases(context.views.programs(), time_now());
    if (offered.empty()) {
      context.events.show_message(Severity::info,
                                  "There is no other profile to compare with: record one more run, "
                                  "or name a base in the setting gprof.base.");
      return AnyValue();
    }
    std::vector<std::string> titles;
    for (const OfferedChoice& choice : offered) titles.push_back(choice.title);
    context.events.ask(Severity::info, "Which profile is it to be compared with?",
                       std::move(titles), [this, offered](const std::optional<std::string>& title) {
                         for (const OfferedChoice& choice : offered) {
                           if (choice.title == title) return compare_with(base_of(choice));
                         }
                       });
    return AnyValue();
  });
}

void Commands::show(ProgramSelection selection) {
  choices_.selection = std::move(selection);
  choices_.cleared = false;
  service_.update_choices(choices_);
}

// Answered at once: some editors wait for the answer before they let the user choose.
void Commands::ask_what_to_show(Reply<AnyValue> reply) {
  answer(service_, DocumentView(), std::move(reply), [this](FeatureContext& context) {
    auto offered = offered_choices(context.views.programs(), time_now());
    if (offered.empty()) {
      context.events.show_message(Severity::info,
                                  "No profile is loaded, so there is nothing to choose from.");
      return AnyValue();
    }
    std::vector<std::string> titles;
    for (const OfferedChoice& choice : offered) titles.push_back(choice.title);
    // Called on the I/O thread, as long as there is a client, and so as long as this is there.
    context.events.ask(Severity::info, "Which profile is to be shown?", std::move(titles),
                       [this, offered](const std::optional<std::string>& title) {
                         for (const OfferedChoice& choice : offered) {
                           if (choice.title == title) return show(choice.selection);
                         }
                       });
    return AnyValue();
  });
}

void Commands::show_report(const Arguments& arguments, Reply<AnyValue> reply) {
  const auto params = arguments.empty() ? std::nullopt : any_report(arguments.front());
  if (!params) return refuse(reply, "one argument {kind, program?, options?, file?}");
  const auto address = report_address(*params);
  if (!address) return reply.fail(ResponseCode::invalid_params, describe(address.error()));
  answer(service_, DocumentView(), std::move(reply),
         [&reports = session_.reports, address = *address](FeatureContext& context) {
           return open_report(context, reports, address);
         });
}

void Commands::export_profile(const Arguments& arguments, Reply<AnyValue> reply) {
  const auto params = arguments.empty() ? std::nullopt : any_export(arguments.front());
  if (!params) return refuse(reply, "one argument {format, program?, path?, table?}");
  answer(service_, DocumentView(), std::move(reply),
         [params = *params, folders = session_.folders()](FeatureContext& context) {
           return export_for_editor(context, params, folders);
         });
}

void Commands::set_metric(const Arguments& arguments, Reply<AnyValue> reply) {
  const std::string* name = arguments.empty() ? nullptr : arguments.front().string();
  SettingsLayer layer;
  if (name != nullptr) layer.metric = parse_metric(*name);
  if (!layer.metric) return refuse(reply, "one of calls, executions, self, total");
  session_.set(layer);
  reply.succeed(AnyValue());
}

void Commands::set_threshold(const Arguments& arguments, Reply<AnyValue> reply) {
  const auto share = arguments.empty() ? std::nullopt : arguments.front().number();
  if (!share || !(*share >= 0 && *share <= 1)) {
    return refuse(reply, "a share from 0 to 1, e.g. 0.005");
  }
  SettingsLayer layer;
  layer.threshold = *share;
  session_.set(layer);
  reply.succeed(AnyValue());
}

}  // namespace gprof::lsp
