// gprof's reports as read-only documents. The server makes their text and links, and reports when one has changed; the
// language client requests it.
import * as vscode from 'vscode';
import type { Services } from '../services';
import type { Report } from './kinds';
import { reportAddress, reports } from './kinds';

export function register({ context, client }: Services): void {
  const open = async (report: Report): Promise<void> => {
    if (client.state !== 'running') {
      void vscode.window.showErrorMessage('The profile server is not running.');
      return;
    }
    if (client.status === undefined || client.status.program === '') {
      void vscode.window.showInformationMessage(client.status?.message ?? 'No profile is shown.');
      return;
    }
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(reportAddress(report.kind), true));
    await vscode.window.showTextDocument(document);
  };
  context.subscriptions.push(
    vscode.commands.registerCommand('gprof.openReport', async () => {
      const items = reports.map((report) => ({ label: report.label, detail: report.detail, report }));
      const chosen = await vscode.window.showQuickPick(items, { title: 'Profile: Show Report', matchOnDetail: true });
      if (chosen !== undefined) await open(chosen.report);
    }),
    ...reports.map((report) => vscode.commands.registerCommand(report.command, () => open(report))),
  );
}
