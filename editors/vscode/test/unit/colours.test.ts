// Colours of functions, and text that can be read on them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colourOfName, contrast, cssColour, isOwnFunction, parseColour, shareOfName, textOn } from '../../src/pictures/colours';

test('colours as themes write them', () => {
  const orange = { red: 255, green: 136, blue: 0 };
  for (const text of ['#ff8800', ' #FF8800 ', '#f80', '#ff8800cc', 'rgb(255, 136, 0)', 'rgba(255, 136, 0, 0.5)']) {
    assert.deepEqual(parseColour(text), orange, text);
  }
  for (const text of ['', 'orange', 'rgb(1)', 'rgb(a, b, c)', 'var(--x)']) assert.equal(parseColour(text), undefined, text);
  assert.equal(cssColour(orange), 'rgb(255, 136, 0)');
});

test('text can be read on every colour between those of the themes', () => {
  const stops = ['#e2592a', '#f0a63a', '#e6cf6a', '#c4502a', '#b9822b', '#8f8537'].map((text) => parseColour(text));
  for (let name = 0; name < 500; name++) {
    const colour = colourOfName(`function${name}`, stops.filter((stop) => stop !== undefined));
    assert.ok(contrast(colour, textOn(colour)) >= 4.5, cssColour(colour));
  }
});

test('a name has one colour, and names that are alike differ', () => {
  const shares = Array.from({ length: 200 }, (_, i) => shareOfName(`handler_${i}`));
  assert.deepEqual(shares, Array.from({ length: 200 }, (_, i) => shareOfName(`handler_${i}`)));
  assert.ok(shares.every((share) => share >= 0 && share < 1));
  const tenths = new Set(shares.map((share) => Math.floor(share * 10)));
  assert.equal(tenths.size, 10);
});

test('names in brackets are no functions of the program', () => {
  assert.deepEqual(['[libc.so.6]', '[unknown]', '<cycle 1>'].map(isOwnFunction), [false, false, false]);
  assert.deepEqual(['main', 'operator[]', '<T as Trait>::go', 'f<int>'].map(isOwnFunction), [true, true, true, true]);
});
