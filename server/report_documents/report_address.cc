#include "server/report_documents/report_address.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/snapshot_view.h"
#include "server/protocol/extensions.h"
#include "server/protocol/uri.h"
#include "server/report_documents/measured_report.h"
#include "server/sources/source_paths.h"

namespace gprof::lsp {
namespace {

struct FlagOption {
  std::string_view word;
  bool ReportRequest::*flag;
};
constexpr std::array<FlagOption, 13> flag_options = {{
    {"--accurate", &ReportRequest::accurate},
    {"--error", &ReportRequest::show_errors},
    {"--inline-file-names", &ReportRequest::inline_file_names},
    {"-D", &ReportRequest::ignore_non_functions},
    {"-L", &ReportRequest::full_paths},
    {"-T", &ReportRequest::traditional},
    {"-a", &ReportRequest::ignore_static},
    {"-b", &ReportRequest::brief},
    {"-c", &ReportRequest::static_calls},
    {"-i", &ReportRequest::file_information},
    {"-l", &ReportRequest::by_line},
    {"-x", &ReportRequest::every_line},
    {"-z", &ReportRequest::show_unused},
}};
constexpr std::string_view number_options = "-mN, -tN, -wN";

Error invalid(std::string message) {
  return {ErrorCode::invalid_argument, std::move(message), {}, std::nullopt};
}

Expected<ReportPage> parse_page(std::string_view name) {
  if (const auto page = value_named<ReportPage>(name)) return *page;
  return invalid(fmt::format("there is no report \"{}\"; expected one of {}", name,
                             list_of_names<ReportPage>()));
}

// After the scheme; none if the scheme is different.
std::optional<std::string_view> without_scheme(std::string_view uri) {
  const std::size_t colon = uri.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view scheme = uri.substr(0, colon);
  const std::string_view wanted = report_scheme;
  const bool same = std::ranges::equal(scheme, wanted, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b;
  });
  return same ? std::optional(uri.substr(colon + 1)) : std::nullopt;
}

void set_member(ReportAddress& address, std::string_view name, const std::string& value) {
  if (name == "program") address.program = value;
  if (name == "options") address.options = value;
  if (name == "file") address.file = value;
}

bool is_member(std::string_view name) {
  return name == "program" || name == "options" || name == "file";
}

// Some editors re-encode the query, '=' and '&' included, losing which were part of a value: text
// that does not begin a known member belongs to the value before it.
Expected<void> read_query(std::string_view query, ReportAddress& address) {
  std::string decoded;
  const bool encoded_twice = query.find('=') == std::string_view::npos;
  if (encoded_twice) {
    auto once = percent_decoded(query);
    if (!once) return invalid("the query of the URI has a broken percent-encoding");
    decoded = std::move(*once);
    query = decoded;
  }
  std::string_view name;
  std::string value;
  while (!query.empty()) {
    const std::string_view piece = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(piece.size() + 1, query.size()));
    const std::size_t equals = piece.find('=');
    const std::string_view key = piece.substr(0, equals);
    if (equals != std::string_view::npos && is_member(key)) {
      if (!name.empty()) set_member(address, name, value);
      name = key;
      value = piece.substr(equals + 1);
    } else if (!name.empty()) {
      value.append("&").append(piece);
    }
  }
  if (!name.empty()) set_member(address, name, value);
  if (encoded_twice) return {};
  for (std::string* text : {&address.options, &address.file}) {
    auto plain = percent_decoded(*text);
    if (!plain) return invalid("the query of the URI has a broken percent-encoding");
    *text = std::move(*plain);
  }
  if (!address.program) return {};
  address.program = percent_decoded(*address.program);
  if (!address.program) return invalid("the query of the URI has a broken percent-encoding");
  return {};
}

bool take_number(std::string_view word, ReportRequest& request) {
  if (word.size() < 3 || word[0] != '-') return false;
  int number = 0;
  const auto [end, problem] = std::from_chars(word.data() + 2, word.data() + word.size(), number);
  if (problem != std::errc() || end != word.data() + word.size() || number < 0) return false;
  switch (word[1]) {
    case 'm':
      request.minimum_count = static_cast<std::uint64_t>(number);
      return true;
    case 't':
      request.table_length = number;
      return true;
    case 'w':
      request.index_width = std::max(1, number);
      return true;
    default:
      return false;
  }
}

