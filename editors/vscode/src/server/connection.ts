// One connection to one process of the server, over the language client. Everything that needs the language client is
// here: this file is loaded when the server is first started.
import * as vscode from 'vscode';
import type { ChildProcess } from 'node:child_process';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  LSPErrorCodes,
  MessageType,
  ResponseError,
  ShowMessageNotification,
  Trace,
} from 'vscode-languageclient/node';
import type { LanguageClientOptions, StaticFeature } from 'vscode-languageclient/node';
import { plainLabel } from '../figures/plainLabel';
import type { CommandHandler } from './client';
import { settingsForServer } from './configuration';
import type { SettingsOfServer } from './configuration';
import { documentSelector } from './documents';
import { linkedCommands, withIdleLinks } from './idleLinks';
import type { ServerExtensions, StatusParams } from './protocol';
import type { TraceLevel } from './traceLog';

export interface ServerMessage {
  readonly severity: 'error' | 'warning' | 'info';
  readonly text: string;
}

// What the connection needs from its owner, and reports to it.
export interface ConnectionOwner {
  readonly log: vscode.LogOutputChannel;
  readonly traceLog: vscode.LogOutputChannel;
  readonly startServer: () => Promise<ChildProcess>;
  readonly choices: () => SettingsOfServer;
  readonly commandHandler: (command: string) => CommandHandler | undefined;
  readonly status: (status: StatusParams) => void;
  readonly message: (message: ServerMessage) => void;
  // The process exited without being stopped.
  readonly closed: () => void;
}

export class Connection {
  private readonly client: QuietLanguageClient;

  constructor(private readonly owner: ConnectionOwner) {
    this.client = new QuietLanguageClient('gprof', 'gprof', owner.startServer, this.options());
    this.client.registerFeature(announcement);
    this.client.onNotification('gprof/status', owner.status);
  }

  async start(): Promise<void> {
    await this.client.start();
    // Replaces the language client's handler, whose messages have no buttons. This needs a running connection.
    this.client.onNotification(ShowMessageNotification.type, ({ type, message }) => {
      const severity = type === MessageType.Error ? 'error' : type === MessageType.Warning ? 'warning' : 'info';
      this.owner.message({ severity, text: message });
    });
  }

  stop(): Promise<void> {
    return this.client.stop();
  }

  request<R>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<R> {
    // A missing token would be taken for a second parameter.
    return token === undefined
      ? this.client.sendRequest<R>(method, params)
      : this.client.sendRequest<R>(method, params, token);
  }

  announces(method: string): boolean {
    const experimental: unknown = this.client.initializeResult?.capabilities.experimental;
    const extensions = (experimental as { gprof?: Partial<ServerExtensions> } | undefined)?.gprof;
    return [...(extensions?.requests ?? []), ...(extensions?.notifications ?? [])].includes(method);
  }

  // Makes the server ask for its settings again.
  tellSettings(): Promise<void> {
    return this.client.sendNotification('workspace/didChangeConfiguration', { settings: null });
  }

  trace(level: TraceLevel): Promise<void> {
    return this.client.setTrace(Trace.fromString(level));
  }

  uriOf(uri: vscode.Uri): string {
    return this.client.code2ProtocolConverter.asUri(uri);
  }

  // Cancelled, or about an outdated text or profile: callers that still need it ask again.
  isObsolete(error: unknown): boolean {
    const obsolete: readonly number[] = [
      LSPErrorCodes.RequestCancelled,
      LSPErrorCodes.ContentModified,
      LSPErrorCodes.ServerCancelled,
    ];
    const isCancelled = error instanceof vscode.CancellationError;
    return isCancelled || (error instanceof ResponseError && obsolete.includes(error.code));
  }

  private options(): LanguageClientOptions {
    const { owner } = this;
    return {
      documentSelector,
      outputChannel: owner.log,
      traceOutputChannel: owner.traceLog,
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          owner.closed();
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
      // The contents of profiles are plain text: no commands but those of idleLinks, no tags.
      markdown: { isTrusted: false, supportHtml: false },
      synchronize: { configurationSection: 'gprof' },
      middleware: {
        provideHover: async (document, position, token, next) => {
          const hover = await next(document, position, token);
          return hover && new vscode.Hover(hover.contents.map(linked), hover.range);
        },
        provideCodeLenses: async (document, token, next) => (await next(document, token))?.map(withPlainTitle),
        resolveCodeLens: async (lens, token, next) => {
          const resolved = await next(lens, token);
          return resolved && withPlainTitle(resolved);
        },
        executeCommand: (command: string, parameters: unknown[], next) => {
          const send = (values: readonly unknown[]): Promise<unknown> => Promise.resolve(next(command, [...values]));
          const handler = owner.commandHandler(command);
          return handler === undefined ? send(parameters) : handler(parameters, send);
        },
        workspace: {
          configuration: async (params, token, next) => {
            const sections: unknown = await next(params, token);
            if (!Array.isArray(sections)) return [];
            return sections.map((section: unknown, index) =>
              params.items[index]?.section === 'gprof' ? settingsForServer(section, owner.choices()) : section,
            );
          },
          didChangeConfiguration: () => this.tellSettings(),
        },
      },
    };
  }
}

function withPlainTitle(lens: vscode.CodeLens): vscode.CodeLens {
  if (lens.command !== undefined) lens.command.title = plainLabel(lens.command.title);
  return lens;
}

function linked(content: vscode.MarkdownString | vscode.MarkedString): vscode.MarkdownString | vscode.MarkedString {
  if (!(content instanceof vscode.MarkdownString)) return content;
  const text = withIdleLinks(content.value);
  if (text === undefined) return content;
  const made = new vscode.MarkdownString(text);
  made.isTrusted = { enabledCommands: linkedCommands };
  return made;
}

// Without notifications of its own: the extension says what the user can do about an error. Its id is that of the
// setting gprof.trace.server.
class QuietLanguageClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  override info(message: string, data?: unknown): void {
    super.info(message, data, false);
  }
}

// Announces that line data is drawn here, status notifications are handled, and tests can be run.
const announcement: StaticFeature = {
  fillClientCapabilities: (capabilities) => {
    capabilities.experimental = { gprof: { decorations: true, status: true, tests: true } };
  },
  initialize: () => {},
  getState: () => ({ kind: 'static' }),
  clear: () => {},
};
