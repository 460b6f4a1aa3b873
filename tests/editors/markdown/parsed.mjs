// parsed.mjs EXTENSION: reads samples of markup_samples and parses them with markdown-it, as VS Code does: each
// name is in the text that results, whole, and nothing in it has come alive.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const require = createRequire(join(resolve(process.argv[2]), 'package.json'));
const MarkdownIt = require('markdown-it');
const parser = new MarkdownIt({ html: true });
// Of its own accord it follows no link to a file.
parser.validateLink = () => true;

function textOf(tokens) {
  return tokens
    .map((token) => {
      if (token.type === 'inline') return textOf(token.children);
      return token.type.endsWith('break') ? '\n' : token.content;
    })
    .join('');
}

function alive(tokens) {
  return tokens.flatMap((token) => {
    if (token.type === 'inline') return alive(token.children);
    if (token.type === 'link_open') return [`link to ${token.attrGet('href')}`];
    return /^(image|html_inline|html_block|s_open|strong_open)$/.test(token.type) ? [token.type] : [];
  });
}

const links = { link: 1, cell: 1 };
const samples = JSON.parse(readFileSync(0, 'utf8'));
assert.ok(samples.length > 1000, `only ${samples.length} samples`);
for (const { name, where, markdown } of samples) {
  const tokens = parser.parse(markdown, {});
  const seen = textOf(tokens);
  assert.ok(seen.includes(name), `${where}: ${JSON.stringify(name)} is shown as ${JSON.stringify(seen)}: ${markdown}`);
  const expected = Array(links[where] ?? 0).fill('link to file:///a%20b/%28c%29.cc#L1');
  assert.deepEqual(alive(tokens), expected, `${where}: ${markdown}`);
}
console.log(`${samples.length} samples are shown as they are`);
