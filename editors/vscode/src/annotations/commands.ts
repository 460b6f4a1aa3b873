// Which figures are shown: by commands, remembered with the workspace.
import * as vscode from 'vscode';
import type { Services } from '../services';
import { metricDescriptions, metrics, metricTitles } from './metrics';
import { parseThreshold } from './threshold';

export function registerCommands({ context, settings }: Services): void {
  const setShown = (shown: boolean): Promise<void> => settings.showAnnotations(shown);
  context.subscriptions.push(
    vscode.commands.registerCommand('gprof.chooseMetric', async (metric?: unknown) => {
      const chosen = metrics.find((known) => known === metric) ?? (await askForMetric(settings.metric));
      if (chosen !== undefined) await settings.chooseMetric(chosen);
    }),
    vscode.commands.registerCommand('gprof.nextMetric', async () => {
      const next = metrics[(metrics.indexOf(settings.metric) + 1) % metrics.length];
      if (next === undefined) return;
      await settings.chooseMetric(next);
      vscode.window.setStatusBarMessage(`Profile: ${metricTitles[next]}`, 3_000);
    }),
    vscode.commands.registerCommand('gprof.chooseThreshold', async (threshold?: unknown) => {
      const chosen = typeof threshold === 'number' ? threshold : await askForThreshold(settings.threshold);
      if (chosen !== undefined && chosen >= 0 && chosen <= 1) await settings.chooseThreshold(chosen);
    }),
    vscode.commands.registerCommand('gprof.showAnnotations', () => setShown(true)),
    vscode.commands.registerCommand('gprof.hideAnnotations', () => setShown(false)),
    vscode.commands.registerCommand('gprof.toggleAnnotations', () => setShown(!settings.annotationsShown)),
  );
}

async function askForMetric(current: string): Promise<(typeof metrics)[number] | undefined> {
  const items = metrics.map((metric) => ({
    label: metricTitles[metric],
    description: metric === current ? 'shown now' : '',
    detail: metricDescriptions[metric],
    metric,
  }));
  const chosen = await vscode.window.showQuickPick(items, { title: 'Profile: Switch Metric' });
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
