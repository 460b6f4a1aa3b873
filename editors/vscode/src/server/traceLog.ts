// The output channel of messages between the editor and the server. The language client only writes to a log with level
// "trace"; here the level is set by gprof.trace.server or the command, so that either is enough, and what is written is
// shown.
import * as vscode from 'vscode';

export type TraceLevel = 'off' | 'messages' | 'verbose';

export class TraceLog implements vscode.LogOutputChannel {
  private readonly levelChanged = new vscode.EventEmitter<vscode.LogLevel>();
  private readonly subscription: vscode.Disposable;
  private chosenLevel: TraceLevel | undefined;

  readonly onDidChangeLogLevel = this.levelChanged.event;

  constructor(private readonly channel: vscode.OutputChannel) {
    this.subscription = vscode.workspace.onDidChangeConfiguration((event) => {
      if (!event.affectsConfiguration('gprof.trace')) return;
      this.chosenLevel = undefined;
      this.levelChanged.fire(this.logLevel);
    });
  }

  get name(): string {
    return this.channel.name;
  }

  get logLevel(): vscode.LogLevel {
    return this.level === 'off' ? vscode.LogLevel.Info : vscode.LogLevel.Trace;
  }

  // What a command chose, until the session ends or the setting is changed.
  get chosen(): TraceLevel | undefined {
    return this.chosenLevel;
  }

  choose(level: TraceLevel): void {
    this.chosenLevel = level;
    this.levelChanged.fire(this.logLevel);
  }

  trace(message: string): void {
    this.channel.appendLine(`${new Date().toISOString()} ${message}`);
  }

  debug(message: string): void {
    this.trace(message);
  }

  info(message: string): void {
    this.trace(message);
  }

  warn(message: string): void {
    this.trace(message);
  }

  error(error: string | Error): void {
    this.trace(error instanceof Error ? error.message : error);
  }

  append(value: string): void {
    this.channel.append(value);
  }

  appendLine(value: string): void {
    this.channel.appendLine(value);
  }

  replace(value: string): void {
    this.channel.replace(value);
  }

  clear(): void {
    this.channel.clear();
  }

  show(): void {
    this.channel.show(true);
  }

  hide(): void {
    this.channel.hide();
  }

  dispose(): void {
    this.subscription.dispose();
    this.levelChanged.dispose();
    this.channel.dispose();
  }

  private get level(): TraceLevel {
    const configured = vscode.workspace.getConfiguration('gprof').get<TraceLevel>('trace.server') ?? 'off';
    return this.chosenLevel ?? configured;
  }
}
