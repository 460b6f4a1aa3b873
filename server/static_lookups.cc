// Part of the statically linked program only. Names of hosts and services are looked up by what is
// linked in, files and DNS, whatever the system's nsswitch.conf says: its modules would bring a
// libc of their own into the process, of another version.
#include <nss.h>

namespace {

[[gnu::constructor]] void use_built_in_lookups() {
  __nss_configure_lookup("hosts", "files dns");
  __nss_configure_lookup("services", "files");
}

}  // namespace
