// Parts of what agents are answered by: lines as messages, HTTP's requests, rounding, room,
// schemas.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/mcp/http_request.h"
#include "server/protocol/json_schema.h"
#include "server/protocol/message_writer.h"
#include "server/protocol/tool_arguments.h"
#include "server/query/answer_room.h"
#include "server/query/figures.h"
#include "server/query/tool.h"
#include "server/transport/line_decoder.h"

using namespace gprof::lsp;

namespace {

std::vector<std::string> lines_of(const std::vector<std::string_view>& pieces) {
  LineDecoder decoder;
  std::vector<std::string> lines;
  for (const std::string_view piece : pieces) decoder.feed(piece);
  while (auto frame = decoder.next()) {
    const auto* line = std::get_if<std::string>(&*frame);
    lines.push_back(line != nullptr ? *line : "!");
  }
  return lines;
}

std::string head_of(const std::string& fields) {
  return "POST /mcp HTTP/1.1\r\n" + fields + "\r\n";
}

}  // namespace

TEST_CASE("lines: a stream is the same messages wherever it is split") {
  const std::string stream = "{\"a\":1}\n\n \r\n{\"b\":2}\r\nend";
  const std::vector<std::string> expected = {"{\"a\":1}", "{\"b\":2}\r"};
  for (std::size_t split = 0; split <= stream.size(); ++split) {
    const std::string_view all = stream;
    CHECK(lines_of({all.substr(0, split), all.substr(split)}) == expected);
  }
}

TEST_CASE("lines: one that is too long is a problem, and the next is read") {
  const std::string piece(LineDecoder::largest_line, 'x');
  CHECK(lines_of({piece, "y", "\nnext\n"}) == std::vector<std::string>{"!", "next"});
  CHECK(lines_of({piece, "\n"}) == std::vector<std::string>{piece});
}

TEST_CASE("lines: a stream that ends within one says so") {
  LineDecoder decoder;
  CHECK_FALSE(decoder.end_of_stream());
  decoder.feed("a\nb");
  CHECK(decoder.end_of_stream());
  decoder.feed("\n");
  CHECK_FALSE(decoder.end_of_stream());
}

TEST_CASE("HTTP: a request has its fields by any case of their names") {
  const auto request = parse_http_request(head_of("Host: x\r\nMcp-Method:  tools/call \r\n"));
  REQUIRE(request);
  CHECK(request->method == "POST");
  CHECK(request->target == "/mcp");
  CHECK(request->keeps_alive);
  REQUIRE(request->field("mcp-method") != nullptr);
  CHECK(*request->field("mcp-method") == "tools/call");
  CHECK(request->field("accept") == nullptr);
}

TEST_CASE("HTTP: what is malformed is no request") {
  for (const char* text : {"", "\r\n", "POST /mcp\r\n\r\n", "POST  HTTP/1.1\r\n\r\n",
                           "POST /mcp HTTP/3\r\n\r\n", "P@ST /mcp HTTP/1.1\r\n\r\n"}) {
    CHECK_FALSE(parse_http_request(text));
  }
  for (const char* fields : {"no colon\r\n", ": empty\r\n", "a b: c\r\n", "a: b\x01\r\n",
                             "Content-Length: 1\r\ncontent-length: 1\r\n"}) {
    CHECK_FALSE(parse_http_request(head_of(fields)));
  }
}

TEST_CASE("HTTP: a length is a number, and is alone") {
  const auto length = [](const std::string& fields) {
    return content_length(*parse_http_request(head_of(fields)));
  };
  CHECK(length("Content-Length: 12\r\n") == 12U);
  CHECK_FALSE(length(""));
  CHECK_FALSE(length("Content-Length: -1\r\n"));
  CHECK_FALSE(length("Content-Length: 1x\r\n"));
  CHECK_FALSE(length("Content-Length: 99999999999999999999\r\n"));
  CHECK_FALSE(length("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"));
}

