// The workbench as its user sees and handles it: by keys, clicks and what the page shows.
import fs from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium as executable, installed, kept, LIMIT, until } from './environment.mjs';

const { chromium } = await import(
  pathToFileURL(path.join(installed, 'node_modules/playwright-core/index.mjs')).href);

const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export async function startBrowser(test) {
  const browser = await chromium.launch({ executablePath: executable, args: ARGUMENTS });
  test.after(() => browser.close());
  return browser;
}

// After how many milliseconds a key counts as lost.
const RETRY = 5_000;

// In the page: whether the cursor is on the line.
function isOnLine(number) {
  const editor = document.querySelector('.editor-group-container.active .monaco-editor');
  const numbers = editor?.querySelectorAll('.margin-view-overlays .active-line-number') ?? [];
  return [...numbers].some((element) => Number(element.textContent) === number);
}

// What the editor draws: of each line that is on the screen its number, its text, and what
// decorations put behind the text, and its colour.
function readLines() {
  const editor = document.querySelector('.editor-group-container.active .monaco-editor')
    ?? document.querySelector('.monaco-editor');
  if (!editor) {
    return [];
  }
  const at = (element) => Math.round(element.getBoundingClientRect().top);
  const numbers = new Map();
  for (const element of editor.querySelectorAll('.margin-view-overlays .line-numbers')) {
    numbers.set(at(element.parentElement), Number(element.textContent));
  }
  const plain = (text) => text.replaceAll('\u00a0', ' ').replaceAll('\u200b', '');
  const shown = (element, which) => {
    const { content } = getComputedStyle(element, which);
    return content === 'none' || content === 'normal' ? '' : plain(content.replace(/^"|"$/g, ''));
  };
  const lines = [];
  for (const line of editor.querySelectorAll('.view-lines .view-line')) {
    const after = [];
    let colour;
    for (const element of line.querySelectorAll('span')) {
      for (const which of ['::before', '::after']) {
        const text = shown(element, which);
        if (text.trim() !== '') {
          after.push(text);
          ({ color: colour } = getComputedStyle(element, which));
        }
      }
    }
    lines.push({
      number: numbers.get(at(line)) ?? null, text: plain(line.textContent), after: after.join(' '), colour,
    });
  }
  return lines.filter((line) => line.number !== null).sort((a, b) => a.number - b.number);
}

