#include "server/serve.h"

#include <csignal>
#include <set>
#include <utility>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/signal_set.hpp>
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "server/configuration_file.h"
#include "server/log_file.h"
#include "server/process_watch.h"
#include "server/session.h"
#include "server/transport/descriptor_connection.h"
#include "server/transport/stream_connection.h"

namespace gprof::lsp {
namespace {

using asio::ip::tcp;

// Descriptors that this process opens must not become its standard streams.
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
      : make_service_(make_service),
        options_(std::move(options)),
        signals_(io_, SIGINT, SIGTERM),
        acceptor_(io_) {}

  int run(const ServeOptions& options);

 private:
  Expected<void> begin(const Transport& transport);
  Expected<void> connect_pipe(const PipeClient& pipe);
  Expected<void> connect_socket(const SocketClient& socket);
  Expected<void> listen(const SocketServer& server);
  void accept();
  void add_session(std::shared_ptr<Connection> connection, ParentWatch parent_watch);
  void stop();

  const MakeService& make_service_;
  LanguageServerOptions options_;
  asio::io_context io_{1};
  asio::signal_set signals_;
  tcp::acceptor acceptor_;
  std::unique_ptr<ProcessWatch> client_process_;
  std::set<std::shared_ptr<Session>> sessions_;
  bool listening_ = false;
  int exit_code_ = 0;
};

Error cannot(std::string what, const std::error_code& error) {
  return {ErrorCode::unreadable, std::move(what) + ": " + error.message(), {}, {}};
}

int Server::run(const ServeOptions& options) {
  // A client that has gone is seen as a failed write.
  ::signal(SIGPIPE, SIG_IGN);
  signals_.async_wait([this](std::error_code cancelled, int) {
    if (!cancelled) stop();
  });
  if (options.client_process) {
    client_process_ = std::make_unique<ProcessWatch>(io_.get_executor(), *options.client_process,
                                                     [this] { stop(); });
  }
  if (const auto begun = begin(options.transport); !begun) {
    fmt::print(stderr, "gprof-lsp: {}\n", describe(begun.error()));
    return 1;
  }
  io_.run();
  return exit_code_;
}

Expected<void> Server::begin(const Transport& transport) {
  if (const auto* pipe = std::get_if<PipeClient>(&transport)) return connect_pipe(*pipe);
  if (const auto* socket = std::get_if<SocketClient>(&transport)) return connect_socket(*socket);
  if (const auto* server = std::get_if<SocketServer>(&transport)) return listen(*server);
  add_session(
      std::make_shared<DescriptorConnection>(io_.get_executor(), STDIN_FILENO, STDOUT_FILENO),
      ParentWatch::always);
  return {};
}

Expected<void> Server::connect_pipe(const PipeClient& pipe) {
  // Longer paths do not fit into the system's address.
  constexpr std::size_t longest_path = 107;
  if (pipe.path.size() > longest_path) {
    return Error{
        ErrorCode::invalid_argument, "the path of a socket has at most 107 bytes", pipe.path, {}};
  }
  asio::local::stream_protocol::socket socket(io_);
  std::error_code error;
  socket.connect(asio::local::stream_protocol::endpoint(pipe.path), error);
  if (error) return cannot("cannot connect to " + pipe.path, error);
  add_session(std::make_shared<StreamConnection>(std::move(socket)), ParentWatch::always);
  return {};
}

Expected<void> Server::connect_socket(const SocketClient& client) {
  tcp::socket socket(io_);
  std::error_code error;
  socket.connect({asio::ip::address_v4::loopback(), client.port}, error);
  if (error) return cannot(fmt::format("cannot connect to 127.0.0.1:{}", client.port), error);
  socket.set_option(tcp::no_delay(true), error);
  add_session(std::make_shared<StreamConnection>(std::move(socket)), ParentWatch::always);
  return {};
}

Expected<void> Server::listen(const SocketServer& server) {
  listening_ = true;
  std::error_code error;
  const auto found = tcp::resolver(io_).resolve(server.host, std::to_string(server.port),
                                                tcp::resolver::passive, error);
  const std::string place = fmt::format("{}:{}", server.host, server.port);
  if (error || found.empty()) return cannot("cannot listen on " + place, error);
  const tcp::endpoint endpoint = *found.begin();
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
  if (error) return cannot("cannot listen on " + place, error);
  const tcp::endpoint local = acceptor_.local_endpoint(error);
  const std::string address = local.address().to_string();
  fmt::print(stderr, "gprof-lsp: listening on {}:{}\n",
             local.address().is_v6() ? "[" + address + "]" : address, local.port());
  accept();
  return {};
}

void Server::accept() {
  acceptor_.async_accept([this](std::error_code error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error) {
      std::error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      // Clients on other machines have process numbers of their own.
      const auto peer = socket.remote_endpoint(ignored);
      const bool is_near = !ignored && peer.address().is_loopback();
      add_session(std::make_shared<StreamConnection>(std::move(socket)),
                  is_near ? ParentWatch::if_it_runs_here : ParentWatch::never);
    }
    accept();
  });
}

void Server::add_session(std::shared_ptr<Connection> connection, ParentWatch parent_watch) {
  LanguageServerOptions options = options_;
  options.parent_watch = parent_watch;
  auto place = std::make_shared<std::weak_ptr<Session>>();
  auto session =
      std::make_shared<Session>(io_.get_executor(), std::move(connection), make_service_(),
                                std::move(options), [this, place](int code) {
                                  sessions_.erase(place->lock());
                                  // A listening server goes on without its clients.
                                  if (listening_) return;
                                  exit_code_ = code;
                                  if (sessions_.empty()) stop();
                                });
  *place = session;
  sessions_.insert(session);
  session->start();
}

void Server::stop() {
  std::error_code ignored;
  acceptor_.close(ignored);
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