TEST_CASE("HTTP: fields that are no plain text are decoded") {
  CHECK(decoded_field("hot_spots") == "hot_spots");
  CHECK(decoded_field("=?base64?SGVsbG8sIOS4lueVjA==?=") == "Hello, 世界");
  CHECK(decoded_field("=?base64?"
                      "?=") == "");
  CHECK_FALSE(decoded_field("=?base64?a?="));
  CHECK_FALSE(decoded_field("=?base64?a*==?="));
}

TEST_CASE("figures have no more digits than their errors leave") {
  CHECK(rounded(1.23456789, 0.0123) == 1.235);
  CHECK(rounded(0.3, 0.1) == 0.3);
  CHECK(rounded(1234567, 89000) == 1235000);
  CHECK(rounded(1.0 / 3, 0) == 0.33333);
  CHECK(rounded(123456.7, 0) == 123457);
  CHECK(rounded(0, 1) == 0);
  CHECK(rounded_error(0.01234) == 0.012);
  CHECK(rounded_error(0) == 0);
  CHECK(rounded_percent(0.12345) == 12.3);
}

TEST_CASE("quotations are one bounded line without control characters") {
  CHECK(quoted_name("a\x1b[31m\nb") == "a?[31m?b");
  CHECK(quoted_line("\t  x = 1;") == "x = 1;");
  CHECK(quoted_line("   ") == "");
  const std::string wide(1000, 'a');
  CHECK(quoted_line(wide).size() < 200);
  std::string characters;
  for (int i = 0; i < 500; ++i) characters += "ä";
  const std::string cut = quoted_name(characters);
  CHECK(cut.ends_with("ä…"));
}

TEST_CASE("answers: a page goes on where the one before ended") {
  const auto rows = [] {
    std::vector<WaitRow> all;
    for (int i = 0; i < 10; ++i) all.push_back({std::to_string(i), 1, 1, 0});
    return all;
  };
  PageArguments arguments;
  std::string seen;
  do {
    auto room = AnswerRoom::of(arguments.size);
    const auto page = AnswerPage::of(arguments, 3);
    REQUIRE(room);
    REQUIRE(page);
    std::vector<WaitRow> given;
    AnswerEnd end;
    give_page(rows(), *page, *room, given, end);
    for (const WaitRow& row : given) seen += row.kind;
    arguments.cursor = end.more;
  } while (!arguments.cursor.empty());
  CHECK(seen == "0123456789");
}

TEST_CASE("answers: a row that is too long by itself does not come again") {
  auto room = AnswerRoom::of(SizeArguments{least_answer_tokens});
  REQUIRE(room);
  std::vector<WaitRow> given;
  AnswerEnd end;
  const std::vector<WaitRow> rows = {{std::string(100'000, 'x'), 1, 1, 0}, {"short", 1, 1, 0}};
  give_page(rows, AnswerPage{0, 2}, *room, given, end);
  CHECK(given.size() == 1);
  CHECK(end.more == "1");
}

TEST_CASE("schemas: members, what is required, and choices") {
  const AnyValue schema = schema_of<TimelineArguments>(SchemaUse::read);
  const std::string text = written_text(schema);
  CHECK(text.find(R"("rows":{"type":"string","enum":["threads","processes"],"description":)") !=
        std::string::npos);
  CHECK(text.find(R"("additionalProperties":false)") != std::string::npos);
  CHECK(text.find(R"("thread":{"type":"array","items":{"anyOf":[{"type":"integer"},)"
                  R"({"type":"string"}]})") != std::string::npos);
  CHECK(schema.find("required") == nullptr);
  const AnyValue function = schema_of<FunctionArguments>(SchemaUse::read);
  CHECK(written_text(*function.find("required")) == R"(["function"])");
}

TEST_CASE("tools: each has texts, and schemas of objects") {
  for (const Tool& tool : tools()) {
    CAPTURE(tool.name);
    CHECK(tool_named(tool.name) == &tool);
    CHECK(tool.description.size() > 60);
    for (const AnyValue& schema : {tool.input(), tool.output()}) {
      REQUIRE(schema.find_text("type") != nullptr);
      CHECK(*schema.find_text("type") == "object");
    }
  }
  CHECK(tool_named("nonsense") == nullptr);
}
