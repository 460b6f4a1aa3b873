// Profiles in pprof's format (profile.proto), plain or compressed by gzip, as Go, heap profilers
// and many others write them: each sample type is a metric.
//
// Code of the program is found by its addresses, through the mapping they are in. Where there are
// none, or names at some of them show that they are of another build or place, it is found by the
// names of functions, and lines. Inlined functions are those that the program's own debug
// information has at the address. Threads are told by labels, time is not.
//
// Thread contract: pure functions. Errors: wrong_format; corrupt, with the offset (in the unpacked
// bytes, which the message says); unsupported, if it unpacks to too much.
#pragma once

#include <string>
#include <string_view>

#include "engine/import/imported_profile.h"
#include "engine/profile/memory_room.h"
#include "engine/profile/profile.h"

namespace gprof {

// Whether a file that starts like this is one, or is compressed by gzip.
[[nodiscard]] bool is_pprof(std::string_view start);

// Whether files of other formats are not called this: NAME.pb.gz, NAME.pprof.
[[nodiscard]] bool is_pprof_name(std::string_view file_name);

// The profiled program, as the file says.
struct PprofProgram {
  std::string path;
  std::string build_id;    // hexadecimal digits; empty if it is not known
  bool is_export = false;  // we have written it, of another profile
};

// Whether it can be read to the end. Errors: as above.
[[nodiscard]] Expected<PprofProgram> check_pprof(std::string_view bytes, const std::string& path);

// Reads the target's names and addresses, to find the program's mapping and its load bias.
[[nodiscard]] Expected<Profile> read_pprof(std::string_view bytes, const std::string& path,
                                           const ImportTarget& target, MemoryRoom& room,
                                           Warnings& warnings);

}  // namespace gprof
