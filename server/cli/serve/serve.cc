#include "server/cli/serve/serve.h"

#include <algorithm>
#include <csignal>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/signal_set.hpp>
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "engine/support/file_access.h"
#include "server/protocol/window.h"
#include "server/session/configuration_file.h"
#include "server/session/session.h"
#include "server/system/log_file.h"
#include "server/system/memory_reserve.h"
#include "server/system/out_of_memory.h"
#include "server/system/process_watch.h"
#include "server/transport/descriptor_connection.h"
#include "server/transport/listener.h"
#include "server/transport/stream_connection.h"
#include "server/transport/unix_address.h"

namespace gprof::lsp {
namespace {

using asio::ip::tcp;

Error no_memory_for_one_more() {
  return {ErrorCode::unreadable, "there is not enough memory for one more client", {}, {}};
}

// Descriptors opened by this process must not become its standard streams.
void keep_standard_streams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) == -1) {
      [[maybe_unused]] const int opened = ::open("/dev/null", O_RDWR);
    }
  }
}

class Server {
 public:
  Server(const MakeService& make_service, LanguageServerOptions options)
      : make_service_(make_service), options_(std::move(options)), signals_(io_, SIGINT, SIGTERM) {}

  int run(const ServeOptions& options);

 private:
  Expected<void> begin(const ServeOptions& options);
  Expected<void> connect_pipe(const PipeClient& pipe);
  Expected<void> connect_socket(const SocketClient& socket);
  Expected<void> listen(const ServeOptions& options);
  void take_client(Listener::Socket socket, bool is_near);
  // Returns whether there is one.
  bool free_a_place();
  void turn_away(Connection& connection, const std::string& reason);
  // Fails if the system lacks threads or memory for another one.
  Expected<void> add_session(std::shared_ptr<Connection> connection, ParentWatch parent_watch);
  void run_until_stopped();
  // To the log, and the first ones on standard error.
  void say(const std::string& text);
  void stop();

  const MakeService& make_service_;
  LanguageServerOptions options_;
  asio::io_context io_{1};
  asio::signal_set signals_;
  std::unique_ptr<Listener> listener_;  // null if the one client is known
  std::size_t most_clients_ = 1;
  std::size_t said_ = 0;  // lines on standard error
  std::unique_ptr<ProcessWatch> client_process_;
  std::vector<std::shared_ptr<Session>> sessions_;  // in order of arrival
  int exit_code_ = 0;
};

Error cannot(std::string what, const std::error_code& error) {
  return {ErrorCode::unreadable, std::move(what) + ": " + error.message(), {}, {}};
}

int Server::run(const ServeOptions& options) {
  // A disconnected client shows as a failed write.
  ::signal(SIGPIPE, SIG_IGN);
  signals_.async_wait([this](std::error_code cancelled, int) {
    if (!cancelled) stop();
  });
  if (options.client_process) {
    client_process_ = std::make_unique<ProcessWatch>(io_.get_executor(), *options.client_process,
                                                     [this] { stop(); });
  }
  if (const auto begun = begin(options); !begun) {
    fmt::print(stderr, "gprof-lsp: {}\n", describe(begun.error()));
    return 1;
  }
  run_until_stopped();
  return exit_code_;
}

Expected<void> Server::begin(const ServeOptions& options) {
  const Transport& transport = options.transport;
  if (const auto* pipe = std::get_if<PipeClient>(&transport)) return connect_pipe(*pipe);
  if (const auto* socket = std::get_if<SocketClient>(&transport)) return connect_socket(*socket);
  if (!std::holds_alternative<StandardStreams>(transport)) return listen(options);
  return add_session(
      std::make_shared<DescriptorConnection>(io_.get_executor(), STDIN_FILENO, STDOUT_FILENO),
      ParentWatch::always);
}

Expected<void> Server::connect_pipe(const PipeClient& pipe) {
  if (auto fits = check_socket_path(pipe.path); !fits) return fits.error();
  asio::local::stream_protocol::socket socket(io_);
  std::error_code error;
  socket.connect(asio::local::stream_protocol::endpoint(pipe.path), error);
  if (error) return cannot("cannot connect to " + pipe.path, error);
  return add_session(std::make_shared<StreamConnection>(std::move(socket)), ParentWatch::always);
}

Expected<void> Server::connect_socket(const SocketClient& client) {
  tcp::socket socket(io_);
  std::error_code error;
  socket.connect({asio::ip::address_v4::loopback(), client.port}, error);
  if (error) return cannot(fmt::format("cannot connect to 127.0.0.1:{}", client.port), error);
  socket.set_option(tcp::no_delay(true), error);
  return add_session(std::make_shared<StreamConnection>(std::move(socket)), ParentWatch::always);
}

