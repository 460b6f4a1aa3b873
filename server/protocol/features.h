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
  std::string tooltip;  // for clients of version 3.18; left out when empty

  friend bool operator==(const Command&, const Command&) = default;
};

struct CodeLensParams {
  TextDocumentIdentifier text_document;
};

// The range lies within one line. Without a command, codeLens/resolve fills it in by the data.
struct CodeLens {
  Range range;
  std::optional<Command> command;
  std::optional<AnyValue> data;

  friend bool operator==(const CodeLens&, const CodeLens&) = default;
};

struct InlayHintParams {
  TextDocumentIdentifier text_document;
  Range range;
};

struct InlayHintLabelPart {
  std::string value;
  std::optional<MarkupContent> tooltip;
  std::optional<Location> location;
  std::optional<Command> command;

  friend bool operator==(const InlayHintLabelPart&, const InlayHintLabelPart&) = default;
};

// It has no kind: the protocol's kinds are types and parameters.
struct InlayHint {
  Position position;
  std::variant<std::string, std::vector<InlayHintLabelPart>> label;
  std::optional<MarkupContent> tooltip;
  bool padding_left = false;
  bool padding_right = false;
  std::optional<AnyValue> data;  // comes back with inlayHint/resolve

  friend bool operator==(const InlayHint&, const InlayHint&) = default;
};

struct Hover {
  MarkupContent contents;
  std::optional<Range> range;

  friend bool operator==(const Hover&, const Hover&) = default;
};

// The numbers of the protocol; the kinds that functions and their files need.
enum class SymbolKind : std::uint8_t {
  file = 1,
  module = 2,
  name_space = 3,
  class_type = 5,
  method = 6,
  constructor = 9,
  function = 12,
};

struct CallHierarchyItem {
  std::string name;
  SymbolKind kind = SymbolKind::function;
  std::string detail;  // left out when empty
  DocumentUri uri;
  Range range;
  Range selection_range;         // within `range`
  std::optional<AnyValue> data;  // comes back with the item's requests

  friend bool operator==(const CallHierarchyItem&, const CallHierarchyItem&) = default;
};

// Parameters of callHierarchy/incomingCalls and callHierarchy/outgoingCalls.
struct CallHierarchyCallsParams {
  CallHierarchyItem item;
};

struct CallHierarchyIncomingCall {
  CallHierarchyItem from;
  std::vector<Range> from_ranges;  // in the document of `from`

  friend bool operator==(const CallHierarchyIncomingCall&,
                         const CallHierarchyIncomingCall&) = default;
};

struct CallHierarchyOutgoingCall {
  CallHierarchyItem to;
  std::vector<Range> from_ranges;  // in the document of the item that was asked about

  friend bool operator==(const CallHierarchyOutgoingCall&,
                         const CallHierarchyOutgoingCall&) = default;
};

struct ReferenceParams {
  TextDocumentIdentifier text_document;
  Position position;
  bool include_declaration = false;
};

struct WorkspaceSymbolParams {
  std::string query;
};

// Sent in the shape that is both a SymbolInformation and a WorkspaceSymbol.
struct WorkspaceSymbol {
  std::string name;
  SymbolKind kind = SymbolKind::function;
  Location location;
  std::string container_name;  // left out when empty

  friend bool operator==(const WorkspaceSymbol&, const WorkspaceSymbol&) = default;
};

struct ExecuteCommandParams {
  std::string command;
  std::vector<AnyValue> arguments;
};

}  // namespace gprof::lsp
