// Messages to the user, none longer than a line: the rest is behind a button.
import * as vscode from 'vscode';
import { plainLabel } from '../figures/plainLabel';
import { toastText } from './toastText';

export type Severity = 'error' | 'warning' | 'info';
export type Offers = Readonly<Record<string, () => Thenable<unknown>>>;

const show = {
  error: vscode.window.showErrorMessage,
  warning: vscode.window.showWarningMessage,
  info: vscode.window.showInformationMessage,
} as const;

// For some seconds, in the status bar.
export function showBriefly(text: string, seconds = 5): void {
  vscode.window.setStatusBarMessage(plainLabel(text), seconds * 1_000);
}

// Does what the user chooses of the offers, in their order; if the message is cut, one more shows all of it, unless an
// offer has details. Resolves when the toast is gone, which may be never.
export async function showToast(severity: Severity, message: string, offers: Offers = {}): Promise<void> {
  const text = toastText(message);
  const isWhole = text === message || 'Details' in offers;
  const all: Offers = isWhole ? offers : { ...offers, 'Details': () => show[severity](text, { modal: true, detail: message }) };
  const chosen = await show[severity](text, ...Object.keys(all));
  await all[chosen ?? '']?.();
}
