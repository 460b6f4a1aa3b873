// @ts-check
// Places in a text, in the units of each position encoding. Written without a look at the server:
// it is what the server's positions are held against.
'use strict';

const assert = require('node:assert/strict');

/** @typedef {import('vscode-languageserver-protocol').Range} Range */
/** @typedef {import('vscode-languageserver-protocol').Position} Position */
/** @typedef {'utf-8' | 'utf-16' | 'utf-32'} Encoding */

/** The length of a string in the units of an encoding.
 * @param {string} text @param {Encoding} encoding */
function units(text, encoding) {
  switch (encoding) {
    case 'utf-8':
      return Buffer.byteLength(text, 'utf8');
    case 'utf-16':
      return text.length;
    case 'utf-32':
      return [...text].length;
  }
}

class Text {
  /** @param {string} content @param {Encoding} encoding */
  constructor(content, encoding) {
    this.content = content;
    this.encoding = encoding;
    this.lines = content.split(/\r\n|\r|\n/);
  }

  /** The number, from 0, of the only line that holds the fragment.
   * @param {string} fragment */
  line(fragment) {
    const found = this.lines.flatMap((line, number) => (line.includes(fragment) ? [number] : []));
    assert.equal(found.length, 1, `${JSON.stringify(fragment)} stands on the lines ${found}`);
    return found[0];
  }

  /** @param {number} line @param {number} index in UTF-16 units, as strings here count
   * @returns {Position} */
  position(line, index) {
    return { line, character: units(this.lines[line].slice(0, index), this.encoding) };
  }

  /** Where a word stands in the only line that holds the fragment; the count-th of them, from 0.
   * @param {string} fragment @param {string} word @param {number} count
   * @returns {Range} */
  range(fragment, word, count = 0) {
    const line = this.line(fragment);
    let index = this.lines[line].indexOf(word);
    for (let i = 0; i < count; i++) index = this.lines[line].indexOf(word, index + 1);
    assert.ok(index >= 0, `no ${word} in ${fragment}`);
    return {
      start: this.position(line, index),
      end: this.position(line, index + word.length),
    };
  }

  /** @param {string} fragment @param {string} word */
  at(fragment, word) {
    return this.range(fragment, word).start;
  }

  /** @param {string} fragment @returns {Position} */
  endOfLine(fragment) {
    const line = this.line(fragment);
    return this.position(line, this.lines[line].length);
  }

  /** @returns {Range} */
  whole() {
    const last = this.lines.length - 1;
    return { start: { line: 0, character: 0 }, end: this.position(last, this.lines[last].length) };
  }

  /** The index in its line, in UTF-16 units. Fails where the position cuts a character in two.
   * @param {Position} position */
  #index({ line, character }) {
    const text = this.lines[line];
    for (let i = 0; i <= text.length; i++) {
      if (units(text.slice(0, i), this.encoding) === character) return i;
    }
    return assert.fail(`no character of line ${line} begins at ${character}`);
  }

  /** The index in the content.
   * @param {Position} position */
  offset(position) {
    let start = 0;
    const ends = /\r\n|\r|\n/g;
    for (let line = 0; line < position.line; line++) {
      const end = ends.exec(this.content);
      assert.ok(end, `the text has no line ${position.line}`);
      start = end.index + end[0].length;
    }
    return start + this.#index(position);
  }

  /** The words that a range within a line covers.
   * @param {Range} range */
  covered({ start, end }) {
    assert.equal(start.line, end.line, 'a range of one line');
    return this.lines[start.line].slice(this.#index(start), this.#index(end));
  }
}

module.exports = { Text, units };
