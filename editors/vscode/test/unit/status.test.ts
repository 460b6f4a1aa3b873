// What the status bar says, and when it asks which program is meant.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProgramComparison, ProgramEntry, StatusParams } from '../../src/server/protocol';
import { hasToAsk, programTitle } from '../../src/status/programList';
import { statusText } from '../../src/status/statusText';
import type { StatusInput } from '../../src/status/statusText';
import { lettersInToast, toastText } from '../../src/status/toastText';

const ready: StatusParams = { state: 'ready', program: '/project/sim', profiles: ['/project/gmon.out'], generation: 2, metric: 'time' };

function input(more: Partial<StatusInput> = {}): StatusInput {
  return {
    state: 'running',
    problem: '',
    status: ready,
    profileTime: 0,
    now: 5 * 60_000,
    changedSources: [],
    ofFile: undefined,
    ...more,
  };
}

test('program, age, and what is not as it was', () => {
  assert.equal(statusText(input()).text, '$(flame) sim · time · 5 min ago');
  assert.equal(statusText(input({ changedSources: ['a.c'] })).text, '$(warning) sim · time · 5 min ago · 1 source changed');
  assert.equal(
    statusText(input({ changedSources: ['a.c', 'b.c'] })).text,
    '$(warning) sim · time · 5 min ago · 2 sources changed',
  );
  assert.match(statusText(input({ status: { ...ready, state: 'stale' } })).text, /^\$\(warning\) sim .* rebuilt since$/);
  assert.equal(statusText(input({ status: { ...ready, live: true } })).text, '$(pulse) sim · time · running');
});

test('the metric is called by what is counted where that is no time', () => {
  const { text, tooltip } = statusText(input({ status: { ...ready, metricText: 'Ir' } }));
  assert.equal(text, '$(flame) sim · Ir · 5 min ago');
  assert.ok(tooltip.includes('Metric: Ir'));
});

test('a file of another program than the one that is shown has that one', () => {
  const ofFile = {
    name: 'other', executable: '/project/other', profiles: ['/project/gmon.other'], profileTime: 3 * 60_000, isRunning: false, isRebuilt: false,
  };
  const { text, tooltip, severity } = statusText(input({ ofFile }));
  assert.deepEqual([text, severity], ['$(flame) other · time · 2 min ago', 'normal']);
  assert.deepEqual(tooltip, [
    'The program of this file: /project/other', 'Profile: /project/gmon.other', 'Written 2 min ago.',
    'Views and reports show sim.', 'Click for actions.',
  ]);
  assert.equal(statusText(input({ ofFile: { ...ofFile, isRebuilt: true } })).text, '$(warning) other · time · 2 min ago · rebuilt since');
  assert.equal(statusText(input({ ofFile: { ...ofFile, isRunning: true } })).text, '$(pulse) other · time · running');
});

test('what became of the program’s time is said where it is compared', () => {
  const said = (comparison: ProgramComparison) => statusText(input({ status: { ...ready, comparison } }));
  const slower = said({ text: '0.51 → 0.77 s, +51 %: regressed', verdict: 'regressed' });
  assert.equal(slower.text, '$(flame) sim · time · 5 min ago · ▲ regressed');
  assert.ok(slower.tooltip.includes('Compared with the base: 0.51 → 0.77 s, +51 %: regressed'));
  assert.match(said({ text: '0.77 → 0.51 s, −34 %: improved', verdict: 'improved' }).text, / · ▼ improved$/);
  assert.match(said({ text: '0.51 → 0.52 s: no difference beyond noise', verdict: 'noise' }).text, / · compared$/);
});

test('a program whose name is an icon’s is shown by its name', () => {
  const { text } = statusText(input({ status: { ...ready, program: '/project/$(error) sim $(sync~spin) $(' } }));
  assert.equal(text, '$(flame) \\$(error) sim \\$(sync~spin) $( · time · 5 min ago');
});

test('the tooltip tells how long it ran, and what is not in the figures', () => {
  const said = { ran: 'ran 3.9 s, 0.09 s on CPU', waiting: 'Mostly waiting.', tick: 'The tick decides.' };
  const { tooltip } = statusText(input({ status: { ...ready, ...said } }));
  assert.deepEqual(tooltip.slice(-4), ['It ran 3.9 s, 0.09 s on CPU.', said.waiting, said.tick, 'Click for actions.']);
});

