// gprof's reports as read-only documents. The server makes their text and links, and reports when one has changed; the
// language client requests it.
import * as vscode from 'vscode';
import { profileMetrics } from '../metrics/profileMetrics';
import type { Services } from '../services';
import { showToast } from '../status/toasts';
import type { Report } from './kinds';
import { availableReports, reportAddress, reports } from './kinds';

export function register(services: Services): void {
  const { context, client } = services;
  // Older servers do not say what there is.
  const countsCalls = async (): Promise<boolean> => {
    const metrics = (await profileMetrics(services))?.metrics;
    return metrics === undefined || metrics.some(({ name }) => name === 'calls');
  };
  const open = async (report: Report): Promise<void> => {
    if (client.state !== 'running') {
      void vscode.window.showErrorMessage('The profile server is not running.');
      return;
    }
    if (client.status === undefined || client.status.program === '') {
      void showToast('info', client.status?.message ?? 'No profile is shown.');
      return;
    }
    if (report.needsCalls === true && !(await countsCalls())) {
      void vscode.window.showInformationMessage(`${report.label}: this profile counts no calls. Build with -pg to count them.`);
      return;
    }
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(reportAddress(report.kind), true));
    await vscode.window.showTextDocument(document);
  };
  context.subscriptions.push(
    vscode.commands.registerCommand('gprof.openReport', async () => {
      const items = availableReports(await countsCalls()).map((report) => ({ label: report.label, detail: report.detail, report }));
      const chosen = await vscode.window.showQuickPick(items, { title: 'Profile: Show Report', matchOnDetail: true });
      if (chosen !== undefined) await open(chosen.report);
    }),
    ...reports.map((report) => vscode.commands.registerCommand(report.command, () => open(report))),
  );
}
