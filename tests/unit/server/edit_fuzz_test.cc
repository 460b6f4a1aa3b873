// Random edits, in documents and in a reference that knows what each of them means: no line ever
// claims to be a different one.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "edit_reference.h"
#include "server/documents/document.h"

using namespace gprof;
using namespace gprof::lsp;

namespace {

const std::vector<std::string> usual_lines{"",
                                           "}",
                                           "  }",
                                           "x = 1;",
                                           "",
                                           "  f(a);",
                                           "  f(a);",
                                           "{",
                                           "a\xC3\xA9\xF0\x9F\x98\x80",
                                           "\xE2\x82\xAC;",
                                           "  ",
                                           "return x;"};

struct Message {
  std::vector<ContentChange> changes;
  std::vector<ReferenceEdit> edits;
  bool apart = false;  // the edits are on different lines, from last to first
  bool told = true;    // the reference knows what became of each line
  ReferenceLines before;
  ReferenceLines after;
};

class Session {
 public:
  explicit Session(std::uint32_t seed)
      : random_(seed),
        exact_lines_(seed % 2 == 0),
        end_(std::vector<std::string>{"\n", "\r\n", "\r", ""}[below(4)]),
        encoding_(static_cast<PositionEncoding>(below(3))),
        opened_(some_text()),
        reference_(opened_, encoding_),
        document_(std::make_shared<const Document>(opened_, "c", 1, encoding_)) {}

  // Makes one message's edits; returns what is wrong afterwards.
  std::string step() {
    if (over_) return {};
    if (below(12) == 0) save();
    if (!undo_.empty() && below(4) == 0) return undo();
    if (!redo_.empty() && below(3) == 0) return redo();
    // Undone edits count twice from now on; those that are too old are forgotten.
    for (const Message& taken : redo_) recorded_ += 2 * taken.edits.size();
    redo_.clear();
    Message message;
    message.before = reference_.lines();
    if (below(6) == 0 && reference_.lines().size() > 12) {
      edit_apart(message);
    } else {
      for (std::size_t count = below(4) == 0 ? 3 : 1; count > 0; --count) edit(message);
    }
    const std::string defect = send(message.changes, true);
    message.after = reference_.lines();
    undo_.push_back(std::move(message));
    return defect;
  }

  std::string undo_all() {
    while (!over_ && !undo_.empty()) {
      if (const std::string defect = undo(); !defect.empty()) return defect;
    }
    if (over_) return {};
    if (document_->text() != opened_) return "undoing all gave another text";
    for (LineNumber line = 1; line <= document_->line_count(); ++line) {
      if (document_->origins().front().alignment().there(line) != line) {
        return "undoing all moved lines";
      }
    }
    return {};
  }

  [[nodiscard]] std::size_t compared() const { return compared_; }
  // Lines that an edit left alone but that are no longer aligned. An edit among equal lines may be
  // taken for the undoing of an older one; they then have their earlier partners.
  [[nodiscard]] std::size_t lost() const { return lost_; }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  std::string some_line() {
    if (exact_lines_ || below(3) == 0) return "u" + std::to_string(++serial_);
    return usual_lines[below(usual_lines.size())];
  }
  std::string some_end() {
    if (!end_.empty()) return end_;
    return std::vector<std::string>{"\n", "\r\n", "\r"}[below(3)];
  }
  std::string some_text() {
    std::string text;
    for (std::size_t i = below(25); i > 0; --i) text += some_line() + some_end();
    return below(2) == 0 ? text : text + some_line();
  }
  std::string some_word() {
    const std::vector<std::string> words{"}", "x", " ", "\xC3\xA9", "f(a);", "\xF0\x9F\x98\x80"};
    if (!exact_lines_ && below(3) == 0) return "";
    return (exact_lines_ ? std::to_string(++serial_) : "") + words[below(words.size())];
  }
  // Up to three lines, the last one without a line end.
  std::string some_piece() {
    std::string text;
    for (std::size_t i = below(3); i > 0; --i) text += some_line() + some_end();
    return below(2) == 0 ? text : text + some_line();
  }
  std::vector<std::string> some_lines() {
    std::vector<std::string> lines;
    for (std::size_t i = 1 + below(3); i > 0; --i) lines.push_back(some_line());
    return lines;
  }
  std::size_t some_column(std::size_t line) {
    const auto columns = reference_.columns(line);
    if (exact_lines_) return below(2) == 0 ? 0 : columns.back();
    return columns[below(columns.size())];
  }
  std::size_t some_offset() {
    const std::size_t line = below(reference_.lines().size());
    return reference_.offset(line, some_column(line));
  }

