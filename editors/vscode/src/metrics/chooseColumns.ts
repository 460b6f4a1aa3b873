// Which metrics are columns of the flat profile and of the call tree: kept with the workspace.
import * as vscode from 'vscode';
import { plainLabel } from '../figures/plainLabel';
import type { Services } from '../services';
import { profileMetrics } from './profileMetrics';
import { valueText } from './text';

export async function chooseColumns(services: Services): Promise<void> {
  const { client, settings } = services;
  if (!client.supports('gprof/metrics')) {
    void vscode.window.showInformationMessage('This server does not list metrics.');
    return;
  }
  const metrics = (await profileMetrics(services))?.metrics ?? [];
  if (metrics.length === 0) {
    void vscode.window.showInformationMessage('No profile is shown.');
    return;
  }
  const items = metrics.map(({ name, label, unit, kind, origin, total, totalError }) => ({
    label: plainLabel(label),
    description: total === undefined ? unit : valueText(total, totalError, unit),
    detail: kind === 'derived' ? `${name} = ${origin}` : `${name}: ${origin}`,
    picked: settings.columns.includes(name),
    name,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: 'Profile: Columns of Flat Profile and Call Tree', canPickMany: true, matchOnDetail: true,
    placeHolder: 'Metrics that have a column of their own',
  });
  if (chosen === undefined) return;
  // Those that only other profiles have stay chosen.
  const elsewhere = settings.columns.filter((name) => metrics.every((metric) => metric.name !== name));
  await settings.chooseColumns([...chosen.map(({ name }) => name), ...elsewhere]);
}
