// Quick open, the command palette, quick picks and input boxes: all of them are one widget.
import { posix } from 'node:path';

const WIDGET = '.quick-input-widget';

/** @param {import('../driver.mjs').Surroundings} window */
export function palette({ page, until }) {
  const input = page.locator(`${WIDGET} input.input`);
  const rows = page.locator(`${WIDGET} .monaco-list-row`);
  // Rows are recycled and keep stale text for a moment: their labels do not.
  const row = label => page.locator(`${WIDGET} .monaco-list-row[aria-label^="${label}"]`).first();
  const labels = () => rows.evaluateAll(all => all.map(each => each.getAttribute('aria-label')));

  async function ask(key, query) {
    await page.keyboard.press(key);
    await input.waitFor();
    await input.fill(query);
  }

  async function escape() {
    await page.keyboard.press('Escape');
    await page.locator(WIDGET).waitFor({ state: 'hidden' });
  }

  return {
    escape,

    /** Opens a file of the workspace by its path in it. */
    async open(file) {
      const name = posix.basename(file);
      await ask('Control+P', file);
      await row(name).click();
      const tab = `.tab.active[data-resource-name="${name}"], .tab.active[aria-label^="${name}"]`;
      await page.locator(tab).first().waitFor();
      await page.locator('.editor-instance .monaco-editor .view-line').first().waitFor();
    },

    /** Runs a command by its title: `Headroom: Optimize GPU Config`. Fails when the palette does not offer it. */
    async command(title) {
      await ask('F1', `>${title}`);
      await row(title).click();
    },

    /** Titles that the palette offers for a text: hidden and disabled commands are not among them. */
    async commands(filter) {
      await ask('F1', `>${filter}`);
      await until('answer of the palette', async () => (await labels()).length > 0);
      // The list is filled in two steps: the matches, then similar commands.
      await page.waitForTimeout(300);
      const titles = (await labels()).map(label => label.replace(/,.*$/, ''));
      await escape();
      return titles.filter(title => !/^(No matching|similar)/.test(title));
    },

    /** Labels of an open quick pick. */
    async picks(expected = /./) {
      return until(`quick pick with ${expected}`, async () => {
        const all = await labels();
        return all.some(label => expected.test(label)) && all;
      });
    },

    /** Chooses the row of an open quick pick whose label begins so. */
    async pick(label) {
      await row(label).click();
    },

    /** Whether a row is offered within a moment. */
    async offers(label, timeout = 3000) {
      return row(label)
        .waitFor({ timeout })
        .then(
          () => true,
          () => false,
        );
    },

    /** Types into an open input box and accepts it. */
    async answer(value) {
      await input.waitFor();
      await input.fill(value);
      await page.keyboard.press('Enter');
    },
  };
}
