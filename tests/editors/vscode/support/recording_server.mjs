#!/usr/bin/env node
// Stands between the editor and the server, and writes each message of the editor, with the time of
// its coming, to a file: one JSON value a line. GPROF_LSP_RECORDED names the server,
// GPROF_LSP_TRAFFIC the file.
import { spawn } from 'node:child_process';
import fs from 'node:fs';

const { GPROF_LSP_RECORDED: real, GPROF_LSP_TRAFFIC: file } = process.env;
const server = spawn(real, process.argv.slice(2), { stdio: ['pipe', 'pipe', 'inherit'] });
const out = fs.openSync(file, 'a');
let pending = Buffer.alloc(0);

function record() {
  for (;;) {
    const head = pending.indexOf('\r\n\r\n');
    const length = Number(/Content-Length: *(\d+)/i.exec(pending.subarray(0, Math.max(head, 0)))?.[1]);
    if (head < 0 || pending.length < head + 4 + length) {
      return;
    }
    const message = JSON.parse(pending.subarray(head + 4, head + 4 + length).toString());
    pending = pending.subarray(head + 4 + length);
    fs.writeSync(out, `${JSON.stringify({ at: Date.now(), message })}\n`);
  }
}

process.stdin.on('data', (data) => {
  server.stdin.write(data);
  pending = Buffer.concat([pending, data]);
  record();
});
process.stdin.on('end', () => server.stdin.end());
server.stdin.on('error', () => {});
server.stdout.pipe(process.stdout);
server.on('exit', (code) => process.exit(code ?? 1));
