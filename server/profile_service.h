// The part of the server that knows profiles: loads them in the background and answers feature
// requests from the newest loaded state.
#pragma once

#include <cstddef>
#include <memory>

#include "server/profile_service_interface.h"

namespace gprof::lsp {

// `worker_threads` answer requests; one more loads. With 0, loading and answering are synchronous.
[[nodiscard]] std::unique_ptr<ProfileService> make_profile_service(std::size_t worker_threads);

}  // namespace gprof::lsp
