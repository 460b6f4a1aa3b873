// Which image of its process this is: exec puts another program into a process without a word to
// the next, but the profile that the one before has left says which process wrote it.
//
// Thread contract: when the collector begins. Errors: 0 where nothing is known.
#pragma once

namespace gprof_runtime {

unsigned images_before_this();

}  // namespace gprof_runtime
