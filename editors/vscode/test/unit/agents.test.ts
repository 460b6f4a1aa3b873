// How an agent's question becomes a command line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerOf, folderOfQuestion, serverWords, toolWords } from '../../src/agents/questions';

test('a question is one word of JSON, which no shell reads', () => {
  assert.deepEqual(toolWords('gprof_function', { function: "a'; rm -rf $HOME" }, '/work/my project'), [
    'query', 'function', '--workspace=/work/my project', '--format=json', '--json={"function":"a\'; rm -rf $HOME"}',
  ]);
});

test('the server is given every folder, none of which is an option', () => {
  assert.deepEqual(serverWords(['/a', '/-b']), ['mcp', '--allow-record', '--', '/a', '/-b']);
});

test('a question is about the folder of the file that is looked at', () => {
  assert.equal(folderOfQuestion(['/a', '/ab'], '/ab/x.c'), '/ab');
  assert.equal(folderOfQuestion(['/a', '/ab'], '/elsewhere/x.c'), '/a');
  assert.equal(folderOfQuestion(['/a'], undefined), '/a');
  assert.equal(folderOfQuestion([], '/a/x.c'), undefined);
});

test('an answer, or why there is none', () => {
  assert.equal(answerOf(0, '{"functions":[]}\n', 'gprof-lsp: a note\n'), '{"functions":[]}');
  assert.equal(answerOf(2, '', 'gprof-lsp: query: wrong\n'), 'gprof-lsp: query: wrong');
  assert.equal(answerOf(null, '', ''), 'The question was not answered.');
});
