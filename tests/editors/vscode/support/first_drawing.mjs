// When a file that is being opened shows its text, its figures and its lenses, frame by frame.
import { LIMIT } from './environment.mjs';

// In the page.
function watch(fragment) {
  const seen = {};
  const editor = () => document.querySelector('.editor-group-container.active .monaco-editor');
  const hasText = () => [...editor()?.querySelectorAll('.view-line') ?? []].some((line) => line.textContent.replaceAll('\u00a0', ' ').includes(fragment));
  const hasFigures = () => [...editor()?.querySelectorAll('.view-line span') ?? []].some((element) =>
    /[%×]/.test(getComputedStyle(element, '::after').content));
  const hasLenses = () => [...editor()?.querySelectorAll('.codelens-decoration a') ?? []].some((lens) => /\d/.test(lens.textContent));
  const note = (what, is) => {
    if (seen[what] === undefined && is()) seen[what] = performance.now();
  };
  const look = () => {
    note('text', hasText);
    if (seen.text !== undefined) {
      note('figures', hasFigures);
      note('lenses', hasLenses);
    }
    if (seen.figures === undefined || seen.lenses === undefined) requestAnimationFrame(look);
  };
  look();
  globalThis.firstDrawing = seen;
}

// Milliseconds from the text of a file to its figures and lenses. `open` opens the file, one of whose lines has the fragment.
export async function firstDrawing(page, fragment, open) {
  await page.evaluate(watch, fragment);
  await open();
  const handle = await page.waitForFunction(() => {
    const { figures, lenses } = globalThis.firstDrawing;
    return figures !== undefined && lenses !== undefined && globalThis.firstDrawing;
  }, undefined, { timeout: LIMIT });
  const { text, figures, lenses } = await handle.jsonValue();
  return { figures: Math.round(figures - text), lenses: Math.round(lenses - text) };
}
