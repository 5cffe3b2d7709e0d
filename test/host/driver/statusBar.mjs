// The status bar.
import { textOf } from './wait.mjs';

/** @param {import('../driver.mjs').Surroundings} window */
export function statusBar({ page, until }) {
  const itemOf = id => page.locator(`[id="${id}"]`);

  const icons = item =>
    item.locator('.codicon').evaluateAll(all => {
      const names = all.flatMap(each => [...each.classList]).filter(name => name.startsWith('codicon-'));
      return names.map(name => name.slice('codicon-'.length));
    });

  const background = item =>
    item.evaluate(each => ['error', 'warning'].find(kind => each.classList.contains(`${kind}-kind`)) ?? null);

  return {
    /** One item, by `<publisher>.<name>.<item id>`, once its text is as expected. */
    async status(id, expected) {
      const item = itemOf(id);
      await until(`status bar item ${id} ${expected ?? ''}`, async () =>
        expected ? expected.test(await textOf(item)) : item.isVisible(),
      );
      return {
        text: await textOf(item),
        icons: await icons(item),
        label: await item.locator('a').first().getAttribute('aria-label'),
        background: await background(item),
      };
    },

    hasStatus: id => itemOf(id).isVisible(),

    async clickStatus(id) {
      await itemOf(id).locator('a').first().click();
    },

    /** Text of the item's hover. */
    async statusTooltip(id) {
      const hover = page.locator('.monaco-hover:not(.hidden)').last();
      return until(`tooltip of ${id}`, async () => {
        await itemOf(id).hover();
        await hover.waitFor({ timeout: 3000 });
        return textOf(hover);
      });
    },
  };
}
