import type { Locator } from 'playwright-core';
import { Palette } from './palette';
import { escaped, SOON, textsOf } from './steps';

const EDITOR = '.editor-instance .monaco-editor';
const LENS = `${EDITOR} .codelens-decoration a, ${EDITOR} .codelens-decoration > span:not(.codicon)`;

/** A word, or a pattern for the drawn text. */
export type Word = string | RegExp;

/** The parts of a tab element that are read. */
interface Tab {
  readonly classList: { contains(name: string): boolean };
  getAttribute(name: string): string | null;
}

/** The active editor's display of its text, and the keys and menus that change it. */
export class Editor extends Palette {
  private get hovers(): Locator {
    return this.page.locator('.monaco-hover:not(.hidden) .hover-contents');
  }

  private get menu(): Locator {
    return this.page.locator('.action-widget .monaco-list-row.action');
  }

  /** A word of the drawn text, a key or a value. */
  token(word: Word, nth = 0): Locator {
    const pattern = typeof word === 'string' ? new RegExp(`^\\s*${escaped(word)}\\s*$`) : word;
    return this.page.locator(`${EDITOR} .view-line span span`, { hasText: pattern }).nth(nth);
  }

  /** A visible line as it is drawn, including inlay hints. */
  line(expected: RegExp): Promise<string> {
    return this.until(`line ${String(expected)}`, async () => {
      const lines = await textsOf(this.page.locator(`${EDITOR} .view-line`));
      return lines.find(each => expected.test(each));
    });
  }

  /** Visible inlay hints, once one matches. They are injected text, identified by the class made up for them. */
  inlayHints(expected = /./): Promise<string[]> {
    const hints = this.page.locator(`${EDITOR} .view-line span[class*="dyn-rule"]`);
    return this.settled('inlay hint', expected, () => textsOf(hints));
  }

  /** Visible code lenses, once one matches. */
  codeLenses(expected = /./): Promise<string[]> {
    return this.settled('code lens', expected, () => textsOf(this.page.locator(LENS)));
  }

  /** Clicks a code lens. The pointer leaves what it rests on: a hover could cover the lens. */
  async clickLens(expected: Word): Promise<void> {
    await this.parkMouse();
    await this.page.locator(`${EDITOR} .codelens-decoration a`, { hasText: expected }).first().click();
  }

  /** Number of visible squiggles. */
  squiggles(kind: 'error' | 'warning' | 'info' | 'hint' = 'warning'): Promise<number> {
    return this.page.locator(`${EDITOR} .squiggly-${kind}`).count();
  }

  /** Text of the hover over a word. Asks repeatedly, because VS Code drops requests while extensions start. */
  hover(word: Word, expected = /\S/, nth = 0): Promise<string> {
    return this.until(`hover on ${String(word)} with ${String(expected)}`, async () => {
      await this.parkMouse();
      await this.token(word, nth).hover(SOON);
      await this.hovers.first().waitFor(SOON);
      const text = (await textsOf(this.hovers)).join('\n');
      return expected.test(text) && text;
    });
  }

  /** Moves the mouse away until there is no hover. */
  async unhover(): Promise<void> {
    await this.parkMouse();
    await this.until('end of the hover', async () => (await this.hovers.count()) === 0);
  }

  /** Titles of the quick fixes on a word; the menu stays open for `applyFix`. */
  fixes(word: Word, expected = /\S/, nth = 0): Promise<string[]> {
    return this.until(`quick fixes on ${String(word)} with ${String(expected)}`, async () => {
      await this.page.keyboard.press('Escape');
      await this.token(word, nth).click(SOON);
      await this.page.keyboard.press('Control+.');
      await this.menu.first().waitFor(SOON);
      const titles = await textsOf(this.menu);
      return titles.some(title => expected.test(title)) && titles;
    });
  }

  /** Chooses a fix from the open menu. */
  async applyFix(title: Word): Promise<void> {
    await this.menu.filter({ hasText: title }).first().click();
  }

  /** Puts the cursor on a word. */
  async click(word: Word, nth = 0): Promise<void> {
    await this.token(word, nth).click();
  }

  /** Types at the cursor. */
  type(text: string): Promise<void> {
    return this.page.keyboard.type(text);
  }

  /** Goes to the start of the text, where the lenses are: an editor remembers its last position. */
  top(): Promise<void> {
    return this.page.keyboard.press('Control+Home');
  }

  save(): Promise<void> {
    return this.page.keyboard.press('Control+S');
  }

  undo(): Promise<void> {
    return this.page.keyboard.press('Control+Z');
  }

  /** Names of the tabs of the active group, the active one first. */
  async tabs(): Promise<string[]> {
    const all = await this.page.locator('.editor-group-container.active .tab').evaluateAll((found: Tab[]) =>
      found.map(tab => ({
        name: tab.getAttribute('data-resource-name') ?? '',
        active: tab.classList.contains('active'),
      })),
    );
    return all.sort((one, other) => Number(other.active) - Number(one.active)).map(tab => tab.name);
  }

  /** Visible lines of both sides of the open diff editor. */
  async diff(): Promise<{ readonly original: string[]; readonly modified: string[] }> {
    const side = (name: string) => this.page.locator(`.monaco-diff-editor .editor.${name} .view-line`);
    await this.until('diff editor', async () => (await side('modified').count()) > 0);
    return { original: await textsOf(side('original')), modified: await textsOf(side('modified')) };
  }
}
