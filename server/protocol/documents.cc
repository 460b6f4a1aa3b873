#include "server/protocol/documents.h"

#include "server/protocol/conversions.h"

namespace gprof::lsp {

void read_json(const Json& json, DidOpenParams& out, ReadContext& context) {
  const Json* document = member(json, "textDocument");
  if (!document) return context.fail("an object with the member textDocument");
  context.enter("textDocument");
  ObjectReader(*document, context)
      .required("uri", out.uri)
      .optional("languageId", out.language_id)
      .optional("version", out.version)
      .required("text", out.text);
  context.leave();
}

void read_json(const Json& json, ContentChange& out, ReadContext& context) {
  ObjectReader(json, context).optional("range", out.range).required("text", out.text);
}

void read_json(const Json& json, DidChangeParams& out, ReadContext& context) {
  const Json* document = member(json, "textDocument");
  if (!document) return context.fail("an object with the member textDocument");
  context.enter("textDocument");
  ObjectReader(*document, context).required("uri", out.uri).optional("version", out.version);
  context.leave();
  ObjectReader(json, context).required("contentChanges", out.changes);
}

void read_json(const Json& json, DidSaveParams& out, ReadContext& context) {
  ObjectReader(json, context).required("textDocument", out.text_document);
}

void read_json(const Json& json, DidCloseParams& out, ReadContext& context) {
  ObjectReader(json, context).required("textDocument", out.text_document);
}

void read_json(const Json& json, FileEvent& out, ReadContext& context) {
  std::int32_t type = 0;
  ObjectReader(json, context).required("uri", out.uri).required("type", type);
  if (type < 1 || type > 3) return context.fail("a member type of 1, 2 or 3");
  out.change = static_cast<FileChange>(type);
}

void read_json(const Json& json, DidChangeWatchedFilesParams& out, ReadContext& context) {
  ObjectReader(json, context).required("changes", out.changes);
}

}  // namespace gprof::lsp
