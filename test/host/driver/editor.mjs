// What the active editor shows about its text, and the keys and menus that change it.
import { escaped, plain, textsOf } from './wait.mjs';

const EDITOR = '.editor-instance .monaco-editor';

/** @param {import('../driver.mjs').Surroundings} window */
export function editor({ page, until, parkMouse }) {
  const lines = page.locator(`${EDITOR} .view-line`);
  const hovers = page.locator('.monaco-hover:not(.hidden) .hover-contents');
  const menu = page.locator('.action-widget .monaco-list-row.action');
  const lenses = page.locator(
    `${EDITOR} .codelens-decoration a, ${EDITOR} .codelens-decoration > span:not(.codicon)`,
  );

  /** A word of the text as it is drawn: a key, a value. */
  const token = (word, nth = 0) => {
    const pattern = typeof word === 'string' ? new RegExp(`^\\s*${escaped(word)}\\s*$`) : word;
    return page.locator(`${EDITOR} .view-line span span`, { hasText: pattern }).nth(nth);
  };

  return {
    token,

    /** A visible line as it is drawn, inlay hints included. */
    async line(expected) {
      return until(`line ${expected}`, async () => (await textsOf(lines)).find(line => expected.test(line)));
    },

    /** Inlay hints in view. They are injected text, known by the class that is made up for them. */
    inlayHints: () => textsOf(page.locator(`${EDITOR} .view-line span[class*="dyn-rule"]`)),

    /** Code lenses in view, once one of them is as expected. */
    async codeLenses(expected = /./) {
      return until(`code lens ${expected}`, async () => {
        const all = await textsOf(lenses);
        return all.some(lens => expected.test(lens)) && all;
      });
    },

    async clickLens(expected) {
      await page.locator(`${EDITOR} .codelens-decoration a`, { hasText: expected }).first().click();
    },

    /** Number of squiggles in view: 'error', 'warning', 'info' or 'hint'. */
    squiggles: (kind = 'warning') => page.locator(`${EDITOR} .squiggly-${kind}`).count(),

    /** Text of the hover over a word. Asks again, as VS Code drops requests while extensions start. */
    async hover(word, expected = /\S/, nth = 0) {
      return until(`hover on ${word} with ${expected}`, async () => {
        await parkMouse();
        await token(word, nth).hover();
        await hovers.first().waitFor({ timeout: 3000 });
        const text = (await textsOf(hovers)).join('\n');
        return expected.test(text) && text;
      });
    },

    async unhover() {
      await parkMouse();
      await hovers
        .first()
        .waitFor({ state: 'hidden' })
        .catch(() => {});
    },

    /** Titles of the quick fixes on a word; the menu stays open for `applyFix`. */
    async fixes(word, expected = /\S/, nth = 0) {
      return until(`quick fixes on ${word} with ${expected}`, async () => {
        await page.keyboard.press('Escape');
        await token(word, nth).click();
        await page.keyboard.press('Control+.');
        await menu.first().waitFor({ timeout: 2000 });
        const titles = await textsOf(menu);
        return titles.some(title => expected.test(title)) && titles;
      });
    },

    async applyFix(title) {
      await menu.filter({ hasText: title }).first().click();
    },

    /** Types where the cursor is. */
    type: text => page.keyboard.type(text),

    /** Puts the cursor on a word. */
    async click(word, nth = 0) {
      await token(word, nth).click();
    },

    save: () => page.keyboard.press('Control+S'),
    undo: () => page.keyboard.press('Control+Z'),

    /** Titles of the open editors of the active group, the active one first. */
    async tabs() {
      const all = await page.locator('.editor-group-container.active .tab').evaluateAll(tabs =>
        tabs.map(tab => ({
          name: tab.getAttribute('data-resource-name') ?? '',
          active: tab.classList.contains('active'),
        })),
      );
      return [...all]
        .sort((one, other) => Number(other.active) - Number(one.active))
        .map(tab => plain(tab.name));
    },
  };
}
