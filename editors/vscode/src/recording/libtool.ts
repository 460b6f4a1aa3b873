// Scripts by which libtool starts programs that it has not installed yet. Pure.
import { dirname, join } from 'node:path';

const first = /^#! ?\/bin\/(?:ba)?sh\n\n# \S+ - temporary wrapper script for /;

// By its beginning.
export function isWrapper(text: string): boolean {
  return first.test(text);
}

// The executable that the script at `path` starts, by the whole of the script.
export function wrappedProgram(path: string, text: string): string | undefined {
  if (!isWrapper(text)) return undefined;
  const [, relinked = '', name] = /^\s*program=(lt-)?'([^'/]+)'/m.exec(text) ?? [];
  return name === undefined ? undefined : join(dirname(path), '.libs', `${relinked}${name}`);
}
