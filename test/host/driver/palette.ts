import { posix } from 'node:path';
import type { Locator } from 'playwright-core';
import { Steps } from './steps';

const WIDGET = '.quick-input-widget';
const ONCE_MORE_MS = 5_000;
const MOST_PRESSES = 4;

/** Whether a step ended in time. */
const seen = (step: Promise<unknown>): Promise<boolean> =>
  step.then(
    () => true,
    () => false,
  );

/** Quick open, the command palette, quick picks and input boxes: all are one widget. */
export class Palette extends Steps {
  private get input(): Locator {
    return this.page.locator(`${WIDGET} input.input`);
  }

  /** Rows are recycled and keep stale text for a moment; their labels do not. */
  private row(label: string): Locator {
    return this.page.locator(`${WIDGET} .monaco-list-row[aria-label^="${label}"]`).first();
  }

  private labels(): Promise<string[]> {
    return this.page
      .locator(`${WIDGET} .monaco-list-row`)
      .evaluateAll((rows: { getAttribute(name: string): string | null }[]) =>
        rows.map(each => each.getAttribute('aria-label') ?? ''),
      );
  }

  private async ask(key: string, query: string): Promise<void> {
    await this.page.keyboard.press(key);
    // A key press is lost while the window rearranges itself, e.g. after its folder was trusted; and a view that
    // takes the focus late closes the widget again.
    const isAsked = (): Promise<boolean> => seen(this.input.fill(query, { timeout: ONCE_MORE_MS }));
    for (let attempt = 1; attempt < MOST_PRESSES && !(await isAsked()); attempt++) {
      await this.page.keyboard.press(key);
    }
    await this.input.fill(query);
  }

  /** Asks and clicks the row with the label. */
  private async choose(key: string, query: string, label: string): Promise<void> {
    await this.ask(key, query);
    if (await seen(this.row(label).click({ timeout: ONCE_MORE_MS }))) return;
    // The list is created when the widget opens: a window that has just loaded may not have known the file or
    // command then.
    await this.escape();
    await this.ask(key, query);
    await this.row(label).click();
  }

  /** Opens a workspace file by its relative path. */
  async open(file: string): Promise<void> {
    const name = posix.basename(file);
    await this.choose('Control+P', file, name);
    const tab = `.tab.active[data-resource-name="${name}"], .tab.active[aria-label^="${name}"]`;
    await this.page.locator(tab).first().waitFor();
    const text = '.editor-instance .monaco-editor .view-line, .notebookOverlay .monaco-editor .view-line';
    await this.page.locator(text).first().waitFor();
  }

  /** Runs a command by its title: `Headroom: Optimize GPU Config`. Fails if the palette does not offer it. */
  command(title: string): Promise<void> {
    return this.choose('F1', `>${title}`, title);
  }

  /** Titles that the palette offers for a text; hidden and disabled commands are not included. */
  async commands(filter: string): Promise<string[]> {
    await this.ask('F1', `>${filter}`);
    await this.until('answer of the palette', async () => (await this.labels()).length > 0);
    // The list is filled in two steps: the matches, then similar commands.
    await this.page.waitForTimeout(300);
    const titles = (await this.labels()).map(label => label.replace(/,.*$/, ''));
    await this.escape();
    return titles.filter(title => !/^(No matching|similar)/.test(title));
  }

  /** Labels of the open quick pick, once one of them matches. */
  picks(expected = /./): Promise<string[]> {
    return this.settled('quick pick', expected, () => this.labels());
  }

  /** Chooses the row of the open quick pick whose label starts with the text. */
  async pick(label: string): Promise<void> {
    await this.row(label).click();
  }

  /** Whether such a row is offered within the timeout. */
  offers(label: string, timeout = 3000): Promise<boolean> {
    return seen(this.row(label).waitFor({ timeout }));
  }

  /** Types into the open input box and accepts. */
  async answer(value: string): Promise<void> {
    await this.input.waitFor();
    await this.input.fill(value);
    await this.page.keyboard.press('Enter');
  }

  /** Closes the widget. A key press is lost while the widget fills its list, so it is repeated. */
  async escape(): Promise<void> {
    const widget = this.page.locator(WIDGET);
    for (let attempt = 1; attempt < 5; attempt++) {
      await this.page.keyboard.press('Escape');
      if (await seen(widget.waitFor({ state: 'hidden', timeout: 3000 }))) return;
    }
    await widget.waitFor({ state: 'hidden' });
  }
}