  void edit(Message& message) {
    const std::size_t count = reference_.lines().size();
    const std::size_t line = below(count);
    ContentChange change;
    switch (below(16)) {
      case 0:
      case 1:
        change = reference_.insert_above(line, some_lines(), some_end());
        break;
      case 2:
        change = reference_.insert_below(line, some_lines(), some_end());
        break;
      case 3:
      case 4:
        if (line + 1 >= count) return;
        change = reference_.erase_lines(line, std::min(count - 1, line + 1 + below(3)));
        break;
      case 5:
      case 6:
        change =
            reference_.split(line, some_column(line), some_end(), std::string(2 * below(2), ' '));
        break;
      case 7:
      case 8: {
        if (line + 1 >= count) return;
        const std::string& next = reference_.lines()[line + 1].text;
        const std::size_t indent = std::min(next.find_first_not_of(' '), next.size());
        change = reference_.join(line, below(2) == 0 ? 0 : indent);
        break;
      }
      case 9: {
        const std::size_t from = some_offset();
        const std::size_t to = some_offset();
        message.told = false;
        change = reference_.replace(std::min(from, to), std::max(from, to), some_piece());
        break;
      }
      case 10: {
        message.told = false;
        const std::string whole = altered_text();
        change = reference_.replace_all(whole);
        if (below(2) == 0) change.range = Range{{0, 0}, {100000, 0}};
        break;
      }
      default: {
        const std::size_t one = some_column(line);
        const std::size_t other = below(2) == 0 ? one : some_column(line);
        change = reference_.type(line, std::min(one, other), std::max(one, other), some_word());
      }
    }
    add(message, std::move(change));
  }

  // A whole text with some lines added, removed or changed.
  std::string altered_text() {
    ReferenceLines lines = reference_.lines();
    for (std::size_t i = below(3); i > 0; --i) {
      const auto place = lines.begin() + static_cast<std::ptrdiff_t>(below(lines.size()));
      if (below(2) == 0 && place + 1 != lines.end()) {
        lines.erase(place);
      } else {
        ReferenceLine line = *place;
        line.text = some_line();
        line.end = some_end();
        lines.insert(place, line);
      }
    }
    std::string text;
    for (const ReferenceLine& line : lines) text += line.text + line.end;
    return text;
  }

  // Several cursors: the same kind of edit on separate lines, the last line first.
  void edit_apart(Message& message) {
    message.apart = true;
    for (std::size_t line = reference_.lines().size() - 3; line > 3;
         line -= std::min<std::size_t>(line, 4 + below(3))) {
      ContentChange change;
      switch (below(4)) {
        case 0:
          change = reference_.insert_above(line, {some_line()}, some_end());
          break;
        case 1:
          change = reference_.erase_lines(line, line + 1);
          break;
        case 2:
          change = reference_.split(line, some_column(line), some_end(), "");
          break;
        default:
          change = reference_.type(line, 0, 0, "x");
      }
      add(message, std::move(change));
    }
  }

  void add(Message& message, ContentChange change) {
    if (change.range && below(5) == 0) {
      Range& range = *change.range;
      std::swap(range.start, range.end);  // as clients may
    }
    message.changes.push_back(std::move(change));
    message.edits.push_back(reference_.last());
    if (++recorded_ > 256) exact_ = false;
  }

  std::string undo() {
    Message message = std::move(undo_.back());
    undo_.pop_back();
    std::vector<ContentChange> changes;
    std::vector<ReferenceEdit> edits = message.edits;
    // Editors give positions in the current text.
    EditReference text = reference_;
    if (message.apart) {
      for (std::size_t i = 0; i < edits.size(); ++i) {
        for (std::size_t later = i + 1; later < edits.size(); ++later) {
          edits[i].offset += edits[later].inserted.size() - edits[later].removed.size();
        }
      }
    } else {
      std::reverse(edits.begin(), edits.end());
    }
    for (const ReferenceEdit& edit : edits) {
      changes.push_back(text.inverse(edit));
      std::string whole = text.text();
      whole.replace(edit.offset, edit.inserted.size(), edit.removed);
      text = EditReference(whole, encoding_);
    }
    const bool whole_text = below(10) == 0 && !undo_.empty();
    reference_.restore(message.before);
    if (whole_text) {
      // Which of several equal lines it removes is ambiguous: from here on some may be lost.
      changes = {{std::nullopt, reference_.text()}};
      exact_ = false;
    }
    std::string defect = expect(changes, message, whole_text);
    message.before = reference_.lines();
    redo_.push_back(std::move(message));
    return defect;
  }

  std::string redo() {
    Message message = std::move(redo_.back());
    redo_.pop_back();
    reference_.restore(message.after);
    std::string defect = expect(message.changes, message, false);
    message.after = reference_.lines();
    undo_.push_back(std::move(message));
    return defect;
  }

  // Sends what must produce the reference's new lines.
  std::string expect(const std::vector<ContentChange>& changes, const Message& message,
                     bool loose) {
    // From then on it is unknown what the document should remember.
    if (!message.told || loose) exact_ = told_ = false;
    for (ReferenceLine& line : reference_.lines()) {
      line.touched = false;
      line.loose = !told_;
      // Newer origins: not remembered.
      line.partners.resize(document_->origins().size(), unknown);
    }
    return send(changes, exact_);
  }

  void save() {
    // Other tests cover how origins come and go; here they only come.
    const auto origins = document_->origins();
    if (origins.size() == 4) return;
    for (const Origin& origin : origins) {
      if (*origin.lines() == *document_->hashes()) return;
    }
    document_ = document_->saved();
    add_origin();
  }

