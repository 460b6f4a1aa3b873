// The connection to the server, whichever process serves it: starts it, restarts it after it exits by itself, and sends
// requests. Requests never throw: without an answer they return undefined, and the log says why.
import * as vscode from 'vscode';
import type { Settings } from '../settings';
import { showToast } from '../status/toasts';
import type { Connection, ServerMessage } from './connection';
import { findServer } from './find';
import type { ServerCommand } from './locate';
import type { StatusParams } from './protocol';
import { ServerProcess } from './process';
import { Restarts } from './restarts';
import type { TraceLevel, TraceLog } from './traceLog';

// untrusted: waits for the folder to be trusted; missing: there is no server to start; failed: it exited too often.
export type ClientState = 'stopped' | 'untrusted' | 'missing' | 'starting' | 'running' | 'waiting' | 'failed';

export type CommandHandler = (
  parameters: readonly unknown[],
  send: (parameters: readonly unknown[]) => Promise<unknown>,
) => Promise<unknown>;

export class GprofClient implements vscode.Disposable {
  private readonly profileChanged = new vscode.EventEmitter<StatusParams>();
  private readonly stateChanged = new vscode.EventEmitter<ClientState>();
  private readonly messageArrived = new vscode.EventEmitter<ServerMessage>();
  private readonly restarts = new Restarts();
  private readonly commandHandlers = new Map<string, CommandHandler>();
  private readonly process: ServerProcess;
  private connection: Connection | undefined;
  private currentState: ClientState = 'stopped';
  private currentStatus: StatusParams | undefined;
  private lastProblem = '';
  private waiting: NodeJS.Timeout | undefined;
  private starts = 0;
  private turn: Promise<void> = Promise.resolve();

  // On every gprof/status.
  readonly onDidChangeProfile = this.profileChanged.event;
  readonly onDidChangeState = this.stateChanged.event;

