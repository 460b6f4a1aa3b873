// The processes that run below a folder: how a test finds the server that an extension carries.
import fs from 'node:fs/promises';
import path from 'node:path';

// The ids of the processes whose executable lies below `folder` and is called `name`.
export async function processesOf(folder, name) {
  const found = [];
  for (const entry of await fs.readdir('/proc')) {
    if (/^\d+$/.test(entry)) {
      const executable = await fs.readlink(`/proc/${entry}/exe`).catch(() => '');
      if (executable.startsWith(`${folder}/`) && path.basename(executable) === name) {
        found.push(Number(entry));
      }
    }
  }
  return found;
}
