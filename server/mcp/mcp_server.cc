#include "server/mcp/mcp_server.h"

#include <algorithm>
#include <array>
#include <utility>

#include <asio/post.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "server/features/flame_graph.h"
#include "server/features/named_program.h"
#include "server/mcp/mcp_texts.h"
#include "server/protocol/json_schema.h"
#include "server/protocol/message_writer.h"
#include "server/query/figures.h"
#include "server/report_documents/report_pages.h"
#include "server/text/shown_text.h"

namespace gprof::lsp {
namespace {

using Object = AnyValue::Object;
using Array = AnyValue::Array;

// The first that has no handshake, and those before it, the newest first.
constexpr std::string_view modern_version = "2026-07-28";
constexpr std::array<std::string_view, 2> legacy_versions = {"2025-11-25", "2025-06-18"};

constexpr std::string_view capabilities_key = "io.modelcontextprotocol/clientCapabilities";
constexpr std::string_view server_key = "io.modelcontextprotocol/serverInfo";

// Lists and prompts change with the server alone; reports, whenever a profile is written.
constexpr std::int64_t lasting_milliseconds = 3'600'000;
constexpr std::int64_t passing_milliseconds = 1'000;

constexpr std::size_t most_open_requests = 256;
constexpr std::size_t longest_resource = 200'000;
constexpr std::string_view flame_graph_uri = "gprof-report:/flame-graph";

Object server_information() {
  return {{"name", "gprof-lsp"}, {"title", "gprof-lsp: profiles"}, {"version", GPROF_LSP_VERSION}};
}

Object server_capabilities() {
  return {{"tools", AnyValue(Object())},
          {"resources", AnyValue(Object())},
          {"prompts", AnyValue(Object())}};
}

AnyValue described(const Tool& tool) {
  const auto with_dialect = [](const AnyValue& schema) {
    Object members = {{"$schema", json_schema_dialect}};
    for (const auto& member : *schema.object()) members.push_back(member);
    return AnyValue(std::move(members));
  };
  const bool reads = tool.only_reads();
  return AnyValue(Object{{"name", tool.name},
                         {"title", tool.title},
                         {"description", tool.description},
                         {"inputSchema", with_dialect(tool.input())},
                         {"outputSchema", with_dialect(tool.output())},
                         {"annotations", AnyValue(Object{{"title", tool.title},
                                                         {"readOnlyHint", reads},
                                                         {"destructiveHint", false},
                                                         {"idempotentHint", reads},
                                                         {"openWorldHint", false}})}});
}

AnyValue text_content(std::string text) {
  return AnyValue(Object{{"type", "text"}, {"text", AnyValue(std::move(text))}});
}

// The tree as lines, two blanks a call: "  62.0 %  3.10  work".
void write_flames(const FlameGraphNode& node, double all, std::size_t depth, std::string& text) {
  constexpr double least_share = 0.005;
  constexpr std::size_t deepest = 60;
  if (all <= 0 || node.total / all < least_share || depth > deepest) return;
  if (text.size() > longest_resource) return;
  text += fmt::format("{}{:.1f} %  {}  {}\n", std::string(2 * depth, ' '), 100 * node.total / all,
                      rounded(node.total, node.error.value_or(0)), quoted_name(node.name));
  for (const FlameGraphNode& child : node.children) write_flames(child, all, depth + 1, text);
}

Expected<std::string> flame_text(FeatureContext& context, const std::optional<std::string>& name) {
  TRY_ASSIGN(const LoadedProgram* program, required_program(context.views.programs(), name));
  FunctionLocations locations(*program, context.views.texts_of_program(*program));
  const FlameGraphResult graph = flame_graph({}, locations, context.settings.demangle);
  std::string text = fmt::format(
      "Time of {} with what it called, in {}, {}.\n", quoted_name(program->name), graph.unit,
      graph.basis == TimeBasis::measured ? "measured from stacks" : "estimated by gprof's method");
  const bool has_time = graph.root && graph.root->total > 0;
  if (has_time) write_flames(*graph.root, graph.root->total, 0, text);
  return has_time ? text : text + "No sample was taken.\n";
}

Expected<std::string> resource_text(FeatureContext& context, ReportTexts& reports,
                                    const std::string& uri) {
  const bool is_flame_graph = uri.starts_with(flame_graph_uri);
  // Both kinds name programs in the same way.
  const std::string address_uri =
      is_flame_graph ? "gprof-report:/flat-profile" + uri.substr(flame_graph_uri.size()) : uri;
  TRY_ASSIGN(const ReportAddress address, parse_report_uri(address_uri));
  if (is_flame_graph) return flame_text(context, address.program);
  TRY_ASSIGN(const ReportSource source, made_report(context, reports, address));
  std::string text = source.text->text;
  if (text.size() <= longest_resource) return text;
  text.resize(text.rfind('\n', longest_resource) + 1);
  return text + "… cut here: the tools answer for parts\n";
}

// What revisions without a handshake say of results that may be kept.
void put_lifetime(bool modern, Object& result, std::int64_t milliseconds) {
  if (!modern) return;
  result.emplace_back("ttlMs", milliseconds);
  result.emplace_back("cacheScope", "private");
}

// Every list fits into one answer, so no cursor was given out.
bool has_cursor(const AnyValue& params) { return params.find("cursor") != nullptr; }
constexpr std::string_view wrong_cursor = "params.cursor: no answer gave this cursor";

}  // namespace

// One request, from its arrival to its answer.
struct McpServer::Request {
  std::shared_ptr<McpChannel> channel;
  AnyValue id;
  std::string key;  // the id as JSON
  std::string method;
  AnyValue params = AnyValue(Object());
  bool modern = false;
  std::shared_ptr<std::atomic<bool>> cancelled = std::make_shared<std::atomic<bool>>(false);
  std::optional<AnyValue> progress_token;
  double progress = -1;  // the last value sent
};

std::vector<std::string> McpServer::versions() {
  std::vector<std::string> all = {std::string(modern_version)};
  all.insert(all.end(), legacy_versions.begin(), legacy_versions.end());
  return all;
}

McpServer::McpServer(asio::any_io_executor io, McpOptions options, const SharedPrograms& shared)
    : io_(std::move(io)), recording_(std::move(options.recording)) {
  options.workspace.post = [executor = io_](std::function<void()> task) {
    asio::post(executor, std::move(task));
  };
  WorkspaceListener listener;
  listener.progress = [this, executor = io_, alive = std::weak_ptr(alive_)](
                          std::uint32_t percent, const std::string& step) {
    asio::post(executor, [this, alive, percent, step] {
      if (!alive.expired()) tell_progress(percent, step);
    });
  };
  workspace_ =
      std::make_unique<QueryWorkspace>(std::move(options.workspace), shared, std::move(listener));
}

McpServer::~McpServer() {
  if (const auto request = recorded_.lock()) *request->cancelled = true;
}

void McpServer::end_input(McpChannel& channel) {
  const auto request = recorded_.lock();
  if (!request || request->channel.get() != &channel) return;
  *request->cancelled = true;
  channel.open.erase(request->key);
}

void McpServer::refuse(McpChannel& channel, McpError code, std::string_view reason) {
  channel.send(written_text(AnyValue(
      Object{{"jsonrpc", "2.0"},
             {"id", AnyValue()},
             {"error", AnyValue(Object{{"code", static_cast<int>(code)}, {"message", reason}})}})));
}

void McpServer::receive(const std::shared_ptr<McpChannel>& channel, std::string_view message) {
  const auto parsed = parse_any(message);
  if (!parsed) return refuse(*channel, McpError::parse_error, parsed.error().message);
  const std::string* version = parsed->find_text("jsonrpc");
  const bool is_call = parsed->object() != nullptr && parsed->find_text("method") != nullptr;
  if (version == nullptr || *version != "2.0" || !is_call) {
    // Answers are to nothing: this server asks nothing.
    const bool is_answer = parsed->find("result") != nullptr || parsed->find("error") != nullptr;
    if (is_answer) return;
    return refuse(*channel, McpError::invalid_request,
                  "expected one JSON-RPC 2.0 request or notification");
  }
  if (parsed->find("id") == nullptr) return take_notification(*channel, *parsed);
  take_request(channel, *parsed);
}

void McpServer::take_notification(McpChannel& channel, const AnyValue& message) {
  if (*message.find_text("method") != "notifications/cancelled") return;
  const AnyValue* params = message.find("params");
  const AnyValue* id = params == nullptr ? nullptr : params->find("requestId");
  if (id == nullptr) return;
  const auto open = channel.open.find(written_text(*id));
  if (open == channel.open.end()) return;
  *open->second = true;
  // Nothing more is sent for it.
  channel.open.erase(open);
}

McpServer::Handler McpServer::handler_of(std::string_view method, bool modern) {
  struct Row {
    std::string_view method;
    Handler handler;
    bool in_modern = true;
    bool in_legacy = true;
  };
  static constexpr std::array<Row, 10> rows = {{
      {"server/discover", &McpServer::discover, true, false},
      {"initialize", &McpServer::initialize, false, true},
      {"ping", &McpServer::ping, false, true},
      {"tools/list", &McpServer::list_tools},
      {"tools/call", &McpServer::call_tool},
      {"resources/list", &McpServer::list_resources},
      {"resources/templates/list", &McpServer::list_templates},
      {"resources/read", &McpServer::read_resource},
      {"prompts/list", &McpServer::list_prompts},
      {"prompts/get", &McpServer::get_prompt},
  }};
  const auto row = std::ranges::find(rows, method, &Row::method);
  if (row == rows.end() || !(modern ? row->in_modern : row->in_legacy)) return nullptr;
  return row->handler;
}

// Of which kind of revision it is, and whether its client wants to hear of progress.
void McpServer::read_meta(Request& request) {
  const AnyValue* meta = request.params.find("_meta");
  const std::string* version = meta == nullptr ? nullptr : meta->find_text(protocol_version_key);
  request.modern = version != nullptr;
  if (const AnyValue* token = meta == nullptr ? nullptr : meta->find("progressToken")) {
    if (token->string() != nullptr || token->integer() != nullptr) request.progress_token = *token;
  }
}

// Refuses a request of a revision that is not known, or of none.
bool McpServer::is_of_known_revision(const RequestPointer& request) {
  const AnyValue* meta = request->params.find("_meta");
  if (request->modern) {
    const std::string& version = *meta->find_text(protocol_version_key);
    if (version != modern_version) {
      Array supported;
      for (const std::string& one : versions()) supported.emplace_back(one);
      fail(request, McpError::unsupported_version, "Unsupported protocol version",
           AnyValue(Object{{"supported", std::move(supported)}, {"requested", version}}));
      return false;
    }
    const AnyValue* capabilities = meta->find(capabilities_key);
    if (capabilities == nullptr || capabilities->object() == nullptr) {
      fail(request, McpError::invalid_params,
           fmt::format("params._meta.{}: expected an object", capabilities_key));
      return false;
    }
  } else if (!request->channel->agreed_version && request->method != "initialize" &&
             request->method != "ping") {
    fail(request, McpError::invalid_params,
         fmt::format("params._meta.{}: expected the protocol's version, as initialize was "
                     "not called; supported: {}",
                     protocol_version_key, fmt::join(versions(), ", ")));
    return false;
  }
  return true;
}

void McpServer::take_request(const std::shared_ptr<McpChannel>& channel, const AnyValue& message) {
  auto request = std::make_shared<Request>();
  request->channel = channel;
  request->id = *message.find("id");
  request->key = written_text(request->id);
  request->method = *message.find_text("method");
  if (request->id.string() == nullptr && request->id.integer() == nullptr) {
    return refuse(*channel, McpError::invalid_request, "id: expected a string or a whole number");
  }
  if (const AnyValue* params = message.find("params")) request->params = *params;
  if (channel->open.contains(request->key) || channel->open.size() >= most_open_requests) {
    return refuse(*channel, McpError::invalid_request,
                  "a request with this id is open, or too many are");
  }
  channel->open[request->key] = request->cancelled;
  if (request->params.object() == nullptr) {
    return fail(request, McpError::invalid_params, "params: expected an object");
  }
  read_meta(*request);
  if (!is_of_known_revision(request)) return;
  const Handler handler = handler_of(request->method, request->modern);
  if (handler == nullptr) {
    return fail(request, McpError::method_not_found,
                fmt::format("Method not found: {}", quoted_name(request->method)));
  }
  (this->*handler)(request);
}

void McpServer::send_last(Request& request, std::string message) {
  McpChannel& channel = *request.channel;
  channel.open.erase(request.key);
  channel.send(std::move(message));
  if (channel.open.empty() && channel.idle) channel.idle();
}

void McpServer::answer(const RequestPointer& request, Object result) {
  if (*request->cancelled) return;
  if (request->modern) {
    result.emplace_back("resultType", "complete");
    result.emplace_back(
        "_meta", AnyValue(Object{{std::string(server_key), AnyValue(server_information())}}));
  }
  send_last(*request, written_text(AnyValue(Object{{"jsonrpc", "2.0"},
                                                   {"id", request->id},
                                                   {"result", AnyValue(std::move(result))}})));
}

void McpServer::fail(const RequestPointer& request, McpError code, std::string_view message,
                     std::optional<AnyValue> data) {
  if (*request->cancelled) return;
  Object error = {{"code", static_cast<int>(code)}, {"message", message}};
  if (data) error.emplace_back("data", std::move(*data));
  send_last(*request,
            written_text(AnyValue(Object{
                {"jsonrpc", "2.0"}, {"id", request->id}, {"error", AnyValue(std::move(error))}})));
}

void McpServer::discover(const RequestPointer& request) {
  Array supported;
  for (const std::string& version : versions()) supported.emplace_back(version);
  Object result = {{"supportedVersions", std::move(supported)},
                   {"capabilities", AnyValue(server_capabilities())},
                   {"instructions", agent_instructions()}};
  put_lifetime(true, result, lasting_milliseconds);
  answer(request, std::move(result));
}

void McpServer::initialize(const RequestPointer& request) {
  const std::string* asked = request->params.find_text("protocolVersion");
  if (asked == nullptr) {
    return fail(request, McpError::invalid_params, "params.protocolVersion: expected a string");
  }
  const bool known = std::ranges::find(legacy_versions, *asked) != legacy_versions.end();
  request->channel->agreed_version = known ? *asked : std::string(legacy_versions.front());
  answer(request, {{"protocolVersion", *request->channel->agreed_version},
                   {"capabilities", AnyValue(server_capabilities())},
                   {"serverInfo", AnyValue(server_information())},
                   {"instructions", agent_instructions()}});
}

void McpServer::ping(const RequestPointer& request) { answer(request, {}); }

void McpServer::list_tools(const RequestPointer& request) {
  if (has_cursor(request->params)) {
    return fail(request, McpError::invalid_params, wrong_cursor);
  }
  Array list;
  for (const Tool& tool : tools()) {
    if (tool.only_reads() || !recording_.none()) list.push_back(described(tool));
  }
  Object result = {{"tools", std::move(list)}};
  put_lifetime(request->modern, result, lasting_milliseconds);
  answer(request, std::move(result));
}

void McpServer::call_tool(const RequestPointer& request) {
  const std::string* name = request->params.find_text("name");
  const Tool* tool = name == nullptr ? nullptr : tool_named(*name);
  if (tool == nullptr || (!tool->only_reads() && recording_.none())) {
    return fail(request, McpError::invalid_params,
                fmt::format("Unknown tool: {}", name == nullptr ? "" : quoted_name(*name)));
  }
  const AnyValue* given = request->params.find("arguments");
  AnyValue arguments = given == nullptr ? AnyValue(Object()) : *given;
  std::erase_if(watching_, [](const auto& watching) { return watching.expired(); });
  if (request->progress_token) watching_.push_back(request);
  if (!tool->only_reads()) return record(request, arguments);
  workspace_->ask(*tool, std::move(arguments), request->cancelled,
                  [this, request, executor = io_,
                   alive = std::weak_ptr(alive_)](const Expected<AnyValue>& found) {
                    asio::post(executor, [this, request, alive, found] {
                      if (!alive.expired()) finish_tool(request, found);
                    });
                  });
}

// One at a time: two programs that run together disturb each other's figures.
void McpServer::record(const RequestPointer& request, const AnyValue& arguments) {
  if (is_recording_) {
    return finish_tool(request, Error{ErrorCode::unsupported,
                                      "another recording is running; ask again when it has ended",
                                      {},
                                      {}});
  }
  auto read = from_any<RecordArguments>(arguments, "arguments");
  if (const auto fits = check_arguments(*tool_named("record"), arguments); !fits) {
    return finish_tool(request, fits.error());
  }
  if (!read) return finish_tool(request, read.error());
  is_recording_ = true;
  recorded_ = request;
  tell_progress(*request, 0, "running");
  recorder_.post([this, request, recorded = std::move(*read), paths = workspace_->paths(),
                  permission = recording_, executor = io_, alive = std::weak_ptr(alive_)] {
    auto done = answer_record(recorded, paths, permission, *request->cancelled);
    Expected<AnyValue> found = done ? Expected<AnyValue>(to_any(*done)) : done.error();
    asio::post(executor, [this, request, alive, found = std::move(found)] {
      if (alive.expired()) return;
      is_recording_ = false;
      finish_tool(request, found);
    });
  });
}

// Clients that do not read structuredContent get the same JSON as text.
void McpServer::finish_tool(const RequestPointer& request, Expected<AnyValue> found) {
  if (!found) {
    return answer(request,
                  {{"content", Array{text_content(describe(found.error()))}}, {"isError", true}});
  }
  std::string text = written_text(*found);
  answer(request, {{"content", Array{text_content(std::move(text))}},
                   {"structuredContent", *std::move(found)},
                   {"isError", false}});
}

void McpServer::list_resources(const RequestPointer& request) {
  if (has_cursor(request->params)) {
    return fail(request, McpError::invalid_params, wrong_cursor);
  }
  workspace_->run(
      [this, request, executor = io_, alive = std::weak_ptr(alive_)](FeatureContext& context) {
        Array list;
        for (const LoadedProgram& program : context.views.programs()) {
          const std::string name = quoted_name(program.name);
          const auto add = [&](const std::string& uri, std::string_view what) {
            list.emplace_back(Object{{"uri", uri},
                                     {"name", AnyValue(fmt::format("{}: {}", name, what))},
                                     {"mimeType", "text/plain"}});
          };
          ReportAddress address;
          address.program = program.name;
          address.page = ReportPage::flat_profile;
          const std::string flat = report_uri(address);
          add(flat, "flat profile");
          address.page = ReportPage::call_graph;
          add(report_uri(address), "call graph");
          const std::size_t query = std::min(flat.find('?'), flat.size());
          add(std::string(flame_graph_uri) + flat.substr(query), "flame graph, as indented text");
        }
        asio::post(executor, [this, request, alive, list = std::move(list)]() mutable {
          if (alive.expired()) return;
          Object result = {{"resources", std::move(list)}};
          put_lifetime(request->modern, result, passing_milliseconds);
          answer(request, std::move(result));
        });
      });
}

void McpServer::list_templates(const RequestPointer& request) {
  if (has_cursor(request->params)) {
    return fail(request, McpError::invalid_params, wrong_cursor);
  }
  Object result = {
      {"resourceTemplates",
       Array{AnyValue(Object{{"uriTemplate", "gprof-report:/{kind}{?program}"},
                             {"name", "a report of a program"},
                             {"description",
                              "kind: flat-profile, call-graph, annotated-source, "
                              "execution-counts, function-ordering, index, all, flame-graph"},
                             {"mimeType", "text/plain"}})}}};
  put_lifetime(request->modern, result, lasting_milliseconds);
  answer(request, std::move(result));
}

void McpServer::read_resource(const RequestPointer& request) {
  const std::string* uri = request->params.find_text("uri");
  if (uri == nullptr) {
    return fail(request, McpError::invalid_params, "params.uri: expected a string");
  }
  workspace_->run([this, request, uri = *uri, executor = io_,
                   alive = std::weak_ptr(alive_)](FeatureContext& context) {
    const auto text = resource_text(context, reports_, uri);
    asio::post(executor, [this, request, alive, uri, text] {
      if (alive.expired()) return;
      if (!text) {
        return fail(request, McpError::invalid_params,
                    fmt::format("Resource not found: {}", describe(text.error())),
                    AnyValue(Object{{"uri", uri}}));
      }
      Object result = {
          {"contents", Array{AnyValue(Object{{"uri", uri},
                                             {"mimeType", "text/plain"},
                                             {"text", AnyValue(for_terminal(*text))}})}}};
      put_lifetime(request->modern, result, passing_milliseconds);
      answer(request, std::move(result));
    });
  });
}

void McpServer::list_prompts(const RequestPointer& request) {
  if (has_cursor(request->params)) {
    return fail(request, McpError::invalid_params, wrong_cursor);
  }
  Array list;
  for (const AgentPrompt& prompt : agent_prompts()) {
    list.emplace_back(
        Object{{"name", prompt.name},
               {"title", prompt.title},
               {"description", prompt.description},
               {"arguments", Array{AnyValue(Object{{"name", "program"},
                                                   {"description", "as the tool programs names it"},
                                                   {"required", false}})}}});
  }
  Object result = {{"prompts", std::move(list)}};
  put_lifetime(request->modern, result, lasting_milliseconds);
  answer(request, std::move(result));
}

void McpServer::get_prompt(const RequestPointer& request) {
  const std::string* name = request->params.find_text("name");
  const auto prompts = agent_prompts();
  const auto prompt =
      name == nullptr ? prompts.end() : std::ranges::find(prompts, *name, &AgentPrompt::name);
  if (prompt == prompts.end()) {
    return fail(request, McpError::invalid_params, "params.name: there is no such prompt");
  }
  const AnyValue* arguments = request->params.find("arguments");
  const std::string* program = arguments == nullptr ? nullptr : arguments->find_text("program");
  std::string text(prompt->text);
  constexpr std::string_view place = "{program}";
  text.replace(text.find(place), place.size(),
               program == nullptr || program->empty() ? "the program" : quoted_name(*program));
  answer(request,
         {{"description", prompt->description},
          {"messages",
           Array{AnyValue(Object{{"role", "user"}, {"content", text_content(std::move(text))}})}}});
}

void McpServer::tell_progress(Request& request, double percent, const std::string& step) {
  // It must rise each time.
  if (!request.progress_token || *request.cancelled || percent <= request.progress) return;
  request.progress = percent;
  constexpr int all = 100;
  request.channel->send(written_text(
      AnyValue(Object{{"jsonrpc", "2.0"},
                      {"method", "notifications/progress"},
                      {"params", AnyValue(Object{{"progressToken", *request.progress_token},
                                                 {"progress", percent},
                                                 {"total", all},
                                                 {"message", AnyValue(on_one_line(step))}})}})));
}

void McpServer::tell_progress(std::uint32_t percent, const std::string& step) {
  for (const auto& watching : watching_) {
    const auto request = watching.lock();
    if (request && request->channel->open.contains(request->key)) {
      tell_progress(*request, percent, step);
    }
  }
}

}  // namespace gprof::lsp
