// Bundles the extension (dist/extension.js, dist/connection.js), what runs inside of webviews (each file directly below
// src/pictures/media, src/views/media and src/timeline/media, to dist/media), and with --tests the unit tests
// (build/unit) and those that run inside of an extension host (build/host).
import { build, context } from 'esbuild';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

const entries = (folder, pattern) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true })
        .filter((name) => pattern.test(name))
        .map((name) => join(folder, name))
    : [];

const common = { bundle: true, logLevel: 'warning', sourcemap: true, target: 'es2022' };
const host = {
  ...common,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  external: ['vscode'],
  // The protocol's packages are smaller and bundle without warnings by their ES modules.
  mainFields: ['module', 'main'],
};

const media = ['src/pictures/media', 'src/views/media', 'src/timeline/media']
  .flatMap((folder) => entries(folder, /^[^/\\]+\.(ts|css)$/))
  .map((path) => ({ in: path, out: basename(path).replace(/\.\w+$/, '') }));
const bundles = [
  {
    ...host,
    // The connection, with the language client in it, is a file of its own: it is loaded when the server is started,
    // and activation does not wait for it.
    entryPoints: ['src/extension.ts', 'src/server/connection.ts'],
    entryNames: '[name]',
    outdir: 'dist',
    external: [...host.external, './connection.js'],
    supported: { 'dynamic-import': false },
    minify: true,
    sourcemap: false,
  },
  ...(media.length > 0
    ? [{ ...common, entryPoints: media, outdir: 'dist/media', platform: 'browser', format: 'iife', minify: true, sourcemap: false }]
    : []),
];

if (process.argv.includes('--tests')) {
  rmSync('build', { recursive: true, force: true });
  const unit = entries('test/unit', /\.test\.ts$/);
  const inHost = entries('test/host', /\.ts$/);
  await build({ ...host, entryPoints: unit, outdir: 'build/unit', outbase: 'test/unit' });
  if (inHost.length > 0) {
    await build({ ...host, entryPoints: inHost, outdir: 'build/host', outbase: 'test/host' });
  }
} else if (process.argv.includes('--watch')) {
  for (const options of bundles) await (await context(options)).watch();
} else {
  rmSync('dist', { recursive: true, force: true });
  for (const options of bundles) await build(options);
}
