// Programs of the workspace that can be run: all ELF executables, the newest first.
import { open, stat } from 'node:fs/promises';
import * as vscode from 'vscode';

export interface FoundExecutable {
  readonly path: string;
  readonly counts: boolean; // its calls: it was built with -pg
  readonly modified: number; // milliseconds since the epoch
}

const mostFiles = 20_000;
const mostFound = 100;
const mostBytes = 64 * 1024 * 1024;
// Files that are not programs, judged by name: most files of a large folder need not be opened.
const noPrograms = '**/*.{c,cc,cpp,cxx,h,hh,hpp,hxx,o,a,so,d,rs,f,f90,F90,ads,adb,py,js,ts,json,md,txt,html,css,svg,png,jpg,xml,yml,yaml,toml,cmake,in,gpx,gcda,gcno,sh,map,lock,ninja,gz,zip}';

export async function findExecutables(token: vscode.CancellationToken): Promise<FoundExecutable[]> {
  const excluded = `{${noPrograms},**/.git/**,**/node_modules/**,**/CMakeFiles/**,**/.*/**}`;
  const files = await vscode.workspace.findFiles('**/*', excluded, mostFiles, token);
  const found: FoundExecutable[] = [];
  for (let at = 0; at < files.length && found.length < mostFound; at += 64) {
    if (token.isCancellationRequested) break;
    const looked = await Promise.all(files.slice(at, at + 64).map(({ fsPath }) => look(fsPath)));
    found.push(...looked.filter((item) => item !== undefined));
  }
  return found.sort((a, b) => b.modified - a.modified || a.path.localeCompare(b.path));
}

async function look(path: string): Promise<FoundExecutable | undefined> {
  try {
    const status = await stat(path);
    if (!status.isFile() || (status.mode & 0o111) === 0) return undefined;
    const file = await open(path);
    try {
      const header = Buffer.alloc(18);
      await file.read(header, 0, header.length, 0);
      if (!isProgram(header)) return undefined;
      const modified = status.mtimeMs;
      if (status.size > mostBytes) return { path, counts: false, modified };
      const { buffer } = await file.read(Buffer.alloc(status.size), 0, status.size, 0);
      return { path, modified, counts: buffer.includes('mcount') || buffer.includes('__fentry__') };
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

// ET_EXEC or ET_DYN: position-independent programs look like libraries, which were excluded by name.
function isProgram(header: Buffer): boolean {
  if (header.toString('latin1', 0, 4) !== '\x7fELF') return false;
  const type = header[5] === 2 ? header.readUInt16BE(16) : header.readUInt16LE(16);
  return type === 2 || type === 3;
}
