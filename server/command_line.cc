#include "server/command_line.h"

#include <charconv>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace gprof::lsp {
namespace {

template <typename Integer>
std::optional<Integer> parse_number(std::string_view text) {
  Integer number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// `[HOST:]PORT`; an IPv6 address stands in brackets.
std::optional<SocketServer> parse_listen(std::string_view text) {
  SocketServer server;
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos) {
    std::string_view host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    if (!host.empty()) server.host = host;
    text.remove_prefix(colon + 1);
  }
  const auto port = parse_number<std::uint16_t>(text);
  if (!port) return std::nullopt;
  server.port = *port;
  return server;
}

class Parser {
 public:
  explicit Parser(std::span<const std::string_view> arguments) : arguments_(arguments) {}

  CommandLine parse();

 private:
  // Takes the argument after the option where the option has no `=VALUE`.
  std::optional<std::string_view> value();
  void fail(std::string message) {
    if (problem_.empty()) problem_ = std::move(message);
  }
  void choose(Transport transport);
  void connect_to(std::string_view text);

  [[nodiscard]] bool listens() const {
    return std::holds_alternative<SocketServer>(options_.transport) ||
           std::holds_alternative<PipeServer>(options_.transport);
  }
  // What only makes sense in company.
  void check_company();

  void take_option();
  void take_socket();
  void take_listen(std::string_view text);
  void take_number_of_clients(std::string_view text);
  void take_value_option();

  std::span<const std::string_view> arguments_;
  std::size_t next_ = 0;
  std::string_view name_;
  std::optional<std::string_view> inline_value_;
  ServeOptions options_;
  bool chosen_ = false;
  bool socket_without_port_ = false;
  bool help_ = false;
  bool version_ = false;
  std::string_view only_listening_;  // an option that only makes sense there
  std::string problem_;
};

CommandLine Parser::parse() {
  while (next_ < arguments_.size() && problem_.empty()) {
    const std::string_view argument = arguments_[next_++];
    const std::size_t equals = argument.find('=');
    name_ = argument.substr(0, equals);
    inline_value_.reset();
    if (!argument.starts_with('-') && !argument.empty()) {
      options_.listen.folders.emplace_back(argument);
      continue;
    }
    if (equals != std::string_view::npos) inline_value_ = argument.substr(equals + 1);
    take_option();
  }
  if (!problem_.empty()) return UsageError{problem_};
  if (help_) return HelpRequest{};
  if (version_) return VersionRequest{};
  if (socket_without_port_) return UsageError{"--socket needs a port: --socket=PORT"};
  check_company();
  if (!problem_.empty()) return UsageError{problem_};
  return options_;
}

void Parser::take_option() {
  if (name_ == "--socket") return take_socket();
  const bool flag = name_ == "--stdio" || name_ == "--help" || name_ == "-h" ||
                    name_ == "--version" || name_ == "-V";
  if (!flag) return take_value_option();
  if (inline_value_) return fail(fmt::format("{} takes no value", name_));
  if (name_ == "--stdio") return choose(StandardStreams{});
  (name_ == "--help" || name_ == "-h" ? help_ : version_) = true;
}

// `--socket` alone is followed by `--port=N`.
void Parser::take_socket() {
  if (inline_value_) return connect_to(*inline_value_);
  const auto* transport = std::get_if<SocketClient>(&options_.transport);
  socket_without_port_ = transport == nullptr;
}

void Parser::take_value_option() {
  constexpr std::string_view known[] = {
      "--pipe",      "--port",       "--listen",      "--clientProcessId", "--log",
      "--log-level", "--token-file", "--max-clients", "--config"};
  bool is_known = false;
  for (const std::string_view name : known) is_known = is_known || name == name_;
  if (!is_known) return fail(fmt::format("{} is no option; --help lists them", name_));
  const auto text = value();
  if (!text || text->empty()) return fail(fmt::format("{} needs a value", name_));
  if (name_ == "--pipe") return choose(PipeClient{std::string(*text)});
  if (name_ == "--port") return connect_to(*text);
  if (name_ == "--log") {
    options_.log_file = *text;
  } else if (name_ == "--config") {
    options_.configuration_file = *text;
  } else if (name_ == "--listen") {
    take_listen(*text);
  } else if (name_ == "--token-file") {
    options_.listen.token_file = *text;
    only_listening_ = name_;
  } else if (name_ == "--max-clients") {
    take_number_of_clients(*text);
  } else if (name_ == "--clientProcessId") {
    options_.client_process = parse_number<std::int64_t>(*text);
    if (!options_.client_process) fail(fmt::format("{}={}: expected a number", name_, *text));
  } else {
    const auto level = parse_log_level(*text);
    if (!level) return fail("--log-level must be one of off, error, warning, info, debug");
    options_.log_level = *level;
  }
}

void Parser::take_listen(std::string_view text) {
  constexpr std::string_view unix_prefix = "unix:";
  if (text.starts_with(unix_prefix)) {
    text.remove_prefix(unix_prefix.size());
    if (text.empty()) return fail("--listen=unix: needs a path behind it");
    return choose(PipeServer{std::string(text)});
  }
  const auto server = parse_listen(text);
  if (!server) return fail(fmt::format("--listen={}: expected [HOST:]PORT or unix:PATH", text));
  choose(*server);
}

void Parser::take_number_of_clients(std::string_view text) {
  only_listening_ = name_;
  const auto number = parse_number<std::uint16_t>(text);
  if (!number || *number == 0) {
    return fail(fmt::format("{}={}: expected a number from 1 to 65535", name_, text));
  }
  options_.listen.most_clients = *number;
}

void Parser::check_company() {
  const ListenOptions& listen = options_.listen;
  if (!listens() && !listen.folders.empty()) {
    fail(fmt::format("{} is no option; --help lists them", listen.folders.front()));
  }
  if (!listens() && !only_listening_.empty()) {
    fail(fmt::format("{} is for a server that listens: --listen", only_listening_));
  }
  if (std::holds_alternative<PipeServer>(options_.transport) && !listen.token_file.empty()) {
    fail("a Unix domain socket needs no token: --token-file is for --listen=[HOST:]PORT");
  }
}

std::optional<std::string_view> Parser::value() {
  if (inline_value_) return inline_value_;
  if (next_ == arguments_.size() || arguments_[next_].starts_with("--")) return std::nullopt;
  return arguments_[next_++];
}

void Parser::connect_to(std::string_view text) {
  const auto port = parse_number<std::uint16_t>(text);
  if (!port || *port == 0) {
    return fail(fmt::format("{}={}: expected a port from 1 to 65535", name_, text));
  }
  socket_without_port_ = false;
  choose(SocketClient{*port});
}

void Parser::choose(Transport transport) {
  if (std::exchange(chosen_, true)) {
    return fail("only one of --stdio, --pipe, --socket and --listen may be given");
  }
  options_.transport = std::move(transport);
}

}  // namespace

