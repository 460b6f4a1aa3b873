// Tasks of the type gprof: what they may say, the command line that they become, and what a run leaves.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  attachArguments, definitionDefect, expandVariables, literalDefect, pathOf, patternOf, profileAmong, recordCommand, recordedRun,
} from '../../src/recording/definition';
import { processesInOrder, programOf, rowOfProcess, wordsOfCommandLine } from '../../src/recording/processOrder';
import { rowOf, sizeText } from '../../src/recording/runText';
import { describeFailure, describeOutcome, detailsOf } from '../../src/recording/outcome';
import { previousOf } from '../../src/recording/previous';
import { runOfTest, testRunOf, variablesOf } from '../../src/recording/testRuns';
import { isOpen, lineOf, wordsOf } from '../../src/recording/words';

const surroundings = {
  folder: '/project', folders: { project: '/project', lib: '/lib' }, home: '/users/me',
  environment: { NAME: 'value' },
};

test('a definition that fits has no defect', () => {
  assert.equal(definitionDefect({ type: 'gprof', program: 'prog' }), undefined);
  assert.equal(definitionDefect({
    type: 'gprof', program: 'prog', arguments: ['a'], cwd: '.', environment: { A: 'b' }, stacks: true, rate: 0, wait: false, live: false, runs: 1,
  }), undefined);
});

test('what does not fit is named', () => {
  for (const [member, value] of [
    ['program', ''], ['program', 3], ['arguments', 'a b'], ['arguments', [1]], ['cwd', 1], ['environment', { A: 1 }],
    ['environment', null], ['stacks', 'yes'], ['wait', 1], ['live', 1], ['rate', -1], ['rate', 20_001], ['rate', 1.5], ['runs', 0], ['runs', '2'],
  ] as const) {
    assert.match(definitionDefect({ program: 'prog', [member]: value }) ?? '', new RegExp(`“${member}”`), `${member}: ${JSON.stringify(value)}`);
  }
});

test('the command line, word by word', () => {
  const command = recordCommand({
    type: 'gprof', program: 'build/prog', arguments: ['-n', '$(rm -rf /)', '${workspaceFolder}/in put'],
    stacks: true, rate: 250, wait: true, live: true, runs: 3, environment: { DATA: '${workspaceFolder:lib}' },
  }, surroundings, '/storage/run');
  assert.deepEqual(command, {
    program: '/project/build/prog',
    arguments: ['record', '--output=/storage/run', '--summary=/storage/run/summary.json', '--keep-executable', '--stacks', '--rate=250', '--wait', '--live', '--runs=3', '--',
      '/project/build/prog', '-n', '$(rm -rf /)', '/project/in put'],
    cwd: '/project',
    environment: { DATA: '/lib' },
  });
  const plain = recordCommand({ type: 'gprof', program: '/bin/prog', runs: 1 }, surroundings, '/out');
  assert.deepEqual(plain.arguments, ['record', '--output=/out', '--summary=/out/summary.json', '--keep-executable', '--', '/bin/prog']);
  const without = recordCommand({ type: 'gprof', program: '/bin/prog', stacks: false }, surroundings, '/out');
  assert.deepEqual(without.arguments, ['record', '--output=/out', '--summary=/out/summary.json', '--keep-executable', '--no-stacks', '--', '/bin/prog']);
});

test('words of a test are no variables', () => {
  const command = recordCommand({
    type: 'gprof', program: '/build/${userHome}/tests', arguments: ['${workspaceFolder}', '~/${env:NAME}'], cwd: '/data/${userHome}',
    environment: { PLACE: '${env:NAME}' },
  }, { ...surroundings, isLiteral: true }, '/out');
  assert.deepEqual(command.arguments.slice(-3), ['/build/${userHome}/tests', '${workspaceFolder}', '~/${env:NAME}']);
  assert.equal(command.cwd, '/data/${userHome}');
  assert.deepEqual(command.environment, { PLACE: '${env:NAME}' });
});

