// stylua.mjs [--write] FOLDER SETTINGS FILE...: whether Lua files are formatted as stylua does it, by the package in
// FOLDER/node_modules, which is stylua itself compiled to WebAssembly: it asks for no program of this machine. With
// --write it formats them. Exit status 1 where a file is not, or cannot be read as Lua.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const words = process.argv.slice(2);
const writes = words[0] === '--write' && Boolean(words.shift());
const [folder, settings, ...files] = words;
const stylua = createRequire(path.resolve(folder, 'package.json'))('@johnnymorganz/stylua');

const KINDS = {
  syntax: stylua.LuaVersion,
  indent_type: stylua.IndentType,
  line_endings: stylua.LineEndings,
  quote_style: stylua.QuoteStyle,
  call_parentheses: stylua.CallParenType,
};

// The settings are lines of `name = "word"` or `name = number`.
function configuration() {
  const config = stylua.Config.new();
  for (const line of fs.readFileSync(settings, 'utf8').split('\n')) {
    const [, name, word, number] = /^(\w+) = (?:"(\w+)"|(\d+))$/.exec(line) ?? [];
    const value = word === undefined ? Number(number) : KINDS[name]?.[word];
    if (line.trim() !== '' && (name === undefined || value === undefined || !(name in config))) {
      throw new Error(`${settings}: cannot read: ${line}`);
    }
    if (name !== undefined) {
      config[name] = value;
    }
  }
  return config;
}

// The first line that differs, from 1.
function differing(text, formatted) {
  const [before, after] = [text.split('\n'), formatted.split('\n')];
  const index = before.findIndex((line, at) => line !== after[at]);
  return { line: index + 1, is: before[index], should: after[index] };
}

function check(file) {
  const text = fs.readFileSync(file, 'utf8');
  // Formatting takes the configuration away.
  const formatted = stylua.formatCode(text, configuration(), undefined, stylua.OutputVerification.Full);
  if (formatted === text) {
    return true;
  }
  if (writes) {
    fs.writeFileSync(file, formatted);
    return true;
  }
  const { line, is, should } = differing(text, formatted);
  console.log(`${file}:${line}: not formatted as stylua does it\n- ${is ?? ''}\n+ ${should ?? ''}`);
  return false;
}

let isWell = files.length > 0;
for (const file of files) {
  try {
    isWell = check(file) && isWell;
  } catch (error) {
    console.log(`${file}: ${error.message ?? error}`);
    isWell = false;
  }
}
process.exit(isWell ? 0 : 1);