  void add_origin() {
    for (std::size_t i = 0; i < reference_.lines().size(); ++i) {
      reference_.lines()[i].partners.push_back(static_cast<LineNumber>(i + 1));
    }
  }

  std::string send(const std::vector<ContentChange>& changes, bool exact) {
    const std::size_t origins = document_->origins().size();
    const auto newest = document_->origins().back().lines();
    document_ = document_->edited(changes, document_->version() + 1);
    // A text that replaces most of another becomes an origin.
    if (document_->origins().size() == origins && document_->origins().back().lines() != newest) {
      over_ = true;
    }
    if (document_->origins().size() > origins) add_origin();
    if (over_) return {};
    std::string defect = compare(exact, changes.size() == 1);
    if (defect.empty()) return defect;
    for (const ContentChange& change : changes) {
      defect += change.range ? fmt::format("\n  {}:{}-{}:{} \"{}\"", change.range->start.line,
                                           change.range->start.character, change.range->end.line,
                                           change.range->end.character, change.text)
                             : fmt::format("\n  all \"{}\"", change.text);
    }
    return defect;
  }

  std::string compare(bool exact, bool single) {
    if (document_->text() != reference_.text()) return "another text";
    if (document_->line_count() != reference_.lines().size()) return "other lines";
    for (std::size_t i = 0; i < document_->origins().size(); ++i) {
      if (std::string defect = compare(i, exact, single); !defect.empty()) {
        return fmt::format("origin {}: {}", i, defect);
      }
    }
    for (ReferenceLine& line : reference_.lines()) line.touched = line.loose = false;
    return {};
  }

  // Afterwards the reference adopts what the document says about ambiguous lines.
  std::string compare(std::size_t index, bool exact, bool single) {
    const LineAlignment& alignment = document_->origins()[index].alignment();
    const LineHashes& earlier = *document_->origins()[index].lines();
    const LineHashes& present = *document_->hashes();
    const bool is_back = earlier == present;
    LineNumber last = 0;
    for (std::size_t i = 0; i < present.size(); ++i) {
      ReferenceLine& line = reference_.lines()[i];
      const auto number = static_cast<LineNumber>(i + 1);
      const LineNumber claim = alignment.there(number).value_or(0);
      const LineNumber truth = is_back ? number : line.partners[index];
      // Exactly the opened text, reached by a detour: earlier history no longer matters.
      if (is_back && line.partners[index] != number) over_ = true;
      const bool free = line.loose || truth == unknown;
      const bool unchanged = claim != 0 && earlier[claim - 1] == present[i];
      const bool blank = line.text.find_first_not_of(' ') == std::string::npos;
      const std::string said =
          fmt::format("line {} \"{}\" is {}, not {}", number, line.text, truth, claim);
      if (claim != 0 && claim <= last) return said + " (order)";
      if (claim != 0 && alignment.here(claim) != number) return said + " (inverse)";
      if (claim != 0) last = claim;
      if (!free && truth != 0 && claim != truth) {
        if (unchanged || (claim != 0 && exact_lines_)) return said;
        if (exact && exact_lines_ && !line.touched && !blank) return said + " (lost)";
        if (exact && !line.touched) ++lost_;
      }
      // A new line may be one that was deleted there, if it became equal after an edit.
      if (!free && truth == 0 && claim != 0 && !unchanged && single && exact && exact_lines_) {
        return said + " (restored)";
      }
      ++compared_;
      line.partners[index] = claim;
    }
    return {};
  }

  static constexpr LineNumber unknown = ~LineNumber{0};

  std::mt19937 random_;
  // No two texts are equal: no edit undoes another by chance, and undo is exact.
  bool exact_lines_;
  int serial_ = 0;
  std::string end_;  // empty: all of them
  PositionEncoding encoding_;
  std::string opened_;
  EditReference reference_;
  std::shared_ptr<const Document> document_;
  std::vector<Message> undo_;
  std::vector<Message> redo_;
  std::size_t recorded_ = 0;
  bool exact_ = exact_lines_;
  bool told_ = true;
  std::size_t compared_ = 0;
  std::size_t lost_ = 0;
  bool over_ = false;  // an origin had to be dropped
};

}  // namespace

TEST_CASE("no line is ever taken for another, whatever is done to a text") {
  std::size_t compared = 0;
  std::size_t lost = 0;
  for (std::uint32_t seed = 1; seed <= 2000; ++seed) {
    Session session(seed);
    CAPTURE(seed);
    for (int step = 0; step < 25; ++step) {
      CAPTURE(step);
      const std::string defect = session.step();
      CAPTURE(defect);
      REQUIRE(defect.empty());
    }
    const std::string defect = session.undo_all();
    CAPTURE(defect);
    REQUIRE(defect.empty());
    compared += session.compared();
    lost += session.lost();
  }
  CAPTURE(compared, lost);
  CHECK(compared > 1'000'000);
  CHECK(lost * 1000 < compared);
}
