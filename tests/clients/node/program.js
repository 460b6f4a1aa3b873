// @ts-check
// The program that the sessions look at: its counts follow from its loops. Before calls and
// definitions stand characters of two, three and four bytes, so that a position in the wrong units
// misses its word; the lines of one file end as on Windows.
'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

const MAIN = `#include <stdio.h>

int work(int n);
int größe(int n);

/* äöü漢😀 */ static int twice(int n) { /* 𝒳😀 */ return work(n) + /* 漢 */ work(n + 1); }

int main(void) {
  int total = 0;
  for (int i = 0; i < 40; i++) {
    /* äöü😀 */ total += work(i); /* once a turn */
    if (i % 4 == 0) /* 漢字 */ total += twice(i); /* each fourth */
  }
  for (int i = 0; i < 3; i++) /* 😀😀 */ total += größe(i);
  printf("%d\\n", total);
  return 0;
}
`;

const WORK = `/* Lines of this file end as on Windows. */
static int leaf(int n) { return n * 3; }

/* ö */ int work(int n) {
  int sum = 0;
  for (int i = 0; i < 5; i++)
    /* 😀 */ sum += leaf(n + i); /* five times a call */
  return sum;
}

int größe(int n) { /* 漢😀 */ return leaf(n); }

int never_called(int n) { return n; }
`.replaceAll('\n', '\r\n');

/** What the loops come to. */
const CALLS = { main: 1, twice: 10, work: 40 + 2 * 10, größe: 3, leaf: 5 * 60 + 3 };

class Program {
  /** Builds it in the folder, runs it and keeps its profile.
   * @param {string} folder @param {string} server */
  constructor(folder, server) {
    // The compiler writes paths without symbolic links.
    this.folder = fs.realpathSync(folder);
    fs.writeFileSync(this.path('main.c'), MAIN);
    fs.writeFileSync(this.path('work.c'), WORK);
    this.#run('gcc', ['-g', '-O0', '-pg', 'main.c', 'work.c', '-o', 'program']);
    // Without samples no title depends on how long the run took.
    this.#run(server, ['record', '--rate=0', '--', './program']);
  }

  /** @param {string} command @param {string[]} words */
  #run(command, words) {
    execFileSync(command, words, { cwd: this.folder, stdio: ['ignore', 'ignore', 'inherit'] });
  }

  /** @param {string} name */
  path(name) {
    return path.join(this.folder, name);
  }

  /** @param {string} name */
  uri(name) {
    return pathToFileURL(this.path(name)).href;
  }

  /** @param {string} name */
  text(name) {
    return fs.readFileSync(this.path(name), 'utf8');
  }
}

module.exports = { CALLS, Program };
