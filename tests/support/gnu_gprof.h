// The installed gprof as a judge of which symbols it knows.
//
// Thread contract: any thread. Errors: none; what it prints is empty where it cannot be run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gprof::test {

// What gprof prints of a program and a profile with nothing but a header, which this writes beside
// it; with -z that is every symbol.
[[nodiscard]] std::string gprof_of_nothing(const std::filesystem::path& program,
                                           const std::vector<std::string>& options);

}  // namespace gprof::test
