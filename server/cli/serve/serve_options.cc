#include "server/cli/serve/serve_options.h"

#include <limits>
#include <memory>
#include <utility>

namespace gprof::lsp {
namespace {

using Text = std::optional<std::string_view>;

// Checked once the whole line is known.
struct ServeChoices {
  bool has_transport = false;
  bool names_socket = false;  // --socket, with or without a port
  std::optional<std::uint16_t> most_clients;
};

std::optional<Transport> parse_place(std::string_view text) {
  constexpr std::string_view unix_prefix = "unix:";
  if (text.starts_with(unix_prefix)) {
    text.remove_prefix(unix_prefix.size());
    if (text.empty()) return std::nullopt;
    return PipeServer{std::string(text)};
  }
  const auto server = parse_socket_place(text);
  return server ? std::optional<Transport>(*server) : std::nullopt;
}

Expected<void> choose(ServeOptions& options, ServeChoices& choices, Transport transport) {
  if (std::exchange(choices.has_transport, true)) {
    return usage_error("only one of --stdio, --pipe, --socket and --listen may be given");
  }
  options.transport = std::move(transport);
  return {};
}

Expected<void> connect(ServeOptions& options, ServeChoices& choices, std::string_view text) {
  const auto port = parse_number<std::uint16_t>(text);
  if (!port || *port == 0) return usage_error("expected a port from 1 to 65535");
  return choose(options, choices, SocketClient{*port});
}

OptionGroup transport_options(ServeOptions& options, ServeChoices& choices) {
  OptionValue pipe = text_value(ValueUse::required, "NAME", [&](Text text) {
    return choose(options, choices, PipeClient{std::string(*text)});
  });
  pipe.kind = ValueKind::file;
  return {
      "How to reach the client (one of them; by default --stdio)",
      {
          {0, "stdio",
           text_value(ValueUse::none, "",
                      [&](Text) { return choose(options, choices, StandardStreams{}); }),
           "standard input and output"},
          {0, "pipe", std::move(pipe), "the client listens on the Unix domain socket NAME"},
          {0, "socket",
           text_value(ValueUse::optional, "PORT",
                      [&](Text text) {
                        choices.names_socket = true;
                        return text ? connect(options, choices, *text) : Expected<void>();
                      }),
           "the client listens on this port of the loopback address; without a port, --port says "
           "which"},
          {0, "port",
           text_value(ValueUse::required, "PORT",
                      [&](Text text) { return connect(options, choices, *text); }),
           "the same as --socket=PORT"},
          {0, "listen",
           text_value(ValueUse::required, "[HOST:]PORT|unix:PATH",
                      [&](Text text) -> Expected<void> {
                        auto place = parse_place(*text);
                        if (!place) return usage_error("expected [HOST:]PORT or unix:PATH");
                        return choose(options, choices, *std::move(place));
                      }),
           "wait for clients: on this port, of the loopback address unless HOST says otherwise (0: "
           "the system chooses one), or on a Unix domain socket that only this user can connect to",
           "The port is printed on standard error, with a token that clients must give in "
           "initializationOptions.gprof.token. A Unix domain socket needs no token."},
      }};
}

OptionGroup listening_options(ServeOptions& options, ServeChoices& choices) {
  return {"What a server that listens allows",
          {
              {0, "token-file", file_value("FILE", options.listen.token_file),
               "take the token from FILE, which only this user may read; if there is no such "
               "file, write a new token there",
               "The token is not printed then."},
              {0, "max-clients",
               number_value<std::uint16_t>("N", choices.most_clients, 1,
                                           std::numeric_limits<std::uint16_t>::max()),
               "clients at a time (default: 32)"},
          },
          "FOLDERs also limit what clients see."};
}

OptionGroup running_options(ServeOptions& options) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return {"How to run",
          {
              {0, "clientProcessId",
               number_value<std::int64_t>("N", options.client_process, -most, most, "a number"),
               "end when process N has ended"},
              {0, "config", file_value("FILE", options.configuration_file),
               "settings, as a JSON object; those of the client win"},
              {0, "log", file_value("FILE", options.log_file), "append what happens to FILE"},
              {0, "log-level",
               choice_value<LogLevel>("LEVEL", options.log_level, named_values<LogLevel>()),
               "how much of it: off, error, warning, info (default) or debug"},
          }};
}

Expected<void> finish_serving(ServeOptions& options, const ServeChoices& choices,
                              const Operands& operands) {
  if (choices.names_socket && !std::holds_alternative<SocketClient>(options.transport)) {
    return usage_error("--socket needs a port: --socket=PORT");
  }
  ListenOptions& listen = options.listen;
  const bool on_pipe = std::holds_alternative<PipeServer>(options.transport);
  const bool listens = on_pipe || std::holds_alternative<SocketServer>(options.transport);
  for (const std::string_view word : operands.words) {
    if (!listens) {
      return usage_error(fmt::format("{} is not a command or option; --help lists them", word));
    }
    if (word.empty()) return usage_error("the name of a folder is empty");
    listen.folders.emplace_back(word);
  }
  if (!listens && (!listen.token_file.empty() || choices.most_clients)) {
    return usage_error(fmt::format("{} is for a server that listens: --listen",
                                   choices.most_clients ? "--max-clients" : "--token-file"));
  }
  if (on_pipe && !listen.token_file.empty()) {
    return usage_error(
        "a Unix domain socket needs no token: --token-file is for --listen=[HOST:]PORT");
  }
  listen.most_clients = choices.most_clients.value_or(listen.most_clients);
  return {};
}

}  // namespace

std::optional<SocketServer> parse_socket_place(std::string_view text) {
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

CommandSyntax serve_syntax(ServeOptions& options) {
  const auto choices = std::make_shared<ServeChoices>();
  CommandSyntax syntax;
  syntax.summary = "Show the call-graph profile of a program in an editor";
  syntax.usage = {"[OPTION]...", "--listen=PLACE [OPTION]... [FOLDER]...", "COMMAND [ARGUMENT]..."};
  syntax.about =
      "Without a command, gprof-lsp is a language server. One that listens shows its\n"
      "clients programs, profiles and sources below the FOLDERs, and writes exports\n"
      "there; by default, the working directory. gprof-lsp help COMMAND explains a\n"
      "command.";
  syntax.groups = {transport_options(options, *choices),
                   listening_options(options, *choices),
                   running_options(options),
                   {"Information", {help_option(), version_option('V')}}};
  syntax.operands = ValueKind::directory;
  syntax.finish = [&options, choices](const Operands& operands) {
    return finish_serving(options, *choices, operands);
  };
  return syntax;
}

}  // namespace gprof::lsp
