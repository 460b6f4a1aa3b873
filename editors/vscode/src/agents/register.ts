// Offers the server's tools to the editor's agents: as a server of the Model Context Protocol, and as tools of language
// models. In trusted workspaces alone; the editor itself asks before a tool runs a program.
import { spawn } from 'node:child_process';
import * as vscode from 'vscode';
import type { Services } from '../services';
import { answerOf, folderOfQuestion, serverWords, toolWords } from './questions';

const provider = 'gprof.tools';
const mostBytes = 4 * 2 ** 20;

interface ContributedTool {
  readonly name: string;
}

export function register(services: Services): void {
  const { context } = services;
  context.subscriptions.push(...offerServer(services), ...offerTools(services));
}

function folders(): string[] {
  const all = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
  return all.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
}

function offerServer({ client, context }: Services): vscode.Disposable[] {
  const changed = new vscode.EventEmitter<void>();
  const provideMcpServerDefinitions = (): vscode.McpServerDefinition[] => {
    const command = client.command;
    const places = folders();
    if (command === undefined || places.length === 0) return [];
    const { version } = context.extension.packageJSON as { version: string };
    return [
      new vscode.McpStdioServerDefinition('gprof-lsp', command.command, serverWords(places), command.environment, version),
    ];
  };
  return [
    changed,
    vscode.workspace.onDidGrantWorkspaceTrust(() => changed.fire()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => changed.fire()),
    vscode.lm.registerMcpServerDefinitionProvider(provider, {
      onDidChangeMcpServerDefinitions: changed.event,
      provideMcpServerDefinitions,
    }),
  ];
}

function offerTools(services: Services): vscode.Disposable[] {
  const { contributes } = services.context.extension.packageJSON as {
    contributes: { languageModelTools: readonly ContributedTool[] };
  };
  return contributes.languageModelTools.map(({ name }) =>
    vscode.lm.registerTool<object>(name, {
      prepareInvocation: ({ input }) => confirmationOf(name, input),
      invoke: async ({ input }, cancelled) =>
        new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(await ask(services, name, input, cancelled))]),
    }),
  );
}

function confirmationOf(name: string, input: object): vscode.PreparedToolInvocation {
  if (name !== 'gprof_record') return {};
  const command = 'command' in input && Array.isArray(input.command) ? input.command.join(' ') : '';
  const message = new vscode.MarkdownString().appendText(command);
  return { confirmationMessages: { title: 'Run and profile this program?', message } };
}

// What the server answers, or why it does not: both are for the model.
function ask({ client }: Services, name: string, input: object, cancelled: vscode.CancellationToken): Promise<string> {
  const command = client.command;
  const folder = folderOfQuestion(folders(), vscode.window.activeTextEditor?.document.uri.fsPath);
  if (command === undefined || folder === undefined) return Promise.resolve('There is no server, or no trusted folder.');
  return new Promise((resolve) => {
    const child = spawn(command.command, toolWords(name, input, folder), {
      cwd: folder,
      env: { ...process.env, ...command.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(0, mostBytes)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-mostBytes)));
    const listening = cancelled.onCancellationRequested(() => child.kill());
    child.on('error', (error) => resolve(String(error)));
    child.on('close', (status) => {
      listening.dispose();
      resolve(answerOf(status, output, errors));
    });
  });
}