Error unknown_option(std::string_view word) {
  std::vector<std::string_view> words;
  for (const FlagOption& option : flag_options) words.push_back(option.word);
  return invalid(
      fmt::format("{} is no option of a report as a document; expected {}, "
                  "--no-demangle, {}",
                  word, fmt::join(words, ", "), number_options));
}

Expected<void> take_options(std::string_view options, ReportRequest& request, bool demangle) {
  while (!options.empty()) {
    const std::string_view word = options.substr(0, options.find(' '));
    options.remove_prefix(std::min(word.size() + 1, options.size()));
    if (word.empty()) continue;
    const auto flag = std::ranges::find(flag_options, word, &FlagOption::word);
    if (flag != flag_options.end()) {
      request.*(flag->flag) = true;
    } else if (word == "--no-demangle") {
      demangle = false;
    } else if (!take_number(word, request)) {
      return unknown_option(word);
    }
  }
  // The traditional layout knows linkage names only.
  if (!demangle || request.traditional) request.demangle.reset();
  return {};
}

void choose_kinds(const ReportAddress& address, ReportRequest& request) {
  switch (address.page) {
    case ReportPage::flat_profile:
      return request.kinds.insert(ReportKind::flat_profile);
    case ReportPage::call_graph:
    case ReportPage::name_index:
      return request.kinds.insert(ReportKind::call_graph);
    case ReportPage::annotated_source:
      return request.kinds.insert(ReportKind::annotated_source);
    case ReportPage::execution_counts:
      return request.kinds.insert(ReportKind::execution_counts);
    case ReportPage::function_ordering:
      return request.kinds.insert(ReportKind::function_ordering);
    case ReportPage::file_information:
      request.file_information = true;
      return;
    case ReportPage::everything:
      return;
  }
}

}  // namespace

bool is_report_uri(std::string_view uri) { return without_scheme(uri).has_value(); }

Expected<ReportAddress> parse_report_uri(std::string_view uri) {
  auto rest = without_scheme(uri);
  if (!rest) {
    return invalid(
        fmt::format("{} names no report; expected {}:/KIND?program=NAME", uri, report_scheme));
  }
  std::string_view path = rest->substr(0, rest->find('#'));
  const std::size_t question = path.find('?');
  const std::string_view query =
      question == std::string_view::npos ? std::string_view() : path.substr(question + 1);
  path = path.substr(0, question);
  path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
  TRY_ASSIGN(auto page, parse_page(path));
  ReportAddress address;
  address.page = page;
  TRY(read_query(query, address));
  return address;
}

ReportAddress report_address(const ReportParams& params) {
  ReportAddress address;
  address.page = params.kind;
  address.program = params.program;
  if (params.options) address.options = *params.options;
  if (params.file) address.file = *params.file;
  return address;
}

std::string report_uri(const ReportAddress& address) {
  std::string uri = fmt::format("{}:/{}", report_scheme, name_of(address.page));
  char before = '?';
  const auto add = [&](const char* name, std::string_view value) {
    uri += fmt::format("{}{}={}", before, name, percent_encoded(value, "/"));
    before = '&';
  };
  if (address.program) add("program", *address.program);
  if (address.options != ReportAddress().options) add("options", address.options);
  if (!address.file.empty()) add("file", address.file);
  return uri;
}

Expected<ReportRequest> report_request(const ReportAddress& address, const LoadedProgram& program,
                                       bool demangle) {
  ReportRequest request;
  request.executable = program.snapshot->image().path();
  request.profiles = program.snapshot->profile_paths();
  if (program.paths) request.source_bounds = program.paths->bounds();
  choose_kinds(address, request);
  TRY(take_options(address.options, request, demangle));
  // Functions of libraries have times of their own, which gprof adds to nobody.
  const bool is_plain = address.options == ReportAddress().options;
  if (address.page == ReportPage::flat_profile && is_plain && has_measured_times_alone(program)) {
    request.accurate = true;
  }
  if (request.accurate) request.debug_files = program.snapshot->program()->debug_files();
  const bool is_view = program.view && whole_of(program.snapshot) != program.snapshot;
  // gprof's own figures are of whole profiles.
  if (request.accurate && is_view) request.view = program.snapshot;
  if (address.page == ReportPage::annotated_source && !address.file.empty()) {
    const std::string name = std::filesystem::path(address.file).filename().string();
    request.symspecs.push_back({SymspecList::include_annotation, name + ":"});
  }
  return request;
}

}  // namespace gprof::lsp
