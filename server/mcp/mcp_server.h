// The Model Context Protocol: tools, resources and prompts for coding agents, over any transport.
//
// Revision 2026-07-28, in which each request carries its version and capabilities, and the earlier
// ones, which begin with `initialize`: a channel may use both. Requests are answered in any order.
//
// Ownership: owns the workspace. Thread contract: the I/O thread. Errors: as the protocol has them;
// a tool that fails is a result with isError, which the agent reads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <asio/any_io_executor.hpp>

#include "server/mcp/mcp_channel.h"
#include "server/query/query_workspace.h"
#include "server/query/recording.h"
#include "server/report_documents/report_texts.h"
#include "server/system/worker_pool.h"

namespace gprof::lsp {

struct McpOptions {
  WorkspaceOptions workspace;
  RecordPermission recording;
};

// JSON-RPC's and MCP's error codes.
enum class McpError : std::int32_t {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  header_mismatch = -32020,
  unsupported_version = -32022,
};

class McpServer {
 public:
  McpServer(asio::any_io_executor io, McpOptions options, const SharedPrograms& shared);
  ~McpServer();
  McpServer(const McpServer&) = delete;
  McpServer& operator=(const McpServer&) = delete;

  // Handles one message. A request is answered through the channel, soon or later, exactly once,
  // unless it is cancelled.
  void receive(const std::shared_ptr<McpChannel>& channel, std::string_view message);
  // The client sends no more: a program that runs for it is ended. Its questions are answered.
  void end_input(McpChannel& channel);
  // Answers that a message could not be read.
  static void refuse(McpChannel& channel, McpError code, std::string_view reason);

  // The newest first.
  [[nodiscard]] static std::vector<std::string> versions();

 private:
  struct Request;
  using RequestPointer = std::shared_ptr<Request>;
  using Handler = void (McpServer::*)(const RequestPointer& request);

  [[nodiscard]] static Handler handler_of(std::string_view method, bool modern);
  void take_request(const std::shared_ptr<McpChannel>& channel, const AnyValue& message);
  static void take_notification(McpChannel& channel, const AnyValue& message);
  static void read_meta(Request& request);
  [[nodiscard]] bool is_of_known_revision(const RequestPointer& request);

  void discover(const RequestPointer& request);
  void initialize(const RequestPointer& request);
  void ping(const RequestPointer& request);
  void list_tools(const RequestPointer& request);
  void call_tool(const RequestPointer& request);
  void list_resources(const RequestPointer& request);
  void list_templates(const RequestPointer& request);
  void read_resource(const RequestPointer& request);
  void list_prompts(const RequestPointer& request);
  void get_prompt(const RequestPointer& request);

  void record(const RequestPointer& request, const AnyValue& arguments);
  void finish_tool(const RequestPointer& request, Expected<AnyValue> answer);
  void answer(const RequestPointer& request, AnyValue::Object result);
  void fail(const RequestPointer& request, McpError code, std::string_view message,
            std::optional<AnyValue> data = std::nullopt);
  static void send_last(Request& request, std::string message);
  void tell_progress(std::uint32_t percent, const std::string& step);
  static void tell_progress(Request& request, double percent, const std::string& step);

  asio::any_io_executor io_;
  RecordPermission recording_;
  ReportTexts reports_;
  // Those that want to hear how far they are.
  std::vector<std::weak_ptr<Request>> watching_;
  bool is_recording_ = false;
  std::weak_ptr<Request> recorded_;
  // Expires with this server: what was posted may come later.
  std::shared_ptr<int> alive_ = std::make_shared<int>();
  std::unique_ptr<QueryWorkspace> workspace_;
  WorkerPool recorder_{1};  // last
};

}  // namespace gprof::lsp
