// Structures of gprof/tests and of the client's command that runs what it answers.
// docs/lsp-extensions.md describes them.
//
// The texts of members become their documentation (tools/describe_protocol.cc). Plain values.
// Thread contract: as for any value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/protocol/basic_types.h"

namespace gprof::lsp {

// The command of the lenses above tests. It is the client's: this server starts no programs.
inline constexpr const char* profile_test_command = "gprof.profileTest";

struct TestsParams {
  std::optional<TextDocumentIdentifier> text_document;

  static void fields(auto& visit, auto& self) {
    visit("textDocument", self.text_document,
          "whose tests are asked for; without it, those that CTest would run");
  }
};

// How a test is run alone: no shell takes part.
struct TestRun {
  std::string name;
  std::string program;
  std::vector<std::string> arguments;
  std::optional<std::string> folder;
  std::vector<std::string> environment;
  std::optional<Range> range;

  static void fields(auto& visit, auto& self) {
    visit("name", self.name, "for people: Suite.Name, or the name of the test case");
    visit("program", self.program, "path of the executable");
    visit("arguments", self.arguments, "that make it run this test alone, as a list");
    visit("folder", self.folder, "where CTest would run it; left out if its files do not say");
    visit.optional("environment", self.environment,
                   "NAME=VALUE, added to the inherited environment");
    visit("range", self.range, "of a test of a document: from its macro to the end of its body");
  }
  friend bool operator==(const TestRun&, const TestRun&) = default;
};

struct TestsResult {
  std::vector<TestRun> tests;

  static void fields(auto& visit, auto& self) {
    visit("tests", self.tests, "in the order of the text, or of CTest's files");
  }
};

}  // namespace gprof::lsp