CommandLine parse_command_line(std::span<const std::string_view> arguments) {
  return Parser(arguments).parse();
}

std::string_view help_text() {
  return R"(gprof-lsp shows the call-graph profile of a program in an editor.

Usage: gprof-lsp [OPTION]...
       gprof-lsp --listen=PLACE [OPTION]... [FOLDER]...
       gprof-lsp report [OPTION]... [PROGRAM [PROFILE]...]
       gprof-lsp record [OPTION]... [--] PROGRAM [ARG]...
       gprof-lsp recover DIR...
       gprof-lsp check [OPTION]... [DIR]
       gprof-lsp export --format=FORMAT [OPTION]... EXECUTABLE [GMON]...
       gprof-lsp diff [OPTION]... OLD-EXE OLD-GMON... -- NEW-EXE NEW-GMON...

The second form serves clients that connect to it. The third prints the reports of GNU gprof
instead, the fourth runs a program and keeps its profile, the fifth makes profiles of what killed
programs left, the sixth says what the server would find in a workspace, the seventh writes a
profile for other tools, the eighth says what got slower between two builds; each of these tells
more with --help.

How to reach the client (one of them; --stdio when none is given):
  --stdio                  standard input and output
  --pipe=NAME              the client listens on the Unix domain socket NAME
  --socket=PORT            the client listens on this port of the loopback address;
                           --port=PORT says the same
  --listen=[HOST:]PORT     wait for clients on this port, of the loopback address unless
                           HOST says otherwise; with port 0 the system chooses one. The port is
                           printed on standard error, with a token that clients must give in
                           initializationOptions.gprof.token
  --listen=unix:PATH       wait for clients on a Unix domain socket that only this user can
                           connect to; it needs no token

What a server that listens allows:
  FOLDER...                clients see programs, profiles and sources below these folders, and
                           write exports there; the working directory when none is given
  --token-file=FILE        take the token from FILE, which only this user may read; where
                           there is no such file, write a new token there. It is not printed
  --max-clients=N          clients at a time; 32 when not given

How to run:
  --clientProcessId=N      end when process N has ended
  --config=FILE            settings, as a JSON object; those of the client win
  --log=FILE               append what happens to FILE
  --log-level=LEVEL        off, error, warning, info (default) or debug

Information:
  -h, --help               print this text
  -V, --version            print the version
)";
}

}  // namespace gprof::lsp