export class Workbench {
  static async open(browser, server, folder, { payload = [], file, size } = {}) {
    const page = await browser.newPage({ viewport: size ?? { width: 1280, height: 800 } });
    const opened = file ? [['openFile', server.uri(path.resolve(folder, file))]] : [];
    await page.goto(server.url(folder, [...opened, ...payload]), { timeout: LIMIT });
    const workbench = new Workbench(page);
    workbench.server = server;
    await page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout: LIMIT });
    if (file) {
      await workbench.showsFile(path.basename(file));
    }
    return workbench;
  }

  constructor(page) {
    this.page = page;
  }

  async showsFile(name) {
    await this.page.locator('.tabs-container .tab.active', { hasText: name }).first()
      .waitFor({ timeout: LIMIT });
  }

  // A command by its title, as one types it into the palette.
  async command(title) {
    // Not one whose title only begins like it.
    const whole = new RegExp(`^${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}…?$`);
    const label = this.page.locator('.label-name', { hasText: whole });
    await this.search('F1', `>${title}`, this.rows().filter({ has: label }).first(), title);
  }

  // Opens the box on top by a key, types, and chooses the row that fits.
  async search(key, text, row, title) {
    await this.typeOnTop(`${key} and "${text}" show a row "${title}"`, key, text,
      () => row.click({ timeout: RETRY }));
  }

  // Opens the box on top by a key, types, and goes on from there. A page that is still busy with
  // what was done before loses the key, or opens the box late and takes back what was typed:
  // whoever sits before it tries again, and so does this.
  async typeOnTop(what, key, text, goOn) {
    const { page } = this;
    await until(what, async () => {
      await page.keyboard.press('Escape');
      try {
        // What is typed while a box is going away goes to the editor.
        await page.locator('.quick-input-widget').waitFor({ state: 'hidden', timeout: RETRY });
        await page.keyboard.press(key);
        await this.fillBox(text);
        await goOn();
        return true;
      } catch (error) {
        if (error.name === 'TimeoutError') {
          return false;
        }
        throw error;
      }
    });
  }

  box() {
    return this.page.locator('.quick-input-widget .quick-input-box input');
  }

  // The box has the text, as if it were typed. No key is pressed for it: an editor that opens late takes the focus away,
  // and keys would change its file.
  async fillBox(text) {
    await this.box().waitFor({ timeout: RETRY });
    await this.box().evaluate((input, typed) => {
      input.value = typed;
      input.dispatchEvent(new InputEvent('input', { bubbles: true }));
    }, text);
  }

  async enterInBox() {
    const enter = { key: 'Enter', code: 'Enter', keyCode: 13, which: 13, bubbles: true, cancelable: true };
    await this.box().dispatchEvent('keydown', enter);
  }

  rows() {
    return this.page.locator('.quick-input-list .monaco-list-row');
  }

  row(text) {
    return this.rows().filter({ hasText: text }).first();
  }

  // Types into the flame graph's search. The picture is there before it gets the keyboard.
  async searchFlames(flames, text) {
    await until('the search of the flame graph has the keyboard', async () => {
      await flames.locator('[role=tree]').focus();
      await this.page.keyboard.press('/');
      return flames.locator('input[type=search]').evaluate((field) => document.hasFocus() && document.activeElement === field);
    });
    await this.page.keyboard.type(text);
  }

  // Chooses in a list that is open, by the label. Rows are used again for other lists, and keep what these showed beside
  // their labels, out of sight: any text would also be found in the list of commands that is just going away.
  async pick(label) {
    const row = this.rows().filter({ has: this.page.locator('.label-name', { hasText: label }) }).first();
    await row.waitFor({ timeout: LIMIT });
    await row.click();
  }

  // Types into the box on top; in a list, that chooses what fits best.
  async type(text) {
    await this.fillBox(text);
    await this.enterInBox();
  }

  async openFile(name) {
    await this.search('Control+P', name, this.row(name), name);
    await this.showsFile(path.basename(name));
  }

  async goToLine(number) {
    await this.typeOnTop(`the cursor is on line ${number}`, 'Control+G', `:${number}`, async () => {
      await this.enterInBox();
      await this.page.waitForFunction(isOnLine, number, { timeout: RETRY });
    });
  }

  async lines() {
    return this.page.evaluate(readLines);
  }

  // What stands behind the only line on the screen whose text holds `fragment`.
  async line(fragment) {
    const found = (await this.lines()).filter((line) => line.text.includes(fragment));
    if (found.length > 1) {
      throw new Error(`more than one line holds "${fragment}"`);
    }
    return found[0];
  }

  async annotated(fragment, pattern) {
    let seen;
    return until(`"${fragment}" is followed by ${pattern}`, async () => {
      seen = await this.line(fragment);
      return seen && pattern.test(seen.after) ? seen : undefined;
    }).catch((error) => {
      throw new Error(`${error.message}; it was ${JSON.stringify(seen)}`);
    });
  }

  // Where the figures of the lines on the screen are, and what the window holds: in pixels.
  async placesOfFigures() {
    return this.page.evaluate(() => {
      const editor = document.querySelector('.editor-group-container.active .monaco-editor');
      const edge = editor.querySelector('.editor-scrollable').getBoundingClientRect().right;
      const figures = [];
      for (const element of editor.querySelectorAll('.view-lines .view-line span')) {
        const { content, height } = getComputedStyle(element, '::after');
        if (content === 'none' || content === 'normal') continue;
        const { left, right } = element.getBoundingClientRect();
        const line = element.closest('.view-line').clientHeight;
        figures.push({ content, left, right, height: parseFloat(height), line });
      }
      return { edge, figures };
    });
  }

  lenses() {
    return this.page.locator('.monaco-editor .codelens-decoration a');
  }

  // From the first line to the last: their elements are in the order in which they were drawn.
  async lensTexts() {
    const lenses = await this.lenses().evaluateAll((elements) => elements.map((element) =>
      ({ text: element.textContent, top: element.getBoundingClientRect().top })));
    return lenses.sort((a, b) => a.top - b.top).map(({ text }) => text.replaceAll('\u00a0', ' '));
  }

  // What the entries of the status bar show, with what they say to those who cannot see it.
  async statusItems() {
    const items = this.page.locator('.part.statusbar .statusbar-item');
    const texts = await items.evaluateAll((elements) => elements.map((element) =>
      `${element.textContent} | ${element.getAttribute('aria-label') ?? ''}`));
    return texts.map((text) => text.replaceAll('\u00a0', ' ').trim());
  }

  async status(pattern) {
    let seen;
    return until(`the status bar shows ${pattern}`, async () => {
      seen = await this.statusItems();
      return seen.find((text) => pattern.test(text));
    }).catch((error) => {
      throw new Error(`${error.message}; it shows ${JSON.stringify(seen)}`);
    });
  }

  // The line on which the cursor stands, and the file.
  async cursorAt(name, number) {
    await this.showsFile(name);
    await this.status(new RegExp(`Ln ${number}, `));
  }

  // Moves the pointer over what stands behind a line until it pops up something that fits. What is
  // drawn anew meanwhile takes away what popped up.
  async hoverBehind(fragment, pattern) {
    const line = this.page.locator('.editor-group-container.active .view-line', { hasText: fragment }).first();
    const hover = this.page.locator('.monaco-hover:visible', { hasText: pattern }).first();
    await until(`${pattern} pops up behind "${fragment}"`, async () => {
      const box = await line.locator('> span').boundingBox();
      // The line is just being drawn.
      if (box === null) return false;
      await this.page.mouse.move(5, 400);
      await this.page.mouse.move(box.x + box.width - 8, box.y + box.height / 2, { steps: 4 });
      return hover.waitFor({ timeout: 3_000 }).then(() => true, () => false);
    });
  }

  async notifications() {
    return this.page.locator('.notifications-toasts .notification-list-item-message')
      .allTextContents();
  }

  // The document of the webview that shows something that the selector names.
  async webview(selector) {
    return until(`a webview shows ${selector}`, async () => {
      for (const frame of this.page.frames()) {
        if (await frame.locator(selector).first().isVisible().catch(() => false)) {
          return frame;
        }
      }
      return undefined;
    });
  }

  async screenshot(name) {
    await fs.mkdir(kept, { recursive: true });
    await this.page.screenshot({ path: path.join(kept, `${name}.png`) });
  }
}

// Keeps what a failing test saw, and what was logged.
export async function withPicture(workbench, name, body) {
  try {
    await body();
  } catch (error) {
    const file = `${name.replaceAll(/\W+/g, '-')}-failed`;
    await workbench.screenshot(file).catch(() => {});
    await fs.writeFile(path.join(kept, `${file}.log`), await workbench.server.logs()).catch(() => {});
    throw error;
  }
}
