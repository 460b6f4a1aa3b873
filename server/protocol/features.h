// Structures of the language features: code lenses, inlay hints, hovers, call hierarchies,
// references, symbols and commands. Optional members that are empty are left out of the message.
//
// Plain values. Thread contract: as for any value.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "server/protocol/any_value.h"
#include "server/protocol/basic_types.h"

namespace gprof::lsp {

// An empty `command` is shown but cannot be clicked.
struct Command {
  std::string title;
  std::string command;
  std::vector<AnyValue> arguments;
  std::string tooltip;  // for clients of version 3.18

  static void fields(auto& visit, auto& self) {
    visit("title", self.title);
    visit("command", self.command);
    visit.optional("arguments", self.arguments);
    visit.optional("tooltip", self.tooltip);
  }
  friend bool operator==(const Command&, const Command&) = default;
};

struct CodeLensParams {
  TextDocumentIdentifier text_document;

  static void fields(auto& visit, auto& self) { visit("textDocument", self.text_document); }
};

// The range lies within one line. Without a command, codeLens/resolve fills it in from the data.
struct CodeLens {
  Range range;
  std::optional<Command> command;
  std::optional<AnyValue> data;

  static void fields(auto& visit, auto& self) {
    visit("range", self.range);
    visit("command", self.command);
    visit("data", self.data);
  }
  friend bool operator==(const CodeLens&, const CodeLens&) = default;
};

// Of `context`, only the wanted kinds are read: there are no actions for diagnostics.
struct CodeActionParams {
  TextDocumentIdentifier text_document;
  Range range;
  std::vector<std::string> only;  // kinds; empty: all

  static void fields(auto& visit, auto& self) {
    visit("textDocument", self.text_document);
    visit("range", self.range);
    visit.nested("context", [&](auto& context) { context.optional("only", self.only); });
  }
};

struct CodeAction {
  std::string title;
  std::string kind;
  Command command;

  static void fields(auto& visit, auto& self) {
    visit("title", self.title);
    visit("kind", self.kind);
    visit("command", self.command);
  }
  friend bool operator==(const CodeAction&, const CodeAction&) = default;
};

struct InlayHintParams {
  TextDocumentIdentifier text_document;
  Range range;

  static void fields(auto& visit, auto& self) {
    visit("textDocument", self.text_document);
    visit("range", self.range);
  }
};

struct InlayHintLabelPart {
  std::string value;
  std::optional<MarkupContent> tooltip;
  std::optional<Location> location;
  std::optional<Command> command;

  static void fields(auto& visit, auto& self) {
    visit("value", self.value);
    visit("tooltip", self.tooltip);
    visit("location", self.location);
    visit("command", self.command);
  }
  friend bool operator==(const InlayHintLabelPart&, const InlayHintLabelPart&) = default;
};

// Without a kind: the protocol's kinds are types and parameters.
struct InlayHint {
  Position position;
  std::variant<std::string, std::vector<InlayHintLabelPart>> label;
  std::optional<MarkupContent> tooltip;
  bool padding_left = false;
  bool padding_right = false;
  std::optional<AnyValue> data;  // comes back with inlayHint/resolve

  static void fields(auto& visit, auto& self) {
    visit("position", self.position);
    visit("label", self.label);
    visit("tooltip", self.tooltip);
    visit.optional("paddingLeft", self.padding_left);
    visit.optional("paddingRight", self.padding_right);
    visit("data", self.data);
  }
  friend bool operator==(const InlayHint&, const InlayHint&) = default;
};

struct Hover {
  MarkupContent contents;
  std::optional<Range> range;

  static void fields(auto& visit, auto& self) {
    visit("contents", self.contents);
    visit("range", self.range);
  }
  friend bool operator==(const Hover&, const Hover&) = default;
};

// The protocol's numbers, for the kinds that functions and their files need.
enum class SymbolKind : std::uint8_t {
  file = 1,
  module = 2,
  name_space = 3,
  class_type = 5,
  method = 6,
  constructor = 9,
  function = 12,
};
template <>
inline constexpr NumberRange wire_numbers<SymbolKind> = {1, 26};

struct CallHierarchyItem {
  std::string name;
  SymbolKind kind = SymbolKind::function;
  std::string detail;
  DocumentUri uri;
  Range range;
  Range selection_range;         // within `range`
  std::optional<AnyValue> data;  // comes back with the item's requests

  static void fields(auto& visit, auto& self) {
    visit("name", self.name);
    visit("kind", self.kind);
    visit.optional("detail", self.detail);
    visit.uri("uri", self.uri);
    visit("range", self.range);
    visit("selectionRange", self.selection_range);
    visit("data", self.data);
  }
  friend bool operator==(const CallHierarchyItem&, const CallHierarchyItem&) = default;
};

// Parameters of callHierarchy/incomingCalls and callHierarchy/outgoingCalls.
struct CallHierarchyCallsParams {
  CallHierarchyItem item;

  static void fields(auto& visit, auto& self) { visit("item", self.item); }
};

struct CallHierarchyIncomingCall {
  CallHierarchyItem from;
  std::vector<Range> from_ranges;  // in the document of `from`

  static void fields(auto& visit, auto& self) {
    visit("from", self.from);
    visit("fromRanges", self.from_ranges);
  }
  friend bool operator==(const CallHierarchyIncomingCall&,
                         const CallHierarchyIncomingCall&) = default;
};

struct CallHierarchyOutgoingCall {
  CallHierarchyItem to;
  std::vector<Range> from_ranges;  // in the document of the item that was asked about

  static void fields(auto& visit, auto& self) {
    visit("to", self.to);
    visit("fromRanges", self.from_ranges);
  }
  friend bool operator==(const CallHierarchyOutgoingCall&,
                         const CallHierarchyOutgoingCall&) = default;
};

struct ReferenceParams {
  TextDocumentIdentifier text_document;
  Position position;
  bool include_declaration = false;

  static void fields(auto& visit, auto& self) {
    visit("textDocument", self.text_document);
    visit("position", self.position);
    // The protocol requires it; clients that leave it out get what most want.
    visit.optional_nested("context", [&](auto& wanted) {
      wanted.optional("includeDeclaration", self.include_declaration);
    });
  }
};

struct WorkspaceSymbolParams {
  std::string query;

  static void fields(auto& visit, auto& self) { visit("query", self.query); }
};

// Sent in a shape that is both a SymbolInformation and a WorkspaceSymbol.
struct WorkspaceSymbol {
  std::string name;
  SymbolKind kind = SymbolKind::function;
  Location location;
  std::string container_name;

  static void fields(auto& visit, auto& self) {
    visit("name", self.name);
    visit("kind", self.kind);
    visit("location", self.location);
    visit.optional("containerName", self.container_name);
  }
  friend bool operator==(const WorkspaceSymbol&, const WorkspaceSymbol&) = default;
};

struct ExecuteCommandParams {
  std::string command;
  std::vector<AnyValue> arguments;

  static void fields(auto& visit, auto& self) {
    visit("command", self.command);
    visit.optional("arguments", self.arguments);
  }
};

}  // namespace gprof::lsp
