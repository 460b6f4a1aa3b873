// @ts-check
// An open document, as the session's client holds it.
'use strict';

const lsp = require('vscode-languageserver-protocol/node');
const { Text } = require('./text.js');

/** @typedef {import('./session.js').Session} Session */
/** @typedef {import('./text.js').Encoding} Encoding */

class View {
  /** @param {Session} session @param {string} uri @param {string} content
   * @param {Encoding} encoding @param {string} languageId */
  constructor(session, uri, content, encoding, languageId = 'c') {
    this.session = session;
    this.uri = uri;
    this.version = 1;
    this.text = new Text(content, encoding);
    session.notify(lsp.DidOpenTextDocumentNotification.type, {
      textDocument: { uri, languageId, version: this.version, text: content },
    });
  }

  /** A request about this document.
   * @param {{ method: string }} type @param {object} [more] further parameters */
  ask(type, more = {}) {
    return this.session.request(type, { textDocument: { uri: this.uri }, ...more });
  }

  /** Replaces words, one after the other, in one message. Each place is where it is after the
   * changes before it.
   * @param {((text: Text) => { range: import('./text.js').Range, text: string })[]} changes */
  change(...changes) {
    const contentChanges = changes.map((describe) => {
      const change = describe(this.text);
      this.text = new Text(this.#replaced(change), this.text.encoding);
      return change;
    });
    this.version++;
    this.session.notify(lsp.DidChangeTextDocumentNotification.type, {
      textDocument: { uri: this.uri, version: this.version },
      contentChanges,
    });
  }

  /** @param {{ range: import('./text.js').Range, text: string }} change */
  #replaced({ range, text }) {
    return (
      this.text.content.slice(0, this.text.offset(range.start)) +
      text +
      this.text.content.slice(this.text.offset(range.end))
    );
  }

  save() {
    this.session.notify(lsp.DidSaveTextDocumentNotification.type, {
      textDocument: { uri: this.uri },
    });
  }

  close() {
    this.session.notify(lsp.DidCloseTextDocumentNotification.type, {
      textDocument: { uri: this.uri },
    });
  }
}

module.exports = { View };
