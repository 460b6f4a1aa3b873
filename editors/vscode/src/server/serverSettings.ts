// The settings that the server reads, by the first parts of their names. Made by scripts/generate.
export const serverSettings: ReadonlySet<string> = new Set([
  'base',
  'codeLens',
  'demangle',
  'derived',
  'diagnostics',
  'idle',
  'inlayHints',
  'inlinedAtCalls',
  'logLevel',
  'metric',
  'programs',
  'threshold',
]);
