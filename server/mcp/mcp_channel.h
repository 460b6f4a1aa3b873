// Where the answers to one client's messages go, and how it opened the conversation.
//
// On standard streams one channel holds the whole conversation; over HTTP each request has its own.
// Thread contract: the I/O thread.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/protocol/any_value.h"

namespace gprof::lsp {

// The member of a request's `_meta` that says which revision it is of; earlier ones have none.
inline constexpr std::string_view protocol_version_key = "io.modelcontextprotocol/protocolVersion";

struct McpChannel {
  // Sends one message; after the end of the channel, drops it.
  std::function<void(std::string message)> send;
  // What `initialize` agreed on; none before it, and for clients of revisions without it.
  std::optional<std::string> agreed_version = std::nullopt;
  // Of requests that are being answered, by their ids as JSON: raised when one is cancelled, and
  // when the channel ends.
  std::map<std::string, std::shared_ptr<std::atomic<bool>>> open = {};
  // Called when the last open request has been answered; may be null.
  std::function<void()> idle = {};

  McpChannel() = default;
  McpChannel(const McpChannel&) = delete;
  McpChannel& operator=(const McpChannel&) = delete;
  ~McpChannel() { cancel_all(); }

  void cancel_all() {
    for (const auto& [id, cancelled] : open) *cancelled = true;
  }
};

}  // namespace gprof::lsp
