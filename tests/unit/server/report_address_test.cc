#include "server/report_documents/report_address.h"

#include <catch2/catch.hpp>

using namespace gprof;
using namespace gprof::lsp;

namespace {

ReportAddress address_of(std::string_view uri) {
  auto address = parse_report_uri(uri);
  INFO(uri);
  REQUIRE(address);
  return *address;
}

}  // namespace

TEST_CASE("a report's address is read from its URI") {
  const ReportAddress plain = address_of("gprof-report:/flat-profile");
  CHECK(plain.page == ReportPage::flat_profile);
  CHECK_FALSE(plain.program);
  CHECK(plain.options == "-b");
  const ReportAddress whole = address_of(
      "gprof-report:/annotated-source?program=a%20b&options=-b%20-L&file=/src/a%26b.c#L12");
  CHECK(whole.page == ReportPage::annotated_source);
  CHECK(whole.program == "a b");
  CHECK(whole.options == "-b -L");
  CHECK(whole.file == "/src/a&b.c");
  CHECK(address_of("gprof-report:/all?options=").options.empty());
  CHECK(address_of("GPROF-REPORT:///index?").page == ReportPage::name_index);
}

TEST_CASE("a query that an editor has encoded again is the same") {
  const ReportAddress expected{ReportPage::call_graph, "a&b=c", "-b", ""};
  CHECK(address_of("gprof-report:/call-graph?program=a%26b%3Dc") == expected);
  CHECK(address_of("gprof-report:/call-graph?program%3Da%26b%3Dc") == expected);
  CHECK(address_of("gprof-report:/call-graph?program%3Da%26b%3Dc%26options%3D-b") == expected);
}

TEST_CASE("a report's URI leads back to it") {
  for (const ReportAddress& address :
       {ReportAddress{}, ReportAddress{ReportPage::flat_profile, "dir/prog", "-b", ""},
        ReportAddress{ReportPage::annotated_source, "a&b %ü", "", "/x y/ö.c"},
        ReportAddress{ReportPage::file_information, std::nullopt, "-T -z", ""}}) {
    CHECK(address_of(report_uri(address)) == address);
  }
  CHECK(report_uri({ReportPage::flat_profile, "dir/prog", "-b", ""}) ==
        "gprof-report:/flat-profile?program=dir/prog");
}

TEST_CASE("what is no report is refused") {
  for (const char* uri : {"", "gprof-report", "file:///a.c", "gprof-reports:/index",
                          "gprof-report:/", "gprof-report:/poem", "gprof-report:/index/x",
                          "gprof-report:/index?program=%4", "gprof-report:/index?options=%zz"}) {
    INFO(uri);
    const auto address = parse_report_uri(uri);
    REQUIRE_FALSE(address);
    CHECK(address.error().code == ErrorCode::invalid_argument);
  }
  CHECK(parse_report_uri("gprof-report:/poem").error().message.find("flat-profile") !=
        std::string::npos);
}
