// Version 3 of Catch2 by the header and the names of version 2, which Debian 12 has.
#pragma once

#include <string>

#include <catch2/catch_all.hpp>

using Catch::Approx;

namespace Catch {

using Matchers::EndsWith;
using Matchers::StartsWith;
using TestEventListenerBase = EventListenerBase;

inline auto Contains(const std::string& part) { return Matchers::ContainsSubstring(part); }

}  // namespace Catch
