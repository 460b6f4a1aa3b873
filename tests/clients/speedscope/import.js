// Opens files with speedscope's own importer, and says what it made of them:
//
//   node import.js SPEEDSCOPE_PACKAGE FILE...
//
// prints a JSON array, an object a file: {name, profiles: [{name, unit, total, self: {NAME: WEIGHT},
// totals: {NAME: WEIGHT}}]}, or {error}.
//
// The package holds the page alone, which has no way in but its window. Here, the page's script runs
// without one, as far as it comes, and its importer is taken out on the way.
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');

// Answers whatever a page may ask of its document.
function anything() {
  const stub = new Proxy(function () {}, {
    get: (target, name) => {
      if (name === Symbol.toPrimitive) return () => '';
      return name === 'then' || name === Symbol.iterator ? undefined : stub;
    },
    apply: () => stub,
    construct: () => stub,
    set: () => true,
  });
  return stub;
}

function importerOf(folder) {
  const release = path.join(folder, 'dist', 'release');
  const script = fs.readdirSync(release).find((name) => /^speedscope-.*\.js$/.test(name));
  const source = fs.readFileSync(path.join(release, script), 'utf8');
  const call = /loadFileFromBase64:\((\w+),(\w+)\)=>\{this\.loadProfile\(\(\)=>([\w$]+)\(\1,\2\)\)\}/
    .exec(source);
  if (!call) throw new Error('speedscope has changed: its importer was not found');
  const nothing = anything();
  const window = {
    console: { log() {}, warn() {}, error() {}, assert() {} },
    setTimeout, clearTimeout, setInterval() {}, clearInterval() {}, queueMicrotask, performance,
    TextDecoder, TextEncoder, Uint8Array, ArrayBuffer, URL, atob, btoa,
    document: nothing, navigator: { userAgent: '', platform: '' }, localStorage: nothing,
    location: { hash: '', protocol: 'file:', href: '' }, matchMedia: () => nothing,
    addEventListener() {}, removeEventListener() {}, requestAnimationFrame() {},
    fetch: () => new Promise(() => {}), devicePixelRatio: 1,
  };
  for (const name of ['Element', 'HTMLElement', 'Event', 'FileReader', 'Image']) {
    window[name] = class {};
  }
  window.window = window.self = window.globalThis = window;
  vm.createContext(window);
  try {
    vm.runInContext(source.replace('(()=>{', `(()=>{globalThis.importer=(...a)=>${call[3]}(...a);`),
                    window);
  } catch (error) {
    // The page cannot be drawn; its importers are there by then.
  }
  return window.importer;
}

function weights(profile) {
  const self = {};
  const totals = {};
  profile.forEachFrame((frame) => {
    self[frame.name] = (self[frame.name] || 0) + frame.getSelfWeight();
    totals[frame.name] = (totals[frame.name] || 0) + frame.getTotalWeight();
  });
  return { name: profile.getName(), unit: profile.getWeightUnit(), total: profile.getTotalWeight(),
           self, totals };
}

async function main([folder, ...files]) {
  const importer = importerOf(folder);
  const answers = [];
  for (const file of files) {
    try {
      const group = await importer(path.basename(file), fs.readFileSync(file).toString('base64'));
      answers.push({ name: group.name, profiles: group.profiles.map(weights) });
    } catch (error) {
      answers.push({ error: String(error) });
    }
  }
  process.stdout.write(JSON.stringify(answers), () => process.exit(0));
}

main(process.argv.slice(2));
