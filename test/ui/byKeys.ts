// Use without a mouse: the focused element is the chosen one, and no mouse button is ever pressed.
import assert from 'node:assert/strict';
import type { VSCode } from '../host/driver';

const WIDGET = '.quick-input-widget';
const FOCUSED = `${WIDGET} .monaco-list-row.focused`;
const MOST_ROWS = 40;

/** Counts mouse presses from now on. */
export async function countPresses({ page }: VSCode): Promise<void> {
  await page.evaluate(
    'globalThis.mousePresses = 0; globalThis.addEventListener("pointerdown", () => (globalThis.mousePresses += 1), true)',
  );
}

export async function noPress({ page }: VSCode): Promise<void> {
  assert.equal(await page.evaluate('globalThis.mousePresses'), 0, 'a mouse was pressed');
}

const focusedLabel = async ({ page }: VSCode): Promise<string | null> =>
  (await page.locator(FOCUSED).count()) === 0
    ? null
    : page.locator(FOCUSED).first().getAttribute('aria-label');

/** Moves down the open list to a row whose label starts with the text. */
export async function walkTo(vs: VSCode, label: string): Promise<void> {
  await vs.until(`row ${label}`, async () => {
    for (let row = 0; row < MOST_ROWS; row++) {
      if ((await focusedLabel(vs))?.startsWith(label)) return true;
      await vs.page.keyboard.press('ArrowDown');
    }
    return false;
  });
}

export async function chooseByKeys(vs: VSCode, label: string): Promise<void> {
  await walkTo(vs, label);
  await vs.page.keyboard.press('Enter');
}

async function asked(vs: VSCode, key: string, text: string, label: string): Promise<void> {
  await vs.page.keyboard.press(key);
  await vs.page.locator(`${WIDGET} input.input`).waitFor();
  await vs.page.keyboard.type(text);
  await chooseByKeys(vs, label);
}

export async function openByKeys(vs: VSCode, file: string): Promise<void> {
  await asked(vs, 'Control+P', file, file);
  await vs.page.locator(`.tab.active[data-resource-name="${file}"]`).waitFor();
}

export const commandByKeys = (vs: VSCode, title: string): Promise<void> => asked(vs, 'F1', title, title);

/** Text of the focused element. */
export const focused = ({ page }: VSCode): Promise<string> =>
  page.evaluate<string>('document.activeElement?.textContent ?? ""');
