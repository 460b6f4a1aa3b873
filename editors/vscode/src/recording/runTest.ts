// "Profile this test", the lens above tests, and "Profile: CTest Test…", which lists the tests of CTest.
import * as vscode from 'vscode';
import { acceptedItem } from '../acceptedItem';
import { plainLabel } from '../figures/plainLabel';
import type { TestRun, TestsParams, TestsResult } from '../server/protocol';
import type { Services } from '../services';
import type { ProgramRunner } from './runProgram';
import { runOfTest, testRunOf } from './testRuns';
import { lineOf } from './words';

interface TestItem extends vscode.QuickPickItem {
  readonly test: TestRun;
}

const noTests = 'Profile: CTest knows no test here whose program was built. CMake lists tests in the build folder after enable_testing().';

export class TestRunner {
  constructor(
    private readonly services: Services,
    private readonly runner: ProgramRunner,
  ) {}

  async run(argument: unknown): Promise<void> {
    const test = testRunOf(argument);
    if (test !== undefined) await this.runner.run(runOfTest(test));
  }

  // Of the build folders of the workspace.
  async choose(): Promise<void> {
    const pick = vscode.window.createQuickPick<TestItem>();
    pick.title = 'Profile: CTest Test';
    pick.placeholder = 'Test to run';
    pick.matchOnDescription = true;
    pick.matchOnDetail = true;
    pick.busy = true;
    const chosen = new Promise<TestItem | undefined>((resolve) => {
      // While tests are searched for, there is nothing to accept.
      pick.onDidAccept(() => {
        const item = acceptedItem(pick);
        if (item !== undefined) resolve(item);
      });
      pick.onDidHide(() => resolve(undefined));
    });
    pick.show();
    const answer = await this.services.client.request<TestsParams, TestsResult>('gprof/tests', {});
    if (answer === undefined) {
      pick.dispose();
      void vscode.window.showErrorMessage('Profile: the server did not list the tests of CTest. The log says more.');
      return;
    }
    pick.busy = false;
    pick.items = answer.tests.map(itemOf);
    if (pick.items.length === 0) {
      pick.dispose();
      void vscode.window.showInformationMessage(noTests);
      return;
    }
    const item = await chosen;
    pick.dispose();
    if (item !== undefined) await this.runner.run(runOfTest(item.test));
  }
}

function itemOf(test: TestRun): TestItem {
  return {
    label: plainLabel(test.name),
    description: vscode.workspace.asRelativePath(test.program),
    detail: lineOf(test.arguments),
    test,
  };
}
