// What the active editor shows about its text, and the keys and menus that change it.
import { escaped, SOON, textsOf } from './wait.mjs';

const EDITOR = '.editor-instance .monaco-editor';
const LENS = `${EDITOR} .codelens-decoration a, ${EDITOR} .codelens-decoration > span:not(.codicon)`;

const hovers = ({ page }) => page.locator('.monaco-hover:not(.hidden) .hover-contents');
const menu = ({ page }) => page.locator('.action-widget .monaco-list-row.action');

/** A word of the text as it is drawn, a key or a value: a Playwright locator. */
export function token({ page }, word, nth = 0) {
  const pattern = typeof word === 'string' ? new RegExp(`^\\s*${escaped(word)}\\s*$`) : word;
  return page.locator(`${EDITOR} .view-line span span`, { hasText: pattern }).nth(nth);
}

/** A line in view as it is drawn, inlay hints included. */
export async function line(vs, expected) {
  const lines = () => textsOf(vs.page.locator(`${EDITOR} .view-line`));
  return vs.until(`line ${expected}`, async () => (await lines()).find(each => expected.test(each)));
}

/** Inlay hints in view, once one is as expected. They are injected text, known by the class made up for them. */
export async function inlayHints(vs, expected = /./) {
  return vs.until(`inlay hint ${expected}`, async () => {
    const all = await textsOf(vs.page.locator(`${EDITOR} .view-line span[class*="dyn-rule"]`));
    return all.some(hint => expected.test(hint)) && all;
  });
}

/** Code lenses in view, once one is as expected. */
export async function codeLenses(vs, expected = /./) {
  return vs.until(`code lens ${expected}`, async () => {
    const all = await textsOf(vs.page.locator(LENS));
    return all.some(lens => expected.test(lens)) && all;
  });
}

/** Presses a code lens. */
export async function clickLens({ page }, expected) {
  await page.locator(`${EDITOR} .codelens-decoration a`, { hasText: expected }).first().click();
}

/** Number of squiggles in view: of 'error', 'warning', 'info' or 'hint'. */
export const squiggles = ({ page }, kind = 'warning') => page.locator(`${EDITOR} .squiggly-${kind}`).count();

/** Text of the hover over a word. Asks again, as VS Code drops requests while extensions start. */
export async function hover(vs, word, expected = /\S/, nth = 0) {
  return vs.until(`hover on ${word} with ${expected}`, async () => {
    await vs.parkMouse();
    await vs.token(word, nth).hover(SOON);
    await hovers(vs).first().waitFor(SOON);
    const text = (await textsOf(hovers(vs))).join('\n');
    return expected.test(text) && text;
  });
}

/** Moves the mouse away until no hover is left. */
export async function unhover(vs) {
  await vs.parkMouse();
  await vs.until('end of the hover', async () => (await hovers(vs).count()) === 0);
}

/** Titles of the quick fixes on a word; the menu stays open for `applyFix`. */
export async function fixes(vs, word, expected = /\S/, nth = 0) {
  return vs.until(`quick fixes on ${word} with ${expected}`, async () => {
    await vs.page.keyboard.press('Escape');
    await vs.token(word, nth).click(SOON);
    await vs.page.keyboard.press('Control+.');
    await menu(vs).first().waitFor(SOON);
    const titles = await textsOf(menu(vs));
    return titles.some(title => expected.test(title)) && titles;
  });
}

/** Chooses a fix of the open menu. */
export async function applyFix(vs, title) {
  await menu(vs).filter({ hasText: title }).first().click();
}

/** Puts the cursor on a word. */
export async function click(vs, word, nth = 0) {
  await vs.token(word, nth).click();
}

/** Types where the cursor is. */
export const type = ({ page }, text) => page.keyboard.type(text);
/** To the beginning of the text, where the lenses are: an editor keeps the place where it was left. */
export const top = ({ page }) => page.keyboard.press('Control+Home');
export const save = ({ page }) => page.keyboard.press('Control+S');
export const undo = ({ page }) => page.keyboard.press('Control+Z');

/** Names of the tabs of the active group, the active one first. */
export async function tabs({ page }) {
  const all = await page.locator('.editor-group-container.active .tab').evaluateAll(found =>
    found.map(tab => ({
      name: tab.getAttribute('data-resource-name') ?? '',
      active: tab.classList.contains('active'),
    })),
  );
  return all.sort((one, other) => Number(other.active) - Number(one.active)).map(tab => tab.name);
}

/** Lines in view of the two sides of the open diff editor. */
export async function diff(vs) {
  const side = name => vs.page.locator(`.monaco-diff-editor .editor.${name} .view-line`);
  await vs.until('diff editor', async () => (await side('modified').count()) > 0);
  return { original: await textsOf(side('original')), modified: await textsOf(side('modified')) };
}