test('what was noticed of a profile that is shown is in the tooltip alone', () => {
  const { text, tooltip, severity } = statusText(input({ status: { ...ready, warnings: ['a.o: no lines'] } }));
  assert.ok(tooltip.includes('Note: a.o: no lines'));
  assert.ok(!text.includes('$(warning)'));
  assert.equal(severity, 'normal');
});

test('the tooltip names files, and not too many', () => {
  const { tooltip } = statusText(input({ changedSources: ['1', '2', '3', '4', '5', '6', '7'] }));
  assert.ok(tooltip.includes('Program: /project/sim'));
  assert.ok(tooltip.includes('Profile: /project/gmon.out'));
  assert.equal(tooltip.filter((line) => line.startsWith('Changed since the build')).length, 5);
  assert.ok(tooltip.includes('… and 2 more'));
});

test('a program that cannot be shown is named, not the one that is shown in its place', () => {
  const message = '/project/b: the program has no function symbols';
  const { text, tooltip, severity } = statusText(input({ status: { ...ready, unavailable: '/project/b', message } }));
  assert.equal(text, '$(error) b is not shown');
  assert.deepEqual(tooltip, [message, 'Files of sim still have its figures.', 'Click for actions.']);
  assert.equal(severity, 'error');
});

test('nothing to show is said with its reason', () => {
  const none = { ...ready, program: '', profiles: [] };
  assert.equal(statusText(input({ status: none })).text, '$(flame) No profile');
  const error = statusText(input({ status: { ...none, state: 'error', message: 'gmon.out does not belong to sim' } }));
  assert.equal(error.severity, 'error');
  assert.deepEqual(error.tooltip, ['gmon.out does not belong to sim']);
});

test('without a server there is its problem', () => {
  assert.match(statusText(input({ state: 'untrusted' })).tooltip.join(), /not trusted/);
  assert.equal(statusText(input({ state: 'missing', problem: 'no binary' })).tooltip.join(), 'no binary');
  assert.match(statusText(input({ state: 'failed', problem: 'by SIGSEGV' })).tooltip.join(), /ended \(by SIGSEGV\)/);
  assert.equal(statusText(input({ state: 'waiting', problem: 'by SIGKILL' })).severity, 'warning');
});

function program(name: string, more: Partial<ProgramEntry> = {}): ProgramEntry {
  return {
    name,
    executable: `/project/${name}`,
    profiles: [],
    candidates: [],
    selected: false,
    rebuiltSince: false,
    generation: 1,
    state: 'ready',
    ...more,
  };
}

test('only several programs are a question; a library goes with its program', () => {
  assert.ok(!hasToAsk([program('a')]));
  assert.ok(!hasToAsk([program('a'), program('liba.so', { partOf: '/project/a' })]));
  assert.ok(hasToAsk([program('a'), program('b')]));
});

test('a program’s title says what there is to know before it is chosen', () => {
  assert.equal(programTitle(program('a', { selected: true, live: true })), 'shown, running');
  assert.equal(programTitle(program('a', { rebuiltSince: true, candidates: ['1', '2'] })), 'rebuilt since, 2 profiles');
});

test('a toast is one line, with names of files for paths', () => {
  assert.equal(toastText('No profile is shown.'), 'No profile is shown.');
  assert.equal(toastText('/project/build/gmon.out: offset 20: the histogram is cut off'), 'gmon.out: offset 20: the histogram is cut off');
  assert.equal(toastText('a/b and 3/4 of https://example.org/a/b'), 'a/b and 3/4 of https://example.org/a/b');
  assert.equal(toastText('Some settings are ignored:\ngprof.metric: unknown'), 'Some settings are ignored:');
});

test('a name makes no link in a toast', () => {
  assert.equal(toastText('Hottest: [f](command:workbench.action.quit) 12 %.'), 'Hottest: [f] (command:workbench.action.quit) 12 %.');
});

test('a toast has the clauses of a long message that fit', () => {
  const ending = 'The profile server keeps ending by itself. It was started again 4 times. (killed by SIGSEGV)';
  assert.equal(toastText(ending), 'The profile server keeps ending by itself. It was started again 4 times.');
  assert.equal(
    toastText('gmon.out: the profile was written by another build of the program; record the program again to see it'),
    'gmon.out: the profile was written by another build of the program…');
  assert.equal(toastText('x'.repeat(200)), `${'x'.repeat(lettersInToast - 1)}…`);
  const words = toastText('word '.repeat(40));
  assert.ok(words.length <= lettersInToast && words.endsWith('word…'), words);
});
