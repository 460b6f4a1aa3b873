// The server's process: one at a time. Started without a shell, in the editor's environment; its standard error goes to
// the log, and the last lines explain its exit.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { homedir } from 'node:os';
import type { LogOutputChannel } from 'vscode';
import type { ServerCommand } from './locate';

const patience = 2_000;
const briefly = 300;

export class ServerProcess {
  private child: ChildProcess | undefined;
  private lastWords = '';

  constructor(private readonly log: LogOutputChannel) {}

  get id(): number | undefined {
    return this.child?.pid;
  }

  // Why it exited, as far as is known. Its pipes close before its exit is reported.
  async ending(): Promise<string> {
    const child = this.child;
    if (child !== undefined && !hasEnded(child)) await ends(child, briefly);
    const how =
      child?.signalCode != null
        ? `by ${child.signalCode}`
        : child?.exitCode != null
          ? `with status ${child.exitCode}`
          : 'without a word';
    return this.lastWords === '' ? how : `${how}: ${this.lastWords}`;
  }

  start(server: ServerCommand): Promise<ChildProcess> {
    this.lastWords = '';
    // No workspace folder as working directory: files that the process leaves behind do not belong there.
    const child = spawn(server.command, [...server.arguments, '--stdio', `--clientProcessId=${process.pid}`], {
      cwd: homedir(),
      env: { ...process.env, ...server.environment },
      stdio: 'pipe',
    });
    this.child = child;
    child.stderr.on('data', (data: Buffer) => this.hear(data.toString()));
    // The client learns from the closed pipes; without a listener the error would end the extension host.
    child.stdin.on('error', () => {});
    return new Promise((resolve, reject) => {
      child.once('spawn', () => resolve(child));
      child.once('error', reject);
    });
  }

  // Ends the process; one that does not exit by itself is killed.
  end(): void {
    const child = this.child;
    if (child === undefined || hasEnded(child)) return;
    void ends(child, patience).then((ended) => ended || child.kill('SIGKILL'));
  }

  private hear(text: string): void {
    const words = text.trim();
    if (words === '') return;
    this.log.info(`server: ${words}`);
    this.lastWords = words.split('\n').at(-1) ?? '';
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

// False if it has not exited within the time.
function ends(child: ChildProcess, milliseconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), milliseconds);
    timer.unref();
    child.once('exit', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
