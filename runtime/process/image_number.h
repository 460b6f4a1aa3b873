// Which image of its process this is: exec tells the new program nothing about the previous one,
// but the profile that it left identifies the process that wrote it.
//
// Thread contract: only while the collector starts. Errors: 0 if nothing is known.
#pragma once

namespace gprof_runtime {

unsigned images_before_this();

}  // namespace gprof_runtime
