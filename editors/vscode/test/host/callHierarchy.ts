// The editor's own call hierarchy, filled from the profile.
import { strict as assert } from 'node:assert';
import * as vscode from 'vscode';
import { open, place, until } from './support';
import type { HostTests } from './support';

async function itemOf(name: string, definition: string, within: number): Promise<vscode.CallHierarchyItem> {
  const document = await open(name);
  return until(`a call hierarchy of ${definition}`, async () => {
    const items = await vscode.commands.executeCommand<vscode.CallHierarchyItem[] | undefined>(
      'vscode.prepareCallHierarchy', document.uri, place(document, definition, within));
    return items?.[0];
  });
}

export const callHierarchyTests: HostTests = {
  'a function has its callers, with the calls': async () => {
    const item = await itemOf('shapes.c', 'double area(', 8);
    const calls = await vscode.commands.executeCommand<vscode.CallHierarchyIncomingCall[]>(
      'vscode.provideIncomingCalls', item);
    assert.deepEqual(calls.map((call) => call.from.name), ['main']);
    const main = await open('main.c');
    assert.deepEqual(calls[0]?.fromRanges.map((range) => range.start.line), [place(main, 'sum += area(i)').line]);
  },

  'a function has its callees': async () => {
    const item = await itemOf('main.c', 'int main(', 5);
    const calls = await vscode.commands.executeCommand<vscode.CallHierarchyOutgoingCall[]>(
      'vscode.provideOutgoingCalls', item);
    const names = calls.map((call) => call.to.name);
    for (const name of ['area', 'outline', 'is_even']) assert(names.includes(name), `${name} is not in ${names.join()}`);
  },
};
