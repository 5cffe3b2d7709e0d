import type { Locator } from 'playwright-core';
import { Editor } from './editor';
import { SOON, textOf } from './steps';

/** An item as shown. */
interface StatusItem {
  readonly text: string;
  readonly icons: readonly string[];
  readonly label: string;
  readonly background: string | null;
}

interface Classed {
  readonly classList: Iterable<string> & { contains(name: string): boolean };
}

const icons = (item: Locator): Promise<string[]> =>
  item.locator('.codicon').evaluateAll((all: Classed[]) => {
    const names = all.flatMap(each => [...each.classList]).filter(name => name.startsWith('codicon-'));
    return names.map(name => name.slice('codicon-'.length));
  });

const background = (item: Locator): Promise<string | null> =>
  item.evaluate(
    (each: Classed) => ['error', 'warning'].find(kind => each.classList.contains(`${kind}-kind`)) ?? null,
  );

/** The status bar. Its items are known by `<publisher>.<name>.<item id>`. */
export class StatusBar extends Editor {
  private item(id: string): Locator {
    return this.page.locator(`[id="${id}"]`);
  }

  /** One item, once its text matches. */
  async status(id: string, expected = /(?:)/): Promise<StatusItem> {
    const item = this.item(id);
    await this.until(`status bar item ${id} ${String(expected)}`, async () =>
      expected.test(await textOf(item)),
    );
    return {
      text: await textOf(item),
      icons: await icons(item),
      label: (await item.locator('a').first().getAttribute('aria-label')) ?? '',
      background: await background(item),
    };
  }

  /** Whether the item is currently shown. */
  hasStatus(id: string): Promise<boolean> {
    return this.item(id).isVisible();
  }

  /** Clicks the item. */
  clickStatus(id: string): Promise<void> {
    return this.item(id).locator('a').first().click();
  }

  /**
   * Text of the item's hover. Items come and go next to it: a hover that appeared while it moved may be a
   * neighbor's.
   */
  statusTooltip(id: string): Promise<string> {
    const item = this.item(id);
    const hover = this.page.locator('.monaco-hover:not(.hidden)').last();
    return this.until(`tooltip of ${id}`, async () => {
      await this.parkMouse();
      const before = await item.boundingBox();
      await item.hover(SOON);
      await hover.waitFor(SOON);
      const text = await textOf(hover);
      return (await item.boundingBox())?.x === before?.x ? text : null;
    });
  }
}
