// A person's way without a mouse: what has the focus is what is chosen, and no button of a mouse is ever pressed.
import assert from 'node:assert/strict';

const WIDGET = '.quick-input-widget';
const FOCUSED = `${WIDGET} .monaco-list-row.focused`;
const MOST_ROWS = 40;

const press = ({ page }, key) => page.keyboard.press(key);

/** From now on presses of a mouse are counted. */
export const countPresses = ({ page }) =>
  page.evaluate(() => {
    globalThis.mousePresses = 0;
    globalThis.addEventListener('pointerdown', () => (globalThis.mousePresses += 1), true);
  });

export async function noPress({ page }) {
  assert.equal(await page.evaluate(() => globalThis.mousePresses), 0, 'a mouse was pressed');
}

const focusedLabel = async ({ page }) =>
  (await page.locator(FOCUSED).count()) === 0
    ? null
    : page.locator(FOCUSED).first().getAttribute('aria-label');

/** Goes down the open list to a row whose label begins so. */
export async function walkTo(vs, label) {
  await vs.until(`row ${label}`, async () => {
    for (let row = 0; row < MOST_ROWS; row++) {
      if ((await focusedLabel(vs))?.startsWith(label)) return true;
      await press(vs, 'ArrowDown');
    }
    return false;
  });
}

export async function chooseByKeys(vs, label) {
  await walkTo(vs, label);
  await press(vs, 'Enter');
}

async function asked(vs, key, text, label) {
  await press(vs, key);
  await vs.page.locator(`${WIDGET} input.input`).waitFor();
  await vs.page.keyboard.type(text);
  await chooseByKeys(vs, label);
}

export async function openByKeys(vs, file) {
  await asked(vs, 'Control+P', file, file);
  await vs.page.locator(`.tab.active[data-resource-name="${file}"]`).waitFor();
}

export const commandByKeys = (vs, title) => asked(vs, 'F1', title, title);

/** Text of what has the focus. */
export const focused = ({ page }) =>
  page.evaluate(() => globalThis.document.activeElement?.textContent ?? '');
