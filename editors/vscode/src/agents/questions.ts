// How a question of the editor's agent becomes a command line of the server. No shell reads it.

// The arguments that start `gprof-lsp mcp`.
export function serverWords(folders: readonly string[]): string[] {
  return ['mcp', '--allow-record', '--', ...folders];
}

// The arguments of `gprof-lsp query` for a tool, given by its name in the manifest.
export function toolWords(name: string, input: object, folder: string): string[] {
  return ['query', name.replace(/^gprof_/, ''), `--workspace=${folder}`, '--format=json', `--json=${JSON.stringify(input)}`];
}

// The workspace folder of the file that is looked at, else the first.
export function folderOfQuestion(folders: readonly string[], file: string | undefined): string | undefined {
  return folders.find((folder) => file?.startsWith(`${folder}/`) ?? false) ?? folders[0];
}

export function answerOf(status: number | null, output: string, errors: string): string {
  if (status === 0) return output.trimEnd();
  return errors.trim() === '' ? 'The question was not answered.' : errors.trim();
}
