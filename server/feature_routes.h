// Connects the protocol's feature requests with the service that answers them.
//
// Thread contract: the I/O thread.
#pragma once

#include <functional>

#include "server/dispatcher.h"
#include "server/profile_service_interface.h"

namespace gprof::lsp {

// What requests need of the session. The functions are called on the I/O thread.
struct FeatureContext {
  std::function<DocumentView(const DocumentUri&)> view;
  std::function<const ClientSettings&()> settings;
};

// `service` outlives the dispatcher's last message.
void register_features(Dispatcher& dispatcher, ProfileService& service,
                       const FeatureContext& context);

}  // namespace gprof::lsp
