// as_vscode.mjs EXTENSION QUESTIONS: what the texts of the VS Code extension are, one a line. QUESTIONS is a file of
// JSON: a list of [name of a function, its arguments].
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';

const [extension, questions] = process.argv.slice(2);
const esbuild = createRequire(path.resolve(extension, 'package.json'))('esbuild');
const entry = `
  export * from './src/annotations/numbers';
  export { unsampledText as unsampled } from './src/annotations/numbers';
  export * from './src/annotations/lineText';
  export * from './src/annotations/heat';
`;
const { outputFiles } = esbuild.buildSync({
  stdin: { contents: entry, resolveDir: path.resolve(extension), loader: 'ts' },
  bundle: true,
  format: 'esm',
  platform: 'node',
  external: ['vscode'],
  write: false,
});
const functions = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`);
for (const [name, ...words] of JSON.parse(fs.readFileSync(questions, 'utf8'))) {
  console.log(String(functions[name](...words.map((word) => word ?? undefined))).replaceAll('\u00a0', ' '));
}
