#include "server/cli/report/report_colors.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace gprof::lsp;

namespace {

std::string without_colors(std::string text) {
  for (const std::string_view sequence : {color_bold, color_dim, color_warm, color_off}) {
    for (std::size_t at = text.find(sequence); at != std::string::npos;
         at = text.find(sequence, at)) {
      text.erase(at, sequence.size());
    }
  }
  return text;
}

// B, D, W for the colours, and a closing angle bracket.
std::string readable(std::string_view report) {
  std::string text = colored_report(report);
  const std::vector<std::pair<std::string_view, std::string_view>> signs = {
      {color_bold, "B{"}, {color_dim, "D{"}, {color_warm, "W{"}, {color_off, "}"}};
  for (const auto& [sequence, sign] : signs) {
    for (std::size_t at = text.find(sequence); at != std::string::npos; at = text.find(sequence)) {
      text.replace(at, sequence.size(), sign);
    }
  }
  return text;
}

constexpr std::string_view whole_report =
    "Flat profile:\n\n"
    "Each sample counts as 0.01 seconds.\n"
    "  %   cumulative   self              self     total           \n"
    " time   seconds   seconds    calls  ms/call  ms/call  name    \n"
    " 57.24      0.04     0.04        3    13.36    13.36  leaf\n"
    "  9.99      0.07     0.03        2    15.03    28.38  12.5 12.5\n"
    "100.45      0.07     0.03                             mid(int, char)\n"
    "\f\n\t\t\tCall graph\n\n\n"
    "granularity: each sample hit covers 2 byte(s) for 14.26% of 0.07 seconds\n\n"
    "index % time    self  children    called     name\n"
    "                                                 <spontaneous>\n"
    "[1]    100.0    0.00    0.07                 main [1]\n"
    "                0.03    0.03       2/2           mid(int, char) [2]\n"
    "-----------------------------------------------\n"
    "[2]      9.0    0.03    0.03       2+1       mid(int, char) <cycle 1> [2]\n"
    "[3]     19.0    0.03    0.03       2         <cycle 1 as a whole> [3]\n"
    "-----------------------------------------------\n"
    "\f\nIndex by function name\n\n"
    "   [3] leaf (t.c)              [2] mid\n"
    "\f\n*** File /a/t.c:\n"
    "                [1]    100.0    0.00    0.07                 main [1]\n"
    "\n\nTop 10 Lines:\n\n     Line      Count\n\n        2          3\n\n"
    "Execution Summary:\n\n        3   Executable lines in this file\n";

}  // namespace

TEST_CASE("colours add to a report and change nothing") {
  for (std::size_t end = 0; end <= whole_report.size(); ++end) {
    const std::string part(whole_report.substr(0, end));
    REQUIRE(without_colors(colored_report(part)) == part);
    const std::string rest(whole_report.substr(end));
    REQUIRE(without_colors(colored_report(rest)) == rest);
  }
  CHECK(colored_report("").empty());
  const std::string odd("Flat profile:\n\0 \f\f\n[\n[1]\n 50.0\n 50.0 1.0 1.0\r", 44);
  CHECK(without_colors(colored_report(odd)) == odd);
}

TEST_CASE("colours of a report's parts") {
  const std::string text = readable(whole_report);
  for (const char* part : {
           "B{Flat profile:}\n",
           "\nD{  %   cumulative   self              self     total           }\n",
           "\nD{ time   seconds   seconds    calls  ms/call  ms/call  name    }\n",
           "\n W{57.24}      0.04     0.04        3    13.36    13.36  leaf\n",
           "\n  9.99      0.07     0.03        2    15.03    28.38  12.5 12.5\n",
           "\nW{100.45}      0.07     0.03                             mid(int, char)\n",
           "\f\nB{\t\t\tCall graph}\n",
           "\ngranularity: each",
           "\nD{index % time    self  children    called     name}\n",
           "\n[1]    W{100.0}    0.00    0.07                 B{main [1]}\n",
           "\n                0.03    0.03       2/2           mid(int, char) [2]\n",
           "\n[2]      9.0    0.03    0.03       2+1       B{mid(int, char) <cycle 1> [2]}\n",
           "\n[3]     W{19.0}    0.03    0.03       2         B{<cycle 1 as a whole> [3]}\n",
           "\f\nB{Index by function name}\n",
           "\n   [3] leaf (t.c)              [2] mid\n",
           "\f\nB{*** File /a/t.c:}\n                [1]    100.0    0.00",
           "\nB{Top 10 Lines:}\n\nD{     Line      Count}\n\n        2          3\n",
           "\nB{Execution Summary:}\n",
       }) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("the traditional layout gets its colours, too") {
  const std::string text = readable(
      "\ngranularity: each sample hit covers 2 byte(s) for 11.09% of 0.09 seconds\n\n"
      "                                  called/total       parents \n"
      "index  %time    self descendants  called+self    name    \tindex\n"
      "                                  called/total       children\n\n"
      "[1]    100.0    0.00        0.09                 main [1]\n"
      "\f\n  %   cumulative   self              self     total           \n"
      " 55.6       0.05     0.05        3    16.69    16.69  leaf [3]\n");
  for (const char* part : {
           "\nD{                                  called/total       parents }\n",
           "\nD{index  %time    self descendants  called+self    name    \tindex}\n",
           "\n[1]    W{100.0}    0.00        0.09                 B{main [1]}\n",
           "\n W{55.6}       0.05     0.05        3    16.69    16.69  leaf [3]\n",
       }) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
}
