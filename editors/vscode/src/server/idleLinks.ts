// Hovers tell of idle waiting and how it is set: here that is a link. Pure.
const words = [
  { said: '; gprof.idle shows it.', link: ': [show it](command:gprof.showIdleWaiting "Profile: Show Idle Waiting").' },
  { said: ', which is shown as well.', link: ', which is shown as well: [fold it](command:gprof.foldIdleWaiting "Profile: Fold Idle Waiting").' },
] as const;

// The only commands that a link in a hover may run.
export const linkedCommands: readonly string[] = ['gprof.showIdleWaiting', 'gprof.foldIdleWaiting'];

// Undefined where nothing is said of it. Only a paragraph of the server's own begins like this.
export function withIdleLinks(markdown: string): string | undefined {
  const linked = markdown.split('\n').map((line) => {
    const found = /^idle: .* here for /.test(line) ? words.find(({ said }) => line.endsWith(said)) : undefined;
    return found === undefined ? line : line.slice(0, -found.said.length) + found.link;
  }).join('\n');
  return linked === markdown ? undefined : linked;
}
