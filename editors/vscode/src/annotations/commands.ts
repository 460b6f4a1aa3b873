// Which figures are shown: by commands, remembered with the workspace.
import * as vscode from 'vscode';
import type { Services } from '../services';
import { chooseColumns } from '../metrics/chooseColumns';
import { profileMetrics } from '../metrics/profileMetrics';
import { metricAfter, metricItems, metricsInTurn, ownMetrics, titleOfMetric } from '../metrics/text';
import { plainLabel } from '../figures/plainLabel';
import type { MetricDescription } from '../server/protocol';
import { showBriefly } from '../status/toasts';
import { parseThreshold } from './threshold';

export function registerCommands(services: Services): void {
  const { context, settings } = services;
  const metricsNow = async (): Promise<readonly MetricDescription[]> => (await profileMetrics(services))?.metrics ?? [];
  const setShown = (shown: boolean): Promise<void> => settings.showAnnotations(shown);
  context.subscriptions.push(
    vscode.commands.registerCommand('gprof.chooseMetric', async (metric?: unknown) => {
      const metrics = await metricsNow();
      const known = [...metricsInTurn([]), ...ownMetrics(metrics).map(({ name }) => name)];
      const chosen = known.find((name) => name === metric) ?? (await askForMetric(settings.metric, metrics));
      if (chosen !== undefined) await settings.chooseMetric(chosen);
    }),
    vscode.commands.registerCommand('gprof.nextMetric', async () => {
      const metrics = await metricsNow();
      const next = metricAfter(settings.metric, metrics);
      await settings.chooseMetric(next);
      const unit = metrics.find(({ name }) => name === next)?.unit;
      const title = titleOfMetric(next, metrics);
      showBriefly(`Profile: ${title}${unit === undefined ? '' : ` (${unit})`}`, 3);
    }),
    vscode.commands.registerCommand('gprof.chooseColumns', () => chooseColumns(services)),
    vscode.commands.registerCommand('gprof.chooseThreshold', async (threshold?: unknown) => {
      const chosen = typeof threshold === 'number' ? threshold : await askForThreshold(settings.threshold);
      if (chosen !== undefined && chosen >= 0 && chosen <= 1) await settings.chooseThreshold(chosen);
    }),
    vscode.commands.registerCommand('gprof.showAnnotations', () => setShown(true)),
    vscode.commands.registerCommand('gprof.hideAnnotations', () => setShown(false)),
    vscode.commands.registerCommand('gprof.toggleAnnotations', () => setShown(!settings.annotationsShown)),
  );
}

async function askForMetric(current: string, metrics: readonly MetricDescription[]): Promise<string | undefined> {
  const { figures, own } = metricItems(current, metrics);
  const pickable = [...figures, ...own].map((item) => ({
    ...item,
    label: plainLabel(item.label),
    ...(item.isShown ? { iconPath: new vscode.ThemeIcon('check') } : {}),
  }));
  const separator = { label: 'Metrics of this profile', kind: vscode.QuickPickItemKind.Separator, metric: undefined };
  const items = own.length === 0 ? pickable : [...pickable.slice(0, figures.length), separator, ...pickable.slice(figures.length)];
  const chosen = await vscode.window.showQuickPick<vscode.QuickPickItem & { readonly metric: string | undefined }>(
    items, { title: 'Profile: Switch Metric', matchOnDescription: true });
  return chosen?.metric;
}

async function askForThreshold(current: number): Promise<number | undefined> {
  const text = await vscode.window.showInputBox({
    title: 'Profile: Set Threshold',
    prompt: 'Share of the program’s time below which the time of a line is not shown, in percent',
    value: String(Number((current * 100).toPrecision(6))),
    validateInput: (value) => (parseThreshold(value) === undefined ? 'A number from 0 to 100' : undefined),
  });
  return text === undefined ? undefined : parseThreshold(text);
}
