#include "server/cli/mcp/mcp_command.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <fmt/core.h>
#include <unistd.h>

#include "server/cli/run_command.h"
#include "server/cli/workspace_folders.h"
#include "server/mcp/http_transport.h"
#include "server/mcp/mcp_server.h"
#include "server/transport/descriptor_connection.h"

namespace gprof::lsp {
namespace {

// Answers are short, and a client asks one question after another.
constexpr std::size_t worker_threads = 2;
constexpr std::chrono::seconds longest_answer_wait{10};

void tell(std::string_view text) { tell_of_command("mcp", text); }

Expected<McpOptions> options_of(const McpCommandOptions& given) {
  McpOptions options;
  const std::vector<std::string> here = {"."};
  TRY_ASSIGN(options.workspace,
             workspace_of(given.folders.empty() ? here : given.folders, given.configuration_file));
  options.workspace.worker_threads = worker_threads;
  options.recording.in_workspace = given.record_in_workspace;
  for (const std::string& program : given.recorded) {
    // A name without a folder is looked for in PATH, as a shell does.
    std::error_code error;
    const bool is_name = program.find('/') == std::string::npos;
    const std::filesystem::path path =
        is_name ? std::filesystem::path(program) : std::filesystem::canonical(program, error);
    if (error) {
      return Error{ErrorCode::not_found, error.message(), program, std::nullopt};
    }
    options.recording.programs.push_back(path);
  }
  return options;
}

class McpProcess {
 public:
  McpProcess() : signals_(io_, SIGINT, SIGTERM), answer_wait_(io_) {}

  int run(const McpCommandOptions& given);

 private:
  Expected<void> begin(const McpCommandOptions& given);
  Expected<void> listen(const McpCommandOptions& given);
  void use_standard_streams();
  void stop();

  asio::io_context io_{1};
  asio::signal_set signals_;
  asio::steady_timer answer_wait_;
  std::unique_ptr<McpServer> server_;
  std::shared_ptr<McpChannel> channel_;
  std::unique_ptr<DescriptorConnection> streams_;
  std::unique_ptr<HttpTransport> http_;
  int status_ = success_status;
};

Expected<void> McpProcess::begin(const McpCommandOptions& given) {
  TRY_ASSIGN(McpOptions options, options_of(given));
  server_ = std::make_unique<McpServer>(io_.get_executor(), std::move(options), shared_programs());
  if (given.listen) return listen(given);
  use_standard_streams();
  return {};
}

Expected<void> McpProcess::listen(const McpCommandOptions& given) {
  auto token =
      given.token_file.empty() ? AccessToken::make() : AccessToken::of_file(given.token_file);
  if (!token) return token.error();
  TRY_ASSIGN(http_, HttpTransport::on_port(io_.get_executor(), given.listen->host,
                                           given.listen->port, *server_, *token));
  fmt::print(stderr, "gprof-lsp: listening on {}, token{}\n", http_->address(),
             given.token_file.empty() ? " " + (*token)->text() : " in " + given.token_file);
  return {};
}

void McpProcess::use_standard_streams() {
  channel_ = std::make_shared<McpChannel>();
  streams_ = std::make_unique<DescriptorConnection>(io_.get_executor(), STDIN_FILENO, STDOUT_FILENO,
                                                    StreamFraming::line);
  channel_->send = [this](std::string message) { streams_->send(std::move(message)); };
  Connection::Handlers handlers;
  handlers.message = [this](const std::string& body) { server_->receive(channel_, body); };
  handlers.problem = [this](const FramingProblem& problem) {
    McpServer::refuse(*channel_, McpError::parse_error, problem.message);
  };
  // A client that closed its end still gets answers to its questions, if they come soon.
  handlers.input_ended = [this](const std::string&) {
    server_->end_input(*channel_);
    if (channel_->open.empty()) return streams_->close();
    channel_->idle = [this] { streams_->close(); };
    answer_wait_.expires_after(longest_answer_wait);
    answer_wait_.async_wait([this](std::error_code cancelled) {
      if (!cancelled) streams_->close();
    });
  };
  handlers.closed = [this](const std::string& reason) {
    if (!reason.empty()) tell("the connection ended: " + reason);
    stop();
  };
  streams_->start(std::move(handlers));
}

void McpProcess::stop() {
  std::error_code ignored;
  if (http_) http_->stop();
  if (channel_) channel_->cancel_all();
  signals_.cancel(ignored);
  io_.stop();
}

int McpProcess::run(const McpCommandOptions& given) {
  // A client that went away shows as a failed write.
  ::signal(SIGPIPE, SIG_IGN);
  signals_.async_wait([this](std::error_code cancelled, int) {
    if (!cancelled) stop();
  });
  if (const auto begun = begin(given); !begun) {
    tell(describe(begun.error()));
    return failure_status;
  }
  for (;;) {
    try {
      io_.run();
      break;
    } catch (const std::bad_alloc&) {
      tell(no_memory_to_answer().message);
    }
  }
  // What runs for a client ends before what it uses.
  server_.reset();
  return status_;
}

}  // namespace

CommandSyntax mcp_syntax(McpCommandOptions& options) {
  CommandSyntax syntax;
  syntax.name = "mcp";
  syntax.summary = "Answer the questions of coding agents over MCP";
  syntax.usage = {"[OPTION]... [FOLDER]..."};
  syntax.about =
      "FOLDERs are the workspace, by default the current directory; nothing outside\n"
      "of them is shown. The tools are those of gprof-lsp query. Without --listen,\n"
      "messages are lines on standard input and output.";
  syntax.groups = {
      {"Options",
       {{0, "config", file_value("FILE", options.configuration_file),
         "settings, as a JSON object, as for the server"},
        {0, "allow-record",
         text_value(ValueUse::optional, "PROGRAM",
                    [&options](std::optional<std::string_view> program) -> Expected<void> {
                      if (!program) {
                        options.record_in_workspace = true;
                      } else if (program->empty()) {
                        return usage_error("expected a program");
                      } else {
                        options.recorded.emplace_back(*program);
                      }
                      return {};
                    }),
         "agents may run and record PROGRAM; without PROGRAM, any program in the workspace; may "
         "be repeated",
         "Without it, nothing is run, and there is no tool record."},
        {0, "listen",
         text_value(ValueUse::required, "[HOST:]PORT",
                    [&options](std::optional<std::string_view> place) -> Expected<void> {
                      options.listen = parse_socket_place(*place);
                      if (!options.listen) return usage_error("expected [HOST:]PORT");
                      return {};
                    }),
         "serve by HTTP on this port of the loopback address, or of HOST; 0: any free one"},
        {0, "token-file", file_value("FILE", options.token_file),
         "with --listen: the token that clients must present, instead of one that is printed",
         "If there is no such file, it is made, for its owner only."},
        help_option()}}};
  syntax.closing = "Exit status: 0; 1 if it could not begin; 2 if the command line is wrong.";
  syntax.operands = ValueKind::directory;
  syntax.finish = [&options](const Operands& operands) -> Expected<void> {
    for (const std::string_view word : operands.words) options.folders.emplace_back(word);
    if (!options.token_file.empty() && !options.listen) {
      return usage_error("--token-file is for --listen");
    }
    return {};
  };
  return syntax;
}

int run_mcp(const McpCommandOptions& options) { return McpProcess().run(options); }

}  // namespace gprof::lsp