Expected<void> Server::listen(const ServeOptions& options) {
  const ListenOptions& rules = options.listen;
  std::vector<std::filesystem::path> folders(rules.folders.begin(), rules.folders.end());
  if (folders.empty()) folders.emplace_back(".");
  auto bounds = FolderBounds::of(folders);
  if (!bounds) return bounds.error();
  options_.bounds = *bounds;
  // Whatever reads a file, it reads none from elsewhere.
  confine_files(*bounds);
  most_clients_ = rules.most_clients;
  std::string token;
  const auto* port = std::get_if<SocketServer>(&options.transport);
  if (port != nullptr) {
    auto made =
        rules.token_file.empty() ? AccessToken::make() : AccessToken::of_file(rules.token_file);
    if (!made) return made.error();
    options_.token = *made;
    token =
        rules.token_file.empty() ? ", token " + (*made)->text() : ", token in " + rules.token_file;
  }
  auto listener = port != nullptr
                      ? Listener::on_port(io_.get_executor(), port->host, port->port)
                      : Listener::on_path(io_.get_executor(),
                                          std::get_if<PipeServer>(&options.transport)->path);
  if (!listener) return listener.error();
  listener_ = std::move(*listener);
  fmt::print(stderr, "gprof-lsp: listening on {}{}\n", listener_->address(), token);
  listener_->start(
      {[this](Listener::Socket socket, bool is_near) { take_client(std::move(socket), is_near); },
       [this](const std::string& trouble) { say(trouble); }});
  return {};
}

void Server::take_client(Listener::Socket socket, bool is_near) {
  auto connection = std::make_shared<StreamConnection>(std::move(socket), Framing::strict);
  if (sessions_.size() >= most_clients_ && !free_a_place()) {
    return turn_away(
        *connection,
        fmt::format("this server has {} clients, as many as --max-clients allows", most_clients_));
  }
  // Clients on other machines have process numbers of their own.
  const auto added =
      add_session(connection, is_near ? ParentWatch::if_it_runs_here : ParentWatch::never);
  if (!added) turn_away(*connection, describe(added.error()));
}

// Connections without a handshake must not keep clients out: the oldest one is dropped.
bool Server::free_a_place() {
  const auto stranger = std::ranges::find_if(
      sessions_, [](const auto& session) { return !session->has_shaken_hands(); });
  if (stranger == sessions_.end()) return false;
  say("a client that had not begun a session gave its place to the next");
  (*stranger)->stop();
  sessions_.erase(stranger);
  return true;
}

// A message may be shown before `initialize` is answered.
void Server::turn_away(Connection& connection, const std::string& reason) {
  say("a client was turned away: " + reason);
  Dispatcher::create(io_.get_executor(),
                     [&](std::string body) { connection.send(std::move(body)); }, {})
      ->notify("window/showMessage", ShowMessageParams{Severity::error, "gprof-lsp: " + reason});
  connection.close();
}

// Running out of memory only affects one message or answer; the others still work.
void Server::run_until_stopped() {
  for (;;) {
    try {
      io_.run();
      return;
    } catch (const std::bad_alloc&) {
      say(no_memory_to_answer().message);
    }
  }
}

// Strangers can cause any number of lines, and if nobody reads standard error, its full pipe would
// block the server.
void Server::say(const std::string& text) {
  constexpr std::size_t most_lines = 16;
  if (options_.log != nullptr) options_.log->write(LogLevel::warning, text);
  if (said_ >= most_lines) return;
  fmt::print(stderr, "gprof-lsp: {}\n", text);
  if (++said_ == most_lines) fmt::print(stderr, "gprof-lsp: more of this goes to --log alone\n");
}

Expected<void> Server::add_session(std::shared_ptr<Connection> connection,
                                   ParentWatch parent_watch) {
  std::unique_ptr<ProfileService> service;
  try {
    service = make_service_();
  } catch (const std::system_error& error) {
    return cannot("the system starts no more threads for one more client", error.code());
  } catch (const std::bad_alloc&) {
    return no_memory_for_one_more();
  }
  // One client more must not take what answers to the others need. Large enough to come from the
  // system, so that nothing stays with this process.
  constexpr std::size_t left_for_answers = std::size_t{16} << 20;
  if (listener_ && !can_allocate(left_for_answers)) return no_memory_for_one_more();
  LanguageServerOptions options = options_;
  options.parent_watch = parent_watch;
  auto place = std::make_shared<std::weak_ptr<Session>>();
  auto session =
      std::make_shared<Session>(io_.get_executor(), std::move(connection), std::move(service),
                                std::move(options), [this, place](int code) {
                                  std::erase(sessions_, place->lock());
                                  // A listening server continues without its clients.
                                  if (listener_) return;
                                  exit_code_ = code;
                                  if (sessions_.empty()) stop();
                                });
  *place = session;
  sessions_.push_back(session);
  session->start();
  return {};
}

void Server::stop() {
  std::error_code ignored;
  if (listener_) listener_->stop();
  signals_.cancel(ignored);
  client_process_.reset();
  for (const auto& session : sessions_) session->stop();
}

}  // namespace

int serve(const ServeOptions& options, const MakeService& make_service) {
  keep_standard_streams();
  LanguageServerOptions server_options;
  if (!options.configuration_file.empty()) {
    auto configuration = read_configuration_file(options.configuration_file);
    if (!configuration) {
      fmt::print(stderr, "gprof-lsp: {}\n", describe(configuration.error()));
      return 1;
    }
    server_options.configuration_file = std::move(*configuration);
  }
  std::unique_ptr<LogFile> log;
  if (!options.log_file.empty()) {
    auto opened = LogFile::open(options.log_file, options.log_level);
    if (!opened) {
      fmt::print(stderr, "gprof-lsp: {}\n", describe(opened.error()));
      return 1;
    }
    log = std::move(*opened);
    server_options.log = log.get();
  }
  return Server(make_service, std::move(server_options)).run(options);
}

}  // namespace gprof::lsp
