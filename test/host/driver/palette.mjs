// Quick open, the command palette, quick picks and input boxes: all of them are one widget.
import { posix } from 'node:path';

const WIDGET = '.quick-input-widget';
const ONCE_MORE_MS = 5_000;

const input = ({ page }) => page.locator(`${WIDGET} input.input`);

/** Rows are recycled and keep stale text for a moment: their labels do not. */
const row = ({ page }, label) => page.locator(`${WIDGET} .monaco-list-row[aria-label^="${label}"]`).first();

const labels = ({ page }) =>
  page
    .locator(`${WIDGET} .monaco-list-row`)
    .evaluateAll(rows => rows.map(each => each.getAttribute('aria-label')));

async function ask(vs, key, query) {
  await vs.page.keyboard.press(key);
  // A key that is pressed while the window rearranges itself goes astray, as when its folder was just trusted.
  const isShown = await input(vs)
    .waitFor({ timeout: ONCE_MORE_MS })
    .then(
      () => true,
      () => false,
    );
  if (!isShown) await vs.page.keyboard.press(key);
  await input(vs).waitFor();
  await input(vs).fill(query);
}

/** Opens a file of the workspace by its path in it. */
export async function open(vs, file) {
  const name = posix.basename(file);
  await ask(vs, 'Control+P', file);
  await row(vs, name).click();
  const tab = `.tab.active[data-resource-name="${name}"], .tab.active[aria-label^="${name}"]`;
  await vs.page.locator(tab).first().waitFor();
  await vs.page.locator('.editor-instance .monaco-editor .view-line').first().waitFor();
}

/** Runs a command by its title: `Headroom: Optimize GPU Config`. Fails when the palette does not offer it. */
export async function command(vs, title) {
  await ask(vs, 'F1', `>${title}`);
  const clicked = await row(vs, title)
    .click({ timeout: ONCE_MORE_MS })
    .catch(() => false);
  if (clicked !== false) return;
  // The list is made once, when the palette opens; a window that has just loaded may not have known the command then.
  await vs.escape();
  await ask(vs, 'F1', `>${title}`);
  await row(vs, title).click();
}

/** Titles that the palette offers for a text: hidden and disabled commands are not among them. */
export async function commands(vs, filter) {
  await ask(vs, 'F1', `>${filter}`);
  await vs.until('answer of the palette', async () => (await labels(vs)).length > 0);
  // The list is filled in two steps: the matches, then similar commands.
  await vs.page.waitForTimeout(300);
  const titles = (await labels(vs)).map(label => label.replace(/,.*$/, ''));
  await vs.escape();
  return titles.filter(title => !/^(No matching|similar)/.test(title));
}

/** Labels of the open quick pick, once one of them is as expected. */
export async function picks(vs, expected = /./) {
  return vs.until(`quick pick with ${expected}`, async () => {
    const all = await labels(vs);
    return all.some(label => expected.test(label)) && all;
  });
}

/** Chooses the row of the open quick pick whose label begins so. */
export async function pick(vs, label) {
  await row(vs, label).click();
}

/** Whether such a row is offered within a moment. */
export async function offers(vs, label, timeout = 3000) {
  const shown = row(vs, label).waitFor({ timeout });
  return shown.then(
    () => true,
    () => false,
  );
}

/** Types into the open input box and accepts it. */
export async function answer(vs, value) {
  await input(vs).waitFor();
  await input(vs).fill(value);
  await vs.page.keyboard.press('Enter');
}

/** Closes the widget. A key that is pressed while it fills its list goes astray: it is pressed again. */
export async function escape({ page }) {
  const widget = page.locator(WIDGET);
  for (let attempt = 1; attempt < 5; attempt++) {
    await page.keyboard.press('Escape');
    const closed = await widget.waitFor({ state: 'hidden', timeout: 3000 }).then(
      () => true,
      () => false,
    );
    if (closed) return;
  }
  await widget.waitFor({ state: 'hidden' });
}
