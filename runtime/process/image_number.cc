#include "runtime/process/image_number.h"

#include <fcntl.h>

#include "formats/sidecar.h"
#include "runtime/storage/live_file.h"
#include "runtime/system/environment.h"
#include "runtime/system/message.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime {
namespace {

constexpr std::size_t longest_path = 1024;
constexpr unsigned most_images = 10000;

// Whether the sidecar was written by this process before it executed another image.
bool is_of_this_process(const char* path) {
  const sys::Result file = sys::call(__NR_openat, AT_FDCWD, sys::word(path),
                                     O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (sys::failed(file)) return false;
  SidecarHeader header{};
  const sys::Result size = sys::call(__NR_read, file, sys::word(&header), sizeof header);
  sys::call(__NR_close, file);
  const LiveHeader* own = live::header();
  return size == sizeof header && is_known_sidecar(header.version) &&
         header.process == own->process && header.process_start == own->process_start &&
         header.ending == static_cast<std::uint32_t>(Ending::executed);
}

}  // namespace

unsigned images_before_this() {
  const char* prefix = settings().name_prefix;
  const std::uint32_t process = live::header()->process;
  Text<longest_path> base;
  if (*prefix != '/') base.add(live::start_directory()).add("/");
  if (*prefix != '\0') {
    base.add(prefix).add(".").add(process);
  } else {
    base.add("gmon.out");
  }
  Text<longest_path> first;
  first.add(base.c_str()).add(".gpx");
  if (*prefix == '\0') base.add(".").add(process);
  Text<longest_path> of_child;
  of_child.add(base.c_str()).add(".gpx");
  if (!is_of_this_process(first.c_str()) && !is_of_this_process(of_child.c_str())) return 0;
  unsigned number = 1;
  for (; number < most_images; ++number) {
    Text<longest_path> name;
    name.add(base.c_str()).add(".").add(number).add(".gpx");
    if (name.cut() || !is_of_this_process(name.c_str())) break;
  }
  return number;
}

}  // namespace gprof_runtime
