// Names of programs, files and functions in labels, titles of lenses and the status bar, which show $(name) as an icon.
// A name that contains one is shown literally. Pure.
export function plainLabel(name: string): string {
  return name.replace(/\$\([A-Za-z0-9-]+(?:~[A-Za-z0-9-]+)?\)/g, '\\$&');
}
