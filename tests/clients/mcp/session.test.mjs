// The official clients of the Model Context Protocol drive every tool, in the newest revision and in earlier ones, on
// standard streams and by HTTP. What the server sends is checked against the published schemas, and every answer of a
// tool against the schema that the server gave for it.
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import * as published from '@modelcontextprotocol/core';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as EarlierStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import * as earlier from '@modelcontextprotocol/sdk/types.js';

const server = process.env.GPROF_LSP_SERVER;
const source = `#include <stdio.h>
__attribute__((noinline)) int leaf(int n) { return n * 3; }
__attribute__((noinline)) int work(int n) { int sum = 0; for (int i = 0; i < 5; i++) sum += leaf(n + i); return sum; }
int main(void) { int total = 0; for (int i = 0; i < 40; i++) total += work(i); printf("%d\\n", total); return 0; }
`;
let folder;

before(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'gprof-lsp-agents-')));
  for (const [variable, name] of [['XDG_CACHE_HOME', 'cache'], ['XDG_STATE_HOME', 'state']]) {
    process.env[variable] = path.join(folder, name);
  }
  fs.mkdirSync(path.join(folder, 'work'));
  const run = (program, ...words) => execFileSync(program, words, { cwd: path.join(folder, 'work'), stdio: 'ignore' });
  fs.writeFileSync(path.join(folder, 'work/prog.c'), source);
  run('gcc', '-g', '-O0', '-pg', 'prog.c', '-o', 'prog');
  run(server, 'record', '--keep-executable', '--', './prog');
  fs.mkdirSync(path.join(folder, 'work/old'));
  run(server, 'record', '--output=old', '--', './prog');
});
after(() => fs.rmSync(folder, { recursive: true, force: true }));

const workspace = () => path.join(folder, 'work');
// `DEBUGINFOD_URLS` and the like are not handed on by the clients unless they are named.
const streams = () => ({ command: server, args: ['mcp', '--allow-record', workspace()], env: { ...process.env } });

const questions = {
  programs: {},
  hot_spots: { order: 'calls', limit: 2 },
  function: { function: 'work' },
  lines: { file: 'prog.c' },
  call_path: { function: 'leaf' },
  timeline: {},
  compare: { before: ['old'], order: 'calls' },
  record: { command: ['./prog'], output: 'again' },
};

// What each request is answered with, by its method.
const schemas = (types) => ({
  'server/discover': types.DiscoverResultSchema,
  initialize: types.InitializeResultSchema,
  'tools/list': types.ListToolsResultSchema,
  'tools/call': types.CallToolResultSchema,
  'resources/list': types.ListResourcesResultSchema,
  'resources/templates/list': types.ListResourceTemplatesResultSchema,
  'resources/read': types.ReadResourceResultSchema,
  'prompts/list': types.ListPromptsResultSchema,
  'prompts/get': types.GetPromptResultSchema,
});

// Checks every message that the server sends; counts the answers.
function checked(transport, types) {
  const known = schemas(types);
  const asked = new Map();
  const counted = { answers: 0 };
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if ('id' in message) asked.set(message.id, message.method);
    return send(message, options);
  };
  let handler;
  Object.defineProperty(transport, 'onmessage', {
    get: () => handler && ((message, extra) => {
      types.JSONRPCMessageSchema.parse(message);
      if ('result' in message) {
        const schema = known[asked.get(message.id)];
        assert.ok(schema, `an answer to ${asked.get(message.id)}`);
        schema.parse(message.result);
        counted.answers += 1;
      } else if ('method' in message) {
        types.ProgressNotificationSchema.parse(message);
      }
      handler(message, extra);
    }),
    set: (wanted) => (handler = wanted),
  });
  return counted;
}

// Whatever comes out of it, no server is left running.
async function drive(client, transport, types) {
  const counted = checked(transport, types);
  try {
    await client.connect(transport);
    await askAll(client);
    assert.ok(counted.answers >= 16, `${counted.answers} answers were checked`);
  } finally {
    await client.close();
  }
}

async function askAll(client) {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(({ name }) => name).sort(), Object.keys(questions).sort());
  for (const [name, input] of Object.entries(questions)) {
    // The client checks the structure against the tool's schema.
    const result = await client.callTool({ name, arguments: input });
    assert.notEqual(result.isError, true, `${name}: ${JSON.stringify(result.content)}`);
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  }
  const { resources } = await client.listResources();
  assert.equal(resources.length, 3);
  for (const { uri } of resources) {
    const { contents } = await client.readResource({ uri });
    assert.match(contents[0].text, /work|prog/);
  }
  assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 1);
  for (const { name } of (await client.listPrompts()).prompts) {
    assert.equal((await client.getPrompt({ name, arguments: { program: 'prog' } })).messages.length, 1);
  }
  await assert.rejects(client.callTool({ name: 'nonsense', arguments: {} }));
  assert.equal((await client.callTool({ name: 'hot_spots', arguments: { limt: 1 } })).isError, true);
}

const modes = { 'the newest revision': { pin: '2026-07-28' }, 'whichever the client finds': 'auto', 'with a handshake': 'legacy' };

for (const [title, mode] of Object.entries(modes)) {
  test(`the newest client on standard streams, ${title}`, async () => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await drive(client, new StdioClientTransport(streams()), published);
  });
}

test('an earlier client, of the earlier revisions', async () => {
  await drive(new EarlierClient({ name: 'test', version: '1' }), new EarlierStdio(streams()), earlier);
});

for (const [title, mode] of Object.entries(modes)) {
  test(`the newest client by HTTP, ${title}`, async () => {
    const child = spawn(server, ['mcp', '--allow-record', '--listen=0', workspace()], { stdio: ['ignore', 'ignore', 'pipe'] });
    try {
      const line = await new Promise((resolve) => child.stderr.once('data', (text) => resolve(String(text))));
      const [, url, token] = line.match(/listening on (\S+), token (\S+)/);
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      await drive(client, new StreamableHTTPClientTransport(new URL(url), {
        requestInit: { headers: { Authorization: `Bearer ${token}` } },
      }), published);
    } finally {
      child.kill();
    }
  });
}

test('the inspector asks every tool', async () => {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const configuration = path.join(folder, 'inspector.json');
  fs.writeFileSync(configuration, JSON.stringify({ mcpServers: { gprof: { command: server, args: ['mcp', workspace()] } } }));
  const inspect = async (...words) => {
    const { stdout } = await promisify(execFile)(
      path.join(here, 'node_modules/.bin/mcp-inspector'),
      ['--cli', '--config', configuration, '--server', 'gprof', ...words],
      { env: { ...process.env, MCP_INSPECTOR_SECRET_STORE: 'memory' } });
    return JSON.parse(stdout.slice(stdout.indexOf('{')));
  };
  const { tools } = await inspect('--method', 'tools/list');
  assert.equal(tools.length, 7);
  for (const { name } of tools) {
    const words = Object.entries(questions[name]).flatMap(([key, value]) =>
      ['--tool-arg', `${key}=${typeof value === 'object' ? JSON.stringify(value) : value}`]);
    const result = await inspect('--method', 'tools/call', '--tool-name', name, ...words);
    assert.notEqual(result.isError, true, `${name}: ${JSON.stringify(result.content)}`);
  }
});
