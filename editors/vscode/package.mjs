// Makes the extension's package of a platform, with the server and the collector in it:
//
//   npm run package -- [--target linux-x64] [--binaries DIRECTORY] [--out FILE]
//
// --binaries  where bin/gprof-lsp-static and lib/libgprof_runtime.so were built; build/release of the repository without
//             it, or build/aarch64 for 64-bit Arm
// --out       gprof-lsp-TARGET-VERSION.vsix here without it
//
// Without --target there is a package for each platform whose binaries are there. Nothing is fetched.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));
const repository = resolve(here, '../..');

const stripFor = (machine) => (process.arch === machine ? 'strip' : `${{ x64: 'x86_64', arm64: 'aarch64' }[machine]}-linux-gnu-strip`);
// VS Code asks for another package where the C library is musl; what is in it is the same.
const platforms = {
  'linux-x64': { build: 'release', strip: stripFor('x64') },
  'alpine-x64': { build: 'release', strip: stripFor('x64') },
  'linux-arm64': { build: 'aarch64', strip: stripFor('arm64') },
  'alpine-arm64': { build: 'aarch64', strip: stripFor('arm64') },
};

// The server that is linked statically: the package is for every Linux of its processor.
const carried = { 'gprof-lsp': 'bin/gprof-lsp-static', 'libgprof_runtime.so': 'lib/libgprof_runtime.so' };

const run = (program, ...words) => execFileSync(program, words, { cwd: here, stdio: ['ignore', 'inherit', 'inherit'] });

// Debug information is for the developers of the server, and ten times as large as its code.
function copyBinaries(binaries, platform) {
  const bin = join(here, 'bin');
  rmSync(bin, { recursive: true, force: true });
  mkdirSync(bin);
  for (const [name, built] of Object.entries(carried)) {
    const copy = join(bin, name);
    copyFileSync(join(binaries, built), copy);
    run(platform.strip, '--strip-unneeded', copy);
    chmodSync(copy, 0o755);
  }
}

// The folders of the packages whose code is in the bundle, or could be.
function bundledPackages() {
  const { packages } = JSON.parse(readFileSync(join(here, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([folder, entry]) => folder !== '' && !entry.dev && !entry.optional)
    .map(([folder, entry]) => ({ folder: join(here, folder), version: entry.version }));
}

function licenceOf({ folder, version }) {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  if (file === undefined) throw new Error(`${folder} has no file with its licence`);
  const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return `### ${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}

function writeLicences() {
  copyFileSync(join(repository, 'LICENSE'), join(here, 'LICENSE'));
  const ours = readFileSync(join(repository, 'THIRD_PARTY_NOTICES.md'), 'utf8').trim();
  const theirs = bundledPackages().map(licenceOf).join('\n');
  writeFileSync(join(here, 'THIRD_PARTY_NOTICES.md'), `${ours}\n\n## In the extension's own code\n\n${theirs}`);
}

// How agents that have a shell use the tools.
function copySkill() {
  const folder = join(here, 'skills/gprof-lsp');
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(repository, 'editors/agents/gprof-lsp/SKILL.md'), join(folder, 'SKILL.md'));
}

function pack(target, binaries, out) {
  copyBinaries(binaries, platforms[target]);
  writeLicences();
  copySkill();
  run(process.execPath, join(here, 'node_modules/@vscode/vsce/vsce'), 'package', '--no-dependencies',
    '--target', target, '--out', out, '--no-rewrite-relative-links');
  console.log(`${out}: ${(statSync(out).size / 2 ** 20).toFixed(1)} MB`);
}

const { values } = parseArgs({
  options: { target: { type: 'string' }, binaries: { type: 'string' }, out: { type: 'string' } },
});
const { version } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const wanted = values.target === undefined ? Object.keys(platforms) : [values.target];
let packed = 0;
for (const target of wanted) {
  if (platforms[target] === undefined) throw new Error(`--target ${target}: there are ${Object.keys(platforms).join(', ')}`);
  const binaries = resolve(values.binaries ?? join(repository, 'build', platforms[target].build));
  const missing = Object.values(carried).filter((name) => !existsSync(join(binaries, name)));
  if (missing.length > 0) {
    console.error(`${target} is left out: there is no ${missing.join(', no ')} in ${binaries}`);
    continue;
  }
  pack(target, binaries, resolve(values.out ?? join(here, `gprof-lsp-${target}-${version}.vsix`)));
  packed += 1;
}
if (packed === 0) {
  console.error('Build the server first: cmake --preset release && cmake --build --preset release');
  process.exitCode = 1;
}