test('a test is refused whose words the editor would replace', () => {
  const commandWith = (more: object) => recordCommand({ type: 'gprof', program: '/build/tests', ...more }, { ...surroundings, isLiteral: true }, '/out');
  for (const word of ['${command:workbench.action.quit}', 'a${env:HOME}b', '${workspaceFolder}', '${fileBasename}', '${/}', '${input:x}']) {
    assert.match(literalDefect(commandWith({ arguments: ['-n', word] })) ?? '', /would replace \$\{/, word);
    assert.notEqual(literalDefect(commandWith({ environment: { A: word } })), undefined, word);
    assert.notEqual(literalDefect(commandWith({ cwd: `/data/${word}` })), undefined, word);
  }
  assert.equal(literalDefect(commandWith({ arguments: ['${here}', '$HOME', '{file}', '$(x)'], cwd: '/data' })), undefined);
});

test('a test is run as the server says, and nothing else is one', () => {
  const heavy = { name: 'Sums.Heavy', program: '/build/tests', arguments: ['--gtest_filter=Sums.Heavy'], folder: '/data', environment: ['A=1=2', '=x', 'B'] };
  const range = { start: { line: 1, character: 0 }, end: { line: 2, character: 1 } };
  assert.deepEqual(testRunOf({ ...heavy, range }), heavy);
  assert.deepEqual(runOfTest(heavy), {
    program: '/build/tests', arguments: ['--gtest_filter=Sums.Heavy'], cwd: '/data', environment: { A: '1=2' }, test: 'Sums.Heavy',
  });
  assert.deepEqual(runOfTest({ name: 'a', program: '/p', arguments: [] }), { program: '/p', arguments: [], test: 'a' });
  for (const defect of [
    undefined, null, 'x', {}, { ...heavy, name: 1 }, { ...heavy, program: 'tests' }, { ...heavy, arguments: 'x' }, { ...heavy, arguments: [1] },
    { ...heavy, folder: '.' }, { ...heavy, environment: { A: 'b' } },
  ]) assert.equal(testRunOf(defect), undefined, JSON.stringify(defect));
  assert.deepEqual(variablesOf(['__proto__=x']), Object.fromEntries([['__proto__', 'x']]));
});

test('a program whose name looks like an option is one', () => {
  const { arguments: words } = recordCommand({ type: 'gprof', program: '--runs' }, surroundings, '/out');
  assert.deepEqual(words.slice(-2), ['--', '/project/--runs']);
});

test('variables of folders are filled in, and others stay', () => {
  assert.equal(expandVariables('${workspaceFolder}/${userHome}${pathSeparator}${env:NAME}${env:NONE}', surroundings), '/project//users/me/value');
  assert.equal(expandVariables('${workspaceFolder:none} ${file}', surroundings), '${workspaceFolder:none} ${file}');
  assert.equal(pathOf('~/bin/prog', surroundings), '/users/me/bin/prog');
  assert.equal(pathOf('../other/prog', surroundings), '/other/prog');
  assert.equal(pathOf('prog', surroundings), '/project/prog', 'a name is never one of PATH');
  assert.equal(pathOf('prog', { ...surroundings, folder: undefined }), '/users/me/prog');
});

test('a run is known again by its command line', () => {
  const { arguments: words } = recordCommand({ type: 'gprof', program: '/bin/prog', stacks: true, arguments: ['--', 'x'] }, surroundings, '/out');
  assert.deepEqual(recordedRun(words), { output: '/out', program: '/bin/prog', arguments: ['--', 'x'] });
  assert.equal(recordedRun(['report', '--output=/out', '--', 'x']), undefined);
  assert.equal(recordedRun(['record', '--stacks', '--', 'x']), undefined);
  assert.equal(recordedRun([]), undefined);
});

test('a running process is sampled by its number, and no program is named', () => {
  assert.deepEqual(attachArguments(4242, { stacks: true, rate: 250 }, '/out'),
    ['record', '--output=/out', '--summary=/out/summary.json', '--keep-executable', '--pid=4242', '--time=600', '--stacks', '--rate=250']);
  assert.deepEqual(attachArguments(1, {}, '/out').slice(-2), ['--pid=1', '--time=600']);
  assert.equal(profileAmong(['perf.data', 'summary.json']), 'perf.data');
  assert.equal(profileAmong(['perf.data.old', 'summary.json']), undefined);
});

test('processes of the workspace’s programs come first, the newest at the top', () => {
  const processes = [[7, '/usr/bin/vi'], [9, '/project/prog'], [8, '/usr/bin/vi'], [12, '/project/prog'], [30, '/bin/sh']] as const;
  const ordered = processesInOrder(processes.map(([id, program]) => ({ id, program, words: [] })),
    (program) => program.startsWith('/project/'));
  assert.deepEqual(ordered.map(({ id }) => id), [12, 9, 30, 8, 7]);
});

test('a row of a process has its name, its number and its command line', () => {
  const words = wordsOfCommandLine('./prog\0--name\0a b\0\0');
  assert.deepEqual(words, ['./prog', '--name', 'a b', '']);
  assert.deepEqual(wordsOfCommandLine(''), []);
  assert.deepEqual(rowOfProcess({ id: 7, program: '/project/prog', words: words.slice(0, 3) }),
    { label: 'prog', description: 'process 7', detail: './prog --name "a b"' });
  assert.equal(rowOfProcess({ id: 7, program: '/p', words: ['x'.repeat(500)] }).detail.length, 201);
  assert.equal(programOf('/project/prog (deleted)'), '/project/prog');
  assert.equal(programOf('/project/prog'), '/project/prog');
});

test('why nothing was sampled is said without a terminal', () => {
  const problem = 'no profile of process 7 (prog): it took no CPU time in 2 s';
  assert.equal(describeFailure('/bin/prog', { program: '/bin/prog', running: [], remarks: [], problem }, 'log'),
    'No profile of process 7 (prog): it took no CPU time in 2 s.');
});

test('of what a run leaves, the sum is shown before the program’s own profile, and that before a process’s', () => {
  assert.equal(profileAmong(['gmon.out', 'gmon.out.gpx', 'gmon.sum', 'run-1']), 'gmon.sum');
  assert.equal(profileAmong(['gmon.out.gpx', 'gmon.out.77', 'gmon.out', 'gmon.out.libx.so.1']), 'gmon.out');
  assert.equal(profileAmong(['gmon.out.77', 'gmon.out.77.gpx', 'gmon.out.libx.so']), 'gmon.out.77');
  assert.equal(profileAmong(['gmon.live.3', 'gmon.out.gpx']), undefined);
  assert.equal(profileAmong([]), undefined);
});

test('a path becomes a pattern that takes its letters as they are', () => {
  assert.equal(patternOf('/a/b.out'), '/a/b.out');
  assert.equal(patternOf('/a[1]/*?{x}\\y'), '/a\\[1\\]/\\*\\?\\{x\\}\\\\y');
});

test('arguments are words, as people write them', () => {
  assert.deepEqual(wordsOf('  -n 3  "two words" \'a "b"\' c\\ d "" '), ['-n', '3', 'two words', 'a "b"', 'c d', '']);
  assert.deepEqual(wordsOf('$HOME `id` $(id) ; rm * | x > y'), ['$HOME', '`id`', '$(id)', ';', 'rm', '*', '|', 'x', '>', 'y']);
  assert.deepEqual(wordsOf('a"b c"d "\\"" \'\\\''), ['ab cd', '"', '\\']);
  assert.deepEqual(wordsOf(''), []);
});

test('a line of words gives these words again', () => {
  for (const words of [['-n', '3'], ['two words', '', '"', "it's", 'back\\slash', 'tab\there'], []]) {
    assert.deepEqual(wordsOf(lineOf(words)), words);
  }
});

test('a quote that is not closed is seen', () => {
  assert.deepEqual(['"a', "'a", '"a\\"', 'a"b" "'].map(isOpen), [true, true, true, true]);
  assert.deepEqual(['"a"', 'a\\"', "'\"'", ''].map(isOpen), [false, false, false, false]);
});

test('the toast says how a run ended and what it recorded', () => {
  const summary = {
    program: '/w/prog', profile: 'gmon.out', status: 0, running: [], remarks: [],
    figures: '7 calls, 321 samples at 100 Hz, 1 thread, nothing lost', times: 'ran 3.9 s, 3.2 s on CPU',
    headline: '3.2 s CPU of 3.9 s',
  };
  const { status: _, ...killed } = summary;
  const hottest = { name: 'db::(anonymous namespace)::internshrstr(int)', share: 0.214 };
  assert.equal(describeOutcome('/w/prog', summary), 'prog: 3.2 s CPU of 3.9 s.');
  assert.equal(describeOutcome('/w/prog', summary, hottest), 'prog: 3.2 s CPU of 3.9 s. Hottest: …::internshrstr 21 %.');
  assert.equal(describeOutcome('/w/prog', { ...killed, signal: 'SIGSEGV' }, hottest),
    'prog was killed by SIGSEGV; its profile was kept. 3.2 s CPU of 3.9 s.');
  const crash = { path: '/w/src/parse.c', line: 12, function: 'parse' };
  assert.equal(describeOutcome('/w/prog', { ...killed, signal: 'SIGSEGV', crash }, hottest),
    'prog was killed by SIGSEGV at parse.c:12. 3.2 s CPU of 3.9 s.');
  assert.equal(describeOutcome('/w/prog', { ...killed, signal: 'SIGHUP' }),
    'prog was terminated; its profile was kept. 3.2 s CPU of 3.9 s.');
  assert.equal(describeOutcome('/w/prog', { ...summary, status: 3 }), 'prog ended with status 3. 3.2 s CPU of 3.9 s.');
  assert.ok(describeOutcome(`/w/${'long'.repeat(12)}`, summary, hottest).length <= 80);
  assert.deepEqual(detailsOf({ ...summary, remarks: ['first remark'] }), [
    'Ran 3.9 s, 3.2 s on CPU.', '7 calls, 321 samples at 100 Hz, 1 thread, nothing lost.', 'First remark.',
  ]);
  assert.match(describeOutcome('/w/prog', undefined), /recorder of prog was killed; what was counted until then was kept/);
});

test('a run is listed by its time, with what it was run with and what it took', () => {
  const time = new Date(2026, 10, 30, 9, 30);
  const summary = { program: '/w/prog', status: 3, running: [], remarks: [], headline: '3.2 s CPU of 3.9 s' };
  const run = { time, arguments: ['-n', 'two words'], summary, size: 1536, isOfOlderBuild: true, isShown: true };
  const { label, description, detail } = rowOf(run, time.getTime() + 5 * 60_000);
  assert.equal(label, time.toLocaleString());
  assert.equal(description, '5 min ago · shown now');
  assert.equal(detail, `-n ${lineOf(['two words'])} · 3.2 s CPU of 3.9 s · status 3 · older build · 1.5 KiB`);
  const bare = rowOf({ time, arguments: [], size: 20, isOfOlderBuild: false, isShown: false }, time.getTime());
  assert.deepEqual([bare.description, bare.detail], ['just now', 'no arguments · 20 bytes']);
  assert.deepEqual([1023, 1024, 20_000, 3 * 2 ** 30].map(sizeText), ['1023 bytes', '1.0 KiB', '20 KiB', '3.0 GiB']);
});

test('why nothing was recorded is what the recorder said', () => {
  const failed = { program: '/w/prog', status: 127, running: [], remarks: [], problem: 'prog was not found' };
  assert.equal(describeFailure('/w/prog', failed), 'Prog was not found. See the terminal.');
  assert.match(describeFailure('/w/prog', undefined), /recorder of prog was killed before anything was counted/);
});

test('the previous run is the newest that is older than what is shown', () => {
  const profiles = [{ profile: 'b', time: 2 }, { profile: 'd', time: 4 }, { profile: 'a', time: 1 }, { profile: 'c', time: 3 }];
  assert.equal(previousOf(['c'], profiles)?.profile, 'b');
  assert.equal(previousOf(['d'], profiles)?.profile, 'c');
  // A sum: what is in it is not what it is compared with.
  assert.equal(previousOf(['d', 'b'], profiles)?.profile, 'a');
  assert.equal(previousOf(['a'], profiles), undefined);
  assert.equal(previousOf([], profiles), undefined);
  assert.equal(previousOf(['unknown'], profiles), undefined);
});
