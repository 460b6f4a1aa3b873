// @ts-check
// A session of vscode-jsonrpc with a server that is started for it, over each transport. Requests
// of the server are answered as an editor would; what came is kept, and what should never come
// makes the session fail.
'use strict';

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const net = require('node:net');
const readline = require('node:readline');
const lsp = require('vscode-languageserver-protocol/node');

/** Milliseconds until a server that does nothing counts as broken. */
const PATIENCE = 60_000;

/** The last is the token of a server that listens.
 * @typedef {[lsp.MessageReader, lsp.MessageWriter, string?]} Streams */

/** Each starts a server and gives the streams to speak with it over.
 * @type {Record<string, (start: (option: string) => import('node:child_process').ChildProcess,
 *                        ended: Promise<never>) => Promise<Streams>>} */
const TRANSPORTS = {
  stdio: async (start) => {
    const server = start('--stdio');
    return [
      new lsp.StreamMessageReader(/** @type {import('node:stream').Readable} */ (server.stdout)),
      new lsp.StreamMessageWriter(/** @type {import('node:stream').Writable} */ (server.stdin)),
    ];
  },
  pipe: async (start, ended) => {
    const name = lsp.generateRandomPipeName();
    const transport = await lsp.createClientPipeTransport(name);
    start(`--pipe=${name}`);
    return Promise.race([transport.onConnected(), ended]);
  },
  socket: async (start, ended) => {
    const transport = await lsp.createClientSocketTransport(0);
    start(`--socket=${transport.port()}`);
    return Promise.race([transport.onConnected(), ended]);
  },
  listen: async (start, ended) => {
    const server = start('--listen=0');
    const lines = readline.createInterface({
      input: /** @type {import('node:stream').Readable} */ (server.stderr),
    });
    const [line] = await Promise.race([once(lines, 'line'), ended]);
    const [, port, token] = /127\.0\.0\.1:(\d+), token (\w+)/.exec(line) ?? [];
    const socket = net.connect(Number(port), '127.0.0.1');
    await Promise.race([once(socket, 'connect'), ended]);
    return [new lsp.SocketMessageReader(socket), new lsp.SocketMessageWriter(socket), token];
  },
};

/** Gives up after PATIENCE.
 * @template T @param {Promise<T>} promise @param {string} what @returns {Promise<T>} */
