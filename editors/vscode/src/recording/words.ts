// A line of arguments as words, as people write them: parted by blanks, held together by quotes, a backslash
// taking the next character as it is. Nothing is expanded, and no shell is asked.

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

// Whether a quote is not closed: such a line is not finished.
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

// The line that gives these words.
export function lineOf(words: readonly string[]): string {
  return words
    .map((word) => (/^[^\s"'\\]+$/.test(word) ? word : `"${word.replace(/["\\]/g, '\\$&')}"`))
    .join(' ');
}
