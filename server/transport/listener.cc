#include "server/transport/listener.h"

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include <asio/ip/tcp.hpp>
#include <asio/local/stream_protocol.hpp>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/system/memory_reserve.h"
#include "server/transport/unix_address.h"

namespace gprof::lsp {
namespace {

using asio::generic::stream_protocol;
using asio::ip::tcp;
using local = asio::local::stream_protocol;

constexpr mode_t rights_of_others = 0177;  // and to execute: for umask()

Error cannot_listen(const std::string& place, const std::error_code& reason) {
  return {ErrorCode::unreadable,
          fmt::format("cannot listen on {}: {}", place, reason.message()),
          {},
          {}};
}

std::string text_of(const tcp::endpoint& endpoint) {
  const std::string address = endpoint.address().to_string();
  return fmt::format("{}:{}", endpoint.address().is_v6() ? "[" + address + "]" : address,
                     endpoint.port());
}

// For a socket's file, which is not a regular file.
std::optional<FileStamp> socket_stamp(const std::string& path) {
  struct stat status = {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return std::nullopt;
  return FileStamp{status.st_dev, status.st_ino, 0, 0};
}

// Whether the file is a socket of this user that no server listens on.
bool is_left_behind(const std::string& path) {
  struct stat status = {};
  if (::lstat(path.c_str(), &status) != 0) return false;
  if (!S_ISSOCK(status.st_mode) || status.st_uid != ::geteuid()) return false;
  asio::io_context here;
  local::socket probe(here);
  std::error_code error;
  probe.connect(local::endpoint(path), error);
  return error == asio::error::connection_refused;
}

bool is_loopback(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    const auto& peer = reinterpret_cast<const sockaddr_in&>(address);
    return asio::ip::address_v4(ntohl(peer.sin_addr.s_addr)).is_loopback();
  }
  if (address.sa_family != AF_INET6) return false;
  const auto& peer = reinterpret_cast<const sockaddr_in6&>(address);
  asio::ip::address_v6::bytes_type bytes{};
  std::copy_n(std::begin(peer.sin6_addr.s6_addr), bytes.size(), bytes.begin());
  return asio::ip::address_v6(bytes).is_loopback();
}

// The user at the other end of a Unix domain socket; none if the system does not say.
std::optional<uid_t> user_at(int socket) {
  ucred peer = {};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer.uid;
}

}  // namespace

Expected<std::unique_ptr<Listener>> Listener::on_port(const asio::any_io_executor& io,
                                                      const std::string& host, std::uint16_t port) {
  const std::string place = fmt::format("{}:{}", host, port);
  std::error_code error;
  const auto found =
      tcp::resolver(io).resolve(host, std::to_string(port), tcp::resolver::passive, error);
  if (error || found.empty()) return cannot_listen(place, error);
  const tcp::endpoint endpoint = *found.begin();
  tcp::acceptor acceptor(io);
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(tcp::acceptor::max_listen_connections, error);
  if (error) return cannot_listen(place, error);
  std::unique_ptr<Listener> listener(new Listener(io));
  listener->address_ = text_of(acceptor.local_endpoint(error));
  const int socket = acceptor.release(error);
  if (!error) listener->acceptor_.assign(stream_protocol(endpoint.protocol()), socket, error);
  if (error) return cannot_listen(place, error);
  return listener;
}

Expected<std::unique_ptr<Listener>> Listener::on_path(const asio::any_io_executor& io,
                                                      const std::string& path) {
  TRY(check_socket_path(path));
  std::unique_ptr<Listener> listener(new Listener(io));
  listener->address_ = "unix:" + path;
  if (is_left_behind(path)) ::unlink(path.c_str());
  TRY(listener->bind_to(path));
  return listener;
}

Expected<void> Listener::bind_to(const std::string& path) {
  std::error_code error;
  acceptor_.open(stream_protocol(local()), error);
  if (!error) {
    // No other thread is running yet that could create a file meanwhile.
    const mode_t before = ::umask(rights_of_others);
    acceptor_.bind(local::endpoint(path), error);
    ::umask(before);
  }
  if (error == asio::error::address_in_use) {
    return Error{ErrorCode::unreadable,
                 "cannot listen here: something of this name is there, and it is no socket that a "
                 "server has left behind; choose another path",
                 path,
                 {}};
  }
  if (error) return cannot_listen(path, error);
  path_ = path;
  stamp_ = socket_stamp(path);
  acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error) return cannot_listen(path, error);
  return {};
}

Listener::~Listener() { stop(); }

void Listener::start(Handlers handlers) {
  handlers_ = std::move(handlers);
  accept();
}

void Listener::stop() {
  std::error_code ignored;
  acceptor_.close(ignored);
  pause_timer_.cancel();
  const std::string path = std::exchange(path_, {});
  if (!path.empty() && stamp_ && socket_stamp(path) == stamp_) ::unlink(path.c_str());
}

void Listener::accept() {
  acceptor_.async_accept([this](std::error_code error, Socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (error) return pause(error);
    try {
      take(std::move(socket));
    } catch (const std::bad_alloc&) {
      const MemoryPatience patience;
      return pause(std::make_error_code(std::errc::not_enough_memory));
    }
    pause_ = shortest_pause;
    // `accepted` may have stopped this.
    if (acceptor_.is_open()) accept();
  });
}

void Listener::take(Socket socket) {
  const int descriptor = socket.native_handle();
  if (!path_.empty()) {
    const auto user = user_at(descriptor);
    if (user == ::geteuid()) return handlers_.accepted(std::move(socket), true);
    return handlers_.trouble(
        fmt::format("user {} connected to {} and was turned away: it is another user's",
                    user ? std::to_string(*user) : "(unknown)", path_));
  }
  const int on = 1;
  // Failing only delays answers.
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  std::error_code error;
  const auto peer = socket.remote_endpoint(error);
  handlers_.accepted(std::move(socket), !error && is_loopback(*peer.data()));
}

void Listener::pause(std::error_code reason) {
  if (pause_ == shortest_pause) {
    handlers_.trouble(fmt::format("no client can be taken for now: {}", reason.message()));
  }
  pause_timer_.expires_after(pause_);
  pause_ = std::min(pause_ * 2, longest_pause);
  pause_timer_.async_wait([this](std::error_code cancelled) {
    if (!cancelled && acceptor_.is_open()) accept();
  });
}

}  // namespace gprof::lsp
