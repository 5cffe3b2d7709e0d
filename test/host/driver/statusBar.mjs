// The status bar. Its items are known by `<publisher>.<name>.<item id>`.
import { SOON, textOf } from './wait.mjs';

const itemOf = ({ page }, id) => page.locator(`[id="${id}"]`);

const icons = item =>
  item.locator('.codicon').evaluateAll(all => {
    const names = all.flatMap(each => [...each.classList]).filter(name => name.startsWith('codicon-'));
    return names.map(name => name.slice('codicon-'.length));
  });

const background = item =>
  item.evaluate(each => ['error', 'warning'].find(kind => each.classList.contains(`${kind}-kind`)) ?? null);

/** One item, once its text is as expected. */
export async function status(vs, id, expected = /(?:)/) {
  const item = itemOf(vs, id);
  await vs.until(`status bar item ${id} ${expected}`, async () => expected.test(await textOf(item)));
  return {
    text: await textOf(item),
    icons: await icons(item),
    label: await item.locator('a').first().getAttribute('aria-label'),
    background: await background(item),
  };
}

/** Whether the item is there now. */
export const hasStatus = (vs, id) => itemOf(vs, id).isVisible();

/** Presses the item. */
export const clickStatus = (vs, id) => itemOf(vs, id).locator('a').first().click();

/** Text of the item's hover. Items come and go beside it: a hover that came while it moved may be a neighbour's. */
export async function statusTooltip(vs, id) {
  const item = itemOf(vs, id);
  const hover = vs.page.locator('.monaco-hover:not(.hidden)').last();
  return vs.until(`tooltip of ${id}`, async () => {
    await vs.parkMouse();
    const { x } = await item.boundingBox();
    await item.hover(SOON);
    await hover.waitFor(SOON);
    const text = await textOf(hover);
    return (await item.boundingBox()).x === x ? text : null;
  });
}
