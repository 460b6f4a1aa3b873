#include "server/protocol/extensions.h"

#include "server/protocol/extension_messages.h"

namespace gprof::lsp {
namespace {

template <typename Messages>
std::vector<std::string> methods_of(const Messages& messages) {
  return std::apply(
      [](const auto&... message) { return std::vector<std::string>{message.method...}; }, messages);
}

}  // namespace

AnyValue extensions_offer() {
  ServerExtensions offer;
  offer.requests = methods_of(extension_requests);
  offer.notifications = methods_of(extension_notifications);
  return AnyValue(AnyValue::Object{{"gprof", to_any(offer)}});
}

}  // namespace gprof::lsp
