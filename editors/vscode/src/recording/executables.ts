// Programs of the workspace that can be run: ELF executables and the scripts by which libtool starts them. Those with
// debug information come first, the newest of them at the top; of the copies of a build only the best is listed.
import { open, stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import { programFacts } from './elf';
import { isWrapper } from './libtool';
import type { FoundExecutable } from './programOrder';
import { inOrder } from './programOrder';

const mostFiles = 20_000;
const mostFound = 100;
const mostBytes = 64 * 1024 * 1024;
// Files that are not programs, judged by name: most files of a large folder need not be opened.
const noPrograms = '**/*.{c,cc,cpp,cxx,h,hh,hpp,hxx,debug,dbg,o,lo,la,a,so,d,rs,f,f90,F90,ads,adb,py,js,ts,json,md,txt,html,css,svg,png,jpg,xml,yml,yaml,toml,cmake,in,am,ac,m4,gpx,gcda,gcno,sh,map,lock,ninja,gz,zip}';

export async function findExecutables(token: vscode.CancellationToken): Promise<FoundExecutable[]> {
  const excluded = `{${noPrograms},**/.git/**,**/node_modules/**,**/CMakeFiles/**,**/.*/**}`;
  const files = await vscode.workspace.findFiles('**/*', excluded, mostFiles, token);
  const found: FoundExecutable[] = [];
  for (let at = 0; at < files.length && found.length < mostFound; at += 64) {
    if (token.isCancellationRequested) break;
    const looked = await Promise.all(files.slice(at, at + 64).map(({ fsPath }) => look(fsPath)));
    found.push(...looked.filter((item) => item !== undefined));
  }
  return inOrder(found);
}

async function look(path: string): Promise<FoundExecutable | undefined> {
  try {
    const status = await stat(path);
    if (!status.isFile() || (status.mode & 0o111) === 0) return undefined;
    const file = await open(path);
    try {
      const read = async (offset: number, length: number): Promise<Buffer> => {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
        return buffer.subarray(0, bytesRead);
      };
      const modified = status.mtimeMs;
      // What it starts lies in a hidden folder, beside it.
      if (isWrapper((await read(0, 256)).toString('latin1'))) {
        return { path, modified, counts: false, hasLines: true, buildId: undefined };
      }
      const facts = await programFacts(read);
      if (facts === undefined) return undefined;
      const bytes = status.size > mostBytes ? Buffer.alloc(0) : await read(0, status.size);
      return { path, modified, ...facts, counts: bytes.includes('mcount\0') || bytes.includes('__fentry__\0') };
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}
