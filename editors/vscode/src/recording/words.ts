// Splits a line of arguments into words: separated by blanks, grouped by quotes, with a backslash quoting the next
// character. Nothing is expanded, and no shell is involved.

export function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let i = 0; i < line.length; i++) {
    const letter = line.charAt(i);
    const isEscape = letter === '\\' && quote !== "'" && i + 1 < line.length;
    if (isEscape) {
      i += 1;
      word = (word ?? '') + line.charAt(i);
    } else if (quote !== '') {
      if (letter === quote) quote = '';
      else word = (word ?? '') + letter;
    } else if (letter === '"' || letter === "'") {
      quote = letter;
      word ??= '';
    } else if (/\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + letter;
  }
  if (word !== undefined) words.push(word);
  return words;
}

// Whether a quote is still open: such a line is incomplete.
export function isOpen(line: string): boolean {
  let quote = '';
  for (let i = 0; i < line.length; i++) {
    const letter = line.charAt(i);
    if (letter === '\\' && quote !== "'") i += 1;
    else if (quote !== '') quote = letter === quote ? '' : quote;
    else if (letter === '"' || letter === "'") quote = letter;
  }
  return quote !== '';
}

// The line that splits into these words.
export function lineOf(words: readonly string[]): string {
  return words
    .map((word) => (/^[^\s"'\\]+$/.test(word) ? word : `"${word.replace(/["\\]/g, '\\$&')}"`))
    .join(' ');
}