  // Messages from the server to the user.
  readonly onMessage = this.messageArrived.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly settings: Settings,
    private readonly log: vscode.LogOutputChannel,
    private readonly traceLog: TraceLog,
  ) {
    this.process = new ServerProcess(log);
  }

  get state(): ClientState {
    return this.currentState;
  }

  // The server's last status; undefined while it is not running.
  get status(): StatusParams | undefined {
    return this.currentStatus;
  }

  // Why there is no server: for the states missing, waiting and failed.
  get problem(): string {
    return this.lastProblem;
  }

  // The running server's process.
  get processId(): number | undefined {
    return this.process.id;
  }

  // How the server is started: `gprof-lsp record` is the same binary.
  get command(): ServerCommand | undefined {
    const found = findServer(this.context, this.settings);
    return 'server' in found ? found.server : undefined;
  }

  // Whether the server announces the request or notification.
  supports(method: string): boolean {
    return this.connection?.announces(method) ?? false;
  }

  start(): Promise<void> {
    return this.inTurn(() => this.startNow());
  }

  stop(): Promise<void> {
    return this.inTurn(() => this.stopNow());
  }

  // Starts a new process, whatever became of the last one, and resets the count of failures.
  restart(): Promise<void> {
    return this.inTurn(async () => {
      this.restarts.forget();
      await this.stopNow();
      await this.startNow();
    });
  }

  async request<P, R>(method: string, params: P, token?: vscode.CancellationToken): Promise<R | undefined> {
    const connection = this.connection;
    if (connection === undefined || this.currentState !== 'running') return undefined;
    try {
      return await connection.request<R>(method, params, token);
    } catch (error) {
      if (!connection.isObsolete(error)) this.log.warn(`${method}: ${textOf(error)}`);
      return undefined;
    }
  }

  // Executes a server command. Errors are logged; `executeOrTell` shows them as well.
  async execute<R>(command: string, ...parameters: readonly unknown[]): Promise<R | undefined> {
    return this.request<unknown, R>('workspace/executeCommand', { command, arguments: parameters });
  }

  // For the user's requests: reports why it failed, and returns false then.
  async executeOrTell(command: string, ...parameters: readonly unknown[]): Promise<boolean> {
    const connection = this.connection;
    if (connection === undefined || this.currentState !== 'running') {
      void vscode.window.showErrorMessage('The profile server is not running.');
      return false;
    }
    try {
      await connection.request('workspace/executeCommand', { command, arguments: parameters });
      return true;
    } catch (error) {
      void showToast('error', `Profile: ${textOf(error)}`);
      return false;
    }
  }

  // Handles calls of an announced server command by a lens or a link.
  handleCommand(command: string, handler: CommandHandler): vscode.Disposable {
    this.commandHandlers.set(command, handler);
    return new vscode.Disposable(() => this.commandHandlers.delete(command));
  }

  // Executes a server command as a lens or a link would.
  async executeCommand(command: string, ...parameters: readonly unknown[]): Promise<unknown> {
    const send = (values: readonly unknown[]): Promise<unknown> => this.execute(command, ...values);
    return this.commandHandlers.get(command)?.(parameters, send) ?? send(parameters);
  }

  // Makes the server read its settings again: a choice overrides them.
  async tellSettings(): Promise<void> {
    if (this.currentState !== 'running') return;
    await this.connection?.tellSettings();
  }

  async trace(level: TraceLevel): Promise<void> {
    this.traceLog.choose(level);
    await this.connection?.trace(level);
    if (level !== 'off') this.traceLog.show();
  }

  uriOf(uri: vscode.Uri): string {
    return this.connection?.uriOf(uri) ?? uri.toString();
  }

  dispose(): void {
    void this.stop();
    this.profileChanged.dispose();
    this.stateChanged.dispose();
    this.messageArrived.dispose();
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(work).catch((error: unknown) => {
      this.log.error(textOf(error));
    });
    return this.turn;
  }

  private async startNow(): Promise<void> {
    clearTimeout(this.waiting);
    if (this.connection !== undefined) return;
    this.starts += 1;
    if (!vscode.workspace.isTrusted) return this.changeState('untrusted');
    const found = findServer(this.context, this.settings);
    if ('missing' in found) return this.changeState('missing', found.missing);
    this.log.info(`Starting ${found.server.command} (${found.server.origin})`);
    this.changeState('starting');
    const connection = await this.connect(found.server);
    this.connection = connection;
    try {
      await connection.start();
      if (this.traceLog.chosen !== undefined) await connection.trace(this.traceLog.chosen);
      this.restarts.started(Date.now());
      // A server that ended meanwhile has been handled already.
      if (this.connection === connection) this.changeState('running');
    } catch (error) {
      if (this.connection === connection) await this.ended(connection, textOf(error));
    }
  }

  // The language client is loaded on first use: it takes longer than the whole extension.
  private async connect(server: ServerCommand): Promise<Connection> {
    const { Connection } = await import('./connection.js');
    const connection: Connection = new Connection({
      log: this.log,
      traceLog: this.traceLog,
      startServer: () => this.process.start(server),
      choices: () => this.settings.choices(this.supports('gprof/metrics')),
      commandHandler: (command) => this.commandHandlers.get(command),
      status: (status) => {
        if (this.connection !== connection) return;
        this.currentStatus = status;
        this.profileChanged.fire(status);
      },
      message: (message) => this.messageArrived.fire(message),
      closed: () => void this.ended(connection),
    });
    return connection;
  }

  // The process exited without being stopped, or failed to start serving.
  private async ended(connection: Connection, fault?: string): Promise<void> {
    if (this.connection !== connection) return;
    this.connection = undefined;
    const starts = this.starts;
    const problem = fault ?? (await this.process.ending());
    // It was stopped meanwhile, or another one was started.
    if (starts !== this.starts) return;
    this.process.end();
    const delay = this.restarts.next(Date.now());
    this.log.error(`The server ended: ${problem}`);
    if (delay === undefined) return this.changeState('failed', problem);
    this.changeState('waiting', problem);
    this.waiting = setTimeout(() => void this.start(), delay);
  }

  private async stopNow(): Promise<void> {
    clearTimeout(this.waiting);
    this.starts += 1;
    const connection = this.connection;
    this.connection = undefined;
    if (connection !== undefined) {
      await connection.stop().catch((error: unknown) => this.log.warn(textOf(error)));
      this.process.end();
    }
    this.changeState('stopped');
  }

  private changeState(state: ClientState, problem = ''): void {
    this.lastProblem = problem;
    if (state !== 'running') this.currentStatus = undefined;
    if (state === this.currentState) return;
    this.currentState = state;
    this.stateChanged.fire(state);
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
