// What can be said about a program before or after it ran: whether it can be profiled at all, and
// if not, why and what to do.
//
// Ownership: results own their texts. Thread contract: reads PATH; otherwise pure.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace gprof::lsp {

// The file that execvp would start; none if it finds no such file.
[[nodiscard]] std::optional<std::filesystem::path> find_program(const std::string& name);

// How the collector gets on with a program, as far as its file shows.
enum class Preloading : std::uint8_t {
  possible,    // or not known
  impossible,  // the system leaves the collector out: static, more rights, another processor
  harmful,     // the program would not start, or would be complained of: another C library, a glibc
               // that is too old, another processor
  useless,     // the collector keeps out of it: Go's runtime takes all signals for itself
};
[[nodiscard]] Preloading preloading_of(const std::string& name);

// Half a sentence on why the run of the program left no profile: "it is not instrumented: ...".
// `problem`: what the collector reported in its process, if anything.
[[nodiscard]] std::string why_no_profile(const std::string& name, const std::string& problem);

// One sentence on why the program could not be started; `error` is execvp's errno.
[[nodiscard]] std::string why_not_started(const std::string& name, int error);
// The exit status that a shell returns for it: 126 or 127.
[[nodiscard]] int status_of_start_error(const std::string& name, int error);

}  // namespace gprof::lsp