async function within(promise, what) {
  let timer;
  const limit = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no sign of ${what}`)), PATIENCE);
  });
  try {
    return await Promise.race([promise, /** @type {Promise<never>} */ (limit)]);
  } finally {
    clearTimeout(timer);
  }
}

class Session {
  /** Set by open(). @type {lsp.ProtocolConnection} */
  connection;
  /** @type {Promise<unknown>} */
  closed;
  /** @type {import('node:child_process').ChildProcess} */
  process;
  /** With its code and signal. @type {Promise<any[]>} */
  exited;
  /** What a server that listens wants to hear. @type {string | undefined} */
  token;
  /** What the server said to initialize. @type {lsp.ServerCapabilities} */
  capabilities = {};
  /** What the server asked and told: pairs of a method and its parameters, as they came.
   * @type {[string, any][]} */
  received = [];
  /** What no server may do, in words. @type {string[]} */
  faults = [];
  /** What the server registered, by id. @type {Map<string, lsp.Registration>} */
  registrations = new Map();
  /** Of WorkDoneProgress: values by token. @type {Map<lsp.ProgressToken, any[]>} */
  progress = new Map();
  /** Answers of workspace/configuration wait for this. */
  settingsMayBeTold = Promise.resolve();
  /** @type {(() => void)[]} */
  #waiting = [];

  /** @param {string} server its path @param {string} transport a name of TRANSPORTS
   * @param {NodeJS.ProcessEnv} environment @param {string} folder that it runs in */
  static async open(server, transport, environment, folder) {
    const session = new Session();
    /** @type {(reason: Error) => void} */
    let failed;
    /** @type {Promise<never>} */
    const ended = new Promise((_, reject) => (failed = reject));
    ended.catch(() => {}); // an end that nobody waits for is no failure
    const streams = await within(
      TRANSPORTS[transport]((option) => {
        session.process = spawn(server, [option], { env: environment, cwd: folder });
        session.exited = once(session.process, 'exit');
        session.process.once('exit', (code) => failed(new Error(`the server ended with ${code}`)));
        session.process.stderr?.pipe(process.stderr);
        return session.process;
      }, ended),
      `a server over ${transport}`,
    );
    session.token = streams[2];
    session.#converse(streams);
    return session;
  }

  /** @param {Streams} streams */
  #converse([reader, writer]) {
    const connection = lsp.createProtocolConnection(reader, writer);
    this.connection = connection;
    this.closed = new Promise((resolve) => connection.onClose(() => resolve(undefined)));
    connection.onError(([error]) => this.faults.push(`the stream is damaged: ${error.message}`));
    this.#answer(lsp.ConfigurationRequest.method, async ({ items }) => {
      await this.settingsMayBeTold;
      return items.map(() => null);
    });
    this.#answer(lsp.RegistrationRequest.method, ({ registrations }) => {
      for (const registration of registrations) {
        this.registrations.set(registration.id, registration);
      }
    });
    this.#answer(lsp.UnregistrationRequest.method, ({ unregisterations }) => {
      for (const { id } of unregisterations) this.registrations.delete(id);
    });
    this.#answer(lsp.WorkDoneProgressCreateRequest.method, ({ token }) => this.#follow(token));
    this.#answer(lsp.ShowDocumentRequest.method, () => ({ success: true }));
    for (const method of REFRESHES) this.#answer(method, () => null);
    // Of everything else: these two have a place in the protocol's connection, not in its type.
    const others = /** @type {import('vscode-jsonrpc/node').MessageConnection} */ (connection);
    others.onRequest((method) => {
      this.faults.push(`the server asks ${method}`);
      return new lsp.ResponseError(lsp.ErrorCodes.MethodNotFound, method);
    });
    others.onNotification((method, params) => this.#note(method, params));
    connection.listen();
  }

  /** @param {string} method @param {(params: any) => any} answer */
  #answer(method, answer) {
    this.connection.onRequest(method, (params) => {
      this.#note(method, params);
      return answer(params) ?? null;
    });
  }

  /** @param {lsp.ProgressToken} token */
  #follow(token) {
    /** @type {any[]} */
    const values = [];
    this.progress.set(token, values);
    this.connection.onProgress(lsp.WorkDoneProgress.type, token, (value) => {
      values.push(value);
      this.#note('$/progress', value);
    });
  }

  /** @param {string} method @param {any} params */
  #note(method, params) {
    this.received.push([method, params]);
    for (const look of this.#waiting) look();
  }

  /** Parameters of all messages of that method so far.
   * @param {string} method @returns {any[]} */
  all(method) {
    return this.received.filter(([name]) => name === method).map(([, params]) => params);
  }

  /** Waits until the condition holds; looks again after each message of the server.
   * @param {() => boolean} condition @param {string} what */
  async until(condition, what) {
    if (condition()) return;
    /** @type {() => void} */
    let look = () => {};
    const holds = new Promise((resolve) => {
      look = () => condition() && resolve(undefined);
      this.#waiting.push(look);
    });
    try {
      await within(holds, what);
    } finally {
      this.#waiting = this.#waiting.filter((other) => other !== look);
    }
  }

  /** @param {string | { method: string }} type @param {any} [params]
   * @param {lsp.CancellationToken} [token] @returns {Promise<any>} */
  request(type, params, token) {
    const method = typeof type === 'string' ? type : type.method;
    const words = params === undefined ? [] : [params];
    return within(
      this.connection.sendRequest(method, ...words, ...(token ? [token] : [])),
      `an answer to ${method}`,
    );
  }

  /** @param {string | { method: string }} type @param {any} [params] */
  notify(type, params) {
    const method = typeof type === 'string' ? type : type.method;
    return params === undefined
      ? this.connection.sendNotification(method)
      : this.connection.sendNotification(method, params);
  }

  /** The options with which the server registered the method, an empty object where there are none;
   * undefined where it did not. @param {string} method */
  registered(method) {
    const found = [...this.registrations.values()].find((each) => each.method === method);
    return found && (found.registerOptions ?? {});
  }

  /** Does the server offer this: in its capabilities, or by registering the method?
   * @param {string} provider a path in the capabilities, or a message gprof/…
   * @param {string} [method] */
  offers(provider, method) {
    if (provider.startsWith('gprof/')) {
      const { requests = [], notifications = [] } = this.capabilities.experimental?.gprof ?? {};
      return [...requests, ...notifications].includes(provider);
    }
    const value = provider
      .split('.')
      .reduce((/** @type {any} */ part, name) => part?.[name], this.capabilities);
    return Boolean(value) || (method !== undefined && this.registered(method) !== undefined);
  }

  /** Ends the server, in whatever state the session is. */
  async end() {
    this.connection?.dispose();
    if (this.process && this.process.exitCode === null) {
      this.process.kill('SIGKILL');
      await this.exited;
    }
  }
}

const REFRESHES = [
  lsp.CodeLensRefreshRequest.method,
  lsp.InlayHintRefreshRequest.method,
  lsp.DiagnosticRefreshRequest.method,
  lsp.FoldingRangeRefreshRequest.method,
  lsp.TextDocumentContentRefreshRequest.method,
];

module.exports = { Session, TRANSPORTS, within };
