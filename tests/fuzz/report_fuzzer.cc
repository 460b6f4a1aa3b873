// `gprof-lsp report` from its command line to its output, over damaged programs and profiles.
//
// An input is a line of options, a line with the size of the executable in bytes, the executable,
// and the profile; the profile is also what -R and -S read.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "engine/report/report.h"
#include "server/cli/option_parser.h"
#include "server/cli/report/report_options.h"
#include "tests/fuzz/require.h"

using namespace gprof;
using gprof::test::require;

namespace {

constexpr std::size_t longest_command = 512;

// A file without a name, read by its number.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view contents)
      : descriptor_(::memfd_create("fuzz", 0)),
        path_("/proc/self/fd/" + std::to_string(descriptor_)) {
    require(::write(descriptor_, contents.data(), contents.size()) ==
                static_cast<ssize_t>(contents.size()),
            "a file in memory can be written");
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

std::string_view first_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// Words that name files of the machine are no business of this test.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    const bool plain = word.starts_with('-') && word.find('\0') == std::string_view::npos;
    if (plain) words.push_back(word);
  }
  return words;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const std::string_view options = first_line(rest);
  if (options.size() > longest_command) return 0;
  const std::size_t executable_size = std::min<std::size_t>(
      std::strtoul(std::string(first_line(rest)).c_str(), nullptr, 10), rest.size());
  auto command = lsp::parse_line(lsp::report_syntax, words_of(options));
  auto* parsed = std::get_if<lsp::ReportOptions>(&command);
  if (parsed == nullptr) return 0;
  ReportRequest& request = parsed->request;
  const MemoryFile executable(rest.substr(0, executable_size));
  const MemoryFile profile(rest.substr(executable_size));
  request.executable = executable.path();
  request.profiles = {profile.path(), profile.path()};
  request.debug_files.global_directories.clear();
  request.source_directories.clear();
  if (!request.function_map.empty()) request.function_map = profile.path();
  if (!request.external_symbols.empty()) request.external_symbols = profile.path();
  // A line of the index may be as wide as it is asked to be.
  request.index_width = std::min(request.index_width, 1000);
  const auto output = make_report(request);
  if (!output) require(!output.error().message.empty(), "an error says what went wrong");
  return 0;
}
